//! The values of a PDF file, and the reader of their texts. Nesting is bounded; nothing recurses.

/// Deepest nesting of arrays and dictionaries; what is deeper is left out.
const MAX_DEPTH: usize = 100;

/// Most values in one value of the outermost level; what follows is left out.
const MAX_INSIDE: usize = 1_000_000;

/// A value, or an operator of a content stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    Null,
    Bool(bool),
    Number(f64),
    Name(Box<str>),
    Text(Vec<u8>),
    Array(Vec<Object>),
    Dict(Dict),
    Ref(u32),
    /// A bare word: an operator of a content stream.
    Word(Box<str>),
}

/// A dictionary.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Dict(Vec<(Box<str>, Object)>);

impl Dict {
    pub(super) fn get(&self, key: &str) -> Option<&Object> {
        self.0.iter().rev().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    /// Adds members; a later one counts.
    pub(super) fn extend(&mut self, pairs: Vec<(Box<str>, Object)>) {
        self.0.extend(pairs);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Object)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }
}

impl Object {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn index(&self) -> Option<usize> {
        self.number().filter(|number| (0.0..1e15).contains(number)).map(|number| number as usize)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            _ => None,
        }
    }
}

/// Reads values from bytes.
#[derive(Clone)]
pub(super) struct Lexer<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
    /// Values read.
    pub(super) values: usize,
}

/// What stands between values.
enum Token {
    Value(Object),
    OpenArray,
    CloseArray,
    OpenDict,
    CloseDict,
}

impl<'b> Lexer<'b> {
    pub(super) fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at, values: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                    self.at += 1;
                }
            } else if is_blank(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    /// The next value with everything in it; `None` at the end. Brackets without a partner are passed over.
    pub(super) fn object(&mut self) -> Option<Object> {
        let mut open: Vec<(bool, Vec<Object>)> = Vec::new();
        let (mut too_deep, mut inside) = (0usize, 0usize);
        loop {
            let Some(token) = self.token() else {
                // The text ends inside: what was read so far counts.
                return open.into_iter().next().map(|(is_dict, items)| close_object(is_dict, items));
            };
            let value = match token {
                Token::OpenArray | Token::OpenDict if open.len() >= MAX_DEPTH => {
                    too_deep += 1;
                    continue;
                }
                Token::OpenArray => {
                    open.push((false, Vec::new()));
                    continue;
                }
                Token::OpenDict => {
                    open.push((true, Vec::new()));
                    continue;
                }
                Token::CloseArray | Token::CloseDict if too_deep > 0 => {
                    too_deep -= 1;
                    continue;
                }
                Token::CloseArray | Token::CloseDict => match open.pop() {
                    Some((is_dict, items)) => close_object(is_dict, items),
                    None => continue,
                },
                Token::Value(value) => value,
            };
            let Some((_, items)) = open.last_mut() else { return Some(self.reference(value)) };
            if too_deep > 0 || inside >= MAX_INSIDE {
                continue;
            }
            inside += 1;
            if is_word(&value, "R") && items.len() >= 2 {
                let generation = items.pop();
                let number = items.pop();
                items.push(build_reference(number.as_ref(), generation.as_ref()));
            } else if is_word(&value, "endobj") || is_word(&value, "stream") {
                // A bracket is missing.
                self.at -= 6;
                let outer = open.into_iter().next();
                return outer.map(|(is_dict, items)| close_object(is_dict, items));
            } else {
                items.push(value);
            }
        }
    }

    /// `5 0 R` outside of brackets.
    fn reference(&mut self, value: Object) -> Object {
        let Some(number) = value.index().filter(|number| *number <= u32::MAX as usize) else { return value };
        let mut ahead = Self::new(self.bytes, self.at);
        let Some(Token::Value(generation)) = ahead.token().filter(|_| self.peek().is_some_and(is_blank)) else {
            return value;
        };
        if generation.index().is_none() {
            return value;
        }
        match ahead.token() {
            Some(Token::Value(word)) if is_word(&word, "R") => {
                self.at = ahead.at;
                Object::Ref(number as u32)
            }
            _ => value,
        }
    }

    fn token(&mut self) -> Option<Token> {
        self.skip_blanks();
        let byte = self.peek()?;
        self.values += 1;
        let next = self.bytes.get(self.at + 1).copied();
        let (token, length) = match (byte, next) {
            (b'<', Some(b'<')) => (Token::OpenDict, 2),
            (b'>', Some(b'>')) => (Token::CloseDict, 2),
            (b'[' | b'{', _) => (Token::OpenArray, 1),
            (b']' | b'}', _) => (Token::CloseArray, 1),
            (b'(', _) => return Some(Token::Value(Object::Text(self.literal()))),
            (b'<', _) => return Some(Token::Value(Object::Text(self.hexadecimal()))),
            (b'/', _) => return Some(Token::Value(Object::Name(self.name()))),
            (b')' | b'>', _) => (Token::Value(Object::Null), 1),
            _ => return Some(Token::Value(self.word())),
        };
        self.at += length;
        Some(token)
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut out = Vec::new();
        let mut depth = 1usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut out);
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
        out
    }

    fn escape(&mut self, out: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    value = value * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                out.push(value as u8);
            }
            other => out.push(other),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut out = Vec::new();
        let mut half: Option<u8> = None;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = (byte as char).to_digit(16) else { continue };
            match half.take() {
                Some(high) => out.push(high << 4 | digit as u8),
                None => half = Some(digit as u8),
            }
        }
        out.extend(half.map(|high| high << 4));
        out
    }

    fn name(&mut self) -> Box<str> {
        self.at += 1;
        let mut out = String::new();
        while let Some(byte) = self.peek().filter(|byte| is_regular(*byte)) {
            self.at += 1;
            let digit = |at: usize| self.bytes.get(at).and_then(|byte| (*byte as char).to_digit(16));
            match (byte, digit(self.at), digit(self.at + 1)) {
                (b'#', Some(high), Some(low)) => {
                    out.push((high << 4 | low) as u8 as char);
                    self.at += 2;
                }
                _ => out.push(byte as char),
            }
        }
        out.into()
    }

    fn word(&mut self) -> Object {
        let start = self.at;
        while self.peek().is_some_and(is_regular) {
            self.at += 1;
        }
        // A byte that starts nothing.
        self.at = self.at.max(start + 1);
        let word = &self.bytes[start..self.at];
        if let Some(number) = number(word) {
            return Object::Number(number);
        }
        match word {
            b"true" => Object::Bool(true),
            b"false" => Object::Bool(false),
            b"null" => Object::Null,
            _ => Object::Word(word.iter().take(40).map(|byte| *byte as char).collect::<String>().into()),
        }
    }
}

