//! Swift: classes, structs, enums and extensions in one kind of node, argument labels, optional binding.

use tree_sitter::Node;

use super::outline::common::{block, descend, leave_operator, nothing};
use super::outline::{Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{
    Collection, DefFlags, DefKind, Expr, ExprId, ImportKind, Literal, ParameterKind, ScopeKind, Visibility,
};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    name_kinds: &["simple_identifier"],
    self_type: &["Self"],
    type_parameters: &["type_parameters"],
    decorators: &["attribute"],
    modifiers: &["modifiers"],
    access: &[
        ("public", Visibility::Public),
        ("open", Visibility::Public),
        ("internal", Visibility::Package),
        ("fileprivate", Visibility::Private),
        ("private", Visibility::Private),
    ],
    visibility: |_, _| Visibility::Package,
    test_decorators: &["Test"],
    adjust,
    ..Grammar::new(|| tree_sitter_swift::LANGUAGE.into(), RULES)
};

const TYPES: &[&str] = &[
    "user_type",
    "optional_type",
    "array_type",
    "dictionary_type",
    "function_type",
    "tuple_type",
    "protocol_composition_type",
    "existential_type",
    "opaque_type",
    "metatype",
];
const TYPE: Pick = Pick::Kind(TYPES);

static CLASS: Define = Define::CLASS;
static PROTOCOL: Define = Define::like_class(DefKind::Trait);
static FUNCTION: Define = Define { params: Pick::None, result: TYPE, ..Define::FUNCTION };
static NAMELESS: Define = Define { name: Pick::None, no_body: NoBody::Nothing, ..FUNCTION };
static COMPUTED: Define =
    Define { name: Pick::None, params: Pick::None, body: Pick::Field("computed_value"), ..Define::FUNCTION };
static LAMBDA: Define = Define { params: Pick::None, body: Pick::None, ..Define::LAMBDA };
static ALIAS: Define = Define { kind: DefKind::TypeAlias, body: Pick::None, result: Pick::Last, ..Define::CLASS };
static ASSOCIATED: Define = Define { kind: DefKind::TypeAlias, body: Pick::None, ..Define::CLASS };

