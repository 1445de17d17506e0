//! Environment variables that a document names, if code of the project reads them.

use rustc_hash::FxHashSet;

use crate::config_reads;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::files::{FileId, Word};
use crate::unit::Unit;

/// Files with the name of a variable that are looked through.
const MAX_FILES: usize = 16;
/// Shortest name, in bytes.
const LEAST: usize = 5;

/// Returns whether a name is spelled like one of an environment variable: `SSL_CERT_FILE`.
pub(super) fn is_spelled(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() >= LEAST
        && name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(plain)
}

fn word(name: &str) -> Word {
    Word::of(&format!("env {name}"))
}

/// The words of all names of a file that may be of variables.
pub(super) fn words(unit: &Unit) -> impl Iterator<Item = Word> + '_ {
    unit.facts.names.iter().filter(|name| is_spelled(name)).map(word)
}

/// The words of which one file has what the other lacks.
pub(super) fn changed(old: &Unit, new: &Unit) -> Vec<Word> {
    let (before, after): (FxHashSet<Word>, FxHashSet<Word>) = (words(old).collect(), words(new).collect());
    before.symmetric_difference(&after).copied().collect()
}

/// The variable of a name, if a file reads it.
pub(super) fn meant(eval: &mut Eval<'_>, document: FileId, name: &str) -> Option<Target> {
    let mut files = eval.defining(word(name));
    if !is_spelled(name) || files.len() > MAX_FILES {
        return None;
    }
    eval.project.sort_by_path(&mut files);
    let mut found = None;
    for file in files {
        eval.begin_file(file);
        eval.ask_all(file);
        let rows = config_reads::config_reads(eval, file);
        found = rows.into_iter().map(|row| row.to).find(|to| matches!(to, Target::Config(_, key) if key == name));
        if found.is_some() {
            break;
        }
    }
    eval.begin_file(document);
    found
}
