//! What is known of a definition before it is entered into the facts: its header, doc comment, keywords.

use tree_sitter::Node;

use super::Outline;
use super::rules::{NoBody, flags_of_words};
use crate::facts::{DefFlags, DefKind, Definition, Visibility};
use crate::text;

/// A definition about to be made. [`Grammar::adjust`](super::rules::Grammar::adjust) may change every part.
#[derive(Debug)]
pub(crate) struct Draft<'a, 't> {
    /// What it is.
    pub(crate) kind: DefKind,
    /// Its name; without one it becomes no definition, unless it is anonymous.
    pub(crate) name: Option<String>,
    /// The node that is its name: not visited.
    pub(crate) name_node: Option<Node<'t>>,
    /// The whole of it.
    pub(crate) extent: Node<'t>,
    /// Parameter list.
    pub(crate) params: Option<Node<'t>>,
    /// Body.
    pub(crate) body: Option<Node<'t>>,
    /// Declared type.
    pub(crate) result: Option<Node<'t>>,
    /// The type it extends.
    pub(crate) extends: Option<Node<'t>>,
    /// Whether its name can be looked up from where it stands.
    pub(crate) bound: bool,
    /// Whether it belongs to the code around the classes that it stands in: a function that is declared as a friend.
    pub(crate) is_outside: bool,
    /// Whether the node that is its name has parts to visit.
    pub(crate) visit_name: bool,
    /// Who may name it.
    pub(crate) visibility: Visibility,
    /// Properties.
    pub(crate) flags: DefFlags,
    /// Keywords before the name.
    pub(crate) words: Vec<&'a str>,
    /// What a missing body means.
    pub(crate) no_body: NoBody,
}

/// Comments that follow each other line by line, the latest of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CommentRun {
    start: usize,
    end: usize,
    end_row: usize,
}

/// Longest text between a doc comment and what it documents, in bytes.
const MAX_DOC_GAP: usize = 600;
/// Longest part of a header searched for keywords, in bytes.
const MAX_WORDS: usize = 400;

impl<'a> Outline<'a> {
    /// Remembers a comment.
    pub(crate) fn comment(&mut self, node: Node<'_>) {
        let start = node.start_byte();
        let line_start = start - node.start_position().column;
        let alone = self.source.whole().get(line_start..start).is_some_and(|before| before.trim().is_empty());
        if !alone {
            return;
        }
        let end = node.end_byte();
        let text = self.source.whole().get(start..end).unwrap_or("");
        let end_row = node.end_position().row - usize::from(text.ends_with('\n'));
        let run = &mut self.comments;
        let block = text.starts_with("/*");
        if !block && run.end > 0 && run.end_row + 1 == node.start_position().row {
            run.end = end;
            run.end_row = end_row;
        } else {
            *run = CommentRun { start, end, end_row };
        }
    }

    /// Where the latest comment starts.
    pub(crate) fn doc_start(&self) -> usize {
        self.comments.start
    }

    /// The doc comment right before `start`.
    pub(crate) fn doc_before(&self, start: usize) -> Option<Box<str>> {
        let comment = self.comment_before(start)?;
        let comment =
            comment.strip_prefix("#!").map_or(comment, |rest| rest.split_once('\n').map_or("", |(_, rest)| rest));
        text::doc(comment)
    }

    /// The comment right before `start`, as it is written.
    pub(crate) fn comment_before(&self, start: usize) -> Option<&'a str> {
        let (from, to) = self.comment_place_before(start)?;
        let text: &'a str = self.source.whole();
        text.get(from..to)
    }

    /// Where the comment right before `start` stands.
    pub(crate) fn comment_place_before(&self, start: usize) -> Option<(usize, usize)> {
        let run = self.comments;
        if run.end == 0 || run.end > start || start - run.end > MAX_DOC_GAP {
            return None;
        }
        let gap = self.source.whole().get(run.end..start)?;
        // Only the words of the same declaration may stand between.
        let apart = gap.trim_start().contains(['\n', ';', '{', '}']);
        if apart || blank_line(gap) {
            return None;
        }
        Some((run.start, run.end))
    }

    /// Where the header of a definition starts: after its decorators.
    pub(crate) fn header_start<'t>(&self, extent: Node<'t>) -> Node<'t> {
        let grammar = self.grammar;
        let mut cursor = extent.walk();
        if !cursor.goto_first_child() {
            return extent;
        }
        let mut skipped = false;
        loop {
            let node = cursor.node();
            let kind = node.kind();
            if grammar.decorators.contains(&kind) || node.is_extra() {
                skipped = true;
            } else if grammar.modifiers.contains(&kind) && cursor.goto_first_child() {
                continue;
            } else {
                return if skipped { node } else { extent };
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() || cursor.node().id() == extent.id() {
                    return extent;
                }
            }
        }
    }

    /// The words of a header before the name.
    pub(crate) fn words_before(&self, start: usize, name: usize) -> Vec<&'a str> {
        let text: &'a str = self.source.whole();
        let header = text.get(start..name.max(start)).unwrap_or("");
        text::clip(header, MAX_WORDS)
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|w| !w.is_empty())
            .collect()
    }

    /// The node that the text of a definition is taken from: the node or what wraps it.
    pub(crate) fn extent<'t>(&self, node: Node<'t>, parent: Option<Node<'t>>) -> Node<'t> {
        let Some(parent) = parent else { return node };
        let wraps = self.grammar.wrappers.iter().any(|&(kind, same_line)| {
            kind == parent.kind() && (!same_line || parent.start_position().row == node.start_position().row)
        });
        if wraps { parent } else { node }
    }

    /// Visibility by the keywords of a header.
    pub(crate) fn visibility(&self, words: &[&str], name: &str) -> Visibility {
        let word = words.iter().find_map(|word| self.grammar.access.iter().find(|(key, _)| key == word));
        word.map_or_else(|| (self.grammar.visibility)(self.owner_kind(), name), |&(_, visibility)| visibility)
    }

    /// Kind of the definition whose scope the current one is.
    pub(crate) fn owner_kind(&self) -> Option<DefKind> {
        let owner = self.builder.facts().scopes[self.scope().index()].owner?;
        Some(self.builder.facts().definition(owner).kind)
    }

    /// Fills position, extent, header and doc comment of a definition.
    pub(crate) fn place(&self, definition: &mut Definition, extent: Node<'_>, header_end: usize) {
        let header = self.header_start(extent);
        definition.line_start = header.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(extent).max(definition.line_start);
        definition.bytes = (extent.start_byte() as u32, extent.end_byte() as u32);
        definition.doc = self.doc_before(extent.start_byte());
        let end = header_end.max(header.start_byte());
        let text = self.source.whole().get(header.start_byte()..end).unwrap_or("");
        let text = text.trim_end().trim_end_matches(['{', ';', '=', ',']).trim_end();
        definition.signature = text::signature(text::clip(text, 4 * Definition::MAX_SIGNATURE));
    }

    /// Flags that the words of a header give.
    pub(crate) fn word_flags(&self, words: &[&str]) -> DefFlags {
        let kind = self.builder.facts().scopes[self.scope().index()].kind;
        let is_local = matches!(kind, crate::facts::ScopeKind::Function | crate::facts::ScopeKind::Block);
        DefFlags { is_local, ..flags_of_words(words) }
    }
}

fn blank_line(gap: &str) -> bool {
    let mut breaks = 0;
    for byte in gap.bytes() {
        match byte {
            b'\n' => breaks += 1,
            b' ' | b'\t' | b'\r' => {}
            _ => breaks = 0,
        }
        if breaks > 1 {
            return true;
        }
    }
    false
}
