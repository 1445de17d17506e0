//! Dynamic dispatch: the overriding methods that a call may run, computed on demand.
//!
//! A call names one method; with a receiver of a derived class it runs the override. These edges are not stored,
//! because a new class anywhere would change the edges of files that did not change. They are derived from
//! `overrides` edges, calls marked as dispatching, and the set of classes that the program instantiates (rapid type
//! analysis: Bacon & Sweeney, "Fast Static Analysis of C++ Virtual Function Calls", OOPSLA 1996).

use std::sync::Arc;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use rustc_hash::FxHashSet;

use crate::dispatch_cache::{DispatchCache, Replacements};
use crate::{EdgeRef, Graph, NodeFlags, NodeIx};

/// Maximum number of overrides considered for one method, and of classes for one class.
const CONSIDERED: usize = 512;

/// The edges of one node that follow from dispatch.
#[derive(Debug, Clone, Default)]
pub struct Dispatched<'g> {
    /// `possible` edges; those of one call lead to the most central method first.
    pub edges: Vec<EdgeRef<'g>>,
    /// The method that the code names, for each of `edges`.
    pub named: Vec<NodeIx>,
    /// Overriding methods (in the other direction: overridden ones that are called) without an edge because the class
    /// is never instantiated. If code that is not indexed instantiates it, the edge is missing.
    pub left_out: usize,
    /// The calls of those overridden ones.
    pub unmade: Vec<EdgeRef<'g>>,
    /// There are more overriding methods than were considered.
    pub is_cut: bool,
}

/// Dispatch queries on one graph. Results are kept with the graph, so that a later query does not compute them again.
#[derive(Debug, Clone, Copy)]
pub struct Dispatch<'g> {
    graph: &'g Graph,
    kept: &'g DispatchCache,
}

impl<'g> Dispatch<'g> {
    /// Maximum number of methods listed per call, see [`Dispatch::list_shown`].
    pub const SHOWN: usize = 16;

