//! Kotlin: primary constructors, properties, extensions, companion objects, lambdas.

mod expressions;
mod finish;
mod narrow;
mod reread;

use tree_sitter::Node;

use super::outline::common::{descend, nothing, record_implied};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{
    DefKind, Expr, ExprId, FactsBuilder, Import, ImportFlags, ImportKind, Literal, ParameterKind, Reference, Role,
    ScopeKind, Visibility,
};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

/// Name that constructors are bound under.
const INIT: &str = "<init>";

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
    reread: reread::find_changes,
    finish: finish::finish,
    ..Grammar::new(|| tree_sitter_kotlin_ng::LANGUAGE.into(), RULES)
};

/// The last child that is not a comment.
fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut last = Pick::Last.get(node, None)?;
    while last.is_extra() {
        last = last.prev_named_sibling()?;
    }
    Some(last)
}

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
static ANONYMOUS_FUNCTION: Define = Define {
    params: Pick::Kind(&["function_value_parameters"]),
    body: Pick::Kind(&["function_body"]),
    ..Define::LAMBDA
};
static COMPUTED: Define =
    Define { params: Pick::None, name: Pick::None, body: Pick::None, no_body: NoBody::Nothing, ..Define::FUNCTION };
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
    ("value_arguments", Rule::Custom(enter_arguments, nothing)),
    ("value_argument", Rule::Custom(argument, leave_argument)),
    ("primary_constructor", Rule::Custom(primary, nothing)),
    ("class_parameter", Rule::Custom(enter_parameter, leave_class_parameter)),
    ("function_declaration", Rule::Define(&FUNCTION)),
    ("secondary_constructor", Rule::Define(&CONSTRUCTOR)),
    ("constructor_delegation_call", Rule::Custom(descend, leave_delegation)),
    ("function_value_parameters", Rule::Custom(descend, leave_parameters)),
    ("parameter", Rule::Custom(enter_parameter, nothing)),
    ("parameter_modifiers", Rule::Plain),
    ("lambda_literal", Rule::Custom(expressions::enter_lambda, nothing)),
    ("annotated_lambda", Rule::Forward),
    ("anonymous_function", Rule::Define(&ANONYMOUS_FUNCTION)),
    ("lambda_parameters", Rule::Plain),
    ("variable_declaration", Rule::Custom(enter_variable, leave_variable)),
    ("multi_variable_declaration", Rule::Custom(descend, leave_variables)),
    ("property_declaration", Rule::Custom(enter_property, leave_property)),
    ("function_body", Rule::Custom(descend, expressions::leave_body)),
    ("block", Rule::Sequence(true)),
    ("anonymous_initializer", Rule::Block),
    ("getter", Rule::Block),
    ("setter", Rule::Custom(enter_setter, nothing)),
    ("when_expression", Rule::Custom(narrow::enter_when, expressions::leave_branches)),
    ("when_entry", Rule::Custom(block, expressions::leave_entry)),
    ("try_expression", Rule::Custom(descend, expressions::leave_branches)),
    ("when_subject", Rule::Custom(descend, leave_subject)),
    ("for_statement", Rule::Custom(block, leave_for)),
    ("catch_block", Rule::Custom(enter_catch, leave_catch)),
    ("return_expression", Rule::Custom(expressions::enter_return, expressions::leave_return)),
    ("annotation", Rule::Custom(annotation, nothing)),
    ("call_expression", Rule::Custom(expressions::enter_call, expressions::leave_call)),
    ("navigation_expression", Rule::Custom(expressions::enter_access, expressions::leave_access)),
    ("callable_reference", Rule::Custom(expressions::enter_reference, expressions::leave_reference)),
    ("index_expression", Rule::Custom(descend, expressions::leave_index)),
    ("binary_expression", Rule::Custom(narrow::enter_binary, expressions::leave_binary)),
    ("infix_expression", Rule::Custom(expressions::enter_infix, expressions::leave_infix)),
    ("in_expression", Rule::Custom(descend, expressions::leave_in)),
    ("is_expression", Rule::Custom(descend, expressions::leave_truth)),
    ("range_expression", Rule::Custom(descend, expressions::leave_range)),
    ("as_expression", Rule::Instance(field("right"))),
    ("parenthesized_expression", Rule::Forward),
    ("unary_expression", Rule::Custom(descend, expressions::leave_unary)),
    ("assignment", Rule::Custom(expressions::enter_assignment, expressions::leave_assignment)),
    ("directly_assignable_expression", Rule::Forward),
    ("if_expression", Rule::Custom(narrow::enter_if, expressions::leave_if)),
    ("while_statement", Rule::Custom(narrow::enter_if, nothing)),
    ("labeled_expression", Rule::Forward),
    ("annotated_expression", Rule::Forward),
    ("user_type", Rule::Custom(user_type, leave_user_type)),
    ("nullable_type", Rule::Type),
    ("non_nullable_type", Rule::Type),
    ("parenthesized_type", Rule::Type),
    ("type_arguments", Rule::Type),
    ("type_projection", Rule::Type),
    ("function_type", Rule::Custom(enter_type, expressions::leave_function_type)),
    ("function_type_parameters", Rule::Type),
    ("type_parameter", Rule::TypeParam(NAME, TYPE)),
    ("type_constraint", Rule::Custom(enter_constraint, leave_constraint)),
    ("identifier", Rule::Custom(expressions::enter_identifier, nothing)),
    ("this_expression", Rule::Custom(expressions::enter_this, nothing)),
    ("super_expression", Rule::Super),
    ("label", Rule::Skip),
    ("package_header_name", Rule::Skip),
    ("multiline_string_literal", Rule::Literal(Literal::Str)),
    ("float_literal", Rule::Literal(Literal::Float)),
];

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
        "secondary_constructor" => draft.name = Some("constructor".to_owned()),
        "function_declaration" => function(cx, node, draft),
        "lambda_literal" => {
            draft.body = last_child(node).filter(|last| last.kind() != "lambda_parameters");
        }
        "property_declaration" if draft.kind == DefKind::Function => adjust_computed(node, draft),
        _ => {}
    }
    // What `expect` declares is defined by `actual` of each platform.
    draft.flags.is_declaration |= draft.words.contains(&"expect");
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
        let name = cx.builder.name(&plain_path(cx.text(name)));
        cx.builder.facts_mut().package = Some(name);
    }
    Enter::Skip
}

