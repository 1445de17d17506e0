//! Locates the string literals of a file lexically: no syntax tree, one pass over the bytes. For search, where a
//! misread literal costs a little weight; facts behind edges are taken from the tree.

use std::ops::Range;

use crate::Language;

/// Maximum length of a literal, in bytes: longer ones are data, or a misread quote.
const MAX_LITERAL: usize = 8 << 10;
/// Bytes that are read in vain, behind quotes that nothing closes, for each byte of a text; with [`LOST_ANYWAY`] for
/// a short one. Beyond that the rest of the text is taken to hold no literals: no code is like that.
const LOST_PER_BYTE: usize = 16;
const LOST_ANYWAY: usize = 4 << 20;
/// Longest literal of one character, in bytes between its quotes (`'\u{10ffff}'`).
const MAX_CHARACTER: usize = 10;

/// Literal and comment syntax of a language.
struct Syntax {
    /// Line comment markers.
    line: &'static [&'static str],
    /// Block comment delimiters.
    block: Option<(&'static str, &'static str)>,
    /// Of quotes with a common start, the longest comes first.
    quotes: &'static [Quote],
    /// `'x'` is one character.
    characters: bool,
    /// `#` starts a comment only after a space.
    spaced: bool,
    /// A triple-quoted literal at the start of its line documents the code around it.
    docs: bool,
}

/// A kind of literal.
#[derive(Clone, Copy)]
struct Quote {
    open: &'static str,
    close: &'static str,
    /// `\` escapes the next character.
    escapes: bool,
    /// It may go on in the next line.
    lines: bool,
}

const fn quote(open: &'static str, escapes: bool, lines: bool) -> Quote {
    Quote { open, close: open, escapes, lines }
}

const DOUBLE: Quote = quote("\"", true, false);
const SINGLE: Quote = quote("'", true, false);
const SLASHES: Option<(&str, &str)> = Some(("/*", "*/"));

static PYTHON: Syntax = Syntax {
    line: &["#"],
    block: None,
    quotes: &[quote("\"\"\"", true, true), quote("'''", true, true), DOUBLE, SINGLE],
    characters: false,
    spaced: false,
    docs: true,
};
static JAVASCRIPT: Syntax = Syntax {
    line: &["//"],
    block: SLASHES,
    quotes: &[DOUBLE, SINGLE, quote("`", true, true)],
    characters: false,
    spaced: false,
    docs: false,
};
static RUST: Syntax = Syntax {
    line: &["//"],
    block: SLASHES,
    quotes: &[
        Quote { open: "r##\"", close: "\"##", escapes: false, lines: true },
        Quote { open: "r#\"", close: "\"#", escapes: false, lines: true },
        Quote { open: "r\"", close: "\"", escapes: false, lines: true },
        quote("\"", true, true),
    ],
    characters: true,
    spaced: false,
    docs: false,
};
static GO: Syntax = Syntax {
    line: &["//"],
    block: SLASHES,
    quotes: &[DOUBLE, quote("`", false, true)],
    characters: true,
    spaced: false,
    docs: false,
};
static C: Syntax =
    Syntax { line: &["//"], block: SLASHES, quotes: &[DOUBLE], characters: true, spaced: false, docs: false };
static JAVA: Syntax = Syntax {
    line: &["//"],
    block: SLASHES,
    quotes: &[quote("\"\"\"", true, true), DOUBLE],
    characters: true,
    spaced: false,
    docs: false,
};
static RUBY: Syntax =
    Syntax { line: &["#"], block: None, quotes: &[DOUBLE, SINGLE], characters: false, spaced: true, docs: false };
static PHP: Syntax = Syntax {
    line: &["//", "#"],
    block: SLASHES,
    quotes: &[quote("\"", true, true), quote("'", true, true)],
    characters: false,
    spaced: false,
    docs: false,
};
static SHELL: Syntax = Syntax {
    line: &["#"],
    block: None,
    quotes: &[quote("\"", true, true), quote("'", false, true)],
    characters: false,
    spaced: true,
    docs: false,
};
static LUA: Syntax = Syntax {
    line: &["--"],
    block: Some(("--[[", "]]")),
    quotes: &[Quote { open: "[[", close: "]]", escapes: false, lines: true }, DOUBLE, SINGLE],
    characters: false,
    spaced: false,
    docs: false,
};

fn syntax(language: Language) -> Option<&'static Syntax> {
    use Language::*;
    Some(match language {
        Text | Markdown | RestructuredText | AsciiDoc | Html | Notebook | Docx | Pptx | Xlsx | Pdf | GraphQl | Sql
        | Yaml | Docker => return None,
        Python => &PYTHON,
        JavaScript | TypeScript | Tsx | Vue | Svelte | Astro => &JAVASCRIPT,
        Rust => &RUST,
        Go => &GO,
        C | Cpp => &self::C,
        Java | Kotlin | Scala | CSharp | Swift | Proto => &JAVA,
        Ruby => &RUBY,
        Php => &PHP,
        Bash => &SHELL,
        Lua => &LUA,
    })
}

