//! The whole statements of a range of lines, and the functions around them.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::rules::LocalRules;
use super::{Obstacle, Result, line_of, list_named, refuse};
use crate::Language;

/// Whole statements of one block, with what is around them.
#[derive(Debug)]
pub(super) struct Selected<'t> {
    /// The list of statements.
    pub(super) block: Node<'t>,
    /// The statements, without comments.
    pub(super) statements: Vec<Node<'t>>,
    /// Their whole lines, comments too.
    pub(super) lines: Range<usize>,
    /// From the first byte of the first statement to the last one of the last.
    pub(super) core: Range<usize>,
    /// The innermost function around them.
    pub(super) nearest: Node<'t>,
    /// The function or method behind which a new one is written.
    pub(super) home: Node<'t>,
    /// What is written in the file or class and holds `home`.
    pub(super) top: Node<'t>,
}

impl<'t> Selected<'t> {
    /// Finds the statements that lines, from 1, consist of.
    pub(super) fn find(
        (language, rules): (Language, &'static LocalRules),
        tree: &'t Tree,
        text: &str,
        (first, last): (u32, u32),
    ) -> Result<Self> {
        let lines = byte_range(text, first, last).ok_or_else(|| refuse(first, "the file does not have these lines"))?;
        let core = trim_comments(tree, text, lines.clone()).ok_or_else(|| refuse(first, "no statement begins here"))?;
        // The list of statements that has them all.
        let mut block = tree.root_node().descendant_for_byte_range(core.start, core.end);
        let mut statements = Vec::new();
        while let Some(node) = block {
            if rules.blocks.contains(&node.kind()) {
                statements = whole_children(node, &core, text)?;
                if !statements.is_empty() {
                    break;
                }
            }
            block = node.parent();
        }
        let Some(block) = block.filter(|_| !statements.is_empty()) else {
            return Err(refuse(
                line_of(text, core.start),
                "the lines are not whole statements of one block in a function",
            ));
        };
        let lines = drop_description((language, text), block, &mut statements, lines)?;
        let core = statements[0].start_byte()..statements[statements.len() - 1].end_byte();
        let (nearest, home) = find_functions(rules, block)
            .ok_or_else(|| refuse(line_of(text, core.start), "the lines are not inside of a function"))?;
        let top = find_top(language, rules, home);
        Ok(Self { block, statements, lines, core, nearest, home, top })
    }

    /// Returns whether nothing but comments comes behind them in the innermost function.
    pub(super) fn is_at_end(&self) -> bool {
        let body = self.nearest.child_by_field_name("body");
        let list = body.filter(|body| *body == self.block || self.block.parent() == Some(*body));
        let mut cursor = self.block.walk();
        let last = self.block.named_children(&mut cursor).filter(|child| !child.is_extra()).last();
        list.is_some() && last == self.statements.last().copied()
    }
}

/// Leaves the description of a function of Python where it is; gives the lines behind it.
fn drop_description(
    (language, text): (Language, &str),
    block: Node<'_>,
    statements: &mut Vec<Node<'_>>,
    lines: Range<usize>,
) -> Result<Range<usize>> {
    let first = statements[0];
    let is_description = language == Language::Python
        && block.parent().is_some_and(|above| above.kind() == "function_definition")
        && list_named(block).first() == Some(&first)
        && first.named_child(0).is_some_and(|child| child.kind() == "string");
    if !is_description {
        return Ok(lines);
    }
    let end = text[first.end_byte()..].find('\n').map_or(text.len(), |at| first.end_byte() + at + 1);
    statements.remove(0);
    match statements.first().is_some_and(|next| next.start_byte() >= end) {
        true => Ok(end..lines.end),
        false => Err(refuse(line_of(text, first.start_byte()), "the lines are only the description of the function")),
    }
}

/// Bytes of whole lines, with the last line break.
fn byte_range(text: &str, first: u32, last: u32) -> Option<Range<usize>> {
    if first == 0 || last < first {
        return None;
    }
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(first as usize - 1)?;
    let end = starts.nth((last - first) as usize).unwrap_or(text.len());
    (start < text.len()).then_some(start..end)
}

/// The bytes of a range without white space and comments at both ends; `None` if nothing is left.
fn trim_comments(tree: &Tree, text: &str, lines: Range<usize>) -> Option<Range<usize>> {
    let comment_at = |at: usize| {
        let node = tree.root_node().descendant_for_byte_range(at, at + 1)?;
        node.kind().contains("comment").then_some(node)
    };
    let (mut start, mut end) = (lines.start, lines.end);
    loop {
        start += text.get(start..end)?.len() - text.get(start..end)?.trim_start().len();
        match comment_at(start) {
            Some(comment) if start < end => start = comment.end_byte().max(start + 1),
            _ => break,
        }
    }
    loop {
        end -= text.get(start..end)?.len() - text.get(start..end)?.trim_end().len();
        if end <= start {
            return None;
        }
        let last = text[..end].char_indices().next_back()?.0;
        match comment_at(last) {
            Some(comment) => end = comment.start_byte(),
            None => return Some(start..end),
        }
    }
}

/// The children of a block that a range consists of; empty if it goes beyond the block.
fn whole_children<'t>(block: Node<'t>, core: &Range<usize>, text: &str) -> Result<Vec<Node<'t>>> {
    let mut cursor = block.walk();
    let children: Vec<Node<'t>> = block.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let touched = children.into_iter().filter(|child| child.start_byte() < core.end && core.start < child.end_byte());
    let touched: Vec<Node<'t>> = touched.collect();
    let (Some(first), Some(last)) = (touched.first(), touched.last()) else { return Ok(Vec::new()) };
    if first.start_byte() > core.start
        || last.end_byte() < core.end.saturating_sub(1)
            && !text[last.end_byte()..core.end].trim().trim_matches(';').is_empty()
    {
        return Ok(Vec::new());
    }
    let cut = [first, last].into_iter().find(|node| node.start_byte() < core.start || node.end_byte() > core.end);
    if let Some(cut) = cut {
        let why = format!("the lines take only a part of the statement of line {}", line_of(text, cut.start_byte()));
        return Err(Obstacle { line: line_of(text, core.start), why });
    }
    // Nothing else may stand on their lines.
    let before = text[..first.start_byte()].rsplit('\n').next().unwrap_or_default();
    let behind = text[last.end_byte()..].split('\n').next().unwrap_or_default().trim().trim_start_matches(';').trim();
    let is_comment = behind.is_empty() || ["//", "#", "/*"].iter().any(|mark| behind.starts_with(mark));
    match before.trim().is_empty() && is_comment {
        true => Ok(touched),
        false => Err(refuse(line_of(text, core.start), "other code stands on the same line")),
    }
}

