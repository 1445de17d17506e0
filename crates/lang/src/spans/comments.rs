//! Comments that contain a marker, found in the syntax tree, so that a string with the same words does not count.

use m1nd_base::{Cancel, Limits};

use crate::Language;
use crate::parse;

/// Comments of one file that are looked for.
const MAX_COMMENTS: usize = 200;
/// Tree nodes visited between two checks of the cancel flag.
const STRIDE: usize = 4_096;

/// A comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentText<'t> {
    /// 1-based line it starts on.
    pub line: u32,
    /// Including its delimiters.
    pub text: &'t str,
}

/// The comments of a file with a mark.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comments<'t> {
    /// In order of the file.
    pub rows: Vec<CommentText<'t>>,
    /// 1-based line from which on none were looked for, because there are too many or the caller cancelled; `None` if
    /// these are all.
    pub cut_at: Option<u32>,
}

/// The comments of a file with `mark` in them, in its order, at most [`MAX_COMMENTS`]. A file without the mark costs
/// a search of its bytes and is not parsed. `None` where the language has no grammar of its own (text, components) or
/// the file could not be parsed.
pub fn comments_with<'t>(
    language: Language,
    text: &'t str,
    mark: &str,
    limits: &Limits,
    cancel: &Cancel,
) -> Option<Comments<'t>> {
    let grammar = language.grammar()?;
    let mut marks = text.match_indices(mark).map(|(at, _)| at).peekable();
    if marks.peek().is_none() {
        return Some(Comments::default());
    }
    if text.len() > limits.parse_bytes {
        return None;
    }
    let tree = parse::parse(&grammar, text.as_bytes(), limits, cancel).ok()?;
    let mut found = Comments::default();
    let mut cursor = tree.walk();
    let mut steps = 0;
    // Once through the tree, down only where a mark is: marks in strings cost no search of their own.
    loop {
        let node = cursor.node();
        while marks.next_if(|&at| at < node.start_byte()).is_some() {}
        let Some(&at) = marks.peek() else { return Some(found) };
        steps += 1;
        if found.rows.len() >= MAX_COMMENTS || steps % STRIDE == 0 && cancel.is_cancelled() {
            found.cut_at = Some(text[..at].matches('\n').count() as u32 + 1);
            return Some(found);
        }
        let holds = at < node.end_byte();
        let is_comment = holds && at + mark.len() <= node.end_byte() && node.kind().contains("comment");
        if is_comment {
            let line = node.start_position().row as u32 + 1;
            found.rows.push(CommentText { line, text: text.get(node.byte_range()).unwrap_or("") });
        } else if holds && cursor.goto_first_child() {
            continue;
        }
        // One comment or string may hold the mark more than once.
        while marks.next_if(|&at| at < node.end_byte()).is_some() {}
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(found);
            }
        }
    }
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
            assert_eq!(found.cut_at, None, "{}", language.name());
            let found: Vec<(u32, &str)> = found.rows.iter().map(|it| (it.line, it.text.trim_end())).collect();
            assert_eq!(&found, expected, "{}", language.name());
        }
        assert_eq!(comments_with(Language::Text, "# MARK:", "MARK:", &Limits::default(), &Cancel::new()), None);
        let doc = "/// MARK: one\nfn f() {}\n";
        let found = comments_with(Language::Rust, doc, "MARK:", &Limits::default(), &Cancel::new());
        assert_eq!(found.map(|it| it.rows.len()), Some(1));
    }

    #[test]
    fn too_many_are_cut_and_told() {
        let one = "s = \"MARK: a MARK: b\"  # MARK: c MARK: d\n";
        let find = |text: &str, cancel: &Cancel| {
            let found = comments_with(Language::Python, text, "MARK:", &Limits::default(), cancel);
            found.map(|found| (found.rows.len(), found.cut_at))
        };
        let most = one.repeat(MAX_COMMENTS);
        assert_eq!(find(&most, &Cancel::new()), Some((MAX_COMMENTS, None)));
        let more = format!("{most}{one}");
        assert_eq!(find(&more, &Cancel::new()), Some((MAX_COMMENTS, Some(MAX_COMMENTS as u32 + 1))));
        let only_text = "s = \"MARK: a\"\n".repeat(20 * MAX_COMMENTS);
        assert_eq!(find(&only_text, &Cancel::new()), Some((0, None)));
    }
}
