//! The modules of Rust files: where each is declared, and who may see it.

use std::collections::BTreeMap;

use m1nd_base::{EdgeTier, Relation};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::NodeIx;

use super::super::cut::Parsed;
use super::super::draft::{folder_of, name_of};

/// Most files between a crate and a module.
const MAX_DEPTH: usize = 64;

/// A module: the file of its crate, and the names on the way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Module {
    /// The file that the crate begins with.
    pub(super) root: String,
    pub(super) names: Vec<String>,
}

impl Module {
    /// The path from the crate.
    pub(super) fn path(&self) -> String {
        std::iter::once("crate").chain(self.names.iter().map(String::as_str)).collect::<Vec<_>>().join("::")
    }

    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.root == other.root && self.names.starts_with(&other.names)
    }

    pub(super) fn parent(&self) -> Option<Self> {
        let (_, names) = self.names.split_last()?;
        Some(Self { root: self.root.clone(), names: names.to_vec() })
    }

    pub(super) fn child(&self, name: &str) -> Self {
        let mut names = self.names.clone();
        names.push(name.to_owned());
        Self { root: self.root.clone(), names }
    }
}

/// The file that declares each file as a module, and the name that it gives it.
pub(super) struct Modules {
    declared: BTreeMap<String, (String, String)>,
}

impl Modules {
    pub(super) fn read(snapshot: &Snapshot) -> Self {
        let graph = snapshot.graph();
        let mut declared = BTreeMap::new();
        for entry in snapshot.files().iter().filter(|entry| entry.language == Language::Rust) {
            let path = entry.path.as_str();
            let Some(file) = graph.find_file(path) else { continue };
            let name = module_name(path);
            let is_import = |relation| matches!(relation, Relation::Imports | Relation::Reexports);
            let from = graph.in_edges(file).filter(|edge| is_import(edge.relation) && edge.tier == EdgeTier::Certain);
            let mut parents: Vec<&str> = from.map(|edge| graph.path(edge.from)).filter(|from| *from != path).collect();
            parents.sort_unstable();
            let is_parent = |from: &&&str| parent_paths(path).iter().any(|parent| parent == **from);
            if let Some(parent) = parents.iter().find(is_parent) {
                declared.insert(path.to_owned(), ((*parent).to_owned(), name.to_owned()));
            }
        }
        Self { declared }
    }

    /// The module of a file.
    pub(super) fn of(&self, path: &str) -> Module {
        let mut names = Vec::new();
        let mut at = path.to_owned();
        while let Some((parent, name)) = self.declared.get(&at).filter(|_| names.len() < MAX_DEPTH) {
            names.push(name.clone());
            at = parent.clone();
        }
        names.reverse();
        Module { root: at, names }
    }

    pub(super) fn is_declared(&self, path: &str) -> bool {
        self.declared.contains_key(path)
    }

    /// The file that declares a file, or would declare a new one.
    pub(super) fn parent_of(&self, snapshot: &Snapshot, path: &str) -> Option<String> {
        if let Some((parent, _)) = self.declared.get(path) {
            return Some(parent.clone());
        }
        parent_paths(path).into_iter().find(|parent| snapshot.graph().find_file(parent).is_some())
    }

    pub(super) fn add(&mut self, path: &str, parent: &str) {
        self.declared.insert(path.to_owned(), (parent.to_owned(), module_name(path).to_owned()));
    }

    /// The files from the crate to a file.
    pub(super) fn chain(&self, path: &str) -> Vec<String> {
        let mut chain = vec![path.to_owned()];
        while let Some((parent, _)) = self.declared.get(&chain[chain.len() - 1]).filter(|_| chain.len() < MAX_DEPTH) {
            chain.push(parent.clone());
        }
        chain.reverse();
        chain
    }
}

/// The name that a file has as a module.
pub(super) fn module_name(path: &str) -> &str {
    match name_of(path) {
        "mod.rs" => name_of(folder_of(path)),
        name => name.trim_end_matches(".rs"),
    }
}

