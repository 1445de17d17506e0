//! A whole file of C or C++ goes to another place: the includes of it, its own, and the build files that list it.

use std::collections::BTreeMap;
use std::ops::Range;

use m1nd_base::{Cancel, EdgeTier, Pos, Relation, RepoPath};
use m1nd_engine::Snapshot;

use super::super::Move;
use super::super::cut::{Parsed, Patch, apply};
use super::super::draft::{folder_of, name_of};
use super::builds::follow_builds;
use super::sight::{Sight, is_native, join_path, relative_path};
use crate::edits::refactor::trial::Trial;
use crate::edits::refactor::{CannotRefactor, NewFile, Note, Obstacle, Refactoring, read_plain};
use crate::edits::verify::sites;

/// What asks for a file, or includes one, by a name that the linker does not follow.
const OTHER_INCLUDES: &[&str] = &["__has_include", "#include_next", "#define", "#embed", ".incbin"];

/// Plans the move of a file.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, request: &Move, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let from = snapshot.graph().path(request.node).to_owned();
    let bad = |_| CannotRefactor::BadRequest(format!("`{}` is not a path", request.to));
    let to = RepoPath::new(&request.to).map_err(bad)?;
    if snapshot.files().get(&to).is_some() {
        let what = format!("`{to}` is there already");
        return Err(CannotRefactor::at(what, to.as_str(), 0, "would be overwritten"));
    }
    let sight = Sight::new(snapshot);
    let mut file =
        WholeFile { snapshot, cancel, sight, from, to, texts: BTreeMap::new(), notes: Vec::new(), places: 0 };
    file.find_obstacles()?;
    file.follow_users()?;
    file.move_text()?;
    file.follow_build_files()?;
    file.finish()
}

/// A file that moves.
struct WholeFile<'a> {
    snapshot: &'a Snapshot,
    cancel: &'a Cancel,
    sight: Sight<'a>,
    from: String,
    to: RepoPath,
    /// New files by path.
    texts: BTreeMap<String, NewFile>,
    notes: Vec<Note>,
    places: usize,
}

