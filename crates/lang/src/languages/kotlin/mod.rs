//! Kotlin: primary constructors, properties, extensions, companion objects, lambdas.

use tree_sitter::Node;

use super::outline::common::{descend, nothing, record_implied};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{DefKind, Expr, Import, ImportFlags, ImportKind, Literal, ParameterKind, ScopeKind, Visibility};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    type_parameters: &["type_parameters"],
    decorators: &["annotation"],
    modifiers: &["modifiers"],
    access: &[
        ("public", Visibility::Public),
        ("internal", Visibility::Package),
        ("protected", Visibility::Protected),
        ("private", Visibility::Private),
    ],
    test_decorators: &["Test", "ParameterizedTest", "RepeatedTest"],
    spreads: &["spread_expression"],
    adjust,
    ..Grammar::new(|| tree_sitter_kotlin_ng::LANGUAGE.into(), RULES)
};

const TYPES: &[&str] = &["user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type"];
const NAME: Pick = Pick::Kind(&["identifier"]);
const TYPE: Pick = Pick::Kind(TYPES);

static CLASS: Define =
    Define { body: Pick::Kind(&["class_body", "enum_class_body"]), name: field("name"), ..Define::CLASS };
static OBJECT: Define = Define { kind: DefKind::Object, ..CLASS };
static COMPANION: Define = Define { kind: DefKind::Object, name: Pick::None, ..CLASS };
static ANONYMOUS: Define = Define { anonymous: true, name: Pick::None, ..CLASS };
static VARIANT: Define = Define { kind: DefKind::Variant, name: NAME, ..CLASS };
static FUNCTION: Define = Define {
    params: Pick::Kind(&["function_value_parameters"]),
    body: Pick::Kind(&["function_body"]),
    ..Define::FUNCTION
};
static CONSTRUCTOR: Define = Define {
    name: Pick::None,
    params: Pick::Kind(&["function_value_parameters"]),
    body: Pick::Kind(&["block"]),
    constructor: true,
    no_body: NoBody::Nothing,
    ..Define::FUNCTION
};
static LAMBDA: Define = Define { params: Pick::Kind(&["lambda_parameters"]), body: Pick::None, ..Define::LAMBDA };
static ALIAS: Define =
    Define { kind: DefKind::TypeAlias, name: field("type"), body: Pick::None, result: Pick::Last, ..Define::CLASS };
static PARAMETER: Bind = Bind { names: NAME, ty: TYPE, value: Pick::None, ..Bind::LOCAL };
static PROPERTY: Bind = Bind {
    names: Pick::Kind(&["variable_declaration", "multi_variable_declaration"]),
    ty: Pick::None,
    value: Pick::None,
    ..Bind::VARIABLE
};

static RULES: &[(&str, Rule)] = &[
    ("package_header", Rule::Custom(package, nothing)),
    ("import", Rule::Custom(import, nothing)),
    ("class_declaration", Rule::Define(&CLASS)),
    ("object_declaration", Rule::Define(&OBJECT)),
    ("companion_object", Rule::Define(&COMPANION)),
    ("object_literal", Rule::Define(&ANONYMOUS)),
    ("enum_entry", Rule::Define(&VARIANT)),
    ("type_alias", Rule::Define(&ALIAS)),
    ("delegation_specifier", Rule::Bases),
    ("constructor_invocation", Rule::Forward),
    ("explicit_delegation", Rule::Forward),
    ("value_arguments", Rule::Values),
    ("value_argument", Rule::Custom(argument, leave_argument)),
    ("primary_constructor", Rule::Custom(primary, nothing)),
    ("class_parameter", Rule::Custom(enter_parameter, leave_class_parameter)),
    ("function_declaration", Rule::Define(&FUNCTION)),
    ("secondary_constructor", Rule::Define(&CONSTRUCTOR)),
    ("constructor_delegation_call", Rule::Plain),
    ("function_value_parameters", Rule::Custom(descend, leave_parameters)),
    ("parameter", Rule::Custom(enter_parameter, nothing)),
    ("parameter_modifiers", Rule::Plain),
    ("lambda_literal", Rule::Define(&LAMBDA)),
    ("annotated_lambda", Rule::Forward),
    ("anonymous_function", Rule::Define(&LAMBDA)),
    ("lambda_parameters", Rule::Plain),
    ("variable_declaration", Rule::Custom(enter_variable, leave_variable)),
    ("property_declaration", Rule::Custom(enter_property, leave_property)),
    ("function_body", Rule::Forward),
    ("block", Rule::Block),
    ("anonymous_initializer", Rule::Block),
    ("getter", Rule::Block),
    ("setter", Rule::Block),
    ("when_expression", Rule::Block),
    ("when_entry", Rule::Block),
    ("when_subject", Rule::Custom(descend, leave_subject)),
    ("for_statement", Rule::Custom(block, leave_for)),
    ("catch_block", Rule::Custom(enter_catch, leave_catch)),
    ("return_expression", Rule::Return),
    ("annotation", Rule::Custom(annotation, nothing)),
    ("call_expression", Rule::Custom(enter_call, leave_call)),
    ("navigation_expression", Rule::Member(Pick::Nth(0), Pick::Last)),
    ("callable_reference", Rule::Forward),
    ("index_expression", Rule::Custom(descend, leave_index)),
    ("binary_expression", Rule::Custom(descend, leave_binary)),
    ("infix_expression", Rule::Custom(enter_infix, leave_infix)),
    ("in_expression", Rule::Custom(descend, leave_in)),
    ("range_expression", Rule::Custom(descend, leave_range)),
    ("as_expression", Rule::Instance(field("right"))),
    ("parenthesized_expression", Rule::Forward),
    ("unary_expression", Rule::Custom(descend, leave_unary)),
    ("assignment", Rule::Assign(Pick::Nth(0))),
    ("directly_assignable_expression", Rule::Forward),
    ("if_expression", Rule::Plain),
    ("user_type", Rule::Custom(user_type, leave_user_type)),
    ("nullable_type", Rule::Type),
    ("non_nullable_type", Rule::Type),
    ("parenthesized_type", Rule::Type),
    ("type_arguments", Rule::Type),
    ("type_projection", Rule::Type),
    ("function_type", Rule::Function(Pick::Last)),
    ("function_type_parameters", Rule::Type),
    ("type_parameter", Rule::TypeParam(NAME, TYPE)),
    ("type_constraint", Rule::Without(Pick::Nth(0))),
    ("identifier", Rule::Name),
    ("this_expression", Rule::This),
    ("super_expression", Rule::Super),
    ("label", Rule::Skip),
    ("package_header_name", Rule::Skip),
    ("multiline_string_literal", Rule::Literal(Literal::Str)),
    ("float_literal", Rule::Literal(Literal::Float)),
];

