//! Patterns written as code with metavariables: `$X.unwrap()`, `open($$$)`. Each is translated to a query over the
//! syntax tree of its language, so that it has the limits of queries and needs no matcher of its own.
//!
//! A metavariable (`$X`, `$_`) matches one piece of code; all occurrences of one name, except `$_`, must match the
//! same code. `$$$` and `$$$ARGS` match any number of siblings. Everything else has to occur as written, except for
//! white space.

use std::fmt::Write;
use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use tree_sitter::{Node, Tree};

use super::syntax::{QueryError, SyntaxQuery};
use crate::Language;
use crate::parse;

/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 1 << 10;
/// Placeholders for metavariables during parsing: words that are identifiers in every language.
const ONE: &str = "m1ndone";
const MANY: &str = "m1ndmany";
/// Possible surroundings that a piece of code needs for parsing: nothing, the end of a statement, the body of a
/// function.
const AROUND: [(&str, &str); 8] = [
    ("", ""),
    ("", ";"),
    ("fn f() { ", " }"),
    ("fn f() { ", "; }"),
    ("package p\nfunc f() { ", " }"),
    ("void f() { ", "; }"),
    ("class C { void f() { ", "; } }"),
    ("<?php ", ";"),
];

impl SyntaxQuery {
    /// Compiles a pattern of code with metavariables.
    ///
    /// # Errors
    /// [`QueryError`].
    pub fn of_code(language: Language, pattern: &str) -> Result<Self, QueryError> {
        Self::new(language, &query_of(language, pattern)?)
    }
}

/// The first metavariable of a pattern, as it is written.
#[must_use]
pub fn first_metavariable(pattern: &str) -> Option<&str> {
    metavariables(pattern).next().map(|(place, _)| &pattern[place])
}

/// Positions of metavariables, and whether each matches any number of pieces.
fn metavariables(pattern: &str) -> impl Iterator<Item = (Range<usize>, bool)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + pattern[from..].find('$')?;
            let signs = pattern[start..].bytes().take_while(|byte| *byte == b'$').count();
            let name = &pattern[start + signs..];
            let name = name.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_').count();
            let end = start + signs + name;
            from = end;
            // `$1` and `$name` are code, `\$` is a sign of an expression.
            let is_escaped = pattern[..start].ends_with('\\');
            let is_named = name > 0 && !pattern.as_bytes()[start + signs].is_ascii_digit();
            let goes_on = pattern[end..].starts_with(|next: char| next.is_alphanumeric());
            match signs {
                1 if is_named && !goes_on && !is_escaped => return Some((start..end, false)),
                3 if !goes_on && !is_escaped => return Some((start..end, true)),
                _ => {}
            }
        }
    })
}

/// A pattern with words in the place of its metavariables.
struct Filled<'p> {
    text: String,
    /// Names of single-piece metavariables; the number of a word is its index here.
    names: Vec<&'p str>,
}

fn fill_pattern(pattern: &str) -> Filled<'_> {
    let (mut text, mut names, mut from) = (String::new(), Vec::new(), 0);
    for (place, is_many) in metavariables(pattern) {
        text.push_str(&pattern[from..place.start]);
        from = place.end;
        if is_many {
            text.push_str(MANY);
        } else {
            let name = &pattern[place.start + 1..place.end];
            let known = names.iter().position(|known| *known == name);
            let number = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            let _ = write!(text, "{ONE}{number}x");
        }
    }
    text.push_str(&pattern[from..]);
    Filled { text, names }
}

/// Translates a pattern to a query.
fn query_of(language: Language, pattern: &str) -> Result<String, QueryError> {
    let grammar = language.grammar().ok_or(QueryError::NoGrammar(language.name()))?;
    let pattern = pattern.trim().trim_end_matches(';').trim_end();
    if pattern.is_empty() {
        return Err(QueryError::NoCode(language.name()));
    }
    if pattern.len() > MAX_PATTERN {
        return Err(QueryError::TooLong(pattern.len()));
    }
    let filled = fill_pattern(pattern);
    let no_code = || QueryError::NoCode(language.name());
    for (before, after) in AROUND {
        let text = format!("{before}{}{after}", filled.text);
        let within = before.len()..before.len() + filled.text.len();
        let Ok(tree) = parse::parse(&grammar, text.as_bytes(), &Limits::default(), &Cancel::new()) else { continue };
        let Some(root) = piece(&tree, &within) else { continue };
        if word_of(root, &text).is_some() {
            return Err(no_code());
        }
        let mut writer = Writer {
            text: &text,
            filled: &filled,
            query: String::new(),
            conditions: String::new(),
            leaves: 0,
            seen: vec![0; filled.names.len()],
        };
        writer.node(root, 0)?;
        return Ok(format!("({} @found {})", writer.query, writer.conditions));
    }
    Err(no_code())
}

