//! Frames in what was built of the project's sources file by file: `dist/pool.js` is `src/pool.ts`. Lines of built files mean nothing
//! in the sources, so the function is looked for by its name; a file that all of a package may be in must have it.

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
/// Folders that sources lie in; what is built from them lies without.
const SOURCE_FOLDERS: &[&str] = &["src", "source", "lib", "app", ""];
/// Names of files that all of a package is often built into.
const BUNDLES: &[&str] = &["index", "main", "bundle"];

/// Files that a built one may be made from, and whether one of them is it without having the function.
pub(super) struct MadeFrom {
    pub(super) files: Vec<String>,
    pub(super) alone: bool,
}

/// What a frame's file is made from: below the folders of its package, if it is of one of the project, else beside the folder that
/// it was built to.
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
