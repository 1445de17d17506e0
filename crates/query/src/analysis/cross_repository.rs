//! The edges between the repositories of a federation.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};

/// What an edge between repositories rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrossKind {
    /// Code of one repository uses code of the other as a package.
    PackageDep,
    /// A type of one is a type, a base or an interface in the other.
    SharedType,
    /// One asks for a route that the other serves.
    ApiContract,
    /// Both read the same configuration key, or one sets what the other reads.
    SharedConfig,
    /// One deploys what the other builds.
    DeploymentDep,
    /// One calls a tool that the other offers by the Model Context Protocol.
    McpContract,
}

impl CrossKind {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::PackageDep => "package_dep",
            Self::SharedType => "shared_type",
            Self::ApiContract => "api_contract",
            Self::SharedConfig => "shared_config",
            Self::DeploymentDep => "deployment_dep",
            Self::McpContract => "mcp_contract",
        }
    }
}

/// An edge between two repositories. Lines are 1-based, 0 if unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossEdge {
    /// Its source.
    pub from: NodeIx,
    /// Its target.
    pub to: NodeIx,
    /// What it rests on.
    pub kind: CrossKind,
    /// Its relation; for a configuration key the id of the key, which both read.
    pub relation: String,
    /// Its certainty.
    pub tier: EdgeTier,
    /// Number of candidates of its reference, 1 if certain.
    pub of: u16,
    /// Line of the source at which the reference is written.
    pub from_line: u32,
    /// Line of the name of the target; for a configuration key, of the other reader.
    pub to_line: u32,
}

/// The edges between the repositories of a federation.
#[derive(Debug, Clone, Default)]
pub struct CrossEdges {
    /// The edges: between different pairs of repositories in turn, certain ones first. Those of a pair without a
    /// certain edge are left out: nothing proves that one uses the other, and names alone coincide.
    pub edges: Vec<CrossEdge>,
    /// Number of edges by source and target repository.
    pub by_pair: BTreeMap<(String, String), PairCounts>,
}

/// Edges from one repository to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCounts {
    /// Certain ones.
    pub certain: usize,
    /// Possible ones.
    pub possible: usize,
}

/// Finds all edges that lead from a file of one repository to a file of another.
///
/// # Errors
/// [`Cancelled`].
pub fn cross_edges(snapshot: &Snapshot, cancel: &Cancel) -> Result<CrossEdges, Cancelled> {
    let graph = snapshot.graph();
    let mut pairs: BTreeMap<(String, String), Vec<CrossEdge>> = BTreeMap::new();
    for node in graph.nodes() {
        cancel.check()?;
        // A configuration key is a node outside of the repositories, so the edge is between those that set and read it.
        if graph.kind(node) == NodeKind::Config {
            for edge in shared_keys(snapshot, node) {
                pairs.entry(pair(snapshot, &edge)).or_default().push(edge);
            }
            continue;
        }
        let Some(source) = snapshot.repository_of(graph.path(node)) else { continue };
        for edge in graph.out_edges(node).filter(|edge| edge.relation != Relation::Documents) {
            let target = snapshot.repository_of(graph.path(edge.to));
            // Targets without a repository are packages from outside.
            if target.is_none_or(|target| target == source) {
                continue;
            }
            let found = CrossEdge {
                from: node,
                to: edge.to,
                kind: kind_of(graph, edge.relation, edge.to),
                relation: edge.relation.word().to_owned(),
                tier: edge.tier,
                of: edge.of,
                from_line: edge.sites.first().map_or(0, |site| site.line),
                to_line: graph.name_line(edge.to).max(1),
            };
            pairs.entry(pair(snapshot, &found)).or_default().push(found);
        }
    }
    Ok(in_turn(graph, pairs))
}

fn pair(snapshot: &Snapshot, edge: &CrossEdge) -> (String, String) {
    let name = |node| snapshot.repository_of(snapshot.graph().path(node)).unwrap_or_default().to_owned();
    (name(edge.from), name(edge.to))
}

fn kind_of(graph: &Graph, relation: Relation, target: NodeIx) -> CrossKind {
    let is_type = matches!(
        graph.kind(target),
        NodeKind::Class | NodeKind::Interface | NodeKind::Struct | NodeKind::Enum | NodeKind::Trait | NodeKind::Type
    );
    match relation {
        Relation::Inherits | Relation::Implements | Relation::Overrides => CrossKind::SharedType,
        Relation::References if is_type => CrossKind::SharedType,
        Relation::Requests | Relation::Serves if graph.id(target).contains("::tool::") => CrossKind::McpContract,
        Relation::Requests | Relation::Serves => CrossKind::ApiContract,
        Relation::ReadsConfig | Relation::SetsConfig => CrossKind::SharedConfig,
        Relation::DependsOn => CrossKind::DeploymentDep,
        _ => CrossKind::PackageDep,
    }
}

/// One edge for each pair of repositories that read a configuration key, between their first readers.
fn shared_keys(snapshot: &Snapshot, key: NodeIx) -> Vec<CrossEdge> {
    let graph = snapshot.graph();
    let mut readers: BTreeMap<&str, (NodeIx, u32)> = BTreeMap::new();
    for edge in graph.in_edges(key).filter(|edge| edge.relation == Relation::ReadsConfig) {
        let Some(name) = snapshot.repository_of(graph.path(edge.from)) else { continue };
        let line = edge.sites.first().map_or(0, |site| site.line);
        let first = readers.entry(name).or_insert((edge.from, line));
        if (graph.id(edge.from), line) < (graph.id(first.0), first.1) {
            *first = (edge.from, line);
        }
    }
    let rows: Vec<(NodeIx, u32)> = readers.into_values().collect();
    let edge = |(from, from_line): (NodeIx, u32), (to, to_line): (NodeIx, u32)| CrossEdge {
        from,
        to,
        kind: CrossKind::SharedConfig,
        relation: format!("shares_{}", graph.id(key)),
        tier: EdgeTier::Certain,
        of: 1,
        from_line,
        to_line,
    };
    let next = |(index, &one): (usize, &(NodeIx, u32))| Some(edge(one, *rows.get(index + 1)?));
    rows.iter().enumerate().filter_map(next).collect()
}

/// The edges of all pairs, one of each in turn.
fn in_turn(graph: &Graph, pairs: BTreeMap<(String, String), Vec<CrossEdge>>) -> CrossEdges {
    let counts = |edges: &[CrossEdge]| {
        let certain = edges.iter().filter(|edge| edge.tier == EdgeTier::Certain).count();
        PairCounts { certain, possible: edges.len() - certain }
    };
    let by_pair: BTreeMap<_, _> = pairs.iter().map(|(pair, edges)| (pair.clone(), counts(edges))).collect();
    let mut rows: Vec<(usize, usize, CrossEdge)> = Vec::new();
    let proven = pairs.into_iter().filter(|(pair, _)| by_pair.get(pair).is_some_and(|counts| counts.certain > 0));
    for (number, (_, mut edges)) in proven.enumerate() {
        let key = |edge: &CrossEdge| {
            (edge.tier, edge.kind, graph.id(edge.from).to_owned(), graph.id(edge.to).to_owned(), edge.relation.clone())
        };
        edges.sort_by_cached_key(key);
        rows.extend(edges.into_iter().enumerate().map(|(turn, edge)| (turn, number, edge)));
    }
    rows.sort_by_key(|(turn, number, _)| (*turn, *number));
    CrossEdges { edges: rows.into_iter().map(|(.., edge)| edge).collect(), by_pair }
}
