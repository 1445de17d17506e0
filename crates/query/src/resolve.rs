//! Resolves a caller's text to a node. One resolver serves every tool.

use m1nd_base::NodeKind;
use m1nd_graph::NodeIx;

use m1nd_engine::Snapshot;

/// Maximum labels examined for suggestions in a large index.
const SUGGESTION_SCAN: usize = 400_000;
/// Suggestions given.
const SUGGESTIONS: usize = 5;
/// Characters of a text that error messages repeat.
const SHOWN: usize = 200;

/// The reason why a text does not resolve to a single node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Nothing matches.
    #[error("no node is named `{text}`")]
    NotFound {
        /// Text as requested, shortened.
        text: String,
        /// Ids of similar nodes, best first.
        suggestions: Vec<String>,
    },
    /// Several match.
    #[error("`{text}` names {total} nodes")]
    Ambiguous {
        /// Text as requested, shortened.
        text: String,
        /// Ids of the matching nodes, best first, at most [`ResolveError::MAX_CANDIDATES`].
        candidates: Vec<String>,
        /// Number of matches.
        total: usize,
    },
}

impl ResolveError {
    /// Most candidates listed.
    pub const MAX_CANDIDATES: usize = 10;
}

/// The node that a text means: an exact id, else the path of a file, else the only node whose qualified name ends in
/// it (`Pool.acquire`, `Pool::acquire`, `a.py::acquire`, `src/a.py::Pool::acquire`), else the only node of that name.
///
/// # Errors
/// [`ResolveError::Ambiguous`] with ranked candidates, or [`ResolveError::NotFound`] with similar names.
pub fn resolve_node(snapshot: &Snapshot, text: &str) -> Result<NodeIx, ResolveError> {
    let found = snapshot.nodes_named(text.trim());
    match found.as_slice() {
        [node] => Ok(*node),
        [] => Err(ResolveError::NotFound { text: shown(text.trim()), suggestions: similar(snapshot, text.trim()) }),
        several => Err(ResolveError::Ambiguous {
            text: shown(text.trim()),
            candidates: several
                .iter()
                .take(ResolveError::MAX_CANDIDATES)
                .map(|&node| snapshot.graph().id(node).to_owned())
                .collect(),
            total: several.len(),
        }),
    }
}

/// Ids of nodes with a similar name, best first.
fn similar(snapshot: &Snapshot, text: &str) -> Vec<String> {
    let wanted = text.rsplit([':', '.', '/', '#']).find(|part| !part.is_empty()).unwrap_or(text);
    let wanted: Vec<char> = wanted.to_lowercase().chars().take(64).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let graph = snapshot.graph();
    let mut best: Vec<(usize, &str)> = Vec::new();
    let own = graph.nodes().take(SUGGESTION_SCAN).filter(|&node| graph.kind(node) != NodeKind::PackageMember);
    for node in own {
        let label = graph.label(node);
        if let Some(distance) = distance(&wanted, label, wanted.len().div_ceil(3)) {
            best.push((distance, graph.id(node)));
            if best.len() > 64 {
                best.sort_unstable();
                best.truncate(SUGGESTIONS);
            }
        }
    }
    best.sort_unstable();
    best.into_iter().take(SUGGESTIONS).map(|(_, id)| id.to_owned()).collect()
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Edit distance of two names without regard to case, if at most `most`. A name that contains the other counts as 1.
fn distance(wanted: &[char], label: &str, most: usize) -> Option<usize> {
    let label: Vec<char> = label.to_lowercase().chars().take(96).collect();
    if wanted.len() >= 4 && label.windows(wanted.len()).any(|window| window == wanted) {
        return Some(1);
    }
    if label.len().abs_diff(wanted.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=label.len()).collect();
    for (i, a) in wanted.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in label.iter().enumerate() {
            let change = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
        if row.iter().min().is_some_and(|&least| least > most) {
            return None;
        }
    }
    row.last().copied().filter(|&distance| distance <= most)
}
