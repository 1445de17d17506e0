//! Steps that need the whole file: which bare names are local variables, the name spaces of methods and constants.

use rustc_hash::FxHashSet;

use super::super::outline::rules::Label;
use crate::facts::{
    BindingTarget, DefKind, Expr, ExprId, FactsBuilder, FileFacts, NameId, Namespace, Role, ScopeId, ScopeKind,
};

/// Scopes searched for one name.
const MAX_SCOPES: usize = 512;

pub(super) fn finish(facts: &mut FileFacts, labels: &[Label]) {
    place_names(facts);
    settle_names(facts, labels);
    forget_replaced(facts);
}

/// `def @a.name` gives one value a method of its own: which one `@a.name` calls is not known.
fn forget_replaced(facts: &mut FileFacts) {
    let field_of = |facts: &FileFacts, expr: ExprId| match facts.expr(expr) {
        Expr::Member { base, name } if matches!(facts.expr(base), Expr::This { .. }) => Some(name),
        _ => None,
    };
    let functions = facts.definitions.iter().filter(|row| row.kind == DefKind::Function);
    let own = functions.filter_map(|row| Some((field_of(facts, row.extends_type?)?, row.name)));
    let own: FxHashSet<(NameId, NameId)> = own.collect();
    if own.is_empty() {
        return;
    }
    for index in 0..facts.exprs.len() {
        if let Expr::Member { base, name } = facts.exprs[index]
            && field_of(facts, base).is_some_and(|field| own.contains(&(field, name)))
        {
            facts.exprs[index] = Expr::Member { base: FactsBuilder::UNKNOWN, name };
        }
    }
}

/// Methods and readers of attributes are only known to calls; constants are known wherever types are.
fn place_names(facts: &mut FileFacts) {
    let definitions = &facts.definitions;
    for binding in &mut facts.bindings {
        let BindingTarget::Definition(id) = binding.target else { continue };
        let definition = &definitions[id.index()];
        let is_attribute = definition.kind == DefKind::Field && !facts.names.get(definition.name).starts_with('@');
        match definition.kind {
            DefKind::Function => binding.namespace = Namespace::Callee,
            DefKind::Field if is_attribute => binding.namespace = Namespace::Callee,
            DefKind::Constant => binding.namespace = Namespace::Any,
            _ => {}
        }
    }
}

/// A bare name that is assigned in the function or block around it is a variable; each other one is a method of the
/// receiver.
fn settle_names(facts: &mut FileFacts, labels: &[Label]) {
    let is_local = |target| !matches!(target, BindingTarget::Definition(_) | BindingTarget::Import(_));
    let known: FxHashSet<(ScopeId, NameId)> =
        facts.bindings.iter().filter(|row| is_local(row.target)).map(|row| (row.scope, row.name)).collect();
    let globals: FxHashSet<(ScopeId, NameId)> = facts
        .bindings
        .iter()
        .filter(|row| row.namespace != Namespace::Callee)
        .map(|row| (row.scope, row.name))
        .collect();
    let mut locals: FxHashSet<ExprId> = FxHashSet::default();
    for &(expr, scope) in labels {
        let Expr::Member { name, .. } = facts.expr(expr) else { continue };
        let mut next = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(here) = next else { break };
            let row = facts.scopes[here.index()];
            let rows = if row.kind == ScopeKind::File { &globals } else { &known };
            if rows.contains(&(here, name)) {
                facts.exprs[expr.index()] = Expr::Name { name, scope };
                // The call around it is made right behind it.
                let around = expr.index() + 1;
                if matches!(facts.exprs.get(around), Some(Expr::Call { callee, .. }) if *callee == expr) {
                    facts.exprs[around] = Expr::Unwrap { base: expr };
                }
                locals.insert(expr);
                break;
            }
            // A method sees no variables of what is around it; a block does.
            let owner = row.owner.map(|owner| facts.definition(owner));
            let is_block = owner.is_some_and(|owner| owner.flags.is_anonymous) || row.kind == ScopeKind::Block;
            next = if is_block { row.parent } else { None };
        }
    }
    for reference in &mut facts.references {
        if locals.contains(&reference.expr) && reference.arity == 0 {
            (reference.role, reference.arity) = (Role::Read, u8::MAX);
        }
    }
}
