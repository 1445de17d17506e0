//! The files that use what goes to a header: they include it.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{NodeKind, RepoPath};
use m1nd_lang::{NativeItem, RegionKind};

use super::moving::Moving;
use super::needs::is_of_header;
use super::sight::is_native;
use super::standard::names_of_header;
use super::unit::{Form, Unit, is_keyword};
use crate::edits::refactor::{CannotRefactor, read_plain};

/// A name that a header uses and does not include.
struct Needed {
    name: String,
    line: u32,
    /// The files that define it.
    files: BTreeSet<String>,
}

impl Moving<'_> {
    /// Gives each file that uses what goes the include of the target; refuses users of what goes to a source.
    pub(super) fn follow_users(&mut self) -> Result<(), CannotRefactor> {
        let names = self.shared_names();
        if names.is_empty() {
            return Ok(());
        }
        if !self.to_header {
            return self.refuse_users(&names);
        }
        let to = self.request.to.clone();
        // Headers first: who includes them sees the target through them.
        let mut paths = self.list_using(&names)?;
        paths.sort_by_key(|path| (!self.sight.is_header(path), path.clone()));
        for path in paths {
            if !self.sight.seen_from(&path, &self.more).contains(&to) {
                self.more.entry(path.clone()).or_default().insert(to.clone());
                self.places += 1;
            }
        }
        if self.from_header {
            let what = "code outside of the project that uses it has to include its new header".to_owned();
            let line = self.graph().name_line(self.request.node);
            self.note(self.from(), line, what);
        }
        Ok(())
    }

    /// The names that other code sees by their definition: those of types, macros, constants, functions in headers.
    fn shared_names(&self) -> BTreeSet<String> {
        let is_shared = |form: &Form| match form {
            Form::Type | Form::Macro | Form::Prototype { .. } => true,
            Form::Function { is_member, .. } => (self.from_header || self.to_header) && !is_member,
            Form::Variable { is_member, is_extern, .. } => {
                (self.from_header || self.to_header || *is_extern) && !is_member
            }
            Form::Other => false,
        };
        let pieces = self.pieces.iter().filter(|piece| is_shared(&piece.form));
        pieces.flat_map(|piece| piece.names.iter().cloned()).collect()
    }

    /// The files, without the target, that use one of the names outside of what goes.
    pub(super) fn list_using(&mut self, names: &BTreeSet<String>) -> Result<Vec<String>, CannotRefactor> {
        let mut found = Vec::new();
        if self.stays_in_use(names).is_some() {
            found.push(self.from().to_owned());
        }
        for path in self.sight.seeing(self.from()) {
            self.cancel.check()?;
            if path == self.request.to {
                continue;
            }
            let Ok(repo_path) = RepoPath::new(&path) else { continue };
            let is_code = self.snapshot.files().get(&repo_path).is_some_and(|file| is_native(file.language));
            let Ok(source) = read_plain(self.snapshot, &repo_path) else { continue };
            if !is_code || !names.iter().any(|name| source.text.contains(name.as_str())) {
                continue;
            }
            let unit = Unit::read(self.snapshot, &self.sight, &path, self.cancel)?;
            if first_use(&unit, names).is_some() {
                found.push(path.clone());
            }
            self.users.insert(path, unit);
        }
        Ok(found)
    }

    /// Refuses users of what a source would keep to itself.
    fn refuse_users(&mut self, names: &BTreeSet<String>) -> Result<(), CannotRefactor> {
        if let Some(path) = self.list_using(names)?.into_iter().next() {
            let line = match self.users.get(&path) {
                Some(unit) => first_use(unit, names).map_or(0, |at| unit.line_of(at)),
                None => self.stays_in_use(names).map_or(0, |at| self.origin.line_of(at)),
            };
            return Err(self.refuse(&path, line, "uses it, and cannot include a source file: move it to a header"));
        }
        Ok(())
    }

    /// Refuses includes of headers that can be read only once.
    fn check_guards(&self) -> Result<(), CannotRefactor> {
        let paths: BTreeSet<&String> = self.more.values().flatten().collect();
        for path in paths {
            let is_there = RepoPath::new(path).is_ok_and(|path| self.snapshot.files().get(&path).is_some());
            if !is_there {
                continue;
            }
            let unit = Unit::read(self.snapshot, &self.sight, path, self.cancel)?;
            let has_guard = unit.native.regions.iter().any(|region| region.kind == RegionKind::Guard);
            if !has_guard && !unit.text().contains("#pragma once") && self.is_seen_twice(path) {
                return Err(self.refuse(path, 1, "has no guard, so it cannot be included once more"));
            }
        }
        Ok(())
    }

    /// Refuses includes of headers that use what their present users include in front of them, where the new one does
    /// not.
    fn check_fragments(&self) -> Result<(), CannotRefactor> {
        let mut needs: BTreeMap<&str, Vec<Needed>> = BTreeMap::new();
        for (path, included) in &self.more {
            let mut seen = self.sight.seen_from(path, &self.more);
            seen.insert(path.clone());
            for header in included {
                if !needs.contains_key(header.as_str()) {
                    needs.insert(header, self.list_needed(header)?);
                }
                let is_missing = |needed: &&Needed| needed.files.is_disjoint(&seen);
                if let Some(needed) = needs[header.as_str()].iter().find(is_missing) {
                    let (name, of) = (&needed.name, needed.files.first().map_or("", String::as_str));
                    let why =
                        format!("uses `{name}` of `{of}`, which it does not include, and `{path}` would include it");
                    return Err(self.refuse(header, needed.line, why));
                }
            }
        }
        Ok(())
    }

    /// The types and macros that a header uses and does not include: all files that include it see them.
    fn list_needed(&self, header: &str) -> Result<Vec<Needed>, CannotRefactor> {
        let graph = self.graph();
        let mut own = self.sight.seen_from(header, &self.more);
        own.insert(header.to_owned());
        let users = self.sight.seeing(header).into_iter().filter(|path| self.sight.included_by(path).contains(&header));
        let users: Vec<BTreeSet<String>> = users
            .map(|path| {
                let mut seen = self.sight.seen_from(&path, &BTreeMap::new());
                seen.insert(path);
                seen
            })
            .collect();
        let is_indexed = RepoPath::new(header).is_ok_and(|path| self.snapshot.files().get(&path).is_some());
        if users.is_empty() || !is_indexed {
            return Ok(Vec::new());
        }
        let unit = Unit::read(self.snapshot, &self.sight, header, self.cancel)?;
        let facts = &unit.parsed.facts;
        let mut own_names: BTreeSet<&str> =
            facts.parameters.iter().map(|parameter| facts.name(parameter.name)).collect();
        let standard = unit.includes.iter().filter_map(|include| names_of_header(&include.written));
        own_names.extend(standard.flatten());
        // What a macro stands for is needed only where it is used.
        let is_macro = |item: &&NativeItem| item.item.node_kind.starts_with("preproc_");
        let macros: Vec<_> = unit.native.items.iter().filter(is_macro).map(|item| item.item.bytes.clone()).collect();
        let mut needed: Vec<Needed> = Vec::new();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for word in unit.words.iter().filter(|word| !word.is_member && !word.is_forward) {
            let name = unit.spelling(word);
            let is_in_macro = macros.iter().any(|bytes| bytes.contains(&word.range.start));
            if is_in_macro || own_names.contains(name) || is_keyword(&unit, name) || !known.insert(name) {
                continue;
            }
            let nodes = graph.find_labelled(name).into_iter().filter(|node| {
                is_of_header(graph.kind(*node)) || matches!(graph.kind(*node), NodeKind::Macro | NodeKind::Variant)
            });
            let files: BTreeSet<String> = nodes.map(|node| graph.path(node).to_owned()).collect();
            if files.is_disjoint(&own) && users.iter().all(|seen| !files.is_disjoint(seen)) {
                let line = unit.line_of(word.range.start);
                needed.push(Needed { name: name.to_owned(), line, files });
            }
        }
        Ok(needed)
    }

    /// Whether a file would see a header by several includes.
    fn is_seen_twice(&self, header: &str) -> bool {
        let mut users: BTreeSet<String> = self.sight.seeing(header);
        users.extend(self.more.iter().filter(|(_, all)| all.contains(header)).map(|(path, _)| path.clone()));
        let all: BTreeSet<String> =
            users.iter().flat_map(|path| self.sight.seeing(path)).chain(users.iter().cloned()).collect();
        all.iter().any(|path| {
            let mut seen = self.sight.seen_from(path, &self.more);
            seen.insert(path.clone());
            let including = |from: &&String| {
                let added = self.more.get(*from).is_some_and(|all| all.contains(header));
                added || self.sight.included_by(from).contains(&header)
            };
            seen.iter().filter(including).count() > 1
        })
    }

    /// Refuses includes that lead back to the file that has them.
    pub(super) fn check_cycles(&mut self) -> Result<(), CannotRefactor> {
        self.check_guards()?;
        self.check_fragments()?;
        self.check_included_once()?;
        let names = self.names();
        for (path, included) in &self.more {
            let through = |to: &&String| self.sight.seen_from(to, &self.more).contains(path) || *to == path;
            let Some(to) = included.iter().find(through) else { continue };
            let line = match self.users.get(path) {
                Some(unit) => first_use(unit, &names).map_or(0, |at| unit.line_of(at)),
                None if path == self.from() => self.stays_in_use(&names).map_or(0, |at| self.origin.line_of(at)),
                None => 0,
            };
            let why = format!("would include itself through `{to}`: an include cycle would arise");
            return Err(self.refuse(path, line, why));
        }
        Ok(())
    }
}

/// The first place where a file uses one of some names.
pub(super) fn first_use(unit: &Unit, names: &BTreeSet<String>) -> Option<usize> {
    let words = unit.words.iter().filter(|word| !word.is_member && !word.is_forward);
    words
        .map(|word| word.range.clone())
        .find(|range| names.contains(&unit.text()[range.clone()]))
        .map(|range| range.start)
}
