//! Names that the whole program knows, each in the namespace of the file or block that declares it (PHP).

use m1nd_lang::facts::{DefKind, Namespace, ScopeId};

use crate::eval::lookup::{Asker, FILE};
use crate::eval::{Entity, Eval, Outside, Search};
use crate::named;
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::ModuleTarget;
use crate::tables::files::FileId;

/// Files that declare one name which are looked at.
const MAX_FILES: usize = 256;

impl Eval<'_> {
    /// A bare name that no scope of a file declares: of the own namespace, or, for functions and constants, of the
    /// global one.
    pub(in crate::eval) fn find_in_program(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        want: Namespace,
    ) -> Search {
        let own = self.namespace_around(file, scope);
        let search = self.global_in(file, &own, name, want);
        if !search.found.is_empty() {
            return search;
        }
        if !own.is_empty() && matches!(want, Namespace::Callee | Namespace::Value) {
            return self.in_global_namespace(file, "", name, want);
        }
        self.in_global_namespace(file, &own, name, want)
    }

    /// What a namespace has under a name: something of the project, a namespace below it, or something outside.
    pub(in crate::eval) fn in_global_namespace(
        &mut self,
        file: FileId,
        namespace: &str,
        name: Name,
        want: Namespace,
    ) -> Search {
        let search = self.global_in(file, namespace, name, want);
        if !search.found.is_empty() || search.unknown.is_some() {
            return search;
        }
        let of = ModuleTarget::Folder(namespace.to_owned());
        let resolver = self.resolver(file);
        match resolver.submodule(&self.files, file, &of, self.text(name)) {
            ModuleTarget::External(package) => {
                let outside = Outside::package(package).member(self.text(name));
                Search::one(Entity::External(outside, Some(name)))
            }
            _ if matches!(want, Namespace::Callee | Namespace::Value) => Search::unknown(Reason::NameNotFound),
            target => self.module_entity(target),
        }
    }

    /// The namespace that a scope stands in.
    fn namespace_around(&mut self, file: FileId, scope: ScopeId) -> String {
        let module = self.module_around(file, scope);
        let facts = &self.unit(file).facts;
        let name = module.map(|def| facts.definition(def).name).or(facts.package);
        name.map_or_else(String::new, |name| facts.name(name).to_owned())
    }

    /// The definitions of the project that a namespace has under a name. Of several files the nearest count.
    pub(in crate::eval) fn global_in(&mut self, from: FileId, namespace: &str, name: Name, want: Namespace) -> Search {
        let key = (from, self.project.names.intern(namespace), name, want);
        if let Some(known) = self.memos.global.get(&key) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let mut search = self.find_global_in(from, namespace, name, want);
        if search.found.is_empty() && self.home.nested_packages {
            search = self.in_package_object(from, namespace, name, want);
        }
        if self.end_uncut(outer) {
            self.memos.global.insert(key, search.clone());
        }
        search
    }

    fn find_global_in(&mut self, from: FileId, namespace: &str, name: Name, want: Namespace) -> Search {
        self.ask(name);
        let family = self.project.family(from);
        let mut files = self.defining(named::global_word(self.text(name)));
        files.retain(|&other| self.project.family(other) == family);
        if files.len() > MAX_FILES {
            return Search::unknown(Reason::TooManyCandidates);
        }
        self.project.sort_by_path(&mut files);
        let mut parts: Vec<(FileId, Search)> = Vec::new();
        for file in files {
            if !self.look(1) {
                return Search::unknown(Reason::Budget);
            }
            for scope in self.scopes_of_namespace(file, namespace) {
                let part = self.scope_member(file, scope, name, want, Asker::Sibling);
                if !part.found.is_empty() {
                    parts.push((file, part));
                }
            }
        }
        let near = |eval: &Self, file: FileId| {
            count_shared(eval.project.path(file).as_str(), eval.project.path(from).as_str())
        };
        let nearest = parts.iter().map(|(file, _)| near(self, *file)).max();
        let mut search = Search::default();
        for (file, part) in parts {
            if Some(near(self, file)) == nearest {
                search.add(part);
            }
        }
        search
    }

    /// The scopes of a file that hold a namespace.
    fn scopes_of_namespace(&mut self, file: FileId, namespace: &str) -> Vec<ScopeId> {
        let facts = &self.unit(file).facts;
        let whole = facts.package.map_or("", |name| facts.name(name));
        let mut scopes: Vec<ScopeId> = if whole == namespace { vec![FILE] } else { Vec::new() };
        if self.rules(file).nested_packages {
            scopes.extend(self.scopes_of_package(file, namespace));
            return scopes;
        }
        let modules = facts.definitions.iter().filter(|row| row.kind == DefKind::Module);
        scopes.extend(modules.filter(|row| facts.name(row.name) == namespace).filter_map(|row| row.body));
        scopes
    }
}

/// Number of folders that two paths share from the root on.
fn count_shared(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}
