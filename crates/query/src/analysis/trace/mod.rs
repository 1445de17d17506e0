//! Stack trace analysis: frames in the graph, and suspects for the fault.

mod built;
mod fuse;
mod map;
mod packages;
mod signals;
mod suspects;
mod throwers;

use crate::analysis::impact::impact;
use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_graph::NodeIx;
pub use m1nd_trace::{Format, Frame, Origin, Relation as ExceptionRelation};
use m1nd_trace::{Trace, parse};
use rustc_hash::FxHashSet;

pub use map::{FrameTarget, MappedFrame, MatchedBy};
pub use signals::{SUSPECT_SIGNALS, Signals, SuspectModel, suspect_model};
pub use suspects::{LeftOut, Suspect};

use super::{Direction, ImpactQuery};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Frames that are mapped; the innermost of each exception first.
const MAX_FRAMES: usize = 2_000;
/// Files that changed with the first suspect.
const MAX_CO_CHANGES: usize = 10;
/// Maximum files to examine.
const MAX_FILES: usize = 5;
/// Minimum evidence for a file, relative to the first suspect's.
const LEAST_OF_FIRST: f64 = 0.4;
/// Steps of the causal chain.
const MAX_CHAIN: usize = 60;
/// Common commits from which on a partner is worth a look, and the chance of it being chance.
const PARTNER_SUPPORT: u32 = 2;
const PARTNER_P: f64 = 0.01;
/// Numbers of affected nodes from which a fix has high or medium risk.
const HIGH_RISK: usize = 50;
const MEDIUM_RISK: usize = 10;
/// Hops that count for it.
const RISK_HOPS: u32 = 3;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// A text with stack traces.
#[derive(Debug, Clone)]
pub struct TraceQuery {
    /// The text, including anything around the traces.
    pub text: String,
    /// The format that is tried first.
    pub format: Option<Format>,
    /// Hours around the last change of the first suspect in which other files changed with it.
    pub window_hours: f64,
    /// Most suspects.
    pub max_suspects: usize,
}

/// An exception of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct ExceptionSummary {
    /// Number of its trace.
    pub trace: usize,
    /// Language of the trace.
    pub language: &'static str,
    /// Its type as it is written.
    pub kind: String,
    /// Its message.
    pub message: String,
    /// The message is longer than the part that was read.
    pub is_message_cut: bool,
    /// Relation to the next exception.
    pub relation: ExceptionRelation,
    /// Frames that were read.
    pub frames: usize,
    /// Frames that the text or a limit leaves out.
    pub left_out: usize,
}

/// A file that changed with the first suspect.
#[derive(Debug, Clone, PartialEq)]
pub struct CoChange {
    /// Its node.
    pub node: NodeIx,
    /// Its path.
    pub path: String,
    /// Its last change, in seconds since 1970.
    pub modified_at: i64,
    /// Common commits.
    pub support: u32,
    /// Reason for the suspicion.
    pub reason: String,
    /// Changed together more often than by chance.
    pub is_partner: bool,
}

/// Risk of a fix, by the number of nodes that it can affect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Risk {
    /// Few.
    Low,
    /// Some.
    Medium,
    /// Many.
    High,
    /// No frame supports the first suspect.
    #[default]
    Unknown,
}

impl Risk {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Unknown => "unknown",
        }
    }
}

/// Expected reach of a fix.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FixScope {
    /// Files to examine, most likely first.
    pub files: Vec<String>,
    /// Number of nodes that a change of the first suspect can affect within a few hops; `None` if no frame supports
    /// the suspect.
    pub blast_radius: Option<usize>,
    /// By its size.
    pub risk: Risk,
}

/// Result of analysing a text with stack traces.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceAnswer {
    /// Exceptions: of each trace the root cause first.
    pub exceptions: Vec<ExceptionSummary>,
    /// Index of the reported exception; the last one if none is marked.
    pub reported: Option<usize>,
    /// Frames in the order of the exceptions, innermost first.
    pub frames: Vec<MappedFrame>,
    /// Suspects, likeliest first.
    pub suspects: Vec<Suspect>,
    /// Suspects before the cap.
    pub total_suspects: usize,
    /// Files that changed with the first suspect.
    pub co_changes: Vec<CoChange>,
    /// Labels of mapped frames, from where it broke outwards.
    pub causal_chain: Vec<String>,
    /// Its steps beyond those.
    pub chain_left: usize,
    /// Expected reach of a fix.
    pub fix_scope: FixScope,
    /// Gaps of the history.
    pub history_gaps: Vec<String>,
    /// The text was cut at a limit.
    pub is_cut: bool,
    /// Frames of the text that were not looked for in the index, beyond the first.
    pub frames_left: usize,
    /// Evidence left out because of limits.
    pub left_out: LeftOut,
}

