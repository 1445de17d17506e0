//! `differential`: what differs between two states of the graph, with renames and moves told from removals.

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

/// Minimum share of members, by kind and name, that files must have in common for one to be the other renamed.
const LEAST_FILE: f64 = 0.5;
/// Minimum share of connections that symbols must have in common for one to be the other renamed.
const LEAST_SYMBOL: f64 = 0.5;
/// Most removed or added nodes of a kind that are compared for renames.
const MAX_COMPARED: usize = 400;
/// Smallest change of the coupling of two folders that is listed.
const LEAST_COUPLING: f64 = 0.01;

/// A node that has another id in the newer state.
#[derive(Debug, Clone, PartialEq)]
pub struct RenamedNode {
    /// Its id in the older state.
    pub from: String,
    /// Its id in the newer state.
    pub to: String,
    /// It is in another file under the same name.
    pub is_move: bool,
    /// Share of members or connections that both have in common, 0 to 1.
    pub likeness: f64,
}

/// An edge between nodes, by their ids. Several references of one relation from one node to another are one edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeRow {
    /// Id of the source.
    pub source: String,
    /// Id of the target.
    pub target: String,
    /// Its relation.
    pub relation: &'static str,
    /// Number of places.
    pub sites: usize,
    /// File and line of the first.
    pub place: (String, u32),
}

/// An edge with another number of places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightChange {
    /// The edge in the newer state.
    pub edge: EdgeRow,
    /// Its number of places before.
    pub before: usize,
}

/// A change of the coupling between two folders.
#[derive(Debug, Clone, PartialEq)]
pub struct CouplingDelta {
    /// One folder.
    pub one: String,
    /// The other one.
    pub other: String,
    /// Share of the edges of both that lead from one to the other, 0 to 1, before and after.
    pub shares: (f64, f64),
}

/// Differences of two states. Ids of the older state are those of the newer one where a node was renamed or moved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphDifference {
    /// Ids of nodes that are new.
    pub new_nodes: Vec<String>,
    /// Ids of nodes that went away.
    pub removed_nodes: Vec<String>,
    /// Nodes with another id. The members of a renamed file or class are not listed.
    pub renamed: Vec<RenamedNode>,
    /// Edges that are new.
    pub new_edges: Vec<EdgeRow>,
    /// Edges that went away.
    pub removed_edges: Vec<EdgeRow>,
    /// Edges with another number of places.
    pub weight_changes: Vec<WeightChange>,
    /// Folders with another coupling, by the amount of the change.
    pub couplings: Vec<CouplingDelta>,
    /// Number of nodes and edges that both states have.
    pub common: usize,
}

impl GraphDifference {
    /// One minus the share of nodes and edges that both states have, 0 to 1 (Jaccard distance). A renamed node counts
    /// as common.
    pub fn drift(&self) -> f64 {
        let changed = self.new_nodes.len() + self.removed_nodes.len() + self.new_edges.len() + self.removed_edges.len();
        let all = changed + self.common;
        if all == 0 { 0.0 } else { changed as f64 / all as f64 }
    }
}

/// What two states differ in, as far as `wanted` accepts paths.
///
/// # Errors
/// [`Cancelled`].
pub fn differences(
    before: &Snapshot,
    after: &Snapshot,
    wanted: &dyn Fn(&str) -> bool,
    cancel: &Cancel,
) -> Result<GraphDifference, Cancelled> {
    let (old, new) = (State::of(before, wanted, cancel)?, State::of(after, wanted, cancel)?);
    let mut names = Names::default();
    names.files(before, after, &old, &new);
    names.moved(&old, &new);
    cancel.check()?;
    names.renamed(&old, &new);
    let mut found = GraphDifference::default();
    let mut known: FxHashSet<String> = FxHashSet::default();
    for (id, _) in &old.nodes {
        let id = names.now(id);
        if new.by_id.contains_key(id.as_str()) {
            found.common += 1;
        } else {
            found.removed_nodes.push(id.clone());
        }
        known.insert(id);
    }
    found.new_nodes = new.nodes.iter().filter(|(id, _)| !known.contains(id)).map(|(id, _)| id.clone()).collect();
    edges(&old, &new, &names, &mut found);
    found.couplings = couplings(&old, &new, &names);
    found.renamed = names.rows;
    found.renamed.sort_by(|a, b| a.to.cmp(&b.to));
    Ok(found)
}

