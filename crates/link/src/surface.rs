//! Hashes of everything that linking other files can read of a file, by the names it is found under. They exclude
//! positions, documentation, references and plain statements, so most edits inside a function body leave all of them
//! unchanged, and a new name changes one.

use std::hash::{Hash, Hasher};

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{
    BindingTarget, DefId, DefKind, Definition, Expr, ExprId, Import, ImportId, ImportKind, ListId, NameId, ScopeId,
    ScopeKind,
};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::ids::SymbolId;
use crate::names::Name;
use crate::tables::files::Word;

/// Expressions and definitions hashed for one function's result before the rest is taken as a whole.
const RESULT_EXPRS: usize = 512;
/// Scopes that a local name is followed outwards through.
const MOST_SCOPES: usize = 4_096;
/// Targets of one local name that are followed.
const MOST_TARGETS: usize = 256;

/// What linking other files can read of a file, as hashes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Surface {
    /// What has no name: the language, the package, wildcard imports, which kinds of exports there are.
    pub(crate) heading: u64,
    /// All imports in order.
    pub(crate) imports: u64,
    /// What there is under each name, wherever in the file; sorted.
    pub(crate) names: Vec<(Word, u64)>,
    /// Definitions that attach to types of a name, in order of names: the function's own name, or `None` for a block.
    pub(crate) attached: Vec<(Name, Option<Word>, u64)>,
    /// Methods in order of names. Their results do not count.
    pub(crate) methods: Vec<(Name, u64)>,
    /// Functions given to members, in order of the members' names.
    pub(crate) given: Vec<(Name, u64)>,
}

/// Tables of a file that its hashes take into account.
#[derive(Debug)]
pub(crate) struct Tables<'u> {
    /// Node of each definition.
    pub(crate) symbols: &'u [Option<SymbolId>],
    pub(crate) attached: &'u [(Name, DefId)],
    pub(crate) methods: &'u [(Name, DefId)],
    pub(crate) given: &'u [(Name, u32)],
    /// Functions that may be fixtures, with the name that each is asked for by.
    pub(crate) fixtures: Vec<(NameId, DefId)>,
    /// Namespaces by their whole name.
    pub(crate) namespaces: Vec<(Word, DefId)>,
}

/// The name by which other files come to a definition: its own, or that of what it is written in place in.
pub(crate) fn key_name(facts: &FileFacts, def: DefId) -> NameId {
    let mut definition = facts.definition(def);
    while let Some(owner) = definition.owner.filter(|_| definition.flags.is_anonymous) {
        definition = facts.definition(owner);
    }
    definition.name
}

/// Hashes parts of a file's facts.
pub(crate) struct Hashes<'a> {
    facts: &'a FileFacts,
    /// Bindings inside functions.
    local: FxHashMap<(ScopeId, NameId), Vec<BindingTarget>>,
    /// Wildcard imports inside functions.
    local_wildcards: FxHashMap<ScopeId, Vec<ImportId>>,
    /// Whether other files look up names in a scope: it is not inside a function, or it holds members.
    open: Vec<bool>,
    /// Identity of each definition: unlike its number, other definitions do not change it.
    identities: Vec<u64>,
    /// Hash of all expressions and definitions, for what is too much to follow.
    all: u64,
}

impl<'a> Hashes<'a> {
    pub(crate) fn new(facts: &'a FileFacts) -> Self {
        let open = open_scopes(facts);
        let mut local: FxHashMap<(ScopeId, NameId), Vec<BindingTarget>> = FxHashMap::default();
        for binding in facts.bindings.iter().filter(|binding| !open[binding.scope.index()]) {
            local.entry((binding.scope, binding.name)).or_default().push(binding.target);
        }
        let identities = identities(facts);
        let mut all = FxHasher::default();
        (&facts.exprs, &identities).hash(&mut all);
        let mut local_wildcards: FxHashMap<ScopeId, Vec<ImportId>> = FxHashMap::default();
        for (index, import) in facts.imports.iter().enumerate() {
            if is_wildcard(import) && !open[import.scope.index()] {
                local_wildcards.entry(import.scope).or_default().push(ImportId(index as u32));
            }
        }
        Self { facts, local, local_wildcards, open, identities, all: all.finish() }
    }

