//! Steps that need the whole file: which references are to local variables, which of several declarations is the
//! definition.

use rustc_hash::{FxHashMap, FxHashSet};

use super::state::{Extractor, Variable};
use crate::facts::{
    BindingTarget, DefId, DefKind, Expr, ExprId, FactsBuilder, FileFacts, ImportKind, NameId, Namespace, Pos,
    Reference, Role, ScopeId, ScopeKind,
};

/// Scopes that lookup of one name goes through; a name nested deeper counts as not local.
pub(super) const MAX_LOOKUP: usize = 512;

/// Binding of a name in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Holds it in a variable or parameter.
    Variable,
    /// Holds a definition or an import of that name.
    Thing,
    /// `global` (`true`) or `nonlocal`.
    Outer(bool),
}

/// A class that is called `Test…` is one of tests only if it holds one: `TestClient` and `TestReport` do not.
fn drop_classes_without_tests(facts: &mut FileFacts, test_cases: &FxHashSet<DefId>) {
    let tests = facts.definitions.iter().filter(|one| one.kind == DefKind::Function && one.flags.is_test);
    let holding: FxHashSet<DefId> = tests.filter_map(|one| one.owner).collect();
    for (at, definition) in facts.definitions.iter_mut().enumerate() {
        let id = DefId(at as u32);
        if definition.kind == DefKind::Class && !holding.contains(&id) && !test_cases.contains(&id) {
            definition.flags.is_test = false;
        }
    }
}

impl Extractor<'_> {
    /// Completes the facts.
    pub(super) fn finish(mut self) -> FileFacts {
        self.b.place_decorators();
        self.apply_entry_writes();
        self.apply_held();
        let mut variables: Vec<Variable> = self.variables.drain().map(|(_, variable)| variable).collect();
        variables.sort_by_key(|variable| variable.definition);
        for variable in variables {
            let values = self.b.list(&variable.values);
            self.b.definition_mut(variable.definition).values = values;
        }
        let merged = self.merge_overloads();
        self.drop_replaced();
        let known = self.known_names();
        let facts = self.b.facts_mut();
        super::standard::add_calls(facts, &self.by_function);
        let references = std::mem::take(&mut facts.references);
        let mut kept = Vec::with_capacity(references.len());
        for mut reference in references {
            if is_local(facts, &known, &reference) {
                continue;
            }
            reference.enclosing = reference.enclosing.map(|id| merged.get(&id).copied().unwrap_or(id));
            kept.push(reference);
        }
        facts.references = kept;
        if !self.exports.is_dynamic {
            facts.export_list = self.exports.names.take();
        }
        mark_reexports(facts);
        super::standard::apply(facts, &self.standard_calls);
        drop_classes_without_tests(facts, &self.test_cases);
        // A file that imports a test framework need not be a test: plugins and helpers of products do so, too.
        facts.is_test = facts.definitions.iter().any(|definition| definition.flags.is_test);
        self.b.finish()
    }

    /// Makes one definition of a function and its `@overload` declarations. It begins where the first of them does, as
    /// it is one symbol: readers see all ways to call it, and compilers place it there too.
    fn merge_overloads(&mut self) -> FxHashMap<DefId, DefId> {
        let mut merged = FxHashMap::default();
        let mut overloads: Vec<((ScopeId, NameId), Vec<DefId>)> = self.overloads.drain().collect();
        overloads.sort_by_key(|(_, declarations)| declarations.first().copied());
        let wanted: FxHashSet<(ScopeId, NameId)> = overloads.iter().map(|(key, _)| *key).collect();
        // The implementation is what the name is bound to at the end.
        let mut bodies: FxHashMap<(ScopeId, NameId), DefId> = FxHashMap::default();
        for binding in &self.b.facts().bindings {
            if let BindingTarget::Definition(id) = binding.target
                && wanted.contains(&(binding.scope, binding.name))
            {
                bodies.insert((binding.scope, binding.name), id);
            }
        }
        for (key, declarations) in overloads {
            let body = bodies.get(&key).copied();
            // Stub files have declarations only: the first one stands for all.
            let Some(main) = body.or(declarations.first().copied()) else { continue };
            let results: Vec<ExprId> =
                declarations.iter().filter_map(|id| self.b.facts().definition(*id).declared).collect();
            let declared = self.b.union(&results);
            if self.b.facts().definition(main).declared.is_none() || body.is_none() {
                self.b.definition_mut(main).declared = (!results.is_empty()).then_some(declared);
            }
            if body.is_none() {
                self.b.bind_definition(main, Namespace::Any);
            }
            if let Some(&first) = declarations.first() {
                let first = self.b.facts().definition(first);
                let (pos, line, start) = (first.pos, first.line_start, first.bytes.0);
                let main = self.b.definition_mut(main);
                if pos < main.pos {
                    (main.pos, main.line_start, main.bytes.0) = (pos, line, start);
                }
            }
            // The declarations stay as parts without a name, since references in them need an owner.
            for id in declarations.into_iter().filter(|id| *id != main) {
                self.b.definition_mut(id).flags.is_anonymous = true;
                merged.insert(id, main);
            }
        }
        merged
    }

    /// Takes out bindings of a file or class that a later function, class or import always replaces, unless the name
    /// is used in between.
    fn drop_replaced(&mut self) {
        let firm = std::mem::take(&mut self.firm);
        let facts = self.b.facts_mut();
        let mut last: FxHashMap<(ScopeId, NameId), usize> = FxHashMap::default();
        for index in firm.into_iter().filter(|index| *index < facts.bindings.len()) {
            let binding = facts.bindings[index];
            if matches!(facts.scopes[binding.scope.index()].kind, ScopeKind::File | ScopeKind::Class) {
                last.insert((binding.scope, binding.name), index);
            }
        }
        // Names with a binding before the last certain one, and where the first begins.
        let mut replaced: FxHashMap<(ScopeId, NameId), Pos> = FxHashMap::default();
        for (index, binding) in facts.bindings.iter().enumerate() {
            let key = (binding.scope, binding.name);
            if last.get(&key).is_some_and(|last| index < *last) {
                let start = place(facts, binding.target);
                let first = replaced.entry(key).or_insert(start);
                *first = start.min(*first);
            }
        }
        if replaced.is_empty() {
            return;
        }
        // A use between the two means the earlier binding.
        for reference in &facts.references {
            let Expr::Name { name, scope } = facts.expr(reference.expr) else { continue };
            let key = (holder(facts, scope), name);
            let Some(&start) = replaced.get(&key) else { continue };
            let end = place(facts, facts.bindings[last[&key]].target);
            if (start..end).contains(&reference.pos) {
                replaced.remove(&key);
            }
        }
        let mut index = 0;
        facts.bindings.retain(|binding| {
            let key = (binding.scope, binding.name);
            let is_replaced = replaced.contains_key(&key) && last.get(&key).is_some_and(|last| index < *last);
            index += 1;
            !is_replaced
        });
    }

    fn known_names(&self) -> FxHashMap<(ScopeId, NameId), Known> {
        let mut known = FxHashMap::default();
        for binding in &self.b.facts().bindings {
            let next = match binding.target {
                BindingTarget::Definition(_) | BindingTarget::Import(_) => Known::Thing,
                BindingTarget::Outer(is_global) => Known::Outer(is_global),
                _ => Known::Variable,
            };
            let entry = known.entry((binding.scope, binding.name)).or_insert(next);
            if matches!(next, Known::Outer(_)) || (next == Known::Thing && *entry == Known::Variable) {
                *entry = next;
            }
        }
        known
    }
}