static RULES: &[(&str, Rule)] = &[
    ("import_declaration", Rule::Custom(import, nothing)),
    ("class_declaration", Rule::Define(&CLASS)),
    ("protocol_declaration", Rule::Define(&PROTOCOL)),
    ("inheritance_specifier", Rule::Bases),
    ("typealias_declaration", Rule::Define(&ALIAS)),
    ("associatedtype_declaration", Rule::Define(&ASSOCIATED)),
    ("enum_entry", Rule::Custom(enum_entry, nothing)),
    ("property_declaration", Rule::Custom(enter_property, leave_property)),
    ("protocol_property_declaration", Rule::Custom(enter_property, leave_property)),
    ("function_declaration", Rule::Define(&FUNCTION)),
    ("protocol_function_declaration", Rule::Define(&FUNCTION)),
    ("init_declaration", Rule::Define(&NAMELESS)),
    ("deinit_declaration", Rule::Define(&NAMELESS)),
    ("subscript_declaration", Rule::Define(&NAMELESS)),
    ("parameter", Rule::Custom(enter_parameter, leave_parameter)),
    ("lambda_literal", Rule::Define(&LAMBDA)),
    ("lambda_parameter", Rule::Custom(enter_lambda_parameter, leave_lambda_parameter)),
    ("function_body", Rule::Forward),
    ("statements", Rule::Custom(descend, leave_statements)),
    ("if_statement", Rule::Custom(enter_if, leave_condition)),
    ("while_statement", Rule::Custom(enter_if, leave_condition)),
    ("guard_statement", Rule::Custom(enter_guard, leave_condition)),
    ("for_statement", Rule::Custom(enter_for, leave_for)),
    ("switch_entry", Rule::Custom(enter_entry, leave_entry)),
    ("catch_block", Rule::Custom(enter_catch, leave_catch)),
    ("do_statement", Rule::Block),
    ("control_transfer_statement", Rule::Custom(descend, leave_transfer)),
    ("attribute", Rule::Custom(attribute, nothing)),
    ("call_expression", Rule::Custom(enter_call, leave_call)),
    ("constructor_expression", Rule::Custom(enter_constructor, leave_constructor)),
    ("value_arguments", Rule::Values),
    ("value_argument", Rule::Custom(argument, leave_argument)),
    ("value_argument_label", Rule::Skip),
    ("navigation_expression", Rule::Custom(enter_navigation, leave_navigation)),
    ("additive_expression", Rule::Custom(descend, leave_operator)),
    ("multiplicative_expression", Rule::Custom(descend, leave_operator)),
    ("comparison_expression", Rule::Custom(descend, leave_operator)),
    ("equality_expression", Rule::Custom(descend, leave_operator)),
    ("infix_expression", Rule::Custom(descend, leave_operator)),
    ("prefix_expression", Rule::Forward),
    ("postfix_expression", Rule::Forward),
    ("try_expression", Rule::Custom(descend, leave_try)),
    ("await_expression", Rule::Unwrap),
    ("as_expression", Rule::Instance(TYPE)),
    ("check_expression", Rule::Plain),
    ("tuple_expression", Rule::List),
    ("ternary_expression", Rule::Union(&["if_true", "if_false"])),
    ("assignment", Rule::Assign(field("target"))),
    ("directly_assignable_expression", Rule::Forward),
    ("array_literal", Rule::Collection(Collection::List)),
    ("dictionary_literal", Rule::Collection(Collection::Map)),
    ("user_type", Rule::Custom(user_type, leave_user_type)),
    ("optional_type", Rule::Type),
    ("array_type", Rule::TypeOf(Collection::List)),
    ("dictionary_type", Rule::TypeOf(Collection::Map)),
    ("tuple_type", Rule::TypeOf(Collection::Tuple)),
    ("tuple_type_item", Rule::Type),
    ("function_type", Rule::Function(Pick::Last)),
    ("type_annotation", Rule::Type),
    ("type_arguments", Rule::Type),
    ("existential_type", Rule::Type),
    ("opaque_type", Rule::Type),
    ("protocol_composition_type", Rule::Type),
    ("type_parameter", Rule::TypeParam(Pick::Kind(&["type_identifier"]), TYPE)),
    ("inheritance_constraint", Rule::Without(field("constrained_type"))),
    ("simple_identifier", Rule::Name),
    ("type_identifier", Rule::TypeName),
    ("self_expression", Rule::This),
    ("super_expression", Rule::Super),
    ("statement_label", Rule::Skip),
    ("where_keyword", Rule::Skip),
    ("line_string_literal", Rule::Literal(Literal::Str)),
    ("multi_line_string_literal", Rule::Literal(Literal::Str)),
    ("nil_literal", Rule::Literal(Literal::Null)),
];

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    if draft.kind == DefKind::Function && draft.words.contains(&"class") {
        draft.flags.is_static = true;
    }
    // The grammar has one node for classes, structs, enums and extensions.
    match node.kind() {
        "class_declaration" => {
            let kind = node.child_by_field_name("declaration_kind").map_or("class", |kind| cx.text(kind));
            draft.kind = match kind {
                "struct" => DefKind::Struct,
                "enum" => DefKind::Enum,
                "extension" => DefKind::Impl,
                _ => DefKind::Class,
            };
            if draft.kind == DefKind::Impl {
                draft.extends = draft.name_node;
                draft.visit_name = true;
                draft.bound = false;
            }
        }
        "init_declaration" => {
            draft.name = Some("init".to_owned());
            draft.flags.is_constructor = true;
            draft.result = None;
        }
        "deinit_declaration" => draft.name = Some("deinit".to_owned()),
        "subscript_declaration" => {
            draft.name = Some("subscript".to_owned());
            draft.body = Pick::Kind(&["computed_property"]).get(node, None);
        }
        "function_declaration" => {
            let name = draft.name.as_deref().unwrap_or("");
            draft.flags.is_test = name.starts_with("test") && cx.base_is("XCTestCase");
            draft.flags.is_async = draft.body.is_some_and(|body| has_word(cx, node, body, "async"));
        }
        "lambda_literal" => {
            let ty = node.child_by_field_name("type");
            let list = ty.and_then(|ty| Pick::Kind(&["lambda_function_type_parameters"]).get(ty, None));
            draft.params = list;
        }
        _ => {}
    }
}

