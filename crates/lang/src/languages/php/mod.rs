//! PHP: namespaces, `use` of classes, functions and traits, variables without declarations, promoted parameters.

use tree_sitter::Node;

use super::outline::common::{descend, forward, named_argument, nothing};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{
    BindingTarget, Collection, DefFlags, DefKind, Expr, ExprId, ImportKind, Literal, Namespace, ParameterKind,
    PathRoot, ScopeKind, Visibility,
};
use crate::parse::Layout;
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    layout: Layout::BracketsInPage,
    type_fields: &["type", "return_type"],
    name_kinds: &["variable_name", "name"],
    this: &["this"],
    super_: &["parent"],
    self_type: &["self", "static"],
    decorators: &["attribute_list"],
    access: &[("public", Visibility::Public), ("protected", Visibility::Protected), ("private", Visibility::Private)],
    test_decorators: &["Test"],
    spreads: &["variadic_unpacking"],
    sigils: &['$', '&'],
    wrappers: &[("const_declaration", true)],
    adjust,
    ..Grammar::new(|| tree_sitter_php::LANGUAGE_PHP.into(), RULES)
};

static INTERFACE: Define = Define::like_class(DefKind::Interface);
static TRAIT: Define = Define::like_class(DefKind::Trait);
static ENUM: Define = Define::like_class(DefKind::Enum);
static NAMESPACE: Define = Define::like_class(DefKind::Module);
static ANONYMOUS: Define = Define { name: Pick::None, anonymous: true, ..Define::CLASS };
static FUNCTION: Define = Define { result: field("return_type"), ..Define::FUNCTION };
static LAMBDA: Define = Define { result: field("return_type"), ..Define::LAMBDA };
static CONSTANT: Bind =
    Bind { names: Pick::Nth(0), ty: Pick::None, value: Pick::Last, kind: DefKind::Constant, ..Bind::VARIABLE };
static CASE: Bind = Bind { ty: Pick::None, kind: DefKind::Variant, ..Bind::VARIABLE };
static PROPERTY: Bind = Bind { ty: Pick::Up("type"), value: field("default_value"), ..Bind::VARIABLE };
static PARAMETER: Bind = Bind { value: field("default_value"), ..Bind::VARIABLE };
static CATCH: Bind = Bind { value: Pick::None, ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("namespace_definition", Rule::Custom(namespace, nothing)),
    ("namespace_use_declaration", Rule::Custom(uses, nothing)),
    ("const_element", Rule::Bind(&CONSTANT)),
    ("class_declaration", Rule::Define(&Define::CLASS)),
    ("interface_declaration", Rule::Define(&INTERFACE)),
    ("trait_declaration", Rule::Define(&TRAIT)),
    ("enum_declaration", Rule::Define(&ENUM)),
    ("enum_case", Rule::Bind(&CASE)),
    ("anonymous_class", Rule::Define(&ANONYMOUS)),
    ("base_clause", Rule::Bases),
    ("class_interface_clause", Rule::Implements),
    ("use_declaration", Rule::Bases),
    ("use_list", Rule::Skip),
    ("property_element", Rule::Bind(&PROPERTY)),
    ("method_declaration", Rule::Define(&FUNCTION)),
    ("function_definition", Rule::Define(&FUNCTION)),
    ("anonymous_function", Rule::Define(&LAMBDA)),
    ("arrow_function", Rule::Define(&LAMBDA)),
    ("simple_parameter", Rule::Param(&PARAMETER, ParameterKind::Plain)),
    ("variadic_parameter", Rule::Param(&PARAMETER, ParameterKind::Rest)),
    ("property_promotion_parameter", Rule::Custom(enter_promoted, leave_promoted)),
    ("global_declaration", Rule::Custom(global, nothing)),
    ("foreach_statement", Rule::Custom(enter_foreach, leave_foreach)),
    ("catch_clause", Rule::Bind(&CATCH)),
    ("type_list", Rule::Union(&[])),
    ("return_statement", Rule::Return),
    ("goto_statement", Rule::Skip),
    ("named_label_statement", Rule::Skip),
    ("assignment_expression", Rule::Custom(enter_assignment, leave_assignment)),
    ("include_expression", Rule::Custom(include, nothing)),
    ("include_once_expression", Rule::Custom(include, nothing)),
    ("require_expression", Rule::Custom(include, nothing)),
    ("require_once_expression", Rule::Custom(include, nothing)),
    ("attribute", Rule::Decorator(Pick::Kind(&["name", "qualified_name"]))),
    ("arguments", Rule::Values),
    ("argument", Rule::Custom(named_argument, forward)),
    ("function_call_expression", Rule::Custom(enter_call, leave_call)),
    ("member_call_expression", Rule::Method(field("object"), field("name"), field("arguments"))),
    ("nullsafe_member_call_expression", Rule::Method(field("object"), field("name"), field("arguments"))),
    ("scoped_call_expression", Rule::Method(field("scope"), field("name"), field("arguments"))),
    ("object_creation_expression", Rule::Call(Pick::Nth(0), Pick::Kind(&["arguments"]))),
    ("member_access_expression", Rule::Member(field("object"), field("name"))),
    ("nullsafe_member_access_expression", Rule::Member(field("object"), field("name"))),
    ("scoped_property_access_expression", Rule::Path(field("scope"), field("name"))),
    ("class_constant_access_expression", Rule::Path(Pick::Nth(0), Pick::Last)),
    ("subscript_expression", Rule::Index(Pick::Nth(0))),
    ("parenthesized_expression", Rule::Forward),
    ("reference_assignment_expression", Rule::Custom(enter_assignment, leave_assignment)),
    ("conditional_expression", Rule::Union(&["body", "alternative"])),
    ("clone_expression", Rule::Forward),
    ("array_creation_expression", Rule::Collection(Collection::List)),
    ("array_element_initializer", Rule::Forward),
    ("qualified_name", Rule::Custom(skip, leave_qualified)),
    ("relative_scope", Rule::Name),
    ("named_type", Rule::Type),
    ("optional_type", Rule::Type),
    ("union_type", Rule::Union(&[])),
    ("intersection_type", Rule::Union(&[])),
    ("primitive_type", Rule::Primitive),
    ("bottom_type", Rule::Primitive),
    ("variable_name", Rule::Name),
    ("name", Rule::Name),
    ("dynamic_variable_name", Rule::Plain),
    ("text", Rule::Skip),
    ("php_tag", Rule::Skip),
    ("encapsed_string", Rule::Literal(Literal::Str)),
    ("heredoc", Rule::Literal(Literal::Str)),
    ("nowdoc", Rule::Literal(Literal::Str)),
    ("boolean", Rule::Literal(Literal::Bool)),
];

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    match node.kind() {
        "method_declaration" => {
            let name = draft.name.as_deref().unwrap_or("");
            draft.flags.is_constructor = name == "__construct";
            let tested = cx.owner_name().is_some_and(|owner| owner.ends_with("Test"));
            let said = cx.doc_before(node.start_byte()).is_some_and(|doc| doc.contains("@test"));
            draft.flags.is_test = tested && (name.starts_with("test") || said);
        }
        "function_definition" => draft.no_body = NoBody::Nothing,
        _ => {}
    }
}

