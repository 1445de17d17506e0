//! What other files may read of a file when they look for its routes, mounts and values, as hashes by the words under
//! which they find it: an edit concerns those who asked for a word only if what stands behind the word changed.
//!
//! A route or mount is judged by the body that it stands in, which what others see of a file does not cover, and by
//! what may stand in front of paths anywhere in the file. All else that is looked up on the way has keys of its own.

use std::hash::{Hash, Hasher};

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{BindingTarget, DefId, Expr, ExprId, ImportId, ListId, NameId, Role, ScopeId, TextUse};
use rustc_hash::{FxHashMap, FxHasher};

use super::{CLASS_PREFIXES, GROUPS, MOUNT_WORD, MOUNTS, Spots, constants, route_word, value_word, values};
use crate::surface::identities;
use crate::tables::files::Key;

/// The words of a file.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// Keys of words with a hash of what stands behind each; sorted.
    pub(crate) rows: Vec<(Key, u64)>,
    /// Keys of words behind which all of the file may stand.
    pub(crate) others: Vec<Key>,
}

impl Evidence {
    /// That of a file with these routes, mounts and values; `is_test` for a file of tests.
    pub(crate) fn of(facts: &FileFacts, spots: &Spots, is_test: bool) -> Self {
        if spots.words.is_empty() {
            return Self::default();
        }
        let mut found: FxHashMap<String, FxHasher> = FxHashMap::default();
        for (key, row) in values(facts).chain(constants(facts)) {
            row.text.hash(found.entry(value_word(key)).or_default());
        }
        let mut others: Vec<Key> = Vec::new();
        if !spots.routes.is_empty() || !spots.mounts.is_empty() {
            let bodies = Bodies::of(facts);
            let mut add = |word: String, at: u32, spot: u64| {
                let body = bodies.around(facts.references[at as usize].enclosing);
                (spot, body).hash(found.entry(word).or_default());
            };
            for spot in &spots.routes {
                let mut hasher = FxHasher::default();
                (spot.path.text(), spot.methods, spot.symbol).hash(&mut hasher);
                bodies.reference(spot.reference).hash(&mut hasher);
                add(route_word(spot.path.words().next_back().unwrap_or("")), spot.reference, hasher.finish());
            }
            for &at in &spots.mounts {
                add(MOUNT_WORD.to_owned(), at, bodies.reference(at));
            }
        }
        let mut rows = Vec::new();
        for word in &spots.words {
            match found.get(word) {
                // Servers that a test makes are there for that test.
                Some(_) if is_test && word.starts_with(&route_word("")) => {}
                Some(hasher) => rows.push((Key::contract(word), hasher.finish())),
                None => others.push(Key::contract(word)),
            }
        }
        rows.sort_unstable();
        Self { rows, others }
    }
}

/// Hashes of what the bodies of a file say, by the outermost definition around it. Positions are left out, and so is
/// what others look up by name.
struct Bodies<'f> {
    facts: &'f FileFacts,
    identities: Vec<u64>,
    /// Outermost definition around each definition, or itself.
    outermost: Vec<DefId>,
    scopes: Vec<u64>,
    exprs: Vec<u64>,
    /// Arguments of each callee.
    arguments: FxHashMap<ExprId, ListId>,
    of: FxHashMap<DefId, FxHasher>,
    /// What is in no definition, and all that may stand in front of paths.
    top: FxHasher,
}

impl<'f> Bodies<'f> {
    fn of(facts: &'f FileFacts) -> Self {
        let mut outermost: Vec<DefId> = Vec::with_capacity(facts.definitions.len());
        for (index, definition) in facts.definitions.iter().enumerate() {
            // Owners precede what they own.
            outermost.push(definition.owner.map_or(DefId(index as u32), |owner| outermost[owner.index()]));
        }
        let mut bodies = Self {
            facts,
            identities: identities(facts),
            outermost,
            scopes: Vec::new(),
            exprs: Vec::new(),
            arguments: FxHashMap::default(),
            of: FxHashMap::default(),
            top: FxHasher::default(),
        };
        bodies.scopes();
        bodies.exprs();
        bodies.definitions();
        bodies.bindings();
        bodies.references();
        bodies.texts();
        bodies
    }