impl TraceAnswer {
    /// Frames whose place is known.
    pub fn iter_mapped(&self) -> impl Iterator<Item = (&MappedFrame, &FrameTarget)> {
        self.frames.iter().filter_map(|frame| Some((frame, frame.place.as_ref().ok()?)))
    }
}

/// Finds the stack traces in a text, where their frames are, and where the fault may be.
///
/// # Errors
/// [`Cancelled`].
pub fn trace(snapshot: &Snapshot, query: &TraceQuery, cancel: &Cancel) -> Result<TraceAnswer, Cancelled> {
    trace_given(snapshot, query, &snapshot.history(cancel), cancel)
}

/// Like [`trace`], with the given history.
///
/// # Errors
/// [`Cancelled`].
pub fn trace_given(
    snapshot: &Snapshot,
    query: &TraceQuery,
    history: &ProjectHistory,
    cancel: &Cancel,
) -> Result<TraceAnswer, Cancelled> {
    cancel.check()?;
    let parsed = parse(&query.text, query.format);
    let exceptions = summaries(&parsed.traces);
    let frames = map_frames(snapshot, &parsed.traces, cancel)?;
    let evidence = suspects::Evidence { query, traces: &parsed.traces, frames: &frames, history };
    let (mut suspects, left_out) = suspects::rank(snapshot, &evidence, cancel)?;
    let total_suspects = suspects.len();
    suspects.truncate(query.max_suspects);
    // Files that changed together with an unplaced file are no suspects.
    let is_placed = frames.iter().any(|frame| frame.place.is_ok());
    let first = suspects.first().filter(|_| is_placed);
    let co_changes = first.map_or_else(Vec::new, |first| co_changes(snapshot, first, query, history));
    let fix_scope = fix_scope(snapshot, &suspects, &co_changes, is_placed, cancel)?;
    let (causal_chain, chain_left) = causal_chain(snapshot, &parsed.traces, &frames);
    let reported = exceptions.iter().position(|exception| exception.relation == ExceptionRelation::Reported);
    Ok(TraceAnswer {
        reported: reported.or(exceptions.len().checked_sub(1)),
        frames_left: exceptions.iter().map(|exception| exception.frames).sum::<usize>() - frames.len(),
        left_out,
        causal_chain,
        chain_left,
        exceptions,
        frames,
        suspects,
        total_suspects,
        co_changes,
        fix_scope,
        history_gaps: history.gaps(),
        is_cut: parsed.is_cut,
    })
}

fn map_frames(snapshot: &Snapshot, traces: &[Trace], cancel: &Cancel) -> Result<Vec<MappedFrame>, Cancelled> {
    let all = || traces.iter().flat_map(|trace| &trace.exceptions).flat_map(|exception| &exception.frames);
    let files = map::Files::new(snapshot, all());
    let mut frames = Vec::new();
    for (number, trace) in traces.iter().enumerate() {
        for (exception, row) in trace.exceptions.iter().enumerate() {
            cancel.check()?;
            let room = MAX_FRAMES.saturating_sub(frames.len());
            frames.extend(row.frames.iter().take(room).map(|frame| MappedFrame {
                trace: number,
                exception,
                frame: frame.clone(),
                place: files.place(frame, trace.format),
            }));
        }
    }
    Ok(frames)
}

/// The steps of the mapped frames, and how many there are beyond those that are kept.
fn causal_chain(snapshot: &Snapshot, traces: &[Trace], frames: &[MappedFrame]) -> (Vec<String>, usize) {
    // Failures beside it, during clean-up or in another thread, are no causes.
    let leads = |frame: &&MappedFrame| {
        let exception = traces.get(frame.trace).and_then(|trace| trace.exceptions.get(frame.exception));
        exception.is_none_or(|row| !matches!(row.relation, ExceptionRelation::Suppressed | ExceptionRelation::Aside))
    };
    let places = frames.iter().filter(leads).filter_map(|frame| frame.place.as_ref().ok());
    let mut chain: Vec<String> = places.map(|place| step(snapshot, place.node)).collect();
    chain.dedup();
    let left = chain.len().saturating_sub(MAX_CHAIN);
    chain.truncate(MAX_CHAIN);
    (chain, left)
}