    /// Hash of expressions, wherever they occur, and of names and definitions.
    pub(crate) fn of(&self, exprs: &[ExprId], names: &[Option<NameId>], definitions: &[DefId]) -> u64 {
        let mut one = self.begin();
        exprs.iter().for_each(|&expr| one.expr(expr));
        names.iter().for_each(|name| one.optional_name(*name));
        definitions.iter().for_each(|id| self.identities[id.index()].hash(&mut one.hasher));
        one.hasher.finish()
    }

    /// What other files can read of the file.
    pub(crate) fn surface(&self, tables: &Tables<'_>) -> Surface {
        let mut names: FxHashMap<Word, FxHasher> = FxHashMap::default();
        let mut add = |word: Word, hash: u64| hash.hash(names.entry(word).or_default());
        // Definitions by name; a class also by its members, which other files ask for by that name.
        let (heads, wholes) = self.definitions(tables);
        let mut members: Vec<FxHasher> = vec![FxHasher::default(); self.facts.definitions.len()];
        for (index, definition) in self.facts.definitions.iter().enumerate() {
            add(Word::of(self.facts.name(key_name(self.facts, DefId(index as u32)))), wholes[index]);
            if let Some(owner) = definition.owner {
                (self.identities[index], wholes[index]).hash(&mut members[owner.index()]);
            }
        }
        for (definition, members) in self.facts.definitions.iter().zip(members) {
            if definition.kind.is_class_like() {
                add(Word::members(self.facts.name(definition.name)), members.finish());
            }
        }
        // All other things that another file can look up by a name.
        self.bindings(&mut add);
        self.exports(&mut add);
        self.member_writes(&mut add);
        for (target, args) in find_copies(self.facts) {
            let exprs: Vec<ExprId> = std::iter::once(target).chain(self.facts.list(args).iter().copied()).collect();
            add(Word::of(COPIES), self.of(&exprs, &[], &[]));
        }
        for &(name, def) in &tables.fixtures {
            add(Word::of(self.facts.name(name)), wholes[def.index()]);
        }
        for &(path, def) in &tables.namespaces {
            add(path, self.identities[def.index()]);
        }
        // Sorted, so that the surface does not depend on the order of a map.
        let mut names: Vec<(Word, u64)> = names.into_iter().map(|(word, hasher)| (word, hasher.finish())).collect();
        names.sort_unstable();
        Surface {
            heading: self.heading(),
            imports: self.all_imports(),
            names,
            attached: self.hash_attached(tables),
            methods: tables.methods.iter().map(|&(name, def)| (name, heads[def.index()])).collect(),
            given: self.hash_given(tables),
        }
    }

