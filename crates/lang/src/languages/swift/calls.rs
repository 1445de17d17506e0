//! Calls with argument labels and closures behind them, members, subscripts.

use tree_sitter::Node;

use super::super::outline::common::record_implied;
use super::super::outline::{Mark, Outline, Pick};
use super::expected;
use crate::facts::{Collection, Expr, ExprId, FactsBuilder, ListId, Reference, Role};
use crate::walk::Enter;

/// Label of a closure that is written behind the parentheses without one.
const TRAILING: &str = "";

/// Maximum number of arguments that are kept of a call.
const MAX_ARGUMENTS: usize = 256;

/// An argument of a call.
struct Written<'t> {
    /// `None`: none is written; a closure behind the parentheses without a label has [`TRAILING`].
    label: Option<Node<'t>>,
    is_trailing: bool,
    value: Node<'t>,
}

fn suffix_of(call: Node<'_>) -> Option<Node<'_>> {
    Pick::Kind(&["call_suffix", "constructor_suffix"]).get(call, None)
}

fn list_of(call: Node<'_>) -> Option<Node<'_>> {
    Pick::Kind(&["value_arguments"]).get(suffix_of(call)?, None)
}

/// The arguments of a call in order, those behind the parentheses last.
fn arguments_of(call: Node<'_>) -> Vec<Written<'_>> {
    let mut all = Vec::new();
    let Some(suffix) = suffix_of(call) else { return all };
    if let Some(list) = Pick::Kind(&["value_arguments"]).get(suffix, None) {
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor).filter(|child| child.kind() == "value_argument") {
            if let Some(value) = argument.child_by_field_name("value") {
                let label = argument.child_by_field_name("name");
                all.push(Written { label, is_trailing: false, value });
            }
            if all.len() >= MAX_ARGUMENTS {
                return all;
            }
        }
    }
    let mut label = None;
    let mut cursor = suffix.walk();
    for child in suffix.named_children(&mut cursor).take(MAX_ARGUMENTS) {
        match child.kind() {
            "simple_identifier" => label = Some(child),
            "lambda_literal" => all.push(Written { label: label.take(), is_trailing: true, value: child }),
            _ => {}
        }
    }
    all
}

fn is_subscript(call: Node<'_>) -> bool {
    list_of(call).and_then(|list| list.child(0)).is_some_and(|first| first.kind() == "[")
}

/// `f(a:b:)` names a function by its labels.
fn is_reference(call: Node<'_>) -> bool {
    let first = list_of(call).and_then(|list| list.named_child(0));
    first.is_some_and(|first| first.child_by_field_name("reference_specifier").is_some())
}

fn is_type_of(cx: &Outline<'_>, call: Node<'_>) -> bool {
    let callee = call.named_child(0).filter(|callee| callee.kind() == "simple_identifier");
    let first = list_of(call).and_then(|list| list.named_child(0));
    let label = first.and_then(|first| first.child_by_field_name("name"));
    callee.is_some_and(|callee| cx.text(callee) == "type") && label.is_some_and(|label| cx.text(label) == "of")
}

pub(super) fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    expected::expect_by_parent(cx, node, parent);
    let Some(callee) = node.named_child(0) else { return Enter::Descend };
    let mark = match cx.current_mark() {
        Mark::Write if is_subscript(node) => Mark::Write,
        _ if is_subscript(node) || is_reference(node) => Mark::None,
        _ if is_type_of(cx, node) => Mark::Skip,
        _ => Mark::Call(arguments_of(node).len().min(usize::from(u8::MAX - 1)) as u8),
    };
    cx.mark(callee, mark);
    Enter::Descend
}

/// The callee is known: arguments that begin with a point are members of what it expects.
pub(super) fn enter_suffix(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).filter(|child| child.kind() == "simple_identifier") {
        cx.mark(child, Mark::Skip);
    }
    let Some(call) = parent.filter(|call| !is_subscript(*call)) else { return Enter::Descend };
    let Some(callee) = cx.find_known(call.named_child(0)) else { return Enter::Descend };
    for (place, argument) in arguments_of(call).into_iter().enumerate() {
        if expected::may_be_implicit(cx, argument.value) {
            let expr = cx.builder.expr(Expr::Given { by: callee, parameter: place as u32 });
            cx.expected.insert(argument.value.id(), expr);
        }
    }
    Enter::Descend
}

