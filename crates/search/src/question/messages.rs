//! Messages quoted in a text, matched against the string literals of entries.

use rustc_hash::FxHashSet;

use crate::words;
use crate::zones::{Piece, Zone};

/// Maximum number of messages per text.
const MAX_MESSAGES: usize = 16;
/// Words that a message has at least: fewer stand in a literal by chance.
pub(crate) const LEAST_WORDS: usize = 3;
/// What stands between a kind of error and its message.
const AFTER: &[&str] =
    &["Error: ", "Exception: ", "Warning: ", "Failure: ", "error: ", "panicked at ", "fatal: ", "warning: "];
/// Pairs of quotation marks.
const QUOTES: &[(char, char)] = &[('"', '"'), ('\u{201c}', '\u{201d}'), ('`', '`')];

/// The words of each message quoted in a text, as index terms.
pub(crate) fn of_pieces(pieces: &[Piece<'_>]) -> Vec<Vec<String>> {
    let mut messages: Vec<Vec<String>> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.zone != Zone::Noise) {
        let said = AFTER.iter().filter_map(|mark| piece.text.split_once(mark)).map(|(_, message)| message);
        let spoken = said.min_by_key(|message| message.len());
        let whole = matches!(piece.zone, Zone::Error | Zone::Span).then_some(piece.text);
        for message in spoken.or(whole).into_iter().chain(list_quoted(piece.text)) {
            let found = words_of(message);
            if found.len() >= LEAST_WORDS && messages.len() < MAX_MESSAGES && !messages.contains(&found) {
                messages.push(found);
            }
        }
    }
    messages
}

/// Quoted parts of a text.
fn list_quoted(text: &str) -> impl Iterator<Item = &str> {
    QUOTES.iter().flat_map(move |(open, close)| {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (_, after) = rest.split_once(*open)?;
            let (inside, after) = after.split_once(*close)?;
            rest = after;
            Some(inside)
        })
    })
}

/// The distinct words of a message, in order.
fn words_of(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut known: FxHashSet<String> = FxHashSet::default();
    words::terms(message, |term| {
        let says = term.len() > 1 && !words::is_stop_word(term) && !term.bytes().all(|byte| byte.is_ascii_digit());
        if says && known.insert(term.to_owned()) {
            found.push(term.to_owned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zones;

    fn messages(text: &str) -> Vec<String> {
        of_pieces(&zones::pieces(text)).iter().map(|message| message.join(" ")).collect()
    }

    #[test]
    fn messages_are_quoted_or_follow_a_kind_of_error() {
        let text = "Crash: TypeError: cannot unpack the value of pool\nIt says \"no free connection left\" and `x` \"two words\".\n\
                    ```\nValueError: pool name is not set\n```\n";
        assert_eq!(messages(text), ["cannot unpack valu pool", "fre connection left", "pool nam not set"]);
    }
}
