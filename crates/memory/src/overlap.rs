//! How much two short texts speak of the same thing.

use m1nd_search::words;

/// Two texts with at least this share of common words speak of the same thing.
pub const SAME_THING: f32 = 0.6;
/// Words of one text that are compared.
const MAX_TOKENS: usize = 24;

/// Says that something is wrong, still or no more, but not what.
const GENERIC: &[&str] = &[
    "again", "back", "because", "break", "broken", "bug", "cause", "crash", "crashes", "due", "error", "fail",
    "failed", "failing", "fails", "fix", "fixed", "fixes", "hit", "issue", "issues", "longer", "not", "now", "over",
    "problem", "problems", "resolved", "since", "solved", "still", "work", "working", "works", "doesn", "isn", "won",
    "t", "s", "don", "more", "very", "just", "only", "too", "yet", "get", "gets", "use", "used", "uses", "via",
    "instead", "rather",
];

/// The words of a text that say what it is about: stemmed, sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<Box<str>>);

impl Tokens {
    /// The words of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut tokens: Vec<Box<str>> = Vec::new();
        words::identifiers(text, |identifier| {
            words::parts(identifier, |part| {
                let lower = part.to_lowercase();
                let says_nothing = words::is_stop_word(&lower) || GENERIC.contains(&&*lower);
                if !says_nothing
                    && tokens.len() < MAX_TOKENS
                    && let Some(term) = words::term(part)
                {
                    tokens.push(term.into());
                }
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

    /// The words.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|token| &**token)
    }

    /// How many words both have.
    #[must_use]
    pub fn shared(&self, other: &Self) -> usize {
        self.0.iter().filter(|token| other.0.binary_search(token).is_ok()).count()
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
