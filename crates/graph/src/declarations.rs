//! One symbol written in several places: a definition and its declarations (prototypes in headers, members declared in
//! a class and defined outside of it, stubs).
//!
//! The definition has an `implements` edge to each declaration. Calls lead to the definition where one is known, so a
//! question about either must be answered for both.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use rustc_hash::FxHashSet;

use crate::{EdgeRef, Graph, NodeFlags, NodeIx};

/// Maximum number of nodes that are considered one symbol.
const MAX_PLACES: usize = 64;

impl Graph {
    /// Returns whether an edge leads from a definition to a declaration of the same symbol. Between types, where
    /// `implements` also means an interface, the declaration must stand in a stub beside the file.
    pub fn is_to_declaration(&self, edge: &EdgeRef<'_>) -> bool {
        let kind = self.kind(edge.to);
        let is_possible = edge.relation == Relation::Implements
            && edge.tier == EdgeTier::Certain
            && self.kind(edge.from) == kind
            && self.label(edge.from) == self.label(edge.to);
        is_possible
            && (kind == NodeKind::Function
                || self.flags(edge.to).has(NodeFlags::DECLARATION)
                    && stem(self.path(edge.from)) == stem(self.path(edge.to)))
    }

    /// The declarations of a definition.
    pub fn declarations(&self, definition: NodeIx) -> Vec<NodeIx> {
        let edges = self.out_edges(definition).filter(|edge| self.is_to_declaration(edge));
        edges.map(|edge| edge.to).take(MAX_PLACES).collect()
    }

    /// The definitions of a declaration: several where platforms or programs have one each.
    pub fn definitions(&self, declaration: NodeIx) -> Vec<NodeIx> {
        let flags = self.flags(declaration);
        if !flags.has(NodeFlags::DECLARATION) && !flags.has(NodeFlags::ABSTRACT) {
            return Vec::new();
        }
        let edges = self.in_edges(declaration).filter(|edge| self.is_to_declaration(edge));
        edges.map(|edge| edge.from).take(MAX_PLACES).collect()
    }

    /// The only definition of a declaration; every other node itself.
    pub fn definition_of(&self, node: NodeIx) -> NodeIx {
        match self.definitions(node).as_slice() {
            [one] => *one,
            _ => node,
        }
    }

    /// The nodes that are one symbol with this one, itself first: of a definition its declarations, of a declaration
    /// its definitions, and their other declarations if there is only one definition.
    pub fn same_symbol(&self, node: NodeIx) -> Vec<NodeIx> {
        let mut all = vec![node];
        let definitions = self.definitions(node);
        match definitions.as_slice() {
            [] => all.extend(self.declarations(node)),
            [one] => {
                all.push(*one);
                all.extend(self.declarations(*one).into_iter().filter(|&other| other != node));
            }
            _ => all.extend(definitions),
        }
        all
    }

    /// Adds to some nodes those that are one symbol with one of them.
    pub fn with_same_symbols(&self, nodes: Vec<NodeIx>) -> Vec<NodeIx> {
        let mut seen: FxHashSet<NodeIx> = nodes.iter().copied().collect();
        let mut all = nodes;
        for place in 0..all.len() {
            all.extend(self.same_symbol(all[place]).into_iter().filter(|&node| seen.insert(node)));
        }
        all
    }

    /// Everything that is one with a node: what it contains, with the declarations and definitions of that elsewhere;
    /// itself first, about `limit` nodes. Of a file, folder or module only what it contains.
    pub fn with_parts(&self, node: NodeIx, limit: usize) -> Vec<NodeIx> {
        let members = self.with_members(node, limit);
        match self.kind(node) {
            NodeKind::File | NodeKind::Directory | NodeKind::Package | NodeKind::Module => members,
            _ => self.with_same_symbols(members),
        }
    }
}

/// A path without everything from the first dot of its last component: `pkg/native` of `pkg/native.pyi`.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    path[name..].find('.').map_or(path, |dot| &path[..name + dot])
}
