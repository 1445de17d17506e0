//! Expressions that the table cannot describe: calls, constructions, method references, literals.

use tree_sitter::Node;

use super::super::outline::{Mark, Outline, Pick, Rule};
use super::INIT;
use crate::facts::{Collection, Expr, ExprId, FactsBuilder, Literal, Role};
use crate::walk::Enter;

fn skip_field(cx: &mut Outline<'_>, node: Node<'_>, field: &str) {
    if let Some(child) = node.child_by_field_name(field) {
        cx.mark(child, Mark::Skip);
    }
}

/// Returns whether there is a keyword between the qualifier and the name: `Outer.super.m()`.
fn through_super(node: Node<'_>) -> bool {
    let object = node.child_by_field_name("object").map(|object| object.id());
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| child.kind() == "super" && Some(child.id()) != object)
}

pub(super) fn enter_invocation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    skip_field(cx, node, "name");
    Enter::Descend
}

/// `name(…)`, `object.name(…)`.
pub(super) fn leave_invocation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let text = cx.text(name);
    let object = node.child_by_field_name("object");
    let callee = match object {
        Some(object) => {
            let base = cx.expr_of(object);
            let base = if through_super(node) { cx.builder.expr(Expr::Instance { of: base }) } else { base };
            cx.builder.member(base, text)
        }
        None => cx.bare_name(text),
    };
    call(cx, node, callee, name);
}

/// A call of `callee`, whose last name is at `at`, with the arguments of `node`.
fn call(cx: &mut Outline<'_>, node: Node<'_>, callee: ExprId, at: Node<'_>) {
    let args = node.child_by_field_name("arguments");
    let arity = cx.arity(args);
    cx.refer_with(callee, Role::Call, arity, at);
    cx.keep_text(callee, args);
    let args = cx.arguments(args);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

pub(super) fn enter_chain(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    skip_field(cx, node, "constructor");
    Enter::Descend
}

/// `this(…)`, `super(…)`.
pub(super) fn leave_chain(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(constructor) = node.child_by_field_name("constructor") else { return };
    let scope = cx.scope();
    let callee = match constructor.kind() {
        "super" => cx.builder.expr(Expr::Super { scope }),
        _ => cx.builder.name_expr(INIT, scope),
    };
    call(cx, node, callee, constructor);
}

pub(super) fn enter_creation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let arity = cx.arity(node.child_by_field_name("arguments"));
    if let Some(class) = node.child_by_field_name("type") {
        cx.mark(class, Mark::Call(arity));
    }
    Enter::Descend
}

/// `new C(…)`: the class is represented as a generic, if only without arguments, which distinguishes it from a
/// method.
pub(super) fn leave_creation(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(class) = node.child_by_field_name("type") else { return };
    let class = cx.expr_of(class);
    let args = cx.arguments(node.child_by_field_name("arguments"));
    if let Some(class) = parent.and_then(|parent| anonymous(cx, node, parent)) {
        let expr = cx.builder.expr(Expr::Call { callee: class, args });
        cx.set_expr(node, expr);
        return;
    }
    let callee = match cx.builder.facts().expr(class) {
        Expr::Generic { .. } => class,
        _ => cx.builder.expr(Expr::Generic { base: class, args: FactsBuilder::EMPTY }),
    };
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// The anonymous class of `new C() { … }`, where its own members are seen: as a receiver, and by `var`. Elsewhere the
/// value is one of its base.
fn anonymous(cx: &Outline<'_>, node: Node<'_>, parent: Node<'_>) -> Option<ExprId> {
    let is_receiver = parent.child_by_field_name("object") == Some(node);
    if !is_receiver && parent.kind() != "variable_declarator" {
        return None;
    }
    let mut cursor = node.walk();
    let body = node.named_children(&mut cursor).find(|child| child.kind() == "class_body")?;
    cx.find_known(Some(body))
}

/// `new T[…]`: only the element is in type position.
pub(super) fn enter_array(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(element) = node.child_by_field_name("type") {
        cx.mark(element, Mark::Type);
    }
    Enter::Descend
}

pub(super) fn leave_array(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(mut of) = cx.find_known(node.child_by_field_name("type")) else { return };
    for _ in 1..count_dimensions(node) {
        of = array_of(cx, of);
    }
    let element = cx.builder.expr(Expr::Instance { of });
    let expr = array_of(cx, element);
    cx.set_expr(node, expr);
}

fn array_of(cx: &mut Outline<'_>, element: ExprId) -> ExprId {
    let items = cx.builder.list(&[element]);
    cx.builder.expr(Expr::Collection { kind: Collection::List, items })
}

/// Maximum dimensions of an array that are distinguished.
const MOST_DIMENSIONS: usize = 8;

/// Number of pairs of brackets behind the element type of an array; at least 1.
fn count_dimensions(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let count = |part: Node<'_>| match part.kind() {
        "dimensions_expr" => 1,
        "dimensions" => (0..part.child_count()).filter(|&at| part.child(at).is_some_and(|at| at.kind() == "[")).count(),
        _ => 0,
    };
    node.named_children(&mut cursor).map(count).sum::<usize>().clamp(1, MOST_DIMENSIONS)
}

