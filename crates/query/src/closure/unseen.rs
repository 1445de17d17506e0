//! Files that are not in the index whole, and whose text has the name.

use m1nd_base::RepoPath;
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::FxHashSet;

use super::{Hiding, names_of, reasons};

/// Maximum number of such files whose text is searched for names; each further one counts as if it had them.
const MAX_SEARCHED: usize = 64;

/// The files that may hide something.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    pub(super) rows: Vec<Hiding>,
}

impl Unseen {
    pub(super) fn of(snapshot: &Snapshot, starts: &[NodeIx], followed: &[NodeIx], language: Option<Language>) -> Self {
        let files = snapshot.files().iter().filter(|file| {
            Some(file.language.family()) == language
                && file.problems.iter().any(|problem| problem.kind.hides_references())
        });
        let skipped = snapshot.skipped().iter().filter(|(path, problem)| {
            problem.kind.hides_references() && language.is_some_and(|language| may_hold(path, language))
        });
        let paths = files.map(|file| file.path.as_str()).chain(skipped.map(|(path, _)| path.as_ref()));
        let graph = snapshot.graph();
        let mut names = None;
        let mut rows = Vec::new();
        for (number, path) in paths.enumerate() {
            let text = RepoPath::new(path).ok().filter(|_| number < MAX_SEARCHED);
            let text = text.and_then(|path| snapshot.read_file(&path).ok()).filter(|text| !text.stale);
            let (near, far) = names.get_or_insert_with(|| (all_names(graph, starts), all_names(graph, followed)));
            let (line, name, is_far) = match text {
                None => (0, graph.label(starts[0]), false),
                Some(text) => {
                    let found = |names: &FxHashSet<&str>| first_line(&text.text, names);
                    let place = found(near).map(|row| (row, false)).or_else(|| found(far).map(|row| (row, true)));
                    let Some(((line, name), is_far)) = place else { continue };
                    (line, *near.iter().chain(far.iter()).find(|known| **known == name).unwrap_or(&""), is_far)
                }
            };
            rows.push(Hiding {
                node: graph.find_file(path).unwrap_or(starts[0]),
                name: name.to_owned(),
                role: super::TEXT.to_owned(),
                reason: reasons::UNSEEN_FILE.to_owned(),
                file: path.to_owned(),
                line,
                far: is_far,
            });
        }
        Self { rows }
    }
}

/// The first line with one of these words, and the word.
fn first_line<'t>(text: &'t str, names: &FxHashSet<&str>) -> Option<(u32, &'t str)> {
    let mut lines = (1..).zip(text.lines());
    lines.find_map(|(number, line)| words(line).find(|word| names.contains(word)).map(|word| (number, word)))
}

/// Names by which text can refer to the nodes. A constructor is called by the name of its class.
fn all_names<'g>(graph: &'g Graph, nodes: &[NodeIx]) -> FxHashSet<&'g str> {
    let constructors = nodes.iter().filter(|&&node| graph.flags(node).has(NodeFlags::CONSTRUCTOR));
    let classes = constructors.filter_map(|&node| graph.parent(node));
    nodes.iter().copied().chain(classes).flat_map(|node| names_of(graph, node)).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns whether something skipped at a path may contain code of a language family: a file with such a name, or a
/// folder.
fn may_hold(path: &str, wanted: Language) -> bool {
    let Ok(path) = RepoPath::new(path) else { return true };
    match Language::detect(&path, b"").family() {
        Language::Text => path.extension().is_none(),
        language => language == wanted,
    }
}
