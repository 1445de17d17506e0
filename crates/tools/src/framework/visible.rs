use std::borrow::Cow;
use std::fmt::Write;

use serde_json::Value;

/// Escapes characters that a terminal would interpret or not show, as `\u{…}`: control characters other than tab and
/// line feed (so no escape sequence survives), bidirectional controls, zero-width and tag characters.
///
/// Text of a repository is data, and the reader of an answer must see all of it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
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

fn is_hidden(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        _ if c.is_control() => true,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Applies [`visible`] to every text of a value, including keys.
pub(crate) fn make_visible(value: Value) -> Value {
    match value {
        Value::String(text) => match visible(&text) {
            Cow::Borrowed(_) => Value::String(text),
            Cow::Owned(clean) => Value::String(clean),
        },
        Value::Array(items) => Value::Array(items.into_iter().map(make_visible).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(k, v)| (visible(&k).into_owned(), make_visible(v))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        let cases = [
            ("plain\ttext\nnext", "plain\ttext\nnext"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("zero\u{200b}width", "zero\\u{200b}width"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
            ("bell\u{7} del\u{7f} csi\u{9b}", "bell\\u{7} del\\u{7f} csi\\u{9b}"),
            ("ünïcödé 漢字 🦀", "ünïcödé 漢字 🦀"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn keys_and_nested_texts_are_cleaned() {
        let value = serde_json::json!({"k\u{200b}": ["\u{202e}", {"x": "\u{7}"}]});
        let expected = serde_json::json!({"k\\u{200b}": ["\\u{202e}", {"x": "\\u{7}"}]});
        assert_eq!(make_visible(value), expected);
    }
}
