//! Calls, constructions, members and arrays.

use tree_sitter::Node;

use super::super::outline::{Mark, Outline, Pick, Rule};
use crate::facts::{Collection, DefKind, Expr, ExprId, FactsBuilder, Reference, Role, ScopeKind};
use crate::walk::Enter;

/// Returns whether a node names something by itself, not by a value.
fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "name" | "qualified_name" | "relative_name")
}

/// Number of arguments; 255 for `f(...)`, which makes a function value.
fn arity(cx: &Outline<'_>, args: Option<Node<'_>>) -> u8 {
    let is_open = args.is_some_and(|args| Pick::Kind(&["variadic_placeholder"]).get(args, None).is_some());
    if is_open { u8::MAX } else { cx.arity(args) }
}

pub(super) fn enter_function(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(function) = node.child_by_field_name("function").filter(|function| is_name(*function)) {
        let arity = arity(cx, node.child_by_field_name("arguments"));
        cx.mark(function, Mark::Call(arity));
    }
    Enter::Descend
}

/// `f(…)`, `$f(…)`. `define('NAME', value)` makes a constant.
pub(super) fn leave_function(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let arguments = node.child_by_field_name("arguments");
    if !is_name(function) {
        let value = cx.expr_of(function);
        return call_value(cx, node, value, arguments);
    }
    cx.leave_expr(Rule::Call(Pick::Field("function"), Pick::Field("arguments")), node, parent);
    let name = arguments.and_then(|arguments| arguments.named_child(0)?.named_child(0)?.named_child(0));
    if cx.text(function) == "define"
        && cx.scope_kind() == ScopeKind::File
        && let Some(name) = name.filter(|name| name.kind() == "string_content")
    {
        let value = cx.find_known(arguments.and_then(|arguments| arguments.named_child(1)));
        cx.assign_global(DefKind::Constant, name, node, value);
    }
}

/// A call of what an expression holds.
fn call_value(cx: &mut Outline<'_>, node: Node<'_>, value: ExprId, arguments: Option<Node<'_>>) {
    let arity = arity(cx, arguments);
    // A union of one is called by its value; what is unwrapped is a value, never the name of a function.
    let held = cx.builder.expr(Expr::Unwrap { base: value });
    let items = cx.builder.list(&[held]);
    let callee = cx.builder.expr(Expr::Union(items));
    let at = arguments.unwrap_or(node);
    let (pos, enclosing) = (cx.source.pos(at), cx.enclosing());
    if value != cx.builder.unknown() {
        let reference = Reference { expr: callee, role: Role::Call, inexact: false, arity, pos, enclosing };
        cx.builder.reference_at(reference, at.start_byte());
    }
    let args = cx.arguments(arguments);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// What a member is taken of, and whether it may be a class.
fn receiver(node: Node<'_>) -> (Option<Node<'_>>, bool) {
    match node.child_by_field_name("object") {
        Some(object) => (Some(object), false),
        None => (node.child_by_field_name("scope").or_else(|| node.named_child(0)), true),
    }
}

/// The expression that a member is taken of: a class by its name, or a value.
fn base_of(cx: &mut Outline<'_>, of: Option<Node<'_>>, may_be_class: bool) -> ExprId {
    let Some(of) = of else { return cx.builder.unknown() };
    if may_be_class
        && cx.text(of) == "parent"
        && let Some(parent) = cx.last_base_around()
    {
        return parent;
    }
    let base = cx.expr_of(of);
    if may_be_class && !is_name(of) && of.kind() != "relative_scope" {
        // Looked up as a value, not as the name of a class.
        return cx.builder.expr(Expr::Unwrap { base });
    }
    base
}

fn member_of(cx: &mut Outline<'_>, base: ExprId, may_be_class: bool, text: &str) -> ExprId {
    if may_be_class { cx.builder.path(base, text) } else { cx.builder.member(base, text) }
}

fn enter_taken(cx: &mut Outline<'_>, node: Node<'_>, name: Option<Node<'_>>) {
    let (of, may_be_class) = receiver(node);
    if let Some(of) = of.filter(|of| may_be_class && is_name(*of)) {
        cx.mark(of, Mark::Type);
    }
    let is_static = node.kind() == "scoped_property_access_expression";
    if let Some(name) = name.filter(|name| name.kind() == "name" || is_static && name.kind() == "variable_name") {
        cx.mark(name, Mark::Skip);
    }
}

pub(super) fn enter_method(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    enter_taken(cx, node, node.child_by_field_name("name"));
    Enter::Descend
}

/// `$a->b(…)`, `A::b(…)`, `$a->$b(…)`.
pub(super) fn leave_method(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (of, may_be_class) = receiver(node);
    let base = base_of(cx, of, may_be_class);
    let arguments = node.child_by_field_name("arguments");
    let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "name") else { return };
    let text = cx.text(name);
    let callee = member_of(cx, base, may_be_class, text);
    let arity = arity(cx, arguments);
    cx.refer_with(callee, Role::Call, arity, name);
    cx.keep_text(callee, arguments);
    let args = cx.arguments(arguments);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// The node that names a member which is read or written.
fn member_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "class_constant_access_expression" => Pick::Last.get(node, None).filter(|name| name.kind() == "name"),
        _ => node.child_by_field_name("name"),
    }
}

