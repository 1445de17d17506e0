//! Words, texts and signs of source code, without comments.

use crate::Language;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    /// What stands between quotes, as written.
    Text(&'t str),
    Sign(u8),
}

/// Tokens kept of a file.
const MAX_TOKENS: usize = 200_000;

/// The tokens of a text, each with the byte at which it begins.
pub(super) fn tokens(language: Language, text: &str) -> Vec<(Token<'_>, usize)> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, language };
    let mut found = Vec::new();
    while found.len() < MAX_TOKENS
        && let Some(token) = reader.next()
    {
        found.push(token);
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    language: Language,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<(Token<'t>, usize)> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            let start = self.at;
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if self.comment() {
                continue;
            } else if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
                self.at += self.bytes[start..].iter().take_while(|byte| is_word(byte)).count();
                return Some((Token::Word(&self.text[start..self.at]), start));
            } else if matches!(byte, b'"' | b'\'' | b'`') {
                return Some((self.read_quoted(byte), start));
            } else {
                self.at += 1;
                return Some((Token::Sign(byte), start));
            }
        }
    }

    /// Skips a comment.
    fn comment(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let to_end = |end: Option<usize>| end.unwrap_or(rest.len());
        if self.language == Language::Python {
            let is_comment = rest.starts_with('#');
            self.at += if is_comment { to_end(rest.find('\n')) } else { 0 };
            return is_comment;
        }
        if rest.starts_with("//") {
            self.at += to_end(rest.find('\n'));
        } else if rest.starts_with("/*") {
            self.at += to_end(rest.find("*/").map(|end| end + 2));
        } else {
            return false;
        }
        true
    }

    fn read_quoted(&mut self, quote: u8) -> Token<'t> {
        let start = self.at;
        let is_rust = self.language == Language::Rust;
        let triple = if quote == b'"' { "\"\"\"" } else { "'''" };
        if self.language == Language::Python && self.text[start..].starts_with(triple) {
            let end = self.text[start + 3..].find(triple).map(|end| start + 3 + end);
            let end = end.unwrap_or(self.bytes.len());
            self.at = (end + 3).min(self.bytes.len());
            return Token::Text(&self.text[start + 3..end]);
        }
        if is_rust && quote == b'\'' && !self.is_letter(start) {
            // A lifetime.
            self.at += 1;
            return Token::Sign(quote);
        }
        let hashes = if is_rust && quote == b'"' { self.hashes(start) } else { 0 };
        let is_raw = hashes > 0 || quote == b'`' && self.language == Language::Go;
        let spans_lines = is_rust || quote == b'`';
        let mut at = start + 1;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' if !is_raw => at += 1,
                b'\n' if !spans_lines => break,
                byte if byte == quote && self.closes(at, hashes) => break,
                _ => {}
            }
            at += 1;
        }
        let end = self.text.floor_char_boundary(at.min(self.bytes.len()));
        self.at = (end + 1 + hashes).min(self.bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        Token::Text(&self.text[start + 1..end.max(start + 1)])
    }

    /// The number of `#` before the quote of a raw text.
    fn hashes(&self, quote: usize) -> usize {
        let count = self.bytes[..quote].iter().rev().take_while(|byte| **byte == b'#').count();
        let before = quote.checked_sub(count + 1).and_then(|at| self.bytes.get(at));
        if before == Some(&b'r') { count } else { 0 }
    }

    fn closes(&self, quote: usize, hashes: usize) -> bool {
        self.bytes[quote + 1..].iter().take(hashes).filter(|byte| **byte == b'#').count() == hashes
    }

    /// Returns whether a quote begins a letter of Rust: `'v'`, `'\n'`.
    fn is_letter(&self, quote: usize) -> bool {
        let mut letters = self.text[quote + 1..].chars();
        match letters.next() {
            Some('\\') => true,
            Some(_) => letters.next() == Some('\''),
            None => false,
        }
    }
}
