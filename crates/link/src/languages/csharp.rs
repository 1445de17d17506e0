//! C#: namespaces over files and projects, types in parts, extension methods, the libraries of .NET.

mod namespaces;
mod projects;
mod standard;

use m1nd_lang::Language;
use m1nd_lang::facts::Literal;

use self::namespaces::Namespaces;
use super::Family;
use crate::rules::{
    BareMembers, FunctionMethods, MemberOrder, MethodShape, ModuleTarget, Overloads, Resolver, Rules, Yields,
};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::CSharp),
    languages: &[(Language::CSharp, &RULES)],
    is_manifest: projects::is_manifest,
    check_manifest: |_, _| None,
    resolver: |files, manifests| Box::new(CSharp { namespaces: Namespaces::new(files, manifests) }),
};

/// Name that constructors are bound under, whatever their class is called.
const CONSTRUCTOR: &str = ".ctor";

static RULES: Rules = Rules {
    bare_members: BareMembers::Everywhere,
    member_order: MemberOrder::DepthFirst,
    constructors: &[CONSTRUCTOR],
    index_method: Some("this[]"),
    iterate_method: Some("GetEnumerator"),
    map_iterates_pairs: true,
    builtin_types: standard::CONTAINERS,
    builtin_fields: standard::CONTAINER_FIELDS,
    builtin_methods: standard::CONTAINER_METHODS,
    universal_members: standard::OBJECT_MEMBERS,
    builtin_package: standard::PACKAGE,
    is_standard_library: |package| package == "System" || package.starts_with("System."),
    is_standard_package: |package| package == "System" || package.starts_with("System."),
    plain_decorators: crate::plain_decorators::CSHARP,
    common_methods: standard::COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Named(&["BeginInvoke", "DynamicInvoke", "Invoke"]),
    overloads: Overloads::Chosen,
    constructs_apart: true,
    extension_functions: true,
    partial_types: true,
    decorator_suffix: Some("Attribute"),
    outside_bases: standard::BASES,
    constructors_inherited: false,
    folders_are_packages: true,
    literal_types: &[
        (Literal::Str, "string"),
        (Literal::Int, "int"),
        (Literal::Float, "double"),
        (Literal::Bool, "bool"),
    ],
    conversions: standard::CONVERSIONS,
    top_type: Some("object"),
    result_types: standard::RESULTS,
    function_types: standard::FUNCTIONS,
    enum_members: &[("CompareTo", MethodShape::First), ("HasFlag", MethodShape::First)],
    linked: true,
    yields: Yields::OfCalls,
    ..Rules::OUTLINED
};

/// Resolution of namespaces.
struct CSharp {
    namespaces: Namespaces,
}

impl Resolver for CSharp {
    fn fingerprint(&self) -> u64 {
        self.namespaces.fingerprint()
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        self.namespaces.find_named(files, from, module)
    }

    fn submodule(&self, files: &Files<'_>, from: FileId, of: &ModuleTarget, name: &str) -> ModuleTarget {
        match of {
            ModuleTarget::Folder(namespace) => self.namespaces.member(files, from, namespace, name),
            _ => ModuleTarget::NotFound,
        }
    }

    fn near(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        self.namespaces.near(files, from, &[], name)
    }

    fn near_inside(&self, files: &Files<'_>, from: FileId, inline: &[&str], name: &str) -> Option<ModuleTarget> {
        self.namespaces.near(files, from, inline, name)
    }

    fn parts(&self, files: &Files<'_>, from: FileId, inline: &[&str], name: &str) -> Vec<(FileId, Vec<String>)> {
        self.namespaces.parts(files, from, inline, name)
    }

    fn shared_packages(&self, files: &Files<'_>, from: FileId) -> Vec<&str> {
        self.namespaces.list_shared(files, from)
    }

    fn is_own_package(&self, package: &str) -> bool {
        self.namespaces.is_above(package)
    }

    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if let Some(target) = self.namespaces.find_shared(files, from, name) {
            return Some(target);
        }
        let plain = crate::names::strip_count(name);
        if standard::PRIMITIVES.contains(&plain) {
            return Some(ModuleTarget::External(standard::PACKAGE.to_owned()));
        }
        if let Some(namespace) = standard::namespace_of(plain) {
            return Some(ModuleTarget::External(namespace.to_owned()));
        }
        let is_root = standard::ROOTS.contains(&name) || self.namespaces.is_above(name);
        is_root.then(|| ModuleTarget::Folder(name.to_owned()))
    }
}
