//! A region as it was, and its differences from what it is.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, Cancelled, ContentHash};
use m1nd_engine::{Bound, BoundState, CodeTexts, Snapshot};
use m1nd_graph::{NodeIx, weights};

use super::region::TooLarge;

/// Most edges of a baseline, those over its boundary included.
pub const MAX_EDGES: usize = 20_000;
/// Smallest difference of weights that counts as a change.
const MIN_WEIGHT_CHANGE: f64 = 0.001;

/// Source, target and relation of an edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeKey {
    /// Id of its source.
    pub from: String,
    /// Id of its target.
    pub to: String,
    /// Word of its relation.
    pub relation: String,
}

/// Hashes of the text of a node and of its file; `None` without text.
pub type Hashes = Option<(ContentHash, ContentHash)>;

/// A region as it was at some time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Baseline {
    /// Its nodes by id.
    pub nodes: BTreeMap<String, Hashes>,
    /// Edges with at least one end in it, with their weight.
    pub edges: BTreeMap<EdgeKey, f64>,
}

/// Edges by their place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sides {
    /// Both ends in the region.
    pub inside: Vec<EdgeKey>,
    /// One end in it.
    pub boundary: Vec<EdgeKey>,
}

/// An edge whose weight changed.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeChange {
    /// The edge.
    pub edge: EdgeKey,
    /// Weight then.
    pub old: f64,
    /// Weight now.
    pub new: f64,
}

/// What changed in a region. All lists are sorted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegionDiff {
    /// Nodes that roots of the region contain now and did not.
    pub new_nodes: Vec<String>,
    /// Nodes that are gone, with the node that has their text now, if there is one.
    pub removed_nodes: Vec<(String, Option<String>)>,
    /// Nodes with another text.
    pub modified_nodes: Vec<String>,
    /// Nodes that could not be compared, with the reason.
    pub unknown_nodes: Vec<(String, String)>,
    /// New edges.
    pub added: Sides,
    /// Edges that are gone.
    pub removed: Sides,
    /// Edges of another certainty.
    pub weights: Vec<EdgeChange>,
}

impl RegionDiff {
    /// Whether nothing changed, as far as could be compared.
    pub fn is_empty(&self) -> bool {
        *self == Self { unknown_nodes: self.unknown_nodes.clone(), ..Self::default() }
    }
}

impl Baseline {
    /// These nodes as they are now.
    ///
    /// # Errors
    /// [`Cancelled`], or [`TooLarge`] above [`MAX_EDGES`].
    pub fn of(snapshot: &Snapshot, nodes: &[NodeIx], cancel: &Cancel) -> Result<Result<Self, TooLarge>, Cancelled> {
        let (graph, texts) = (snapshot.graph(), CodeTexts::new(snapshot));
        let mut baseline = Self::default();
        for &node in nodes {
            cancel.check()?;
            let hashes = texts.bind(node).map(|bound| (bound.content, bound.file));
            baseline.nodes.insert(graph.id(node).to_owned(), hashes);
        }
        match edges_of(snapshot, nodes.iter().copied(), cancel)? {
            Some(edges) => baseline.edges = edges,
            None => return Ok(Err(TooLarge)),
        }
        Ok(Ok(baseline))
    }
}

/// Edges from and to these nodes, but containment; `None` above [`MAX_EDGES`].
fn edges_of(
    snapshot: &Snapshot,
    nodes: impl Iterator<Item = NodeIx>,
    cancel: &Cancel,
) -> Result<Option<BTreeMap<EdgeKey, f64>>, Cancelled> {
    let graph = snapshot.graph();
    let mut edges = BTreeMap::new();
    for node in nodes {
        cancel.check()?;
        for edge in graph.out_edges(node).chain(graph.in_edges(node)) {
            if !edge.relation.is_structure() {
                continue;
            }
            let key = EdgeKey {
                from: graph.id(edge.from).to_owned(),
                to: graph.id(edge.to).to_owned(),
                relation: edge.relation.word().to_owned(),
            };
            edges.insert(key, weights::certainty(edge.tier, edge.of));
            if edges.len() > MAX_EDGES {
                return Ok(None);
            }
        }
    }
    Ok(Some(edges))
}

