//! Runs the checks and draws the verdict from them.

use std::collections::BTreeMap;

use m1nd_base::count;
use m1nd_engine::{ProcessRole, Snapshot, Status, StoredCheck, WatchState};
use m1nd_query::self_test::{Heads, heads, round_trip, sample_files};

use super::binding::{Mismatch, Reception, mismatch, reception};
use super::surface::{Surface, surface};
use super::{Check, CheckName, Outcome, TrustMode};
use crate::framework::{ReadContext, ToolError};
use crate::word::Word;

/// Files shown that differ from the index.
const SHOWN_FILES: usize = 3;
/// Characters shown of an error that the caller was given.
const SHOWN_ERROR: usize = 300;
/// Characters of a commit id that are shown.
const COMMIT: usize = 12;

/// How much is read for the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// A few files; the stored snapshot counts as sound if this process has compared it before, or if it is small.
    Quick,
    /// More files, and the whole stored snapshot up to [`Depth::stored_bytes`].
    Full,
}

impl Depth {
    /// Files that are compared by content.
    const fn files(self) -> usize {
        match self {
            Self::Quick => 12,
            Self::Full => 64,
        }
    }

    /// Largest stored snapshot that is compared with its checksums, in bytes: some 10 ms, some 2 s.
    const fn stored_bytes(self) -> u64 {
        match self {
            Self::Quick => 8 << 20,
            Self::Full => 2 << 30,
        }
    }
}

/// What the caller has seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    pub(crate) observed_tool_count: Option<usize>,
    pub(crate) available_tools: Vec<String>,
    pub(crate) missing_tools: Vec<String>,
    /// The folder or file that the caller works on.
    pub(crate) scope: Option<String>,
    /// `proof_state` of an earlier answer, the tool that gave it, its number of results, its error.
    pub(crate) observed_proof_state: Option<String>,
    pub(crate) observed_tool: Option<String>,
    pub(crate) observed_candidates: Option<usize>,
    pub(crate) error_text: Option<String>,
}

/// The checks with their verdict.
#[derive(Debug)]
pub(crate) struct Inspection {
    pub(crate) mode: TrustMode,
    pub(crate) checks: Vec<Check>,
    /// Milliseconds that each check took.
    pub(crate) cost_ms: BTreeMap<Word<CheckName>, f64>,
    pub(crate) surface: Surface,
    pub(crate) mismatch: Option<Mismatch>,
    pub(crate) reception: Option<Reception>,
    pub(crate) status: Status,
    /// This process, or the command line that it belongs to, can index.
    pub(crate) can_ingest: bool,
    /// The error that the caller was given, shortened.
    pub(crate) error_text: Option<String>,
}

impl Inspection {
    /// Returns whether a check of this name has this result.
    pub(crate) fn has(&self, check: CheckName, result: Outcome) -> bool {
        self.checks.iter().any(|row| row.check.0 == check && row.result == result)
    }

    /// The failed checks.
    pub(crate) fn list_failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|row| row.result == Outcome::Fail)
    }
}

/// Runs the checks one after the other.
struct Run<'a, 'c> {
    cx: &'a ReadContext<'c>,
    checks: Vec<Check>,
    cost_ms: BTreeMap<Word<CheckName>, f64>,
}

impl Run<'_, '_> {
    fn add(&mut self, check: impl FnOnce(&Self) -> Result<Check, ToolError>) -> Result<(), ToolError> {
        self.cx.cancel().check()?;
        let (check, took) = self.cx.time_work(|| check(self));
        let check = check?;
        self.cost_ms.insert(check.check, took);
        self.checks.push(check);
        Ok(())
    }
}

/// Runs the checks of this depth.
pub(crate) fn inspect(cx: &ReadContext<'_>, evidence: &Evidence, depth: Depth) -> Result<Inspection, ToolError> {
    let (snapshot, status) = (cx.snapshot(), cx.status());
    let surface = surface(cx, evidence);
    let mismatch = evidence.scope.as_deref().and_then(|scope| mismatch(snapshot, &status, scope));
    let reception = reception(cx.memory(), &status, cx.answers_once());
    let mut run = Run { cx, checks: Vec::new(), cost_ms: BTreeMap::new() };
    run.add(|_| Ok(surface.check()))?;
    run.add(|_| Ok(workspace(cx, mismatch.as_ref(), reception.as_ref())))?;
    run.add(|_| Ok(check_populated(snapshot, &status)))?;
    run.add(|_| Ok(store(&status)))?;
    if !snapshot.is_empty() {
        let mut sampled = None;
        run.add(|_| {
            let sample = sample_files(snapshot, depth.files(), cx.cancel())?;
            let check = files(&sample);
            sampled = Some(sample);
            Ok(check)
        })?;
        let sample = sampled.unwrap_or_default();
        run.add(|_| Ok(disk(cx, &status)))?;
        let is_fresh = run.checks.last().is_some_and(|check| check.result == Outcome::Pass);
        run.add(|_| found_again(cx, &sample))?;
        run.add(|_| Ok(check_stored(cx.check_stored(depth.stored_bytes()))))?;
        run.add(|_| Ok(head(snapshot, is_fresh)))?;
    }
    if let Some(check) = check_observed(evidence) {
        run.add(|_| Ok(check))?;
    }
    let Run { checks, cost_ms, .. } = run;
    let can_ingest = status.role == ProcessRole::Writer || cx.answers_once();
    let mode = mode(&checks, can_ingest);
    let error_text = evidence.error_text.as_ref().map(|text| text.chars().take(SHOWN_ERROR).collect());
    Ok(Inspection { mode, checks, cost_ms, surface, mismatch, reception, status, can_ingest, error_text })
}