/// Position of a definition or import; the start of the file for anything else.
fn place(facts: &FileFacts, target: BindingTarget) -> Pos {
    match target {
        BindingTarget::Definition(id) => facts.definition(id).pos,
        BindingTarget::Import(id) => facts.imports[id.index()].pos,
        _ => Pos::default(),
    }
}

/// The scope around a comprehension or list of type parameters.
fn holder(facts: &FileFacts, mut scope: ScopeId) -> ScopeId {
    for _ in 0..MAX_LOOKUP {
        let row = &facts.scopes[scope.index()];
        match row.parent {
            Some(parent) if matches!(row.kind, ScopeKind::Block | ScopeKind::Generics) => scope = parent,
            _ => break,
        }
    }
    scope
}

/// Returns whether a reference is to a variable or parameter of a function, a comprehension's variable, or a type
/// parameter, and is no call.
fn is_local(facts: &FileFacts, known: &FxHashMap<(ScopeId, NameId), Known>, reference: &Reference) -> bool {
    let Expr::Name { name, scope } = facts.expr(reference.expr) else { return false };
    let mut current = scope;
    for _ in 0..MAX_LOOKUP {
        let holder = &facts.scopes[current.index()];
        let is_visible = holder.kind != ScopeKind::Class || current == scope;
        match known.get(&(current, name)).filter(|_| is_visible) {
            // The call is of the variable's value, not of the variable: such calls are kept to be followed.
            Some(Known::Variable) => {
                let is_call = reference.role == Role::Call && holder.kind == ScopeKind::Function;
                return !matches!(holder.kind, ScopeKind::File | ScopeKind::Class) && !is_call;
            }
            Some(Known::Thing) => return false,
            Some(Known::Outer(true)) if current != FactsBuilder::FILE => {
                current = FactsBuilder::FILE;
                continue;
            }
            _ => {}
        }
        let Some(parent) = holder.parent else { return false };
        current = parent;
    }
    false
}

/// An import whose name is in `__all__` is offered to others.
fn mark_reexports(facts: &mut FileFacts) {
    let Some(names) = &facts.export_list else { return };
    let names: FxHashSet<NameId> = names.iter().copied().collect();
    for binding in &facts.bindings {
        if let BindingTarget::Import(id) = binding.target
            && binding.scope == FactsBuilder::FILE
            && names.contains(&binding.name)
            && facts.imports[id.index()].kind != ImportKind::ModuleRoot
        {
            facts.imports[id.index()].flags.reexport = true;
        }
    }
}
