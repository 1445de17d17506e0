//! Links a renamed project in memory, and compares it with the project as it is: a new name changes no edge.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, EdgeTier, NodeKind, Pos, Relation};
use m1nd_engine::{EngineError, FileMark, Snapshot};
use m1nd_graph::{EdgeRef, Graph, NodeIx};

use super::family::Files;
use super::spelled::{Names, Spelled};
use super::{Broken, CannotRename};
use crate::edits::syntax::new_syntax_errors;
use crate::edits::verify::{Break, BreakKind, EditedFile, is_use, sites, verify};

/// Where an edge starts: path, line, column.
type Place = (String, u32, u16);
/// What an edge leads to: path, line of its name and kind, or the id of what is outside.
type End = (String, u32, NodeKind);

/// The certain edges of some files, by where they start.
type Edges = BTreeMap<(Place, Relation), BTreeSet<End>>;

/// A project with its edits, linked anew.
pub(super) struct Relinked<'a> {
    before: &'a Snapshot,
    after: Arc<Snapshot>,
    files: &'a Files,
    names: Names<'a>,
}

impl<'a> Relinked<'a> {
    /// Links the project with the edits of these files.
    pub(super) fn of(
        before: &'a Snapshot,
        files: &'a Files,
        names: Names<'a>,
        cancel: &Cancel,
    ) -> Result<Self, CannotRename> {
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        let mut marks: Vec<FileMark> = Vec::with_capacity(before.files().len());
        for entry in before.files().iter() {
            let mut mark =
                FileMark { path: entry.path.as_str().to_owned(), hash: entry.hash, language: entry.language };
            if let Some(file) = files.get(entry.path.as_str()).filter(|file| !file.edits.is_empty()) {
                let text = file.new_text(names.old);
                mark.hash = ContentHash::of(text.as_bytes());
                mark.path = file.new_path.as_ref().unwrap_or(&file.path).as_str().to_owned();
                texts.insert(file.new_path.as_ref().unwrap_or(&file.path).as_str(), text);
            }
            marks.push(mark);
        }
        marks.sort_by(|a, b| a.path.cmp(&b.path));
        let content = |path: &str| texts.get(path).map(|text| text.as_bytes().to_vec());
        let (after, _) = before.at_files(&marks, &content, cancel).map_err(|error| match error {
            EngineError::Cancelled => CannotRename::Cancelled,
            error => CannotRename::NotLinked { why: error.to_string() },
        })?;
        Ok(Self { before, after, files, names })
    }

    /// The edited places that no longer lead to a renamed definition.
    pub(super) fn find_lost(&self, places: &[(String, usize)], definitions: &[NodeIx]) -> Vec<(String, usize)> {
        let ends: BTreeSet<End> = definitions.iter().map(|node| self.end_now(*node)).collect();
        let paths: BTreeSet<&str> = places.iter().map(|(path, _)| path.as_str()).collect();
        let tiers = [EdgeTier::Certain, EdgeTier::Possible];
        let now = list_edges(self.after.graph(), &tiers, paths.iter().map(|path| self.path_now(path)), |_, pos| pos);
        let is_lost = |(path, at): &&(String, usize)| {
            let Some(file) = self.files.get(path) else { return false };
            let pos = file.shift(file.position(*at), self.names.old);
            let place = (self.path_now(path), pos.line, pos.col);
            let mut found = now.range((place.clone(), Relation::Contains)..).take_while(|((at, _), _)| *at == place);
            !found.any(|(_, targets)| targets.iter().any(|end| ends.contains(end)))
        };
        places.iter().filter(is_lost).cloned().collect()
    }

