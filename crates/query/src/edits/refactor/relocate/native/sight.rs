//! Which file includes which, and how a file writes the include of another one.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{EdgeTier, Pos, Relation};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::NodeIx;
use m1nd_lang::facts::{FileFacts, ImportKind};

use super::super::draft::{folder_of, name_of};
use crate::edits::verify::sites;

/// Endings of files that are made to be included.
const HEADER_ENDINGS: &[&str] = &[".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tpp", ".tcc", ".def"];

/// Endings of files that are compiled, although some programs include all of them in one.
const SOURCE_ENDINGS: &[&str] = &[".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm"];

/// A folder that includes are searched from, with a slash at its end, and whether they stand in brackets.
pub(super) type Root = (String, bool);

/// An include as a file writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Include {
    pub(super) pos: Pos,
    /// What stands between the quotes or brackets.
    pub(super) written: String,
    pub(super) is_system: bool,
    /// The file of the project that it certainly leads to.
    pub(super) to: Option<String>,
    /// It may lead to one of several files.
    pub(super) is_doubtful: bool,
}

impl Include {
    /// Whether the include is found by a folder that the compiler is given, not by the place of the file.
    pub(super) fn is_searched_from_a_folder(&self, from: &str) -> bool {
        self.searched_from(from).is_some()
    }

    /// The folder that the include is searched from: with a slash at the end, empty for the root of the project.
    /// `None` if that is the folder of the file itself.
    fn searched_from(&self, from: &str) -> Option<String> {
        let folder = self.to.as_deref()?.strip_suffix(&self.written)?;
        let is_folder = folder.is_empty() || folder.ends_with('/');
        (is_folder && (self.is_system || join_path(folder_of(from), &self.written) != self.to))
            .then(|| folder.to_owned())
    }
}

