//! Files that are to be changed.

use m1nd_base::{ContentHash, RepoPath};
use m1nd_engine::{Language, Snapshot};

/// A file of the project as an edit reads it.
pub(crate) struct Source {
    pub(crate) path: RepoPath,
    pub(crate) text: String,
    pub(crate) hash: ContentHash,
    pub(crate) language: Language,
}

/// A file that cannot be changed.
pub(crate) struct CannotRead {
    pub(crate) path: String,
    pub(crate) why: &'static str,
}

/// Reads a file that is to be changed.
pub(crate) fn read_source(snapshot: &Snapshot, path: &str) -> Result<Source, CannotRead> {
    let refuse = |why| CannotRead { path: path.to_owned(), why };
    let path = RepoPath::new(path).map_err(|_| refuse("has no valid path"))?;
    let source = snapshot.read_file(&path).map_err(|_| refuse("cannot be read"))?;
    if source.stale {
        return Err(refuse("changed since it was indexed"));
    }
    if source.lossy || source.binary {
        return Err(refuse("is not UTF-8"));
    }
    let language = super::syntax::language_of(snapshot, &path, &source.text);
    Ok(Source { path, text: source.text, hash: source.hash, language })
}
