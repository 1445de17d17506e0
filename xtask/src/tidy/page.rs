//! Every crate is listed in ARCHITECTURE.md, has a module page, and inherits the lints of the workspace.

use super::Source;
use super::arrows::{self, Package, room};

const PAGE: &str = "ARCHITECTURE.md";

pub(super) fn check(packages: &[Package], sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    let text = |path: &str| sources.iter().find(|source| source.path == path).map(|source| source.text.as_str());
    let page = text(PAGE).unwrap_or_default();
    complaints.extend(arrows::check_figure(page));
    for package in packages {
        let room = room(&package.name);
        let name = room.unwrap_or(&package.name);
        if !page.contains(&format!("`{name}`")) {
            complaints.push(format!("{PAGE}: does not name `{name}`"));
        }
        let folder = room.map_or_else(|| name.to_owned(), |room| format!("crates/{room}"));
        let manifest = text(&format!("{folder}/Cargo.toml")).unwrap_or_default();
        if !manifest.contains("[lints]\nworkspace = true") {
            complaints.push(format!("{folder}/Cargo.toml: does not inherit the lints of the workspace"));
        }
    }
    let is_page = |path: &str| ["/src/lib.rs", "/src/main.rs", "/mod.rs"].iter().any(|ending| path.ends_with(ending));
    for source in sources.iter().filter(|source| is_page(&source.path) && !source.is_test()) {
        if !source.text.starts_with("//! ") {
            complaints.push(format!("{}: does not start with `//!` and what the module is for", source.path));
        }
    }
    complaints
}
