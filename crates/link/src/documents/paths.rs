//! Files that a path in a document means.

use super::{MAX_TARGETS, Meant};
use crate::eval::Eval;
use crate::languages::paths::{folder, join};
use crate::named::{stem, stem_word};
use crate::tables::files::FileId;

/// Files of one stem that are compared.
const MAX_FILES: usize = 512;

/// The file beside the document, else from the root, else those whose path ends in it. A file name alone is that of the
/// reader's own file as often as not: it counts only where there is such a file, as a link, or if it is the only file
/// of code with a name that no word has (`__version__.py`).
pub(super) fn find_meant(eval: &mut Eval<'_>, file: FileId, name: &str, is_link: bool) -> Option<Meant> {
    let name = name.trim_end_matches('/').trim_start_matches("./");
    let own = eval.project.path(file).as_str();
    let beside = join(folder(own), name);
    // Beside the document, else from the root.
    for path in [beside, join("", name)].into_iter().flatten() {
        if let Some(found) = eval.file_at(&path) {
            return one(eval, found, file);
        }
    }
    let (stem, _) = stem(name);
    let is_alone = !name.contains('/');
    if is_link || is_alone && !stem.contains('_') || name.starts_with("..") {
        return None;
    }
    // Otherwise every file whose path ends in this one; a file name alone must be the only such file.
    let suffix = format!("/{name}");
    let mut files: Vec<FileId> = eval.defining(stem_word(stem));
    if files.len() > MAX_FILES {
        return None;
    }
    files.retain(|found| eval.project.path(*found).as_str().ends_with(&suffix));
    files.retain(|found| !is_document(eval, *found));
    eval.project.sort_by_path(&mut files);
    match files.as_slice() {
        [only] if is_alone && (eval.project.unit(*only).is_test || is_aside(eval, *only)) => None,
        [only] => one(eval, *only, file),
        _ if is_alone => None,
        [] => None,
        many if many.len() > MAX_TARGETS => None,
        many => {
            let targets = many.iter().map(|found| eval.project.unit(*found).file_symbol).collect();
            Some(Meant { targets, is_certain: false })
        }
    }
}

/// Returns whether a file only shows how the project is used.
fn is_aside(eval: &Eval<'_>, file: FileId) -> bool {
    super::symbols::is_aside(eval.project.path(file).as_str())
}

/// Returns whether a file is a document itself; settings, styles and the like are not.
fn is_document(eval: &Eval<'_>, file: FileId) -> bool {
    eval.project.language(file).is_document()
}

/// A file that is clear; `None` for another document.
fn one(eval: &Eval<'_>, found: FileId, own: FileId) -> Option<Meant> {
    let is_code = found != own && !is_document(eval, found);
    is_code.then(|| Meant { targets: vec![eval.project.unit(found).file_symbol], is_certain: true })
}