    fn begin(&self) -> One<'_> {
        One { of: self, hasher: FxHasher::default() }
    }

    /// Hashes of all definitions, first without what they result in.
    fn definitions(&self, tables: &Tables<'_>) -> (Vec<u64>, Vec<u64>) {
        let facts = self.facts;
        let mut has_fields = vec![false; facts.definitions.len()];
        for definition in facts.definitions.iter().filter(|definition| definition.kind == DefKind::Field) {
            if let Some(owner) = definition.owner {
                has_fields[owner.index()] = true;
            }
        }
        let mut written: FxHashMap<DefId, Vec<ExprId>> = FxHashMap::default();
        for write in &facts.member_writes {
            if let Expr::Definition(def) = facts.expr(write.value) {
                written.entry(def).or_default().push(write.base);
            }
        }
        let using_given = crate::wrappers::using_given(facts);
        let rows = facts.definitions.iter().enumerate().map(|(index, definition)| {
            let id = DefId(index as u32);
            let mut one = self.begin();
            (facts.language, tables.symbols[index], has_fields[index]).hash(&mut one.hasher);
            one.head(id, definition);
            let head = one.hasher.finish();
            one.values(definition);
            using_given.binary_search(&id).is_ok().hash(&mut one.hasher);
            written.get(&id).into_iter().flatten().for_each(|&base| one.expr(base));
            (head, one.hasher.finish())
        });
        rows.unzip()
    }

    fn bindings(&self, add: &mut impl FnMut(Word, u64)) {
        let facts = self.facts;
        for binding in facts.bindings.iter().filter(|binding| self.open[binding.scope.index()]) {
            let mut one = self.begin();
            one.scope(binding.scope);
            binding.namespace.hash(&mut one.hasher);
            one.target(binding.target);
            match binding.target {
                BindingTarget::Definition(id) if facts.definition(id).name != binding.name => one.all(&[], &[id]),
                BindingTarget::Value(expr) | BindingTarget::Typed(expr) => one.expr(expr),
                _ => {}
            }
            add(Word::of(facts.name(binding.name)), one.hasher.finish());
        }
    }

    fn exports(&self, add: &mut impl FnMut(Word, u64)) {
        for export in &self.facts.exports {
            let mut one = self.begin();
            one.expr(export.value);
            add(Word::of(self.facts.name(export.name)), one.hasher.finish());
        }
        for name in self.facts.export_list.iter().flatten() {
            add(Word::of(self.facts.name(*name)), 1);
        }
    }

    /// A write is found by the member's name, and by the names of what it belongs to.
    fn member_writes(&self, add: &mut impl FnMut(Word, u64)) {
        for write in &self.facts.member_writes {
            let mut one = self.begin();
            one.name(write.name);
            one.all(&[write.base, write.value], &[]);
            let hash = one.hasher.finish();
            add(Word::of(self.facts.name(write.name)), hash);
            let mut base = write.base;
            // No project has a chain of so many members.
            for _ in 0..RESULT_EXPRS {
                let (name, inner) = match self.facts.expr(base) {
                    Expr::Name { name, .. } => (name, None),
                    Expr::Member { base: inner, name } | Expr::Path { base: inner, name } => (name, Some(inner)),
                    _ => break,
                };
                add(Word::of(self.facts.name(name)), hash);
                let Some(inner) = inner else { break };
                base = inner;
            }
        }
    }

    fn heading(&self) -> u64 {
        let facts = self.facts;
        let mut one = self.begin();
        facts.language.hash(&mut one.hasher);
        facts.package.map(|name| facts.name(name)).hash(&mut one.hasher);
        (facts.exports.is_empty(), facts.export_list.is_some()).hash(&mut one.hasher);
        facts.imports.iter().any(|import| import.flags.reexport).hash(&mut one.hasher);
        facts.imports.iter().any(|import| import.flags.commonjs).hash(&mut one.hasher);
        for (index, import) in facts.imports.iter().enumerate() {
            if is_wildcard(import) && self.open[import.scope.index()] {
                one.import(ImportId(index as u32));
            }
        }
        one.hasher.finish()
    }

    fn all_imports(&self) -> u64 {
        let mut one = self.begin();
        (0..self.facts.imports.len() as u32).for_each(|index| one.import(ImportId(index)));
        one.hasher.finish()
    }

    fn hash_attached(&self, tables: &Tables<'_>) -> Vec<(Name, Option<Word>, u64)> {
        let rows = tables.attached.iter().map(|&(name, def)| {
            let definition = self.facts.definition(def);
            let mut one = self.begin();
            (self.identities[def.index()], definition.kind, definition.flags).hash(&mut one.hasher);
            tables.symbols[def.index()].hash(&mut one.hasher);
            definition.extends_type.into_iter().chain(definition.declared).for_each(|expr| one.expr(expr));
            one.list(definition.implements);
            let function = definition.kind == DefKind::Function;
            (name, function.then(|| Word::of(self.facts.name(definition.name))), one.hasher.finish())
        });
        rows.collect()
    }

    fn hash_given(&self, tables: &Tables<'_>) -> Vec<(Name, u64)> {
        let rows = tables.given.iter().map(|&(name, row)| {
            let stored = self.facts.stored[row as usize];
            (name, self.of(&[stored.base, stored.value], &[], &[]))
        });
        rows.collect()
    }
}

fn is_wildcard(import: &Import) -> bool {
    matches!(import.kind, ImportKind::Wildcard | ImportKind::Include)
}