/// Operators and the functions that they call.
const BINARY: &[(&str, &str)] = &[
    ("!=", "equals"),
    ("%", "rem"),
    ("*", "times"),
    ("+", "plus"),
    ("-", "minus"),
    ("/", "div"),
    ("<", "compareTo"),
    ("<=", "compareTo"),
    ("==", "equals"),
    (">", "compareTo"),
    (">=", "compareTo"),
];
const UNARY: &[(&str, &str)] = &[("!", "not"), ("+", "unaryPlus"), ("++", "inc"), ("-", "unaryMinus"), ("--", "dec")];

fn function_of(table: &[(&str, &'static str)], operator: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == operator).map(|(_, function)| *function)
}

fn leave_binary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(operator) = node.child_by_field_name("operator") else { return };
    if let Some(function) = function_of(BINARY, operator.kind()) {
        record_implied(cx, node.child_by_field_name("left"), function, operator);
    }
}

fn leave_unary(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Forward, node, parent);
    let Some(operator) = node.child_by_field_name("operator") else { return };
    if let Some(function) = function_of(UNARY, operator.kind()) {
        record_implied(cx, node.child_by_field_name("argument"), function, operator);
    }
}

/// `a[i]`
fn leave_index(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Index(Pick::Nth(0)), node, parent);
    let is_written = parent.is_some_and(|parent| parent.kind() == "assignment" && parent.named_child(0) == Some(node));
    let at = node.child(1).unwrap_or(node);
    record_implied(cx, node.named_child(0), if is_written { "set" } else { "get" }, at);
}

fn enter_infix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(function) = node.named_child(1).filter(|_| node.named_child_count() == 3) {
        cx.mark(function, Mark::Skip);
    }
    Enter::Descend
}

/// `a shl b` calls the function of that name.
fn leave_infix(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (Some(left), Some(function)) = (node.named_child(0), node.named_child(1)) else { return };
    if function.kind() == "identifier" && node.named_child_count() == 3 {
        let name = cx.name_text(function).to_owned();
        record_implied(cx, Some(left), &name, function);
    }
}

/// `a in b`
fn leave_in(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let at = node.child(1).unwrap_or(node);
    record_implied(cx, node.child_by_field_name("right"), "contains", at);
}

/// `a..b`
fn leave_range(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(operator) = node.child(1) else { return };
    let function = if operator.kind() == "..<" { "rangeUntil" } else { "rangeTo" };
    record_implied(cx, node.named_child(0), function, operator);
}

