//! The words under which files are found by those that name code without importing it: documents.

use m1nd_lang::facts::DefKind;
use rustc_hash::FxHashSet;

use crate::tables::files::Word;
use crate::unit::Unit;

/// Shortest name, in bytes.
const LEAST: usize = 5;

/// The word under which files are found by the last part of their path without its ending, or by that of the folder
/// that they stand for.
pub(crate) fn stem_word(stem: &str) -> Word {
    Word::of(&format!("/{stem}"))
}

/// The stem of a file, and whether the file stands for its folder (`__init__.py`, `mod.rs`).
pub(crate) fn stem(path: &str) -> (&str, bool) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    (stem, matches!(stem, "__init__" | "mod" | "index" | "lib" | "main" | "doc"))
}

/// Returns whether a name is spelled like one of an environment variable: `SSL_CERT_FILE`.
pub(crate) fn is_spelled(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() >= LEAST
        && name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(plain)
}

/// The word of a command or an option of a program.
pub(crate) fn option_word(name: &str) -> Word {
    Word::of(&format!("option {name}"))
}

/// The words of all commands and options that a file declares.
fn option_words(unit: &Unit) -> impl Iterator<Item = Word> + '_ {
    unit.facts.declared.iter().map(|row| option_word(&row.name))
}

/// The word of an environment variable.
pub(crate) fn variable_word(name: &str) -> Word {
    Word::of(&format!("env {name}"))
}

/// The words of all names of a file that may be of variables.
fn variable_words(unit: &Unit) -> impl Iterator<Item = Word> + '_ {
    unit.facts.names.iter().filter(|name| is_spelled(name)).map(variable_word)
}

/// The word of a function inside of another: no other file refers to it, but a text may name it.
pub(crate) fn local_word(name: &str) -> Word {
    Word::of(&format!("local {name}"))
}

/// The words of all functions inside of others.
fn local_words(unit: &Unit) -> impl Iterator<Item = Word> + '_ {
    let rows = unit.facts.definitions.iter().zip(&unit.symbols);
    let named = rows.filter(|(row, symbol)| symbol.is_some() && row.flags.is_local);
    named.map(|(row, _)| local_word(unit.facts.name(row.name)))
}

/// The word of a name at the top of a file, in languages where the whole program knows it.
pub(crate) fn global_word(name: &str) -> Word {
    Word::of(&format!("global {name}"))
}

/// The words of all such names.
fn global_words(unit: &Unit) -> impl Iterator<Item = Word> + '_ {
    let names = unit.global_names().map(|name| global_word(unit.facts.name(name)));
    names.chain(unit.open_paths().map(|path| global_word(&path)))
}

/// Words of names whose look-ups do not depend on what is known of the definition.
fn asked_words(unit: &Unit) -> impl Iterator<Item = Word> + '_ {
    variable_words(unit).chain(option_words(unit)).chain(local_words(unit)).chain(global_words(unit))
}

/// The words under which documents may find one of two states of a file and not the other, though other files see the
/// same names in both.
pub(crate) fn list_changed(old: &Unit, new: &Unit) -> Vec<Word> {
    let (before, after): (FxHashSet<Word>, FxHashSet<Word>) = (asked_words(old).collect(), asked_words(new).collect());
    before.symmetric_difference(&after).copied().collect()
}

/// The words under which documents may look for a file, in order.
pub(crate) fn words(unit: &Unit) -> Vec<Word> {
    let path = unit.path.as_str();
    let (own, is_folder) = stem(path);
    let mut words = vec![stem_word(own)];
    if is_folder && let Some((_, folder)) = unit.path.parent().rsplit_once('/').or(Some(("", unit.path.parent()))) {
        words.push(stem_word(folder));
    }
    if unit.facts.language.has_code() {
        let rows = unit.facts.definitions.iter().zip(&unit.symbols);
        let named = rows.filter(|(row, symbol)| symbol.is_some() && !row.flags.is_local && row.kind != DefKind::Impl);
        words.extend(named.map(|(row, _)| Word::of(unit.facts.name(row.name))));
        words.extend(asked_words(unit));
    }
    words.sort_unstable();
    words.dedup();
    words
}