pub(super) fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(callee_node) = node.named_child(0) else { return };
    if is_type_of(cx, node) {
        let value = arguments_of(node).first().and_then(|first| cx.find_known(Some(first.value)));
        if let Some(by) = value {
            let expr = cx.builder.expr(Expr::Given { by, parameter: Expr::WHOLE });
            cx.set_expr(node, expr);
        }
        return;
    }
    let Some(callee) = cx.find_known(Some(callee_node)) else { return };
    if is_reference(node) {
        cx.set_expr(node, callee);
        return;
    }
    if is_subscript(node) {
        let at = list_of(node).and_then(|list| list.named_child(0)).unwrap_or(node);
        record_implied(cx, Some(callee_node), "subscript", at);
        let expr = cx.builder.expr(Expr::Index { base: callee });
        cx.set_expr(node, expr);
        return;
    }
    let args = take_arguments(cx, node);
    let expr = match cx.builder.facts().expr(callee) {
        // `[T]()`
        Expr::Collection { kind, items } => {
            let items = cx.builder.facts().list(items).to_vec();
            let items: Vec<ExprId> = items.into_iter().map(|of| cx.builder.expr(Expr::Instance { of })).collect();
            let items = cx.builder.list(&items);
            cx.builder.expr(Expr::Collection { kind, items })
        }
        _ => cx.builder.expr(Expr::Call { callee, args }),
    };
    cx.keep_text(callee, list_of(node));
    cx.set_expr(node, expr);
}

/// The arguments in order, those with labels as entries.
fn take_arguments(cx: &mut Outline<'_>, call: Node<'_>) -> ListId {
    let all = arguments_of(call);
    if all.is_empty() {
        return FactsBuilder::EMPTY;
    }
    let mut items = Vec::with_capacity(all.len());
    for argument in all {
        let value = cx.expr_of(argument.value);
        let label = match argument.label {
            Some(label) => cx.name_text(label).trim_end_matches(':').trim_end(),
            None if argument.is_trailing => TRAILING,
            None => {
                items.push(value);
                continue;
            }
        };
        let name = cx.builder.name(label);
        items.push(cx.builder.expr(Expr::Entry { name, value }));
    }
    cx.builder.list(&items)
}

fn member_name(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("suffix")?.child_by_field_name("suffix")
}

/// Functions of containers that take a key path of an element.
const OF_ELEMENTS: &[&str] = &["allSatisfy", "compactMap", "filter", "flatMap", "forEach", "map", "sorted"];

/// `xs.map(\.name)`: the key path begins at an element.
fn find_root(cx: &mut Outline<'_>, path: Node<'_>) -> Option<ExprId> {
    /// Nodes between a key path and the call that it is an argument of.
    const MAX_BETWEEN: usize = 8;
    let mut around = path.parent()?;
    for _ in 0..MAX_BETWEEN {
        if around.kind() == "value_argument" {
            let call = around.parent()?.parent()?.parent()?;
            let callee = call.named_child(0).filter(|callee| callee.kind() == "navigation_expression")?;
            let name = member_name(callee)?;
            let base = cx.find_known(callee.named_child(0)).filter(|_| OF_ELEMENTS.contains(&cx.text(name)))?;
            return Some(cx.builder.expr(Expr::Element { base }));
        }
        if around.kind() != "navigation_expression" {
            return None;
        }
        around = around.parent()?;
    }
    None
}

/// `\T.name`: what follows are members of a value of `T`.
pub(super) fn leave_key_path(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let expr = match cx.first_expr(node) {
        Some(of) => Some(cx.builder.expr(Expr::Instance { of })),
        None => find_root(cx, node),
    };
    if let Some(expr) = expr {
        cx.set_expr(node, expr);
    }
}

pub(super) fn enter_navigation(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    expected::expect_by_parent(cx, node, parent);
    if let Some(suffix) = node.child_by_field_name("suffix") {
        cx.mark(suffix, Mark::Skip);
    }
    Enter::Descend
}

pub(super) fn leave_navigation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = member_name(node) else { return };
    let base = match node.named_child(0) {
        Some(base) => cx.expr_of(base),
        None => cx.builder.unknown(),
    };
    let text = cx.name_text(name);
    if text == "self" {
        cx.set_expr(node, base);
    } else if let Ok(index) = text.parse() {
        let expr = cx.builder.expr(Expr::Item { base, index });
        cx.set_expr(node, expr);
    } else if !text.is_empty() {
        let expr = cx.builder.member(base, text);
        cx.finish_expr(node, name, expr);
    }
}

pub(super) fn enter_prefix(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    expected::expect_by_parent(cx, node, parent);
    let operation = node.child_by_field_name("operation").map_or("", |operation| cx.text(operation));
    if let Some(target) = node.child_by_field_name("target") {
        let mark = if operation == "." { Mark::Skip } else { cx.current_mark() };
        cx.mark(target, mark);
    }
    Enter::Descend
}

/// `.name` is a member of the type that is expected; other operators keep the type of their operand.
pub(super) fn leave_prefix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let operation = node.child_by_field_name("operation").map_or("", |operation| cx.text(operation));
    let Some(target) = node.child_by_field_name("target") else { return };
    if operation != "." {
        if let Some(expr) = cx.find_known(Some(target)) {
            cx.set_expr(node, expr);
        }
        return;
    }
    let base = match cx.expected.remove(&node.id()) {
        Some(by) => cx.builder.expr(Expr::Given { by, parameter: Expr::WHOLE }),
        None => cx.builder.unknown(),
    };
    let text = cx.name_text(target);
    if !text.is_empty() {
        let expr = cx.builder.member(base, text);
        cx.finish_expr(node, target, expr);
    }
}

