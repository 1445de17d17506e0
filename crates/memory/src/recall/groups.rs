//! Groups of duplicate memories.

use m1nd_search::words;

use super::Recall;
use crate::Record;

/// Cosine from which two memories may be one.
const SAME: f32 = 0.9;
/// Hits among which duplicates are looked for.
const MAX_COMPARED: usize = 200;

/// Words that turn a statement round.
const NEGATIONS: &[&str] = &[
    "aint", "avoid", "cannot", "cant", "didnt", "disallow", "doesnt", "dont", "forbid", "never", "no", "none", "nor",
    "not", "reject", "stop", "without", "wont",
];

/// Properties that two memories must share to be duplicates, however similar their words are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Claim {
    is_negated: bool,
    /// Every word with a digit: sizes, versions, ports, numbers of issues.
    numbers: Vec<String>,
}

impl Claim {
    pub(super) fn of(text: &str) -> Self {
        let mut claim = Self::default();
        // `don't` is one word here.
        let text = text.replace(['\'', '’'], "");
        words::identifiers(&text, |word| {
            let lower = word.to_lowercase();
            claim.is_negated ^= NEGATIONS.binary_search(&&*lower).is_ok();
            if lower.bytes().any(|byte| byte.is_ascii_digit()) {
                claim.numbers.push(lower);
            }
        });
        claim.numbers.sort();
        claim.numbers.dedup();
        claim
    }
}

/// Returns whether two memories say the same.
pub(super) fn is_same(recall: &Recall, one: usize, other: usize) -> bool {
    let (a, b): (&Record, &Record) = (&recall.records[one], &recall.records[other]);
    a.kind == b.kind && recall.cosine(one, other) >= SAME && recall.claim(one) == recall.claim(other)
}

/// Folds those of `ranked`, best first, that say the same as an earlier one into it.
pub(super) fn fold<T: Copy>(recall: &Recall, ranked: &[(usize, T)]) -> Vec<(usize, T, Vec<usize>)> {
    let mut groups: Vec<(usize, T, Vec<usize>)> = Vec::with_capacity(ranked.len());
    for (place, (record, value)) in ranked.iter().enumerate() {
        let compared = if place < MAX_COMPARED { groups.len() } else { 0 };
        match groups[..compared].iter().position(|(first, ..)| is_same(recall, *first, *record)) {
            Some(group) => groups[group].2.push(*record),
            None => groups.push((*record, *value, Vec::new())),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_and_numbers_make_another_claim() {
        let cases = [
            ("Use Redis for sessions", "use redis for the sessions", true),
            ("Use Redis for sessions", "Don't use Redis for sessions", false),
            ("Pool size is 10", "Pool size is 20", false),
            ("never log tokens", "do not log tokens", true),
            ("v1.2 breaks", "v1.3 breaks", false),
        ];
        for (a, b, same) in cases {
            assert_eq!(Claim::of(a) == Claim::of(b), same, "{a} / {b}");
        }
    }

    #[test]
    fn negations_are_sorted() {
        assert!(NEGATIONS.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
