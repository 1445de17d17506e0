//! What the context expects of a value: `.name` is a member of its type.

use tree_sitter::Node;

use super::super::outline::{Outline, Pick};
use super::TYPE;
use crate::facts::{Expr, ExprId};

/// Longest text of a value that is searched for a member without a type, in bytes.
const MAX_TEXT: usize = 2_000;

/// Returns whether a value may be, or hold, a member that is written without its type.
pub(super) fn may_be_implicit(cx: &Outline<'_>, value: Node<'_>) -> bool {
    let text = cx.text(value);
    let is_open = |text: &str| text.trim_start().starts_with('.');
    match value.kind() {
        "prefix_expression" | "call_expression" | "navigation_expression" => is_open(text),
        "ternary_expression"
        | "array_literal"
        | "dictionary_literal"
        | "tuple_expression"
        | "nil_coalescing_expression"
        | "try_expression"
        | "await_expression" => {
            let text = crate::text::clip(text, MAX_TEXT);
            text.match_indices('.').any(|(place, _)| {
                let before = text[..place].trim_end().chars().next_back();
                before.is_none_or(|c| matches!(c, '(' | '[' | ':' | '?' | ',') || text[..place].ends_with("try "))
            })
        }
        _ => false,
    }
}

/// Notes what is expected of a node by what is around it, unless it was noted before.
pub(super) fn expect_by_parent(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    if cx.expected.contains_key(&node.id()) || !may_be_implicit(cx, node) {
        return;
    }
    if let Some(expr) = parent.and_then(|parent| find_expected(cx, node, parent)) {
        cx.expected.insert(node.id(), expr);
    }
}

/// A value as it is expected of a node by its parent.
fn find_expected(cx: &mut Outline<'_>, node: Node<'_>, parent: Node<'_>) -> Option<ExprId> {
    let is_in = |field: &str| parent.child_by_field_name(field) == Some(node);
    let around = cx.expected.get(&parent.id()).copied();
    match parent.kind() {
        "equality_expression" | "comparison_expression" | "infix_expression" | "range_expression" => {
            cx.find_known(parent.child_by_field_name("lhs")).filter(|_| is_in("rhs"))
        }
        "assignment" => cx.find_known(parent.child_by_field_name("target")).filter(|_| is_in("result")),
        "nil_coalescing_expression" => match is_in("if_nil") {
            true => around.or_else(|| cx.find_known(parent.child_by_field_name("value"))),
            false => around,
        },
        "array_literal" => around.map(|base| cx.builder.expr(Expr::Element { base })),
        "dictionary_literal" if is_in("key") => None,
        "dictionary_literal" => around.map(|base| cx.builder.expr(Expr::Index { base })),
        "navigation_expression" | "call_expression" if parent.named_child(0) == Some(node) => around,
        "ternary_expression" if !is_in("condition") => around,
        "tuple_expression" if parent.named_child_count() == 1 => around,
        "try_expression" | "await_expression" => around,
        "attribute" => {
            let callee = cx.find_known(Pick::Kind(&["user_type"]).get(parent, None))?;
            let place = super::calls::attribute_arguments(parent).iter().position(|(_, value)| *value == node)?;
            let place = place + usize::from(super::calls::wraps_value(parent));
            Some(cx.builder.expr(Expr::Given { by: callee, parameter: place as u32 }))
        }
        "property_declaration" => {
            let declared = super::declare::properties(parent).into_iter().find(|one| one.value == Some(node))?.ty;
            instance(cx, declared)
        }
        // The default of the parameter before it.
        "function_declaration" | "init_declaration" | "subscript_declaration" => {
            let parameter = node.prev_named_sibling().filter(|before| before.kind() == "parameter")?;
            instance(cx, TYPE.get(parameter, None))
        }
        "control_transfer_statement" if is_in("result") => {
            let of = cx.declared_result()?;
            Some(cx.builder.expr(Expr::Instance { of }))
        }
        // A body of one expression returns it.
        "statements" if parent.named_child_count() == 1 => {
            let is_body = |around: Node<'_>| {
                matches!(around.kind(), "function_body" | "computed_property" | "computed_getter" | "switch_entry")
            };
            let of = cx.declared_result().filter(|_| parent.parent().is_some_and(is_body))?;
            Some(cx.builder.expr(Expr::Instance { of }))
        }
        _ => None,
    }
}

fn instance(cx: &mut Outline<'_>, ty: Option<Node<'_>>) -> Option<ExprId> {
    let of = cx.find_known(ty)?;
    Some(cx.builder.expr(Expr::Instance { of }))
}

/// Passes on what is expected of a node that is only a frame around others.
pub(super) fn enter_frame(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> crate::walk::Enter {
    expect_by_parent(cx, node, parent);
    let inner = Pick::Field("expr").get(node, None);
    if let Some(inner) = inner {
        let mark = cx.current_mark();
        cx.mark(inner, mark);
    }
    crate::walk::Enter::Descend
}
