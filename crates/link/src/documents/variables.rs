//! Environment variables that a document names, if code of the project reads them.

use crate::edges::config_reads;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::named::{is_spelled, variable_word};
use crate::tables::files::FileId;

/// Files with the name of a variable that are looked through.
const MAX_FILES: usize = 16;
/// The variable of a name, if a file reads it.
pub(super) fn find_meant(eval: &mut Eval<'_>, document: FileId, name: &str) -> Option<Target> {
    let mut files = eval.defining(variable_word(name));
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
