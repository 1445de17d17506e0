//! Names with the modules that contain them in front: `com.google.gson.Gson`, `requests.sessions.Session.get`,
//! `tokio::runtime::Scheduler`.
//!
//! The graph has no nodes for most packages and modules, so the parts before the owners of a symbol are compared with
//! the path of its file, the package that the file declares, and the name in the manifest of its crate or module.

use m1nd_base::{NodeKind, RepoPath, node_id};
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

use crate::naming::owners::owner_matches;
use crate::state::snapshot::Snapshot;

/// Maximum nesting depth of owners that is followed.
const MAX_OWNERS: usize = 256;
/// Maximum parts of a name.
const MAX_PARTS: usize = 64;
/// Maximum manifests read for one name.
const MAX_MANIFESTS: usize = 32;
/// First parts of a path that name no module, in languages that write `::`.
const RELATIVE: [&str; 3] = ["crate", "self", "super"];

/// The nodes whose modules, owners and name a text ends in. Of several, only those with the fewest folders that the
/// text leaves out.
pub(crate) fn nodes(snapshot: &Snapshot, text: &str) -> Vec<NodeIx> {
    let text = node_id::without_call(node_id::strip_prefix_of_file(text.trim()));
    // The last part of a path is a file or folder, never a symbol.
    if text.rfind('/') > text.rfind(['.', ':', '#']) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some((path, rest)) = text.split_once(node_id::SEPARATOR) {
        found = Search::new(snapshot, Some(path)).run(rest);
    }
    if found.is_empty() {
        found = Search::new(snapshot, None).run(text);
    }
    found
}

struct Search<'s> {
    snapshot: &'s Snapshot,
    graph: &'s Graph,
    /// The path of the file must end in this one.
    path: Option<&'s str>,
    /// Names of crates and modules by the path of their manifest.
    manifests: FxHashMap<String, Vec<String>>,
}

impl<'s> Search<'s> {
    fn new(snapshot: &'s Snapshot, path: Option<&'s str>) -> Self {
        Self { snapshot, graph: snapshot.graph(), path, manifests: FxHashMap::default() }
    }

    fn run(&mut self, text: &str) -> Vec<NodeIx> {
        let mut names = parts(text);
        if text.contains(node_id::SEPARATOR) {
            let relative = names.iter().take_while(|name| RELATIVE.contains(name)).count();
            names.drain(..relative);
        }
        let Some(name) = names.pop().filter(|_| names.len() < MAX_PARTS) else { return Vec::new() };
        let mut best = usize::MAX;
        let mut found = Vec::new();
        for node in self.graph.find_labelled(name) {
            let Some(gaps) = self.gaps(node, &names).filter(|gaps| *gaps <= best) else { continue };
            if gaps < best {
                found.clear();
            }
            best = gaps;
            found.push(node);
        }
        found
    }

    /// The number of folders that the text leaves out; `None` if the node is not meant.
    fn gaps(&mut self, node: NodeIx, names: &[&str]) -> Option<usize> {
        let path = self.graph.path(node);
        if path.is_empty() || self.path.is_some_and(|wanted| !ends_in(path, wanted)) {
            return None;
        }
        let modules = self.without_owners(node, names)?;
        if modules.is_empty() {
            return Some(0);
        }
        let file = self.graph.file(node)?;
        if parts(self.graph.signature(file)).ends_with(modules) {
            return Some(0);
        }
        let (left, gaps) = without_folders(path, modules);
        (left.is_empty() || self.is_manifest_name(path, left)).then_some(gaps)
    }

    /// The names before those of the owners of a node inside its file.
    fn without_owners<'n, 't>(&self, node: NodeIx, mut names: &'n [&'t str]) -> Option<&'n [&'t str]> {
        let graph = self.graph;
        if let (Some(owner), Some((last, rest))) = (owner_elsewhere(graph, node), names.split_last())
            && owner == *last
        {
            names = rest;
        }
        for owner in graph.ancestors(node).take(MAX_OWNERS) {
            let Some((last, rest)) = names.split_last() else { break };
            let label = parts(graph.label(owner));
            match graph.kind(owner) {
                NodeKind::File => break,
                _ if owner_matches(graph, owner, last) => names = rest,
                // A namespace of several parts may be named by its last ones.
                NodeKind::Module if names.ends_with(&label) => names = &names[..names.len() - label.len()],
                NodeKind::Module if label.ends_with(names) => names = &[],
                NodeKind::Impl => {}
                _ => return None,
            }
        }
        Some(names)
    }

    /// Returns whether the manifest that a file belongs to gives its crate or module this name.
    fn is_manifest_name(&mut self, path: &str, names: &[&str]) -> bool {
        let manifest = match path.rsplit('.').next() {
            Some("rs") => "Cargo.toml",
            Some("go") => "go.mod",
            _ => return false,
        };
        let folders = std::iter::successors(path.rsplit_once('/').map(|(folder, _)| folder), |folder| {
            folder.rsplit_once('/').map(|(outer, _)| outer)
        });
        let manifests = folders.map(|folder| format!("{folder}/{manifest}")).chain([manifest.to_owned()]);
        let Some(nearest) = manifests.into_iter().find(|path| self.snapshot.files().by_text(path).is_some()) else {
            return false;
        };
        if !self.manifests.contains_key(&nearest) && self.manifests.len() < MAX_MANIFESTS {
            let text = RepoPath::new(&nearest).ok().and_then(|path| self.snapshot.read_file(&path).ok());
            self.manifests.insert(nearest.clone(), text.map_or_else(Vec::new, |file| manifest_names(&file.text)));
        }
        let known = self.manifests.get(&nearest).map_or(&[][..], Vec::as_slice);
        known.iter().any(|name| parts(name).ends_with(names))
    }
}

