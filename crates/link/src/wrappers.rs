//! Wrappers: nested functions that use parameters of the enclosing function.

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{BindingTarget, DefId, DefKind, Expr, NameId, ScopeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Scopes that a name is followed outwards through.
const MOST_SCOPES: usize = 64;

/// The nested functions of a file that use a parameter of the enclosing function, in order. It depends on bodies, so
/// a file's surface includes it.
pub(crate) fn using_given(facts: &FileFacts) -> Vec<DefId> {
    let is_function = |id: DefId| facts.definition(id).kind == DefKind::Function;
    let mut names: FxHashSet<NameId> = FxHashSet::default();
    for (index, definition) in facts.definitions.iter().enumerate() {
        let inner = DefId(index as u32);
        if let Some(outer) = definition.owner.filter(|&outer| is_function(inner) && is_function(outer)) {
            names.extend(facts.parameters(outer).iter().map(|parameter| parameter.name));
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    // A parameter belongs to the function where it is bound; other bindings belong to none.
    let mut bound: FxHashMap<(ScopeId, NameId), Option<DefId>> = FxHashMap::default();
    for binding in facts.bindings.iter().filter(|binding| names.contains(&binding.name)) {
        let owner = match binding.target {
            BindingTarget::Outer(_) => continue,
            BindingTarget::Parameter(of, _) => Some(of),
            _ => None,
        };
        let known = bound.entry((binding.scope, binding.name)).or_default();
        *known = known.or(owner);
    }
    let mut found: Vec<DefId> = Vec::new();
    for expr in &facts.exprs {
        if let Expr::Name { name, scope } = *expr
            && names.contains(&name)
        {
            found.extend(wrapper_around(facts, &bound, name, scope));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The nested function around a use of a name, if the name is a parameter of the function that it is written in.
fn wrapper_around(
    facts: &FileFacts,
    bound: &FxHashMap<(ScopeId, NameId), Option<DefId>>,
    name: NameId,
    scope: ScopeId,
) -> Option<DefId> {
    let mut inner = None;
    let mut at = Some(scope);
    for _ in 0..MOST_SCOPES {
        let scope = at?;
        let row = facts.scopes[scope.index()];
        if let Some(owner) = bound.get(&(scope, name)) {
            let outer = (*owner)?;
            return inner.filter(|&inner| facts.definition(inner).owner == Some(outer));
        }
        inner = row.owner;
        at = row.parent;
    }
    None
}
