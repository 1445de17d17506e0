//! Where the statements of a function can stand before the statement that calls it.

use tree_sitter::Node;

use super::callee::Callee;
use super::flow::may_skip;
use super::inline::Standing;
use super::list_named;
use super::results_of;
use crate::Language;

/// Parts of statements that run once, before everything else in them.
const HEADS: &[(&str, &str)] = &[
    ("if_statement", "condition"),
    ("if_expression", "condition"),
    ("for_statement", "right"),
    ("for_in_statement", "right"),
    ("for_expression", "value"),
    ("enhanced_for_statement", "value"),
    ("match_statement", "subject"),
    ("match_expression", "value"),
    ("switch_statement", "value"),
    ("expression_switch_statement", "value"),
];

/// Leaves whose value nothing changes.
const FIXED: &[&str] = &[
    "string_fragment", "string_content", "string_start", "property_identifier", "field_identifier", "type_identifier",
    "predefined_type", "primitive_type", "type_annotation", "type", "generic_type", "type_arguments",
    "mutable_specifier", "modifiers", "keyword", "true", "false", "null", "none", "nil", "undefined", "this", "self",
    "number", "integer", "float", "string", "null_literal", "lambda", "arrow_function", "func_literal",
    "function_expression", "function",
];

/// Returns whether a list of statements is the body of a class.
pub(super) fn is_class_body(list: Node<'_>) -> bool {
    list.parent().is_some_and(|parent| parent.kind() == "class_definition")
}

/// The statement around a call that evaluates nothing before the call which the function could change or notice.
pub(super) fn find_hoist<'t>(callee: &Callee<'_, '_>, call: Node<'t>, text: &str) -> Option<Node<'t>> {
    let mut at = call;
    while let Some(parent) = at.parent() {
        let kind = parent.kind();
        if callee.rules.blocks.contains(&kind) {
            return (!is_class_body(parent)).then_some(at);
        }
        let field = HEADS.iter().find(|(head, _)| *head == kind).map(|row| row.1);
        let is_head = field.is_some_and(|field| parent.child_by_field_name(field) == Some(at));
        let is_range = kind == "for_statement" && at.kind() == "range_clause";
        let is_closed = callee.rules.functions.contains(&kind)
            || callee.rules.loops.contains(&kind) && !is_head && !is_range
            || matches!(
                kind,
                "interpolation" | "template_substitution" | "format_expression" | "decorator" | "let_condition" | "let_chain"
                    | "else_clause" | "elif_clause" | "macro_invocation" | "token_tree" | "class_body"
                    | "explicit_constructor_invocation"
            )
            // These run the call later.
            || matches!(kind, "defer_statement" | "go_statement") && at == call
            || kind.ends_with("comprehension")
            || kind == "generator_expression";
        let may_skip = !is_head && !is_range && may_skip(callee.rules, parent, at);
        if is_closed || may_skip || !is_first(callee, parent, at, text) {
            return None;
        }
        at = parent;
    }
    None
}

