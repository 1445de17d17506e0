//! The risk of every file: parts that are measured on their own, and their combination over those that are known.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{NodeFlags, NodeIx};
use rustc_hash::FxHashMap;

use super::flow::{FlowQuery, SharedState, flow};
use super::is_product;
use super::nodes::{TremorNode, TrustNode, TrustQuery, TrustScope, tremor_nodes, trust_nodes};
use super::structure::{FileReach, Structure};
use super::trust::{Outcome, Tier};
use crate::layers::{Layering, LayersQuery, declaration, files};
use crate::scope::Scope;

/// Days after which commits count half for churn.
const CHURN_HALF_LIFE: f64 = 30.0;
/// Days of the window of tremor.
pub(super) const TREMOR_DAYS: u32 = 30;
/// Magnitude of tremor that counts as 1.
const FULL_TREMOR: f64 = 1.0;
/// Contradictions of layers that count as 1.
const FULL_VIOLATIONS: f64 = 5.0;
/// Matches of bug patterns that count as 1.
const FULL_MATCHES: f64 = 3.0;
/// Calls followed from an entry point, functions visited in all, and entry points for a score of 1.
const FLOW_DEPTH: usize = 15;
const FLOW_STEPS: usize = 50_000;
const FLOW_FULL: f64 = 2.0;

/// A part of the risk of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Share of the other files that depend on it.
    ReachBack,
    /// Share of the other files that it depends on.
    ReachForward,
    /// Share of the files whose PageRank is at most its own.
    Centrality,
    /// Share of the files that changed at most as much lately.
    Churn,
    /// One minus its trust.
    Defect,
    /// Acceleration of its changes.
    Tremor,
    /// Its dependencies that contradict the layers.
    Layer,
    /// Matches of bug patterns.
    BugPatterns,
    /// State of its modules that several entry points write without a common lock.
    Turbulence,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 9] = [
        Self::ReachBack,
        Self::ReachForward,
        Self::Centrality,
        Self::Churn,
        Self::Defect,
        Self::Tremor,
        Self::Layer,
        Self::BugPatterns,
        Self::Turbulence,
    ];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReachBack => "reach_back",
            Self::ReachForward => "reach_forward",
            Self::Centrality => "centrality",
            Self::Churn => "churn",
            Self::Defect => "defect",
            Self::Tremor => "tremor",
            Self::Layer => "layer",
            Self::BugPatterns => "antibody",
            Self::Turbulence => "turbulence",
        }
    }

    /// Its weight in the combination: those of the published formula. The other parts say how far a defect reaches, or
    /// do not beat size alone in predicting later fixes (`cargo xtask eval risk`).
    pub const fn weight(self) -> f64 {
        match self {
            Self::Defect => 0.30,
            Self::Tremor => 0.25,
            Self::Layer => 0.20,
            Self::Turbulence => 0.15,
            Self::BugPatterns => 0.10,
            Self::ReachBack | Self::ReachForward | Self::Centrality | Self::Churn => 0.0,
        }
    }
}

/// The risk of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRisk {
    /// The file.
    pub node: NodeIx,
    /// The parts in the order of [`Part::ALL`], 0 to 1; `None` where unknown.
    pub parts: [Option<f64>; 9],
    /// Weighted mean of the known parts; `None` if none with a weight is known.
    pub combined: Option<f64>,
    /// Its reach.
    pub reach: Option<FileReach>,
    /// Its trust, if there is a history.
    pub trust: Option<TrustNode>,
    /// Its tremor, if it changed in the window.
    pub tremor: Option<TremorNode>,
    /// Matches of bug patterns, if any are stored.
    pub matches: Option<u32>,
    /// Its dependencies that contradict the layers, declared or inferred; `None` if the declaration cannot be used.
    pub layer_violations: Option<u32>,
}

impl FileRisk {
    /// A part; `None` where unknown.
    pub fn part(&self, part: Part) -> Option<f64> {
        Part::ALL.iter().position(|known| *known == part).and_then(|at| self.parts[at])
    }

    /// The known parts with a weight, those that add most first.
    pub fn strongest(&self) -> Vec<(Part, f64)> {
        let known = Part::ALL.into_iter().zip(self.parts).filter_map(|(part, value)| Some((part, value?)));
        let mut rows: Vec<(Part, f64)> = known.filter(|(part, value)| part.weight() > 0.0 && *value > 0.0).collect();
        rows.sort_by(|a, b| (b.0.weight() * b.1).total_cmp(&(a.0.weight() * a.1)).then_with(|| a.0.cmp(&b.0)));
        rows
    }
}

