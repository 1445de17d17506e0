//! Links the project with the new texts of a refactoring in memory, and compares what is used where with the project as
//! it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, EdgeTier, NodeKind, Pos, Relation};
use m1nd_engine::{EngineError, FileMark, Snapshot};
use m1nd_graph::Graph;

use super::{Broken, CannotRefactor, NewFile, read_plain};
use crate::edits::syntax::{language_of, new_syntax_errors};
use crate::edits::verify::{Break, EditedFile, is_use, sites, verify};

/// The package of what Python knows without an import.
const BUILT_IN: &str = "external::builtins";

/// The id that a node has on the other side of a refactoring; `None` to leave what it uses out of the comparison.
pub(super) type NewId<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// A project with the files of a refactoring, linked anew.
pub(super) struct Trial<'a> {
    before: &'a Snapshot,
    pub(super) after: Arc<Snapshot>,
    files: &'a [NewFile],
    dropped: Vec<Dropped>,
    keeps_cycles: bool,
}

/// Bytes that the operation takes away on purpose: the file, the first place, and the one behind the last.
pub(super) type Dropped = (String, Pos, Pos);

/// Uses by who uses what: the number of places and the first of them.
type Uses = BTreeMap<(String, Relation, String), (usize, String, u32)>;

impl<'a> Trial<'a> {
    /// Links the project with these files.
    pub(super) fn link(before: &'a Snapshot, files: &'a [NewFile], cancel: &Cancel) -> Result<Self, CannotRefactor> {
        let texts: BTreeMap<&str, Option<&str>> =
            files.iter().map(|file| (file.path.as_str(), file.text.as_deref())).collect();
        let kept = before.files().iter().filter(|entry| !texts.contains_key(entry.path.as_str()));
        let mark = |entry: &m1nd_engine::FileEntry| FileMark {
            path: entry.path.as_str().to_owned(),
            hash: entry.hash,
            language: entry.language,
        };
        let mut marks: Vec<FileMark> = kept.map(mark).collect();
        marks.extend(files.iter().filter_map(|file| {
            let text = file.text.as_deref()?;
            let language = language_of(before, &file.path, text);
            Some(FileMark { path: file.path.as_str().to_owned(), hash: ContentHash::of(text.as_bytes()), language })
        }));
        marks.sort_by(|a, b| a.path.cmp(&b.path));
        let content = |path: &str| Some(texts.get(path)?.as_ref()?.as_bytes().to_vec());
        let (after, _) = before.at_files(&marks, &content, cancel).map_err(|error| match error {
            EngineError::Cancelled => CannotRefactor::Cancelled,
            error => CannotRefactor::NotLinked { why: error.to_string() },
        })?;
        Ok(Self { before, after, files, dropped: Vec::new(), keeps_cycles: false })
    }

