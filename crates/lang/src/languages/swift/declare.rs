//! Imports, properties, parameters, cases of enums.

use super::super::outline::common::mentions;
use tree_sitter::Node;

use super::super::outline::{Define, Mark, NoBody, Outline, Pick, field};
use super::{COMPUTED, TYPE};
use crate::facts::{
    BindingTarget, Collection, DefFlags, DefKind, Expr, ExprId, Import, ImportFlags, ImportKind, Namespace, Parameter,
    ParameterKind, ScopeKind, Visibility,
};
use crate::walk::Enter;

/// Words that say what a single name of an import is.
const KINDS: &[&str] = &["class", "enum", "func", "let", "protocol", "struct", "typealias", "var"];

/// `import A` brings what module `A` declares, `import A.B` that of a part of it, `import class A.B` one name.
pub(super) fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = Pick::Kind(&["identifier"]).get(node, None) else { return Enter::Skip };
    let text = cx.text(path);
    let before = cx.words_before(node.start_byte(), path.start_byte());
    let names_one = before.iter().any(|word| KINDS.contains(word));
    let is_exported = before.iter().any(|word| word.ends_with("_exported"));
    let (kind, module, bound) = match text.rsplit_once('.') {
        Some((module, name)) if names_one => {
            let name = cx.builder.name(name);
            (ImportKind::Symbol(name), module, Some(name))
        }
        _ => (ImportKind::Wildcard, text.split('.').next().unwrap_or(text), None),
    };
    let flags = ImportFlags { reexport: is_exported, ..ImportFlags::default() };
    let module = cx.builder.name(module);
    let import = Import { kind, module, level: 0, path: None, scope: cx.scope(), pos: cx.source.pos(path), flags };
    cx.builder.import(import, bound);
    Enter::Skip
}

/// Cases, with the values that they carry as parameters.
pub(super) fn enum_entry(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let flags = DefFlags { is_static: true, ..DefFlags::default() };
    let mut ids = Vec::new();
    for name in field("name").all(node, None) {
        cx.mark(name, Mark::Skip);
        let text = cx.name_text(name);
        if !text.is_empty() {
            ids.push(cx.variable(DefKind::Variant, text, name, node, flags, Visibility::Public));
        }
    }
    for contents in field("data_contents").all(node, None) {
        for label in Pick::Kind(&["simple_identifier"]).all(contents, None) {
            cx.mark(label, Mark::Skip);
        }
    }
    if let Some(raw) = node.child_by_field_name("raw_value") {
        cx.mark(raw, Mark::None);
    }
    cx.remember(node, ids);
    Enter::Descend
}

pub(super) fn leave_enum_entry(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut ids = cx.take_remembered(node).into_iter();
    let mut current = None;
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    for child in children {
        match child.kind() {
            "simple_identifier" => current = ids.next(),
            "enum_type_parameters" => {
                let parameters = read_contents(cx, child);
                if let Some(id) = current {
                    cx.builder.parameters(id, &parameters);
                }
            }
            _ => {}
        }
    }
}

/// The values that a case carries.
fn read_contents(cx: &mut Outline<'_>, contents: Node<'_>) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut label = None;
    let mut cursor = contents.walk();
    let children: Vec<Node<'_>> = contents.children(&mut cursor).collect();
    for (place, &child) in children.iter().enumerate() {
        match child.kind() {
            "simple_identifier" if children.get(place + 1).is_some_and(|next| next.kind() == ":") => {
                label = Some(child);
            }
            kind if super::TYPES.contains(&kind) => {
                let name = label.take().map_or("_", |label| cx.name_text(label));
                let name = cx.builder.name(name);
                let declared = cx.find_known(Some(child));
                let has_default = children.get(place + 1).is_some_and(|next| next.kind() == "=");
                let default = has_default.then(|| cx.builder.unknown());
                parameters.push(Parameter { name, kind: ParameterKind::Plain, declared, default });
            }
            _ => {}
        }
    }
    parameters
}

/// One property of a declaration: its pattern, its type, its value.
pub(super) struct Property<'t> {
    pub(super) pattern: Node<'t>,
    pub(super) ty: Option<Node<'t>>,
    pub(super) value: Option<Node<'t>>,
}

