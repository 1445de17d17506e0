//! The new texts of a move: what stays, the target with what goes, and users with their includes.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::RepoPath;
use m1nd_graph::Graph;
use m1nd_lang::{ItemKind, RegionKind};

use super::super::cut::{Patch, apply, deletion};
use super::builds::list_builds;
use super::moving::Moving;
use super::sight::list_roots;
use super::unit::{Form, Unit};
use super::users::first_use;
use super::whole::check_includes;
use crate::edits::refactor::trial::Trial;
use crate::edits::refactor::{CannotRefactor, NewFile, Refactoring};

/// Maximum number of members of a definition that goes whose ids change.
const MAX_MEMBERS: usize = 1_000;

/// How the ids of packages begin that are not in the project.
const OUTSIDE: &str = "external::";

/// Code with the namespaces that it stands in, outermost first; an empty name is `extern "C"`.
type Part = (Vec<String>, String);

impl Moving<'_> {
    /// The new texts, checked by a trial.
    pub(super) fn write(mut self) -> Result<Refactoring, CannotRefactor> {
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        texts.insert(self.from().to_owned(), self.origin_text());
        for (path, unit) in &self.users {
            if let Some(included) = self.more.get(path) {
                let patches = self.include_patches(unit, included, &BTreeSet::new());
                texts.insert(path.clone(), apply(unit.text(), patches));
            }
        }
        let text = match &self.target {
            Some(target) => self.target_text(target)?,
            None => self.new_text(),
        };
        texts.insert(self.request.to.clone(), text);
        self.note_builds()?;
        self.finish(texts)
    }

    /// What stays of the old file.
    fn origin_text(&self) -> String {
        let is_gone = |patch: &Patch| {
            let inside = |lines: &std::ops::Range<usize>| lines.start <= patch.0.start && patch.0.end <= lines.end;
            self.pieces.iter().any(|piece| inside(&piece.lines))
        };
        let mut patches: Vec<Patch> = self.origin.patches.iter().filter(|patch| !is_gone(patch)).cloned().collect();
        for piece in &self.pieces {
            patches.push(match self.left.get(&piece.item) {
                Some(declaration) => (piece.lines.clone(), format!("{declaration}\n")),
                None => (deletion(self.origin.text(), &piece.lines), String::new()),
            });
        }
        if let Some(included) = self.more.get(self.from()) {
            patches.extend(self.include_patches(&self.origin, included, &BTreeSet::new()));
        }
        apply(self.origin.text(), patches)
    }

    /// What goes, with its changes, in order; declarations that it needs come first.
    fn moved_parts(&self) -> Vec<Part> {
        let text = self.origin.text();
        let mut parts: Vec<Part> = self.declarations.clone();
        for piece in &self.pieces {
            let lines = &piece.lines;
            let within = |patch: &&Patch| lines.start <= patch.0.start && patch.0.end <= lines.end;
            let shifted = |(at, with): &Patch| (at.start - lines.start..at.end - lines.start, with.clone());
            let patches = self.origin.patches.iter().filter(within).map(shifted).collect();
            let code = apply(&text[lines.clone()], patches).trim_matches(['\r', '\n']).to_owned();
            let scope = self.origin.scope_of(self.origin.native.items[piece.item].region);
            parts.push((scope, code));
        }
        // Parts of one namespace that follow each other stand together.
        let mut joined: Vec<Part> = Vec::new();
        for (scope, code) in parts {
            match joined.last_mut().filter(|last| last.0 == scope) {
                Some(last) => last.1.push_str(&format!("\n\n{code}")),
                None => joined.push((scope, code)),
            }
        }
        joined
    }

    /// The lines that include some files, and those of the system.
    fn include_lines(&self, path: &str, unit: Option<&Unit>, included: &BTreeSet<String>) -> Vec<String> {
        let mut roots = unit.map_or_else(Vec::new, |unit| list_roots(path, &unit.includes));
        if path == self.request.to {
            roots.extend(list_roots(self.from(), &self.origin.includes));
        }
        // In the order of the old file: a header may need another one in front of it.
        let place = |to: &String| {
            let mut own = self.origin.includes.iter();
            own.position(|include| include.to.as_ref() == Some(to)).unwrap_or(usize::MAX)
        };
        let mut included: Vec<&String> = included.iter().collect();
        included.sort_by_key(|to| place(to));
        let line = |to: &String| format!("#include {}", self.sight.spell_from((path, &roots), to, None));
        included.into_iter().map(line).collect()
    }

    /// Puts includes behind those that a file has.
    fn include_patches(&self, unit: &Unit, included: &BTreeSet<String>, system: &BTreeSet<String>) -> Vec<Patch> {
        let mut patches = Vec::new();
        let own = self.include_lines(unit.path(), Some(unit), included);
        for (lines, is_system) in [(system.iter().cloned().collect::<Vec<_>>(), true), (own, false)] {
            if !lines.is_empty() {
                let (at, gap) = include_place(unit, is_system);
                let before = if gap { "\n" } else { "" };
                patches.push((at..at, format!("{before}{}\n", lines.join("\n"))));
            }
        }
        patches
    }

    /// The text of the target with what goes.
    fn target_text(&self, target: &Unit) -> Result<String, CannotRefactor> {
        let none = BTreeSet::new();
        let included = self.more.get(target.path()).unwrap_or(&none);
        let mut patches = self.include_patches(target, included, &self.system_lines);
        if !self.usings.is_empty() {
            let (at, _) = include_place(target, false);
            patches.push((at..at, format!("\n{}\n", self.usings.join("\n"))));
        }
        for (scope, code) in self.moved_parts() {
            let (at, wrapped, is_before) = self.place_in(target, &scope)?;
            let code = if wrapped { wrap(&scope, &code) } else { code };
            let is_line_start = at == 0 || target.text()[..at].ends_with('\n');
            let start = if is_line_start { "" } else { "\n" };
            patches.push((at..at, if is_before { format!("{start}{code}\n\n") } else { format!("{start}\n{code}\n") }));
        }
        // What stands in front of the first use comes behind new includes at the same place.
        let mut joined: Vec<Patch> = Vec::new();
        for (range, text) in patches {
            match joined.iter_mut().find(|(other, _)| *other == range) {
                Some((_, known)) => known.push_str(&text),
                None => joined.push((range, text)),
            }
        }
        Ok(apply(target.text(), joined))
    }

    /// Where code of some namespaces goes in the target: the byte, whether the namespaces have to be opened there, and
    /// whether something follows that uses it.
    fn place_in(&self, target: &Unit, scope: &[String]) -> Result<(usize, bool, bool), CannotRefactor> {
        let needed_end = self.used_in_target.iter().map(|item| target.native.items[*item].item.lines.end).max();
        let is_seen_before =
            |form: &Form| matches!(form, Form::Type | Form::Macro | Form::Variable { .. }) || self.to_header;
        let names: BTreeSet<String> = self
            .pieces
            .iter()
            .filter(|piece| is_seen_before(&piece.form))
            .flat_map(|piece| piece.names.iter().cloned())
            .collect();
        if let Some(used) = first_use(target, &names) {
            let item = target.item_at(used);
            let is_free = |item: &usize| {
                target.obstacle_around(*item).is_none() && target.scope_of(target.native.items[*item].region) == scope
            };
            let (at, wrapped) = match item.filter(is_free) {
                Some(item) => (target.native.items[item].item.lines.start, false),
                None => (outermost_start(target, used), true),
            };
            if needed_end.is_some_and(|end| end > at) {
                let why = "uses it in front of what it needs itself";
                return Err(self.refuse(target.path(), target.line_of(used), why));
            }
            return Ok((at, wrapped && !scope.is_empty(), true));
        }
        let is_of_scope = |row: &(usize, &m1nd_lang::NativeItem)| {
            row.1.item.kind != ItemKind::Comment
                && target.obstacle_around(row.0).is_none()
                && target.scope_of(row.1.region) == scope
        };
        let last = target.native.items.iter().enumerate().rfind(is_of_scope);
        let end = last.map(|(_, item)| item.item.lines.end);
        match end.filter(|end| needed_end.is_none_or(|needed| needed <= *end)) {
            Some(end) if scope.is_empty() || !is_only_head(target, end) => Ok((end, false, false)),
            _ => Ok((end_of_file(target), !scope.is_empty(), false)),
        }
    }

    /// The text of a new target.
    fn new_text(&self) -> String {
        let to = self.request.to.as_str();
        let none = BTreeSet::new();
        let included = self.more.get(to).unwrap_or(&none);
        let mut blocks: Vec<String> = Vec::new();
        let system: Vec<String> = self.system_lines.iter().cloned().collect();
        let own = self.include_lines(to, None, included);
        blocks.extend([system, own].into_iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")));
        if !self.usings.is_empty() {
            blocks.push(self.usings.join("\n"));
        }
        let code: Vec<String> = self.moved_parts().iter().map(|(scope, code)| wrap(scope, code)).collect();
        let code = code.join("\n\n");
        let is_c_linkage = self.to_header && !self.origin.is_cpp() && has_c_linkage(self.origin.text());
        blocks.push(match is_c_linkage {
            true => format!("#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{code}\n\n#ifdef __cplusplus\n}}\n#endif"),
            false => code,
        });
        let body = blocks.join("\n\n");
        let guard = guard_of(to);
        let has_guard = self.origin.native.regions.iter().any(|region| region.kind == RegionKind::Guard);
        match (self.to_header, has_guard) {
            (false, _) => format!("{body}\n"),
            (true, true) => format!("#ifndef {guard}\n#define {guard}\n\n{body}\n\n#endif\n"),
            (true, false) => format!("#pragma once\n\n{body}\n"),
        }
    }

    /// Says which build files list the old source, where the new one is not yet.
    fn note_builds(&mut self) -> Result<(), CannotRefactor> {
        if self.target.is_some() || self.to_header {
            return Ok(());
        }
        let from = self.from().to_owned();
        for found in list_builds(self.snapshot, &from, self.cancel)? {
            self.note(&found.file, found.line, format!("lists `{from}`: add `{}` by hand", self.request.to));
        }
        Ok(())
    }

    /// The files of the move, checked by a trial.
    fn finish(self, texts: BTreeMap<String, String>) -> Result<Refactoring, CannotRefactor> {
        let mut files = Vec::new();
        for (path, text) in texts {
            let known = match &path {
                path if path == self.from() => Some(&self.origin),
                path if *path == self.request.to => self.target.as_ref(),
                path => self.users.get(path),
            };
            if known.is_some_and(|unit| unit.text() == text) {
                continue;
            }
            let bad = |_| CannotRefactor::BadRequest(format!("`{path}` is not a path"));
            let path = RepoPath::new(&path).map_err(bad)?;
            files.push(NewFile { path, before: known.map(Unit::hash), text: Some(text) });
        }
        let graph = self.graph();
        let members =
            self.pieces.iter().flat_map(|piece| &piece.nodes).flat_map(|node| graph.with_members(*node, MAX_MEMBERS));
        let ids: BTreeMap<&str, String> = members
            .map(|node| (graph.id(node), graph.id(node).replacen(graph.path(node), &self.request.to, 1)))
            .collect();
        let trial = Trial::link(self.snapshot, &files, self.cancel)?;
        let then = |id: &str| {
            let id = find_definition(graph, id)?;
            Some(without_hash(&ids.get(id).cloned().unwrap_or_else(|| id.to_owned())))
        };
        let now = |id: &str| find_definition(trial.after.graph(), id).map(without_hash);
        trial.check(&then, &now, self.cancel)?;
        check_includes(self.snapshot, &trial.after, &str::to_owned)?;
        let mut notes = self.notes;
        notes.sort();
        Ok(Refactoring { files, places: self.places, notes })
    }
}

