//! What stays behind: code of the old file that still uses what goes must see a declaration of it.

use std::collections::BTreeSet;

use m1nd_base::NodeKind;
use m1nd_graph::NodeFlags;

use super::moving::Moving;
use super::sight::is_native;
use super::unit::{Form, Word};
use crate::edits::refactor::CannotRefactor;

impl Moving<'_> {
    /// For each function or variable that goes to another source: raises it if what stays uses it, and leaves a
    /// declaration if there is none in sight.
    pub(super) fn leave_declarations(&mut self) -> Result<(), CannotRefactor> {
        if self.to_header {
            return self.fit_for_header();
        }
        for place in 0..self.pieces.len() {
            match self.pieces[place].form {
                Form::Function { is_member: false, is_static, .. } => self.leave_one(place, is_static)?,
                Form::Variable { is_member: false, is_static, is_extern: false, .. } => {
                    self.leave_one(place, is_static)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Where what stays uses the names of a piece, without its own declarations.
    pub(super) fn stays_in_use(&self, names: &BTreeSet<String>) -> Option<usize> {
        let declaring: Vec<_> = self.list_declaring(names).into_iter().map(|item| self.origin.code_of(item)).collect();
        let is_use = |at: usize| !self.goes(at) && !declaring.iter().any(|range| range.contains(&at));
        let words = self.origin.words.iter().filter(|word| !word.is_member && !word.is_forward);
        words
            .map(|word| word.range.clone())
            .find(|range| is_use(range.start) && names.contains(&self.origin.text()[range.clone()]))
            .map(|range| range.start)
    }

    /// The statements of the old file that only declare these names.
    fn list_declaring(&self, names: &BTreeSet<String>) -> Vec<usize> {
        let is_declaration = |item: &usize| {
            let is_one =
                matches!(self.origin.form_of(*item), Form::Prototype { .. } | Form::Variable { is_extern: true, .. });
            is_one
                && !self.origin.names_of(*item).is_disjoint(names)
                && !self.pieces.iter().any(|piece| piece.item == *item)
        };
        (0..self.origin.native.items.len()).filter(is_declaration).collect()
    }

    fn leave_one(&mut self, place: usize, is_static: bool) -> Result<(), CannotRefactor> {
        let (item, names) = (self.pieces[place].item, self.pieces[place].names.clone());
        let declaring = self.list_declaring(&names);
        if is_static {
            self.refuse_including(&names)?;
        }
        let Some(user) = self.stays_in_use(&names) else {
            // A declaration of something that is not here would be an error.
            for other in declaring.into_iter().filter(|_| is_static) {
                let lines = self.origin.native.items[other].item.lines.clone();
                self.origin.patches.push((super::super::cut::deletion(self.origin.text(), &lines), String::new()));
            }
            return Ok(());
        };
        let declaration =
            self.origin.declaration_of(item).map_err(|why| self.refuse_at(user, format!("uses it, and it {why}")))?;
        let is_open = |word: &&Word| {
            !word.is_member
                && names.contains(self.origin.spelling(word))
                && !self.goes(word.range.start)
                && self.origin.needs_size(item, &word.range)
        };
        if let Some(word) = self.origin.words.iter().find(is_open) {
            return Err(self.refuse_at(word.range.start, "uses it, an array whose size would no longer be known here"));
        }
        if is_static {
            self.raise(item)?;
            for other in &declaring {
                self.origin.patches.extend(self.origin.static_word(*other).map(|range| (range, String::new())));
            }
        }
        if declaring.is_empty() && !self.is_declared_in_sight(place) {
            let line = self.origin.line_of(self.origin.native.items[item].item.bytes.start);
            self.note(self.from(), line, format!("a declaration of `{}` stays here", join_names(&names)));
            self.left.insert(item, declaration);
        }
        Ok(())
    }

    /// Refuses users in files that include this source.
    fn refuse_including(&mut self, names: &BTreeSet<String>) -> Result<(), CannotRefactor> {
        let from = self.from();
        let users = self.list_using(names)?;
        match users.into_iter().find(|path| path != from) {
            Some(path) => {
                Err(self.refuse(&path, 0, format!("includes `{from}`, and uses what belongs to that file alone")))
            }
            None => Ok(()),
        }
    }

    /// Whether a header that the old file sees declares a piece.
    fn is_declared_in_sight(&self, place: usize) -> bool {
        let seen = self.sight.seen_from(self.from(), &self.more);
        let nodes = self.pieces[place].nodes.iter();
        let mut declared = nodes.flat_map(|node| self.graph().declarations(*node));
        let graph = self.graph();
        if declared.any(|node| seen.contains(graph.path(node))) {
            return true;
        }
        // Variables have no edge to their declaration.
        let is_extern = |node: &m1nd_graph::NodeIx| {
            graph.flags(*node).has(NodeFlags::DECLARATION) && seen.contains(graph.path(*node))
        };
        self.pieces[place].names.iter().any(|name| graph.find_labelled(name).iter().any(is_extern))
    }

    /// Takes `static` away from a statement of the old file, if no other file has the name.
    pub(super) fn raise(&mut self, item: usize) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let names = self.origin.names_of(item);
        for name in &names {
            let is_other = |node: &m1nd_graph::NodeIx| {
                let is_outer = graph.parent(*node).is_some_and(|parent| graph.kind(parent) == NodeKind::File);
                let is_code = self.snapshot.file_of(*node).is_some_and(|file| is_native(file.language));
                let is_shared = !graph.signature(*node).starts_with("static");
                let is_kind = matches!(graph.kind(*node), NodeKind::Function | NodeKind::Variable | NodeKind::Constant);
                is_outer && is_code && is_shared && is_kind && graph.path(*node) != self.from()
            };
            if let Some(other) = graph.find_labelled(name).into_iter().find(is_other) {
                let why = format!("has the name `{name}` already, which would no longer belong to one file alone");
                return Err(self.refuse(graph.path(other), graph.name_line(other), why));
            }
        }
        if let Some(range) = self.origin.static_word(item) {
            let line = self.origin.line_of(range.start);
            let patch = (range, String::new());
            if !self.origin.patches.contains(&patch) {
                self.origin.patches.push(patch);
                self.note(self.from(), line, format!("`{}` loses `static`", join_names(&names)));
            }
        }
        Ok(())
    }

    /// A function of one file becomes `static inline` in a header.
    fn fit_for_header(&mut self) -> Result<(), CannotRefactor> {
        for place in 0..self.pieces.len() {
            let Form::Function { is_static: true, is_inline: false, .. } = self.pieces[place].form else { continue };
            if self.from_header {
                continue;
            }
            if let Some(range) = self.origin.static_word(self.pieces[place].item) {
                self.origin.patches.push((range.end..range.end, "inline ".to_owned()));
            }
        }
        Ok(())
    }
}

pub(super) fn join_names(names: &BTreeSet<String>) -> String {
    names.iter().cloned().collect::<Vec<_>>().join("`, `")
}
