//! Texts that a file must contain for a query to match: searching for them is far cheaper than parsing.

use aho_corasick::AhoCorasick;
use regex_syntax::hir::literal::{ExtractKind, Extractor};
use tree_sitter::{CaptureQuantifier, Query};

use crate::Language;

/// Kinds of nodes that are only written with a keyword, in every grammar that has them.
const KEYWORDS: &[(&str, &str)] = &[
    ("arrow_function", "=>"),
    ("await_expression", "await"),
    ("catch_clause", "catch"),
    ("decorator", "@"),
    ("defer_statement", "defer"),
    ("except_clause", "except"),
    ("export_statement", "export"),
    ("global_statement", "global"),
    ("go_statement", "go"),
    ("macro_invocation", "!"),
    ("new_expression", "new"),
    ("object_creation_expression", "new"),
    ("raise_statement", "raise"),
    ("static_item", "static"),
    ("synchronized_statement", "synchronized"),
    ("throw_statement", "throw"),
    ("try_statement", "try"),
    ("unsafe_block", "unsafe"),
];

/// The same in the grammars of JavaScript and TypeScript alone: others have such nodes without the keyword.
const KEYWORDS_OF_SCRIPTS: &[(&str, &str)] = &[("class_body", "class")];

/// Texts that are looked for in place of one expression, at most.
const MAX_TEXTS: usize = 64;

/// Texts of which a file must hold one.
type AnyOf = Vec<String>;

/// The same, to look for.
#[derive(Debug)]
enum Sought {
    One(String),
    Any(AhoCorasick),
    /// No requirement can be searched for: any file may match.
    Anything,
}

impl Sought {
    fn of(mut texts: AnyOf) -> Self {
        match (texts.pop(), texts.is_empty()) {
            (Some(text), true) => Self::One(text),
            (last, _) => AhoCorasick::new(texts.iter().chain(&last)).map_or(Self::Anything, Self::Any),
        }
    }

    fn is_in(&self, text: &str) -> bool {
        match self {
            Self::One(one) => text.contains(one.as_str()),
            Self::Any(several) => several.is_match(text),
            Self::Anything => true,
        }
    }
}

/// For each pattern of a query the texts that a file must contain. A pattern without requirements may match anywhere.
#[derive(Debug)]
pub(super) struct Needed(Vec<Vec<Sought>>);

impl Needed {
    /// For a query compiled from `text`.
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
            let keywords = keywords(&tokens, language).into_iter().filter(|_| has_case);
            predicates(&tokens, is_there).chain(keywords).map(Sought::of).collect()
        };
        Self((0..query.pattern_count()).map(of_pattern).collect())
    }

    /// Returns whether a file with this text may hold a match.
    pub(super) fn may_match(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.iter().all(|sought| sought.is_in(text)))
    }
}

/// A token of a query.
#[derive(Debug, PartialEq)]
enum Token<'q> {
    Mark(char),
    Word(&'q str),
    /// A string.
    Text(String),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '"' => {
                let end = end_of_string(rest);
                found.push(Token::Text(unescape_text(rest.get(1..end - 1).unwrap_or_default())));
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

/// The text of a string of a query.
fn unescape_text(inner: &str) -> String {
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().map(|escaped| match escaped {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                other => other,
            })),
            c => text.push(c),
        }
    }
    text
}

/// Texts that mandatory captures must equal or contain.
fn predicates<'q>(tokens: &'q [Token<'_>], is_there: impl Fn(&str) -> bool + 'q) -> impl Iterator<Item = AnyOf> + 'q {
    (0..tokens.len()).filter_map(move |at| {
        let [Token::Mark('('), Token::Word(predicate), Token::Word(capture), ..] = tokens[at..] else { return None };
        let values = tokens[at + 3..].iter().take_while(|token| **token != Token::Mark(')'));
        let texts = values.map(|value| match value {
            Token::Text(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        });
        let texts: AnyOf = texts.collect::<Option<_>>()?;
        let texts = match (predicate, &texts[..]) {
            ("#eq?" | "#any-of?", _) => texts,
            ("#match?", [expression]) => in_matches(expression)?,
            _ => return None,
        };
        (!texts.is_empty() && capture.strip_prefix('@').is_some_and(&is_there)).then_some(texts)
    })
}

/// Texts of which every match of an expression contains one; `None` if there are none, or too many. Anchors say
/// nothing about the file.
fn in_matches(expression: &str) -> Option<AnyOf> {
    let tree = regex_syntax::parse(expression).ok()?;
    [ExtractKind::Prefix, ExtractKind::Suffix].into_iter().find_map(|kind| {
        let found = Extractor::new().kind(kind).extract(&tree);
        let literals = found.literals().filter(|literals| (1..=MAX_TEXTS).contains(&literals.len()))?;
        let texts = literals.iter().map(|literal| std::str::from_utf8(literal.as_bytes()).ok().map(str::to_owned));
        texts.collect::<Option<AnyOf>>().filter(|texts| texts.iter().all(|text| !text.is_empty()))
    })
}

/// Keywords of the nodes that every match has, excluding alternatives and optional nodes.
fn keywords(tokens: &[Token<'_>], language: Language) -> Vec<AnyOf> {
    let is_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    let of_language = if is_script { KEYWORDS_OF_SCRIPTS } else { &[] };
    let word_of =
        |kind: &str| KEYWORDS.iter().chain(of_language).find(|(known, _)| *known == kind).map(|(_, word)| *word);
    let mut found: Vec<&str> = Vec::new();
    // Open groups: whether each is an alternation, and the keywords found before.
    let mut open: Vec<(bool, usize)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark(mark @ ('(' | '[')) => open.push((*mark == '[', found.len())),
            Token::Mark(')' | ']') => {
                let before = open.pop().map_or(0, |(_, before)| before);
                if matches!(tokens.get(at + 1), Some(Token::Word(word)) if word.starts_with(['?', '*'])) {
                    found.truncate(before);
                }
            }
            Token::Word(kind)
                if at > 0 && tokens[at - 1] == Token::Mark('(') && !open.iter().any(|(list, _)| *list) =>
            {
                found.extend(word_of(kind));
            }
            Token::Mark(_) | Token::Word(_) | Token::Text(_) => {}
        }
    }
    found.into_iter().map(|word| vec![word.to_owned()]).collect()
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
        let matched = r#"((call function: (_) @f) @found (#match? @f "^(io\\.)?open$"))"#;
        let anything = r#"((call function: (_) @f) @found (#match? @f "^[a-z]+$"))"#;
        let inside = "(block (raise_statement) (global_statement)) @found";
        let optional_inside = "(block (global_statement)? (pass_statement)) @found";
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
            (escaped, "x", false),
            (escaped, "\"open\"", true),
            (matched, "io.open(x)", true),
            (matched, "open(x)", true),
            (matched, "shut(x)", false),
            (anything, "X", true),
            (inside, "global x; raise y", true),
            (inside, "x", false),
            (optional_inside, "pass", true),
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
