//! The files that use what goes to a header: they include it.

use std::collections::BTreeSet;

use m1nd_base::RepoPath;
use m1nd_lang::RegionKind;

use super::moving::Moving;
use super::sight::is_native;
use super::unit::{Form, Unit};
use crate::edits::refactor::{CannotRefactor, read_plain};

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
