//! Bases of a type that lie outside of the project, and libraries that use a type by reflection.

use m1nd_base::{EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use rustc_hash::FxHashSet;

use super::signature;

/// Maximum number of classes through whose fields a class is looked for in what libraries use by reflection.
const MAX_HOLDERS: usize = 24;
/// Maximum number of members of a class that are searched for annotations.
const MAX_MEMBERS: usize = 500;
/// Packages whose annotations only speak to the compiler.
const COMPILER_PACKAGES: &[&str] = &[
    "java.lang", "com.google.errorprone", "edu.umd.cs.findbugs", "org.jetbrains", "org.jspecify",
    "org.checkerframework", "kotlin", "std",
];

/// Packages whose annotations wire objects together or test them: what they construct is called by the project's own
/// code.
pub(super) const WIRING_PACKAGES: &[&str] = &[
    "com.google.inject", "dagger", "jakarta.annotation", "jakarta.inject", "javax.annotation", "javax.inject",
    "org.junit", "org.mockito", "org.springframework.beans", "org.springframework.boot", "org.springframework.cloud",
    "org.springframework.context", "org.springframework.scheduling", "org.springframework.stereotype",
    "org.springframework.test", "org.springframework.transaction",
];
/// Packages whose annotations write code that the project's own code calls.
const WRITING_PACKAGES: &[&str] = &["lombok"];
/// Packages whose annotations on a class say that it answers requests.
const SERVING_PACKAGES: &[&str] = &["jakarta.ws.rs", "javax.ws.rs", "org.springframework.web"];

/// A base outside of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutsideBase {
    /// Its name; empty if only its package is known.
    pub(super) name: String,
    /// Its name with its package, as far as it is known.
    pub(super) shown: String,
}

/// The bases outside of the project of a type and of all its bases in the project.
pub(super) struct OutsideBases {
    pub(super) bases: Vec<OutsideBase>,
}

impl OutsideBases {
    /// Collects them, from at most this many types.
    pub(super) fn of(graph: &Graph, class: NodeIx, most: usize) -> Self {
        let mut bases = Vec::new();
        let mut types = vec![class];
        if graph.kind(class) == NodeKind::Impl {
            types.extend(find_extended(graph, class));
        }
        let mut next = 0;
        while next < types.len() && next < most {
            let of = types[next];
            next += 1;
            bases.extend(written_outside(graph, of));
            for edge in graph.out_edges(of).filter(is_base) {
                if !graph.kind(edge.to).is_outside() && !types.contains(&edge.to) {
                    types.push(edge.to);
                }
            }
        }
        Self { bases }
    }
}

fn is_base(edge: &EdgeRef<'_>) -> bool {
    matches!(edge.relation, Relation::Inherits | Relation::Implements)
}

/// The type that a block adds members to.
fn find_extended(graph: &Graph, block: NodeIx) -> Option<NodeIx> {
    let mut edges = graph.in_edges(block);
    edges.find(|edge| edge.relation == Relation::Contains && edge.tier == EdgeTier::Certain).map(|edge| edge.from)
}

/// The bases that a type names itself.
fn written_outside(graph: &Graph, class: NodeIx) -> Vec<OutsideBase> {
    let open = graph.unresolved_of(class).filter(|open| matches!(open.role, "inherit" | "implement"));
    let mut bases: Vec<OutsideBase> = open.map(|open| name_base(open.name, open.name)).collect();
    let edges: Vec<EdgeRef<'_>> = graph.out_edges(class).filter(is_base).collect();
    let mut told: FxHashSet<Pos> = FxHashSet::default();
    for edge in edges.iter().filter(|edge| graph.kind(edge.to) == NodeKind::PackageMember) {
        told.extend(edge.sites.iter());
        let id = graph.id(edge.to);
        bases.push(name_base(graph.label(edge.to), id.strip_prefix("external::").unwrap_or(id)));
    }
    // What needs no import is known by its package alone.
    let packages = edges.iter().filter(|edge| graph.kind(edge.to) == NodeKind::Package);
    let unnamed: Vec<(NodeIx, usize)> = packages
        .map(|edge| (edge.to, edge.sites.iter().filter(|site| !told.contains(site)).count()))
        .filter(|(_, count)| *count > 0)
        .collect();
    if unnamed.is_empty() {
        return bases;
    }
    let own = edges.iter().filter(|edge| !graph.kind(edge.to).is_outside()).map(|edge| graph.label(edge.to));
    let known: FxHashSet<String> = own.map(str::to_owned).chain(bases.iter().map(|base| base.name.clone())).collect();
    let written = signature::heritage(graph.signature(class), graph.label(class));
    let written: Vec<&str> = written.into_iter().filter(|name| !known.contains(*name)).collect();
    if written.len() == unnamed.iter().map(|(_, count)| count).sum::<usize>() {
        let packages = unnamed.iter().flat_map(|(package, count)| std::iter::repeat_n(graph.label(*package), *count));
        bases.extend(
            written.into_iter().zip(packages).map(|(name, package)| name_base(name, &format!("{package}::{name}"))),
        );
    } else {
        bases.extend(unnamed.iter().map(|(package, _)| name_base("", graph.label(*package))));
    }
    bases
}

