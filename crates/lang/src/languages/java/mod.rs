//! Java: packages, static and wildcard imports, anonymous classes, records, method references.

mod bodies;
mod expressions;
mod finish;

use tree_sitter::Node;

use super::outline::common::nothing;
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, Wrap, common, field};
use crate::facts::{
    Collection, DefFlags, DefKind, Import, ImportFlags, ImportKind, ParameterKind, ScopeKind, Visibility,
};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

/// Name that constructors are bound under.
const INIT: &str = "<init>";

static GRAMMAR: Grammar = Grammar {
    type_fields: &["type"],
    no_type: &["var"],
    type_parameters: &["type_parameters"],
    decorators: &["annotation", "marker_annotation"],
    modifiers: &["modifiers"],
    access: &[("public", Visibility::Public), ("protected", Visibility::Protected), ("private", Visibility::Private)],
    visibility,
    test_decorators: &["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property"],
    adjust,
    assigned: expressions::leave_assignment,
    methods_apart: true,
    finish: finish::finish,
    ..Grammar::new(|| tree_sitter_java::LANGUAGE.into(), RULES)
};

static METHOD: Define = Define { result: field("type"), ..Define::FUNCTION };
static CONSTRUCTOR: Define = Define { constructor: true, no_body: NoBody::Nothing, ..Define::FUNCTION };
static RECORD: Define = Define { params: field("parameters"), ..Define::like_class(DefKind::Struct) };
static INTERFACE: Define = Define::like_class(DefKind::Interface);
static ENUM: Define = Define::like_class(DefKind::Enum);
static VARIANT: Define = Define::like_class(DefKind::Variant);
static ANONYMOUS: Define = Define { name: Pick::None, anonymous: true, body: Pick::None, ..Define::CLASS };
static VARIABLE: Bind = Bind { ty: Pick::Up("type"), ..Bind::VARIABLE };
static PARAMETER: Bind = Bind { value: Pick::None, ..Bind::VARIABLE };
static FOR_EACH: Bind = Bind { wrap: Wrap::Element, ..Bind::LOCAL };
static CATCH: Bind = Bind { ty: Pick::Kind(&["catch_type"]), value: Pick::None, ..Bind::LOCAL };
static INSTANCE_OF: Bind = Bind { ty: field("right"), value: Pick::None, ..Bind::LOCAL };
static TYPE_PATTERN: Bind = Bind { names: Pick::Last, ty: Pick::Nth(0), value: Pick::None, ..Bind::LOCAL };
static SPREAD: Bind =
    Bind { names: Pick::Kind(&["variable_declarator"]), ty: Pick::None, value: Pick::None, ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("package_declaration", Rule::Custom(package, nothing)),
    ("import_declaration", Rule::Custom(import, nothing)),
    ("module_declaration", Rule::Skip),
    ("class_declaration", Rule::Define(&Define::CLASS)),
    ("interface_declaration", Rule::Define(&INTERFACE)),
    ("annotation_type_declaration", Rule::Define(&INTERFACE)),
    ("enum_declaration", Rule::Define(&ENUM)),
    ("record_declaration", Rule::Define(&RECORD)),
    ("enum_constant", Rule::Define(&VARIANT)),
    ("superclass", Rule::Bases),
    ("extends_interfaces", Rule::Bases),
    ("super_interfaces", Rule::Implements),
    ("type_list", Rule::Forward),
    ("class_body", Rule::Custom(class_body, nothing)),
    ("variable_declarator", Rule::Bind(&VARIABLE)),
    ("method_declaration", Rule::Define(&METHOD)),
    ("annotation_type_element_declaration", Rule::Define(&METHOD)),
    ("constructor_declaration", Rule::Define(&CONSTRUCTOR)),
    ("compact_constructor_declaration", Rule::Define(&CONSTRUCTOR)),
    ("lambda_expression", Rule::Define(&Define::LAMBDA)),
    ("formal_parameter", Rule::Custom(enter_parameter, leave_parameter)),
    ("spread_parameter", Rule::Custom(enter_spread, leave_spread)),
    ("receiver_parameter", Rule::Skip),
    ("static_initializer", Rule::Block),
    ("block", Rule::Block),
    ("for_statement", Rule::Block),
    ("try_with_resources_statement", Rule::Block),
    ("catch_clause", Rule::Block),
    ("switch_block_statement_group", Rule::Block),
    ("switch_rule", Rule::Block),
    ("enhanced_for_statement", Rule::Custom(enter_for_each, leave_for_each)),
    ("catch_formal_parameter", Rule::Bind(&CATCH)),
    ("catch_type", Rule::Union(&[])),
    ("resource", Rule::Bind(&Bind::LOCAL)),
    ("if_statement", Rule::Custom(bodies::enter_condition, nothing)),
    ("while_statement", Rule::Custom(bodies::enter_condition, nothing)),
    ("instanceof_expression", Rule::Custom(bodies::enter_instance_of, bodies::leave_instance_of)),
    ("type_pattern", Rule::Bind(&TYPE_PATTERN)),
    ("record_pattern", Rule::Custom(bodies::enter_record_pattern, nothing)),
    ("record_pattern_component", Rule::Bind(&TYPE_PATTERN)),
    ("switch_block", Rule::Custom(bodies::enter_switch, nothing)),
    ("enum_body", Rule::Custom(common::descend, bodies::leave_enum)),
    ("return_statement", Rule::Custom(bodies::enter_return, bodies::leave_return)),
    ("yield_statement", Rule::Plain),
    ("argument_list", Rule::Values),
    ("break_statement", Rule::Skip),
    ("continue_statement", Rule::Skip),
    ("labeled_statement", Rule::Without(Pick::Nth(0))),
    ("element_value_pair", Rule::Without(field("key"))),
    ("annotation", Rule::Decorator(field("name"))),
    ("marker_annotation", Rule::Decorator(field("name"))),
    ("method_invocation", Rule::Custom(expressions::enter_invocation, expressions::leave_invocation)),
    ("explicit_constructor_invocation", Rule::Custom(expressions::enter_chain, expressions::leave_chain)),
    ("object_creation_expression", Rule::Custom(expressions::enter_creation, expressions::leave_creation)),
    ("method_reference", Rule::Custom(expressions::enter_method_reference, expressions::leave_method_reference)),
    ("field_access", Rule::Custom(expressions::enter_field, expressions::leave_field)),
    ("scoped_identifier", Rule::Member(field("scope"), field("name"))),
    ("scoped_type_identifier", Rule::Member(Pick::Nth(0), Pick::Last)),
    ("array_access", Rule::Index(field("array"))),
    ("cast_expression", Rule::Instance(field("type"))),
    ("parenthesized_expression", Rule::Forward),
    ("ternary_expression", Rule::Custom(common::block, expressions::leave_ternary)),
    ("assignment_expression", Rule::Assign(field("left"))),
    ("array_creation_expression", Rule::Custom(expressions::enter_array, expressions::leave_array)),
    ("array_initializer", Rule::Collection(Collection::List)),
    ("dimensions_expr", Rule::Values),
    ("generic_type", Rule::Generic(Pick::Nth(0), Pick::Kind(&["type_arguments"]))),
    ("type_arguments", Rule::Type),
    ("wildcard", Rule::Type),
    ("annotated_type", Rule::Type),
    ("array_type", Rule::Custom(expressions::enter_array_type, expressions::leave_array_type)),
    ("type_parameter", Rule::TypeParam(Pick::Kind(&["type_identifier"]), Pick::Kind(&["type_bound"]))),
    ("type_bound", Rule::Union(&[])),
    ("throws", Rule::Type),
    ("identifier", Rule::Name),
    ("type_identifier", Rule::TypeName),
    ("integral_type", Rule::Primitive),
    ("floating_point_type", Rule::Primitive),
    ("boolean_type", Rule::Primitive),
    ("void_type", Rule::Primitive),
    ("this", Rule::This),
    ("super", Rule::Super),
    ("character_literal", Rule::Custom(common::descend, expressions::character)),
    ("decimal_integer_literal", Rule::Custom(common::descend, expressions::number)),
    ("hex_integer_literal", Rule::Custom(common::descend, expressions::number)),
    ("decimal_floating_point_literal", Rule::Custom(common::descend, expressions::number)),
    ("octal_integer_literal", Rule::Custom(common::descend, expressions::number)),
    ("binary_integer_literal", Rule::Custom(common::descend, expressions::number)),
    ("hex_floating_point_literal", Rule::Custom(common::descend, expressions::number)),
    ("class_literal", Rule::Custom(expressions::enter_class_literal, expressions::leave_class_literal)),
    ("binary_expression", Rule::Custom(common::descend, expressions::leave_binary)),
    ("unary_expression", Rule::Custom(common::descend, expressions::leave_unary)),
    ("update_expression", Rule::Custom(common::enter_update, common::leave_update)),
];

