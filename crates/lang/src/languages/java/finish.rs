//! Steps that need the whole file: namespaces of methods, accessors of records, switch labels.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::outline::common::settle_values;
use super::super::outline::rules::Label;
use super::INIT;
use crate::facts::{Binding, BindingTarget, DefId, DefKind, Expr, ExprId, FileFacts, NameId, Namespace, ScopeId};

/// Scopes searched for one label.
const MAX_SCOPES: usize = 512;

pub(super) fn finish(facts: &mut FileFacts, labels: &[Label]) {
    settle_labels(facts, labels);
    let constructor = facts.names.iter().position(|name| name == INIT).map(|index| NameId(index as u32));
    place_methods(facts, constructor);
    compact_constructors(facts);
    accessors(facts);
    settle_values(facts);
}

/// Methods are only visible to calls; constructors share one name, because the constructed class may have any.
fn place_methods(facts: &mut FileFacts, constructor: Option<NameId>) {
    let definitions = &facts.definitions;
    for binding in &mut facts.bindings {
        let BindingTarget::Definition(id) = binding.target else { continue };
        let definition = &definitions[id.index()];
        if definition.kind != DefKind::Function {
            continue;
        }
        binding.namespace = Namespace::Callee;
        if let (true, Some(name)) = (definition.flags.is_constructor, constructor) {
            binding.name = name;
        }
    }
}

/// A constructor without a parameter list has the components of its record as parameters.
fn compact_constructors(facts: &mut FileFacts) {
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        let compact = definition.flags.is_constructor
            && definition.parameters.1 == 0
            && !definition.signature.as_deref().unwrap_or("").contains('(');
        if let (true, Some(owner)) = (compact, definition.owner) {
            facts.definitions[index].parameters = facts.definition(owner).parameters;
        }
    }
}

/// A component of a record is read by calling it, unless a method of its name is written.
fn accessors(facts: &mut FileFacts) {
    let mut written: FxHashSet<(DefId, NameId)> = FxHashSet::default();
    for definition in &facts.definitions {
        if let (DefKind::Function, Some(owner), 0) = (definition.kind, definition.owner, definition.parameters.1) {
            written.insert((owner, definition.name));
        }
    }
    let mut accessors = Vec::new();
    for (index, definition) in facts.definitions.iter().enumerate() {
        let Some(owner) = definition.owner.filter(|_| definition.kind == DefKind::Field) else { continue };
        let is_component = facts.definition(owner).kind == DefKind::Struct
            && !definition.flags.is_static
            && facts.parameters(owner).iter().any(|parameter| parameter.name == definition.name);
        if is_component && !written.contains(&(owner, definition.name)) {
            let target = BindingTarget::Definition(DefId(index as u32));
            let (scope, name) = (definition.scope, definition.name);
            accessors.push(Binding { scope, name, namespace: Namespace::Callee, target });
        }
    }
    facts.bindings.extend(accessors);
}

/// Labels that name a constant in scope refer to it, as do all labels in a switch over text or numbers; the others
/// are members of the switched type.
fn settle_labels(facts: &mut FileFacts, labels: &[Label]) {
    if labels.is_empty() {
        return;
    }
    let mut known: FxHashMap<(ScopeId, NameId), BindingTarget> = FxHashMap::default();
    for binding in &facts.bindings {
        let is_value = match binding.target {
            BindingTarget::Definition(id) => {
                matches!(facts.definition(id).kind, DefKind::Field | DefKind::Constant)
            }
            BindingTarget::Import(id) => !facts.imports[id.index()].flags.type_only,
            BindingTarget::TypeParameter(..) => false,
            _ => true,
        };
        if is_value {
            known.insert((binding.scope, binding.name), binding.target);
        }
    }
    for &(expr, scope) in labels {
        let Expr::Member { base, name } = facts.expr(expr) else { continue };
        if find(facts, &known, name, scope).is_some() || is_plain(facts, &known, base) {
            facts.exprs[expr.index()] = Expr::Name { name, scope };
        }
    }
}

/// Target of a value name, from a scope outwards.
fn find(
    facts: &FileFacts,
    known: &FxHashMap<(ScopeId, NameId), BindingTarget>,
    name: NameId,
    scope: ScopeId,
) -> Option<BindingTarget> {
    let mut next = Some(scope);
    for _ in 0..MAX_SCOPES {
        let here = next?;
        if let Some(target) = known.get(&(here, name)) {
            return Some(*target);
        }
        next = facts.scopes[here.index()].parent;
    }
    None
}

/// Returns whether a variable is written with a type that is no enum.
fn is_plain(facts: &FileFacts, known: &FxHashMap<(ScopeId, NameId), BindingTarget>, selector: ExprId) -> bool {
    let Expr::Name { name, scope } = facts.expr(selector) else { return false };
    let declared = match find(facts, known, name, scope) {
        Some(BindingTarget::Typed(declared)) => Some(declared),
        Some(BindingTarget::Definition(id)) => facts.definition(id).declared,
        Some(BindingTarget::Parameter(id, index)) => {
            facts.parameters(id).get(index as usize).and_then(|parameter| parameter.declared)
        }
        _ => None,
    };
    let Some(Expr::Name { name, .. }) = declared.map(|declared| facts.expr(declared)) else { return false };
    matches!(facts.name(name), "String" | "int" | "char" | "byte" | "short" | "Integer" | "Character")
}
