//! Names of parameters and local variables are no references of their own: what refers to them is dropped once all
//! bindings of the file are known.

use rustc_hash::FxHashMap;

use crate::Language;
use crate::facts::{BindingTarget, Expr, FileFacts, NameId, Namespace, Role, ScopeId};

/// Scopes searched for one name. Deeper nesting is only found in hostile files; the reference then stays.
const MAX_SCOPES: usize = 512;

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    value: bool,
    local_value: bool,
    ty: bool,
    local_type: bool,
}

/// Drops references to parameters, type parameters and local variables; with `methods_apart` no call is one to them. In
/// languages where variables that hold functions are called by their names, calls stay.
pub(super) fn drop_local_references(facts: &mut FileFacts, methods_apart: bool) {
    // First what each scope binds, in the two name spaces of values and types.
    let mut known: FxHashMap<(ScopeId, NameId), Known> = FxHashMap::default();
    for binding in facts.bindings.iter().filter(|binding| binding.namespace != Namespace::Callee) {
        let entry = known.entry((binding.scope, binding.name)).or_default();
        let local = !matches!(binding.target, BindingTarget::Definition(_) | BindingTarget::Import(_));
        if binding.namespace != Namespace::Type {
            entry.value = true;
            entry.local_value |= local;
        }
        if matches!(binding.namespace, Namespace::Type | Namespace::Any) {
            entry.ty = true;
            entry.local_type |= local;
        }
    }
    let mut references = std::mem::take(&mut facts.references);
    let keeps_calls = matches!(
        facts.language,
        Language::C
            | Language::Cpp
            | Language::CSharp
            | Language::Kotlin
            | Language::Lua
            | Language::Scala
            | Language::Swift
    );
    references.retain(|reference| {
        if keeps_calls && reference.role == Role::Call {
            return true;
        }
        let Expr::Name { name, scope } = facts.expr(reference.expr) else { return true };
        if methods_apart && reference.role == Role::Call {
            return true;
        }
        let in_type = matches!(reference.role, Role::Type | Role::Inherit | Role::Implement | Role::Decorate);
        // The innermost scope that binds the name decides.
        let mut next = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(scope) = next else { return true };
            let found = known.get(&(scope, name)).copied().unwrap_or_default();
            if (in_type && found.ty) || (!in_type && found.value) {
                return !(if in_type { found.local_type } else { found.local_value });
            }
            next = facts.scopes[scope.index()].parent;
        }
        true
    });
    facts.references = references;
}
