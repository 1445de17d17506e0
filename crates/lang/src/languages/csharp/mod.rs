//! C#: namespaces, properties, primary constructors, extension methods, null-conditional access.

use tree_sitter::Node;

use super::outline::common::{descend, nothing, record_implied};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, Wrap, field};
use crate::facts::{
    Collection, DefFlags, DefKind, Import, ImportFlags, ImportKind, Literal, ParameterKind, Role, ScopeKind, Visibility,
};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    type_fields: &["type", "returns"],
    no_type: &["var"],
    this: &["this"],
    super_: &["base"],
    type_parameters: &["type_parameter_list"],
    decorators: &["attribute_list"],
    access: &[
        ("public", Visibility::Public),
        ("internal", Visibility::Package),
        ("protected", Visibility::Protected),
        ("private", Visibility::Private),
    ],
    visibility,
    test_decorators: &[
        "Test",
        "TestCase",
        "TestCaseSource",
        "Theory",
        "Fact",
        "TestMethod",
        "DataTestMethod",
        "Benchmark",
    ],
    adjust,
    ..Grammar::new(|| tree_sitter_c_sharp::LANGUAGE.into(), RULES)
};

static CLASS: Define = Define { params: Pick::Kind(&["parameter_list"]), ..Define::CLASS };
static STRUCT: Define = Define { kind: DefKind::Struct, ..CLASS };
static INTERFACE: Define = Define::like_class(DefKind::Interface);
static ENUM: Define = Define::like_class(DefKind::Enum);
static NAMESPACE: Define = Define::like_class(DefKind::Module);
static METHOD: Define = Define { result: field("returns"), ..Define::FUNCTION };
static LOCAL_FUNCTION: Define = Define { result: field("type"), ..Define::FUNCTION };
static CONSTRUCTOR: Define = Define { constructor: true, no_body: NoBody::Nothing, ..Define::FUNCTION };
static DESTRUCTOR: Define = Define { no_body: NoBody::Nothing, ..Define::FUNCTION };
static NAMELESS: Define =
    Define { name: Pick::None, result: field("type"), no_body: NoBody::Nothing, ..Define::FUNCTION };
static PROPERTY: Define = Define {
    params: Pick::None,
    body: Pick::None,
    result: field("type"),
    no_body: NoBody::Nothing,
    ..Define::FUNCTION
};
static DELEGATE: Define =
    Define { kind: DefKind::TypeAlias, body: Pick::None, result: field("type"), ..Define::FUNCTION };
