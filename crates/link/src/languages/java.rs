//! Java: packages over source roots, the standard library. Files of Kotlin declare the same packages.

mod kotlin;
mod packages;
mod scala;
mod source_sets;
mod standard;
mod types;

use m1nd_lang::Language;
use m1nd_lang::facts::Literal;

use self::packages::Packages;
use super::Family;
use crate::rules::{
    BareMembers, FunctionMethods, MemberOrder, MethodShape, ModuleTarget, Overloads, Resolver, Rules, Yields,
};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Java),
    languages: &[(Language::Java, &RULES), (Language::Kotlin, &kotlin::RULES), (Language::Scala, &scala::RULES)],
    is_manifest: |_| false,
    check_manifest: |_, _| None,
    resolver: |files, _| Box::new(Java { packages: Packages::new(files) }),
};

/// Name that constructors are bound under, whatever their class is called.
const CONSTRUCTOR: &str = "<init>";

static RULES: Rules = Rules {
    bare_members: BareMembers::Everywhere,
    member_order: MemberOrder::DepthFirst,
    constructors: &[CONSTRUCTOR],
    iterate_method: Some("iterator"),
    next_method: Some("next"),
    builtin_types: standard::CONTAINERS,
    builtin_methods: standard::CONTAINER_METHODS,
    universal_members: standard::OBJECT_MEMBERS,
    builtin_package: standard::PACKAGE,
    is_standard_library: |package| package == "java" || package.starts_with("java."),
    plain_decorators: crate::plain_decorators::JAVA,
    is_standard_package: |package| package.starts_with("java"),
    common_methods: standard::COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Any,
    overloads: Overloads::Chosen,
    methods_apart: true,
    constructors_inherited: false,
    folders_are_packages: true,
    literal_types: &[
        (Literal::Str, "String"),
        (Literal::Int, "int"),
        (Literal::Float, "double"),
        (Literal::Bool, "boolean"),
    ],
    conversions: standard::CONVERSIONS,
    top_type: Some("Object"),
    result_types: standard::RESULTS,
    factories: standard::FACTORIES,
    function_types: standard::FUNCTIONS,
    enum_members: &[("values", MethodShape::ArrayOfFirst), ("valueOf", MethodShape::First)],
    linked: true,
    overload_phases: true,
    standard_type: types::find,
    yields: Yields::OfCalls,
    ..Rules::OUTLINED
};

fn is_kotlin(files: &Files<'_>, file: FileId) -> bool {
    files.heading(file).language == Language::Kotlin
}

/// Returns whether a name is one of a type that Java knows without an import.
pub(super) fn is_known_type(name: &str) -> bool {
    standard::is_known(name)
}

/// First names of packages that code outside uses.
pub(super) const ROOTS: &[&str] = standard::ROOTS;

fn is_scala(files: &Files<'_>, file: FileId) -> bool {
    files.heading(file).language == Language::Scala
}

/// Package resolution.
struct Java {
    packages: Packages,
}

impl Resolver for Java {
    fn fingerprint(&self) -> u64 {
        self.packages.fingerprint()
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        self.packages.find_named(files, from, module)
    }

    fn submodule(&self, files: &Files<'_>, from: FileId, of: &ModuleTarget, name: &str) -> ModuleTarget {
        match of {
            ModuleTarget::Folder(package) if is_scala(files, from) => {
                scala::find_member(&self.packages, files, from, package, name)
            }
            ModuleTarget::Folder(package) => self.packages.member(files, from, package, name),
            _ => ModuleTarget::NotFound,
        }
    }

    fn near(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if is_kotlin(files, from) {
            return self.packages.find(files, from, packages::package_of(files.heading(from)), name);
        }
        if standard::PRIMITIVES.contains(&name) || is_scala(files, from) {
            return None;
        }
        self.packages.find(files, from, packages::package_of(files.heading(from)), name)
    }

    fn is_own_package(&self, package: &str) -> bool {
        self.packages.is_above(package)
    }

    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if is_kotlin(files, from) {
            if let Some(package) = kotlin::package_of(name) {
                return Some(ModuleTarget::External(package.to_owned()));
            }
            let is_root = kotlin::is_root(name) || self.packages.is_above(name);
            return is_root.then(|| ModuleTarget::Folder(name.to_owned()));
        }
        if is_scala(files, from) {
            let is_known = standard::is_known(name);
            let of_machine = || is_known.then(|| ModuleTarget::External(standard::PACKAGE.to_owned()));
            return scala::find_outside(name).or_else(of_machine);
        }
        if standard::is_known(name) {
            return Some(ModuleTarget::External(standard::PACKAGE.to_owned()));
        }
        let root = standard::ROOTS.contains(&name) || self.packages.is_above(name);
        root.then(|| ModuleTarget::Folder(name.to_owned()))
    }
}
