//! Prefilter for many patterns: which of them are worth trying on a text.
//!
//! Compiling an expression costs more than most texts are worth, above all for a process that lives for one answer.
//! So the literals that every match must contain are extracted from the pattern's text, and a single search over the
//! text decides for all patterns which of them can match.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange};

/// Deepest nesting of a pattern that is looked into; deeper ones are always tried.
const MAX_DEPTH: u32 = 50;
/// Most texts of one pattern; with more of them it is always tried.
const MAX_NEEDLES: usize = 100;
/// The letters outside of ASCII that are a letter of ASCII where case does not matter.
const FOLDED: [(char, &str); 2] = [('\u{17f}', "s"), ('\u{212a}', "k")];

/// The texts of many patterns, made ready to be looked for.
#[derive(Debug)]
pub struct Needles {
    /// `None` where there is nothing to look for.
    search: Option<AhoCorasick>,
    /// Index of the pattern of each literal.
    owners: Vec<usize>,
    /// Whether each pattern has none, so that nothing is known of it.
    always: Vec<bool>,
}

impl Needles {
    /// Reads the texts off patterns, as they are written for the `regex` crate. A pattern of which nothing is known
    /// is always tried.
    pub fn of<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Self {
        let (mut texts, mut owners, mut always) = (Vec::new(), Vec::new(), Vec::new());
        for (number, pattern) in patterns.into_iter().enumerate() {
            let needed = find_needed(pattern).unwrap_or_default();
            always.push(needed.is_empty());
            owners.extend(needed.iter().map(|_| number));
            texts.extend(needed);
        }
        let mut builder = AhoCorasick::builder();
        // The quickest to make: it is seldom used often.
        builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::NoncontiguousNFA));
        let search = if texts.is_empty() { None } else { builder.build(&texts).ok() };
        if search.is_none() {
            always.fill(true);
        }
        Self { search, owners, always }
    }

    /// The numbers of the patterns that may match, in order; a pattern that is left out does not match.
    #[must_use]
    pub fn candidates(&self, text: &str) -> Vec<usize> {
        let mut text = Cow::Borrowed(text);
        for (letter, ascii) in FOLDED {
            if !text.is_ascii() && text.contains(letter) {
                text = text.replace(letter, ascii).into();
            }
        }
        let mut may = self.always.clone();
        for found in self.search.iter().flat_map(|search| search.find_overlapping_iter(&*text)) {
            may[self.owners[found.pattern().as_usize()]] = true;
        }
        may.iter().enumerate().filter_map(|(number, may)| may.then_some(number)).collect()
    }
}

/// Literals of which every match contains one, in lower case; `None` if unknown.
fn find_needed(pattern: &str) -> Option<Vec<String>> {
    let ast = ParserBuilder::new().nest_limit(MAX_DEPTH).build().parse(pattern).ok()?;
    of_ast(&ast)
}

/// Like [`find_needed`]. The depth of the tree is limited by the parser.
fn of_ast(ast: &Ast) -> Option<Vec<String>> {
    match ast {
        Ast::Literal(literal) if literal.c.is_ascii() => Some(vec![literal.c.to_ascii_lowercase().to_string()]),
        Ast::Group(group) => of_ast(&group.ast),
        Ast::Repetition(repetition) => {
            let once = match &repetition.op.kind {
                RepetitionKind::OneOrMore => true,
                RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => false,
                RepetitionKind::Range(
                    RepetitionRange::Exactly(least)
                    | RepetitionRange::AtLeast(least)
                    | RepetitionRange::Bounded(least, _),
                ) => *least > 0,
            };
            of_ast(&repetition.ast).filter(|_| once)
        }
        Ast::Alternation(alternation) => {
            let ways: Option<Vec<Vec<String>>> = alternation.asts.iter().map(of_ast).collect();
            ways.map(|ways| ways.concat()).filter(|all| all.len() <= MAX_NEEDLES)
        }
        Ast::Concat(concat) => of_parts(&concat.asts),
        _ => None,
    }
}

/// Of several parts in sequence, the most selective one: the longest literal, or a part.
fn of_parts(parts: &[Ast]) -> Option<Vec<String>> {
    let mut known: Vec<Vec<String>> = Vec::new();
    let mut run = String::new();
    for part in parts {
        match part {
            Ast::Literal(literal) if literal.c.is_ascii() => run.push(literal.c.to_ascii_lowercase()),
            part => {
                known.extend((!run.is_empty()).then(|| vec![std::mem::take(&mut run)]));
                known.extend(of_ast(part));
            }
        }
    }
    known.extend((!run.is_empty()).then(|| vec![run]));
    let shortest = |texts: &Vec<String>| texts.iter().map(String::len).min().unwrap_or(0);
    known.into_iter().max_by_key(|texts| (shortest(texts), std::cmp::Reverse(texts.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_every_match() {
        let cases: &[(&str, &[&str])] = &[
            ("crypto", &["crypto"]),
            (r"imports.*Crypto", &["imports"]),
            (r"(?:from\s+|require\(\s*)['\x22](?:node:)?(?:fs|net)['\x22]", &["from", "require("]),
            (r"same_?site['\x22]?\s*[:=]", &["site"]),
            (r"(?i)\b(?:password|token)\s+is\b", &["password", "token"]),
            (r"(?:ab)+c*", &["ab"]),
            (r"(?:ab){0,3}c", &["c"]),
            (r"(?:ab){2}c", &["ab"]),
            (r"contraseña", &["contrase"]),
            (r"\$\{", &["${"]),
            (r"a|\d+", &[]),
            (r"[a-z]+", &[]),
            ("(?:x*)?", &[]),
            ("(", &[]),
            ("", &[]),
        ];
        for (pattern, expected) in cases {
            assert_eq!(find_needed(pattern).unwrap_or_default(), *expected, "{pattern}");
        }
        assert_eq!(find_needed(&format!("{}a{}", "(".repeat(60), ")".repeat(60))), None, "too deep");
    }

    #[test]
    fn patterns_that_match_are_candidates() {
        let patterns = ["imports.*crypto", "skip", r"\d+", "Straße"];
        let cases: &[(&str, &[usize])] =
            &[("", &[2]), ("IMPORTS x", &[0, 2]), ("\u{17f}\u{212a}ip", &[1, 2]), ("die STRASSE, die Straße", &[2, 3])];
        let needles = Needles::of(patterns);
        for (text, expected) in cases {
            assert_eq!(needles.candidates(text), *expected, "{text}");
        }
        assert_eq!(Needles::of(["[a-z]", "x?"]).candidates("y"), [0, 1]);
        assert_eq!(Needles::of([]).candidates("y"), [0; 0]);
    }
}