static VARIABLE: Bind = Bind { ty: Pick::Up("type"), value: Pick::None, ..Bind::VARIABLE };
static MEMBER: Bind = Bind { ty: Pick::None, value: field("value"), kind: DefKind::Variant, ..Bind::VARIABLE };
static PARAMETER: Bind = Bind { value: Pick::None, ..Bind::VARIABLE };
static FOR_EACH: Bind = Bind { names: field("left"), value: field("right"), wrap: Wrap::Element, ..Bind::LOCAL };
static TYPED: Bind = Bind { value: Pick::None, ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("using_directive", Rule::Custom(using, nothing)),
    ("namespace_declaration", Rule::Define(&NAMESPACE)),
    ("file_scoped_namespace_declaration", Rule::Custom(file_namespace, nothing)),
    ("class_declaration", Rule::Define(&CLASS)),
    ("record_declaration", Rule::Define(&STRUCT)),
    ("struct_declaration", Rule::Define(&STRUCT)),
    ("interface_declaration", Rule::Define(&INTERFACE)),
    ("enum_declaration", Rule::Define(&ENUM)),
    ("enum_member_declaration", Rule::Bind(&MEMBER)),
    ("delegate_declaration", Rule::Define(&DELEGATE)),
    ("base_list", Rule::Bases),
    ("primary_constructor_base_type", Rule::Forward),
    ("argument_list", Rule::Values),
    ("constructor_initializer", Rule::Custom(constructor_initializer, nothing)),
    ("method_declaration", Rule::Define(&METHOD)),
    ("local_function_statement", Rule::Define(&LOCAL_FUNCTION)),
    ("constructor_declaration", Rule::Define(&CONSTRUCTOR)),
    ("destructor_declaration", Rule::Define(&DESTRUCTOR)),
    ("indexer_declaration", Rule::Define(&NAMELESS)),
    ("operator_declaration", Rule::Define(&NAMELESS)),
    ("conversion_operator_declaration", Rule::Define(&NAMELESS)),
    ("property_declaration", Rule::Define(&PROPERTY)),
    ("event_declaration", Rule::Define(&PROPERTY)),
    ("field_declaration", Rule::Custom(enter_field, nothing)),
    ("event_field_declaration", Rule::Custom(enter_field, nothing)),
    ("variable_declarator", Rule::Custom(enter_variable, leave_variable)),
    ("parameter", Rule::Custom(enter_parameter, leave_parameter)),
    ("parameter_list", Rule::Custom(enter_parameters, leave_parameters)),
    ("implicit_parameter", Rule::Name),
    ("lambda_expression", Rule::Define(&Define::LAMBDA)),
    ("anonymous_method_expression", Rule::Define(&Define::LAMBDA)),
    ("block", Rule::Block),
    ("for_statement", Rule::Block),
    ("using_statement", Rule::Block),
    ("catch_clause", Rule::Block),
    ("switch_section", Rule::Block),
    ("switch_expression_arm", Rule::Block),
    ("foreach_statement", Rule::Custom(enter_for_each, leave_for_each)),
    ("catch_declaration", Rule::Bind(&TYPED)),
    ("declaration_pattern", Rule::Bind(&TYPED)),
    ("recursive_pattern", Rule::Bind(&TYPED)),
    ("declaration_expression", Rule::Bind(&TYPED)),
    ("return_statement", Rule::Return),
    ("goto_statement", Rule::Skip),
    ("labeled_statement", Rule::Without(Pick::Nth(0))),
    ("attribute", Rule::Decorator(field("name"))),
    ("attribute_argument", Rule::Without(field("name"))),
    ("arrow_expression_clause", Rule::Forward),
    ("argument", Rule::Custom(argument, forward)),
    ("invocation_expression", Rule::Call(field("function"), field("arguments"))),
    ("object_creation_expression", Rule::Call(field("type"), field("arguments"))),
    ("member_access_expression", Rule::Member(field("expression"), field("name"))),
    ("conditional_access_expression", Rule::Custom(descend, leave_conditional_access)),
    ("member_binding_expression", Rule::Custom(enter_binding, leave_binding)),
    ("element_access_expression", Rule::Custom(descend, leave_index)),
    ("binary_expression", Rule::Custom(descend, leave_binary)),
    ("prefix_unary_expression", Rule::Custom(descend, leave_unary)),
    ("postfix_unary_expression", Rule::Custom(descend, leave_unary)),
    ("qualified_name", Rule::Member(field("qualifier"), field("name"))),
    ("alias_qualified_name", Rule::Forward),
    ("generic_name", Rule::Generic(Pick::Nth(0), Pick::Kind(&["type_argument_list"]))),
    ("type_argument_list", Rule::Type),
    ("array_type", Rule::TypeOf(Collection::List)),
    ("nullable_type", Rule::Type),
    ("pointer_type", Rule::Type),
    ("ref_type", Rule::Type),
    ("tuple_type", Rule::TypeOf(Collection::Tuple)),
    ("tuple_element", Rule::Without(field("name"))),
    ("type_parameter", Rule::TypeParam(field("name"), Pick::None)),
    ("type_parameter_constraints_clause", Rule::Without(Pick::Nth(0))),
    ("cast_expression", Rule::Instance(field("type"))),
    ("as_expression", Rule::Instance(field("right"))),
    ("is_expression", Rule::Instance(field("right"))),
    ("typeof_expression", Rule::Plain),
    ("await_expression", Rule::Unwrap),
    ("parenthesized_expression", Rule::Forward),
    ("checked_expression", Rule::Forward),
    ("conditional_expression", Rule::Union(&["consequence", "alternative"])),
    ("assignment_expression", Rule::Assign(field("left"))),
    ("tuple_expression", Rule::Collection(Collection::Tuple)),
    ("array_creation_expression", Rule::Plain),
    ("identifier", Rule::Name),
    ("predefined_type", Rule::Primitive),
    ("implicit_type", Rule::Skip),
    ("this", Rule::This),
    ("base", Rule::Super),
    ("verbatim_string_literal", Rule::Literal(Literal::Str)),
    ("raw_string_literal", Rule::Literal(Literal::Str)),
    ("preproc_if", Rule::Without(field("condition"))),
    ("preproc_elif", Rule::Without(field("condition"))),
];

