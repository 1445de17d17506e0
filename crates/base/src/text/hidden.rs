use std::borrow::Cow;
use std::fmt::Write;

/// Escapes characters that a terminal would interpret or not show, as `\u{…}`: control characters other than tab and
/// line feed (so no escape sequence survives), bidirectional controls, zero-width and tag characters, variation
/// selectors.
pub fn show_hidden(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            let _ = write!(out, "\\u{{{:x}}}", c as u32);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns whether a terminal would interpret the character, or a reader not see it.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        _ if c.is_control() => true,
        '\u{ad}' | '\u{61c}' | '\u{feff}' => true,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        // Variation selectors can carry hidden data: a text can hold any number of them.
        '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' => true,
        _ => false,
    }
}
