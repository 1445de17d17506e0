//! Scala: packages in view, objects beside classes, the standard library. Its files are of one family with Java's.

mod standard;

use m1nd_lang::Language;
use m1nd_lang::facts::Literal;

use super::packages::Packages;
use crate::rules::{BareMembers, FunctionMethods, MemberOrder, MethodShape, ModuleTarget, Overloads, Rules, Yields};
use crate::tables::files::{FileId, Files};

/// Name that constructors besides that of the class header are bound under, whatever their class is called.
const CONSTRUCTOR: &str = "<init>";

pub(super) static RULES: Rules = Rules {
    bare_members: BareMembers::Everywhere,
    member_order: MemberOrder::Linearised,
    constructors: &[CONSTRUCTOR],
    call_method: Some("apply"),
    iterate_method: Some("iterator"),
    next_method: Some("next"),
    map_iterates_pairs: true,
    builtin_types: standard::CONTAINERS,
    builtin_fields: standard::CONTAINER_FIELDS,
    builtin_methods: standard::CONTAINER_METHODS,
    universal_members: standard::OBJECT_MEMBERS,
    builtin_package: standard::PACKAGE,
    is_standard_library: is_standard,
    is_standard_package: is_standard,
    plain_decorators: crate::plain_decorators::SCALA,
    common_methods: standard::COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Named(&["andThen", "apply", "compose", "curried", "tupled"]),
    overloads: Overloads::Chosen,
    constructs_apart: true,
    global_names: true,
    extension_functions: true,
    companions: true,
    runs_by_name: true,
    nested_packages: true,
    implicit_conversions: true,
    constructors_inherited: false,
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
        ("fromOrdinal", MethodShape::First),
        ("valueOf", MethodShape::First),
        ("values", MethodShape::ListOfFirst),
    ],
    linked: true,
    yields: Yields::OfCalls,
    ..Rules::OUTLINED
};

/// Returns whether a package belongs to the language or to the machine it runs on.
fn is_standard(package: &str) -> bool {
    ["java", "javax", "scala"]
        .iter()
        .any(|root| package.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// The member of a package that is not written in Scala: a class of Java, a package below, or something outside.
pub(super) fn find_member(
    packages: &Packages,
    files: &Files<'_>,
    from: FileId,
    package: &str,
    name: &str,
) -> ModuleTarget {
    if let Some(ModuleTarget::Member(mut found, names)) = packages.find(files, from, package, name) {
        found.retain(|&file| files.heading(file).language != Language::Scala);
        if !found.is_empty() {
            return ModuleTarget::Member(found, names);
        }
    }
    let longer = if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
    if packages.is_above(&longer) {
        return ModuleTarget::Folder(longer);
    }
    if package.is_empty() || packages.declares(package) && !is_standard(package) {
        return ModuleTarget::NotFound;
    }
    match name.starts_with(char::is_lowercase) {
        true => ModuleTarget::Folder(longer),
        false => ModuleTarget::External(package.to_owned()),
    }
}

/// What the language brings without an import.
pub(super) fn find_outside(name: &str) -> Option<ModuleTarget> {
    if standard::is_known(name) {
        return Some(ModuleTarget::External(standard::PACKAGE.to_owned()));
    }
    if name == "_root_" {
        return Some(ModuleTarget::Folder(String::new()));
    }
    matches!(name, "java" | "javax" | "scala").then(|| ModuleTarget::Folder(name.to_owned()))
}
