//! Whether code outside of the index may use a node: what a library exports is never unused for certain.

use m1nd_base::RepoPath;
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::reading_rules::{Library, ReadingRules};

/// Files that make the folder with them, and all below, something that others can depend on.
const MANIFESTS: &[&str] = &[
    "Cargo.toml", "CMakeLists.txt", "Package.swift", "build.gradle", "build.gradle.kts", "composer.json", "go.mod",
    "meson.build", "package.json", "pom.xml", "pyproject.toml", "setup.cfg", "setup.py",
];

/// Returns whether code outside of the index may use a node: its language shows it to others, and the project is, as
/// far as its manifests say, something to depend on.
pub fn is_visible_outside(snapshot: &Snapshot, node: NodeIx) -> bool {
    let graph = snapshot.graph();
    if !graph.flags(node).has(NodeFlags::EXPORTED) {
        return false;
    }
    let path = graph.path(node);
    let Some((folder, manifest)) = manifest_above(snapshot, path) else { return false };
    let library = snapshot.file_of(node).map(|file| ReadingRules::of(file.language).library);
    match (library, manifest) {
        (Some(Library::Declared(declares)), _) if declares == manifest => is_rust_library(snapshot, folder),
        (Some(Library::Outside(hidden)), _) => !path.split('/').any(|part| part == hidden) && !is_program(graph, node),
        (_, "package.json") => !says(snapshot, folder, manifest, "\"private\":true"),
        _ => true,
    }
}

/// The nearest folder at or above a file that has a manifest, and the manifest's name.
fn manifest_above<'p>(snapshot: &Snapshot, path: &'p str) -> Option<(&'p str, &'static str)> {
    let mut folder = path;
    loop {
        folder = folder.rfind('/').map_or("", |slash| &folder[..slash]);
        let has = |name: &&&str| file_in(folder, name).is_some_and(|path| snapshot.files().get(&path).is_some());
        if let Some(name) = MANIFESTS.iter().find(has) {
            return Some((folder, name));
        }
        if folder.is_empty() {
            return None;
        }
    }
}

fn file_in(folder: &str, name: &str) -> Option<RepoPath> {
    let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    RepoPath::new(&path).ok()
}

/// A package with programs alone has nothing that others could use.
fn is_rust_library(snapshot: &Snapshot, folder: &str) -> bool {
    let root = file_in(folder, "src/lib.rs");
    root.is_some_and(|root| snapshot.files().get(&root).is_some()) || says(snapshot, folder, "Cargo.toml", "[lib]")
}

/// Returns whether the folder of a Go file holds a program: others cannot import it.
fn is_program(graph: &Graph, node: NodeIx) -> bool {
    let folder = |node: NodeIx| graph.path(node).rsplit_once('/').map_or("", |(folder, _)| folder);
    let own = folder(node);
    graph.find_labelled("main").into_iter().any(|main| {
        graph.kind(main) == m1nd_base::NodeKind::Function
            && graph.parent(main) == graph.file(main)
            && folder(main) == own
            && graph.path(main).ends_with(".go")
    })
}

/// Returns whether a manifest has these characters, spaces aside.
fn says(snapshot: &Snapshot, folder: &str, manifest: &str, wanted: &str) -> bool {
    let text = file_in(folder, manifest).and_then(|path| snapshot.read_file(&path).ok());
    text.is_some_and(|text| {
        let packed: String = text.text.chars().filter(|c| !c.is_whitespace()).collect();
        packed.contains(wanted)
    })
}
