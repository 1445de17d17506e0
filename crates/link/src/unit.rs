pub(crate) mod passes;

use std::sync::{Arc, OnceLock};

use m1nd_base::{RepoPath, node_id};
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{
    BindingTarget, DefId, DefKind, Definition, Expr, ExprId, FactsBuilder, ImportId, ImportKind, ListId, NameId,
    Namespace, ScopeId, ScopeKind, Visibility,
};

use crate::ids::{self, SymbolId, Symbols};
use crate::languages;
use crate::names::{Name, Names};
use crate::rules::{Dispatch, Overloads, Rules};
use crate::spots::Spots;
use crate::spots::evidence::Evidence;
use crate::surface::{Hashes, Surface, Tables, find_copies, key_name};
use crate::tables::files::Word;
use crate::wrappers;
use passes::Passes;

/// One file as the evaluator sees it: its facts plus the tables that make lookups in them quick.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) path: RepoPath,
    pub(crate) facts: Arc<FileFacts>,
    /// Rules of its language.
    pub(crate) rules: &'static Rules,
    /// Project-wide name of each name of the file.
    pub(crate) names: Vec<Name>,
    /// `(scope, name, binding)`, sorted: the bindings of a name in a scope are adjacent, in file order.
    bindings: Vec<(ScopeId, Name, u32)>,
    /// For each scope, the nearest one outwards that is no block, or a block that knows a name: nesting of others costs
    /// nothing.
    nearest: Vec<ScopeId>,
    /// Start of the bindings of each scope in `bindings`, plus the end.
    binding_starts: Vec<u32>,
    /// `(scope, import)` of wildcard imports, sorted.
    wildcards: Vec<(ScopeId, ImportId)>,
    /// `(name, export)`, sorted.
    exports: Vec<(Name, u32)>,
    /// Node id of each definition that is a node.
    pub(crate) symbols: Vec<Option<SymbolId>>,
    /// Line of the first definition that is none because of the limits of ids.
    pub(crate) unnamed: Option<u32>,
    /// Definitions that macros may create, with their node ids.
    pub(crate) generated: Vec<(DefId, SymbolId)>,
    /// Node id of the file.
    pub(crate) file_symbol: SymbolId,
    /// Definitions whose members belong to a type written elsewhere, by the type's last written name.
    pub(crate) attached: Vec<(Name, DefId)>,
    /// Functions owned by class-like definitions, by name: candidates for receivers nobody knows. Where methods can be
    /// assigned, also the fields that may hold one; where values satisfy interfaces by their members, also the fields
    /// that interfaces declare.
    pub(crate) methods: Vec<(Name, DefId)>,
    /// Calls sorted by callee, for languages with overloads.
    calls: Vec<CallSite>,
    /// Functions written as arguments: the function, the call (its callee), the argument index.
    arguments: Vec<(DefId, ExprId, u32)>,
    /// Arguments passed to functions (Python).
    pub(crate) passes: Passes,
    /// Functions given to members of values, by the member's name (C): places in the file's member writes.
    pub(crate) given: Vec<(Name, u32)>,
    /// Calls that copy members: what they are copied to, and all arguments.
    pub(crate) copies: Vec<(ExprId, ListId)>,
    /// Namespaces of the file by their whole name (C++), inline ones under the name around them.
    pub(crate) namespaces: Vec<(Name, DefId)>,
    /// What it may contribute to contracts between programs.
    pub(crate) spots: Spots,
    /// Functions with a decorator that may make them fixtures, by the name they are asked for by.
    fixtures: Vec<(Name, DefId)>,
    /// Whether its path is that of test code.
    pub(crate) is_test: bool,
    /// Nested functions that use parameters of the enclosing function; computed on demand.
    wrappers: OnceLock<Vec<DefId>>,
    /// What other files can see of this one, once it was asked for.
    surface: OnceLock<Surface>,
    /// What others may read of what it contributes to contracts, once it was asked for.
    evidence: OnceLock<Evidence>,
}

