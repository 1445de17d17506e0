//! Words, signs and texts of schema languages, without a tree.

/// How a language writes comments, texts and names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// What begins a comment to the end of the line.
    pub(crate) line: &'static [&'static str],
    /// `/* */` are comments.
    pub(crate) blocks: bool,
    /// Quotes around texts.
    pub(crate) texts: &'static [u8],
    /// Quotes around names: opening and closing.
    pub(crate) names: &'static [(u8, u8)],
    /// Bytes in words beside letters, digits and `_`.
    pub(crate) word: &'static [u8],
    /// A doubled quote stands for the quote itself; else `\` escapes.
    pub(crate) doubles: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name, keyword or number.
    Word(&'t str),
    /// A quoted name, without its quotes.
    Name(&'t str),
    /// A text, without its quotes.
    Text(&'t str),
    /// Any other byte.
    Sign(u8),
}

/// A token and where it begins and ends, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexed<'t> {
    pub(crate) token: Token<'t>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Start of the comment directly in front of it, if there is one.
    pub(crate) comment: Option<usize>,
}

impl<'t> Lexed<'t> {
    /// The name that it is, quoted or not.
    pub(crate) fn name(&self) -> Option<&'t str> {
        match self.token {
            Token::Word(word) | Token::Name(word) => Some(word),
            Token::Text(_) | Token::Sign(_) => None,
        }
    }

    /// Returns whether it is this word, whatever its case.
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(own) if own.eq_ignore_ascii_case(word))
    }

    /// Returns whether it is this sign.
    pub(crate) fn is_sign(&self, sign: u8) -> bool {
        self.token == Token::Sign(sign)
    }
}

/// Reads tokens one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'t> {
    style: Style,
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(style: Style, text: &'t str) -> Self {
        Self { style, text, at: 0 }
    }

    fn comment_end(&self) -> Option<usize> {
        let rest = &self.text[self.at..];
        if self.style.blocks && rest.starts_with("/*") {
            return Some(rest.find("*/").map_or(self.text.len(), |end| self.at + end + 2));
        }
        let is_line = self.style.line.iter().any(|mark| rest.starts_with(mark));
        is_line.then(|| self.at + rest.find('\n').unwrap_or(rest.len()))
    }

    fn is_word(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 || self.style.word.contains(&byte)
    }

    /// The text between quotes, and where it ends with its quote. An end of the file closes it.
    fn read_quoted(&self, close: u8, escapes: bool) -> (&'t str, usize) {
        let bytes = self.text.as_bytes();
        let open = self.at + 1;
        if bytes[self.at] == b'"' && !self.style.doubles && bytes[self.at..].starts_with(b"\"\"\"") {
            let end = self.text[self.at + 3..].find("\"\"\"").map(|end| self.at + 3 + end);
            let end = end.unwrap_or(bytes.len());
            return (&self.text[self.at + 3..end], (end + 3).min(bytes.len()));
        }
        let mut at = open;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' if escapes && !self.style.doubles => at += 1,
                byte if byte == close && self.style.doubles && bytes.get(at + 1) == Some(&close) => at += 1,
                byte if byte == close => return (&self.text[open..at], at + 1),
                _ => {}
            }
            at += 1;
        }
        (&self.text[open..], bytes.len())
    }
}

impl<'t> Iterator for Lexer<'t> {
    type Item = Lexed<'t>;

    fn next(&mut self) -> Option<Lexed<'t>> {
        let bytes = self.text.as_bytes();
        let mut comment: Option<usize> = None;
        let mut breaks = 0;
        while let Some(&byte) = bytes.get(self.at) {
            if byte.is_ascii_whitespace() {
                breaks += u32::from(byte == b'\n');
                // An empty line parts a comment from what follows.
                comment = comment.filter(|_| breaks < 2);
                self.at += 1;
            } else if let Some(end) = self.comment_end() {
                comment = comment.or(Some(self.at));
                breaks = 0;
                self.at = end;
            } else {
                break;
            }
        }
        let start = self.at;
        let &byte = bytes.get(start)?;
        let names = self.style.names.iter().find(|(open, _)| *open == byte);
        let (token, end) = if let Some((_, close)) = names {
            let (name, end) = self.read_quoted(*close, false);
            (Token::Name(name), end)
        } else if self.style.texts.contains(&byte) {
            let (text, end) = self.read_quoted(byte, true);
            (Token::Text(text), end)
        } else if self.is_word(byte) {
            let end = start + bytes[start..].iter().take_while(|byte| self.is_word(**byte)).count();
            (Token::Word(&self.text[start..end]), end)
        } else {
            (Token::Sign(byte), start + 1)
        };
        self.at = end;
        Some(Lexed { token, start, end, comment })
    }
}
