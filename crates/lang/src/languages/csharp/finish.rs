//! Steps that need the whole file: names that other files look up, types written in parts, delegates.

use super::super::outline::common::settle_values;
use super::super::outline::rules::Label;
use super::INIT;
use crate::facts::{BindingTarget, DefId, DefKind, Expr, ExprId, FileFacts, List, ListId, NameId};

pub(super) fn finish(facts: &mut FileFacts, _: &[Label]) {
    count_type_arguments(facts);
    place_definitions(facts);
    join_parts(facts);
    describe_delegates(facts);
    settle_values(facts);
}

/// The name under which a type with type parameters is known: `A` and `A<T>` are two types.
fn name_generic(facts: &mut FileFacts, name: NameId, count: usize) -> NameId {
    let text = format!("{}`{count}", facts.name(name));
    facts.names.intern(&text)
}

/// Names with type arguments mean the type with as many parameters.
fn count_type_arguments(facts: &mut FileFacts) {
    let mut counted: Vec<(ExprId, usize)> = Vec::new();
    // A method that is called with type arguments has no name of its own for them.
    let mut methods: Vec<ExprId> = Vec::new();
    for expr in &facts.exprs {
        if let Expr::Call { callee, .. } = *expr {
            methods.push(callee);
        }
    }
    methods.sort_unstable();
    for (index, expr) in facts.exprs.iter().enumerate() {
        if let Expr::Generic { base, args } = *expr {
            let count = facts.list(args).len();
            if count > 0 && methods.binary_search(&ExprId(index as u32)).is_err() {
                counted.push((base, count));
            }
        }
    }
    counted.sort_unstable();
    counted.dedup_by_key(|(base, _)| *base);
    for (base, count) in counted {
        facts.exprs[base.index()] = match facts.expr(base) {
            Expr::Name { name, scope } => Expr::Name { name: name_generic(facts, name, count), scope },
            Expr::Member { base, name } => Expr::Member { base, name: name_generic(facts, name, count) },
            other => other,
        };
    }
}

/// Binds constructors under one name, because the constructed class may have any, and types with type parameters
/// under a name that counts these.
fn place_definitions(facts: &mut FileFacts) {
    let mut constructor = None;
    for index in 0..facts.bindings.len() {
        let BindingTarget::Definition(id) = facts.bindings[index].target else { continue };
        let definition = facts.definition(id);
        let count = definition.type_parameters.1 as usize;
        if definition.flags.is_constructor {
            let name = *constructor.get_or_insert_with(|| facts.names.intern(INIT));
            facts.bindings[index].name = name;
        } else if definition.kind.is_type() && count > 0 {
            facts.bindings[index].name = name_generic(facts, facts.bindings[index].name, count);
        }
    }
}

/// Each part of a type says by its name which type that is.
fn join_parts(facts: &mut FileFacts) {
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        let count = definition.type_parameters.1 as usize;
        let (name, scope) = (definition.name, definition.scope);
        let text = facts.name(name);
        let header = definition.signature.as_deref().unwrap_or("");
        let mut words = header.split_whitespace().take_while(|word| !word.starts_with(text));
        if definition.kind.is_class_like() && words.any(|word| word == "partial") {
            let name = if count > 0 { name_generic(facts, name, count) } else { name };
            let expr = push(facts, Expr::Name { name, scope });
            facts.definitions[index].extends_type = Some(expr);
        }
    }
}

fn push(facts: &mut FileFacts, expr: Expr) -> ExprId {
    facts.exprs.push(expr);
    ExprId(facts.exprs.len() as u32 - 1)
}

/// A delegate is the type of functions with its parameters and result.
fn describe_delegates(facts: &mut FileFacts) {
    for index in 0..facts.definitions.len() {
        if facts.definitions[index].kind != DefKind::TypeAlias {
            continue;
        }
        let unknown = ExprId(0);
        let id = DefId(index as u32);
        let items: Vec<ExprId> =
            facts.parameters(id).iter().map(|parameter| parameter.declared.unwrap_or(unknown)).collect();
        let start = facts.list_items.len() as u32;
        let len = items.len() as u32;
        facts.list_items.extend(items);
        facts.lists.push(List { start, len });
        let parameters = ListId(facts.lists.len() as u32 - 1);
        let result = facts.definitions[index].declared.unwrap_or(unknown);
        let expr = push(facts, Expr::Signature { parameters, result });
        facts.definitions[index].declared = Some(expr);
    }
}
