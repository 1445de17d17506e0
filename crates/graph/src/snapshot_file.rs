//! The snapshot file: a header, a table of named sections, and the sections.
//!
//! ```text
//! header   magic 8 · version u32 · byte order mark u32 · sections u32 · reserved u32 · file length u64 · table hash 32
//! table    per section: tag 8 · start u64 · length u64 · BLAKE3 of the section 32
//! sections each padded to a multiple of 8 bytes
//! ```
//! The table hash (BLAKE3 of the header before it, then the table) is checked on every open, in microseconds. Section
//! hashes would require reading the whole file, so [`Container::verify`] checks them separately; until then, readers
//! must tolerate arbitrary bytes.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use m1nd_base::Cancel;

use crate::SnapshotError;
use crate::map::Mapping;

/// Magic bytes of every snapshot file.
const MAGIC: [u8; 8] = *b"m1ndsnap";
/// Versions from here on are those of no program but of damaged bytes.
const MAX_AHEAD: u32 = 100;
/// Format version that this program writes, and the only one it reads.
pub const FORMAT_VERSION: u32 = 3;
const BYTE_ORDER: u32 = 0x0102_0304;
const HEADER_LEN: usize = 64;
const HASHED_HEADER: usize = 32;
const ROW_LEN: usize = 56;
/// Upper bound of the number of sections: a larger number is damage.
const MAX_SECTIONS: u32 = 256;

/// Name of a section.
pub type Tag = [u8; 8];

/// Named byte sections of one snapshot, mapped from a file or held in memory.
#[derive(Debug, Clone)]
pub struct Container {
    data: Arc<Data>,
}

#[derive(Debug)]
enum Data {
    Mapped { map: Mapping, table: Vec<Section> },
    Memory(Vec<(Tag, Vec<u8>)>),
}

#[derive(Debug)]
struct Section {
    tag: Tag,
    range: Range<usize>,
    hash: [u8; 32],
}

impl Container {
    /// A container of in-memory sections.
    pub fn in_memory(sections: Vec<(Tag, Vec<u8>)>) -> Self {
        Self { data: Arc::new(Data::Memory(sections)) }
    }

    /// Maps a file and checks its header and table, but not the content of the sections.
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn open(path: &Path) -> Result<Self, SnapshotError> {
        let map = Mapping::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SnapshotError::NotThere(path.to_owned()),
            _ => SnapshotError::Unreadable(error),
        })?;
        let table = read_table(map.bytes())?;
        Ok(Self { data: Arc::new(Data::Mapped { map, table }) })
    }

    /// The bytes of a section, empty if no section has this name.
    pub fn section(&self, tag: &Tag) -> &[u8] {
        match &*self.data {
            Data::Mapped { map, table } => table
                .iter()
                .find(|section| section.tag == *tag)
                .and_then(|section| map.bytes().get(section.range.clone()))
                .unwrap_or_default(),
            Data::Memory(sections) => {
                sections.iter().find(|(name, _)| name == tag).map_or(&[], |(_, bytes)| bytes.as_slice())
            }
        }
    }

    /// Index of a section for [`Container::at`]; out of range if no section has this name.
    pub fn place(&self, tag: &Tag) -> usize {
        let (place, count) = match &*self.data {
            Data::Mapped { table, .. } => (table.iter().position(|section| section.tag == *tag), table.len()),
            Data::Memory(sections) => (sections.iter().position(|(name, _)| name == tag), sections.len()),
        };
        place.unwrap_or(count)
    }

    /// The bytes of the section at an index, empty if there is none.
    pub fn at(&self, place: usize) -> &[u8] {
        match &*self.data {
            Data::Mapped { map, table } => {
                table.get(place).and_then(|section| map.bytes().get(section.range.clone())).unwrap_or_default()
            }
            Data::Memory(sections) => sections.get(place).map_or(&[], |(_, bytes)| bytes.as_slice()),
        }
    }

    /// All sections in order.
    pub fn sections(&self) -> Vec<(Tag, &[u8])> {
        match &*self.data {
            Data::Mapped { table, .. } => {
                table.iter().map(|section| (section.tag, self.section(&section.tag))).collect()
            }
            Data::Memory(sections) => sections.iter().map(|(tag, bytes)| (*tag, bytes.as_slice())).collect(),
        }
    }

    /// Compares every section with its checksum. Reads the whole file; returns `Ok(false)` if cancelled before the end.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] names the first section that differs.
    pub fn verify(&self, cancel: &Cancel) -> Result<bool, SnapshotError> {
        let Data::Mapped { map, table } = &*self.data else { return Ok(true) };
        for section in table {
            if !verify(map, section, cancel)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares one section with its checksum. A missing section counts as damaged.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] names the section.
    pub fn verify_section(&self, tag: &Tag) -> Result<(), SnapshotError> {
        let Data::Mapped { map, table } = &*self.data else { return Ok(()) };
        let section = table.iter().find(|section| section.tag == *tag);
        let section = section.ok_or_else(|| SnapshotError::Damaged(format!("no section `{}`", name_of(tag))))?;
        verify(map, section, &Cancel::new()).map(|_| ())
    }
}

