//! The record of a batch from before its first step to after its last: what the files were, and their new content as
//! hashes. As long as it is there, the batch is not done: see `recovery.rs` for what becomes of it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use m1nd_base::{ContentHash, RepoPath};
use m1nd_store::{SharedFolder, StoreError, durable_write};
use serde::{Deserialize, Serialize};

use crate::EditError;
use crate::undo::Origin;

/// Prefix of the names of files with new content, and of old files until the batch is done.
pub(crate) const TEMPORARY: &str = ".m1nd-edit-";
/// Ending of journals.
const JOURNAL: &str = ".journal";
/// Ending of damaged journals, and of folders with the copies of a batch that was left alone. Never read again.
const KEPT: &str = ".kept";
/// First bytes of a journal, with the version of its form.
const MAGIC: &[u8; 8] = b"m1ndjrn1";
/// Version of the form.
const VERSION: u8 = b'1';
/// Largest journal, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A file of the batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Number in [`Journal::roots`].
    pub(crate) root: usize,
    pub(crate) inner: RepoPath,
    /// Path for messages.
    pub(crate) path: RepoPath,
    /// Name beside the file.
    pub(crate) temporary: String,
    /// Content and mode before; `None` if there was no file.
    pub(crate) before: Option<(Vec<u8>, Option<u32>)>,
    /// Hash of the content afterwards; `None` if the file is removed.
    pub(crate) after: Option<ContentHash>,
    /// Folders that are created, from the top, as paths in the root.
    pub(crate) folders: Vec<String>,
}

/// A batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) entries: Vec<Entry>,
}

impl Entry {
    pub(crate) fn before_hash(&self) -> Option<ContentHash> {
        self.before.as_ref().map(|(bytes, _)| ContentHash::of(bytes))
    }
}

impl Journal {
    /// Writes it to a new file of the folder, durably, and behind it who writes it. Returns its path.
    pub(crate) fn write(&self, folder: &SharedFolder, id: &str, origin: Option<&Origin>) -> Result<PathBuf, EditError> {
        let path = folder.path().join(format!("{id}{JOURNAL}"));
        let damage = |error: postcard::Error| report_damage(&path, &error.to_string());
        let mut body = postcard::to_stdvec(self).map_err(damage)?;
        if let Some(origin) = origin {
            body.extend(postcard::to_stdvec(origin).map_err(damage)?);
        }
        let sum = ContentHash::of(&body);
        durable_write(folder.system(), &path, &[MAGIC, &sum.as_bytes()[..], &body].concat())?;
        Ok(path)
    }

    /// Journals of the folder, by name.
    pub(crate) fn list(folder: &SharedFolder) -> Result<Vec<PathBuf>, EditError> {
        names(folder, JOURNAL)
    }

    /// What is kept of earlier batches for people, by name.
    pub(crate) fn list_kept(folder: &SharedFolder) -> Result<Vec<PathBuf>, EditError> {
        names(folder, KEPT)
    }

    /// The folder for copies of the files of a journal.
    pub(crate) fn copies(path: &Path) -> PathBuf {
        path.with_extension(KEPT.trim_start_matches('.'))
    }

    /// Reads a journal; `None` if it is gone.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if its content is not a journal, [`StoreError::TooNew`] for one of a newer version.
    /// Others mean that it could not be read now.
    pub(crate) fn read(folder: &SharedFolder, path: &Path) -> Result<Option<Self>, EditError> {
        Ok(Self::read_with_origin(folder, path)?.map(|(journal, _)| journal))
    }

    /// Like [`Journal::read`], with who writes it, if that is known.
    pub(crate) fn read_with_origin(
        folder: &SharedFolder,
        path: &Path,
    ) -> Result<Option<(Self, Option<Origin>)>, EditError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = match folder.read(&name, MAX_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::FileTooLarge => {
                return Err(report_damage(path, "it is larger than any journal"));
            }
            Err(error) => return Err(error.into()),
        };
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let version = bytes.strip_prefix(&MAGIC[..7]).and_then(|rest| rest.first().copied());
            return Err(match version {
                Some(found) if found > VERSION && found.is_ascii_digit() => EditError::Store(StoreError::TooNew {
                    path: path.to_owned(),
                    found: u32::from(found - b'0'),
                    supported: u32::from(VERSION - b'0'),
                }),
                _ => report_damage(path, "not a journal of this version"),
            });
        };
        let (sum, body) = rest.split_at_checked(32).ok_or_else(|| report_damage(path, "cut off"))?;
        if ContentHash::of(body).as_bytes() != sum {
            return Err(report_damage(path, "its checksum differs"));
        }
        let damage = |error: postcard::Error| report_damage(path, &error.to_string());
        let (journal, rest) = postcard::take_from_bytes(body).map_err(damage)?;
        let origin = (!rest.is_empty()).then(|| postcard::from_bytes(rest)).transpose().map_err(damage)?;
        Ok(Some((journal, origin)))
    }

    /// Removes a journal, durably: from then on the batch is done or undone.
    pub(crate) fn remove(folder: &SharedFolder, path: &Path) -> Result<(), Removal> {
        folder.system().remove(path).map_err(|error| Removal::NotRemoved(error.to_string()))?;
        folder.system().sync_folder(folder.path()).map_err(|error| Removal::NotSynced(error.to_string()))
    }

    /// Keeps a damaged journal under another name, for people.
    pub(crate) fn keep(folder: &SharedFolder, path: &Path) -> Result<PathBuf, EditError> {
        let kept = Self::copies(path);
        let failed = |error| EditError::step(&path.to_string_lossy(), "renaming the journal")(error);
        folder.system().rename(path, &kept).map_err(failed)?;
        folder.system().sync_folder(folder.path()).map_err(failed)?;
        Ok(kept)
    }
}

/// Why a journal could not be removed.
#[derive(Debug)]
pub(crate) enum Removal {
    /// It is still there.
    NotRemoved(String),
    /// It is gone, but may come back after a power failure.
    NotSynced(String),
}

/// Paths of what has a name with this ending in the folder.
fn names(folder: &SharedFolder, ending: &str) -> Result<Vec<PathBuf>, EditError> {
    match folder.system().list(folder.path()) {
        Ok(names) => {
            let names = names.into_iter().filter(|name| name.ends_with(ending));
            Ok(names.map(|name| folder.path().join(name)).collect())
        }
        // Nothing was ever written.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(EditError::Store(StoreError::Io { action: "list", path: folder.path().to_owned(), source })),
    }
}

fn report_damage(path: &Path, detail: &str) -> EditError {
    EditError::Store(StoreError::Damaged { path: path.to_owned(), detail: detail.to_owned() })
}
