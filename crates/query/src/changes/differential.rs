//! `differential`: what differs between two states of the graph, with renames and moves told from removals.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::{Cancel, Cancelled, ContentHash, NodeKind, Relation, node_id};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::drift::FileChange;
use crate::scope::Scope;

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

/// Comparisons that are kept for each newer state.
const MAX_KEPT: usize = 4;

/// Comparisons of a state with earlier ones, the most recently used last.
#[derive(Default)]
struct Kept(Mutex<Vec<(Key, Arc<GraphDifference>)>>);

/// The files of the earlier state, and prefix and text of the scope.
type Key = (ContentHash, String, String);

/// Identifies the files of a state and their contents.
struct Contents(ContentHash);

impl Contents {
    fn of(snapshot: &Snapshot) -> ContentHash {
        let hash = || {
            let mut bytes = Vec::new();
            for file in snapshot.files().iter() {
                bytes.extend_from_slice(file.hash.as_bytes());
                bytes.extend_from_slice(file.path.as_str().as_bytes());
                bytes.push(0);
            }
            Self(ContentHash::of(&bytes))
        };
        snapshot.derived_values().get_or_init(hash).0
    }
}

/// What two states differ in inside of a scope. Kept with the newer state, since agents page through one comparison and
/// ask several tools for it.
///
/// # Errors
/// [`Cancelled`].
pub fn differences(
    before: &Snapshot,
    after: &Snapshot,
    scope: &Scope,
    cancel: &Cancel,
) -> Result<Arc<GraphDifference>, Cancelled> {
    let (prefix, text) = scope.key();
    let key = (Contents::of(before), prefix.to_owned(), text.to_owned());
    let kept = after.derived_values().get_or_init(Kept::default);
    let rows = || kept.0.lock().unwrap_or_else(PoisonError::into_inner);
    {
        let mut rows = rows();
        if let Some(at) = rows.iter().position(|(known, _)| *known == key) {
            let row = rows.remove(at);
            let found = row.1.clone();
            rows.push(row);
            return Ok(found);
        }
    }
    let found = Arc::new(compare(before, after, scope, cancel)?);
    let mut rows = rows();
    if rows.len() >= MAX_KEPT {
        rows.remove(0);
    }
    rows.push((key, found.clone()));
    Ok(found)
}

fn compare(before: &Snapshot, after: &Snapshot, scope: &Scope, cancel: &Cancel) -> Result<GraphDifference, Cancelled> {
    let wanted = &|path: &str| scope.has(path);
    let (old, new) = (State::of(before, wanted, cancel)?, State::of(after, wanted, cancel)?);
    let mut names = Names::default();
    names.files(before, after, &old, &new);
    names.pair_moved(&old, &new);
    cancel.check()?;
    names.pair_renamed(&old, &new);
    cancel.check()?;
    let mut found = GraphDifference::default();
    let pairs = Pairs::of(&old, &new, &names);
    for &node in &old.nodes {
        match pairs.now.get(&node) {
            Some(_) => found.common += 1,
            None => found.removed_nodes.push(pairs.name(node).into_owned()),
        }
    }
    found.new_nodes = new
        .nodes
        .iter()
        .filter(|node| !pairs.taken.contains(node))
        .map(|&node| new.graph.id(node).to_owned())
        .collect();
    let couplings = edges(&pairs, &mut found, cancel)?;
    found.couplings = couplings.rows();
    code_first(&mut found);
    found.renamed = names.rows;
    found.renamed.sort_by(|a, b| a.to.cmp(&b.to));
    Ok(found)
}

/// Puts what documents are and say behind the code.
fn code_first(found: &mut GraphDifference) {
    found.new_nodes.sort_by_key(|id| is_text(id));
    found.removed_nodes.sort_by_key(|id| is_text(id));
    found.new_edges.sort_by_key(|row| row.relation == Relation::Documents.word());
    found.removed_edges.sort_by_key(|row| row.relation == Relation::Documents.word());
    found.weight_changes.sort_by_key(|row| row.edge.relation == Relation::Documents.word());
}