/// Compares a region with what it is now. The region is its nodes, and what its roots contain now: nodes elsewhere that
/// became connected with it show as edges over its boundary.
///
/// # Errors
/// [`Cancelled`].
pub fn compare(
    snapshot: &Snapshot,
    baseline: &Baseline,
    roots: &[String],
    cancel: &Cancel,
) -> Result<RegionDiff, Cancelled> {
    let mut diff = RegionDiff::default();
    let mut now: BTreeSet<NodeIx> = BTreeSet::new();
    compare_nodes(snapshot, baseline, &mut diff, &mut now, cancel)?;
    let graph = snapshot.graph();
    let roots = roots.iter().filter_map(|root| graph.find(root));
    for node in roots.flat_map(|root| graph.with_members(root, super::region::MAX_NODES)) {
        if !baseline.nodes.contains_key(graph.id(node)) && now.insert(node) {
            diff.new_nodes.push(graph.id(node).to_owned());
        }
    }
    diff.new_nodes.sort();
    // Above the limit nothing can be said about edges; the nodes of the region are bounded, so this takes thousands of
    // new references to one of them.
    if let Some(edges) = edges_of(snapshot, now.iter().copied(), cancel)? {
        compare_edges(baseline, &edges, &mut diff);
    }
    Ok(diff)
}

fn compare_nodes(
    snapshot: &Snapshot,
    baseline: &Baseline,
    diff: &mut RegionDiff,
    now: &mut BTreeSet<NodeIx>,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let (graph, texts) = (snapshot.graph(), CodeTexts::new(snapshot));
    for (id, hashes) in &baseline.nodes {
        cancel.check()?;
        let node = graph.find(id);
        now.extend(node);
        let state = match (hashes, node) {
            // The same file: nothing to read.
            (Some((_, file)), Some(node)) if snapshot.file_of(node).is_some_and(|entry| entry.hash == *file) => {
                continue;
            }
            (Some((content, file)), _) => texts.state(&Bound { node: id.clone(), content: *content, file: *file }, ""),
            (None, Some(_)) => continue,
            (None, None) => BoundState::Missing(None),
        };
        match state {
            BoundState::Unchanged => {}
            BoundState::Modified => diff.modified_nodes.push(id.clone()),
            BoundState::Moved(to) => diff.removed_nodes.push((id.clone(), Some(graph.id(to).to_owned()))),
            BoundState::Missing(_) => diff.removed_nodes.push((id.clone(), None)),
            BoundState::Unknown(reason) => diff.unknown_nodes.push((id.clone(), reason)),
        }
    }
    Ok(())
}

fn compare_edges(baseline: &Baseline, now: &BTreeMap<EdgeKey, f64>, diff: &mut RegionDiff) {
    let is_known =
        |id: &String, diff: &RegionDiff| baseline.nodes.contains_key(id) || diff.new_nodes.binary_search(id).is_ok();
    let sides = |edges: Vec<EdgeKey>, diff: &RegionDiff| {
        let (inside, boundary) =
            edges.into_iter().partition(|edge| is_known(&edge.from, diff) && is_known(&edge.to, diff));
        Sides { inside, boundary }
    };
    let added = now.keys().filter(|edge| !baseline.edges.contains_key(edge)).cloned().collect();
    let removed = baseline.edges.keys().filter(|edge| !now.contains_key(edge)).cloned().collect();
    diff.added = sides(added, diff);
    diff.removed = sides(removed, diff);
    let both = baseline.edges.iter().filter_map(|(edge, old)| Some((edge, *old, *now.get(edge)?)));
    let changed = both.filter(|(_, old, new)| (old - new).abs() > MIN_WEIGHT_CHANGE);
    diff.weights = changed.map(|(edge, old, new)| EdgeChange { edge: edge.clone(), old, new }).collect();
}
