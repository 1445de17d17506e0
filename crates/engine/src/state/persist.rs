//! The snapshot file: sections of the graph and of the engine.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use m1nd_base::{Derived, Limits, Relation};
use m1nd_graph::{Container, Graph, SnapshotError, Tag, write_container};
use m1nd_link::{LINKER_VERSION, SharedBytes};
use m1nd_vfs::Root;
use serde::{Deserialize, Serialize};

use crate::files::{FileEntry, FileTable, Skipped};
use crate::history::Histories;
use crate::ingest::extract::CACHE_VERSION;
use crate::ingest::json_graph::{Imported, ImportedEdge, ImportedNode};
use crate::kept::cover::Cover;
use crate::kept::search_index::SearchIndex;
use crate::mentions::KeptMentions;
use crate::report::RootInfo;
use crate::state::reasons::{Reasons, ReasonsByLanguage};
use crate::state::snapshot::Snapshot;

const META: Tag = *b"e.meta\0\0";
const FILES: Tag = *b"e.files\0";
const SKIPPED: Tag = *b"e.skip\0\0";
const REASONS: Tag = *b"e.reason";
const IMPORTED: Tag = *b"e.imprt2";
/// Where older snapshots keep imported data: edges there are all certain.
const IMPORTED_BEFORE: Tag = *b"e.import";
const COMPILER: Tag = *b"e.compil";
const HEADS: Tag = *b"e.heads\0";
const MENTIONS: Tag = *b"e.ment1\0";
const LINKER: Tag = *b"e.linker";
/// Versions of the code that produces facts, search terms and edges. A snapshot of other versions still answers, and
/// is reported as outdated until it is rebuilt.
const MAKERS: u32 = CACHE_VERSION * 1_000 + LINKER_VERSION;
/// Marks a file whose facts have other versions.
const UNKNOWN_VERSION: u32 = 0;
/// Longest `e.meta` and `e.import` that is decoded, in bytes.
const MAX_SMALL: usize = 256 << 20;

/// Metadata of a snapshot file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Meta {
    generation: u64,
    indexed_at_ms: u64,
    /// [`MAKERS`] at the time of writing.
    makers: u32,
    roots: Vec<RootInfo>,
    /// Reasons of unresolved references with their number: counting them would read all of the graph.
    reasons: Vec<(String, u64)>,
}

/// Content of a snapshot file.
pub(crate) struct Stored {
    pub(crate) container: Container,
    pub(crate) generation: u64,
    pub(crate) indexed_at_ms: u64,
    pub(crate) roots: Vec<RootInfo>,
    pub(crate) graph: Graph,
    pub(crate) files: Arc<FileTable>,
    pub(crate) skipped: Arc<Skipped>,
    pub(crate) imported: Arc<Vec<Imported>>,
    pub(crate) mentions: Arc<KeptMentions>,
    pub(crate) compiler: Arc<Cover>,
    pub(crate) search: SearchIndex,
    pub(crate) heads: Vec<Option<String>>,
    /// `None`: the file was written before they were kept by language.
    pub(crate) reasons: Option<Reasons>,
    /// Its facts were made by another version of the extractors: correct at the time, to be rebuilt.
    pub(crate) outdated: bool,
}

impl Stored {
    /// The snapshot that the file holds, with open handles of its roots.
    pub(crate) fn into_snapshot(
        self,
        handles: Arc<[Option<Root>]>,
        limits: Limits,
        histories: Arc<Histories>,
    ) -> Snapshot {
        let derived = Derived::new();
        if let Some(reasons) = self.reasons {
            derived.get_or_init(|| reasons);
        }
        Snapshot {
            generation: self.generation,
            graph: self.graph,
            files: self.files,
            skipped: self.skipped,
            roots: self.roots.into(),
            handles,
            indexed_at_ms: self.indexed_at_ms,
            limits,
            outdated: self.outdated,
            is_unlinked: false,
            compiler: self.compiler,
            imported: self.imported,
            mentions: self.mentions,
            search: self.search,
            heads: self.heads.into(),
            histories,
            derived,
        }
    }
}

