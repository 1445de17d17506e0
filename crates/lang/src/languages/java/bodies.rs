//! Statements and bodies that the table cannot describe: scopes of patterns, labels of a switch, constants of an enum.

use tree_sitter::Node;

use super::super::outline::{Mark, Outline, Pick};
use super::{INIT, INSTANCE_OF};
use crate::facts::{Expr, Literal, Role, ScopeKind};
use crate::walk::Enter;

/// A pattern in a condition names its variable for what follows from the condition being true. A negated one names it
/// for what comes after the statement.
pub(super) fn enter_condition(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let condition = node.child_by_field_name("condition");
    let inner = condition.and_then(|condition| condition.named_child(0));
    let negated = inner.is_some_and(|inner| cx.text(inner).starts_with('!'));
    if !negated {
        cx.open_scope(ScopeKind::Block);
    }
    Enter::Descend
}

/// `return x instanceof A a && a.ok()`: another such line may use the name for another type.
pub(super) fn enter_return(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if node.named_child(0).is_some_and(|value| matches!(value.kind(), "binary_expression" | "ternary_expression")) {
        cx.open_scope(ScopeKind::Block);
    }
    Enter::Descend
}

pub(super) fn leave_return(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    if let Some(value) = Pick::Last.get(node, parent) {
        let value = cx.expr_of(value);
        cx.returned(value);
    }
}

pub(super) fn enter_instance_of(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&INSTANCE_OF, node, parent);
    if let Some(right) = node.child_by_field_name("right") {
        cx.mark(right, Mark::Type);
    }
    Enter::Descend
}

pub(super) fn leave_instance_of(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_bind(&INSTANCE_OF, node, parent);
    let expr = cx.builder.expr(Expr::Literal(Literal::Bool));
    cx.set_expr(node, expr);
}

/// `Point(int x, var y)`: the first child names the type.
pub(super) fn enter_record_pattern(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(class) = node.named_child(0) {
        cx.mark(class, Mark::Type);
    }
    Enter::Descend
}

/// Bare names after `case` are constants of the enum that is switched over, if not constants known where they stand.
pub(super) fn enter_switch(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(selector) = parent.and_then(|parent| cx.known(parent.child_by_field_name("condition"))) else {
        return Enter::Descend;
    };
    let scope = cx.scope();
    let mut cursor = node.walk();
    let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    for part in parts {
        let mut cursor = part.walk();
        let labels: Vec<Node<'_>> =
            part.named_children(&mut cursor).filter(|child| child.kind() == "switch_label").collect();
        for label in labels {
            let mut cursor = label.walk();
            let names: Vec<Node<'_>> =
                label.named_children(&mut cursor).filter(|child| child.kind() == "identifier").collect();
            for name in names {
                cx.mark(name, Mark::Skip);
                let text = cx.text(name);
                let expr = cx.builder.member(selector, text);
                cx.labels.push((expr, scope));
                cx.refer_with(expr, Role::Read, u8::MAX, name);
            }
        }
    }
    Enter::Descend
}

/// Constants call a constructor of their enum: those with arguments, and all where one is written.
pub(super) fn leave_enum(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let scope = cx.scope();
    let facts = cx.builder.facts();
    let owner = facts.scopes[scope.index()].owner;
    let after = owner.map_or(0, |owner| owner.index());
    let written = &facts.definitions[after..];
    let writes_one = written.iter().any(|own| own.owner == owner && own.flags.is_constructor);
    let mut cursor = node.walk();
    let constants: Vec<Node<'_>> =
        node.named_children(&mut cursor).filter(|child| child.kind() == "enum_constant").collect();
    for constant in constants {
        let args = constant.child_by_field_name("arguments");
        let Some(name) = constant.child_by_field_name("name").filter(|_| args.is_some() || writes_one) else {
            continue;
        };
        let callee = cx.builder.name_expr(INIT, scope);
        let arity = cx.arity(args);
        cx.refer_with(callee, Role::Call, arity, name);
        let args = cx.arguments(args);
        cx.builder.expr(Expr::Call { callee, args });
    }
}
