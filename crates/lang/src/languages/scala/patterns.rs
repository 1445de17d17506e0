//! Patterns and what they bind; functions that are written as cases; generators.

use tree_sitter::Node;

use super::super::outline::common::block;
use super::super::outline::{Define, Mark, Outline, Pick};
use super::calls::take_value;
use crate::facts::{DefKind, Expr, ExprId, ScopeKind};
use crate::walk::Enter;

/// Parameter of a function that is written as cases.
const CASE: &str = "case";

static CASES: Define = Define { params: Pick::None, body: Pick::None, ..Define::LAMBDA };

/// Patterns of standard types that hold one value.
const WRAPPERS: &[&str] = &["Failure", "Left", "Right", "Some", "Success"];

/// Nodes of one pattern that are looked at.
const MAX_PATTERN: usize = 1_024;

/// Returns whether a name in a pattern is bound by it; others are compared with.
fn is_bound(cx: &Outline<'_>, name: Node<'_>) -> bool {
    cx.text(name).starts_with(|c: char| c.is_lowercase() || c == '_')
}

/// Names that a pattern binds. They stand alone; names in types and paths are uses.
pub(super) fn list_bound<'t>(cx: &Outline<'_>, pattern: Option<Node<'t>>, all: bool) -> Vec<Node<'t>> {
    let mut names = Vec::new();
    let mut stack = Vec::from_iter(pattern);
    let mut seen = 0;
    while let Some(node) = stack.pop() {
        seen += 1;
        if seen > MAX_PATTERN {
            break;
        }
        match node.kind() {
            "identifier" if is_bound(cx, node) || all && node == pattern.unwrap_or(node) => names.push(node),
            "identifier" | "stable_identifier" => {}
            kind if kind.ends_with("type") || kind.ends_with("type_identifier") || kind.contains("literal") => {}
            "interpolated_string_expression" | "field_expression" | "string" => {}
            _ => {
                let mut cursor = node.walk();
                let children: Vec<Node<'t>> = node.named_children(&mut cursor).take(MAX_PATTERN).collect();
                stack.extend(children.into_iter().rev());
            }
        }
    }
    names
}

/// Binds the names of a pattern to the parts of the value that it takes apart.
fn bind_pattern(cx: &mut Outline<'_>, pattern: Node<'_>, value: Option<ExprId>) {
    let mut stack = vec![(pattern, value)];
    let mut seen = 0;
    while let Some((node, value)) = stack.pop() {
        seen += 1;
        if seen > MAX_PATTERN {
            break;
        }
        match node.kind() {
            "identifier" if is_bound(cx, node) => cx.bind_local(node, None, value),
            "typed_pattern" => {
                let declared = cx.find_known(node.child_by_field_name("type"));
                if let Some(name) = node.child_by_field_name("pattern").filter(|name| name.kind() == "identifier") {
                    cx.bind_local(name, declared, value);
                }
            }
            "capture_pattern" => {
                let inner = node.child_by_field_name("pattern");
                let of = inner.and_then(|inner| cx.find_known(inner.child_by_field_name("type")));
                if let Some(name) = node.child_by_field_name("name") {
                    cx.bind_local(name, of, value);
                }
                stack.extend(inner.map(|inner| (inner, value)));
            }
            "case_class_pattern" => push_parts(cx, node, value, &mut stack),
            "tuple_pattern" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> = node.named_children(&mut cursor).filter(|part| !part.is_extra()).collect();
                for (index, part) in parts.into_iter().enumerate() {
                    let item = value.map(|base| cx.builder.expr(Expr::Item { base, index: index as u32 }));
                    stack.push((part, item));
                }
            }
            "infix_pattern" => {
                let is_cons = node.child_by_field_name("operator").is_some_and(|operator| cx.text(operator) == "::");
                let head = value.filter(|_| is_cons).map(|base| cx.builder.expr(Expr::Element { base }));
                stack.extend(node.child_by_field_name("left").map(|left| (left, head)));
                stack.extend(node.child_by_field_name("right").map(|right| (right, value.filter(|_| is_cons))));
            }
            "identifier" => {}
            "parenthesized_pattern" | "alternative_pattern" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                stack.extend(parts.into_iter().map(|part| (part, value)));
            }
            _ => {
                for name in list_bound(cx, Some(node), false) {
                    cx.bind_local(name, None, None);
                }
            }
        }
    }
}