/// The id of what a declaration declares, if that is known; `None` for a file, whose includes are compared apart. What
/// is outside of the project is one: which header a name comes from depends on all that a file includes.
fn find_definition<'g>(graph: &'g Graph, id: &'g str) -> Option<&'g str> {
    if id.starts_with(OUTSIDE) {
        return Some(OUTSIDE);
    }
    let is_inner = !id.starts_with("file::") || id.matches("::").count() > 1;
    is_inner.then(|| graph.find(id).map_or(id, |node| graph.id(graph.definition_of(node))))
}

/// An id without the numbers that tell definitions of one name apart: they depend on the others in the file.
fn without_hash(id: &str) -> String {
    let plain = |part: &str| part.split_once('~').map_or(part, |(name, _)| name).to_owned();
    id.split("::").map(plain).collect::<Vec<_>>().join("::")
}

/// Where a file includes more: behind its last include of that form in front of its code. Whether a blank line has to
/// stand in front.
fn include_place(unit: &Unit, is_system: bool) -> (usize, bool) {
    let items = &unit.native.items;
    let is_free = |item: &usize| unit.obstacle_around(*item).is_none() && unit.scope_of(items[*item].region).is_empty();
    let is_head = |item: &usize| {
        matches!(items[*item].item.kind, ItemKind::Import | ItemKind::Comment)
            || items[*item].item.node_kind.starts_with("preproc_")
    };
    let free: Vec<usize> = (0..items.len()).filter(|item| !is_head(item) || is_free(item)).collect();
    let head: Vec<usize> = free.into_iter().take_while(is_head).collect();
    let includes: Vec<usize> = head.iter().copied().filter(|item| items[*item].item.kind == ItemKind::Import).collect();
    let of_form = |item: &&usize| unit.text()[items[**item].item.bytes.clone()].contains('<') == is_system;
    if let Some(item) = includes.iter().rev().find(of_form).or_else(|| includes.last()) {
        return (items[*item].item.lines.end, false);
    }
    // Behind the guard, `#pragma once`, or the comment about the file.
    let guard = unit.native.regions.iter().find(|region| region.kind == RegionKind::Guard);
    let is_first_define = |item: &&usize| guard.is_some() && &*items[**item].item.node_kind == "preproc_def";
    let is_pragma =
        |item: &&usize| unit.text()[items[**item].item.bytes.clone()].trim_start().starts_with("#pragma once");
    let about = || head.iter().take_while(|item| items[**item].item.kind == ItemKind::Comment).last();
    let found = head.iter().find(is_first_define).or_else(|| head.iter().find(is_pragma)).or_else(about);
    found.map_or((0, false), |item| (items[*item].item.lines.end, true))
}

