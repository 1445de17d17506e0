//! Repositories beside the indexed ones that the project speaks of: links, settings, paths and manifests.
//!
//! Of a path outside of the roots no more is found out than whether it exists and which folder above it is a
//! repository's root: nothing there is read or listed. Only of repositories that a person allowed to read, the texts
//! are compared with those of the project.

mod evidence;
mod manifests;
mod names;
mod profile;
mod siblings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use m1nd_base::{Cancel, Cancelled, Deadline, NodeKind, RepoPath, node_id};
use m1nd_engine::{FileEntry, OutsidePath, Snapshot, texts_of};
use m1nd_graph::EdgeRef;
use rayon::prelude::*;

pub use evidence::Evidence;
use evidence::{is_plausible, mentions};
pub use names::{names_of, namespace};
use profile::Profile;
pub use siblings::Sibling;

/// Time for reading. Files not read by then are counted.
const BUDGET: Duration = Duration::from_millis(3_000);
/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Paths outside that are looked at.
const MAX_PATHS: usize = 2_000;
/// Files of another repository that are compared, and time for that.
const MAX_COMPARED: usize = 5_000;
const COMPARING: Duration = Duration::from_millis(1_500);
/// Routes in common that leave no doubt.
const SURE_ROUTES: usize = 2;
/// Files read between two looks at the clock.
const CHUNK: usize = 256;
/// Paths, files and nodes listed of a repository.
const SAMPLES: usize = 5;
/// Paths listed that lead to no repository.
const MAX_SKIPPED: usize = 100;

/// One place that speaks of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub file: RepoPath,
    /// Line, 1-based.
    pub line: u32,
    /// How.
    pub evidence: Evidence,
}

/// A repository that the project speaks of.
#[derive(Debug, Clone)]
pub struct Discovered {
    /// Short name, unique in the answer.
    pub namespace: String,
    /// Its root.
    pub root: PathBuf,
    /// The file or folder that marks the root.
    pub marker: &'static str,
    /// The strongest evidence leaves no doubt that the path is meant.
    pub is_high: bool,
    /// Places, strongest first.
    pub sources: Vec<Source>,
    /// Paths inside of it that are named.
    pub paths: Vec<String>,
}

/// The reason why a path leads to no repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// Nothing is there.
    Missing,
    /// No folder above it has the mark of a repository.
    NoRepository,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// Repositories, strongest evidence first.
    pub found: Vec<Discovered>,
    /// Folders beside the roots whose names are those of packages that the project uses, and that may not be read: not
    /// known to have them.
    pub unread: Vec<Sibling>,
    /// Paths that lead to none.
    pub skipped: Vec<(String, Skipped, Source)>,
    /// Files that were not read: for lack of time, too large, or unreadable.
    pub files_left: usize,
    /// Paths that were not looked at.
    pub paths_left: usize,
}

/// Finds the repositories that indexed files speak of, and those of `readable` (roots that a person allowed to read)
/// that share a package, a contract or routes with the project.
///
/// # Errors
/// When cancelled.
pub fn discover(
    snapshot: &Snapshot,
    scope: &str,
    readable: &[PathBuf],
    cancel: &Cancel,
) -> Result<Discovery, Cancelled> {
    let mut files: Vec<&FileEntry> = snapshot.files().within(scope).collect();
    // Documents and settings say more than code, and are fewer.
    files.sort_by_key(|file| (!file.language.is_prose(), file.is_test));
    let reading = Deadline::after(BUDGET);
    let mut discovery = Discovery::default();
    let mut by_path: BTreeMap<PathBuf, Vec<Source>> = BTreeMap::new();
    let mut own = Profile::default();
    let mut chunks = files.chunks(CHUNK);
    for chunk in chunks.by_ref() {
        cancel.check()?;
        let found: Vec<Option<Spoken>> = chunk.par_iter().map(|file| spoken_of(snapshot, file)).collect();
        discovery.files_left += found.iter().filter(|rows| rows.is_none()).count();
        for (file, (rows, text)) in chunk.iter().zip(found).filter_map(|(file, found)| Some((file, found?))) {
            for (path, source) in rows {
                by_path.entry(path).or_default().push(source);
            }
            if !readable.is_empty() {
                own.add(&file.path, &text);
            }
        }
        if reading.is_over() {
            break;
        }
    }
    discovery.files_left += chunks.map(<[_]>::len).sum::<usize>();
    discovery.paths_left = by_path.len().saturating_sub(MAX_PATHS);
    let mut repositories = gather(&mut discovery, by_path, snapshot);
    let imports = imports(snapshot);
    for root in readable {
        cancel.check()?;
        compare(&mut discovery, &mut repositories, root, &own, &imports, cancel)?;
    }
    let known = repositories.keys().chain(readable).map(PathBuf::as_path).collect();
    discovery.unread = siblings::unread(snapshot, &imports, &known);
    discovery.found = in_order(repositories, readable, snapshot);
    Ok(discovery)
}