/// Source and target of an edge by their ids, and its relation.
type EdgeKey = (String, String, Relation);
/// Number of places of an edge, and the first.
type Places = (usize, (String, u32));
/// Nodes with their ids.
type Nodes = Vec<(String, NodeIx)>;

/// The nodes and edges of a state.
struct State<'g> {
    graph: &'g Graph,
    nodes: Vec<(String, NodeIx)>,
    by_id: FxHashMap<String, NodeIx>,
    edges: FxHashMap<EdgeKey, Places>,
}

impl<'g> State<'g> {
    fn of(snapshot: &'g Snapshot, wanted: &dyn Fn(&str) -> bool, cancel: &Cancel) -> Result<Self, Cancelled> {
        let graph = snapshot.graph();
        let mut state = Self { graph, nodes: Vec::new(), by_id: FxHashMap::default(), edges: FxHashMap::default() };
        for node in graph.nodes() {
            cancel.check()?;
            // Packages and their members come and go with the edges to them.
            if graph.file(node).is_none() || !wanted(graph.path(node)) {
                continue;
            }
            let id = graph.id(node).to_owned();
            for edge in graph.out_edges(node).filter(|edge| edge.relation != Relation::Contains) {
                let key = (id.clone(), graph.id(edge.to).to_owned(), edge.relation);
                let line = edge.sites.iter().next().map_or(0, |site| site.line);
                let row = state.edges.entry(key).or_insert_with(|| (0, (graph.path(node).to_owned(), line)));
                row.0 += edge.sites.iter().count().max(1);
            }
            state.by_id.insert(id.clone(), node);
            state.nodes.push((id, node));
        }
        Ok(state)
    }

    /// Kinds and names of the members of a file.
    fn members(&self, file: NodeIx) -> FxHashSet<(NodeKind, &'g str)> {
        let graph = self.graph;
        let members = graph.of_file(file).into_iter().filter(|node| *node != file);
        members.map(|node| (graph.kind(node), graph.label(node))).collect()
    }

    /// Connections of a node in both directions, by id, with the name of the node itself left out.
    fn connections(&self, node: NodeIx, names: &Names) -> FxHashSet<(Relation, bool, String)> {
        let graph = self.graph;
        let out = graph.out_edges(node).map(|edge| (edge.relation, true, names.now(graph.id(edge.to))));
        let into = graph.in_edges(node).map(|edge| (edge.relation, false, names.now(graph.id(edge.from))));
        out.chain(into).filter(|(relation, ..)| *relation != Relation::Contains).collect()
    }
}

/// Ids of the older state that are others in the newer one.
#[derive(Default)]
struct Names {
    /// Prefixes of ids: those of files and of symbols, which their members share.
    now: FxHashMap<String, String>,
    rows: Vec<RenamedNode>,
}

impl Names {
    /// The id in the newer state: that of the longest renamed part in front.
    fn now(&self, id: &str) -> String {
        let mut end = id.len();
        loop {
            if let Some(now) = self.now.get(&id[..end]) {
                return format!("{now}{}", &id[end..]);
            }
            match id[..end].rfind("::") {
                Some(at) if at > 0 => end = at,
                _ => return id.to_owned(),
            }
        }
    }

    fn add(&mut self, from: &str, to: &str, is_move: bool, likeness: f64) {
        self.now.insert(from.to_owned(), to.to_owned());
        self.rows.push(RenamedNode { from: from.to_owned(), to: to.to_owned(), is_move, likeness });
    }

    /// Pairs files that went away with new ones: equal contents first, then those with the most members in common.
    fn files(&mut self, before: &Snapshot, after: &Snapshot, old: &State<'_>, new: &State<'_>) {
        let gone = only(old, new, |graph, node| graph.kind(node) == NodeKind::File);
        let mut added = only(new, old, |graph, node| graph.kind(node) == NodeKind::File);
        let hash = |snapshot: &Snapshot, node| snapshot.file_of(node).map(|file| file.hash);
        let mut rest = Vec::new();
        for (id, node) in gone {
            let same = added.iter().position(|(_, other)| {
                let (one, other) = (hash(before, node), hash(after, *other));
                one.is_some() && one == other
            });
            match same {
                Some(at) => {
                    let (to, other) = added.swap_remove(at);
                    let is_move = old.graph.label(node) == new.graph.label(other);
                    self.add(&id, &to, is_move, 1.0);
                }
                None => rest.push((id, node)),
            }
        }
        self.pair(rest, added, LEAST_FILE, &|one, other| jaccard(&old.members(one), &new.members(other)), (old, new));
    }