/// The node that is a pattern, if the whole text is code.
fn piece<'t>(tree: &'t Tree, within: &Range<usize>) -> Option<Node<'t>> {
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let found = root.descendant_for_byte_range(within.start, within.end)?;
    (found.byte_range() == *within && found.is_named()).then_some(found)
}

/// Kind of a metavariable.
#[derive(Clone, Copy)]
enum Word {
    One(usize),
    Many,
}

/// The metavariable that a node is, whole.
fn word_of(node: Node<'_>, text: &str) -> Option<Word> {
    let own = &text[node.byte_range()];
    if own == MANY {
        return Some(Word::Many);
    }
    own.strip_prefix(ONE)?.strip_suffix('x')?.parse().ok().map(Word::One)
}

struct Writer<'w> {
    text: &'w str,
    filled: &'w Filled<'w>,
    query: String,
    conditions: String,
    leaves: usize,
    /// Number of occurrences of each metavariable.
    seen: Vec<usize>,
}

impl Writer<'_> {
    /// Writes a node; `depth` is bounded, as the compiler of queries recurses, too.
    fn node(&mut self, node: Node<'_>, depth: usize) -> Result<(), QueryError> {
        if depth > SyntaxQuery::MAX_DEPTH {
            return Err(QueryError::TooDeep);
        }
        if let Some(Word::One(number)) = word_of(node, self.text) {
            self.one(number);
            return Ok(());
        }
        if !node.is_named() {
            self.push_quoted(node.kind());
            return Ok(());
        }
        if node.child_count() == 0 {
            let leaf = self.leaves;
            self.leaves += 1;
            let _ = write!(self.query, "({}) @l{leaf}", node.kind());
            let text = self.text[node.byte_range()].to_owned();
            let _ = write!(self.conditions, "(#eq? @l{leaf} ");
            quote(&mut self.conditions, &text);
            self.conditions.push(')');
            return Ok(());
        }
        let _ = write!(self.query, "({}", node.kind());
        self.children(node, depth)?;
        self.query.push(')');
        Ok(())
    }

    /// Writes the content of a node: all named children in sequence, except across a `$$$`, and the operators that
    /// are not brackets.
    fn children(&mut self, node: Node<'_>, depth: usize) -> Result<(), QueryError> {
        let mut cursor = node.walk();
        let all: Vec<Node<'_>> = node.children(&mut cursor).collect();
        if all.iter().all(|child| !child.is_named()) {
            // Nothing may be between: that of an empty list.
            for (at, child) in all.iter().enumerate() {
                self.query.push_str(if at > 0 { " . " } else { " " });
                self.push_quoted(child.kind());
            }
            return Ok(());
        }
        // Whether the next named child is the very next.
        let mut is_next = true;
        for child in all {
            if !child.is_named() {
                if child.kind().chars().any(|sign| !"()[]{},;".contains(sign)) {
                    self.query.push(' ');
                    self.push_quoted(child.kind());
                }
                continue;
            }
            if matches!(word_of(child, self.text), Some(Word::Many)) {
                is_next = false;
                continue;
            }
            self.query.push_str(if is_next { " . " } else { " " });
            self.node(child, depth + 1)?;
            is_next = true;
        }
        if is_next {
            self.query.push_str(" .");
        }
        Ok(())
    }

    fn one(&mut self, number: usize) {
        let name = self.filled.names.get(number).copied().unwrap_or("_");
        if name == "_" {
            self.query.push_str("(_)");
            return;
        }
        let times = self.seen[number];
        self.seen[number] += 1;
        let _ = write!(self.query, "(_) @v{number}n{times}");
        if times > 0 {
            let _ = write!(self.conditions, "(#eq? @v{number}n0 @v{number}n{times})");
        }
    }

    fn push_quoted(&mut self, kind: &str) {
        quote(&mut self.query, kind);
    }
}