/// Adds what the project shares with a repository that may be read.
fn compare(
    discovery: &mut Discovery,
    repositories: &mut BTreeMap<PathBuf, Discovered>,
    root: &Path,
    own: &Profile,
    imports: &BTreeMap<String, Vec<(RepoPath, u32)>>,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let texts = texts_of(root, MAX_COMPARED, MAX_BYTES, COMPARING, cancel)?;
    discovery.files_left += texts.left;
    let mut other = Profile::default();
    texts.files.iter().for_each(|(path, text)| other.add(path, text));
    let shared = own.list_shared(&other, imports);
    let OutsidePath::Repository { marker, .. } = OutsidePath::at(root) else { return Ok(()) };
    if shared.is_empty() {
        return Ok(());
    }
    let row = repositories.entry(root.to_owned()).or_insert_with(|| Discovered::new(root.to_owned(), marker));
    row.is_high |= own.shared_routes(&other) >= SURE_ROUTES;
    for found in shared {
        row.sources.extend(found.here.into_iter().map(|(file, line)| Source { file, line, evidence: found.evidence }));
        row.paths.extend(found.there.map(|place| root.join(place).to_string_lossy().into_owned()));
    }
    Ok(())
}

/// The packages outside of the project that its files use, with some places of each.
fn imports(snapshot: &Snapshot) -> BTreeMap<String, Vec<(RepoPath, u32)>> {
    let graph = snapshot.graph();
    let mut found: BTreeMap<String, Vec<(RepoPath, u32)>> = BTreeMap::new();
    for node in graph.nodes().filter(|node| graph.kind(*node) == NodeKind::Package) {
        let Some(name) = node_id::outside_path(graph.id(node)) else { continue };
        let place = |edge: EdgeRef<'_>| {
            Some((RepoPath::new(graph.path(edge.from)).ok()?, edge.sites.first().map_or(1, |site| site.line)))
        };
        let places: Vec<_> = graph.in_edges(node).filter_map(place).take(SAMPLES).collect();
        found.entry(name.to_owned()).or_default().extend(places);
    }
    found
}

/// The plausible paths outside of all roots that a file speaks of, and its text.
type Spoken = (Vec<(PathBuf, Source)>, String);

