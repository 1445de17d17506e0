//! Bounded reading of git objects.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix_hash::{Kind, ObjectId};
use gix_object::{CommitRef, Find, TagRefIter, TreeRefIter};
use gix_odb::Header;
use m1nd_base::secrets::redact;

use crate::NoHistory;
use crate::rules;
use crate::walk::Told;

/// Maximum size of an unpacked object, in bytes: commits and trees are far smaller.
const MAX_OBJECT: usize = 32 << 20;
/// Cache for bases of packed objects, in bytes per thread.
const PACK_CACHE: usize = 16 << 20;
/// Cache for tree objects, in bytes per thread.
const OBJECT_CACHE: usize = 24 << 20;
/// Longest message that is kept, in bytes; the rest is cut off.
const MAX_MESSAGE: usize = 64 << 10;
/// Longest subject of a commit that is kept, in characters.
const MAX_SUBJECT: usize = 200;
/// Longest name of an author, in characters.
const MAX_AUTHOR: usize = 100;
/// Longest chain of tags that name tags.
const MAX_TAGS: usize = 5;
/// Maximum number of parents of a commit.
const MAX_PARENTS: usize = 64;

/// The objects of a repository, for one thread. Clones share mappings but not caches.
#[derive(Clone)]
pub(crate) struct Objects {
    odb: gix_odb::HandleArc,
    buffer: RefCell<Vec<u8>>,
}

/// Decoded commit.
pub(crate) struct CommitData {
    pub(crate) tree: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    /// Author time in seconds since 1970.
    pub(crate) time: i64,
    /// A hash of the author's address, which distinguishes authors without revealing them.
    pub(crate) author: u64,
    /// The author is a program.
    pub(crate) is_bot: bool,
    /// First line of the message.
    pub(crate) subject: String,
}

/// An entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) id: ObjectId,
    pub(crate) is_folder: bool,
    pub(crate) is_link: bool,
}

impl Objects {
    /// Opens the objects in a folder and in its alternates.
    pub(crate) fn open(folder: PathBuf) -> Result<Self, NoHistory> {
        only_regular(&folder)?;
        let failed = |error: std::io::Error| NoHistory::Unreadable(format!("objects: {error}"));
        let options = gix_odb::store::init::Options { alloc_limit_bytes: Some(MAX_OBJECT), ..Default::default() };
        let odb = gix_odb::at_opts(folder, Kind::Sha1, None, options).map_err(failed)?;
        let mut odb = odb.into_arc().map_err(failed)?;
        odb.set_pack_cache(|| Box::new(gix_pack::cache::lru::MemoryCappedHashmap::new(PACK_CACHE)));
        odb.set_object_cache(|| Box::new(gix_pack::cache::object::MemoryCappedHashmap::new(OBJECT_CACHE)));
        Ok(Self { odb, buffer: RefCell::default() })
    }

    /// Reads a commit; `None` if it is missing or damaged.
    pub(crate) fn commit(&self, id: &ObjectId) -> Option<CommitData> {
        let mut buffer = self.buffer.borrow_mut();
        let data = self.odb.try_find(id, &mut buffer).ok()??;
        if data.kind != gix_object::Kind::Commit {
            return None;
        }
        let commit = CommitRef::from_bytes(data.data, Kind::Sha1).ok()?;
        // Malformed addresses and times are accepted: old tools wrote many.
        let author = commit.author().map_or(0, |author| author_hash(author.email));
        let is_bot = commit.author().is_ok_and(|author| rules::is_bot(author.name, author.email));
        let time = commit.time().map_or(0, |time| time.seconds);
        let line = commit.message.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        // Subjects are stored and shown in answers, so they hold no secret; a cut one could not be recognised.
        let line = String::from_utf8_lossy(line.unwrap_or_default());
        let subject = redact(line.trim()).chars().take(MAX_SUBJECT).collect();
        let parents = commit.parents().take(MAX_PARENTS).collect();
        Some(CommitData { tree: commit.tree(), parents, time, author, is_bot, subject })
    }

