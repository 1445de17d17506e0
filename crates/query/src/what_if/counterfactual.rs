//! What a project loses without some nodes, exactly: the places that dangle, the nodes that break, and those that
//! nothing uses any more.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_graph::loss::{self, Loss, LossLimits};
use m1nd_graph::reach;
use m1nd_graph::support::Roots;
use m1nd_graph::{Articulation, Graph, NodeFlags, NodeIx};

use crate::analysis::{Hop, hop};
use crate::closure::{self, Closure, Rows};
use crate::references::{Occurrence, Role, uses};
use m1nd_engine::Snapshot;

/// Maximum nodes that go with their containers.
const MAX_REMOVED: usize = 50_000;
/// Bounds of what goes with a node.
const LIMITS: LossLimits = LossLimits { removed: MAX_REMOVED, region: 200_000 };
/// Edges from a removed node to the farthest dependent that counts as weakened.
const MAX_HOPS: u32 = 5;
/// Dependents that are followed.
const MAX_FOLLOWED: usize = 200_000;

/// Rows of [`Counterfactual::broken_indirectly`] that have their witness.
pub const MAX_WITNESSES: usize = 50;

/// A node that breaks although it names no removed node itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The node.
    pub node: NodeIx,
    /// Edges from it to the removed node.
    pub hops: u32,
    /// These edges, from the node on; empty behind the first [`MAX_WITNESSES`] rows.
    pub witness: Vec<Hop>,
}

/// A node that nothing uses any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orphan {
    /// The node.
    pub node: NodeIx,
    /// Code outside of the index may use it.
    pub exported: bool,
    /// Tests use it.
    pub tested: bool,
    /// What else may use it: references without a known target, registrations, words of its name.
    pub open: usize,
}

/// The effects of removing one of several nodes alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Individual {
    /// The node.
    pub node: NodeIx,
    /// Nodes that break or fall out of use.
    pub lost: usize,
}

/// What removing some nodes does.
#[derive(Debug, Clone, PartialEq)]
pub struct Counterfactual {
    /// Number of nodes that go: those named, and all they contain.
    pub removed: usize,
    /// Places in what is left of the code that name a removed node: code before tests.
    pub dangling: Vec<Occurrence>,
    /// Places in documents that name a removed node. Nothing breaks there.
    pub documents: Vec<Occurrence>,
    /// Nodes that hold a dangling place of a certain reference.
    pub broken_directly: usize,
    /// Nodes that break because they use what a broken node exposes, nearest first.
    pub broken_indirectly: Vec<Broken>,
    /// Dependents within five edges that do not break but may behave differently.
    pub weakened: usize,
    /// Number of dependents by distance, from one edge on.
    pub by_distance: Vec<usize>,
    /// Definitions that nothing uses any more, those that only the index can see first.
    pub orphans: Vec<Orphan>,
    /// A search ended at its bound of nodes: there may be more of everything.
    pub incomplete: bool,
    /// Named nodes that hold parts of the project together, with the number of nodes that lose their connection to the
    /// rest without each.
    pub articulation: Vec<(NodeIx, usize)>,
    /// Definitions outside of tests, before.
    pub definitions: usize,
    /// Definitions outside of tests that are left and in use.
    pub definitions_left: usize,
    /// Nodes that break or fall out of use.
    pub lost: usize,
    /// The same for each named node alone; empty for a single one.
    pub individual: Vec<Individual>,
    /// Whether the dangling places are all that there are, for each named node.
    pub closures: Vec<(NodeIx, Closure)>,
}

impl Counterfactual {
    /// Share of the definitions left that break or fall out of use, 0 to 1.
    pub fn share_lost(&self) -> f64 {
        self.lost as f64 / (self.definitions.max(1)) as f64
    }

    /// Joint loss over the sum of the single ones: above 1, nodes replace each other; below 1, they lose the same.
    /// `None` unless there are several nodes and a loss.
    pub fn synergy(&self) -> Option<f64> {
        loss::synergy(self.lost, self.individual.iter().map(|one| one.lost))
    }
}

