//! State that several ways into the program write without a common lock.
//!
//! A way in is an entry point: a function that a framework runs, one named like a handler, or one that the caller
//! names. From each, calls are followed. State is a variable of a module, a static or a field; a function writes it
//! if, at a place where it refers to it, the text assigns or changes it. A lock counts for a way if a function on its
//! shortest path to the write takes it. Two ways that write the same state and have no lock in common may interfere;
//! functions that several ways merely reach are convergence.

use std::collections::BTreeSet;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scope::Scope;

/// Maximum entry points that are followed.
pub const MAX_ENTRIES: usize = 200;
/// Beginnings of names of functions that are entry points.
const ENTRY_NAMES: [&str; 9] = ["handle_", "route_", "api_", "endpoint_", "on_", "cmd_", "tick_", "daemon_", "main"];
/// Methods that change what they are called on.
const CHANGING: [&str; 22] = [
    "append", "add", "push", "push_back", "insert", "extend", "update", "pop", "popitem", "remove", "discard", "clear",
    "setdefault", "sort", "reverse", "set", "put", "delete", "store", "fetch_add", "swap", "splice",
];
/// Methods that take a lock.
const LOCKING: [&str; 6] = ["acquire", "lock", "Lock", "RLock", "lockInterruptibly", "lock_owned"];
/// Parts of names of locks.
const LOCK_NAMES: [&str; 4] = ["lock", "mutex", "semaphore", "condition"];

/// A question about shared state.
#[derive(Debug, Clone, Default)]
pub struct FlowQuery {
    /// The entry points; found by themselves if empty.
    pub entries: Vec<NodeIx>,
    /// Texts that mean a lock where a function has them.
    pub lock_patterns: Vec<String>,
    /// Texts in labels of state that is never written.
    pub read_only_patterns: Vec<String>,
    /// Calls that are followed from an entry point, at most.
    pub max_depth: usize,
    /// Functions visited from all entry points, at most.
    pub max_steps: usize,
    /// Which state.
    pub paths: Scope,
}

/// A way to a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The entry point.
    pub entry: NodeIx,
    /// The functions from it to the one that writes.
    pub path: Vec<NodeIx>,
    /// Locks that functions of the path take.
    pub locks: BTreeSet<String>,
    /// Every call of the path is certain.
    pub is_certain: bool,
}

/// State that several ways write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedState {
    /// The variable or field.
    pub state: NodeIx,
    /// The ways that write it, by id of the entry point.
    pub ways: Vec<Way>,
    /// Pairs of entry points, by place in `ways`, without a common lock.
    pub open_pairs: Vec<(usize, usize)>,
    /// Locks that all ways have in common.
    pub common: BTreeSet<String>,
}

/// Shared state and convergence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlowAnswer {
    /// The entry points, by id.
    pub entries: Vec<NodeIx>,
    /// State written from at least two entry points, by id.
    pub shared: Vec<SharedState>,
    /// Functions reached from at least two entry points, with their number, most first.
    pub convergence: Vec<(NodeIx, usize)>,
    /// Functions visited.
    pub visited: usize,
    /// A limit ended the search.
    pub is_cut: bool,
}

/// The functions reached from an entry point: each with the one it was reached from, and whether that call is certain.
type Reached = FxHashMap<NodeIx, Option<(NodeIx, bool)>>;

/// State that several entry points write, and where their ways meet.
///
/// # Errors
/// [`Cancelled`].
pub fn flow(snapshot: &Snapshot, query: &FlowQuery, cancel: &Cancel) -> Result<FlowAnswer, Cancelled> {
    let graph = snapshot.graph();
    let mut answer = FlowAnswer { entries: query.entries.clone(), ..FlowAnswer::default() };
    if answer.entries.is_empty() {
        answer.entries = entry_points(graph);
    }
    answer.entries.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    answer.entries.dedup();
    answer.is_cut = answer.entries.len() > MAX_ENTRIES;
    answer.entries.truncate(MAX_ENTRIES);
    // Each entry point is followed on its own, so that every writer has a way from each of them.
    let mut from: Vec<Reached> = Vec::new();
    let mut steps = query.max_steps;
    for &entry in &answer.entries {
        cancel.check()?;
        let (reached, is_cut) = follow(graph, entry, query.max_depth, &mut steps);
        answer.is_cut |= is_cut;
        from.push(reached);
    }
    let mut origins: FxHashMap<NodeIx, Vec<usize>> = FxHashMap::default();
    for (at, reached) in from.iter().enumerate() {
        reached.keys().for_each(|node| origins.entry(*node).or_default().push(at));
    }
    answer.visited = origins.len();
    let mut texts = Texts { snapshot, lines: FxHashMap::default(), locks: FxHashMap::default() };
    let writers = writers(graph, &origins, query, &mut texts, cancel)?;
    for (state, functions) in writers {
        let mut ways: Vec<Way> = Vec::new();
        for (at, reached) in from.iter().enumerate() {
            let paths = functions.iter().filter(|node| reached.contains_key(*node)).map(|node| path(reached, *node));
            let Some((path, is_certain)) = paths.min_by_key(|(path, _)| (path.len(), path.last().copied())) else {
                continue;
            };
            let locks = path.iter().flat_map(|node| texts.locks_of(graph, *node, &query.lock_patterns)).collect();
            ways.push(Way { entry: answer.entries[at], path, locks, is_certain });
        }
        // State that only one entry point writes is not shared.
        if ways.len() < 2 {
            continue;
        }
        // Two ways without a common lock may write at the same time.
        let pairs = (0..ways.len()).flat_map(|a| (a + 1..ways.len()).map(move |b| (a, b)));
        let open_pairs = pairs.filter(|&(a, b)| ways[a].locks.is_disjoint(&ways[b].locks)).collect();
        let mut common = ways[0].locks.clone();
        ways.iter().for_each(|way| common.retain(|lock| way.locks.contains(lock)));
        answer.shared.push(SharedState { state, ways, open_pairs, common });
    }
    answer.shared.sort_by(|a, b| graph.id(a.state).cmp(graph.id(b.state)));
    answer.convergence =
        origins.into_iter().filter(|(_, of)| of.len() > 1).map(|(node, of)| (node, of.len())).collect();
    answer.convergence.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| graph.id(a.0).cmp(graph.id(b.0))));
    Ok(answer)
}