fn visibility(owner: Option<DefKind>, _: &str) -> Visibility {
    match owner {
        Some(DefKind::Interface | DefKind::Enum) => Visibility::Public,
        _ => Visibility::Package,
    }
}

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    let has = |word: &str| draft.words.contains(&word);
    match node.kind() {
        "variable_declarator" if has("static") && has("final") => draft.kind = DefKind::Constant,
        "variable_declarator" => {}
        // Bound under a name of their own, so that they are known before the file is done.
        "constructor_declaration" | "compact_constructor_declaration" => {
            cx.builder.name(INIT);
        }
        // Constants of an enum are values of it.
        "enum_constant" => draft.flags.is_static = true,
        "interface_declaration" | "annotation_type_declaration" => draft.flags.is_abstract = false,
        // Native methods have no body in Java.
        "method_declaration" if has("native") => draft.no_body = NoBody::Declaration,
        "lambda_expression" => {
            let returns = bodies::find_returns(node);
            draft.flags.returns_nothing = returns == Some(false);
            draft.flags.returns_value = returns == Some(true);
        }
        _ => {}
    }
}

fn package(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = Pick::Last.get(node, None) {
        let name = cx.builder.name(cx.text(name));
        cx.builder.facts_mut().package = Some(name);
    }
    Enter::Skip
}