    /// Everything that the new name breaks.
    pub(super) fn find_broken(&self, definitions: &[NodeIx], cancel: &Cancel) -> Result<Vec<Broken>, CannotRename> {
        let mut broken = self.find_syntax_errors(cancel);
        broken.extend(self.find_changed_edges(definitions));
        let edited: Vec<&Spelled> = self.files.values().filter(|file| !file.edits.is_empty()).collect();
        let texts: Vec<String> = edited.iter().map(|file| file.new_text(self.names.old)).collect();
        let mut files: Vec<EditedFile<'_>> = Vec::new();
        for (file, text) in edited.iter().zip(&texts) {
            let before = Some(file.text.as_str());
            match &file.new_path {
                None => files.push(EditedFile { path: &file.path, before, after: Some(text) }),
                Some(path) => {
                    files.push(EditedFile { path: &file.path, before, after: None });
                    files.push(EditedFile { path, before: None, after: Some(text) });
                }
            }
        }
        let check = verify(self.before, &self.after, &files, cancel)?;
        let row = |found: Break| Broken { file: found.file, line: found.line, what: found.detail };
        // A new name changes the arguments of nothing, and where a key keeps the old name, it is meant.
        let counts = |found: &Break| found.kind != BreakKind::ArgumentCount && !self.is_of_key(&found.file, found.line);
        broken.extend(check.broken.into_iter().filter(counts).map(row));
        broken.sort();
        broken.dedup();
        Ok(broken)
    }

    fn find_syntax_errors(&self, cancel: &Cancel) -> Vec<Broken> {
        let mut broken = Vec::new();
        for file in self.files.values().filter(|file| !file.edits.is_empty()) {
            let text = file.new_text(self.names.old);
            let check = new_syntax_errors(self.before, &file.path, Some(&file.text), &text, cancel);
            let row = |error: crate::edits::SyntaxProblem| Broken {
                file: file.path.as_str().to_owned(),
                line: error.line,
                what: format!("syntax: {}", error.detail),
            };
            broken.extend(check.errors.into_iter().map(row));
        }
        broken
    }

    /// Certain edges that are gone, and new ones to the renamed definitions from places that did not mean them.
    fn find_changed_edges(&self, definitions: &[NodeIx]) -> Vec<Broken> {
        let (old, new) = (self.before.graph(), self.after.graph());
        let paths = self.list_touched(definitions);
        let moved = |path: &str, pos: Pos| self.files.get(path).map_or(pos, |file| file.shift(pos, self.names.old));
        let tiers = [EdgeTier::Certain];
        let before = list_edges(old, &tiers, paths.iter().cloned(), moved);
        let after = list_edges(new, &tiers, paths.iter().map(|path| self.path_now(path)), |_, pos| pos);
        let mut broken = Vec::new();
        for (((path, line, column), relation), ends) in &before {
            let place = (self.path_now(path), *line, *column);
            let now = after.get(&(place.clone(), *relation));
            // `{ load }` as `{ fetch: load }`: the value stands behind the key now.
            let as_value = self.value_behind(&place).and_then(|place| after.get(&(place, *relation)));
            for (of, name_line, kind) in ends {
                let end = (self.path_now(of), *name_line, *kind);
                let is_through_key = || now.is_some_and(|now| now.iter().any(|end| self.is_new_key(end)));
                let is_kept = now.into_iter().chain(as_value).any(|now| now.contains(&end));
                if !is_kept && !is_through_key() {
                    let what = format!("what leads to `{of}:{name_line}` would not do so with the new name");
                    broken.push(Broken { file: path.clone(), line: *line, what });
                }
            }
        }
        let ends: BTreeSet<End> = definitions.iter().map(|node| self.end_now(*node)).collect();
        let known: BTreeSet<Place> =
            before.keys().map(|((path, line, column), _)| (self.path_now(path), *line, *column)).collect();
        for ((place, _), targets) in &after {
            if !known.contains(place) && targets.iter().any(|end| ends.contains(end)) && !self.was_possible(place) {
                let what = format!("`{}` would mean the renamed symbol here", self.names.new);
                broken.push(Broken { file: place.0.clone(), line: place.1, what });
            }
        }
        broken
    }

    /// Where the value stands of a shorthand that was written out at a place.
    fn value_behind(&self, (path, line, column): &Place) -> Option<Place> {
        let is_it = |file: &&Spelled| file.new_path.as_ref().unwrap_or(&file.path).as_str() == path;
        let file = self.files.values().find(is_it)?;
        let written = |(at, with): (&usize, &String)| {
            let pos = file.shift(file.position(*at), self.names.old);
            let key = with.find(": ").filter(|_| (pos.line, pos.col) == (*line, *column))?;
            Some((path.clone(), *line, column + u16::try_from(with[..key + 2].chars().count()).ok()?))
        };
        file.edits.iter().find_map(written)
    }