/// Returns whether what a node evaluates before one of its parts keeps its value while the function runs.
fn is_first(callee: &Callee<'_, '_>, parent: Node<'_>, part: Node<'_>, text: &str) -> bool {
    let is_assignment = parent.kind().contains("assignment") || parent.kind() == "short_var_declaration";
    // Python evaluates a place that gets a value behind the value.
    if is_assignment && parent.child_by_field_name("left") == Some(part) {
        return false;
    }
    // The names of a loop get their values behind what it goes through.
    if parent.kind() == "range_clause" || HEADS.iter().any(|(head, _)| *head == parent.kind()) {
        let is_name = |field: &str| ["left", "name", "pattern", "type", "kind"].contains(&field);
        let mut cursor = parent.walk();
        return parent.children(&mut cursor).enumerate().take_while(|(_, child)| *child != part).all(|(at, child)| {
            let field = parent.field_name_for_child(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or_default();
            !child.is_named() || is_name(field) || child.is_extra() || child.kind() == "modifiers"
        });
    }
    let is_update = parent.kind().contains("augmented") || parent.kind().contains("compound");
    list_named(parent).into_iter().take_while(|child| *child != part).all(|child| {
        let is_left =
            parent.child_by_field_name("left") == Some(child) || parent.child_by_field_name("name") == Some(child);
        match is_left && (is_assignment && !is_update || parent.kind() == "variable_declarator") {
            true => is_target(child),
            false => is_fixed(callee, child, text),
        }
    })
}

/// Returns whether a place that gets a value is evaluated without effects: a name, or a member of one.
fn is_target(node: Node<'_>) -> bool {
    let mut rest = vec![node];
    while let Some(at) = rest.pop() {
        let is_plain = at.named_child_count() == 0
            || matches!(
                at.kind(),
                "attribute"
                    | "member_expression"
                    | "selector_expression"
                    | "field_expression"
                    | "field_access"
                    | "expression_list"
                    | "pattern_list"
                    | "mut_pattern"
            );
        if !is_plain {
            return false;
        }
        rest.extend(list_named(at));
    }
    true
}

/// Returns whether an expression has the same value before and after the function runs.
fn is_fixed(callee: &Callee<'_, '_>, node: Node<'_>, text: &str) -> bool {
    let kind = node.kind();
    let own = text.get(node.byte_range()).unwrap_or_default();
    let is_member =
        matches!(kind, "attribute" | "member_expression" | "selector_expression" | "field_expression" | "field_access");
    if FIXED.contains(&kind) && list_named(node).iter().all(|child| child.kind() != "interpolation")
        || kind.ends_with("_literal") && kind != "composite_literal"
    {
        return true;
    }
    // A name that the function does not use either.
    if kind == "identifier" {
        return !callee.list_free().iter().any(|(name, _)| *name == own) || is_called(node);
    }
    // The function that is called with the value.
    is_member && is_called(node) && {
        let base = list_named(node).first().copied();
        base.is_some_and(|base| match base.kind() {
            "identifier" | "this" | "self" => true,
            _ => {
                let words = text.get(base.byte_range()).unwrap_or_default();
                let is_path = words.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
                is_path && words.split('.').skip(1).all(|word| !callee.locals.words.contains(word))
            }
        })
    }
}

fn is_called(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        ["function", "constructor"].iter().any(|field| parent.child_by_field_name(field) == Some(node))
    })
}

/// How a call stands in its function, if nothing else is in its statement.
pub(super) fn find_standing(callee: &Callee<'_, '_>, statement: Node<'_>, call: Node<'_>, text: &str) -> Standing {
    let mut function = statement.parent();
    while let Some(node) = function.filter(|node| !callee.rules.functions.contains(&node.kind())) {
        function = node.parent();
    }
    let Some(function) = function.filter(|_| !has_own_yield(callee, function)) else { return Standing::Alone };
    let inner = if statement.kind() == "expression_statement" {
        statement.named_child(0).unwrap_or(statement)
    } else {
        statement
    };
    let value = list_named(inner).first().copied();
    let value =
        value.filter(|value| value.kind() != "expression_list").or_else(|| value.and_then(|list| list.named_child(0)));
    let is_returned = callee.rules.returns.contains(&inner.kind()) && value == Some(call);
    let is_typed = !matches!(callee.language, Language::Python | Language::JavaScript);
    let kinds =
        || (results_of(callee.language, callee.function, callee.text), results_of(callee.language, function, text));
    if is_returned {
        let is_same = !is_typed || {
            let (own, around) = kinds();
            own.is_some() && own == around
        };
        // The value at the end of a body of Rust would have to be returned.
        let is_known = callee.language != Language::Rust && !has_named_results(callee.function);
        return if is_same && is_known { Standing::Returned } else { Standing::Alone };
    }
    let body = function.child_by_field_name("body");
    let list = statement.parent();
    let is_body = body.is_some() && (list == body || list.and_then(|list| list.parent()) == body);
    let is_last = list.and_then(|list| list_named(list).last().copied()) == Some(statement);
    match is_body && is_last && inner == call && callee.language != Language::Rust {
        true => Standing::Last,
        false => Standing::Alone,
    }
}

/// Returns whether a function of Go names its results.
fn has_named_results(function: Node<'_>) -> bool {
    function.child_by_field_name("result").is_some_and(|list| {
        list.kind() == "parameter_list"
            && list_named(list).iter().any(|part| part.child_by_field_name("name").is_some())
    })
}

/// Returns whether a function is a generator.
fn has_own_yield(callee: &Callee<'_, '_>, function: Option<Node<'_>>) -> bool {
    let mut rest: Vec<Node<'_>> = function.into_iter().flat_map(list_named).collect();
    while let Some(node) = rest.pop() {
        if matches!(node.kind(), "yield" | "yield_expression") {
            return true;
        }
        if !callee.rules.functions.contains(&node.kind()) {
            rest.extend(list_named(node));
        }
    }
    false
}
