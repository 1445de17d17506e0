//! Cutting text.

/// At most so many bytes of a text, at the end of a character.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
