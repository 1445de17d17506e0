//! Expressions that the table cannot describe: calls, operators, lambdas, values of branches.

use tree_sitter::Node;

use super::super::outline::common::record_implied;
use super::super::outline::{Define, Mark, Outline, Pick, Rule};
use super::{NAME, TYPES, last_child};
use crate::facts::{Expr, ExprId, FactsBuilder, Literal, ParameterKind, Reference, Role};
use crate::walk::Enter;

static LAMBDA: Define = Define { params: Pick::Kind(&["lambda_parameters"]), body: Pick::None, ..Define::LAMBDA };

/// Operators and the functions that they call.
const BINARY: &[(&str, &str)] = &[
    ("!=", "equals"),
    ("%", "rem"),
    ("*", "times"),
    ("+", "plus"),
    ("-", "minus"),
    ("/", "div"),
    ("<", "compareTo"),
    ("<=", "compareTo"),
    ("==", "equals"),
    (">", "compareTo"),
    (">=", "compareTo"),
];
const UNARY: &[(&str, &str)] = &[("!", "not"), ("+", "unaryPlus"), ("++", "inc"), ("-", "unaryMinus"), ("--", "dec")];
const ASSIGNING: &[(&str, &str)] =
    &[("%=", "remAssign"), ("*=", "timesAssign"), ("+=", "plusAssign"), ("-=", "minusAssign"), ("/=", "divAssign")];

fn function_of(table: &[(&str, &'static str)], operator: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == operator).map(|(_, function)| *function)
}

fn set_literal(cx: &mut Outline<'_>, node: Node<'_>, literal: Literal) {
    let expr = cx.builder.expr(Expr::Literal(literal));
    cx.set_expr(node, expr);
}

/// Words that the grammar takes for names.
pub(super) fn enter_identifier(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    match cx.text(node) {
        "true" | "false" => set_literal(cx, node, Literal::Bool),
        "null" => set_literal(cx, node, Literal::Null),
        "break" | "continue" | "_" => {}
        _ => {
            cx.name(node);
            super::narrow::apply(cx, node);
        }
    }
    Enter::Skip
}

/// `this`, and `this@C` of an outer class.
pub(super) fn enter_this(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let expr = match node.named_child(0) {
        Some(label) => {
            let of = cx.bare_name(cx.name_text(label));
            cx.builder.expr(Expr::Instance { of })
        }
        None => cx.keyword_expr(false),
    };
    cx.finish_expr(node, node, expr);
    Enter::Skip
}

/// The label of a jump is not a name.
pub(super) fn enter_return(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(label) = node.child_by_field_name("label") {
        cx.mark(label, Mark::Skip);
    }
    Enter::Descend
}

pub(super) fn leave_return(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let label = node.child_by_field_name("label");
    if let Some(value) = last_child(node).filter(|value| Some(*value) != label) {
        let value = cx.expr_of(value);
        cx.record_returned(value);
    }
}

/// A lambda, whose last statement is its value. Without parameters it may have the one that is called `it`.
pub(super) fn enter_lambda(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.open_define(&LAMBDA, node, parent);
    if LAMBDA.params.get(node, None).is_none() {
        cx.add_parameter("it", ParameterKind::Plain, None, None);
    }
    Enter::Descend
}

/// The call inside of one that only adds a lambda behind it: `f(1) { … }` is one call.
fn find_inner(node: Node<'_>) -> Option<Node<'_>> {
    // Asked of what is around every call: of a block, its children must not be looked at.
    if node.kind() != "call_expression" {
        return None;
    }
    let inner = node.named_child(0).filter(|inner| inner.kind() == "call_expression")?;
    let is_lambda = Pick::Kind(&["annotated_lambda"]).get(node, None).is_some();
    let has_own = Pick::Kind(&["value_arguments", "type_arguments"]).get(node, None).is_some();
    let has_lambda = Pick::Kind(&["annotated_lambda"]).get(inner, None).is_some();
    (is_lambda && !has_own && !has_lambda).then_some(inner)
}

/// The arguments of a call, and its type arguments. The latter may be read as arguments.
fn argument_lists<'t>(cx: &Outline<'_>, call: Node<'t>) -> (Option<Node<'t>>, Option<Node<'t>>) {
    let list = Pick::Kind(&["value_arguments"]).get(call, None);
    match list.filter(|list| cx.text(*list).starts_with('<')) {
        Some(types) => (None, Some(types)),
        None => (list, Pick::Kind(&["type_arguments"]).get(call, None)),
    }
}

fn call_arity(cx: &Outline<'_>, node: Node<'_>) -> u8 {
    let arguments = cx.arity(argument_lists(cx, node).0);
    let lambda = Pick::Kind(&["annotated_lambda"]).get(node, None).is_some();
    if arguments == u8::MAX { arguments } else { arguments + u8::from(lambda) }
}

pub(super) fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(callee) = node.named_child(0).filter(|_| find_inner(node).is_none()) {
        let is_inner = parent.is_some_and(|parent| find_inner(parent) == Some(node));
        let arity = call_arity(cx, node);
        let arity = if arity == u8::MAX { arity } else { arity + u8::from(is_inner) };
        cx.mark(callee, Mark::Call(arity));
    }
    Enter::Descend
}

/// A call with the arguments by position, those by name, and the lambda behind it.
pub(super) fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    if parent.is_some_and(|parent| find_inner(parent) == Some(node)) {
        return;
    }
    let call = find_inner(node).unwrap_or(node);
    let Some(callee) = call.named_child(0) else { return };
    let path = cx.expr_of(callee);
    let (list, types) = argument_lists(cx, call);
    let callee = match types {
        Some(types) => {
            let args = cx.arguments(Some(types));
            cx.builder.expr(Expr::Generic { base: path, args })
        }
        None => path,
    };
    keep_first_text(cx, path, list);
    let mut items = take_arguments(cx, path, list);
    if let Some(lambda) = Pick::Kind(&["annotated_lambda"]).get(node, None) {
        items.push(cx.expr_of(lambda));
    }
    let args = cx.builder.list(&items);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

fn keep_first_text(cx: &mut Outline<'_>, path: ExprId, list: Option<Node<'_>>) {
    if let Some(first) = list.and_then(|list| list.named_child(0)).filter(|first| first.kind() == "value_argument") {
        cx.keep_text(path, Some(first));
    }
}

/// The arguments by position; those by name are kept with the callee.
pub(super) fn take_arguments(cx: &mut Outline<'_>, callee: ExprId, list: Option<Node<'_>>) -> Vec<ExprId> {
    let Some(list) = list else { return Vec::new() };
    let mut cursor = list.walk();
    let nodes: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|arg| !arg.is_extra()).collect();
    let mut items = Vec::with_capacity(nodes.len());
    for argument in nodes {
        let value = cx.expr_of(argument);
        match argument_name(argument) {
            Some(name) => {
                let name = cx.name_text(name);
                cx.builder.argument(callee, Some(name), None, value);
            }
            None => items.push(value),
        }
    }
    items
}