/// `a ?? b` is either.
pub(super) fn leave_coalescing(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let both = ["value", "if_nil"].map(|field| cx.find_known(node.child_by_field_name(field)));
    let both: Vec<ExprId> = both.into_iter().flatten().collect();
    if !both.is_empty() {
        let expr = cx.builder.union(&both);
        cx.set_expr(node, expr);
    }
}

/// `#name(…)`: macros are not looked up.
pub(super) fn enter_macro(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = Pick::Kind(&["simple_identifier"]).get(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// A tuple, or a value in parentheses, which is also called or written where these are.
pub(super) fn enter_tuple(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    expected::expect_by_parent(cx, node, parent);
    let mut cursor = node.walk();
    for label in node.children_by_field_name("name", &mut cursor) {
        cx.mark(label, Mark::Skip);
    }
    if node.named_child_count() == 1
        && let Some(inner) = node.named_child(0)
    {
        let mark = cx.current_mark();
        cx.mark(inner, mark);
    }
    Enter::Descend
}

pub(super) fn leave_tuple(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).take(MAX_ARGUMENTS).collect();
    let items: Vec<ExprId> = values.into_iter().map(|value| cx.expr_of(value)).collect();
    let expr = match items.as_slice() {
        [] => return,
        [one] => *one,
        many => {
            let items = cx.builder.list(many);
            cx.builder.expr(Expr::Collection { kind: Collection::Tuple, items })
        }
    };
    cx.set_expr(node, expr);
}

/// `$0`, `$1`: parameters of the closure around; `$name` is the wrapper of a property.
pub(super) fn enter_identifier(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    /// Maximum number of parameters that a closure has without naming them.
    const MAX_NUMBERED: usize = 32;
    let text = cx.text(node);
    let Some(rest) = text.strip_prefix('$') else {
        cx.name(node);
        // `Self(…)` constructs a value.
        if let (true, Mark::Call(arity)) = (text == "Self", cx.current_mark()) {
            let expr = cx.expr_of(node);
            let (pos, enclosing) = (cx.source.pos(node), cx.enclosing());
            let reference = Reference { expr, role: Role::Call, inexact: false, arity, pos, enclosing };
            cx.builder.reference_at(reference, node.start_byte());
        }
        return Enter::Skip;
    };
    match rest.parse::<usize>() {
        Ok(index) if index < MAX_NUMBERED => {
            cx.fill_parameters(index, |index| format!("${index}"));
            let scope = cx.scope();
            let expr = cx.builder.name_expr(text, scope);
            cx.set_expr(node, expr);
        }
        Ok(_) => {}
        Err(_) => {
            let expr = cx.bare_name(rest);
            cx.finish_expr(node, node, expr);
        }
    }
    Enter::Skip
}

/// The arguments of an attribute, each with its label.
pub(super) fn attribute_arguments(node: Node<'_>) -> Vec<(Option<Node<'_>>, Node<'_>)> {
    let mut all = Vec::new();
    let mut label = None;
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).take(MAX_ARGUMENTS).collect();
    for (place, &child) in children.iter().enumerate() {
        let is_label =
            child.kind() == "simple_identifier" && children.get(place + 1).is_some_and(|next| next.kind() == ":");
        match child.kind() {
            _ if is_label => label = Some(child),
            "user_type" => {}
            _ if child.is_named() && !child.is_extra() => all.push((label.take(), child)),
            _ => {}
        }
    }
    all
}

/// Returns whether an attribute stands before a property with a value, which is its first argument.
pub(super) fn wraps_value(attribute: Node<'_>) -> bool {
    let property = attribute.parent().and_then(|modifiers| modifiers.parent());
    property.is_some_and(|property| {
        property.kind() == "property_declaration" && property.child_by_field_name("value").is_some()
    })
}

/// `@Wrapper(a: b)` constructs a value of the type, if it is one.
pub(super) fn leave_attribute(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let written = attribute_arguments(node);
    let Some(callee) = cx.find_known(Pick::Kind(&["user_type"]).get(node, None)) else { return };
    if written.is_empty() {
        return;
    }
    let mut items = Vec::with_capacity(written.len() + 1);
    if wraps_value(node) {
        let (name, value) = (cx.builder.name("wrappedValue"), cx.builder.unknown());
        items.push(cx.builder.expr(Expr::Entry { name, value }));
    }
    for (label, value) in written {
        let value = cx.expr_of(value);
        items.push(match label {
            Some(label) => {
                let name = cx.builder.name(cx.name_text(label));
                cx.builder.expr(Expr::Entry { name, value })
            }
            None => value,
        });
    }
    let args = cx.builder.list(&items);
    cx.builder.expr(Expr::Call { callee, args });
}
