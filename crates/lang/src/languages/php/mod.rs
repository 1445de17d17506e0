//! PHP: namespaces, `use` of classes, functions and traits, variables without declarations, promoted parameters, types
//! in comments.

mod assign;
mod calls;
mod declare;
mod documented;
mod finish;
mod names;
mod narrow;

use tree_sitter::Node;

use super::outline::common::{descend, forward, named_argument, nothing};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, NoBody, Outline, Pick, Rule, field};
use crate::facts::{DefKind, Literal, ParameterKind, Visibility};
use crate::parse::Layout;

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
    separate_types: true,
    adjust,
    methods_apart: true,
    finish: finish::finish,
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
static STATIC: Bind = Bind { ty: Pick::None, ..Bind::LOCAL };
static CATCH: Bind = Bind { value: Pick::None, ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("namespace_definition", Rule::Custom(names::enter_namespace, nothing)),
    ("namespace_use_declaration", Rule::Custom(names::enter_uses, nothing)),
    ("const_element", Rule::Bind(&CONSTANT)),
    ("class_declaration", Rule::Custom(declare::enter_class, nothing)),
    ("interface_declaration", Rule::Custom(declare::enter_class, nothing)),
    ("trait_declaration", Rule::Custom(declare::enter_class, nothing)),
    ("enum_declaration", Rule::Custom(declare::enter_class, nothing)),
    ("enum_case", Rule::Bind(&CASE)),
    ("anonymous_class", Rule::Define(&ANONYMOUS)),
    ("base_clause", Rule::Bases),
    ("class_interface_clause", Rule::Implements),
    ("use_declaration", Rule::Custom(declare::enter_traits, declare::leave_traits)),
    ("use_list", Rule::Skip),
    ("property_element", Rule::Custom(declare::enter_property, declare::leave_property)),
    ("method_declaration", Rule::Custom(declare::enter_function, nothing)),
    ("function_definition", Rule::Custom(declare::enter_function, nothing)),
    ("anonymous_function", Rule::Define(&LAMBDA)),
    ("arrow_function", Rule::Define(&LAMBDA)),
    ("simple_parameter", Rule::Custom(declare::enter_parameter, declare::leave_parameter)),
    ("variadic_parameter", Rule::Param(&PARAMETER, ParameterKind::Rest)),
    ("property_promotion_parameter", Rule::Custom(declare::enter_parameter, declare::leave_promoted)),
    ("global_declaration", Rule::Custom(assign::enter_global, nothing)),
    ("foreach_statement", Rule::Custom(assign::enter_foreach, assign::leave_foreach)),
    ("catch_clause", Rule::Bind(&CATCH)),
    ("static_variable_declaration", Rule::Bind(&STATIC)),
    ("comment", Rule::Custom(documented::enter_comment, nothing)),
    ("if_statement", Rule::Custom(descend, narrow::leave_if)),
    ("else_if_clause", Rule::Plain),
    ("compound_statement", Rule::Custom(narrow::enter_body, nothing)),
    ("conditional_expression", Rule::Custom(narrow::enter_conditional, narrow::leave_conditional)),
    ("binary_expression", Rule::Custom(narrow::enter_binary, narrow::leave_binary)),
    ("expression_statement", Rule::Custom(descend, narrow::leave_statement)),
    ("match_expression", Rule::Custom(descend, calls::leave_match)),
    ("match_conditional_expression", Rule::Custom(descend, calls::leave_arm)),
    ("match_default_expression", Rule::Custom(descend, calls::leave_arm)),
    ("cast_expression", Rule::Literal(Literal::Str)),
    ("error_suppression_expression", Rule::Forward),
    ("type_list", Rule::Union(&[])),
    ("return_statement", Rule::Return),
    ("goto_statement", Rule::Skip),
    ("named_label_statement", Rule::Skip),
    ("assignment_expression", Rule::Custom(assign::enter, assign::leave)),
    ("include_expression", Rule::Custom(names::enter_include, nothing)),
    ("include_once_expression", Rule::Custom(names::enter_include, nothing)),
    ("require_expression", Rule::Custom(names::enter_include, nothing)),
    ("require_once_expression", Rule::Custom(names::enter_include, nothing)),
    ("attribute", Rule::Decorator(Pick::Kind(&["name", "qualified_name"]))),
    ("arguments", Rule::Values),
    ("argument", Rule::Custom(named_argument, forward)),
    ("function_call_expression", Rule::Custom(calls::enter_function, calls::leave_function)),
    ("member_call_expression", Rule::Custom(calls::enter_method, calls::leave_method)),
    ("nullsafe_member_call_expression", Rule::Custom(calls::enter_method, calls::leave_method)),
    ("scoped_call_expression", Rule::Custom(calls::enter_method, calls::leave_method)),
    ("object_creation_expression", Rule::Custom(calls::enter_creation, calls::leave_creation)),
    ("member_access_expression", Rule::Custom(calls::enter_member, calls::leave_member)),
    ("nullsafe_member_access_expression", Rule::Custom(calls::enter_member, calls::leave_member)),
    ("scoped_property_access_expression", Rule::Custom(calls::enter_member, calls::leave_member)),
    ("class_constant_access_expression", Rule::Custom(calls::enter_member, calls::leave_member)),
    ("subscript_expression", Rule::Index(Pick::Nth(0))),
    ("parenthesized_expression", Rule::Forward),
    ("reference_assignment_expression", Rule::Custom(assign::enter, assign::leave)),
    ("clone_expression", Rule::Forward),
    ("array_creation_expression", Rule::Custom(descend, calls::leave_array)),
    ("array_element_initializer", Rule::Custom(descend, calls::leave_element)),
    ("qualified_name", Rule::Custom(names::enter_qualified, names::leave_qualified)),
    ("relative_name", Rule::Custom(names::enter_qualified, names::leave_qualified)),
    ("relative_scope", Rule::Name),
    ("named_type", Rule::Type),
    ("optional_type", Rule::Type),
    ("union_type", Rule::Union(&[])),
    ("intersection_type", Rule::Union(&[])),
    ("primitive_type", Rule::Custom(descend, documented::leave_primitive)),
    ("bottom_type", Rule::Custom(descend, documented::leave_primitive)),
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