/// Includes between the files of a project.
pub(super) struct Sight<'a> {
    snapshot: &'a Snapshot,
    /// The files that each file certainly includes.
    includes: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Sight<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let graph = snapshot.graph();
        let mut includes = BTreeMap::new();
        for entry in snapshot.files().iter().filter(|entry| is_native(entry.language)) {
            let Some(file) = graph.find_file(entry.path.as_str()) else { continue };
            let edges = graph.out_edges(file);
            let certain = edges.filter(|edge| edge.relation == Relation::Imports && edge.tier == EdgeTier::Certain);
            let paths: Vec<&str> = certain.map(|edge| graph.path(edge.to)).filter(|path| !path.is_empty()).collect();
            includes.insert(graph.path(file), paths);
        }
        Self { snapshot, includes }
    }

    /// The files that one includes itself.
    pub(super) fn included_by(&self, path: &str) -> &[&'a str] {
        self.includes.get(path).map_or(&[], Vec::as_slice)
    }

    /// The files that one sees through its includes, without itself; `more` are includes that it will have.
    pub(super) fn seen_from(&self, path: &str, more: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![path.to_owned()]);
        while let Some(next) = open.pop() {
            let new = more.get(&next).into_iter().flatten().map(String::as_str);
            for to in self.included_by(&next).iter().copied().chain(new) {
                if seen.insert(to.to_owned()) {
                    open.push(to.to_owned());
                }
            }
        }
        seen.remove(path);
        seen
    }

    /// The files of C and C++ from which a file is seen, without itself.
    pub(super) fn seeing(&self, path: &str) -> BTreeSet<String> {
        let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (from, all) in &self.includes {
            all.iter().for_each(|to| by.entry(to).or_default().push(from));
        }
        let (mut seen, mut open) = (BTreeSet::new(), vec![path]);
        while let Some(next) = open.pop() {
            for from in by.get(next).into_iter().flatten() {
                if seen.insert((*from).to_owned()) {
                    open.push(from);
                }
            }
        }
        seen.remove(path);
        seen
    }

    /// Whether a file is made to be included: by its name, or because others do and it is not named like a source.
    pub(super) fn is_header(&self, path: &str) -> bool {
        HEADER_ENDINGS.iter().any(|ending| path.ends_with(ending))
            || !SOURCE_ENDINGS.iter().any(|ending| path.ends_with(ending))
                && self.includes.values().any(|all| all.contains(&path))
    }

    /// The includes of a file, in order.
    pub(super) fn list_includes(&self, path: &str, facts: &FileFacts) -> Vec<Include> {
        let graph = self.snapshot.graph();
        let file = graph.find_file(path);
        let edges = file.into_iter().flat_map(|file| graph.out_edges(file));
        let mut targets: BTreeMap<Pos, (NodeIx, EdgeTier)> = BTreeMap::new();
        for edge in edges.filter(|edge| edge.relation == Relation::Imports && !graph.path(edge.to).is_empty()) {
            targets.extend(sites(&edge).into_iter().map(|pos| (pos, (edge.to, edge.tier))));
        }
        let imports = facts.imports.iter().filter(|import| import.kind == ImportKind::Include);
        let row = |import: &m1nd_lang::facts::Import| {
            let target = targets.get(&import.pos);
            let is_certain = target.is_some_and(|target| target.1 == EdgeTier::Certain);
            Include {
                pos: import.pos,
                written: facts.name(import.module).to_owned(),
                is_system: import.flags.system,
                to: target.filter(|_| is_certain).map(|target| graph.path(target.0).to_owned()),
                is_doubtful: target.is_some() && !is_certain,
            }
        };
        imports.map(row).collect()
    }

    /// The include of `to` as `from` writes it, with its quotes or brackets: in the form of an include that it has
    /// (`like`), else from a folder that its other includes are searched from, else from its own folder.
    pub(super) fn spell(&self, (from, own): (&str, &[Include]), to: &str, like: Option<&Include>) -> String {
        self.spell_from((from, &list_roots(from, own)), to, like)
    }

    /// [`Sight::spell`] with the folders that includes are searched from.
    pub(super) fn spell_from(&self, (from, roots): (&str, &[Root]), to: &str, like: Option<&Include>) -> String {
        let folder = folder_of(from);
        let quote = |written: &str, is_system: bool| match is_system {
            true => format!("<{written}>"),
            false => format!("\"{written}\""),
        };
        let mut rows: Vec<Root> = Vec::new();
        match like.map(|like| (like, like.searched_from(from))) {
            Some((like, Some(root))) => rows.push((root, like.is_system)),
            Some((_, None)) => return quote(&relative_path(folder, to), false),
            None if folder_of(to) == folder && roots.is_empty() => return quote(name_of(to), false),
            None => {}
        }
        rows.extend(roots.iter().cloned());
        let fits = |(root, is_system): &(String, bool)| {
            let written = to.strip_prefix(root.as_str())?;
            // In quotes, the folder of the file itself comes first.
            let beside = join_path(folder, written).filter(|path| path != to);
            let is_hidden = beside.is_some_and(|path| self.includes.contains_key(path.as_str()));
            (*is_system || !is_hidden).then(|| quote(written, *is_system))
        };
        rows.iter().find_map(fits).unwrap_or_else(|| quote(&relative_path(folder, to), false))
    }
}

/// The folders that the includes of a file are searched from. The longest comes first: it gives the shortest include.
pub(super) fn list_roots(from: &str, includes: &[Include]) -> Vec<Root> {
    let mut roots: Vec<Root> =
        includes.iter().filter_map(|include| Some((include.searched_from(from)?, include.is_system))).collect();
    roots.sort_by_key(|(root, is_system)| (std::cmp::Reverse(root.len()), *is_system));
    roots.dedup();
    roots
}

/// Returns whether files of a language include others by their text.
pub(super) const fn is_native(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp)
}

/// A path below a folder, without `.` and `..`; `None` if it leads out of the project.
pub(super) fn join_path(folder: &str, written: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in written.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A path as it is written from a folder.
pub(super) fn relative_path(folder: &str, to: &str) -> String {
    let folders: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = to.split('/').collect();
    let most = parts.len().saturating_sub(1);
    let common = folders.iter().zip(&parts[..most]).take_while(|(a, b)| a == b).count();
    "../".repeat(folders.len() - common) + &parts[common..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_folders() {
        let rows = [
            ("src", "src/a.h", "a.h"),
            ("src/x", "src/y/a.h", "../y/a.h"),
            ("", "src/a.h", "src/a.h"),
            ("src", "a.h", "../a.h"),
        ];
        for (folder, to, expected) in rows {
            assert_eq!(relative_path(folder, to), expected);
            assert_eq!(join_path(folder, expected).as_deref(), Some(to));
        }
        assert_eq!(join_path("a", "../../b"), None);
    }
}
