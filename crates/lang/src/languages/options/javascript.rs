//! commander, yargs and what is written like them.

use super::{Finder, Place, Token};

pub(super) fn find(finder: &mut Finder<'_>) {
    for at in 0..finder.tokens.len() {
        let Some(word) = finder.word(at) else { continue };
        if !finder.is_sign(at + 1, b'(') {
            if matches!(word, "allowUnknownOption" | "allowUnknownOptions") {
                finder.open(at);
            }
            continue;
        }
        let is_method = finder.is_behind(at, b'.');
        let is_new = at >= 1 && finder.word(at - 1) == Some("new");
        match word {
            "option" | "requiredOption" if is_method => option(finder, at),
            "options" if is_method && finder.is_sign(at + 2, b'{') => keys(finder, at + 2),
            "Option" if is_new => option(finder, at),
            "command" | "Command" if is_method || is_new => {
                let first = if finder.is_sign(at + 2, b'[') { at + 3 } else { at + 2 };
                if let Some(text) = finder.text(first) {
                    finder.command_of(text, first, Place::Around);
                }
            }
            "allowUnknownOption" | "allowUnknownOptions" => finder.open(at),
            _ => {}
        }
    }
}

fn option(finder: &mut Finder<'_>, at: usize) {
    match finder.text(at + 2) {
        Some(text) if text.trim_start().starts_with('-') => finder.options_of(text, at + 2, Place::Around),
        // yargs leaves the dashes out.
        Some(text) => finder.option(&format!("--{text}"), at + 2, Place::Around),
        None if finder.is_sign(at + 2, b'{') => keys(finder, at + 2),
        None => finder.open(at),
    }
}

/// The keys of an object are names of options.
fn keys(finder: &mut Finder<'_>, open: usize) {
    let end = finder.close(open);
    let mut at = open + 1;
    while at + 1 < end {
        let name = finder.word(at).or_else(|| finder.text(at)).filter(|_| finder.is_sign(at + 1, b':'));
        if let Some(name) = name {
            finder.option(&format!("--{name}"), at, Place::Around);
        }
        while at + 1 < end && !finder.is_sign(at, b',') {
            let opens = matches!(finder.token(at), Some(Token::Sign(b'(' | b'[' | b'{')));
            at = if opens { finder.close(at) } else { at + 1 };
        }
        at += 1;
    }
}
