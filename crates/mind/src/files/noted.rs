//! Data stored beside a project's memories: when each was first seen, the code it was about then, and the memories in
//! comments and commits. Only the times cannot be derived again. It is one small file below `.mind/.index/`, replaced
//! as a whole; answers do not depend on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_base::ContentHash;
use m1nd_memory::RecordId;
use m1nd_store::StoreError;
use serde::{Deserialize, Serialize};

use crate::files::anchor::{Anchor, CodeState};
use crate::files::project::index_folder;

/// File name.
const FILE: &str = "noted.m1nd";
/// First bytes of the file; the number is its format.
const MAGIC: &[u8; 8] = b"m1ndmem4";
/// First bytes of former formats, and how many of the last members each lacks: from [`Noted::began`],
/// [`Noted::looked`] and [`Noted::not_looked`] on. An empty one of those is a single zero byte.
const OLD_MAGICS: [(&[u8; 8], usize); 3] = [(b"m1ndmem1", 5), (b"m1ndmem2", 2), (b"m1ndmem3", 1)];
/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Maximum wait for another process that changes the file.
const WAIT: Duration = Duration::from_secs(2);
/// Sessions whose shown gotchas are remembered; the oldest is forgotten.
const MAX_SESSIONS: usize = 200;
/// Files that memories name whose changes are remembered; the oldest is forgotten.
const MAX_TOUCHED: usize = 500;
/// Memories that are no longer there but remembered, so that one that comes back keeps its time.
const MAX_RETIRED: usize = 10_000;
/// Files whose comments with memories are kept. Further files are not read, and [`Noted::not_looked`] counts them.
pub(crate) const MAX_FILES: usize = 5_000;

/// Seconds since 1970.
pub(crate) type Seconds = i64;

/// Everything that is kept of one project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Noted {
    /// By memory.
    pub(crate) records: BTreeMap<RecordId, Seen>,
    /// Comments that carry memories, by file.
    pub(crate) files: BTreeMap<String, FileNote>,
    /// Messages of commits that carry memories, newest first.
    pub(crate) commits: Vec<MessageNote>,
    /// The commit up to which they were read.
    pub(crate) head: String,
    /// When the newest commit was made; 0 if none is known.
    pub(crate) newest_commit: Seconds,
    /// Tags of the stack that the project's files show.
    pub(crate) stack: Vec<Box<str>>,
    /// State of the code that memories name, at the last look with an index.
    pub(crate) code: BTreeMap<RecordId, CodeState>,
    /// Ids of memories and gotchas that each session of an agent was shown.
    pub(crate) shown: BTreeMap<String, Shown>,
    /// When `MEMORY.md` was last found changed; 0 for never.
    pub(crate) updated: Seconds,
    /// When comments were last looked for; 0 for never.
    pub(crate) scanned: Seconds,
    /// Hash of `MEMORY.md` then.
    pub(crate) memory: Option<ContentHash>,
    /// When memories were first looked at; 0 if that is not known. What is seen later was written about then.
    pub(crate) began: Seconds,
    /// When the commits were made whose messages carry memories.
    pub(crate) commit_times: BTreeMap<String, Seconds>,
    /// The files that memories name, and when each was last changed as far as somebody watched; 0 for never.
    pub(crate) touched: BTreeMap<String, Seconds>,
    /// The files that were looked at for comments: hashes of path, size and time, in order. Others are looked at again.
    pub(crate) looked: Vec<u64>,
    /// Number of files that were not searched for comments, because enough others have some.
    pub(crate) not_looked: u32,
}

/// When a memory was seen, and the code it was about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) first: Seconds,
    /// When its code was last looked for while others had to wait; 0 for never.
    pub(crate) sought: Seconds,
    /// Since when it is no longer there.
    pub(crate) retired: Option<Seconds>,
    /// Hash of its text when its code was looked for; 0 while that is still to be done.
    pub(crate) text: u64,
    /// The code it names, as it was when it was first found.
    pub(crate) anchors: Vec<Anchor>,
}

/// Comments of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileNote {
    pub(crate) size: u64,
    pub(crate) mtime_ns: i64,
    /// The memories in it.
    pub(crate) records: Vec<m1nd_memory::Record>,
}

/// The memories of one commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MessageNote {
    pub(crate) commit: String,
    pub(crate) records: Vec<m1nd_memory::Record>,
}

/// Ids that an agent's session was shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) last: Seconds,
    pub(crate) ids: BTreeSet<String>,
}

/// The file of one project.
#[derive(Debug, Clone)]
pub(crate) struct NotedFile {
    project: PathBuf,
}

impl NotedFile {
    pub(crate) fn of(project: &Path) -> Self {
        Self { project: project.to_owned() }
    }

    /// The stored bytes; empty if there is no file, or it cannot be read.
    pub(crate) fn read_packed(&self) -> Vec<u8> {
        index_folder(&self.project).and_then(|folder| folder.read(FILE, MAX_BYTES)).ok().flatten().unwrap_or_default()
    }

