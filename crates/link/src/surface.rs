//! A hash of everything that linking other files can read of a file. It excludes positions, documentation, references
//! and plain statements, so most edits inside a function body leave it unchanged.

use std::hash::{Hash, Hasher};

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{BindingTarget, DefId, Expr, ExprId, NameId, ScopeId, ScopeKind};
use rustc_hash::{FxHashMap, FxHasher};

/// Expressions hashed for one function's result before the rest is taken as a whole.
const RESULT_EXPRS: usize = 512;

/// Hashes of a file's facts.
pub(crate) struct Hashes<'a> {
    facts: &'a FileFacts,
    local: Local,
}

impl<'a> Hashes<'a> {
    pub(crate) fn new(facts: &'a FileFacts) -> Self {
        Self { facts, local: local_bindings(facts) }
    }

    /// Hash of everything that other files can see.
    pub(crate) fn surface(&self) -> u64 {
        Surface { facts: self.facts, local: &self.local, hasher: FxHasher::default() }.run()
    }

    /// Hash of expressions, wherever they occur, and of numbers.
    pub(crate) fn of(&self, exprs: &[ExprId], numbers: &[Option<u32>]) -> u64 {
        let mut surface = Surface { facts: self.facts, local: &self.local, hasher: FxHasher::default() };
        exprs.iter().for_each(|&expr| surface.expr(expr));
        numbers.hash(&mut surface.hasher);
        surface.hasher.finish()
    }
}

/// Scopes that a local name is followed outwards through.
const MOST_SCOPES: usize = 4_096;
/// Targets of one local name that are followed.
const MOST_TARGETS: usize = 256;

/// What is worked out of a file once.
struct Local {
    bindings: FxHashMap<(ScopeId, NameId), Vec<BindingTarget>>,
    /// Whether each scope is that of a function or inside of one.
    is_inside_function: Vec<bool>,
    /// Hash of all expressions.
    all: u64,
}

fn local_bindings(facts: &FileFacts) -> Local {
    let mut bindings: FxHashMap<_, Vec<BindingTarget>> = FxHashMap::default();
    for binding in &facts.bindings {
        bindings.entry((binding.scope, binding.name)).or_default().push(binding.target);
    }
    let mut is_inside_function: Vec<bool> = Vec::with_capacity(facts.scopes.len());
    for scope in &facts.scopes {
        // Parents precede their children.
        let outer = scope.parent.is_some_and(|parent| is_inside_function[parent.index()]);
        is_inside_function.push(outer || scope.kind == ScopeKind::Function);
    }
    let mut all = FxHasher::default();
    facts.exprs.hash(&mut all);
    Local { bindings, is_inside_function, all: all.finish() }
}

struct Surface<'a> {
    facts: &'a FileFacts,
    local: &'a Local,
    hasher: FxHasher,
}

