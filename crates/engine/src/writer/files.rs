//! Selects the files to process, and finds out what changed in them.

use std::sync::atomic::Ordering;
use std::time::Instant;

use m1nd_base::{Cancel, Limits, Problem, ProblemKind, Progress, RepoPath};
use m1nd_link::Linker;
use m1nd_vfs::{FileMeta, Root, VfsError};

use super::{LinkedFile, Writer, walk_options};
use crate::error::EngineError;
use crate::extract_attempts::Attempts;
use crate::files::{FileEntry, FileTable, Looked};
use crate::history::Histories;
use crate::ingest::extract::{self, Counters, Extracted, Job, OneFile, Outcome, Tools};
use crate::report::{RootInfo, RootWork};
use crate::state::snapshot::root_is_gone;

/// A file that was changed this shortly before it was indexed may have changed again within the same tick of the clock:
/// its size and time prove nothing.
pub(super) const RACY_NS: i64 = 2_000_000_000;

/// Result of walking some roots.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) jobs: Vec<Job>,
    /// Removed files of the index.
    pub(super) removed: Vec<RepoPath>,
    /// Paths that are not indexed, as paths of the index.
    pub(super) skipped: Vec<(String, Problem)>,
    pub(super) looked: Looked,
}

/// A part of the index to be compared with the disk.
pub(super) struct Target<'a> {
    pub(super) root: usize,
    pub(super) info: &'a RootInfo,
    /// All roots: the first one has no prefix, so every path that belongs to no other root is its own.
    pub(super) roots: &'a [RootInfo],
    pub(super) handle: &'a Root,
    pub(super) scope: Option<&'a RepoPath>,
    pub(super) is_file: bool,
}

/// The state that files are compared with.
#[derive(Clone, Copy)]
pub(super) struct Basis<'a> {
    pub(super) files: &'a FileTable,
    pub(super) indexed_at_ms: u64,
    pub(super) limits: &'a Limits,
    pub(super) histories: &'a Histories,
}

/// How thoroughly files are compared with the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Care {
    /// Files of the same size and time are taken to be the same.
    pub(super) trusts_time: bool,
    /// The facts of all files are wanted, not only those of changed ones.
    pub(super) wants_all: bool,
}

/// Result of extraction.
#[derive(Default)]
pub(super) struct Gathered {
    /// Number of files whose facts were passed on.
    pub(super) found: usize,
    /// Same content, other size or time.
    pub(super) touched: Vec<(RepoPath, FileMeta)>,
    pub(super) removed: Vec<RepoPath>,
    pub(super) skipped: Vec<(String, Problem)>,
    pub(super) looked: Looked,
    pub(super) unchanged: usize,
    pub(super) from_cache: usize,
    pub(super) bytes_read: u64,
    pub(super) by_root: Vec<RootWork>,
}

