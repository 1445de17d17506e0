//! C#: namespaces, properties, primary constructors, extension methods, null-conditional access.

mod creation;
mod expressions;
mod finish;
mod namespaces;

use tree_sitter::Node;

use super::outline::common::{descend, nothing};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, Wrap, field};
use crate::facts::{
    BindingTarget, Collection, DefFlags, DefKind, Literal, Namespace, ParameterKind, Role, ScopeKind, Visibility,
};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

/// Name that constructors are bound under.
const INIT: &str = ".ctor";

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
        "Test", "TestCase", "TestCaseSource", "Theory", "Fact", "TestMethod", "DataTestMethod", "Benchmark",
    ],
    adjust,
    left: expressions::leave_generic_member,
    finish: finish::finish,
    ..Grammar::new(|| tree_sitter_c_sharp::LANGUAGE.into(), RULES)
};

static CLASS: Define = Define { params: Pick::Kind(&["parameter_list"]), ..Define::CLASS };
static STRUCT: Define = Define { kind: DefKind::Struct, ..CLASS };
static INTERFACE: Define = Define::like_class(DefKind::Interface);
static ENUM: Define = Define::like_class(DefKind::Enum);
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
    ("using_directive", Rule::Custom(namespaces::using, nothing)),
    ("namespace_declaration", Rule::Custom(namespaces::enter_namespace, nothing)),
    ("file_scoped_namespace_declaration", Rule::Custom(namespaces::enter_file_namespace, nothing)),
    ("class_declaration", Rule::Define(&CLASS)),
    ("record_declaration", Rule::Define(&STRUCT)),
    ("struct_declaration", Rule::Define(&STRUCT)),
    ("interface_declaration", Rule::Define(&INTERFACE)),
    ("enum_declaration", Rule::Define(&ENUM)),
    ("enum_member_declaration", Rule::Bind(&MEMBER)),
    ("delegate_declaration", Rule::Define(&DELEGATE)),
    ("base_list", Rule::Bases),
    ("primary_constructor_base_type", Rule::Forward),
    ("argument_list", Rule::Custom(enter_arguments, nothing)),
    ("constructor_initializer", Rule::Custom(constructor_initializer, leave_constructor_initializer)),
    ("method_declaration", Rule::Define(&METHOD)),
    ("local_function_statement", Rule::Define(&LOCAL_FUNCTION)),
    ("constructor_declaration", Rule::Define(&CONSTRUCTOR)),
    ("destructor_declaration", Rule::Define(&DESTRUCTOR)),
    ("indexer_declaration", Rule::Define(&NAMELESS)),
    ("operator_declaration", Rule::Define(&NAMELESS)),
    ("conversion_operator_declaration", Rule::Define(&NAMELESS)),
    ("accessor_declaration", Rule::Custom(enter_accessor, nothing)),
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
    ("invocation_expression", Rule::Custom(expressions::enter_invocation, expressions::leave_invocation)),
    ("object_creation_expression", Rule::Custom(creation::enter_creation, creation::leave_creation)),
    ("implicit_object_creation_expression", Rule::Custom(creation::enter_implicit, creation::leave_implicit)),
    ("initializer_expression", Rule::Custom(descend, creation::leave_initializer)),
    ("anonymous_object_creation_expression", Rule::Custom(creation::enter_anonymous, nothing)),
    ("with_initializer", Rule::Custom(creation::enter_with, creation::leave_with)),
    ("with_expression", Rule::Forward),
    ("member_access_expression", Rule::Member(field("expression"), field("name"))),
    ("conditional_access_expression", Rule::Custom(descend, expressions::leave_conditional_access)),
    ("member_binding_expression", Rule::Custom(expressions::enter_binding, expressions::leave_binding)),
    ("element_access_expression", Rule::Custom(descend, expressions::leave_index)),
    ("binary_expression", Rule::Custom(descend, expressions::leave_binary)),
    ("prefix_unary_expression", Rule::Custom(descend, expressions::leave_unary)),
    ("postfix_unary_expression", Rule::Custom(descend, expressions::leave_unary)),
    ("qualified_name", Rule::Member(field("qualifier"), field("name"))),
    ("alias_qualified_name", Rule::Custom(expressions::enter_alias_qualified, forward)),
    ("generic_name", Rule::Generic(Pick::Nth(0), Pick::Kind(&["type_argument_list"]))),
    ("type_argument_list", Rule::Type),
    ("array_type", Rule::TypeOf(Collection::List)),
    ("nullable_type", Rule::Type),
    ("pointer_type", Rule::Type),
    ("ref_type", Rule::Type),
    ("tuple_type", Rule::TypeOf(Collection::Tuple)),
    ("tuple_element", Rule::Without(field("name"))),
    ("type_parameter", Rule::TypeParam(field("name"), Pick::None)),
    ("type_parameter_constraints_clause", Rule::Custom(enter_constraints, leave_constraints)),
    ("cast_expression", Rule::Instance(field("type"))),
    ("as_expression", Rule::Instance(field("right"))),
    ("is_expression", Rule::Custom(expressions::enter_is, expressions::leave_truth)),
    ("is_pattern_expression", Rule::Custom(descend, expressions::leave_truth)),
    ("typeof_expression", Rule::Custom(descend, expressions::leave_type_of)),
    ("await_expression", Rule::Unwrap),
    ("parenthesized_expression", Rule::Forward),
    ("checked_expression", Rule::Forward),
    ("conditional_expression", Rule::Union(&["consequence", "alternative"])),
    ("assignment_expression", Rule::Custom(creation::enter_assignment, creation::leave_assignment)),
    ("tuple_expression", Rule::Collection(Collection::Tuple)),
    ("array_creation_expression", Rule::Custom(descend, creation::leave_array)),
    ("implicit_array_creation_expression", Rule::Forward),
    ("collection_expression", Rule::Collection(Collection::List)),
    ("collection_element", Rule::Forward),
    ("expression_element", Rule::Forward),
    ("switch_expression", Rule::Custom(descend, expressions::leave_switch)),
    ("identifier", Rule::Name),
    ("predefined_type", Rule::Primitive),
    ("implicit_type", Rule::Skip),
    ("this", Rule::This),
    ("base", Rule::Super),
    ("integer_literal", Rule::Custom(descend, expressions::leave_number)),
    ("real_literal", Rule::Custom(descend, expressions::leave_number)),
    ("character_literal", Rule::Custom(descend, expressions::leave_character)),
    ("verbatim_string_literal", Rule::Literal(Literal::Str)),
    ("raw_string_literal", Rule::Literal(Literal::Str)),
    ("preproc_pragma", Rule::Skip),
    ("preproc_define", Rule::Skip),
    ("preproc_undef", Rule::Skip),
    ("preproc_error", Rule::Skip),
    ("preproc_warning", Rule::Skip),
    ("preproc_region", Rule::Skip),
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

