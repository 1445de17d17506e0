//! Which refactoring would make a planned edit.

use m1nd_base::{NodeKind, RepoPath, count};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{Graph, NodeIx};
use m1nd_query::edits::{LanguageTier, PlannedAction, PlannedKind, knows_language};

use crate::framework::ToolRef;

/// Maximum number of refactorings that are named for a plan.
const MAX_NAMED: usize = 5;

/// A refactoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refactoring {
    Rename,
    Move,
    ChangeSignature,
    Extract,
    Inline,
}

/// Words of a description, each with the refactoring that it asks for. Of several, the first row counts.
const WORDS: &[(&[&str], Refactoring)] = &[
    (&["rename", "renames", "renaming"], Refactoring::Rename),
    (&["move", "moves", "moving", "relocate"], Refactoring::Move),
    (&["extract", "extracts", "extracting"], Refactoring::Extract),
    (&["inline", "inlines", "inlining"], Refactoring::Inline),
    (
        &["parameter", "parameters", "argument", "arguments", "signature", "param", "params"],
        Refactoring::ChangeSignature,
    ),
];

impl Refactoring {
    /// How it is called.
    fn call(self) -> String {
        let operation = match self {
            Self::Rename => return format!("`{}`", ToolRef("rename_preview").0),
            Self::Move => "move",
            Self::ChangeSignature => "change_signature",
            Self::Extract => "extract_function",
            Self::Inline => "inline_function",
        };
        format!("`{}` with `operation: {operation}`", ToolRef("refactor_preview").0)
    }

    /// Returns whether it can be done in the language of a file.
    fn fits(self, snapshot: &Snapshot, path: &str) -> bool {
        let file = RepoPath::new(path).ok().and_then(|path| snapshot.files().get(&path));
        file.is_some_and(|file| match self {
            Self::Rename => file.language.tier() == LanguageTier::Linked,
            _ => knows_language(file.language),
        })
    }

    /// What fits a planned action by its kind, else by the words of its description.
    fn of_action(kind: PlannedKind, words: &str) -> Option<Self> {
        if kind == PlannedKind::Rename {
            return Some(Self::Move);
        }
        if kind != PlannedKind::Modify {
            return None;
        }
        let words = words.to_lowercase();
        let has = |wanted: &str| words.split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted);
        WORDS.iter().find(|row| row.0.iter().any(|word| has(word))).map(|row| row.1)
    }
}

/// The refactorings that would make planned changes of files in languages that they know, each with its file.
pub(super) fn fitting_refactorings(snapshot: &Snapshot, actions: &[PlannedAction], words: &[String]) -> Vec<String> {
    let row = |(action, words): (&PlannedAction, &String)| {
        let found = Refactoring::of_action(action.kind, words)?;
        found.fits(snapshot, &action.path).then(|| format!("{}: {}", action.path, found.call()))
    };
    actions.iter().zip(words).filter_map(row).take(MAX_NAMED).collect()
}

/// The refactorings that would change a symbol with its users; `None` if nothing uses it or its references are not
/// linked.
pub(super) fn refactorings_of(snapshot: &Snapshot, node: NodeIx) -> Option<String> {
    let graph = snapshot.graph();
    let users = count_using_files(graph, node);
    if users == 0 {
        return None;
    }
    let is_top = graph.parent(node) == graph.file(node);
    let parts = [
        (true, Refactoring::Rename, "rename it"),
        (is_top, Refactoring::Move, "move it"),
        (graph.kind(node) == NodeKind::Function, Refactoring::ChangeSignature, "change its parameters"),
    ];
    let fitting: Vec<String> = parts
        .iter()
        .filter(|part| part.0 && part.1.fits(snapshot, graph.path(node)))
        .map(|part| format!("{}: {}", part.2, part.1.call()))
        .collect();
    (!fitting.is_empty()).then(|| format!("with its uses in {}, {}", count(users, "file"), fitting.join("; ")))
}

/// Number of files that use a symbol.
fn count_using_files(graph: &Graph, node: NodeIx) -> usize {
    let is_use = |relation| !matches!(relation, m1nd_base::Relation::Contains | m1nd_base::Relation::Documents);
    let mut files: Vec<&str> =
        graph.in_edges(node).filter(|edge| is_use(edge.relation)).map(|edge| graph.path(edge.from)).collect();
    files.retain(|path| !path.is_empty());
    files.sort_unstable();
    files.dedup();
    files.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_plan() {
        let rows = [
            (PlannedKind::Modify, "Rename load to fetch", Some(Refactoring::Rename)),
            (PlannedKind::Modify, "add a parameter `strict`", Some(Refactoring::ChangeSignature)),
            (PlannedKind::Modify, "remove the moved lines", None),
            (PlannedKind::Modify, "extract the loop", Some(Refactoring::Extract)),
            (PlannedKind::Rename, "", Some(Refactoring::Move)),
            (PlannedKind::Delete, "move", None),
        ];
        for (kind, words, expected) in rows {
            assert_eq!(Refactoring::of_action(kind, words), expected, "{words}");
        }
    }
}
