//! Scala: objects and case classes, several parameter lists, patterns, extensions, infix calls.

mod calls;
mod declare;
mod finish;
mod names;
mod patterns;

use super::outline::common::{descend, nothing};
use super::outline::{Bind, Define, Extractor, Grammar, Pick, Rule, field};
use crate::facts::{Collection, DefKind, Literal, ParameterKind, Visibility};

/// Name that constructors besides that of the class header are bound under, whatever their class is called.
const CONSTRUCTOR: &str = "<init>";
/// Traits whose objects are programs.
const APPLIED: &[&str] = &["App", "IOApp", "Simple", "ZIOAppDefault", "ZIOApp", "CommandApp", "ResourceApp"];

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
    separate_types: true,
    adjust: declare::adjust,
    finish: finish::finish,
    ..Grammar::new(|| tree_sitter_scala::LANGUAGE.into(), RULES)
};

static CLASS: Define = Define { params: Pick::Kind(&["class_parameters"]), ..Define::CLASS };
static VARIANT: Define = Define { kind: DefKind::Variant, ..CLASS };
static OBJECT: Define = Define::like_class(DefKind::Object);
static TRAIT: Define = Define::like_class(DefKind::Trait);
static ENUM: Define = Define::like_class(DefKind::Enum);
static LAMBDA: Define = Define { body: Pick::Last, ..Define::LAMBDA };
static ALIAS: Define = Define { kind: DefKind::TypeAlias, body: Pick::None, result: field("type"), ..Define::CLASS };
static VALUE: Bind = Bind { names: field("pattern"), ..Bind::VARIABLE };
static BINDING: Bind = Bind { value: Pick::None, ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("package_clause", names::PACKAGE_CLAUSE),
    ("import_declaration", names::IMPORT),
    ("export_declaration", Rule::Skip),
    ("class_definition", Rule::Define(&CLASS)),
    ("object_definition", Rule::Define(&OBJECT)),
    ("package_object", Rule::Custom(declare::enter_package_object, nothing)),
    ("trait_definition", Rule::Define(&TRAIT)),
    ("enum_definition", Rule::Define(&ENUM)),
    ("simple_enum_case", Rule::Define(&VARIANT)),
    ("full_enum_case", Rule::Define(&VARIANT)),
    ("extends_clause", Rule::Bases),
    ("template_body", Rule::Custom(declare::template_body, nothing)),
    ("self_type", Rule::Custom(declare::enter_self_type, declare::leave_self_type)),
    ("access_modifier", Rule::Skip),
    ("class_parameter", Rule::Custom(declare::enter_parameter, declare::leave_class_parameter)),
    ("function_definition", Rule::Custom(declare::enter_function, nothing)),
    ("function_declaration", Rule::Custom(declare::enter_function, nothing)),
    ("extension_definition", Rule::Custom(declare::enter_extension, nothing)),
    ("type_definition", Rule::Define(&ALIAS)),
    ("val_definition", Rule::Bind(&VALUE)),
    ("var_definition", Rule::Bind(&VALUE)),
    ("val_declaration", Rule::Bind(&Bind::VARIABLE)),
    ("var_declaration", Rule::Bind(&Bind::VARIABLE)),
    ("given_definition", Rule::Custom(declare::enter_given, declare::leave_given)),
    ("parameter", Rule::Custom(declare::enter_parameter, declare::leave_parameter)),
    ("binding", Rule::Param(&BINDING, ParameterKind::Plain)),
    ("lambda_expression", Rule::Define(&LAMBDA)),
    ("block", Rule::Custom(calls::enter_block, calls::leave_block)),
    ("indented_block", Rule::Custom(calls::enter_block, calls::leave_block)),
    ("colon_argument", Rule::Custom(descend, calls::leave_block)),
    ("for_expression", Rule::Custom(patterns::enter_for, patterns::leave_for)),
    ("enumerator", Rule::Custom(patterns::enter_enumerator, patterns::leave_enumerator)),
    ("case_block", Rule::Custom(patterns::enter_cases, patterns::leave_cases)),
    ("indented_cases", Rule::Custom(patterns::enter_cases, patterns::leave_cases)),
    ("case_clause", Rule::Custom(patterns::enter_case, patterns::leave_case)),
    ("match_expression", Rule::Custom(descend, declare::leave_match)),
    ("try_expression", Rule::Custom(descend, patterns::leave_try)),
    ("case_class_pattern", Rule::Plain),
    ("annotation", Rule::Decorator(field("name"))),
    ("arguments", Rule::Custom(calls::enter_arguments, calls::leave_arguments)),
    ("call_expression", Rule::Custom(calls::enter_call, calls::leave_call)),
    ("instance_expression", Rule::Custom(calls::enter_creation, calls::leave_creation)),
    ("applied_constructor_type", Rule::Type),
    ("generic_function", Rule::Custom(calls::enter_generic_function, calls::leave_generic_function)),
    ("field_expression", Rule::Member(field("value"), field("field"))),
    ("stable_identifier", Rule::Member(Pick::Nth(0), Pick::Last)),
    ("stable_type_identifier", Rule::Member(Pick::Nth(0), Pick::Last)),
    ("infix_expression", Rule::Custom(calls::enter_infix, calls::leave_infix)),
    ("prefix_expression", Rule::Custom(descend, calls::leave_prefix)),
    ("interpolated_string_expression", Rule::Custom(calls::enter_interpolated, calls::leave_interpolated)),
    ("operator_identifier", Rule::Skip),
    ("assignment_expression", Rule::Custom(calls::enter_assignment, calls::leave_assignment)),
    ("parenthesized_expression", Rule::Custom(descend, calls::leave_parenthesized)),
    ("return_expression", Rule::Return),
    ("ascription_expression", Rule::Forward),
    ("if_expression", Rule::Union(&["consequence", "alternative"])),
    ("tuple_expression", Rule::Collection(Collection::Tuple)),
    ("generic_type", Rule::Generic(field("type"), field("type_arguments"))),
    ("type_arguments", Rule::Type),
    ("compound_type", Rule::Type),
    ("annotated_type", Rule::Type),
    ("repeated_parameter_type", Rule::Type),
    ("lazy_parameter_type", Rule::Type),
    ("singleton_type", Rule::Type),
    ("tuple_type", Rule::TypeOf(Collection::Tuple)),
    ("function_type", Rule::Custom(descend, declare::leave_function_type)),
    ("type_parameters", Rule::Custom(declare::enter_type_parameters, declare::leave_type_parameters)),
    ("upper_bound", Rule::Type),
    ("lower_bound", Rule::Type),
    ("identifier", Rule::Name),
    ("type_identifier", Rule::TypeName),
    ("wildcard", Rule::Custom(calls::placeholder, nothing)),
    ("floating_point_literal", Rule::Literal(Literal::Float)),
];
