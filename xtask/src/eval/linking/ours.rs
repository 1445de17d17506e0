//! The graph of a folder as exported, with the lookups that scoring needs.
//!
//! **Matching definitions.** The truth identifies a definition by file, line and name. Its nodes are those on that
//! line with that name, or, if none has the name, all on that line. If we have none on that line, because several
//! declarations of a symbol are one node of ours, they are the members with that name in the definition around the
//! line.
//!
//! **Same symbol.** Where a language gives several definitions one meaning (Python overloads and redefinitions,
//! TypeScript overloads and merged declarations, Rust items under different `cfg`), the truth names one of them.
//! There a node matches if file, owner and name are the same. The owner is the class, block or module around it:
//! compiler indexes name a nested function as if it were beside the outer one. Where overloads are distinct
//! definitions (Java, C++, C#, Kotlin, Swift, Scala), the line must match. A class is equivalent to each of its
//! constructors, because calling the class calls one of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use m1nd_base::{Cancel, EdgeTier, NoProgress, NodeKind, Relation};
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Snapshot};
use m1nd_query::export::{self, EdgeFilter};

use crate::Outcome;

/// Languages, by file extension, in which overloads are distinct definitions.
const DISTINCT_OVERLOADS: &[&str] = &["java", "cpp", "cc", "cxx", "hpp", "hh", "h", "cs", "kt", "swift", "scala"];
/// Languages, by file extension, whose compilers know all types: a reference missing from their index does not exist.
const TYPED: &[&str] = &["rs", "go", "java", "ts", "tsx", "mts", "cts", "c", "h", "cc", "cpp", "cxx", "hpp", "hh"];

/// A node of ours.
#[derive(Debug, Clone)]
pub(in crate::eval) struct Node {
    pub(in crate::eval) id: String,
    pub(in crate::eval) file: Option<String>,
    pub(in crate::eval) line: u32,
    /// First and last line.
    pub(in crate::eval) lines: (u32, u32),
    pub(in crate::eval) name: String,
    pub(in crate::eval) kind: NodeKind,
    pub(in crate::eval) parent: Option<usize>,
    pub(in crate::eval) is_constructor: bool,
}

impl Node {
    /// Returns whether it can be called, constructed or expanded.
    pub(in crate::eval) fn is_callable(&self) -> bool {
        use NodeKind as K;
        matches!(
            self.kind,
            K::Function | K::Class | K::Struct | K::Enum | K::Variant | K::Trait | K::Interface | K::Type | K::Macro
        )
    }
}

/// An edge of ours.
#[derive(Debug, Clone)]
pub(in crate::eval) struct Edge {
    pub(in crate::eval) from: usize,
    pub(in crate::eval) to: usize,
    pub(in crate::eval) relation: Relation,
    pub(in crate::eval) tier: EdgeTier,
    pub(in crate::eval) of: u16,
    /// Lines and columns, 1-based.
    pub(in crate::eval) sites: Vec<(u32, u32)>,
}

/// An unresolved reference of ours.
#[derive(Debug, Clone)]
pub(in crate::eval) struct Unresolved {
    pub(in crate::eval) name: String,
    pub(in crate::eval) reason: String,
}

/// File, line and name of a definition of the truth.
type Definition = (String, u32, String);

/// The graph of a folder.
#[derive(Debug, Default)]
pub(in crate::eval) struct Ours {
    pub(in crate::eval) nodes: Vec<Node>,
    pub(in crate::eval) edges: Vec<Edge>,
    /// By file and line.
    pub(in crate::eval) unresolved: HashMap<(String, u32), Vec<Unresolved>>,
    at: HashMap<(String, u32), Vec<usize>>,
    of_file: HashMap<String, Vec<usize>>,
    symbols: HashMap<(String, Option<usize>, String), Vec<usize>>,
    members: HashMap<usize, Vec<usize>>,
    to: HashMap<usize, Vec<usize>>,
    by_id: HashMap<String, usize>,
    accepted: RefCell<HashMap<Definition, Rc<[usize]>>>,
}

/// Returns whether the compiler of a file's language knows every type.
pub(in crate::eval) fn is_typed(file: &str) -> bool {
    TYPED.contains(&ending(file))
}

/// The innermost enclosing node that is no function.
fn owner(nodes: &[Node], node: usize) -> Option<usize> {
    let mut around = nodes[node].parent;
    while let Some(parent) = around.filter(|&parent| nodes[parent].kind == NodeKind::Function) {
        around = nodes[parent].parent;
    }
    around
}

