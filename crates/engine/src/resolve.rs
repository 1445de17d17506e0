//! From what a caller writes to the node it means. One resolver serves every tool.

use m1nd_base::NodeKind;
use m1nd_graph::{EXTERNAL_PREFIX, Graph, NodeFlags, NodeIx};

use crate::error::ResolveError;
use crate::snapshot::Snapshot;

/// Labels looked at for suggestions in a large index before the search stops.
const SUGGESTION_SCAN: usize = 400_000;
/// Suggestions given.
const SUGGESTIONS: usize = 5;
/// Characters of a text that error messages repeat.
const SHOWN: usize = 200;

impl Snapshot {
    /// The node that a text means: an exact id, else the path of a file, else the only node whose qualified name ends in
    /// it (`Pool.acquire`, `Pool::acquire`, `a.py::acquire`, `src/a.py::Pool::acquire`), else the only node of that name.
    ///
    /// # Errors
    /// [`ResolveError::Ambiguous`] with ranked candidates, or [`ResolveError::NotFound`] with similar names.
    pub fn resolve_node(&self, text: &str) -> Result<NodeIx, ResolveError> {
        let found = self.matching(text.trim());
        match found.as_slice() {
            [node] => Ok(*node),
            [] => Err(ResolveError::NotFound { text: shown(text.trim()), suggestions: self.similar(text.trim()) }),
            several => Err(ResolveError::Ambiguous {
                text: shown(text.trim()),
                candidates: several
                    .iter()
                    .take(ResolveError::MAX_CANDIDATES)
                    .map(|&node| self.graph().id(node).to_owned())
                    .collect(),
                total: several.len(),
            }),
        }
    }

    /// As [`Snapshot::resolve_node`], for many texts of which most name nothing: without looking for similar names.
    pub(crate) fn only_node(&self, text: &str) -> Option<NodeIx> {
        match self.matching(text.trim()).as_slice() {
            [node] => Some(*node),
            _ => None,
        }
    }

    /// The nodes that a text may mean, best first; one if it is clear.
    pub(crate) fn matching(&self, text: &str) -> Vec<NodeIx> {
        let graph = self.graph();
        if let Some(node) = graph.find(text).or_else(|| self.by_path(text)) {
            return vec![node];
        }
        let query = QualifiedName::parse(text);
        let mut found = query.as_ref().map(|query| query.candidates(graph)).unwrap_or_default();
        if found.is_empty() {
            found = self.files_ending_in(text);
        }
        found.sort_by(|&a, &b| rank_key(graph, b).cmp(&rank_key(graph, a)).then_with(|| graph.id(a).cmp(graph.id(b))));
        found.dedup();
        // What packages outside have of that name counts only where nothing of the project has it; and code before text.
        for is_less in [|kind: NodeKind| kind.is_outside(), |kind: NodeKind| kind == NodeKind::Section] {
            if found.iter().any(|&node| !is_less(graph.kind(node))) {
                found.retain(|&node| !is_less(graph.kind(node)));
            }
        }
        // The name of a type is also the name of its impl blocks: the type is meant.
        let is_block = |node: &NodeIx| {
            matches!(graph.kind(*node), NodeKind::Impl | NodeKind::Config) || graph.kind(*node).is_outside()
        };
        let mut things = found.iter().filter(|node| !is_block(node));
        if let (Some(&thing), None) = (things.next(), things.next()) {
            return vec![thing];
        }
        found
    }

    fn by_path(&self, text: &str) -> Option<NodeIx> {
        let path = text.strip_prefix("file::").unwrap_or(text);
        let normal = m1nd_base::RepoPath::new(path).ok();
        let inside = normal.and_then(|path| self.graph().find_file(path.as_str()));
        inside.or_else(|| {
            // An absolute path below a root.
            let path = std::path::Path::new(path);
            self.roots().iter().find_map(|root| {
                let inner = path.strip_prefix(&root.path).ok()?.to_str()?;
                self.graph().find_file(root.outer(&m1nd_base::RepoPath::new(inner).ok()?).as_str())
            })
        })
    }

    /// Files whose path ends in these whole components.
    fn files_ending_in(&self, text: &str) -> Vec<NodeIx> {
        let Ok(path) = m1nd_base::RepoPath::new(text) else { return Vec::new() };
        let suffix = format!("/{path}");
        let ending = self.files().iter().filter(|file| file.path.as_str().ends_with(&suffix));
        ending.filter_map(|file| self.graph().find_file(file.path.as_str())).collect()
    }