/// A dotted name without white space and back-quotes.
fn plain_path(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}

fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = Pick::Kind(&["qualified_identifier", "identifier"]).get(node, None) else { return Enter::Skip };
    let text = plain_path(cx.text(path));
    let all = cx.text(node).trim_end().trim_end_matches(';').ends_with('*');
    let alias = Pick::Last.get(node, None).filter(|last| last.id() != path.id() && last.kind() == "identifier");
    let (module, name) = text.rsplit_once('.').unwrap_or(("", &text));
    let (kind, module, bound) = match all {
        true => (ImportKind::Wildcard, text.as_str(), None),
        false => {
            let symbol = cx.builder.name(name);
            let bound = alias.map_or(symbol, |alias| cx.builder.name(cx.name_text(alias)));
            (ImportKind::Symbol(symbol), module, Some(bound))
        }
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

/// The code that reads a property.
fn getter_body(node: Node<'_>) -> Option<Node<'_>> {
    let getter = Pick::Kind(&["getter"]).get(node, None)?;
    Pick::Kind(&["function_body"]).get(getter, None)
}

/// The type before the name of an extension.
fn extended_type<'t>(node: Node<'t>, name: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .find(|child| TYPES.contains(&child.kind()) && child.end_byte() <= name.start_byte())
}

/// A parameter of a lambda that is taken apart where it is declared.
fn leave_variables(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.parent_mark() != Mark::Params {
        return;
    }
    // A name that code cannot write.
    let whole = format!("({})", node.start_byte());
    cx.add_parameter(&whole, ParameterKind::Plain, None, None);
    let base = cx.bare_name(&whole);
    let mut cursor = node.walk();
    let parts: Vec<Node<'_>> =
        node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declaration").collect();
    for (index, part) in parts.into_iter().enumerate() {
        let Some(name) = NAME.get(part, None) else { continue };
        let declared = cx.find_known(TYPE.get(part, None));
        let item = cx.builder.expr(Expr::Item { base, index: index as u32 });
        cx.bind_local(name, declared, Some(item));
    }
}

fn enter_property(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let names = cx.names_of(&PROPERTY, node, parent);
    let is_local = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    if let (false, &[name], Some(_)) = (is_local, names.as_slice(), getter_body(node)) {
        // Computed: its code belongs to it.
        let text = cx.name_text(name).to_owned();
        cx.open_named(&COMPUTED, node, parent, name, text);
        return Enter::Descend;
    }
    if !is_local {
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

/// The parts of a property whose getter has code.
fn adjust_computed<'t>(node: Node<'t>, draft: &mut Draft<'_, 't>) {
    let (Some(name), Some(body)) = (draft.name_node, getter_body(node)) else { return };
    let declaration = Pick::Kind(&["variable_declaration"]).get(node, None);
    let getter = Pick::Kind(&["getter"]).get(node, None);
    draft.flags.is_property = true;
    draft.extends = extended_type(node, name);
    draft.result = declaration.and_then(|declaration| TYPE.get(declaration, None));
    draft.result = draft.result.or_else(|| getter.and_then(|getter| TYPE.get(getter, None)));
    draft.body = Some(body);
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
    let extends = declaration.and_then(|declaration| extended_type(node, declaration));
    let extends = cx.find_known(extends);
    for id in cx.take_remembered(node) {
        let values = match value {
            Some(value) => cx.builder.list(&[value]),
            None => FactsBuilder::EMPTY,
        };
        let definition = cx.builder.definition_mut(id);
        definition.declared = declared;
        definition.values = values;
        definition.extends_type = extends;
    }
}

/// The value of a property: what follows its declaration and is neither type nor accessor.
fn initializer(cx: &mut Outline<'_>, node: Node<'_>) -> Option<ExprId> {
    let mut cursor = node.walk();
    let mut declared = false;
    for child in node.named_children(&mut cursor) {
        let kind = child.kind();
        if matches!(kind, "variable_declaration" | "multi_variable_declaration") {
            declared = true;
        } else if kind == "property_delegate" {
            return read_delegate(cx, child);
        } else if declared && !matches!(kind, "getter" | "setter" | "type_constraints") && !child.is_extra() {
            return cx.find_known(Some(child));
        }
    }
    None
}

/// The value of a property that something else keeps: what `lazy` computes, what `getValue` yields, the type that a
/// delegate is written with.
fn read_delegate(cx: &mut Outline<'_>, node: Node<'_>) -> Option<ExprId> {
    let written = node.named_child(0)?;
    let delegate = cx.find_known(Some(written))?;
    if let Expr::Call { callee, args } = cx.builder.facts().expr(delegate) {
        let facts = cx.builder.facts();
        let last = facts.list(args).last().copied();
        match facts.expr(callee) {
            Expr::Name { name, .. } if facts.name(name) == "lazy" => {
                let callee = last.filter(|last| matches!(cx.builder.facts().expr(*last), Expr::Definition(_)))?;
                return Some(cx.builder.expr(Expr::Call { callee, args: FactsBuilder::EMPTY }));
            }
            Expr::Generic { args, .. } if facts.list(args).len() == 1 => {
                let of = facts.list(args)[0];
                return Some(cx.builder.expr(Expr::Instance { of }));
            }
            _ => {}
        }
    }
    let name = cx.builder.name("getValue");
    let callee = cx.builder.expr(Expr::Implicit { base: delegate, name });
    let (pos, enclosing) = (cx.source.pos(node), cx.enclosing());
    let reference = Reference { expr: callee, role: Role::Call, inexact: false, arity: 2, pos, enclosing };
    cx.builder.reference_at(reference, node.start_byte());
    Some(cx.builder.expr(Expr::Call { callee, args: FactsBuilder::EMPTY }))
}

/// `set(value) { … }`
fn enter_setter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    if let Some(name) = NAME.get(node, None) {
        cx.mark(name, Mark::Skip);
        let declaration = parent.and_then(|property| Pick::Kind(&["variable_declaration"]).get(property, None));
        let declared = declaration.and_then(|declaration| cx.find_known(TYPE.get(declaration, None)));
        cx.bind_local(name, declared, None);
    }
    Enter::Descend
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
    if let Some(over) = node.named_child(1) {
        record_implied(cx, Some(over), "iterator", over);
    }
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
    if let Some(name) = expressions::argument_name(node) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(Pick::Last.get(node, None)) {
        cx.set_expr(node, value);
    }
}

fn enter_type(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.set_in_type();
    Enter::Descend
}

/// Arguments are values wherever they stand. Those behind the base of a class construct that.
fn enter_arguments(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.leave_type();
    let around = parent.filter(|parent| parent.kind() == "constructor_invocation").and_then(|parent| parent.parent());
    if around.is_some_and(|around| around.kind() == "delegation_specifier") {
        cx.enter_body();
        let expr = cx.keyword_expr(true);
        let arity = cx.arity(Some(node));
        cx.refer_with(expr, Role::Call, arity, node);
    }
    Enter::Descend
}

/// `: this(…)` and `: super(…)` of a constructor.
fn leave_delegation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(keyword) = node.child(0) else { return };
    let arguments = Pick::Kind(&["value_arguments"]).get(node, None);
    let arity = cx.arity(arguments);
    let callee = match (keyword.kind(), cx.class_name()) {
        ("this", Some(class)) => cx.bare_name(&class),
        _ => cx.keyword_expr(true),
    };
    cx.refer_with(callee, Role::Call, arity, keyword);
    let items = expressions::take_arguments(cx, callee, arguments);
    let args = cx.builder.list(&items);
    cx.builder.expr(Expr::Call { callee, args });
}

/// `where T : A`
fn enter_constraint(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.named_child(0) {
        cx.mark(name, Mark::Skip);
    }
    cx.set_in_type();
    Enter::Descend
}

fn leave_constraint(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = node.named_child(0) else { return };
    let bound = cx.find_known(Pick::Last.get(node, None));
    let name = cx.builder.name(cx.text(name));
    if let Some(frame) = cx.frame()
        && let Some(parameter) = frame.type_params.iter_mut().find(|parameter| parameter.name == name)
    {
        parameter.bound = parameter.bound.or(bound);
    }
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
