//! Definitions: parameters in several lists, extensions, givens, self types.

use tree_sitter::Node;

use super::super::outline::{Bind, Define, Draft, Mark, NoBody, Outline, Pick, field};
use super::names::name_package_object;
use crate::facts::{BindingTarget, DefFlags, DefKind, Expr, Namespace, ParameterKind, ScopeKind};
use crate::walk::Enter;

static FUNCTION: Define = Define { params: Pick::None, result: field("return_type"), ..Define::FUNCTION };
static GIVEN_OBJECT: Define = Define { kind: DefKind::Object, ..Define::CLASS };
static GIVEN: Bind = Bind { ty: field("return_type"), value: field("body"), ..Bind::VARIABLE };
static PARAMETER: Bind = Bind { value: field("default_value"), ..Bind::VARIABLE };
static ANONYMOUS: Define = Define { name: Pick::None, anonymous: true, body: Pick::None, ..Define::CLASS };

/// Returns whether a list is the first that a call writes arguments for. Those behind it are parameters by name:
/// a call of the function without them is a call of it.
fn is_first_list(cx: &Outline<'_>, list: Node<'_>) -> bool {
    let text = cx.text(list);
    let inner = text.trim_start_matches('(').trim_start();
    if inner.starts_with("implicit ") || inner.starts_with("using ") {
        return false;
    }
    let mut before = list.prev_named_sibling();
    while let Some(node) = before {
        if node.kind() == list.kind() {
            return false;
        }
        before = node.prev_named_sibling();
    }
    true
}

/// The lists of parameters of a function.
fn list_parameters<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    Pick::Kind(&["parameters"]).all(node, None)
}

pub(super) fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    match node.kind() {
        "function_definition" | "function_declaration" => {
            let lists = list_parameters(node);
            for &list in &lists {
                cx.mark(list, Mark::Params);
            }
            if draft.name.as_deref() == Some("this") {
                draft.flags.is_constructor = true;
                draft.bound = false;
            } else if !lists.iter().any(|list| is_first_list(cx, *list)) {
                draft.flags.is_property = true;
            }
            if let Some(ty) = find_extended(cx, node) {
                draft.extends = Some(ty);
                draft.bound &= extension_around(node).is_none();
            }
            if cx.owner_kind() != Some(DefKind::Trait) && cx.owner_kind() != Some(DefKind::Class) {
                draft.no_body = NoBody::Nothing;
            }
        }
        "package_object" => draft.bound = false,
        "simple_enum_case" | "full_enum_case" => draft.flags.is_static = true,
        _ => {}
    }
}

/// The extension that a function is written in.
fn extension_around(function: Node<'_>) -> Option<Node<'_>> {
    function.parent().filter(|parent| parent.kind() == "extension_definition")
}

/// The parameter of an extension that is the receiver of its functions.
fn find_receiver(extension: Node<'_>) -> Option<Node<'_>> {
    let mut lists = list_parameters(extension).into_iter();
    lists.find_map(|list| Pick::Kind(&["parameter"]).get(list, None))
}

/// The type that the values of a function's receiver have, if that is not the class around it: of an extension, or of
/// the parameter of an implicit class.
fn find_extended<'t>(cx: &Outline<'_>, function: Node<'t>) -> Option<Node<'t>> {
    if let Some(extension) = extension_around(function) {
        return find_receiver(extension)?.child_by_field_name("type");
    }
    let class = function.parent()?.parent().filter(|class| class.kind() == "class_definition")?;
    let modifiers = Pick::Kind(&["modifiers"]).get(class, None)?;
    if !cx.text(modifiers).split_whitespace().any(|word| word == "implicit") {
        return None;
    }
    let parameters = Pick::Kind(&["class_parameters"]).get(class, None)?;
    let parameter = Pick::Kind(&["class_parameter"]).get(parameters, None)?;
    parameter.child_by_field_name("type")
}

pub(super) fn enter_function(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.open_define(&FUNCTION, node, parent);
    let receiver = extension_around(node).and_then(find_receiver);
    if let Some(receiver) = receiver
        && let Some(name) = receiver.child_by_field_name("name")
        && cx.frame_kind() == Some(DefKind::Function)
    {
        let declared = cx.find_known(receiver.child_by_field_name("type"));
        let text = cx.name_text(name);
        cx.add_parameter(text, ParameterKind::Receiver, declared, None);
    }
    Enter::Descend
}

/// `extension (x: T) …`: a scope in which the receiver is known; its functions belong to what is around it.
pub(super) fn enter_extension(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Generics);
    Enter::Descend
}

pub(super) fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&PARAMETER, node, parent);
    Enter::Descend
}

/// Returns whether a parameter takes all that is left.
fn is_rest(node: Node<'_>) -> bool {
    node.child_by_field_name("type").is_some_and(|ty| ty.kind() == "repeated_parameter_type")
}

pub(super) fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(list) = parent else { return };
    if list.parent().is_some_and(|around| around.kind() == "extension_definition") {
        if let Some(name) = node.child_by_field_name("name") {
            let declared = cx.find_known(node.child_by_field_name("type"));
            cx.bind_local(name, declared, None);
        }
        return;
    }
    let kind = match is_first_list(cx, list) {
        true if is_rest(node) => ParameterKind::Rest,
        true => ParameterKind::Plain,
        false => ParameterKind::Keyword,
    };
    // A default counts, whatever it is.
    if let Some(default) = node.child_by_field_name("default_value")
        && cx.find_known(Some(default)).is_none()
    {
        let unknown = cx.builder.unknown();
        cx.set_expr(default, unknown);
    }
    cx.leave_param(&PARAMETER, kind, node, parent);
}