pub(super) fn enter_array_type(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.set_in_type();
    Enter::Descend
}

/// `T[]`, `T[][]`.
pub(super) fn leave_array_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(mut of) = cx.find_known(node.child_by_field_name("element")) else { return };
    for _ in 0..count_dimensions(node) {
        of = array_of(cx, of);
    }
    cx.set_expr(node, of);
}

/// The name of a method reference; `None` for `Type::new`.
fn find_referred(node: Node<'_>) -> Option<Node<'_>> {
    let last = node.child(node.child_count().checked_sub(1)?)?;
    last.is_named().then_some(last)
}

pub(super) fn enter_method_reference(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = find_referred(node) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// `base::name`, `Type::new`.
pub(super) fn leave_method_reference(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let base = Pick::Nth(0).get(node, None).map(|base| cx.expr_of(base));
    let base = base.unwrap_or(cx.builder.unknown());
    match find_referred(node) {
        Some(name) => {
            let text = cx.text(name);
            let expr = cx.builder.path(base, text);
            cx.refer_with(expr, Role::Read, u8::MAX, name);
            cx.set_expr(node, expr);
        }
        None => {
            let expr = cx.builder.expr(Expr::Function { result: base });
            cx.set_expr(node, expr);
        }
    }
}

pub(super) fn enter_field(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    skip_field(cx, node, "field");
    Enter::Descend
}

/// `object.field`, `Outer.this`, `Outer.super.field`.
pub(super) fn leave_field(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (Some(object), Some(field)) = (node.child_by_field_name("object"), node.child_by_field_name("field")) else {
        return;
    };
    let base = cx.expr_of(object);
    if field.kind() == "this" {
        let expr = cx.builder.expr(Expr::Instance { of: base });
        cx.set_expr(node, expr);
        return;
    }
    let base = if through_super(node) { cx.builder.expr(Expr::Instance { of: base }) } else { base };
    let text = cx.text(field);
    let expr = cx.builder.member(base, text);
    cx.finish_expr(node, field, expr);
}

pub(super) fn leave_ternary(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Union(&["consequence", "alternative"]), node, parent);
}

/// A value of a type that is known by its name.
fn value_of(cx: &mut Outline<'_>, node: Node<'_>, name: &str) {
    let of = cx.bare_name(name);
    let expr = cx.builder.expr(Expr::Instance { of });
    cx.set_expr(node, expr);
}

pub(super) fn character(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    value_of(cx, node, "char");
}

/// A number, whose last letter determines its type.
pub(super) fn number(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let text = cx.text(node);
    let floating = node.kind().contains("floating");
    let hexadecimal = node.kind().starts_with("hex");
    match text.bytes().last() {
        Some(b'l' | b'L') => value_of(cx, node, "long"),
        Some(b'f' | b'F') if floating || !hexadecimal => value_of(cx, node, "float"),
        _ => {
            let expr = cx.builder.expr(Expr::Literal(if floating { Literal::Float } else { Literal::Int }));
            cx.set_expr(node, expr);
        }
    }
}

pub(super) fn enter_class_literal(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.set_in_type();
    Enter::Descend
}

/// `C.class`: a value of `Class<C>`.
pub(super) fn leave_class_literal(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let base = cx.bare_name("Class");
    let class = cx.first_expr(node).unwrap_or(cx.builder.unknown());
    let args = cx.builder.list(&[class]);
    let of = cx.builder.expr(Expr::Generic { base, args });
    let expr = cx.builder.expr(Expr::Instance { of });
    cx.set_expr(node, expr);
}

/// Comparisons are truth values, text stays text when something is added; else the type is that of the operands. Where
/// there are three alternatives, the last of them a number, they are operands: results are at least an `int`.
pub(super) fn leave_binary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    let known = |cx: &Outline<'_>, field: &str| cx.find_known(node.child_by_field_name(field));
    let (left, right) = (known(cx, "left"), known(cx, "right"));
    let is_text = |cx: &Outline<'_>, expr: Option<ExprId>| {
        expr.is_some_and(|expr| cx.builder.facts().expr(expr) == Expr::Literal(Literal::Str))
    };
    let expr = match operator {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => cx.builder.expr(Expr::Literal(Literal::Bool)),
        "+" if is_text(cx, left) || is_text(cx, right) => cx.builder.expr(Expr::Literal(Literal::Str)),
        "<<" | ">>" | ">>>" => left.unwrap_or(cx.builder.unknown()),
        _ => {
            let unknown = cx.builder.unknown();
            let least = cx.builder.expr(Expr::Literal(Literal::Int));
            cx.builder.union(&[left.unwrap_or(unknown), right.unwrap_or(unknown), least])
        }
    };
    cx.set_expr(node, expr);
}

/// An assignment has the value that is assigned.
pub(super) fn leave_assignment(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(right) = cx.find_known(node.child_by_field_name("right")) {
        cx.set_expr(node, right);
    }
}

pub(super) fn leave_unary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    let expr = match operator {
        "!" => Some(cx.builder.expr(Expr::Literal(Literal::Bool))),
        _ => cx.find_known(node.child_by_field_name("operand")),
    };
    if let Some(expr) = expr {
        cx.set_expr(node, expr);
    }
}