    /// Queries on `graph`.
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph, kept: graph.dispatch_cache() }
    }

    /// Returns the methods that override a method, at any depth, in classes that the program instantiates. If it
    /// instantiates none of them (the classes of a library are instantiated by its users), returns all.
    pub fn replacements(&self, method: NodeIx) -> Arc<Replacements> {
        self.kept.replacements.get(method, || Arc::new(self.compute_replacements(method)))
    }

    fn compute_replacements(&self, method: NodeIx) -> Replacements {
        let graph = self.graph;
        let (mut methods, is_cut) = self.closure(method, |node| overriding(graph, node));
        let is_run = |node: &NodeIx| !graph.flags(*node).has(NodeFlags::ABSTRACT) && !is_declared_only(graph, *node);
        methods.retain(is_run);
        let made: Vec<NodeIx> = methods.iter().copied().filter(|&node| self.runs(node)).collect();
        let mut left_out = 0;
        if !made.is_empty() {
            left_out = methods.len() - made.len();
            methods = made;
        }
        let own = usize::from(!graph.flags(method).has(NodeFlags::ABSTRACT));
        let all = methods.len() + own;
        methods.sort_by(|&a, &b| {
            graph.pagerank(b).total_cmp(&graph.pagerank(a)).then_with(|| graph.id(a).cmp(graph.id(b)))
        });
        Replacements { methods, all, left_out, is_cut }
    }

    /// Returns the dispatching calls of a node as `possible` edges to the methods that may run.
    pub fn from(&self, node: NodeIx) -> Dispatched<'g> {
        self.of_calls(node, usize::MAX)
    }

    /// Like [`Dispatch::from`], limited to the [`Dispatch::SHOWN`] most central methods of each call. The `of` of an
    /// edge still counts all.
    pub fn list_shown(&self, node: NodeIx) -> Vec<EdgeRef<'g>> {
        self.of_calls(node, Self::SHOWN).edges
    }

    fn of_calls(&self, node: NodeIx, most: usize) -> Dispatched<'g> {
        let mut dispatched = Dispatched::default();
        for call in self.graph.out_edges(node).filter(|edge| edge.dispatches) {
            let found = self.replacements(call.to);
            dispatched.edges.extend(found.methods.iter().take(most).map(|&to| possible(call, to, found.all)));
            dispatched.named.resize(dispatched.edges.len(), call.to);
            dispatched.left_out += found.left_out;
            dispatched.is_cut |= found.is_cut;
        }
        dispatched
    }

    /// Returns `possible` edges of calls that may run a method because it overrides the named one.
    pub fn to(&self, method: NodeIx) -> Dispatched<'g> {
        let graph = self.graph;
        let mut dispatched = Dispatched::default();
        if graph.flags(method).has(NodeFlags::ABSTRACT) || is_declared_only(graph, method) {
            return dispatched;
        }
        let bases = self.kept.overridden.get(method, || Arc::new(self.closure(method, |node| overridden(graph, node))));
        dispatched.is_cut = bases.1;
        for &base in &bases.0 {
            let mut calls = graph.in_edges(base).filter(|edge| edge.dispatches).peekable();
            if calls.peek().is_none() {
                continue;
            }
            let found = self.replacements(base);
            // A method beyond those considered is checked individually.
            if found.methods.contains(&method) || found.is_cut && self.runs(method) {
                dispatched.edges.extend(calls.map(|call| possible(call, method, found.all)));
                dispatched.named.resize(dispatched.edges.len(), base);
            } else {
                dispatched.left_out += 1;
                dispatched.unmade.extend(calls);
            }
        }
        dispatched
    }

    /// Returns the methods that override a method, at any depth, whether the program creates their classes or not; and
    /// whether there are more than were considered.
    pub fn overrides(&self, method: NodeIx) -> (Vec<NodeIx>, bool) {
        self.closure(method, |node| overriding(self.graph, node))
    }

    /// Transitive closure of `next` without the start, and whether it has more than [`CONSIDERED`] nodes.
    fn closure(&self, start: NodeIx, next: impl Fn(NodeIx) -> Vec<NodeIx>) -> (Vec<NodeIx>, bool) {
        let mut found = Vec::new();
        let mut is_cut = false;
        let mut seen: FxHashSet<NodeIx> = FxHashSet::from_iter([start]);
        let mut work = vec![start];
        while let Some(node) = work.pop() {
            for other in next(node) {
                if !seen.insert(other) {
                    continue;
                }
                if found.len() < CONSIDERED {
                    found.push(other);
                    work.push(other);
                } else {
                    is_cut = true;
                }
            }
        }
        (found, is_cut)
    }

    /// Returns whether the method runs for values that the program creates: of its class, or of a class that inherits
    /// the method. Only classes are instantiated by calls; values of other types are created in ways that leave no
    /// call.
    fn runs(&self, method: NodeIx) -> bool {
        let graph = self.graph;
        let Some(class) = class_of(graph, method).filter(|&class| graph.kind(class) == NodeKind::Class) else {
            return true;
        };
        if self.is_made(class) {
            return true;
        }
        let with_own: FxHashSet<NodeIx> =
            overriding(graph, method).into_iter().filter_map(|node| class_of(graph, node)).collect();
        let (heirs, is_cut) = self.closure(class, |node| {
            let derives = |edge: &EdgeRef<'_>| matches!(edge.relation, Relation::Inherits | Relation::Implements);
            let heirs = graph.in_edges(node).filter(derives).map(|edge| edge.from);
            heirs.filter(|heir| !with_own.contains(heir)).collect()
        });
        // With that many derived classes one is very likely instantiated, and a superfluous call is the smaller
        // error.
        is_cut || heirs.into_iter().any(|heir| self.is_made(heir))
    }

    /// Returns whether the program calls the class or one of its constructors.
    fn is_made(&self, class: NodeIx) -> bool {
        self.kept.made.get(class, || self.compute_is_made(class))
    }

    fn compute_is_made(&self, class: NodeIx) -> bool {
        let graph = self.graph;
        let constructors = graph
            .out_edges(class)
            .filter(|edge| edge.relation == Relation::Contains && graph.flags(edge.to).has(NodeFlags::CONSTRUCTOR));
        let constructors = constructors.flat_map(|edge| graph.same_symbol(edge.to));
        let mut made = std::iter::once(class).chain(constructors);
        made.any(|node| graph.in_edges(node).any(|edge| edge.relation == Relation::Calls))
    }
}