/// The checks that say that the index is not what is on disk, or does not find what it holds.
const UNSOUND: [CheckName; 6] = [
    CheckName::Files,
    CheckName::Disk,
    CheckName::RoundTrip,
    CheckName::Snapshot,
    CheckName::GitHead,
    CheckName::Observed,
];

/// The verdict. The more basic a fault, the earlier it counts.
fn mode(checks: &[Check], can_ingest: bool) -> TrustMode {
    let failed = |name: CheckName| checks.iter().any(|row| row.check.0 == name && row.result == Outcome::Fail);
    match () {
        () if failed(CheckName::HostTools) => TrustMode::DegradedHostToolSurface,
        () if failed(CheckName::Workspace) => TrustMode::WrongWorkspaceBinding,
        () if failed(CheckName::Index) && can_ingest => TrustMode::NeedsIngest,
        () if failed(CheckName::Index) => TrustMode::OrientationOnly,
        () if UNSOUND.iter().any(|name| failed(*name)) => TrustMode::StaleBindingSuspected,
        () => TrustMode::FullTrust,
    }
}

fn workspace(cx: &ReadContext<'_>, mismatch: Option<&Mismatch>, reception: Option<&Reception>) -> Check {
    const NAME: CheckName = CheckName::Workspace;
    match (mismatch, reception) {
        (Some(mismatch), _) => Check::fail(NAME, mismatch.message.clone()),
        (None, Some(reception)) if reception.is_declared => Check::fail(NAME, reception.honest.clone()),
        // A server may be meant for another folder than the one that it is started in.
        (None, Some(reception)) => Check::leave_unknown(NAME, reception.honest.clone()),
        (None, None) if cx.memory().caller_places().folders.is_empty() => {
            Check::leave_unknown(NAME, "the client does not say which folder it has open")
        }
        (None, None) => Check::pass(NAME, "the caller's folder is one that this server is for"),
    }
}

fn check_populated(snapshot: &Snapshot, status: &Status) -> Check {
    const NAME: CheckName = CheckName::Index;
    let now =
        status.activity.as_ref().map(|now| format!("; an ingest is at stage `{}`", now.stage)).unwrap_or_default();
    let (nodes, files) = (snapshot.graph().node_count(), snapshot.files().len());
    match snapshot.is_empty() || nodes == 0 {
        true => Check::fail(NAME, format!("nothing is indexed{now}")),
        false => Check::pass(
            NAME,
            format!("the repository is indexed: {} of {}{now}", count(nodes, "node"), count(files, "file")),
        ),
    }
}

/// What the caller has seen of an answer; `None` if it says nothing.
fn check_observed(evidence: &Evidence) -> Option<Check> {
    const NAME: CheckName = CheckName::Observed;
    let tool = evidence.observed_tool.as_deref().unwrap_or("a tool");
    if let Some(error) = &evidence.error_text {
        let shown: String = error.chars().take(SHOWN_ERROR).collect();
        return Some(Check::leave_unknown(NAME, format!("`{tool}` failed: {shown}")));
    }
    match (evidence.observed_proof_state.as_deref(), evidence.observed_candidates) {
        (Some("blocked"), _) => Some(Check::fail(NAME, format!("`{tool}` answered `blocked`"))),
        // There may be none.
        (_, Some(0)) => {
            Some(Check::leave_unknown(NAME, format!("`{tool}` found nothing, which alone proves no fault")))
        }
        (Some(_), _) | (_, Some(_)) => Some(Check::pass(NAME, format!("`{tool}` gave an answer"))),
        (None, None) => None,
    }
}

fn store(status: &Status) -> Check {
    const NAME: CheckName = CheckName::Store;
    let watch = match &status.watch {
        WatchState::Failed(why) => Some(format!("files are not watched: {why}")),
        WatchState::On | WatchState::Off => None,
    };
    let notices: Vec<String> = status.notices.iter().cloned().chain(watch).collect();
    match notices.is_empty() {
        true => Check::pass(NAME, "no damage was found"),
        false => Check::fail(NAME, notices.join("; ")),
    }
}

