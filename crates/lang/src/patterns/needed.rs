//! What text a file must hold for a query to match in it: a search for it is far cheaper than a syntax tree.

use tree_sitter::{CaptureQuantifier, Query};

use crate::Language;

/// Kinds of nodes that are only written with a keyword, in every grammar that has them.
const KEYWORDS: &[(&str, &str)] = &[
    ("await_expression", "await"),
    ("catch_clause", "catch"),
    ("defer_statement", "defer"),
    ("except_clause", "except"),
    ("global_statement", "global"),
    ("go_statement", "go"),
    ("synchronized_statement", "synchronized"),
    ("throw_statement", "throw"),
    ("try_statement", "try"),
    ("unsafe_block", "unsafe"),
];

/// Texts of which a file must hold one.
type AnyOf = Vec<String>;

/// For each pattern of a query what a file must hold. A pattern that needs nothing may match anywhere.
#[derive(Debug)]
pub(super) struct Needed(Vec<Vec<AnyOf>>);

impl Needed {
    /// Of a query that was compiled from `text`.
    pub(super) fn of(language: Language, query: &Query, text: &str) -> Self {
        // There `TRY` is a keyword, too.
        let has_case = language != Language::Php;
        let of_pattern = |pattern: usize| {
            let range = query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
            let tokens = tokens(text.get(range).unwrap_or_default());
            let quantifiers = query.capture_quantifiers(pattern);
            let is_there = |capture: &str| {
                let index = query.capture_index_for_name(capture);
                let quantifier = index.and_then(|index| quantifiers.get(index as usize));
                matches!(quantifier, Some(CaptureQuantifier::One | CaptureQuantifier::OneOrMore))
            };
            predicates(&tokens, is_there).chain(keyword(&tokens).filter(|_| has_case)).collect()
        };
        Self((0..query.pattern_count()).map(of_pattern).collect())
    }

    /// Whether a file with this text may hold a match.
    pub(super) fn may_match(&self, text: &str) -> bool {
        let holds = |any: &AnyOf| any.iter().any(|one| text.contains(one.as_str()));
        self.0.iter().any(|pattern| pattern.iter().all(holds))
    }
}

/// A token of a query.
#[derive(Debug, PartialEq)]
enum Token<'q> {
    Mark(char),
    Word(&'q str),
    /// A string that is the text between its quotes; `None` if it has escapes.
    Text(Option<&'q str>),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '"' => {
                let end = end_of_string(rest);
                let inner = rest.get(1..end - 1).unwrap_or_default();
                found.push(Token::Text((!inner.contains('\\')).then_some(inner)));
                end
            }
            '(' | ')' | '[' | ']' | '{' | '}' => {
                found.push(Token::Mark(first));
                1
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()[]{}\";".contains(c)).unwrap_or(rest.len());
                found.push(Token::Word(&rest[..end]));
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    found
}

/// Bytes of the string that a text starts with, with its quotes.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// What captures that are always there must be equal to.
fn predicates<'q>(tokens: &'q [Token<'_>], is_there: impl Fn(&str) -> bool + 'q) -> impl Iterator<Item = AnyOf> + 'q {
    (0..tokens.len()).filter_map(move |at| {
        let [Token::Mark('('), Token::Word("#eq?" | "#any-of?"), Token::Word(capture), ..] = tokens[at..] else {
            return None;
        };
        let values = tokens[at + 3..].iter().take_while(|token| **token != Token::Mark(')'));
        let texts: Option<AnyOf> = values
            .map(|value| match value {
                Token::Text(Some(text)) if !text.is_empty() => Some((*text).to_owned()),
                _ => None,
            })
            .collect();
        texts.filter(|texts| !texts.is_empty() && capture.strip_prefix('@').is_some_and(&is_there))
    })
}

/// The keyword of the node that the pattern is about.
fn keyword(tokens: &[Token<'_>]) -> Option<AnyOf> {
    let first = tokens.iter().find(|token| **token != Token::Mark('('))?;
    let Token::Word(kind) = first else { return None };
    let (_, word) = KEYWORDS.iter().find(|(known, _)| known == kind)?;
    Some(vec![(*word).to_owned()])
}

#[cfg(test)]
mod tests {
    use super::super::SyntaxQuery;
    use crate::Language;

    #[test]
    fn what_a_file_must_hold() {
        let call = r#"((call function: (identifier) @f) @found (#eq? @f "open"))"#;
        let either = r#"((call function: (identifier) @f) @found (#any-of? @f "open" "exec"))"#;
        let optional = r#"((call function: (identifier)? @f) @found (#eq? @f "open"))"#;
        let branch = r#"([(call function: (identifier) @f) (lambda)] @found (#eq? @f "open"))"#;
        let negated = r#"((call function: (identifier) @f) @found (#not-eq? @f "open"))"#;
        let escaped = r#"((string) @s @found (#eq? @s "\"open\""))"#;
        let captures = r#"((call function: (identifier) @f arguments: (_) @a) @found (#eq? @f @a))"#;
        let noted = "; (#eq? @f \"shut\")\n((call function: (identifier) @f) @found (#eq? @f \"open\"))";
        let quoted = r#"((call function: (identifier) @f) @found (#not-eq? @f "x (#eq? @f") (#eq? @f "open"))"#;
        let several = format!("{call}\n(except_clause) @found");
        let both =
            r#"((assignment left: (identifier) @a right: (identifier) @b) @found (#eq? @a "one") (#eq? @b "two"))"#;
        let keyword = "(except_clause (block . (pass_statement) .)) @found";
        let root_list = "[(except_clause) (lambda)] @found";
        let cases = [
            (call, "x = open(y)", true),
            (call, "x = shut(y)", false),
            (either, "exec(x)", true),
            (either, "x", false),
            (optional, "x()", true),
            (branch, "x", true),
            (negated, "x", true),
            (escaped, "x", true),
            (captures, "x", true),
            (noted, "open(x)", true),
            (noted, "shut(x)", false),
            (quoted, "open", true),
            (quoted, "x (#eq? @f", false),
            (&several, "except", true),
            (&several, "open", true),
            (&several, "x", false),
            (both, "one = two", true),
            (both, "one = three", false),
            (keyword, "try: x\nexcept E: pass", true),
            (keyword, "x = 1", false),
            (root_list, "x", true),
        ];
        for (query, text, expected) in cases {
            let compiled = SyntaxQuery::new(Language::Python, query).unwrap_or_else(|error| panic!("{query}: {error}"));
            assert_eq!(compiled.may_match(text), expected, "{query} in {text}");
        }
    }

    #[test]
    fn keywords_in_any_case_are_not_asked_for() {
        let query = SyntaxQuery::new(Language::Php, "(catch_clause) @found").expect("a query");
        assert!(query.may_match("<?php TRY { f(); } CATCH (E $e) {}"));
    }

    #[test]
    fn a_pattern_of_code_needs_its_names() {
        let query = SyntaxQuery::of_code(Language::Python, "os.system($X)").expect("a pattern");
        assert!(query.may_match("os.system(x)") && !query.may_match("os.popen(x)"));
    }
}