/// Byte ranges of the contents of string literals, in order and apart; none for documents. Literals that describe the
/// code around them (Python) are left out. A text full of quotes that nothing closes is only read in part.
pub fn string_literals(language: Language, text: &str) -> Vec<Range<usize>> {
    read(language, text).map_or_else(Vec::new, |reader| reader.found)
}

/// Byte ranges of comments and of literals that document the code around them, in order and apart; none for documents.
pub fn comment_ranges(language: Language, text: &str) -> Vec<Range<usize>> {
    let spans = spans(language, text).unwrap_or_default();
    spans.into_iter().filter(|span| span.is_comment).map(|span| span.range).collect()
}

/// A comment or literal, with its delimiters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) range: Range<usize>,
    /// What stands between the delimiters of a literal; empty for a comment.
    pub(crate) content: Range<usize>,
    /// A comment, or a literal that documents the code around it.
    pub(crate) is_comment: bool,
}

/// Comments and literals of a text, in order and apart; `None` for documents.
pub(crate) fn spans(language: Language, text: &str) -> Option<Vec<Span>> {
    read(language, text).map(|reader| reader.spans)
}

fn read(language: Language, text: &str) -> Option<Reader<'_>> {
    let syntax = syntax(language)?;
    let bytes = text.as_bytes();
    let mut starts = [false; 256];
    let marks = syntax.line.iter().chain(syntax.block.iter().map(|(open, _)| open));
    marks
        .chain(syntax.quotes.iter().map(|quote| &quote.open))
        .for_each(|mark| starts[usize::from(mark.as_bytes()[0])] = true);
    starts[usize::from(b'\'')] |= syntax.characters;
    let left = LOST_PER_BYTE * bytes.len() + LOST_ANYWAY;
    let mut reader = Reader { syntax, bytes, found: Vec::new(), spans: Vec::new(), left };
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|byte| starts[usize::from(*byte)]) {
        at = reader.next(at + step);
    }
    Some(reader)
}

/// State of reading a text.
struct Reader<'t> {
    syntax: &'static Syntax,
    bytes: &'t [u8],
    /// Contents of literals.
    found: Vec<Range<usize>>,
    spans: Vec<Span>,
    /// Bytes that may still be read in vain.
    left: usize,
}

impl Reader<'_> {
    /// Reads the construct at `at`; returns where to continue.
    fn next(&mut self, at: usize) -> usize {
        let Self { syntax, bytes, .. } = *self;
        let rest = &bytes[at..];
        if let Some((open, close)) = syntax.block.filter(|(open, _)| rest.starts_with(open.as_bytes())) {
            let end = find(bytes, at + open.len(), close.as_bytes()).map_or(bytes.len(), |end| end + close.len());
            self.spans.push(Span { range: at..end, content: end..end, is_comment: true });
            return end;
        }
        let spaced = !syntax.spaced || at == 0 || bytes[at - 1].is_ascii_whitespace();
        if spaced && syntax.line.iter().any(|mark| rest.starts_with(mark.as_bytes())) {
            let end = memchr(bytes, at, b'\n').unwrap_or(bytes.len());
            self.spans.push(Span { range: at..end, content: end..end, is_comment: true });
            return end;
        }
        if syntax.characters && rest[0] == b'\'' {
            let end = character(bytes, at);
            if end > at + 1 {
                self.spans.push(Span { range: at..end, content: at + 1..end - 1, is_comment: false });
            }
            return end;
        }
        // `r` of a word is no raw literal.
        let in_word =
            rest[0].is_ascii_alphabetic() && at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let Some(quote) = syntax.quotes.iter().find(|quote| !in_word && rest.starts_with(quote.open.as_bytes())) else {
            return at + 1;
        };
        let start = at + quote.open.len();
        let end = match close(bytes, start, quote) {
            Ok(end) => end,
            Err(stopped) => {
                self.left = self.left.saturating_sub(stopped - start);
                return if self.left > 0 { at + 1 } else { bytes.len() };
            }
        };
        let is_doc = syntax.docs && quote.open.len() == 3 && starts_line(bytes, at);
        if !is_doc && end > start {
            self.found.push(start..end);
        }
        self.spans.push(Span { range: at..end + quote.close.len(), content: start..end, is_comment: is_doc });
        end + quote.close.len()
    }
}

/// End of a literal's content; the error is the position up to which it is unclosed.
fn close(bytes: &[u8], start: usize, quote: &Quote) -> Result<usize, usize> {
    let limit = bytes.len().min(start + MAX_LITERAL);
    let mut at = start;
    while at < limit {
        match bytes[at] {
            b'\\' if quote.escapes => at += 1,
            b'\n' if !quote.lines => return Err(at),
            _ if bytes[at..].starts_with(quote.close.as_bytes()) => return Ok(at),
            _ => {}
        }
        at += 1;
    }
    Err(at)
}

