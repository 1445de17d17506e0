//! Trust and tremor of the files and symbols of a snapshot.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{FileHistory, PlacedHistory, ProjectHistory};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_history::{Moment, Tracing};

use super::is_product;
use super::tremor::{Series, Tremor, Tremors};
use super::trust::{Exposure, Outcome, OutcomeKind, TrustModel, Verdict};
use crate::scope::Scope;

/// Files whose lines are compared to find the commits of their symbols, those with the most fixes first.
const MAX_TRACED: usize = 40;
/// Commits of one file whose lines are compared.
const MAX_COMPARED: usize = 200;
/// Commits cited for a node.
const CITED: usize = 3;

/// Kinds of nodes that are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustScope {
    /// Files.
    Files,
    /// Functions and methods.
    Functions,
    /// Classes, modules and other nodes with members, without files.
    Modules,
    /// All of these.
    All,
}

impl TrustScope {
    fn has_symbols(self) -> bool {
        self != Self::Files
    }

    fn has(self, kind: NodeKind) -> bool {
        match self {
            Self::Files => kind == NodeKind::File,
            Self::Functions => is_function(kind),
            Self::Modules => is_module(kind),
            Self::All => kind == NodeKind::File || is_function(kind) || is_module(kind),
        }
    }
}

fn is_function(kind: NodeKind) -> bool {
    kind == NodeKind::Function
}

fn is_module(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Class | NodeKind::Struct | NodeKind::Enum | NodeKind::Trait | NodeKind::Interface | NodeKind::Module
    )
}

/// A question about trust.
#[derive(Debug, Clone)]
pub struct TrustQuery {
    /// Which kinds of nodes.
    pub scope: TrustScope,
    /// Which paths.
    pub paths: Scope,
    /// A single symbol instead.
    pub node: Option<NodeIx>,
    /// Days after which evidence counts half.
    pub half_life: f64,
    /// Commits and outcomes below which nothing is told.
    pub least: usize,
    /// Recorded outcomes, by node id.
    pub outcomes: BTreeMap<String, Vec<Outcome>>,
}

/// Evidence about a node, in words that can be shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeEvidence {
    /// Full names and subjects (text of the repository) of the newest fix commits, at most three.
    pub commits: Vec<(String, String)>,
    /// Number of recorded outcomes of each kind, in the order of [`OutcomeKind::ALL`].
    pub outcomes: [usize; 3],
    /// Time of the newest fix commit or recorded defect, in seconds since 1970.
    pub last_defect: Option<i64>,
}

/// A judged node.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustNode {
    /// The node.
    pub node: NodeIx,
    /// What its commits say.
    pub exposure: Exposure,
    /// The evidence behind it.
    pub evidence: NodeEvidence,
    /// The judgement.
    pub verdict: Verdict,
    /// Weight of the newest defect by its age, 0 to 1; 0 without one.
    pub recency: f64,
}

/// Judged nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrustAnswer {
    /// The nodes, by id.
    pub rows: Vec<TrustNode>,
    /// Mean chance of a fix in a period, over the files of the first root.
    pub rate: Option<f64>,
    /// "Now": time of the newest commit of the first root.
    pub now: i64,
    /// What is left out, in words.
    pub gaps: Vec<String>,
}

/// The product files of a graph below a prefix, with their histories if a commit touched them.
pub(super) fn files_of<'h>(graph: &Graph, place: &PlacedHistory<'h>) -> Vec<(NodeIx, FileHistory<'h>)> {
    let prefix = place.outer("");
    let files = graph.nodes().filter(|&node| graph.kind(node) == NodeKind::File);
    files
        .filter_map(|node| {
            let inner = graph.path(node).strip_prefix(prefix.as_str())?;
            is_judged(graph, node, inner).then(|| place.history.file(inner)).flatten().map(|file| (node, file))
        })
        .collect()
}

/// Whether a file, by its path inside the root, is code of the product.
pub(super) fn is_judged(graph: &Graph, file: NodeIx, inner: &str) -> bool {
    !graph.flags(file).has(NodeFlags::TEST) && is_product(inner)
}

/// The places of the histories of a snapshot, one of each root that has one.
fn places<'h>(snapshot: &Snapshot, history: &'h ProjectHistory) -> Vec<PlacedHistory<'h>> {
    // Any path of a root leads to its history.
    snapshot.roots().iter().filter_map(|root| history.place(&format!("{}x", root.prefix)).ok()).collect()
}

