//! Markup token by token: tags with their attributes, and expressions between them.

use std::ops::Range;

/// How a language writes expressions in markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Braces {
    /// `{{ a }}`, in text only; what is inside has no braces of its own (Vue).
    Double,
    /// `{a}`, in text and as values of attributes.
    Single,
}

/// A token of markup. Comments and text are left out.
#[derive(Debug)]
pub(super) enum Token {
    /// `<name …>`.
    Open(Tag),
    /// `</name>`: the name.
    Close(Range<usize>),
    /// What is inside of the braces.
    Code(Range<usize>),
}

/// A start tag.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: Range<usize>,
    pub(super) attributes: Vec<Attribute>,
    /// It ends with `/>`, or an element of this name has no content.
    pub(super) is_closed: bool,
    /// What is inside of a `<script>` or `<style>`.
    pub(super) raw: Range<usize>,
}

/// An attribute of a tag.
#[derive(Debug)]
pub(super) struct Attribute {
    /// Its name; empty for `{…}` on its own.
    pub(super) name: Range<usize>,
    /// Its value without quotes or braces.
    pub(super) value: Option<Range<usize>>,
    /// Whether the value is code in braces.
    pub(super) in_braces: bool,
}

/// Elements without content.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// Goes through the tokens of a text.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    braces: Braces,
    /// Bytes that may still be looked through for closing braces: of many that nothing closes, each would go through
    /// the rest of the text.
    left: usize,
}

/// How often each byte may be looked through for closing braces, on average.
const MAX_LOOKED: usize = 16;

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str, from: usize, braces: Braces) -> Self {
        Self { text, at: from, braces, left: text.len().saturating_mul(MAX_LOOKED) }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Moves behind the next `what`, or to the end.
    fn skip_to(&mut self, what: &str) -> usize {
        let found = self.text.get(self.at..).and_then(|rest| rest.find(what)).map(|offset| self.at + offset);
        self.at = found.map_or(self.text.len(), |found| found + what.len());
        found.unwrap_or(self.text.len())
    }

    fn code(&mut self) -> Option<Range<usize>> {
        match self.braces {
            Braces::Double => {
                let start = self.at + 2;
                self.at = start;
                let end = self.skip_to("}}");
                Some(start..end)
            }
            Braces::Single => {
                let start = self.at + 1;
                let found = closing_brace(self.text, start, self.left);
                self.left = self.left.saturating_sub(found.unwrap_or(self.text.len()) - start);
                let Some(end) = found else {
                    self.at = start;
                    return None;
                };
                self.at = end + 1;
                Some(start..end)
            }
        }
    }

    fn name(&mut self) -> Range<usize> {
        let start = self.at;
        let length = self.rest().iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
        self.at += length.unwrap_or(self.rest().len());
        start..self.at
    }

    fn tag(&mut self) -> Tag {
        self.at += 1;
        let name = self.name();
        let mut tag = Tag { name, attributes: Vec::new(), is_closed: false, raw: 0..0 };
        loop {
            match self.rest() {
                [] => break,
                [b'>', ..] => {
                    self.at += 1;
                    break;
                }
                [b'/', b'>', ..] => {
                    self.at += 2;
                    tag.is_closed = true;
                    break;
                }
                [byte, ..] if byte.is_ascii_whitespace() || *byte == b'/' => self.at += 1,
                _ => tag.attributes.push(self.attribute()),
            }
        }
        let name = &self.text[tag.name.clone()];
        tag.is_closed |= VOID.contains(&name);
        if matches!(name, "script" | "style") && !tag.is_closed {
            let start = self.at;
            tag.raw = start..self.skip_to(if name == "script" { "</script" } else { "</style" });
            self.skip_to(">");
            tag.is_closed = true;
        }
        tag
    }

    fn attribute(&mut self) -> Attribute {
        let start = self.at;
        if self.braces == Braces::Single && self.rest().first() == Some(&b'{') {
            let value = self.code();
            return Attribute { name: start..start, value, in_braces: true };
        }
        // The argument of a directive may be an expression: `:[a + b]="c"`.
        let mut depth = 0_u32;
        let ends = |byte: &u8| {
            match byte {
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            matches!(byte, b'>' | b'=') || depth == 0 && (byte.is_ascii_whitespace() || *byte == b'/')
        };
        let length = self.rest().iter().position(ends).unwrap_or(self.rest().len());
        self.at += length.max(1);
        let name = start..start + length;
        let spaces = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if self.rest().get(spaces) != Some(&b'=') || length == 0 {
            return Attribute { name, value: None, in_braces: false };
        }
        self.at += spaces + 1;
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let (value, in_braces) = self.value();
        Attribute { name, value: Some(value), in_braces }
    }

    /// The value of an attribute, and whether it is code.
    fn value(&mut self) -> (Range<usize>, bool) {
        let start = self.at;
        match self.rest().first() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                let end = self.skip_to(if *quote == b'"' { "\"" } else { "'" });
                (start + 1..end, false)
            }
            Some(b'{') if self.braces == Braces::Single => match self.code() {
                Some(code) => (code, true),
                None => (start..start, false),
            },
            // A template string is an expression (Astro).
            Some(b'`') if self.braces == Braces::Single => {
                self.at += 1;
                self.skip_to("`");
                (start..self.at, true)
            }
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
                self.at += self.rest().iter().position(ends).unwrap_or(self.rest().len());
                (start..self.at, false)
            }
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            match self.rest() {
                [] => return None,
                [b'<', b'!', b'-', b'-', ..] => drop(self.skip_to("-->")),
                [b'<', b'!' | b'?', ..] => drop(self.skip_to(">")),
                [b'<', b'/', ..] => {
                    self.at += 2;
                    let name = self.name();
                    self.skip_to(">");
                    return Some(Token::Close(name));
                }
                [b'<', first, ..] if first.is_ascii_alphabetic() => return Some(Token::Open(self.tag())),
                [b'{', b'{', ..] if self.braces == Braces::Double => return self.code().map(Token::Code),
                [b'{', ..] if self.braces == Braces::Single => {
                    if let Some(code) = self.code() {
                        return Some(Token::Code(code));
                    }
                }
                rest => {
                    let next = rest[1..].iter().position(|byte| matches!(byte, b'<' | b'{'));
                    self.at += next.map_or(rest.len(), |next| next + 1);
                }
            }
        }
    }
}

