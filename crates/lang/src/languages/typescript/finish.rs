//! Steps that need the whole script.

use rustc_hash::{FxHashMap, FxHashSet};

use super::state::{Extractor, MAX_SCOPES};
use crate::facts::{
    BindingTarget, DefId, DefKind, Definition, Expr, FactsBuilder, FileFacts, ImportId, NameId, Namespace, Role,
    ScopeId, ScopeKind,
};

/// Names that a CommonJS module is given and that refer to nothing outside it.
const MODULE_NAMES: &[&str] = &["module", "exports", "require", "arguments"];

/// Binding of a name in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// A definition.
    Definition(DefId),
    /// A local variable, parameter or type parameter.
    Local,
    /// A local variable that holds the value of an expression.
    Held,
    /// An imported name.
    Import,
}

/// Returns whether an object is a local variable or has no name.
fn is_variable(definition: &Definition) -> bool {
    definition.flags.is_anonymous || definition.flags.is_local
}

type Names = FxHashMap<(ScopeId, NameId), Known>;

impl Extractor<'_> {
    pub(super) fn finish(mut self) -> FileFacts {
        self.b.place_decorators();
        self.bind_exports();
        self.unset_locals();
        let names = self.names();
        self.place_assignments(&names);
        self.place_field_values();
        self.settle_members(&names);
        self.settle_exports(&names);
        let values = std::mem::take(&mut self.values);
        for (id, values) in values {
            let values = self.b.list(&values);
            self.b.definition_mut(id).values = values;
        }
        let bases = std::mem::take(&mut self.bases);
        for (id, bases) in bases {
            let bases = self.b.list(&bases);
            self.b.definition_mut(id).bases = bases;
        }
        self.drop_local_references(&names);
        self.b.finish()
    }

    /// Binds `exports` inside the file.
    fn bind_exports(&mut self) {
        let name = self.b.name("exports");
        let assigned = std::mem::take(&mut self.export_assigned);
        for value in assigned {
            self.b.bind(FactsBuilder::FILE, name, Namespace::Value, BindingTarget::Value(value));
        }
        if let Some((id, _)) = self.exports_object {
            self.b.bind(FactsBuilder::FILE, name, Namespace::Value, BindingTarget::Definition(id));
        }
    }

    /// Locals declared without a value belong to their scope; their assignments determine their type.
    fn unset_locals(&mut self) {
        let assigned: FxHashSet<NameId> = self.assignments.iter().map(|assignment| assignment.name).collect();
        for (scope, name) in std::mem::take(&mut self.unset) {
            if assigned.contains(&name) {
                // Bound by the first assignment; a marker keeps lookup from going on outside.
                self.assigned_later.insert((scope, name));
            } else {
                self.b.bind(scope, name, Namespace::Value, BindingTarget::Opaque);
            }
        }
    }

    fn names(&self) -> Names {
        let facts = self.b.facts();
        let mut names = Names::default();
        for binding in &facts.bindings {
            let known = match binding.target {
                BindingTarget::Definition(id) => match facts.definition(id) {
                    definition if definition.kind == DefKind::Object && is_variable(definition) => Known::Local,
                    _ => Known::Definition(id),
                },
                BindingTarget::Import(_) => Known::Import,
                // An alias of a namespace member at the top of a file is no local.
                BindingTarget::Value(_) if binding.namespace == Namespace::Any => Known::Import,
                BindingTarget::Value(_) | BindingTarget::Parameter(..) => Known::Held,
                _ => Known::Local,
            };
            names.entry((binding.scope, binding.name)).or_insert(known);
        }
        for &key in &self.assigned_later {
            names.entry(key).or_insert(Known::Held);
        }
        names
    }

    fn look_up(&self, names: &Names, name: NameId, scope: ScopeId) -> Option<(ScopeId, Known)> {
        let facts = self.b.facts();
        let mut next = Some(scope);
        for _ in 0..MAX_SCOPES {
            let scope = next?;
            let data = facts.scopes[scope.index()];
            if data.kind != ScopeKind::Class
                && let Some(&known) = names.get(&(scope, name))
            {
                return Some((scope, known));
            }
            next = data.parent;
        }
        None
    }

    fn place_assignments(&mut self, names: &Names) {
        let mut bound: FxHashSet<(ScopeId, NameId)> = FxHashSet::default();
        // The first value of a variable determines its type; later values must fit it.
        let first: FxHashSet<DefId> = self.values.keys().copied().collect();
        for assignment in std::mem::take(&mut self.assignments) {
            let Some((scope, known)) = self.look_up(names, assignment.name, assignment.scope) else { continue };
            match known {
                Known::Definition(id) => {
                    let kind = self.b.facts().definition(id).kind;
                    let known =
                        self.values.get(&id).is_some_and(|values| !values.iter().all(|&value| self.is_null(value)));
                    if matches!(kind, DefKind::Variable | DefKind::Constant) && !(known && first.contains(&id)) {
                        self.value(id, assignment.value);
                    }
                }
                Known::Local | Known::Held => {
                    let target = if assignment.value == self.b.unknown() {
                        BindingTarget::Opaque
                    } else {
                        BindingTarget::Value(assignment.value)
                    };
                    // Parameters and typed variables keep their declared type.
                    if self.is_open_local(scope, assignment.name) {
                        self.b.bind(scope, assignment.name, Namespace::Value, target);
                        bound.insert((scope, assignment.name));
                    }
                }
                Known::Import => {}
            }
        }
        for (scope, name) in std::mem::take(&mut self.assigned_later) {
            if !bound.contains(&(scope, name)) {
                self.b.bind(scope, name, Namespace::Value, BindingTarget::Opaque);
            }
        }
    }

    /// Returns whether the type of a local comes from its assignments.
    fn is_open_local(&self, scope: ScopeId, name: NameId) -> bool {
        self.assigned_later.contains(&(scope, name)) || self.open_locals.contains(&(scope, name))
    }

    /// The import of each imported name.
    fn imports(&self) -> FxHashMap<(ScopeId, NameId), ImportId> {
        let mut imports = FxHashMap::default();
        for binding in &self.b.facts().bindings {
            if let BindingTarget::Import(id) = binding.target {
                imports.entry((binding.scope, binding.name)).or_insert(id);
            }
        }
        imports
    }

    /// A member that is only another name of a definition or import is bound to that itself.
    fn settle_members(&mut self, names: &Names) {
        let mut settled = Vec::new();
        let facts = self.b.facts();
        let imports = self.imports();
        for (index, binding) in facts.bindings.iter().enumerate() {
            let BindingTarget::Value(value) = binding.target else { continue };
            let Expr::Name { name, scope } = facts.expr(value) else { continue };
            if facts.scopes[binding.scope.index()].kind != ScopeKind::Class {
                continue;
            }
            let target = match self.look_up(names, name, scope) {
                Some((_, Known::Definition(id))) => Some(BindingTarget::Definition(id)),
                Some((at, Known::Import)) => imports.get(&(at, name)).copied().map(BindingTarget::Import),
                _ => None,
            };
            settled.extend(target.map(|target| (index, target)));
        }
        for (index, target) in settled {
            self.b.facts_mut().bindings[index].target = target;
        }
    }

    /// An export of a name is an export of the one definition or import that has it.
    fn settle_exports(&mut self, names: &Names) {
        let mut settled = Vec::new();
        let imports = self.imports();
        for (index, export) in self.b.facts().exports.iter().enumerate() {
            let Expr::Name { name, scope } = self.b.facts().expr(export.value) else { continue };
            let Some((at, known)) = self.look_up(names, name, scope) else { continue };
            let both = [false, true].map(|is_type| self.named.get(&(at, name, is_type)));
            let one = both[0].is_none() || both[1].is_none() || both[0] == both[1];
            match known {
                Known::Definition(id) if one => settled.push((index, Expr::Definition(id))),
                Known::Import if one => {
                    let import = imports.get(&(at, name)).copied();
                    settled.extend(import.map(|id| (index, Expr::Import(id))));
                }
                _ => {}
            }
        }
        for (index, expr) in settled {
            let value = self.b.expr(expr);
            if value != self.b.unknown() {
                self.b.facts_mut().exports[index].value = value;
            }
        }
    }

    fn place_field_values(&mut self) {
        for (members, name, value) in std::mem::take(&mut self.field_values) {
            let Some(&id) = self.named.get(&(members, name, false)) else { continue };
            let definition = self.b.facts().definition(id);
            let open = definition.declared.is_none() && !self.initialised.contains(&id);
            if definition.kind == DefKind::Field && open {
                self.value(id, value);
            }
        }
    }

    /// Uses of local variables are not references, unless they call what the variable holds; nor is the place that
    /// defines a member.
    fn drop_local_references(&mut self, names: &Names) {
        let definitions = self.b.facts().definitions.iter();
        let defined: FxHashSet<_> = definitions.map(|definition| (definition.pos, definition.name)).collect();
        let own: FxHashSet<NameId> = MODULE_NAMES.iter().map(|name| self.b.name(name)).collect();
        let mut references = std::mem::take(&mut self.b.facts_mut().references);
        references.retain(|reference| {
            let expr = self.b.facts().expr(reference.expr);
            // By name as well: a function that stands for a handler in markup begins where its first name does.
            if let Expr::Name { name, .. } | Expr::Member { name, .. } = expr
                && reference.role == Role::Write
                && defined.contains(&(reference.pos, name))
            {
                return false;
            }
            let Expr::Name { name, scope } = expr else { return true };
            match self.look_up(names, name, scope) {
                Some((_, Known::Local)) => false,
                // The value of a local may be a function or class that is known elsewhere.
                Some((_, Known::Held)) => reference.role == Role::Call,
                Some(_) => true,
                None => !own.contains(&name),
            }
        });
        self.b.facts_mut().references = references;
    }
}
