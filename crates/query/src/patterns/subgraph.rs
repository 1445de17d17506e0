//! Patterns over the graph: a few nodes with conditions, edges that must be there and edges that must not.
//!
//! Nodes are bound one after the other, each next to one that is bound already if an edge of the pattern leads there.
//! The search keeps its own stack and ends after a number of steps.

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_search::grep::{Grep, GrepError, GrepOptions};

/// Maximum nodes of a pattern.
pub const MAX_PATTERN_NODES: usize = 12;
/// Maximum edges of a pattern, of each sort.
pub const MAX_PATTERN_EDGES: usize = 20;
/// Steps of one search, at most.
const MAX_STEPS: usize = 400_000;
/// Steps between two checks for cancellation.
const CHECK_EVERY: usize = 4_096;

/// How labels are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelMode {
    /// The label has the text, in any case.
    Substring,
    /// The label is the text.
    Exact,
    /// A regular expression matches the label.
    Regex,
}

/// A node of a pattern.
#[derive(Debug, Clone, Default)]
pub struct PatternNode {
    /// Its kind.
    pub kind: Option<NodeKind>,
    /// Properties that it must have.
    pub flags: Vec<NodeFlags>,
    /// Text for its label.
    pub label: Option<String>,
}

/// An edge of a pattern between two of its nodes, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternEdge {
    /// Index of the source.
    pub from: usize,
    /// Index of the target.
    pub to: usize,
    /// Its relation; any if `None`.
    pub relation: Option<Relation>,
}

/// A pattern.
#[derive(Debug, Clone, Default)]
pub struct Subgraph {
    /// The nodes.
    pub nodes: Vec<PatternNode>,
    /// Edges that must be there.
    pub edges: Vec<PatternEdge>,
    /// Edges that must not be there.
    pub negative: Vec<PatternEdge>,
}

/// The reason why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SubgraphError {
    /// It has no nodes.
    #[error("the pattern has no nodes, expected 1 to {MAX_PATTERN_NODES}")]
    Empty,
    /// It has too many nodes or edges.
    #[error("the pattern has {0} nodes and {1} edges, expected at most {MAX_PATTERN_NODES} and {MAX_PATTERN_EDGES}")]
    TooLarge(usize, usize),
    /// An edge names a node that is not there.
    #[error("{sort} {at} names node {index}, but the pattern has {nodes} nodes (counted from 0)")]
    Index {
        /// `edge` or `negative edge`.
        sort: &'static str,
        /// Index of the edge.
        at: usize,
        /// The index it names.
        index: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A label is no regular expression.
    #[error("node {at}: {error}")]
    Label {
        /// Index of the node.
        at: usize,
        /// What is wrong.
        error: GrepError,
    },
}

/// Bindings of a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubgraphMatches {
    /// For each match, the nodes in the order of the pattern.
    pub rows: Vec<Vec<NodeIx>>,
    /// A limit ended the search: there may be more.
    pub is_cut: bool,
    /// The limit was that of steps.
    pub timed_out: bool,
}

enum Label {
    Any,
    Part(String),
    Whole(String),
    Regex(Box<Grep>),
}

impl Label {
    fn has(&self, label: &str, cancel: &Cancel) -> bool {
        match self {
            Self::Any => true,
            Self::Part(text) => label.to_lowercase().contains(text.as_str()),
            Self::Whole(text) => label == text,
            Self::Regex(grep) => grep.search(label.as_bytes(), 0..1, cancel).is_ok_and(|found| found.total > 0),
        }
    }
}

impl Subgraph {
    /// Conditions over all that could be set, 0 to 1: how much the pattern says.
    pub fn specificity(&self) -> f64 {
        let of_node =
            |node: &PatternNode| [node.kind.is_some(), !node.flags.is_empty(), node.label.is_some()].map(usize::from);
        let nodes: usize = self.nodes.iter().flat_map(of_node).sum();
        let edges = self.edges.iter().chain(&self.negative).filter(|edge| edge.relation.is_some()).count();
        let all = 3 * self.nodes.len() + self.edges.len() + self.negative.len();
        (nodes + edges) as f64 / all.max(1) as f64
    }

    /// Checks sizes and indexes.
    ///
    /// # Errors
    /// [`SubgraphError`].
    pub fn check(&self) -> Result<(), SubgraphError> {
        if self.nodes.is_empty() {
            return Err(SubgraphError::Empty);
        }
        let edges = self.edges.len().max(self.negative.len());
        if self.nodes.len() > MAX_PATTERN_NODES || edges > MAX_PATTERN_EDGES {
            return Err(SubgraphError::TooLarge(self.nodes.len(), edges));
        }
        for (sort, edges) in [("edge", &self.edges), ("negative edge", &self.negative)] {
            for (at, edge) in edges.iter().enumerate() {
                if let Some(index) = [edge.from, edge.to].into_iter().find(|index| *index >= self.nodes.len()) {
                    return Err(SubgraphError::Index { sort, at, index, nodes: self.nodes.len() });
                }
            }
        }
        Ok(())
    }

    fn labels(&self, mode: LabelMode) -> Result<Vec<Label>, SubgraphError> {
        let label = |(at, node): (usize, &PatternNode)| {
            let Some(text) = &node.label else { return Ok(Label::Any) };
            Ok(match mode {
                LabelMode::Substring => Label::Part(text.to_lowercase()),
                LabelMode::Exact => Label::Whole(text.clone()),
                LabelMode::Regex => {
                    let options = GrepOptions {
                        pattern: text.clone(),
                        regex: true,
                        case_sensitive: true,
                        ..GrepOptions::default()
                    };
                    Label::Regex(Box::new(Grep::new(options).map_err(|error| SubgraphError::Label { at, error })?))
                }
            })
        };
        self.nodes.iter().enumerate().map(label).collect()
    }

