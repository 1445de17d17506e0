//! Connections of two nodes, with evidence for every step.

use m1nd_base::{Cancel, Cancelled, EdgeTier, Relation};
use m1nd_graph::paths::{self, FoundPath, PathQuery, Way};
use m1nd_graph::{Dispatch, Graph, NodeIx};
use rustc_hash::FxHashSet;

use super::why_parts::paths_between;
use crate::closure::{ClosureState, UNKNOWN_MODULE, names_of};
use m1nd_engine::{FileEntry, Snapshot};

/// Maximum edges visited by one search.
const BUDGET: usize = 400_000;
/// Maximum pairs of places of two symbols that are tried.
const MAX_PLACES: usize = 8;
/// Maximum nodes of the region searched for hidden paths.
const REGION: usize = 50_000;
/// Nodes nearest to the other end whose names make an open reference likely to lead there. This orders the list only.
const LIKELY: usize = 2_000;
/// Dangling references listed.
const MAX_DANGLING: usize = 20;

/// A question for connections.
#[derive(Debug, Clone, Copy)]
pub struct WhyQuery {
    /// First node.
    pub source: NodeIx,
    /// Last node.
    pub target: NodeIx,
    /// Most edges of a path.
    pub max_hops: u32,
    /// Most paths.
    pub max_paths: usize,
}

/// One edge of an answer, with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Hop {
    /// Node the step starts from.
    pub from: NodeIx,
    /// Node it leads to.
    pub to: NodeIx,
    /// Relation of the edge.
    pub relation: Relation,
    /// The edge points the way of the step; otherwise it reads from `to` to `from`.
    pub forward: bool,
    /// Certainty of the edge.
    pub tier: EdgeTier,
    /// Number of candidates of the reference, 1 if certain.
    pub of: u16,
    /// It follows from dynamic dispatch: the call names a method that the target overrides.
    pub dispatch: bool,
    /// A compiler index supplies at least one of its sites.
    pub compiler: bool,
    /// Path of the file it is written in, empty if none.
    pub file: String,
    /// Line it is written on, 0 if none.
    pub line: u32,
}

/// A step of a path, with the other targets its reference may have.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyStep {
    /// The edge.
    pub hop: Hop,
    /// Candidates of a possible edge, including its own target; for dynamic dispatch only the most central ones,
    /// while the hop's `of` is their number. Empty if certain.
    pub candidates: Vec<NodeIx>,
}

/// A path.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyPath {
    /// Steps in order.
    pub steps: Vec<WhyStep>,
    /// Sum of the costs of its steps: cheaper explains more.
    pub cost: f64,
    /// Product of the chances that the edges are true, 0 to 1.
    pub strength: f64,
    /// `forward` if all edges point from source to target, `backward` if all point the other way, else `mixed`.
    pub direction: Way,
}

/// A reference that keeps an answer open.
#[derive(Debug, Clone, PartialEq)]
pub struct DanglingEdge {
    /// Node that holds the reference.
    pub source: NodeIx,
    /// Relation if the edge exists, else the role (`call`, `read`, …).
    pub relation: String,
    /// `ambiguous`, `dynamic_dispatch`, or `unresolved` and why.
    pub reason: String,
    /// Name that is referred to.
    pub name: String,
    /// Path of its file.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Nodes it may go to.
    pub candidates: Vec<NodeIx>,
}

/// Completeness of the answer, and its obstacles.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyClosure {
    /// The verdict.
    pub state: ClosureState,
    /// `no_path_within_hops`, `no_forward_path` (there are paths, but none from source to target), `budget_exhausted`,
    /// `node_not_found`, or none.
    pub reason: Option<&'static str>,
    /// References that keep it open, the first [`MAX_DANGLING`].
    pub dangling_edges: Vec<DanglingEdge>,
    /// Total number.
    pub dangling_total: usize,
    /// One sentence.
    pub why: String,
}

/// Connections of two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyAnswer {
    /// Paths: those that follow edges from source to target first, then the other way, then mixed.
    pub paths: Vec<WhyPath>,
    /// Whether there is any.
    pub found: bool,
    /// Whether it can be relied on.
    pub closure: WhyClosure,
}

impl WhyAnswer {
    /// The answer when a node of the question does not exist.
    pub fn node_not_found() -> Self {
        let closure = WhyClosure {
            state: ClosureState::Unknown,
            reason: Some("node_not_found"),
            dangling_edges: Vec::new(),
            dangling_total: 0,
            why: "one or both nodes are not in the index, so nothing can be said of a connection".into(),
        };
        Self { paths: Vec::new(), found: false, closure }
    }
}