pub(super) fn enter_member(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    enter_taken(cx, node, member_name(node));
    Enter::Descend
}

/// `$a->b`, `A::$b`, `A::B`, `A::class`.
pub(super) fn leave_member(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (of, may_be_class) = receiver(node);
    let Some(name) = member_name(node) else { return };
    let by_name =
        name.kind() == "name" || name.kind() == "variable_name" && node.kind() == "scoped_property_access_expression";
    let text = cx.name_text(name);
    // `A::class` is a text.
    if !by_name || text.is_empty() || node.kind() == "class_constant_access_expression" && text == "class" {
        return;
    }
    let base = base_of(cx, of, may_be_class);
    let expr = member_of(cx, base, may_be_class, text);
    cx.finish_expr(node, name, expr);
    if let Some(narrowed) = super::narrow::narrowed_path(cx, node) {
        cx.set_expr(node, narrowed);
    }
}

/// The class that `new` names; `None` if it is a value.
fn find_created(node: Node<'_>) -> Option<Node<'_>> {
    let class = node.named_child(0)?;
    (is_name(class) || matches!(class.kind(), "anonymous_class" | "relative_scope")).then_some(class)
}

pub(super) fn enter_creation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(class) = find_created(node).filter(|class| is_name(*class)) {
        let arity = cx.arity(Pick::Kind(&["arguments"]).get(node, None));
        cx.mark(class, Mark::Call(arity));
    }
    Enter::Descend
}

/// `new C(…)`: the class is a generic without arguments, which distinguishes it from a function.
pub(super) fn leave_creation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(class) = find_created(node) else { return };
    let arguments = Pick::Kind(&["arguments"]).get(node, None);
    let text = cx.text(class);
    let base = match class.kind() {
        // Grammars give the keywords to names, too.
        "name" | "relative_scope" if matches!(text, "static" | "self" | "parent") => own_class(cx, text),
        _ => cx.expr_of(class),
    };
    if text == "static" || text == "self" {
        let (pos, enclosing) = (cx.source.pos(class), cx.enclosing());
        let arity = cx.arity(arguments);
        let reference = Reference { expr: base, role: Role::Call, inexact: false, arity, pos, enclosing };
        cx.builder.reference_at(reference, class.start_byte());
    }
    let args = cx.arguments(arguments);
    let callee = match class.kind() {
        "anonymous_class" => base,
        _ => cx.builder.expr(Expr::Generic { base, args: FactsBuilder::EMPTY }),
    };
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

fn own_class(cx: &mut Outline<'_>, text: &str) -> ExprId {
    let scope = cx.scope();
    cx.builder.expr(if text == "parent" { Expr::Super { scope } } else { Expr::SelfType { scope } })
}

/// `key => value` is its value.
pub(super) fn leave_element(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let last = node.named_children(&mut cursor).filter(|child| !child.is_extra()).last();
    if let Some(value) = cx.find_known(last) {
        cx.set_expr(node, value);
    }
}

/// An array of values. `[$this, 'method']` and `[A::class, 'method']` take a method.
pub(super) fn leave_array(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Collection(Collection::List), node, parent);
    let mut cursor = node.walk();
    let items: Vec<Node<'_>> = node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(3).collect();
    let [of, method] = items.as_slice() else { return };
    if of.named_child_count() != 1 || method.named_child_count() != 1 {
        return;
    }
    let (Some(of), Some(method)) = (of.named_child(0), method.named_child(0)) else { return };
    let content = method.named_child(0).filter(|content| content.kind() == "string_content");
    let Some(content) = content.filter(|_| matches!(method.kind(), "string" | "encapsed_string")) else { return };
    let text = cx.text(content);
    let is_method = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_method || text.starts_with(|first: char| first.is_ascii_digit()) {
        return;
    }
    let value = match of.kind() {
        "variable_name" if cx.text(of) == "$this" => cx.expr_of(of),
        "class_constant_access_expression" if cx.text(of).ends_with("::class") => {
            let Some(class) = of.named_child(0) else { return };
            let of = base_of(cx, Some(class), true);
            cx.builder.expr(Expr::Instance { of })
        }
        _ => return,
    };
    take_method(cx, value, text, content);
}

/// Refers to a method that is taken of a value, not called.
pub(super) fn take_method(cx: &mut Outline<'_>, base: ExprId, text: &str, at: Node<'_>) {
    let name = cx.builder.name(text);
    let expr = cx.builder.expr(Expr::Implicit { base, name });
    let (pos, enclosing) = (cx.source.pos(at), cx.enclosing());
    let reference = Reference { expr, role: Role::Read, inexact: false, arity: u8::MAX, pos, enclosing };
    cx.builder.reference_at(reference, at.start_byte());
}

/// A `match` is one of its arms.
pub(super) fn leave_match(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    /// Arms that are kept.
    const MAX_ARMS: usize = 32;
    let Some(block) = node.child_by_field_name("body") else { return };
    let mut cursor = block.walk();
    let arms: Vec<Node<'_>> = block.named_children(&mut cursor).take(MAX_ARMS).collect();
    let values: Vec<ExprId> = arms.into_iter().filter_map(|arm| cx.find_known(Some(arm))).collect();
    let expr = cx.builder.union(&values);
    cx.set_expr(node, expr);
}

pub(super) fn leave_arm(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("return_expression")) {
        cx.set_expr(node, value);
    }
}
