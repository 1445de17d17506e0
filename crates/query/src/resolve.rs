//! Resolves a caller's text to a node. One resolver serves every tool.

use m1nd_base::{NodeKind, node_id};
use m1nd_graph::{Graph, NodeFlags, NodeIx};

use m1nd_engine::{Snapshot, most_readily_meant};

/// Maximum labels examined for suggestions in a large index.
const SUGGESTION_SCAN: usize = 400_000;
/// Suggestions given.
const SUGGESTIONS: usize = 5;
/// Characters of a text that error messages repeat.
const SHOWN: usize = 200;
/// Characters of a name that are compared.
const MAX_COMPARED: usize = 96;
/// Owners of a node that are compared.
const MAX_OWNERS: usize = 8;
/// Characters of the shortest text that may be a part of a name.
const MIN_CONTAINED: usize = 4;
/// A whole, where the difference of two names is a part.
const SCALE: usize = 1_000;
/// Largest difference of similar names.
const MOST_DIFFERENT: usize = SCALE * 2 / 5;

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
    /// It is a folder, where a file or symbol was expected.
    #[error("`{path}` is a folder")]
    Folder {
        /// Its path, with `/` at the end.
        path: String,
        /// Ids of files in it, at most [`ResolveError::MAX_CANDIDATES`].
        files: Vec<String>,
    },
}

impl ResolveError {
    /// Most candidates listed.
    pub const MAX_CANDIDATES: usize = 10;
}

/// The node that a text means: an exact id, else the path of a file, else the node whose qualified name ends in it
/// (`Pool.acquire`, `Pool::acquire`, `a.py::acquire`, `src/a.py::Pool::acquire`), else the node of that name. Of
/// several, the one that takes precedence of all others, see [`m1nd_engine::most_readily_meant`].
///
/// # Errors
/// [`ResolveError::Folder`] for a folder, [`ResolveError::Ambiguous`] with ranked candidates, or
/// [`ResolveError::NotFound`] with similar names.
pub fn resolve_node(snapshot: &Snapshot, text: &str) -> Result<NodeIx, ResolveError> {
    let found = snapshot.nodes_named(text.trim());
    if let [node] = found.as_slice() {
        return Ok(*node);
    }
    if let Some(node) = most_readily_meant(snapshot.graph(), &found) {
        return Ok(node);
    }
    if found.is_empty()
        && let Some(path) = snapshot.folder_named(text)
    {
        let inside = snapshot.files().within(&path).filter_map(|file| snapshot.graph().find_file(file.path.as_str()));
        let ids = inside.take(ResolveError::MAX_CANDIDATES).map(|file| snapshot.graph().id(file).to_owned());
        return Err(ResolveError::Folder { files: ids.collect(), path });
    }
    match found.as_slice() {
        [] => Err(ResolveError::NotFound { text: clip_text(text.trim()), suggestions: similar(snapshot, text.trim()) }),
        several => Err(ResolveError::Ambiguous {
            text: clip_text(text.trim()),
            candidates: several
                .iter()
                .take(ResolveError::MAX_CANDIDATES)
                .map(|&node| snapshot.graph().id(node).to_owned())
                .collect(),
            total: several.len(),
        }),
    }
}

/// Like [`resolve_node`], but also takes a name that only overloads of one function have: the first of them, and the
/// others.
///
/// # Errors
/// See [`resolve_node`].
pub fn resolve_overloads(snapshot: &Snapshot, text: &str) -> Result<(NodeIx, Vec<NodeIx>), ResolveError> {
    let found = snapshot.nodes_named(text.trim());
    let graph = snapshot.graph();
    let name = |node: &NodeIx| node_id::without_hash(graph.id(*node));
    match found.split_first() {
        Some((first, others))
            if !others.is_empty()
                && graph.kind(*first) == NodeKind::Function
                && others.iter().all(|other| name(other) == name(first)) =>
        {
            Ok((*first, others.to_vec()))
        }
        _ => Ok((resolve_node(snapshot, text)?, Vec::new())),
    }
}