/// Past the literal of a character at `at`; past the quote if it is none (a lifetime, a word with an apostrophe).
fn character(bytes: &[u8], at: usize) -> usize {
    let escaped = bytes.get(at + 1) == Some(&b'\\');
    let from = at + if escaped { 3 } else { 2 };
    let window = bytes.get(from..bytes.len().min(at + 2 + MAX_CHARACTER)).unwrap_or(&[]);
    match window.iter().position(|byte| *byte == b'\'') {
        // Without an escape there is one character between the quotes, of up to four bytes.
        Some(length) if escaped || length < 4 && (length == 0 || bytes[at + 1] >= 0x80) => from + length + 1,
        _ => at + 1,
    }
}

/// Returns whether only spaces and a literal prefix precede it on its line. Looks back no farther than to the first
/// other character, because a line may be as long as the text.
fn starts_line(bytes: &[u8], at: usize) -> bool {
    let (mut letters, mut is_prefix_over) = (0, false);
    for byte in bytes[..at].iter().rev() {
        match byte {
            b'\n' => return true,
            byte if byte.is_ascii_whitespace() => is_prefix_over = letters > 0,
            byte if byte.is_ascii_alphabetic() && letters < 2 && !is_prefix_over => letters += 1,
            _ => return false,
        }
    }
    true
}

fn memchr(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    bytes.get(from..)?.iter().position(|byte| *byte == wanted).map(|at| from + at)
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(language: Language, text: &str) -> Vec<&str> {
        string_literals(language, text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn literals_without_comments_and_characters() {
        let cases: &[(Language, &str, &[&str])] = &[
            (
                Language::Python,
                "def f():\n    \"\"\"Doc's \"a\".\"\"\"\n    x = \"\"\"a\n\"b\"\"\" # it's\n    raise E(f'no {x!r}' \"it\\\"s\")\n",
                &["a\n\"b", "no {x!r}", "it\\\"s"],
            ),
            (
                Language::JavaScript,
                "// it's\nlet a = 'x', b = `y\n${z}`; /* 'no' */ <p>don't</p>\n\"q\"",
                &["x", "y\n${z}", "q"],
            ),
            (
                Language::Rust,
                "fn f<'a>(x: &'a str) { let c = '\"'; let d = '\\''; p(\"a\\\"b\", r#\"raw \"x\"#, b'\"', \"two\nlines\", '\u{e9}') }",
                &["a\\\"b", "raw \"x", "two\nlines"],
            ),
            (Language::Go, "a := '\"'; b := `raw\\`; c := \"x\" // \"no\"", &["raw\\", "x"]),
            (Language::C, "char c = '\\0'; puts(\"hi\"); /* \"no\" */", &["hi"]),
            (Language::Java, "String s = \"\"\"\n a \"b\" \"\"\" + \"c\";", &["\n a \"b\" ", "c"]),
            (Language::Ruby, "x = 'a' # it's\ny = \"#{z}\"", &["a", "#{z}"]),
            (Language::Php, "<?php # it's\n$a = 'b\nc'; // 'd'", &["b\nc"]),
            (Language::Bash, "x='a\\' y=\"${#z}\" # 'no'", &["a\\", "${#z}"]),
            (Language::Lua, "--[[ 'no' ]] x = [[a]] -- 'no'\ny = 'b'", &["a", "b"]),
            (Language::Markdown, "\"no\"", &[]),
        ];
        for (language, text, expected) in cases {
            assert_eq!(&literals(*language, text), expected, "{}", language.name());
        }
    }

    #[test]
    fn what_nothing_closes_is_not_read_again_and_again() {
        for (language, open) in [(Language::Lua, "[["), (Language::Php, "\\\"")] {
            // Each is looked for to the end, or eight thousand bytes far.
            for (count, found) in [(20, 1), (1 << 14, 0)] {
                let text = format!("{}{}'a'", open.repeat(count), "\n".repeat(MAX_LITERAL));
                assert_eq!(string_literals(language, &text).len(), found, "{} {count}", language.name());
            }
        }
    }

    #[test]
    fn a_line_of_quotes_is_read_once() {
        let text = "\"".repeat(1 << 20);
        assert!(string_literals(Language::Python, &text).is_empty());
        for (before, starts) in
            [("", true), ("x\n  ", true), ("\trb ", true), ("a b", false), ("x = ", false), ("abc", false)]
        {
            assert_eq!(starts_line(before.as_bytes(), before.len()), starts, "{before:?}");
        }
    }

    #[test]
    fn any_text_has_literals_apart() {
        let pieces =
            ["\"", "'", "`", "\\", "\n", "//", "/*", "*/", "#", "r#\"", "\"\"\"", "é", "--[[", "[[", "]]", "x ", "'\\"];
        let mut state = 7u32;
        for _ in 0..2_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
            }
            for language in Language::all() {
                let mut end = 0;
                for range in string_literals(language, &text) {
                    assert!(
                        range.start >= end && range.start < range.end && text.get(range.clone()).is_some(),
                        "{text:?}"
                    );
                    end = range.end;
                }
            }
        }
    }
}
