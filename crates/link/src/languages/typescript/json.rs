//! JSON with comments and trailing commas, as in configuration files.

use serde_json::Value;

/// Parses JSON with `//` and `/* */` comments and trailing commas. The error states the problem and its position.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_slice(&plain(text.as_bytes())).map_err(|error| error.to_string())
}

/// The text with comments blanked and commas before a closing bracket dropped.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => {
                let end = string_end(text, at);
                out.extend_from_slice(&text[at..end]);
                at = end;
            }
            b'/' if text.get(at + 1) == Some(&b'/') => {
                at = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |offset| at + offset);
            }
            b'/' if text.get(at + 1) == Some(&b'*') => {
                let body = &text[at + 2..];
                let end = body.windows(2).position(|pair| pair == b"*/");
                let skipped = end.map_or(text.len(), |offset| at + 2 + offset + 2);
                out.extend(text[at..skipped].iter().filter(|&&byte| byte == b'\n'));
                at = skipped;
            }
            byte @ (b']' | b'}') => {
                let last = out.iter().rposition(|byte| !byte.is_ascii_whitespace());
                if let Some(last) = last.filter(|&last| out[last] == b',') {
                    out[last] = b' ';
                }
                out.push(byte);
                at += 1;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// Offset behind the string literal that starts at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn comments_and_trailing_commas() {
        let value = parse("{ // a\n \"a\": [1, 2,], /* b, */ \"b\": \"x // y /* z \\\" ,]\", }").expect("valid");
        assert_eq!(value, serde_json::json!({ "a": [1, 2], "b": "x // y /* z \" ,]" }));
        assert!(parse("{ \"a\": ").is_err());
        assert!(parse("/* never closed").is_err());
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
