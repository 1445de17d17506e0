//! Scala: objects and case classes, several parameter lists, patterns, extensions, infix calls.

use tree_sitter::Node;

use super::outline::common::{block, descend, nothing, record_implied};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{Collection, DefKind, Expr, ImportKind, Literal, ParameterKind, Role, Visibility};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    this: &["this"],
    super_: &["super"],
    type_fields: &["type", "return_type"],
    type_parameters: &["type_parameters"],
    decorators: &["annotation"],
    modifiers: &["modifiers"],
    access: &[("private", Visibility::Private), ("protected", Visibility::Protected)],
    test_decorators: &["Test"],
    adjust,
    ..Grammar::new(|| tree_sitter_scala::LANGUAGE.into(), RULES)
};

static CLASS: Define = Define { params: Pick::Kind(&["class_parameters"]), ..Define::CLASS };
static VARIANT: Define = Define { kind: DefKind::Variant, ..CLASS };
static OBJECT: Define = Define::like_class(DefKind::Object);
static TRAIT: Define = Define::like_class(DefKind::Trait);
static ENUM: Define = Define::like_class(DefKind::Enum);
static PACKAGE: Define = Define::like_class(DefKind::Module);
static ANONYMOUS: Define = Define { name: Pick::None, anonymous: true, body: Pick::None, ..Define::CLASS };
static FUNCTION: Define = Define { params: Pick::None, result: field("return_type"), ..Define::FUNCTION };
static LAMBDA: Define = Define { body: Pick::Last, ..Define::LAMBDA };
static EXTENSION: Define =
    Define { kind: DefKind::Impl, name: Pick::None, params: field("parameters"), ..Define::CLASS };
static ALIAS: Define = Define { kind: DefKind::TypeAlias, body: Pick::None, result: field("type"), ..Define::CLASS };
static VALUE: Bind = Bind { names: field("pattern"), ..Bind::VARIABLE };
static GIVEN: Bind = Bind { ty: field("return_type"), value: field("body"), ..Bind::VARIABLE };
static PARAMETER: Bind = Bind { value: field("default_value"), ..Bind::VARIABLE };
static BINDING: Bind = Bind { value: Pick::None, ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("package_clause", Rule::Custom(package, nothing)),
    ("import_declaration", Rule::Custom(import, nothing)),
    ("export_declaration", Rule::Skip),
    ("class_definition", Rule::Define(&CLASS)),
    ("object_definition", Rule::Define(&OBJECT)),
    ("package_object", Rule::Define(&OBJECT)),
    ("trait_definition", Rule::Define(&TRAIT)),
    ("enum_definition", Rule::Define(&ENUM)),
    ("simple_enum_case", Rule::Define(&VARIANT)),
    ("full_enum_case", Rule::Define(&VARIANT)),
    ("extends_clause", Rule::Bases),
    ("template_body", Rule::Custom(template_body, nothing)),
    ("class_parameter", Rule::Custom(enter_parameter, leave_class_parameter)),
    ("function_definition", Rule::Define(&FUNCTION)),
    ("function_declaration", Rule::Define(&FUNCTION)),
    ("extension_definition", Rule::Define(&EXTENSION)),
    ("type_definition", Rule::Define(&ALIAS)),
    ("val_definition", Rule::Bind(&VALUE)),
    ("var_definition", Rule::Bind(&VALUE)),
    ("val_declaration", Rule::Bind(&Bind::VARIABLE)),
    ("var_declaration", Rule::Bind(&Bind::VARIABLE)),
    ("given_definition", Rule::Bind(&GIVEN)),
    ("parameter", Rule::Custom(enter_parameter, leave_parameter)),
    ("binding", Rule::Param(&BINDING, ParameterKind::Plain)),
    ("lambda_expression", Rule::Define(&LAMBDA)),
    ("block", Rule::Sequence(true)),
    ("indented_block", Rule::Sequence(true)),
    ("for_expression", Rule::Block),
    ("enumerator", Rule::Custom(enter_enumerator, leave_enumerator)),
    ("case_clause", Rule::Custom(enter_case, leave_case)),
    ("case_class_pattern", Rule::Plain),
    ("annotation", Rule::Decorator(field("name"))),
    ("arguments", Rule::Values),
    ("call_expression", Rule::Call(field("function"), field("arguments"))),
    ("instance_expression", Rule::Call(Pick::Nth(0), field("arguments"))),
    ("generic_function", Rule::Generic(field("function"), field("type_arguments"))),
    ("field_expression", Rule::Member(field("value"), field("field"))),
    ("stable_identifier", Rule::Member(Pick::Nth(0), Pick::Last)),
    ("stable_type_identifier", Rule::Member(Pick::Nth(0), Pick::Last)),
    ("infix_expression", Rule::Custom(enter_infix, leave_infix)),
    ("operator_identifier", Rule::Skip),
    ("assignment_expression", Rule::Assign(field("left"))),
    ("parenthesized_expression", Rule::Forward),
    ("return_expression", Rule::Return),
    ("ascription_expression", Rule::Forward),
    ("if_expression", Rule::Union(&["consequence", "alternative"])),
    ("tuple_expression", Rule::Collection(Collection::Tuple)),
    ("generic_type", Rule::Generic(field("type"), field("type_arguments"))),
    ("type_arguments", Rule::Type),
    ("compound_type", Rule::Type),
    ("annotated_type", Rule::Type),
    ("tuple_type", Rule::TypeOf(Collection::Tuple)),
    ("function_type", Rule::Function(field("return_type"))),
    ("type_parameters", Rule::Custom(enter_type_parameters, leave_type_parameters)),
    ("upper_bound", Rule::Type),
    ("lower_bound", Rule::Type),
    ("identifier", Rule::Name),
    ("type_identifier", Rule::TypeName),
    ("wildcard", Rule::Skip),
    ("floating_point_literal", Rule::Literal(Literal::Float)),
];

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    match node.kind() {
        "function_definition" | "function_declaration" => {
            for list in Pick::Kind(&["parameters"]).all(node, None) {
                cx.mark(list, Mark::Params);
            }
            if draft.name.as_deref() == Some("this") {
                draft.flags.is_constructor = true;
                draft.bound = false;
            }
        }
        "extension_definition" => {
            let parameter = draft.params.and_then(|params| params.named_child(0));
            let ty = parameter.and_then(|parameter| parameter.child_by_field_name("type"));
            draft.name = ty.map(|ty| cx.text(ty).to_owned());
            draft.name_node = ty;
            draft.visit_name = true;
            draft.extends = ty;
            draft.bound = false;
            draft.no_body = NoBody::Nothing;
        }
        "simple_enum_case" | "full_enum_case" => draft.flags.is_static = true,
        _ => {}
    }
}

