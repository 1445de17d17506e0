//! Queries that are only a symbol name or a path: the code of that name comes first, word matches after it.

use crate::retrieval::importance;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_search::{Filter, is_within, words};

use super::SeekRow;
use m1nd_engine::Snapshot;

/// Nodes up to which a name names something.
const MOST: usize = 10;

/// Moves the named nodes before the other rows, which are sorted: declarations go after their definitions. Returns
/// the number of named rows without such declarations; 0 if the query is more than a name, or names too many nodes.
pub(super) fn lift(snapshot: &Snapshot, question: &str, filter: &Filter<'_>, rows: &mut Vec<SeekRow>) -> usize {
    let Some(name) = name_of(question) else { return 0 };
    let graph = snapshot.graph();
    let is_asked = |node: NodeIx| {
        let kind = graph.kind(node);
        !kind.is_outside()
            && filter.kinds.is_none_or(|kinds| kinds >> kind as u8 & 1 == 1)
            && is_within(graph.path(node), filter.scope)
    };
    let mut named = snapshot.nodes_named(name);
    named.retain(|node| is_asked(*node));
    if named.is_empty() || named.len() > MOST {
        return 0;
    }
    let best = rows.first().map_or(0.0, |row| row.score);
    let is_announced = |node: NodeIx| {
        let defines = |other: &NodeIx| {
            !is_declaration(graph, *other)
                && graph.kind(*other) == graph.kind(node)
                && graph.label(*other) == graph.label(node)
        };
        is_declaration(graph, node) && named.iter().any(defines)
    };
    let announced: Vec<NodeIx> = named.iter().copied().filter(|node| is_announced(*node)).collect();
    for &node in &named {
        let at = rows.iter().position(|row| row.node == node).unwrap_or_else(|| {
            rows.push(row(snapshot, node));
            rows.len() - 1
        });
        // Above all others, and among themselves as they were.
        let own = if best > 0.0 { (rows[at].score / best).min(1.0) } else { 0.0 };
        let place = if announced.contains(&node) { own / 2.0 } else { (1.0 + own) / 2.0 };
        rows[at].score = best + (1.0 - best) * place;
        rows[at].alone = rows[at].score;
    }
    let is_named = |row: &SeekRow| named.contains(&row.node);
    rows.sort_by(|a, b| is_named(b).cmp(&is_named(a)).then(b.score.total_cmp(&a.score)));
    named.len() - announced.len()
}

fn is_declaration(graph: &Graph, node: NodeIx) -> bool {
    graph.flags(node).has(NodeFlags::DECLARATION)
}

fn row(snapshot: &Snapshot, node: NodeIx) -> SeekRow {
    SeekRow {
        node,
        score: 0.0,
        alone: 0.0,
        lexical: 0.0,
        meaning: None,
        recency: None,
        prior: importance(snapshot, node),
        best_field: "name",
        matched: Vec::new(),
    }
}

/// The name that a question is, without marks of code around it; `None` for a plain word, which may be meant as one.
fn name_of(question: &str) -> Option<&str> {
    let name = question.trim().trim_matches('`');
    let name = name.strip_suffix("()").unwrap_or(name);
    let is_written = name.contains(['.', '/', '#', ':']) || words::is_compound(name) || words::is_capital(name);
    (is_written && !name.contains(char::is_whitespace)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        let cases = [
            ("Session.send", Some("Session.send")),
            (" `Pool::acquire()` ", Some("Pool::acquire")),
            ("src/pool.py", Some("src/pool.py")),
            ("load_all", Some("load_all")),
            ("Session", Some("Session")),
            ("retry", None),
            ("ERROR", None),
            ("Session.send retries", None),
            ("", None),
        ];
        for (question, name) in cases {
            assert_eq!(name_of(question), name, "{question}");
        }
    }
}