/// Returns what a project without `nodes` and all they contain loses.
///
/// # Errors
/// [`Cancelled`].
pub fn counterfactual(snapshot: &Snapshot, nodes: &[NodeIx], cancel: &Cancel) -> Result<Counterfactual, Cancelled> {
    let graph = snapshot.graph();
    let roots = snapshot.derived_values().get_or_try_init(|| Roots::of(graph, cancel))?;
    // What goes with the nodes: what cannot be without them, and what nobody else keeps.
    let loss = Loss::of(graph, &roots, nodes, &LIMITS, cancel)?;
    let mut dangling = Vec::new();
    let mut closures = Vec::new();
    // What names them and stays.
    for &node in nodes {
        let found = uses(snapshot, node, &graph.with_parts(node, MAX_REMOVED), cancel)?;
        let is_left = |place: &Occurrence| !loss.removed.contains(&place.from) && !place.dispatch;
        dangling.extend(found.rows.into_iter().filter(is_left));
        closures.push((node, found.closure));
    }
    let (documents, dangling) = dangling.into_iter().partition(|place| place.role == Role::Document);
    // What only depends on it is weakened; how far away says how much.
    let mut starts: Vec<NodeIx> = loss.removed.iter().copied().collect();
    starts.sort_unstable();
    let dependents = reach::dependents(graph, &starts, MAX_HOPS, MAX_FOLLOWED, cancel)?;
    let mut by_distance = vec![0; dependents.last().map_or(0, |(_, hops)| *hops as usize)];
    for (_, hops) in &dependents {
        by_distance[*hops as usize - 1] += 1;
    }
    let weakened = dependents.iter().filter(|(node, _)| !loss.broken.contains_key(node)).count();
    // Several nodes may be worth more together than each alone.
    let individual = match nodes {
        [_] => Vec::new(),
        _ => alone(graph, &roots, nodes, cancel)?,
    };
    let articulation = articulation(snapshot, nodes, cancel)?;
    let is_counted = |node: &NodeIx| is_definition(graph, *node);
    let definitions = snapshot.derived_values().get_or_init(|| Definitions(graph.nodes().filter(is_counted).count())).0;
    let gone = loss.removed.iter().chain(&loss.orphans.nodes).filter(|node| is_counted(node)).count();
    Ok(Counterfactual {
        removed: loss.removed.len(),
        broken_directly: loss.broken.values().filter(|broken| broken.hops == 1).count(),
        broken_indirectly: indirect(graph, &loss),
        weakened,
        by_distance,
        orphans: orphans(snapshot, &loss),
        incomplete: loss.incomplete,
        articulation,
        definitions,
        definitions_left: definitions.saturating_sub(gone),
        lost: loss.count(),
        individual,
        closures,
        dangling,
        documents,
    })
}

/// Number of definitions of a snapshot.
struct Definitions(usize);

fn is_definition(graph: &Graph, node: NodeIx) -> bool {
    let is_code = matches!(
        graph.kind(node),
        NodeKind::Function
            | NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Enum
            | NodeKind::Trait
            | NodeKind::Interface
            | NodeKind::Type
            | NodeKind::Macro
    );
    is_code && !graph.flags(node).has(NodeFlags::TEST)
}

/// What breaks although it names no removed node itself, nearest first. Only the first rows have their witness: those
/// of all nodes of a chain together are as long as its square.
fn indirect(graph: &Graph, loss: &Loss<'_>) -> Vec<Broken> {
    let far = loss.broken.iter().filter(|(_, broken)| broken.hops > 1);
    let mut rows: Vec<Broken> =
        far.map(|(&node, broken)| Broken { node, hops: broken.hops, witness: Vec::new() }).collect();
    rows.sort_by(|a, b| (a.hops, graph.id(a.node)).cmp(&(b.hops, graph.id(b.node))));
    for row in rows.iter_mut().take(MAX_WITNESSES) {
        let mut at = row.node;
        while let Some(broken) = loss.broken.get(&at) {
            let hop = hop(graph, &broken.via, true);
            at = hop.to;
            row.witness.push(hop);
        }
    }
    rows
}

fn orphans(snapshot: &Snapshot, loss: &Loss<'_>) -> Vec<Orphan> {
    let graph = snapshot.graph();
    let mut rows: Vec<Orphan> = loss
        .orphans
        .nodes
        .iter()
        .filter(|&&node| graph.kind(node) != NodeKind::Impl)
        .map(|&node| Orphan {
            node,
            exported: closure::is_visible_outside(snapshot, node),
            tested: graph.in_edges(node).any(|edge| {
                edge.relation.carries_change()
                    && edge.relation.is_structure()
                    && !loss.removed.contains(&edge.from)
                    && graph.flags(edge.from).has(NodeFlags::TEST)
            }),
            open: closure::hiding(snapshot, node, Rows::Users).len(),
        })
        .collect();
    rows.sort_by(|a, b| {
        let key = |row: &Orphan| (row.exported || row.open > 0, row.tested);
        key(a).cmp(&key(b)).then_with(|| graph.id(a.node).cmp(graph.id(b.node)))
    });
    rows
}

fn alone(graph: &Graph, roots: &Roots, nodes: &[NodeIx], cancel: &Cancel) -> Result<Vec<Individual>, Cancelled> {
    let one = |&node: &NodeIx| Ok(Individual { node, lost: Loss::of(graph, roots, &[node], &LIMITS, cancel)?.count() });
    nodes.iter().map(one).collect()
}

fn articulation(snapshot: &Snapshot, nodes: &[NodeIx], cancel: &Cancel) -> Result<Vec<(NodeIx, usize)>, Cancelled> {
    let points: Arc<Articulation> =
        snapshot.derived_values().get_or_try_init(|| Articulation::of(snapshot.graph(), cancel))?;
    let cut = nodes.iter().map(|&node| (node, points.count_detached(node)));
    Ok(cut.filter(|(_, cut)| *cut > 0).collect())
}
