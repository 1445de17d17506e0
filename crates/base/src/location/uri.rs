//! URIs of files.

use std::path::{Component, PathBuf};

/// A URI, or a part of one, with its escapes resolved. `None` if an escape is damaged, or if what is left has a zero
/// byte or is not UTF-8.
pub fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text.as_bytes();
    while let Some((&first, after)) = left.split_first() {
        let (byte, after) = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                (digit(*high)? << 4 | digit(*low)?, after)
            }
            (b'%', _) => return None,
            (other, after) => (other, after),
        };
        if byte == 0 {
            return None;
        }
        bytes.push(byte);
        left = after;
    }
    String::from_utf8(bytes).ok()
}

/// The path of a `file:` URI of this machine, if it is absolute and has no `..`.
pub fn file_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(unescape(path).filter(|_| !path.contains(['?', '#']))?);
    let climbs = path.components().any(|part| part == Component::ParentDir);
    (path.is_absolute() && !climbs).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_resolved_and_damaged_ones_refused() {
        for (text, expected) in [
            ("a/b.py", Some("a/b.py")),
            ("a%20b%2Fc", Some("a b/c")),
            ("caf%C3%A9", Some("café")),
            ("a%", None),
            ("a%2", None),
            ("a%g0", None),
            ("a%00", None),
            ("%ff", None),
        ] {
            assert_eq!(unescape(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn only_absolute_paths_of_this_machine_are_taken() {
        for (uri, expected) in [
            ("file:///a%20b/c", Some("/a b/c")),
            ("file://localhost/a", Some("/a")),
            ("file://host/a", None),
            ("file:///a?b", None),
            ("file:///a/../b", None),
            ("file:///%ff", None),
            ("file://", None),
            ("http:///a", None),
            ("a", None),
        ] {
            assert_eq!(file_path(uri), expected.map(PathBuf::from), "{uri}");
        }
    }
}