/// The innermost function around a block, and the outermost one whose variables it sees.
fn find_functions<'t>(rules: &LocalRules, block: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let (mut nearest, mut home) = (None, None);
    let mut node = block.parent();
    while let Some(above) = node {
        let kind = above.kind();
        if rules.functions.contains(&kind) {
            nearest = nearest.or(Some(above));
            home = Some(above);
            let is_member = above.parent().is_some_and(|parent| parent.kind() == "class_body");
            let sees_more = rules.closures.contains(&kind) || (kind == "method_definition" && !is_member);
            if !sees_more {
                break;
            }
        }
        // A condition of the preprocessor may stand in a function.
        if rules.containers.contains(&kind) && (nearest.is_some() || !kind.starts_with("preproc_")) {
            break;
        }
        node = above.parent();
    }
    nearest.zip(home)
}

/// What holds a function and stands in a file or a class.
fn find_top<'t>(language: Language, rules: &LocalRules, home: Node<'t>) -> Node<'t> {
    match language {
        Language::Python => home.parent().filter(|parent| parent.kind() == "decorated_definition").unwrap_or(home),
        Language::Rust => home,
        _ => {
            let mut top = home;
            while let Some(parent) = top.parent().filter(|parent| !rules.containers.contains(&parent.kind())) {
                top = parent;
            }
            top
        }
    }
}
