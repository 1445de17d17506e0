//! Literals and comments of each language, as far as texts between programs need them.

use crate::Language;
use crate::facts::TextUse;

/// Longest expression inside a text that is looked through for its end, in bytes.
const MAX_HOLE: usize = 512;
/// Longest expression that is kept by its name.
const MAX_NAME: usize = 64;

/// How a language marks what is computed inside a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holes {
    /// Nowhere.
    None,
    /// `${a}` between backquotes.
    Backquotes,
    /// `{a}` in texts with the prefix `f`.
    Prefixed(u8),
    /// `${a}` and `$a`.
    Dollar,
    /// `#{a}`.
    Hash,
}

/// What the scan needs to know of a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax {
    pub(super) line: &'static [&'static str],
    /// `/* */` are comments.
    pub(super) blocks: bool,
    /// `'` begins a text; else a character.
    pub(super) single: bool,
    /// `` ` `` begins a text.
    pub(super) back: bool,
    /// Three quotes begin a text of several lines.
    pub(super) triple: bool,
    /// A line break ends a statement outside of brackets.
    pub(super) lines_end: bool,
    /// `/` may begin a regular expression.
    pub(super) regex: bool,
    pub(super) holes: Holes,
    /// What joins texts.
    pub(super) joins: &'static str,
}

const C_LIKE: Syntax = Syntax {
    line: &["//"],
    blocks: true,
    single: false,
    back: false,
    triple: true,
    lines_end: false,
    regex: false,
    holes: Holes::None,
    joins: "+",
};

/// The syntax of a language; `None` if no texts are looked for in it.
pub(super) fn syntax(language: Language) -> Option<Syntax> {
    use Language::*;
    Some(match language {
        Python => Syntax {
            line: &["#"],
            blocks: false,
            single: true,
            lines_end: true,
            holes: Holes::Prefixed(b'f'),
            ..C_LIKE
        },
        JavaScript | TypeScript | Tsx | Vue | Svelte | Astro => Syntax {
            single: true,
            back: true,
            triple: false,
            lines_end: true,
            regex: true,
            holes: Holes::Backquotes,
            ..C_LIKE
        },
        Rust => Syntax { triple: false, ..C_LIKE },
        Go => Syntax { back: true, triple: false, lines_end: true, ..C_LIKE },
        Java => C_LIKE,
        Kotlin | Scala | Swift => Syntax { holes: Holes::Dollar, lines_end: true, ..C_LIKE },
        CSharp => Syntax { holes: Holes::Prefixed(b'$'), ..C_LIKE },
        Php => Syntax { single: true, triple: false, joins: ".", ..C_LIKE },
        Ruby => Syntax {
            line: &["#"],
            blocks: false,
            single: true,
            triple: false,
            lines_end: true,
            holes: Holes::Hash,
            ..C_LIKE
        },
        _ => return None,
    })
}

/// A literal: where it ends, and its text, `None` if it is too long or not closed.
pub(super) struct Literal {
    pub(super) end: usize,
    pub(super) text: Option<String>,
}

/// Reads the literal whose opening quote is at `at`; `prefix` is the byte before it.
pub(super) fn read(syntax: &Syntax, text: &str, at: usize, prefix: u8) -> Literal {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let is_triple = syntax.triple && bytes[at..].starts_with(&[quote; 3]) && quote != b'`';
    let width = if is_triple { 3 } else { 1 };
    let spans = is_triple || quote == b'`';
    let raw = matches!(prefix, b'r' | b'R' | b'@') || (quote == b'`' && syntax.holes != Holes::Backquotes);
    let marks = match syntax.holes {
        Holes::None => None,
        Holes::Backquotes => (quote == b'`').then_some("${"),
        Holes::Prefixed(mark) => (prefix.to_ascii_lowercase() == mark).then_some("{"),
        Holes::Dollar => (quote == b'"').then_some("${"),
        Holes::Hash => (quote == b'"').then_some("#{"),
    };
    let mut said = String::new();
    let mut is_long = false;
    let mut at = at + width;
    let mut plain = at;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == quote && (width == 1 || bytes[at..].starts_with(&[quote; 3])) {
            push(&mut said, &text[plain..at], &mut is_long);
            return Literal { end: at + width, text: (!is_long && !said.contains('\n')).then_some(said) };
        }
        if byte == b'\n' && !spans {
            return Literal { end: at, text: None };
        }
        if byte == b'\\' && !raw {
            // Routes and names have no escapes; what has some stays as it is written.
            at += 2;
            continue;
        }
        if let Some(mark) = marks
            && bytes[at..].starts_with(mark.as_bytes())
        {
            if mark == "{" && bytes.get(at + 1) == Some(&b'{') {
                at += 2;
                continue;
            }
            push(&mut said, &text[plain..at], &mut is_long);
            let end = hole_end(bytes, at + mark.len());
            push_hole(&mut said, text.get(at + mark.len()..end).unwrap_or(""));
            at = (end + 1).min(bytes.len());
            plain = at;
            continue;
        }
        if syntax.holes == Holes::Dollar && byte == b'$' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
            push(&mut said, &text[plain..at], &mut is_long);
            let end = at + 1 + bytes[at + 1..].iter().take_while(|byte| is_word(**byte)).count();
            push_hole(&mut said, &text[at + 1..end]);
            (at, plain) = (end, end);
            continue;
        }
        at += 1;
    }
    Literal { end: bytes.len(), text: None }
}

fn push(said: &mut String, part: &str, is_long: &mut bool) {
    if said.len() + part.len() > TextUse::MAX_TEXT {
        *is_long = true;
    } else {
        said.push_str(part);
    }
}

/// Adds a computed part, by its name if it is one.
pub(super) fn push_hole(said: &mut String, inner: &str) {
    let inner = inner.trim();
    let is_name =
        !inner.is_empty() && inner.len() <= MAX_NAME && inner.bytes().all(|byte| is_word(byte) || byte == b'.');
    said.push('{');
    said.push_str(if is_name { inner } else { "" });
    said.push('}');
}

/// Where the bracket of a hole closes; nested ones are skipped.
fn hole_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 1;
    for (at, byte) in bytes.iter().enumerate().skip(start).take(MAX_HOLE) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len().min(start + MAX_HOLE)
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
