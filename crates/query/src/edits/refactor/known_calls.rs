//! What the graph knows of the calls in a file: the types that the called functions give back.

use m1nd_base::{Cancel, EdgeTier, Pos, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::NodeIx;
use m1nd_lang::local_code::{KnownCalls, written_results};
use rustc_hash::FxHashMap;

use super::Source;
use crate::edits::verify::sites;

/// Types that every file of a language knows.
const EVERYWHERE: &[&str] = &[
    "string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte",
    "rune", "float32", "float64", "error", "any", "map", "chan", "number", "boolean", "void", "Promise", "Date",
    "Error", "RegExp", "usize", "isize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "str",
    "char", "String", "Vec", "Option", "mut", "dyn", "static",
];

/// The certain calls of a file.
pub(super) struct CallsOf<'a> {
    snapshot: &'a Snapshot,
    source: &'a Source,
    cancel: &'a Cancel,
    targets: FxHashMap<Pos, Vec<NodeIx>>,
}

impl<'a> CallsOf<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, source: &'a Source, cancel: &'a Cancel) -> Self {
        let graph = snapshot.graph();
        let mut targets: FxHashMap<Pos, Vec<NodeIx>> = FxHashMap::default();
        for node in graph.find_file(source.path.as_str()).into_iter().flat_map(|file| graph.of_file(file)) {
            let calls =
                graph.out_edges(node).filter(|edge| edge.relation == Relation::Calls && edge.tier == EdgeTier::Certain);
            for edge in calls {
                sites(&edge).into_iter().for_each(|pos| targets.entry(pos).or_default().push(edge.to));
            }
        }
        Self { snapshot, source, cancel, targets }
    }

    /// Returns whether a type that another file writes means the same in this one.
    fn is_known_here(&self, kind: &str, path: &str) -> bool {
        let here = self.source.path.as_str();
        if path == here {
            return true;
        }
        let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let is_package = self.source.language == Language::Go && folder(path) == folder(here);
        let mut words =
            kind.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').filter(|word| !word.is_empty());
        words.all(|word| match word.split_once('.') {
            // The file names the package elsewhere, so it imports it.
            Some((package, _)) => is_package && self.source.text.contains(&format!("{package}.")),
            None => is_package || EVERYWHERE.contains(&word),
        })
    }
}

impl KnownCalls for CallsOf<'_> {
    fn result_types(&self, at: usize) -> Option<Vec<String>> {
        let before = self.source.text.get(..at)?;
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let col = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let [target] = self.targets.get(&Pos { line, col: u16::try_from(col).ok()? })?.as_slice() else { return None };
        let graph = self.snapshot.graph();
        let path = graph.path(*target);
        let text = match path == self.source.path.as_str() {
            true => self.source.text.clone(),
            false => self.snapshot.read_file(&RepoPath::new(path).ok()?).ok().filter(|source| !source.stale)?.text,
        };
        let language = self.snapshot.file_of(*target)?.language;
        let place = (graph.name_line(*target), graph.label(*target));
        let results = written_results(language, &text, place, (self.snapshot.limits(), self.cancel))?;
        results.iter().all(|kind| self.is_known_here(kind, path)).then_some(results)
    }
}
