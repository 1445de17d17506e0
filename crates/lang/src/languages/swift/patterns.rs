//! Patterns: names that conditions, loops, cases and `catch` bind, and the cases of enums that they name.

use tree_sitter::Node;

use super::super::outline::common::{block, mentions};
use super::super::outline::{Mark, Outline, Pick};
use super::TYPE;
use crate::facts::{Expr, ExprId, Role, ScopeKind};
use crate::walk::Enter;

/// Maximum number of nodes of one pattern.
const MAX_NODES: usize = 512;

/// A part of a pattern still to be read.
struct Part<'t> {
    node: Node<'t>,
    /// The value that it is compared with.
    subject: Option<ExprId>,
    /// `let` or `var` stands around it.
    binds: bool,
}

fn list_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(MAX_NODES).collect()
}

/// Marks the names of patterns, which are not looked up where they stand.
fn skip_names(cx: &mut Outline<'_>, pattern: Node<'_>) {
    let mut stack = vec![pattern];
    let mut seen = 0;
    while let Some(node) = stack.pop() {
        seen += 1;
        if seen > MAX_NODES {
            return;
        }
        for child in list_children(node) {
            match child.kind() {
                "simple_identifier" => cx.mark(child, Mark::Skip),
                "pattern" | "switch_pattern" => stack.push(child),
                _ => {}
            }
        }
    }
}

/// Binds the names of a pattern and refers to the cases in it, once all of its parts are visited.
fn read_pattern(cx: &mut Outline<'_>, pattern: Node<'_>, subject: Option<ExprId>, binds: bool) {
    let mut stack = vec![Part { node: pattern, subject, binds }];
    let mut seen = 0;
    while let Some(Part { node, subject, mut binds }) = stack.pop() {
        seen += 1;
        if seen > MAX_NODES {
            return;
        }
        let children = list_children(node);
        binds |= children.iter().any(|child| child.kind() == "value_binding_pattern");
        // `pattern as T`
        let cast = children.iter().position(|child| child.kind() == "as");
        let declared = cast.and_then(|_| cx.find_known(TYPE.get(node, None)));
        let subject = match declared {
            Some(of) => Some(cx.builder.expr(Expr::Instance { of })),
            None => subject,
        };
        if let Some(point) = children.iter().position(|child| child.kind() == ".") {
            let named = TYPE.get(node, None).and_then(|ty| cx.find_known(Some(ty)));
            read_case(cx, &children[point + 1..], (named, subject), binds, &mut stack);
            continue;
        }
        let names = children.iter().filter(|child| child.kind() == "simple_identifier");
        let bound = node.child_by_field_name("bound_identifier");
        for &name in names {
            if binds || bound == Some(name) {
                cx.bind_local(name, None, subject);
            } else {
                let expr = cx.bare_name(cx.name_text(name));
                cx.refer_with(expr, Role::Read, u8::MAX, name);
            }
        }
        let inner: Vec<Node<'_>> =
            children.into_iter().filter(|child| matches!(child.kind(), "pattern" | "switch_pattern")).collect();
        let count = inner.len();
        for (place, node) in inner.into_iter().enumerate() {
            let subject = cx.item(subject, place, count);
            stack.push(Part { node, subject, binds });
        }
    }
}

/// `.name(pattern, …)`: a case of the type of the subject, or of the type that is written.
fn read_case<'t>(
    cx: &mut Outline<'_>,
    parts: &[Node<'t>],
    (named, subject): (Option<ExprId>, Option<ExprId>),
    binds: bool,
    stack: &mut Vec<Part<'t>>,
) {
    let Some(&name) = parts.iter().find(|part| part.kind() == "simple_identifier") else { return };
    let base = match (named, subject) {
        (Some(named), _) => named,
        (None, Some(by)) => cx.builder.expr(Expr::Given { by, parameter: Expr::WHOLE }),
        (None, None) => cx.builder.unknown(),
    };
    let text = cx.name_text(name);
    let case = cx.builder.member(base, text);
    cx.refer_with(case, Role::Read, u8::MAX, name);
    let payloads = parts.iter().filter(|part| part.kind() == "pattern");
    for (place, &node) in payloads.enumerate() {
        let subject = cx.builder.expr(Expr::Given { by: case, parameter: place as u32 });
        stack.push(Part { node, subject: Some(subject), binds });
    }
}

/// One condition of an `if`, `guard` or `while`.
struct Condition<'t> {
    /// `let name`
    bound: Option<Node<'t>>,
    /// What stands between `case` and `=`.
    case: Vec<Node<'t>>,
    value: Option<Node<'t>>,
}

fn list_conditions(node: Node<'_>) -> Vec<Condition<'_>> {
    let mut all = Vec::new();
    let mut current = Condition { bound: None, case: Vec::new(), value: None };
    let (mut in_case, mut is_open) = (false, false);
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return all;
    }
    loop {
        let child = cursor.node();
        let field = cursor.field_name();
        match (field, child.kind()) {
            (None, ",") => {
                if is_open {
                    all.push(std::mem::replace(&mut current, Condition { bound: None, case: Vec::new(), value: None }));
                }
                (in_case, is_open) = (false, false);
            }
            (Some("bound_identifier"), _) => {
                current.bound = Some(child);
                is_open = true;
            }
            (Some("condition"), "case") => (in_case, is_open) = (true, true),
            (Some("condition"), "=") => in_case = false,
            (Some("condition"), _) if in_case => current.case.push(child),
            (Some("condition"), "value_binding_pattern") => {}
            (Some("condition"), _) if child.is_named() => {
                current.value = Some(child);
                is_open = true;
            }
            _ => {}
        }
        if !cursor.goto_next_sibling() || all.len() > MAX_NODES {
            break;
        }
    }
    if is_open {
        all.push(current);
    }
    all
}

