//! Types that conditions show: `if (x is A)`, `x is A && …`, `when (x) { is A -> … }`, `if (x !is A) return`.

use tree_sitter::Node;

use super::super::outline::common::unwrap_parentheses;
use super::super::outline::{Outline, Pick};
use super::{TYPES, last_child};
use crate::facts::{Expr, ScopeId, ScopeKind};
use crate::walk::Enter;

/// Parts of one condition that are looked at.
const MAX_PARTS: usize = 16;
/// Longest access path that is told apart from others, in bytes.
const MAX_PATH: usize = 200;
/// Scopes outwards in which an access path is looked for.
const MAX_SCOPES: usize = 64;
/// Entries of one `when` that are looked at.
const MAX_ENTRIES: usize = 256;

/// `x is A`: the value and the type.
type Test<'t> = (Node<'t>, Node<'t>);

/// The tests that hold where a condition does (`holds`), or where it does not.
fn find_tests(condition: Node<'_>, holds: bool) -> Vec<Test<'_>> {
    let (word, joins) = if holds { ("is", "&&") } else { ("!is", "||") };
    let mut found = Vec::new();
    let mut work = vec![condition];
    for _ in 0..MAX_PARTS {
        let Some(next) = work.pop() else { break };
        let next = unwrap_parentheses(next);
        let (left, right) = (next.child_by_field_name("left"), next.child_by_field_name("right"));
        let operator = next.child_by_field_name("operator").map_or("", |operator| operator.kind());
        match (next.kind(), left, right) {
            ("binary_expression", _, _) if operator == joins => work.extend([left, right].into_iter().flatten()),
            ("is_expression", Some(left), Some(right)) if next.child(1).is_some_and(|token| token.kind() == word) => {
                if matches!(left.kind(), "identifier" | "navigation_expression") {
                    found.push((left, right));
                }
            }
            _ => {}
        }
    }
    found
}

/// The type that an access path is known to have at a place.
pub(super) fn apply(cx: &mut Outline<'_>, node: Node<'_>) {
    if cx.shown.is_empty() || cx.text(node).len() > MAX_PATH {
        return;
    }
    let name = cx.builder.name(cx.text(node));
    let mut next = Some(cx.scope());
    for _ in 0..MAX_SCOPES {
        let Some(scope) = next else { return };
        if let Some(&(text, within)) = cx.shown.get(&(scope, name)) {
            let of = write_type(cx, text, within);
            if let Some(of) = of {
                let expr = cx.builder.expr(Expr::Instance { of });
                cx.set_expr(node, expr);
            }
            return;
        }
        next = cx.builder.facts().scopes[scope.index()].parent;
    }
}

/// The expression of a type by its names.
fn write_type(cx: &mut Outline<'_>, names: crate::facts::NameId, scope: ScopeId) -> Option<crate::facts::ExprId> {
    let text = cx.builder.facts().name(names).to_owned();
    let mut names = text.split('.').map(|name| name.trim().trim_matches('`'));
    let first = names.next().filter(|name| !name.is_empty())?;
    let mut expr = cx.builder.name_expr(first, scope);
    for name in names {
        expr = cx.builder.member(expr, name);
    }
    Some(expr)
}

/// Notes in a scope what tests show.
fn note(cx: &mut Outline<'_>, scope: ScopeId, tests: &[Test<'_>]) {
    for &(value, ty) in tests {
        let text = cx.text(value);
        let plain = cx.text(ty).split('<').next().unwrap_or("").trim_end_matches('?');
        if text.len() > MAX_PATH || plain.len() > MAX_PATH || !TYPES.contains(&ty.kind()) || plain.contains('(') {
            continue;
        }
        let (name, plain) = (cx.builder.name(text), cx.builder.name(plain));
        cx.shown.insert((scope, name), (plain, scope));
    }
}