/// Names in a text, without pointers and type arguments: `(*Mux).ServeHTTP` has `Mux` and `ServeHTTP`.
fn parts(text: &str) -> Vec<&str> {
    let parts = text.split(['.', '/', '\\', '#', ':', '$']);
    let plain = parts.map(|part| part.trim_matches(['(', ')', '*', '&']));
    plain.map(|part| part.split('<').next().unwrap_or(part)).filter(|part| !part.is_empty()).collect()
}

fn ends_in(path: &str, wanted: &str) -> bool {
    path.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The type of a method that is declared outside it, as in Go: only its id names the type.
fn owner_elsewhere(graph: &Graph, node: NodeIx) -> Option<&str> {
    let rest = node_id::behind_path(graph.id(node), graph.path(node))?.strip_prefix("::impl::")?;
    node_id::names(rest).next()
}

/// The names before those of the file and its folders, and the number of folders passed over up to the last one named.
fn without_folders<'n, 't>(path: &str, mut names: &'n [&'t str]) -> (&'n [&'t str], usize) {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    if let (Some(stem), Some((last, rest))) = (file.split('.').next(), names.split_last())
        && is_spelled(stem, last)
    {
        names = rest;
    }
    let (mut gaps, mut passed) = (0, 0);
    for folder in folders.rsplit('/') {
        match names.split_last() {
            Some((last, rest)) if is_spelled(folder, last) => {
                names = rest;
                gaps += passed;
                passed = 0;
            }
            Some(_) => passed += 1,
            None => break,
        }
    }
    (names, gaps)
}

/// Crates of folders with a hyphen are written with an underscore.
fn is_spelled(folder: &str, name: &str) -> bool {
    folder == name || folder.contains('-') && folder.replace('-', "_") == name
}

/// The names that a `Cargo.toml` or `go.mod` gives the code below it.
fn manifest_names(text: &str) -> Vec<String> {
    let mut section = "";
    let mut names = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if let Some(module) = line.strip_prefix("module ").filter(|_| section.is_empty()) {
            names.push(module.trim().to_owned());
        } else if let Some((key, value)) = line.split_once('=')
            && key.trim() == "name"
            && matches!(section, "[package]" | "[lib]")
        {
            let value = value.split('#').next().unwrap_or(value);
            names.push(value.trim().trim_matches(['"', '\'']).replace('-', "_"));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_manifests() {
        let cargo =
            "[package]\nname = \"my-crate\" # a\nversion = \"1\"\n[lib]\nname = 'mine'\n[[bin]]\nname = \"x\"\n";
        assert_eq!(manifest_names(cargo), ["my_crate", "mine"]);
        assert_eq!(manifest_names("module github.com/go-chi/chi/v5\n\ngo 1.20\n"), ["github.com/go-chi/chi/v5"]);
    }

    /// A text, the names expected of it, and those of them that may be left out with how many.
    type Case = (&'static str, &'static [&'static str], (&'static [&'static str], usize));

    #[test]
    fn folders_that_names_leave() {
        let cases: [Case; 5] = [
            ("src/requests/sessions.py", &["requests", "sessions"], (&[], 0)),
            ("tokio/src/runtime/scheduler/mod.rs", &["tokio", "runtime"], (&[], 2)),
            ("src/runtime/mod.rs", &["tokio", "runtime"], (&["tokio"], 0)),
            ("my-crate/lib.rs", &["my_crate"], (&[], 0)),
            ("a.py", &["b"], (&["b"], 0)),
        ];
        for (path, names, expected) in cases {
            assert_eq!(without_folders(path, names), expected, "{path}");
        }
    }
}
