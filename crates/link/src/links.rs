//! What linking a file yields: nodes, edges, references without a target, and how a compiler's index changed them.

use m1nd_base::{EdgeTier, Pos, Problem, Relation, RepoPath};
use m1nd_lang::facts::{DefId, Role};

use crate::ids::SymbolId;
use crate::names::Name;
use crate::reason::Reason;

/// A node that a file brings into the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkNode {
    /// Its id.
    pub id: SymbolId,
    /// The definition it is, `None` for the file itself.
    pub definition: Option<DefId>,
    /// Index of the node that contains it, in the file's list.
    pub parent: Option<u32>,
    /// A macro makes it a test, whatever its definition says.
    pub is_test: bool,
    /// Line of the route, topic or tool that it is, 1-based, if it is one.
    pub route: Option<u32>,
}

/// An edge from a node of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkEdge {
    /// Node of the file.
    pub from: SymbolId,
    /// Any node, or a package outside.
    pub to: SymbolId,
    /// What it says.
    pub relation: Relation,
    /// How sure it is.
    pub tier: EdgeTier,
    /// Number of candidates of the references behind it: 1 unless `possible`.
    pub of: u16,
    /// The call may run a method that replaces the target: the receiver may be of a deriving class.
    pub dispatches: bool,
    /// A compiler's index says so of at least one of its sites.
    pub compiler: bool,
    /// At least one of its sites takes the target as a value.
    pub reads: bool,
    /// First of the places where the references stand, among those of the file, and their number; none for `contains`.
    pub sites: (u32, u32),
}

/// A reference without a target, or a word that may be one ([`Reason::is_of_text`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// Node around it.
    pub from: SymbolId,
    /// The name it refers to: see [`crate::Linker::name`].
    pub name: Name,
    /// What is done with it; `None` for an import and for a word.
    pub role: Option<Role>,
    /// Why nothing was found.
    pub reason: Reason,
    /// Where it stands.
    pub pos: Pos,
}

/// References (imports included) by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TierCounts {
    /// One target by the language's rules.
    pub certain: u32,
    /// Several candidates.
    pub possible: u32,
    /// A package outside the roots.
    pub external: u32,
    /// No target.
    pub unresolved: u32,
}

impl TierCounts {
    /// Adds another count.
    pub fn add(&mut self, other: Self) {
        self.certain += other.certain;
        self.possible += other.possible;
        self.external += other.external;
        self.unresolved += other.unresolved;
    }
}

/// What one file contributes to the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLinks {
    /// The file.
    pub path: RepoPath,
    /// The project declares it for tests only, whatever its path and content say.
    pub is_test: bool,
    /// Its nodes; the first is the file, owners stand before what they contain.
    pub nodes: Vec<LinkNode>,
    /// Edges from its nodes, in order of `(from, to, relation, tier)` by id text.
    pub edges: Vec<LinkEdge>,
    /// Places of all edges: see [`FileLinks::sites`].
    pub sites: Vec<Pos>,
    /// References without a target and words that may name something, in order of position.
    pub unresolved: Vec<Unresolved>,
    /// References by how they ended.
    pub counts: TierCounts,
    /// How a compiler's index changed it; `None` if none covers the file.
    pub compared: Option<Box<Compared>>,
    /// What linking it left out.
    pub problems: Vec<Problem>,
}

impl FileLinks {
    /// Where the references that make an edge of this file stand, in order.
    pub fn sites(&self, edge: &LinkEdge) -> &[Pos] {
        let (start, count) = edge.sites;
        self.sites.get(start as usize..(start + count) as usize).unwrap_or_default()
    }
}

/// How the references of a file fared against a compiler's index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compared {
    /// We had said the same, for certain.
    pub confirmed: u32,
    /// We had several targets, none, or had not known the name for what it is.
    pub settled: u32,
    /// We had been certain of another target.
    pub contradicted: Vec<Contradiction>,
    /// We had seen no reference there.
    pub added: u32,
}

/// A reference of which a compiler's index says something else than we had said for certain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Where.
    pub pos: Pos,
    /// The name written there.
    pub name: Box<str>,
    /// What is done with it; `None` for an import.
    pub role: Option<Role>,
    /// Ids of our targets; packages as `external::…`.
    pub ours: Vec<String>,
    /// Ids of the index's.
    pub theirs: Vec<String>,
}