/// `package a.b` at the top of a file; with a body a namespace inside of it.
fn package(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if node.child_by_field_name("body").is_some() {
        cx.open_define(&PACKAGE, node, parent);
        return Enter::Descend;
    }
    let Some(name) = node.child_by_field_name("name") else { return Enter::Skip };
    let text = cx.text(name);
    let before = cx.builder.facts().package.map(|before| format!("{}.{text}", cx.builder.facts().name(before)));
    let name = cx.builder.name(before.as_deref().unwrap_or(text));
    cx.builder.facts_mut().package = Some(name);
    Enter::Skip
}

/// `import a.b.C`, `import a.b.{C, D => E, _}`, `import a.b._`.
fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let path: Vec<&str> = field("path").all(node, None).into_iter().map(|part| cx.text(part)).collect();
    let last = field("path").all(node, None).last().copied();
    let module = path.join(".");
    let selectors = Pick::Kind(&["namespace_selectors"]).get(node, None);
    let wildcard = Pick::Kind(&["namespace_wildcard"]).get(node, None);
    match (selectors, wildcard) {
        (Some(selectors), _) => select(cx, selectors, &module),
        (None, Some(wildcard)) => {
            cx.add_import(ImportKind::Wildcard, &module, None, wildcard);
        }
        (None, None) => {
            let (Some(last), Some((name, before))) = (last, path.split_last()) else { return Enter::Skip };
            let symbol = cx.builder.name(name);
            cx.add_import(ImportKind::Symbol(symbol), &before.join("."), Some(symbol), last);
        }
    }
    Enter::Skip
}

fn select(cx: &mut Outline<'_>, selectors: Node<'_>, module: &str) {
    let mut cursor = selectors.walk();
    for selector in selectors.named_children(&mut cursor).collect::<Vec<_>>() {
        if selector.kind() == "namespace_wildcard" {
            cx.add_import(ImportKind::Wildcard, module, None, selector);
            continue;
        }
        let name = selector.child_by_field_name("name").unwrap_or(selector);
        let alias = selector.child_by_field_name("alias").unwrap_or(name);
        let (symbol, alias) = (cx.builder.name(cx.text(name)), cx.builder.name(cx.text(alias)));
        cx.add_import(ImportKind::Symbol(symbol), module, Some(alias), name);
    }
}

