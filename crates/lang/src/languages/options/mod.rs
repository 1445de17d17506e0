//! Commands and options that code declares for the command line of its program, with the libraries that are common for
//! this: argparse, click, typer; clap; flag, pflag, cobra; commander, yargs.
//!
//! They are read from words and texts in a row, not from the syntax tree: what a declaration looks like is a pattern of
//! few tokens, and only files that name one of the libraries are looked through.

mod go;
mod javascript;
mod python;
mod rust;
mod tokens;

use std::collections::HashSet;

use crate::Language;
use crate::facts::{Declared, DeclaredKind, DefId, FileFacts, Pos};
use crate::lines::Lines;
use tokens::{Token, tokens};

/// Declarations kept of one file.
const MAX_DECLARED: usize = 4_096;
/// Tokens between brackets that are looked through.
const MAX_SPAN: usize = 500;
/// Longest name, in bytes.
const MAX_NAME: usize = 80;

/// What declares a command or an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The definition around the text.
    Around,
    /// The definition below: the text is in a decorator or an attribute.
    Below,
}

/// Declarations that are being found.
struct Finder<'t> {
    tokens: Vec<(Token<'t>, usize)>,
    found: Vec<(String, DeclaredKind, usize, Place)>,
}

impl<'t> Finder<'t> {
    fn token(&self, at: usize) -> Option<Token<'t>> {
        self.tokens.get(at).map(|(token, _)| *token)
    }

    fn word(&self, at: usize) -> Option<&'t str> {
        match self.token(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn text(&self, at: usize) -> Option<&'t str> {
        match self.token(at) {
            Some(Token::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn is_sign(&self, at: usize, sign: u8) -> bool {
        self.token(at) == Some(Token::Sign(sign))
    }

    /// Returns whether a sign stands before a token.
    fn is_behind(&self, at: usize, sign: u8) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is_sign(before, sign))
    }

    /// The place behind the bracket that closes the one at a place, or where it is no longer looked for.
    fn close(&self, open: usize) -> usize {
        self.close_within(open, MAX_SPAN)
    }

    fn close_within(&self, open: usize, span: usize) -> usize {
        let last = self.tokens.len().min(open + span);
        let mut depth = 0usize;
        for at in open..last {
            match self.token(at) {
                Some(Token::Sign(b'(' | b'[' | b'{')) => depth += 1,
                Some(Token::Sign(b')' | b']' | b'}')) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        last
    }

    /// The texts that a call has as its first arguments.
    fn first_texts(&self, open: usize) -> Vec<(usize, &'t str)> {
        let mut found = Vec::new();
        let mut at = open + 1;
        while let Some(text) = self.text(at) {
            found.push((at, text));
            if !self.is_sign(at + 1, b',') {
                break;
            }
            at += 2;
        }
        found
    }

    fn add(&mut self, name: &str, kind: DeclaredKind, at: usize, place: Place) {
        let name = name.trim();
        let is_word = |name: &str| {
            name.starts_with(|c: char| c.is_alphanumeric())
                && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
        };
        let fits = match kind {
            DeclaredKind::Open => name.is_empty(),
            DeclaredKind::Command => is_word(name),
            DeclaredKind::Option => name.starts_with('-') && is_word(name.trim_start_matches('-')),
        };
        if fits && name.len() <= MAX_NAME && self.found.len() < MAX_DECLARED {
            let start = self.tokens.get(at).map_or(0, |(_, start)| *start);
            self.found.push((name.to_owned(), kind, start, place));
        }
    }

    fn option(&mut self, name: &str, at: usize, place: Place) {
        self.add(name, DeclaredKind::Option, at, place);
    }

    /// Adds the options of a text like `-v, --verbose <level>`.
    fn options_of(&mut self, text: &str, at: usize, place: Place) {
        for part in text.split([',', ' ', '|', '/']).filter(|part| part.starts_with('-')) {
            let end = part.find(['=', '[', '<', '(', ';']).unwrap_or(part.len());
            self.option(&part[..end], at, place);
        }
    }

    /// Adds the command of a text like `serve <folder>`.
    fn command_of(&mut self, text: &str, at: usize, place: Place) {
        let word = text.split_whitespace().next().unwrap_or("");
        self.add(word, DeclaredKind::Command, at, place);
    }

    fn open(&mut self, at: usize) {
        self.add("", DeclaredKind::Open, at, Place::Around);
    }
}

/// A name as options are written: `retryLimit` and `retry_limit` → `retry-limit`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c == '_' || c == '-' {
            out.push('-');
        } else if c.is_uppercase() {
            if was_lower {
                out.push('-');
            }
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    out.trim_matches('-').to_owned()
}

/// Returns whether a text names a library that declares command lines.
fn may_declare(language: Language, text: &str) -> bool {
    let words: &[&str] = match language {
        Language::Python => &["argparse", "optparse", "click", "typer"],
        Language::Rust => &["clap", "structopt", "#[arg("],
        Language::Go => &["\"flag\"", "pflag", "cobra", "urfave/cli"],
        Language::JavaScript | Language::TypeScript | Language::Tsx => &["commander", "yargs", "cac", "sade"],
        _ => &[],
    };
    words.iter().any(|word| text.contains(word))
}

fn find(language: Language, text: &str) -> Vec<(String, DeclaredKind, usize, Place)> {
    if !may_declare(language, text) {
        return Vec::new();
    }
    let mut finder = Finder { tokens: tokens(language, text), found: Vec::new() };
    match language {
        Language::Python => python::find(&mut finder, text),
        Language::Rust => rust::find(&mut finder, text),
        Language::Go => go::find(&mut finder, text),
        _ => javascript::find(&mut finder),
    }
    let mut seen = HashSet::new();
    finder.found.retain(|row| seen.insert((row.0.clone(), row.1, row.2)));
    finder.found
}

/// The commands and options that a text declares, without its definitions.
pub fn list_declared(language: Language, text: &str) -> Vec<(String, DeclaredKind)> {
    find(language, text).into_iter().map(|(name, kind, ..)| (name, kind)).collect()
}

/// Fills [`FileFacts::declared`] of a file whose other facts are complete.
pub(super) fn add(language: Language, text: &str, facts: &mut FileFacts) {
    let found = find(language, text);
    if found.is_empty() {
        return;
    }
    let mut lines = Lines::new(text);
    let mut rows: Vec<(String, DeclaredKind, usize, Place)> = found;
    rows.sort_by_key(|row| row.2);
    for (name, kind, start, place) in rows {
        let pos = lines.pos(start);
        let def = match place {
            Place::Around => around(facts, start),
            Place::Below => below(facts, pos),
        };
        facts.declared.push(Declared { name: name.into(), kind, def, pos });
    }
    facts.declared.shrink_to_fit();
}

/// The innermost definition around a byte.
fn around(facts: &FileFacts, start: usize) -> Option<DefId> {
    let start = start as u32;
    let rows = facts.definitions.iter().zip(0u32..);
    let rows = rows.filter(|(row, _)| !row.flags.is_anonymous);
    let inside = rows.filter(|(row, _)| row.bytes.0 <= start && start < row.bytes.1);
    inside.min_by_key(|(row, _)| row.bytes.1 - row.bytes.0).map(|(_, at)| DefId(at))
}

/// The first definition whose name stands behind a place.
fn below(facts: &FileFacts, pos: Pos) -> Option<DefId> {
    let rows = facts.definitions.iter().zip(0u32..).filter(|(row, _)| row.pos >= pos);
    rows.min_by_key(|(row, _)| row.pos).map(|(_, at)| DefId(at))
}

#[cfg(test)]
mod tests;