/// Where the outermost region around a byte begins, without the guard; else the statement there.
fn outermost_start(unit: &Unit, at: usize) -> usize {
    let regions = unit.native.regions.iter().filter(|region| region.kind != RegionKind::Guard);
    let region = regions.filter(|region| region.bytes.contains(&at)).map(|region| region.bytes.start).min();
    let item = unit.item_at(at).map(|item| unit.native.items[item].item.lines.start);
    let start = region.or(item).unwrap_or(at);
    unit.text()[..start].rfind('\n').map_or(0, |at| at + 1)
}

/// Whether nothing but includes and directives stands in front of a byte.
fn is_only_head(unit: &Unit, end: usize) -> bool {
    let mut items = unit.native.items.iter().filter(|item| item.item.bytes.end <= end);
    items.all(|item| item.item.kind != ItemKind::Other || item.item.node_kind.starts_with("preproc_"))
}

/// The end of the code of a file: in front of the end of its guard.
fn end_of_file(unit: &Unit) -> usize {
    let guard = unit.native.regions.iter().find(|region| region.kind == RegionKind::Guard);
    guard.map_or(unit.text().len(), |guard| guard.inner.end)
}

/// Code in its namespaces.
fn wrap(scope: &[String], code: &str) -> String {
    if scope.is_empty() {
        return code.to_owned();
    }
    let open =
        |name: &String| if name.is_empty() { "extern \"C\" {".to_owned() } else { format!("namespace {name} {{") };
    let close = |name: &String| if name.is_empty() { "}".to_owned() } else { format!("}}  // namespace {name}") };
    let head: Vec<String> = scope.iter().map(open).collect();
    let foot: Vec<String> = scope.iter().rev().map(close).collect();
    format!("{}\n\n{code}\n\n{}", head.join("\n"), foot.join("\n"))
}

/// The word of the guard of a new header.
fn guard_of(path: &str) -> String {
    let word: String =
        path.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    let start = if word.starts_with(|c: char| c.is_ascii_digit()) { "H_" } else { "" };
    format!("{start}{}_", word.trim_start_matches('_'))
}

/// Whether a header of C is read by C++ as well.
fn has_c_linkage(text: &str) -> bool {
    text.contains("__cplusplus") && text.contains("extern \"C\"")
}
