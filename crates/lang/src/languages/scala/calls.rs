//! Calls, construction, operators, and functions that are written with placeholders.

use tree_sitter::Node;

use super::super::outline::common::{descend, record_implied};
use super::super::outline::{Mark, Outline, Pick, field};
use crate::facts::{
    BindingTarget, Collection, DefFlags, DefKind, Expr, ExprId, FactsBuilder, ListId, Literal, Namespace, Parameter,
    ParameterKind, Role, ScopeKind,
};
use crate::walk::Enter;

/// Returns whether a node is a list of arguments in parentheses; anything else is one argument.
fn is_list(args: Node<'_>) -> bool {
    args.kind() == "arguments"
}

fn arity_of(cx: &Outline<'_>, args: Option<Node<'_>>) -> u8 {
    match args {
        Some(args) if !is_list(args) => 1,
        args => cx.arity(args),
    }
}

/// What a call calls, without its type arguments.
fn strip_types(cx: &Outline<'_>, callee: ExprId) -> ExprId {
    match cx.builder.facts().expr(callee) {
        Expr::Generic { base, .. } => base,
        _ => callee,
    }
}

pub(super) fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(function) = node.child_by_field_name("function") else { return Enter::Descend };
    let arity = arity_of(cx, node.child_by_field_name("arguments"));
    // `this(…)` at the start of a constructor.
    let is_constructor = function.kind() == "identifier" && cx.text(function) == "this";
    cx.mark(function, if is_constructor { Mark::Skip } else { Mark::Call(arity) });
    Enter::Descend
}

pub(super) fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let callee = cx.find_known(Some(function)).unwrap_or(cx.builder.unknown());
    let path = strip_types(cx, callee);
    let args = node.child_by_field_name("arguments");
    cx.keep_text(path, args);
    let args = take_arguments(cx, path, args);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// The arguments by position; those by name are kept with the callee.
fn take_arguments(cx: &mut Outline<'_>, callee: ExprId, list: Option<Node<'_>>) -> ListId {
    let Some(list) = list else { return FactsBuilder::EMPTY };
    if !is_list(list) {
        let value = take_value(cx, list).unwrap_or(cx.builder.unknown());
        return cx.builder.list(&[value]);
    }
    let mut cursor = list.walk();
    let nodes: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|arg| !arg.is_extra()).collect();
    let mut items = Vec::with_capacity(nodes.len());
    for argument in nodes {
        let named = argument
            .child_by_field_name("left")
            .filter(|left| argument.kind() == "assignment_expression" && left.kind() == "identifier");
        match named {
            Some(name) => {
                let value = argument.child_by_field_name("right").and_then(|right| take_value(cx, right));
                let value = value.unwrap_or(cx.builder.unknown());
                let name = cx.name_text(name);
                cx.builder.argument(callee, Some(name), None, value);
            }
            None => {
                let value = take_value(cx, argument).unwrap_or(cx.builder.unknown());
                items.push(value);
            }
        }
    }
    cx.builder.list(&items)
}

/// Names of named arguments are those of parameters. Arguments behind a base are those of its constructor.
pub(super) fn enter_arguments(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.leave_type();
    let mut cursor = node.walk();
    for argument in node.named_children(&mut cursor) {
        if argument.kind() == "assignment_expression"
            && let Some(left) = argument.child_by_field_name("left").filter(|left| left.kind() == "identifier")
        {
            cx.mark(left, Mark::Skip);
        }
    }
    if parent.is_some_and(|parent| parent.kind() == "extends_clause")
        && matches!(cx.frame_kind(), Some(DefKind::Class | DefKind::Object))
    {
        cx.enter_body();
    }
    Enter::Descend
}

/// Arguments behind a base are those of its constructor.
pub(super) fn leave_arguments(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let is_base = parent.is_some_and(|parent| parent.kind() == "extends_clause");
    let class = node.prev_named_sibling().filter(|_| is_base);
    if let Some(class) = cx.find_known(class) {
        construct(cx, class, Some(node));
        let path = strip_types(cx, class);
        let arity = cx.arity(Some(node));
        cx.refer_with(path, Role::Call, arity, node);
    }
}