/// The name that an argument is given by.
pub(super) fn argument_name(argument: Node<'_>) -> Option<Node<'_>> {
    let is_named = argument.child(1).is_some_and(|token| token.kind() == "=");
    argument.named_child(0).filter(|_| is_named)
}

/// A method that an operator calls, which stands at `at` in `node`, and its result.
fn call_implied(
    cx: &mut Outline<'_>,
    operand: Option<Node<'_>>,
    method: &str,
    (node, at): (Node<'_>, Node<'_>),
    args: &[ExprId],
) {
    let Some(base) = cx.find_known(operand) else { return };
    if matches!(cx.builder.facts().expr(base), Expr::Literal(_) | Expr::Unknown | Expr::Collection { .. }) {
        return;
    }
    let name = cx.builder.name(method);
    let callee = cx.builder.expr(Expr::Implicit { base, name });
    let (pos, enclosing) = (cx.source.pos(at), cx.enclosing());
    let arity = args.len() as u8;
    let reference = Reference { expr: callee, role: Role::Call, inexact: false, arity, pos, enclosing };
    cx.builder.reference_at(reference, at.start_byte());
    let args = cx.builder.list(args);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

pub(super) fn leave_binary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(operator) = node.child_by_field_name("operator") else { return };
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    let (first, second) = (cx.find_known(left), cx.find_known(right));
    let is_text = first.is_some_and(|first| cx.builder.facts().expr(first) == Expr::Literal(Literal::Str));
    if let Some(function) = function_of(BINARY, operator.kind()) {
        let args: Vec<ExprId> = second.into_iter().collect();
        call_implied(cx, left, function, (node, operator), &args);
    }
    match operator.kind() {
        "?:" => {
            let both: Vec<ExprId> = [first, second].into_iter().flatten().collect();
            let expr = cx.builder.union(&both);
            cx.set_expr(node, expr);
        }
        "+" if is_text => set_literal(cx, node, Literal::Str),
        "+" | "-" | "*" | "/" | "%" => {
            if let Some(first) = first.filter(|&one| matches!(cx.builder.facts().expr(one), Expr::Literal(_))) {
                cx.set_expr(node, first);
            }
        }
        _ => set_literal(cx, node, Literal::Bool),
    }
}

pub(super) fn leave_unary(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Forward, node, parent);
    let Some(operator) = node.child_by_field_name("operator") else { return };
    if let Some(function) = function_of(UNARY, operator.kind()) {
        record_implied(cx, node.child_by_field_name("argument"), function, operator);
    }
    if operator.kind() == "!" {
        set_literal(cx, node, Literal::Bool);
    }
}

