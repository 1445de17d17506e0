//! Repeated work: functions in several files that all use the same things together, without delegating to each other.
//!
//! The things used together are a closed set: everything that all of these functions use and few others do. It is
//! found from pairs, by the functions that use both.

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::gaps::lower_bound;
use super::traits::is_said_by_class;
use crate::calls::{Along, Direction, is_test, walk};
use crate::chance::at_least;

/// Things used together, at least: two calls in a row are no work worth a name.
const LEAST_USES: usize = 3;
/// Things of the project among them, at least.
const LEAST_OWN: usize = 2;
/// Files whose functions do it, at least.
const LEAST_FILES: usize = 3;
/// Functions of the topic among them, at least.
const LEAST_OF_TOPIC: usize = 2;
/// Things with more users characterise no work of their own.
const MOST_USERS: usize = 60;
/// Maximum edges of a node that are examined.
const EDGES: usize = 500;
/// Things a function uses that are paired, those with the fewest users first.
const PAIRED: usize = 24;
/// Chance that is still believed, with every pair that was tried counted in (Bonferroni).
const LEAST_LIKELY: f64 = 0.01;
/// Weaker evidence is not shown, see [`RepeatedUse::strength`].
const LEAST_STRENGTH: f64 = 0.4;
/// Steps within which one of the functions leaves the work to another.
const DELEGATES: usize = 2;
/// Sets that are returned.
const MAX_FOUND: usize = 20;

/// Work done again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedUse {
    /// Things used together, in the order of the first function.
    pub uses: Vec<NodeIx>,
    /// The functions that use all of it and where each first does: those of the topic first, nearest first.
    pub by: Vec<(NodeIx, Option<Pos>)>,
    /// Files of these functions.
    pub files: usize,
    /// A function that does it for others. None of `by` certainly calls another of them; a possible call may.
    pub existing: Option<NodeIx>,
    /// Nearness of the nearest function to the topic, 0 to 1.
    pub activation: f64,
    /// Chance of as many functions with all of it, if each thing were used independently of the others.
    pub p_value: f64,
    /// Lower end (Wilson, 90 %) of the share of the users of the rarest thing that use the others, too; 0 to 1.
    pub strength: f64,
}

/// Returns work of a topic's functions that functions of other files repeat, strongest first, and whether there is
/// more than was examined.
///
/// # Errors
/// [`Cancelled`].
pub(super) fn repeated_uses(
    graph: &Graph,
    topic: &[(NodeIx, f64)],
    cancel: &Cancel,
) -> Result<(Vec<RepeatedUse>, bool), Cancelled> {
    let mut look =
        Look { graph, users: FxHashMap::default(), near: topic.iter().copied().collect(), pairs: 0, is_cut: false };
    let mut sets: FxHashMap<Vec<NodeIx>, Vec<NodeIx>> = FxHashMap::default();
    for &(node, _) in topic.iter().filter(|(node, _)| graph.kind(*node) == NodeKind::Function) {
        cancel.check()?;
        look.sets_of(node, &mut sets);
    }
    let functions = graph.nodes().filter(|node| graph.kind(*node) == NodeKind::Function).count();
    let mut found: Vec<RepeatedUse> =
        sets.into_iter().filter_map(|(uses, by)| look.judge_set(uses, by, functions)).collect();
    let value = |one: &RepeatedUse| one.strength * (0.5 + 0.5 * one.activation) * (one.files as f64).ln();
    found.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| a.uses.cmp(&b.uses)));
    let kept = distinct(&mut found);
    Ok((kept, look.is_cut || !found.is_empty()))
}

/// Drops sets that mostly repeat a stronger one; those beyond [`MAX_FOUND`] stay in `found`.
fn distinct(found: &mut Vec<RepeatedUse>) -> Vec<RepeatedUse> {
    let mut kept: Vec<RepeatedUse> = Vec::new();
    let mut beyond = Vec::new();
    for one in found.drain(..) {
        let overlaps = |other: &RepeatedUse| {
            let common = one.uses.iter().filter(|node| other.uses.contains(node)).count();
            2 * common >= one.uses.len().min(other.uses.len())
        };
        if kept.iter().any(overlaps) {
            continue;
        }
        if kept.len() < MAX_FOUND {
            kept.push(one);
        } else {
            beyond.push(one);
        }
    }
    *found = beyond;
    kept
}

struct Look<'g> {
    graph: &'g Graph,
    users: FxHashMap<NodeIx, Vec<NodeIx>>,
    near: FxHashMap<NodeIx, f64>,
    pairs: usize,
    /// A function uses more than is paired or examined.
    is_cut: bool,
}