    /// The new text of a file that is written.
    pub(super) fn text_after(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path.as_str() == path)?.text.as_deref()
    }

    /// Leaves what was used in these places out of the comparison.
    pub(super) fn without(mut self, dropped: Vec<Dropped>) -> Self {
        self.dropped = dropped;
        self
    }

    /// Does not look for import cycles: a file with a new path imports what it imported.
    pub(super) fn without_cycles(mut self) -> Self {
        self.keeps_cycles = true;
        self
    }

    fn is_dropped(&self, path: &str, pos: Pos) -> bool {
        self.dropped.iter().any(|(of, first, end)| of == path && *first <= pos && pos < *end)
    }

    /// Refuses a refactoring that breaks something. `then` gives the id that a node of the project has afterwards;
    /// `now` gives the id that a node of the changed project is compared as.
    pub(super) fn check(&self, then: &NewId<'_>, now: &NewId<'_>, cancel: &Cancel) -> Result<(), CannotRefactor> {
        let mut broken = self.find_syntax_errors(cancel);
        broken.extend(self.find_lost_uses(then, now));
        broken.extend(self.find_new_open(then, now));
        broken.extend(self.find_breaks(cancel)?);
        broken.sort();
        broken.dedup();
        if broken.is_empty() { Ok(()) } else { Err(CannotRefactor::Breaks { broken }) }
    }

    /// The text of a file before, with the line ends that the new one has.
    fn read_old(&self, file: &NewFile) -> Option<String> {
        Some(read_plain(self.before, &file.path).ok()?.text)
    }

    /// Syntax errors that no file had before: code that cannot be read may move with the rest.
    fn find_syntax_errors(&self, cancel: &Cancel) -> Vec<Broken> {
        let mut lost = self.count_lost_errors(cancel);
        let mut broken = Vec::new();
        for file in self.files {
            let Some(text) = &file.text else { continue };
            let old = self.read_old(file);
            let check = new_syntax_errors(self.before, &file.path, old.as_deref(), text, cancel);
            for error in check.errors {
                match lost.get_mut(&error.detail).filter(|count| **count > 0) {
                    Some(count) => *count -= 1,
                    None => broken.push(Broken {
                        file: file.path.as_str().to_owned(),
                        line: error.line,
                        what: format!("syntax: {}", error.detail),
                    }),
                }
            }
        }
        broken
    }

    /// Syntax errors that files had and no longer have, by what they say.
    fn count_lost_errors(&self, cancel: &Cancel) -> BTreeMap<String, usize> {
        let mut lost = BTreeMap::new();
        for file in self.files {
            let Some(old) = self.read_old(file) else { continue };
            let text = file.text.as_deref().unwrap_or_default();
            // The other way round: errors of the old text that the new one does not have.
            for error in new_syntax_errors(self.before, &file.path, Some(text), &old, cancel).errors {
                *lost.entry(error.detail).or_default() += 1;
            }
        }
        lost
    }

    /// Files whose uses may change: those that are written, and those that use something in them.
    fn list_touched(&self, graph: &Graph) -> Vec<String> {
        let mut paths: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
        for file in self.files {
            let Some(node) = graph.find_file(file.path.as_str()) else { continue };
            paths.insert(file.path.as_str().to_owned());
            for inner in graph.of_file(node) {
                paths.extend(graph.in_edges(inner).map(|edge| graph.path(edge.from).to_owned()));
            }
        }
        paths.remove("");
        paths.into_iter().collect()
    }

    /// Certain uses, and uses of what is outside of the project, from some files.
    fn list_uses(&self, graph: &Graph, paths: &[String], id: &NewId<'_>) -> Uses {
        let mut uses = Uses::new();
        let nodes = paths.iter().filter_map(|path| graph.find_file(path)).flat_map(|file| graph.of_file(file));
        for node in nodes {
            let Some(from) = id(graph.id(node)) else { continue };
            for edge in graph.out_edges(node) {
                let counts = matches!(edge.tier, EdgeTier::Certain | EdgeTier::External)
                    && is_use(edge.relation)
                    && !matches!(edge.relation, Relation::Imports | Relation::Reexports)
                    // A module is named on the way to something in it.
                    && graph.kind(edge.to) != NodeKind::File
                    // What a language brings along is there in every file; a name that is lost has no target.
                    && !graph.id(edge.to).starts_with(BUILT_IN)
                    && !edge.compiler;
                let Some(to) = counts.then(|| id(graph.id(edge.to))).flatten() else { continue };
                let mut places = sites(&edge);
                let count = places.len();
                if std::ptr::eq(graph, self.before.graph()) {
                    places.retain(|pos| !self.is_dropped(graph.path(node), *pos));
                }
                if places.is_empty() && count > 0 {
                    continue;
                }
                let first = places.first().map_or(graph.name_line(node), |pos| pos.line);
                let row = uses
                    .entry((from.clone(), edge.relation, to))
                    .or_insert_with(|| (0, graph.path(node).to_owned(), first));
                row.0 += places.len().max(1);
            }
        }
        uses
    }

    /// What was used and is not, or from fewer places.
    fn find_lost_uses(&self, then: &NewId<'_>, now: &NewId<'_>) -> Vec<Broken> {
        let (old, new) = (self.before.graph(), self.after.graph());
        let before = self.list_uses(old, &self.list_touched(old), then);
        let after = self.list_uses(new, &self.list_touched_now(), now);
        let lost = before.into_iter().filter_map(|(key, (count, file, line))| {
            let left = after.get(&key).map_or(0, |row| row.0);
            let what = format!("`{}` would no longer lead to `{}`", key.0, key.2);
            (left < count).then_some(Broken { file, line, what })
        });
        lost.collect()
    }

    /// The files of both sides, as they are after the change.
    fn list_touched_now(&self) -> Vec<String> {
        let mut paths = self.list_touched(self.after.graph());
        paths.extend(self.list_touched(self.before.graph()));
        paths.sort();
        paths.dedup();
        paths
    }

    /// Names without a target that had one, or were not there.
    fn find_new_open(&self, then: &NewId<'_>, now: &NewId<'_>) -> Vec<Broken> {
        let count = |graph: &Graph, paths: &[String], id: &NewId<'_>| {
            let mut open: BTreeMap<(String, String), (usize, String, u32)> = BTreeMap::new();
            for node in paths.iter().filter_map(|path| graph.find_file(path)).flat_map(|file| graph.of_file(file)) {
                let Some(from) = id(graph.id(node)) else { continue };
                for found in graph.unresolved_of(node) {
                    let key = (from.clone(), found.name.to_owned());
                    open.entry(key).or_insert_with(|| (0, graph.path(node).to_owned(), found.pos.line)).0 += 1;
                }
            }
            open
        };
        let old = count(self.before.graph(), &self.list_touched(self.before.graph()), then);
        let new = count(self.after.graph(), &self.list_touched_now(), now);
        let more = new.into_iter().filter_map(|(key, (count, file, line))| {
            let known = old.get(&key).map_or(0, |row| row.0);
            (count > known).then(|| Broken { file, line, what: format!("`{}` would have no target", key.1) })
        });
        more.collect()
    }

    fn find_breaks(&self, cancel: &Cancel) -> Result<Vec<Broken>, CannotRefactor> {
        let old: Vec<Option<String>> = self.files.iter().map(|file| self.read_old(file)).collect();
        let edited = self.files.iter().zip(&old).map(|(file, old)| EditedFile {
            path: &file.path,
            before: old.as_deref(),
            after: file.text.as_deref(),
        });
        let edited: Vec<EditedFile<'_>> = edited.collect();
        let check = verify(self.before, &self.after, &edited, cancel)?;
        let row = |found: Break| Broken { file: found.file, line: found.line, what: found.detail };
        let mut broken: Vec<Broken> = check.broken.into_iter().map(row).collect();
        let cycles = check.cycles.into_iter().filter(|_| !self.keeps_cycles);
        broken.extend(cycles.map(|cycle| Broken {
            file: cycle.first().cloned().unwrap_or_default(),
            line: 0,
            what: format!("a new import cycle: {}", cycle.join(" → ")),
        }));
        Ok(broken)
    }
}