/// Identity of each definition: its owner's, its kind and name, and its number among those of the same.
pub(crate) fn identities(facts: &FileFacts) -> Vec<u64> {
    let mut identities: Vec<u64> = Vec::with_capacity(facts.definitions.len());
    let mut same: FxHashMap<u64, u32> = FxHashMap::default();
    for definition in &facts.definitions {
        let mut hasher = FxHasher::default();
        definition.owner.map(|owner| identities[owner.index()]).hash(&mut hasher);
        (definition.kind, facts.name(definition.name)).hash(&mut hasher);
        let number = same.entry(hasher.finish()).or_default();
        *number += 1;
        number.hash(&mut hasher);
        identities.push(hasher.finish());
    }
    identities
}

fn open_scopes(facts: &FileFacts) -> Vec<bool> {
    let mut open: Vec<bool> = Vec::with_capacity(facts.scopes.len());
    for scope in &facts.scopes {
        open.push(match scope.kind {
            ScopeKind::File | ScopeKind::Module | ScopeKind::Class => true,
            ScopeKind::Function => false,
            // Parents precede their children.
            ScopeKind::Block | ScopeKind::Generics => scope.parent.is_none_or(|parent| open[parent.index()]),
        });
    }
    open
}

/// The hash of one thing.
struct One<'h> {
    of: &'h Hashes<'h>,
    hasher: FxHasher,
}