fn ending(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// An engine with an index of a folder, kept in `home`.
pub(in crate::eval) fn open_indexed(home: &Path, folder: &Path) -> Outcome<Engine> {
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let engine = Engine::open(EngineConfig::new(home.to_owned(), vec![folder.clone()]))?;
    engine.ingest(IngestRequest::code(&folder), &Cancel::new(), &NoProgress)?;
    Ok(engine)
}

impl Ours {
    /// Indexes a folder in a temporary store.
    pub(in crate::eval) fn of_folder(folder: &Path) -> Outcome<Self> {
        let home = tempfile::tempdir()?;
        Ok(Self::of_snapshot(&open_indexed(home.path(), folder)?.snapshot()))
    }

    /// The graph of a snapshot.
    pub(in crate::eval) fn of_snapshot(snapshot: &Snapshot) -> Self {
        let rows: Vec<_> = export::nodes(snapshot).collect();
        let numbers: HashMap<&str, usize> = rows.iter().enumerate().map(|(number, row)| (&*row.id, number)).collect();
        let nodes = rows.iter().map(|row| Node {
            id: row.id.to_string(),
            file: row.file.map(str::to_owned),
            line: row.line,
            lines: (row.start_line, row.end_line),
            name: row.name.to_owned(),
            kind: row.kind,
            parent: row.parent.as_deref().and_then(|parent| numbers.get(parent).copied()),
            is_constructor: row.flags.contains(&"constructor"),
        });
        let filter = EdgeFilter::default();
        let edges = export::edges(snapshot, &filter).map(|row| Edge {
            from: numbers[&*row.from],
            to: numbers[&*row.to],
            relation: row.relation,
            tier: row.tier,
            of: row.of,
            sites: row.sites.iter().map(|&(line, col)| (line, u32::from(col))).collect(),
        });
        let mut ours = Self::new(nodes.collect(), edges.collect());
        let graph = snapshot.graph();
        for reference in graph.nodes().flat_map(|node| graph.unresolved_of(node)) {
            let place = (graph.path(reference.from).to_owned(), reference.pos.line);
            let row = Unresolved { name: reference.name.to_owned(), reason: reference.reason.to_owned() };
            ours.unresolved.entry(place).or_default().push(row);
        }
        ours
    }

    pub(in crate::eval) fn new(nodes: Vec<Node>, edges: Vec<Edge>) -> Self {
        let mut ours = Self::default();
        for (number, node) in nodes.iter().enumerate() {
            ours.by_id.insert(node.id.clone(), number);
            if let Some(parent) = node.parent {
                ours.members.entry(parent).or_default().push(number);
            }
            let Some(file) = &node.file else { continue };
            ours.at.entry((file.clone(), node.line)).or_default().push(number);
            ours.of_file.entry(file.clone()).or_default().push(number);
            ours.symbols.entry((file.clone(), owner(&nodes, number), node.name.clone())).or_default().push(number);
        }
        for (number, edge) in edges.iter().enumerate() {
            ours.to.entry(edge.to).or_default().push(number);
        }
        Self { nodes, edges, ..ours }
    }

    /// The node of an id.
    pub(in crate::eval) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Edges into a node.
    pub(in crate::eval) fn edges_to(&self, node: usize) -> impl Iterator<Item = &Edge> {
        self.to.get(&node).into_iter().flatten().map(|&edge| &self.edges[edge])
    }

    /// Our nodes for this definition of the truth, including those on other lines.
    pub(in crate::eval) fn definition(&self, file: &str, line: u32, name: &str) -> Vec<usize> {
        let exact = self.at(file, line, name);
        if !exact.is_empty() || DISTINCT_OVERLOADS.contains(&ending(file)) {
            return exact;
        }
        let all = self.of_file.get(file).map_or(&[][..], Vec::as_slice);
        let is_around = |node: &&usize| {
            let (start, end) = self.nodes[**node].lines;
            start <= line && line <= end && self.nodes[**node].kind != NodeKind::Function
        };
        let around = all.iter().filter(is_around).min_by_key(|&&node| {
            let (start, end) = self.nodes[node].lines;
            end - start
        });
        let key = (file.to_owned(), around.copied(), name.to_owned());
        self.symbols.get(&key).cloned().unwrap_or_default()
    }

    /// Our nodes on this line with this name, or, if none has the name, all on this line.
    pub(in crate::eval) fn at(&self, file: &str, line: u32, name: &str) -> Vec<usize> {
        let all = self.at.get(&(file.to_owned(), line)).map_or(&[][..], Vec::as_slice);
        let named: Vec<usize> = all.iter().copied().filter(|&node| self.nodes[node].name == name).collect();
        if named.is_empty() { all.to_vec() } else { named }
    }

    /// All nodes of the same symbol, including this one.
    pub(in crate::eval) fn same_symbol(&self, node: usize) -> Vec<usize> {
        let own = &self.nodes[node];
        let file = own.file.clone().unwrap_or_default();
        if DISTINCT_OVERLOADS.contains(&ending(&file)) {
            return vec![node];
        }
        let same = self.symbols.get(&(file, owner(&self.nodes, node), own.name.clone()));
        same.cloned().unwrap_or_else(|| vec![node])
    }

    /// All nodes that match this definition of the truth.
    pub(in crate::eval) fn list_accepted(&self, file: &str, line: u32, name: &str) -> Rc<[usize]> {
        let key = (file.to_owned(), line, name.to_owned());
        if let Some(known) = self.accepted.borrow().get(&key) {
            return known.clone();
        }
        let mut accepted: Vec<usize> =
            self.definition(file, line, name).into_iter().flat_map(|node| self.same_symbol(node)).collect();
        for number in accepted.clone() {
            let node = &self.nodes[number];
            accepted.extend(node.parent.filter(|_| node.is_constructor));
            let members = self.members.get(&number).into_iter().flatten().copied();
            accepted.extend(members.filter(|&member| self.nodes[member].is_constructor));
        }
        accepted.sort_unstable();
        accepted.dedup();
        let accepted: Rc<[usize]> = accepted.into();
        self.accepted.borrow_mut().insert(key, accepted.clone());
        accepted
    }

    /// The innermost function around a node, including itself, which the truth calls the caller. Code outside of
    /// functions, including class bodies, has none.
    pub(in crate::eval) fn caller(&self, mut node: usize) -> Option<usize> {
        loop {
            if self.nodes[node].kind == NodeKind::Function || self.nodes[node].kind == NodeKind::Macro {
                return Some(node);
            }
            node = self.nodes[node].parent?;
        }
    }

    /// Returns whether the node is a function literal of Go that a test runs under a name, of which no index knows.
    pub(in crate::eval) fn is_subtest(&self, node: usize) -> bool {
        let is_go = self.nodes[node].file.as_deref().is_some_and(|file| ending(file) == "go");
        is_go && self.nodes[node].parent.is_some_and(|parent| self.caller(parent).is_some())
    }

    /// Returns whether TypeScript's index omits the node because it is inside of a function.
    pub(in crate::eval) fn is_local(&self, node: usize) -> bool {
        let is_script =
            self.nodes[node].file.as_deref().is_some_and(|file| matches!(ending(file), "ts" | "tsx" | "mts" | "cts"));
        is_script && self.nodes[node].parent.is_some_and(|parent| self.caller(parent).is_some())
    }

    /// Returns whether an edge starts in the caller named by the truth.
    pub(in crate::eval) fn starts_in(
        &self,
        edge: &Edge,
        at: (&str, u32, &str),
        is_caller: impl Fn(usize) -> bool,
    ) -> bool {
        self.lies_in(edge.from, at, is_caller)
    }

    /// Returns whether a node belongs to the caller named by the truth: the same function, or top-level code for line
    /// 0. Only functions accepted by `is_caller` count as callers; calls in other functions belong to the enclosing
    /// one.
    pub(in crate::eval) fn lies_in(
        &self,
        node: usize,
        at: (&str, u32, &str),
        is_caller: impl Fn(usize) -> bool,
    ) -> bool {
        let (file, line, name) = at;
        if self.nodes[node].file.as_deref() != Some(file) {
            return false;
        }
        let mut caller = self.caller(node);
        while let Some(around) = caller.filter(|&caller| !is_caller(caller)) {
            caller = self.nodes[around].parent.and_then(|parent| self.caller(parent));
        }
        if line == 0 {
            return caller.is_none();
        }
        let wanted = self.definition(file, line, name);
        let is_wanted = |node: usize| wanted.iter().any(|&wanted| self.same_symbol(wanted).contains(&node));
        caller.is_some_and(is_wanted) || is_wanted(node)
    }

    /// Number of distinct callable symbols for each name. Overloads of one symbol count once.
    pub(in crate::eval) fn callable_names(&self) -> BTreeMap<&str, usize> {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let is_first = || self.same_symbol(number).first() == Some(&number);
            if node.file.is_some() && node.is_callable() && !node.is_constructor && is_first() {
                *names.entry(&node.name).or_default() += 1;
            }
        }
        names
    }
}