fn lines_of(graph: &Graph, node: NodeIx) -> u32 {
    let (start, end) = graph.lines(node);
    (end + 1).saturating_sub(start.max(1))
}

/// The model of a root.
pub(super) fn model(graph: &Graph, place: &PlacedHistory<'_>, half_life: f64) -> TrustModel {
    let files = files_of(graph, place);
    let with_lines: Vec<(FileHistory<'_>, u32)> =
        files.iter().map(|(node, file)| (*file, lines_of(graph, *node))).collect();
    TrustModel::of(place.history, Moment::NOW, half_life, &with_lines)
}

/// Judges the nodes of a snapshot.
///
/// # Errors
/// [`Cancelled`].
pub fn trust_nodes(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    query: &TrustQuery,
    cancel: &Cancel,
) -> Result<TrustAnswer, Cancelled> {
    let graph = snapshot.graph();
    let mut answer = TrustAnswer { gaps: history.gaps(), ..TrustAnswer::default() };
    for place in places(snapshot, history) {
        cancel.check()?;
        // Each repository has its own rate of fixes; the first one speaks for the answer.
        let model = model(graph, &place, query.half_life);
        if answer.rate.is_none() {
            (answer.rate, answer.now) = (Some(model.rate()), place.history.now());
        }
        let judge = Judge { graph, place: &place, model: &model, query };
        let mut files: Vec<(NodeIx, FileHistory<'_>, Exposure)> = files_of(graph, &place)
            .into_iter()
            .filter(|(node, _)| match query.node {
                Some(only) => graph.file(only) == Some(*node),
                None => query.paths.has(graph.path(*node)),
            })
            .map(|(node, file)| (node, file, model.exposure(place.history, file.commit_numbers(Moment::NOW))))
            .collect();
        if query.scope.has(NodeKind::File) {
            let own = files.iter().filter(|(node, ..)| query.node.is_none_or(|only| only == *node));
            let rows: Vec<TrustNode> = own.map(|(node, _, found)| judge.row(*node, found.clone())).collect();
            answer.rows.extend(rows);
        }
        // Symbols need the texts of commits, so that only the files with most fixes are traced.
        if query.scope.has_symbols() {
            files.sort_by(|a, b| b.2.hits.total_cmp(&a.2.hits).then_with(|| graph.id(a.0).cmp(graph.id(b.0))));
            if files.len() > MAX_TRACED {
                let rest = files.len() - MAX_TRACED;
                answer.gaps.push(format!(
                    "symbols of the {MAX_TRACED} files with the most fixes only; {rest} others were not compared"
                ));
                files.truncate(MAX_TRACED);
            }
            for (file, history, _) in &files {
                answer.rows.extend(judge.symbols(snapshot, *file, *history, cancel)?);
            }
        }
    }
    answer.rows.sort_by(|a, b| graph.id(a.node).cmp(graph.id(b.node)));
    Ok(answer)
}

pub(super) struct Judge<'a, 'h> {
    pub(super) graph: &'a Graph,
    pub(super) place: &'a PlacedHistory<'h>,
    pub(super) model: &'a TrustModel,
    pub(super) query: &'a TrustQuery,
}

impl Judge<'_, '_> {
    pub(super) fn row(&self, node: NodeIx, exposure: Exposure) -> TrustNode {
        let outcomes = self.outcomes(node);
        let commits = self.place.history.commits();
        let cited = exposure.fixes.iter().take(CITED).map(|&number| &commits[number]);
        let defects = outcomes.iter().filter(|outcome| outcome.kind != OutcomeKind::FalseAlarm);
        let fixes = exposure.fixes.iter().map(|&number| commits[number].time);
        let last_defect = defects.map(|outcome| outcome.time).chain(fixes).max();
        TrustNode {
            node,
            evidence: NodeEvidence {
                commits: cited.map(|commit| (commit.name(), commit.subject.to_string())).collect(),
                outcomes: OutcomeKind::ALL.map(|kind| outcomes.iter().filter(|outcome| outcome.kind == kind).count()),
                last_defect,
            },
            verdict: self.model.judge(&exposure, &outcomes, lines_of(self.graph, node), self.query.least),
            recency: last_defect.map_or(0.0, |time| self.model.recency(time)),
            exposure,
        }
    }

    /// The outcomes of a node; those of a file include those of its members.
    fn outcomes(&self, node: NodeIx) -> Vec<Outcome> {
        let id = self.graph.id(node);
        if self.graph.kind(node) != NodeKind::File {
            return self.query.outcomes.get(id).cloned().unwrap_or_default();
        }
        let is_own = |other: &str| other.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        let own = self.query.outcomes.iter().filter(|(other, _)| is_own(other));
        own.flat_map(|(_, outcomes)| outcomes.iter().copied()).collect()
    }

    /// The symbols of a file: their lines are followed back through the commits of the file.
    fn symbols(
        &self,
        snapshot: &Snapshot,
        file: NodeIx,
        history: FileHistory<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<TrustNode>, Cancelled> {
        let graph = self.graph;
        let nodes: Vec<NodeIx> = graph
            .of_file(file)
            .into_iter()
            .filter(|&node| graph.kind(node) != NodeKind::File && self.query.scope.has(graph.kind(node)))
            .filter(|&node| !graph.flags(node).has(NodeFlags::TEST))
            .filter(|&node| self.query.node.is_none_or(|only| only == node))
            .collect();
        let text = RepoPath::new(graph.path(file)).ok().and_then(|path| snapshot.read_file(&path).ok());
        let (Some(text), Ok(contents)) = (text, self.place.contents()) else { return Ok(Vec::new()) };
        let ranges: Vec<std::ops::Range<u32>> = nodes
            .iter()
            .map(|&node| {
                let (start, end) = graph.lines(node);
                start.saturating_sub(1)..end
            })
            .collect();
        let tracing = Tracing { contents: &contents, cache: self.place.lines(), limit: MAX_COMPARED, cancel };
        let found = history.trace(text.text.as_bytes(), &ranges, tracing)?;
        let rows = nodes.iter().zip(&found.ranges).map(|(&node, range)| {
            let real = range.changes.iter().filter(|change| !change.is_format).map(|change| change.commit);
            self.row(node, self.model.exposure(self.place.history, real))
        });
        Ok(rows.collect())
    }
}

/// A file and the change of its pace.
#[derive(Debug, Clone, PartialEq)]
pub struct TremorNode {
    /// The file.
    pub node: NodeIx,
    /// Its weekly commits.
    pub series: Series,
    /// The change of its pace.
    pub tremor: Tremor,
}

/// Files by the change of their pace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TremorAnswer {
    /// The files that changed in the window, by id.
    pub rows: Vec<TremorNode>,
    /// Number of files with a history.
    pub analyzed: usize,
    /// Times of the start and end of the window of the first root, in seconds since 1970.
    pub window: Option<(i64, i64)>,
    /// What is left out, in words.
    pub gaps: Vec<String>,
}

/// The change of pace of the files of some paths, in a window of so many days (`None` for two years).
///
/// # Errors
/// [`Cancelled`].
pub fn tremor_nodes(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    paths: &Scope,
    days: Option<u32>,
    cancel: &Cancel,
) -> Result<TremorAnswer, Cancelled> {
    let graph = snapshot.graph();
    let mut answer = TremorAnswer { gaps: history.gaps(), ..TremorAnswer::default() };
    for place in places(snapshot, history) {
        cancel.check()?;
        let files = files_of(graph, &place);
        let tremors = Tremors::of(place.history, Moment::NOW, days, files.iter().map(|(_, file)| *file));
        answer.window = answer.window.or(Some(tremors.window()));
        if !tremors.is_known() {
            answer.gaps.push("too few files changed in the window to compare them".to_owned());
            continue;
        }
        for (node, file) in files.iter().filter(|(node, _)| paths.has(graph.path(*node))) {
            answer.analyzed += 1;
            let series = tremors.series(place.history, file.commit_numbers(Moment::NOW));
            if series.observations() > 0
                && let Some(tremor) = tremors.judge(&series)
            {
                answer.rows.push(TremorNode { node: *node, series, tremor });
            }
        }
    }
    answer.rows.sort_by(|a, b| graph.id(a.node).cmp(graph.id(b.node)));
    Ok(answer)
}