impl WholeFile<'_> {
    /// Files that may include the file, and those that name it in a way that is not an include.
    fn find_obstacles(&self) -> Result<(), CannotRefactor> {
        let graph = self.snapshot.graph();
        let mut places = Vec::new();
        let own = graph.find_file(&self.from);
        let edges = own.into_iter().flat_map(|file| graph.in_edges(file));
        for edge in edges.filter(|edge| edge.relation == Relation::Imports && edge.tier == EdgeTier::Possible) {
            let line = sites(&edge).first().map_or(0, |pos| pos.line);
            let why = "may include it or another file of this name".to_owned();
            places.push(Obstacle { file: graph.path(edge.from).to_owned(), line, why });
        }
        let name = name_of(&self.from);
        let quoted = [format!("/{name}\""), format!("\"{name}\""), format!("/{name}>"), format!("<{name}>")];
        for entry in self.snapshot.files().iter().filter(|entry| is_native(entry.language)) {
            self.cancel.check()?;
            let Ok(source) = read_plain(self.snapshot, &entry.path) else { continue };
            if !source.text.contains(name) {
                continue;
            }
            for (line, text) in (1..).zip(source.text.lines()) {
                let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                let is_named = quoted.iter().any(|name| squeezed.contains(name.as_str()));
                if is_named && OTHER_INCLUDES.iter().any(|word| squeezed.contains(word)) {
                    let why = "names it in a directive that is not a plain include".to_owned();
                    places.push(Obstacle { file: entry.path.as_str().to_owned(), line, why });
                }
            }
        }
        let what = format!("not every use of `{}` can follow", self.from);
        if places.is_empty() { Ok(()) } else { Err(CannotRefactor::Obstacles { what, places }) }
    }

    /// Rewrites the includes of the file in others.
    fn follow_users(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.snapshot.graph();
        let file = graph.find_file(&self.from);
        let edges = file.into_iter().flat_map(|file| graph.in_edges(file));
        let users = edges.filter(|edge| edge.relation == Relation::Imports && edge.tier == EdgeTier::Certain);
        let mut paths: Vec<&str> = users.map(|edge| graph.path(edge.from)).filter(|path| *path != self.from).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let parsed = Parsed::read(self.snapshot, path, self.cancel)?;
            let own = self.sight.list_includes(path, &parsed.facts);
            let mut patches: Vec<Patch> = Vec::new();
            for include in own.iter().filter(|include| include.to.as_deref() == Some(self.from.as_str())) {
                let range = self.quoted_at(&parsed, path, include.pos)?;
                let written = self.sight.spell((path, &own), self.to.as_str(), Some(include));
                if include.is_system && written.starts_with('"') {
                    let what = format!("`<{}>` is now included in quotes, by its place", include.written);
                    self.notes.push(Note { file: path.to_owned(), line: include.pos.line, what });
                }
                patches.push((range, written));
                self.places += 1;
            }
            self.write(&parsed, path, apply(parsed.text(), patches))?;
        }
        Ok(())
    }

    /// The bytes of the name in an include, with its quotes or brackets.
    fn quoted_at(&self, parsed: &Parsed, path: &str, pos: Pos) -> Result<Range<usize>, CannotRefactor> {
        let refuse =
            || CannotRefactor::at("an include cannot be rewritten", path, pos.line, "is written in another way");
        let at = parsed.offset(pos).ok_or_else(refuse)?;
        let text = parsed.text();
        let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let open = text[line_start..line_end].find(['"', '<']).map(|open| line_start + open).ok_or_else(refuse)?;
        let close = if text[open..].starts_with('<') { '>' } else { '"' };
        let end = text[open + 1..line_end].find(close).ok_or_else(refuse)?;
        Ok(open..open + 1 + end + 1)
    }

    fn write(&mut self, parsed: &Parsed, path: &str, text: String) -> Result<(), CannotRefactor> {
        if text == parsed.text() {
            return Ok(());
        }
        let repo_path = parsed.source.path.clone();
        self.texts
            .insert(path.to_owned(), NewFile { path: repo_path, before: Some(parsed.source.hash), text: Some(text) });
        Ok(())
    }

    /// The text of the file at its new place: its includes by place lead where they led.
    fn move_text(&mut self) -> Result<(), CannotRefactor> {
        let parsed = Parsed::read(self.snapshot, &self.from, self.cancel)?;
        let (from, to) = (self.from.clone(), self.to.as_str().to_owned());
        let (folder, new_folder) = (folder_of(&from), folder_of(&to));
        let mut patches: Vec<Patch> = Vec::new();
        for include in self.sight.list_includes(&from, &parsed.facts) {
            if folder == new_folder {
                break;
            }
            let beside = join_path(folder, &include.written).filter(|_| !include.is_system);
            let is_by_place = include.to.is_some() && beside == include.to;
            let hidden = join_path(new_folder, &include.written).filter(|_| !include.is_system && !is_by_place);
            let is_known = |path: &String| self.snapshot.graph().find_file(path).is_some();
            if let Some(other) = hidden.filter(is_known).filter(|other| Some(other) != include.to.as_ref()) {
                let why = format!("would lead to `{other}` at the new place");
                return Err(CannotRefactor::at("an include cannot follow", &from, include.pos.line, why));
            }
            if let Some(target) = include.to.as_deref().filter(|_| is_by_place) {
                let target = if target == from { to.as_str() } else { target };
                let range = self.quoted_at(&parsed, &from, include.pos)?;
                patches.push((range, format!("\"{}\"", relative_path(new_folder, target))));
            } else if include.to.is_none() && !include.is_system && include.written.contains("..") {
                let why = "leads by its place to a file that is not in the project";
                return Err(CannotRefactor::at("an include cannot follow", &from, include.pos.line, why));
            }
        }
        let text = apply(parsed.text(), patches);
        let new = NewFile { path: self.to.clone(), before: None, text: Some(text) };
        let old = NewFile { path: parsed.source.path.clone(), before: Some(parsed.source.hash), text: None };
        self.texts.insert(to, new);
        self.texts.insert(from, old);
        Ok(())
    }

    /// Rewrites the build files that list the file, and says where others may.
    fn follow_build_files(&mut self) -> Result<(), CannotRefactor> {
        let found = follow_builds(self.snapshot, &self.from, self.to.as_str(), self.cancel)?;
        self.places += found.places;
        self.notes.extend(found.notes);
        for file in found.files {
            self.texts.insert(file.path.as_str().to_owned(), file);
        }
        if self.sight.is_header(&self.from) {
            let what = "code outside of the project that includes it by its old name is not changed".to_owned();
            self.notes.push(Note { file: self.from.clone(), line: 0, what });
        }
        Ok(())
    }

    /// Checks the project with the new files.
    fn finish(self) -> Result<Refactoring, CannotRefactor> {
        let Self { snapshot, cancel, from, to, texts, mut notes, places, .. } = self;
        let files: Vec<NewFile> = texts.into_values().collect();
        let trial = Trial::link(snapshot, &files, cancel)?.without_cycles();
        let (old_id, new_id) = (format!("file::{from}"), format!("file::{to}"));
        let then = |id: &str| {
            let rest = id.strip_prefix(old_id.as_str()).filter(|rest| rest.is_empty() || rest.starts_with("::"));
            Some(rest.map_or_else(|| id.to_owned(), |rest| format!("{new_id}{rest}")))
        };
        let now = |id: &str| Some(id.to_owned());
        trial.check(&then, &now, cancel)?;
        check_includes(snapshot, &trial.after, &|path| {
            if path == from { to.as_str().to_owned() } else { path.to_owned() }
        })?;
        notes.sort();
        Ok(Refactoring { files, places, notes })
    }
}

/// Refuses a change after which an include of the project leads to another file than before.
pub(super) fn check_includes(
    before: &Snapshot,
    after: &Snapshot,
    now: &dyn Fn(&str) -> String,
) -> Result<(), CannotRefactor> {
    let (old, new) = (Sight::new(before), Sight::new(after));
    let mut places = Vec::new();
    for entry in before.files().iter().filter(|entry| is_native(entry.language)) {
        let path = entry.path.as_str();
        let path_now = now(path);
        let included = new.included_by(&path_now);
        for target in old.included_by(path) {
            let target_now = now(target);
            if !included.contains(&target_now.as_str()) {
                let why = format!("includes `{target}`, and would no longer");
                places.push(Obstacle { file: path.to_owned(), line: 0, why });
            }
        }
    }
    let what = "includes would lead to other files".to_owned();
    if places.is_empty() { Ok(()) } else { Err(CannotRefactor::Obstacles { what, places }) }
}