/// `import a.b.C`, `import a.b.*`, `import static a.b.C.m`, `import static a.b.C.*`: a static import names its class as
/// the module.
fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let Some(path) = children.iter().copied().find(|child| !child.is_extra() && child.kind() != "asterisk") else {
        return Enter::Skip;
    };
    let text = cx.text(path);
    let all = children.iter().any(|child| child.kind() == "asterisk");
    let (kind, module, bound, at) = match path.child_by_field_name("name") {
        Some(name) if !all => {
            let symbol = cx.builder.name(cx.text(name));
            let module = path.child_by_field_name("scope").map_or("", |scope| cx.text(scope));
            (ImportKind::Symbol(symbol), module, Some(symbol), name)
        }
        _ => (ImportKind::Wildcard, text, None, path),
    };
    let module = cx.builder.name(module);
    // A non-static import brings types, but no methods.
    let mut cursor = node.walk();
    let is_static = node.children(&mut cursor).any(|child| child.kind() == "static");
    let flags = ImportFlags { type_only: !is_static, ..ImportFlags::default() };
    let import = Import { kind, module, level: 0, path: None, scope: cx.scope(), pos: cx.source.pos(at), flags };
    cx.builder.import(import, bound);
    Enter::Skip
}

/// The body of an anonymous class: its base is the type that is constructed.
fn class_body(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(constant) = parent.filter(|parent| parent.kind() == "enum_constant") {
        bodies::constant_body(cx, constant);
        return Enter::Descend;
    }
    let Some(parent) = parent.filter(|parent| parent.kind() == "object_creation_expression") else {
        return Enter::Descend;
    };
    let base = cx.find_known(parent.child_by_field_name("type"));
    cx.open_define(&ANONYMOUS, node, None);
    if let (Some(base), Some(frame)) = (base, cx.frame()) {
        frame.bases.push(base);
    }
    cx.enter_body();
    Enter::Descend
}

/// A component of a record is a field of it and a parameter of its constructor.
fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&PARAMETER, node, parent);
    Enter::Descend
}

fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_param(&PARAMETER, ParameterKind::Plain, node, parent);
    let (Some(name), Some(true)) =
        (node.child_by_field_name("name"), cx.frame_kind().map(|kind| kind == DefKind::Struct))
    else {
        return;
    };
    let declared = cx.find_known(node.child_by_field_name("type"));
    cx.field_of_parameter(node, name, declared, DefFlags::default(), Visibility::Private);
}

fn enter_spread(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(declarator) = SPREAD.names.get(node, None) {
        cx.mark(declarator, Mark::Skip);
    }
    Enter::Descend
}

fn leave_spread(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let declared = cx.first_expr(node);
    let listed = parent.is_some();
    let name = SPREAD.names.get(node, None).and_then(|declarator| declarator.child_by_field_name("name"));
    if let (Some(name), true) = (name, listed) {
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