/// Deepest nesting of braces and template strings.
const MAX_NESTED: usize = 256;

/// The brace that closes the one before `from`, at most `most` bytes behind. Strings, template strings and comments may
/// have others.
pub(super) fn closing_brace(text: &str, from: usize, most: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = bytes.len().min(from.saturating_add(most));
    // What is open: braces, and template strings.
    let mut open: Vec<u8> = vec![b'{'];
    let mut at = from;
    while at < end {
        let in_template = open.last() == Some(&b'`');
        match (bytes[at], bytes.get(at + 1)) {
            (b'\\', _) => at += 1,
            (b'`', _) if in_template => drop(open.pop()),
            (b'$', Some(b'{')) if in_template => {
                open.push(b'{');
                at += 1;
            }
            _ if in_template => {}
            (b'`' | b'{', _) if open.len() >= MAX_NESTED => return None,
            (b'`' | b'{', _) => open.push(bytes[at]),
            (b'}', _) => {
                open.pop();
                if open.is_empty() {
                    return Some(at);
                }
            }
            (b'/', Some(b'*')) => at = text.get(at..)?.find("*/").map(|offset| at + offset + 1)?,
            // Not the `//` of an address in text.
            (b'/', Some(b'/')) if at == from || bytes[at - 1] != b':' => {
                at += text.get(at..)?.find('\n').unwrap_or(0);
            }
            // A quote without another on its line is an apostrophe.
            (quote @ (b'"' | b'\''), _) => at = end_of_string(bytes, at, quote).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The quote that ends the string that starts at `from`, if it is on the same line.
fn end_of_string(bytes: &[u8], from: usize, quote: u8) -> Option<usize> {
    let mut at = from + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => return None,
            b'\\' => at += 1,
            _ if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where `separator` stands outside of all brackets and strings, first to last.
pub(super) fn top_level(text: &str, separator: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_u32;
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            _ if depth == 0 && bytes[at..].starts_with(separator.as_bytes()) => found.push(at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            quote @ (b'"' | b'\'' | b'`') => at = end_of_string(bytes, at, quote).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show_tokens(text: &str, braces: Braces) -> Vec<String> {
        let value = |range: &Range<usize>| text[range.clone()].to_owned();
        Tokens::new(text, 0, braces)
            .map(|token| match token {
                Token::Close(name) => format!("/{}", value(&name)),
                Token::Code(code) => format!("{{{}}}", value(&code)),
                Token::Open(tag) => {
                    let mut all = format!("{}{}", value(&tag.name), if tag.is_closed { "/" } else { "" });
                    for attribute in &tag.attributes {
                        let of = attribute.value.as_ref().map(&value).unwrap_or_default();
                        all += &format!(" [{}={of}]", value(&attribute.name));
                    }
                    all
                }
            })
            .collect()
    }

    #[test]
    fn tags_and_double_braces() {
        let text = "<!-- <a> --><p :a='b > c' d>{{ e < f }} g {h}</p><br><X/>";
        assert_eq!(show_tokens(text, Braces::Double), ["p [:a=b > c] [d=]", "{ e < f }", "/p", "br/", "X/"]);
    }

    #[test]
    fn single_braces_nest() {
        let text = "<p a={b} {...c} d=\"e {f}\">{g({h: '}'}, `}${i}`)} it's {j}</p><style>p { a: b }</style>";
        let rows = ["p [a=b] [=...c] [d=e {f}]", "{g({h: '}'}, `}${i}`)}", "{j}", "/p", "style/"];
        assert_eq!(show_tokens(text, Braces::Single), rows);
    }

    #[test]
    fn what_is_not_closed_ends() {
        for text in ["<", "<a", "<a b", "<a b=", "<a b='", "{a", "<a {", "</", "<!--", "<style>", "{`", "{/*"] {
            for braces in [Braces::Double, Braces::Single] {
                drop(show_tokens(text, braces));
            }
        }
    }
}
