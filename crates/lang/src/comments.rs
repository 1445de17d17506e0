//! Comments that hold a mark, found in the syntax tree, so that a string with the same words is none.

use m1nd_base::{Cancel, Limits};
use tree_sitter::Node;

use crate::languages::Language;
use crate::patterns::grammar;
use crate::walk;

/// Comments of one file that are looked for.
const MAX_COMMENTS: usize = 200;
/// How far above a piece of text its comment may be in the tree.
const MAX_LEVELS: usize = 4;

/// A comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentText<'t> {
    /// 1-based line it starts on.
    pub line: u32,
    /// With what opens and closes it.
    pub text: &'t str,
}

/// The comments of a file with `mark` in them, in its order. A file without the mark costs a search of its bytes and is
/// not parsed. `None` where the language has no grammar of its own (text, components) or the file could not be parsed.
pub fn comments_with<'t>(
    language: Language,
    text: &'t str,
    mark: &str,
    limits: &Limits,
    cancel: &Cancel,
) -> Option<Vec<CommentText<'t>>> {
    let grammar = grammar(language)?;
    let mut marks = text.match_indices(mark).map(|(at, _)| at).peekable();
    if marks.peek().is_none() {
        return Some(Vec::new());
    }
    if text.len() > limits.parse_bytes {
        return None;
    }
    let tree = walk::parse(&grammar, text.as_bytes(), limits, cancel).ok()?;
    let mut found: Vec<CommentText<'t>> = Vec::new();
    let mut end = 0;
    for at in marks {
        if found.len() >= MAX_COMMENTS || cancel.is_cancelled() {
            break;
        }
        // One comment may hold the mark more than once.
        if at < end {
            continue;
        }
        let Some(comment) = comment_at(tree.root_node(), at, at + mark.len()) else { continue };
        end = comment.end_byte();
        let text = text.get(comment.byte_range()).unwrap_or("");
        found.push(CommentText { line: comment.start_position().row as u32 + 1, text });
    }
    Some(found)
}

/// The outermost comment around some bytes.
fn comment_at(root: Node<'_>, from: usize, to: usize) -> Option<Node<'_>> {
    let mut node = root.descendant_for_byte_range(from, to)?;
    let mut comment = None;
    for _ in 0..MAX_LEVELS {
        if node.kind().contains("comment") {
            comment = Some(node);
        }
        match node.parent() {
            Some(parent) => node = parent,
            None => break,
        }
    }
    comment
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case<'a> = (Language, &'a str, &'a [(u32, &'a str)]);

    #[test]
    fn comments_of_every_language_and_no_strings() {
        let slashes = "// MARK: one\nlet x = \"// MARK: two\";\n/* MARK: three\n   MARK: four */\n";
        let slashed = [(1, "// MARK: one"), (3, "/* MARK: three\n   MARK: four */")];
        let hashes = "# MARK: one\nx = \"# MARK: two\"\n";
        let hashed = [(1, "# MARK: one")];
        let cases: &[Case<'_>] = &[
            (Language::JavaScript, slashes, &slashed),
            (Language::TypeScript, slashes, &slashed),
            (Language::Tsx, slashes, &slashed),
            (Language::Rust, slashes, &slashed),
            (Language::Swift, slashes, &slashed),
            (Language::Kotlin, "// MARK: one\nval x = \"// MARK: two\"\n", &[(1, "// MARK: one")]),
            (Language::Scala, "// MARK: one\nval x = \"// MARK: two\"\n", &[(1, "// MARK: one")]),
            (Language::Go, "package a\n// MARK: one\nvar x = \"// MARK: two\"\n", &[(2, "// MARK: one")]),
            (Language::Java, "class A { // MARK: one\n String x = \"MARK: two\"; }\n", &[(1, "// MARK: one")]),
            (Language::C, "/* MARK: one */\nchar *x = \"MARK: two\";\n", &[(1, "/* MARK: one */")]),
            (Language::Cpp, "/// MARK: one\nauto x = \"MARK: two\";\n", &[(1, "/// MARK: one")]),
            (Language::CSharp, "// MARK: one\nclass A { string x = \"MARK: two\"; }\n", &[(1, "// MARK: one")]),
            (Language::Php, "<?php\n# MARK: one\n$x = 'MARK: two';\n", &[(2, "# MARK: one")]),
            (Language::Python, hashes, &hashed),
            (Language::Ruby, hashes, &hashed),
            (Language::Bash, "# MARK: one\nx=\"# MARK: two\"\n", &hashed),
            (Language::Lua, "-- MARK: one\nx = \"MARK: two\"\n", &[(1, "-- MARK: one")]),
        ];
        for (language, text, expected) in cases {
            let found = comments_with(*language, text, "MARK:", &Limits::default(), &Cancel::new());
            let found = found.unwrap_or_else(|| panic!("{}", language.name()));
            let found: Vec<(u32, &str)> = found.iter().map(|it| (it.line, it.text.trim_end())).collect();
            assert_eq!(&found, expected, "{}", language.name());
        }
        assert_eq!(comments_with(Language::Text, "# MARK:", "MARK:", &Limits::default(), &Cancel::new()), None);
        let doc = "/// MARK: one\nfn f() {}\n";
        let found = comments_with(Language::Rust, doc, "MARK:", &Limits::default(), &Cancel::new());
        assert_eq!(found.map(|it| it.len()), Some(1));
    }
}
