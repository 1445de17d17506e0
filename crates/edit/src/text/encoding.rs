//! Text of files as people keep it: the encoding, the mark at its start and the line endings survive an edit.

use std::borrow::Cow;

use m1nd_base::{line_end, replace_line_ends};

/// How the bytes of a file are a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Mark,
    /// UTF-16, low byte first, with its mark.
    Utf16Le,
    /// UTF-16, high byte first, with its mark.
    Utf16Be,
    /// One byte per character: bytes that are not UTF-8.
    Latin1,
}

const MARK_8: &[u8] = &[0xef, 0xbb, 0xbf];
const MARK_LE: &[u8] = &[0xff, 0xfe];
const MARK_BE: &[u8] = &[0xfe, 0xff];

impl Encoding {
    /// Decodes a file. `None` if it is not text.
    pub fn decode(bytes: &[u8]) -> Option<(Self, String)> {
        if let Some(rest) = bytes.strip_prefix(MARK_LE) {
            return Some((Self::Utf16Le, utf16(rest, u16::from_le_bytes)?));
        }
        if let Some(rest) = bytes.strip_prefix(MARK_BE) {
            return Some((Self::Utf16Be, utf16(rest, u16::from_be_bytes)?));
        }
        if bytes.contains(&0) {
            return None;
        }
        if let Some(rest) = bytes.strip_prefix(MARK_8)
            && let Ok(text) = std::str::from_utf8(rest)
        {
            return Some((Self::Utf8Mark, text.to_owned()));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Some((Self::Utf8, text.to_owned())),
            Err(_) => Some((Self::Latin1, bytes.iter().map(|byte| char::from(*byte)).collect())),
        }
    }

    /// Encodes a text, with the mark.
    ///
    /// # Errors
    /// The first character that the encoding lacks, and its byte in the text.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, (usize, char)> {
        let marked = |mark: &[u8], pair: fn(u16) -> [u8; 2]| {
            mark.iter().copied().chain(text.encode_utf16().flat_map(pair)).collect()
        };
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf8Mark => Ok([MARK_8, text.as_bytes()].concat()),
            Self::Utf16Le => Ok(marked(MARK_LE, u16::to_le_bytes)),
            Self::Utf16Be => Ok(marked(MARK_BE, u16::to_be_bytes)),
            Self::Latin1 => text.char_indices().map(|(at, c)| u8::try_from(c).map_err(|_| (at, c))).collect(),
        }
    }

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf8Mark => "utf-8 with a byte order mark",
            Self::Utf16Le | Self::Utf16Be => "utf-16",
            Self::Latin1 => "latin-1",
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    let text = String::from_utf16(&pairs.iter().map(|pair| unit(*pair)).collect::<Vec<_>>()).ok()?;
    (!text.contains('\0')).then_some(text)
}

/// Gives a new text the line endings of the old one. A text that has carriage returns means them.
pub(crate) fn with_endings_of<'t>(old: &str, new: &'t str) -> Cow<'t, str> {
    with_endings_in(old, old, new)
}

/// [`with_endings_of`] for what takes the place of `part`, which is in the text `whole`.
pub(crate) fn with_endings_in<'t>(whole: &str, part: &str, new: &'t str) -> Cow<'t, str> {
    if new.contains('\r') { Cow::Borrowed(new) } else { replace_line_ends(part, line_end(whole), new) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_leads_back() {
        let rows: [(&[u8], Encoding); 6] = [
            (b"a\n", Encoding::Utf8),
            (b"\xef\xbb\xbfa\xc3\xa9\n", Encoding::Utf8Mark),
            (b"\xff\xfea\0\xe9\0", Encoding::Utf16Le),
            (b"\xfe\xff\0a\0\xe9", Encoding::Utf16Be),
            (b"caf\xe9 \x80\n", Encoding::Latin1),
            (b"", Encoding::Utf8),
        ];
        for (bytes, expected) in rows {
            let (encoding, text) = Encoding::decode(bytes).expect("is text");
            assert_eq!(encoding, expected);
            assert_eq!(encoding.encode(&text).as_deref(), Ok(bytes));
        }
        for binary in [&b"a\0b"[..], b"\xff\xfea", b"\xff\xfe\0\xd8", b"\xff\xfe\0\0"] {
            assert_eq!(Encoding::decode(binary), None, "{binary:?}");
        }
        assert_eq!(Encoding::Latin1.encode("aé€"), Err((3, '€')));
    }

    #[test]
    fn endings_follow_the_old_text() {
        assert_eq!(with_endings_of("a\r\nb\r\n", "c\nd"), "c\r\nd");
        assert_eq!(with_endings_of("a\r\nb\nc\n", "a\nd\nc\ne\n"), "a\r\nd\nc\ne\n");
        assert_eq!(with_endings_of("a\rb\r", "c\nd\n"), "c\rd\r");
        assert_eq!(with_endings_of("a\r\n", "c\r\nd\n"), "c\r\nd\n");
        assert_eq!(with_endings_of("a", "c\n"), "c\n");
    }
}
