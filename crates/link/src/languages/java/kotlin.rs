//! Kotlin: its rules, and the names that it knows without an import. Packages are those of Java.

mod standard;

use m1nd_lang::facts::Literal;

use crate::rules::{BareMembers, FunctionMethods, MemberOrder, MethodShape, Overloads, Rules, ScopeFunction, Yields};

/// Name that constructors are bound under, whatever their class is called.
const CONSTRUCTOR: &str = "<init>";

fn is_standard(package: &str) -> bool {
    ["java", "javax", "kotlin"]
        .iter()
        .any(|root| package.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

pub(super) static RULES: Rules = Rules {
    bare_members: BareMembers::Everywhere,
    member_order: MemberOrder::DepthFirst,
    constructors: &[CONSTRUCTOR],
    call_method: Some("invoke"),
    index_method: Some("get"),
    iterate_method: Some("iterator"),
    next_method: Some("next"),
    map_iterates_pairs: true,
    builtin_types: standard::CONTAINERS,
    builtin_fields: standard::CONTAINER_FIELDS,
    builtin_methods: standard::CONTAINER_METHODS,
    identity_methods: &["also", "apply", "copy", "takeIf", "takeUnless"],
    derived_methods: standard::EXTENSIONS_OF_ALL,
    universal_members: standard::ANY_MEMBERS,
    builtin_package: standard::PACKAGE,
    is_standard_library: is_standard,
    is_standard_package: is_standard,
    plain_decorators: crate::plain_decorators::KOTLIN,
    common_methods: standard::COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Any,
    overloads: Overloads::Chosen,
    extension_functions: true,
    packages_have_functions: true,
    implicit_receivers: true,
    scope_functions: &[
        ("also", ScopeFunction::Also),
        ("apply", ScopeFunction::Apply),
        ("let", ScopeFunction::Let),
        ("run", ScopeFunction::Run),
        ("takeIf", ScopeFunction::Also),
        ("takeUnless", ScopeFunction::Also),
        ("use", ScopeFunction::Let),
        ("with", ScopeFunction::With),
    ],
    constructors_inherited: false,
    folders_are_packages: true,
    literal_types: &[
        (Literal::Str, "String"),
        (Literal::Int, "Int"),
        (Literal::Float, "Double"),
        (Literal::Bool, "Boolean"),
    ],
    conversions: standard::CONVERSIONS,
    top_type: Some("Any"),
    result_types: standard::RESULTS,
    factories: standard::FACTORIES,
    enum_members: &[
        ("entries", MethodShape::ListOfFirst),
        ("valueOf", MethodShape::First),
        ("values", MethodShape::ListOfFirst),
    ],
    linked: true,
    yields: Yields::OfCalls,
    ..Rules::OUTLINED
};

/// The package of a name that every file knows.
pub(super) fn package_of(name: &str) -> Option<&'static str> {
    if standard::TYPES.contains(&name) || standard::FUNCTIONS.contains(&name) {
        return Some(standard::PACKAGE);
    }
    super::is_known_type(name).then_some("java.lang")
}

/// Returns whether a name begins those of packages that code outside uses.
pub(super) fn is_root(name: &str) -> bool {
    super::ROOTS.contains(&name) || standard::ROOTS.contains(&name)
}
