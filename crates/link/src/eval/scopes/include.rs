//! Names seen through includes, namespaces written in several places, and the definition of a declaration (C, C++).

use std::rc::Rc;

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{DefId, DefKind, Expr, Namespace, ScopeId, ScopeKind, Visibility};

use crate::eval::lookup::{Asker, FILE};
use crate::eval::{Entity, Eval, Found, Search, Value, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::{ModuleTarget, Overloads};
use crate::tables::files::{DefRef, FileId, Key, Word};
use crate::unit::namespace_path;

/// Maximum definitions of one name examined.
const MAX_NAMESAKES: usize = 512;
/// Keywords before a type tag in the names under which tags are bound.
pub(crate) const TAG_WORDS: &[&str] = &["struct ", "union ", "enum "];

/// A tag without its word, a generic type without the number of its parameters.
pub(crate) fn strip_tag(name: &str) -> &str {
    let name = crate::names::strip_count(name);
    TAG_WORDS.iter().find_map(|word| name.strip_prefix(word)).unwrap_or(name)
}

/// What tells overloads with the same types apart: the number of parameters that take values that are given up (`&&`),
/// and whether the function is `const`. As it is written in the header; `None` for what is no function.
fn qualifiers(facts: &FileFacts, def: DefId) -> Option<(usize, bool)> {
    let definition = facts.definition(def);
    let signature = definition.signature.as_deref().filter(|_| definition.kind == DefKind::Function)?;
    let name = facts.name(definition.name);
    let behind = signature.find(name).map_or(0, |at| at + name.len());
    let open = behind + signature[behind..].find('(')?;
    let mut depth = 0;
    let close = signature[open..].char_indices().find_map(|(at, char)| {
        depth += i32::from(char == '(') - i32::from(char == ')');
        (depth == 0).then_some(open + at)
    })?;
    let rest = signature[close + 1..].split(['{', ':', '=']).next().unwrap_or_default();
    let rest = rest.split("->").next().unwrap_or_default();
    let is_const = rest.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "const");
    Some((signature[open..close].matches("&&").count(), is_const))
}