/// Whether an id is that of a section of a document.
fn is_text(id: &str) -> bool {
    id.contains("::section::")
}

/// The path of a file by its id; `None` for a symbol.
pub(super) fn file_path(id: &str) -> Option<&str> {
    node_id::path_of_file(id).filter(|_| node_id::is_file(id))
}

/// A file of another content or path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path; that of the older state if it went away.
    pub path: String,
    /// What happened to it.
    pub change: FileChange,
    /// Its path before, if it was renamed.
    pub from: Option<String>,
    /// Its lines before and after.
    pub lines: (Option<u32>, Option<u32>),
}

/// The files of two states that differ inside of a scope, by path.
pub fn changed_files(
    (before, after): (&Snapshot, &Snapshot),
    found: &GraphDifference,
    scope: &Scope,
) -> Vec<ChangedFile> {
    let renamed: FxHashMap<&str, &str> =
        found.renamed.iter().filter_map(|row| Some((file_path(&row.to)?, file_path(&row.from)?))).collect();
    let lines = |snapshot: &Snapshot, path: &str| {
        let graph = snapshot.graph();
        graph.find_file(path).map(|file| graph.lines(file).1)
    };
    let mut rows = Vec::new();
    let mut known: FxHashSet<String> = FxHashSet::default();
    // Files of the newer state, each compared with the file that it was before.
    for file in after.files().iter() {
        let path = file.path.as_str();
        let was = renamed.get(path).copied().unwrap_or(path);
        known.insert(was.to_owned());
        let old = before.files().by_text(was);
        let change = match old {
            None => FileChange::New,
            Some(_) if was != path => FileChange::Renamed,
            Some(old) if old.hash != file.hash => FileChange::Modified,
            Some(_) => continue,
        };
        rows.push(ChangedFile {
            path: path.to_owned(),
            change,
            from: (was != path).then(|| was.to_owned()),
            lines: (old.and_then(|_| lines(before, was)), lines(after, path)),
        });
    }
    // Then those that no file of the newer state was.
    for file in before.files().iter().filter(|file| !known.contains(file.path.as_str())) {
        let path = file.path.as_str().to_owned();
        rows.push(ChangedFile { lines: (lines(before, &path), None), path, change: FileChange::Removed, from: None });
    }
    rows.retain(|row| scope.has(&row.path) || row.from.as_ref().is_some_and(|path| scope.has(path)));
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows
}

/// Nodes with their ids.
type Nodes = Vec<(String, NodeIx)>;

/// The nodes of a state.
struct State<'g> {
    graph: &'g Graph,
    nodes: Vec<NodeIx>,
    by_id: FxHashMap<&'g str, NodeIx>,
}