/// `x = value`; as an argument only the value counts.
pub(super) fn enter_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let is_argument = parent.is_some_and(is_list);
    if let Some(left) = node.child_by_field_name("left").filter(|left| !is_argument || left.kind() != "identifier") {
        cx.mark(left, Mark::Write);
    }
    Enter::Descend
}

pub(super) fn leave_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    if !parent.is_some_and(is_list) {
        cx.store_assigned(field("left"), node, parent);
    }
}

/// The type that `new` constructs.
fn find_class(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .find(|child| !child.is_extra() && !matches!(child.kind(), "arguments" | "template_body"))
}

pub(super) fn enter_creation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let arity = cx.arity(Pick::Kind(&["arguments"]).get(node, None));
    if let Some(class) = find_class(node) {
        cx.mark(class, Mark::Call(arity));
    }
    Enter::Descend
}

/// `new C(…)`: the class is represented as a generic without arguments, which distinguishes it from what a call names.
pub(super) fn leave_creation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(class) = find_class(node) else { return };
    let Some(expr) = cx.find_known(Some(class)) else { return };
    let expr = construct(cx, expr, Pick::Kind(&["arguments"]).get(node, None));
    cx.set_expr(node, expr);
}

fn construct(cx: &mut Outline<'_>, class: ExprId, args: Option<Node<'_>>) -> ExprId {
    let path = strip_types(cx, class);
    let callee = cx.builder.expr(Expr::Generic { base: class, args: FactsBuilder::EMPTY });
    let args = take_arguments(cx, path, args);
    cx.builder.expr(Expr::Call { callee, args })
}

/// `x.asInstanceOf[T]` is a `T`.
pub(super) fn leave_generic_function(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let base = cx.expr_of(function);
    let args = cx.arguments(node.child_by_field_name("type_arguments"));
    let is_cast = matches!(cx.builder.facts().expr(base), Expr::Member { name, .. }
        if cx.builder.facts().name(name) == "asInstanceOf");
    let is_called = matches!(cx.current_mark(), Mark::Call(_));
    let expr = match (is_cast, cx.builder.facts().list(args)) {
        (true, &[of]) => cx.builder.expr(Expr::Instance { of }),
        _ => cx.builder.expr(Expr::Generic { base, args }),
    };
    let expr = match is_called || is_cast {
        true => expr,
        // Without arguments it is called all the same.
        false => cx.builder.expr(Expr::Call { callee: expr, args: FactsBuilder::EMPTY }),
    };
    cx.set_expr(node, expr);
}

pub(super) fn enter_generic_function(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(function) = node.child_by_field_name("function") {
        let arity = if let Mark::Call(arity) = cx.current_mark() { arity } else { 0 };
        cx.mark(function, Mark::Call(arity));
    }
    if let Some(args) = node.child_by_field_name("type_arguments") {
        cx.mark(args, Mark::Type);
    }
    Enter::Descend
}

/// Operators that standard values have: a call of a method of the project only if the value is known to have one.
const STANDARD_OPERATORS: &[&str] = &[
    "!=", "%", "&", "&&", "*", "*=", "+", "++", "++=", "+:", "+=", "-", "--", "--=", "-=", "->", "/", "/=", ":+", "::",
    ":::", "<", "<<", "<=", "=", "==", ">", ">=", ">>", ">>>", "^", "eq", "ne", "|", "|=", "||",
];
/// Operators whose result is a truth value.
const COMPARISONS: &[&str] = &["!=", "&&", "<", "<=", "==", ">", ">=", "eq", "ne", "||"];

/// `a method b` calls a method of `a`; of `b` if the name ends in a colon.
pub(super) fn enter_infix(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(operator) = node.child_by_field_name("operator") {
        cx.mark(operator, Mark::Skip);
    }
    descend(cx, node, parent)
}

