//! Text: decoding, lines, positions.

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
pub(crate) fn decode(bytes: &[u8]) -> (String, bool) {
    let pairs = |order: fn([u8; 2]) -> u16| -> (String, bool) {
        let units = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        let mut lossy = bytes.len() % 2 == 1;
        let text = char::decode_utf16(units).map(|unit| {
            unit.unwrap_or_else(|_| {
                lossy = true;
                char::REPLACEMENT_CHARACTER
            })
        });
        let text: String = text.collect();
        (text, lossy)
    };
    match bytes {
        [0xff, 0xfe, ..] => pairs(u16::from_le_bytes),
        [0xfe, 0xff, ..] => pairs(u16::from_be_bytes),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            match std::str::from_utf8(bytes) {
                Ok(text) => (text.to_owned(), false),
                Err(_) => (String::from_utf8_lossy(bytes).into_owned(), true),
            }
        }
    }
}

/// Finds the line of a byte.
pub(crate) struct LineIndex(Vec<usize>);

impl LineIndex {
    pub(crate) fn new(text: &str) -> Self {
        Self(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    /// The 1-based line of a byte.
    pub(crate) fn line(&self, byte: usize) -> u32 {
        self.0.partition_point(|&end| end < byte) as u32 + 1
    }
}

/// The text on one line, single blanks between words.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut add = |word: &str| {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    };
    // Without decoding, where the characters are bytes.
    if text.is_ascii() {
        text.split_ascii_whitespace().for_each(&mut add);
    } else {
        text.split_whitespace().for_each(&mut add);
    }
    out
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
