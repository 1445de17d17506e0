//! Places of a text that the parser of its language cannot place.

use m1nd_base::{Cancel, Limits, Pos, Problem};
use tree_sitter::{Node, Tree};

use crate::{Language, languages, parse};

/// Most places that are returned.
const MAX_ERRORS: usize = 1_000;

/// A place that a parser skipped, or where it had to add something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Its beginning.
    pub pos: Pos,
    /// What is missing there (`}`); `None` if text had to be skipped.
    pub missing: Option<String>,
    /// First line of the skipped text; empty if something is missing.
    pub text: String,
}

/// The outermost syntax errors of a text, in order, at most 1,000; `None` for a language without a grammar.
///
/// # Errors
/// The limit that ended the parse.
pub fn syntax_errors(
    language: Language,
    text: &str,
    limits: &Limits,
    cancel: &Cancel,
) -> Option<Result<Vec<SyntaxError>, Problem>> {
    let grammar = language.grammar()?;
    // What needs a preprocessor is not an error.
    let prepared = languages::prepare(language, text);
    let tree = match parse::parse(&grammar, prepared.as_bytes(), limits, cancel) {
        Ok(tree) => tree,
        Err(problem) => return Some(Err(problem)),
    };
    // Errors that the grammar forgives, and its own.
    let mut errors = find_mismatched_tags(&tree, language, text);
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_wrong = node.is_error() || node.is_missing();
        if is_wrong && errors.len() < MAX_ERRORS {
            let skipped = text.get(node.byte_range()).unwrap_or_default().lines().next().unwrap_or_default();
            errors.push(SyntaxError {
                pos: position(node, text),
                missing: node.is_missing().then(|| node.kind().to_owned()),
                text: skipped.to_owned(),
            });
        }
        if !is_wrong && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                errors.sort_by_key(|error| error.pos);
                return Some(Ok(errors));
            }
        }
    }
}

/// The place of a node.
fn position(node: Node<'_>, text: &str) -> Pos {
    let start = node.start_position();
    let line_start = node.start_byte() - start.column;
    let column = text.get(line_start..node.start_byte()).map_or(start.column, |before| before.chars().count());
    Pos { line: start.row as u32 + 1, col: u16::try_from(column + 1).unwrap_or(u16::MAX) }
}

/// Closing tags of JSX that are not those of their opening tags, which the grammar lets pass.
fn find_mismatched_tags(tree: &Tree, language: Language, text: &str) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    if language.family() != Language::JavaScript || !text.contains("</") {
        return errors;
    }
    // Through the whole tree, without recursion.
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let name = |tag: Option<Node<'_>>| {
            let name = tag?.child_by_field_name("name").map(|name| name.byte_range());
            text.get(name.unwrap_or_default())
        };
        if node.kind() == "jsx_element" && errors.len() < MAX_ERRORS {
            let closing = node.child_by_field_name("close_tag");
            let (opened, closed) = (name(node.child_by_field_name("open_tag")), name(closing));
            if let Some(((opened, closed), closing)) = opened.zip(closed).zip(closing).filter(|((a, b), _)| a != b) {
                errors.push(SyntaxError {
                    pos: position(closing, text),
                    missing: Some(format!("</{opened}>")),
                    text: format!("</{closed}>"),
                });
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_errors() {
        let rows = [
            (Language::Rust, "fn a() { let x = ; }\n", "1:16 |="),
            (Language::Rust, "fn a() {\n", "1:1 |fn a() {"),
            (Language::Python, "def a():\n    x = (1\n", "2:5 |x = (1"),
            (Language::Go, "package a\nfunc b() {}\n", ""),
            (Language::Tsx, "const a = <A.B><C>x</C></A.B>;\n", ""),
            (Language::Tsx, "const a = <A.B><C>x</C></A.D>;\n", "1:24 </A.B>|</A.D>"),
            (Language::JavaScript, "const a = <><A>x</B></>;\n", "1:17 </A>|</B>"),
        ];
        for (language, text, expected) in rows {
            let errors = syntax_errors(language, text, &Limits::default(), &Cancel::new()).expect("has a grammar");
            let shown: Vec<String> = errors
                .expect("parses")
                .iter()
                .map(|error| {
                    let missing = error.missing.as_deref().unwrap_or_default();
                    format!("{}:{} {missing}|{}", error.pos.line, error.pos.col, error.text)
                })
                .collect();
            assert_eq!(shown.join(", "), expected, "{text}");
        }
        assert!(syntax_errors(Language::Markdown, "#", &Limits::default(), &Cancel::new()).is_none());
    }
}