/// The body of `new Type { … }` is an anonymous class with that base.
fn template_body(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(parent) = parent.filter(|parent| parent.kind() == "instance_expression") else { return Enter::Descend };
    let base = cx.find_known(parent.named_child(0));
    cx.open_define(&ANONYMOUS, node, None);
    if let (Some(base), Some(frame)) = (base, cx.frame()) {
        frame.bases.push(base);
    }
    cx.enter_body();
    Enter::Descend
}

/// `val`, `var` and all parameters of a case class are fields.
fn leave_class_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let declared = cx.find_known(node.child_by_field_name("type"));
    let default = cx.find_known(node.child_by_field_name("default_value"));
    let is_field = cx.is_case_class();
    cx.class_parameter(node, name, declared, default, is_field);
}

fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&PARAMETER, node, parent);
    Enter::Descend
}

fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_param(&PARAMETER, ParameterKind::Plain, node, parent);
    if cx.frame_kind() == Some(DefKind::Impl)
        && cx.parent_mark() == Mark::Params
        && let Some(name) = node.child_by_field_name("name")
    {
        let declared = cx.find_known(node.child_by_field_name("type"));
        cx.bind_in_body(name, declared);
    }
}

fn enter_enumerator(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in cx.pattern_names(&Vec::from_iter(node.named_child(0))) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// `x <- xs` takes elements, `y = e` a value.
fn leave_enumerator(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if node.named_child_count() < 2 {
        return;
    }
    let value = cx.find_known(node.named_child(1));
    let takes = cx.text(node).contains("<-");
    let value = value.map(|base| if takes { cx.builder.expr(Expr::Element { base }) } else { base });
    let names = cx.pattern_names(&Vec::from_iter(node.named_child(0)));
    let count = names.len();
    for (index, name) in names.into_iter().enumerate() {
        let item = cx.item(value, index, count);
        cx.bind_local(name, None, item);
    }
}

/// Names in a pattern that start in lower case are bound by it; others are compared with.
fn list_bound<'t>(cx: &Outline<'_>, pattern: Option<Node<'t>>) -> Vec<Node<'t>> {
    let names = cx.pattern_names(&Vec::from_iter(pattern));
    names.into_iter().filter(|name| cx.text(*name).starts_with(|c: char| c.is_lowercase() || c == '_')).collect()
}

fn enter_case(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    for name in list_bound(cx, node.child_by_field_name("pattern")) {
        cx.mark(name, Mark::Skip);
    }
    block(cx, node, parent)
}

fn leave_case(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let pattern = node.child_by_field_name("pattern");
    let typed = pattern.filter(|pattern| pattern.kind() == "typed_pattern");
    let declared = typed.and_then(|typed| cx.find_known(typed.child_by_field_name("type")));
    for name in list_bound(cx, pattern) {
        cx.bind_local(name, declared, None);
    }
}

/// `a method b` calls a method of `a`.
fn enter_infix(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(operator) = node.child_by_field_name("operator") {
        cx.mark(operator, Mark::Skip);
    }
    descend(cx, node, parent)
}

fn leave_infix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (Some(operator), Some(left)) = (node.child_by_field_name("operator"), node.child_by_field_name("left")) else {
        return;
    };
    if cx.in_type() {
        return;
    }
    if operator.kind() != "identifier" {
        let method = cx.text(operator);
        return record_implied(cx, Some(left), method, operator);
    }
    let base = cx.expr_of(left);
    let text = cx.name_text(operator);
    let callee = cx.builder.member(base, text);
    cx.refer_with(callee, Role::Call, 1, operator);
    let right = cx.find_known(node.child_by_field_name("right"));
    let args = cx.builder.list(&Vec::from_iter(right));
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

/// Names and bounds of type parameters stand side by side in the list.
fn enter_type_parameters(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in field("name").all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_type_parameters(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let bounds = field("bound").all(node, None);
    let names = field("name").all(node, None);
    for (index, name) in names.iter().enumerate() {
        let end = names.get(index + 1).map_or(usize::MAX, |next| next.start_byte());
        let bound = bounds.iter().find(|bound| bound.start_byte() > name.start_byte() && bound.start_byte() < end);
        let bound = cx.find_known(bound.copied());
        cx.add_type_param(*name, bound);
    }
}