fn block(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    Enter::Descend
}

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    match node.kind() {
        "class_declaration" => {
            if draft.words.contains(&"interface") {
                draft.kind = DefKind::Interface;
            } else if draft.words.contains(&"enum") {
                draft.kind = DefKind::Enum;
            }
        }
        "companion_object" => {
            let name = NAME.get(node, None);
            draft.name = Some(name.map_or("Companion", |name| cx.text(name)).to_owned());
            draft.name_node = name;
            draft.flags.is_static = true;
        }
        "enum_entry" => draft.flags.is_static = true,
        "secondary_constructor" => {
            draft.name = Some("constructor".to_owned());
            draft.bound = false;
        }
        "function_declaration" => function(cx, node, draft),
        _ => {}
    }
}

/// The receiver type of an extension stands before the name, the result after the parameters.
fn function<'t>(cx: &mut Outline<'_>, node: Node<'t>, draft: &mut Draft<'_, 't>) {
    let Some(mut name) = draft.name_node else { return };
    if name.is_missing()
        && let Some(ty) = Pick::Kind(&["user_type"]).get(node, None)
        && let Some(&last) = NAME.all(ty, None).last()
    {
        // The grammar takes `Type.name` of an extension for a type and misses the name.
        cx.mark(ty, Mark::Declared);
        draft.name = Some(cx.name_text(last).to_owned());
        draft.name_node = Some(last);
        name = last;
    }
    let mut cursor = node.walk();
    let types: Vec<Node<'t>> = node.named_children(&mut cursor).filter(|child| TYPES.contains(&child.kind())).collect();
    for ty in types {
        if ty.end_byte() <= name.end_byte() {
            draft.extends = Some(ty);
            draft.bound = matches!(cx.scope_kind(), ScopeKind::File);
        } else {
            draft.result = Some(ty);
        }
    }
    if !matches!(cx.frame_kind(), Some(DefKind::Interface)) && !draft.words.contains(&"abstract") {
        draft.no_body = NoBody::Nothing;
    }
}

fn package(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.named_child(0) {
        let name = cx.builder.name(cx.text(name));
        cx.builder.facts_mut().package = Some(name);
    }
    Enter::Skip
}

fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = Pick::Kind(&["qualified_identifier", "identifier"]).get(node, None) else { return Enter::Skip };
    let text = cx.text(path);
    let all = cx.text(node).trim_end().ends_with('*');
    let alias = Pick::Last.get(node, None).filter(|last| last.id() != path.id() && last.kind() == "identifier");
    let (kind, module, bound) = match text.rsplit_once('.') {
        Some((module, name)) if !all => {
            let symbol = cx.builder.name(name);
            let bound = alias.map_or(symbol, |alias| cx.builder.name(cx.text(alias)));
            (ImportKind::Symbol(symbol), module, Some(bound))
        }
        _ => (ImportKind::Wildcard, text, None),
    };
    let module = cx.builder.name(module);
    let (scope, pos) = (cx.scope(), cx.source.pos(path));
    let import = Import { kind, module, level: 0, path: None, scope, pos, flags: ImportFlags::default() };
    cx.builder.import(import, bound);
    Enter::Skip
}

fn primary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(list) = Pick::Kind(&["class_parameters"]).get(node, None) {
        cx.mark(list, Mark::Params);
    }
    Enter::Descend
}

fn value_after_equals(node: Node<'_>) -> Option<Node<'_>> {
    let last = Pick::Last.get(node, None)?;
    let is_value = last.kind() != "identifier" || node.child_count() > 1;
    let plain = TYPES.contains(&last.kind()) || last.kind() == "modifiers";
    let follows = last.prev_sibling().is_some_and(|before| before.kind() == "=");
    (is_value && !plain && follows).then_some(last)
}

/// `val` and `var` make a parameter of the primary constructor a property.
fn leave_class_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = NAME.get(node, None) else { return };
    let declared = cx.find_known(TYPE.get(node, None));
    let default = cx.find_known(value_after_equals(node));
    cx.class_parameter(node, name, declared, default, false);
}

fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&PARAMETER, node, parent);
    Enter::Descend
}

