//! Text: decoding, lines, positions.

use std::borrow::Cow;
use std::cell::Cell;

/// A line with its position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    /// Without its break.
    pub(crate) text: &'t str,
    /// Byte at which it starts.
    pub(crate) start: usize,
    /// Byte after its break.
    pub(crate) end: usize,
    /// 1-based.
    pub(crate) number: u32,
}

pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').zip(1..).map(move |(whole, number)| {
        let start = at;
        at += whole.len();
        Line { text: whole.trim_end_matches(['\n', '\r']), start, end: at, number }
    })
}

/// Decodes UTF-8 or, by its mark, UTF-16. The second value says whether bytes were replaced.
pub(crate) fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let pairs = |order: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        let mut lossy = bytes.len() % 2 == 1;
        let text = char::decode_utf16(units).map(|unit| {
            unit.unwrap_or_else(|_| {
                lossy = true;
                char::REPLACEMENT_CHARACTER
            })
        });
        let text: String = text.collect();
        (Cow::Owned(text), lossy)
    };
    match bytes {
        [0xff, 0xfe, ..] => pairs(u16::from_le_bytes),
        [0xfe, 0xff, ..] => pairs(u16::from_be_bytes),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            match std::str::from_utf8(bytes) {
                Ok(text) => (Cow::Borrowed(text), false),
                Err(_) => (String::from_utf8_lossy(bytes), true),
            }
        }
    }
}

/// Finds the line of a byte.
pub(crate) struct LineIndex {
    /// Places of the line breaks.
    ends: Vec<usize>,
    /// Line breaks before the byte of the last question: the next byte is mostly near.
    last: Cell<usize>,
}

impl LineIndex {
    /// Length of a short line, in bytes.
    const LENGTH: usize = 32;
    /// Lines behind the last one that are looked at before the rest is searched.
    const NEAR: usize = 8;

    pub(crate) fn new(text: &str) -> Self {
        let mut ends = Vec::with_capacity(text.len() / Self::LENGTH);
        ends.extend(memchr::memchr_iter(b'\n', text.as_bytes()));
        Self { ends, last: Cell::new(0) }
    }

    /// The 1-based line of a byte.
    pub(crate) fn line(&self, byte: usize) -> u32 {
        let (before, after) = self.ends.split_at(self.last.get());
        let found = if before.last().is_some_and(|&end| end >= byte) {
            before.partition_point(|&end| end < byte)
        } else {
            let near = after.iter().take(Self::NEAR).position(|&end| end >= byte);
            before.len() + near.unwrap_or_else(|| after.partition_point(|&end| end < byte))
        };
        self.last.set(found);
        found as u32 + 1
    }
}

/// The text on one line, single blanks between words.
pub(crate) fn fold_text(text: &str) -> String {
    let text = text.trim();
    let mut out = String::with_capacity(text.len());
    // Most text needs no more than blanks in place of its line breaks.
    if is_spaced_once(text) {
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
            out.push_str(&text[from..end]);
            out.push(' ');
            from = end + 1;
        }
        out.push_str(&text[from..]);
        return out;
    }
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether the only white space of a text is single blanks and line breaks.
fn is_spaced_once(text: &str) -> bool {
    let bytes = text.as_bytes();
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let is_odd = |one: u8, next: u8| is_blank(one) & (is_blank(next) | u8::from(one != b' ') & u8::from(one != b'\n'));
    let start = (0, bytes.last().copied().unwrap_or(0));
    let (odd, high) = pairs.fold(start, |(odd, high), (one, next)| (odd | is_odd(*one, *next), high | one));
    if odd != 0 {
        return false;
    }
    // First bytes of the white space beyond ASCII.
    let mut wide = memchr::memchr3_iter(0xc2, 0xe2, 0xe3, bytes).chain(memchr::memchr_iter(0xe1, bytes));
    high.is_ascii() || !wide.any(|at| text[at..].starts_with(char::is_whitespace))
}

/// 1 if an ASCII character is white space, as `char::is_whitespace` has it; numbers, so that many bytes are looked at
/// together.
fn is_blank(byte: u8) -> u8 {
    u8::from(byte == b' ') | u8::from(byte.wrapping_sub(b'\t') < 5)
}

/// The first bytes of a text, at most `max`, whole characters.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// The sign that a line repeats, if it is nothing else.
pub(crate) fn is_run(line: &str) -> Option<char> {
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 2 && line.chars().all(|c| c == first)).then_some(first)
}

/// A list of words, of which only those with the same first letter are compared.
pub(crate) struct Words<const N: usize> {
    /// In the order of the lower five bits of their first letters.
    words: [&'static str; N],
    /// By these bits: where the words with them start.
    starts: [u8; 33],
}

impl<const N: usize> Words<N> {
    pub(crate) const fn new(list: [&'static str; N]) -> Self {
        let mut words = [""; N];
        let mut starts = [0; 33];
        let (mut bits, mut count) = (0, 0);
        while bits < 32 {
            let mut at = 0;
            while at < N {
                if list[at].as_bytes()[0] & 31 == bits {
                    words[count] = list[at];
                    count += 1;
                }
                at += 1;
            }
            bits += 1;
            starts[bits as usize] = count as u8;
        }
        Self { words, starts }
    }

    fn alike(&self, word: &str) -> &[&'static str] {
        let bits = usize::from(word.bytes().next().unwrap_or(0) & 31);
        &self.words[usize::from(self.starts[bits])..usize::from(self.starts[bits + 1])]
    }

    /// Whether the list has a word, written in the same way.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.alike(word).contains(&word)
    }

    /// Whether the list has a word, in capitals or not.
    pub(crate) fn has_in_any_case(&self, word: &str) -> bool {
        self.alike(word).iter().any(|known| known.eq_ignore_ascii_case(word))
    }
}
