//! The words of a text that may be names, with what each is written behind: for edits that give a name another path.

use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use tree_sitter::Node;

use crate::{Language, parse};

/// Tree nodes visited between two checks of the cancel flag.
const STRIDE: usize = 4_096;

/// A word of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeWord {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// The kind of the leaf in the grammar.
    pub kind: &'static str,
    /// The kind of the node around it, if edits ask for it.
    pub parent: &'static str,
    /// The kind of the node around that.
    pub above: &'static str,
    /// The field of the node around it that it fills.
    pub field: &'static str,
    /// What is written before it with `.` or `::`: `a::b` of `a::b::load`.
    pub qualifier: Option<Range<usize>>,
    /// It is behind a single dot: a member of a value, or of a package.
    pub is_member: bool,
}

/// Kinds of leaves that are names.
const NAMES: &[&str] = &[
    "identifier", "type_identifier", "field_identifier", "package_identifier", "shorthand_field_identifier", "crate",
    "self", "super",
];

/// Kinds of nodes around a name, and fields, that edits ask for.
const AROUND: &[&str] = &[
    // Go.
    "qualified_type", "selector_expression", "operand", "key", "keyed_element", "literal_element",
    // Rust.
    "token_tree", "ERROR", "scoped_identifier", "scoped_type_identifier", "scoped_use_list", "use_list",
    "use_as_clause", "use_wildcard", "use_declaration", "trait_bounds", "dynamic_type", "abstract_type",
    "generic_type", "impl_item", "field_expression", "field_initializer", "mod_item", "visibility_modifier",
    "attribute", "macro_invocation", "trait", "path", "name", "field", "value", // Java.
    "field_access", "method_invocation", "import_declaration", "package_declaration", "object", "scope", "type",
];

/// Kinds of leaves whose text may hold names.
const TEXTS: &[&str] = &["string_content", "string_literal", "raw_string_literal", "string_fragment"];

/// The words of the code of a text, in order: no comments; texts are words of the kind `string_content` or the like.
/// `None` where the language has no grammar of its own or the text cannot be parsed.
pub fn code_words(language: Language, text: &str, limits: &Limits, cancel: &Cancel) -> Option<Vec<CodeWord>> {
    let grammar = language.grammar()?;
    let tree = parse::parse(&grammar, text.as_bytes(), limits, cancel).ok()?;
    let mut words = Vec::new();
    let mut above: Vec<Node<'_>> = Vec::new();
    let mut cursor = tree.walk();
    let mut steps = 0;
    loop {
        let node = cursor.node();
        steps += 1;
        if steps % STRIDE == 0 && cancel.is_cancelled() {
            return None;
        }
        let is_text = TEXTS.contains(&node.kind());
        if node.child_count() > 0 && !is_text && (above.len() as u32) < limits.tree_depth && cursor.goto_first_child() {
            above.push(node);
            continue;
        }
        if is_text || NAMES.contains(&node.kind()) {
            words.push(word(node, &above, cursor.field_name().map_or("", find_word), text));
        }
        while !cursor.goto_next_sibling() {
            if above.pop().is_none() || !cursor.goto_parent() {
                return Some(words);
            }
        }
    }
}

/// The word of a list of grammar words that is the same; empty if none is.
fn find_word(word: &str) -> &'static str {
    NAMES.iter().chain(TEXTS).chain(AROUND).find(|known| **known == word).copied().unwrap_or("")
}

fn word(node: Node<'_>, above: &[Node<'_>], field: &'static str, text: &str) -> CodeWord {
    let bytes = node.byte_range();
    let kind_at = |back: usize| above.iter().rev().nth(back).map_or("", |node| find_word(node.kind()));
    let before = text[..bytes.start].trim_end();
    let separator = ["::", "."].into_iter().find(|separator| before.ends_with(separator));
    let is_member = separator == Some(".") && !before.ends_with("..");
    let path = separator.and_then(|separator| {
        let end = before.len() - separator.len();
        let parent = above.last().filter(|parent| parent.start_byte() < end);
        let start = match kind_at(0) {
            "token_tree" | "ERROR" => start_of_path(&text[..end]),
            _ => parent?.start_byte(),
        };
        Some(start..text[..end].trim_end().len())
    });
    CodeWord {
        kind: find_word(node.kind()),
        parent: kind_at(0),
        above: kind_at(1),
        field,
        qualifier: path.filter(|path| path.start < path.end),
        is_member,
        bytes,
    }
}

/// Where the path begins that a text ends with: names joined by `::`.
fn start_of_path(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    text.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(language: Language, text: &str) -> Vec<String> {
        let found = code_words(language, text, &Limits::default(), &Cancel::new()).expect("parses");
        let row = |word: &CodeWord| {
            let path = word.qualifier.clone().map_or(String::new(), |path| format!("[{}]", &text[path]));
            format!("{path}{}", &text[word.bytes.clone()])
        };
        found.iter().map(row).collect()
    }

    #[test]
    fn words_with_what_is_before_them() {
        assert_eq!(
            words(Language::Go, "package p\n// c\nfunc f(x a.T) { b.Load(\"t\") }\n"),
            ["p", "f", "x", "a", "[a]T", "b", "[b]Load"]
        );
        assert_eq!(
            words(Language::Rust, "fn f() { a::b::load(); m!(c::d(e.f)); }"),
            ["f", "a", "[a]b", "[a::b]load", "m", "c", "[c]d", "e", "[e]f"]
        );
        assert_eq!(
            words(Language::Java, "class A { a.b.C x = d.e(); }"),
            ["A", "a", "[a]b", "[a.b]C", "x", "d", "[d]e"]
        );
    }
}