impl Unit {
    /// Bytes of memory that it takes, about: the facts, and the tables whose length follows from them.
    pub(crate) fn bytes(&self) -> usize {
        let facts = &self.facts;
        let tables = [
            size_of_val(&*self.names) + size_of_val(&*self.bindings) + size_of_val(&*self.symbols),
            size_of_val(&*self.nearest) + size_of_val(&*self.binding_starts) + size_of_val(&*self.calls),
            size_of_val(&*self.arguments) + size_of_val(&*self.methods),
        ];
        size_of::<Self>() + facts.bytes() + tables.iter().sum::<usize>()
    }

    pub(crate) fn new(path: RepoPath, facts: Arc<FileFacts>, names: &Names, symbols: &Symbols) -> Self {
        // Names and symbols are numbers from here on.
        let local: Vec<Name> = facts.names.iter().map(|text| names.intern(text)).collect();
        let bindings = sorted_bindings(&facts, &local);
        let file_symbol = symbols.intern(&node_id::file(&path));
        let (def_symbols, unnamed) = ids::definition_ids(&path, &facts, symbols);
        let spots = Spots::of(&facts, &node_id::file(&path), symbols);
        let is_test = m1nd_lang::is_test_path(&path);
        let rules = languages::rules(facts.language);
        let mut unit = Self {
            path,
            rules,
            binding_starts: starts(&bindings, facts.scopes.len()),
            nearest: Vec::new(),
            bindings,
            wildcards: sorted_wildcards(&facts),
            exports: sorted_exports(&facts, &local),
            names: local,
            generated: ids::generated_ids(&facts, &def_symbols, file_symbol, symbols),
            symbols: def_symbols,
            unnamed,
            file_symbol,
            attached: Vec::new(),
            methods: Vec::new(),
            calls: Vec::new(),
            arguments: Vec::new(),
            passes: Passes::default(),
            given: Vec::new(),
            copies: Vec::new(),
            fixtures: Vec::new(),
            namespaces: Vec::new(),
            spots,
            is_test,
            wrappers: OnceLock::new(),
            surface: OnceLock::new(),
            evidence: OnceLock::new(),
            facts,
        };
        // Each of these reads the ones before.
        unit.nearest = unit.find_nearest();
        unit.attached = unit.find_attached(names);
        unit.methods = unit.find_methods();
        // What only some languages have.
        if let Some(fixtures) = rules.fixtures {
            unit.fixtures = unit.find_fixtures(fixtures.decorators);
        }
        if rules.overloads != Overloads::None || rules.methods_apart {
            unit.find_calls();
        }
        unit.passes = Passes::find(&unit);
        unit.given = unit.find_given();
        if rules.explicit_exports {
            unit.copies = find_copies(&unit.facts);
        }
        if rules.includes {
            unit.methods.extend(unit.find_linked());
            unit.methods.sort_unstable();
            unit.methods.dedup();
            unit.namespaces = unit.find_namespaces(names);
        }
        unit
    }

    /// What other files can see of this one.
    pub(crate) fn surface(&self) -> &Surface {
        self.surface.get_or_init(|| Hashes::new(&self.facts).surface(&self.tables()))
    }

    /// What others may read of what it contributes to contracts.
    pub(crate) fn evidence(&self) -> &Evidence {
        self.evidence.get_or_init(|| Evidence::of(&self.facts, &self.spots, self.is_test))
    }