/// What a file speaks of; `None` if it is not read.
fn spoken_of(snapshot: &Snapshot, file: &FileEntry) -> Option<Spoken> {
    let (root, inner) = snapshot.locate(&file.path)?;
    let folder = root.path().join(inner.as_str());
    let folder = folder.parent().unwrap_or(root.path());
    let bytes = snapshot.read_bytes(&file.path).ok().filter(|bytes| bytes.len() as u64 <= MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let rows = mentions(&file.path, &text).into_iter().filter_map(|mention| {
        let path = plain(&folder.join(&mention.path))?;
        let is_outside =
            !snapshot.roots().iter().any(|root| path.starts_with(&root.path) || root.path.starts_with(&path));
        let plausible = is_outside && (mention.evidence.rank() == 2 || is_plausible(path.to_str()?));
        let source = Source { file: file.path.clone(), line: mention.line, evidence: mention.evidence };
        plausible.then_some((path, source))
    });
    let rows = rows.collect();
    Some((rows, text.into_owned()))
}

/// A path without `.` and `..`, by its text alone.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop().then_some(())?;
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// The repositories that these paths belong to.
fn gather(
    discovery: &mut Discovery,
    by_path: BTreeMap<PathBuf, Vec<Source>>,
    snapshot: &Snapshot,
) -> BTreeMap<PathBuf, Discovered> {
    let mut repositories: BTreeMap<PathBuf, Discovered> = BTreeMap::new();
    for (path, sources) in by_path.into_iter().take(MAX_PATHS) {
        let text = path.to_string_lossy().into_owned();
        let reason = match OutsidePath::at(&path) {
            OutsidePath::Repository { root, marker } => {
                let is_indexed = snapshot.roots().iter().any(|own| own.path.starts_with(&root));
                if is_indexed {
                    continue;
                }
                let row = repositories.entry(root.clone()).or_insert_with(|| Discovered::new(root, marker));
                row.sources.extend(sources);
                row.paths.push(text);
                continue;
            }
            OutsidePath::Missing => Skipped::Missing,
            OutsidePath::NoRepository => Skipped::NoRepository,
        };
        // A quoted text that begins with a slash and names nothing is no path.
        let source = sources.into_iter().min_by_key(|source| source.evidence);
        if let Some(source) = source.filter(|source| source.evidence != Evidence::QuotedPath)
            && discovery.skipped.len() < MAX_SKIPPED
        {
            discovery.skipped.push((text, reason, source));
        }
    }
    repositories
}

/// The repositories by strength of their evidence, with their names.
fn in_order(repositories: BTreeMap<PathBuf, Discovered>, readable: &[PathBuf], snapshot: &Snapshot) -> Vec<Discovered> {
    let mut found: Vec<Discovered> = repositories.into_values().collect();
    for row in &mut found {
        row.sources.sort_by(|a, b| (a.evidence, &a.file, a.line).cmp(&(b.evidence, &b.file, b.line)));
        row.sources.dedup();
        row.is_high |= row.sources.iter().any(|source| source.evidence.is_high());
        row.paths.truncate(SAMPLES);
    }
    found.sort_by(|a, b| order(a).cmp(&order(b)));
    name(&mut found, readable, snapshot);
    found
}

/// Rank of the evidence, doubt, number of files that speak of it (more is earlier), path.
fn order(row: &Discovered) -> (u8, bool, std::cmp::Reverse<usize>, &Path) {
    let rank = row.sources.iter().map(|source| source.evidence.rank()).min().unwrap_or(u8::MAX);
    (rank, !row.is_high, std::cmp::Reverse(row.files().len()), &row.root)
}

impl Discovered {
    fn new(root: PathBuf, marker: &'static str) -> Self {
        Self { namespace: String::new(), root, marker, is_high: false, sources: Vec::new(), paths: Vec::new() }
    }

    /// Files that speak of it, in order of their paths.
    pub fn files(&self) -> BTreeSet<&RepoPath> {
        self.sources.iter().map(|source| &source.file).collect()
    }

    /// Node ids of these files.
    pub fn nodes(&self) -> Vec<String> {
        self.files().into_iter().map(node_id::file).collect()
    }

    /// The kinds of evidence, strongest first.
    pub fn evidence(&self) -> Vec<Evidence> {
        let kinds: BTreeSet<Evidence> = self.sources.iter().map(|source| source.evidence).collect();
        kinds.into_iter().collect()
    }
}

/// Gives each a name that no other has.
fn name(found: &mut [Discovered], readable: &[PathBuf], snapshot: &Snapshot) {
    let mut taken = names::list_taken(snapshot);
    for row in found {
        let may_read = readable.contains(&row.root);
        row.namespace = names_of(&row.root, may_read).find(|name| taken.insert(name.clone())).unwrap_or_default();
    }
}
