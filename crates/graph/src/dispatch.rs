//! Dynamic dispatch: which overriding methods a call may run, worked out when it is asked for.
//!
//! A call names one method; through a receiver of a deriving class it runs what overrides that method. Those edges are
//! not stored: a new class anywhere would change the edges of files that did not change. They follow from `overrides`
//! edges, calls marked as dispatching, and which classes the program makes (rapid type analysis: Bacon & Sweeney,
//! "Fast Static Analysis of C++ Virtual Function Calls", OOPSLA 1996).

use m1nd_base::{EdgeTier, NodeKind, Relation};
use rustc_hash::FxHashSet;

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

impl Graph {
    /// The methods that override a method, at any depth, in classes that the program makes. If it makes none of them
    /// (a library's classes are made by its users), all.
    pub fn replacements(&self, method: NodeIx) -> Replacements {
        let mut found = self.closure(method, |graph, node| {
            let edges = graph.in_edges(node).filter(|edge| edge.relation == Relation::Overrides);
            edges.map(|edge| edge.from).collect()
        });
        found.retain(|node| !self.flags(*node).has(NodeFlags::ABSTRACT));
        let made: Vec<NodeIx> = found.iter().copied().filter(|&node| self.is_made(node)).collect();
        if !made.is_empty() {
            found = made;
        }
        let own = usize::from(!self.flags(method).has(NodeFlags::ABSTRACT));
        let all = found.len() + own;
        found.sort_by(|&a, &b| self.pagerank(b).total_cmp(&self.pagerank(a)).then_with(|| self.id(a).cmp(self.id(b))));
        found.truncate(SHOWN);
        Replacements { methods: found, all }
    }

    /// Calls of a node that dispatch, as `possible` edges to the methods that may run.
    pub fn dispatched(&self, node: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        let calls = self.out_edges(node).filter(|edge| edge.dispatches);
        calls.flat_map(|call| {
            let found = self.replacements(call.to);
            let all = found.all;
            found.methods.into_iter().map(move |to| possible(call, to, all))
        })
    }

    /// `possible` edges of calls that may run a method because it overrides what they name.
    pub fn dispatching(&self, method: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        let named = self.closure(method, |graph, node| {
            let edges = graph.out_edges(node).filter(|edge| edge.relation == Relation::Overrides);
            edges.map(|edge| edge.to).collect()
        });
        named.into_iter().flat_map(move |base| {
            let found = self.replacements(base);
            let shown = found.methods.contains(&method);
            let calls = self.in_edges(base).filter(move |edge| shown && edge.dispatches);
            calls.map(move |call| possible(call, method, found.all))
        })
    }

    /// Nodes that some steps lead to, the start left out.
    fn closure(&self, start: NodeIx, next: impl Fn(&Self, NodeIx) -> Vec<NodeIx>) -> Vec<NodeIx> {
        let mut seen: FxHashSet<NodeIx> = FxHashSet::from_iter([start]);
        let mut found = Vec::new();
        let mut work = vec![start];
        while let Some(node) = work.pop() {
            for other in next(self, node) {
                if found.len() < CONSIDERED && seen.insert(other) {
                    found.push(other);
                    work.push(other);
                }
            }
        }
        found
    }

    /// Whether the program makes values of the method's class or of a class that inherits the method. Only classes are
    /// made by calls; values of other types come about in ways that leave no call.
    fn is_made(&self, method: NodeIx) -> bool {
        let Some(class) = self.parent(method).filter(|&class| self.kind(class) == NodeKind::Class) else { return true };
        let overrides = self.in_edges(method).filter(|edge| edge.relation == Relation::Overrides);
        let with_own: FxHashSet<NodeIx> = overrides.filter_map(|edge| self.parent(edge.from)).collect();
        let heirs = self.closure(class, |graph, node| {
            let derives = |edge: &EdgeRef<'_>| matches!(edge.relation, Relation::Inherits | Relation::Implements);
            let heirs = graph.in_edges(node).filter(derives).map(|edge| edge.from);
            heirs.filter(|heir| !with_own.contains(heir)).collect()
        });
        std::iter::once(class).chain(heirs).any(|class| {
            let constructors = self
                .out_edges(class)
                .filter(|edge| edge.relation == Relation::Contains && self.flags(edge.to).has(NodeFlags::CONSTRUCTOR));
            let mut made = std::iter::once(class).chain(constructors.map(|edge| edge.to));
            made.any(|node| self.in_edges(node).any(|edge| edge.relation == Relation::Calls))
        })
    }
}

fn possible(call: EdgeRef<'_>, to: NodeIx, all: usize) -> EdgeRef<'_> {
    let of = u16::try_from(all).unwrap_or(u16::MAX);
    // A compiler names the method that is declared, not those that replace it.
    EdgeRef { to, tier: EdgeTier::Possible, of, compiler: false, ..call }
}
