//! Names in packages that clauses of a file bring into view, objects beside classes, and what such names call (Scala).

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{
    BindingTarget, DefKind, Expr, ExprId, FactsBuilder, Namespace, ParameterKind, ScopeId, ScopeKind,
};

use crate::eval::lookup::Asker;
use crate::eval::{Args, Entity, Eval, Found, Module, Outside, Receiver, Search, Value, Values, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::ModuleTarget;
use crate::tables::files::{DefRef, FileId};

/// Method that a call of an object calls.
const APPLY: &str = "apply";

fn join(package: &str, name: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}

impl Eval<'_> {
    /// The packages that are seen from a scope without an import, innermost first: those that clauses around it name.
    fn visible_packages(&mut self, file: FileId, scope: ScopeId) -> Vec<String> {
        let inline = self.inline_modules(file, scope);
        let unit = self.unit(file);
        let facts = &unit.facts;
        let own = facts.package.map_or("", |name| facts.name(name));
        let mut found = Vec::new();
        let mut inner = own.to_owned();
        for def in inline {
            inner = join(&inner, facts.name(facts.definition(def).name));
            found.push(inner.clone());
        }
        found.reverse();
        found.splice(0..0, self.package_of_object(file, scope, &inner));
        // Of the file's own package, the beginnings that a clause ends at.
        let ends = own.match_indices('.').map(|(end, _)| end).chain((!own.is_empty()).then_some(own.len()));
        for end in ends.collect::<Vec<_>>().into_iter().rev() {
            let clause = self.project.names.intern(&format!("{}{}", FileFacts::PACKAGE_CLAUSE, &own[..end]));
            if self.project.unit(file).bindings(FactsBuilder::FILE, clause).next().is_some() {
                found.push(own[..end].to_owned());
            }
        }
        found
    }

    /// The package whose members are those of an object around a scope.
    fn package_of_object(&mut self, file: FileId, scope: ScopeId, around: &str) -> Option<String> {
        let unit = self.unit(file);
        let facts = &unit.facts;
        let mut owner = facts.scopes[scope.index()].owner;
        while let Some(def) = owner {
            let definition = facts.definition(def);
            let name = facts.name(definition.name);
            if definition.kind == DefKind::Object {
                let clause = self.project.names.intern(&format!("{}{name}", FileFacts::PACKAGE_CLAUSE));
                let mut bindings = unit.bindings(definition.scope, clause);
                if bindings.any(|index| facts.bindings[index as usize].target == BindingTarget::Definition(def)) {
                    return Some(join(around, name));
                }
            }
            owner = definition.owner;
        }
        None
    }

    /// A name that no scope of a file knows: of the packages in view, of the root, or of the language.
    pub(in crate::eval) fn find_in_packages(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        want: Namespace,
    ) -> Search {
        let search = self.find_in_view(file, scope, name, want);
        if !search.found.is_empty() {
            return search;
        }
        let resolver = self.resolver(file);
        match resolver.outside(&self.files, file, self.text(name)) {
            Some(ModuleTarget::External(package)) => Search::one(Entity::External(package.into(), Some(name))),
            Some(target) => self.module_entity(target),
            None => Search { unknown: search.unknown.or(Some(Reason::NameNotFound)), ..search },
        }
    }

    /// Returns whether the packages in view at the top of a file have a name.
    pub(in crate::eval) fn is_in_packages(&mut self, file: FileId, name: Name, want: Namespace) -> bool {
        !self.find_in_view(file, FactsBuilder::FILE, name, want).found.is_empty()
    }

    fn find_in_view(&mut self, file: FileId, scope: ScopeId, name: Name, want: Namespace) -> Search {
        for package in self.visible_packages(file, scope) {
            let search = self.in_own_package(file, &package, name, want);
            if !search.found.is_empty() {
                return search;
            }
        }
        self.in_own_package(file, "", name, want)
    }

    /// What the project itself has in a package under a name.
    fn in_own_package(&mut self, file: FileId, package: &str, name: Name, want: Namespace) -> Search {
        let search = self.global_in(file, package, name, want);
        if !search.found.is_empty() {
            return search;
        }
        let of = ModuleTarget::Folder(package.to_owned());
        let resolver = self.resolver(file);
        match resolver.submodule(&self.files, file, &of, self.text(name)) {
            target @ ModuleTarget::Member(..) => self.module_entity(target),
            ModuleTarget::Folder(inner) if want != Namespace::Callee && resolver.is_own_package(&inner) => {
                Search::one(Entity::Module(Module::Folder(inner.into())))
            }
            _ => search,
        }
    }

    /// What a package has under a name: something of the project, a package below it, or something outside.
    pub(in crate::eval) fn in_package(
        &mut self,
        file: FileId,
        package: &str,
        name: Name,
        want: Namespace,
        asker: Asker,
    ) -> Search {
        let search = self.in_own_package(file, package, name, want);
        if !search.found.is_empty() || search.unknown.is_some() {
            return search;
        }
        let of = ModuleTarget::Folder(package.to_owned());
        let outside =
            |name: Name, text: &str| Search::one(Entity::External(Outside::package(package).member(text), Some(name)));
        let resolver = self.resolver(file);
        match resolver.submodule(&self.files, file, &of, self.text(name)) {
            ModuleTarget::External(_) => outside(name, self.text(name)),
            // A function or a package outside: only what is not called, and is named, can be a package.
            ModuleTarget::Folder(_) if asker == Asker::Wildcard || want == Namespace::Callee => {
                outside(name, self.text(name))
            }
            target @ ModuleTarget::Folder(_) => self.module_entity(target),
            _ => Search::unknown(Reason::NoSuchMember),
        }
    }

    /// The first name of an import that the file does not bind: a package in view, of the project, or outside.
    pub(in crate::eval) fn find_import_root(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        let search = self.find_in_packages(file, FactsBuilder::FILE, name, want);
        if !search.found.is_empty() {
            return search;
        }
        Search::one(Entity::Module(Module::Folder(self.text(name).into())))
    }

    /// A member of the object whose members are those of a package.
    pub(in crate::eval) fn in_package_object(
        &mut self,
        file: FileId,
        package: &str,
        name: Name,
        want: Namespace,
    ) -> Search {
        let (around, last) = package.rsplit_once('.').unwrap_or(("", package));
        if last.is_empty() || self.text(name).starts_with(FileFacts::PACKAGE_CLAUSE) {
            return Search::default();
        }
        let object = self.project.names.intern(&format!("{}{last}", FileFacts::PACKAGE_CLAUSE));
        let objects = self.global_in(file, around, object, Namespace::Value);
        let mut search = Search::default();
        for found in objects.found {
            let Entity::Def(of) = found.entity else { continue };
            let part = self.member(&Value::Def(of, no_args()), name, want);
            let is_own = |found: &Found| !matches!(found.entity, Entity::External(..));
            part.found.into_iter().filter(is_own).for_each(|found| search.push(found));
        }
        search
    }

    /// The scopes of a file that package clauses with a body open for a package.
    pub(in crate::eval) fn scopes_of_package(&mut self, file: FileId, package: &str) -> Vec<ScopeId> {
        let facts = &self.unit(file).facts;
        let own = facts.package.map_or("", |name| facts.name(name));
        let mut scopes = Vec::new();
        for definition in &facts.definitions {
            let (DefKind::Module, Some(body)) = (definition.kind, definition.body) else { continue };
            let mut names = vec![facts.name(definition.name)];
            let mut owner = definition.owner;
            while let Some(def) = owner {
                names.push(facts.name(facts.definition(def).name));
                owner = facts.definition(def).owner;
            }
            names.reverse();
            if join(own, &names.join(".")) == package && facts.scopes[body.index()].kind == ScopeKind::Module {
                scopes.push(body);
            }
        }
        scopes
    }

    /// Of a class and the object beside it, what a name means where it stands: the class in types, the object in
    /// values, and in calls the methods of the object that are called by its name.
    pub(in crate::eval) fn settle_companions(
        &mut self,
        file: FileId,
        expr: ExprId,
        want: Namespace,
        mut search: Search,
    ) -> Search {
        let kinds: Vec<Option<DefKind>> = search
            .found
            .iter()
            .map(|found| match found.entity {
                Entity::Def(of) => Some(self.definition(of).kind),
                _ => None,
            })
            .collect();
        let is_object = |kind: &Option<DefKind>| *kind == Some(DefKind::Object);
        let is_class = |kind: &Option<DefKind>| kind.is_some_and(|kind| kind.is_class_like()) && !is_object(kind);
        let has_object = kinds.iter().any(is_object);
        let has_class = kinds.iter().any(is_class);
        match want {
            Namespace::Type if has_object && has_class => {
                search.keep(&kinds.iter().map(|kind| !is_object(kind)).collect::<Vec<_>>());
            }
            Namespace::Value | Namespace::Any if has_object && has_class => {
                let plain = |kind: &Option<DefKind>| !is_class(kind) || *kind == Some(DefKind::Enum);
                search.keep(&kinds.iter().map(plain).collect::<Vec<_>>());
            }
            Namespace::Callee if has_object => {
                let Some(call) = self.unit(file).call(expr) else { return search };
                if call.constructs {
                    if has_class {
                        search.keep(&kinds.iter().map(|kind| !is_object(kind)).collect::<Vec<_>>());
                    }
                    return search;
                }
                let count = self.unit(file).list(call.args).len() + self.argument_names(file, call).len();
                let applied = self.find_applied(&search, count, has_class);
                if !applied.found.is_empty() {
                    return applied;
                }
                if has_class {
                    search.keep(&kinds.iter().map(|kind| !is_object(kind)).collect::<Vec<_>>());
                }
            }
            _ => {}
        }
        search
    }

    /// The methods `apply` of the objects found. Beside a class only those that take as many arguments, as the class
    /// has one of its own.
    fn find_applied(&mut self, search: &Search, count: usize, has_class: bool) -> Search {
        let name = self.project.names.intern(APPLY);
        let mut applied = Search::default();
        for found in &search.found {
            let Entity::Def(of) = found.entity else { continue };
            if self.definition(of).kind != DefKind::Object || !self.deeper() {
                continue;
            }
            let part = self.member(&Value::Def(of, no_args()), name, Namespace::Callee);
            self.leave();
            for found in part.found {
                let is_function =
                    matches!(found.entity, Entity::Def(of) if self.definition(of).kind == DefKind::Function);
                if is_function && (!has_class || self.takes(&found, count)) {
                    applied.push(found);
                }
            }
        }
        applied
    }

    /// The value that a pattern takes from a case class by its place.
    pub(in crate::eval) fn part_of_class(&mut self, of: DefRef, args: &Args, index: usize) -> Values {
        let unit = self.unit(of.file);
        let plain = unit.facts.parameters(of.def).iter().filter(|row| row.kind != ParameterKind::Keyword);
        let Some(declared) = plain.clone().nth(index).and_then(|row| row.declared) else {
            return Values::unknown(Reason::UnknownReceiver);
        };
        let types = self.eval(of.file, declared, Namespace::Type);
        let values = self.instantiate(types);
        self.substitute(values, of, args)
    }

    /// Result of a function without parameters that type arguments are written for.
    pub(in crate::eval) fn run_with_types(&mut self, file: FileId, callee: ExprId, args: &[ExprId]) -> Option<Values> {
        let unit = self.unit(file);
        let Expr::Generic { base, args: types } = unit.facts.expr(callee) else { return None };
        if !unit.rules.runs_by_name || !args.is_empty() || unit.list(types).is_empty() {
            return None;
        }
        let search = self.resolve(file, base, Namespace::Callee);
        if !self.all_run_by_name(&search) {
            return None;
        }
        let given = self.find_type_arguments(file, callee);
        let mut values = Values { unknown: search.unknown, ..Values::default() };
        for found in &search.found {
            let Entity::Def(of) = found.entity else { continue };
            let receiver = found.receiver.as_ref();
            let receiver = receiver.map(|value| Receiver { value: value.as_ref().clone(), owner: found.owner.clone() });
            values.add(self.find_returned(of, receiver.as_ref(), &given, file, args));
        }
        Some(values)
    }

    /// Returns whether naming a function runs it: it has no parameters, or only such as are given by the compiler.
    pub(in crate::eval) fn runs_by_name(&mut self, of: DefRef) -> bool {
        if !self.rules(of.file).runs_by_name {
            return false;
        }
        let definition = self.definition(of);
        let is_given = |kind: ParameterKind| matches!(kind, ParameterKind::Keyword | ParameterKind::Receiver);
        definition.kind == DefKind::Function
            && !definition.flags.is_anonymous
            && self.unit(of.file).facts.parameters(of.def).iter().all(|parameter| is_given(parameter.kind))
    }

    /// Returns whether everything found is run by naming it.
    pub(crate) fn all_run_by_name(&mut self, search: &Search) -> bool {
        !search.found.is_empty()
            && search.found.iter().all(|found| matches!(found.entity, Entity::Def(of) if self.runs_by_name(of)))
    }
}
