//! What only the whole file tells: name spaces of methods, accessors of records, labels of switches.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::outline::rules::Label;
use super::INIT;
use crate::facts::{Binding, BindingTarget, DefId, DefKind, Expr, FactsBuilder, FileFacts, NameId, Namespace, ScopeId};

/// Scopes searched for one label.
const MAX_SCOPES: usize = 512;

pub(super) fn finish(facts: &mut FileFacts, labels: &[Label]) {
    settle_labels(facts, labels);
    let constructor = facts.names.iter().position(|name| name == INIT).map(|index| NameId(index as u32));
    place_methods(facts, constructor);
    compact_constructors(facts);
    accessors(facts);
    for definition in &mut facts.definitions {
        // A written type says all: values would only make other files look at bodies.
        let typed = matches!(definition.kind, DefKind::Function | DefKind::Field | DefKind::Constant);
        if typed && definition.declared.is_some() {
            definition.values = FactsBuilder::EMPTY;
        }
    }
}

/// Methods are known only to calls; constructors under one name, as what is constructed may be called anything.
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

/// Labels that name a constant known where they stand are that; the others are members of what is switched over.
fn settle_labels(facts: &mut FileFacts, labels: &[Label]) {
    if labels.is_empty() {
        return;
    }
    let mut known: FxHashMap<(ScopeId, NameId), bool> = FxHashMap::default();
    for binding in &facts.bindings {
        if matches!(binding.namespace, Namespace::Value | Namespace::Any) {
            let variant = matches!(binding.target, BindingTarget::Definition(id)
                if facts.definition(id).kind != DefKind::Field && facts.definition(id).kind != DefKind::Constant);
            *known.entry((binding.scope, binding.name)).or_default() |= !variant;
        }
    }
    for &(expr, scope) in labels {
        let Expr::Member { name, .. } = facts.expr(expr) else { continue };
        let mut next = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(here) = next else { break };
            if known.get(&(here, name)).copied().unwrap_or(false) {
                facts.exprs[expr.index()] = Expr::Name { name, scope };
                break;
            }
            next = facts.scopes[here.index()].parent;
        }
    }
}
