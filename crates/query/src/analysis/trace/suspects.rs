//! Suspects for a fault: collects candidates with their signals, which a model weights ([`super::signals`]).
//!
//! The frame nearest to the failure is the best single guess, followed by its callers. A fault outside of all frames
//! is mostly next to one: a callee or part of a frame, or something named in the message.

use crate::retrieval::{importance, seek_files_given, seek_given};
use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_trace::{Relation as ExceptionRelation, Trace};
use rustc_hash::FxHashMap;

use super::TraceQuery;
use super::fuse::fuse;
use super::map::{FrameTarget, MappedFrame, MatchedBy, is_of};
use super::signals::{self, Signals};
use super::throwers::Throwers;
use crate::retrieval::{FileModel, SeekQuery};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Number of innermost frames whose files are examined.
const NEAR_FILES: usize = 2;
/// Factor on depth if the program has another version than the index.
const OTHER_VERSION: f64 = 0.95;
/// Factor on depth of a frame that only reports the fault of its caller.
const OF_REPORTER: f64 = 0.9;
/// Number of innermost frames whose neighbours are examined.
const NEAR_FRAMES: usize = 4;
/// Maximum edges of a frame that are examined.
const MAX_EDGES: usize = 200;
/// Maximum members of a file that are examined.
const MAX_MEMBERS: usize = 2_000;
/// Found rows of the words that count.
const MAX_WORD_ROWS: usize = 60;
/// Maximum length of the text for the search, in bytes: messages first, then the text around the traces.
const MAX_WORDS: usize = 1_500;
/// Longest text that is sought as a whole, in bytes.
const MAX_SOUGHT: usize = 32 << 10;
/// Files that only the whole text leads to.
const MAX_SOUGHT_FILES: usize = 20;
/// Difference of the values of files by which one counts a third of the other.
const SOUGHT_SCALE: f64 = 2.0;
/// First suspects that are examined whether they only report a fault.
const MAX_JUDGED: usize = 300;
/// Nodes of one name that a message may mean.
const MAX_NAMED: usize = 4;
/// Days after which a change counts half.
const HALF_LIFE: f64 = 30.0;
/// The same for the number of changes.
const CHURN_HALF_LIFE: f64 = 180.0;
/// Changes that count half of many.
const CHURN_MIDDLE: f64 = 3.0;

/// A place where the fault may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspect {
    /// The node.
    pub node: NodeIx,
    /// Rank value times the share of the evidence, 0 to 1: 1 if its file is the first by the trace and by `seek`, and
    /// no suspect has more evidence. Not a measured chance.
    pub suspiciousness: f64,
    /// Weighted sum of the signals as a share of the highest possible, 0 to 1.
    pub evidence: f64,
    /// Its signals.
    pub signals: Signals,
    /// 1.0 for the innermost frame of the project, decreasing outwards; `None` outside of all frames.
    pub trace_depth: Option<f64>,
    /// Nodes of the frames that called it, the nearest first.
    pub callers: Vec<NodeIx>,
    /// Reason for the suspicion, in words.
    pub why: String,
    /// It is a frame that only reports the fault of its caller.
    pub only_reports: bool,
}

/// Evidence left out because of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Bytes of the text behind those that are sought as a whole.
    pub text_bytes: usize,
    /// A node near the failure has more connections than were examined: some of its dependencies may not be suspects.
    pub connections: bool,
}

impl LeftOut {
    /// Bytes of the text that are sought as a whole.
    pub const SOUGHT_BYTES: usize = MAX_SOUGHT;
}

/// Evidence about the failure.
pub(super) struct Evidence<'a> {
    pub(super) query: &'a TraceQuery,
    pub(super) traces: &'a [Trace],
    pub(super) frames: &'a [MappedFrame],
    pub(super) history: &'a ProjectHistory,
}

/// Suspects while they are collected.
#[derive(Default)]
struct Candidates {
    rows: FxHashMap<NodeIx, Candidate>,
    left_out: LeftOut,
}

#[derive(Default)]
struct Candidate {
    signals: Signals,
    trace_depth: Option<f64>,
    callers: Vec<NodeIx>,
    why: String,
    only_reports: bool,
}

