//! Types that conditions show: `if ($x instanceof A) { … }`, `$x instanceof A && …`, `assert($x instanceof A)`, and
//! `if (!$x instanceof A) { return; }` for what follows.

use tree_sitter::Node;

use super::super::outline::common::unwrap_parentheses;
use super::super::outline::{Mark, Outline, Pick};
use crate::facts::{BindingTarget, Expr, ExprId, Literal, Namespace, ScopeId, ScopeKind};
use crate::walk::Enter;

/// Parts of one condition that are looked at.
const MAX_PARTS: usize = 16;

/// Longest access path that is told apart from others, in bytes.
const MAX_PATH: usize = 200;
/// Scopes outwards in which an access path is looked for.
const MAX_SCOPES: usize = 64;

/// What is known of the class of an access path (`$this->a`) at a place, as a name that is bound to it.
pub(super) fn narrowed_path(cx: &mut Outline<'_>, node: Node<'_>) -> Option<ExprId> {
    if cx.narrowed.is_empty() {
        return None;
    }
    let text = crate::text::clip(cx.text(node), MAX_PATH);
    let name = cx.builder.name(text);
    let scopes = &cx.builder.facts().scopes;
    let mut next = Some(cx.scope());
    for _ in 0..MAX_SCOPES {
        let scope = next?;
        if cx.narrowed.contains(&(scope, name)) {
            return Some(cx.builder.expr(Expr::Name { name, scope }));
        }
        next = scopes[scope.index()].parent;
    }
    None
}

/// `$x instanceof A`: the variable or property, and the class.
type Test<'t> = (Node<'t>, Node<'t>);

fn operator<'t>(node: Node<'t>) -> &'t str {
    node.child_by_field_name("operator").map_or("", |operator| operator.kind())
}

