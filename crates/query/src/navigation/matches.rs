//! What of the graph the query of a perspective is about.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::NodeIx;
use rustc_hash::FxHashMap;

use crate::kept::Kept;
use crate::retrieval::{SeekQuery, seek_given};

/// Matches of a query that count, best first.
const MATCHES: usize = 60;
/// Matches of one file.
const OF_FILE: usize = 3;
/// Queries of a snapshot whose matches are kept, some 3 kB each.
const KEPT: usize = 1_000;

/// Matches of a query.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Nodes with their relevance, 0 to 1 relative to the best, best first.
    pub(super) rows: Vec<(NodeIx, f64)>,
    nodes: FxHashMap<NodeIx, f64>,
    files: FxHashMap<NodeIx, f64>,
}

impl Matches {
    /// The matches of a query, kept with the snapshot.
    pub(super) fn of(
        snapshot: &Snapshot,
        query: &str,
        history: Option<&ProjectHistory>,
        cancel: &Cancel,
    ) -> Result<Arc<Self>, Cancelled> {
        let kept = snapshot.derived_values().get_or_init(Kept::<Self, KEPT>::default);
        let key = format!("{:x} {query}", history.map_or(0, ProjectHistory::state));
        kept.get_or(key, || Self::find_matches(snapshot, query, history, cancel))
    }

    fn find_matches(
        snapshot: &Snapshot,
        query: &str,
        history: Option<&ProjectHistory>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let query = SeekQuery { text: query.to_owned(), graph_rerank: true, ..SeekQuery::default() };
        let found = seek_given(snapshot, &query, history, cancel)?;
        let graph = snapshot.graph();
        let best = found.rows.first().map_or(1.0, |row| row.score).max(f64::MIN_POSITIVE);
        let mut matches = Self::default();
        let mut of_file: FxHashMap<NodeIx, usize> = FxHashMap::default();
        for row in found.rows.iter().filter(|row| row.score > 0.0) {
            let Some(file) = graph.file(row.node) else { continue };
            let count = of_file.entry(file).or_default();
            *count += 1;
            if *count > OF_FILE {
                continue;
            }
            let relevance = (row.score / best).min(1.0);
            matches.rows.push((row.node, relevance));
            matches.nodes.insert(row.node, relevance);
            let known = matches.files.entry(file).or_default();
            *known = known.max(relevance);
            if matches.rows.len() == MATCHES {
                break;
            }
        }
        Ok(matches)
    }

    /// Relevance of a node, 0 to 1: its own, or part of that of its file.
    pub(super) fn relevance(&self, graph: &m1nd_graph::Graph, node: NodeIx) -> f64 {
        let own = self.nodes.get(&node).copied().unwrap_or(0.0);
        let file = graph.file(node);
        let of_file = file.and_then(|file| self.files.get(&file)).copied().unwrap_or(0.0);
        own.max(if file == Some(node) { of_file } else { of_file * OF_FILE_SHARE })
    }

    /// The best match inside of a file.
    pub(super) fn best_in(&self, graph: &m1nd_graph::Graph, file: NodeIx) -> Option<NodeIx> {
        self.rows.iter().map(|(node, _)| *node).find(|node| *node != file && graph.file(*node) == Some(file))
    }
}

/// Share of a file's relevance that something in it has by its place alone.
const OF_FILE_SHARE: f64 = 0.7;