impl Surface<'_> {
    fn run(mut self) -> u64 {
        let facts = self.facts;
        facts.language.hash(&mut self.hasher);
        self.optional_name(facts.package);
        for (index, definition) in facts.definitions.iter().enumerate() {
            self.definition(DefId(index as u32), definition);
        }
        for binding in &facts.bindings {
            if !self.local.is_inside_function[binding.scope.index()] {
                self.name(binding.name);
                std::mem::discriminant(&binding.namespace).hash(&mut self.hasher);
                self.facts.scopes[binding.scope.index()].owner.hash(&mut self.hasher);
                self.target(binding.target);
            }
        }
        for import in &facts.imports {
            (std::mem::discriminant(&import.kind), import.level, import.flags).hash(&mut self.hasher);
            self.name(import.module);
            if let m1nd_lang::facts::ImportKind::Symbol(name) | m1nd_lang::facts::ImportKind::FileModule(name) =
                import.kind
            {
                self.name(name);
            }
            if let Some(path) = import.path {
                self.expr(path);
            }
        }
        for export in &facts.exports {
            self.name(export.name);
            self.expr(export.value);
        }
        for name in facts.export_list.iter().flatten() {
            self.name(*name);
        }
        crate::wrappers::using_given(facts).hash(&mut self.hasher);
        for write in &facts.member_writes {
            self.expr(write.base);
            self.name(write.name);
            self.expr(write.value);
        }
        self.hasher.finish()
    }

    fn definition(&mut self, id: DefId, definition: &m1nd_lang::facts::Definition) {
        let facts = self.facts;
        definition.kind.hash(&mut self.hasher);
        self.name(definition.name);
        definition.owner.hash(&mut self.hasher);
        definition.signature.hash(&mut self.hasher);
        (definition.flags, definition.visibility).hash(&mut self.hasher);
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
        for list in [definition.values, definition.bases, definition.implements, definition.decorators] {
            facts.list(list).len().hash(&mut self.hasher);
            for &expr in facts.list(list) {
                self.expr(expr);
            }
        }
        for &decorator in facts.list(definition.decorators) {
            self.decorator_arguments(decorator);
        }
    }

    /// Names and texts that a decorator is given.
    fn decorator_arguments(&mut self, decorator: ExprId) {
        let Expr::Call { callee, .. } = self.facts.expr(decorator) else { return };
        for argument in self.facts.arguments_of(callee) {
            self.optional_name(argument.name);
            self.optional_name(argument.text);
        }
    }

    fn name(&mut self, name: NameId) {
        self.facts.name(name).hash(&mut self.hasher);
    }

    fn optional_name(&mut self, name: Option<NameId>) {
        name.map(|name| self.facts.name(name)).hash(&mut self.hasher);
    }

    fn target(&mut self, target: BindingTarget) {
        std::mem::discriminant(&target).hash(&mut self.hasher);
        match target {
            BindingTarget::Definition(id) => id.hash(&mut self.hasher),
            BindingTarget::Import(id) => id.hash(&mut self.hasher),
            BindingTarget::Parameter(id, index) | BindingTarget::TypeParameter(id, index) => {
                (id, index).hash(&mut self.hasher);
            }
            BindingTarget::Value(expr) | BindingTarget::Typed(expr) => self.expr(expr),
            BindingTarget::Opaque => {}
            BindingTarget::Outer(global) => global.hash(&mut self.hasher),
        }
    }

    /// The structure of an expression, including the targets of its local names.
    fn expr(&mut self, expr: ExprId) {
        let mut work = vec![expr];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = work.pop() {
            if seen.len() > RESULT_EXPRS {
                // Too much to follow: count every change of the file as a change of this result.
                self.local.all.hash(&mut self.hasher);
                return;
            }
            if !seen.insert(id) {
                continue;
            }
            let expr = self.facts.expr(id);
            std::mem::discriminant(&expr).hash(&mut self.hasher);
            self.parts(expr, &mut work);
        }
    }

    fn parts(&mut self, expr: Expr, work: &mut Vec<ExprId>) {
        let facts = self.facts;
        match expr {
            Expr::Name { name, scope } => {
                self.name(name);
                self.local_name(name, scope, work);
            }
            Expr::Member { base, name }
            | Expr::Path { base, name }
            | Expr::Key { base, name }
            | Expr::Entry { value: base, name }
            | Expr::Implicit { base, name } => {
                self.name(name);
                work.push(base);
            }
            Expr::Root { root, .. } => root.hash(&mut self.hasher),
            Expr::Call { callee, args } => {
                work.push(callee);
                work.extend(facts.list(args));
            }
            Expr::Item { base, index } | Expr::Given { by: base, parameter: index } => {
                index.hash(&mut self.hasher);
                work.push(base);
            }
            Expr::Index { base }
            | Expr::Element { base }
            | Expr::AwaitedElement { base }
            | Expr::Unwrap { base }
            | Expr::Enter { base }
            | Expr::AwaitedEnter { base }
            | Expr::Instance { of: base }
            | Expr::Function { result: base } => work.push(base),
            Expr::Signature { parameters, result } => {
                work.push(result);
                work.extend(facts.list(parameters));
            }
            Expr::Definition(id) => id.hash(&mut self.hasher),
            Expr::Import(id) => id.hash(&mut self.hasher),
            Expr::Literal(literal) => literal.hash(&mut self.hasher),
            Expr::Collection { kind, items } => {
                kind.hash(&mut self.hasher);
                work.extend(facts.list(items));
            }
            Expr::Union(items) => work.extend(facts.list(items)),
            Expr::Generic { base, args } => {
                work.push(base);
                work.extend(facts.list(args));
            }
            Expr::This { scope } | Expr::SelfType { scope } | Expr::Super { scope } => {
                facts.scopes[scope.index()].owner.hash(&mut self.hasher);
            }
            Expr::Unknown => {}
        }
    }

    /// Follows a name bound inside a function to its value; other names are part of the surface already.
    fn local_name(&mut self, name: NameId, mut scope: ScopeId, work: &mut Vec<ExprId>) {
        for _ in 0..MOST_SCOPES {
            if let Some(targets) = self.local.bindings.get(&(scope, name)) {
                if targets.len() > MOST_TARGETS {
                    self.local.all.hash(&mut self.hasher);
                }
                for target in targets.iter().take(MOST_TARGETS) {
                    std::mem::discriminant(target).hash(&mut self.hasher);
                    match *target {
                        BindingTarget::Value(expr) | BindingTarget::Typed(expr) => work.push(expr),
                        BindingTarget::Definition(id) => id.hash(&mut self.hasher),
                        BindingTarget::Import(id) => id.hash(&mut self.hasher),
                        BindingTarget::Parameter(id, index) | BindingTarget::TypeParameter(id, index) => {
                            (id, index).hash(&mut self.hasher);
                        }
                        BindingTarget::Opaque | BindingTarget::Outer(_) => {}
                    }
                }
                return;
            }
            match self.facts.scopes[scope.index()].parent {
                Some(parent) => scope = parent,
                None => return,
            }
        }
        self.local.all.hash(&mut self.hasher);
    }
}