/// `C(a, b)`: the parameters of a case class, or what a standard type holds.
fn push_parts<'t>(
    cx: &mut Outline<'_>,
    node: Node<'t>,
    value: Option<ExprId>,
    stack: &mut Vec<(Node<'t>, Option<ExprId>)>,
) {
    let ty = node.child_by_field_name("type");
    let is_wrapper = ty.is_some_and(|ty| WRAPPERS.contains(&cx.text(ty)));
    let of = cx.find_known(ty);
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node
        .children_by_field_name("pattern", &mut cursor)
        .filter(|part| part.is_named() && !part.is_extra())
        .collect();
    for (index, part) in parts.into_iter().enumerate() {
        let item = match (is_wrapper, of) {
            // The sides of an `Either`.
            (true, _) if ty.is_some_and(|ty| matches!(cx.text(ty), "Left" | "Right")) => {
                let side = u32::from(ty.is_some_and(|ty| cx.text(ty) == "Right"));
                value.map(|base| cx.builder.expr(Expr::Item { base, index: side }))
            }
            (true, _) => value.map(|base| cx.builder.expr(Expr::Unwrap { base })),
            (false, Some(of)) => {
                let base = cx.builder.expr(Expr::Instance { of });
                Some(cx.builder.expr(Expr::Item { base, index: index as u32 }))
            }
            _ => None,
        };
        stack.push((part, item));
    }
}

/// Cases outside of `match` and `catch` are a function of one parameter.
pub(super) fn enter_cases(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let is_function = parent.is_none_or(|parent| !matches!(parent.kind(), "match_expression" | "catch_clause"));
    if is_function {
        cx.open_define(&CASES, node, None);
        cx.plain_parameter(CASE);
    }
    Enter::Descend
}

/// One of the cases.
pub(super) fn leave_cases(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let cases: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let values: Vec<ExprId> = cases.into_iter().filter_map(|case| cx.find_known(Some(case))).collect();
    if !values.is_empty() {
        let expr = cx.builder.union(&values);
        cx.set_expr(node, expr);
    }
}

pub(super) fn enter_case(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    for name in list_bound(cx, node.child_by_field_name("pattern"), false) {
        cx.mark(name, Mark::Skip);
    }
    block(cx, node, parent)
}

/// The value that the cases around a pattern take apart.
fn find_matched(cx: &mut Outline<'_>, case: Node<'_>) -> Option<ExprId> {
    let cases = case.parent()?;
    let around = cases.parent()?;
    match around.kind() {
        "match_expression" => cx.find_known(around.child_by_field_name("value")),
        "catch_clause" => None,
        _ => Some(cx.bare_name(CASE)),
    }
}

pub(super) fn leave_case(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let matched = find_matched(cx, node);
    if let Some(pattern) = node.child_by_field_name("pattern") {
        bind_pattern(cx, pattern, matched);
    }
    let mut cursor = node.walk();
    let mut last = None;
    for part in node.children_by_field_name("body", &mut cursor) {
        if part.is_named() && !part.is_extra() {
            last = Some(part);
        }
    }
    let value = last.and_then(|last| take_value(cx, last));
    if let Some(value) = value {
        cx.set_expr(node, value);
        if cx.frame_is_cases() {
            cx.record_returned(value);
        }
    }
}

/// The parts of an enumerator: pattern, and what it takes values of.
fn split_enumerator(node: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let mut cursor = node.walk();
    let mut parts = node.named_children(&mut cursor).filter(|part| !part.is_extra() && part.kind() != "guard");
    let (first, second) = (parts.next(), parts.next());
    if second.is_none() { (None, first) } else { (first, second) }
}

pub(super) fn enter_enumerator(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let (pattern, _) = split_enumerator(node);
    for name in list_bound(cx, pattern, true) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// `x <- xs` takes elements, `y = e` a value.
pub(super) fn leave_enumerator(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (Some(pattern), Some(value)) = split_enumerator(node) else { return };
    let mut cursor = node.walk();
    let takes = node.children(&mut cursor).any(|child| child.kind() == "<-" || child.kind() == "←");
    let value = take_value(cx, value);
    let value = value.map(|base| if takes { cx.builder.expr(Expr::Element { base }) } else { base });
    bind_pattern(cx, pattern, value);
}

/// `for` opens a scope for its generators and its body.
pub(super) fn enter_for(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    Enter::Descend
}

/// `yield` collects values.
pub(super) fn leave_for(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let yields = node.children(&mut cursor).any(|child| child.kind() == "yield");
    let value = node.child_by_field_name("body").filter(|_| yields).and_then(|body| take_value(cx, body));
    if let Some(value) = value {
        let items = cx.builder.list(&[value]);
        let expr = cx.builder.expr(Expr::Collection { kind: crate::facts::Collection::List, items });
        cx.set_expr(node, expr);
    }
}

/// The value of the one body, or of one of the cases of a handler.
pub(super) fn leave_try(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("body")) {
        cx.set_expr(node, value);
    }
}

impl Outline<'_> {
    /// Whether the innermost definition is a function that is written as cases.
    fn frame_is_cases(&mut self) -> bool {
        let name = self.builder.name(CASE);
        self.frame_kind() == Some(DefKind::Function)
            && self.frame().is_some_and(|frame| frame.params.first().is_some_and(|first| first.name == name))
    }
}