pub(super) fn leave_infix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let field = |name| node.child_by_field_name(name);
    let (Some(operator), Some(left), Some(right)) = (field("operator"), field("left"), field("right")) else {
        return;
    };
    if cx.in_type() {
        return;
    }
    let text = cx.name_text(operator);
    let (receiver, given) = if text.ends_with(':') { (right, left) } else { (left, right) };
    let base = take_value(cx, receiver).unwrap_or(cx.builder.unknown());
    let items = match given.kind() {
        "tuple_expression" => Pick::Kind(&[]).all(given, None),
        _ => vec![given],
    };
    let items: Vec<ExprId> = match items.is_empty() {
        true => {
            let mut cursor = given.walk();
            let nodes: Vec<Node<'_>> = given.named_children(&mut cursor).filter(|arg| !arg.is_extra()).collect();
            nodes.into_iter().map(|arg| take_value(cx, arg).unwrap_or(cx.builder.unknown())).collect()
        }
        false => {
            let one = take_value(cx, given).unwrap_or(cx.builder.unknown());
            vec![one]
        }
    };
    if STANDARD_OPERATORS.contains(&text) {
        record_implied(cx, Some(receiver), text, operator);
        if COMPARISONS.contains(&text) {
            let expr = cx.builder.expr(Expr::Literal(Literal::Bool));
            return cx.set_expr(node, expr);
        }
    }
    if text == "->" {
        let items = cx.builder.list(&[base, items.first().copied().unwrap_or(cx.builder.unknown())]);
        let expr = cx.builder.expr(Expr::Collection { kind: Collection::Tuple, items });
        return cx.set_expr(node, expr);
    }
    let callee = cx.builder.member(base, text);
    if !STANDARD_OPERATORS.contains(&text) {
        cx.refer_with(callee, Role::Call, items.len().min(254) as u8, operator);
    }
    let args = cx.builder.list(&items);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// The value of the last statement.
pub(super) fn leave_block(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut last = node.named_child((node.named_child_count() as u32).saturating_sub(1));
    while let Some(extra) = last.filter(Node::is_extra) {
        last = extra.prev_named_sibling();
    }
    if let Some(value) = last.and_then(|last| take_value(cx, last)) {
        cx.set_expr(node, value);
    }
}

pub(super) fn enter_block(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if cx.current_mark() != Mark::Body {
        cx.open_scope(ScopeKind::Block);
    }
    Enter::Descend
}

/// The value of what is in parentheses, or of what stands behind an operator.
pub(super) fn leave_parenthesized(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    leave_block(cx, node, parent);
}

/// `!x` is a truth value; other signs leave the type.
pub(super) fn leave_prefix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let expr = match cx.text(node).starts_with('!') {
        true => Some(cx.builder.expr(Expr::Literal(Literal::Bool))),
        false => cx.first_expr(node),
    };
    if let Some(expr) = expr {
        cx.set_expr(node, expr);
    }
}

/// Text with values in it.
pub(super) fn enter_interpolated(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("interpolator") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

pub(super) fn leave_interpolated(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let name = node.child_by_field_name("interpolator").map_or("s", |name| cx.text(name));
    if matches!(name, "s" | "f" | "raw") {
        let expr = cx.builder.expr(Expr::Literal(Literal::Str));
        cx.set_expr(node, expr);
    }
}

/// Nodes looked at for the placeholders of one function.
const MAX_NODES: usize = 2_048;
/// Most placeholders of one function.
const MAX_PLACEHOLDERS: usize = 22;
/// Nodes between a placeholder and the function that it is a parameter of.
const MAX_BETWEEN: usize = 64;

/// What holds an expression that is a function if a placeholder stands in it.
fn holds_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arguments"
            | "block"
            | "indented_block"
            | "parenthesized_expression"
            | "case_clause"
            | "val_definition"
            | "lambda_expression"
    ) || node.kind() == "assignment_expression" && node.parent().is_some_and(is_list)
}