/// Returns the cheapest paths along edges from source to target; if there are none, along edges in the other
/// direction; if there are none, along both.
///
/// # Errors
/// [`Cancelled`].
pub fn why(snapshot: &Snapshot, query: &WhyQuery, cancel: &Cancel) -> Result<WhyAnswer, Cancelled> {
    let graph = snapshot.graph();
    // A symbol may be written in several places: what it uses is known of its definition, what uses it of any.
    let (sources, targets) = (graph.same_symbol(query.source), graph.same_symbol(query.target));
    let (source, target) = (graph.definition_of(query.source), graph.definition_of(query.target));
    let query = &WhyQuery { source, target, ..*query };
    let mut pairs: Vec<(NodeIx, NodeIx)> =
        sources.iter().flat_map(|&source| targets.iter().map(move |&target| (source, target))).collect();
    pairs.sort_by_key(|pair| *pair != (source, target));
    pairs.truncate(MAX_PLACES);
    // The budget ended in a search that found nothing, or in the one that found the answer.
    let (mut missed, mut cut) = (false, false);
    let mut answer = Vec::new();
    let mut found_way = Way::Mixed;
    let (from_parts, to_parts) = (with_members(graph, &sources), with_members(graph, &targets));
    'ways: for way in [Way::Forward, Way::Backward, Way::Mixed] {
        for &(from, to) in &pairs {
            let (max_hops, k) = (query.max_hops, query.max_paths.max(1));
            let search = PathQuery { from, to, way, max_hops, k, budget: BUDGET };
            let found = paths::cheapest_paths(graph, &search, cancel)?;
            answer.extend(found.paths.iter().map(|path| describe(graph, path, way)));
            if !answer.is_empty() {
                (cut, found_way) = (found.budget_exhausted, way);
                break 'ways;
            }
            missed |= found.budget_exhausted;
        }
        // What uses a member of a file or a class uses the file or the class.
        let ends = match way {
            Way::Forward if targets.len() < to_parts.len() => (&from_parts, &to_parts),
            Way::Backward if sources.len() < from_parts.len() => (&to_parts, &from_parts),
            _ => continue,
        };
        let between = paths_between(graph, ends, (query.max_hops, query.max_paths), cancel)?;
        missed |= between.is_cut;
        if !between.paths.is_empty() {
            answer.extend(between.paths.iter().map(|path| describe(graph, path, way)));
            found_way = way;
            break;
        }
    }
    let closure_without = |found| {
        let ends = (&*from_parts, &*to_parts);
        closure_without_path(snapshot, ends, query.max_hops, found, missed, cancel)
    };
    let closure = if answer.is_empty() {
        closure_without(None)?
    } else {
        let of_paths = closure_of_paths(graph, &answer, cut);
        if found_way == Way::Forward || of_paths.state == ClosureState::Blocked {
            of_paths
        } else {
            closure_without(Some(found_way))?
        }
    };
    Ok(WhyAnswer { found: !answer.is_empty(), paths: answer, closure })
}

