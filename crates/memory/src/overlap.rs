//! How much two short texts speak of the same thing.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use m1nd_search::words::{self, WordSet};
use rustc_hash::FxHasher;

/// Two texts with at least this share of common words speak of the same thing.
pub const SAME_THING: f32 = 0.6;
/// Words of one text that are compared.
const MAX_TOKENS: usize = 24;

/// Says that something is wrong, still or no more, but not what. Sorted.
static GENERIC: WordSet = WordSet::new(&[
    "again", "back", "because", "break", "broken", "bug", "cause", "crash", "crashes", "doesn", "don", "due", "error",
    "fail", "failed", "failing", "fails", "fix", "fixed", "fixes", "get", "gets", "hit", "instead", "isn", "issue",
    "issues", "just", "longer", "more", "not", "now", "only", "over", "problem", "problems", "rather", "resolved", "s",
    "since", "solved", "still", "t", "too", "use", "used", "uses", "very", "via", "won", "work", "working", "works",
    "yet",
]);

/// The words of a text that say what it is about, stemmed and hashed: sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<u64>);

impl Tokens {
    /// The words of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut tokens: Vec<u64> = Vec::with_capacity(MAX_TOKENS);
        words::identifiers(text, |identifier| {
            words::parts(identifier, |part| {
                if tokens.len() >= MAX_TOKENS || part.len() > words::MAX_WORD {
                    return;
                }
                let is_lower = part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
                let lower = if is_lower { Cow::Borrowed(part) } else { Cow::Owned(part.to_lowercase()) };
                if words::is_stop_word(&lower) || GENERIC.contains(&lower) {
                    return;
                }
                let mut hasher = FxHasher::default();
                words::stem(&lower).hash(&mut hasher);
                tokens.push(hasher.finish());
            });
        });
        tokens.sort_unstable();
        tokens.dedup();
        Self(tokens)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hashes of the words.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    /// How many words both have.
    #[must_use]
    pub fn shared(&self, other: &Self) -> usize {
        let (mut one, mut two) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0;
        while let (Some(a), Some(b)) = (one.peek(), two.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(two.next()),
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    one.next();
                    two.next();
                }
            }
        }
        shared
    }

    /// Whether every word of this one is in the other, and there is one.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        !self.is_empty() && self.shared(other) == self.len()
    }

    /// Common words as a share of the shorter text, 0 to 1; 0 where one says nothing. One common word counts only where it
    /// is all that both say.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> f32 {
        let shorter = self.len().min(other.len());
        let shared = self.shared(other);
        if shorter == 0 || (shared == 1 && self.len().max(other.len()) > 1) {
            return 0.0;
        }
        shared as f32 / shorter as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_about_the_same_thing() {
        let cases = [
            ("Safari CORS", "the Safari CORS issue", 1.0),
            ("login redirect loop on Safari", "Safari redirect loop", 1.0),
            ("auth", "auth", 1.0),
            ("auth", "auth redirect loop", 0.0),
            ("cache invalidation of user profiles", "user avatars", 0.0),
            ("", "auth", 0.0),
        ];
        for (one, other, expected) in cases {
            let overlap = Tokens::of(one).overlap(&Tokens::of(other));
            assert!((overlap - expected).abs() < 0.01, "{one} / {other}: {overlap}");
        }
    }
}