/// A node in few words: `worker.py::submit`.
fn step(snapshot: &Snapshot, node: NodeIx) -> String {
    let graph = snapshot.graph();
    let file = graph.path(node).rsplit('/').next().unwrap_or_default();
    if graph.kind(node) == NodeKind::File { file.to_owned() } else { format!("{file}::{}", graph.label(node)) }
}

/// Files that changed with the first suspect's: as a habit, then around its last change.
fn co_changes(snapshot: &Snapshot, first: &Suspect, query: &TraceQuery, history: &ProjectHistory) -> Vec<CoChange> {
    let graph = snapshot.graph();
    let own = graph.path(first.node);
    let mut found: Vec<CoChange> = Vec::new();
    let mut add = |path: String, modified_at: i64, support: u32, reason: String, is_partner: bool| {
        let is_new = path != own && !found.iter().any(|row| row.path == path);
        if let Some(node) = graph.find_file(&path).filter(|_| is_new && found.len() < MAX_CO_CHANGES) {
            found.push(CoChange { node, path, modified_at, support, reason, is_partner });
        }
    };
    for row in history.partners(own, 4 * MAX_CO_CHANGES) {
        let partner = row.partner;
        if partner.support >= PARTNER_SUPPORT && partner.p_value <= PARTNER_P {
            let reason = format!(
                "changed in {} of the {} commits of the top suspect's file (chance {:.1e})",
                partner.support, partner.of, partner.p_value
            );
            add(row.path, partner.file.last_change(), partner.support, reason, true);
        }
    }
    for (path, time, hours) in changed_around(history, own, query.window_hours) {
        add(path, time, 1, format!("Modified within {hours:.0}h of top suspect"), false);
    }
    found
}

/// Reach of a fix. If no frame is placed, the first suspect is not supported: the files are the ones to examine, the
/// risk is unknown.
fn fix_scope(
    snapshot: &Snapshot,
    suspects: &[Suspect],
    co_changes: &[CoChange],
    is_placed: bool,
    cancel: &Cancel,
) -> Result<FixScope, Cancelled> {
    let Some(first) = suspects.first() else { return Ok(FixScope::default()) };
    let graph = snapshot.graph();
    let mut seen = FxHashSet::default();
    let least = LEAST_OF_FIRST * first.evidence;
    let likely = suspects.iter().filter(|suspect| suspect.evidence >= least);
    let paths = likely.map(|suspect| graph.path(suspect.node).to_owned());
    let partners = co_changes.iter().filter(|row| row.is_partner).map(|row| row.path.clone()).take(1);
    let kept = paths.filter(|path| seen.insert(path.clone())).take(MAX_FILES - 1).collect::<Vec<_>>();
    let files = kept.iter().cloned().chain(partners.filter(|path| !kept.contains(path))).collect();
    if !is_placed {
        return Ok(FixScope { files, blast_radius: None, risk: Risk::Unknown });
    }
    let bounds =
        ImpactQuery { direction: Direction::Forward, max_hops: RISK_HOPS, max_rows: 0, ..ImpactQuery::new(first.node) };
    let blast_radius = impact(snapshot, &bounds, cancel)?.total_rows;
    let risk = match blast_radius {
        HIGH_RISK.. => Risk::High,
        MEDIUM_RISK.. => Risk::Medium,
        _ => Risk::Low,
    };
    Ok(FixScope { files, blast_radius: Some(blast_radius), risk })
}

/// Files whose last change is within a time window of a file's: path, time, hours between.
fn changed_around(history: &ProjectHistory, path: &str, window_hours: f64) -> Vec<(String, i64, f64)> {
    let Some(file) = history.file(path) else { return Vec::new() };
    let time = file.last_change();
    let prefix = path.strip_suffix(file.path()).unwrap_or_default();
    let others = file.neighbours_in_time(window_hours * HOUR);
    let row = |(other, at): (&str, i64)| (format!("{prefix}{other}"), at, at.abs_diff(time) as f64 / HOUR);
    others.into_iter().map(row).collect()
}

fn summaries(traces: &[Trace]) -> Vec<ExceptionSummary> {
    let rows = traces.iter().enumerate();
    let rows =
        rows.flat_map(|(number, trace)| trace.exceptions.iter().map(move |exception| (number, trace, exception)));
    rows.map(|(trace, of, exception)| ExceptionSummary {
        trace,
        language: of.language(),
        kind: exception.kind.clone(),
        message: exception.message.clone(),
        is_message_cut: exception.is_message_cut,
        relation: exception.relation,
        frames: exception.frames.len(),
        left_out: exception.left_out,
    })
    .collect()
}