    fn tables(&self) -> Tables<'_> {
        let namespaces = self.namespaces.iter();
        Tables {
            symbols: &self.symbols,
            attached: &self.attached,
            methods: &self.methods,
            given: &self.given,
            fixtures: self.fixtures().collect(),
            namespaces: namespaces.map(|&(_, def)| (Word::namespace(&namespace_path(&self.facts, def)), def)).collect(),
        }
    }

    /// The name by which other files come to a definition: its own, or that of what it is written in place in.
    pub(crate) fn key_name(&self, def: DefId) -> Name {
        self.name(key_name(&self.facts, def))
    }

    /// Returns whether a nested function uses a parameter of the enclosing function, which makes it a wrapper of the
    /// argument.
    pub(crate) fn uses_given(&self, inner: DefId) -> bool {
        self.wrappers.get_or_init(|| wrappers::using_given(&self.facts)).binary_search(&inner).is_ok()
    }

    /// Functions that may be the fixture of a name, in order.
    pub(crate) fn fixtures_named(&self, name: Name) -> impl Iterator<Item = DefId> + '_ {
        let start = self.fixtures.partition_point(|row| row.0 < name);
        self.fixtures[start..].iter().take_while(move |row| row.0 == name).map(|row| row.1)
    }

    /// Functions that may be fixtures, with the name that each is asked for by.
    fn fixtures(&self) -> impl Iterator<Item = (NameId, DefId)> + '_ {
        let place = |name| self.names.iter().position(|known| *known == name);
        self.fixtures.iter().filter_map(move |&(name, def)| Some((NameId(place(name)? as u32), def)))
    }

    /// Returns whether a function may be a fixture.
    pub(crate) fn is_fixture(&self, def: DefId) -> bool {
        self.fixtures.iter().any(|row| row.1 == def)
    }

    /// Functions with one of these decorators, by the name that it or they have.
    fn find_fixtures(&self, decorators: &[&str]) -> Vec<(Name, DefId)> {
        let facts = &self.facts;
        let mut found = Vec::new();
        for (index, definition) in facts.definitions.iter().enumerate() {
            for &decorator in self.list(definition.decorators) {
                let path = match facts.expr(decorator) {
                    Expr::Call { callee, .. } => callee,
                    _ => decorator,
                };
                let last = match facts.expr(path) {
                    Expr::Name { name, .. } | Expr::Member { name, .. } => facts.name(name),
                    _ => continue,
                };
                if definition.kind == DefKind::Function && decorators.contains(&last) {
                    let mut named = facts.arguments_of(path).iter();
                    let named = named.find(|row| row.name.is_some_and(|name| facts.name(name) == "name"));
                    let name = named.and_then(|row| row.text).unwrap_or(definition.name);
                    found.push((self.name(name), DefId(index as u32)));
                    break;
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The call with this callee; `None` if it is not called.
    pub(crate) fn call(&self, callee: ExprId) -> Option<CallSite> {
        self.calls.binary_search_by_key(&callee, |call| call.callee).ok().map(|index| self.calls[index])
    }

    /// The call that a function is written as an argument of, and its place among the arguments.
    pub(crate) fn argument_of(&self, def: DefId) -> Option<(ExprId, u32)> {
        let index = self.arguments.binary_search_by_key(&def, |(def, ..)| *def).ok()?;
        let (_, callee, place) = self.arguments[index];
        Some((callee, place))
    }

    fn find_calls(&mut self) {
        for expr in &self.facts.exprs {
            let Expr::Call { callee, args } = *expr else { continue };
            let (callee, constructs, type_args) = match self.facts.expr(callee) {
                Expr::Generic { base, args } if self.rules.tells_arguments_apart() => {
                    let count = self.facts.list(args).len();
                    match self.facts.expr(base) {
                        Expr::Generic { base, .. } if count == 0 => (base, true, 0),
                        _ => (base, count == 0 && self.rules.constructs_apart, count as u8),
                    }
                }
                Expr::Generic { base, .. } => (base, true, 0),
                _ => (callee, false, 0),
            };
            self.calls.push(CallSite { callee, args, constructs, type_args });
            for (place, &arg) in self.facts.list(args).iter().enumerate() {
                if let Expr::Definition(def) = self.facts.expr(self.facts.without_label(arg)) {
                    self.arguments.push((def, callee, place as u32));
                }
            }
        }
        // Blocks are recorded beside the arguments.
        if self.rules.open_types {
            for argument in &self.facts.arguments {
                if let Expr::Definition(def) = self.facts.expr(argument.value) {
                    self.arguments.push((def, argument.of, 0));
                }
            }
        }
        self.calls.sort_unstable_by_key(|call| call.callee);
        self.calls.dedup_by_key(|call| call.callee);
        self.calls.shrink_to_fit();
        self.arguments.sort_unstable();
        self.arguments.dedup_by_key(|(def, ..)| *def);
    }

    pub(crate) fn name(&self, id: NameId) -> Name {
        self.names[id.index()]
    }

    /// Indexes of the bindings of `name` in `scope`.
    pub(crate) fn bindings(&self, scope: ScopeId, name: Name) -> impl Iterator<Item = u32> + '_ {
        let place = |scope: usize| self.binding_starts.get(scope).map_or(self.bindings.len(), |&start| start as usize);
        let here = &self.bindings[place(scope.index())..place(scope.index() + 1)];
        let start = here.partition_point(|&(_, known, _)| known < name);
        here[start..].iter().take_while(move |&&(_, known, _)| known == name).map(|&(.., index)| index)
    }

    /// Returns whether the scope of the file binds a function or class of this name.
    pub(crate) fn has_top_callable(&self, name: Name) -> bool {
        self.bindings(FactsBuilder::FILE, name).any(|index| match self.facts.bindings[index as usize].target {
            BindingTarget::Definition(def) => {
                matches!(self.facts.definition(def).kind, DefKind::Function | DefKind::Class)
            }
            _ => false,
        })
    }

    /// Returns whether a class of the file has something under this name.
    pub(crate) fn has_member(&self, name: Name) -> bool {
        let is_class = |owner: DefId| self.facts.definition(owner).kind.is_class_like();
        let is_member =
            |definition: &Definition| definition.extends_type.is_some() || definition.owner.is_some_and(is_class);
        self.facts.definitions.iter().any(|one| self.name(one.name) == name && is_member(one))
    }

    /// Methods that classes ask of those that satisfy them without naming them, by name.
    pub(crate) fn demands(&self) -> impl Iterator<Item = (Name, DefId)> + '_ {
        self.methods.iter().copied().filter(|(_, def)| {
            let method = self.facts.definition(*def);
            let owner = method.owner.map(|owner| self.facts.definition(owner));
            method.flags.is_abstract && owner.is_some_and(|owner| owner.flags.is_structural)
        })
    }

    /// The names that the file gives to the whole program, with repetitions.
    pub(crate) fn global_names(&self) -> impl Iterator<Item = NameId> + '_ {
        let facts = &self.facts;
        let is_open = |scope: ScopeId| {
            let row = facts.scopes[scope.index()];
            scope == FactsBuilder::FILE || row.kind == ScopeKind::Module
        };
        let rows = facts.bindings.iter().filter(|_| self.rules.global_names);
        let rows = rows.filter(move |row| matches!(row.target, BindingTarget::Definition(_)) && is_open(row.scope));
        rows.map(|row| row.name)
    }

    /// The whole paths of classes, modules and constants, in languages where every file may add to them, and the names
    /// of functions outside of all.
    pub(crate) fn open_paths(&self) -> impl Iterator<Item = String> + '_ {
        let rows = self.facts.definitions.iter().enumerate().filter(|_| self.rules.open_types);
        let paths = rows
            .filter(|(_, row)| is_open_kind(&self.facts, row))
            .map(|(index, _)| open_path(&self.facts, DefId(index as u32)));
        let methods =
            self.facts.bindings.iter().filter(|row| self.rules.open_types && row.namespace == Namespace::Callee);
        paths.chain(methods.map(|row| method_path(self.facts.name(row.name))))
    }

    /// The definitions of a whole path.
    pub(crate) fn at_open_path(&self, path: &str) -> Vec<DefId> {
        let last = path.rsplit("::").next().unwrap_or(path);
        let rows = self.facts.definitions.iter().enumerate();
        let named = rows.filter(|(_, row)| is_open_kind(&self.facts, row) && self.facts.name(row.name).ends_with(last));
        let ids = named.map(|(index, _)| DefId(index as u32));
        ids.filter(|id| open_path(&self.facts, *id) == path).collect()
    }

    /// The names that the scope of the file knows.
    pub(crate) fn top_names(&self) -> impl Iterator<Item = Name> + '_ {
        let end = self.binding_starts.get(1).map_or(self.bindings.len(), |&end| end as usize);
        self.bindings[..end].chunk_by(|a, b| a.1 == b.1).map(|rows| rows[0].1)
    }

    /// The scope, or the nearest one around it that a name may be found in.
    pub(crate) fn nearest(&self, scope: ScopeId) -> ScopeId {
        self.nearest[scope.index()]
    }

    fn find_nearest(&self) -> Vec<ScopeId> {
        let mut nearest: Vec<ScopeId> = Vec::with_capacity(self.facts.scopes.len());
        for (index, row) in self.facts.scopes.iter().enumerate() {
            let scope = ScopeId(index as u32);
            let knows = self.binding_starts[index] != self.binding_starts[index + 1];
            let is_empty = row.kind == ScopeKind::Block && !knows && self.wildcards(scope).next().is_none();
            // Parents precede their children.
            nearest.push(row.parent.filter(|_| is_empty).map_or(scope, |parent| nearest[parent.index()]));
        }
        nearest
    }

    /// Wildcard imports written in `scope`.
    pub(crate) fn wildcards(&self, scope: ScopeId) -> impl Iterator<Item = ImportId> + '_ {
        let start = self.wildcards.partition_point(|&(s, _)| s < scope);
        self.wildcards[start..].iter().take_while(move |&&(s, _)| s == scope).map(|&(_, import)| import)
    }

    /// Indexes of the exports under `name`.
    pub(crate) fn exports(&self, name: Name) -> impl Iterator<Item = u32> + '_ {
        let start = self.exports.partition_point(|&(n, _)| n < name);
        self.exports[start..].iter().take_while(move |&&(n, _)| n == name).map(|&(_, index)| index)
    }

    /// The last name a type is written with; an alias made by an import counts as the name it was imported by.
    fn find_attached(&self, names: &Names) -> Vec<(Name, DefId)> {
        let mut found = Vec::new();
        for (index, definition) in self.facts.definitions.iter().enumerate() {
            let beside = definition.kind == DefKind::TypeAlias
                && !definition.flags.is_distinct
                && self.rules.members_beside_type;
            // Members may be written for another name of the type.
            if beside && let Some(name) = definition.declared.and_then(|of| self.last_name(of)) {
                found.push((name, DefId(index as u32)));
            }
            let Some(expr) = definition.extends_type else { continue };
            let name = match self.last_name(expr) {
                Some(written) => self.imported_as(written).unwrap_or(written),
                None => names.intern(ATTACHED_ANYWHERE),
            };
            found.push((name, DefId(index as u32)));
        }
        found.sort_unstable();
        found
    }

    /// The last name written in an access path, if it is nothing else.
    pub(crate) fn written_last(&self, expr: ExprId) -> Option<&str> {
        match self.facts.expr(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Path { name, .. } => {
                Some(self.facts.name(name))
            }
            _ => None,
        }
    }

    pub(crate) fn last_name(&self, mut expr: ExprId) -> Option<Name> {
        // Sub-expressions precede their users, so this ends.
        loop {
            match self.facts.expr(expr) {
                Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Path { name, .. } => {
                    return Some(self.name(name));
                }
                Expr::Generic { base, .. } | Expr::Instance { of: base } | Expr::Call { callee: base, .. } => {
                    expr = base
                }
                _ => return None,
            }
        }
    }

    fn imported_as(&self, alias: Name) -> Option<Name> {
        let binding =
            self.facts.bindings.iter().find(|binding| {
                matches!(binding.target, BindingTarget::Import(_)) && self.name(binding.name) == alias
            })?;
        let BindingTarget::Import(id) = binding.target else { return None };
        match self.facts.imports[id.index()].kind {
            ImportKind::Symbol(name) => Some(self.name(name)),
            _ => None,
        }
    }

    /// The name that an import is bound or exported under.
    pub(crate) fn name_of_import(&self, id: ImportId) -> Option<&str> {
        let facts = &self.facts;
        let bound = facts.bindings.iter().find(|binding| binding.target == BindingTarget::Import(id));
        let exported = || facts.exports.iter().find(|export| facts.expr(export.value) == Expr::Import(id));
        let name = bound.map(|binding| binding.name).or_else(|| exported().map(|export| export.name))?;
        Some(facts.name(name)).filter(|name| *name != "default")
    }

    fn find_methods(&self) -> Vec<(Name, DefId)> {
        let facts = &self.facts;
        let holds = self.rules.reassigns_functions;
        let by_members = self.rules.dispatch == Dispatch::Members;
        // A member of an interface whose written type may be that of a function.
        let is_declared = |definition: &m1nd_lang::facts::Definition| {
            definition.kind == DefKind::Field
                && definition.declared.is_some_and(|declared| !matches!(facts.expr(declared), Expr::Literal(_)))
                && definition.owner.is_some_and(|owner| facts.definition(owner).kind == DefKind::Interface)
        };
        let may_be_function = |&value: &ExprId| {
            matches!(facts.expr(value), Expr::Name { .. } | Expr::Member { .. } | Expr::Definition(_))
        };
        let mut found: Vec<_> = facts
            .definitions
            .iter()
            .enumerate()
            .filter(|(index, definition)| {
                let holds = holds && definition.kind == DefKind::Field;
                (definition.kind == DefKind::Function
                    || by_members && is_declared(definition)
                    || holds && facts.list(definition.values).iter().any(may_be_function))
                    && self.symbols[*index].is_some()
                    && (definition.extends_type.is_some()
                        || definition.owner.is_some_and(|owner| facts.definition(owner).kind.is_class_like()))
            })
            .map(|(index, definition)| (self.name(definition.name), DefId(index as u32)))
            .collect();
        found.sort_unstable();
        found
    }

    /// Definitions that other files can refer to by declaring them: functions, variables and types at the top level
    /// or in a namespace, with a body and not private to the file.
    fn find_linked(&self) -> Vec<(Name, DefId)> {
        let facts = &self.facts;
        let is_open = |definition: &m1nd_lang::facts::Definition| {
            let owner = definition.owner.map(|owner| facts.definition(owner).kind);
            let kind = matches!(definition.kind, DefKind::Function | DefKind::Variable | DefKind::Constant)
                || definition.kind.is_type() && definition.kind != DefKind::TypeAlias;
            kind && matches!(owner, None | Some(DefKind::Module))
                && !definition.flags.is_declaration
                && !definition.flags.is_anonymous
                && definition.visibility != Visibility::Private
        };
        let rows = facts.definitions.iter().enumerate().filter(|(_, definition)| is_open(definition));
        rows.map(|(index, definition)| (self.name(definition.name), DefId(index as u32))).collect()
    }

    fn find_given(&self) -> Vec<(Name, u32)> {
        let rows = self.facts.stored.iter().enumerate();
        let mut given: Vec<_> = rows.map(|(index, stored)| (self.name(stored.name), index as u32)).collect();
        given.sort_unstable();
        given
    }

    fn find_namespaces(&self, names: &Names) -> Vec<(Name, DefId)> {
        let mut found: Vec<_> = self
            .facts
            .definitions
            .iter()
            .enumerate()
            .filter(|(_, definition)| definition.kind == DefKind::Module)
            .map(|(index, _)| (names.intern(&namespace_path(&self.facts, DefId(index as u32))), DefId(index as u32)))
            .collect();
        found.sort_unstable();
        found
    }

    /// Namespaces of the file with this whole name.
    pub(crate) fn namespaces(&self, path: Name) -> impl Iterator<Item = DefId> + '_ {
        let start = self.namespaces.partition_point(|&(name, _)| name < path);
        self.namespaces[start..].iter().take_while(move |&&(name, _)| name == path).map(|&(_, def)| def)
    }

    /// The items of a list of expressions.
    pub(crate) fn list(&self, list: ListId) -> &[ExprId] {
        self.facts.list(list)
    }
}

