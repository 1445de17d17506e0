//! What a piece of code looked like: enough to say that it changed, and to find it under another name.

use m1nd_base::{ContentHash, NodeKind};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Hashes of words that are kept of one piece of code: the smallest ones.
const WORDS: usize = 24;
/// Fewest hashes from which two pieces of code are compared.
const LEAST_WORDS: usize = 4;

/// A piece of code as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Kind of the node.
    kind: u8,
    /// Hash of its text; of a file, of its content.
    pub body: ContentHash,
    /// Hash of its signature without its own name.
    pub signature: u64,
    /// Hash of its text without blanks and its own name.
    nameless: u64,
    /// The smallest hashes of its words, without its own name.
    words: Vec<u32>,
}

impl Shape {
    /// The shape of a file by its content.
    pub(crate) fn of_file(content: ContentHash) -> Self {
        let kind = NodeKind::File as u8;
        Self { kind, body: content, signature: 0, nameless: content.short(), words: Vec::new() }
    }

    /// The shape of a piece of code.
    pub(crate) fn of_text(kind: NodeKind, label: &str, signature: &str, text: &str) -> Self {
        let plain: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let signature: String = nameless(signature, label).split_whitespace().collect();
        let words: FxHashSet<u32> = words_of(text)
            .filter(|word| *word != label)
            .map(|word| (ContentHash::of(word.as_bytes()).short() >> 32) as u32)
            .collect();
        let mut words: Vec<u32> = words.into_iter().collect();
        words.sort_unstable();
        words.truncate(WORDS);
        let bare: String = nameless(text, label).split_whitespace().collect();
        Self {
            kind: kind as u8,
            body: ContentHash::of(plain.as_bytes()),
            signature: ContentHash::of(signature.as_bytes()).short(),
            nameless: ContentHash::of(bare.as_bytes()).short(),
            words,
        }
    }

    /// Returns whether two pieces of code are the same but for their names.
    pub fn is_renamed(&self, other: &Self) -> bool {
        self.kind == other.kind && self.nameless == other.nameless
    }

    /// How alike two pieces of code of one kind are, 0 to 1: an estimate of the words that they share (bottom-k
    /// sketch).
    pub fn likeness(&self, other: &Self) -> f64 {
        if self.kind != other.kind || self.words.len().min(other.words.len()) < LEAST_WORDS {
            return 0.0;
        }
        let mut all: Vec<u32> = self.words.iter().chain(&other.words).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(WORDS);
        let has = |list: &[u32], word: &u32| list.binary_search(word).is_ok();
        let common = all.iter().filter(|word| has(&self.words, word) && has(&other.words, word)).count();
        common as f64 / all.len() as f64
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// A text in which a name is left out wherever it is a word.
fn nameless(text: &str, name: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name).filter(|_| !name.is_empty()) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        let is_whole = !before.chars().next_back().is_some_and(is_word) && !behind.chars().next().is_some_and(is_word);
        out.push_str(before);
        out.push_str(if is_whole { "\u{0}" } else { name });
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_under_another_name() {
        let shape = |name: &str, body: &str| {
            Shape::of_text(NodeKind::Function, name, &format!("def {name}(x)"), &format!("def {name}(x):\n    {body}"))
        };
        let before = shape("send", "return self.adapter.open(x).read(send) + total(count, rate)");
        let renamed = shape("dispatch", "return self.adapter.open(x).read(dispatch) + total(count, rate)");
        let edited = shape("dispatch", "return self.adapter.open(x).read(dispatch) + total(count, price)");
        let other = shape("mount", "del self.prefixes[x]\n    sort(keys)");
        assert!(before.is_renamed(&renamed) && !before.is_renamed(&edited) && before.signature == renamed.signature);
        assert!(before.likeness(&edited) > 0.7 && before.likeness(&other) < 0.3, "{}", before.likeness(&edited));
        assert_ne!(before.body, renamed.body);
    }
}
