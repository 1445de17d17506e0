//! Replacement of texts that occur exactly once.
//!
//! Each replacement is made in the result of those before it. To look through the whole text for each is work of
//! edits × file, so all are first looked for in one pass; afterwards only the surroundings of each new text can hold
//! another occurrence. Whatever that does not decide is done one after the other.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use m1nd_base::plain_ends;
use serde::{Deserialize, Serialize};

use crate::encoding::{with_endings_in, with_endings_of};

/// A text and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Text of the file, with as many lines around as make it unique.
    pub old: String,
    /// The new text.
    pub new: String,
}

/// Makes replacements one after the other, each in the result of those before it.
///
/// # Errors
/// Why one cannot be made, with its number.
pub(crate) fn apply_replacements(text: &str, replacements: &[Replacement]) -> Result<String, String> {
    match replace_at_once(text, replacements) {
        Some(text) => Ok(text),
        None => replace_in_order(text, replacements),
    }
}

/// Fewest replacements that are worth being looked for together.
const LEAST_TOGETHER: usize = 4;
/// Most bytes of all texts that are looked for together: the search takes some 50 times as much memory.
const MAX_TOGETHER: usize = 1 << 20;

/// Makes all replacements in one pass; `None` if they cannot be made, or if they may depend on each other.
fn replace_at_once(text: &str, replacements: &[Replacement]) -> Option<String> {
    let is_small = replacements.iter().map(|one| one.old.len()).sum::<usize>() <= MAX_TOGETHER;
    let mut texts = replacements.iter().flat_map(|one| [&one.old, &one.new]);
    // Line ends of either kind would have to be compared again after each replacement.
    let has_one_line_end = !text.contains('\r') && texts.all(|text| !text.contains('\r'));
    if replacements.len() < LEAST_TOGETHER || !is_small || !has_one_line_end {
        return None;
    }
    let search = AhoCorasick::new(replacements.iter().map(|one| &one.old)).ok()?;
    let places = find_each_once(&search, text, replacements.len())?;
    let longest = replacements.iter().map(|one| one.old.len()).max()?;
    // The replacements made so far, by their first byte in the old text.
    let mut made: BTreeMap<usize, (usize, &str)> = BTreeMap::new();
    for (number, (place, replacement)) in places.iter().zip(replacements).enumerate() {
        let is_free = made.range(..place.end).next_back().is_none_or(|(_, (end, _))| *end <= place.start);
        if !is_free {
            return None;
        }
        made.insert(place.start, (place.end, &replacement.new));
        let before = surroundings(text, &made, place.start, longest, Side::Before);
        let after = surroundings(text, &made, place.end, longest, Side::After);
        let new = before.len()..before.len() + replacement.new.len();
        let window = [&before, replacement.new.as_bytes(), &after].concat();
        let spans = |found: Range<usize>| match new.is_empty() {
            true => found.start < new.start && found.end > new.start,
            false => found.start < new.end && found.end > new.start,
        };
        let is_new = |found: aho_corasick::Match| found.pattern().as_usize() > number && spans(found.range());
        if search.find_overlapping_iter(&window).any(is_new) {
            return None;
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, (end, new)) in made {
        out.push_str(&text[at..start]);
        out.push_str(new);
        at = end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// The only place of each text that is looked for; `None` if one of them has none, or several.
fn find_each_once(search: &AhoCorasick, text: &str, count: usize) -> Option<Vec<Range<usize>>> {
    let mut places: Vec<Option<Range<usize>>> = vec![None; count];
    for found in search.find_overlapping_iter(text) {
        let place = &mut places[found.pattern().as_usize()];
        if place.replace(found.range()).is_some() {
            return None;
        }
    }
    places.into_iter().collect()
}

/// A side of a place.
#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// The bytes beside a place of the old text, as they are after the replacements made so far.
fn surroundings(text: &str, made: &BTreeMap<usize, (usize, &str)>, at: usize, length: usize, side: Side) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    match side {
        Side::Before => {
            // Collected backwards.
            let mut end = at;
            for (start, (stop, new)) in made.range(..at).rev() {
                out.extend(bytes[*stop..end].iter().rev().take(length - out.len()));
                out.extend(new.bytes().rev().take(length - out.len()));
                end = *start;
                if out.len() >= length {
                    break;
                }
            }
            out.extend(bytes[..end].iter().rev().take(length - out.len()));
            out.reverse();
        }
        Side::After => {
            let mut start = at;
            for (next, (stop, new)) in made.range(at..) {
                out.extend(bytes[start..*next].iter().take(length - out.len()));
                out.extend(new.bytes().take(length - out.len()));
                start = *stop;
                if out.len() >= length {
                    break;
                }
            }
            out.extend(bytes[start..].iter().take(length - out.len()));
        }
    }
    out
}

/// Makes replacements one after the other, each found in the whole text.
fn replace_in_order(text: &str, replacements: &[Replacement]) -> Result<String, String> {
    let mut text = text.to_owned();
    for (index, Replacement { old, new }) in replacements.iter().enumerate() {
        let number = index + 1;
        if old.is_empty() {
            return Err(format!("edit {number}: `old` is empty; expected text of the file"));
        }
        let mut places = find_places(&text, old);
        let Some(range) = places.pop() else {
            let why = nearly(&text, old);
            return Err(format!("edit {number}: `old` does not occur in the file{why}; copy it from the current file"));
        };
        if !places.is_empty() {
            let total = places.len() + 1;
            return Err(format!("edit {number}: `old` occurs {total} times; add lines around it until it occurs once"));
        }
        let new = with_endings_in(&text, &text[range.clone()], new).into_owned();
        text.replace_range(range, &new);
    }
    Ok(text)
}

/// Where a text occurs. One without carriage returns is found whatever the lines of the file end with.
fn find_places(text: &str, old: &str) -> Vec<Range<usize>> {
    let plain = plain_ends(text);
    if old.contains('\r') || plain.len() == text.len() {
        let old = with_endings_of(text, old);
        return text.match_indices(&*old).map(|(at, found)| at..at + found.len()).collect();
    }
    // Where carriage returns were taken out of the plain text.
    let taken: Vec<usize> = text.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
    let raw = |at: usize| at + taken.partition_point(|place| *place < at);
    plain.match_indices(old).map(|(at, found)| raw(at)..raw(at + found.len())).collect()
}

/// A hint if the text occurs with other blanks.
fn nearly(text: &str, old: &str) -> String {
    let line = old.lines().map(str::trim).find(|line| !line.is_empty());
    let found = line.and_then(|line| text.lines().position(|other| other.trim() == line));
    found.map_or_else(String::new, |at| {
        format!(" (line {} has its first line with other blanks or lines after it)", at + 1)
    })
}

#[cfg(test)]
mod tests {
    use m1nd_testkit::Random;

    use super::*;

    /// Short texts of few letters, so that replacements make, move and take away the places of others.
    #[test]
    fn together_and_in_order_give_the_same() {
        let (mut together, mut in_order) = (0, 0);
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            let mut letters = Random::new(!seed);
            let mut word = |least: usize, more: usize| -> String {
                let random = &mut letters;
                let length = least + random.below(more);
                (0..length).map(|_| char::from(b"abcd\n"[random.below(5)])).collect()
            };
            let text = word(20, 60);
            let count = LEAST_TOGETHER;
            let news: Vec<String> = (0..count).map(|_| word(0, 4)).collect();
            let mut part = || {
                let start = random.below(text.len() - 6);
                text[start..start + 3 + random.below(3)].to_owned()
            };
            let pairs: Vec<Replacement> = news.into_iter().map(|new| Replacement { old: part(), new }).collect();
            let slow = replace_in_order(&text, &pairs);
            match replace_at_once(&text, &pairs) {
                Some(fast) => {
                    assert_eq!(Ok(fast), slow, "seed {seed}: {text:?} {pairs:?}");
                    together += 1;
                }
                None => in_order += usize::from(slow.is_ok()),
            }
        }
        assert!(together > 100 && in_order > 10, "{together} together, {in_order} in order");
    }

    /// Lines of code that are edited one by one are never looked for one by one.
    #[test]
    fn many_edits_of_a_large_file_are_made_together() {
        let text: String = (0..2_000).map(|line| format!("value_{line} = compute({line})\n")).collect();
        let pairs: Vec<Replacement> = (0..2_000)
            .map(|line| Replacement {
                old: format!("value_{line} = compute({line})\n"),
                new: format!("value_{line} = compute_all({line})\n"),
            })
            .collect();
        let made = replace_at_once(&text, &pairs).expect("together");
        assert_eq!(made, text.replace("compute(", "compute_all("));
    }

    fn run(text: &str, pairs: &[(&str, &str)]) -> Result<String, String> {
        let all: Vec<Replacement> =
            pairs.iter().map(|(old, new)| Replacement { old: (*old).into(), new: (*new).into() }).collect();
        apply_replacements(text, &all)
    }

    #[test]
    fn one_place_only() {
        assert_eq!(run("a b c", &[("b", "x"), ("x c", "y")]).as_deref(), Ok("a y"));
        assert_eq!(run("a\r\nb\r\n", &[("a\nb", "c\nd")]).as_deref(), Ok("c\r\nd\r\n"));
        assert_eq!(run("a\r\nb\nc\r\n", &[("a\nb\n", "a\nx\nb\n")]).as_deref(), Ok("a\r\nx\r\nb\nc\r\n"));
        assert_eq!(run("a\r\nb\nc\n", &[("\nb", "\nx")]).as_deref(), Ok("a\r\nx\nc\n"));
        assert!(run("a\r\nb\na\nb\n", &[("a\nb", "c")]).is_err_and(|why| why.contains("2 times")));
        assert!(run("a a", &[("a", "b")]).is_err_and(|why| why.contains("2 times")));
        assert!(run("  a(\n", &[(" a( x", "b")]).is_err_and(|why| why.contains("does not occur")));
        assert!(run("a", &[("", "b")]).is_err());
    }
}