/// Lists the files of a target and compares them with the index.
pub(super) fn scan(
    target: &Target<'_>,
    basis: Basis<'_>,
    care: Care,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Scan, EngineError> {
    let mut scan = Scan::default();
    let mut found: Vec<(RepoPath, FileMeta)> = Vec::new();
    // A single file needs no walk, and is taken even if the rules of the walk leave it out.
    match target.scope.filter(|_| target.is_file) {
        Some(file) => found.push((file.clone(), target.handle.own_metadata(file)?)),
        None => {
            let walk =
                target.handle.walk(&walk_options(target.info, basis.histories), basis.limits, cancel, progress)?;
            let scope = target.scope.map_or("", RepoPath::as_str);
            found.extend(walk.files.into_iter().filter(|(path, _)| path.is_within(scope)));
            let skipped = walk.skipped.into_iter().filter(|(path, _)| m1nd_base::is_within(path, scope));
            scan.skipped = skipped.map(|(path, why)| (format!("{}{path}", target.info.prefix), why)).collect();
        }
    }
    let scope = target.scope.map_or_else(String::new, ToString::to_string);
    scan.looked = look_within(target, &scope);
    for (inner, meta) in found {
        scan.jobs.push(job(target, inner, meta, basis, care));
    }
    // In order, so that the search below and the result do not depend on the walk.
    scan.jobs.sort_by(|a, b| a.path.cmp(&b.path));
    let inside = |entry: &&FileEntry| {
        belongs(target, &entry.path)
            .is_some_and(|inner| target.scope.is_none_or(|scope| inner.is_within(scope.as_str())))
    };
    // What is indexed inside of the scope and was not found has been removed.
    let is_gone = |entry: &&FileEntry| scan.jobs.binary_search_by(|job| job.path.cmp(&entry.path)).is_err();
    let gone = basis.files.iter().filter(inside).filter(is_gone);
    scan.removed = gone.map(|entry| entry.path.clone()).collect();
    Ok(scan)
}

/// Path relative to the target's root of an index path, if it belongs to that root.
fn belongs(target: &Target<'_>, path: &RepoPath) -> Option<RepoPath> {
    let of_another = target.info.prefix.is_empty() && prefixes(target.roots).any(|prefix| path.is_within(prefix));
    if of_another { None } else { target.info.inner(path) }
}

/// The part of the index covered by `scope` in the target's root.
fn look_within(target: &Target<'_>, scope: &str) -> Looked {
    let within = format!("{}{scope}", target.info.prefix).trim_end_matches('/').to_owned();
    let others: Vec<String> = prefixes(target.roots).map(str::to_owned).collect();
    match within.is_empty() && !others.is_empty() {
        true => Looked::Outside(others),
        false => Looked::Within(within),
    }
}

/// Folders of the index that hold the files of the further roots.
fn prefixes(roots: &[RootInfo]) -> impl Iterator<Item = &str> {
    roots.iter().map(|root| root.prefix.trim_end_matches('/')).filter(|prefix| !prefix.is_empty())
}

/// Result for an unreadable root: none of its files, and a problem.
pub(super) fn scan_of_gone(roots: &[RootInfo], info: &RootInfo, old: &FileTable) -> Scan {
    let others = || prefixes(roots).filter(|_| info.prefix.is_empty());
    let inside =
        |entry: &&FileEntry| info.inner(&entry.path).is_some() && !others().any(|prefix| entry.path.is_within(prefix));
    let looked = match others().next() {
        Some(_) => Looked::Outside(others().map(str::to_owned).collect()),
        None => Looked::Within(info.prefix.trim_end_matches('/').to_owned()),
    };
    let shown = if info.prefix.is_empty() { "." } else { info.prefix.trim_end_matches('/') };
    let problem = Problem::new(ProblemKind::Unreadable, root_is_gone(info));
    Scan {
        removed: old.iter().filter(inside).map(|entry| entry.path.clone()).collect(),
        skipped: vec![(shown.to_owned(), problem)],
        looked,
        jobs: Vec::new(),
    }
}

fn job(target: &Target<'_>, inner: RepoPath, meta: FileMeta, basis: Basis<'_>, care: Care) -> Job {
    let path = target.info.outer(&inner);
    let known = basis.files.get(&path);
    let indexed_ns = i64::try_from(basis.indexed_at_ms).unwrap_or(0).saturating_mul(1_000_000);
    let same = known.is_some_and(|entry| entry.size == meta.size && entry.mtime_ns == meta.mtime_ns);
    let racy = meta.mtime_ns.saturating_add(RACY_NS) >= indexed_ns;
    Job {
        path,
        inner,
        root: target.root,
        meta,
        before: known.map(|entry| entry.hash),
        language: known.map(|entry| entry.language),
        unchanged: same && !racy && care.trusts_time,
        always: care.wants_all,
    }
}

/// The job for the facts of a file as the index has it, whatever is on disk now. `None` if it belongs to no root.
pub(super) fn job_as_indexed(roots: &[RootInfo], entry: &FileEntry) -> Option<Job> {
    let within = |root: &RootInfo| !root.prefix.is_empty() && root.inner(&entry.path).is_some();
    let further = roots.iter().position(within);
    let root = further.or_else(|| roots.iter().position(|root| root.prefix.is_empty()))?;
    Some(Job {
        path: entry.path.clone(),
        inner: roots[root].inner(&entry.path)?,
        root,
        meta: FileMeta { size: entry.size, mtime_ns: entry.mtime_ns, ino: 0 },
        before: Some(entry.hash),
        language: Some(entry.language),
        unchanged: true,
        always: true,
    })
}

/// Number of the indexed files of a target that are not among these paths.
pub(super) fn others(target: &Target<'_>, files: &FileTable, paths: &[RepoPath]) -> usize {
    let inside = |entry: &&FileEntry| {
        belongs(target, &entry.path).is_some_and(|inner| {
            target.scope.is_none_or(|scope| inner.is_within(scope.as_str())) && paths.binary_search(&inner).is_err()
        })
    };
    files.iter().filter(inside).count()
}

/// Processes single files named by a watcher.
pub(super) fn scan_paths(target: &Target<'_>, basis: Basis<'_>, paths: &[RepoPath]) -> Result<Scan, EngineError> {
    let mut scan = Scan::default();
    let care = Care { trusts_time: true, wants_all: false };
    scan.looked = Looked::Paths(paths.iter().map(|inner| target.info.outer(inner).to_string()).collect());
    for inner in paths {
        let error = match target.handle.own_metadata(inner) {
            Ok(meta) => {
                scan.jobs.push(job(target, inner.clone(), meta, basis, care));
                continue;
            }
            Err(error) => error,
        };
        let path = target.info.outer(inner);
        // Reported like in the walk: the index must not depend on who noticed the change.
        let problem = match error {
            VfsError::NotRegular { what: "a folder", .. } => None,
            VfsError::NotRegular { what: "a link", .. } => {
                Some(Problem::new(ProblemKind::SymbolicLink, "this is a link"))
            }
            VfsError::NotRegular { what, .. } => Some(Problem::new(ProblemKind::NotRegular, format!("this is {what}"))),
            VfsError::Unreadable { source, .. } => Some(Problem::new(ProblemKind::Unreadable, source.to_string())),
            _ => None,
        };
        scan.skipped.extend(problem.map(|problem| (path.to_string(), problem)));
        if basis.files.get(&path).is_some() {
            scan.removed.push(path);
        }
    }
    scan.jobs.sort_by(|a, b| a.path.cmp(&b.path));
    scan.jobs.dedup_by(|a, b| a.path == b.path);
    Ok(scan)
}

/// Passes on the facts of the jobs' files, in order.
pub(super) fn gather(
    scan: Scan,
    writer: &mut Writer,
    roots: &[Option<Root>],
    take: &mut dyn FnMut(Extracted),
    (cancel, progress): (&Cancel, &dyn Progress),
) -> Result<Gathered, EngineError> {
    let pool = writer.pool()?;
    writer.open_cache();
    let limits = writer.shared.config.limits.clone();
    let attempts = Attempts::below(writer.home.path(), writer.shared.config.probe.clone());
    let one = OneFile { roots, attempts: Some(&attempts), limits: &limits, cancel };
    let tools = Tools { cache: writer.cache.as_deref(), pool: &pool, progress, one };
    let counters = Counters::default();
    let Scan { jobs, removed, skipped, looked } = scan;
    let mut gathered = Gathered { removed, skipped, looked, ..Gathered::default() };
    let linker = writer.linked.as_ref().map(|linked| &linked.linker);
    // A file has a node of its own and one for each definition.
    let nodes_of = |path: &RepoPath| {
        linker.and_then(|linker| linker.definitions_of(path)).map_or(0, |definitions| definitions + 1)
    };
    // Of the whole index, not only of this run.
    let mut nodes: usize = linker.map_or(0, |linker| linker.definition_counts().map(|count| count + 1).sum());
    nodes = gathered.removed.iter().fold(nodes, |nodes, path| nodes.saturating_sub(nodes_of(path)));
    for jobs in jobs.chunk_by(|a, b| a.root == b.root) {
        let started = Instant::now();
        let mut work = RootWork { root: jobs[0].root, ..RootWork::default() };
        extract::extract_all(jobs, tools, &counters, &mut |job, outcome| match outcome {
            Outcome::Facts(file) => {
                work.parsed += usize::from(!file.from_cache);
                work.from_cache += usize::from(file.from_cache && job.before != Some(file.entry.hash));
                let others = nodes.saturating_sub(nodes_of(&job.path));
                let own = file.facts.definitions.len() + 1;
                if others + own > limits.graph_nodes {
                    let detail =
                        format!("{own} nodes beside {others} others, the limit of the graph is {}", limits.graph_nodes);
                    gathered.skipped.push((job.path.to_string(), Problem::new(ProblemKind::GraphLimit, detail)));
                    // The previous entry is obsolete.
                    gathered.removed.extend(job.before.map(|_| job.path.clone()));
                    nodes = others;
                    return;
                }
                nodes = others + own;
                gathered.from_cache += usize::from(file.from_cache);
                gathered.found += 1;
                take(*file);
            }
            Outcome::Same => {
                gathered.unchanged += 1;
                gathered.touched.push((job.path.clone(), job.meta));
            }
            Outcome::Gone => gathered.removed.extend(job.before.map(|_| job.path.clone())),
            Outcome::Unreadable(problem) => {
                gathered.skipped.push((job.path.to_string(), problem));
                gathered.removed.extend(job.before.map(|_| job.path.clone()));
            }
        })?;
        work.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        gathered.by_root.push(work);
    }
    gathered.bytes_read = counters.bytes_read.load(Ordering::Relaxed);
    Ok(gathered)
}

/// Passes files to the linker; returns the data for the writer and the index, in the same order. Uses the thread pool
/// of the caller.
pub(super) fn set_files(linker: &mut Linker, files: Vec<Extracted>) -> Vec<(FileEntry, LinkedFile)> {
    linker.set_files(files.iter().map(|file| (file.entry.path.clone(), file.facts.clone())).collect());
    let rows = files.into_iter().map(|file| {
        let Extracted { mut entry, terms, manifest, .. } = file;
        if let Some(text) = manifest {
            entry.problems.extend(linker.set_manifest(&entry.path, &text));
        } else if Linker::is_manifest(&entry.path) {
            // Too large to be read, or without settings: those of an earlier text must not stay in force.
            linker.set_manifest(&entry.path, "");
        }
        let is_test = entry.is_test;
        (entry, LinkedFile { terms: Some(terms), ids: None, is_test })
    });
    rows.collect()
}
