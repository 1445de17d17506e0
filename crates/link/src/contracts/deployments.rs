//! What is deployed: images and the files that they are built from, variables that are set for programs, and the
//! programs that read them.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::Language;
use m1nd_lang::facts::{DefId, DefKind, Shared, SharedKind};

use super::Contracts;
use super::common::{self, node_of};
use super::images;
use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::spots::shared;
use crate::tables::files::FileId;
use crate::unit::Unit;

/// Places that set one variable for one program.
const MAX_SETTERS: usize = 64;
/// Builds of one image.
const MAX_BUILDS: usize = 16;

/// A folder that no file is in.
const NOWHERE: &str = "..";

/// An image that a file says how to build.
#[derive(Debug, Clone)]
struct Build {
    /// The Dockerfile, if it is there.
    file: Option<FileId>,
    /// The folder whose code is in the image.
    folder: String,
    /// The whole name is equal, not only its end.
    whole: bool,
}

/// Adds what a file says of deployments.
pub(super) fn link(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    if !unit.facts.language.is_settings() {
        return;
    }
    for row in &unit.facts.shared {
        let from = node_of(unit, row.owner);
        let mut add = |to: Target, relation, tier, of| {
            if to != Target::Symbol(from) {
                found.edges.push(Derived { from, to, relation, tier, of, pos: row.pos });
            }
        };
        match row.kind {
            SharedKind::Variable => {
                add(Target::Config("env", row.name.to_string()), Relation::SetsConfig, EdgeTier::Certain, 1);
            }
            SharedKind::Image => {
                // An image leads to the files that build it: here if this row builds it, else wherever its name is
                // built.
                let builds =
                    if row.declares { vec![find_build(eval, unit, row)] } else { builds(eval, file, &row.name) };
                let files: Vec<FileId> = builds.iter().filter_map(|build| build.file).collect();
                let sure = files.len() == 1 && builds.iter().all(|build| build.whole);
                let (tier, of) = if sure { (EdgeTier::Certain, 1) } else { (EdgeTier::Possible, files.len() as u16) };
                for other in files {
                    add(Target::Symbol(eval.project.unit(other).file_symbol), Relation::DependsOn, tier, of);
                }
            }
            SharedKind::Unit => {
                // Services of one file refer to each other by name.
                let other = unit.facts.definitions.iter().position(|definition| {
                    definition.kind == DefKind::Object
                        && definition.owner.is_none()
                        && unit.facts.name(definition.name) == &*row.name
                });
                if let Some(symbol) = other.and_then(|index| unit.symbols[index]) {
                    add(Target::Symbol(symbol), Relation::DependsOn, EdgeTier::Certain, 1);
                }
            }
            SharedKind::Variables if !row.declares => {
                for symbol in sets(eval, file, &row.name) {
                    add(Target::Symbol(symbol), Relation::DependsOn, EdgeTier::Certain, 1);
                }
            }
            SharedKind::Manifest => {
                let path =
                    images::list_applied(eval, file).and_then(|_| join(folder_of(unit.path.as_str()), &row.name));
                if let Some(other) = path.and_then(|path| images::manifest(eval, &path)) {
                    let to = Target::Symbol(eval.project.unit(other).file_symbol);
                    add(to, Relation::DependsOn, EdgeTier::Certain, 1);
                }
            }
            SharedKind::Program => {
                if let Some(other) = program(eval, unit, &row.name) {
                    let to = Target::Symbol(eval.project.unit(other).file_symbol);
                    add(to, Relation::DependsOn, EdgeTier::Certain, 1);
                }
            }
            _ => {}
        }
    }
}

/// Adds edges from a program that reads a variable to the places that set it for that program.
pub(super) fn readers(eval: &mut Eval<'_>, file: FileId, reads: &[Derived], found: &mut Contracts) {
    for read in reads {
        let Target::Config("env", name) = &read.to else { continue };
        for symbol in setters(eval, file, name) {
            let (to, relation, tier) = (Target::Symbol(symbol), Relation::ReadsConfig, EdgeTier::Certain);
            found.edges.push(Derived { from: read.from, to, relation, tier, of: 1, pos: read.pos });
        }
    }
}

/// The places that set a variable for the program that a file of code belongs to.
fn setters(eval: &mut Eval<'_>, reader: FileId, name: &str) -> Vec<SymbolId> {
    let path = eval.project.path(reader).as_str().to_owned();
    let mut found = Vec::new();
    for file in common::files(eval, reader, &shared::variable(name)) {
        let unit = eval.project.unit(file);
        let rows = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Variable && *row.name == *name);
        for row in rows {
            if found.len() < MAX_SETTERS && is_for(eval, file, unit, row, &path) {
                found.push(node_of(unit, row.owner));
            }
        }
    }
    found.dedup();
    found
}

/// Returns whether a variable is set for the program that the file at a path belongs to.
fn is_for(eval: &mut Eval<'_>, file: FileId, unit: &Unit, row: &Shared, path: &str) -> bool {
    if unit.facts.language == Language::Docker {
        return is_inside(path, folder_of(unit.path.as_str()));
    }
    let Some(owner) = row.owner.and_then(|def| unit.facts.definition(def).owner) else { return false };
    if let Some(set) = unit
        .facts
        .shared
        .iter()
        .find(|row| row.kind == SharedKind::Variables && row.declares && row.owner == Some(owner))
    {
        return containers_of(eval, file, &set.name)
            .into_iter()
            .any(|(file, container)| runs(eval, file, container, path));
    }
    runs(eval, file, owner, path)
}