    /// The stored data; empty if there is no file, or it cannot be used.
    pub(crate) fn read(&self) -> Noted {
        Self::unpack(&self.read_packed())
    }

    /// Decodes stored bytes; empty if they are damaged.
    pub(crate) fn unpack(packed: &[u8]) -> Noted {
        decode(packed).unwrap_or_default()
    }

    /// Whether there is a file that cannot be used. The next change replaces it.
    pub(crate) fn is_damaged(&self) -> bool {
        let packed = self.read_packed();
        !packed.is_empty() && decode(&packed).is_none()
    }

    /// Changes what is kept, alone, and returns what it is then. A damaged file is set aside.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Noted)) -> Result<Noted, StoreError> {
        let folder = index_folder(&self.project)?;
        folder.change(FILE, MAX_BYTES, WAIT, |content| {
            let before = content.as_deref().and_then(decode);
            if content.is_some() && before.is_none() {
                let kept = folder.set_aside(FILE)?;
                tracing::warn!(kept = %kept.display(), "what was noted of the memories is damaged and made anew");
            }
            let before = before.unwrap_or_default();
            let mut after = before.clone();
            change(&mut after);
            after.limit_growth();
            let content = (after != before).then(|| encode(&after));
            Ok((after, content.flatten()))
        })
    }
}

impl Noted {
    /// Drops the oldest of what only grows.
    fn limit_growth(&mut self) {
        while self.shown.len() > MAX_SESSIONS {
            let oldest = self.shown.iter().min_by_key(|(_, shown)| shown.last).map(|(session, _)| session.clone());
            oldest.and_then(|session| self.shown.remove(&session));
        }
        while self.touched.len() > MAX_TOUCHED {
            let oldest = self.touched.iter().min_by_key(|(_, at)| **at).map(|(path, _)| path.clone());
            oldest.and_then(|path| self.touched.remove(&path));
        }
        let mut retired: Vec<(Seconds, RecordId)> =
            self.records.iter().filter_map(|(id, seen)| Some((seen.retired?, *id))).collect();
        if retired.len() > MAX_RETIRED {
            retired.sort_unstable();
            for (_, id) in &retired[..retired.len() - MAX_RETIRED] {
                self.records.remove(id);
            }
        }
    }
}

fn encode(noted: &Noted) -> Option<Vec<u8>> {
    let body = postcard::to_stdvec(noted).inspect_err(|error| tracing::warn!(%error, "cannot be noted")).ok()?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(ContentHash::of(&body).as_bytes());
    bytes.extend_from_slice(&body);
    Some(bytes)
}

fn decode(bytes: &[u8]) -> Option<Noted> {
    let formats = OLD_MAGICS.into_iter().chain([(MAGIC, 0)]);
    let (rest, missing) = formats.filter_map(|(magic, zeros)| Some((bytes.strip_prefix(magic)?, zeros))).next()?;
    let (hash, body) = rest.split_at_checked(32)?;
    if ContentHash::of(body).as_bytes() != hash {
        return None;
    }
    let body = [body, &vec![0; missing]].concat();
    // What is left over is none of the format that the first bytes name.
    postcard::take_from_bytes(&body).ok().filter(|(_, rest)| rest.is_empty()).map(|(noted, _)| noted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::project::INDEX_FOLDER;

    #[test]
    fn the_former_formats_are_read() {
        let noted = Noted { updated: 7, head: "abc".into(), ..Noted::default() };
        for (magic, zeros) in OLD_MAGICS {
            let body = postcard::to_stdvec(&noted).expect("is packed");
            let body = &body[..body.len() - zeros];
            let bytes = [magic.as_slice(), ContentHash::of(body).as_bytes(), body].concat();
            assert_eq!(decode(&bytes).as_ref(), Some(&noted));
        }
    }

    #[test]
    fn what_is_noted_comes_back_and_damage_is_set_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = NotedFile::of(folder.path());
        let seen = Seen { first: 5, ..Seen::default() };
        let note = |noted: &mut Noted| drop(noted.records.insert(RecordId(7), seen.clone()));
        assert_eq!(file.read(), Noted::default());
        file.change(note).expect("is noted");
        assert_eq!(NotedFile::of(folder.path()).read().records[&RecordId(7)], seen);
        let path = folder.path().join(INDEX_FOLDER).join(FILE);
        let whole = std::fs::read(&path).expect("is there");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, bytes).expect("is written");
            assert_eq!(file.read(), Noted::default(), "byte {at}");
        }
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("is written");
            assert_eq!(file.read(), Noted::default(), "{length} bytes");
            assert_eq!(file.is_damaged(), length > 0, "{length} bytes");
        }
        file.change(note).expect("is made anew");
        assert_eq!(file.read().records.len(), 1);
        let names = std::fs::read_dir(folder.path().join(INDEX_FOLDER)).expect("is there");
        assert!(names.flatten().any(|entry| entry.file_name().to_string_lossy().contains(".corrupt-")));
    }
}
