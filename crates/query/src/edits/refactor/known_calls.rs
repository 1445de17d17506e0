//! What the graph knows of the calls in a file: the types that the called functions give back.

use m1nd_base::{Cancel, EdgeTier, NodeKind, Pos, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::local_code::{ClassText, Declared, KnownCalls, read_declared, respell_go_type, written_results};
use rustc_hash::FxHashMap;

use super::{Source, read_plain};
use crate::edits::verify::{is_use, sites};

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
    /// What is used without a call.
    others: FxHashMap<Pos, Vec<NodeIx>>,
}

impl<'a> CallsOf<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, source: &'a Source, cancel: &'a Cancel) -> Self {
        let graph = snapshot.graph();
        let (mut targets, mut others): (FxHashMap<Pos, Vec<NodeIx>>, FxHashMap<Pos, Vec<NodeIx>>) = Default::default();
        for node in graph.find_file(source.path.as_str()).into_iter().flat_map(|file| graph.of_file(file)) {
            for edge in graph.out_edges(node).filter(|edge| edge.tier == EdgeTier::Certain && is_use(edge.relation)) {
                let rows = if edge.relation == Relation::Calls { &mut targets } else { &mut others };
                for pos in sites(&edge) {
                    let found = rows.entry(pos).or_default();
                    if !found.contains(&edge.to) {
                        found.push(edge.to);
                    }
                }
            }
        }
        Self { snapshot, source, cancel, targets, others }
    }

    /// A type that another file writes, as this one writes it; `None` if it may mean something else here.
    fn respell(&self, kind: &str, path: &str, text: &str) -> Option<String> {
        let here = self.source.path.as_str();
        if path == here {
            return Some(kind.to_owned());
        }
        if self.source.language == Language::Go {
            let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
            let (mut theirs, own) = (folder(path), folder(here));
            let is_same = theirs == own;
            // The package at the root has the path of the module.
            if theirs.is_empty() && !is_same {
                theirs = self.read_module()?;
            }
            return respell_go_type(kind, (text, &self.source.text), (!is_same).then_some(theirs.as_str()));
        }
        let mut words =
            kind.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').filter(|word| !word.is_empty());
        words.all(|word| EVERYWHERE.contains(&word)).then(|| kind.to_owned())
    }

    /// The path of the module of Go at the root.
    fn read_module(&self) -> Option<String> {
        let file = read_plain(self.snapshot, &RepoPath::new("go.mod").ok()?).ok()?;
        let name = file.text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
        Some(name.trim().trim_matches('"').to_owned())
    }

    /// The place that a byte of the file is.
    fn pos_of(&self, at: usize) -> Option<Pos> {
        let before = self.source.text.get(..at)?;
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let col = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some(Pos { line, col: u16::try_from(col).ok()? })
    }

    /// The text of the file of a node.
    fn text_of(&self, node: NodeIx) -> Option<String> {
        let path = self.snapshot.graph().path(node);
        match path == self.source.path.as_str() {
            true => Some(self.source.text.clone()),
            false => Some(read_plain(self.snapshot, &RepoPath::new(path).ok()?).ok().filter(|file| !file.stale)?.text),
        }
    }

    /// The declaration of a node, and the text of its file.
    fn read_declaration(&self, node: NodeIx) -> Option<(Declared, String)> {
        let graph = self.snapshot.graph();
        let (text, language) = (self.text_of(node)?, self.snapshot.file_of(node)?.language);
        let place = (graph.name_line(node), graph.label(node));
        let found = read_declared(language, &text, place, (self.snapshot.limits(), self.cancel))?;
        Some((found, text))
    }

    /// All that is certainly used at a byte.
    pub(super) fn targets_at(&self, at: usize) -> impl Iterator<Item = NodeIx> {
        let pos = self.pos_of(at);
        [&self.targets, &self.others].into_iter().filter_map(move |rows| rows.get(&pos?)).flatten().copied()
    }

    /// The only thing that is used at a byte.
    fn target_at(&self, at: usize) -> Option<NodeIx> {
        let mut found = self.targets_at(at);
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }
}