impl One<'_> {
    /// A definition, without what it results in.
    fn head(&mut self, id: DefId, definition: &Definition) {
        let facts = self.of.facts;
        self.of.identities[id.index()].hash(&mut self.hasher);
        definition.signature.hash(&mut self.hasher);
        (definition.flags, definition.visibility, definition.body.is_some()).hash(&mut self.hasher);
        self.scope(definition.scope);
        for parameter in facts.parameters(id) {
            self.name(parameter.name);
            parameter.kind.hash(&mut self.hasher);
            for expr in [parameter.declared, parameter.default].into_iter().flatten() {
                self.expr(expr);
            }
        }
        for parameter in facts.type_parameters(id) {
            self.name(parameter.name);
            parameter.bound.into_iter().for_each(|bound| self.expr(bound));
        }
        for expr in [definition.declared, definition.extends_type].into_iter().flatten() {
            self.expr(expr);
        }
        for list in [definition.bases, definition.implements, definition.decorators] {
            self.list(list);
        }
        for &decorator in facts.list(definition.decorators) {
            self.decorator_arguments(decorator);
        }
    }

    fn values(&mut self, definition: &Definition) {
        self.list(definition.values);
    }

    fn list(&mut self, list: m1nd_lang::facts::ListId) {
        let items = self.of.facts.list(list);
        items.len().hash(&mut self.hasher);
        items.iter().for_each(|&expr| self.expr(expr));
    }

    /// Names and texts that a decorator is given.
    fn decorator_arguments(&mut self, decorator: ExprId) {
        let Expr::Call { callee, .. } = self.of.facts.expr(decorator) else { return };
        for argument in self.of.facts.arguments_of(callee) {
            self.optional_name(argument.name);
            self.optional_name(argument.text);
        }
    }

    fn name(&mut self, name: NameId) {
        self.of.facts.name(name).hash(&mut self.hasher);
    }

    fn optional_name(&mut self, name: Option<NameId>) {
        name.map(|name| self.of.facts.name(name)).hash(&mut self.hasher);
    }

    fn identity(&mut self, id: DefId) {
        self.of.identities[id.index()].hash(&mut self.hasher);
    }

    /// The place of a scope: its kind, and the definition around it.
    fn scope(&mut self, scope: ScopeId) {
        let row = self.of.facts.scopes[scope.index()];
        std::mem::discriminant(&row.kind).hash(&mut self.hasher);
        row.owner.map(|owner| self.of.identities[owner.index()]).hash(&mut self.hasher);
    }

    fn import(&mut self, import: ImportId) {
        let row = self.of.facts.imports[import.index()];
        std::mem::discriminant(&row.kind).hash(&mut self.hasher);
        (row.level, row.flags).hash(&mut self.hasher);
        self.scope(row.scope);
        self.name(row.module);
        if let ImportKind::Symbol(name) | ImportKind::FileModule(name) = row.kind {
            self.name(name);
        }
        if let Some(path) = row.path {
            self.expr(path);
        }
    }

    /// A target, without the values of expressions.
    fn target(&mut self, target: BindingTarget) {
        std::mem::discriminant(&target).hash(&mut self.hasher);
        match target {
            BindingTarget::Definition(id) => self.identity(id),
            BindingTarget::Import(id) => self.import(id),
            BindingTarget::Parameter(id, index) | BindingTarget::TypeParameter(id, index) => {
                self.identity(id);
                index.hash(&mut self.hasher);
            }
            BindingTarget::Value(_) | BindingTarget::Typed(_) | BindingTarget::Opaque => {}
            BindingTarget::Outer(global) => global.hash(&mut self.hasher),
        }
    }

    fn expr(&mut self, expr: ExprId) {
        self.all(&[expr], &[]);
    }

    /// The structure of expressions and definitions, including the targets of local names and the definitions written
    /// in place.
    fn all(&mut self, exprs: &[ExprId], definitions: &[DefId]) {
        let facts = self.of.facts;
        let mut work = Work { exprs: exprs.to_vec(), definitions: definitions.to_vec() };
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut seen_definitions: FxHashSet<DefId> = FxHashSet::default();
        loop {
            if seen.len() + seen_definitions.len() > RESULT_EXPRS {
                // Too much to follow: count every change of the file as a change of this result.
                self.of.all.hash(&mut self.hasher);
                return;
            }
            if let Some(id) = work.exprs.pop() {
                if seen.insert(id) {
                    let expr = facts.expr(id);
                    std::mem::discriminant(&expr).hash(&mut self.hasher);
                    self.parts(expr, &mut work);
                }
            } else if let Some(id) = work.definitions.pop() {
                self.identity(id);
                if seen_definitions.insert(id) {
                    self.written_in_place(id, &mut work);
                }
            } else {
                return;
            }
        }
    }

    /// A definition that an expression leads to.
    fn written_in_place(&mut self, id: DefId, work: &mut Work) {
        let facts = self.of.facts;
        let definition = facts.definition(id);
        (&definition.signature, definition.flags, definition.visibility).hash(&mut self.hasher);
        for parameter in facts.parameters(id) {
            self.name(parameter.name);
            parameter.kind.hash(&mut self.hasher);
            work.exprs.extend([parameter.declared, parameter.default].into_iter().flatten());
        }
        work.exprs.extend(facts.type_parameters(id).iter().filter_map(|parameter| parameter.bound));
        work.exprs.extend([definition.declared, definition.extends_type].into_iter().flatten());
        for list in [definition.values, definition.bases, definition.implements, definition.decorators] {
            work.exprs.extend(facts.list(list));
        }
    }

    fn parts(&mut self, expr: Expr, work: &mut Work) {
        let facts = self.of.facts;
        match expr {
            // Names count by their text: the same name in another scope means something else.
            Expr::Name { name, scope } => {
                self.name(name);
                self.scope(scope);
                self.local_name(name, scope, work);
            }
            Expr::Member { base, name }
            | Expr::Path { base, name }
            | Expr::Key { base, name }
            | Expr::Entry { value: base, name }
            | Expr::Implicit { base, name } => {
                self.name(name);
                work.exprs.push(base);
            }
            Expr::Root { root, scope } => {
                root.hash(&mut self.hasher);
                self.scope(scope);
            }
            // Parts are worked off from a list, since expressions nest as deep as their text.
            Expr::Narrowed { base, by, test, holds } => {
                (test, holds).hash(&mut self.hasher);
                work.exprs.push(base);
                work.exprs.extend(facts.list(by));
            }
            Expr::Call { callee, args } => {
                work.exprs.push(callee);
                work.exprs.extend(facts.list(args));
            }
            Expr::Item { base, index } | Expr::Given { by: base, parameter: index } => {
                index.hash(&mut self.hasher);
                work.exprs.push(base);
            }
            Expr::Index { base }
            | Expr::Element { base }
            | Expr::AwaitedElement { base }
            | Expr::Unwrap { base }
            | Expr::Enter { base }
            | Expr::AwaitedEnter { base }
            | Expr::Instance { of: base }
            | Expr::Function { result: base } => work.exprs.push(base),
            Expr::Signature { parameters, result } => {
                work.exprs.push(result);
                work.exprs.extend(facts.list(parameters));
            }
            // What is defined elsewhere counts by its own surface.
            Expr::Definition(id) => work.definitions.push(id),
            Expr::Import(id) => self.import_in_place(id, work),
            Expr::Literal(literal) => literal.hash(&mut self.hasher),
            Expr::Collection { kind, items } => {
                kind.hash(&mut self.hasher);
                work.exprs.extend(facts.list(items));
            }
            Expr::Union(items) => work.exprs.extend(facts.list(items)),
            Expr::Generic { base, args } => {
                work.exprs.push(base);
                work.exprs.extend(facts.list(args));
            }
            Expr::SuperOf { class, scope } => {
                self.scope(scope);
                work.exprs.push(class);
            }
            Expr::This { scope } | Expr::SelfType { scope } | Expr::Super { scope } => self.scope(scope),
            Expr::Unknown => {}
        }
    }

    /// An import, whose path is left to the caller: it is an expression itself.
    fn import_in_place(&mut self, import: ImportId, work: &mut Work) {
        let row = self.of.facts.imports[import.index()];
        std::mem::discriminant(&row.kind).hash(&mut self.hasher);
        (row.level, row.flags).hash(&mut self.hasher);
        self.name(row.module);
        if let ImportKind::Symbol(name) | ImportKind::FileModule(name) = row.kind {
            self.name(name);
        }
        work.exprs.extend(row.path);
    }

    /// Follows a name bound inside a function to its value; what other names mean is asked for by name.
    fn local_name(&mut self, name: NameId, mut scope: ScopeId, work: &mut Work) {
        for _ in 0..MOST_SCOPES {
            if self.of.open[scope.index()] {
                return;
            }
            if let Some(targets) = self.of.local.get(&(scope, name)) {
                if targets.len() > MOST_TARGETS {
                    self.of.all.hash(&mut self.hasher);
                }
                for target in targets.iter().take(MOST_TARGETS) {
                    std::mem::discriminant(target).hash(&mut self.hasher);
                    match *target {
                        BindingTarget::Value(expr) | BindingTarget::Typed(expr) => work.exprs.push(expr),
                        BindingTarget::Definition(id) => work.definitions.push(id),
                        BindingTarget::Import(id) => self.import_in_place(id, work),
                        BindingTarget::Parameter(id, index) | BindingTarget::TypeParameter(id, index) => {
                            self.identity(id);
                            index.hash(&mut self.hasher);
                        }
                        BindingTarget::Opaque | BindingTarget::Outer(_) => {}
                    }
                }
                return;
            }
            for &import in self.of.local_wildcards.get(&scope).into_iter().flatten() {
                self.import_in_place(import, work);
            }
            match self.of.facts.scopes[scope.index()].parent {
                Some(parent) => scope = parent,
                None => return,
            }
        }
        self.of.all.hash(&mut self.hasher);
    }
}

/// What is still to be hashed.
struct Work {
    exprs: Vec<ExprId>,
    definitions: Vec<DefId>,
}

/// The word under which others ask for all calls of a file that copy members.
pub(crate) const COPIES: &str = "(copies)";
/// Functions that copy the members of their further arguments to the first, or make it inherit them.
const COPIERS: &[&str] = &[
    "applyMixins", "assign", "assignIn", "augment", "defaults", "deepmerge", "extend", "inherits", "merge",
    "mergeDescriptors", "mix", "mixin", "mixins", "setPrototypeOf",
];

/// The calls of a file that copy members: what they are copied to, and all arguments.
pub(crate) fn find_copies(facts: &FileFacts) -> Vec<(ExprId, ListId)> {
    let copied = |expr: &Expr| {
        let Expr::Call { callee, args } = *expr else { return None };
        let name = match facts.expr(callee) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => name,
            _ => return None,
        };
        let &[target, _, ..] = facts.list(args) else { return None };
        COPIERS.contains(&facts.name(name)).then_some((target, args))
    };
    facts.exprs.iter().filter_map(copied).collect()
}
