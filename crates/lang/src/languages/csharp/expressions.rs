//! Expressions that the table cannot describe: calls, null-conditional access, operators, literals.

use tree_sitter::Node;

use super::super::outline::common::record_implied;
use super::super::outline::{Mark, Outline, Pick, Rule, field};
use crate::facts::{Expr, ExprId, FactsBuilder, ListId, Literal};
use crate::walk::Enter;

/// `nameof(x)` looks like a call.
pub(super) fn enter_invocation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(function) = node.child_by_field_name("function") else { return Enter::Descend };
    let arity = cx.arity(node.child_by_field_name("arguments"));
    let is_name_of = function.kind() == "identifier" && cx.text(function) == "nameof";
    cx.mark(function, if is_name_of { Mark::Skip } else { Mark::Call(arity) });
    Enter::Descend
}

pub(super) fn leave_invocation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let Some(callee) = cx.find_known(Some(function)) else {
        if cx.text(function) == "nameof" {
            let expr = cx.builder.expr(Expr::Literal(Literal::Str));
            cx.set_expr(node, expr);
        }
        return;
    };
    let (path, callee) = match cx.builder.facts().expr(callee) {
        Expr::Generic { base, .. } => (base, callee),
        _ => (callee, with_type_arguments(cx, function, callee)),
    };
    let args = node.child_by_field_name("arguments");
    cx.keep_text(path, args);
    let args = take_arguments(cx, path, args);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// `a.b<T>` with its type arguments.
fn with_type_arguments(cx: &mut Outline<'_>, function: Node<'_>, callee: ExprId) -> ExprId {
    let access = match function.kind() {
        "conditional_access_expression" => Pick::Last.get(function, None).unwrap_or(function),
        _ => function,
    };
    let name = access.child_by_field_name("name").filter(|name| name.kind() == "generic_name");
    let Some(name) = name else { return callee };
    let args = cx.arguments(Pick::Kind(&["type_argument_list"]).get(name, None));
    cx.builder.expr(Expr::Generic { base: callee, args })
}

/// The arguments by position; those by name are kept with the callee.
pub(super) fn take_arguments(cx: &mut Outline<'_>, callee: ExprId, list: Option<Node<'_>>) -> ListId {
    let Some(list) = list else { return FactsBuilder::EMPTY };
    let mut cursor = list.walk();
    let nodes: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|arg| !arg.is_extra()).collect();
    let mut items = Vec::with_capacity(nodes.len());
    for argument in nodes {
        let value = cx.expr_of(argument);
        match argument.child_by_field_name("name") {
            Some(name) => {
                let name = cx.name_text(name);
                cx.builder.argument(callee, Some(name), None, value);
            }
            None => items.push(value),
        }
    }
    cx.builder.list(&items)
}

/// `A.B<T>` keeps its type arguments, unless it is a method that is called.
pub(super) fn leave_generic_member(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "generic_name") else { return };
    if !matches!(node.kind(), "qualified_name" | "member_access_expression") {
        return;
    }
    let is_method = node.kind() == "member_access_expression" && matches!(cx.current_mark(), Mark::Call(_));
    let Some(base) = cx.find_known(Some(node)).filter(|_| !is_method) else { return };
    let args = cx.arguments(Pick::Kind(&["type_argument_list"]).get(name, None));
    let expr = cx.builder.expr(Expr::Generic { base, args });
    cx.set_expr(node, expr);
    if let Some(frame) = cx.frame() {
        frame.bases.iter_mut().filter(|of| **of == base).for_each(|of| *of = expr);
    }
}

pub(super) fn enter_alias_qualified(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(alias) = node.child_by_field_name("alias") {
        cx.mark(alias, Mark::Skip);
    }
    Enter::Descend
}

pub(super) fn enter_binding(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        let mark = match Pick::Nth(0).get(name, None).filter(|_| name.kind() == "generic_name") {
            Some(inner) => {
                cx.mark(inner, Mark::Skip);
                Mark::None
            }
            None => Mark::Skip,
        };
        cx.mark(name, mark);
    }
    Enter::Descend
}

/// `a?.b` is a member of `a`.
pub(super) fn leave_binding(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let (Some(name), Some(base)) = (node.child_by_field_name("name"), condition_around(node, parent)) else {
        return;
    };
    let name = Pick::Nth(0).get(name, None).filter(|_| name.kind() == "generic_name").unwrap_or(name);
    let base = cx.expr_of(base);
    let text = cx.name_text(name);
    let expr = cx.builder.member(base, text);
    cx.set_expr(node, expr);
    // The call is around the whole access, or around this node where more follows (`a?.b().c`).
    match (cx.current_mark(), cx.parent_mark()) {
        (Mark::None, Mark::Call(_))
            if parent.is_some_and(|parent| parent.kind() == "conditional_access_expression") =>
        {
            cx.refer_as_parent(expr, name);
        }
        _ => cx.finish_expr(node, name, expr),
    }
}

