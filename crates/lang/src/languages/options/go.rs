//! flag, pflag, cobra and urfave/cli.

use super::{Finder, Place};

/// Types of flags.
const TYPES: &[&str] = &[
    "Bool", "String", "Int", "Int32", "Int64", "Uint", "Uint32", "Uint64", "Float32", "Float64", "Duration", "Count",
    "IP", "StringSlice", "StringArray", "StringToString", "IntSlice", "BoolSlice", "DurationSlice", "Text", "Func",
    "BoolFunc", "",
];
/// Names of values that are sets of flags.
const SETS: &[&str] = &["flag", "pflag", "flags", "flagSet", "flagset", "fs", "fset", "f", "fl", "pf"];

pub(super) fn find(finder: &mut Finder<'_>, text: &str) {
    let has_cobra = text.contains("cobra");
    let has_cli = text.contains("urfave/cli");
    for at in 0..finder.tokens.len() {
        let Some(word) = finder.word(at) else { continue };
        if finder.is_sign(at + 1, b'(') && finder.is_behind(at, b'.') && of_set(finder, at) {
            flag(finder, at, word);
        } else if finder.is_sign(at + 1, b':')
            && let Some(text) = finder.text(at + 2)
        {
            match word {
                "Use" if has_cobra => finder.command_of(text, at + 2, Place::Around),
                "Name" if has_cli => find_named(finder, at, text),
                _ => {}
            }
        } else if matches!(word, "DisableFlagParsing" | "FParseErrWhitelist" | "UnknownFlags" | "SkipFlagParsing") {
            finder.open(at);
        }
    }
}

/// Returns whether a method is called on a set of flags: `flag.Bool`, `cmd.Flags().Bool`.
fn of_set(finder: &Finder<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(2) else { return false };
    match finder.word(before) {
        Some(name) => SETS.contains(&name),
        None => {
            let is_call = finder.is_sign(before, b')') && before >= 2 && finder.is_sign(before - 1, b'(');
            is_call && finder.word(before - 2).is_some_and(|name| name.ends_with("Flags") || name.ends_with("FlagSet"))
        }
    }
}

fn flag(finder: &mut Finder<'_>, at: usize, word: &str) {
    let plain = word.strip_suffix('P').filter(|rest| !rest.is_empty() && *rest != "I").unwrap_or(word);
    let has_short = plain.len() < word.len();
    let of_type = plain.strip_suffix("Var").unwrap_or(plain);
    if !TYPES.contains(&of_type) || of_type.is_empty() && plain != "Var" {
        return;
    }
    // The name is the first argument, or the second behind the variable.
    let end = finder.close(at + 1);
    let mut depth = 0usize;
    let mut arguments = vec![at + 2];
    for inner in at + 1..end {
        match finder.token(inner) {
            Some(super::Token::Sign(b'(' | b'[' | b'{')) => depth += 1,
            Some(super::Token::Sign(b')' | b']' | b'}')) => depth = depth.saturating_sub(1),
            Some(super::Token::Sign(b',')) if depth == 1 => arguments.push(inner + 1),
            _ => {}
        }
    }
    let name = usize::from(plain.ends_with("Var"));
    let Some(&place) = arguments.get(name) else { return };
    let Some(text) = finder.text(place) else {
        finder.open(at);
        return;
    };
    finder.option(&format!("--{text}"), place, Place::Around);
    let short = arguments.get(name + 1).filter(|_| has_short).and_then(|&place| Some((place, finder.text(place)?)));
    if let Some((place, short)) = short.filter(|(_, short)| !short.is_empty()) {
        finder.option(&format!("-{short}"), place, Place::Around);
    }
}

/// `&cli.StringFlag{Name: "x"}`, `&cli.Command{Name: "x"}`
fn find_named(finder: &mut Finder<'_>, at: usize, text: &str) {
    let mut depth = 0usize;
    let open = (0..at).rev().take(400).find(|&before| match finder.token(before) {
        Some(super::Token::Sign(b')' | b']' | b'}')) => {
            depth += 1;
            false
        }
        Some(super::Token::Sign(b'(' | b'[' | b'{')) if depth > 0 => {
            depth -= 1;
            false
        }
        Some(super::Token::Sign(b'{')) => true,
        _ => false,
    });
    match open.and_then(|open| finder.word(open.checked_sub(1)?)) {
        Some(name) if name.ends_with("Flag") => finder.option(&format!("--{text}"), at + 2, Place::Around),
        Some("Command") => finder.command_of(text, at + 2, Place::Around),
        // An element of a list of commands leaves its type out.
        _ => {}
    }
}