/// Puts a node in a scope of its own, in which the tests hold.
fn place(cx: &mut Outline<'_>, node: Option<Node<'_>>, tests: &[Test<'_>]) {
    let Some(node) = node.filter(|_| !tests.is_empty()) else { return };
    let parent = cx.scope();
    let owner = cx.builder.facts().scopes[parent.index()].owner;
    let scope = cx.builder.scope(parent, ScopeKind::Block, owner);
    note(cx, scope, tests);
    cx.placed.insert(node.id(), scope);
}

/// The branches of an `if`, or the body of a loop, in order.
fn branches(node: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let condition = node.child_by_field_name("condition");
    let mut cursor = node.walk();
    let (mut first, mut second, mut is_else) = (None, None, false);
    for child in node.children(&mut cursor) {
        is_else |= child.kind() == "else";
        if child.is_named() && !child.is_extra() && Some(child) != condition && child.kind() != "label" {
            *(if is_else { &mut second } else { &mut first }) = Some(child);
        }
    }
    (first, second)
}

pub(super) fn enter_if(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(condition) = node.child_by_field_name("condition") {
        let (first, second) = branches(node);
        place(cx, first, &find_tests(condition, true));
        place(cx, second, &find_tests(condition, false));
    }
    Enter::Descend
}

/// `x is A && …`, `x !is A || …`
pub(super) fn enter_binary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    if let (Some(left), "&&" | "||") = (node.child_by_field_name("left"), operator) {
        place(cx, node.child_by_field_name("right"), &find_tests(left, operator == "&&"));
    }
    Enter::Descend
}

/// Returns whether a branch ends in something that leaves the code around it.
fn leaves(cx: &Outline<'_>, branch: Node<'_>) -> bool {
    let last = if branch.kind() == "block" { last_child(branch) } else { Some(branch) };
    last.is_some_and(|last| match last.kind() {
        "return_expression" | "throw_expression" => true,
        "identifier" => matches!(cx.text(last), "break" | "continue"),
        _ => false,
    })
}

/// Behind `if (x !is A) return`, the value is of the type.
pub(super) fn leave_if(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(condition) = node.child_by_field_name("condition") else { return };
    let (Some(first), None) = branches(node) else { return };
    let tests = find_tests(condition, false);
    let is_statement = parent.is_some_and(|around| matches!(around.kind(), "block" | "lambda_literal"));
    if !tests.is_empty() && is_statement && leaves(cx, first) {
        note_after(cx, &tests);
    }
}

fn note_after(cx: &mut Outline<'_>, tests: &[Test<'_>]) {
    if let Some(scope) = cx.open_scope_after(ScopeKind::Block) {
        note(cx, scope, tests);
    }
}

/// `when (x) { is A -> … }` and `when { x is A -> … }`
pub(super) fn enter_when(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    let subject = Pick::Kind(&["when_subject"]).get(node, None);
    let value = subject.and_then(|subject| match Pick::Kind(&["variable_declaration"]).get(subject, None) {
        Some(declared) => super::NAME.get(declared, None),
        None => last_child(subject),
    });
    let mut cursor = node.walk();
    let entries: Vec<Node<'_>> = node.named_children(&mut cursor).take(MAX_ENTRIES).collect();
    for entry in entries.into_iter().filter(|entry| entry.kind() == "when_entry") {
        let conditions = Pick::Field("condition").all(entry, None);
        let [condition] = conditions.as_slice() else { continue };
        let tests = match (condition.kind(), value) {
            ("type_test", Some(value)) if condition.child(0).is_some_and(|word| word.kind() == "is") => {
                let is_path = matches!(value.kind(), "identifier" | "navigation_expression");
                let ty = Pick::Kind(TYPES).get(*condition, None).filter(|_| is_path);
                ty.map(|ty| vec![(value, ty)]).unwrap_or_default()
            }
            (_, None) => find_tests(*condition, true),
            _ => Vec::new(),
        };
        place(cx, last_child(entry).filter(|last| *last != *condition), &tests);
    }
    Enter::Descend
}