fn visibility(owner: Option<DefKind>, _: &str) -> Visibility {
    match owner {
        Some(DefKind::Interface | DefKind::Enum) => Visibility::Public,
        Some(kind) if kind.is_class_like() => Visibility::Private,
        _ => Visibility::Package,
    }
}

/// `a + b` calls the operator of its left operand; that of the right one is looked for if the left one has none.
fn leave_binary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(operator) = node.child_by_field_name("operator") else { return };
    let function = format!("operator {}", cx.text(operator));
    let is_known = |node: Option<Node<'_>>| cx.find_known(node).is_some();
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    let operand = if is_known(left) { left } else { right };
    record_implied(cx, operand, &function, operator);
}

fn leave_unary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let Some(operator) = node.children(&mut cursor).find(|child| !child.is_named()) else { return };
    let function = format!("operator {}", cx.text(operator));
    record_implied(cx, node.named_child(0), &function, operator);
}

/// `a[i]`
fn leave_index(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Index(field("expression")), node, parent);
    let at = node.child_by_field_name("subscript").unwrap_or(node);
    record_implied(cx, node.child_by_field_name("expression"), "this[]", at);
}

fn forward(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Forward, node, parent);
    // `this` alone has no named node.
    if cx.find_known(Some(node)).is_none()
        && let Some(token) = node.child(0).filter(|token| !token.is_named())
    {
        let expr = cx.expr_of(token);
        cx.set_expr(node, expr);
    }
}

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    match node.kind() {
        "variable_declarator" if draft.words.contains(&"const") => draft.kind = DefKind::Constant,
        "variable_declarator" => {}
        "property_declaration" => {
            let accessors = node.child_by_field_name("accessors");
            let text = accessors.map_or("", |accessors| cx.text(accessors));
            // `{ get; set; }` alone holds a value; with code it is computed.
            if node.child_by_field_name("value").is_some_and(|value| value.kind() == "arrow_expression_clause") {
                draft.flags.is_property = true;
                draft.body = node.child_by_field_name("value");
            } else if text.contains(['{', '}']) && (text.matches('{').count() > 1 || text.contains("=>")) {
                draft.flags.is_property = true;
                draft.body = accessors;
            } else {
                draft.kind = DefKind::Field;
            }
        }
        "event_declaration" => draft.kind = DefKind::Field,
        "destructor_declaration" => draft.name = draft.name.take().map(|name| format!("~{name}")),
        "indexer_declaration" => {
            draft.name = Some("this[]".to_owned());
            draft.body = draft.body.or(node.child_by_field_name("value"));
        }
        "operator_declaration" => {
            let operator = node.child_by_field_name("operator").map_or("", |operator| cx.text(operator));
            draft.name = Some(format!("operator {operator}"));
        }
        "conversion_operator_declaration" => {
            let ty = node.child_by_field_name("type").map_or("", |ty| cx.text(ty));
            draft.name = Some(format!("operator {ty}"));
        }
        "method_declaration" => {
            let first = draft.params.and_then(|params| params.named_child(0));
            let this = first.filter(|first| cx.text(*first).starts_with("this "));
            if let Some(first) = this {
                draft.extends = first.child_by_field_name("type");
            }
        }
        _ => {}
    }
}

fn using(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = Pick::Last.get(node, None) else { return Enter::Skip };
    let alias = node.child_by_field_name("name");
    let module = cx.builder.name(cx.text(path));
    let bound = alias.map(|alias| cx.builder.name(cx.text(alias)));
    // `using` takes all names of a namespace, `using static` those of a class, an alias the thing itself.
    let kind = if alias.is_some() { ImportKind::Module } else { ImportKind::Wildcard };
    let (scope, pos) = (cx.scope(), cx.source.pos(path));
    let import = Import { kind, module, level: 0, path: None, scope, pos, flags: ImportFlags::default() };
    cx.builder.import(import, bound);
    Enter::Skip
}