/// Modifiers and default values are siblings of the parameters.
fn leave_parameters(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.current_mark() != Mark::Params {
        return;
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let mut kind = ParameterKind::Plain;
    for (index, child) in children.iter().enumerate() {
        match child.kind() {
            "parameter_modifiers" if cx.text(*child).contains("vararg") => kind = ParameterKind::Rest,
            "parameter" => {
                let Some(name) = NAME.get(*child, None) else { continue };
                let declared = cx.find_known(TYPE.get(*child, None));
                let next = children.get(index + 1).copied();
                let next = next.filter(|next| !matches!(next.kind(), "parameter" | "parameter_modifiers"));
                let default = cx.find_known(next);
                let text = cx.name_text(name);
                cx.add_parameter(text, kind, declared, default);
                kind = ParameterKind::Plain;
            }
            _ => {}
        }
    }
}

fn enter_variable(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = NAME.get(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// A variable of a lambda's parameter list; others are bound by what holds them.
fn leave_variable(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.parent_mark() == Mark::Params
        && let Some(name) = NAME.get(node, None)
    {
        let declared = cx.find_known(TYPE.get(node, None));
        let text = cx.name_text(name);
        cx.add_parameter(text, ParameterKind::Plain, declared, None);
    }
}

fn enter_property(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let names = cx.names_of(&PROPERTY, node, parent);
    if !matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block) {
        let mut ids = Vec::new();
        for &name in &names {
            let words = cx.words_before(node.start_byte(), name.start_byte());
            let constant = words.contains(&"const");
            let kind = if constant { DefKind::Constant } else { DefKind::Variable };
            ids.extend(cx.define_variable(kind, node, name, node, parent));
        }
        cx.remember(node, ids);
    }
    for name in names {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_property(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let declaration = PROPERTY.names.get(node, parent);
    let declared = declaration.and_then(|declaration| cx.find_known(TYPE.get(declaration, None)));
    let value = initializer(cx, node);
    if !cx.has_remembered(node) {
        let names = cx.names_of(&PROPERTY, node, parent);
        let single = names.len() == 1;
        for (index, name) in names.into_iter().enumerate() {
            let item =
                value.map(|base| if single { base } else { cx.builder.expr(Expr::Item { base, index: index as u32 }) });
            cx.bind_local(name, declared, item);
        }
        return;
    }
    for id in cx.take_remembered(node) {
        let values = match value {
            Some(value) => cx.builder.list(&[value]),
            None => crate::facts::FactsBuilder::EMPTY,
        };
        let definition = cx.builder.definition_mut(id);
        definition.declared = declared;
        definition.values = values;
    }
}

/// The value of a property: what follows its declaration and is neither type nor accessor.
fn initializer(cx: &Outline<'_>, node: Node<'_>) -> Option<crate::facts::ExprId> {
    let mut cursor = node.walk();
    let mut declared = false;
    for child in node.named_children(&mut cursor) {
        let kind = child.kind();
        if matches!(kind, "variable_declaration" | "multi_variable_declaration") {
            declared = true;
        } else if declared && !matches!(kind, "getter" | "setter" | "type_constraints" | "property_delegate") {
            return cx.find_known(Some(child));
        }
    }
    None
}

fn leave_subject(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(declaration) = Pick::Kind(&["variable_declaration"]).get(node, None) else { return };
    let value = cx.find_known(Pick::Last.get(node, None));
    if let Some(name) = NAME.get(declaration, None) {
        cx.bind_local(name, None, value);
    }
}

fn leave_for(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let iterated = node.named_child(1).and_then(|over| cx.find_known(Some(over)));
    let element = iterated.map(|base| cx.builder.expr(Expr::Element { base }));
    let names = cx.names_of(&PROPERTY, node, parent);
    let single = names.len() == 1;
    for (index, name) in names.into_iter().enumerate() {
        let item =
            element.map(|base| if single { base } else { cx.builder.expr(Expr::Item { base, index: index as u32 }) });
        cx.bind_local(name, None, item);
    }
}

fn enter_catch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    if let Some(name) = NAME.get(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_catch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let declared = cx.find_known(TYPE.get(node, None));
    if let Some(name) = NAME.get(node, None) {
        cx.bind_local(name, declared, None);
    }
}

fn annotation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let inner = Pick::Kind(&["constructor_invocation"]).get(node, None).unwrap_or(node);
    if let Some(ty) = Pick::Kind(&["user_type"]).get(inner, None) {
        cx.mark(ty, Mark::Decorate(true));
    }
    Enter::Descend
}

/// The name of a named argument is not looked up here.
fn argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let named = node.child(1).is_some_and(|token| token.kind() == "=");
    if let Some(name) = node.named_child(0).filter(|_| named) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(Pick::Last.get(node, None)) {
        cx.set_expr(node, value);
    }
}

fn call_arity(cx: &Outline<'_>, node: Node<'_>) -> u8 {
    let arguments = cx.arity(Pick::Kind(&["value_arguments"]).get(node, None));
    let lambda = Pick::Kind(&["annotated_lambda"]).get(node, None).is_some();
    if arguments == u8::MAX { arguments } else { arguments + u8::from(lambda) }
}

fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(callee) = node.named_child(0) {
        let arity = call_arity(cx, node);
        cx.mark(callee, Mark::Call(arity));
    }
    Enter::Descend
}

fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Call(Pick::Nth(0), Pick::Kind(&["value_arguments"])), node, parent);
}

/// `a.b.C<T>`: the first name is looked up, the others are members of it.
fn user_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.set_in_type();
    for name in NAME.all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_user_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let arguments = Pick::Kind(&["type_arguments"]).get(node, None);
    let mut names = NAME.all(node, None);
    if cx.current_mark() == Mark::Declared {
        names.pop();
    }
    cx.dotted_type(node, &names, arguments);
}
