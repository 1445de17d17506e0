//! Splits a text into tokens, lexically: no syntax tree, one pass over the bytes. For the comparison of code, where a
//! misread token costs a little likeness.

use std::ops::Range;

use crate::Language;
use crate::strings::spans;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A word of the language: `if`, `return`, `class`.
    Keyword,
    /// A name.
    Name,
    /// A number or a literal.
    Literal,
    /// Any other character that is no space.
    Mark,
}

/// A token and its bytes in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub range: Range<usize>,
}

/// Words that give code its form, of all languages: in one that lacks a word, it is a rare name. In order.
const KEYWORDS: &[&str] = &[
    "abstract", "and", "as", "assert", "async", "await", "begin", "break", "case", "catch", "chan", "class", "const",
    "continue", "def", "default", "defer", "del", "do", "elif", "else", "elseif", "elsif", "end", "ensure", "enum",
    "except", "extends", "false", "final", "finally", "fn", "for", "foreach", "from", "func", "function", "go", "goto",
    "guard", "if", "impl", "implements", "import", "in", "instanceof", "interface", "is", "lambda", "let", "local",
    "loop", "match", "mod", "mut", "new", "nil", "none", "not", "null", "or", "pass", "private", "protected", "pub",
    "public", "raise", "range", "ref", "repeat", "rescue", "return", "select", "self", "static", "struct", "super",
    "switch", "then", "this", "throw", "throws", "trait", "true", "try", "type", "typeof", "union", "unless", "unsafe",
    "until", "use", "using", "val", "var", "void", "when", "where", "while", "with", "yield",
];

/// The tokens of a text without its comments, in order; none for documents.
pub fn tokens(language: Language, text: &str) -> Vec<Token> {
    let Some(spans) = spans(language, text) else { return Vec::new() };
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    for span in spans {
        plain(text, at..span.range.start, &mut found);
        at = span.range.end;
        if !span.is_comment {
            found.push(Token { kind: TokenKind::Literal, range: span.range });
        }
    }
    plain(text, at..text.len(), &mut found);
    found
}

/// Tokens of a part without comments and literals.
fn plain(text: &str, part: Range<usize>, found: &mut Vec<Token>) {
    let Some(inside) = text.get(part.clone()) else { return };
    let mut chars = inside.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if first.is_whitespace() {
            continue;
        }
        let mut end = start + first.len_utf8();
        let is_word = first.is_alphanumeric() || first == '_' || first == '$';
        while is_word && let Some((at, next)) = chars.next_if(|(_, c)| c.is_alphanumeric() || *c == '_') {
            end = at + next.len_utf8();
        }
        let kind = match () {
            () if !is_word => TokenKind::Mark,
            () if first.is_ascii_digit() => TokenKind::Literal,
            () if is_keyword(&inside[start..end]) => TokenKind::Keyword,
            () => TokenKind::Name,
        };
        found.push(Token { kind, range: part.start + start..part.start + end });
    }
}

pub(crate) fn is_keyword(word: &str) -> bool {
    let first = word.bytes().next().map_or(LETTERS, |byte| usize::from(byte.wrapping_sub(b'a')));
    match KEYWORD_STARTS.get(first..first + 2) {
        Some(&[from, to]) => KEYWORDS[usize::from(from)..usize::from(to)].contains(&word),
        _ => matches!(word, "None" | "True" | "False" | "Self"),
    }
}

const LETTERS: usize = 26;

/// Number of the keywords in front of those with each first letter, and of all.
static KEYWORD_STARTS: [u8; LETTERS + 1] = {
    let mut starts = [0; LETTERS + 1];
    let (mut at, mut letter) = (0, 0);
    while letter < LETTERS {
        starts[letter] = at as u8;
        while at < KEYWORDS.len() && KEYWORDS[at].as_bytes()[0] == b'a' + letter as u8 {
            at += 1;
        }
        letter += 1;
    }
    assert!(at == KEYWORDS.len(), "the keywords are sorted and start with small letters");
    starts[LETTERS] = at as u8;
    starts
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Every token as its text, names in `<>` and literals in `[]`.
    fn show_tokens(language: Language, text: &str) -> String {
        let shown = tokens(language, text).into_iter().map(|token| {
            let inside = &text[token.range];
            match token.kind {
                TokenKind::Name => format!("<{inside}>"),
                TokenKind::Literal => format!("[{inside}]"),
                TokenKind::Keyword | TokenKind::Mark => inside.to_owned(),
            }
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_literals_and_words_of_the_language() {
        let cases = [
            (
                Language::Python,
                "def f(x):  # if\n    \"\"\"doc\"\"\"\n    return x[1] + 'a b'\n",
                "def <f> ( <x> ) : return <x> [ [1] ] + ['a b']",
            ),
            (
                Language::Rust,
                "fn f<'a>(x: &'a str) -> u8 { b'x' /* y */ }",
                "fn <f> < ' <a> > ( <x> : & ' <a> <str> ) - > <u8> { <b> ['x'] }",
            ),
            (Language::JavaScript, "const $x = `a${1}`; // no", "const <$x> = [`a${1}`] ;"),
            (Language::Go, "if größe > 0x1F {}", "if <größe> > [0x1F] { }"),
            (Language::Markdown, "# a", ""),
        ];
        for (language, text, expected) in cases {
            assert_eq!(show_tokens(language, text), expected, "{text}");
        }
    }

    #[test]
    fn keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }
}