/// Nodes between a binding and the access that it belongs to.
const MAX_BETWEEN: usize = 64;

/// What stands before the `?` that a binding belongs to.
fn condition_around<'t>(node: Node<'t>, parent: Option<Node<'t>>) -> Option<Node<'t>> {
    let mut next = parent.or_else(|| node.parent());
    for _ in 0..MAX_BETWEEN {
        let around = next?;
        if around.kind() == "conditional_access_expression" {
            return around.child_by_field_name("condition");
        }
        next = around.parent();
    }
    None
}

pub(super) fn leave_conditional_access(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(expr) = cx.find_known(Pick::Last.get(node, None)) {
        cx.set_expr(node, expr);
    }
}

/// `a + b` calls the operator of its left operand; that of the right one is looked for if the left one has none.
/// Comparisons are truth values; else the type is that of the operands.
pub(super) fn leave_binary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(operator) = node.child_by_field_name("operator") else { return };
    let sign = cx.text(operator);
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    let (first, second) = (cx.find_known(left), cx.find_known(right));
    if !matches!(sign, "&&" | "||" | "??") {
        let operand = if first.is_some() { left } else { right };
        record_implied(cx, operand, &format!("operator {sign}"), operator);
    }
    let is_text = |cx: &Outline<'_>, expr: Option<ExprId>| {
        expr.is_some_and(|expr| cx.builder.facts().expr(expr) == Expr::Literal(Literal::Str))
    };
    let expr = match sign {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => cx.builder.expr(Expr::Literal(Literal::Bool)),
        "+" if is_text(cx, first) || is_text(cx, second) => cx.builder.expr(Expr::Literal(Literal::Str)),
        _ => {
            let unknown = cx.builder.unknown();
            cx.builder.union(&[first.unwrap_or(unknown), second.unwrap_or(unknown)])
        }
    };
    cx.set_expr(node, expr);
}

/// `!a`, `-a`, `a++`, and `a!`, which only says that it is there.
pub(super) fn leave_unary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let Some(operator) = node.children(&mut cursor).find(|child| !child.is_named()) else { return };
    let (sign, operand) = (cx.text(operator), node.named_child(0));
    let is_assertion = sign == "!" && node.kind() == "postfix_unary_expression";
    if !is_assertion {
        record_implied(cx, operand, &format!("operator {sign}"), operator);
    }
    let expr = match sign {
        "!" if !is_assertion => Some(cx.builder.expr(Expr::Literal(Literal::Bool))),
        _ => cx.find_known(operand),
    };
    if let Some(expr) = expr {
        cx.set_expr(node, expr);
    }
}

/// `a[i]`
pub(super) fn leave_index(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Index(field("expression")), node, parent);
    let at = node.child_by_field_name("subscript").unwrap_or(node);
    record_implied(cx, node.child_by_field_name("expression"), "this[]", at);
}

pub(super) fn enter_is(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(right) = node.child_by_field_name("right") {
        cx.mark(right, Mark::Type);
    }
    Enter::Descend
}

/// A test of a value.
pub(super) fn leave_truth(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let expr = cx.builder.expr(Expr::Literal(Literal::Bool));
    cx.set_expr(node, expr);
}

/// A value of a type that is known by its name.
fn set_value_of(cx: &mut Outline<'_>, node: Node<'_>, name: &str) {
    let of = cx.bare_name(name);
    let expr = cx.builder.expr(Expr::Instance { of });
    cx.set_expr(node, expr);
}

pub(super) fn leave_type_of(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    set_value_of(cx, node, "Type");
}

pub(super) fn leave_character(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    set_value_of(cx, node, "char");
}

/// A number, whose last letters say its type.
pub(super) fn leave_number(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let text = cx.text(node).to_ascii_lowercase();
    let is_real = node.kind() == "real_literal";
    let is_hexadecimal = text.starts_with("0x");
    let name = match text.bytes().last() {
        Some(b'm') => "decimal",
        Some(b'f') if !is_hexadecimal => "float",
        Some(b'd') if !is_hexadecimal => "double",
        Some(b'u') => "uint",
        Some(b'l') if text.contains('u') => "ulong",
        Some(b'l') => "long",
        _ => {
            let expr = cx.builder.expr(Expr::Literal(if is_real { Literal::Float } else { Literal::Int }));
            cx.set_expr(node, expr);
            return;
        }
    };
    set_value_of(cx, node, name);
}

/// Values of the arms of a switch.
const MAX_ARMS: usize = 64;

pub(super) fn leave_switch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let arms = node.named_children(&mut cursor).filter(|arm| arm.kind() == "switch_expression_arm").take(MAX_ARMS);
    let values: Vec<ExprId> = arms.filter_map(|arm| cx.find_known(Pick::Last.get(arm, None))).collect();
    let expr = cx.builder.union(&values);
    cx.set_expr(node, expr);
}