impl<'g> State<'g> {
    fn of(snapshot: &'g Snapshot, wanted: &dyn Fn(&str) -> bool, cancel: &Cancel) -> Result<Self, Cancelled> {
        let graph = snapshot.graph();
        // Packages and their members come and go with the edges to them.
        let mut files: FxHashMap<NodeIx, bool> = FxHashMap::default();
        let mut is_part = |node| {
            let file = graph.file(node);
            file.is_some_and(|file| *files.entry(file).or_insert_with(|| wanted(graph.path(file))))
        };
        let nodes: Vec<NodeIx> = graph.nodes().filter(|&node| is_part(node)).collect();
        cancel.check()?;
        let by_id = nodes.iter().map(|&node| (graph.id(node), node)).collect();
        Ok(Self { graph, nodes, by_id })
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
        let now = |node| names.now(graph.id(node)).into_owned();
        let out = graph.out_edges(node).map(|edge| (edge.relation, true, now(edge.to)));
        let into = graph.in_edges(node).map(|edge| (edge.relation, false, now(edge.from)));
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
    fn now<'i>(&self, id: &'i str) -> Cow<'i, str> {
        let mut end = if self.now.is_empty() { 0 } else { id.len() };
        while end > 0 {
            if let Some(now) = self.now.get(&id[..end]) {
                return Cow::Owned(format!("{now}{}", &id[end..]));
            }
            end = id[..end].rfind("::").unwrap_or(0);
        }
        Cow::Borrowed(id)
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
    fn pair_moved(&mut self, old: &State<'_>, new: &State<'_>) {
        let gone = self.list_gone(old, new);
        let mut by_name: FxHashMap<(NodeKind, &str), Vec<(String, NodeIx)>> = FxHashMap::default();
        for (id, node) in self.list_added(old, new) {
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
    fn pair_renamed(&mut self, old: &State<'_>, new: &State<'_>) {
        let (gone, added) = (self.list_gone(old, new), self.list_added(old, new));
        let owner = |state: &State<'_>, names: Option<&Self>, node| {
            let id = state.graph.parent(node).map(|parent| state.graph.id(parent).to_owned()).unwrap_or_default();
            (state.graph.kind(node), names.map_or_else(|| id.clone(), |names| names.now(&id).into_owned()))
        };
        let mut groups: FxHashMap<(NodeKind, String), [Nodes; 2]> = FxHashMap::default();
        for (id, node) in gone {
            groups.entry(owner(old, Some(self), node)).or_default()[0].push((id, node));
        }
        for (id, node) in added {
            groups.entry(owner(new, None, node)).or_default()[1].push((id, node));
        }
        // In order: a pair that was found may connect others, so the order decides.
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, [gone, added]) in groups {
            if gone.is_empty() || added.is_empty() {
                continue;
            }
            // Connections are compared under present names. Different heights lower the likeness of small functions
            // with the same callees.
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
        // All pairs are compared, so large groups would take quadratic time.
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
        // The best pairs win; what is left of both sides stays gone and new.
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
    fn list_gone(&self, old: &State<'_>, new: &State<'_>) -> Vec<(String, NodeIx)> {
        let is_gone = |node: &&NodeIx| {
            old.graph.kind(**node) != NodeKind::File && !new.by_id.contains_key(&*self.now(old.graph.id(**node)))
        };
        with_ids(old, old.nodes.iter().filter(is_gone))
    }

    /// Symbols of the newer state that no node of the older one is.
    fn list_added(&self, old: &State<'_>, new: &State<'_>) -> Vec<(String, NodeIx)> {
        let known: FxHashSet<Cow<'_, str>> = old.nodes.iter().map(|&node| self.now(old.graph.id(node))).collect();
        let is_added =
            |node: &&NodeIx| new.graph.kind(**node) != NodeKind::File && !known.contains(new.graph.id(**node));
        with_ids(new, new.nodes.iter().filter(is_added))
    }
}

fn with_ids<'n>(state: &State<'_>, nodes: impl Iterator<Item = &'n NodeIx>) -> Nodes {
    nodes.map(|&node| (state.graph.id(node).to_owned(), node)).collect()
}

/// Nodes of one state whose ids the other does not have.
fn only(one: &State<'_>, other: &State<'_>, kind: impl Fn(&Graph, NodeIx) -> bool) -> Vec<(String, NodeIx)> {
    let is_own = |node: &&NodeIx| kind(one.graph, **node) && !other.by_id.contains_key(one.graph.id(**node));
    with_ids(one, one.nodes.iter().filter(is_own))
}

fn jaccard<T: std::hash::Hash + Eq>(a: &FxHashSet<T>, b: &FxHashSet<T>) -> f64 {
    let shared = a.iter().filter(|item| b.contains(*item)).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// The nodes of the older state, each with the node of the newer one that it is.
struct Pairs<'s, 'g> {
    old: &'s State<'g>,
    new: &'s State<'g>,
    names: &'s Names,
    now: FxHashMap<NodeIx, NodeIx>,
    /// Nodes of the newer state that are one of the older.
    taken: FxHashSet<NodeIx>,
}

impl<'s, 'g> Pairs<'s, 'g> {
    fn of(old: &'s State<'g>, new: &'s State<'g>, names: &'s Names) -> Self {
        let mut pairs = Self { old, new, names, now: FxHashMap::default(), taken: FxHashSet::default() };
        for &node in &old.nodes {
            if let Some(&now) = new.by_id.get(&*names.now(old.graph.id(node)))
                && pairs.taken.insert(now)
            {
                pairs.now.insert(node, now);
            }
        }
        pairs
    }

    /// The id that a node of the older state has in the newer one, or would have.
    fn name(&self, node: NodeIx) -> Cow<'g, str> {
        self.names.now(self.old.graph.id(node))
    }

    /// The node of the newer state that a target of the older one is: also a package, and what is out of scope.
    fn target(&self, node: NodeIx, known: &mut FxHashMap<NodeIx, Option<NodeIx>>) -> Option<NodeIx> {
        let find = || self.now.get(&node).copied().or_else(|| self.new.graph.find(&self.name(node)));
        *known.entry(node).or_insert_with(find)
    }
}

/// All references of one relation from a node to another.
#[derive(Clone, Copy)]
struct Group {
    to: NodeIx,
    relation: Relation,
    sites: usize,
    line: u32,
}

/// The references of a node, by target and relation.
fn groups(graph: &Graph, node: NodeIx) -> Vec<Group> {
    let edges = graph.out_edges(node).filter(|edge| edge.relation != Relation::Contains);
    let group = |edge: m1nd_graph::EdgeRef<'_>| Group {
        to: edge.to,
        relation: edge.relation,
        sites: edge.sites.len().max(1),
        line: edge.sites.first().map_or(0, |site| site.line),
    };
    let mut rows: Vec<Group> = edges.map(group).collect();
    rows.sort_by_key(|row| (row.to, row.relation));
    rows.dedup_by(|next, first| {
        let is_same = (next.to, next.relation) == (first.to, first.relation);
        first.sites += if is_same { next.sites } else { 0 };
        is_same
    });
    rows
}