/// The choice that [`resolve_node`] had: the node that it takes, and the others of the name, best first. `None` where
/// it had no choice.
pub fn find_choice(snapshot: &Snapshot, text: &str) -> Option<(NodeIx, Vec<NodeIx>)> {
    let mut found = snapshot.nodes_named(text.trim());
    if found.len() < 2 {
        return None;
    }
    let meant = most_readily_meant(snapshot.graph(), &found)?;
    found.retain(|node| *node != meant);
    Some((meant, found))
}

/// Ids of nodes with a similar name, best first: those with the most similar name, of these the ones with the most
/// similar owner, then code before tests, then the most important.
fn similar(snapshot: &Snapshot, text: &str) -> Vec<String> {
    let Some(wanted) = Wanted::parse(text) else { return Vec::new() };
    let graph = snapshot.graph();
    let mut best: Vec<(Rank, &str)> = Vec::new();
    let keep_best = |best: &mut Vec<(Rank, &str)>| {
        best.sort_unstable();
        best.truncate(SUGGESTIONS);
    };
    let own = graph.nodes().take(SUGGESTION_SCAN).filter(|&node| graph.kind(node) != NodeKind::PackageMember);
    for node in own {
        if let Some(rank) = wanted.rank(graph, node) {
            best.push((rank, graph.id(node)));
            if best.len() > SUGGESTIONS * 16 {
                keep_best(&mut best);
            }
        }
    }
    keep_best(&mut best);
    best.into_iter().map(|(_, id)| id.to_owned()).collect()
}

/// Order of suggestions: difference of the names, difference of the owners, test code, importance from high to low.
type Rank = (usize, usize, bool, std::cmp::Reverse<u32>);

/// A text that names nothing, in lower case.
struct Wanted {
    name: Vec<char>,
    /// The part before the name, which may be an owner.
    owner: Vec<char>,
    /// The name if it is that of a file.
    file: Vec<char>,
}

impl Wanted {
    fn parse(text: &str) -> Option<Self> {
        let text = node_id::without_call(node_id::strip_prefix_of_file(text));
        let folded = |part: Option<&str>| part.unwrap_or_default().to_lowercase().chars().take(MAX_COMPARED).collect();
        let mut parts = text.rsplit([':', '.', '/', '#']).filter(|part| !part.is_empty());
        let file = text.rsplit('/').next().filter(|_| !node_id::typed_symbol(text));
        let wanted = Self { name: folded(parts.next()), owner: folded(parts.next()), file: folded(file) };
        (!wanted.name.is_empty()).then_some(wanted)
    }

    /// The place of a node among the suggestions; `None` if its name is not similar.
    fn rank(&self, graph: &Graph, node: NodeIx) -> Option<Rank> {
        let is_file = graph.kind(node) == NodeKind::File;
        let name = if is_file && !self.file.is_empty() { &self.file } else { &self.name };
        let of_name = difference(name, graph.label(node), MOST_DIFFERENT)?;
        let of_owner = |owner| difference(&self.owner, graph.label(owner), MOST_DIFFERENT);
        let owners = graph.ancestors(node).take(MAX_OWNERS).filter_map(of_owner);
        let importance = std::cmp::Reverse((graph.pagerank(node) * 1e9) as u32);
        Some((of_name, owners.min().unwrap_or(SCALE), graph.flags(node).has(NodeFlags::TEST), importance))
    }
}

fn clip_text(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// The share of two names that differs, without regard to case, in parts of [`SCALE`]; `None` above `most`. The rest
/// of a name that contains the other counts half.
fn difference(wanted: &[char], label: &str, most: usize) -> Option<usize> {
    let label: Vec<char> = label.to_lowercase().chars().take(MAX_COMPARED).collect();
    let length = label.len().max(wanted.len());
    if wanted.len() >= MIN_CONTAINED && label.windows(wanted.len()).any(|window| window == wanted) {
        return Some((label.len() - wanted.len()) * SCALE / 2 / length);
    }
    let distance = distance(wanted, &label, length * most / SCALE)?;
    Some(distance * SCALE / length.max(1))
}

/// Edit distance of two names, if at most `most`.
pub(crate) fn distance(wanted: &[char], label: &[char], most: usize) -> Option<usize> {
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
