//! Swift: modules of packages and of folders, extensions, argument labels, the standard library.

mod packages;
mod standard;

use std::sync::LazyLock;

use m1nd_lang::Language;
use m1nd_lang::facts::Literal;
use rustc_hash::FxHashSet;

use self::packages::Modules;
use super::Family;
use crate::rules::{
    BareMembers, FunctionMethods, MemberOrder, ModuleTarget, Overloads, PrivateMethods, Resolver, Rules, Yields,
};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Swift),
    languages: &[(Language::Swift, &RULES)],
    is_manifest: packages::is_manifest,
    check_manifest: |_, _| None,
    resolver: |files, manifests| Box::new(Modules::new(files, manifests)),
};

static RULES: Rules = Rules {
    bare_members: BareMembers::Everywhere,
    member_order: MemberOrder::DepthFirst,
    constructors: &["init"],
    index_method: Some("subscript"),
    iterate_method: Some("makeIterator"),
    next_method: Some("next"),
    map_iterates_pairs: true,
    builtin_types: standard::CONTAINERS,
    builtin_fields: standard::CONTAINER_FIELDS,
    builtin_methods: standard::CONTAINER_METHODS,
    universal_members: standard::UNIVERSAL,
    builtin_package: standard::PACKAGE,
    is_standard_library: |package| standard::LIBRARIES.contains(&package),
    is_standard_package: |package| package == standard::PACKAGE,
    plain_decorators: crate::plain_decorators::SWIFT,
    common_methods: standard::COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Named(&["callAsFunction"]),
    overloads: Overloads::Chosen,
    private_methods: PrivateMethods::Hidden,
    outside_bases: standard::BASES,
    literal_types: &[
        (Literal::Str, "String"),
        (Literal::Int, "Int"),
        (Literal::Float, "Double"),
        (Literal::Bool, "Bool"),
    ],
    top_type: Some("Any"),
    argument_labels: true,
    extension_blocks: true,
    siblings_first: true,
    linked: true,
    yields: Yields::OfCalls,
    ..Rules::OUTLINED
};

static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| standard::NAMES.iter().copied().collect());

impl Resolver for Modules {
    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        self.find(files.path(from), module).unwrap_or_else(|| ModuleTarget::External(module.to_owned()))
    }

    fn siblings(&self, _files: &Files<'_>, from: FileId) -> Vec<FileId> {
        self.files_beside(from).to_vec()
    }

    fn may_use(&self, _files: &Files<'_>, from: FileId, to: FileId) -> bool {
        self.knows(from, to)
    }

    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if NAMES.contains(name) {
            return Some(ModuleTarget::External(standard::PACKAGE.to_owned()));
        }
        let imported = files.imports(from).modules.iter().any(|module| module.trim_start_matches('+') == name);
        match self.find(files.path(from), name) {
            Some(target) => Some(target),
            None => imported.then(|| ModuleTarget::External(name.to_owned())),
        }
    }
}
