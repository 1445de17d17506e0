//! Patterns of risky code, each match judged with the graph: [`scan`].

mod aside;
mod judge;
mod kept;
mod learned;
mod matching;
mod subgraph;

use std::sync::Arc;
use std::time::Duration;

pub use learned::{FixedFile, LearnedPattern, MAX_ELSEWHERE, count_matches, learn_pattern};
use m1nd_base::{Cancel, Cancelled, ContentHash, Deadline, Progress, ProgressEvent, RepoPath};
use m1nd_graph::NodeIx;
use m1nd_lang::patterns::Check;
pub use m1nd_lang::patterns::{Pattern, QueryError, SyntaxQuery, first_metavariable};
use m1nd_search::grep::GrepError;
use rayon::prelude::*;
pub use subgraph::{
    LabelMode, MAX_PATTERN_EDGES, MAX_PATTERN_NODES, PatternEdge, PatternNode, Subgraph, SubgraphError, SubgraphMatches,
};

use judge::Judge;
use kept::KeptScans;
use m1nd_engine::FileEntry;
use m1nd_engine::Language;
use m1nd_engine::Snapshot;
use matching::{Looked, Matcher, Raw};

/// Time limit for searching files; files not searched by then are reported.
const MATCH_BUDGET: Duration = Duration::from_secs(8);
/// Time that weighing the matches may take; those not weighed by then say so.
const JUDGE_BUDGET: Duration = Duration::from_secs(8);
/// A scan that took so long may be cut short by the clock when it is made again: its answer is kept for further pages.
const KEPT_FROM: Duration = Duration::from_millis(500);
/// Most matches of one scan.
const MAX_MATCHES: usize = 20_000;
/// Files searched between two checks of the clock.
const CHUNK: usize = 64;
/// Files that were skipped that are named.
const MAX_SKIPPED_ROWS: usize = 20;

/// Patterns to search for.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// A pattern of the table.
    BuiltIn(Pattern),
    /// A tree-sitter query for one language.
    Query {
        /// The language.
        language: Language,
        /// The query.
        text: String,
    },
    /// Code with metavariables (`$X.unwrap()`, `open($$$)`).
    Code {
        /// The language; else all in which it is code.
        language: Option<Language>,
        /// The pattern.
        text: String,
    },
    /// A regular expression (syntax of the Rust `regex` crate), line by line.
    Regex(String),
}

/// A question for findings.
#[derive(Debug, Clone)]
pub struct ScanQuery {
    /// Patterns to search for.
    pub wanted: Wanted,
    /// Folder or file it is limited to, as [`Snapshot::scope`] gives it.
    pub scope: String,
    /// Findings below are left out, 0 to 1.
    pub severity_min: f64,
    /// Weigh each match by the graph.
    pub validate: bool,
    /// Keep matches that are no findings.
    pub false_positives: bool,
}

/// The reason why a query cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum ScanFault {
    /// The query cannot be used.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The expression cannot be used.
    #[error(transparent)]
    Regex(#[from] GrepError),
    /// The caller cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Verdict on a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingStatus {
    /// No fact in the graph speaks against it.
    Confirmed,
    /// It applies, but other code compensates for it or limits it.
    Mitigated,
    /// The pattern does not apply.
    FalsePositive,
    /// The graph was not asked, or cannot tell.
    Unvalidated,
}

impl FindingStatus {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Mitigated => "mitigated",
            Self::FalsePositive => "false_positive",
            Self::Unvalidated => "unvalidated",
        }
    }
}

/// A node that bears on a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextNode {
    /// The node.
    pub node: NodeIx,
    /// Relation to the finding: an edge relation, or an action.
    pub relation: &'static str,
}

/// A match and its verdict.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its file.
    pub path: RepoPath,
    /// 1-based first line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
    /// 1-based last line.
    pub end_line: u32,
    /// Name of the rule.
    pub rule: &'static str,
    /// Severity of a confirmed finding, 0 to 1.
    pub severity: f64,
    /// Message of the rule.
    pub message: &'static str,
    /// Verdict.
    pub status: FindingStatus,
    /// Reason.
    pub reason: String,
    /// Unknown facts that could change the status.
    pub open: Option<String>,
    /// Innermost symbol around it, else the file.
    pub node: Option<NodeIx>,
    /// Nodes for or against it.
    pub context: Vec<ContextNode>,
    /// The first line as it is written, shortened.
    pub text: String,
    /// The file changed since it was indexed.
    pub stale: bool,
}

/// Result of a scan.
#[derive(Debug, Clone, Default)]
pub struct ScanAnswer {
    /// Findings: proven before open ones, by severity, path and line.
    pub findings: Vec<Finding>,
    /// All matches, before anything was taken away.
    pub raw: usize,
    /// Matches that are confirmed, mitigated and false, whether or not they are kept.
    pub by_status: [usize; 3],
    /// Files looked through.
    pub files_scanned: usize,
    /// Files in scope of a language without rules.
    pub files_without_rules: usize,
    /// Files that could not be looked through, the first of them with the reason.
    pub skipped: Vec<(RepoPath, String)>,
    /// Number of files that could not be searched.
    pub skipped_total: usize,
    /// Files that the time or the limit of matches did not suffice for.
    pub files_left: usize,
    /// Some file has more matches than are kept.
    pub is_cut: bool,
    /// The time did not suffice: looking again may find other rows.
    pub ran_out_of_time: bool,
}