impl Candidates {
    /// Notes how near a node is in one way; the reason of the nearest stays.
    fn note(&mut self, node: NodeIx, way: Way, nearness: f64, why: impl FnOnce() -> String) -> &mut Candidate {
        let row = self.rows.entry(node).or_default();
        let before = row.signals.nearness();
        let part = way(&mut row.signals);
        *part = part.max(nearness);
        if row.signals.nearness() > before || row.why.is_empty() {
            row.why = why();
        }
        row
    }
}

/// A way of being near.
type Way = fn(&mut Signals) -> &mut f64;

/// All suspects, likeliest first.
pub(super) fn rank(
    snapshot: &Snapshot,
    evidence: &Evidence<'_>,
    cancel: &Cancel,
) -> Result<(Vec<Suspect>, LeftOut), Cancelled> {
    let mut candidates = Candidates::default();
    let mut throwers = Throwers::new(snapshot);
    let near = add_frames(snapshot, evidence, &mut throwers, &mut candidates);
    add_neighbours(snapshot, &near, &mut candidates);
    add_used_files(snapshot, &near, &mut candidates);
    add_named(snapshot, evidence, &mut candidates);
    add_words(snapshot, evidence, &mut candidates, cancel)?;
    let sought = add_sought_files(snapshot, evidence, &mut candidates, cancel)?;
    add_frames_of_files(snapshot, evidence, &mut candidates);
    let mut rows = candidates.rows.iter();
    let has_other = rows.any(|(node, row)| row.signals.nearness() > 0.0 && !is_test(snapshot, *node));
    let mut suspects: Vec<Suspect> = candidates
        .rows
        .into_iter()
        .map(|(node, row)| weigh_candidate(snapshot, evidence, node, row, has_other))
        .collect();
    let graph = snapshot.graph();
    suspects.sort_by(|a, b| {
        // A symbol that the words lead to says more than its file.
        let words = || b.signals.words.total_cmp(&a.signals.words);
        let ids = || graph.id(a.node).cmp(graph.id(b.node));
        b.evidence.total_cmp(&a.evidence).then_with(words).then_with(ids)
    });
    let is_only_report = |suspect: &Suspect| suspect.trace_depth.is_none() && throwers.only_reports(suspect.node);
    let reports: Vec<bool> = suspects.iter().take(MAX_JUDGED).map(is_only_report).collect();
    if reports.contains(&false) || suspects.len() > reports.len() {
        let mut reports = reports.into_iter();
        suspects.retain(|_| !reports.next().unwrap_or(false));
    }
    suspects.retain(|suspect| !is_stranger(snapshot, evidence, suspect));
    let mut suspects = fuse(graph, suspects, &sought);
    put_reporters_behind(&mut suspects);
    put_tests_behind(snapshot, &mut suspects);
    scale_by_evidence(&mut suspects);
    Ok((suspects, candidates.left_out))
}

/// Returns whether a suspect is code of a language that no trace is of, and nothing but words leads there: it is not
/// what the frames ran. Says nothing if no frame is in the index.
fn is_stranger(snapshot: &Snapshot, evidence: &Evidence<'_>, suspect: &Suspect) -> bool {
    let signals = &suspect.signals;
    let Some(language) = snapshot.file_of(suspect.node).map(|file| file.language) else { return false };
    evidence.frames.iter().any(|frame| frame.place.is_ok())
        && signals.nearness() == 0.0
        && signals.named == 0.0
        && language.has_code()
        && !language.is_schema()
        && !evidence.traces.iter().any(|trace| is_of(trace.format, language))
}

/// Moves frames that only report a fault behind the first other frame.
fn put_reporters_behind(suspects: &mut Vec<Suspect>) {
    let is_frame = |suspect: &Suspect| suspect.trace_depth.is_some() && !suspect.only_reports;
    let Some(first) = suspects.iter().position(is_frame) else { return };
    let (reporters, others): (Vec<Suspect>, Vec<Suspect>) =
        suspects.drain(..first).partition(|suspect| suspect.only_reports);
    let mut rest = std::mem::take(suspects).into_iter();
    suspects.extend(others.into_iter().chain(rest.next()).chain(reporters).chain(rest));
}

