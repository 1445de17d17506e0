//! Compares a snapshot with the disk and changes nothing: which files an incremental ingest would process.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use m1nd_base::{Cancel, ContentHash, Deadline, ProblemKind, Progress, ProgressEvent, RepoPath};
use m1nd_vfs::{FileMeta, Root};
use rayon::prelude::*;

use super::files::{self, Basis, Care, RACY_NS};
use super::ingest;
use crate::error::EngineError;
use crate::ingest::extract::{self, Job};
use crate::report::Freshness;
use crate::state::shared::Shared;
use crate::state::snapshot::{Snapshot, open_root};

/// Files whose content is compared between two looks at the clock.
const BATCH: usize = 64;

/// Files whose content was found to be the indexed one although their stamps did not prove it, with the stamp and the
/// hash that were compared: they need not be read again while both are the same.
pub(crate) type Proven = BTreeMap<RepoPath, (FileMeta, ContentHash)>;

/// Ends a walk at the deadline or when the caller gives up.
struct Bound<'a> {
    deadline: Deadline,
    caller: &'a Cancel,
    /// What the walk polls.
    stop: Cancel,
}

impl Bound<'_> {
    fn is_over(&self) -> bool {
        let over = self.deadline.is_over() || self.caller.is_cancelled();
        if over {
            self.stop.cancel();
        }
        over
    }
}

impl Progress for Bound<'_> {
    fn report(&self, _event: ProgressEvent) {
        self.is_over();
    }
}

/// Compares all roots until the deadline; what is left then makes the result incomplete.
pub(crate) fn compare(
    shared: &Shared,
    snapshot: &Snapshot,
    proven: &mut Proven,
    deadline: Deadline,
    caller: &Cancel,
) -> Freshness {
    let bound = Bound { deadline, caller, stop: Cancel::new() };
    let mut found = Freshness::of_all();
    for number in 0..snapshot.roots.len() {
        compare_root(shared, snapshot, number, proven, &bound, &mut found);
    }
    found
}

fn compare_root(
    shared: &Shared,
    snapshot: &Snapshot,
    number: usize,
    proven: &mut Proven,
    bound: &Bound<'_>,
    found: &mut Freshness,
) {
    let info = &snapshot.roots[number];
    if !shared.allows(&info.path) {
        // It must not be read, so nothing is known of it.
        found.complete = false;
        return;
    }
    let known = snapshot.handles.get(number).cloned().flatten().filter(Root::is_at_path);
    let mut handles = vec![None; snapshot.roots.len()];
    handles[number] = known.or_else(|| open_root(info).ok());
    let (jobs, removed) = match list(snapshot, &handles, number, bound) {
        Ok(listed) => listed,
        Err(_) => {
            found.complete = false;
            return;
        }
    };
    removed.into_iter().for_each(|path| found.add(path));
    let Some(root) = &handles[number] else { return };
    // Those whose stamps do not prove that they are as indexed.
    let open: Vec<&Job> = jobs.iter().filter(|job| !job.unchanged && !is_proven(proven, job)).collect();
    for batch in open.chunks(BATCH) {
        if bound.is_over() {
            found.complete = false;
            return;
        }
        let same: Vec<bool> = batch.par_iter().map(|job| is_same(snapshot, root, job)).collect();
        for (job, same) in batch.iter().zip(same) {
            match job.before.filter(|_| same && !is_recent(job.meta)) {
                Some(hash) => drop(proven.insert(job.path.clone(), (job.meta, hash))),
                None => drop(proven.remove(&job.path)),
            }
            if !same {
                found.add(job.path.clone());
            }
        }
    }
}

/// The listed files of a root, and those of the index that are not among them.
fn list(
    snapshot: &Snapshot,
    handles: &[Option<Root>],
    number: usize,
    bound: &Bound<'_>,
) -> Result<(Vec<Job>, Vec<RepoPath>), EngineError> {
    let (roots, info) = (&snapshot.roots, &snapshot.roots[number]);
    if handles[number].is_none() {
        return Ok((Vec::new(), files::scan_of_gone(roots, info, &snapshot.files).removed));
    }
    let target = ingest::target(roots, handles, number, None, false)?;
    let basis = Basis {
        files: &snapshot.files,
        indexed_at_ms: snapshot.indexed_at_ms,
        limits: &snapshot.limits,
        histories: &snapshot.histories,
    };
    let care = Care { trusts_time: true, wants_all: false };
    let scan = files::scan(&target, basis, care, &bound.stop, bound)?;
    Ok((scan.jobs, scan.removed))
}

fn is_proven(proven: &Proven, job: &Job) -> bool {
    proven.get(&job.path).is_some_and(|(meta, hash)| *meta == job.meta && Some(*hash) == job.before)
}

/// Returns whether the file may change again without getting another time.
fn is_recent(meta: FileMeta) -> bool {
    #[allow(clippy::disallowed_methods, reason = "times of files are compared with the clock of the system")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    meta.mtime_ns.saturating_add(RACY_NS) >= i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns whether an ingest of this file would leave the index as it is.
fn is_same(snapshot: &Snapshot, root: &Root, job: &Job) -> bool {
    if job.before.is_some() {
        return extract::is_as_indexed(job, root, &snapshot.limits);
    }
    let rows = snapshot.skipped.rows();
    let skipped = rows.binary_search_by(|(path, _)| path.as_str().cmp(job.path.as_str()));
    match skipped.ok().map(|row| rows[row].1.kind) {
        // The graph was full when it was read.
        Some(ProblemKind::GraphLimit) => true,
        Some(ProblemKind::Unreadable) => extract::is_as_indexed(job, root, &snapshot.limits),
        _ => false,
    }
}
