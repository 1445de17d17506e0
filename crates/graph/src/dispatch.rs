//! Dynamic dispatch: which overriding methods a call may run, worked out when it is asked for.
//!
//! A call names one method; through a receiver of a deriving class it runs what overrides that method. Those edges are
//! not stored: a new class anywhere would change the edges of files that did not change. They follow from `overrides`
//! edges, calls marked as dispatching, and which classes the program makes (rapid type analysis: Bacon & Sweeney,
//! "Fast Static Analysis of C++ Virtual Function Calls", OOPSLA 1996).

use std::cell::RefCell;
use std::rc::Rc;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{EdgeRef, Graph, NodeFlags, NodeIx};

/// Overriding methods looked at for one method, and classes for one class.
const CONSIDERED: usize = 512;
/// Overriding methods shown for one method.
const SHOWN: usize = 16;

/// The methods that may run instead of one that is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replacements {
    /// The most central of them, most central first.
    pub methods: Vec<NodeIx>,
    /// How many the call may reach in all, the called method itself included if it has a body.
    pub all: usize,
}

/// Dispatch in one graph. What was worked out once is kept, so one of these serves a whole search.
#[derive(Debug)]
pub struct Dispatch<'g> {
    graph: &'g Graph,
    replacements: RefCell<FxHashMap<NodeIx, Rc<Replacements>>>,
    /// Whether the program makes values of a class itself.
    made: RefCell<FxHashMap<NodeIx, bool>>,
}

impl<'g> Dispatch<'g> {
    /// Nothing is worked out yet.
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph, replacements: RefCell::default(), made: RefCell::default() }
    }

    /// The methods that override a method, at any depth, in classes that the program makes. If it makes none of them
    /// (a library's classes are made by its users), all.
    pub fn replacements(&self, method: NodeIx) -> Rc<Replacements> {
        if let Some(known) = self.replacements.borrow().get(&method) {
            return known.clone();
        }
        let graph = self.graph;
        let mut found = self.closure(method, |node| overriding(graph, node));
        found.retain(|node| !graph.flags(*node).has(NodeFlags::ABSTRACT));
        let made: Vec<NodeIx> = found.iter().copied().filter(|&node| self.runs(node)).collect();
        if !made.is_empty() {
            found = made;
        }
        let own = usize::from(!graph.flags(method).has(NodeFlags::ABSTRACT));
        let all = found.len() + own;
        found.sort_by(|&a, &b| {
            graph.pagerank(b).total_cmp(&graph.pagerank(a)).then_with(|| graph.id(a).cmp(graph.id(b)))
        });
        found.truncate(SHOWN);
        let replacements = Rc::new(Replacements { methods: found, all });
        self.replacements.borrow_mut().insert(method, replacements.clone());
        replacements
    }

    /// Calls of a node that dispatch, as `possible` edges to the methods that may run.
    pub fn from(&self, node: NodeIx) -> Vec<EdgeRef<'g>> {
        let calls = self.graph.out_edges(node).filter(|edge| edge.dispatches);
        let mut edges = Vec::new();
        for call in calls {
            let found = self.replacements(call.to);
            edges.extend(found.methods.iter().map(|&to| possible(call, to, found.all)));
        }
        edges
    }

    /// `possible` edges of calls that may run a method because it overrides what they name.
    pub fn to(&self, method: NodeIx) -> Vec<EdgeRef<'g>> {
        let graph = self.graph;
        let mut edges = Vec::new();
        for base in self.closure(method, |node| overridden(graph, node)) {
            let mut calls = graph.in_edges(base).filter(|edge| edge.dispatches).peekable();
            if calls.peek().is_none() {
                continue;
            }
            let found = self.replacements(base);
            if found.methods.contains(&method) {
                edges.extend(calls.map(|call| possible(call, method, found.all)));
            }
        }
        edges
    }

    /// Nodes that some steps lead to, the start left out.
    fn closure(&self, start: NodeIx, next: impl Fn(NodeIx) -> Vec<NodeIx>) -> Vec<NodeIx> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<NodeIx> = FxHashSet::from_iter([start]);
        let mut work = vec![start];
        while let Some(node) = work.pop() {
            for other in next(node) {
                if found.len() < CONSIDERED && seen.insert(other) {
                    found.push(other);
                    work.push(other);
                }
            }
        }
        found
    }

    /// Whether the method runs for values that the program makes: of its class, or of a class that inherits the method.
    /// Only classes are made by calls; values of other types come about in ways that leave no call.
    fn runs(&self, method: NodeIx) -> bool {
        let graph = self.graph;
        let Some(class) = graph.parent(method).filter(|&class| graph.kind(class) == NodeKind::Class) else {
            return true;
        };
        if self.is_made(class) {
            return true;
        }
        let with_own: FxHashSet<NodeIx> =
            overriding(graph, method).into_iter().filter_map(|node| graph.parent(node)).collect();
        let heirs = self.closure(class, |node| {
            let derives = |edge: &EdgeRef<'_>| matches!(edge.relation, Relation::Inherits | Relation::Implements);
            let heirs = graph.in_edges(node).filter(derives).map(|edge| edge.from);
            heirs.filter(|heir| !with_own.contains(heir)).collect()
        });
        heirs.into_iter().any(|heir| self.is_made(heir))
    }

    /// Whether the program calls the class or a constructor of it.
    fn is_made(&self, class: NodeIx) -> bool {
        if let Some(known) = self.made.borrow().get(&class) {
            return *known;
        }
        let graph = self.graph;
        let constructors = graph
            .out_edges(class)
            .filter(|edge| edge.relation == Relation::Contains && graph.flags(edge.to).has(NodeFlags::CONSTRUCTOR));
        let mut made = std::iter::once(class).chain(constructors.map(|edge| edge.to));
        let is_made = made.any(|node| graph.in_edges(node).any(|edge| edge.relation == Relation::Calls));
        self.made.borrow_mut().insert(class, is_made);
        is_made
    }
}

fn overriding(graph: &Graph, method: NodeIx) -> Vec<NodeIx> {
    let edges = graph.in_edges(method).filter(|edge| edge.relation == Relation::Overrides);
    edges.map(|edge| edge.from).collect()
}

fn overridden(graph: &Graph, method: NodeIx) -> Vec<NodeIx> {
    let edges = graph.out_edges(method).filter(|edge| edge.relation == Relation::Overrides);
    edges.map(|edge| edge.to).collect()
}

impl Graph {
    /// See [`Dispatch::from`], which serves better where it is asked for many nodes.
    pub fn dispatched(&self, node: NodeIx) -> Vec<EdgeRef<'_>> {
        Dispatch::new(self).from(node)
    }

    /// See [`Dispatch::to`], which serves better where it is asked for many nodes.
    pub fn dispatching(&self, node: NodeIx) -> Vec<EdgeRef<'_>> {
        Dispatch::new(self).to(node)
    }
}

fn possible(call: EdgeRef<'_>, to: NodeIx, all: usize) -> EdgeRef<'_> {
    let of = u16::try_from(all).unwrap_or(u16::MAX);
    // A compiler names the method that is declared, not those that replace it.
    EdgeRef { to, tier: EdgeTier::Possible, of, compiler: false, ..call }
}