/// Moves test code behind other code that the trace leads to: a test is where a fault shows.
fn put_tests_behind(snapshot: &Snapshot, suspects: &mut [Suspect]) {
    let leads = |suspect: &Suspect| suspect.signals.nearness() > 0.0 || suspect.signals.named > 0.0;
    let rank = |suspect: &Suspect| match (is_test(snapshot, suspect.node), leads(suspect)) {
        (false, true) => 0,
        (true, true) => 1,
        (false, false) => 2,
        (true, false) => 3,
    };
    let is_behind = suspects.first().is_some_and(|first| is_test(snapshot, first.node));
    if is_behind && suspects.iter().any(|suspect| rank(suspect) == 0) {
        suspects.sort_by_key(rank);
    }
}

/// Lowers each value to the share of the evidence behind it, so that a suspect that only the words lead to does not
/// look as sure as a frame. The order stays.
fn scale_by_evidence(suspects: &mut [Suspect]) {
    let most = suspects.iter().map(|suspect| suspect.evidence).fold(f64::MIN_POSITIVE, f64::max);
    let mut before = f64::INFINITY;
    for suspect in suspects {
        suspect.suspiciousness = before.min(suspect.suspiciousness * suspect.evidence / most);
        before = suspect.suspiciousness;
    }
}

/// Returns whether a node is test code, or in a test file.
fn is_test(snapshot: &Snapshot, node: NodeIx) -> bool {
    snapshot.graph().flags(node).has(NodeFlags::TEST) || snapshot.file_of(node).is_some_and(|file| file.is_test)
}

/// A frame's node and how near it is to where it broke.
struct Near {
    node: NodeIx,
    depth: f64,
}

/// Weight of an exception's frames: highest for the root cause, but an exception raised while handling it was the
/// reported one.
const fn share(relation: ExceptionRelation) -> f64 {
    match relation {
        ExceptionRelation::Cause | ExceptionRelation::Reported => 1.0,
        ExceptionRelation::Context => 0.9,
        ExceptionRelation::Member => 0.85,
        ExceptionRelation::Suppressed => 0.5,
        ExceptionRelation::Aside => 0.35,
    }
}

/// A frame whose place is known.
struct PlacedFrame<'f> {
    frame: &'f MappedFrame,
    place: &'f FrameTarget,
    /// It only reports the fault of its caller.
    only_reports: bool,
}

/// The placed frames of a trace, innermost first, with those marked that only report the fault of another. None is
/// marked if all do.
fn placed_frames<'f>(
    snapshot: &Snapshot,
    frames: &'f [MappedFrame],
    trace: usize,
    throwers: &mut Throwers<'_>,
) -> Vec<PlacedFrame<'f>> {
    let of_trace = frames.iter().filter(|frame| frame.trace == trace);
    let placed = of_trace.filter_map(|frame| Some((frame, frame.place.as_ref().ok()?)));
    let mut all: Vec<_> = placed.map(|(frame, place)| PlacedFrame { frame, place, only_reports: false }).collect();
    let mut known: FxHashMap<NodeIx, bool> = FxHashMap::default();
    for at in 0..all.len() {
        let node = all[at].place.node;
        let reports = *known.entry(node).or_insert_with(|| throwers.only_reports(node));
        // A function whose result is used was meant to return one: it does not only report.
        let caller = all.get(at + 1).filter(|caller| caller.frame.exception == all[at].frame.exception);
        let is_used = caller.is_some_and(|caller| {
            let line = caller.frame.line(caller.place);
            line.is_some_and(|line| throwers.uses_result(&caller.place.path, line, snapshot.graph().label(node)))
        });
        all[at].only_reports = reports && !is_used;
    }
    if all.iter().all(|frame| frame.only_reports) {
        all.iter_mut().for_each(|frame| frame.only_reports = false);
    }
    all
}

