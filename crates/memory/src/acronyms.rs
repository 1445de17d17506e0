//! Plurals of acronyms, which splitting at capitals would break (`URLs` → `UR`, `Ls`).

use std::borrow::Cow;

/// The text with `s` taken off words that are capitals otherwise: `JWTs` → `JWT`. Names such as `parseURLs` stay.
pub(crate) fn singular_acronyms(text: &str) -> Cow<'_, str> {
    let is_plural = |word: &str| {
        word.strip_suffix('s').is_some_and(|rest| rest.len() > 1 && rest.bytes().all(|byte| byte.is_ascii_uppercase()))
    };
    let is_inner = |char: char| char.is_alphanumeric() || char == '_';
    if !text.split(|char| !is_inner(char)).any(is_plural) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(|char| !is_inner(char)) {
        let (word, rest) = piece.split_at(piece.find(|char| !is_inner(char)).unwrap_or(piece.len()));
        out.push_str(if is_plural(word) { &word[..word.len() - 1] } else { word });
        out.push_str(rest);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_acronyms() {
        let cases = [
            ("JWTs and URLs, APIs.", "JWT and URL, API."),
            ("parseURLs As is", "parseURLs As is"),
            ("IDs", "ID"),
            ("HTTPs_x classes é", "HTTPs_x classes é"),
        ];
        for (text, expected) in cases {
            assert_eq!(singular_acronyms(text), expected);
        }
    }
}