fn files(sample: &m1nd_query::self_test::Sample) -> Check {
    const NAME: CheckName = CheckName::Files;
    let compared = format!("{} of {}", sample.compared.len(), count(sample.of, "file"));
    let cost = format!("{} read, {} bytes", count(sample.compared.len(), "file"), sample.bytes);
    let named = |paths: &[String]| paths.iter().take(SHOWN_FILES).cloned().collect::<Vec<_>>().join(", ");
    let check = match (sample.differing.len(), sample.unreadable.len()) {
        (0, 0) if sample.compared.is_empty() => Check::leave_unknown(NAME, "no file could be compared"),
        (0, 0) => Check::pass(NAME, format!("{compared} have the content that was indexed")),
        (0, unread) => Check::leave_unknown(
            NAME,
            format!("{} cannot be read: {}", count(unread, "file"), named(&sample.unreadable)),
        ),
        (changed, _) => {
            let what = format!("{changed} of {} compared differ from the index", sample.compared.len());
            Check::fail(NAME, format!("{what}: {}", named(&sample.differing)))
        }
    };
    check.cost(cost)
}

/// Compares the names, sizes and times of all files.
fn disk(cx: &ReadContext<'_>, status: &Status) -> Check {
    const NAME: CheckName = CheckName::Disk;
    if let Some(now) = &status.activity {
        return Check::leave_unknown(NAME, format!("an ingest is at stage `{}`", now.stage));
    }
    if cx.is_caught_up() {
        return Check::pass(NAME, "the index was brought up to date with the disk for this answer");
    }
    let found = cx.freshness();
    let named = found.changed.iter().take(SHOWN_FILES).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let least = if found.complete { "" } else { "at least " };
    match (found.total, found.complete) {
        (0, true) => Check::pass(NAME, "no file was changed, added or removed since it was indexed"),
        (0, false) => Check::leave_unknown(NAME, "the files could not all be compared in time"),
        (1, _) => Check::fail(NAME, format!("{least}1 file changed since it was indexed: {named}")),
        (total, _) => Check::fail(NAME, format!("{least}{total} files changed since they were indexed: {named}")),
    }
    .cost("times and sizes of all files")
}

fn found_again(cx: &ReadContext<'_>, sample: &m1nd_query::self_test::Sample) -> Result<Check, ToolError> {
    const NAME: CheckName = CheckName::RoundTrip;
    let differing: Vec<String> = sample.differing.iter().chain(&sample.unreadable).cloned().collect();
    let trip = round_trip(cx.snapshot(), &sample.compared, &differing, cx.cancel())?;
    let Some(node) = trip.node else {
        return Ok(Check::leave_unknown(NAME, "no compared file has a symbol with a name of its own"));
    };
    let id = cx.snapshot().graph().id(node);
    let check = match trip.failed.is_empty() {
        true => Check::pass(NAME, format!("`{id}` is found in all of {}", count(trip.tried, "way"))),
        false => Check::fail(NAME, format!("`{id}` is not found {}", trip.failed.join(", "))),
    };
    Ok(check.cost("1 file read, 1 search"))
}

fn check_stored(found: StoredCheck) -> Check {
    const NAME: CheckName = CheckName::Snapshot;
    match found {
        StoredCheck::Sound { bytes: 0 } => Check::pass(NAME, "it matched its checksums when this process opened it"),
        StoredCheck::Sound { bytes } => {
            Check::pass(NAME, "every section matches its checksum").cost(format!("{bytes} bytes read"))
        }
        StoredCheck::Damaged(why) => Check::fail(NAME, format!("the stored snapshot is damaged: {why}")),
        StoredCheck::Unreadable(why) => Check::leave_unknown(NAME, why),
        StoredCheck::Missing => Check::leave_unknown(NAME, "the index is not written to disk yet"),
        StoredCheck::NotCompared { bytes } => {
            Check::leave_unknown(NAME, format!("{bytes} bytes were not compared with their checksums"))
        }
    }
}

fn head(snapshot: &Snapshot, is_fresh: bool) -> Check {
    const NAME: CheckName = CheckName::GitHead;
    let short = |commit: &Option<String>| match commit {
        Some(commit) => format!("`{}`", commit.chars().take(COMMIT).collect::<String>()),
        None => "no commit".to_owned(),
    };
    match heads(snapshot) {
        Heads::Same { commit } => Check::pass(NAME, format!("{} is what was indexed", short(&Some(commit)))),
        // The content decides: a commit of what is indexed changes no file.
        Heads::Moved { from, to } if is_fresh => {
            let moved = format!("{} was indexed, {} is checked out", short(&from), short(&to));
            Check::pass(NAME, format!("{moved}, and no file differs"))
        }
        Heads::Moved { from, to } => {
            Check::fail(NAME, format!("{} was indexed, {} is checked out", short(&from), short(&to)))
        }
        Heads::NoGit => Check::leave_unknown(
            NAME,
            "the root is not the top of a git repository with a commit: nothing is known from its history",
        ),
        Heads::NotRecorded => {
            Check::leave_unknown(NAME, "the index was made before commits were recorded; the next ingest records them")
        }
    }
    .cost("a few files of git")
}
