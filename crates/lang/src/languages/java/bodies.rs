//! Statements and bodies that the table cannot describe: scopes of patterns, labels of a switch, enum constants.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::super::outline::{Mark, Outline, Pick};
use super::{INIT, INSTANCE_OF};
use crate::facts::{DefId, DefKind, Expr, FactsBuilder, Literal, NameId, Reference, Role, ScopeKind};
use crate::walk::Enter;

/// A pattern in a condition binds its variable where the condition is known to be true. A negated one binds it after
/// the statement.
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
        cx.record_returned(value);
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

/// Bare names after `case` are constants of the switched enum, unless they are constants in scope.
pub(super) fn enter_switch(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(selector) = parent.and_then(|parent| cx.find_known(parent.child_by_field_name("condition"))) else {
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

/// The name of the type that a definition is written in.
fn name_of_owner(cx: &Outline<'_>, id: DefId) -> Option<String> {
    let facts = cx.builder.facts();
    let owner = facts.definition(id).owner?;
    Some(facts.name(facts.definition(owner).name).to_owned())
}

/// The body of a constant is a class of its own that derives from the enum.
pub(super) fn constant_body(cx: &mut Outline<'_>, constant: Node<'_>) {
    let Some((id, scope)) = cx.frame().map(|frame| (frame.id, frame.header)) else { return };
    let Some(name) = name_of_owner(cx, id) else { return };
    let base = cx.builder.name_expr(&name, scope);
    if let Some(frame) = cx.frame() {
        frame.bases.push(base);
    }
    let pos = cx.source.pos(constant);
    let enclosing = Some(id);
    cx.builder.reference(Reference { expr: base, role: Role::Inherit, inexact: false, arity: u8::MAX, pos, enclosing });
}

/// Constants are constructed with their enum: by a constructor that it writes, as values of it, or as values of the
/// class that their body is.
pub(super) fn leave_enum(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let scope = cx.scope();
    let facts = cx.builder.facts();
    let owner = facts.scopes[scope.index()].owner;
    let after = owner.map_or(0, |owner| owner.index());
    let written = &facts.definitions[after..];
    // Definitions behind the owner are those that it holds.
    let writes_one = written.iter().any(|own| own.owner == owner && own.flags.is_constructor);
    let own = written.iter().enumerate().filter(|(_, own)| own.owner == owner && own.kind == DefKind::Variant);
    let mut ids: FxHashMap<NameId, DefId> = FxHashMap::default();
    for (place, own) in own {
        ids.entry(own.name).or_insert(DefId((after + place) as u32));
    }
    let mut cursor = node.walk();
    let constants: Vec<Node<'_>> =
        node.named_children(&mut cursor).filter(|child| child.kind() == "enum_constant").collect();
    for constant in constants {
        let args = constant.child_by_field_name("arguments");
        let Some(name) = constant.child_by_field_name("name") else { continue };
        let arity = cx.arity(args);
        let args = cx.arguments(args);
        let pos = cx.source.pos(name);
        let text = cx.text(name);
        let id = ids.get(&cx.builder.name(text)).copied();
        let call = |cx: &mut Outline<'_>, expr, enclosing| {
            cx.builder.reference(Reference { expr, role: Role::Call, inexact: false, arity, pos, enclosing });
        };
        // With a written constructor it is a call of that; otherwise the class is constructed.
        if writes_one {
            let callee = cx.builder.name_expr(INIT, scope);
            cx.refer_with(callee, Role::Call, arity, name);
            cx.builder.expr(Expr::Call { callee, args });
        } else if let Some(name) = id.and_then(|id| name_of_owner(cx, id)) {
            let class = cx.builder.name_expr(&name, scope);
            let callee = cx.builder.expr(Expr::Generic { base: class, args: FactsBuilder::EMPTY });
            cx.builder.expr(Expr::Call { callee, args });
            call(cx, class, id);
        }
        // A constant with a body is the only value of a class of its own.
        if let Some(id) = id.filter(|_| constant.child_by_field_name("body").is_some()) {
            let class = cx.builder.expr(Expr::Definition(id));
            call(cx, class, owner);
        }
    }
}

/// Nodes of a lambda's block that are searched for a `return`.
const MOST_NODES: usize = 2048;

/// Whether a lambda returns a value; `None` if it can be used with and without one, or is too large.
pub(super) fn find_returns(lambda: Node<'_>) -> Option<bool> {
    let body = lambda.child_by_field_name("body")?;
    match body.kind() {
        "block" => {}
        "method_invocation" | "object_creation_expression" | "assignment_expression" | "update_expression" => {
            return None;
        }
        _ => return Some(true),
    }
    let mut open = vec![body];
    let mut count = 0;
    while let Some(node) = open.pop() {
        count += 1;
        if count > MOST_NODES {
            return None;
        }
        match node.kind() {
            "return_statement" => return Some(node.named_child(0).is_some()),
            "lambda_expression" | "class_body" => {}
            _ => {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor));
            }
        }
    }
    // A block that never ends normally fits both.
    let last = body.named_child(body.named_child_count().saturating_sub(1) as u32);
    let ends = !last.is_some_and(|last| {
        matches!(last.kind(), "throw_statement" | "while_statement" | "do_statement" | "for_statement")
    });
    ends.then_some(false)
}
