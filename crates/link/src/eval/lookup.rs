//! Resolves a name or access path: enclosing scopes outwards, then everything outside of them.

use std::rc::Rc;

use m1nd_lang::facts::{
    BindingTarget, DefKind, Expr, ExprId, FactsBuilder, ImportId, ImportKind, Namespace, PathRoot, ScopeId, ScopeKind,
    Visibility,
};

use super::{Entity, Eval, Found, Module, Outside, Search, Value};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::{BareMembers, ModuleTarget, Overloads};
use crate::tables::files::{DefRef, FileId, Key};
use crate::unit::{fits, fits_apart};

/// The file scope.
pub(super) const FILE: ScopeId = FactsBuilder::FILE;

/// Maximum bindings of one name in one scope that are distinguished.
const MOST_BINDINGS: usize = 256;

/// Maximum packages that a name may come from by wildcard imports.
const MOST_PACKAGES: usize = 40;

/// Wildcard imports followed in order to find the module of another one: each may be that of each. Re-exports of
/// re-exports do not count.
pub(super) const MOST_NESTED: u32 = 2;

/// Things looked at for a name in a scope from which on the result is remembered.
const COSTLY: u64 = 16;

/// Origin of a member look-up in a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Asker {
    /// Something that names the member.
    Named,
    /// A wildcard import: only public members.
    Wildcard,
    /// Another file of the same module, which does not see the imports of that file.
    Sibling,
}

