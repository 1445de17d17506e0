//! Word overlap of two short texts.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use m1nd_search::words::{self, WordSet};
use rustc_hash::{FxHashMap, FxHasher};

/// Minimum share of common words for two texts to be about the same thing.
pub const SAME_THING: f32 = 0.6;
/// Words of one text that are compared.
const MAX_TOKENS: usize = 24;

/// Words that say that something is wrong, still or no longer, but not what. Sorted.
static GENERIC: WordSet = WordSet::new(&[
    "again", "back", "because", "break", "broken", "bug", "cause", "crash", "crashes", "doesn", "don", "due", "error",
    "fail", "failed", "failing", "fails", "fix", "fixed", "fixes", "get", "gets", "hit", "instead", "isn", "issue",
    "issues", "just", "longer", "more", "not", "now", "only", "over", "problem", "problems", "rather", "resolved", "s",
    "since", "solved", "still", "t", "too", "use", "used", "uses", "very", "via", "won", "work", "working", "works",
    "yet",
]);

/// The informative words of a text, stemmed and hashed: sorted, distinct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Box<[u64]>);

impl Tokens {
    /// The words of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut tokens = Vec::with_capacity(MAX_TOKENS);
        words::identifiers(text, |identifier| {
            tokens_of(identifier, |token| {
                if tokens.len() < MAX_TOKENS {
                    tokens.push(token);
                }
            });
        });
        Self::from_tokens(&mut tokens)
    }

    fn from_tokens(tokens: &mut Vec<u64>) -> Self {
        tokens.sort_unstable();
        tokens.dedup();
        Self(tokens.as_slice().into())
    }

    /// One bit for each word, of 64: where one of them is missing in another text's, so is a word.
    pub(crate) fn bits(&self) -> u64 {
        self.0.iter().fold(0, |bits, token| bits | 1 << (token >> 58))
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hashes of the words.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    /// Number of common words.
    #[must_use]
    pub fn count_shared(&self, other: &Self) -> usize {
        let (mut one, mut two, mut shared) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.0.get(one), other.0.get(two)) {
            shared += usize::from(a == b);
            one += usize::from(a <= b);
            two += usize::from(b <= a);
        }
        shared
    }

    /// Returns whether every word of this one is in the other, and there is one.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        !self.is_empty() && self.count_shared(other) == self.len()
    }

    /// Common words as a share of the shorter text, 0 to 1; 0 if one has no informative words. A single common word
    /// only counts if it is all that both contain.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> f32 {
        self.overlap_of(other, self.count_shared(other))
    }

    /// The overlap for a given number of common words.
    pub(crate) fn overlap_of(&self, other: &Self, shared: usize) -> f32 {
        let shorter = self.len().min(other.len());
        if shorter == 0 || (shared == 1 && self.len().max(other.len()) > 1) {
            return 0.0;
        }
        shared as f32 / shorter as f32
    }
}

/// Calls `emit` with the token of each informative part of an identifier.
fn tokens_of(identifier: &str, mut emit: impl FnMut(u64)) {
    words::parts(identifier, |part| {
        if part.len() > words::MAX_WORD {
            return;
        }
        let is_lower = part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let lower = if is_lower { Cow::Borrowed(part) } else { Cow::Owned(part.to_lowercase()) };
        if words::is_stop_word(&lower) || GENERIC.contains(&lower) {
            return;
        }
        let mut hasher = FxHasher::default();
        words::stem(&lower).hash(&mut hasher);
        emit(hasher.finish());
    });
}

/// The words of many similar texts, each processed once.
#[derive(Default)]
pub(crate) struct Lexicon {
    /// Tokens by identifier.
    known: FxHashMap<Box<str>, Box<[u64]>>,
    /// Room to work in.
    room: Vec<u64>,
}

impl Lexicon {
    /// The same as [`Tokens::of`].
    pub(crate) fn tokens(&mut self, text: &str) -> Tokens {
        let Self { known, room } = self;
        room.clear();
        words::identifiers(text, |identifier| {
            let free = MAX_TOKENS - room.len();
            let tokens = match known.get(identifier) {
                Some(tokens) => tokens,
                None => known.entry(identifier.into()).or_insert_with(|| {
                    let mut tokens = Vec::new();
                    tokens_of(identifier, |token| tokens.push(token));
                    tokens.into()
                }),
            };
            room.extend(tokens.iter().take(free));
        });
        Tokens::from_tokens(room)
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

    #[test]
    fn a_word_that_was_met_before_is_the_same() {
        let mut lexicon = Lexicon::default();
        for text in ["loadAll users, Größe", "the users load_all", "", "again", "Größe 12 HTTPServer", "loadAll users"]
        {
            assert_eq!(lexicon.tokens(text), Tokens::of(text), "{text}");
        }
        let (few, many) = (Tokens::of("login loop"), Tokens::of("the login of mobile users loops"));
        assert!(few.is_within(&many) && few.bits() & !many.bits() == 0);
    }
}
