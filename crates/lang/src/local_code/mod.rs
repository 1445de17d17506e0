//! What happens inside of a function: its variables, and where control leaves a part of it. From it, new texts: lines
//! that become a function, a call that is replaced by the body of its function.

mod callee;
mod compose;
mod extract;
mod flow;
mod inline;
mod inlined_text;
mod liveness;
mod locals;
mod passing;
mod receiver;
mod rules;
mod select;
mod surroundings;
mod types;

use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use tree_sitter::Node;

use crate::{Language, parse};

/// A place that stands in the way of a change, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Its line, from 1.
    pub line: u32,
    /// Why it stands in the way.
    pub why: String,
}

/// A new text for some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes; empty to insert.
    pub range: Range<usize>,
    /// Their new text.
    pub text: String,
}

/// What code of other files says about calls.
pub trait KnownCalls {
    /// The types of the results of the call whose name stands at a byte, as they are written there; `None` if they are
    /// not known.
    fn result_types(&self, at: usize) -> Option<Vec<String>>;
}

/// The lines that become a function.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    /// The first one, from 1.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// The name of the function.
    pub name: &'a str,
}

type Result<T> = std::result::Result<T, Obstacle>;

fn refuse(line: u32, why: &str) -> Obstacle {
    Obstacle { line, why: why.to_owned() }
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> u32 {
    text.get(..at).unwrap_or(text).bytes().filter(|byte| *byte == b'\n').count() as u32 + 1
}

/// The named children of a node, without comments.
fn list_named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The white space that the line of a byte begins with.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Plans to make lines a function of their own; `None` for a language without rules for it.
///
/// # Errors
/// The first place that stands in the way.
pub fn extract_lines(
    language: Language,
    text: &str,
    lines: Lines<'_>,
    calls: &dyn KnownCalls,
    (limits, cancel): (&Limits, &Cancel),
) -> Option<std::result::Result<Vec<Replacement>, Obstacle>> {
    let rules = rules::LocalRules::of(language)?;
    let grammar = language.grammar()?;
    let tree = match parse::parse(&grammar, text.as_bytes(), limits, cancel) {
        Ok(tree) => tree,
        Err(problem) => return Some(Err(refuse(0, &format!("cannot be parsed: {}", problem.detail)))),
    };
    Some(
        extract::Plan::new((language, rules), &tree, text, lines, calls, limits)
            .and_then(|plan| compose::compose(&plan)),
    )
}

/// The types that a function gives back, as its declaration writes them. `line` is that of its name, from 1. `None` if
/// they are not written, or depend on how it is called.
pub fn written_results(
    language: Language,
    text: &str,
    (line, name): (u32, &str),
    (limits, cancel): (&Limits, &Cancel),
) -> Option<Vec<String>> {
    let rules = rules::LocalRules::of(language)?;
    let tree = parse::parse(&language.grammar()?, text.as_bytes(), limits, cancel).ok()?;
    let row = line.checked_sub(1)? as usize;
    let mut rest = vec![tree.root_node()];
    while let Some(node) = rest.pop() {
        let (first, last) = (node.start_position().row, node.end_position().row);
        if row < first || row > last {
            continue;
        }
        let own = node.child_by_field_name("name").filter(|own| own.start_position().row == row);
        if rules.functions.contains(&node.kind()) && own.and_then(|own| text.get(own.byte_range())) == Some(name) {
            return results_of(language, node, text);
        }
        rest.extend(list_named(node));
    }
    None
}

/// The written results of a function without type parameters, each on its own.
fn results_of(language: Language, function: Node<'_>, text: &str) -> Option<Vec<String>> {
    let head = text.get(function.start_byte()..function.child_by_field_name("body")?.start_byte())?;
    // Results that depend on the call are not known.
    let is_generic = function.child_by_field_name("type_parameters").is_some()
        || head.contains("async ") && language == Language::Rust
        || function.child_by_field_name("receiver").is_some_and(|list| text[list.byte_range()].contains('['))
        || head.contains("impl ");
    let found = function.child_by_field_name("result").filter(|_| !is_generic);
    if let Some(list) = found.filter(|list| list.kind() == "parameter_list") {
        let mut results = Vec::new();
        for part in list_named(list) {
            let kind = text.get(part.child_by_field_name("type")?.byte_range())?;
            let names = part.children_by_field_name("name", &mut part.walk()).count().max(1);
            results.extend(std::iter::repeat_n(kind.to_owned(), names));
        }
        return Some(results);
    }
    let result = extract::result_type(function, text).filter(|_| !is_generic)?;
    // Type parameters of what is around are not known elsewhere.
    let mut around = function.parent();
    while let Some(above) = around {
        if let Some(list) = above.child_by_field_name("type_parameters") {
            let names = text.get(list.byte_range())?;
            let has = |word: &str| result.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
            if names.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| !word.is_empty() && has(word)) {
                return None;
            }
        }
        around = above.parent();
    }
    let is_own =
        result.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "Self" | "this" | "asserts" | "is"));
    (!is_own).then(|| vec![result])
}

