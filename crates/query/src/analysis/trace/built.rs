//! Maps frames in build output to sources, file by file: `dist/pool.js` is `src/pool.ts`. Lines of built files do not
//! apply to the sources, so the function is searched by name; a bundle of a whole package must contain it.

use m1nd_graph::Graph;
use m1nd_trace::{Format, Frame};

use super::map::parts;
use super::packages::Folders;

/// Endings of files that builds write, and of those that they are made from.
const BUILT: &[&str] = &[".js", ".mjs", ".cjs"];
const SOURCES: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
/// Folders that builds write to, and further ones below them, a kind of modules each.
const OUTPUTS: &[&str] = &["dist", "build", "out"];
const KINDS: &[&str] = &["lib", "es", "esm", "cjs", "mjs", "umd", "commonjs", "browser", "node", "module", "modules"];
/// Source folders; their build output is in sibling folders.
const SOURCE_FOLDERS: &[&str] = &["src", "source", "lib", "app", ""];
/// Names of files that all of a package is often built into.
const BUNDLES: &[&str] = &["index", "main", "bundle"];

/// Files that a built one may be made from, and whether one of them is it without having the function.
pub(super) struct MadeFrom {
    pub(super) files: Vec<String>,
    pub(super) alone: bool,
}

/// Sources of a frame's file: in the folders of its package, if that is one of the project's, else beside the output
/// folder.
pub(super) fn made_from(
    graph: &Graph,
    format: Format,
    frame: &Frame,
    package: Option<&Folders<'_>>,
) -> Option<MadeFrom> {
    let path = frame.path.as_deref().filter(|_| format == Format::JavaScript)?;
    let (folders, below) = match package {
        Some(package) => (package.folders.clone(), package.rest.clone()),
        None => {
            let parts = parts(path);
            let at = parts.iter().rposition(|part| OUTPUTS.contains(part))?;
            // The longest end of the path that is a folder of the index; the root last.
            let ends = (0..=at).map(|start| parts[start..at].join("/"));
            (ends.collect(), parts[at..].to_vec())
        }
    };
    let outputs = below.iter().take_while(|part| OUTPUTS.contains(part) || KINDS.contains(part)).count();
    let below = below.get(outputs..).filter(|below| !below.is_empty())?.join("/");
    let stem = BUILT.iter().find_map(|ending| below.strip_suffix(ending))?;
    let files = folders.iter().map(|folder| sources(graph, folder, stem)).find(|files| !files.is_empty())?;
    let name = stem.rsplit('/').next().unwrap_or(stem);
    Some(MadeFrom { files, alone: !BUNDLES.contains(&name) })
}

/// Files of the index that have this stem in a folder for sources.
fn sources(graph: &Graph, folder: &str, stem: &str) -> Vec<String> {
    let in_folders = SOURCE_FOLDERS.iter().map(|sources| {
        [folder, sources, stem].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    });
    let paths = in_folders.flat_map(|stem| SOURCES.iter().map(move |ending| format!("{stem}{ending}")));
    paths.filter(|path| graph.find_file(path).is_some()).collect()
}