pub(super) fn properties(node: Node<'_>) -> Vec<Property<'_>> {
    let mut all: Vec<Property<'_>> = Vec::new();
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return all;
    }
    loop {
        let child = cursor.node();
        match cursor.field_name() {
            Some("name") if child.kind() == "pattern" => all.push(Property { pattern: child, ty: None, value: None }),
            Some("value") if child.is_named() => {
                if let Some(last) = all.last_mut() {
                    last.value = Some(child);
                }
            }
            _ if child.kind() == "type_annotation" => {
                if let Some(last) = all.last_mut() {
                    last.ty = Some(child);
                }
            }
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            return all;
        }
    }
}

pub(super) fn enter_property(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let local = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    let all = properties(node);
    let mut ids = Vec::new();
    for property in &all {
        for name in cx.pattern_names(&[property.pattern]) {
            cx.mark(name, Mark::Skip);
            if local {
                continue;
            }
            if node.child_by_field_name("computed_value").is_some() {
                let text = cx.name_text(name).to_owned();
                let define = Define { no_body: NoBody::Nothing, ..COMPUTED };
                cx.open_named(&define, node, parent, name, text);
                if let Some(frame) = cx.frame() {
                    let id = frame.id;
                    cx.builder.definition_mut(id).flags.is_property = true;
                    cx.set_frame_result(property.ty);
                }
                return Enter::Descend;
            }
            ids.extend(cx.define_variable(DefKind::Variable, node, name, node, parent));
        }
    }
    if !local {
        cx.remember(node, ids);
    }
    Enter::Descend
}

/// Returns whether a value has one of the names that it is bound under.
fn hides_itself(cx: &Outline<'_>, property: &Property<'_>) -> bool {
    let Some(value) = property.value else { return false };
    let text = cx.text(value);
    cx.pattern_names(&[property.pattern]).into_iter().any(|name| mentions(text, cx.name_text(name)))
}

pub(super) fn leave_property(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let local = !cx.has_remembered(node);
    let mut ids = cx.take_remembered(node).into_iter();
    let all = properties(node);
    if local && all.iter().any(|property| hides_itself(cx, property)) {
        cx.open_scope_after_and_here(ScopeKind::Block);
    }
    for property in all {
        let declared = cx.find_known(property.ty);
        let value = cx.find_known(property.value);
        if let (Some(declared), Some(value)) = (declared, value) {
            expect_parameters(cx, declared, value);
        }
        let names = cx.pattern_names(&[property.pattern]);
        let count = names.len();
        for (index, name) in names.into_iter().enumerate() {
            let item = cx.item(value, index, count);
            if local {
                cx.bind_local(name, declared, item);
            } else if let Some(id) = ids.next() {
                cx.builder.definition_mut(id).declared = declared;
                cx.add_value(id, item);
            }
        }
    }
}

/// A closure has the parameters of the function type that it is written for.
fn expect_parameters(cx: &mut Outline<'_>, declared: ExprId, value: ExprId) {
    let facts = cx.builder.facts();
    let (Expr::Signature { parameters, .. }, Expr::Definition(def)) = (facts.expr(declared), facts.expr(value)) else {
        return;
    };
    let types = facts.list(parameters).to_vec();
    let mut own = facts.parameters(def).to_vec();
    if own.is_empty() {
        return;
    }
    for (parameter, ty) in own.iter_mut().zip(types) {
        parameter.declared = parameter.declared.or(Some(ty));
    }
    cx.builder.parameters(def, &own);
}

/// The label and the name of a parameter.
fn names_of(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let names = Pick::Kind(&["simple_identifier"]).all(node, None);
    match names.as_slice() {
        [] => None,
        [one] => Some((*one, *one)),
        [label, name, ..] => Some((*label, *name)),
    }
}

pub(super) fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in Pick::Kind(&["simple_identifier"]).all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// Returns whether a default follows a parameter.
fn has_default(node: Node<'_>) -> bool {
    node.next_sibling().is_some_and(|next| next.kind() == "=")
}

pub(super) fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some((label, name)) = names_of(node) else { return };
    if !cx.parent_is_frame() {
        return;
    }
    let declared = cx.find_known(TYPE.get(node, None));
    let rest = cx.text(node).trim_end().ends_with("...");
    let kind = if rest { ParameterKind::Rest } else { ParameterKind::Plain };
    let default = has_default(node).then(|| cx.builder.unknown());
    // Arguments of subscripts and operators have no label unless two names are written.
    let is_plain = label == name
        && parent.is_some_and(|parent| {
            let name = parent.child_by_field_name("name");
            let is_operator = name
                .is_some_and(|name| !cx.text(name).starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '`'));
            parent.kind() == "subscript_declaration" || is_operator
        });
    let label = if is_plain { "_" } else { cx.name_text(label) };
    let name = cx.name_text(name);
    cx.add_labelled_parameter((label, name), kind, declared, default);
}