impl Look<'_> {
    /// The functions that certainly use a node, by number; none if they are too many to tell anything.
    fn users(&mut self, node: NodeIx) -> &[NodeIx] {
        let graph = self.graph;
        self.users.entry(node).or_insert_with(|| {
            let edges = graph.in_edges(node).filter(|edge| is_use(edge.relation, edge.tier)).map(|edge| edge.from);
            let mut users: Vec<NodeIx> = edges
                .filter(|user| graph.kind(*user) == NodeKind::Function && !is_test(graph, *user))
                .take(EDGES)
                .collect();
            users.sort_unstable();
            users.dedup();
            if users.len() > MOST_USERS {
                users.clear();
            }
            users
        })
    }

    /// Adds the closed sets that a function has a part in, with the functions that use all of each.
    fn sets_of(&mut self, node: NodeIx, sets: &mut FxHashMap<Vec<NodeIx>, Vec<NodeIx>>) {
        let graph = self.graph;
        let edges = graph.out_edges(node).take(EDGES).filter(|edge| is_use(edge.relation, edge.tier));
        // A helper in the same file is a part of how this one does it.
        let mut uses: Vec<NodeIx> = edges
            .map(|edge| edge.to)
            .filter(|to| graph.kind(*to) != NodeKind::Package && graph.file(*to) != graph.file(node))
            .filter(|to| !is_said_by_class(graph, &[node], *to))
            .collect();
        uses.sort_unstable();
        uses.dedup();
        uses.retain(|used| self.users(*used).len() >= LEAST_FILES);
        uses.sort_by_key(|used| (self.users[used].len(), *used));
        self.is_cut |= uses.len() > PAIRED || graph.out_edges(node).nth(EDGES).is_some();
        uses.truncate(PAIRED);
        for (at, first) in uses.iter().enumerate() {
            for second in &uses[at + 1..] {
                self.pairs += 1;
                let (with_first, with_second) = (&self.users[first], &self.users[second]);
                let by: Vec<NodeIx> =
                    with_first.iter().filter(|user| with_second.binary_search(user).is_ok()).copied().collect();
                if files(graph, &by) < LEAST_FILES {
                    continue;
                }
                let all_use = |used: &&NodeIx| by.iter().all(|user| self.users[*used].binary_search(user).is_ok());
                let closed: Vec<NodeIx> = uses.iter().filter(all_use).copied().collect();
                // How a library is used is its idiom, whoever uses it.
                let own = closed.iter().filter(|used| !graph.kind(**used).is_outside()).count();
                if closed.len() >= LEAST_USES && own >= LEAST_OWN {
                    sets.entry(closed).or_insert(by);
                }
            }
        }
    }

    /// The final set, if it is not chance and none of the functions delegates to another.
    fn judge_set(&self, mut uses: Vec<NodeIx>, mut by: Vec<NodeIx>, functions: usize) -> Option<RepeatedUse> {
        let graph = self.graph;
        let all: FxHashSet<NodeIx> = by.iter().copied().collect();
        let served_by = |start: NodeIx| {
            let is_wanted = |one: NodeIx| one != start && all.contains(&one);
            walk(graph, &[start], (Direction::Called, Along::Certain), DELEGATES, &is_wanted).hit
        };
        // A function that calls another one of them, or is called by one, repeats nothing.
        let served: Vec<(NodeIx, NodeIx)> =
            by.iter().filter_map(|one| served_by(*one).map(|(_, serves, _)| (*one, serves))).collect();
        let existing = served.iter().map(|(_, serves)| *serves).min();
        by.retain(|one| !served.iter().any(|(caller, serves)| caller == one || serves == one));
        let files = files(graph, &by);
        let of_topic = by.iter().filter(|one| self.near.contains_key(one)).count();
        if files < LEAST_FILES || of_topic < LEAST_OF_TOPIC {
            return None;
        }
        let rarest = self.users[&uses[0]].len();
        let strength = lower_bound(all.len(), rarest);
        let of = functions.max(1) as f64;
        let chance: f64 = uses.iter().map(|used| self.users[used].len() as f64 / of).product();
        let p_value = (at_least(files, functions, chance) * self.pairs as f64).min(1.0);
        if strength < LEAST_STRENGTH || p_value > LEAST_LIKELY {
            return None;
        }
        let near = |one: &NodeIx| self.near.get(one).copied().unwrap_or(-1.0);
        by.sort_by(|a, b| near(b).total_cmp(&near(a)).then_with(|| a.cmp(b)));
        let activation = near(&by[0]).max(0.0);
        let first = by[0];
        uses.sort_by_key(|used| (first_use(graph, first, std::slice::from_ref(used)), *used));
        let by = by.into_iter().map(|one| (one, first_use(graph, one, &uses))).collect();
        Some(RepeatedUse { uses, by, files, existing, activation, p_value, strength })
    }
}

/// Returns whether an edge is a certain use by a function.
fn is_use(relation: Relation, tier: EdgeTier) -> bool {
    matches!(relation, Relation::Calls) && tier != EdgeTier::Possible
}

fn files(graph: &Graph, functions: &[NodeIx]) -> usize {
    functions.iter().filter_map(|one| graph.file(*one)).collect::<FxHashSet<_>>().len()
}

fn first_use(graph: &Graph, function: NodeIx, uses: &[NodeIx]) -> Option<Pos> {
    let edges = graph.out_edges(function).take(EDGES).filter(|edge| is_use(edge.relation, edge.tier));
    edges.filter(|edge| uses.contains(&edge.to)).filter_map(|edge| edge.sites.first()).min()
}
