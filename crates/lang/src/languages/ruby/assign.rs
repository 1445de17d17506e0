//! Assignments of Ruby: locals, constants, instance, class and global variables.

use tree_sitter::Node;

use super::super::outline::{Mark, Outline};
use crate::facts::{DefFlags, DefKind, ExprId, ScopeKind, Visibility};
use crate::walk::Enter;

/// What an assignment sets: one target, or several.
fn targets(node: Node<'_>) -> Vec<Node<'_>> {
    let Some(left) = node.child_by_field_name("left") else { return Vec::new() };
    if left.kind() != "left_assignment_list" {
        return vec![left];
    }
    let mut cursor = left.walk();
    left.named_children(&mut cursor).take(256).collect()
}

pub(super) fn enter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for target in targets(node) {
        match target.kind() {
            "identifier" => cx.mark(target, Mark::Skip),
            "constant" if !in_function(cx) => {
                cx.mark(target, Mark::Skip);
                cx.assign_global(DefKind::Constant, target, node, None);
            }
            "instance_variable" | "class_variable" => {
                cx.mark(target, Mark::Write);
                field(cx, target, node, None);
            }
            "global_variable" if !in_function(cx) => {
                cx.mark(target, Mark::Skip);
                cx.assign_global(DefKind::Variable, target, node, None);
            }
            _ => cx.mark(target, Mark::Write),
        }
    }
    Enter::Descend
}

pub(super) fn leave(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let value = cx.find_known(node.child_by_field_name("right"));
    let targets = targets(node);
    let count = targets.len();
    for (index, target) in targets.into_iter().enumerate() {
        let item = cx.item(value, index, count);
        match target.kind() {
            "identifier" => cx.assign_local(target, item),
            "constant" if !in_function(cx) => {
                cx.assign_global(DefKind::Constant, target, node, item);
            }
            "instance_variable" | "class_variable" => field(cx, target, node, item),
            "global_variable" if !in_function(cx) => {
                cx.assign_global(DefKind::Variable, target, node, item);
            }
            _ => {}
        }
    }
    if let Some(value) = value {
        cx.set_expr(node, value);
    }
}

fn in_function(cx: &Outline<'_>) -> bool {
    cx.builder.facts().scopes[cx.variable_scope().index()].kind == ScopeKind::Function
}

/// An instance or class variable is a field of the class around it, defined where it is first assigned.
fn field(cx: &mut Outline<'_>, target: Node<'_>, node: Node<'_>, value: Option<ExprId>) {
    let flags = DefFlags { is_static: target.kind() == "class_variable", ..DefFlags::default() };
    cx.assign_field(target, node, flags, Visibility::Private, value);
}