fn file_namespace(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
        let name = cx.builder.name(cx.text(name));
        cx.builder.facts_mut().package = Some(name);
    }
    Enter::Descend
}

/// Most variables of one declaration.
const MAX_VARIABLES: usize = 256;

/// The modifiers of a field stand two levels above its name.
fn enter_field(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(declaration) = Pick::Kind(&["variable_declaration"]).get(node, parent) else { return Enter::Descend };
    let mut cursor = declaration.walk();
    let all: Vec<Node<'_>> = declaration.named_children(&mut cursor).take(MAX_VARIABLES).collect();
    for declarator in all.into_iter().filter(|child| child.kind() == "variable_declarator") {
        if let Some(name) = declarator.child_by_field_name("name") {
            let id = cx.define_variable(DefKind::Variable, declarator, name, node, parent);
            cx.remember(declarator, id.into_iter().collect());
        }
    }
    Enter::Descend
}

/// `: base(…)` and `: this(…)`.
fn constructor_initializer(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let arguments = Pick::Kind(&["argument_list"]).get(node, None);
    if cx.text(node).trim_start_matches(':').trim_start().starts_with("base") {
        let expr = cx.keyword_expr(true);
        let arity = cx.arity(arguments);
        cx.refer_with(expr, Role::Call, arity, node);
    }
    Enter::Descend
}

fn enter_variable(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if cx.has_remembered(node) {
        cx.skip_names(&VARIABLE, node, parent);
    } else {
        cx.enter_bind(&VARIABLE, node, parent);
    }
    Enter::Descend
}

/// The value is the last child, without a field.
fn leave_variable(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let bind = if node.named_child_count() > 1 { Bind { value: Pick::Last, ..VARIABLE } } else { VARIABLE };
    cx.leave_bind(&bind, node, parent);
}

fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&PARAMETER, node, parent);
    Enter::Descend
}

fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let has_default = Pick::Last
        .get(node, None)
        .is_some_and(|last| Some(last.id()) != node.child_by_field_name("name").map(|name| name.id()));
    let bind = if has_default { Bind { value: Pick::Last, ..PARAMETER } } else { PARAMETER };
    cx.leave_param(&bind, ParameterKind::Plain, node, parent);
    if matches!(cx.frame_kind(), Some(DefKind::Class | DefKind::Struct))
        && cx.parent_mark() == Mark::Params
        && let Some(name) = node.child_by_field_name("name")
    {
        // Parameters of a class are known in its body; those of a record are properties as well.
        let declared = cx.find_known(node.child_by_field_name("type"));
        let visibility = if cx.frame_kind() == Some(DefKind::Class) { Visibility::Private } else { Visibility::Public };
        cx.field_of_parameter(node, name, declared, DefFlags::default(), visibility);
    }
}

/// `params T[] rest` has no node of its own: its type and name are children of the list.
fn enter_parameters(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_parameters(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.current_mark() == Mark::Params
        && let Some(name) = node.child_by_field_name("name")
    {
        let declared = cx.find_known(node.child_by_field_name("type"));
        let text = cx.name_text(name);
        cx.add_parameter(text, ParameterKind::Rest, declared, None);
    }
}

fn enter_for_each(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    cx.skip_names(&FOR_EACH, node, parent);
    Enter::Descend
}

fn leave_for_each(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_bind(&FOR_EACH, node, parent);
}

/// The name of a named argument is not looked up here.
fn argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn enter_binding(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// `a?.b` is a member of `a`.
fn leave_binding(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let (Some(name), Some(base)) =
        (node.child_by_field_name("name"), parent.and_then(|parent| parent.child_by_field_name("condition")))
    else {
        return;
    };
    let base = cx.expr_of(base);
    let text = cx.name_text(name);
    let expr = cx.builder.member(base, text);
    cx.set_expr(node, expr);
    let called = matches!(cx.parent_mark(), Mark::Call(_));
    if called {
        cx.refer_as_parent(expr, name);
    } else {
        cx.finish_expr(node, name, expr);
    }
}

fn leave_conditional_access(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(expr) = cx.find_known(Pick::Last.get(node, None)) {
        cx.set_expr(node, expr);
    }
}