/// The statements of each block inside of a function: their first and last lines, from 1.
pub fn list_blocks(language: Language, text: &str, limits: &Limits, cancel: &Cancel) -> Vec<Vec<(u32, u32)>> {
    let Some((rules, grammar)) = rules::LocalRules::of(language).zip(language.grammar()) else { return Vec::new() };
    let Ok(tree) = parse::parse(&grammar, text.as_bytes(), limits, cancel) else { return Vec::new() };
    let (mut blocks, mut rest) = (Vec::new(), vec![(tree.root_node(), false)]);
    while let Some((node, in_function)) = rest.pop() {
        let in_function = in_function || rules.functions.contains(&node.kind());
        let children = list_named(node);
        if in_function && rules.blocks.contains(&node.kind()) && !children.is_empty() {
            let span = |child: &Node<'_>| (child.start_position().row as u32 + 1, child.end_position().row as u32 + 1);
            blocks.push(children.iter().map(span).collect());
        }
        rest.extend(children.into_iter().rev().map(|child| (child, in_function)));
    }
    blocks
}

/// A call that is replaced by the body of its function.
#[derive(Debug, Clone, Copy)]
pub struct InlinedCall<'a> {
    /// The text of its file.
    pub text: &'a str,
    /// First byte of the name of the function in the call.
    pub at: usize,
    /// Whether the function is declared in this file.
    pub is_same_file: bool,
}

/// What becomes of a function that is inlined.
#[derive(Debug)]
pub struct Inlined {
    /// The bytes of its declaration.
    pub removed: Range<usize>,
    /// The new text of each call, or what stands in its way.
    pub calls: Vec<std::result::Result<Replacement, Obstacle>>,
}

/// Plans to replace calls of a function by its body; `None` for a language without rules for it. `line` is that of its
/// name.
///
/// # Errors
/// The place in the function that stands in the way.
pub fn inline_calls(
    language: Language,
    text: &str,
    (line, name): (u32, &str),
    calls: &[InlinedCall<'_>],
    (limits, cancel): (&Limits, &Cancel),
) -> Option<std::result::Result<Inlined, Obstacle>> {
    let rules = rules::LocalRules::of(language)?;
    let grammar = language.grammar()?;
    let parse = |text: &str| {
        parse::parse(&grammar, text.as_bytes(), limits, cancel)
            .map_err(|problem| refuse(0, &format!("cannot be parsed: {}", problem.detail)))
    };
    let inline = || {
        let tree = parse(text)?;
        let callee = callee::Callee::read((language, rules), &tree, text, (line, name), limits)?;
        let replaced = calls.iter().map(|call| {
            let tree = parse(call.text)?;
            let site = inline::Site::read(&callee, &tree, call.text, call.at, limits)?;
            inline::replace(&callee, &site, call.is_same_file)
        });
        Ok(Inlined { removed: inlined_text::find_removed(&callee), calls: replaced.collect() })
    };
    Some(inline())
}

#[cfg(test)]
mod tests;