    /// Returns whether an end is a key that a shorthand was written out to: `{ load }` as `{ load: fetch }`. It keeps
    /// the old name, and leads to what it led to.
    fn is_new_key(&self, (path, line, _): &End) -> bool {
        let mut files = self.files.values().filter(|file| file.path.as_str() == path);
        files.any(|file| {
            file.edits.iter().any(|(at, with)| {
                file.position(*at).line == *line
                    && with.strip_prefix(self.names.old).is_some_and(|end| end.starts_with(':'))
            })
        })
    }

    /// Returns whether a place has the old name because a key of the project has it.
    fn is_of_key(&self, path: &str, line: u32) -> bool {
        let graph = self.after.graph();
        let Some(file) = graph.find_file(path) else { return false };
        let edges = graph.of_file(file).into_iter().flat_map(|node| graph.out_edges(node).collect::<Vec<_>>());
        let mut ends = edges.filter(|edge| sites(edge).iter().any(|pos| pos.line == line)).map(|edge| edge.to);
        ends.any(|node| self.is_new_key(&end_of(graph, node)))
    }

    /// Returns whether an edited name stands at a place of the new text: what was possible may be certain now.
    fn was_possible(&self, (path, line, column): &Place) -> bool {
        self.files.values().filter(|file| file.new_path.as_ref().unwrap_or(&file.path).as_str() == path).any(|file| {
            file.edits.keys().any(|at| {
                let pos = file.shift(file.position(*at), self.names.old);
                (pos.line, pos.col) == (*line, *column)
            })
        })
    }

    /// Files that a new name may change the links of: those that are edited, or use one of both names.
    fn list_touched(&self, definitions: &[NodeIx]) -> BTreeSet<String> {
        let mut paths: BTreeSet<String> =
            self.files.iter().filter(|(_, file)| !file.edits.is_empty()).map(|(path, _)| path.clone()).collect();
        for snapshot in [self.before, &self.after] {
            let graph = snapshot.graph();
            let mut nodes = graph.find_labelled(self.names.new);
            if std::ptr::eq(snapshot, self.before) {
                nodes.extend(definitions);
            }
            let users = nodes.iter().flat_map(|node| graph.in_edges(*node)).map(|edge| edge.from);
            let open = graph.unresolved_named(self.names.new).map(|open| open.from);
            let files = users.chain(open).map(|node| graph.path(node)).filter(|path| !path.is_empty());
            paths.extend(files.map(str::to_owned));
        }
        paths
    }

    /// A path after the edits.
    fn path_now(&self, path: &str) -> String {
        let moved = self.files.get(path).and_then(|file| file.new_path.as_ref());
        moved.map_or(path, |path| path.as_str()).to_owned()
    }

    fn end_now(&self, node: NodeIx) -> End {
        let (path, line, kind) = end_of(self.before.graph(), node);
        (self.path_now(&path), line, kind)
    }
}

/// What stands for a node, whatever its name.
fn end_of(graph: &Graph, node: NodeIx) -> End {
    match graph.path(node) {
        "" => (graph.id(node).to_owned(), 0, graph.kind(node)),
        path => (path.to_owned(), graph.name_line(node), graph.kind(node)),
    }
}

/// The edges of some tiers from some files, by the places they start at. `moved` gives the place to look for.
fn list_edges(
    graph: &Graph,
    tiers: &[EdgeTier],
    paths: impl Iterator<Item = String>,
    moved: impl Fn(&str, Pos) -> Pos,
) -> Edges {
    let mut edges = Edges::new();
    let counts = |edge: &EdgeRef<'_>| tiers.contains(&edge.tier) && is_use(edge.relation) && !edge.compiler;
    for path in paths {
        let Some(file) = graph.find_file(&path) else { continue };
        for node in graph.of_file(file) {
            for edge in graph.out_edges(node).filter(counts) {
                for pos in sites(&edge) {
                    let pos = moved(&path, pos);
                    let key = ((path.clone(), pos.line, pos.col), edge.relation);
                    edges.entry(key).or_default().insert(end_of(graph, edge.to));
                }
            }
        }
    }
    edges
}