impl KnownCalls for CallsOf<'_> {
    fn result_types(&self, at: usize) -> Option<Vec<String>> {
        let [target] = self.targets.get(&self.pos_of(at)?)?.as_slice() else { return None };
        let graph = self.snapshot.graph();
        let (path, text) = (graph.path(*target), self.text_of(*target)?);
        let language = self.snapshot.file_of(*target)?.language;
        let place = (graph.name_line(*target), graph.label(*target));
        let results = written_results(language, &text, place, (self.snapshot.limits(), self.cancel))?;
        results.iter().map(|kind| self.respell(kind, path, &text)).collect()
    }

    fn value_type(&self, at: usize) -> Option<String> {
        let target = self.target_at(at)?;
        let (found, text) = self.read_declaration(target)?;
        self.respell(&found.value_type?, self.snapshot.graph().path(target), &text)
    }

    fn underlying_type(&self, name: &str) -> Option<String> {
        let graph = self.snapshot.graph();
        let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let here = folder(self.source.path.as_str());
        let is_type = |node: &NodeIx| {
            folder(graph.path(*node)) == here
                && graph.path(*node).ends_with(".go")
                && graph.parent(*node) == graph.file(*node)
        };
        let found = graph.find_labelled(name).into_iter().filter(is_type).find_map(|node| {
            let (found, text) = self.read_declaration(node)?;
            Some((found.underlying?, graph.path(node), text))
        });
        let (kind, path, text) = found?;
        if matches!(kind.as_str(), "struct" | "interface") { Some(kind) } else { self.respell(&kind, path, &text) }
    }

    fn macros_named(&self, name: &str) -> Vec<String> {
        if !is_c_family(self.source.language) {
            return Vec::new();
        }
        let graph = self.snapshot.graph();
        let found = graph.find_labelled(name).into_iter().filter(|node| graph.kind(*node) == NodeKind::Macro);
        let body = |node: NodeIx| {
            let text = self.text_of(node)?;
            let lines = lines_of(&text, graph.lines(node));
            let (_, behind) = lines.split_once("define")?;
            Some(behind.trim_start().strip_prefix(name).unwrap_or(behind).trim().to_owned())
        };
        found.filter_map(body).collect()
    }

    fn signature(&self, at: usize) -> Option<String> {
        let target = self.target_at(at)?;
        let graph = self.snapshot.graph();
        (!graph.path(target).is_empty()).then(|| graph.signature(target).to_owned())
    }

    fn class_named(&self, name: &str) -> Option<ClassText> {
        let class = find_class(self.snapshot, name)?;
        let text = self.text_of(class)?;
        Some(ClassText { text: lines_of(&text, self.snapshot.graph().lines(class)) })
    }

    fn is_plain(&self, at: usize) -> bool {
        let Some(target) = self.target_at(at) else { return false };
        // Overloads, and declarations that are merged with others, mean more than one type.
        let graph = self.snapshot.graph();
        let same = graph.find_labelled(graph.label(target));
        let is_alone = same.into_iter().filter(|other| graph.parent(*other) == graph.parent(target)).count() == 1;
        is_alone && self.read_declaration(target).is_some_and(|(found, _)| found.is_plain)
    }
}

/// Returns whether files of a language are compiled by a compiler of C or C++.
pub(super) fn is_c_family(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp)
}

/// Lines of a text, from 1.
fn lines_of(text: &str, (first, last): (u32, u32)) -> String {
    let count = (last + 1).saturating_sub(first) as usize;
    text.split_inclusive('\n').skip(first.saturating_sub(1) as usize).take(count).collect()
}

/// The only class of C++ with a body that has a name, alone or behind the classes around it.
pub(super) fn find_class(snapshot: &Snapshot, name: &str) -> Option<NodeIx> {
    let graph = snapshot.graph();
    let is_class = |node: &NodeIx| {
        matches!(graph.kind(*node), NodeKind::Class | NodeKind::Struct)
            && !graph.flags(*node).has(NodeFlags::DECLARATION)
            && snapshot.file_of(*node).is_some_and(|file| is_c_family(file.language))
    };
    let has_name = |node: &NodeIx| graph.label(*node).rsplit("::").next() == Some(name);
    let mut found: Vec<NodeIx> = graph.find_labelled(name).into_iter().filter(is_class).collect();
    if found.is_empty() {
        found = graph.nodes().filter(|node| has_name(node) && is_class(node)).collect();
    }
    match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}
