use std::fmt::Write;

use crate::{Graph, NodeIx};

impl Graph {
    /// Everything but PageRank as text, in the order of ids: equal graphs give equal texts, whatever way they came to
    /// be.
    pub fn dump(&self) -> String {
        let mut nodes: Vec<NodeIx> = self.nodes().collect();
        nodes.sort_unstable_by_key(|&node| self.id(node));
        let mut out = String::new();
        for node in nodes {
            dump_node(self, node, &mut out).expect("writing to a String cannot fail");
        }
        out
    }
}

fn dump_node(graph: &Graph, node: NodeIx, out: &mut String) -> std::fmt::Result {
    let (start, end) = graph.lines(node);
    let parent = graph.parent(node).map_or("-", |parent| graph.id(parent));
    writeln!(
        out,
        "{} kind={} label={:?} lines={start}-{end} name={} flags={} parent={parent} path={:?} signature={:?} doc={:?}",
        graph.id(node),
        graph.kind(node),
        graph.label(node),
        graph.name_line(node),
        graph.flags(node).0,
        graph.path(node),
        graph.signature(node),
        graph.doc(node),
    )?;
    // Sorted by ids: numbers of nodes depend on the order of building, and dumps are compared.
    let mut edges: Vec<_> = graph.out_edges(node).collect();
    edges.sort_unstable_by_key(|edge| (graph.id(edge.to), edge.relation, edge.tier));
    for edge in edges {
        let to = graph.id(edge.to);
        let dispatches = if edge.dispatches { " dispatches" } else { "" };
        let compiler = if edge.compiler { " compiler" } else { "" };
        let reads = if edge.reads { " reads" } else { "" };
        writeln!(
            out,
            "  {} {} of={} {to} {:?}{dispatches}{compiler}{reads}",
            edge.relation, edge.tier, edge.of, edge.sites
        )?;
    }
    let mut incoming: Vec<_> = graph.in_edges(node).map(|edge| (graph.id(edge.from), edge.relation)).collect();
    incoming.sort_unstable();
    for (from, relation) in incoming {
        writeln!(out, "  <- {relation} {from}")?;
    }
    let mut unresolved: Vec<_> = graph.open_rows_of(node).map(|r| (r.pos, r.name, r.role, r.reason)).collect();
    unresolved.sort_unstable();
    for (pos, name, role, reason) in unresolved {
        writeln!(out, "  ? {role} {name} {reason} {}:{}", pos.line, pos.col)?;
    }
    Ok(())
}