/// A set of imported data in an older snapshot: source, nodes, edges.
type ImportedBefore = (String, Vec<ImportedNode>, Vec<(String, String, Relation)>);

fn decode_imported(container: &Container) -> Result<Vec<Imported>, SnapshotError> {
    if !container.section(&IMPORTED).is_empty() || container.section(&IMPORTED_BEFORE).is_empty() {
        return decode_new(container, &IMPORTED);
    }
    let before: Vec<ImportedBefore> = decode_new(container, &IMPORTED_BEFORE)?;
    let edge = |(from, to, relation)| ImportedEdge { from, to, relation, possible: false };
    let set = |(source, nodes, edges): ImportedBefore| Imported {
        source,
        nodes,
        edges: edges.into_iter().map(edge).collect(),
    };
    Ok(before.into_iter().map(set).collect())
}

/// Opens a snapshot file. The engine's own sections are checked whole, those of the graph and the search index are
/// mapped and left to [`Container::verify`].
///
/// # Errors
/// See [`SnapshotError`].
pub(crate) fn open(path: &Path) -> Result<Stored, SnapshotError> {
    let container = Container::open(path)?;
    // These are decoded at once, so damage would show as wrong content. Other sections are checked when they are used.
    for tag in [META, FILES] {
        container.verify_section(&tag)?;
    }
    let meta: Meta = decode(&container, &META)?;
    let files: FileTable = decode(&container, &FILES)?;
    let skipped: Skipped = decode_new(&container, &SKIPPED)?;
    let compiler: Cover = decode_new(&container, &COMPILER)?;
    let heads: Vec<Option<String>> = decode_new(&container, &HEADS)?;
    // Snapshots of earlier versions lack this section.
    let by_language: Option<ReasonsByLanguage> = if container.section(&REASONS).is_empty() {
        None
    } else {
        container.verify_section(&REASONS)?;
        Some(decode(&container, &REASONS)?)
    };
    let imported = decode_imported(&container)?;
    let graph = Graph::from_container(container.clone())?;
    let search = SearchIndex::open(&container)?;
    Ok(Stored {
        generation: meta.generation,
        indexed_at_ms: meta.indexed_at_ms,
        roots: meta.roots,
        reasons: by_language.map(|by_language| Reasons { all: meta.reasons, by_language }),
        graph,
        files: Arc::new(files),
        skipped: Arc::new(skipped),
        imported: Arc::new(imported),
        mentions: Arc::new(decode_new(&container, &MENTIONS)?),
        compiler: Arc::new(compiler),
        search,
        heads,
        outdated: meta.makers != MAKERS,
        container,
    })
}

/// What the linker remembered when the snapshot was written; `None` if it was not stored, or is damaged: then all files
/// are linked again.
pub(crate) fn linker_state(container: &Container) -> Option<SharedBytes> {
    let is_sound = !container.section(&LINKER).is_empty() && container.verify_section(&LINKER).is_ok();
    is_sound.then(|| Arc::new(LinkerSection(container.clone())) as SharedBytes)
}

/// The linker's section of a mapped file, which stays mapped as long as it is used.
struct LinkerSection(Container);

impl AsRef<[u8]> for LinkerSection {
    fn as_ref(&self) -> &[u8] {
        self.0.section(&LINKER)
    }
}

/// Where a snapshot belongs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'p> {
    /// Its root.
    pub(crate) root: &'p Path,
    pub(crate) generation: u64,
    /// The checked-out commit.
    pub(crate) commit: Option<&'p str>,
}