/// A namespace without a body holds for the rest of the file.
fn namespace(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if node.child_by_field_name("body").is_some() {
        cx.open_define(&NAMESPACE, node, parent);
    } else if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
        let name = cx.builder.name(cx.text(name));
        cx.builder.facts_mut().package = Some(name);
    }
    Enter::Descend
}

/// `use A\B;`, `use A\{B, C as D};`, `use function A\f;`: one import each, the module being what stands before the
/// name.
fn uses(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let prefix = Pick::Kind(&["namespace_name"]).get(node, None).map_or("", |prefix| cx.text(prefix));
    let body = node.child_by_field_name("body").unwrap_or(node);
    for clause in Pick::Kind(&["namespace_use_clause", "namespace_use_group_clause"]).all(body, None) {
        let Some(path) = Pick::Kind(&["qualified_name", "name", "namespace_name"]).get(clause, None) else { continue };
        let text = cx.text(path).trim_start_matches('\\');
        let (before, name) = text.rsplit_once('\\').unwrap_or(("", text));
        let module = match (prefix, before) {
            ("", before) => before.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, before) => format!("{prefix}\\{before}"),
        };
        let symbol = cx.builder.name(name);
        let alias = clause.child_by_field_name("alias").map(|alias| cx.builder.name(cx.text(alias)));
        cx.add_import(ImportKind::Symbol(symbol), &module, Some(alias.unwrap_or(symbol)), path);
    }
    Enter::Skip
}

/// `require 'x.php'` and `require __DIR__ . '/x.php'`, which is relative to this file.
fn include(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(mut value) = node.named_child(0) else { return Enter::Skip };
    if value.kind() == "parenthesized_expression" {
        value = value.named_child(0).unwrap_or(value);
    }
    let mut here = "";
    if value.kind() == "binary_expression" {
        let left = value.child_by_field_name("left").map_or("", |left| cx.text(left));
        match value.child_by_field_name("right") {
            Some(right) if left == "__DIR__" || left == "dirname(__FILE__)" => {
                here = ".";
                value = right;
            }
            _ => return Enter::Descend,
        }
    }
    if matches!(value.kind(), "string" | "encapsed_string") && value.named_child_count() <= 1 {
        let module = format!("{here}{}", cx.text(value).trim_matches(['\'', '"']));
        cx.add_import(ImportKind::Include, &module, None, value);
        return Enter::Skip;
    }
    Enter::Descend
}