/// A question for the risk of files.
#[derive(Debug, Clone, Default)]
pub struct PanoramaQuery {
    /// Which files.
    pub paths: Scope,
    /// Recorded outcomes, by node id.
    pub outcomes: BTreeMap<String, Vec<Outcome>>,
    /// Matches of bug patterns by path; `None` if no pattern is stored.
    pub matches: Option<BTreeMap<String, u32>>,
    /// Days after which evidence of defects counts half.
    pub half_life: f64,
    /// Commits and outcomes below which nothing is told about defects.
    pub least: usize,
}

/// The risk of files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PanoramaAnswer {
    /// The product files, most risky first.
    pub files: Vec<FileRisk>,
    /// What is left out, in words.
    pub gaps: Vec<String>,
}

/// For each path, the largest number of entry points that write state of the file without a common lock.
#[derive(Debug, Default)]
struct Turbulence {
    by_path: FxHashMap<String, usize>,
    /// The search saw all it is made for: files that are not listed have none.
    is_whole: bool,
}

impl Turbulence {
    fn of(snapshot: &Snapshot, cancel: &Cancel) -> Result<Self, Cancelled> {
        let query = FlowQuery { max_depth: FLOW_DEPTH, max_steps: FLOW_STEPS, ..FlowQuery::default() };
        let found = flow(snapshot, &query, cancel)?;
        if found.entries.is_empty() {
            return Ok(Self::default());
        }
        let mut by_path: FxHashMap<String, usize> = FxHashMap::default();
        // Whether entry points share an object cannot be told, so its fields decide nothing here.
        let is_sure = |shared: &&SharedState| {
            !shared.open_pairs.is_empty() && snapshot.graph().kind(shared.state) != NodeKind::Field
        };
        for shared in found.shared.iter().filter(is_sure) {
            let row = by_path.entry(snapshot.graph().path(shared.state).to_owned()).or_default();
            let mut open: Vec<usize> = shared.open_pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            open.sort_unstable();
            open.dedup();
            *row = (*row).max(open.len());
        }
        Ok(Self { by_path, is_whole: !found.is_cut })
    }

    /// The part of a file, 0 to 1; `None` where a search that was cut found nothing.
    fn part(&self, path: &str) -> Option<f64> {
        let open = self.by_path.get(path).copied().or(self.is_whole.then_some(0))?;
        Some((open as f64 / FLOW_FULL).min(1.0))
    }
}

/// What the files have against the layers.
#[derive(Debug, Default)]
struct LayerParts {
    /// Dependencies of each file that contradict the layers; `None` if nothing is known.
    by_file: Option<FxHashMap<NodeIx, u32>>,
}

impl LayerParts {
    fn of(snapshot: &Snapshot, gaps: &mut Vec<String>, cancel: &Cancel) -> Result<Self, Cancelled> {
        let declared = match declaration(snapshot) {
            Ok(declared) => declared,
            Err(error) => {
                gaps.push(error.to_string());
                return Ok(Self::default());
            }
        };
        let files = files(snapshot, cancel)?;
        let layering = Layering::of(snapshot, &files, declared.as_ref(), &LayersQuery::default(), cancel)?;
        let levelled = files.nodes.iter().zip(&layering.levels).filter(|(_, level)| level.is_some());
        let mut by_file: FxHashMap<NodeIx, u32> = levelled.map(|(&node, _)| (node, 0)).collect();
        for row in &layering.against {
            *by_file.entry(files.nodes[files.arcs[row.arc].from]).or_default() += 1;
        }
        Ok(Self { by_file: Some(by_file) })
    }

    fn violations(&self, node: NodeIx) -> Option<u32> {
        self.by_file.as_ref()?.get(&node).copied()
    }
}

