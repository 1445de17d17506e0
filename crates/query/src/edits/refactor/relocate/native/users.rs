//! The files that use what goes to a header: they include it.

use std::collections::BTreeSet;

use m1nd_base::RepoPath;

use super::moving::Moving;
use super::sight::is_native;
use super::unit::{Form, Unit};
use crate::edits::refactor::CannotRefactor;

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
            let Ok(source) = self.snapshot.read_file(&repo_path) else { continue };
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
        for path in self.list_using(names)? {
            let line = match self.users.get(&path) {
                Some(unit) => first_use(unit, names).map_or(0, |at| unit.line_of(at)),
                None => self.stays_in_use(names).map_or(0, |at| self.origin.line_of(at)),
            };
            return Err(self.refuse(&path, line, "uses it, and cannot include a source file: move it to a header"));
        }
        Ok(())
    }

    /// Refuses includes that lead back to the file that has them.
    pub(super) fn check_cycles(&mut self) -> Result<(), CannotRefactor> {
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