/// `(scope, name, binding)` of every binding, sorted.
fn sorted_bindings(facts: &FileFacts, names: &[Name]) -> Vec<(ScopeId, Name, u32)> {
    let rows = facts.bindings.iter().enumerate();
    let mut bindings: Vec<_> =
        rows.map(|(index, binding)| (binding.scope, names[binding.name.index()], index as u32)).collect();
    bindings.sort_unstable();
    bindings
}

/// `(scope, import)` of every wildcard import, sorted.
fn sorted_wildcards(facts: &FileFacts) -> Vec<(ScopeId, ImportId)> {
    let rows = (0..facts.imports.len() as u32).map(ImportId);
    let is_wildcard =
        |id: &ImportId| matches!(facts.imports[id.index()].kind, ImportKind::Wildcard | ImportKind::Include);
    let mut wildcards: Vec<_> = rows.filter(is_wildcard).map(|id| (facts.imports[id.index()].scope, id)).collect();
    wildcards.sort_unstable();
    wildcards
}

/// `(name, export)` of every export, sorted.
fn sorted_exports(facts: &FileFacts, names: &[Name]) -> Vec<(Name, u32)> {
    let rows = facts.exports.iter().enumerate();
    let mut exports: Vec<_> = rows.map(|(index, export)| (names[export.name.index()], index as u32)).collect();
    exports.sort_unstable();
    exports
}

