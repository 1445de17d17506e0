//! Classes and modules that several files write, found by their whole paths (Ruby).

use std::rc::Rc;

use m1nd_lang::facts::{BindingTarget, DefKind, Definition, Expr, ExprId, Namespace, ScopeId};

use crate::eval::lookup::Asker;
use crate::eval::members::member::Asked;
use crate::eval::{Entity, Eval, Found, Outside, Search, Value, Values, no_args};
use crate::named;
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::ModuleTarget;
use crate::tables::files::{DefRef, FileId};
use crate::unit::{method_path, open_path};

/// Files that have one path which are looked at.
const MAX_FILES: usize = 512;
/// Names of a path that are read.
const MAX_NAMES: usize = 64;

impl Eval<'_> {
    /// The definitions that have a path, in order of their files.
    fn at_path(&mut self, from: FileId, path: &str) -> Rc<[DefRef]> {
        let key = self.project.names.intern(path);
        if let Some(known) = self.memos.open_types.get(&key) {
            return known.clone();
        }
        let last = path.rsplit("::").next().unwrap_or(path);
        self.ask_text(last);
        let family = self.project.family(from);
        let mut files = self.defining(named::global_word(path));
        files.retain(|&file| self.project.family(file) == family);
        self.project.sort_by_path(&mut files);
        let mut found = Vec::new();
        for file in files.into_iter().take(MAX_FILES) {
            self.look(1);
            let defs = self.unit(file).at_open_path(path);
            found.extend(defs.into_iter().map(|def| DefRef { file, def }));
        }
        let found: Rc<[DefRef]> = found.into();
        self.memos.open_types.insert(key, found.clone());
        found
    }

    /// What a path leads to: a class or module that is written in several places is one.
    fn find_at_path(&mut self, from: FileId, path: &str) -> Search {
        let mut search = Search::default();
        let mut has_type = false;
        for &of in self.at_path(from, path).iter() {
            let is_type = self.unit(of.file).facts.definition(of.def).kind.is_class_like();
            if !is_type || !has_type {
                search.push(Found::plain(Entity::Def(of)));
            }
            has_type |= is_type;
        }
        search
    }

    /// The places that a class or module is written in; the first stands for all.
    pub(in crate::eval) fn open_parts(&mut self, of: DefRef) -> Rc<[DefRef]> {
        let facts = &self.unit(of.file).facts;
        let row = facts.definition(of.def);
        if !row.kind.is_class_like() || row.flags.is_anonymous {
            return [of].into();
        }
        let path = open_path(facts, of.def);
        let parts = self.at_path(of.file, &path);
        let parts: Vec<DefRef> = parts.iter().copied().filter(|part| self.is_class_like(*part)).collect();
        if parts.is_empty() { [of].into() } else { parts.into() }
    }

    fn is_class_like(&mut self, of: DefRef) -> bool {
        self.unit(of.file).facts.definition(of.def).kind.is_class_like()
    }

    /// The place that stands for a class or module.
    pub(in crate::eval) fn open_type(&mut self, of: DefRef) -> DefRef {
        if !self.rules(of.file).open_types {
            return of;
        }
        self.open_parts(of).first().copied().unwrap_or(of)
    }

    /// A member that any place of a class or module writes.
    pub(in crate::eval) fn member_of_open_type(&mut self, of: DefRef, name: Name, want: Namespace) -> Search {
        let mut search = Search::default();
        for part in self.open_parts(of).iter() {
            let Some(body) = self.unit(part.file).facts.definition(part.def).body else { continue };
            let own = self.scope_member(part.file, body, name, want, Asker::Named);
            own.found.into_iter().for_each(|found| search.push(found));
        }
        if search.found.is_empty() && want != Namespace::Callee && self.text(name).starts_with(char::is_uppercase) {
            // `class A::B` is written outside of `A`.
            let path = open_path(&self.unit(of.file).facts, of.def);
            search = self.find_at_path(of.file, &format!("{path}::{}", self.text(name)));
        }
        search
    }

    /// The bases that the places of a class or module write.
    pub(in crate::eval) fn bases_of_parts(&mut self, of: DefRef) -> Vec<(DefRef, ExprId)> {
        let mut bases = Vec::new();
        for part in self.open_parts(of).iter() {
            let unit = self.unit(part.file);
            bases.extend(unit.list(unit.facts.definition(part.def).bases).iter().map(|&base| (*part, base)));
        }
        bases
    }

    /// A name that no scope of a file knows: a constant of the scopes around it, of the top, or outside.
    pub(in crate::eval) fn find_constant(&mut self, file: FileId, scope: ScopeId, name: Name) -> Search {
        let text = self.text(name);
        if !text.starts_with(char::is_uppercase) {
            return Search::unknown(Reason::NameNotFound);
        }
        let facts = &self.unit(file).facts;
        let mut owner = facts.scopes[scope.index()].owner;
        while let Some(def) = owner {
            let row = facts.definition(def);
            if row.kind.is_class_like() {
                let path = open_path(facts, def);
                let search = self.find_at_path(file, &format!("{path}::{text}"));
                if !search.found.is_empty() {
                    return search;
                }
            }
            owner = row.owner;
        }
        self.constant_at_top(file, name)
    }

    /// The part that the project writes of a class or module outside, by the path that names it.
    pub(in crate::eval) fn find_reopened(&mut self, file: FileId, expr: ExprId, search: &Search) -> Option<Search> {
        let is_outside = |found: &Found| matches!(found.entity, Entity::External(..));
        let facts = &self.unit(file).facts;
        if !matches!(facts.expr(expr), Expr::Path { .. }) || !search.found.iter().all(is_outside) {
            return None;
        }
        let mut names = Vec::new();
        let mut next = expr;
        while names.len() < MAX_NAMES {
            match facts.expr(next) {
                Expr::Path { base, name } => {
                    names.push(facts.name(name));
                    next = base;
                }
                Expr::Name { name, .. } => {
                    names.push(facts.name(name));
                    break;
                }
                Expr::Root { .. } => break,
                _ => return None,
            }
        }
        names.reverse();
        let own = self.find_at_path(file, &names.join("::"));
        (!own.found.is_empty()).then_some(own)
    }

    /// The package whose class or module the project adds to.
    pub(in crate::eval) fn reopened_package(&mut self, of: DefRef) -> Option<Outside> {
        let facts = &self.unit(of.file).facts;
        if facts.definition(of.def).flags.is_anonymous {
            return None;
        }
        let path = open_path(facts, of.def);
        let first = path.split("::").next()?;
        let is_nested = first.len() < path.len();
        if is_nested && !self.at_path(of.file, first).is_empty() {
            return None;
        }
        match self.resolver(of.file).outside(&self.files, of.file, first) {
            Some(ModuleTarget::External(package))
                if is_nested || (self.rules(of.file).is_standard_library)(&package) =>
            {
                Some(package.into())
            }
            _ => None,
        }
    }

    /// A bare call in a test that what is outside may have: a function that the project's tests define for all.
    pub(in crate::eval) fn function_of_tests(&mut self, file: FileId, name: Name) -> Option<Search> {
        if self.universal(file, name).is_some() {
            return None;
        }
        let mut search = self.find_at_path(file, self.text(name));
        search.found.retain(|found| match found.entity {
            Entity::Def(of) => self.unit(of.file).facts.definition(of.def).kind == DefKind::Function,
            _ => false,
        });
        self.is_of_tests(file, &search).then_some(search)
    }

    /// Returns whether the only function found is one of the file, or both are of tests.
    fn is_of_tests(&mut self, file: FileId, search: &Search) -> bool {
        let [Found { entity: Entity::Def(of), .. }] = search.found.as_slice() else { return false };
        of.file == file || self.unit(of.file).is_test && self.unit(file).is_test
    }

    /// A constant outside of all classes and modules.
    pub(in crate::eval) fn constant_at_top(&mut self, file: FileId, name: Name) -> Search {
        let search = self.find_at_path(file, self.text(name));
        if !search.found.is_empty() {
            return search;
        }
        let resolver = self.resolver(file);
        match resolver.outside(&self.files, file, self.text(name)) {
            Some(ModuleTarget::External(package)) => Search::one(Entity::External(package.into(), Some(name))),
            _ => Search::unknown(Reason::NameNotFound),
        }
    }

    /// A method of a class itself that its bases do not write: of the modules that it or a base is extended with.
    pub(in crate::eval) fn extended_member(&mut self, asked: &Asked<'_>) -> Option<Search> {
        if asked.want != Namespace::Callee || !matches!(asked.value, Value::Def(..)) {
            return None;
        }
        let mut work: Vec<DefRef> = vec![asked.of];
        let mut seen = Vec::new();
        while let Some(class) = work.pop() {
            if seen.contains(&class) || seen.len() > MAX_FILES {
                continue;
            }
            seen.push(class);
            for part in self.open_parts(class).iter() {
                let unit = self.unit(part.file);
                let row = unit.facts.definition(part.def);
                let mut modules = self.all(part.file, unit.list(row.implements), Namespace::Type);
                if class != asked.of {
                    modules.add(self.extended_by_hook(*part));
                }
                for value in modules.items {
                    let Value::Def(of, _) = value else { continue };
                    let instance = Value::Instance(of, no_args());
                    let search = self.member(&instance, asked.name, asked.want);
                    if search.found.iter().any(|found| matches!(found.entity, Entity::Def(_) | Entity::Local(..))) {
                        return Some(search);
                    }
                }
            }
            for base in self.bases(class) {
                if let crate::eval::ancestors::Ancestor::Class(base, _) = base {
                    work.push(base);
                }
            }
        }
        None
    }

    /// The modules that a module extends those with that include it.
    fn extended_by_hook(&mut self, module: DefRef) -> Values {
        let hook = self.project.names.intern(Definition::EXTENDED_BY_HOOK);
        self.ask(hook);
        let unit = self.unit(module.file);
        let mut values = Values::default();
        let Some(body) = unit.facts.definition(module.def).body else { return values };
        for binding in unit.bindings(body, hook) {
            if let BindingTarget::Value(expr) = unit.facts.bindings[binding as usize].target {
                values.add(self.eval(module.file, expr, Namespace::Type));
            }
        }
        values
    }

    /// A bare call whose receiver lacks the method, or is not known: of a function outside of classes, which is only
    /// certain in its own file, of the language, or of something outside if nothing of the project has the name.
    pub(in crate::eval) fn function_outside_classes(
        &mut self,
        file: FileId,
        name: Name,
        is_open: bool,
    ) -> Option<Search> {
        let mut search = self.find_at_path(file, self.text(name));
        search.found.retain(|found| match found.entity {
            Entity::Def(of) => self.unit(of.file).facts.definition(of.def).kind == DefKind::Function,
            _ => false,
        });
        if !search.found.is_empty() {
            let is_own = search.found.iter().all(|found| matches!(found.entity, Entity::Def(of) if of.file == file));
            let is_known = is_own || self.is_of_tests(file, &search);
            search.unknown = (!is_known).then_some(Reason::UnknownReceiver);
            return Some(search);
        }
        if let Some(universal) = self.universal(file, name) {
            return Some(universal);
        }
        let is_outside = is_open && !self.is_method_name(name);
        is_outside.then(|| Search::one(Entity::External("global".into(), Some(name))))
    }

    /// Returns whether the project gives anything that is called this name.
    pub(crate) fn is_method_name(&mut self, name: Name) -> bool {
        let path = method_path(self.text(name));
        !self.defining(named::global_word(&path)).is_empty()
    }

    /// Keeps the methods of a class itself, or those of its values.
    pub(in crate::eval) fn keep_side(&mut self, value: &Value, search: &mut Search) {
        let of_class = matches!(value, Value::Def(..));
        let fits = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => {
                let row = eval.unit(of.file).facts.definition(of.def);
                let is_method = matches!(row.kind, DefKind::Function | DefKind::Field);
                !is_method || matches!(value, Value::Super(..)) || row.flags.is_static == of_class
            }
            // A further name of a method.
            Entity::Local(file, binding) => {
                let facts = &eval.unit(file).facts;
                let is_of_class = match facts.bindings[binding as usize].target {
                    BindingTarget::Value(value) => match facts.expr(value) {
                        Expr::Implicit { base, .. } => matches!(facts.expr(base), Expr::SelfType { .. }),
                        _ => return true,
                    },
                    _ => return true,
                };
                matches!(value, Value::Super(..)) || is_of_class == of_class
            }
            _ => true,
        };
        let keep: Vec<bool> = search.found.iter().map(|found| fits(self, found)).collect();
        search.keep(&keep);
    }
}