/// Functions that a framework runs, else those named like handlers.
fn entry_points(graph: &Graph) -> Vec<NodeIx> {
    let is_function =
        |node: &NodeIx| graph.kind(*node) == NodeKind::Function && !graph.flags(*node).has(NodeFlags::TEST);
    let is_entry = |node: &NodeIx| {
        let label = graph.label(*node);
        let is_named =
            ENTRY_NAMES.iter().any(|name| label.starts_with(name) && (name.ends_with('_') || label == *name));
        is_named || graph.in_edges(*node).any(|edge| edge.relation == Relation::Registers)
    };
    graph.nodes().filter(is_function).filter(is_entry).collect()
}

fn follow(graph: &Graph, entry: NodeIx, depth: usize, steps: &mut usize) -> (Reached, bool) {
    let mut reached = Reached::default();
    reached.insert(entry, None);
    let mut level = vec![entry];
    for _ in 0..depth {
        let mut next = Vec::new();
        for node in level {
            if *steps == 0 {
                return (reached, true);
            }
            *steps -= 1;
            let mut calls: Vec<_> = graph.out_edges(node).filter(|edge| edge.relation == Relation::Calls).collect();
            calls.sort_by_key(|edge| (edge.tier != EdgeTier::Certain, edge.to));
            for edge in calls {
                let is_function = graph.kind(edge.to) == NodeKind::Function && graph.file(edge.to).is_some();
                if is_function && !reached.contains_key(&edge.to) {
                    reached.insert(edge.to, Some((node, edge.tier == EdgeTier::Certain)));
                    next.push(edge.to);
                }
            }
        }
        level = next;
        if level.is_empty() {
            break;
        }
    }
    (reached, !level.is_empty())
}

/// The path from the entry point to a node, and whether all of its calls are certain.
fn path(reached: &Reached, node: NodeIx) -> (Vec<NodeIx>, bool) {
    let (mut path, mut is_certain) = (vec![node], true);
    while let Some(Some((before, certain))) = path.last().and_then(|last| reached.get(last)) {
        is_certain &= certain;
        path.push(*before);
    }
    path.reverse();
    (path, is_certain)
}

/// State with the reached functions that write it.
fn writers(
    graph: &Graph,
    reached: &FxHashMap<NodeIx, Vec<usize>>,
    query: &FlowQuery,
    texts: &mut Texts<'_>,
    cancel: &Cancel,
) -> Result<Vec<(NodeIx, Vec<NodeIx>)>, Cancelled> {
    let mut found: FxHashMap<NodeIx, FxHashSet<NodeIx>> = FxHashMap::default();
    let mut functions: Vec<NodeIx> = reached.keys().copied().collect();
    functions.sort_unstable();
    for function in functions {
        cancel.check()?;
        for edge in graph.out_edges(function).filter(|edge| edge.relation == Relation::References) {
            let is_state = matches!(graph.kind(edge.to), NodeKind::Variable | NodeKind::Constant | NodeKind::Field);
            let label = graph.label(edge.to);
            let is_meant = query.paths.has(graph.path(edge.to))
                && !query.read_only_patterns.iter().any(|text| label.contains(text.as_str()));
            if !is_state || !is_meant || graph.file(edge.to).is_none() || is_constructor_of(graph, function, edge.to) {
                continue;
            }
            let path = graph.path(function);
            if edge.sites.iter().any(|site| texts.line(path, site.line).is_some_and(|line| writes(line, label))) {
                found.entry(edge.to).or_default().insert(function);
            }
        }
    }
    let mut rows: Vec<(NodeIx, Vec<NodeIx>)> =
        found.into_iter().map(|(state, functions)| (state, functions.into_iter().collect())).collect();
    rows.iter_mut().for_each(|(_, functions)| functions.sort_unstable());
    rows.sort_unstable();
    Ok(rows)
}