impl Graph {
    /// The methods that override a method, directly or through others, at most this many: with their declarations where
    /// these stand elsewhere.
    pub fn list_overriding(&self, method: NodeIx, most: usize) -> Vec<NodeIx> {
        self.list_family(method, most, overriding)
    }

    /// The methods that a method overrides, directly or through others, at most this many, with their declarations.
    pub fn list_overridden(&self, method: NodeIx, most: usize) -> Vec<NodeIx> {
        self.list_family(method, most, overridden)
    }

    fn list_family(&self, method: NodeIx, most: usize, next_to: fn(&Self, NodeIx) -> Vec<NodeIx>) -> Vec<NodeIx> {
        let mut found: Vec<NodeIx> = next_to(self, method);
        let mut seen: FxHashSet<NodeIx> = found.iter().copied().chain(self.same_symbol(method)).collect();
        let mut next = 0;
        while next < found.len() && found.len() < most {
            let more = next_to(self, found[next]);
            found.extend(more.into_iter().filter(|node| seen.insert(*node)));
            next += 1;
        }
        found.truncate(most);
        found
    }
}

/// The methods that override a method, with the definitions and declarations that are one with them.
fn overriding(graph: &Graph, method: NodeIx) -> Vec<NodeIx> {
    let places = graph.same_symbol(method);
    let edges = places.iter().flat_map(|&place| graph.in_edges(place));
    let found = edges.filter(|edge| edge.relation == Relation::Overrides).map(|edge| edge.from).collect();
    without(graph.with_same_symbols(found), &places)
}

/// The methods that a method overrides, with the definitions and declarations that are one with them.
fn overridden(graph: &Graph, method: NodeIx) -> Vec<NodeIx> {
    let places = graph.same_symbol(method);
    let edges = places.iter().flat_map(|&place| graph.out_edges(place));
    let found = edges.filter(|edge| edge.relation == Relation::Overrides).map(|edge| edge.to).collect();
    without(graph.with_same_symbols(found), &places)
}

fn without(mut nodes: Vec<NodeIx>, others: &[NodeIx]) -> Vec<NodeIx> {
    nodes.retain(|node| !others.contains(node));
    nodes
}

/// Returns whether a node only declares what another one defines.
fn is_declared_only(graph: &Graph, method: NodeIx) -> bool {
    !graph.definitions(method).is_empty()
}

/// The class of a method, which may be defined outside of it.
fn class_of(graph: &Graph, method: NodeIx) -> Option<NodeIx> {
    let parents = graph.same_symbol(method).into_iter().filter_map(|place| graph.parent(place));
    let mut parents = parents.collect::<Vec<_>>().into_iter();
    let first = parents.next();
    let is_class = |node: &NodeIx| graph.kind(*node) == NodeKind::Class;
    first.filter(is_class).or_else(|| parents.find(is_class)).or(first)
}

impl Graph {
    /// See [`Dispatch::from`].
    pub fn find_dispatched(&self, node: NodeIx) -> Vec<EdgeRef<'_>> {
        Dispatch::new(self).from(node).edges
    }

    /// See [`Dispatch::to`].
    pub fn dispatching(&self, node: NodeIx) -> Vec<EdgeRef<'_>> {
        Dispatch::new(self).to(node).edges
    }
}

fn possible(call: EdgeRef<'_>, to: NodeIx, all: usize) -> EdgeRef<'_> {
    let of = u16::try_from(all).unwrap_or(u16::MAX);
    // A compiler names the declared method, not the overriding ones.
    EdgeRef { to, tier: EdgeTier::Possible, of, compiler: false, ..call }
}