    /// Pairs symbols of the same kind and name in other places, where both are the only ones.
    fn moved(&mut self, old: &State<'_>, new: &State<'_>) {
        let gone = self.gone(old, new);
        let mut by_name: FxHashMap<(NodeKind, &str), Vec<(String, NodeIx)>> = FxHashMap::default();
        for (id, node) in self.added(old, new) {
            by_name.entry((new.graph.kind(node), new.graph.label(node))).or_default().push((id, node));
        }
        let mut counts: FxHashMap<(NodeKind, &str), usize> = FxHashMap::default();
        for (_, node) in &gone {
            *counts.entry((old.graph.kind(*node), old.graph.label(*node))).or_default() += 1;
        }
        for (id, node) in gone {
            let key = (old.graph.kind(node), old.graph.label(node));
            let is_only = counts[&key] == 1 && old.graph.file(node) != Some(node);
            // Members follow their owner.
            if let Some([(to, _)]) = by_name.get(&key).map(Vec::as_slice).filter(|_| is_only)
                && self.now(&id) != *to
            {
                self.add(&id, to, true, 1.0);
            }
        }
    }

    /// Pairs symbols of the same kind and owner that have enough connections or members in common.
    fn renamed(&mut self, old: &State<'_>, new: &State<'_>) {
        let (gone, added) = (self.gone(old, new), self.added(old, new));
        let owner = |state: &State<'_>, names: Option<&Self>, node| {
            let id = state.graph.parent(node).map(|parent| state.graph.id(parent).to_owned()).unwrap_or_default();
            (state.graph.kind(node), names.map_or_else(|| id.clone(), |names| names.now(&id)))
        };
        let mut groups: FxHashMap<(NodeKind, String), [Nodes; 2]> = FxHashMap::default();
        for (id, node) in gone {
            groups.entry(owner(old, Some(self), node)).or_default()[0].push((id, node));
        }
        for (id, node) in added {
            groups.entry(owner(new, None, node)).or_default()[1].push((id, node));
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, [gone, added]) in groups {
            let names = Self { now: self.now.clone(), rows: Vec::new() };
            let likeness = |one: NodeIx, other: NodeIx| {
                let (a, b) = (old.connections(one, &names), new.connections(other, &Self::default()));
                let height = |graph: &Graph, node| {
                    let (start, end) = graph.lines(node);
                    f64::from(end + 1 - start)
                };
                let (x, y) = (height(old.graph, one), height(new.graph, other));
                if a.is_empty() || b.is_empty() { 0.0 } else { jaccard(&a, &b) * (x.min(y) / x.max(y)).sqrt() }
            };
            self.pair(gone, added, LEAST_SYMBOL, &likeness, (old, new));
        }
    }

    /// Pairs the most alike first.
    fn pair(
        &mut self,
        gone: Vec<(String, NodeIx)>,
        added: Vec<(String, NodeIx)>,
        least: f64,
        likeness: &dyn Fn(NodeIx, NodeIx) -> f64,
        (old, new): (&State<'_>, &State<'_>),
    ) {
        if gone.len() > MAX_COMPARED || added.len() > MAX_COMPARED {
            return;
        }
        let mut scored: Vec<(f64, usize, usize)> = Vec::new();
        for (one, (_, from)) in gone.iter().enumerate() {
            for (other, (_, to)) in added.iter().enumerate() {
                let score = likeness(*from, *to);
                if score >= least {
                    scored.push((score, one, other));
                }
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        let (mut taken, mut given) = (FxHashSet::default(), FxHashSet::default());
        for (score, one, other) in scored {
            if !taken.contains(&one) && !given.contains(&other) {
                taken.insert(one);
                given.insert(other);
                let is_move = old.graph.label(gone[one].1) == new.graph.label(added[other].1);
                self.add(&gone[one].0, &added[other].0, is_move, score);
            }
        }
    }

    /// Symbols of the older state that the newer one does not have, also under their new names.
    fn gone(&self, old: &State<'_>, new: &State<'_>) -> Vec<(String, NodeIx)> {
        let gone = old
            .nodes
            .iter()
            .filter(|(id, node)| old.graph.kind(*node) != NodeKind::File && !new.by_id.contains_key(&self.now(id)));
        gone.cloned().collect()
    }

    /// Symbols of the newer state that no node of the older one is.
    fn added(&self, old: &State<'_>, new: &State<'_>) -> Vec<(String, NodeIx)> {
        let known: FxHashSet<String> = old.nodes.iter().map(|(id, _)| self.now(id)).collect();
        let added =
            new.nodes.iter().filter(|(id, node)| new.graph.kind(*node) != NodeKind::File && !known.contains(id));
        added.cloned().collect()
    }
}

/// Nodes of one state whose ids the other does not have.
fn only(one: &State<'_>, other: &State<'_>, kind: impl Fn(&Graph, NodeIx) -> bool) -> Vec<(String, NodeIx)> {
    let own = one.nodes.iter().filter(|(id, node)| kind(one.graph, *node) && !other.by_id.contains_key(id));
    own.cloned().collect()
}

fn jaccard<T: std::hash::Hash + Eq>(a: &FxHashSet<T>, b: &FxHashSet<T>) -> f64 {
    let shared = a.iter().filter(|item| b.contains(*item)).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

fn edges(old: &State<'_>, new: &State<'_>, names: &Names, found: &mut GraphDifference) {
    let row = |(source, target, relation): (String, String, Relation), (sites, place): (usize, (String, u32))| {
        EdgeRow { source, target, relation: relation.word(), sites, place }
    };
    let mut rest = new.edges.clone();
    for ((source, target, relation), before) in &old.edges {
        let key = (names.now(source), names.now(target), *relation);
        match rest.remove(&key) {
            None => found.removed_edges.push(row(key, before.clone())),
            Some(after) => {
                found.common += 1;
                if after.0 != before.0 {
                    found.weight_changes.push(WeightChange { edge: row(key, after), before: before.0 });
                }
            }
        }
    }
    found.new_edges = rest.into_iter().map(|(key, value)| row(key, value)).collect();
    found.new_edges.sort();
    found.removed_edges.sort();
    found.weight_changes.sort_by(|a, b| a.edge.cmp(&b.edge));
    found.new_nodes.sort();
    found.removed_nodes.sort();
}

/// Couplings of folders that changed, the largest change first.
fn couplings(old: &State<'_>, new: &State<'_>, names: &Names) -> Vec<CouplingDelta> {
    let (before, after) = (shares(old, |id| names.now(id)), shares(new, str::to_owned));
    let mut pairs: Vec<&(String, String)> = before.keys().chain(after.keys()).collect();
    pairs.sort();
    pairs.dedup();
    let share =
        |of: &FxHashMap<(String, String), f64>, pair: &(String, String)| of.get(pair).copied().unwrap_or_default();
    let row = |pair: &(String, String)| {
        let shares = (share(&before, pair), share(&after, pair));
        CouplingDelta { one: pair.0.clone(), other: pair.1.clone(), shares }
    };
    let mut rows: Vec<CouplingDelta> = pairs.into_iter().map(row).collect();
    rows.retain(|row| (row.shares.0 - row.shares.1).abs() > LEAST_COUPLING);
    rows.sort_by(|a, b| {
        let change = |row: &CouplingDelta| (row.shares.0 - row.shares.1).abs();
        change(b).total_cmp(&change(a)).then_with(|| (&a.one, &a.other).cmp(&(&b.one, &b.other)))
    });
    rows
}

/// For each pair of folders, the share of the edges of both that lead from one to the other.
fn shares(state: &State<'_>, name: impl Fn(&str) -> String) -> FxHashMap<(String, String), f64> {
    let folder = |id: &str| {
        let id = name(id);
        let path = id.strip_prefix("file::")?.split("::").next()?.to_owned();
        Some(path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned()))
    };
    let (mut between, mut of): (FxHashMap<(String, String), usize>, FxHashMap<String, usize>) = Default::default();
    for (source, target, _) in state.edges.keys() {
        let (Some(one), Some(other)) = (folder(source), folder(target)) else { continue };
        *of.entry(one.clone()).or_default() += 1;
        if one != other {
            *of.entry(other.clone()).or_default() += 1;
            *between.entry((one.clone().min(other.clone()), one.max(other))).or_default() += 1;
        }
    }
    let share = |pair: &(String, String), count: usize| {
        let all = of[&pair.0] + of[&pair.1] - count;
        count as f64 / all.max(1) as f64
    };
    between.into_iter().map(|(pair, count)| (share(&pair, count), pair)).map(|(share, pair)| (pair, share)).collect()
}