impl Eval<'_> {
    /// Target of an expression. Expressions that are not access paths have none.
    pub(crate) fn resolve(&mut self, file: FileId, expr: ExprId, want: Namespace) -> Search {
        let mut search = self.resolve_all(file, expr, want);
        if self.rules(file).extension_blocks {
            search = self.settle_blocks(file, expr, search);
            if matches!(want, Namespace::Callee | Namespace::Value) {
                search = self.class_of_init(file, expr, search);
            }
        }
        if self.rules(file).companions {
            search = self.settle_companions(file, expr, want, search);
        }
        if want == Namespace::Callee && self.rules(file).overloads == Overloads::Chosen {
            if self.rules(file).extension_functions {
                search = self.with_extensions(file, expr, search, want);
            }
            return self.choose(file, search, self.project.unit(file).call(expr));
        }
        if want == Namespace::Value && (self.rules(file).implicit_receivers || self.rules(file).runs_by_name) {
            search = self.with_extensions(file, expr, search, want);
        }
        search
    }

    /// Target of an expression, including all overloads.
    fn resolve_all(&mut self, file: FileId, expr: ExprId, want: Namespace) -> Search {
        let unit = self.unit(file);
        match unit.facts.expr(expr) {
            Expr::Name { name, scope } => {
                let search = self.lookup(file, scope, unit.name(name), want);
                if self.rules(file).includes { self.class_of_constructors(search) } else { search }
            }
            Expr::Member { base, name } => {
                let is_value = matches!(want, Namespace::Value | Namespace::Callee);
                let base_want = if is_value { Namespace::Value } else { Namespace::Any };
                self.resolve_member(file, base, unit.name(name), base_want, want)
            }
            Expr::Path { base, name } if self.rules(file).takes_methods_by_path() => {
                // A method taken of a value or of a type.
                self.resolve_member(file, base, unit.name(name), Namespace::Value, want)
            }
            Expr::Path { base, name } => {
                let search = self.resolve_member(file, base, unit.name(name), Namespace::Type, want);
                let outside = |found: &Found| matches!(found.entity, Entity::External(..) | Entity::BuiltinMethod(..));
                if want == Namespace::Type || !search.found.iter().all(outside) || !self.rules(file).fields_apart {
                    return search;
                }
                self.extension(file, base, unit.name(name), want).unwrap_or(search)
            }
            Expr::Root { root, scope } => self.resolve_root(file, root, scope),
            Expr::Import(import) => self.import(file, import, want),
            Expr::Definition(def) => Search::one(Entity::Def(DefRef { file, def })),
            Expr::Generic { base, .. } => self.resolve(file, base, want),
            // A method that is taken of a value.
            Expr::Implicit { base, name }
                if !self.rules(file).takes_methods_by_path() && self.rules(file).methods_apart =>
            {
                self.resolve_member(file, base, unit.name(name), Namespace::Value, Namespace::Callee)
            }
            Expr::SelfType { .. } => {
                let types = self.eval(file, expr, want);
                let mut search = Search { unknown: types.unknown, ..Search::default() };
                for value in types.items {
                    if let Value::Def(of, _) = value {
                        search.push(Found::plain(Entity::Def(of)));
                    }
                }
                search
            }
            Expr::Super { .. } => {
                let supers = self.eval(file, expr, want);
                let mut search = Search { unknown: supers.unknown, ..Search::default() };
                for value in supers.items {
                    search.add(self.constructor(&value));
                }
                search
            }
            _ => Search::default(),
        }
    }

    pub(super) fn resolve_member(
        &mut self,
        file: FileId,
        base: ExprId,
        name: Name,
        base_want: Namespace,
        want: Namespace,
    ) -> Search {
        if let Expr::Root { root: PathRoot::Global, .. } = self.unit(file).facts.expr(base) {
            return self.global_member(file, name, want);
        }
        let bases = self.eval(file, base, base_want);
        let mut search = Search::default();
        let mut missing = None;
        let is_computed = self.is_computed(file, name);
        let only = bases.items.iter().filter(|value| !matches!(value, Value::Null)).count() == 1;
        for base in &bases.items {
            let mut part = match is_computed {
                true => self.computed_members(base, name, want),
                false => self.member(base, name, want),
            };
            if want == Namespace::Callee && !part.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
                part = self.blanket_method(file, base, name).unwrap_or(part);
            }
            if part.found.is_empty() {
                missing = missing.or(part.unknown);
            } else {
                search.unknown = search.unknown.or(part.unknown);
                part.found.into_iter().for_each(|found| search.push(found));
            }
        }
        // A function and a namespace of one name are one: the function has the members of the standard function type
        // too.
        let is_namespace =
            |eval: &mut Self, value: &Value| matches!(value, Value::Def(of, _) if eval.is_inline_module(*of));
        if search.found.len() > 1 && bases.items.iter().any(|base| is_namespace(self, base)) {
            let outside = |found: &Found| matches!(found.entity, Entity::External(..));
            if !search.found.iter().all(outside) {
                search.found.retain(|found| !outside(found));
            }
        }
        // A truncated search may have missed a target in the project.
        if search.found.is_empty()
            && missing.is_none_or(|reason| reason == Reason::NoSuchMember)
            && let Some(package) = bases.items.iter().find_map(|base| self.open_package(base))
        {
            return Search::one(Entity::External(package.into(), Some(name)));
        }
        if search.found.is_empty()
            && want == Namespace::Callee
            && self.rules(file).open_types
            && matches!(self.unit(file).facts.expr(base), Expr::This { .. })
            && let Some(found) = self.function_outside_classes(file, name, bases.items.is_empty())
        {
            return found;
        }
        // An alternative without the member cannot be the one that is meant, unless nothing has it.
        if search.found.is_empty() && (only || search.unknown.is_none()) {
            search.unknown = search.unknown.or(missing);
        }
        if bases.unknown.is_some() {
            search.unknown = search.unknown.or(Some(match bases.unknown {
                Some(Reason::Budget) => Reason::Budget,
                Some(Reason::NotLinked) => Reason::NotLinked,
                _ => Reason::UnknownReceiver,
            }));
        } else if bases.items.is_empty() && search.found.is_empty() {
            search.unknown = search.unknown.or(Some(Reason::UnknownReceiver));
        }
        search
    }

    /// The package of the language that a namespace of the project adds to.
    fn open_package(&mut self, value: &Value) -> Option<&'static str> {
        let Value::Def(of, _) = value else { return None };
        let rules = self.rules(of.file);
        if !rules.builtin_package_is_open || !self.is_inline_module(*of) {
            return None;
        }
        let definition = self.definition(*of);
        let name = self.unit(of.file).facts.name(definition.name);
        (definition.owner.is_none() && name == rules.builtin_package).then_some(rules.builtin_package)
    }

    fn resolve_root(&mut self, file: FileId, root: PathRoot, scope: ScopeId) -> Search {
        let mut levels = match root {
            PathRoot::Crate | PathRoot::Global => {
                let resolver = self.resolver(file);
                let target = resolver.root(&self.files, file, root);
                return self.module_entity(target);
            }
            PathRoot::SelfModule => 0,
            PathRoot::Super(levels) => levels,
        };
        // Inline modules first, then the files' own module tree.
        let mut module = self.module_around(file, scope);
        while levels > 0 {
            let Some(def) = module else { break };
            let above = self.unit(file).facts.definition(def).scope;
            module = self.module_around(file, above);
            levels -= 1;
        }
        match module {
            Some(def) => Search::one(Entity::Def(DefRef { file, def })),
            None if levels == 0 => Search::one(Entity::Module(Module::File(file))),
            None => {
                let resolver = self.resolver(file);
                let target = resolver.root(&self.files, file, PathRoot::Super(levels));
                self.module_entity(target)
            }
        }
    }

    /// Looks a bare name up from a scope outwards.
    pub(crate) fn lookup(&mut self, file: FileId, start: ScopeId, name: Name, want: Namespace) -> Search {
        let rules = self.rules(file);
        let mut scope = start;
        let mut crossed_function = false;
        let mut opaque = None;
        // A member that an external base may have, used if no outer scope has the name.
        let mut perhaps = Search::default();
        self.ask(name);
        loop {
            if !self.look(1) {
                return Search::unknown(Reason::Budget);
            }
            let unit = self.unit(file);
            scope = unit.nearest(scope);
            let row = unit.facts.scopes[scope.index()];
            let visible = row.kind != ScopeKind::Class
                || match rules.bare_members {
                    BareMembers::Never => false,
                    BareMembers::InBody => !crossed_function,
                    BareMembers::Everywhere => true,
                };
            if visible {
                if let Some(outer) = self.outer(file, scope, name) {
                    scope = outer;
                    continue;
                }
                let search = self.member_here(file, scope, name, want);
                if !search.found.is_empty() {
                    return search;
                }
                opaque = opaque.or(search.unknown);
                if opaque.is_some() && row.kind == ScopeKind::Function {
                    return Search { unknown: opaque, ..Search::default() };
                }
            }
            if rules.includes
                && let Some(search) = self.member_of_extended(file, scope, name, want)
            {
                return search;
            }
            if rules.implicit_receivers
                && let Some(search) = self.member_of_receiver(file, scope, name, want, &mut perhaps)
            {
                return search;
            }
            if row.kind == ScopeKind::Class
                && rules.bare_members == BareMembers::Everywhere
                && let Some(def) = row.owner
                && let Some(search) = self.member_around(DefRef { file, def }, name, want, &mut perhaps)
            {
                return search;
            }
            crossed_function |= row.kind == ScopeKind::Function;
            let ends = row.kind == ScopeKind::Module && rules.module_scope_ends_lookup;
            match row.parent {
                Some(parent) if !ends => scope = parent,
                _ => break,
            }
        }
        let search = match () {
            () if rules.nested_packages => self.find_in_packages(file, start, name, want),
            () if rules.global_names => self.find_in_program(file, start, name, want),
            () if rules.open_types => self.find_constant(file, start, name),
            () => self.outside(file, name, want),
        };
        if !search.found.is_empty() {
            return search;
        }
        if rules.linked && !perhaps.is_nothing() {
            return perhaps;
        }
        if opaque.is_some() { Search { unknown: opaque, ..search } } else { search }
    }

    /// The name in one enclosing scope, without the bases of its class.
    fn member_here(&mut self, file: FileId, scope: ScopeId, name: Name, want: Namespace) -> Search {
        let rules = self.rules(file);
        let is_class = self.unit(file).facts.scopes[scope.index()].kind == ScopeKind::Class;
        if rules.siblings_first && scope == FILE {
            let mut search = self.scope_bindings(file, scope, name, want, Asker::Named);
            // Functions of one name in other files are overloads.
            if search.found.is_empty() || want == Namespace::Callee {
                search.add(self.sibling_member(file, name, want));
                self.drop_private(file, &mut search);
            }
            if !search.found.is_empty() {
                return search;
            }
        }
        // Overloads of a class are gathered together with those of its bases.
        let search = match is_class && want == Namespace::Callee && rules.overloads == Overloads::Chosen {
            true => Search::default(),
            false => self.scope_member(file, scope, name, want, Asker::Named),
        };
        if rules.includes { self.with_elsewhere(file, scope, name, want, search) } else { search }
    }

    /// A member of an enclosing class with a bare name. A member that only an external base may have goes to
    /// `perhaps`, because an outer scope may have the name.
    fn member_around(&mut self, class: DefRef, name: Name, want: Namespace, perhaps: &mut Search) -> Option<Search> {
        let mut search = self.inherited_bare(class, name, want);
        if self.rules(class.file).extension_blocks && self.definition(class).kind == DefKind::Impl {
            if want != Namespace::Callee
                && !search.found.iter().any(|found| matches!(found.entity, Entity::Def(_)))
                && let Some(parameter) = self.type_parameter_of_extended(class, name)
            {
                return Some(parameter);
            }
            if self.extended_type(class).is_none() {
                let of_block = self.bare_in_block(class, name, want);
                search = if of_block.found.is_empty() { search } else { of_block };
            }
        }
        let outside = |found: &Found| matches!(found.entity, Entity::External(..));
        let of_all = want == Namespace::Callee && self.rules(class.file).universal_members.contains(&self.text(name));
        match search.found.iter().all(outside) {
            false => return Some(search),
            true if let Some(search) = self.member_of_companion(class, name, want) => return Some(search),
            true if of_all && !search.found.is_empty() => return Some(search),
            true if !perhaps.found.is_empty() => {}
            true if search.found.is_empty() && search.unknown != Some(Reason::UnknownBase) => {}
            true => *perhaps = search,
        }
        None
    }

    /// The scope where look-up continues after a scope declares a name as belonging further out.
    fn outer(&mut self, file: FileId, scope: ScopeId, name: Name) -> Option<ScopeId> {
        let unit = self.unit(file);
        let global = unit.bindings(scope, name).find_map(|index| match unit.facts.bindings[index as usize].target {
            BindingTarget::Outer(global) => Some(global),
            _ => None,
        })?;
        if global {
            return (scope != FILE).then_some(FILE);
        }
        let mut scope = unit.facts.scopes[scope.index()].parent?;
        while unit.facts.scopes[scope.index()].kind == ScopeKind::Class {
            scope = unit.facts.scopes[scope.index()].parent?;
        }
        Some(scope)
    }

    /// A member of the enclosing class or its bases, by bare name.
    fn inherited_bare(&mut self, class: DefRef, name: Name, want: Namespace) -> Search {
        let class = self.extended_type(class).unwrap_or(class);
        self.member(&Value::Instance(class, super::no_args()), name, want)
    }

    pub(super) fn outside(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        if self.rules(file).includes {
            return self.find_unscoped(file, name, want);
        }
        let resolver = self.resolver(file);
        if want == Namespace::Macro {
            let mut search = Search::default();
            for other in resolver.macro_files(&self.files, file) {
                let part = self.scope_member(other, FILE, name, want, Asker::Wildcard);
                part.found.into_iter().for_each(|found| search.push(found));
                if other == file && !search.found.is_empty() {
                    break;
                }
            }
            if !search.found.is_empty() {
                return search;
            }
        }
        let search = self.sibling_member(file, name, want);
        if !search.found.is_empty() {
            return search;
        }
        if want == Namespace::Callee && self.rules(file).separates_calls() && !self.rules(file).packages_have_functions
        {
            return Search::unknown(Reason::NameNotFound);
        }
        match resolver.outside(&self.files, file, self.text(name)) {
            Some(ModuleTarget::External(package)) => {
                // A name that represents the package itself is the start of paths to its members.
                let text = self.text(name);
                let is_package = text == package || text == package.replace('-', "_");
                let outside = if is_package { Outside::package(package) } else { package.into() };
                Search::one(Entity::External(outside, Some(name)))
            }
            // A name that declaration files give to all of the program.
            Some(ModuleTarget::Member(files, names)) if self.rules(file).explicit_exports => {
                self.inside(&files, &names, want)
            }
            Some(target) => self.module_entity(target),
            None if self.rules(file).linked => Search::unknown(Reason::NameNotFound),
            None => Search::unknown(Reason::NotLinked),
        }
    }

    /// The target of a name in modules written inside a file, as [`Resolver::near`](crate::rules::Resolver::near) says.
    fn near_inside(&mut self, file: FileId, scope: ScopeId, name: Name) -> Option<ModuleTarget> {
        let inline = self.inline_modules(file, scope);
        let facts = &self.unit(file).facts;
        let inline: Vec<&str> = inline.iter().map(|def| facts.name(facts.definition(*def).name)).collect();
        self.resolver(file).near_inside(&self.files, file, &inline, self.text(name))
    }

    /// Definitions of the name in the other files of the module. There may be several (one for each platform).
    fn sibling_member(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        let siblings = match self.memos.siblings.get(&file) {
            Some(known) => known.clone(),
            None => {
                let found: Rc<[FileId]> = self.resolver(file).siblings(&self.files, file).into();
                // All of them are asked for every name: noted once.
                let tree = &self.project.tree;
                self.asked.keys.extend(found.iter().map(|sibling| Key::for_named(tree.hash(*sibling))));
                self.memos.siblings.insert(file, found.clone());
                found
            }
        };
        self.ask(name);
        let mut search = Search::default();
        for &sibling in siblings.iter().filter(|sibling| **sibling != file) {
            if !self.look(1) {
                search.unknown = Some(Reason::Budget);
                break;
            }
            if self.project.unit(sibling).bindings(FILE, name).next().is_none() {
                continue;
            }
            let part = self.scope_member(sibling, FILE, name, want, Asker::Sibling);
            part.found.into_iter().for_each(|found| search.push(found));
        }
        if self.rules(file).siblings_first {
            search.found.retain(|found| match found.entity {
                Entity::Def(of) => {
                    self.project.unit(of.file).facts.definition(of.def).visibility != Visibility::Private
                }
                _ => true,
            });
        }
        search
    }

    /// The name in a single scope: its bindings, then its wildcard imports.
    pub(super) fn scope_member(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        want: Namespace,
        asker: Asker,
    ) -> Search {
        self.ask(name);
        let unit = self.unit(file);
        // Most scopes know nothing of a name, and nothing has to be followed to say so.
        if scope != FILE
            && unit.bindings(scope, name).next().is_none()
            && (asker == Asker::Sibling || unit.wildcards(scope).next().is_none())
            && !(self.rules(file).folders_are_packages && unit.facts.scopes[scope.index()].kind == ScopeKind::Module)
        {
            return Search::default();
        }
        let key = (file, scope, name, want);
        if let Some(place) = self.run.searches.get(&key) {
            self.run.cut = self.run.cut.min(*place);
            return Search::default();
        }
        if let Some(known) = self.memos.costly.get(&(key, asker)).cloned() {
            return if self.look(known.found.len()) { known } else { Search::unknown(Reason::Budget) };
        }
        let (outer, work) = (self.begin_uncut(), self.run.work);
        self.run.searches.insert(key, self.run.depth);
        let mut search = self.scope_bindings(file, scope, name, want, asker);
        let has_functions = self.rules(file).packages_have_functions;
        if has_functions && scope == FILE && want == Namespace::Callee {
            self.add_of_package(file, name, &mut search);
        }
        if search.found.is_empty() && want != Namespace::Callee {
            let target = match unit.facts.scopes[scope.index()].kind {
                _ if scope == FILE => self.resolver(file).near(&self.files, file, self.text(name)),
                ScopeKind::Module if self.rules(file).folders_are_packages => self.near_inside(file, scope, name),
                _ => None,
            };
            if let Some(target) = target {
                search = self.target_entity(target, want);
            }
        }
        if search.found.is_empty() && asker != Asker::Sibling {
            let wild = self.scope_wildcards(file, scope, name, want);
            search.unknown = search.unknown.or(wild.unknown);
            search.found = wild.found;
        }
        self.run.searches.remove(&key);
        if self.end_uncut(outer) && self.run.work - work > COSTLY {
            self.memos.costly.insert((key, asker), search.clone());
        }
        search
    }

    fn scope_bindings(&mut self, file: FileId, scope: ScopeId, name: Name, want: Namespace, asker: Asker) -> Search {
        let unit = self.unit(file);
        let apart = self.rules(file).methods_apart;
        let mut search = Search::default();
        let mut missing = None;
        for index in unit.bindings(scope, name) {
            let binding = unit.facts.bindings[index as usize];
            if search.found.len() >= MOST_BINDINGS {
                search.unknown = Some(Reason::TooManyCandidates);
                break;
            }
            if !self.look(1) {
                search.unknown = Some(Reason::Budget);
                break;
            }
            if !(if apart { fits_apart(binding.namespace, want) } else { fits(binding.namespace, want) }) {
                continue;
            }
            match binding.target {
                BindingTarget::Definition(def) => {
                    let of = self.whole_type(DefRef { file, def });
                    search.push(Found::plain(Entity::Def(of)));
                }
                BindingTarget::Import(_) if asker == Asker::Sibling => {}
                BindingTarget::Import(import)
                    if self.rules(file).separates_calls() && !self.may_import(file, import, want) => {}
                BindingTarget::Import(import) => {
                    let part = self.import(file, import, want);
                    // The import may bring the name in another name space only.
                    let by_path = want != Namespace::Any && unit.facts.imports[import.index()].path.is_some();
                    if !by_path || !part.found.is_empty() {
                        search.add(part);
                    } else if part.unknown != Some(Reason::NoSuchMember) {
                        missing = missing.or(part.unknown);
                    }
                }
                BindingTarget::Outer(_) => {}
                _ if asker == Asker::Wildcard => {}
                // Each binding comes once.
                _ => search.found.push(Found::plain(Entity::Local(file, index))),
            }
        }
        if search.found.is_empty() {
            search.unknown = search.unknown.or(missing);
        }
        self.prefer_bodies(&mut search);
        if self.rules(file).packages_have_functions {
            self.keep_callable(want, &mut search);
        }
        search
    }

    /// Functions of a package besides those that the file itself has: overloads stand in several files.
    fn add_of_package(&mut self, file: FileId, name: Name, search: &mut Search) {
        let is_own = |found: &Found| matches!(found.entity, Entity::Def(of) if of.file == file);
        if !search.found.iter().all(is_own) {
            return;
        }
        let Some(target) = self.resolver(file).near(&self.files, file, self.text(name)) else { return };
        let near = self.target_entity(target, Namespace::Callee);
        near.found.into_iter().for_each(|found| search.push(found));
        self.prefer_bodies(search);
    }

    /// Where a function and a variable may share a name, keeps those that are called, or the others.
    fn keep_callable(&mut self, want: Namespace, search: &mut Search) {
        if search.found.len() < 2 || !matches!(want, Namespace::Callee | Namespace::Value) {
            return;
        }
        let is_called = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => {
                let definition = eval.definition(of);
                definition.kind.is_type() || definition.kind == DefKind::Function && !definition.flags.is_property
            }
            Entity::Local(..) => false,
            _ => true,
        };
        let called: Vec<bool> = search.found.iter().map(|found| is_called(self, found)).collect();
        let keep: Vec<bool> = called.iter().map(|called| *called == (want == Namespace::Callee)).collect();
        if keep.contains(&true) {
            search.keep(&keep);
        }
    }

    /// Among several definitions of one name, prefers those with a body to declarations; twins that are one node
    /// count once.
    pub(super) fn prefer_bodies(&mut self, search: &mut Search) {
        if search.found.len() < 2 {
            return;
        }
        self.drop_declared(search);
        let is_body = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => eval.rules(of.file).includes || !eval.definition(of).flags.is_declaration,
            _ => true,
        };
        let bodies: Vec<bool> = search.found.iter().map(|found| is_body(self, found)).collect();
        if bodies.contains(&true) {
            search.keep(&bodies);
        }
        let mut seen = Vec::new();
        let found = std::mem::take(&mut search.found);
        for one in found {
            if let Entity::Def(of) = one.entity {
                let symbol = self.unit(of.file).symbols[of.def.index()];
                if symbol.is_some() && seen.contains(&symbol) {
                    continue;
                }
                seen.push(symbol);
            }
            search.found.push(one);
        }
    }

    fn scope_wildcards(&mut self, file: FileId, scope: ScopeId, name: Name, want: Namespace) -> Search {
        let unit = self.unit(file);
        let mut search = Search::default();
        let mut external: Vec<Found> = Vec::new();
        let mut too_many = false;
        for import in unit.wildcards(scope) {
            if !self.look(1) {
                search.unknown = Some(Reason::Budget);
                break;
            }
            let row = unit.facts.imports[import.index()];
            if row.kind != ImportKind::Wildcard || row.flags.reexport && self.rules(file).explicit_exports {
                continue;
            }
            if self.rules(file).separates_calls() && !self.may_import(file, import, want) {
                continue;
            }
            let part = self.wildcard_member(file, import, name, want);
            for found in part.found {
                match found.entity {
                    // Each of several packages may have the name.
                    Entity::External(..) if external.len() < MOST_PACKAGES => external.push(found),
                    Entity::External(..) => too_many = true,
                    _ => search.push(found),
                }
            }
        }
        // What all files of a program use without naming it.
        if scope == FILE && search.found.is_empty() && want != Namespace::Callee {
            let resolver = self.resolver(file);
            let outside = resolver.shared_packages(&self.files, file).into_iter();
            for package in outside.filter(|package| !resolver.is_own_package(package)).take(MOST_PACKAGES) {
                external.push(Found::plain(Entity::External(package.into(), Some(name))));
            }
        }
        // Public definitions are preferred to private ones elsewhere.
        if search.found.len() > 1 {
            let is_open = |eval: &mut Self, found: &Found| match found.entity {
                Entity::Def(of) => eval.definition(of).visibility != Visibility::Private,
                _ => true,
            };
            let open: Vec<bool> = search.found.iter().map(|found| is_open(self, found)).collect();
            if open.contains(&true) {
                search.keep(&open);
            }
        }
        // An external package may have the name: only reported if nothing in the project has it and the language
        // itself does not define it.
        if search.found.is_empty() && !external.is_empty() && scope == FILE {
            let resolver = self.resolver(file);
            if resolver.outside(&self.files, file, self.text(name)).is_none()
                && !(self.rules(file).nested_packages && self.is_in_packages(file, name, want))
                && self.sibling_member(file, name, want).found.is_empty()
            {
                match too_many {
                    true => search.unknown = Some(Reason::TooManyCandidates),
                    false => search.found.extend(external),
                }
            }
        }
        search
    }

    /// Imports of types bring no methods.
    fn may_import(&mut self, file: FileId, import: ImportId, want: Namespace) -> bool {
        !(want == Namespace::Callee && self.unit(file).facts.imports[import.index()].flags.type_only)
    }

    /// Returns whether a definition is a module written inside a file.
    pub(super) fn is_inline_module(&mut self, of: DefRef) -> bool {
        self.definition(of).kind == DefKind::Module
    }

    /// Returns whether some builds leave a definition out, itself or with the file that it is in.
    pub(crate) fn is_conditional(&mut self, of: DefRef) -> bool {
        self.ask_definition(of);
        let resolver = self.resolver(of.file);
        self.definition(of).flags.is_conditional || resolver.is_conditional(&self.files, of.file)
    }

    /// The type a block adds members to.
    pub(crate) fn extends(&mut self, of: DefRef) -> Option<DefRef> {
        self.extended_type(of)
    }
}