fn name_base(name: &str, shown: &str) -> OutsideBase {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let last = last.split(['<', '[', '(']).next().unwrap_or(last);
    OutsideBase { name: last.to_owned(), shown: shown.to_owned() }
}

/// The annotation of a class or of a member of it that a library from outside reads.
pub(super) fn annotated_by(graph: &Graph, class: NodeIx) -> Option<String> {
    annotation(graph, class, &[]).or_else(|| of_members(graph, class, &[]))
}

fn of_members(graph: &Graph, class: NodeIx, without: &[&[&str]]) -> Option<String> {
    let members = graph.with_members(class, MAX_MEMBERS);
    let own = members.into_iter().filter(|&member| graph.parent(member) == Some(class));
    own.into_iter().find_map(|member| annotation(graph, member, without))
}

/// An annotation of a package that is in none of these lists.
pub(super) fn annotation(graph: &Graph, node: NodeIx, without: &[&[&str]]) -> Option<String> {
    let edges = graph.out_edges(node).filter(|edge| edge.relation == Relation::Decorates && Graph::is_external(edge));
    let mut ids: Vec<&str> = edges.map(|edge| graph.id(edge.to)).collect();
    ids.retain(|id| {
        let package = id.strip_prefix("external::").unwrap_or(id);
        let lists = without.iter().copied().chain([COMPILER_PACKAGES]);
        let is_of =
            |known: &str| package.strip_prefix(known).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        !lists.flatten().any(|known| is_of(known))
    });
    // The longest names the annotation, others its package alone.
    let id = ids.into_iter().max_by_key(|id| id.len())?;
    Some(id.strip_prefix("external::").unwrap_or(id).to_owned())
}

/// What uses a class by reflection: an annotation of it or of its members, or annotated code that takes or yields it,
/// or holds it in a class that is used so.
pub(super) fn reflected_by(graph: &Graph, class: NodeIx) -> Option<String> {
    let mut classes = vec![class];
    let mut next = 0;
    while next < classes.len() && next < MAX_HOLDERS {
        let class = classes[next];
        next += 1;
        let without = [WIRING_PACKAGES, WRITING_PACKAGES, SERVING_PACKAGES];
        if let Some(by) = annotation(graph, class, &without).or_else(|| of_members(graph, class, &without)) {
            return Some(by);
        }
        let users = graph.in_edges(class).filter(|edge| {
            edge.relation == Relation::References && !graph.flags(edge.from).has(NodeFlags::TEST) && edge.from != class
        });
        for user in users {
            if let Some(by) = annotation(graph, user.from, &[WIRING_PACKAGES, WRITING_PACKAGES]) {
                return Some(by);
            }
            let holder = match graph.kind(user.from) {
                NodeKind::Field => graph.parent(user.from),
                NodeKind::Class | NodeKind::Struct => Some(user.from),
                _ => None,
            };
            if let Some(holder) = holder.filter(|holder| !classes.contains(holder)) {
                classes.push(holder);
            }
        }
        // Heirs have its accessors.
        let heirs = graph.in_edges(class).filter(is_base).map(|edge| edge.from);
        for heir in heirs.take(MAX_HOLDERS) {
            if !classes.contains(&heir) {
                classes.push(heir);
            }
        }
    }
    None
}