/// Writes a snapshot file as that of another place, without times, and without the files that were left out. Every file
/// is compared by content at the next ingest. The stored state must have one root.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_for(stored: &Stored, place: Place<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut meta: Meta = decode(&stored.container, &META).map_err(io::Error::other)?;
    meta.generation = place.generation;
    // Before any time of a file: none counts as unchanged by its time.
    meta.indexed_at_ms = 0;
    for known in &mut meta.roots {
        known.path = place.root.to_owned();
    }
    let without_time = |entry: &FileEntry| FileEntry { mtime_ns: 0, ..entry.clone() };
    let files = encode(&FileTable::new(stored.files.iter().map(without_time).collect()))?;
    let (meta, skipped) = (encode(&meta)?, encode(&Skipped::default())?);
    let heads = encode([place.commit].as_slice())?;
    let replaced = |tag: Tag, bytes| match tag {
        META => (tag, meta.as_slice()),
        FILES => (tag, files.as_slice()),
        SKIPPED => (tag, skipped.as_slice()),
        HEADS => (tag, heads.as_slice()),
        _ => (tag, bytes),
    };
    let sections = stored.container.sections();
    let sections: Vec<(Tag, &[u8])> = sections.into_iter().map(|(tag, bytes)| replaced(tag, bytes)).collect();
    write_container(out, &sections)
}

/// A section that earlier files do not have.
fn decode_new<T: Default + for<'d> Deserialize<'d>>(container: &Container, tag: &Tag) -> Result<T, SnapshotError> {
    if container.section(tag).is_empty() {
        return Ok(T::default());
    }
    container.verify_section(tag)?;
    decode(container, tag)
}

fn decode<T: for<'d> Deserialize<'d>>(container: &Container, tag: &Tag) -> Result<T, SnapshotError> {
    let bytes = container.section(tag);
    let name = || String::from_utf8_lossy(tag).trim_end_matches('\0').to_owned();
    if bytes.len() > MAX_SMALL {
        return Err(SnapshotError::Damaged(format!("size of section `{}`", name())));
    }
    postcard::from_bytes(bytes).map_err(|_| SnapshotError::Damaged(format!("content of section `{}`", name())))
}

/// Writes a snapshot whose graph and search index have no changes over their bases, and what the linker remembers of
/// it, if that is known.
///
/// # Errors
/// Those of `out`; [`io::ErrorKind::InvalidInput`] if there are such changes.
pub(crate) fn write(snapshot: &Snapshot, linker: Option<&[u8]>, out: &mut dyn Write) -> io::Result<()> {
    // Only sections without an overlay can be written as they are.
    let unpacked = || io::Error::new(io::ErrorKind::InvalidInput, "the snapshot must be packed before it is written");
    let meta = Meta {
        generation: snapshot.generation,
        indexed_at_ms: snapshot.indexed_at_ms,
        makers: if snapshot.outdated { UNKNOWN_VERSION } else { MAKERS },
        roots: snapshot.roots.to_vec(),
        reasons: snapshot.unresolved_reasons(),
    };
    // Everything is encoded first, since the header of the file needs the lengths of all sections.
    let meta = encode(&meta)?;
    let files = encode(&*snapshot.files)?;
    let skipped = encode(&*snapshot.skipped)?;
    let reasons = encode(&snapshot.reasons().by_language)?;
    let imported = encode(&*snapshot.imported)?;
    let compiler = encode(&*snapshot.compiler)?;
    let heads = encode(&*snapshot.heads)?;
    let mentions = encode(&*snapshot.mentions)?;
    let mut sections = snapshot.graph.sections().ok_or_else(unpacked)?;
    let search = snapshot.search.packed_sections().ok_or_else(unpacked)?;
    sections.extend(search);
    sections.push((META, &meta));
    sections.push((FILES, &files));
    sections.push((SKIPPED, &skipped));
    sections.push((REASONS, &reasons));
    sections.push((IMPORTED, &imported));
    sections.push((COMPILER, &compiler));
    sections.push((HEADS, &heads));
    sections.push((MENTIONS, &mentions));
    sections.extend(linker.map(|linker| (LINKER, linker)));
    write_container(out, &sections)
}

fn encode<T: Serialize + ?Sized>(value: &T) -> io::Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