/// Returns whether a parameter is the receiver of an extension method.
fn is_extended(cx: &Outline<'_>, parameter: Node<'_>) -> bool {
    let mut cursor = parameter.walk();
    parameter.named_children(&mut cursor).any(|child| child.kind() == "modifier" && cx.text(child) == "this")
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
        // Run once by the runtime, not to construct a value.
        "constructor_declaration" if draft.words.contains(&"static") => {
            draft.flags.is_constructor = false;
            draft.bound = false;
        }
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
            if let Some(first) = first.filter(|first| is_extended(cx, *first)) {
                draft.extends = first.child_by_field_name("type");
            }
            if draft.words.contains(&"partial") {
                draft.no_body = NoBody::Declaration;
            }
            // Only called through the interface.
            if Pick::Kind(&["explicit_interface_specifier"]).get(node, None).is_some() {
                draft.bound = false;
            }
        }
        _ => {}
    }
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
    // A default counts, whatever it is.
    if let Some(default) = Pick::Last.get(node, None).filter(|last| has_default && cx.find_known(Some(*last)).is_none())
    {
        let unknown = cx.builder.unknown();
        cx.set_expr(default, unknown);
    }
    let kind = if is_extended(cx, node) { ParameterKind::Receiver } else { ParameterKind::Plain };
    cx.leave_param(&bind, kind, node, parent);
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
        let whole = node.child_by_field_name("type");
        let element = whole.filter(|ty| ty.kind() == "array_type").and_then(|ty| ty.child_by_field_name("type"));
        let declared = cx.find_known(element.or(whole));
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

/// Arguments are values wherever they stand. Those behind the base of a class construct that.
fn enter_arguments(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.leave_type();
    if parent.is_some_and(|parent| matches!(parent.kind(), "base_list" | "primary_constructor_base_type")) {
        cx.enter_body();
        let expr = cx.keyword_expr(true);
        let arity = cx.arity(Some(node));
        cx.refer_with(expr, Role::Call, arity, node);
    }
    Enter::Descend
}

/// `: base(…)` and `: this(…)`.
fn constructor_initializer(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let arguments = Pick::Kind(&["argument_list"]).get(node, None);
    let mut cursor = node.walk();
    let keyword = node.children(&mut cursor).find(|child| matches!(child.kind(), "base" | "this"));
    let Some(keyword) = keyword else { return Enter::Descend };
    let expr = match keyword.kind() {
        "base" => cx.keyword_expr(true),
        _ => cx.bare_name(INIT),
    };
    let arity = cx.arity(arguments);
    cx.refer_with(expr, Role::Call, arity, keyword);
    cx.set_expr(node, expr);
    Enter::Descend
}

/// The arguments choose among several constructors.
fn leave_constructor_initializer(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(callee) = cx.find_known(Some(node)) else { return };
    let args = expressions::take_arguments(cx, callee, Pick::Kind(&["argument_list"]).get(node, None));
    cx.builder.expr(crate::facts::Expr::Call { callee, args });
}

/// `where T : A, B`
fn enter_constraints(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.named_child(0) {
        cx.mark(name, Mark::Skip);
    }
    cx.set_in_type();
    Enter::Descend
}

fn leave_constraints(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = node.named_child(0) else { return };
    let mut cursor = node.walk();
    let constraints = node.named_children(&mut cursor).filter_map(|child| child.child_by_field_name("type"));
    let bounds: Vec<_> = constraints.filter_map(|bound| cx.find_known(Some(bound))).collect();
    let name = cx.builder.name(cx.text(name));
    let bound = (!bounds.is_empty()).then(|| cx.builder.union(&bounds));
    if let Some(frame) = cx.frame()
        && let Some(parameter) = frame.type_params.iter_mut().find(|parameter| parameter.name == name)
    {
        parameter.bound = bound;
    }
}

/// `set { … value … }`
fn enter_accessor(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let scope = cx.open_scope(ScopeKind::Block);
    let property = parent.and_then(|parent| parent.parent());
    let declared = property.and_then(|property| cx.find_known(property.child_by_field_name("type")));
    let target = declared.map_or(BindingTarget::Opaque, BindingTarget::Typed);
    let name = cx.builder.name("value");
    let text = cx.text(node);
    if text.contains("set") || text.contains("init") || text.contains("add") || text.contains("remove") {
        cx.builder.bind(scope, name, Namespace::Value, target);
    }
    Enter::Descend
}

/// The name of a named argument is not looked up here.
fn argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}
