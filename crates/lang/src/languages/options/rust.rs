//! clap and structopt: derived and built.

use super::{Finder, Place, Token, kebab};
use crate::facts::DeclaredKind;

/// Names of attributes that say something about command lines.
const ATTRIBUTES: &[&str] = &["arg", "clap", "structopt", "command"];

pub(super) fn find(finder: &mut Finder<'_>, text: &str) {
    if !text.contains("clap") && !text.contains("structopt") && !text.contains("#[arg(") {
        return;
    }
    // `Command::new("git")` may start a process.
    let has_process = text.contains("process::");
    for at in 0..finder.tokens.len() {
        if finder.is_sign(at, b'#') && finder.is_sign(at + 1, b'[') {
            attribute(finder, at + 2);
            continue;
        }
        let Some(word) = finder.word(at) else { continue };
        let is_call = finder.is_sign(at + 1, b'(');
        let is_method = is_call && finder.is_behind(at, b'.');
        match word {
            "long" | "visible_alias" if is_method => match finder.text(at + 2) {
                Some(name) => {
                    finder.option(&format!("--{}", name.trim_start_matches('-')), at + 2, Place::Around);
                    if word == "visible_alias" {
                        finder.add(name, DeclaredKind::Command, at + 2, Place::Around);
                    }
                }
                None => finder.open(at),
            },
            "short" if is_method => {
                if let Some(name) = finder.text(at + 2) {
                    finder.option(&format!("-{name}"), at + 2, Place::Around);
                }
            }
            "new" | "with_name" if is_call && at >= 3 && finder.is_behind(at, b':') => {
                let owner = finder.word(at - 3);
                let is_nested = (at.saturating_sub(8)..at).any(|place| finder.word(place) == Some("subcommand"));
                let is_command = matches!(owner, Some("App" | "SubCommand"))
                    || owner == Some("Command") && (!has_process || is_nested);
                if let Some(name) = finder.text(at + 2).filter(|_| is_command) {
                    finder.command_of(name, at + 2, Place::Around);
                }
            }
            "arg" if finder.is_sign(at + 1, b'!') && finder.is_sign(at + 2, b'(') => by_macro(finder, at + 2),
            "allow_external_subcommands" | "external_subcommand" | "ignore_errors" => finder.open(at),
            _ => {}
        }
    }
}

/// `arg!(-v --verbose "text")`
fn by_macro(finder: &mut Finder<'_>, open: usize) {
    let end = finder.close(open);
    let mut at = open + 1;
    while at < end {
        if !finder.is_sign(at, b'-') || finder.is_behind(at, b'.') {
            at += 1;
            continue;
        }
        let start = at;
        let mut name = String::new();
        // Words and dashes that touch each other are one name.
        let mut next = finder.tokens[at].1;
        while at < end && finder.tokens[at].1 == next {
            match finder.token(at) {
                Some(Token::Sign(b'-')) => {
                    name.push('-');
                    next += 1;
                }
                Some(Token::Word(word)) => {
                    name.push_str(word);
                    next += word.len();
                }
                _ => break,
            }
            at += 1;
        }
        finder.option(&name, start, Place::Around);
        at = at.max(start + 1);
    }
}

/// An attribute, from its name on.
fn attribute(finder: &mut Finder<'_>, at: usize) {
    let Some(name) = finder.word(at) else { return };
    if !finder.is_sign(at + 1, b'(') {
        return;
    }
    let end = finder.close(at + 1);
    // An enum of commands: its variants are their names.
    if name == "derive" {
        if (at + 2..end).any(|inner| finder.word(inner) == Some("Subcommand")) {
            commands(finder, end);
        }
        return;
    }
    if !ATTRIBUTES.contains(&name) {
        return;
    }
    // Without a value, the name is that of the field below.
    let field = field(finder, end);
    let mut inner = at + 2;
    while inner < end {
        let value = finder.is_sign(inner + 1, b'=').then(|| finder.text(inner + 2)).flatten();
        match finder.word(inner) {
            Some("long") => {
                let name = value.map(str::to_owned).or_else(|| field.map(kebab));
                if let Some(name) = name {
                    finder.option(&format!("--{}", name.trim_start_matches('-')), inner, Place::Below);
                }
            }
            Some("short") => {
                let name = value.or_else(|| field.and_then(|field| field.get(..1)));
                if let Some(name) = name {
                    finder.option(&format!("-{name}"), inner, Place::Below);
                }
            }
            Some("alias" | "visible_alias") => {
                if let Some(name) = value {
                    finder.option(&format!("--{}", name.trim_start_matches('-')), inner, Place::Below);
                }
            }
            _ => {}
        }
        let opens = matches!(finder.token(inner), Some(Token::Sign(b'(' | b'[' | b'{')));
        inner = if opens { finder.close(inner) } else { inner + 1 };
    }
}

/// The name of the field that attributes stand in front of.
fn field<'t>(finder: &Finder<'t>, behind: usize) -> Option<&'t str> {
    // Behind `)` comes the `]` of the attribute.
    let mut at = behind + 1;
    while finder.is_sign(at, b'#') && finder.is_sign(at + 1, b'[') {
        at = finder.close(at + 1);
    }
    if finder.word(at) == Some("pub") {
        at = if finder.is_sign(at + 1, b'(') { finder.close(at + 1) } else { at + 1 };
    }
    finder.word(at).filter(|_| finder.is_sign(at + 1, b':'))
}

/// The variants of an enum that derives `Subcommand`.
fn commands(finder: &mut Finder<'_>, from: usize) {
    /// Tokens between the attribute and the enum.
    const MAX_BETWEEN: usize = 200;
    /// Tokens of an enum.
    const MAX_ENUM: usize = 20_000;
    let last = finder.tokens.len().min(from + MAX_BETWEEN);
    let Some(start) = (from..last).find(|&at| matches!(finder.word(at), Some("enum" | "struct"))) else { return };
    let Some(open) = (start..last).find(|&at| finder.is_sign(at, b'{')) else { return };
    let end = finder.close_within(open, MAX_ENUM);
    let mut at = open + 1;
    while at + 1 < end {
        let mut named: Vec<(usize, String)> = Vec::new();
        let mut is_flat = false;
        while finder.is_sign(at, b'#') && finder.is_sign(at + 1, b'[') {
            let close = finder.close(at + 1);
            for inner in at..close {
                let value = finder.is_sign(inner + 1, b'=').then(|| finder.text(inner + 2)).flatten();
                if let (Some("name" | "alias" | "visible_alias"), Some(value)) = (finder.word(inner), value) {
                    named.push((inner + 2, value.to_owned()));
                }
                is_flat |= matches!(finder.word(inner), Some("flatten" | "external_subcommand"));
            }
            at = close;
        }
        let Some(variant) = finder.word(at) else { break };
        if !is_flat {
            finder.add(&kebab(variant), DeclaredKind::Command, at, Place::Around);
            for (_, name) in named {
                finder.add(&name, DeclaredKind::Command, at, Place::Around);
            }
        }
        while at + 1 < end && !finder.is_sign(at, b',') {
            let opens = matches!(finder.token(at), Some(Token::Sign(b'(' | b'[' | b'{')));
            at = if opens { finder.close(at) } else { at + 1 };
        }
        at += 1;
    }
}
