//! Texts that are cut to a size, with a mark where they end.

use std::borrow::Cow;

/// The first `most` characters of a text.
pub(crate) fn to_chars(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// As many characters of a text as fit into `most` bytes.
pub(crate) fn to_bytes(text: &str, most: usize) -> Cow<'_, str> {
    match text.len() > most {
        true => Cow::Owned(format!("{}…", &text[..text.floor_char_boundary(most)])),
        false => Cow::Borrowed(text),
    }
}

/// A text on one line, without runs of spaces.
pub(crate) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!((&*to_chars("größe", 3), &*to_chars("größe", 5)), ("grö…", "größe"));
        assert_eq!((&*to_bytes("größe", 3), &*to_bytes("größe", 7)), ("gr…", "größe"));
        assert_eq!(fold(" a\n  b "), "a b");
    }
}