/// Adds the nodes of frames, first those of the root cause, then those of later exceptions.
///
/// Frames that only report a fault are suspects after the frame that called them: they take no step of their own, and
/// the signal of the innermost frame belongs to the first of the others.
fn add_frames(
    snapshot: &Snapshot,
    evidence: &Evidence<'_>,
    throwers: &mut Throwers<'_>,
    candidates: &mut Candidates,
) -> Vec<Near> {
    let mut near: Vec<Near> = Vec::new();
    let graph = snapshot.graph();
    for (number, trace) in evidence.traces.iter().enumerate() {
        let frames = placed_frames(snapshot, evidence.frames, number, throwers);
        let mapped = frames.len().max(1);
        let mut files: Vec<&str> = Vec::new();
        // The next frame called it only within one exception.
        let mut inner: Option<(usize, NodeIx)> = None;
        let mut has_first = false;
        for (at, row) in frames.iter().enumerate() {
            let (frame, place) = (row.frame, row.place);
            // Frames of one file count as one step: a fault is as likely in any of them.
            if !row.only_reports && files.last() != Some(&place.path.as_str()) {
                files.push(&place.path);
            }
            let relation =
                trace.exceptions.get(frame.exception).map_or(ExceptionRelation::Reported, |row| row.relation);
            let version = if place.by == MatchedBy::Name { OTHER_VERSION } else { 1.0 };
            let version = if row.only_reports { version * OF_REPORTER } else { version };
            let within = 1.0 - 0.15 * (at as f64 / mapped as f64);
            let depth = share(relation) * version * within / (1.0 + 0.45 * files.len().saturating_sub(1) as f64);
            let linear = 1.0 - at as f64 / mapped as f64;
            let node = place.node;
            let way: Way = |signals| &mut signals.frame;
            let is_first = !row.only_reports && !has_first;
            has_first |= is_first;
            let candidate = candidates.note(node, way, depth, || frame_words(row, at));
            if is_first {
                candidate.signals.innermost = candidate.signals.innermost.max(share(relation));
                if frame.frame.refuses {
                    candidate.signals.raises = candidate.signals.innermost;
                }
            }
            candidate.only_reports = row.only_reports;
            candidate.trace_depth = Some(candidate.trace_depth.map_or(linear, |known| known.max(linear)));
            let called = inner.filter(|&(exception, called)| exception == frame.exception && called != node);
            if let Some(called) = called.and_then(|(_, called)| candidates.rows.get_mut(&called))
                && !called.callers.contains(&node)
            {
                called.callers.push(node);
            }
            inner = Some((frame.exception, node));
            near.push(Near { node, depth });
        }
    }
    near.sort_by(|a, b| b.depth.total_cmp(&a.depth).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    near.dedup_by_key(|near| near.node);
    near
}

fn frame_words(row: &PlacedFrame<'_>, at: usize) -> String {
    let (path, line) = (&row.place.path, row.frame.line(row.place).map_or(String::new(), |line| format!(":{line}")));
    let end = if row.only_reports { "; it only raises, so the fault is more likely in its caller" } else { "" };
    match at {
        0 => format!("the innermost frame of the project, {path}{line}{end}"),
        at => format!("frame {} of the project, counted from where it broke, {path}{line}{end}", at + 1),
    }
}

/// Adds the frames of its file to every suspect.
fn add_frames_of_files(snapshot: &Snapshot, evidence: &Evidence<'_>, candidates: &mut Candidates) {
    let graph = snapshot.graph();
    let mut frames: FxHashMap<&str, f64> = FxHashMap::default();
    let mut all = 0.0;
    for place in evidence.frames.iter().filter_map(|frame| frame.place.as_ref().ok()) {
        *frames.entry(&place.path).or_default() += 1.0;
        all += 1.0;
    }
    let mut nearest: FxHashMap<&str, f64> = FxHashMap::default();
    for (node, row) in &candidates.rows {
        let file = nearest.entry(graph.path(*node)).or_default();
        *file = file.max(row.signals.frame);
    }
    for (node, row) in &mut candidates.rows {
        let path = graph.path(*node);
        row.signals.file_of_frame = nearest.get(path).copied().unwrap_or_default();
        row.signals.share_of_frames = frames.get(path).map_or(0.0, |count| count / all);
    }
}

/// Adds callees, parts and overridden methods of the innermost frames.
fn add_neighbours(snapshot: &Snapshot, near: &[Near], candidates: &mut Candidates) {
    let graph = snapshot.graph();
    for frame in near.iter().take(NEAR_FRAMES) {
        let way: Way = match is_test(snapshot, frame.node) {
            true => |signals| &mut signals.near_test,
            false => |signals| &mut signals.near,
        };
        let mut targets: Vec<(NodeIx, Relation)> = Vec::new();
        // A frame at the top of a file is not all that the file holds.
        let is_file = graph.kind(frame.node) == NodeKind::File;
        let members = graph.with_members(frame.node, if is_file { 1 } else { MAX_EDGES });
        candidates.left_out.connections |= !is_file && members.len() >= MAX_EDGES;
        for node in members {
            candidates.left_out.connections |= graph.out_edges(node).nth(MAX_EDGES).is_some();
            let edges = graph.out_edges(node).take(MAX_EDGES);
            let telling = edges.filter(|edge| {
                matches!(
                    edge.relation,
                    Relation::Calls | Relation::Inherits | Relation::Overrides | Relation::Implements
                )
            });
            targets.extend(telling.map(|edge| (edge.to, edge.relation)));
        }
        targets.retain(|(node, _)| graph.file(*node).is_some() && *node != frame.node);
        targets.sort_by(|a, b| graph.id(a.0).cmp(graph.id(b.0)).then(a.1.cmp(&b.1)));
        targets.dedup_by_key(|(node, _)| *node);
        // One of many neighbours is less of a suspect than one of few.
        let each = frame.depth / (1.0 + (targets.len() as f64).ln_1p() / 6.0);
        for (node, relation) in targets {
            candidates.note(node, way, each, || format!("`{}` {} it", graph.label(frame.node), relation.word()));
        }
    }
}

/// Adds the dependencies of the innermost frames' files: a fault in a callback of a library is in no frame of its
/// own.
fn add_used_files(snapshot: &Snapshot, near: &[Near], candidates: &mut Candidates) {
    let graph = snapshot.graph();
    for frame in near.iter().take(NEAR_FILES) {
        let Some(file) = graph.file(frame.node) else { continue };
        let members = graph.with_members(file, MAX_MEMBERS);
        let more = members.iter().any(|&node| graph.out_edges(node).nth(MAX_EDGES).is_some());
        candidates.left_out.connections |= more || members.len() >= MAX_MEMBERS;
        let edges = members.iter().flat_map(|&node| graph.out_edges(node).take(MAX_EDGES));
        let mut used: Vec<NodeIx> = edges
            .filter(|edge| edge.relation.carries_change() && edge.relation.is_structure())
            .filter_map(|edge| graph.file(edge.to))
            .collect();
        used.sort_by(|&a, &b| graph.id(a).cmp(graph.id(b)));
        used.dedup();
        used.retain(|&other| other != file);
        let each = frame.depth / (1.0 + (used.len() as f64).ln_1p() / 6.0);
        for other in used {
            candidates.note(
                other,
                |signals| &mut signals.near_file,
                each,
                || format!("`{}` uses it", graph.path(file)),
            );
        }
    }
}

/// Adds identifiers in the messages that only a few nodes have.
fn add_named(snapshot: &Snapshot, evidence: &Evidence<'_>, candidates: &mut Candidates) {
    let graph = snapshot.graph();
    for exception in evidence.traces.iter().flat_map(|trace| &trace.exceptions) {
        let text = format!("{} {}", exception.kind, exception.message);
        for name in identifiers(&text) {
            let nodes = graph.find_labelled(name);
            if nodes.is_empty() || nodes.len() > MAX_NAMED {
                continue;
            }
            for node in nodes.into_iter().filter(|&node| graph.file(node).is_some()) {
                let why = || format!("the message names `{name}`");
                candidates.note(node, |signals| &mut signals.named, 1.0, why);
            }
        }
    }
}

/// Names in a text that are no ordinary words: with an underscore, a dot, a capital inside, or in quotes.
fn identifiers(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '`' | '"' | ':'))) {
        let is_quoted = word.len() > 2 && word.starts_with(['\'', '`', '"']) && word.ends_with(['\'', '`', '"']);
        for name in word.split(['.', '\'', '`', '"', ':']).filter(|name| name.len() >= 3) {
            let has_inner_capital =
                name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
            if is_quoted || name.contains('_') || has_inner_capital || word.contains('.') && !word.ends_with('.') {
                names.push(name);
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Adds the results of a search for the words.
fn add_words(
    snapshot: &Snapshot,
    evidence: &Evidence<'_>,
    candidates: &mut Candidates,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let text = words_of(evidence);
    if !text.chars().any(char::is_alphanumeric) {
        return Ok(());
    }
    let query = SeekQuery { text, graph_rerank: true, ..SeekQuery::default() };
    let found = seek_given(snapshot, &query, Some(evidence.history), cancel)?;
    // Scores are relative to the best row, because messages differ in how many words they share with code.
    let best = found.rows.first().map_or(1.0, |row| row.score).max(f64::MIN_POSITIVE);
    let graph = snapshot.graph();
    let mut of_file: FxHashMap<&str, f64> = FxHashMap::default();
    let mut of_node: FxHashMap<NodeIx, f64> = FxHashMap::default();
    for row in found.rows.iter().take(MAX_WORD_ROWS) {
        let score = row.score / best;
        of_node.insert(row.node, score);
        let file = of_file.entry(graph.path(row.node)).or_default();
        *file = file.max(score);
    }
    for &node in of_node.keys().filter(|&&node| !graph.kind(node).is_outside() && graph.file(node).is_some()) {
        candidates.note(node, |signals| &mut signals.words, 0.0, || "meets the words of the message".to_owned());
    }
    // Candidates found otherwise get the same signals, or the model could not compare them.
    for (node, row) in &mut candidates.rows {
        row.signals.words = of_node.get(node).copied().unwrap_or(0.0);
        row.signals.words_of_file = of_file.get(graph.path(*node)).copied().unwrap_or(0.0);
    }
    Ok(())
}

/// Adds the results of `seek` for the whole text; returns all files that it finds, best first.
fn add_sought_files(
    snapshot: &Snapshot,
    evidence: &Evidence<'_>,
    candidates: &mut Candidates,
    cancel: &Cancel,
) -> Result<Vec<NodeIx>, Cancelled> {
    let graph = snapshot.graph();
    let text = &evidence.query.text;
    let (whole, text) = (text.len(), &text[..text.floor_char_boundary(MAX_SOUGHT)]);
    candidates.left_out.text_bytes = whole - text.len();
    let files = seek_files_given(snapshot, text, Some(evidence.history), cancel)?;
    let model = FileModel::load_fitted();
    let mut valued: Vec<(f64, NodeIx)> = files.iter().map(|file| (model.value(&file.signals), file.node)).collect();
    valued.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| graph.id(a.1).cmp(graph.id(b.1))));
    let best = valued.first().map_or(0.0, |(value, _)| *value);
    for &(_, node) in valued.iter().take(MAX_SOUGHT_FILES) {
        candidates.note(node, |signals| &mut signals.words, 0.0, || "the text as a whole leads there".to_owned());
    }
    let value: FxHashMap<&str, f64> =
        valued.iter().map(|(value, node)| (graph.path(*node), ((value - best) / SOUGHT_SCALE).exp())).collect();
    for (node, row) in &mut candidates.rows {
        row.signals.sought_file = value.get(graph.path(*node)).copied().unwrap_or_default();
    }
    Ok(valued.into_iter().map(|(_, node)| node).collect())
}

/// Messages, followed by the text around the traces.
fn words_of(evidence: &Evidence<'_>) -> String {
    let exceptions = evidence.traces.iter().flat_map(|trace| &trace.exceptions);
    let mut text = String::new();
    for exception in exceptions {
        let said = format!("{} {}\n", exception.kind, exception.message);
        if !text.contains(&said) {
            text.push_str(&said);
        }
    }
    let inside =
        |line: u32| evidence.traces.iter().any(|trace| trace.text_lines.0 <= line && line <= trace.text_lines.1);
    for (number, line) in evidence.query.text.lines().enumerate() {
        if text.len() >= MAX_WORDS {
            break;
        }
        if !inside(number as u32 + 1) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.truncate(text.floor_char_boundary(MAX_WORDS));
    text
}

fn weigh_candidate(
    snapshot: &Snapshot,
    evidence: &Evidence<'_>,
    node: NodeIx,
    row: Candidate,
    has_other: bool,
) -> Suspect {
    let mut signals = row.signals;
    if let Some(file) = evidence.history.file(snapshot.graph().path(node)) {
        signals.recency = (-file.age_days() / HALF_LIFE).exp2();
        let churn = file.decayed_commits(CHURN_HALF_LIFE);
        signals.churn = churn / (churn + CHURN_MIDDLE);
    }
    signals.centrality = importance(snapshot, node);
    signals.is_test = f64::from(u8::from(has_other && is_test(snapshot, node)));
    Suspect {
        node,
        suspiciousness: 0.0,
        evidence: signals::score(&signals),
        signals,
        trace_depth: row.trace_depth,
        callers: row.callers,
        why: row.why,
        only_reports: row.only_reports,
    }
}
