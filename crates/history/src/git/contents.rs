//! Files and folders of any commit of a repository.

use std::sync::Arc;

use gix_hash::ObjectId;
use m1nd_base::Cancel;

use crate::history::{Blob, Commit};
use crate::objects::Objects;
use crate::{GitFolder, NoHistory};

/// Maximum number of files of a commit that are listed.
const MAX_FILES: usize = 200_000;
/// Maximum depth of folders.
const MAX_DEPTH: usize = 256;
/// Size in bytes above which the content of a file is not read.
const MAX_CONTENT: u64 = 16 << 20;

/// A commit that exists in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommitId(pub(crate) ObjectId);

impl CommitId {
    /// The name of the commit in hexadecimal.
    pub fn name(&self) -> String {
        self.0.to_hex().to_string()
    }
}

/// Object id of a file's content: equal for equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlobId(pub(crate) Blob);

impl BlobId {
    pub(crate) fn object(&self) -> ObjectId {
        ObjectId::from_bytes_or_panic(&self.0)
    }

    /// The bytes of the id.
    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// The id of a content; `None` if it cannot be computed (a hash collision attack).
    pub fn of_content(content: &[u8]) -> Option<Self> {
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, gix_object::Kind::Blob, content).ok()?;
        Some(Self::of(&id))
    }

    /// The id with these bytes.
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    pub(crate) fn of(id: &ObjectId) -> Self {
        let mut bytes = Blob::default();
        bytes.copy_from_slice(id.as_slice());
        Self(bytes)
    }
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path.
    pub path: String,
    /// Its content.
    pub blob: BlobId,
}

/// Reads contents from a repository. For one thread; clones share mappings but not caches.
#[derive(Clone)]
pub struct Contents {
    pub(crate) objects: Objects,
}

impl std::fmt::Debug for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contents").finish_non_exhaustive()
    }
}

impl Contents {
    /// Opens the objects of a repository.
    ///
    /// # Errors
    /// [`NoHistory`].
    pub fn open(git: &GitFolder) -> Result<Self, NoHistory> {
        Ok(Self { objects: Objects::open(git.objects())? })
    }

    /// The content of a file; `None` if it is missing, as in a partial clone, or larger than 16 MiB.
    pub fn blob(&self, id: BlobId) -> Option<Arc<[u8]>> {
        let id = id.object();
        self.objects.size(&id).filter(|size| *size <= MAX_CONTENT)?;
        self.objects.content(&id)
    }

    /// Whether a content is not there, as in a partial clone: not one that is merely too large.
    pub fn is_missing(&self, id: BlobId) -> bool {
        self.objects.size(&id.object()).is_none()
    }

    /// Name of a commit's author as it is written. Text of the repository; it is not kept.
    pub fn author(&self, commit: &Commit) -> Option<String> {
        self.objects.author_name(&ObjectId::from_bytes_or_panic(&commit.id))
    }

    /// Time of a commit in seconds since 1970; `None` if it is missing.
    pub fn time(&self, commit: CommitId) -> Option<i64> {
        Some(self.objects.commit(&commit.0)?.time)
    }

    /// All files of a commit, by path, without submodules, symbolic links and paths that are not UTF-8.
    ///
    /// # Errors
    /// [`NoHistory::Unreadable`] if a folder is missing (a partial clone), damaged, or there are more than 200,000
    /// files; [`NoHistory::Cancelled`].
    pub fn files(&self, commit: CommitId, cancel: &Cancel) -> Result<Vec<TreeFile>, NoHistory> {
        let missing = || NoHistory::Unreadable(format!("the object of commit {} is missing", commit.name()));
        let tree = self.objects.commit(&commit.0).ok_or_else(missing)?.tree;
        self.files_below(tree, &format!("commit {}", commit.name()), cancel)
    }

    /// Like [`Contents::files`], of a tree by its object id.
    ///
    /// # Errors
    /// Those of [`Contents::files`].
    pub fn files_of_tree(&self, tree: [u8; 20], cancel: &Cancel) -> Result<Vec<TreeFile>, NoHistory> {
        self.files_below(ObjectId::from_bytes_or_panic(&tree), "a tracked folder", cancel)
    }

    fn files_below(&self, tree: ObjectId, shown: &str, cancel: &Cancel) -> Result<Vec<TreeFile>, NoHistory> {
        let missing = |what: &str| NoHistory::Unreadable(format!("{what} of {shown} is missing"));
        let mut open = vec![(String::new(), 0usize, tree)];
        let mut files = Vec::new();
        while let Some((folder, depth, id)) = open.pop() {
            cancel.check().map_err(|_| NoHistory::Cancelled)?;
            for entry in self.objects.folder(&id).ok_or_else(|| missing("a folder"))? {
                let Ok(name) = std::str::from_utf8(&entry.name) else { continue };
                let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                if entry.is_link {
                    continue;
                }
                if !entry.is_folder {
                    files.push(TreeFile { path, blob: BlobId::of(&entry.id) });
                } else if depth < MAX_DEPTH {
                    open.push((path, depth + 1, entry.id));
                }
            }
            if files.len() + open.len() > MAX_FILES {
                return Err(NoHistory::Unreadable(format!("{shown} has more than {MAX_FILES} files")));
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}