/// Start of the rows of each scope, plus the end.
fn starts(rows: &[(ScopeId, Name, u32)], scopes: usize) -> Vec<u32> {
    let mut starts = Vec::with_capacity(scopes + 1);
    for (index, (scope, ..)) in rows.iter().enumerate() {
        while starts.len() <= scope.index() {
            starts.push(index as u32);
        }
    }
    starts.resize(starts.len().max(scopes + 1), rows.len() as u32);
    starts
}

/// Returns whether only blocks are around a definition.
fn is_outside_classes(facts: &FileFacts, row: &Definition) -> bool {
    let mut owner = row.owner;
    while let Some(id) = owner {
        let above = facts.definition(id);
        if above.kind != DefKind::Function || !above.flags.is_anonymous || above.extends_type.is_some() {
            return false;
        }
        owner = above.owner;
    }
    true
}

/// Returns whether other files find a definition by its whole path.
fn is_open_kind(facts: &FileFacts, row: &Definition) -> bool {
    let is_top = row.kind == DefKind::Function && !row.flags.is_anonymous && is_outside_classes(facts, row);
    is_top || row.kind == DefKind::Constant || row.kind.is_class_like() && !row.flags.is_anonymous
}

/// What stands for all methods of a name among the paths.
pub(crate) fn method_path(name: &str) -> String {
    format!("method {name}")
}