/// A value that has the name it is bound under is read outside of the binding.
fn read_outside(cx: &mut Outline<'_>, condition: &Condition<'_>) {
    let scope = cx.scope();
    let (Some(name), Some(value)) = (condition.bound, condition.value) else { return };
    if mentions(cx.text(value), cx.name_text(name)) {
        cx.placed.insert(value.id(), scope);
    }
}

fn skip_conditions(cx: &mut Outline<'_>, node: Node<'_>) {
    for condition in list_conditions(node) {
        read_outside(cx, &condition);
        if let Some(name) = condition.bound {
            cx.mark(name, Mark::Skip);
        }
        for &part in &condition.case {
            match part.kind() {
                "simple_identifier" => cx.mark(part, Mark::Skip),
                "pattern" => skip_names(cx, part),
                _ => {}
            }
        }
    }
}

pub(super) fn enter_if(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    skip_conditions(cx, node);
    cx.open_scope(ScopeKind::Block);
    Enter::Descend
}

/// What a `guard` binds is known after it.
pub(super) fn enter_guard(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    skip_conditions(cx, node);
    Enter::Descend
}

pub(super) fn leave_guard(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let hides = list_conditions(node).iter().any(|one| match (one.bound, one.value) {
        (Some(name), Some(value)) => mentions(cx.text(value), cx.name_text(name)),
        _ => false,
    });
    if hides {
        cx.open_scope_after_and_here(ScopeKind::Block);
    }
    leave_condition(cx, node, parent);
}

/// Binds the names of conditions. `let name` alone hides nothing: values are not told from what may be absent.
pub(super) fn leave_condition(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    for condition in list_conditions(node) {
        let value = cx.find_known(condition.value);
        if let Some(name) = condition.bound {
            if condition.value.is_some() {
                let value = value.map(|base| cx.builder.expr(Expr::Unwrap { base }));
                cx.bind_local(name, None, value);
            }
            continue;
        }
        let Some(&first) = condition.case.first() else { continue };
        let binds = condition.case.iter().any(|part| part.kind() == "value_binding_pattern");
        let mut stack = Vec::new();
        match condition.case.iter().position(|part| part.kind() == ".") {
            Some(point) => {
                let named = (first.kind() == "user_type" || first.kind() == "simple_identifier" && point > 0)
                    .then(|| cx.bare_name(cx.name_text(first)));
                read_case(cx, &condition.case[point + 1..], (named, value), binds, &mut stack);
            }
            None => {
                let patterns = condition.case.iter().filter(|part| part.kind() == "pattern");
                stack.extend(patterns.map(|&node| Part { node, subject: value, binds }));
            }
        }
        for Part { node, subject, binds } in stack {
            read_pattern(cx, node, subject, binds);
        }
    }
}

pub(super) fn enter_for(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let names = node.child_by_field_name("item");
    let collection = node.child_by_field_name("collection");
    if let (Some(item), Some(collection)) = (names, collection) {
        skip_names(cx, item);
        let text = cx.text(collection);
        if cx.pattern_names(&[item]).into_iter().any(|name| mentions(text, cx.name_text(name))) {
            let scope = cx.scope();
            cx.placed.insert(collection.id(), scope);
        }
    }
    block(cx, node, parent)
}

pub(super) fn leave_for(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let over = cx.find_known(node.child_by_field_name("collection"));
    let declared = Pick::Kind(&["type_annotation"]).get(node, None).and_then(|ty| cx.find_known(Some(ty)));
    let element = match declared {
        Some(of) => Some(cx.builder.expr(Expr::Instance { of })),
        None => over.map(|base| cx.builder.expr(Expr::Element { base })),
    };
    if let Some(item) = node.child_by_field_name("item") {
        read_pattern(cx, item, element, true);
    }
}

fn list_patterns(node: Node<'_>) -> Vec<Node<'_>> {
    Pick::Kind(&["switch_pattern"]).all(node, None)
}

pub(super) fn enter_entry(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    for pattern in list_patterns(node) {
        skip_names(cx, pattern);
    }
    block(cx, node, parent)
}

pub(super) fn leave_entry(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let subject = parent.and_then(|parent| cx.find_known(parent.child_by_field_name("expr")));
    for pattern in list_patterns(node) {
        read_pattern(cx, pattern, subject, false);
    }
}

pub(super) fn enter_catch(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(pattern) = node.child_by_field_name("error") {
        skip_names(cx, pattern);
    }
    block(cx, node, parent)
}

pub(super) fn leave_catch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let error = cx.bare_name("Error");
    match node.child_by_field_name("error") {
        Some(pattern) => {
            let subject = cx.builder.expr(Expr::Instance { of: error });
            read_pattern(cx, pattern, Some(subject), false);
        }
        None => cx.bind_typed("error", error),
    }
}
