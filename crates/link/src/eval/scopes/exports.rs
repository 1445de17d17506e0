//! Exports of a module that are written apart from definitions.

use m1nd_lang::facts::{DefKind, Expr, ImportKind, Namespace};

use crate::eval::lookup::{Asker, FILE};
use crate::eval::{Entity, Eval, Found, Module, Search, Value};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::ModuleTarget;
use crate::tables::files::{DefRef, FileId};

impl Eval<'_> {
    pub(in crate::eval) fn default_export(&mut self, target: ModuleTarget) -> Search {
        if let ModuleTarget::File(file) = target {
            let default = self.project.names.default_export;
            let search = self.module_member(&Module::File(file), default, Namespace::Any, Asker::Named);
            if !search.found.is_empty() {
                return search;
            }
            let whole = self.whole_export(file);
            if !whole.found.is_empty() {
                return whole;
            }
            // A file without named exports represents itself (components, data, CommonJS); another has no default.
            let facts = &self.unit(file).facts;
            let exports = !facts.exports.is_empty() || facts.imports.iter().any(|import| import.flags.reexport);
            return if exports {
                Search::unknown(Reason::NoSuchMember)
            } else {
                Search::one(Entity::Module(Module::File(file)))
            };
        }
        self.module_entity(target)
    }

    /// `module.exports = …` of a file.
    pub(in crate::eval) fn whole_export(&mut self, file: FileId) -> Search {
        self.ask(self.project.names.whole_export);
        let unit = self.unit(file);
        let mut search = Search::default();
        for index in unit.exports(self.project.names.whole_export) {
            search.add(self.export(file, index, Namespace::Any));
        }
        search
    }

    pub(in crate::eval) fn export(&mut self, file: FileId, index: u32, want: Namespace) -> Search {
        let unit = self.unit(file);
        let value = unit.facts.exports[index as usize].value;
        match unit.facts.expr(value) {
            Expr::Name { .. } | Expr::Member { .. } | Expr::Import(_) => {
                let want = if want == Namespace::Macro { Namespace::Any } else { want };
                let search = self.resolve(file, value, want);
                let local = search.found.iter().any(|found| matches!(found.entity, Entity::Local(..)));
                if local { Search::one(Entity::Expr(file, value)) } else { search }
            }
            Expr::Definition(def) => Search::one(Entity::Def(DefRef { file, def })),
            _ => Search::one(Entity::Expr(file, value)),
        }
    }

    pub(in crate::eval) fn find_exported(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        let key = (file, FILE, name, Namespace::Any);
        if let Some(place) = self.run.searches.get(&key) {
            self.run.cut = self.run.cut.min(*place);
            return Search::default();
        }
        self.run.searches.insert(key, self.run.depth);
        let search = self.exported_unguarded(file, name, want);
        self.run.searches.remove(&key);
        search
    }

    fn exported_unguarded(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        self.ask(name);
        let unit = self.unit(file);
        let mut search = Search::default();
        for index in unit.exports(name) {
            search.add(self.export(file, index, want));
        }
        self.keep_fitting(&mut search, want);
        self.prefer_bodies(&mut search);
        if !search.is_nothing() || self.text(name) == "default" {
            return search;
        }
        let mut external = Search::default();
        for import in unit.wildcards(FILE) {
            let row = unit.facts.imports[import.index()];
            if !row.flags.reexport || row.kind != ImportKind::Wildcard {
                continue;
            }
            let part = self.wildcard_member(file, import, name, want);
            // A module without the name exports everything; one that is not found may have it.
            external.unknown = external.unknown.or(part.unknown.filter(|reason| *reason != Reason::NoSuchMember));
            for found in part.found {
                match found.entity {
                    Entity::External(..) => external.push(found),
                    _ => search.push(found),
                }
            }
        }
        if search.found.is_empty() {
            let whole = self.whole_export(file);
            let values = self.values_of(whole, Namespace::Value);
            for value in &values.items {
                // A module that represents itself has no further members.
                if !matches!(value, Value::Module(Module::File(same)) if *same == file) {
                    self.member(value, name, want).found.into_iter().for_each(|found| search.push(found));
                }
            }
        }
        if search.found.is_empty() { external } else { search }
    }

    /// Of several declarations exported under one name (an interface and a constant, a function and a namespace),
    /// keeps those that are allowed in the context of the reference.
    fn keep_fitting(&mut self, search: &mut Search, want: Namespace) {
        if search.found.len() < 2 {
            return;
        }
        let fits = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => match (want, eval.definition(of).kind) {
                (Namespace::Value, kind) => !matches!(kind, DefKind::Interface | DefKind::TypeAlias),
                (Namespace::Callee, kind) => !matches!(kind, DefKind::Interface | DefKind::TypeAlias | DefKind::Module),
                (Namespace::Type, kind) => kind.is_type(),
                _ => true,
            },
            _ => true,
        };
        let fitting: Vec<bool> = search.found.iter().map(|found| fits(self, found)).collect();
        if fitting.contains(&true) {
            search.keep(&fitting);
        }
    }

    /// The value of a module that assigns to `module.exports`.
    pub(crate) fn whole_module_value(&mut self, file: FileId) -> Vec<Value> {
        let whole = self.whole_export(file);
        self.values_of(whole, Namespace::Value).items.to_vec()
    }
}