/// `_` in an expression is a parameter of the function that the expression is.
pub(super) fn placeholder(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let is_value = |parent: Node<'_>| {
        let kind = parent.kind();
        !kind.ends_with("pattern")
            && !kind.contains("type")
            && !matches!(
                kind,
                "method_value"
                    | "vararg"
                    | "case_clause"
                    | "enumerator"
                    | "lambda_expression"
                    | "binding"
                    | "var_definition"
                    | "val_definition"
                    | "upper_bound"
                    | "lower_bound"
            )
    };
    let Some(parent) = parent.filter(|parent| is_value(*parent) && !cx.in_type()) else { return Enter::Skip };
    let mut function = if holds_function(parent) { None } else { Some(parent) };
    let mut around = Some(parent);
    for _ in 0..MAX_BETWEEN {
        let Some(here) = around else { return Enter::Skip };
        let Some(next) = here.parent() else { return Enter::Skip };
        if holds_function(next) && (function.is_some() || !is_list(here) && !holds_function(here)) {
            function = Some(here);
            break;
        }
        around = Some(next);
    }
    if let Some(function) = function.filter(|function| !cx.has_remembered(*function)) {
        open_function(cx, function, node);
    }
    Enter::Skip
}

/// Makes the function whose parameters are the placeholders in an expression.
fn open_function(cx: &mut Outline<'_>, function: Node<'_>, first: Node<'_>) {
    let places = find_placeholders(function);
    if !places.contains(&first) {
        return;
    }
    let outer = cx.scope();
    let name = cx.builder.name("");
    let mut definition = cx.builder.blank_definition(DefKind::Function, name, outer, cx.source.pos(first));
    cx.place(&mut definition, first, first.end_byte());
    definition.doc = None;
    definition.flags = DefFlags { is_anonymous: true, ..DefFlags::default() };
    let id = cx.builder.definition(definition);
    let scope = cx.builder.scope(outer, ScopeKind::Function, Some(id));
    cx.builder.definition_mut(id).body = Some(scope);
    let mut parameters = Vec::with_capacity(places.len());
    for (index, place) in places.into_iter().enumerate() {
        let name = cx.builder.name(&format!("_{}", index + 1));
        parameters.push(Parameter { name, kind: ParameterKind::Plain, declared: None, default: None });
        cx.builder.bind(scope, name, Namespace::Value, BindingTarget::Parameter(id, index as u32));
        let expr = cx.builder.expr(Expr::Name { name, scope });
        cx.set_expr(place, expr);
    }
    cx.builder.parameters(id, &parameters);
    cx.remember(function, vec![id]);
}

/// The placeholders that belong to an expression, not to a function inside of it, in order.
fn find_placeholders(function: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![function];
    let mut seen = 0;
    while let Some(node) = stack.pop() {
        seen += 1;
        if seen > MAX_NODES || found.len() >= MAX_PLACEHOLDERS {
            break;
        }
        if node.kind() == "wildcard" {
            found.push(node);
            continue;
        }
        let is_apart = node != function && holds_function(node);
        let kind = node.kind();
        if kind.contains("type") || kind.ends_with("pattern") || matches!(kind, "vararg" | "method_value") {
            continue;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).take(MAX_NODES).collect();
        // In arguments of its own, only one that stands alone belongs to the outer function.
        let is_part = |child: &Node<'_>| !is_apart || is_list(node) && child.kind() == "wildcard";
        stack.extend(children.into_iter().rev().filter(is_part));
    }
    found
}

/// The value of an expression; the function that its placeholders make of it.
pub(super) fn take_value(cx: &mut Outline<'_>, node: Node<'_>) -> Option<ExprId> {
    if !cx.has_remembered(node) || node.kind().ends_with("definition") {
        return cx.find_known(Some(node)).or_else(|| {
            let expr = cx.expr_of(node);
            (expr != cx.builder.unknown()).then_some(expr)
        });
    }
    let ids = cx.take_remembered(node);
    let value = cx.find_known(Some(node));
    let &id = ids.first()?;
    let values = cx.builder.list(&Vec::from_iter(value));
    cx.builder.definition_mut(id).values = values;
    let expr = cx.builder.expr(Expr::Definition(id));
    cx.set_expr(node, expr);
    Some(expr)
}