/// A constructor writes the fields of an object that nobody else has yet.
fn is_constructor_of(graph: &Graph, function: NodeIx, field: NodeIx) -> bool {
    graph.flags(function).has(NodeFlags::CONSTRUCTOR) && graph.parent(function) == graph.parent(field)
}

/// Returns whether a line assigns or changes what has this name.
fn writes(line: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) {
            return false;
        }
        let rest = after_access(after);
        let rest = rest.trim_start();
        let assigns = rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
        let combines = ["+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "++", "--", "<<=", ">>=", ":="];
        let method = rest.strip_prefix('.').map(|rest| &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]);
        let is_removed = before.trim_end().ends_with("del") || before.trim_end().ends_with("delete");
        assigns
            || is_removed
            || combines.iter().any(|sign| rest.starts_with(sign))
            || method.is_some_and(|method| CHANGING.contains(&method))
    })
}

/// The text after subscripts: `[key]` of `[key] = 1`.
fn after_access(text: &str) -> &str {
    let mut rest = text;
    while let Some(inner) = rest.strip_prefix('[') {
        let Some(end) = inner.find(']') else { break };
        rest = &inner[end + 1..];
    }
    rest
}

/// Lines of files, and the locks that functions take.
struct Texts<'s> {
    snapshot: &'s Snapshot,
    lines: FxHashMap<String, Vec<String>>,
    locks: FxHashMap<NodeIx, Vec<String>>,
}

impl Texts<'_> {
    fn of(&mut self, path: &str) -> &[String] {
        let snapshot = self.snapshot;
        self.lines.entry(path.to_owned()).or_insert_with(|| {
            let text = RepoPath::new(path).ok().and_then(|path| snapshot.read_file(&path).ok());
            text.map(|text| text.text.lines().map(str::to_owned).collect()).unwrap_or_default()
        })
    }

    fn line(&mut self, path: &str, line: u32) -> Option<&str> {
        self.of(path).get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    fn locks_of(&mut self, graph: &Graph, function: NodeIx, patterns: &[String]) -> Vec<String> {
        if let Some(known) = self.locks.get(&function) {
            return known.clone();
        }
        let (start, end) = graph.lines(function);
        let lines = self.of(graph.path(function));
        let own = lines.iter().take(end as usize).skip((start as usize).saturating_sub(1));
        let mut found: Vec<String> = own.flat_map(|line| locks_in(line, patterns)).collect();
        found.sort_unstable();
        found.dedup();
        self.locks.insert(function, found.clone());
        found
    }
}

/// The locks that a line takes, as they are written without `self.` and `this.`.
fn locks_in(line: &str, patterns: &[String]) -> Vec<String> {
    let mut found: Vec<String> = patterns.iter().filter(|text| line.contains(text.as_str())).cloned().collect();
    let text = line.trim_start();
    if text.starts_with('#') || text.starts_with("//") {
        return found;
    }
    let is_block = ["with ", "async with ", "synchronized"].iter().any(|word| text.starts_with(word));
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let token = &rest[start..];
        let end = token.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(token.len());
        let (path, after) = token.split_at(end);
        rest = after;
        let (owner, last) = path.rsplit_once('.').unwrap_or(("", path));
        let is_taken = !owner.is_empty() && LOCKING.contains(&last) && after.starts_with('(');
        let name = path.to_lowercase();
        let is_named =
            is_block && LOCK_NAMES.iter().any(|part| name.contains(part)) && !name.starts_with("synchronized");
        if is_taken || is_named {
            let lock = if is_taken { owner } else { path };
            let own = lock.strip_prefix("self.").or_else(|| lock.strip_prefix("this.")).unwrap_or(lock);
            found.push(own.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_write() {
        let cases = [
            ("total = 1", "total", true),
            ("total += x", "total", true),
            ("self.total[key] = 1", "total", true),
            ("items.append(x)", "items", true),
            ("del cache[key]", "cache", true),
            ("COUNT.fetch_add(1, Ordering::SeqCst);", "COUNT", true),
            ("if total == 1:", "total", false),
            ("subtotal = total", "total", false),
            ("return items.get(x)", "items", false),
            ("total => 1", "total", false),
        ];
        for (line, name, expected) in cases {
            assert_eq!(writes(line, name), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_take_locks() {
        let cases: &[(&str, &[&str])] = &[
            ("    with self._lock:", &["_lock"]),
            ("    let guard = STATE.lock().unwrap();", &["STATE"]),
            ("m.mu.Lock()", &["m.mu"]),
            ("synchronized (this.mutex) {", &["mutex"]),
            ("block(locked)", &[]),
            ("# with lock:", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(locks_in(line, &[]), *expected, "{line}");
        }
    }
}