/// The nodes and all that they contain.
fn with_members(graph: &Graph, nodes: &[NodeIx]) -> Vec<NodeIx> {
    let mut all: Vec<NodeIx> = nodes.iter().flat_map(|&node| graph.with_members(node, REGION)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns whether something could hide a path from source to target, or back unless the paths found lead back. Both
/// are sets of nodes: a symbol in all its places, with what it contains.
///
/// A hidden path leaves the known graph at a node that is reached from its start: a reference without target there,
/// or a file that is not known whole, may be its next step, by whatever name.
pub(super) fn closure_without_path(
    snapshot: &Snapshot,
    (sources, targets): (&[NodeIx], &[NodeIx]),
    max_hops: u32,
    found: Option<Way>,
    exhausted: bool,
    cancel: &Cancel,
) -> Result<WhyClosure, Cancelled> {
    let graph = snapshot.graph();
    let mut dangling: Vec<Open<'_>> = Vec::new();
    let mut files: FxHashSet<NodeIx> = FxHashSet::default();
    let mut whole = !exhausted;
    let dispatch = Dispatch::new(graph);
    let ends = [(sources, targets), (targets, sources)];
    // A path back leaves only the way forward to be explained.
    let directions = if found == Some(Way::Backward) { 1 } else { 2 };
    for (from, to) in ends.into_iter().take(directions) {
        let last = max_hops.saturating_sub(1);
        let (near, all_near) = paths::region(graph, from, Way::Forward, last, REGION, cancel)?;
        let (far, _) = paths::region(graph, to, Way::Backward, last, LIKELY, cancel)?;
        whole &= all_near;
        // A reference is likely to lead on if it has the name of something near the target.
        let labels: FxHashSet<&str> = far.iter().flat_map(|&node| names_of(graph, node)).collect();
        for node in near {
            files.extend(graph.file(node));
            dangling.extend(graph.unresolved_of(node).map(|reference| {
                let is_likely = labels.contains(reference.name) || reference.reason == UNKNOWN_MODULE;
                Open {
                    is_likely,
                    name: reference.name,
                    line: reference.pos.line,
                    node,
                    what: What::Reference(reference),
                }
            }));
            // A call through an interface may run methods beyond those that are listed.
            for call in graph.out_edges(node).filter(|edge| edge.dispatches) {
                let found = dispatch.replacements(call.to);
                whole &= !found.is_cut;
                if found.left_out > 0 {
                    let (name, line) = (graph.label(call.to), call.sites.first().map_or(0, |site| site.line));
                    dangling.push(Open { is_likely: labels.contains(name), name, line, node, what: What::Call(call) });
                }
            }
        }
    }
    let is_unseen = |file: &FileEntry| file.problems.iter().any(|problem| problem.kind.hides_references());
    let unseen = files.into_iter().filter(|file| snapshot.file_of(*file).is_some_and(is_unseen)).count();
    let (state, reason, why) = verdict(max_hops, found, whole, dangling.len(), unseen);
    let dangling_total = dangling.len();
    // Only the shown rows are sorted; there may be very many.
    if dangling_total > MAX_DANGLING {
        dangling.select_nth_unstable_by(MAX_DANGLING, |a, b| a.key(graph).cmp(&b.key(graph)));
        dangling.truncate(MAX_DANGLING);
    }
    dangling.sort_by(|a, b| a.key(graph).cmp(&b.key(graph)));
    let dangling_edges = dangling.iter().map(|open| open.row(graph)).collect();
    Ok(WhyClosure { state, reason: Some(reason), dangling_edges, dangling_total, why })
}

/// Verdict on a missing path: state, reason and text. `found` is the direction that was found instead, `whole`
/// whether the search was complete, `dangling` and `unseen` count references and files that could hide a path.
fn verdict(
    max_hops: u32,
    found: Option<Way>,
    whole: bool,
    dangling: usize,
    unseen: usize,
) -> (ClosureState, &'static str, String) {
    let none = match found {
        None => "no path",
        Some(Way::Mixed) => "both are connected by edges of both directions, but no path from one to the other",
        Some(_) => "target leads to source, but no path from source to target",
    };
    let not_found = if found.is_some() { "no_forward_path" } else { "no_path_within_hops" };
    if !whole {
        let why = format!("{none} was found before the search ended at its budget");
        return (ClosureState::Unknown, "budget_exhausted", why);
    }
    if dangling == 0 && unseen == 0 {
        let why = format!("{none} of {max_hops} hops or fewer, and no open reference could hide one");
        return (ClosureState::Closed, not_found, why);
    }
    let mut hiding = vec![format!("{dangling} open references")];
    if unseen > 0 {
        hiding.push(format!("{unseen} files that could not be parsed whole"));
    }
    (ClosureState::Unknown, not_found, format!("{none} was found, but {} could hide one", hiding.join(" and ")))
}

/// A place where a hidden path may go on.
struct Open<'g> {
    /// It has a name of the other end, or of something near it.
    is_likely: bool,
    name: &'g str,
    line: u32,
    node: NodeIx,
    what: What<'g>,
}

enum What<'g> {
    /// A reference without a target.
    Reference(m1nd_graph::UnresolvedRef<'g>),
    /// A call that may run methods of classes which nothing in sight makes.
    Call(m1nd_graph::EdgeRef<'g>),
}

impl<'g> Open<'g> {
    /// Likely ones first, then by place.
    fn key(&self, graph: &'g Graph) -> (bool, &'g str, u32, &'g str, NodeIx) {
        (!self.is_likely, graph.path(self.node), self.line, self.name, self.node)
    }

    fn row(&self, graph: &Graph) -> DanglingEdge {
        let (relation, reason) = match &self.what {
            What::Reference(reference) => (reference.role, format!("unresolved: {}", reference.reason)),
            What::Call(call) => (call.relation.word(), "dynamic_dispatch: class not made in sight".to_owned()),
        };
        DanglingEdge {
            source: self.node,
            relation: relation.to_owned(),
            reason,
            name: self.name.to_owned(),
            file: graph.path(self.node).to_owned(),
            line: self.line,
            candidates: Vec::new(),
        }
    }
}

/// One edge with its evidence, as a step from one of its ends.
pub(crate) fn hop(graph: &Graph, edge: &m1nd_graph::EdgeRef<'_>, forward: bool) -> Hop {
    let (from, to) = if forward { (edge.from, edge.to) } else { (edge.to, edge.from) };
    // Containment is written where the contained thing is.
    let line = edge
        .sites
        .first()
        .map_or_else(|| if edge.relation == Relation::Contains { graph.lines(edge.to).0 } else { 0 }, |site| site.line);
    Hop {
        from,
        to,
        relation: edge.relation,
        forward,
        tier: edge.tier,
        of: edge.of,
        dispatch: edge.is_by_dispatch(),
        compiler: edge.compiler,
        file: graph.path(edge.from).to_owned(),
        line,
    }
}

pub(super) fn describe(graph: &Graph, path: &FoundPath<'_>, direction: Way) -> WhyPath {
    let steps = path.steps.iter().map(|step| {
        let mut candidates = Vec::new();
        if step.edge.tier == EdgeTier::Possible {
            let site = step.edge.sites.first();
            let by_dispatch = step.edge.is_by_dispatch();
            let shown = Dispatch::new(graph).list_shown(step.edge.from);
            let edges = graph.out_edges(step.edge.from).chain(shown).chain(by_dispatch.then_some(step.edge));
            let alike = edges.filter(|edge| {
                (edge.tier == EdgeTier::Possible && edge.is_by_dispatch() == by_dispatch
                    || by_dispatch && edge.dispatches)
                    && edge.relation == step.edge.relation
                    && site.is_some_and(|site| edge.sites.iter().any(|other| other == site))
            });
            candidates = alike.map(|edge| edge.to).collect();
            candidates.sort_by_key(|&node| graph.id(node));
            candidates.dedup();
        }
        WhyStep { hop: hop(graph, &step.edge, step.forward), candidates }
    });
    let certainty = path.steps.iter().map(|step| m1nd_graph::weights::certainty(step.edge.tier, step.edge.of));
    WhyPath { steps: steps.collect(), cost: f64::from(path.cost) / 1000.0, strength: certainty.product(), direction }
}

/// `cut`: the budget ended before all paths were seen.
pub(super) fn closure_of_paths(graph: &Graph, paths: &[WhyPath], cut: bool) -> WhyClosure {
    let reason = cut.then_some("budget_exhausted");
    let unsure = |path: &WhyPath| path.steps.iter().any(|step| step.hop.tier == EdgeTier::Possible);
    if let Some(proven) = paths.iter().position(|path| !unsure(path)) {
        let why = format!("every hop of path {} is certain", proven + 1);
        return WhyClosure { state: ClosureState::Closed, reason, dangling_edges: Vec::new(), dangling_total: 0, why };
    }
    let steps = paths.iter().flat_map(|path| &path.steps).filter(|step| step.hop.tier == EdgeTier::Possible);
    let mut dangling: Vec<DanglingEdge> = steps
        .map(|step| {
            let (source, target) =
                if step.hop.forward { (step.hop.from, step.hop.to) } else { (step.hop.to, step.hop.from) };
            DanglingEdge {
                source,
                relation: step.hop.relation.word().to_owned(),
                reason: if step.hop.dispatch { "dynamic_dispatch" } else { "ambiguous" }.to_owned(),
                name: graph.label(target).to_owned(),
                file: step.hop.file.clone(),
                line: step.hop.line,
                candidates: step.candidates.clone(),
            }
        })
        .collect();
    dangling.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    dangling.dedup();
    let dangling_total = dangling.len();
    dangling.truncate(MAX_DANGLING);
    let why = format!("every path has a hop with several possible targets ({dangling_total} in all)");
    WhyClosure { state: ClosureState::Blocked, reason, dangling_edges: dangling, dangling_total, why }
}