fn enter_promoted(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&PARAMETER, node, parent);
    Enter::Descend
}

fn leave_promoted(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_param(&PARAMETER, ParameterKind::Plain, node, parent);
    if let Some(name) = node.child_by_field_name("name") {
        let declared = cx.find_known(node.child_by_field_name("type"));
        let words = cx.words_before(node.start_byte(), name.start_byte());
        let visibility = cx.visibility(&words, "");
        cx.field_of_parameter(node, name, declared, DefFlags::default(), visibility);
    }
}

fn global(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in cx.pattern_names(&[node]) {
        let text = cx.name_text(name);
        let name = cx.builder.name(text);
        let scope = cx.variable_scope();
        cx.builder.bind(scope, name, Namespace::Value, BindingTarget::Outer(true));
    }
    Enter::Skip
}

/// What a `foreach` assigns: all children between what it iterates over and its body.
fn targets(node: Node<'_>) -> Vec<Node<'_>> {
    let body = node.child_by_field_name("body").map(|body| body.id());
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .skip(1)
        .take_while(|child| Some(child.id()) != body)
        .collect()
}

fn enter_foreach(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in cx.pattern_names(&targets(node)) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_foreach(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let over = cx.find_known(node.named_child(0));
    let element = over.map(|base| cx.builder.expr(Expr::Element { base }));
    let targets = targets(node);
    let names = cx.pattern_names(&targets);
    let keyed = targets.first().is_some_and(|target| target.kind() == "pair");
    for (index, name) in names.into_iter().enumerate() {
        let value = match (keyed, index) {
            (false, 0) | (true, 1) => element,
            _ => None,
        };
        cx.assign_local(name, value);
    }
}

fn is_variable(node: Node<'_>) -> bool {
    matches!(node.kind(), "variable_name" | "list_literal" | "array_creation_expression")
}

fn is_global(cx: &Outline<'_>) -> bool {
    let scope = cx.builder.facts().scopes[cx.variable_scope().index()];
    matches!(scope.kind, ScopeKind::File | ScopeKind::Module)
}

fn enter_assignment(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(left) = node.child_by_field_name("left") else { return Enter::Descend };
    if is_variable(left) {
        let global = is_global(cx);
        for name in cx.pattern_names(&[left]) {
            cx.mark(name, Mark::Skip);
            if global {
                cx.assign_global(DefKind::Variable, name, node, None);
            }
        }
    } else {
        cx.mark(left, Mark::Write);
    }
    Enter::Descend
}

fn leave_assignment(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let value = cx.find_known(node.child_by_field_name("right"));
    let left = node.child_by_field_name("left").filter(|left| is_variable(*left));
    let Some(left) = left else { return };
    let names = cx.pattern_names(&[left]);
    let count = names.len();
    let global = is_global(cx);
    for (index, name) in names.into_iter().enumerate() {
        let item = cx.item(value, index, count);
        if global {
            cx.assign_global(DefKind::Variable, name, node, item);
        } else {
            cx.assign_local(name, item);
        }
    }
    if let Some(value) = value {
        cx.set_expr(node, value);
    }
}

fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(function) = node.child_by_field_name("function") {
        let arity = cx.arity(node.child_by_field_name("arguments"));
        cx.mark(function, Mark::Call(arity));
    }
    Enter::Descend
}

/// `define('NAME', value)` makes a constant.
fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let rule = Rule::Call(field("function"), field("arguments"));
    cx.leave_expr(rule, node, parent);
    let called = node.child_by_field_name("function").map_or("", |function| cx.text(function));
    let arguments = node.child_by_field_name("arguments");
    if called == "define"
        && cx.scope_kind() == ScopeKind::File
        && let Some(name) = arguments.and_then(|arguments| arguments.named_child(0)?.named_child(0)?.named_child(0))
        && name.kind() == "string_content"
    {
        let value = cx.find_known(arguments.and_then(|arguments| arguments.named_child(1)));
        cx.assign_global(DefKind::Constant, name, node, value);
    }
}

fn skip(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).collect::<Vec<_>>() {
        cx.mark(child, Mark::Skip);
    }
    descend(cx, node, parent)
}

/// `A\B\c` and `\A\b`, which starts at the global namespace.
fn leave_qualified(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let text = cx.text(node);
    let mut parts = text.split('\\').map(str::trim).take(64);
    let scope = cx.scope();
    let first = parts.next().unwrap_or("");
    let mut expr: ExprId = if first.is_empty() {
        cx.builder.expr(Expr::Root { root: PathRoot::Global, scope })
    } else {
        cx.builder.name_expr(first, scope)
    };
    for part in parts.filter(|part| !part.is_empty()) {
        expr = cx.builder.path(expr, part);
    }
    let last = Pick::Last.get(node, None).unwrap_or(node);
    cx.finish_expr(node, last, expr);
}
