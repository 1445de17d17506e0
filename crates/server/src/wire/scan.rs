//! A pass over the bytes of one JSON value that builds nothing: finds its nesting depth and its `id`.
//!
//! It runs before (or instead of) the real parser, so that a hostile message is refused without allocating, and the
//! sender of an overlong one still learns which of its requests failed. It accepts input in any pieces, uses a fixed
//! amount of memory, and never fails: for bytes that are not JSON its results are just not meaningful.

use serde_json::Value;

/// Maximum length of a recorded `id` value, in bytes; longer ones are treated as absent.
const ID_BYTES: usize = 256;
/// The JSON-RPC key of the request id.
const ID_KEY: &[u8] = b"id";

/// State of scanning one JSON value.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    depth: usize,
    deepest: usize,
    in_string: bool,
    escaped: bool,
    /// The bytes of the string or scalar being read at the top level of the object, if short.
    token: Vec<u8>,
    token_overflow: bool,
    /// The last complete key of the outermost object was `id`.
    after_id_key: bool,
    /// The colon after that key has been read: what follows is the value.
    in_id_value: bool,
    id: Option<Vec<u8>>,
}

impl Scan {
    /// Scans the next bytes of the value.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.in_string {
                self.string_byte(byte);
            } else {
                self.plain_byte(byte);
            }
        }
    }

    /// The deepest nesting of arrays and objects seen.
    pub(crate) fn deepest(&self) -> usize {
        self.deepest
    }

    /// The value of `id` in the outermost object, if it was seen whole and is a string or an integer.
    pub(crate) fn id(&self) -> Option<Value> {
        let value: Value = serde_json::from_slice(self.id.as_deref()?).ok()?;
        (value.is_string() || value.is_i64()).then_some(value)
    }

    fn string_byte(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
        }
        if self.depth == 1 {
            self.keep(byte);
        }
    }

    fn plain_byte(&mut self, byte: u8) {
        match byte {
            // Only tokens of the outermost object are kept: they are searched for the id of a message that may be too
            // long to parse.
            b'"' => {
                self.in_string = true;
                if self.depth == 1 {
                    self.token.clear();
                    self.token_overflow = false;
                    self.keep(byte);
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
                self.token.clear();
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_of_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => self.end_of_member(),
            // The token in front was a key; the value behind it matters if the key is the id.
            b':' if self.depth == 1 => {
                self.after_id_key = !self.token_overflow && strip_quotes(&self.token) == Some(ID_KEY);
                self.in_id_value = self.after_id_key;
                self.token.clear();
                self.token_overflow = false;
            }
            _ if self.depth == 1 && !byte.is_ascii_whitespace() => self.keep(byte),
            _ => {}
        }
    }

    fn end_of_member(&mut self) {
        if self.in_id_value && !self.token_overflow && !self.token.is_empty() {
            self.id = Some(std::mem::take(&mut self.token));
        }
        self.in_id_value = false;
        self.token.clear();
        self.token_overflow = false;
    }

    fn keep(&mut self, byte: u8) {
        if self.token.len() < ID_BYTES {
            self.token.push(byte);
        } else {
            self.token_overflow = true;
        }
    }
}

fn strip_quotes(token: &[u8]) -> Option<&[u8]> {
    token.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn scan(text: &str) -> Scan {
        let mut scan = Scan::default();
        for byte in text.bytes() {
            scan.feed(&[byte]);
        }
        scan
    }

    #[test]
    fn counts_nesting_outside_strings_only() {
        assert_eq!(scan(r#"{"a":"[[[{{{","b":[{"c":"\"]["}]}"#).deepest(), 3);
        assert_eq!(scan("1").deepest(), 0);
        assert_eq!(scan(&"[".repeat(10_000)).deepest(), 10_000);
    }

    #[test]
    fn finds_the_id_of_the_outermost_object_wherever_it_stands() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#, Some(json!(7))),
            (r#"{"method":"x","params":{"id":1},"id":"a\"b"}"#, Some(json!("a\"b"))),
            (r#"{"method":"id","params":{"id":1}}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":{"x":1}}"#, None),
            (r#"{"id":1.5}"#, None),
            (r#"{ "id" : -3 , "x":[1,2]}"#, Some(json!(-3))),
            (r#"[{"id":1}]"#, None),
            ("nonsense", None),
        ] {
            assert_eq!(scan(text).id(), id, "{text}");
        }
    }
}
