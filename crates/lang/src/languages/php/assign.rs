//! Assignments, loops and `global`.

use tree_sitter::Node;

use super::super::outline::{Mark, Outline};
use super::documented::{self, Tags};
use crate::facts::{BindingTarget, DefKind, Expr, ExprId, Namespace, ScopeKind};
use crate::walk::Enter;

pub(super) fn enter_global(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in cx.pattern_names(&[node]) {
        let text = cx.name_text(name);
        let name = cx.builder.name(text);
        let scope = cx.variable_scope();
        cx.builder.bind(scope, name, Namespace::Value, BindingTarget::Outer(true));
    }
    Enter::Skip
}

/// What a `foreach` assigns: all children between what it iterates over and its body.
fn targets(node: Node<'_>) -> Vec<Node<'_>> {
    let body = node.child_by_field_name("body").map(|body| body.id());
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .skip(1)
        .take_while(|child| Some(child.id()) != body)
        .collect()
}

pub(super) fn enter_foreach(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in cx.pattern_names(&targets(node)) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

pub(super) fn leave_foreach(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let over = cx.find_known(node.named_child(0));
    let element = over.map(|base| cx.builder.expr(Expr::Element { base }));
    let targets = targets(node);
    let names = cx.pattern_names(&targets);
    let keyed = targets.first().is_some_and(|target| target.kind() == "pair");
    for (index, name) in names.into_iter().enumerate() {
        let value = match (keyed, index) {
            (false, 0) | (true, 1) => element,
            _ => None,
        };
        cx.assign_local(name, value);
    }
}

fn is_variable(node: Node<'_>) -> bool {
    matches!(node.kind(), "variable_name" | "list_literal" | "array_creation_expression")
}

fn is_global(cx: &Outline<'_>) -> bool {
    let scope = cx.builder.facts().scopes[cx.variable_scope().index()];
    matches!(scope.kind, ScopeKind::File | ScopeKind::Module)
}

pub(super) fn enter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(left) = node.child_by_field_name("left") else { return Enter::Descend };
    if is_variable(left) {
        let global = is_global(cx);
        for name in cx.pattern_names(&[left]) {
            cx.mark(name, Mark::Skip);
            if global {
                cx.assign_global(DefKind::Variable, name, node, None);
            }
        }
    } else {
        cx.mark(left, Mark::Write);
    }
    Enter::Descend
}

pub(super) fn leave(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let value = cx.find_known(node.child_by_field_name("right"));
    let Some(left) = node.child_by_field_name("left") else { return };
    if is_variable(left) {
        let names = cx.pattern_names(&[left]);
        let count = names.len();
        let global = is_global(cx);
        let documented = (count == 1).then(|| read_comment(cx, node)).flatten();
        for (index, name) in names.into_iter().enumerate() {
            let item = match documented {
                Some(of) => Some(cx.builder.expr(Expr::Instance { of })),
                None => cx.item(value, index, count),
            };
            if global {
                cx.assign_global(DefKind::Variable, name, node, item);
            } else {
                cx.assign_local(name, item);
            }
        }
    } else if let Some(value) = value {
        assign_property(cx, left, value);
    }
    if let Some(value) = value {
        cx.set_expr(node, value);
    }
}

/// The type in the comment before an assignment.
fn read_comment(cx: &mut Outline<'_>, node: Node<'_>) -> Option<ExprId> {
    let comment = cx.comment_before(node.start_byte())?;
    let text = Tags::of(comment).find("var", None)?;
    documented::parse_type(cx, text)
}

/// `$this->name = value`: a value of the property, if the class declares it above.
fn assign_property(cx: &mut Outline<'_>, left: Node<'_>, value: ExprId) {
    if left.kind() != "member_access_expression"
        || left.child_by_field_name("object").is_none_or(|of| cx.text(of) != "$this")
    {
        return;
    }
    let Some(name) = left.child_by_field_name("name").filter(|name| name.kind() == "name") else { return };
    if let Some(id) = cx.known_field(name) {
        cx.add_value(id, Some(value));
    }
}