/// The test that an expression is.
fn test(node: Node<'_>) -> Option<Test<'_>> {
    let node = unwrap_parentheses(node);
    if node.kind() != "binary_expression" || !operator(node).eq_ignore_ascii_case("instanceof") {
        return None;
    }
    let left = node.child_by_field_name("left")?;
    let variable = matches!(left.kind(), "variable_name" | "member_access_expression").then_some(left)?;
    Some((variable, node.child_by_field_name("right")?))
}

/// The tests that hold where a condition holds.
fn tests(condition: Node<'_>) -> Vec<Test<'_>> {
    let mut found = Vec::new();
    let mut work = vec![condition];
    for _ in 0..MAX_PARTS {
        let Some(next) = work.pop() else { break };
        let next = unwrap_parentheses(next);
        if next.kind() == "binary_expression" && matches!(operator(next), "&&" | "and") {
            work.extend(["left", "right"].iter().filter_map(|side| next.child_by_field_name(side)));
        } else {
            found.extend(test(next));
        }
    }
    found
}

/// Binds the variables of tests in a scope. One that is tested for several classes may be of any.
fn bind_tests(cx: &mut Outline<'_>, scope: ScopeId, tests: &[Test<'_>]) {
    for &(variable, class) in tests {
        let text = cx.text(variable);
        let Some(of) = class_of(cx, class).filter(|_| text != "$this") else { continue };
        let name = match variable.kind() {
            "variable_name" => cx.builder.name(cx.name_text(variable)),
            _ => {
                let name = cx.builder.name(crate::text::clip(text, MAX_PATH));
                cx.narrowed.insert((scope, name));
                name
            }
        };
        cx.builder.bind(scope, name, Namespace::Value, BindingTarget::Typed(of));
        cx.builder.bind(scope, name, Namespace::Value, BindingTarget::Typed(of));
    }
}

/// The class that a test names; `None` if it is a value.
fn class_of(cx: &mut Outline<'_>, class: Node<'_>) -> Option<ExprId> {
    match class.kind() {
        "name" | "qualified_name" | "relative_name" => {
            let (text, scope) = (cx.text(class), cx.scope());
            Some(match text {
                "self" | "static" => cx.builder.expr(Expr::SelfType { scope }),
                _ => super::names::resolve_qualified(cx, text, scope),
            })
        }
        _ => None,
    }
}

/// The body of a condition knows what the condition shows.
pub(super) fn enter_body(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(parent) =
        parent.filter(|parent| matches!(parent.kind(), "if_statement" | "else_if_clause" | "while_statement"))
    else {
        return Enter::Descend;
    };
    let is_body = parent.child_by_field_name("body") == Some(node);
    let condition = parent.child_by_field_name("condition").filter(|_| is_body);
    let tests = condition.map(tests).unwrap_or_default();
    if !tests.is_empty() {
        let scope = cx.open_scope(ScopeKind::Block);
        bind_tests(cx, scope, &tests);
    }
    Enter::Descend
}

/// Returns whether a block ends in a statement that leaves it.
fn leaves(block: Node<'_>) -> bool {
    let last = match block.kind() {
        "compound_statement" => {
            let mut cursor = block.walk();
            block.named_children(&mut cursor).filter(|child| !child.is_extra()).last()
        }
        _ => Some(block),
    };
    let Some(last) = last else { return false };
    match last.kind() {
        "return_statement" | "continue_statement" | "break_statement" | "exit_statement" | "throw_statement" => true,
        "expression_statement" => {
            last.named_child(0).is_some_and(|inner| matches!(inner.kind(), "throw_expression" | "exit_statement"))
        }
        _ => false,
    }
}

/// Behind `if (!$x instanceof A) { return; }`, the variable is of the class.
pub(super) fn leave_if(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let has_else = node.child_by_field_name("alternative").is_some();
    let condition = node.child_by_field_name("condition").map(unwrap_parentheses);
    let negated = condition.filter(|condition| condition.kind() == "unary_op_expression");
    let test = negated.and_then(|negated| Pick::Last.get(negated, None)).and_then(test);
    let is_left = node.child_by_field_name("body").is_some_and(leaves);
    if let (Some(test), true, false) = (test, is_left, has_else)
        && let Some(scope) = cx.open_scope_after(ScopeKind::Block)
    {
        bind_tests(cx, scope, &[test]);
    }
}

/// Behind `assert($x instanceof A);`, the variable is of the class.
pub(super) fn leave_statement(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let call = node.named_child(0).filter(|call| call.kind() == "function_call_expression");
    let asserted = call.filter(|call| {
        call.child_by_field_name("function").is_some_and(|of| matches!(cx.text(of), "assert" | "\\assert"))
    });
    let argument = asserted.and_then(|call| call.child_by_field_name("arguments")?.named_child(0)?.named_child(0));
    let tests = argument.map(tests).unwrap_or_default();
    if !tests.is_empty()
        && let Some(scope) = cx.open_scope_after(ScopeKind::Block)
    {
        bind_tests(cx, scope, &tests);
    }
}

/// `$x instanceof A ? … : …` knows in its first part what the condition shows.
pub(super) fn enter_conditional(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let mut tests = node.child_by_field_name("condition").map(tests).unwrap_or_default();
    // The scope holds for the other part, too: where that takes members of the variable, nothing is known.
    let other = node.child_by_field_name("alternative").map_or("", |other| cx.text(other));
    tests.retain(|(variable, _)| !other.contains(&format!("{}->", cx.text(*variable))));
    if !tests.is_empty() {
        let scope = cx.open_scope(ScopeKind::Block);
        bind_tests(cx, scope, &tests);
    }
    Enter::Descend
}

/// `a ? b : c`, `a ?: c`.
pub(super) fn leave_conditional(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let first = node.child_by_field_name("body").or_else(|| node.child_by_field_name("condition"));
    let items = [first, node.child_by_field_name("alternative")];
    let items: Vec<ExprId> = items.into_iter().filter_map(|item| cx.find_known(item)).collect();
    let expr = cx.builder.union(&items);
    cx.set_expr(node, expr);
}

/// `$x instanceof A && …` knows in its second part what the first shows.
pub(super) fn enter_binary(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let operator = operator(node);
    let continues = parent.is_some_and(|parent| parent.kind() == "binary_expression");
    let tests = if matches!(operator, "&&" | "and") && !continues { tests(node) } else { Vec::new() };
    if !tests.is_empty() {
        let scope = cx.open_scope(ScopeKind::Block);
        bind_tests(cx, scope, &tests);
    }
    if operator.eq_ignore_ascii_case("instanceof")
        && let Some(class) = node.child_by_field_name("right")
        && class.kind() != "variable_name"
    {
        cx.mark(class, Mark::Type);
    }
    Enter::Descend
}

pub(super) fn leave_binary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let operator = operator(node);
    let literal = match operator {
        "??" => {
            let sides = ["left", "right"].map(|side| cx.find_known(node.child_by_field_name(side)));
            let items: Vec<ExprId> = sides.into_iter().flatten().collect();
            let expr = cx.builder.union(&items);
            return cx.set_expr(node, expr);
        }
        "." => Literal::Str,
        "+" | "-" | "*" | "/" | "%" | "**" | "<<" | ">>" | "|" | "&" | "^" | "<=>" => Literal::Int,
        _ => Literal::Bool,
    };
    let expr = cx.builder.expr(Expr::Literal(literal));
    cx.set_expr(node, expr);
}