/// Returns whether a container or service runs the code at a path.
fn runs(eval: &mut Eval<'_>, file: FileId, container: DefId, path: &str) -> bool {
    let unit = eval.project.unit(file);
    let images = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Image && row.owner == Some(container));
    let images: Vec<&Shared> = images.collect();
    images.into_iter().any(|row| {
        let builds = if row.declares { vec![find_build(eval, unit, row)] } else { builds(eval, file, &row.name) };
        builds.iter().any(|build| is_inside(path, &build.folder))
    })
}

/// The containers that are given a set of variables.
fn containers_of(eval: &mut Eval<'_>, home: FileId, name: &str) -> Vec<(FileId, DefId)> {
    let mut found = Vec::new();
    for file in common::files(eval, home, &shared::variables_used(name)) {
        let unit = eval.project.unit(file);
        let rows = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Variables && !row.declares);
        found.extend(rows.filter(|row| *row.name == *name).filter_map(|row| Some((file, row.owner?))));
    }
    common::nearest(eval, home, &mut found);
    found
}

/// The sets of variables of a name: those nearest to a file.
fn sets(eval: &mut Eval<'_>, home: FileId, name: &str) -> Vec<SymbolId> {
    let mut found = Vec::new();
    for file in common::files(eval, home, &shared::variables(name)) {
        let unit = eval.project.unit(file);
        let rows = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Variables && row.declares);
        found.extend(rows.filter(|row| *row.name == *name).map(|row| (file, node_of(unit, row.owner))));
    }
    common::nearest(eval, home, &mut found);
    found.into_iter().map(|(_, symbol)| symbol).collect()
}

/// How an image that a file names is built, as far as files say so.
fn builds(eval: &mut Eval<'_>, home: FileId, written: &str) -> Vec<Build> {
    let mut found: Vec<Build> = Vec::new();
    for name in images::names(eval, home, written) {
        for build in builds_of(eval, home, &name) {
            if found.len() < MAX_BUILDS && !found.iter().any(|known| known.file == build.file) {
                found.push(build);
            }
        }
    }
    if found.iter().any(|build| build.whole) {
        found.retain(|build| build.whole);
    }
    found
}

/// How an image of this name is built.
fn builds_of(eval: &mut Eval<'_>, home: FileId, name: &str) -> Vec<Build> {
    let bare = without_tag(name);
    let mut found: Vec<Build> = Vec::new();
    if bare.is_empty() || bare.contains(['{', '$']) {
        return found;
    }
    for file in common::files(eval, home, &shared::image(name)) {
        let unit = eval.project.unit(file);
        for row in unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Image && row.declares) {
            let own = without_tag(&row.name);
            let whole = own == bare;
            // A registry may stand in front of a name.
            let is_end = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
            if whole || is_end(bare, own) || is_end(own, bare) {
                found.push(Build { whole, ..find_build(eval, unit, row) });
            }
        }
    }
    found
}

/// What a row that declares an image builds it from.
fn find_build(eval: &Eval<'_>, unit: &Unit, row: &Shared) -> Build {
    let (context, dockerfile) = row.of.split_once('|').unwrap_or((&row.of, ""));
    if context.contains('$') || dockerfile.contains('$') {
        return Build { file: None, folder: NOWHERE.to_owned(), whole: true };
    }
    let home = folder_of(unit.path.as_str());
    // Paths with a slash in front count from the top of the repository.
    let (home, context) = match context.strip_prefix('/') {
        Some(rest) => (common::root_of(eval, unit.path.as_str()), rest),
        None => (home, context),
    };
    let folder = join(home, context);
    let written = if dockerfile.is_empty() { "Dockerfile" } else { dockerfile };
    let mut places = folder.iter().map(|folder| join(folder, written)).collect::<Vec<_>>();
    places.push(join(home, written));
    let file = places.into_iter().flatten().find_map(|path| eval.file_at(&path));
    // The folder of all programs says nothing of one, unless a Dockerfile lies there.
    let folder = folder.filter(|folder| file.is_some() || !folder.is_empty()).unwrap_or_else(|| NOWHERE.to_owned());
    // Of a context for several programs, the folder of the Dockerfile is that of the program.
    let own = file.map(|file| folder_of(eval.project.path(file).as_str()).to_owned());
    let folder = own.filter(|own| is_inside(own, &folder) || folder.is_empty()).unwrap_or(folder);
    Build { file, folder, whole: true }
}

/// The file of code that a Dockerfile starts.
fn program(eval: &Eval<'_>, unit: &Unit, path: &str) -> Option<FileId> {
    let folder = folder_of(unit.path.as_str());
    let path = path.trim_start_matches("./");
    if let Some(file) = join(folder, path.trim_start_matches('/')).and_then(|path| eval.file_at(&path)) {
        return Some(file);
    }
    // The folder of the image that it lies in has a name of its own.
    let rest = path.strip_prefix('/')?.split_once('/')?.1;
    join(folder, rest).and_then(|path| eval.file_at(&path))
}

pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns whether a path is a folder, or inside of it.
pub(super) fn is_inside(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A relative path behind a folder; `None` if it leads out of all.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The name of an image without its tag and digest.
pub(super) fn without_tag(name: &str) -> &str {
    let name = name.split('@').next().unwrap_or(name);
    match name.rfind(':') {
        Some(at) if !name[at..].contains('/') => &name[..at],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("a", "../.."), None);
        assert_eq!(without_tag("h:5000/a/b:1.2@sha256:0"), "h:5000/a/b");
        assert!(is_inside("a/b/c.py", "a/b") && !is_inside("a/bc.py", "a/b") && is_inside("x", ""));
    }
}