    /// The places where the pattern occurs, at most `limit`; with `within`, only those with a node that it accepts.
    ///
    /// # Errors
    /// [`SubgraphError`]; the outer one is [`Cancelled`].
    pub fn find(
        &self,
        graph: &Graph,
        mode: LabelMode,
        limit: usize,
        within: &dyn Fn(NodeIx) -> bool,
        cancel: &Cancel,
    ) -> Result<Result<SubgraphMatches, SubgraphError>, Cancelled> {
        let labels = match self.check().and_then(|()| self.labels(mode)) {
            Ok(labels) => labels,
            Err(error) => return Ok(Err(error)),
        };
        let search = Search { pattern: self, graph, labels, cancel };
        search.run(limit, within).map(Ok)
    }
}

struct Search<'a> {
    pattern: &'a Subgraph,
    graph: &'a Graph,
    labels: Vec<Label>,
    cancel: &'a Cancel,
}

impl Search<'_> {
    fn run(&self, limit: usize, within: &dyn Fn(NodeIx) -> bool) -> Result<SubgraphMatches, Cancelled> {
        let order = self.order();
        let mut found = SubgraphMatches::default();
        let mut bound: Vec<Option<NodeIx>> = vec![None; self.pattern.nodes.len()];
        // For each bound level, the candidates that are left.
        let mut stack: Vec<std::vec::IntoIter<NodeIx>> = vec![self.candidates(order[0], &bound).into_iter()];
        let mut steps = 0usize;
        while let Some(level) = stack.len().checked_sub(1) {
            bound[order[level]] = None;
            let Some(candidate) = stack[level].next() else {
                stack.pop();
                continue;
            };
            steps += 1;
            if steps.is_multiple_of(CHECK_EVERY) {
                self.cancel.check()?;
            }
            if steps > MAX_STEPS {
                (found.is_cut, found.timed_out) = (true, true);
                break;
            }
            if bound.contains(&Some(candidate)) || !self.fits(order[level], candidate) {
                continue;
            }
            bound[order[level]] = Some(candidate);
            if !self.edges_hold(&bound) {
                continue;
            }
            if level + 1 < order.len() {
                stack.push(self.candidates(order[level + 1], &bound).into_iter());
                continue;
            }
            let row: Vec<NodeIx> = bound.iter().flatten().copied().collect();
            if self.forbidden_hold(&row) || !row.iter().any(|node| within(*node)) {
                continue;
            }
            if found.rows.len() >= limit {
                found.is_cut = true;
                break;
            }
            found.rows.push(row);
        }
        Ok(found)
    }

    /// The most constrained node first, then always one with an edge to those before, if there is one.
    fn order(&self) -> Vec<usize> {
        let weight = |at: usize| {
            let node = &self.pattern.nodes[at];
            usize::from(node.label.is_some()) * 4 + usize::from(node.kind.is_some()) + node.flags.len()
        };
        let mut left: Vec<usize> = (0..self.pattern.nodes.len()).collect();
        let mut order: Vec<usize> = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let joined = |at: usize| {
                let ends = |edge: &PatternEdge| {
                    (edge.from == at && order.contains(&edge.to)) || (edge.to == at && order.contains(&edge.from))
                };
                self.pattern.edges.iter().any(ends)
            };
            let best =
                left.iter().enumerate().max_by_key(|(place, at)| (joined(**at), weight(**at), usize::MAX - place));
            let Some((place, _)) = best else { break };
            order.push(left.remove(place));
        }
        order
    }

    /// Nodes that may be bound to a place: neighbours of a bound one if an edge leads there, else all.
    fn candidates(&self, place: usize, bound: &[Option<NodeIx>]) -> Vec<NodeIx> {
        let fits = |edge: &PatternEdge, relation: Relation| edge.relation.is_none_or(|wanted| wanted == relation);
        for edge in &self.pattern.edges {
            let mut near: Vec<NodeIx> = match (bound[edge.from], bound[edge.to]) {
                (Some(from), _) if edge.to == place => {
                    let out = self.graph.out_edges(from).filter(|found| fits(edge, found.relation));
                    out.map(|found| found.to).collect()
                }
                (_, Some(to)) if edge.from == place => {
                    let into = self.graph.in_edges(to).filter(|found| fits(edge, found.relation));
                    into.map(|found| found.from).collect()
                }
                _ => continue,
            };
            near.sort_unstable();
            near.dedup();
            return near;
        }
        self.graph.nodes().collect()
    }

    fn fits(&self, place: usize, node: NodeIx) -> bool {
        let wanted = &self.pattern.nodes[place];
        wanted.kind.is_none_or(|kind| kind == self.graph.kind(node))
            && wanted.flags.iter().all(|flag| self.graph.flags(node).has(*flag))
            && self.labels[place].has(self.graph.label(node), self.cancel)
    }

    fn has_edge(&self, edge: &PatternEdge, from: NodeIx, to: NodeIx) -> bool {
        let is_it = |relation: Relation| edge.relation.is_none_or(|wanted| wanted == relation);
        self.graph.out_edges(from).any(|found| found.to == to && is_it(found.relation))
    }

    /// Whether every edge between bound nodes is there.
    fn edges_hold(&self, bound: &[Option<NodeIx>]) -> bool {
        self.pattern.edges.iter().all(|edge| match (bound[edge.from], bound[edge.to]) {
            (Some(from), Some(to)) => self.has_edge(edge, from, to),
            _ => true,
        })
    }

    fn forbidden_hold(&self, row: &[NodeIx]) -> bool {
        self.pattern.negative.iter().any(|edge| self.has_edge(edge, row[edge.from], row[edge.to]))
    }
}