    /// Ids of nodes with a similar name, best first.
    fn similar(&self, text: &str) -> Vec<String> {
        let wanted = text.rsplit([':', '.', '/', '#']).find(|part| !part.is_empty()).unwrap_or(text);
        let wanted: Vec<char> = wanted.to_lowercase().chars().take(64).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let graph = self.graph();
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
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// What makes a candidate likelier: code before tests, types and functions before parts, then importance.
fn rank_key(graph: &Graph, node: NodeIx) -> (bool, bool, u32) {
    let part = matches!(graph.kind(node), NodeKind::Field | NodeKind::Variable | NodeKind::Config | NodeKind::Impl)
        || graph.kind(node).is_outside();
    (!graph.flags(node).has(NodeFlags::TEST), !part, (graph.pagerank(node) * 1e9) as u32)
}

/// A name with what stands before it: `src/a.py::Pool::acquire` is path `src/a.py`, owners `Pool`, name `acquire`.
struct QualifiedName {
    path: Option<String>,
    owners: Vec<String>,
    name: String,
}

/// Words for kinds that node ids hold between names.
const KIND_WORDS: [&str; 17] = [
    "fn",
    "class",
    "struct",
    "enum",
    "variant",
    "union",
    "trait",
    "interface",
    "type",
    "mod",
    "impl",
    "field",
    "var",
    "const",
    "macro",
    "object",
    "section",
];

impl QualifiedName {
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("file::").unwrap_or(text).trim_end_matches("()");
        let mut parts: Vec<&str> = text.split("::").flat_map(|part| part.split('#')).collect();
        let mut path = None;
        if parts.len() > 1 && looks_like_path(parts[0]) {
            path = Some(parts.remove(0).to_owned());
        }
        let mut names: Vec<String> = parts
            .iter()
            .flat_map(|part| if part.contains(['<', ' ', '/']) { vec![*part] } else { part.split('.').collect() })
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let name = names.pop()?;
        Some(Self { path, owners: names, name })
    }

    fn candidates(&self, graph: &Graph) -> Vec<NodeIx> {
        let matching = |drop_words: bool| -> Vec<NodeIx> {
            let labelled = graph.labelled(&self.name).into_iter();
            labelled.filter(|&node| self.fits(graph, node, drop_words)).collect()
        };
        // An owner that is spelled like a kind (`type`, `field`) counts as an owner first.
        let found = matching(false);
        let found = if found.is_empty() { matching(true) } else { found };
        match self.without_path().filter(|_| found.is_empty()) {
            Some(query) => query.candidates(graph),
            None => found,
        }
    }

    /// The same with what looked like a path taken for owners: `pool.Pool` in `pool.Pool::acquire`.
    fn without_path(&self) -> Option<Self> {
        let path = self.path.as_ref().filter(|path| !path.contains('/'))?;
        let owners = path.split('.').map(str::to_owned).chain(self.owners.iter().cloned()).collect();
        Some(Self { path: None, owners, name: self.name.clone() })
    }

    /// Whether owners and path of the node end in those asked for. `drop_words` leaves out words for kinds.
    fn fits(&self, graph: &Graph, node: NodeIx, drop_words: bool) -> bool {
        let path = graph.path(node);
        if let Some(wanted) = &self.path
            && !(path == wanted || path.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.ends_with('/')))
        {
            return false;
        }
        let mut owners = self.owners.iter().rev().filter(|owner| !drop_words || !KIND_WORDS.contains(&owner.as_str()));
        if graph.kind(node) == NodeKind::PackageMember {
            return is_below(graph.id(node), owners);
        }
        let mut around = graph.parent(node);
        // Owners nest at most as deep as ids are long; the bound only guards against a damaged snapshot.
        for _ in 0..MAX_OWNERS {
            let Some(owner) = owners.next() else { return true };
            loop {
                let Some(parent) = around else { return false };
                around = graph.parent(parent).filter(|&next| next != parent);
                if owner_matches(graph, parent, owner) {
                    break;
                }
                // An impl block between a type's method and its file may be passed over for a module's name.
                if graph.kind(parent) != NodeKind::Impl {
                    return false;
                }
            }
        }
        false
    }
}

const MAX_OWNERS: usize = 256;

/// Whether the way to a member of a package outside ends in these owners, the last one first. Packages may be meant by the
/// last part of their name.
fn is_below<'a>(id: &str, owners: impl Iterator<Item = &'a String>) -> bool {
    let way = id.strip_prefix(EXTERNAL_PREFIX).unwrap_or(id);
    let mut names = way.rsplit("::").skip(1).map(|name| name.trim_end_matches("()"));
    owners.into_iter().all(|owner| {
        names.next().is_some_and(|name| name == owner || name.rsplit(['/', '.']).next() == Some(owner.as_str()))
    })
}

fn owner_matches(graph: &Graph, owner: NodeIx, wanted: &str) -> bool {
    let label = graph.label(owner);
    match graph.kind(owner) {
        // `Pool::acquire` means a method of any impl of Pool: `impl Pool<T>`, `impl Drop for Pool`.
        NodeKind::Impl => {
            let subject = label.rsplit(" for ").next().unwrap_or(label);
            let subject = subject.split('<').next().unwrap_or(subject).trim();
            label == wanted || subject.rsplit("::").next() == Some(wanted)
        }
        // `pool.acquire` means a function of module `pool`.
        NodeKind::File => {
            let stem = graph.path(owner).rsplit('/').next().unwrap_or_default();
            stem == wanted || stem.split('.').next() == Some(wanted) || graph.path(owner) == wanted
        }
        _ => label == wanted,
    }
}

fn looks_like_path(part: &str) -> bool {
    part.contains('/') || part.rfind('.').is_some_and(|dot| dot > 0 && dot + 1 < part.len())
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
