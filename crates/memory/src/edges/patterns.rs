//! Code patterns of many gotchas, compiled lazily when a text may match.

use std::ops::Range;
use std::sync::OnceLock;

use m1nd_base::needles::Needles;
use regex::bytes::{Regex, RegexBuilder};

use super::draft::{self, MAX_PATTERN_BYTES};
use crate::secrets;

/// Characters of the code that are shown as evidence.
const MAX_SNIPPET: usize = 60;
/// Bytes of a line of code that is shown at all.
const MAX_LINE: usize = 240;

/// The patterns, with the index of the gotcha of each.
#[derive(Default)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    needles: OnceLock<Needles>,
}

struct Pattern {
    edge: usize,
    text: Box<str>,
    is_built_in: bool,
    /// `None` if it cannot be used.
    compiled: OnceLock<Option<Regex>>,
}

/// A pattern that matched.
pub(super) struct Match<'p> {
    pub(super) edge: usize,
    pattern: &'p str,
    range: Range<usize>,
}

impl Patterns {
    pub(super) fn add(&mut self, edge: usize, patterns: &[Box<str>], is_built_in: bool) {
        let row = |text| Pattern { edge, text, is_built_in, compiled: OnceLock::new() };
        self.all.extend(patterns.iter().cloned().map(row));
        self.needles = OnceLock::new();
    }

    /// The first pattern of each gotcha that is in the code.
    pub(super) fn find_matches(&self, code: &str) -> Vec<Match<'_>> {
        let needles = self.needles.get_or_init(|| Needles::of(self.all.iter().map(|pattern| &*pattern.text)));
        let mut found: Vec<Match<'_>> = Vec::new();
        for number in needles.candidates(code) {
            let Pattern { edge, text, .. } = &self.all[number];
            // Patterns of one gotcha are adjacent.
            if found.last().is_some_and(|last| last.edge == *edge) {
                continue;
            }
            if let Some(range) = self.all[number].regex().and_then(|regex| regex.find(code.as_bytes())) {
                found.push(Match { edge: *edge, pattern: text, range: range.range() });
            }
        }
        found
    }

    /// Unusable patterns: gotcha, pattern and reason. Built-in ones are tested; a file may have been edited by hand.
    pub(super) fn problems(&self) -> impl Iterator<Item = (usize, &str, Box<str>)> {
        let written = self.all.iter().filter(|pattern| !pattern.is_built_in);
        written.filter_map(|pattern| Some((pattern.edge, &*pattern.text, draft::compile(&pattern.text).err()?)))
    }
}

impl Pattern {
    fn regex(&self) -> Option<&Regex> {
        let compile = || {
            let mut builder = RegexBuilder::new(&self.text);
            builder.case_insensitive(true).multi_line(true).size_limit(MAX_PATTERN_BYTES);
            // Built-in patterns are ASCII. Compiling all Unicode letters costs ten times as much.
            let regex = builder.dfa_size_limit(MAX_PATTERN_BYTES).unicode(!self.is_built_in).build().ok();
            regex.filter(|regex| !regex.is_match(b""))
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

impl Match<'_> {
    /// The line that was matched, cut and without secrets; the pattern itself where lines are too long to be read.
    pub(super) fn snippet(&self, code: &str) -> String {
        let start = code.floor_char_boundary(self.range.start);
        let end = code.ceil_char_boundary(self.range.end);
        // A match may begin with the end of the line before.
        let at = start + code[start..end].bytes().take_while(u8::is_ascii_whitespace).count();
        let start = code[..at].rfind('\n').map_or(0, |end| end + 1);
        let line = code[start..].lines().next().filter(|line| line.len() <= MAX_LINE).unwrap_or(self.pattern);
        let line = secrets::redact(line).split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = line.chars().take(MAX_SNIPPET).collect();
        if cut.len() < line.len() { format!("{cut}…") } else { cut }
    }
}
