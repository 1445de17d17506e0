//! Definitions: classes with their traits, functions, parameters and properties, each with the types in its comment.

use tree_sitter::Node;

use super::super::outline::{Mark, Outline, Pick};
use super::documented::{self, Tags};
use super::{ENUM, FUNCTION, INTERFACE, PARAMETER, PROPERTY, TRAIT};
use crate::facts::{BindingTarget, DefFlags, Expr, ExprId, Namespace, ParameterKind};
use crate::languages::outline::Define;
use crate::walk::Enter;

pub(super) fn enter_class(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let define = match node.kind() {
        "interface_declaration" => &INTERFACE,
        "trait_declaration" => &TRAIT,
        "enum_declaration" => &ENUM,
        _ => &Define::CLASS,
    };
    let comment = cx.comment_before(cx.extent(node, parent).start_byte());
    cx.open_define(define, node, parent);
    if let Some(comment) = comment
        && let Some(body) = cx.frame().map(|frame| frame.body)
    {
        documented::declare_members(cx, comment, body);
    }
    Enter::Descend
}

pub(super) fn enter_function(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let comment = cx.comment_place_before(cx.extent(node, parent).start_byte());
    cx.open_define(&FUNCTION, node, parent);
    let written = node.child_by_field_name("return_type");
    let Some(frame) = cx.frame() else { return Enter::Descend };
    frame.comment = comment;
    let id = frame.id;
    // What the comment says counts where the code says nothing, or less.
    if let Some((start, end)) = comment
        && written.is_none_or(|written| documented::is_vague(cx.text(written)))
        && let Some(text) = Tags::of(cx.source.whole().get(start..end).unwrap_or("")).find("return", None)
        && let Some(declared) = documented::parse_type(cx, text)
    {
        cx.set_frame_result(None);
        cx.builder.definition_mut(id).declared = Some(declared);
    }
    Enter::Descend
}

/// The type that the comment of the function around says a parameter has, if the code says less.
fn documented_parameter(cx: &mut Outline<'_>, node: Node<'_>, name: &str) -> Option<ExprId> {
    let vague = node.child_by_field_name("type").is_none_or(|written| documented::is_vague(cx.text(written)));
    let (start, end) = cx.frame().and_then(|frame| frame.comment).filter(|_| vague)?;
    let comment = cx.source.whole().get(start..end)?;
    let text = Tags::of(comment).find("param", Some(name))?;
    documented::parse_type(cx, text)
}

pub(super) fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&PARAMETER, node, parent);
    Enter::Descend
}

pub(super) fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_param(&PARAMETER, ParameterKind::Plain, node, parent);
    let Some(name) = node.child_by_field_name("name") else { return };
    let text = cx.text(name).to_owned();
    if let Some(declared) = documented_parameter(cx, node, &text) {
        cx.declare_parameter(name, Some(declared));
    }
}

/// A parameter of a constructor that is a property, too.
pub(super) fn leave_promoted(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    leave_parameter(cx, node, parent);
    let Some(name) = node.child_by_field_name("name") else { return };
    let text = cx.text(name).trim_start_matches('&').to_owned();
    let declared = match documented_parameter(cx, node, &text) {
        Some(declared) => Some(declared),
        None => cx.find_known(node.child_by_field_name("type")),
    };
    let words = cx.words_before(node.start_byte(), name.start_byte());
    let visibility = cx.visibility(&words, "");
    cx.field_of_parameter(node, name, declared, DefFlags::default(), visibility);
}

pub(super) fn enter_property(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.enter_bind(&PROPERTY, node, parent);
    Enter::Descend
}

pub(super) fn leave_property(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let ids = cx.take_remembered(node);
    cx.remember(node, ids.clone());
    cx.leave_bind(&PROPERTY, node, parent);
    let whole = parent.unwrap_or(node);
    let vague = whole.child_by_field_name("type").is_none_or(|written| documented::is_vague(cx.text(written)));
    let comment = cx.comment_before(whole.start_byte()).filter(|_| vague);
    let text = comment.and_then(|comment| Tags::of(comment).find("var", None));
    let declared = text.and_then(|text| documented::parse_type(cx, text));
    for &id in &ids {
        if declared.is_some() {
            cx.builder.definition_mut(id).declared = declared;
        }
        if let Some(name) = node.child_by_field_name("name") {
            cx.assigned_before(name, id);
        }
    }
}

/// `use A, B { … }`: the traits come before the base class.
pub(super) fn enter_traits(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in Pick::Kind(&["name", "qualified_name", "relative_name"]).all(node, None) {
        cx.mark(name, Mark::Inherit(false));
    }
    Enter::Descend
}

pub(super) fn leave_traits(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let names = Pick::Kind(&["name", "qualified_name", "relative_name"]).all(node, None);
    let traits: Vec<ExprId> = names.into_iter().filter_map(|name| cx.find_known(Some(name))).collect();
    if let Some(list) = Pick::Kind(&["use_list"]).get(node, None) {
        adapt_traits(cx, list, &traits);
    }
    if let Some(frame) = cx.frame() {
        frame.bases.splice(0..0, traits);
    }
}

/// Clauses of one `use { … }` that are read.
const MAX_CLAUSES: usize = 64;

/// `a as b;`, `A::a as protected b;`, `A::a insteadof B;`: names that the class gives to methods of its traits.
fn adapt_traits(cx: &mut Outline<'_>, list: Node<'_>, traits: &[ExprId]) {
    let mut cursor = list.walk();
    let clauses: Vec<Node<'_>> = list.named_children(&mut cursor).take(MAX_CLAUSES).collect();
    for clause in clauses {
        let Some(first) = clause.named_child(0) else { continue };
        let scoped = first.kind() == "class_constant_access_expression";
        let (of, method) = match scoped {
            true => (first.named_child(0), Pick::Last.get(first, None)),
            false => (None, Some(first)),
        };
        let Some(method) = method else { continue };
        let scope = cx.scope();
        let base = match of {
            Some(of) => super::names::resolve_qualified(cx, cx.text(of), scope),
            None => cx.builder.union(traits),
        };
        let value = cx.builder.expr(Expr::Instance { of: base });
        let text = cx.text(method);
        super::calls::take_method(cx, value, text, method);
        let own = match clause.kind() {
            "use_as_clause" => Pick::Last.get(clause, None).filter(|name| name.kind() == "name" && *name != first),
            _ => Some(method),
        };
        let Some(own) = own else { continue };
        let (name, method) = (cx.builder.name(cx.text(own)), cx.builder.name(text));
        let given = cx.builder.expr(Expr::Implicit { base: value, name: method });
        cx.builder.bind(scope, name, Namespace::Callee, BindingTarget::Value(given));
    }
}
