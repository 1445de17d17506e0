//! Types that are written in several parts (C#): the first part by path stands for all of them.

use std::rc::Rc;

use m1nd_lang::facts::{BindingTarget, DefKind, Namespace};

use crate::eval::lookup::{Asker, FILE};
use crate::eval::{Eval, Search};
use crate::names::{Name, name_generic};
use crate::tables::files::{DefRef, FileId};

impl Eval<'_> {
    /// The part or the place that stands for a type; every other definition itself.
    pub(in crate::eval) fn whole_type(&mut self, of: DefRef) -> DefRef {
        if !self.is_part(of) {
            return self.open_type(of);
        }
        self.parts(of).first().copied().unwrap_or(of)
    }

    fn is_part(&mut self, of: DefRef) -> bool {
        if !self.rules(of.file).partial_types {
            return false;
        }
        let definition = self.unit(of.file).facts.definition(of.def);
        definition.extends_type.is_some() && definition.kind.is_class_like() && definition.kind != DefKind::Impl
    }

    /// The name that a type is bound under: with the number of its type parameters where that tells types apart.
    pub(in crate::eval) fn bound_name(&mut self, of: DefRef) -> Name {
        let definition = self.definition(of);
        let unit = self.unit(of.file);
        let count = definition.type_parameters.1;
        if count == 0 || !self.rules(of.file).partial_types {
            return unit.name(definition.name);
        }
        self.project.names.intern(&name_generic(unit.facts.name(definition.name), count))
    }

    /// All parts of a type, in order of their paths.
    pub(in crate::eval) fn parts(&mut self, of: DefRef) -> Rc<[DefRef]> {
        if let Some(known) = self.memos.parts.get(&of) {
            return known.clone();
        }
        let name = self.bound_name(of);
        self.ask(name);
        let definition = self.definition(of);
        let owner = definition.owner.map(|def| DefRef { file: of.file, def });
        let mut found = Vec::new();
        match owner {
            Some(owner) if self.definition(owner).kind != DefKind::Module => {
                for part in self.whole_parts(owner).iter() {
                    if let Some(body) = self.definition(*part).body {
                        self.collect_parts(part.file, body, name, &mut found);
                    }
                }
            }
            _ => {
                let inline = self.inline_modules(of.file, definition.scope);
                let facts = &self.unit(of.file).facts;
                let inline: Vec<&str> = inline.iter().map(|def| facts.name(facts.definition(*def).name)).collect();
                let resolver = self.resolver(of.file);
                for (file, names) in resolver.parts(&self.files, of.file, &inline, self.text(name)) {
                    if let Some(scope) = self.module_scope(file, &names[..names.len().saturating_sub(1)]) {
                        self.collect_parts(file, scope, name, &mut found);
                    }
                }
            }
        }
        if !found.contains(&of) {
            found.push(of);
            found.sort_unstable_by_key(|part| (self.project.path(part.file), part.def));
        }
        let found: Rc<[DefRef]> = found.into();
        self.memos.parts.insert(of, found.clone());
        found
    }

    /// The other parts of a type that is written in several.
    pub(crate) fn other_parts(&mut self, of: DefRef) -> Vec<DefRef> {
        if !self.is_part(of) {
            return Vec::new();
        }
        self.parts(of).iter().copied().filter(|part| *part != of).collect()
    }

    /// The parts of a type, or the type alone.
    fn whole_parts(&mut self, of: DefRef) -> Rc<[DefRef]> {
        if self.is_part(of) { self.parts(of) } else { [of].into() }
    }

    /// The scope of modules written inside a file.
    fn module_scope(&mut self, file: FileId, names: &[String]) -> Option<m1nd_lang::facts::ScopeId> {
        let mut scope = FILE;
        for name in names {
            self.ask_text(name);
            let name = self.project.names.intern(name);
            let unit = self.unit(file);
            scope = unit.bindings(scope, name).find_map(|index| match unit.facts.bindings[index as usize].target {
                BindingTarget::Definition(def) => unit.facts.definition(def).body,
                _ => None,
            })?;
        }
        Some(scope)
    }

    fn collect_parts(&mut self, file: FileId, scope: m1nd_lang::facts::ScopeId, name: Name, found: &mut Vec<DefRef>) {
        let unit = self.unit(file);
        for index in unit.bindings(scope, name) {
            if let BindingTarget::Definition(def) = unit.facts.bindings[index as usize].target
                && self.is_part(DefRef { file, def })
            {
                found.push(DefRef { file, def });
            }
        }
    }

    /// A member that any part of a type declares; `None` if the type has one part.
    pub(in crate::eval) fn member_of_parts(&mut self, of: DefRef, name: Name, want: Namespace) -> Option<Search> {
        if !self.is_part(of) {
            return None;
        }
        let mut search = Search::default();
        for part in self.parts(of).iter() {
            if let Some(body) = self.definition(*part).body {
                let own = self.scope_member(part.file, body, name, want, Asker::Named);
                own.found.into_iter().for_each(|found| search.push(found));
            }
        }
        self.prefer_bodies(&mut search);
        Some(search)
    }
}