    /// What stands around a place in a definition.
    fn around(&self, enclosing: Option<DefId>) -> u64 {
        let mut hasher = self.top.clone();
        let body = enclosing.and_then(|def| self.of.get(&self.outermost[def.index()]));
        body.map(Hasher::finish).hash(&mut hasher);
        hasher.finish()
    }

    fn body(&mut self, def: Option<DefId>) -> &mut FxHasher {
        match def {
            Some(def) => self.of.entry(self.outermost[def.index()]).or_default(),
            None => &mut self.top,
        }
    }

    fn name(&self, name: NameId) -> &'f str {
        self.facts.name(name)
    }

    fn list(&self, list: ListId, out: &mut FxHasher) {
        let items = self.facts.list(list);
        items.len().hash(out);
        items.iter().for_each(|item| self.exprs[item.index()].hash(out));
    }

    fn import(&self, import: ImportId, out: &mut FxHasher) {
        let row = self.facts.imports[import.index()];
        std::mem::discriminant(&row.kind).hash(out);
        (row.level, row.flags, self.name(row.module)).hash(out);
        row.path.map(|path| self.exprs.get(path.index()).copied()).hash(out);
    }

    /// A scope by what is around it and its place there.
    fn scopes(&mut self) {
        let mut inside: FxHashMap<(Option<ScopeId>, Option<DefId>), u32> = FxHashMap::default();
        for row in &self.facts.scopes {
            let place = inside.entry((row.parent, row.owner)).or_default();
            *place += 1;
            let mut hasher = FxHasher::default();
            // Parents precede their children.
            row.parent.map(|parent| self.scopes[parent.index()]).hash(&mut hasher);
            std::mem::discriminant(&row.kind).hash(&mut hasher);
            (row.owner.map(|owner| self.identities[owner.index()]), *place).hash(&mut hasher);
            self.scopes.push(hasher.finish());
        }
    }

    fn exprs(&mut self) {
        for (index, expr) in self.facts.exprs.iter().enumerate() {
            let mut hasher = FxHasher::default();
            std::mem::discriminant(expr).hash(&mut hasher);
            self.expr(*expr, &mut hasher);
            self.exprs.push(hasher.finish());
            if let Expr::Call { callee, args } = *expr {
                debug_assert!(callee.index() < index, "parts precede what they are parts of");
                self.arguments.insert(callee, args);
            }
        }
    }

    fn expr(&self, expr: Expr, out: &mut FxHasher) {
        let part = |expr: ExprId| self.exprs[expr.index()];
        let scope = |scope: ScopeId| self.scopes[scope.index()];
        match expr {
            // Parts have their hash already: they precede the expressions that use them.
            Expr::Name { name, scope: of } => (self.name(name), scope(of)).hash(out),
            Expr::Member { base, name }
            | Expr::Path { base, name }
            | Expr::Key { base, name }
            | Expr::Entry { value: base, name }
            | Expr::Implicit { base, name } => (self.name(name), part(base)).hash(out),
            Expr::Root { root, scope: of } => (root, scope(of)).hash(out),
            Expr::Call { callee: base, args } | Expr::Generic { base, args } => {
                part(base).hash(out);
                self.list(args, out);
            }
            Expr::Item { base, index } | Expr::Given { by: base, parameter: index } => (part(base), index).hash(out),
            Expr::Index { base }
            | Expr::Element { base }
            | Expr::AwaitedElement { base }
            | Expr::Unwrap { base }
            | Expr::Enter { base }
            | Expr::AwaitedEnter { base }
            | Expr::Instance { of: base }
            | Expr::Function { result: base } => part(base).hash(out),
            Expr::Narrowed { base, by, test, holds } => {
                (part(base), test, holds).hash(out);
                self.list(by, out);
            }
            Expr::Signature { parameters, result } => {
                part(result).hash(out);
                self.list(parameters, out);
            }
            // What is defined elsewhere counts by what it is, not by its number, which edits change.
            Expr::Definition(id) => self.identities[id.index()].hash(out),
            Expr::Import(id) => self.import(id, out),
            Expr::Literal(literal) => literal.hash(out),
            Expr::Collection { kind, items } => {
                kind.hash(out);
                self.list(items, out);
            }
            Expr::Union(items) => self.list(items, out),
            Expr::This { scope: of } | Expr::SelfType { scope: of } | Expr::Super { scope: of } => scope(of).hash(out),
            Expr::SuperOf { class, scope: of } => {
                scope(of).hash(out);
                part(class).hash(out);
            }
            Expr::Unknown => {}
        }
    }

    fn definitions(&mut self) {
        let facts = self.facts;
        for (index, definition) in facts.definitions.iter().enumerate() {
            let id = DefId(index as u32);
            let mut hasher = FxHasher::default();
            (self.identities[index], definition.flags, &definition.signature).hash(&mut hasher);
            for parameter in facts.parameters(id) {
                (self.name(parameter.name), parameter.kind).hash(&mut hasher);
                let exprs = [parameter.declared, parameter.default];
                exprs.map(|expr| expr.map(|expr| self.exprs[expr.index()])).hash(&mut hasher);
            }
            let exprs = [definition.declared, definition.extends_type];
            exprs.map(|expr| expr.map(|expr| self.exprs[expr.index()])).hash(&mut hasher);
            for list in [definition.values, definition.bases, definition.implements, definition.decorators] {
                self.list(list, &mut hasher);
            }
            hasher.finish().hash(self.body(Some(id)));
        }
    }

    /// Those at the top of the file are looked up by name.
    fn bindings(&mut self) {
        let facts = self.facts;
        for binding in &facts.bindings {
            let Some(owner) = facts.scopes[binding.scope.index()].owner else { continue };
            let mut hasher = FxHasher::default();
            (self.name(binding.name), binding.namespace, self.scopes[binding.scope.index()]).hash(&mut hasher);
            std::mem::discriminant(&binding.target).hash(&mut hasher);
            match binding.target {
                BindingTarget::Definition(id) => self.identities[id.index()].hash(&mut hasher),
                BindingTarget::Import(id) => self.import(id, &mut hasher),
                BindingTarget::Parameter(id, place) | BindingTarget::TypeParameter(id, place) => {
                    (self.identities[id.index()], place).hash(&mut hasher);
                }
                BindingTarget::Value(expr) | BindingTarget::Typed(expr) => self.exprs[expr.index()].hash(&mut hasher),
                BindingTarget::Outer(is_file) => is_file.hash(&mut hasher),
                BindingTarget::Opaque => {}
            }
            hasher.finish().hash(self.body(Some(owner)));
        }
    }

    /// A reference with its arguments.
    fn reference(&self, at: u32) -> u64 {
        let row = &self.facts.references[at as usize];
        let mut hasher = FxHasher::default();
        (row.role, row.inexact, row.arity, self.exprs[row.expr.index()]).hash(&mut hasher);
        row.enclosing.map(|def| self.identities[def.index()]).hash(&mut hasher);
        if let Some(args) = self.arguments.get(&row.expr) {
            self.list(*args, &mut hasher);
        }
        hasher.finish()
    }

    fn references(&mut self) {
        for (at, row) in self.facts.references.iter().enumerate() {
            if row.enclosing.is_some() || matches!(row.role, Role::Call | Role::Decorate) {
                self.reference(at as u32).hash(self.body(row.enclosing));
            }
        }
    }

    fn texts(&mut self) {
        for row in &self.facts.texts {
            let TextUse { reference, place, key, text, around, .. } = row;
            let mut hasher = FxHasher::default();
            (place, key, text, around).hash(&mut hasher);
            let reference = reference.and_then(|at| Some((at, self.facts.references.get(at as usize)?)));
            let Some((at, of)) = reference else {
                // The value of a name, which prefixes may begin with.
                hasher.finish().hash(&mut self.top);
                continue;
            };
            self.reference(at).hash(&mut hasher);
            let hash = hasher.finish();
            let callee = self.facts.last_name(of.expr).unwrap_or("");
            let is_prefix = matches!(key.as_deref(), Some("prefix" | "url_prefix"))
                || [CLASS_PREFIXES, GROUPS, MOUNTS].iter().any(|names| names.contains(&callee));
            if is_prefix {
                hash.hash(&mut self.top);
            }
            hash.hash(self.body(of.enclosing));
        }
    }
}