/// Writes a text as a string of a query.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            _ => out.push(char),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::SyntaxFile;
    use super::*;

    /// Pieces of `source` that a pattern finds, on one line each.
    fn list_found(language: Language, pattern: &str, source: &str) -> Vec<String> {
        let query = SyntaxQuery::of_code(language, pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        let file = SyntaxFile::parse(language, source, &Limits::default(), &Cancel::new()).expect("is parsed");
        let rows = file.matches(&query, &file.whole(), &Cancel::new()).rows;
        rows.into_iter().map(|row| source[row.found.bytes].split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn patterns_of_code_find_what_is_written_like_them() {
        use Language::{C, Go, Java, JavaScript, Python, Rust, TypeScript};
        let rust = "fn f() { a.unwrap(); g(b).unwrap(); a.unwrap_or(1); x.expect(\"y\"); }";
        let python = "foo()\nfoo(1)\nfoo(1, 2, x=3)\nbar(1)\na == a\na == b\nif x:\n    y()\n";
        let js = "f(a, b); f(a, b, c); async () => { await g(); g(); }; x === null; x == null;";
        let go = "package p\nfunc f() { if err != nil { return err }\n g(1)\n x.Close() }";
        let java = "class A { void f() { x.close(); y.z().close(); x.close(1); new File(\"a\"); } }";
        let c = "void f() { free(p); free(q->r); malloc(n * 2); }";
        let cases: &[(Language, &str, &str, &[&str])] = &[
            (Rust, "$X.unwrap()", rust, &["a.unwrap()", "g(b).unwrap()"]),
            (Rust, "$X.expect($MESSAGE)", rust, &["x.expect(\"y\")"]),
            (Python, "foo($$$)", python, &["foo()", "foo(1)", "foo(1, 2, x=3)"]),
            (Python, "foo()", python, &["foo()"]),
            (Python, "foo($A)", python, &["foo(1)"]),
            (Python, "foo($A, $$$REST)", python, &["foo(1)", "foo(1, 2, x=3)"]),
            (Python, "$F(1)", python, &["foo(1)", "bar(1)"]),
            (Python, "$A == $A", python, &["a == a"]),
            (Python, "$_ == $_", python, &["a == a", "a == b"]),
            (Python, "if $X:\n    $$$", python, &["if x: y()"]),
            (JavaScript, "f($A, $B)", js, &["f(a, b)"]),
            (JavaScript, "f($$$, c)", js, &["f(a, b, c)"]),
            (TypeScript, "await $X", js, &["await g()"]),
            (JavaScript, "$X == null", js, &["x == null"]),
            (Go, "if err != nil { return $X }", go, &["if err != nil { return err }"]),
            (Go, "$X.Close()", go, &["x.Close()"]),
            (Java, "$X.close()", java, &["x.close()", "y.z().close()"]),
            (Java, "new File($$$);", java, &["new File(\"a\")"]),
            (C, "free($X);", c, &["free(p)", "free(q->r)"]),
            (C, "malloc($A * $B)", c, &["malloc(n * 2)"]),
        ];
        for (language, pattern, source, expected) in cases {
            assert_eq!(list_found(*language, pattern, source), *expected, "{}: {pattern}", language.name());
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        for pattern in ["$X", "$$$", "foo(", "", "if ) {"] {
            assert!(SyntaxQuery::of_code(Language::Python, pattern).is_err(), "{pattern}");
        }
        let deep = format!("{}1{}", "f(".repeat(200), ")".repeat(200));
        assert!(SyntaxQuery::of_code(Language::Python, &deep).is_err());
        assert!(SyntaxQuery::of_code(Language::Python, &"x".repeat(2_000)).is_err());
    }

    #[test]
    fn metavariables_are_told_from_code() {
        let cases = [
            ("$X.y()", Some("$X")),
            ("f($$$ARGS)", Some("$$$ARGS")),
            ("f($_)", Some("$_")),
            ("$$$", Some("$$$")),
            ("a\\$X", None),
            ("$x", None),
            ("$1", None),
            ("a$", None),
            ("^\\s*$", None),
            ("$$X", None),
        ];
        for (pattern, first) in cases {
            assert_eq!(first_metavariable(pattern), first, "{pattern}");
        }
    }
}