impl Eval<'_> {
    /// Files that a file sees through its includes.
    fn visible(&mut self, file: FileId) -> Rc<[FileId]> {
        if let Some(known) = self.memos.visible.get(&file) {
            return known.clone();
        }
        let found: Rc<[FileId]> = self.resolver(file).siblings(&self.files, file).into();
        self.memos.visible.insert(file, found.clone());
        found
    }

    /// Those of them that have a name at their top, in the same order. In languages with includes, the facts of the
    /// others are not needed.
    fn visible_having(&mut self, file: FileId, name: Name) -> Vec<FileId> {
        let visible = self.visible(file);
        if !self.rules(file).includes {
            let has = |other: &&FileId| self.project.unit(**other).bindings(FILE, name).next().is_some();
            return visible.iter().filter(has).copied().collect();
        }
        let places = self.memos.visible_places.entry(file).or_insert_with(|| {
            let places = visible.iter().zip(0..);
            Rc::new(places.map(|(file, place)| (*file, place)).collect())
        });
        let having = self.project.having(self.project.names.text(name));
        let mut found: Vec<(u32, FileId)> =
            having.filter_map(|file| places.get(&file).map(|place| (*place, file))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, file)| file).collect()
    }

    /// The file that is linked, if a header's text is read in it.
    fn reader(&self, file: FileId) -> Option<FileId> {
        let home = self.home_file;
        (home != file && self.rules(home).includes).then_some(home)
    }

    /// Top-level members of the files included by `file`.
    fn included_member(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        if let Some(known) = self.memos.included.get(&(file, name, want)) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let search = self.find_included(file, name, want);
        // A result truncated by a cycle is incomplete.
        if self.end_uncut(outer) {
            self.memos.included.insert((file, name, want), search.clone());
        }
        search
    }

    fn find_included(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        self.ask(name);
        let mut search = Search::default();
        for other in self.visible_having(file, name) {
            let part = self.scope_member(other, FILE, name, want, Asker::Named);
            part.found.into_iter().for_each(|found| search.push(found));
        }
        self.prefer_bodies(&mut search);
        search
    }

    /// Top-level members of the text that includes a file.
    fn reader_member(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        let Some(home) = self.reader(file) else { return Search::default() };
        let own = self.scope_member(home, FILE, name, want, Asker::Named);
        if own.found.is_empty() { self.included_member(home, name, want) } else { own }
    }

    /// A name that is looked up outside of all scopes of a file: in C++ its own top counts as well (`::f`).
    pub(in crate::eval) fn global_member(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        if self.rules(file).includes {
            let mut search = self.scope_member(file, FILE, name, want, Asker::Named);
            if self.may_be_overloaded(&search) {
                search = self.with_included(file, name, want, search);
            }
            if !search.found.is_empty() {
                return search;
            }
        }
        if self.rules(file).open_types {
            return self.constant_at_top(file, name);
        }
        if self.rules(file).nested_packages {
            return self.find_import_root(file, name, want);
        }
        if self.rules(file).global_names {
            return self.in_global_namespace(file, "", name, want);
        }
        self.outside(file, name, want)
    }

    /// Adds the definitions of a name in other parts of the namespace, or in included files, to those of a scope.
    pub(in crate::eval) fn with_elsewhere(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        want: Namespace,
        search: Search,
    ) -> Search {
        let row = self.unit(file).facts.scopes[scope.index()];
        if row.kind == ScopeKind::Module {
            self.with_namespace(file, row.owner, name, want, search)
        } else if scope == FILE && self.may_be_overloaded(&search) {
            self.with_included(file, name, want, search)
        } else {
            search
        }
    }

    /// A member of the class that a function written outside of it belongs to, if the scope is that of one: it sees the
    /// class's members by their bare names.
    pub(in crate::eval) fn member_of_extended(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        want: Namespace,
    ) -> Option<Search> {
        let row = self.unit(file).facts.scopes[scope.index()];
        let owner = row.owner.filter(|_| row.kind == ScopeKind::Function)?;
        let of = DefRef { file, def: owner };
        self.definition(of).extends_type?;
        let class = self.extended_type(of)?;
        let search = if self.definition(class).kind == DefKind::Module {
            self.static_member(class, &no_args(), name, want)
        } else {
            self.member(&Value::Instance(class, no_args()), name, want)
        };
        // An external base may have any name; enclosing scopes come first.
        search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))).then_some(search)
    }

    /// For a call of a class: the constructors that take this many arguments, and the class. `None` if it declares
    /// none.
    pub(crate) fn constructed_by(&mut self, search: &Search, arity: u8) -> Option<(Search, DefRef)> {
        let [Found { entity: Entity::Def(class), .. }] = search.found.as_slice() else { return None };
        let class = *class;
        if search.unknown.is_some() || !self.definition(class).kind.is_class_like() {
            return None;
        }
        let body = self.definition(class).body?;
        let name = self.project.unit(class.file).name(self.definition(class).name);
        let mut found = self.scope_member(class.file, body, name, Namespace::Value, Asker::Named);
        found.found.retain(|found| match found.entity {
            Entity::Def(of) => {
                let definition = self.definition(of);
                let deleted = definition.signature.as_deref().is_some_and(|signature| signature.ends_with("delete"));
                definition.kind == DefKind::Function && !deleted
            }
            _ => false,
        });
        if found.found.is_empty() {
            return None;
        }
        let found = self.taking(found, arity);
        Some((self.replace_declarations(found), class))
    }

    /// Inside of a class, its name is found as that of its constructors: the class is meant.
    pub(in crate::eval) fn class_of_constructors(&mut self, search: Search) -> Search {
        let mut class = None;
        for found in &search.found {
            let Entity::Def(of) = found.entity else { return search };
            let definition = self.definition(of);
            if definition.kind != DefKind::Function || !definition.flags.is_constructor {
                return search;
            }
            class = self.class_of(of);
        }
        class.map_or(search, |class| Search::one(Entity::Def(class)))
    }

    /// A name that the scopes of a file do not know.
    pub(in crate::eval) fn find_unscoped(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        let search = self.included_member(file, name, want);
        if !search.found.is_empty() {
            return search;
        }
        // A header may depend on text before its inclusion.
        let search = self.reader_member(file, name, want);
        if !search.found.is_empty() {
            return search;
        }
        if want != Namespace::Any && self.has_other_meaning(file, name) {
            return Search::unknown(Reason::NameNotFound);
        }
        let resolver = self.resolver(file);
        let text = strip_tag(self.text(name));
        let mut search = Search::unknown(Reason::NameNotFound);
        for other in resolver.doubtful_siblings(&self.files, self.home_file) {
            let part = self.scope_member(other, FILE, name, want, Asker::Named);
            part.found.into_iter().for_each(|found| search.push(found));
        }
        if !search.found.is_empty() {
            return search;
        }
        if let Some(ModuleTarget::External(package)) = resolver.outside(&self.files, file, text) {
            return Search::one(Entity::External(package.into(), Some(name)));
        }
        self.find_undeclared(file, name, want)
    }

    /// Returns whether a name is known in another name space than the one that was asked for.
    fn has_other_meaning(&mut self, file: FileId, name: Name) -> bool {
        !self.scope_member(file, FILE, name, Namespace::Any, Asker::Named).found.is_empty()
            || !self.included_member(file, name, Namespace::Any).found.is_empty()
            || !self.reader_member(file, name, Namespace::Any).found.is_empty()
    }

    /// A name that nothing visible declares: it may be the one definition of the project that has it, else it is from
    /// a header outside of it.
    fn find_undeclared(&mut self, file: FileId, name: Name, want: Namespace) -> Search {
        let text = self.text(name);
        let plain = strip_tag(text);
        let plain = self.project.names.intern(plain);
        let Some(rows) = self.namesakes(plain) else { return Search::unknown(Reason::TooManyCandidates) };
        let fitting: Vec<DefRef> = rows
            .iter()
            .copied()
            .filter(|of| match (want, self.definition(*of).kind) {
                (Namespace::Callee, kind) => kind == DefKind::Function,
                (Namespace::Type, kind) => kind.is_type(),
                _ => false,
            })
            .collect();
        let mut search = Search::unknown(Reason::NameNotFound);
        if let [one] = fitting.as_slice() {
            search.push(Found::plain(Entity::Def(*one)));
        }
        if !rows.is_empty() || self.rules(file).overloads != Overloads::None {
            return search;
        }
        match self.resolver(file).outside_headers(&self.files, self.home_file) {
            Some(package) => Search::one(Entity::External(package.into(), Some(name))),
            None => search,
        }
    }

    /// Definitions of this name in the family that other files can refer to; `None` if there are too many.
    pub(in crate::eval) fn namesakes(&mut self, name: Name) -> Option<Vec<DefRef>> {
        self.asked.keys.insert(Key::methods(self.text(name)));
        let rows = self.project.methods(self.text(name)).map(|row| row.of);
        let of_family = rows.filter(|row| self.rules(row.file).includes);
        let mut found: Vec<DefRef> = of_family.take(MAX_NAMESAKES + 1).collect();
        if found.len() > MAX_NAMESAKES {
            return None;
        }
        self.project.by_path_order(&mut found);
        Some(found)
    }

    /// Returns whether other places may add results: overloads, or the definition of a declaration.
    pub(in crate::eval) fn may_be_overloaded(&mut self, search: &Search) -> bool {
        !search.found.is_empty()
            && search.found.iter().all(|found| match found.entity {
                Entity::Def(of) => {
                    let overloads = self.rules(of.file).overloads != Overloads::None;
                    let definition = self.definition(of);
                    definition.flags.is_declaration || overloads && definition.kind == DefKind::Function
                }
                _ => false,
            })
    }

    /// Adds the top-level definitions of the name in included files.
    pub(in crate::eval) fn with_included(
        &mut self,
        file: FileId,
        name: Name,
        want: Namespace,
        mut search: Search,
    ) -> Search {
        for part in [self.included_member(file, name, want), self.reader_member(file, name, want)] {
            part.found.into_iter().for_each(|found| search.push(found));
        }
        self.prefer_bodies(&mut search);
        search
    }

    /// Adds the definitions of the name in other parts of a namespace.
    pub(in crate::eval) fn with_namespace(
        &mut self,
        file: FileId,
        of: Option<DefId>,
        name: Name,
        want: Namespace,
        mut search: Search,
    ) -> Search {
        if !search.found.is_empty() && !self.may_be_overloaded(&search) {
            return search;
        }
        let Some(of) = of else { return search };
        // Any file may reopen the namespace, so the result depends on its name and not only on the files seen here.
        let path = namespace_path(&self.project.unit(file).facts, of);
        self.asked.words.insert(Word::namespace(&path));
        let path = self.project.names.intern(&path);
        // Only parts that this file sees: by its own includes, or by those of the file that includes it.
        let mut files = vec![file];
        files.extend(self.visible(file).iter());
        if let Some(home) = self.reader(file) {
            files.push(home);
            files.extend(self.visible(home).iter());
        }
        for other in files {
            let unit = self.project.unit(other);
            for def in unit.namespaces(path) {
                let Some(body) = unit.facts.definition(def).body else { continue };
                if other == file && def == of {
                    continue;
                }
                let part = self.scope_member(other, body, name, want, Asker::Named);
                part.found.into_iter().for_each(|found| search.push(found));
            }
        }
        self.prefer_bodies(&mut search);
        search
    }

    /// Leaves out declarations whose definition was found as well.
    pub(in crate::eval) fn drop_declared(&mut self, search: &mut Search) {
        let functions: Vec<(DefRef, bool)> = search
            .found
            .iter()
            .filter_map(|found| match found.entity {
                Entity::Def(of) if self.rules(of.file).includes => Some(of),
                _ => None,
            })
            .collect::<Vec<_>>()
            .into_iter()
            .map(|of| (of, self.definition(of).flags.is_declaration))
            .collect();
        let mut dropped = Vec::new();
        // A namespace is one, however many places it is written in.
        let mut namespaces: Vec<String> = Vec::new();
        for &(of, _) in &functions {
            if self.definition(of).kind == DefKind::Module {
                let path = namespace_path(&self.project.unit(of.file).facts, of.def);
                if namespaces.contains(&path) {
                    dropped.push(Entity::Def(of));
                } else {
                    namespaces.push(path);
                }
            }
        }
        let named = functions.iter().any(|&(of, _)| self.definition(of).kind == DefKind::Function);
        for &(of, _) in functions.iter().filter(|_| named) {
            if self.only_renames(of) {
                dropped.push(Entity::Def(of));
            }
        }
        for &(declared, _) in functions.iter().filter(|(_, is_declaration)| *is_declaration) {
            let defined = functions.iter().any(|&(of, is_declaration)| {
                // A macro of the name comes before the function: it is expanded before anything is looked up.
                let is_macro = self.definition(of).kind == DefKind::Macro && !dropped.contains(&Entity::Def(of));
                !is_declaration && (is_macro || self.same_shape(declared, of))
            });
            if defined {
                dropped.push(Entity::Def(declared));
            }
        }
        search.found.retain(|found| !dropped.contains(&found.entity));
    }

    /// Returns whether a macro only renames another definition (`#define deflate z_deflate`): calls and definitions
    /// are renamed alike, so they still match.
    fn only_renames(&mut self, of: DefRef) -> bool {
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        let text = definition.signature.as_deref().and_then(|signature| signature.split_once("define"));
        let words = text.map_or(0, |(_, words)| words.split_whitespace().count());
        let [value] = unit.list(definition.values) else { return false };
        if definition.kind != DefKind::Macro || words != 2 || definition.parameters.1 > 0 {
            return false;
        }
        let Expr::Name { name, .. } = unit.facts.expr(*value) else { return false };
        let name = unit.name(name);
        self.namesakes(name).is_some_and(|rows| rows.is_empty()) && self.included_quietly(of.file, name)
    }

    /// Returns whether neither a file nor its includes define the name at the top level.
    fn included_quietly(&mut self, file: FileId, name: Name) -> bool {
        self.ask(name);
        self.project.unit(file).bindings(FILE, name).next().is_none() && self.visible_having(file, name).is_empty()
    }

    /// Returns whether two functions of one name and place have the same parameters, as far as their types are
    /// written; C has no two functions of one name.
    fn same_shape(&mut self, a: DefRef, b: DefRef) -> bool {
        let (one, other) = (self.definition(a).kind, self.definition(b).kind);
        let is_variable = |kind| matches!(kind, DefKind::Variable | DefKind::Constant | DefKind::Field);
        if one != other && !(is_variable(one) && is_variable(other)) {
            return false;
        }
        let (one, other) = (self.project.unit(a.file), self.project.unit(b.file));
        if one.rules.overloads == Overloads::None || other.rules.overloads == Overloads::None {
            return true;
        }
        let (left, right) = (one.facts.parameters(a.def), other.facts.parameters(b.def));
        left.len() == right.len()
            && qualifiers(&one.facts, a.def) == qualifiers(&other.facts, b.def)
            && left.iter().zip(right).all(|(left, right)| {
                let left = left.declared.and_then(|declared| one.last_name(declared));
                let right = right.declared.and_then(|declared| other.last_name(declared));
                left.is_none() || right.is_none() || left == right
            })
    }

    /// Replaces declarations by their definitions in the project.
    pub(crate) fn replace_declarations(&mut self, search: Search) -> Search {
        let mut result = Search { unknown: search.unknown, ..Search::default() };
        let mut bare: Vec<DefRef> = Vec::new();
        for found in search.found {
            let Entity::Def(of) = found.entity else {
                result.push(found);
                continue;
            };
            let flags = self.definition(of).flags;
            // Even an abstract function may have a body.
            if !self.rules(of.file).includes || !(flags.is_declaration || flags.is_abstract) {
                result.push(found);
                continue;
            }
            let definitions = self.definitions_of(of);
            if definitions.is_empty() && !bare.iter().any(|&other| self.same_shape(other, of)) {
                bare.push(of);
                result.push(found.clone());
            }
            for definition in definitions {
                result.push(Found { entity: Entity::Def(definition), ..found.clone() });
            }
        }
        result
    }

    /// The definitions of a function, if it is declared; else itself.
    pub(crate) fn with_definitions(&mut self, of: DefRef) -> Vec<DefRef> {
        let defined = self.replace_declarations(Search::one(Entity::Def(of)));
        let rows = defined.found.iter().filter_map(|found| match found.entity {
            Entity::Def(of) => Some(of),
            _ => None,
        });
        rows.collect()
    }

    /// Possible definitions of a declaration. Several definitions of one name belong to different programs or
    /// platforms: preferred are those built together, those that see the declaration, and those in the same folder.
    fn definitions_of(&mut self, declared: DefRef) -> Vec<DefRef> {
        let name = self.project.unit(declared.file).name(self.definition(declared).name);
        let candidates = match self.class_of(declared) {
            Some(class) => self.attached_functions(class, name),
            None => self.namesakes(name).unwrap_or_default(),
        };
        let is_private = self.definition(declared).visibility == Visibility::Private;
        let mut found: Vec<DefRef> = Vec::new();
        for of in candidates {
            let definition = self.definition(of);
            let is_member = definition.extends_type.is_some();
            let fits = !definition.flags.is_declaration
                && (is_member || !is_private || of.file == declared.file)
                && self.same_shape(declared, of)
                && (is_member || self.same_namespace(declared, of));
            if fits {
                found.push(of);
            }
        }
        if found.len() > 1 { self.nearest(declared, found) } else { found }
    }

    /// Members of a class that are defined outside of it.
    fn attached_functions(&mut self, class: DefRef, name: Name) -> Vec<DefRef> {
        self.ask(name);
        let mut attached = self.find_attached(class).to_vec();
        attached.retain(|of| {
            let unit = self.project.unit(of.file);
            unit.facts.definition(of.def).kind == DefKind::Function
                && unit.name(unit.facts.definition(of.def).name) == name
        });
        attached
    }

    fn same_namespace(&mut self, a: DefRef, b: DefRef) -> bool {
        let path = |of: DefRef| namespace_path(&self.project.unit(of.file).facts, of.def);
        path(a) == path(b)
    }

    fn nearest(&mut self, declared: DefRef, mut found: Vec<DefRef>) -> Vec<DefRef> {
        let home = self.home_file;
        let mut keep = |eval: &mut Self, fits: &mut dyn FnMut(&mut Self, DefRef) -> bool| {
            let fitting: Vec<DefRef> = found.iter().copied().filter(|&of| fits(eval, of)).collect();
            if !fitting.is_empty() {
                found = fitting;
            }
        };
        if let Some(target) = self.resolver(home).target(&self.files, home).map(str::to_owned) {
            keep(self, &mut |eval, of| eval.resolver(of.file).target(&eval.files, of.file) == Some(target.as_str()));
        }
        keep(self, &mut |eval, of| of.file == declared.file || eval.visible(of.file).contains(&declared.file));
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let here = folder(self.project.path(home).as_str());
        keep(self, &mut |eval, of| folder(eval.project.path(of.file).as_str()) == here);
        found
    }

    /// Keeps the functions that take this many arguments, unless none does.
    pub(crate) fn taking(&mut self, mut search: Search, arity: u8) -> Search {
        if arity == u8::MAX || search.found.len() < 2 {
            return search;
        }
        let takes = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) if eval.definition(of).kind == DefKind::Function => eval.takes(found, usize::from(arity)),
            _ => true,
        };
        let fits: Vec<bool> = search.found.iter().map(|found| takes(self, found)).collect();
        if fits.contains(&true) {
            search.keep(&fits);
        }
        search
    }

    /// Prototypes of a function in files that its own file does not include, if it is the only function that they can
    /// mean.
    fn unseen_declarations(&mut self, of: DefRef, name: Name) -> Search {
        let word = Word::of(self.text(name));
        self.asked.keys.insert(Key::for_defined(word));
        let mut files = self.project.defining(word);
        files.retain(|&other| other != of.file && self.rules(other).includes);
        self.project.sort_by_path(&mut files);
        let mut search = Search::default();
        for other in files.into_iter().take(MAX_NAMESAKES) {
            let part = self.scope_member(other, FILE, name, Namespace::Value, Asker::Named);
            for found in part.found {
                if let Entity::Def(declared) = found.entity
                    && self.definition(declared).flags.is_declaration
                    && self.definitions_of(declared) == [of]
                {
                    search.push(found);
                }
            }
        }
        search
    }

    /// The declarations that a definition gives a body to: prototypes in headers it sees, members in its class.
    pub(crate) fn declarations_of(&mut self, of: DefRef) -> Vec<DefRef> {
        let definition = self.definition(of);
        let is_open = definition.extends_type.is_some() || definition.visibility != Visibility::Private;
        if definition.kind != DefKind::Function || definition.flags.is_declaration || !is_open {
            return Vec::new();
        }
        let name = self.project.unit(of.file).name(definition.name);
        let has_class = definition.extends_type.is_some() || self.rules(of.file).includes;
        let class = if has_class { self.class_of(of) } else { None };
        // The declaration is in the class, in a header, or in another part of the namespace.
        let search = match (class, definition.owner) {
            (Some(class), _) => {
                let body = self.definition(class).body;
                let mut search = match body.filter(|_| definition.extends_type.is_some()) {
                    Some(body) => self.scope_member(class.file, body, name, Namespace::Value, Asker::Named),
                    None => Search::default(),
                };
                // Other classes may declare it as a friend.
                for friend in self.attached_functions(class, name) {
                    search.push(Found::plain(Entity::Def(friend)));
                }
                search
            }
            (None, None) => {
                let mut search = self.included_member(of.file, name, Namespace::Value);
                if search.found.is_empty() {
                    search = self.unseen_declarations(of, name);
                }
                search
            }
            (None, Some(owner)) if self.definition(DefRef { file: of.file, def: owner }).kind == DefKind::Module => {
                self.with_namespace(of.file, Some(owner), name, Namespace::Value, Search::default())
            }
            (None, Some(_)) => return Vec::new(),
        };
        // Each overload has its own declaration, so the parameters must agree.
        let mut found = Vec::new();
        for one in search.found {
            if let Entity::Def(declared) = one.entity
                && self.definition(declared).flags.is_declaration
                && self.same_shape(declared, of)
            {
                found.push(declared);
            }
        }
        found
    }
}