pub(super) fn leave_truth(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    set_literal(cx, node, Literal::Bool);
}

/// `a[i]`
pub(super) fn leave_index(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Index(Pick::Nth(0)), node, parent);
    let is_written = parent.is_some_and(|parent| parent.kind() == "assignment" && parent.named_child(0) == Some(node));
    let at = node.child(1).unwrap_or(node);
    record_implied(cx, node.named_child(0), if is_written { "set" } else { "get" }, at);
}

pub(super) fn enter_infix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(function) = node.named_child(1).filter(|_| node.named_child_count() == 3) {
        cx.mark(function, Mark::Skip);
    }
    Enter::Descend
}

/// `a shl b` calls the function of that name on `a`.
pub(super) fn leave_infix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (Some(left), Some(function)) = (node.named_child(0), node.named_child(1)) else { return };
    if function.kind() != "identifier" || node.named_child_count() != 3 {
        return;
    }
    let base = cx.expr_of(left);
    let name = cx.name_text(function);
    let callee = cx.builder.member(base, name);
    cx.refer_with(callee, Role::Call, 1, function);
    let value = node.named_child(2).map(|right| cx.expr_of(right));
    let args = cx.builder.list(value.as_slice());
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// `a in b`
pub(super) fn leave_in(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let at = node.child(1).unwrap_or(node);
    record_implied(cx, node.child_by_field_name("right"), "contains", at);
    set_literal(cx, node, Literal::Bool);
}

/// `a..b`
pub(super) fn leave_range(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(operator) = node.child(1) else { return };
    let function = if operator.kind() == "..<" { "rangeUntil" } else { "rangeTo" };
    record_implied(cx, node.named_child(0), function, operator);
}

pub(super) fn enter_assignment(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(left) = node.child_by_field_name("left") {
        cx.mark(left, Mark::Write);
    }
    Enter::Descend
}

pub(super) fn leave_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(operator) = node.child_by_field_name("operator") else { return };
    match function_of(ASSIGNING, operator.kind()) {
        Some(function) => record_implied(cx, node.child_by_field_name("left"), function, operator),
        None => cx.store_assigned(Pick::Nth(0), node, parent),
    }
}

/// Values of the branches of one expression.
const MAX_BRANCHES: usize = 64;

/// `if` with `else` has the values of its branches.
pub(super) fn leave_if(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let condition = node.child_by_field_name("condition");
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).take(MAX_BRANCHES).collect();
    if children.iter().any(|child| child.kind() == "else") {
        let branches = children.into_iter().filter(|child| child.is_named() && Some(*child) != condition);
        let values: Vec<ExprId> = branches.filter_map(|branch| cx.find_known(Some(branch))).collect();
        let expr = cx.builder.union(&values);
        cx.set_expr(node, expr);
    }
    super::narrow::leave_if(cx, node, parent);
}

/// `when` and `try` have the values of their branches.
pub(super) fn leave_branches(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let is_branch = |child: &Node<'_>| matches!(child.kind(), "when_entry" | "block" | "catch_block");
    let mut cursor = node.walk();
    let branches = node.named_children(&mut cursor).filter(is_branch).take(MAX_BRANCHES);
    let values: Vec<ExprId> = branches.filter_map(|branch| cx.find_known(Some(branch))).collect();
    let expr = cx.builder.union(&values);
    cx.set_expr(node, expr);
}

