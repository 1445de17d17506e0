//! Resolves imports and modules to the members that importers see.

use std::rc::Rc;

use m1nd_lang::facts::{DefId, Import, ImportId, ImportKind, NameId, Namespace, ScopeId};

use crate::eval::lookup::{Asker, FILE, MOST_NESTED};
use crate::eval::{Entity, Eval, Module, Outside, Search, Value};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::ModuleTarget;
use crate::tables::files::FileId;

impl Eval<'_> {
    pub(in crate::eval) fn module_entity(&mut self, target: ModuleTarget) -> Search {
        match target {
            ModuleTarget::Member(files, names) => self.inside(&files, &names, Namespace::Type),
            ModuleTarget::External(package) => Search::one(Entity::External(Outside::package(package), None)),
            ModuleTarget::Version(files, package) => {
                let mut search = self.module_entity(ModuleTarget::Files(files));
                search.add(Search::one(Entity::External(Outside::package(package).somewhere(), None)));
                search
            }
            ModuleTarget::NotFound => Search::unknown(Reason::ModuleNotFound),
            target => match self.module_value(target) {
                Some(module) => Search::one(Entity::Module(module)),
                None => Search::unknown(Reason::ModuleNotFound),
            },
        }
    }

    /// Target of a name in a package: a type, or, where packages have more, what is wanted.
    pub(in crate::eval) fn target_entity(&mut self, target: ModuleTarget, want: Namespace) -> Search {
        match target {
            ModuleTarget::Member(files, names) => self.inside(&files, &names, want),
            target => self.module_entity(target),
        }
    }

    /// The definition that names lead to from the top of files.
    pub(in crate::eval) fn inside(&mut self, files: &[FileId], names: &[String], want: Namespace) -> Search {
        names.iter().for_each(|text| self.ask_text(text));
        let names: Vec<Name> = names.iter().map(|text| self.project.names.intern(text)).collect();
        let Some((&first, names)) = names.split_first() else { return Search::unknown(Reason::NoSuchMember) };
        let mut search = Search::default();
        for &file in files {
            search.add(self.scope_member(file, FILE, first, want, Asker::Named));
        }
        if files.len() > 1 && files.iter().any(|&file| self.rules(file).packages_have_functions) {
            self.prefer_bodies(&mut search);
        }
        for &name in names {
            let classes = self.values_of(search, want);
            search = Search { unknown: classes.unknown, ..Search::default() };
            for class in &classes.items {
                search.add(self.member(class, name, want));
            }
        }
        if search.is_nothing() { Search::unknown(Reason::NoSuchMember) } else { search }
    }

    /// What the paths of imports name: objects and packages where those are values.
    fn path_namespace(&self, file: FileId) -> Namespace {
        if self.rules(file).companions { Namespace::Value } else { Namespace::Type }
    }

    /// A member provided by a wildcard import.
    pub(in crate::eval) fn wildcard_member(
        &mut self,
        file: FileId,
        import: ImportId,
        name: Name,
        want: Namespace,
    ) -> Search {
        let unit = self.unit(file);
        let row = unit.facts.imports[import.index()];
        if let Some(path) = row.path {
            if self.run.wildcards >= MOST_NESTED {
                self.run.cut = 0;
                return Search::default();
            }
            self.run.wildcards += 1;
            let bases = self.eval(file, path, self.path_namespace(file));
            self.run.wildcards -= 1;
            let mut search = Search::default();
            for base in &bases.items {
                let part = match base {
                    Value::Module(module) => self.module_member(module, name, want, Asker::Wildcard),
                    other => self.member(other, name, want),
                };
                part.found.into_iter().for_each(|found| search.push(found));
            }
            return search;
        }
        let target = self.module_target(file, row.module, row.level);
        self.target_member(target, name, want, Asker::Wildcard)
    }

    /// Target of an import.
    pub(crate) fn import(&mut self, file: FileId, import: ImportId, want: Namespace) -> Search {
        if !self.step() {
            return Search::unknown(Reason::Budget);
        }
        let unit = self.unit(file);
        let row = unit.facts.imports[import.index()];
        let written = unit.facts.name(row.module);
        let resolver = self.resolver(file);
        if !self.rules(file).linked {
            return Search::unknown(Reason::NotLinked);
        }
        match row.kind {
            ImportKind::Symbol(symbol) => self.imported_symbol(file, &row, unit.name(symbol), want),
            ImportKind::Default => {
                let target = self.module_target(file, row.module, row.level);
                if let ModuleTarget::External(package) = target {
                    return Search::one(Entity::External(Outside::module(package, written), None));
                }
                self.default_export(target)
            }
            // `import a.b` binds `a`.
            ImportKind::ModuleRoot => {
                let root = written.split('.').next().unwrap_or(written);
                let target = resolver.module(&self.files, file, root, row.level);
                self.module_entity(target)
            }
            // `mod name;`: the modules around it that are written inline are folders of its path.
            ImportKind::FileModule(symbol) => {
                let inline = self.inline_modules(file, row.scope);
                let inline: Vec<&str> =
                    inline.iter().map(|def| unit.facts.name(unit.facts.definition(*def).name)).collect();
                let name = unit.facts.name(symbol);
                let target = resolver.file_module(&self.files, file, &inline, name, written);
                self.module_entity(target)
            }
            ImportKind::Module | ImportKind::Wildcard | ImportKind::SideEffect | ImportKind::Include => {
                match row.path {
                    Some(path) => self.resolve(file, path, self.path_namespace(file)),
                    None => {
                        let target = self.module_target(file, row.module, row.level);
                        // The build may use another version from outside, so the files of the project are only
                        // possible.
                        let (files, package) = match target {
                            ModuleTarget::External(package) => (None, package),
                            ModuleTarget::Version(files, package) => (Some(files), package),
                            target => return self.module_entity(target),
                        };
                        let mut search = Search::one(Entity::External(Outside::module(package, written), None));
                        if let Some(files) = files {
                            search.add(self.module_entity(ModuleTarget::Files(files)));
                        }
                        search
                    }
                }
            }
        }
    }

    /// Target of an import of one name.
    fn imported_symbol(&mut self, file: FileId, row: &Import, name: Name, want: Namespace) -> Search {
        if let Some(path) = row.path {
            return self.resolve_member(file, path, name, self.path_namespace(file), want);
        }
        let written = self.unit(file).facts.name(row.module);
        if row.flags.type_only && self.rules(file).folders_are_packages {
            let whole = format!("{written}.{}", self.text(name));
            let whole = whole.trim_start_matches('.');
            return match self.resolver(file).module(&self.files, file, whole, row.level) {
                ModuleTarget::External(package) => {
                    Search::one(Entity::External(Outside::module(package, whole), Some(name)))
                }
                target => self.module_entity(target),
            };
        }
        let target = self.module_target(file, row.module, row.level);
        if let ModuleTarget::External(package) = target {
            let outside = Outside::module(package, written).member(self.text(name));
            return Search::one(Entity::External(outside, Some(name)));
        }
        self.target_member(target, name, want, Asker::Named)
    }

    /// The module that a file names, worked out once.
    pub(in crate::eval) fn module_target(&mut self, file: FileId, module: NameId, level: u16) -> ModuleTarget {
        if let Some(known) = self.memos.targets.get(&(file, module, level)) {
            return known.clone();
        }
        let written = self.unit(file).facts.name(module);
        let target = self.resolver(file).module(&self.files, file, written, level);
        self.memos.targets.insert((file, module, level), target.clone());
        target
    }

    /// Inline modules around a scope, outermost first.
    pub(in crate::eval) fn inline_modules(&mut self, file: FileId, scope: ScopeId) -> Vec<DefId> {
        let mut around = Vec::new();
        let mut module = self.module_around(file, scope);
        while let Some(def) = module {
            around.push(def);
            let above = self.unit(file).facts.definition(def).scope;
            module = self.module_around(file, above);
        }
        around.reverse();
        around
    }

    fn target_member(&mut self, target: ModuleTarget, name: Name, want: Namespace, asker: Asker) -> Search {
        match target {
            ModuleTarget::External(package) => Search::one(Entity::External(package.into(), Some(name))),
            ModuleTarget::NotFound => Search::unknown(Reason::ModuleNotFound),
            ModuleTarget::Version(files, package) => {
                let mut search = self.target_member(ModuleTarget::Files(files), name, want, asker);
                // A name that the files lack may be declared elsewhere, as in other wildcard imports.
                if !search.found.is_empty() {
                    search.add(Search::one(Entity::External(package.into(), Some(name))));
                }
                search
            }
            ModuleTarget::Member(files, names) => {
                let found = self.inside(&files, &names, Namespace::Type);
                let classes = self.values_of(found, Namespace::Type);
                let mut search = Search { unknown: classes.unknown, ..Search::default() };
                for class in &classes.items {
                    search.add(self.member(class, name, want));
                }
                search
            }
            target => match self.module_value(target) {
                Some(module) => self.module_member(&module, name, want, asker),
                None => Search::unknown(Reason::ModuleNotFound),
            },
        }
    }

    /// The member that importers of a module find under a name.
    pub(in crate::eval) fn module_member(
        &mut self,
        module: &Module,
        name: Name,
        want: Namespace,
        asker: Asker,
    ) -> Search {
        if !self.deeper() {
            return Search::unknown(Reason::Budget);
        }
        let search = self.module_member_inside(module, name, want, asker);
        self.leave();
        search
    }

    fn module_member_inside(&mut self, module: &Module, name: Name, want: Namespace, asker: Asker) -> Search {
        if let (Module::Folder(namespace), true) = (module, self.home.global_names) {
            return match self.home.nested_packages {
                true => self.in_package(self.home_file, namespace, name, want, asker),
                false => self.in_global_namespace(self.home_file, namespace, name, want),
            };
        }
        let files: Rc<[FileId]> = match module {
            Module::File(file) => [*file].into(),
            Module::Files(files) => files.clone(),
            Module::Folder(_) => [].into(),
        };
        let mut search = Search::default();
        let together = matches!(module, Module::Files(_));
        // First, what the files of the module define or export.
        for &file in files.iter() {
            let part = self.file_member(file, name, want, if together { Asker::Sibling } else { asker });
            search.unknown = search.unknown.or(part.unknown);
            part.found.into_iter().for_each(|found| search.push(found));
        }
        if !search.found.is_empty() {
            return search;
        }
        // Exported macros belong to one module file, wherever they are defined.
        if let (Namespace::Macro, Module::File(file)) = (want, module) {
            let resolver = self.resolver(*file);
            for other in resolver.exported_macro_files(&self.files, *file) {
                let part = self.scope_member(other, FILE, name, want, Asker::Wildcard);
                part.found.into_iter().for_each(|found| search.push(found));
            }
            if !search.found.is_empty() {
                return search;
            }
        }
        // Then a module or package of that name below this one.
        let submodules = match module {
            Module::File(file) => self.rules(*file).submodules_are_members.then(|| self.resolver(*file)),
            Module::Folder(_) => Some(self.resolvers[self.home_family()].as_ref()),
            Module::Files(_) => None,
        };
        let packages = matches!(module, Module::Folder(_)) && self.home.folders_are_packages;
        if let Some(resolver) = submodules.filter(|_| asker == Asker::Named || packages) {
            let target = resolver.submodule(&self.files, self.home_file, &module.target(), self.text(name));
            if let (true, ModuleTarget::External(package)) = (packages, &target) {
                return Search::one(Entity::External(package.as_str().into(), Some(name)));
            }
            let brought = asker == Asker::Named || !matches!(target, ModuleTarget::Folder(_));
            if target != ModuleTarget::NotFound && brought {
                return if packages { self.target_entity(target, want) } else { self.module_entity(target) };
            }
        }
        // Last, members that every module has from the language.
        if let Some(&file) = files.first()
            && asker == Asker::Named
            && let Some(found) = self.universal(file, name)
        {
            return found;
        }
        search.unknown = search.unknown.or(Some(Reason::NoSuchMember));
        search
    }

    fn file_member(&mut self, file: FileId, name: Name, want: Namespace, asker: Asker) -> Search {
        self.ask(name);
        let unit = self.unit(file);
        if self.rules(file).explicit_exports {
            return self.find_exported(file, name, want);
        }
        if asker == Asker::Wildcard {
            let listed =
                unit.facts.export_list.as_ref().map(|list| list.iter().any(|&listed| unit.name(listed) == name));
            let hidden = self.rules(file).submodules_are_members && self.text(name).starts_with('_');
            if listed == Some(false) || listed.is_none() && hidden {
                return Search::default();
            }
        }
        self.scope_member(file, FILE, name, want, asker)
    }

    /// The module that an import names as a whole, or takes its member from.
    pub(crate) fn imported_module(&mut self, file: FileId, import: ImportId) -> Search {
        let unit = self.unit(file);
        let row = unit.facts.imports[import.index()];
        if !self.rules(file).linked {
            return Search::unknown(Reason::NotLinked);
        }
        let target = self.module_target(file, row.module, row.level);
        self.module_entity(target)
    }
}
