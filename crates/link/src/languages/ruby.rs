//! Ruby: classes and modules that several files write, files that others require.

mod standard;

use m1nd_lang::Language;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

use super::{Family, paths};
use crate::rules::{
    BareMembers, FunctionMethods, MemberOrder, MethodShape, ModuleTarget, PrivateMethods, Resolver, Rules, Yields,
};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Ruby),
    languages: &[(Language::Ruby, &RULES)],
    is_manifest: |_| false,
    check_manifest: |_, _| None,
    resolver: |_, _| Box::new(Ruby),
};

/// What the language and its standard library define.
const PACKAGE: &str = "ruby";

static RULES: Rules = Rules {
    bare_members: BareMembers::Everywhere,
    member_order: MemberOrder::DepthFirst,
    constructors: &["initialize"],
    call_method: Some("call"),
    missing_methods: &["method_missing"],
    index_method: Some("[]"),
    is_standard_library: |package| package == PACKAGE,
    builtin_package: PACKAGE,
    identity_methods: &["clone", "dup", "freeze", "itself", "tap"],
    universal_members: standard::UNIVERSAL,
    common_methods: standard::COMMON,
    duck_typing: true,
    function_methods: FunctionMethods::Named(&["call"]),
    follows_arguments: true,
    methods_apart: true,
    open_types: true,
    binds_called_class: true,
    overrides_static: true,
    class_members: &[("class", MethodShape::First)],
    has_mixins: true,
    private_methods: PrivateMethods::Replaceable,
    linked: true,
    yields: Yields::Anything,
    ..Rules::OUTLINED
};

static CONSTANTS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| standard::CONSTANTS.iter().copied().collect());

/// Folders that `require` looks into, below any folder above the file.
const LOAD_PATHS: &[&str] = &["lib", "", "test", "spec", "ext"];

/// Required files.
struct Ruby;

impl Resolver for Ruby {
    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        let folder = paths::folder(files.path(from));
        let find = |folder: &str, path: &str| {
            let path = paths::join(folder, path)?;
            files.find(&format!("{path}.rb")).or_else(|| files.find(&path))
        };
        if module.starts_with('.') {
            return find(folder, module).map_or(ModuleTarget::NotFound, ModuleTarget::File);
        }
        for above in paths::upwards(folder) {
            for root in LOAD_PATHS {
                if let Some(file) = paths::join(above, root).and_then(|root| find(&root, module)) {
                    return ModuleTarget::File(file);
                }
            }
        }
        ModuleTarget::External(module.split('/').next().unwrap_or(module).to_owned())
    }

    /// A constant that the project does not define is of the language or of a package.
    fn outside(&self, _files: &Files<'_>, _from: FileId, name: &str) -> Option<ModuleTarget> {
        Some(ModuleTarget::External(if CONSTANTS.contains(name) { PACKAGE.to_owned() } else { name.to_owned() }))
    }
}