pub(super) fn leave_lambda_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.parent_mark() == Mark::Params
        && let Some((_, name)) = names_of(node)
    {
        let declared = cx.find_known(TYPE.get(node, None));
        let name = cx.name_text(name);
        cx.add_labelled_parameter(("_", name), ParameterKind::Plain, declared, None);
    }
}

/// `[weak self, x = y]`
pub(super) fn enter_capture(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        let is_new = node.child_by_field_name("value").is_some();
        if is_new || cx.text(name) == "self" {
            cx.mark(name, Mark::Skip);
        }
    }
    Enter::Descend
}

pub(super) fn leave_capture(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let value = cx.find_known(node.child_by_field_name("value"));
    if let (Some(name), Some(value)) = (node.child_by_field_name("name"), value)
        && let Some(frame) = cx.frame()
    {
        let body = frame.body;
        let text = cx.name_text(name);
        // `[x = x]` is what stands outside.
        if !mentions(cx.text(node.child_by_field_name("value").unwrap_or(node)), text) {
            let name = cx.builder.name(text);
            cx.builder.bind(body, name, Namespace::Value, BindingTarget::Value(value));
        }
    }
}

/// `set(name) { … }`, where a new value has a name.
pub(super) fn enter_setter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let declared = cx.declared_result();
    let given = Pick::Kind(&["simple_identifier"]).get(node, None);
    cx.open_scope(ScopeKind::Block);
    let name = match given {
        Some(name) => {
            cx.mark(name, Mark::Skip);
            cx.name_text(name)
        }
        None if node.kind() == "didset_clause" => "oldValue",
        None => "newValue",
    };
    let target = declared.map_or(BindingTarget::Opaque, BindingTarget::Typed);
    let (scope, name) = (cx.scope(), cx.builder.name(name));
    cx.builder.bind(scope, name, Namespace::Value, target);
    Enter::Descend
}

/// `(A, B) -> C`
pub(super) fn leave_function_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let params = node.child_by_field_name("params");
    let items: Vec<Node<'_>> = match params {
        Some(params) => Pick::Kind(&["tuple_type_item"]).all(params, None),
        None => Vec::new(),
    };
    let types: Vec<ExprId> = items.into_iter().map(|item| cx.expr_of(item)).collect();
    let parameters = cx.builder.list(&types);
    let result = Pick::Last.get(node, None).map(|result| cx.expr_of(result));
    let result = result.unwrap_or(cx.builder.unknown());
    let expr = cx.builder.expr(Expr::Signature { parameters, result });
    cx.set_expr(node, expr);
}

/// `T: P` and `T.E == F` behind `where`.
pub(super) fn leave_constraint(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(constrained) = node.child_by_field_name("constrained_type") else { return };
    let text = cx.text(constrained);
    let Some(bound) = cx.find_known(TYPE.get(node, None)).filter(|_| !text.contains('.')) else { return };
    let name = cx.builder.name(text);
    let known = |frame: &mut super::super::outline::Frame| {
        frame.type_params.iter().position(|parameter| parameter.name == name)
    };
    let Some(place) = cx.frame().and_then(known) else { return };
    let before = cx.frame().and_then(|frame| frame.type_params[place].bound);
    let both = match before {
        Some(before) => cx.builder.union(&[before, bound]),
        None => bound,
    };
    if let Some(frame) = cx.frame() {
        frame.type_params[place].bound = Some(both);
    }
}

/// `(A, b: B)`; one type in parentheses is that type.
pub(super) fn enter_tuple_item(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.set_in_type();
    for name in Pick::Kind(&["simple_identifier"]).all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

pub(super) fn leave_tuple_item(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(expr) = cx.first_expr(node) {
        cx.set_expr(node, expr);
    }
}

pub(super) fn leave_tuple_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let items = Pick::Kind(&["tuple_type_item"]).all(node, None);
    let types: Vec<ExprId> = items.into_iter().map(|item| cx.expr_of(item)).collect();
    let expr = match types.as_slice() {
        [one] => *one,
        many => {
            let items = cx.builder.list(many);
            cx.builder.expr(Expr::Collection { kind: Collection::Tuple, items })
        }
    };
    cx.set_expr(node, expr);
}