/// `val`, `var` and all parameters of the first list of a case class are fields.
pub(super) fn leave_class_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let declared = cx.find_known(node.child_by_field_name("type"));
    let default = node.child_by_field_name("default_value");
    let default = default.map(|default| cx.find_known(Some(default)).unwrap_or(cx.builder.unknown()));
    let is_first = parent.is_none_or(|list| is_first_list(cx, list));
    let text = cx.name_text(name);
    let kind = match is_first {
        true if is_rest(node) => ParameterKind::Rest,
        true => ParameterKind::Plain,
        false => ParameterKind::Keyword,
    };
    cx.add_parameter(text, kind, declared, default);
    let words = cx.words_before(node.start_byte(), name.start_byte());
    let is_field = is_first && cx.is_case_class() || words.iter().any(|word| matches!(*word, "val" | "var"));
    if is_field {
        let visibility = cx.visibility(&words, text);
        cx.field_of_parameter(node, name, declared, DefFlags::default(), visibility);
    } else {
        cx.bind_in_body(name, declared);
    }
}

/// Names and bounds of type parameters stand side by side in the list.
pub(super) fn enter_type_parameters(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in field("name").all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    cx.set_in_type();
    Enter::Descend
}

pub(super) fn leave_type_parameters(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let names = field("name").all(node, None);
    if parent.is_some_and(|parent| matches!(parent.kind(), "extension_definition")) {
        // They belong to each of its functions, which do not repeat them.
        for name in names {
            let scope = cx.scope();
            let name = cx.builder.name(cx.name_text(name));
            cx.builder.bind(scope, name, Namespace::Type, BindingTarget::Opaque);
        }
        return;
    }
    let bounds = Pick::Kind(&["upper_bound"]).all(node, None);
    for (index, name) in names.iter().enumerate() {
        let end = names.get(index + 1).map_or(usize::MAX, |next| next.start_byte());
        let bound = bounds.iter().find(|bound| bound.start_byte() > name.start_byte() && bound.start_byte() < end);
        let bound = cx.find_known(bound.copied());
        cx.add_type_param(*name, bound);
    }
}

/// The body of `new Type { … }` is an anonymous class with that base.
pub(super) fn template_body(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(parent) = parent.filter(|parent| parent.kind() == "instance_expression") else { return Enter::Descend };
    let base = cx.find_known(parent.named_child(0));
    cx.open_define(&ANONYMOUS, node, None);
    if let (Some(base), Some(frame)) = (base, cx.frame()) {
        frame.bases.push(base);
    }
    cx.enter_body();
    Enter::Descend
}

/// `self: T =>`: another name of the receiver, which has the members of the type as well.
pub(super) fn enter_self_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.named_child(0).filter(|name| name.kind() == "identifier") {
        cx.mark(name, Mark::Skip);
    }
    cx.set_in_type();
    Enter::Descend
}

pub(super) fn leave_self_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let name = node.named_child(0).filter(|name| name.kind() == "identifier");
    let ty = Pick::Last.get(node, None).filter(|ty| Some(*ty) != name);
    if let Some(ty) = cx.find_known(ty)
        && let Some(frame) = cx.frame()
    {
        // Behind all that the class is derived from.
        frame.bases.insert(0, ty);
    }
    let Some(name) = name.filter(|name| cx.text(*name) != "this") else { return };
    let this = cx.keyword_expr(false);
    let scope = cx.scope();
    let name = cx.builder.name(cx.name_text(name));
    cx.builder.bind(scope, name, Namespace::Value, BindingTarget::Value(this));
}

/// `given Type with { … }` is an object of that type, `given name: Type = value` a value.
pub(super) fn enter_given(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let body = node.child_by_field_name("body").filter(|body| body.kind() == "with_template_body");
    let Some(_) = body else {
        cx.enter_bind(&GIVEN, node, parent);
        return Enter::Descend;
    };
    let ty = Pick::Field("return_type").get(node, None);
    match node.child_by_field_name("name") {
        Some(_) => cx.open_define(&GIVEN_OBJECT, node, parent),
        None => {
            // The name that the compiler gives it.
            let text = ty.map_or("", |ty| cx.text(ty));
            let name: String = text.split(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>().join("_");
            let name = format!("given_{}", name.trim_end_matches('_'));
            cx.open_named(&GIVEN_OBJECT, node, parent, node, name);
        }
    }
    if let Some(ty) = ty {
        cx.mark(ty, Mark::Inherit(true));
    }
    Enter::Descend
}

pub(super) fn leave_given(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_bind(&GIVEN, node, parent);
}

static PACKAGE_OBJECT: Define = Define::like_class(DefKind::Object);

/// `package object a { … }` has no name in the package around it; its members are those of the package `a`.
pub(super) fn enter_package_object(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let name = node.child_by_field_name("name").map(|name| cx.name_text(name).to_owned());
    let scope = cx.scope();
    cx.open_define(&PACKAGE_OBJECT, node, parent);
    if let (Some(name), Some(id)) = (name, cx.frame().map(|frame| frame.id)) {
        let bound = name_package_object(cx, &name);
        cx.builder.bind(scope, bound, Namespace::Value, BindingTarget::Definition(id));
    }
    Enter::Descend
}

/// `(A, B) => C`
pub(super) fn leave_function_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let parameters = cx.arguments(node.child_by_field_name("parameter_types"));
    let result = cx.find_known(node.child_by_field_name("return_type")).unwrap_or(cx.builder.unknown());
    let expr = cx.builder.expr(Expr::Signature { parameters, result });
    cx.set_expr(node, expr);
}

/// A match has the value of its cases.
pub(super) fn leave_match(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("body"))
        && !matches!(cx.builder.facts().expr(value), Expr::Definition(_))
    {
        cx.set_expr(node, value);
    }
}
