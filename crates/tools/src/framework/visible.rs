use std::borrow::Cow;
use std::fmt::Write;

use m1nd_base::{is_hidden, show_hidden};
use serde_json::Value;

/// Most digits of an escape: those of the last code point.
const MAX_DIGITS: usize = 6;

/// Escapes hidden characters, see [`show_hidden`]. Text of a repository is data, and the reader of an answer must see
/// all of it.
pub fn visible(text: &str) -> Cow<'_, str> {
    show_hidden(text)
}

/// Like [`visible`], for the name of a file or symbol: a backslash that would be read as the start of such an escape is
/// escaped, too, so that [`parse_visible`] gives back every name. In other texts it stays as it is, since source code
/// with such escapes is copied from answers.
pub(crate) fn visible_name(name: &str) -> Cow<'_, str> {
    if !has_escape(name) {
        return show_hidden(name);
    }
    let mut out = String::with_capacity(name.len() + 16);
    for (at, c) in name.char_indices() {
        if is_hidden(c) || escape_at(&name[at..]).is_some() {
            let _ = write!(out, "\\u{{{:x}}}", c as u32);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The name that an answer printed as `text`: the inverse of [`visible_name`].
pub(crate) fn parse_visible(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find("\\u{") else { return Cow::Borrowed(text) };
    let mut out = text[..first].to_owned();
    let mut rest = &text[first..];
    while let Some(c) = rest.chars().next() {
        let (c, length) = escape_at(rest).unwrap_or((c, c.len_utf8()));
        out.push(c);
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

/// Returns whether [`parse_visible`] would change the text.
pub(crate) fn has_escape(text: &str) -> bool {
    text.match_indices("\\u{").any(|(at, _)| escape_at(&text[at..]).is_some())
}

/// The character whose escape a text starts with, and the length of the escape in bytes. Escapes of characters that
/// are never escaped are plain text.
fn escape_at(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix("\\u{")?;
    let digits = rest.find('}').filter(|digits| (1..=MAX_DIGITS).contains(digits))?;
    let c = u32::from_str_radix(&rest[..digits], 16).ok().and_then(char::from_u32)?;
    (is_hidden(c) || c == '\\').then_some((c, "\\u{".len() + digits + "}".len()))
}

/// Applies [`visible`] to every text of a value, including keys, and [`visible_name`] to texts that `is_name` tells to
/// be names.
pub(crate) fn make_visible(value: Value, is_name: &dyn Fn(&str) -> bool) -> Value {
    match value {
        Value::String(text) => {
            let clean = match has_escape(&text) && is_name(&text) {
                true => visible_name(&text),
                false => visible(&text),
            };
            match clean {
                Cow::Borrowed(_) => Value::String(text),
                Cow::Owned(clean) => Value::String(clean),
            }
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| make_visible(item, is_name)).collect()),
        Value::Object(members) => {
            let clean = |(key, value): (String, Value)| (visible(&key).into_owned(), make_visible(value, is_name));
            Value::Object(members.into_iter().map(clean).collect())
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
            (
                "\u{26a0}\u{fe0f} \u{fe00} \u{e0100} \u{180b}\u{180f}",
                "\u{26a0}\\u{fe0f} \\u{fe00} \\u{e0100} \\u{180b}\\u{180f}",
            ),
            ("let c = '\\u{200b}';", "let c = '\\u{200b}';"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn every_name_comes_back() {
        let parts =
            ["a", "\\", "\\u{", "\\u{202e}", "\u{202e}", "\\u{5c}", "u{200b}", "}", "\u{1b}", "\\u{41}", "::", "ü"];
        let mut seen = std::collections::HashMap::new();
        for one in parts {
            for two in parts {
                for three in parts {
                    let name = format!("{one}{two}{three}");
                    let shown = visible_name(&name).into_owned();
                    assert_eq!(parse_visible(&shown), name, "shown as {shown}");
                    assert!(!shown.chars().any(is_hidden), "{shown}");
                    let before = seen.insert(shown.clone(), name.clone());
                    assert!(before.is_none_or(|before| before == name), "two names are shown as {shown}");
                }
            }
        }
        for (text, name) in
            [("a\\u{202E}b", "a\u{202e}b"), ("\\u{41}", "\\u{41}"), ("\\u{}", "\\u{}"), ("\\u{1b", "\\u{1b")]
        {
            assert_eq!(parse_visible(text), name);
        }
        assert_eq!(visible_name("a\\u{202e}b"), "a\\u{5c}u{202e}b");
        assert_eq!(visible_name("App\\util\\u{1F600}"), "App\\util\\u{1F600}");
    }

    #[test]
    fn keys_and_nested_texts_are_cleaned() {
        let value =
            serde_json::json!({"k\u{200b}": ["\u{202e}", {"x": "\u{7}", "name": "\\u{7}", "text": "'\\u{7}'"}]});
        let expected = serde_json::json!({"k\\u{200b}": ["\\u{202e}", {"x": "\\u{7}", "name": "\\u{5c}u{7}", "text": "'\\u{7}'"}]});
        assert_eq!(make_visible(value, &|text| text == "\\u{7}"), expected);
    }
}