/// Where the declaration of a module may be.
fn parent_paths(path: &str) -> Vec<String> {
    let folder = match name_of(path) {
        "mod.rs" => folder_of(folder_of(path)),
        _ => folder_of(path),
    };
    let join = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    vec![join("mod.rs"), format!("{folder}.rs"), join("lib.rs"), join("main.rs")]
        .into_iter()
        .filter(|parent| parent != path)
        .collect()
}

/// The declaration of a module in a file: its first byte behind attributes, its end, and its attributes.
pub(super) fn declaration_of(parsed: &Parsed, name: &str) -> Option<(std::ops::Range<usize>, String)> {
    parsed.items.iter().find_map(|item| {
        let text = &parsed.text()[item.bytes.clone()];
        let body = text.trim_end().trim_end_matches(';').trim_end();
        let words: Vec<&str> = body.split_whitespace().collect();
        let is_it = words.ends_with(&["mod", name]) && text.trim_end().ends_with(';');
        let attributes = parsed.text()[item.lines.start..item.bytes.start].to_owned();
        is_it.then(|| (item.bytes.clone(), attributes))
    })
}

/// Where a definition can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    Everywhere,
    /// In a module and below it.
    Within(Module),
}

/// What is written as visibility at a place: its end, and the text.
pub(super) fn visibility_at(text: &str, at: usize) -> (usize, &str) {
    let rest = &text[at..];
    let Some(after) = rest.strip_prefix("pub").filter(|after| after.starts_with([' ', '(', '\n', '\t'])) else {
        return (at, "");
    };
    let inner = after.trim_start();
    // A tuple field may be `pub (A, B)`.
    let is_limit = ["(crate)", "(super)", "(self)", "(in "].iter().any(|word| inner.starts_with(word));
    let len = match is_limit {
        true => rest.len() - inner.len() + inner.find(')').map_or(0, |at| at + 1),
        false => 3,
    };
    (at + len, &rest[..len])
}

/// Where a definition of a module with a written visibility can be seen.
pub(super) fn read_reach(visibility: &str, module: &Module) -> Reach {
    let limit = visibility.trim_start_matches("pub").trim().trim_matches(['(', ')']);
    match (visibility, limit) {
        ("", _) => Reach::Within(module.clone()),
        (_, "") => Reach::Everywhere,
        (_, "crate") => Reach::Within(Module { root: module.root.clone(), names: Vec::new() }),
        (_, "super") => Reach::Within(module.parent().unwrap_or_else(|| module.clone())),
        (_, "self") => Reach::Within(module.clone()),
        (_, limit) => {
            let names = limit.trim_start_matches("in ").trim().split("::").skip(1).map(str::to_owned).collect();
            Reach::Within(Module { root: module.root.clone(), names })
        }
    }
}

/// The first byte of a definition behind its attributes and comments.
pub(super) fn start_of_definition(parsed: &Parsed, index: usize) -> usize {
    let text = parsed.text();
    let mut at = parsed.facts.definitions[index].bytes.0 as usize;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("#[") {
            let mut depth = 0_usize;
            let end = rest.char_indices().find(|(_, c)| {
                match c {
                    '[' => depth += 1,
                    ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                *c == ']' && depth == 0
            });
            match end {
                Some((end, _)) => at += end + 1,
                None => return at,
            }
        } else {
            return at;
        }
    }
}

/// Whether a node is inside of a definition that gives its members their visibility: a trait, an enum, an `impl` of a
/// trait.
pub(super) fn has_own_visibility(snapshot: &Snapshot, node: NodeIx) -> bool {
    use m1nd_base::NodeKind;
    let graph = snapshot.graph();
    let is_given = |parent: NodeIx| match graph.kind(parent) {
        NodeKind::Trait | NodeKind::Enum | NodeKind::Variant | NodeKind::Function => true,
        NodeKind::Impl => graph.label(parent).contains(" for "),
        _ => false,
    };
    !matches!(graph.kind(node), NodeKind::Variant | NodeKind::Impl | NodeKind::File | NodeKind::Macro)
        && !graph.parent(node).is_some_and(is_given)
}