/// A branch has the value of its last child.
pub(super) fn set_last(cx: &mut Outline<'_>, node: Node<'_>) {
    if let Some(expr) = cx.find_known(last_child(node)) {
        cx.set_expr(node, expr);
    }
}

pub(super) fn leave_entry(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    set_last(cx, node);
}

/// The body of a function is its value if it is an expression.
pub(super) fn leave_body(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = node.named_child(0).filter(|body| body.kind() != "block") {
        let value = cx.find_known(Some(value));
        if let Some(value) = value {
            cx.set_expr(node, value);
        }
    }
}

pub(super) fn enter_reference(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = referred_name(node) {
        cx.mark(name, Mark::Skip);
    }
    if let Some(of) = Pick::Kind(TYPES).get(node, None).filter(|of| is_value(cx, *of)) {
        cx.mark(of, Mark::Skip);
    }
    Enter::Descend
}

fn referred_name(node: Node<'_>) -> Option<Node<'_>> {
    Pick::Last.get(node, None).filter(|last| last.kind() == "identifier")
}

/// Returns whether what stands before `::` is written like a value.
fn is_value(cx: &Outline<'_>, of: Node<'_>) -> bool {
    let last = cx.text(of).rsplit('.').next().unwrap_or("").trim();
    last.starts_with(|c: char| c.is_lowercase() || c == '_')
}

/// `f::g`, `C::f`, `::f`, `C::class`
pub(super) fn leave_reference(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let of = Pick::Kind(TYPES).get(node, None);
    let Some(name) = referred_name(node).filter(|name| Some(*name) != of) else {
        let class = cx.bare_name("KClass");
        let expr = cx.builder.expr(Expr::Instance { of: class });
        cx.set_expr(node, expr);
        return;
    };
    let base = match of {
        Some(of) if is_value(cx, of) => Some(value_path(cx, of)),
        Some(of) => Some(cx.expr_of(of)),
        None => None,
    };
    let text = cx.name_text(name);
    let expr = match base {
        Some(base) => cx.builder.member(base, text),
        None => cx.bare_name(text),
    };
    cx.set_expr(node, expr);
    cx.refer_with(expr, Role::Read, u8::MAX, name);
}

/// `a.b` that the grammar takes for a type.
fn value_path(cx: &mut Outline<'_>, of: Node<'_>) -> ExprId {
    let mut path = None;
    for name in NAME.all(of, None) {
        let text = cx.name_text(name);
        let expr = match path {
            Some(base) => cx.builder.member(base, text),
            None if text == "this" => cx.keyword_expr(false),
            None => cx.bare_name(text),
        };
        cx.refer_with(expr, Role::Read, u8::MAX, name);
        path = Some(expr);
    }
    path.unwrap_or(cx.builder.unknown())
}

/// A member access, whose type a condition may show.
pub(super) fn leave_access(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Member(Pick::Nth(0), Pick::Last), node, parent);
    super::narrow::apply(cx, node);
}

pub(super) fn enter_access(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = Pick::Last.get(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// A function type: a receiver before the parameters is the first of them, as a value of its type.
pub(super) fn leave_function_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let Some(place) = children.iter().position(|child| child.kind() == "function_type_parameters") else { return };
    let mut items = Vec::new();
    if let Some(of) = children[..place].iter().rev().find(|child| TYPES.contains(&child.kind())) {
        let of = cx.expr_of(*of);
        items.push(cx.builder.expr(Expr::Instance { of }));
    }
    let mut cursor = children[place].walk();
    for parameter in children[place].named_children(&mut cursor) {
        let ty = if parameter.kind() == "parameter" { Pick::Kind(TYPES).get(parameter, None) } else { Some(parameter) };
        items.push(ty.map_or(cx.builder.unknown(), |ty| cx.expr_of(ty)));
    }
    let result = children.get(place + 1).map_or(cx.builder.unknown(), |result| cx.expr_of(*result));
    let parameters = if items.is_empty() { FactsBuilder::EMPTY } else { cx.builder.list(&items) };
    let expr = cx.builder.expr(Expr::Signature { parameters, result });
    cx.set_expr(node, expr);
}