fn close_object(is_dict: bool, items: Vec<Object>) -> Object {
    if !is_dict {
        return Object::Array(items);
    }
    let mut pairs = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter().peekable();
    while let Some(key) = items.next() {
        let Object::Name(key) = key else { continue };
        match items.peek() {
            Some(_) => pairs.push((key, items.next().unwrap_or(Object::Null))),
            None => pairs.push((key, Object::Null)),
        }
    }
    Object::Dict(Dict(pairs))
}

fn build_reference(number: Option<&Object>, generation: Option<&Object>) -> Object {
    let number = number.and_then(Object::index).and_then(|number| u32::try_from(number).ok());
    match (number, generation.and_then(Object::index)) {
        (Some(number), Some(_)) => Object::Ref(number),
        _ => Object::Null,
    }
}

fn is_word(object: &Object, word: &str) -> bool {
    matches!(object, Object::Word(found) if &**found == word)
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_regular(byte: u8) -> bool {
    !is_blank(byte) && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// A number as PDF writes it; broken ones such as `--5` and `1.2.3` as readers take them.
fn number(word: &[u8]) -> Option<f64> {
    let first = *word.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) || word.len() > 40 {
        return None;
    }
    let is_negative = first == b'-';
    let digits = word.iter().skip_while(|byte| matches!(byte, b'+' | b'-'));
    let (mut value, mut scale, mut any) = (0f64, 0f64, false);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                any = true;
                let digit = f64::from(byte - b'0');
                if scale == 0.0 {
                    value = value * 10.0 + digit;
                } else {
                    value += digit * scale;
                    scale /= 10.0;
                }
            }
            b'.' if scale == 0.0 => scale = 0.1,
            b'.' | b'-' => break,
            _ => return None,
        }
    }
    (any || word.len() == 1 && first != b'+').then_some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Object {
        Lexer::new(text.as_bytes(), 0).object().expect("a value")
    }

    #[test]
    fn values_are_read() {
        let dict = read("<< /A 1 /B [1 0 R (a\\(b\\)\\101) <48 6>] /C#20D /E >>");
        let dict = dict.dict().expect("a dictionary");
        assert_eq!(dict.get("A"), Some(&Object::Number(1.0)));
        let items = dict.get("B").and_then(Object::array).expect("an array");
        assert_eq!(items[0], Object::Ref(1));
        assert_eq!(items[1], Object::Text(b"a(b)A".to_vec()));
        assert_eq!(items[2], Object::Text(b"H`".to_vec()));
        assert_eq!(dict.get("C D").and_then(Object::name), Some("E"));
        assert_eq!(read("7 0 R"), Object::Ref(7));
        assert_eq!(read("-.5"), Object::Number(-0.5));
        assert_eq!(read("7 0 obj"), Object::Number(7.0));
    }

    #[test]
    fn nesting_and_broken_brackets_end() {
        let deep = "[".repeat(100_000);
        assert!(Lexer::new(deep.as_bytes(), 0).object().is_some());
        assert!(Lexer::new(b">> ] )", 0).object().is_some());
        assert_eq!(Lexer::new(b"", 0).object(), None);
    }
}
