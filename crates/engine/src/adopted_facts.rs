//! Facts that came with an index from another machine. They are kept in a file of the project that took them in and are
//! not put into the cache, which all projects share: whoever signed the index can make wrong what that project
//! answers, and nothing else.
//!
//! ```text
//! per row  key 32 · BLAKE3 of the bytes 32 · length u32 · bytes
//! ```

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use m1nd_base::ContentHash;
use m1nd_store::ProjectDir;
use rustc_hash::FxHashMap;

/// Length of what is before the bytes of a row.
const HEAD: usize = 32 + 32 + 4;

/// The facts that a project took in, if it did.
#[derive(Debug)]
pub(crate) struct AdoptedFacts {
    path: PathBuf,
    rows: OnceLock<Option<Rows>>,
}

#[derive(Debug)]
struct Rows {
    file: Mutex<File>,
    places: FxHashMap<ContentHash, Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    at: u64,
    length: u32,
    hash: ContentHash,
}

impl AdoptedFacts {
    /// Those of a project and a version of cached facts. The file is opened when a row is first asked for.
    pub(crate) fn of(project: &ProjectDir, version: u32) -> Arc<Self> {
        Arc::new(Self { path: project.adopted_facts_path(version), rows: OnceLock::new() })
    }

    /// The bytes of a row; `None` if there is none, or if it is damaged.
    pub(crate) fn get(&self, key: &ContentHash) -> Option<Vec<u8>> {
        let rows = self.rows.get_or_init(|| Rows::read(File::open(&self.path).ok()?).ok()).as_ref()?;
        let place = rows.places.get(key)?;
        let mut bytes = Vec::new();
        let mut file = rows.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place.at)).ok()?;
        Read::by_ref(&mut *file).take(place.length.into()).read_to_end(&mut bytes).ok()?;
        (ContentHash::of(&bytes) == place.hash).then_some(bytes)
    }
}

impl Rows {
    /// Reads where the rows are. What is cut off is left out.
    fn read(file: File) -> io::Result<Self> {
        let end = file.metadata()?.len();
        let mut from = BufReader::new(file);
        let (mut places, mut at) = (FxHashMap::default(), 0);
        loop {
            let mut head = [0; HEAD];
            if from.read_exact(&mut head).is_err() {
                break;
            }
            let (key, rest) = head.split_at(32);
            let (hash, length) = rest.split_at(32);
            let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
            at += HEAD as u64;
            if end - at < u64::from(length) {
                break;
            }
            places.insert(read_hash(key), Place { at, length, hash: read_hash(hash) });
            at += u64::from(length);
            from.seek_relative(length.into())?;
        }
        Ok(Self { file: Mutex::new(from.into_inner()), places })
    }
}

fn read_hash(bytes: &[u8]) -> ContentHash {
    ContentHash::from_bytes(bytes.try_into().unwrap_or_default())
}

/// Writes a row.
pub(crate) fn write_row(out: &mut dyn Write, key: &ContentHash, row: &[u8]) -> io::Result<()> {
    let length = u32::try_from(row.len()).map_err(io::Error::other)?;
    out.write_all(key.as_bytes())?;
    out.write_all(ContentHash::of(row).as_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(row)
}
