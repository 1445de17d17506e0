//! What a change of a symbol reaches, with the ways that lead to it.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_layout::{Arrow, ArrowKind, FigureBox, Role};

use super::{FigureAnswer, MAX_BOXES, choose_arrows, count_words};
use crate::analysis::{Hop, ImpactAnswer, ImpactClass, ImpactQuery, ImpactRow, impact};
use crate::closure::ClosureState;

/// The dependents of a node, those far from it at the top, the node itself at the bottom.
///
/// # Errors
/// [`Cancelled`].
pub fn impact_figure(
    snapshot: &Snapshot,
    (node, limit): (NodeIx, usize),
    cancel: &Cancel,
) -> Result<FigureAnswer, Cancelled> {
    let graph = snapshot.graph();
    let limit = limit.clamp(1, MAX_BOXES);
    let found = impact(snapshot, &ImpactQuery::new(node), cancel)?;
    // 1. Rows with their ways, nearest first, while there is room.
    let mut shown: BTreeMap<NodeIx, (u32, Role)> = BTreeMap::new();
    let mut hops: BTreeMap<(NodeIx, NodeIx), Hop> = BTreeMap::new();
    // A way ends at the changed node or a member of it.
    let end = |row: &ImpactRow| row.witness.last().map(|hop| hop.to);
    for row in &found.rows {
        if let Some(known) = shown.get_mut(&row.node) {
            known.1 = role(row.class);
            continue;
        }
        let between = row.witness.iter().skip(1).map(|hop| hop.from).filter(|at| !shown.contains_key(at)).count();
        if shown.len() + 1 + between >= limit {
            continue;
        }
        for (at, hop) in row.witness.iter().enumerate() {
            let to = if Some(hop.to) == end(row) { node } else { hop.to };
            let distance = (row.witness.len() - at) as u32;
            if hop.from != node {
                shown.entry(hop.from).or_insert((distance, Role::Plain));
            }
            if hop.from != to {
                hops.entry((hop.from, to)).or_insert_with(|| hop.clone());
            }
        }
        shown.insert(row.node, (row.hops, role(row.class)));
    }
    // 2. Boxes, the farthest first, so that arrows lead down to the node.
    let mut order: Vec<(NodeIx, u32, Role)> = shown.into_iter().map(|(at, (hops, role))| (at, hops, role)).collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| graph.id(a.0).cmp(graph.id(b.0))));
    order.retain(|(at, ..)| *at != node);
    order.push((node, 0, Role::Focus));
    let places: BTreeMap<NodeIx, usize> = order.iter().enumerate().map(|(place, row)| (row.0, place)).collect();
    let mut answer =
        FigureAnswer { hidden_boxes: found.total_rows.saturating_sub(order.len() - 1), ..FigureAnswer::default() };
    answer.figure.boxes = order.iter().map(|(at, _, role)| describe(graph, *at, *role)).collect();
    let arrow = |((from, to), hop): (&(NodeIx, NodeIx), &Hop)| {
        let kind = if hop.tier == EdgeTier::Certain { ArrowKind::Certain } else { ArrowKind::Possible };
        Some(Arrow { from: *places.get(from)?, to: *places.get(to)?, count: 1, kind })
    };
    let arrows: Vec<Arrow> = hops.iter().filter_map(arrow).collect();
    choose_arrows(&mut answer, arrows);
    answer.figure.title = format!("Impact of {}", graph.label(node));
    let parts = list_words(&found, &answer);
    answer.describe(parts);
    Ok(answer)
}

/// What the heading says, with the colours that occur.
fn list_words(found: &ImpactAnswer, answer: &FigureAnswer) -> Vec<String> {
    let files = count_words(found.total_files, "file", "files");
    let mut parts = vec![format!("{} in {files}", count_words(found.total_rows, "dependent", "dependents"))];
    let has = |role: Role| answer.figure.boxes.iter().any(|own| own.role == role);
    for (role, words) in
        [(Role::Breaks, "red: breaks"), (Role::Test, "green: tests"), (Role::Document, "yellow: documents")]
    {
        if has(role) {
            parts.push(words.to_owned());
        }
    }
    if found.closure.state != ClosureState::Closed {
        parts.push("more may depend on it".to_owned());
    }
    parts
}

fn role(class: ImpactClass) -> Role {
    match class {
        ImpactClass::Breaks => Role::Breaks,
        ImpactClass::Behaviour => Role::Plain,
        ImpactClass::Test => Role::Test,
        ImpactClass::Doc => Role::Document,
    }
}

fn describe(graph: &Graph, node: NodeIx, role: Role) -> FigureBox {
    let owner = graph.parent(node).filter(|owner| !matches!(graph.kind(*owner), NodeKind::File | NodeKind::Module));
    let label = match owner {
        Some(owner) => format!("{}.{}", graph.label(owner), graph.label(node)),
        None => graph.label(node).to_owned(),
    };
    let (path, line) = (graph.path(node), graph.name_line(node));
    let detail =
        if line > 0 && graph.kind(node) != NodeKind::File { format!("{path}:{line}") } else { path.to_owned() };
    FigureBox { label, detail, band: 0, role }
}
