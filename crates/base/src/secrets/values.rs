//! The secrets of a whole text, to take them out of its parts.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{REDACTED, find, redact};

/// Fewest bytes of a value that is looked for without its neighbourhood: shorter ones occur in words.
const MIN_VALUE: usize = 6;
/// Fewest bytes of a word of a longer secret that is looked for.
const MIN_WORD: usize = 16;

/// The values of all secrets of some texts. Parts of a text (a title, a sentence) may have lost what gives a secret
/// away (`password of staging is …`), so they are cleaned with what was found in the whole.
#[derive(Clone, Default)]
pub struct Values(BTreeSet<Box<str>>);

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Values({})", self.0.len())
    }
}

impl Values {
    /// The secrets of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut values = Self::default();
        values.add(text);
        values
    }

    /// Adds the secrets of another text.
    pub fn add(&mut self, text: &str) {
        for found in find(text) {
            let value = text[found.range].trim();
            // A key of many lines may be parsed into several memories, and a token with a dot into several sentences.
            let parts = value.split(|char: char| char.is_whitespace() || char == '.');
            let words = parts.filter(|word| word.len() >= MIN_WORD && !word.starts_with("-----"));
            self.0.extend(words.map(Box::from));
            if value.len() >= MIN_VALUE {
                self.0.insert(value.into());
            }
        }
    }

    /// Adds the values of others.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with [`REDACTED`] in place of these values and of all secrets that it holds itself.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        // The longest first, so that none is left in part.
        let mut values: Vec<&str> = self.0.iter().map(|value| &**value).filter(|value| text.contains(value)).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        for value in values {
            text = Cow::Owned(text.replace(value, REDACTED));
        }
        match redact(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => Cow::Owned(clean),
        }
    }
}