/// Compares the references of each node with those of the node that it is now. Ids are looked at only where something
/// differs: most nodes of two commits are the same.
fn edges(pairs: &Pairs<'_, '_>, found: &mut GraphDifference, cancel: &Cancel) -> Result<Couplings, Cancelled> {
    let (old, new) = (pairs.old.graph, pairs.new.graph);
    let mut couplings = Couplings::default();
    let mut targets: FxHashMap<NodeIx, Option<NodeIx>> = FxHashMap::default();
    let before = |from: NodeIx, group: &Group| EdgeRow {
        source: pairs.name(from).into_owned(),
        target: pairs.name(group.to).into_owned(),
        relation: group.relation.word(),
        sites: group.sites,
        place: (old.path(from).to_owned(), group.line),
    };
    let after = |from: NodeIx, group: &Group| EdgeRow {
        source: new.id(from).to_owned(),
        target: new.id(group.to).to_owned(),
        relation: group.relation.word(),
        sites: group.sites,
        place: (new.path(from).to_owned(), group.line),
    };
    for (index, &from) in pairs.old.nodes.iter().enumerate() {
        if index % 1_024 == 0 {
            cancel.check()?;
        }
        let now = pairs.now.get(&from).copied();
        // What no older edge matches is new.
        let mut rest: Vec<Group> = now.map(|now| groups(new, now)).unwrap_or_default();
        for group in groups(old, from) {
            couplings.add(0, |node| pairs.name(node), from, group.to);
            let to = now.and_then(|_| pairs.target(group.to, &mut targets));
            match rest.iter().position(|row| Some(row.to) == to && row.relation == group.relation) {
                None => found.removed_edges.push(before(from, &group)),
                Some(at) => {
                    found.common += 1;
                    let same = rest.swap_remove(at);
                    if same.sites != group.sites {
                        let edge = after(now.unwrap_or(from), &same);
                        found.weight_changes.push(WeightChange { edge, before: group.sites });
                    }
                }
            }
        }
        found.new_edges.extend(rest.iter().map(|group| after(now.unwrap_or(from), group)));
    }
    // Nodes that did not exist before were not visited above.
    for &from in &pairs.new.nodes {
        let is_new = !pairs.taken.contains(&from);
        for group in groups(new, from) {
            couplings.add(1, |node| Cow::Borrowed(new.id(node)), from, group.to);
            if is_new {
                found.new_edges.push(after(from, &group));
            }
        }
    }
    found.new_edges.sort();
    found.removed_edges.sort();
    found.weight_changes.sort_by(|a, b| a.edge.cmp(&b.edge));
    found.new_nodes.sort();
    found.removed_nodes.sort();
    Ok(couplings)
}