impl ScanAnswer {
    /// A number for the rows and their order: pages that join have the same.
    pub fn state(&self) -> u64 {
        let mut bytes = Vec::new();
        for finding in &self.findings {
            bytes.extend_from_slice(finding.path.as_str().as_bytes());
            bytes.extend_from_slice(&finding.line.to_le_bytes());
            bytes.extend_from_slice(&finding.column.to_le_bytes());
            bytes.extend_from_slice(finding.rule.as_bytes());
        }
        ContentHash::of(&bytes).short()
    }
}

/// Like [`scan`]; for a further page of a slow answer, returns the cached answer if it still exists.
///
/// # Errors
/// [`ScanFault`].
pub fn scan_paged(
    snapshot: &Snapshot,
    query: &ScanQuery,
    is_further: bool,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Arc<ScanAnswer>, ScanFault> {
    let kept_scans = snapshot.derived_values().get_or_init(KeptScans::default);
    if let Some(kept) = kept_scans.get(query).filter(|_| is_further) {
        return Ok(kept);
    }
    let quick = Deadline::after(KEPT_FROM);
    let answer = Arc::new(scan(snapshot, query, cancel, progress)?);
    if answer.ran_out_of_time || quick.is_over() {
        kept_scans.keep(query, &answer);
    }
    Ok(answer)
}

/// Searches the current content of indexed files, and judges the matches with the graph.
///
/// # Errors
/// [`ScanFault`].
pub fn scan(
    snapshot: &Snapshot,
    query: &ScanQuery,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<ScanAnswer, ScanFault> {
    let files: Vec<&FileEntry> = snapshot.files().within(&query.scope).collect();
    let matcher = Matcher::new(snapshot, query, &files)?;
    let mut answer = ScanAnswer::default();
    let (files, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| matcher.fits(file.language));
    answer.files_without_rules = others.len();
    let raw = match_files(snapshot, &matcher, &files, &mut answer, cancel, progress)?;
    answer.raw = raw.len();
    let mut judge = Judge::new(snapshot, cancel, Deadline::after(JUDGE_BUDGET));
    let total = Some(answer.raw as u64);
    for (done, one) in (0..).zip(raw) {
        cancel.check()?;
        progress.report(ProgressEvent { stage: "judging", done, total });
        let finding = if query.validate { judge.judge(&one)? } else { judge.leave_unvalidated(&one) };
        match finding.status {
            FindingStatus::Confirmed => answer.by_status[0] += 1,
            FindingStatus::Mitigated => answer.by_status[1] += 1,
            FindingStatus::FalsePositive => answer.by_status[2] += 1,
            FindingStatus::Unvalidated => {}
        }
        if query.false_positives || !is_left_out(&one.check, finding.status, query.validate) {
            answer.findings.push(finding);
        }
    }
    let order = |a: &Finding, b: &Finding| {
        let status = (a.status, a.open.is_some()).cmp(&(b.status, b.open.is_some()));
        let place = || (&a.path, a.line, a.column, a.rule).cmp(&(&b.path, b.line, b.column, b.rule));
        status.then_with(|| b.severity.total_cmp(&a.severity)).then_with(place)
    };
    answer.findings.sort_by(order);
    answer.ran_out_of_time |= judge.is_late();
    Ok(answer)
}

/// Returns whether a finding is only counted. What most code is (exported, shared, without a test of its own) is not
/// worth a row unless the graph proves that something is wrong with it.
const fn is_left_out(check: &Check, status: FindingStatus, validate: bool) -> bool {
    let is_usual = matches!(check, Check::Tested | Check::Undocumented | Check::Exposed);
    match status {
        FindingStatus::Confirmed => false,
        FindingStatus::Mitigated => is_usual,
        FindingStatus::FalsePositive => true,
        FindingStatus::Unvalidated => validate && (rests_on_graph(check) || matches!(check, Check::ReachesAuth)),
    }
}

/// Returns whether a match is a finding only by what the graph says: as it is written, nothing is wrong with it.
const fn rests_on_graph(check: &Check) -> bool {
    matches!(
        check,
        Check::Tested
            | Check::Undocumented
            | Check::Exposed
            | Check::Shared
            | Check::SharedOnceSet { .. }
            | Check::ReturnsError { .. }
            | Check::Collaborator
    )
}

fn match_files(
    snapshot: &Snapshot,
    matcher: &Matcher,
    files: &[&FileEntry],
    answer: &mut ScanAnswer,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Vec<Raw>, Cancelled> {
    let matching = Deadline::after(MATCH_BUDGET);
    let mut raw = Vec::new();
    let mut chunks = files.chunks(CHUNK);
    while raw.len() < MAX_MATCHES && !matching.is_over() {
        let Some(chunk) = chunks.next() else { break };
        let done = (answer.files_scanned + answer.skipped_total) as u64;
        progress.report(ProgressEvent { stage: "scanning", done, total: Some(files.len() as u64) });
        let look = |file: &&FileEntry| matcher.look(snapshot, file, cancel);
        let looked: Result<Vec<Result<Looked, String>>, Cancelled> = chunk.par_iter().map(look).collect();
        for (file, looked) in chunk.iter().zip(looked?) {
            match looked {
                Ok(looked) => {
                    answer.files_scanned += 1;
                    answer.is_cut |= looked.is_cut;
                    raw.extend(looked.rows);
                }
                Err(reason) => {
                    answer.skipped_total += 1;
                    if answer.skipped.len() < MAX_SKIPPED_ROWS {
                        answer.skipped.push((file.path.clone(), reason));
                    }
                }
            }
        }
    }
    answer.files_left = chunks.map(<[_]>::len).sum();
    answer.ran_out_of_time = answer.files_left > 0 && raw.len() < MAX_MATCHES;
    Ok(raw)
}