fn name_of(tag: &Tag) -> String {
    String::from_utf8_lossy(tag).trim_end_matches('\0').to_owned()
}

/// Returns `Ok(false)` if cancelled before the end.
fn verify(map: &Mapping, section: &Section, cancel: &Cancel) -> Result<bool, SnapshotError> {
    let mut hasher = blake3::Hasher::new();
    map.read_through(section.range.clone(), &mut |piece| {
        hasher.update(piece);
        !cancel.is_cancelled()
    })?;
    if cancel.is_cancelled() {
        return Ok(false);
    }
    if hasher.finalize() != section.hash {
        return Err(SnapshotError::Damaged(format!("checksum of section `{}`", name_of(&section.tag))));
    }
    Ok(true)
}

/// Writes a snapshot file with these sections. The same sections give the same bytes.
///
/// # Errors
/// Those of `out`.
pub fn write_container(out: &mut dyn Write, sections: &[(Tag, &[u8])]) -> io::Result<()> {
    let table_len = HEADER_LEN + sections.len() * ROW_LEN;
    let mut table = Vec::with_capacity(sections.len() * ROW_LEN);
    let mut at = pad_length(table_len);
    for (tag, bytes) in sections {
        table.extend_from_slice(tag);
        table.extend_from_slice(&(at as u64).to_le_bytes());
        table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        table.extend_from_slice(blake3::hash(bytes).as_bytes());
        at = pad_length(at + bytes.len());
    }
    let mut header = Vec::with_capacity(HEADER_LEN);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    header.extend_from_slice(&BYTE_ORDER.to_le_bytes());
    header.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    header.extend_from_slice(&0u32.to_le_bytes());
    header.extend_from_slice(&(at as u64).to_le_bytes());
    let hash = table_hash(&header, &table);
    header.extend_from_slice(&hash);
    out.write_all(&header)?;
    out.write_all(&table)?;
    pad(out, table_len)?;
    for (_, bytes) in sections {
        out.write_all(bytes)?;
        pad(out, bytes.len())?;
    }
    Ok(())
}

fn pad_length(len: usize) -> usize {
    len.next_multiple_of(8)
}

fn pad(out: &mut dyn Write, len: usize) -> io::Result<()> {
    out.write_all(&[0; 8][..pad_length(len) - len])
}

fn table_hash(header: &[u8], table: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(header).update(table);
    *hasher.finalize().as_bytes()
}

fn read_table(bytes: &[u8]) -> Result<Vec<Section>, SnapshotError> {
    let truncated = |expected: usize| SnapshotError::Truncated { found: bytes.len() as u64, expected: expected as u64 };
    if bytes.len() < HEADER_LEN {
        let prefix = bytes.len().min(MAGIC.len());
        return Err(if bytes[..prefix] == MAGIC[..prefix] { truncated(HEADER_LEN) } else { SnapshotError::Foreign });
    }
    if bytes[..8] != MAGIC {
        return Err(SnapshotError::Foreign);
    }
    let version = u32_at(bytes, 8);
    if version > FORMAT_VERSION + MAX_AHEAD {
        return Err(SnapshotError::Damaged("version".into()));
    }
    if version > FORMAT_VERSION {
        return Err(SnapshotError::Newer { found: version, supported: FORMAT_VERSION });
    }
    if version < FORMAT_VERSION {
        return Err(SnapshotError::Older { found: version, supported: FORMAT_VERSION });
    }
    let count = u32_at(bytes, 16);
    if u32_at(bytes, 12) != BYTE_ORDER || count > MAX_SECTIONS {
        return Err(SnapshotError::Damaged("header".into()));
    }
    let table_end = HEADER_LEN + count as usize * ROW_LEN;
    let table = bytes.get(HEADER_LEN..table_end).ok_or_else(|| truncated(table_end))?;
    if table_hash(&bytes[..HASHED_HEADER], table)[..] != bytes[HASHED_HEADER..HEADER_LEN] {
        return Err(SnapshotError::Damaged("checksum of the section table".into()));
    }
    let length = u64_at(bytes, 24);
    if (bytes.len() as u64) < length {
        return Err(SnapshotError::Truncated { found: bytes.len() as u64, expected: length });
    }
    table.chunks_exact(ROW_LEN).map(|row| read_row(row, bytes.len())).collect()
}

fn read_row(row: &[u8], file_len: usize) -> Result<Section, SnapshotError> {
    let start = usize::try_from(u64_at(row, 8)).unwrap_or(usize::MAX);
    let len = usize::try_from(u64_at(row, 16)).unwrap_or(usize::MAX);
    let end = start.checked_add(len).filter(|&end| end <= file_len);
    let end = end.ok_or_else(|| SnapshotError::Damaged("a section reaches past the end".into()))?;
    let mut section = Section { tag: [0; 8], range: start..end, hash: [0; 32] };
    section.tag.copy_from_slice(&row[..8]);
    section.hash.copy_from_slice(&row[24..56]);
    Ok(section)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
