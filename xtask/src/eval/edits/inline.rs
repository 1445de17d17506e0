//! `eval edits inline`: after every call of a function was replaced by its body, the project compiles as before.
//!
//! Functions are chosen evenly at random from those in files that the compiler checks with one to `MAX_CALLS` certain
//! calls, at most `MAX_LINES` lines, and no other use.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_testkit::Random;
use serde_json::json;

use super::Request;
use super::compilers::Checked;
use super::project::Project;
use super::refactorings::{self, Operation};
use crate::Outcome;
use crate::eval::ours::open_indexed;

const MAX_CALLS: usize = 5;
const MAX_LINES: u32 = 20;

pub(super) fn run(request: &Request) -> Outcome<()> {
    refactorings::run(request, "inline.json", sample)
}

fn sample(request: &Request, checked: &Checked, project: &Project) -> Outcome<Vec<Operation>> {
    let engine = open_indexed(project.home(), &project.root)?;
    let snapshot = engine.snapshot();
    let graph = snapshot.graph();
    let mut all: Vec<NodeIx> = graph.nodes().filter(|node| is_candidate(&snapshot, checked, *node)).collect();
    all.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    let mut random = Random::new(request.seed);
    let mut chosen = Vec::new();
    while chosen.len() < request.samples && !all.is_empty() {
        let node = all.swap_remove(random.below(all.len()));
        let arguments = json!({"operation": "inline_function", "node_id": graph.id(node)});
        chosen.push(Operation { path: graph.path(node).to_owned(), arguments });
    }
    Ok(chosen)
}

fn is_candidate(snapshot: &Snapshot, checked: &Checked, node: NodeIx) -> bool {
    let graph = snapshot.graph();
    let (first, last) = graph.lines(node);
    if graph.kind(node) != NodeKind::Function
        || graph.flags(node).has(NodeFlags::CONSTRUCTOR)
        || !checked.covers(graph.path(node))
        || last - first >= MAX_LINES
    {
        return false;
    }
    let uses = graph.in_edges(node).filter(|edge| {
        !matches!(edge.relation, Relation::Contains | Relation::Documents | Relation::Tests | Relation::RelatesTo)
    });
    let mut calls = 0;
    for edge in uses {
        if edge.relation != Relation::Calls || edge.tier != EdgeTier::Certain || edge.from == node {
            return false;
        }
        calls += edge.sites.len().max(1);
    }
    (1..=MAX_CALLS).contains(&calls)
}
