//! argparse, optparse, click and typer.

use super::{Finder, Place, kebab};
use crate::facts::DeclaredKind;

/// Endings of functions that click leaves out of the names of commands.
const ENDINGS: &[&str] = &["-command", "-cmd", "-group", "-grp"];

pub(super) fn find(finder: &mut Finder<'_>, text: &str) {
    let has_typer = text.contains("typer");
    let has_click = has_typer || text.contains("click");
    for at in 0..finder.tokens.len() {
        let Some(word) = finder.word(at) else { continue };
        let is_call = finder.is_sign(at + 1, b'(');
        match word {
            "add_argument" | "add_option" if is_call && finder.is_behind(at, b'.') => {
                let texts = finder.first_texts(at + 1);
                if texts.is_empty() {
                    finder.open(at);
                }
                texts.into_iter().for_each(|(place, text)| finder.options_of(text, place, Place::Around));
            }
            "add_parser" if is_call && finder.is_behind(at, b'.') => match finder.text(at + 2) {
                Some(name) => finder.command_of(name, at + 2, Place::Around),
                None => finder.open(at),
            },
            "option" | "Option" if is_call && has_click => option(finder, at, has_typer),
            "command" | "group" if has_click && is_decorator(finder, at) => command(finder, at, is_call, has_typer),
            "parse_known_args" | "ignore_unknown_options" | "allow_extra_args" => finder.open(at),
            _ => {}
        }
    }
}

/// Returns whether a word is the last of a decorator's name.
fn is_decorator(finder: &Finder<'_>, at: usize) -> bool {
    let mut at = at;
    while finder.is_behind(at, b'.') && at >= 2 && finder.word(at - 2).is_some() {
        at -= 2;
    }
    finder.is_behind(at, b'@')
}

fn option(finder: &mut Finder<'_>, at: usize, has_typer: bool) {
    let place = if is_decorator(finder, at) { Place::Below } else { Place::Around };
    let end = finder.close(at + 1);
    let mut is_named = false;
    let mut depth = 0usize;
    for inner in at + 1..end {
        match finder.token(inner) {
            Some(super::Token::Sign(b'(' | b'[' | b'{')) => depth += 1,
            Some(super::Token::Sign(b')' | b']' | b'}')) => depth = depth.saturating_sub(1),
            Some(super::Token::Text(text)) if depth == 1 && text.starts_with('-') && !finder.is_behind(inner, b'=') => {
                is_named = true;
                finder.options_of(text, inner, place);
            }
            _ => {}
        }
    }
    if is_named || !has_typer || finder.word(at) != Some("Option") {
        if !is_named && place == Place::Below {
            finder.open(at);
        }
        return;
    }
    // The name is that of the parameter: the last word that stands before a `:` behind `(` or `,`.
    let start = at.saturating_sub(64);
    let name = (start..at).rev().find(|&place| {
        finder.is_sign(place + 1, b':') && (finder.is_behind(place, b'(') || finder.is_behind(place, b','))
    });
    if let Some((place, name)) = name.and_then(|place| Some((place, finder.word(place)?))) {
        parameter(finder, name, place);
    }
}

fn parameter(finder: &mut Finder<'_>, name: &str, at: usize) {
    let name = kebab(name);
    finder.option(&format!("--{name}"), at, Place::Around);
    finder.option(&format!("--no-{name}"), at, Place::Around);
}

/// A command by a decorator: its name is a text, or that of the function.
fn command(finder: &mut Finder<'_>, at: usize, is_call: bool, has_typer: bool) {
    /// Tokens between a decorator and its function.
    const MAX_BETWEEN: usize = 2_000;
    let end = if is_call { finder.close(at + 1) } else { at + 1 };
    let named = (at + 2..end).find(|&inner| {
        let is_first = inner == at + 2;
        let is_name = inner >= 2 && finder.is_sign(inner - 1, b'=') && finder.word(inner - 2) == Some("name");
        finder.text(inner).is_some() && (is_first || is_name)
    });
    let last = finder.tokens.len().min(end + MAX_BETWEEN);
    let def = (end..last).find(|&place| finder.word(place) == Some("def"));
    let function = def.and_then(|def| finder.word(def + 1));
    if let Some((place, name)) = named.and_then(|place| Some((place, finder.text(place)?))) {
        finder.command_of(name, place, Place::Below);
    } else if let Some(function) = function {
        let name = kebab(function);
        finder.add(&name, DeclaredKind::Command, at, Place::Below);
        for short in ENDINGS.iter().filter_map(|ending| name.strip_suffix(ending)) {
            finder.add(short, DeclaredKind::Command, at, Place::Below);
        }
    }
    if let Some(def) = def.filter(|_| has_typer) {
        parameters(finder, def + 2);
    }
}

/// Parameters with a value, which typer makes options of.
fn parameters(finder: &mut Finder<'_>, open: usize) {
    if !finder.is_sign(open, b'(') {
        return;
    }
    let end = finder.close(open);
    let mut at = open + 1;
    while at < end {
        let mut next = at;
        let (mut has_value, mut is_other) = (false, false);
        while next + 1 < end && !finder.is_sign(next, b',') {
            has_value |= finder.is_sign(next, b'=');
            is_other |= matches!(finder.word(next), Some("Option" | "Argument" | "Context"));
            let opens = matches!(finder.token(next), Some(super::Token::Sign(b'(' | b'[' | b'{')));
            if opens {
                let close = finder.close(next);
                is_other |= (next..close).any(|inner| matches!(finder.word(inner), Some("Option" | "Argument")));
                next = close;
            } else {
                next += 1;
            }
        }
        if let Some(name) = finder.word(at).filter(|_| has_value && !is_other) {
            parameter(finder, name, at);
        }
        at = next + 1;
    }
}