/// The risk of the product files of some paths.
///
/// # Errors
/// [`Cancelled`].
pub fn panorama(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    query: &PanoramaQuery,
    cancel: &Cancel,
) -> Result<PanoramaAnswer, Cancelled> {
    let graph = snapshot.graph();
    // What is a property of the whole index is computed once per snapshot.
    let structure = snapshot.derived_values().get_or_try_init(|| Structure::of(graph, cancel))?;
    let turbulence = snapshot.derived_values().get_or_try_init(|| Turbulence::of(snapshot, cancel))?;
    // Both series are of all files: percentiles are of the project.
    let trust = TrustQuery {
        scope: TrustScope::Files,
        paths: query.paths.clone(),
        node: None,
        half_life: query.half_life,
        least: query.least,
        outcomes: query.outcomes.clone(),
    };
    let trust = trust_nodes(snapshot, history, &trust, cancel)?;
    let tremor = tremor_nodes(snapshot, history, &query.paths, Some(TREMOR_DAYS), cancel)?;
    let mut gaps = trust.gaps.clone();
    gaps.extend(tremor.gaps.iter().filter(|gap| !trust.gaps.contains(gap)).cloned());
    let trust: FxHashMap<NodeIx, TrustNode> = trust.rows.into_iter().map(|row| (row.node, row)).collect();
    let tremor: FxHashMap<NodeIx, TremorNode> = tremor.rows.into_iter().map(|row| (row.node, row)).collect();
    // Rated are files of the product: no tests, nothing generated or vendored.
    let is_meant = |node: &NodeIx| {
        let path = graph.path(*node);
        graph.kind(*node) == NodeKind::File
            && !graph.flags(*node).has(NodeFlags::TEST)
            && is_product(path)
            && query.paths.has(path)
    };
    let meant: Vec<NodeIx> = graph.nodes().filter(is_meant).collect();
    // Churn is relative: the share of files that change less.
    let decayed = |node: &NodeIx| history.file(graph.path(*node)).map(|file| file.decayed_commits(CHURN_HALF_LIFE));
    let churn: Vec<Option<f64>> = meant.iter().map(decayed).collect();
    let mut sorted: Vec<f64> = churn.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let percentile = |value: f64| sorted.partition_point(|other| *other <= value) as f64 / sorted.len().max(1) as f64;
    let others = structure.files().saturating_sub(1).max(1) as f64;
    let layers = LayerParts::of(snapshot, &mut gaps, cancel)?;
    // Each part is 0 to 1, or unknown; unknown parts have no weight.
    let row = |(node, churn): (NodeIx, Option<f64>)| {
        let path = graph.path(node);
        let (trust, tremor) = (trust.get(&node).cloned(), tremor.get(&node).cloned());
        let reach = structure.file(node);
        let matches = query.matches.as_ref().map(|by_path| by_path.get(path).copied().unwrap_or(0));
        let known = trust.as_ref().filter(|row| row.verdict.tier != Tier::Unknown);
        let parts = [
            reach.and_then(|reach| reach.back).map(|count| f64::from(count) / others),
            reach.and_then(|reach| reach.forward).map(|count| f64::from(count) / others),
            reach.map(|reach| reach.centrality),
            churn.map(percentile),
            known.map(|row| 1.0 - row.verdict.trust),
            tremor.as_ref().map(|row| (row.tremor.magnitude / FULL_TREMOR).min(1.0)),
            layers.violations(node).map(|count| (f64::from(count) / FULL_VIOLATIONS).min(1.0)),
            matches.map(|count| (f64::from(count) / FULL_MATCHES).min(1.0)),
            turbulence.part(path),
        ];
        let layer_violations = layers.violations(node);
        FileRisk { node, combined: combine_parts(&parts), parts, reach, trust, tremor, matches, layer_violations }
    };
    let mut files: Vec<FileRisk> = meant.into_iter().zip(churn).map(row).collect();
    let value = |row: &FileRisk| row.combined.unwrap_or(-1.0);
    files.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    Ok(PanoramaAnswer { files, gaps })
}

/// Weighted mean of the known parts.
fn combine_parts(parts: &[Option<f64>; 9]) -> Option<f64> {
    let known = Part::ALL.iter().zip(parts).filter_map(|(part, value)| Some((part.weight(), (*value)?)));
    let (sum, weights) = known.fold((0.0, 0.0), |(sum, all), (weight, value)| (sum + weight * value, all + weight));
    (weights > 0.0).then(|| sum / weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_was_cut_proves_no_absence() {
        let mut found = Turbulence::default();
        found.by_path.insert("a.py".into(), 1);
        assert_eq!((found.part("a.py"), found.part("b.py")), (Some(0.5), None));
        found.is_whole = true;
        assert_eq!(found.part("b.py"), Some(0.0));
    }

    #[test]
    fn unknown_parts_are_left_out_with_their_weights() {
        let at = |part: Part| Part::ALL.iter().position(|known| *known == part).expect("is one of them");
        let mut parts = [None; 9];
        assert_eq!(combine_parts(&parts), None);
        parts[at(Part::Churn)] = Some(1.0);
        assert_eq!(combine_parts(&parts), None, "a part without a weight decides nothing");
        parts[at(Part::Defect)] = Some(0.5);
        assert_eq!(combine_parts(&parts), Some(0.5));
        parts[at(Part::Turbulence)] = Some(0.0);
        let both = combine_parts(&parts).expect("two are known");
        assert!((both - 0.5 * 0.30 / 0.45).abs() < 1e-12);
    }
}