/// Numbers of edges between folders, of the older and the newer state.
#[derive(Default)]
struct Couplings {
    /// Folders by name; their number is their place.
    folders: FxHashMap<String, u32>,
    /// The folder of a node of a state, if it is in one.
    of_node: [FxHashMap<NodeIx, Option<u32>>; 2],
    between: FxHashMap<(u32, u32), [usize; 2]>,
    of: FxHashMap<u32, [usize; 2]>,
}

impl Couplings {
    fn add<'i>(&mut self, state: usize, name: impl Fn(NodeIx) -> Cow<'i, str>, from: NodeIx, to: NodeIx) {
        let [one, other] = [from, to].map(|node| self.folder(state, &name, node));
        let (Some(one), Some(other)) = (one, other) else { return };
        self.of.entry(one).or_default()[state] += 1;
        if one != other {
            self.of.entry(other).or_default()[state] += 1;
            self.between.entry((one.min(other), one.max(other))).or_default()[state] += 1;
        }
    }

    fn folder<'i>(&mut self, state: usize, name: &impl Fn(NodeIx) -> Cow<'i, str>, node: NodeIx) -> Option<u32> {
        let folders = &mut self.folders;
        *self.of_node[state].entry(node).or_insert_with(|| {
            let id = name(node);
            let path = id.strip_prefix("file::")?.split("::").next()?;
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let next = folders.len() as u32;
            Some(*folders.entry(folder.to_owned()).or_insert(next))
        })
    }

    /// Couplings of folders that changed, the largest change first.
    fn rows(&self) -> Vec<CouplingDelta> {
        let mut names: Vec<&str> = vec![""; self.folders.len()];
        self.folders.iter().for_each(|(name, place)| names[*place as usize] = name);
        let share = |pair: &(u32, u32), counts: &[usize; 2], state: usize| {
            let of = |folder: &u32| self.of.get(folder).map_or(0, |counts| counts[state]);
            let all = of(&pair.0) + of(&pair.1) - counts[state];
            counts[state] as f64 / all.max(1) as f64
        };
        let row = |(pair, counts): (&(u32, u32), &[usize; 2])| {
            let (one, other) = (names[pair.0 as usize], names[pair.1 as usize]);
            CouplingDelta {
                one: one.min(other).to_owned(),
                other: one.max(other).to_owned(),
                shares: (share(pair, counts, 0), share(pair, counts, 1)),
            }
        };
        let mut rows: Vec<CouplingDelta> = self.between.iter().map(row).collect();
        rows.retain(|row| (row.shares.0 - row.shares.1).abs() > LEAST_COUPLING);
        rows.sort_by(|a, b| {
            let change = |row: &CouplingDelta| (row.shares.0 - row.shares.1).abs();
            change(b).total_cmp(&change(a)).then_with(|| (&a.one, &a.other).cmp(&(&b.one, &b.other)))
        });
        rows
    }
}
