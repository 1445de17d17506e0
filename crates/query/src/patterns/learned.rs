//! Patterns of code learned from a fix: those that match the code before it and not after.

use std::ops::Range;

use m1nd_base::{Cancel, Cancelled, Limits};
use m1nd_engine::Language;
use m1nd_lang::patterns::{Proposal, SyntaxFile, SyntaxQuery, proposals};

/// Patterns of one fix whose occurrences elsewhere are counted, at most.
const MAX_COUNTED: usize = 6;
/// Occurrences elsewhere up to which a pattern is taken for one of the defect.
pub const MAX_ELSEWHERE: usize = 5;

/// A file that a fix changed.
#[derive(Debug, Clone)]
pub struct FixedFile<'t> {
    /// Its language.
    pub language: Language,
    /// Its text before.
    pub before: &'t str,
    /// Its text after.
    pub after: &'t str,
    /// The lines of the text before that the fix removed or replaced, from 0; empty ranges where it only added.
    pub lines: Vec<Range<u32>>,
}

/// A pattern that tells the code before a fix from that after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedPattern {
    /// Its language.
    pub language: Language,
    /// The pattern, with metavariables.
    pub pattern: String,
    /// Matches in the changed files before.
    pub before: usize,
    /// Matches elsewhere.
    pub elsewhere: usize,
}

/// The best pattern of a fix: of those that match before and nowhere in the changed files after, the most general one
/// that occurs at most [`MAX_ELSEWHERE`] times elsewhere, else the rarest of those counted. `elsewhere` counts the
/// matches of a pattern in all files that the fix did not change.
///
/// # Errors
/// [`Cancelled`].
pub fn learn_pattern(
    files: &[FixedFile<'_>],
    cancel: &Cancel,
    mut elsewhere: impl FnMut(Language, &str, &SyntaxQuery) -> Result<usize, Cancelled>,
) -> Result<Option<LearnedPattern>, Cancelled> {
    let mut telling: Vec<(Proposal, Language, usize)> = Vec::new();
    for file in files {
        let parse = |file: &FixedFile<'_>, is_before: bool| {
            let text = if is_before { file.before } else { file.after };
            SyntaxFile::parse(file.language, text, &Limits::default(), cancel).is_ok()
        };
        if !parse(file, true) || !parse(file, false) {
            continue;
        }
        for proposal in proposals(file.language, file.before, &file.lines, cancel) {
            cancel.check()?;
            let Ok(query) = SyntaxQuery::of_code(file.language, &proposal.pattern) else { continue };
            let of = |is_before: bool| {
                let same = files.iter().filter(|other| other.language == file.language);
                same.map(|other| matches(other, is_before, &query, cancel)).sum::<usize>()
            };
            let before = matches(file, true, &query, cancel);
            if before > 0 && of(false) == 0 {
                telling.push((proposal, file.language, of(true)));
            }
        }
    }
    // Short and general ones say more about other places.
    telling.sort_by_key(|(proposal, ..)| (proposal.metavariables == 0, proposal.pattern.len()));
    let mut best: Option<LearnedPattern> = None;
    for (proposal, language, before) in telling.into_iter().take(MAX_COUNTED) {
        let Ok(query) = SyntaxQuery::of_code(language, &proposal.pattern) else { continue };
        let count = elsewhere(language, &proposal.pattern, &query)?;
        if best.as_ref().is_none_or(|known| count < known.elsewhere) {
            best = Some(LearnedPattern { language, pattern: proposal.pattern, before, elsewhere: count });
        }
        if count <= MAX_ELSEWHERE {
            break;
        }
    }
    Ok(best)
}

fn matches(file: &FixedFile<'_>, is_before: bool, query: &SyntaxQuery, cancel: &Cancel) -> usize {
    count_matches(file.language, if is_before { file.before } else { file.after }, query, cancel)
}

/// Number of matches of a query in a text; 0 if it cannot be parsed.
pub fn count_matches(language: Language, text: &str, query: &SyntaxQuery, cancel: &Cancel) -> usize {
    if !query.may_match(text) {
        return 0;
    }
    match SyntaxFile::parse(language, text, &Limits::default(), cancel) {
        Ok(parsed) => parsed.matches(query, &parsed.whole(), cancel).rows.len(),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_of_a_fix_matches_before_only() {
        let before = "def mean(items):\n    total = sum(items)\n    return total / len(items)\n";
        let after = "def mean(items):\n    total = sum(items)\n    return total / max(len(items), 1)\n";
        let file = FixedFile { language: Language::Python, before, after, lines: std::iter::once(2..3).collect() };
        let found = learn_pattern(&[file], &Cancel::new(), |_, _, _| Ok(0)).expect("is not cancelled");
        let found = found.expect("a pattern");
        assert_eq!((&*found.pattern, found.before), ("return $V0 / len($V1)", 1));
        let same =
            FixedFile { language: Language::Python, before, after: before, lines: std::iter::once(2..3).collect() };
        assert_eq!(learn_pattern(&[same], &Cancel::new(), |_, _, _| Ok(0)).expect("is not cancelled"), None);
    }

    #[test]
    fn what_a_fix_added_is_learned_from_what_was_around() {
        let before = "def f(path):\n    handle = open(path)\n    return handle.read()\n";
        let after = "def f(path):\n    handle = open(path)\n    check(handle)\n    return handle.read()\n";
        let file = FixedFile { language: Language::Python, before, after, lines: std::iter::once(2..2).collect() };
        let found = learn_pattern(&[file], &Cancel::new(), |_, _, _| Ok(1)).expect("is not cancelled");
        assert!(found.is_some_and(|found| found.pattern.contains("open($V")), "the lines around");
    }
}