fn has_word(cx: &Outline<'_>, node: Node<'_>, body: Node<'_>, word: &str) -> bool {
    cx.words_before(node.start_byte(), body.start_byte()).contains(&word)
}

fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = Pick::Kind(&["identifier"]).get(node, None) else { return Enter::Skip };
    let text = cx.text(path);
    match text.rsplit_once('.') {
        Some((module, name)) => {
            let symbol = cx.builder.name(name);
            cx.add_import(ImportKind::Symbol(symbol), module, Some(symbol), path);
        }
        None => {
            cx.add_import(ImportKind::Wildcard, text, None, path);
        }
    }
    Enter::Skip
}

fn enum_entry(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let flags = DefFlags { is_static: true, ..DefFlags::default() };
    for name in field("name").all(node, None) {
        cx.mark(name, Mark::Skip);
        let text = cx.name_text(name);
        if !text.is_empty() {
            cx.variable(DefKind::Variant, text, name, node, flags, Visibility::Public);
        }
    }
    Enter::Descend
}

/// One property of a declaration: its pattern, its type, its value.
struct Property<'t> {
    pattern: Node<'t>,
    ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
}

fn properties(node: Node<'_>) -> Vec<Property<'_>> {
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

fn enter_property(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
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

fn leave_property(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let local = !cx.has_remembered(node);
    let mut ids = cx.take_remembered(node).into_iter();
    for property in properties(node) {
        let declared = cx.find_known(property.ty);
        let value = cx.find_known(property.value);
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

fn parameter_name(node: Node<'_>) -> Option<Node<'_>> {
    Pick::Kind(&["simple_identifier"]).all(node, None).last().copied()
}

fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in Pick::Kind(&["simple_identifier"]).all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = parameter_name(node) else { return };
    if !cx.parent_is_frame() {
        return;
    }
    let declared = cx.find_known(TYPE.get(node, None));
    let rest = cx.text(node).trim_end().ends_with("...");
    let kind = if rest { ParameterKind::Rest } else { ParameterKind::Plain };
    let text = cx.name_text(name);
    cx.add_parameter(text, kind, declared, None);
}

fn enter_lambda_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    enter_parameter(cx, node, parent)
}

fn leave_lambda_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.parent_mark() == Mark::Params
        && let Some(name) = parameter_name(node)
    {
        let declared = cx.find_known(TYPE.get(node, None));
        let text = cx.name_text(name);
        cx.add_parameter(text, ParameterKind::Plain, declared, None);
    }
}

/// Names bound by `let` and `var` inside of patterns.
fn bound_names(node: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut stack = vec![node];
    let mut seen = 0;
    while let Some(node) = stack.pop() {
        seen += 1;
        if seen > 1_000 {
            break;
        }
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            continue;
        }
        loop {
            let child = cursor.node();
            if cursor.field_name() == Some("bound_identifier") {
                names.push(child);
            } else if matches!(child.kind(), "pattern" | "switch_pattern") {
                stack.push(child);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    names
}

fn enter_condition(cx: &mut Outline<'_>, node: Node<'_>) {
    for name in bound_names(node) {
        cx.mark(name, Mark::Skip);
    }
}

fn enter_if(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    enter_condition(cx, node);
    Enter::Descend
}

/// What a `guard` binds is known after it.
fn enter_guard(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    enter_condition(cx, node);
    Enter::Descend
}

/// `let name = value`: the name stands in one field, the value in the next condition.
fn leave_condition(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return;
    }
    let mut pending: Option<Node<'_>> = None;
    loop {
        let child = cursor.node();
        match cursor.field_name() {
            Some("bound_identifier") => {
                if let Some(name) = pending.replace(child) {
                    cx.bind_local(name, None, None);
                }
            }
            Some("condition") if child.is_named() && child.kind() != "value_binding_pattern" => {
                if let Some(name) = pending.take() {
                    let value = cx.find_known(Some(child)).map(|base| cx.builder.expr(Expr::Unwrap { base }));
                    cx.bind_local(name, None, value);
                }
            }
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    if let Some(name) = pending {
        cx.bind_local(name, None, None);
    }
}

fn enter_for(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let patterns = field("item").all(node, None);
    for name in cx.pattern_names(&patterns) {
        cx.mark(name, Mark::Skip);
    }
    block(cx, node, parent)
}

fn leave_for(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let over = cx.find_known(node.child_by_field_name("collection"));
    let element: Option<ExprId> = over.map(|base| cx.builder.expr(Expr::Element { base }));
    let patterns = field("item").all(node, None);
    let names = cx.pattern_names(&patterns);
    let count = names.len();
    for (index, name) in names.into_iter().enumerate() {
        let item = cx.item(element, index, count);
        cx.bind_local(name, None, item);
    }
}

fn enter_entry(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    enter_condition(cx, node);
    block(cx, node, parent)
}

fn leave_entry(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    for name in bound_names(node) {
        cx.bind_local(name, None, None);
    }
}

fn enter_catch(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    enter_entry(cx, node, parent)
}

fn leave_catch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let pattern = node.child_by_field_name("error");
    let declared = pattern.and_then(|pattern| cx.find_known(TYPE.get(pattern, None)));
    for name in bound_names(node) {
        cx.bind_local(name, declared, None);
    }
}

fn leave_transfer(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.text(node).starts_with("return")
        && let Some(value) = cx.find_known(node.child_by_field_name("result"))
    {
        cx.record_returned(value);
    }
}

/// A single expression is the value of what holds it.
fn leave_statements(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if node.named_child_count() == 1
        && let Some(value) = cx.find_known(node.named_child(0))
    {
        cx.set_expr(node, value);
    }
}

fn leave_try(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("expr")) {
        cx.set_expr(node, value);
    }
}

fn attribute(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(ty) = Pick::Kind(&["user_type"]).get(node, None) {
        cx.mark(ty, Mark::Decorate(true));
    }
    Enter::Descend
}

fn arguments(node: Node<'_>) -> Option<Node<'_>> {
    let suffix = Pick::Kind(&["call_suffix", "constructor_suffix"]).get(node, None)?;
    Pick::Kind(&["value_arguments"]).get(suffix, None)
}

fn call_arity(cx: &Outline<'_>, node: Node<'_>) -> u8 {
    let suffix = Pick::Kind(&["call_suffix", "constructor_suffix"]).get(node, None);
    let lambda = suffix.is_some_and(|suffix| Pick::Kind(&["lambda_literal"]).get(suffix, None).is_some());
    cx.arity(arguments(node)).saturating_add(u8::from(lambda)).min(u8::MAX - 1)
}

fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(callee) = node.named_child(0) {
        let arity = call_arity(cx, node);
        cx.mark(callee, Mark::Call(arity));
    }
    Enter::Descend
}

fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(callee) = cx.find_known(node.named_child(0)) else { return };
    let args = cx.arguments(arguments(node));
    let expr = cx.builder.expr(Expr::Call { callee, args });
    cx.set_expr(node, expr);
}

fn enter_constructor(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    enter_call(cx, node, parent)
}

fn leave_constructor(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    leave_call(cx, node, parent);
}

fn argument(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    descend(cx, node, parent)
}

fn leave_argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("value")) {
        cx.set_expr(node, value);
    }
}

fn member_name(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("suffix")?.child_by_field_name("suffix")
}

fn enter_navigation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(suffix) = node.child_by_field_name("suffix") {
        cx.mark(suffix, Mark::Skip);
    }
    Enter::Descend
}

fn leave_navigation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = member_name(node) else { return };
    let base = match node.named_child(0) {
        Some(base) => cx.expr_of(base),
        None => cx.builder.unknown(),
    };
    let text = cx.name_text(name);
    if !text.is_empty() {
        let expr = cx.builder.member(base, text);
        cx.finish_expr(node, name, expr);
    }
}

/// `a.b.C<T>`: the first name is looked up, the others are members of it.
fn user_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.set_in_type();
    for name in Pick::Kind(&["type_identifier"]).all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_user_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let names = Pick::Kind(&["type_identifier"]).all(node, None);
    let arguments = Pick::Kind(&["type_arguments"]).get(node, None);
    cx.dotted_type(node, &names, arguments);
}