/// The whole path of a definition: the names of what it is written in, and its own.
pub(crate) fn open_path(facts: &FileFacts, of: DefId) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut around = Some(of);
    while let Some(id) = around {
        let definition = facts.definition(id);
        let name = facts.name(definition.name);
        if let Some(whole) = name.strip_prefix("::") {
            parts.push(whole);
            break;
        }
        if !definition.flags.is_anonymous {
            parts.push(name);
        }
        around = definition.owner;
    }
    parts.reverse();
    parts.join("::")
}

/// Qualified name of a namespace, or of the namespaces around another definition. Inline namespaces are left out:
/// their members belong to the enclosing namespace.
pub(crate) fn namespace_path(facts: &FileFacts, of: DefId) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut around = Some(of);
    while let Some(id) = around {
        let definition = facts.definition(id);
        let inline = definition.signature.as_deref().is_some_and(|signature| signature.starts_with("inline "));
        if definition.kind == DefKind::Module && !inline {
            parts.push(facts.name(definition.name));
        }
        around = definition.owner;
    }
    parts.reverse();
    parts.join(node_id::SEPARATOR)
}

/// Name under which members are stored that attach to a type of unknown name (`impl<T> Trait for T`).
pub(crate) const ATTACHED_ANYWHERE: &str = "*";

/// Like [`fits`], where methods have a name space of their own.
pub(crate) fn fits_apart(namespace: Namespace, want: Namespace) -> bool {
    match want {
        Namespace::Any => true,
        Namespace::Callee => matches!(namespace, Namespace::Callee | Namespace::Any),
        Namespace::Value | Namespace::Type => namespace == want || namespace == Namespace::Any,
        Namespace::Macro => false,
    }
}

/// A call as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallSite {
    /// Access path of the callee.
    pub(crate) callee: ExprId,
    /// Its arguments.
    pub(crate) args: ListId,
    /// It names a class to construct a value of (`new C()`).
    pub(crate) constructs: bool,
    /// Number of type arguments written for a method.
    pub(crate) type_args: u8,
}

/// Returns whether a binding in `namespace` answers a lookup for `want`.
pub(crate) fn fits(namespace: Namespace, want: Namespace) -> bool {
    let want = if want == Namespace::Callee { Namespace::Value } else { want };
    namespace == want || namespace == Namespace::Any && want != Namespace::Macro || want == Namespace::Any
}