    /// Reads the full message of a commit, truncated to [`MAX_MESSAGE`]; `None` if it is missing or damaged.
    pub(crate) fn message(&self, id: &ObjectId) -> Option<Told<String>> {
        let mut buffer = self.buffer.borrow_mut();
        let data = self.odb.try_find(id, &mut buffer).ok()??;
        if data.kind != gix_object::Kind::Commit {
            return None;
        }
        let commit = CommitRef::from_bytes(data.data, Kind::Sha1).ok()?;
        let text = &commit.message[..commit.message.len().min(MAX_MESSAGE)];
        let time = commit.time().map_or(0, |time| time.seconds);
        let parents = commit.parents().take(MAX_PARENTS).collect();
        Some(Told { time, parents, what: String::from_utf8_lossy(text).into_owned() })
    }

    /// Name of a commit's author as it is written, at most [`MAX_AUTHOR`] characters.
    pub(crate) fn author_name(&self, id: &ObjectId) -> Option<String> {
        let mut buffer = self.buffer.borrow_mut();
        let data = self.odb.try_find(id, &mut buffer).ok()??;
        if data.kind != gix_object::Kind::Commit {
            return None;
        }
        let author = CommitRef::from_bytes(data.data, Kind::Sha1).ok()?.author().ok()?;
        Some(String::from_utf8_lossy(author.name).trim().chars().take(MAX_AUTHOR).collect())
    }

    /// The commit that an object is or, as a tag, names.
    pub(crate) fn peel_tags(&self, id: ObjectId) -> Option<ObjectId> {
        let mut id = id;
        for _ in 0..MAX_TAGS {
            let mut buffer = self.buffer.borrow_mut();
            let data = self.odb.try_find(&id, &mut buffer).ok()??;
            match data.kind {
                gix_object::Kind::Commit => return Some(id),
                gix_object::Kind::Tag => id = TagRefIter::from_bytes(data.data, Kind::Sha1).target_id().ok()?,
                _ => return None,
            }
        }
        None
    }

    /// The objects whose name begins with some hexadecimal digits: the only one, or whether there are several.
    pub(crate) fn with_prefix(&self, digits: &str) -> Option<Result<ObjectId, ()>> {
        let prefix = gix_hash::Prefix::from_hex(digits).ok()?;
        self.odb.lookup_prefix(prefix, None).ok()?
    }

    /// Reads the entries of a tree in git's order, without submodules; `None` if it is missing or damaged.
    pub(crate) fn folder(&self, id: &ObjectId) -> Option<Vec<Entry>> {
        let mut buffer = self.buffer.borrow_mut();
        let data = self.odb.try_find(id, &mut buffer).ok()??;
        if data.kind != gix_object::Kind::Tree {
            return None;
        }
        let mut entries = Vec::new();
        for entry in TreeRefIter::from_bytes(data.data, Kind::Sha1) {
            let entry = entry.ok()?;
            if !entry.mode.is_commit() {
                let is_folder = entry.mode.is_tree();
                let (id, is_link) = (entry.oid.to_owned(), entry.mode.is_link());
                entries.push(Entry { name: entry.filename.to_vec(), id, is_folder, is_link });
            }
        }
        Some(entries)
    }

    /// Size of an object, if it exists.
    pub(crate) fn size(&self, id: &ObjectId) -> Option<u64> {
        Some(Header::try_header(&self.odb, id).ok()??.size())
    }

    /// Content of a file, if it exists.
    pub(crate) fn content(&self, id: &ObjectId) -> Option<Arc<[u8]>> {
        let mut buffer = self.buffer.borrow_mut();
        let data = self.odb.try_find(id, &mut buffer).ok()??;
        (data.kind == gix_object::Kind::Blob).then(|| data.data.into())
    }
}

/// Refuses lists and packs that are pipes or devices, because opening one can block forever.
fn only_regular(folder: &Path) -> Result<(), NoHistory> {
    let packs = std::fs::read_dir(folder.join("pack")).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in packs.chain([folder.join("info/alternates")]) {
        if std::fs::metadata(&path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            return Err(NoHistory::Unreadable(format!("`{}` is no regular file", path.display())));
        }
    }
    Ok(())
}

fn author_hash(address: &[u8]) -> u64 {
    let mut hasher = blake3::Hasher::new_derive_key("m1nd history author 1");
    hasher.update(&address.trim_ascii().to_ascii_lowercase());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}
