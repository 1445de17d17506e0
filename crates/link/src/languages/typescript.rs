//! TypeScript and JavaScript: relative modules, `package.json`, `tsconfig.json`.

use std::hash::{Hash, Hasher};

use m1nd_base::{Problem, ProblemKind};
use m1nd_lang::Language;
use rustc_hash::FxHasher;

use self::ambient::Ambient;
use self::modules::{Found, Importer, Modules};
use super::dependencies::Dependencies;
use super::groups::Groups;
use super::{Family, Manifests};
use crate::rules::{
    BareMembers, Builtin, Dispatch, FieldShape, FunctionMethods, MemberOrder, MethodShape, ModuleTarget, Resolver,
    Rules,
};
use crate::tables::files::{FileId, Files};

mod ambient;
mod config;
mod globals;
mod json;
mod modules;
mod package;
mod paths;

pub(super) const FAMILY: Family = Family {
    of: Some(Language::JavaScript),
    languages: &[
        (Language::JavaScript, &RULES),
        (Language::TypeScript, &RULES),
        (Language::Tsx, &RULES),
        (Language::Vue, &RULES),
        (Language::Svelte, &RULES),
        (Language::Astro, &RULES),
    ],
    is_manifest,
    check_manifest,
    resolver: |files, manifests| Box::new(TypeScript::new(files, manifests)),
};

/// Any JSON may be a configuration that others name; [`has_settings`] tells by its text.
fn is_manifest(name: &str) -> bool {
    name == "pnpm-workspace.yaml" || name.ends_with(".json")
}

fn is_named_as_manifest(name: &str) -> bool {
    matches!(name, "package.json" | "pnpm-workspace.yaml" | "lerna.json") || config::is_config(name)
}

/// Returns whether a file with the name of a manifest is one.
pub(super) fn has_settings(name: &str, text: &[u8]) -> bool {
    is_named_as_manifest(name) || is_manifest(name) && config::may_be_named(text)
}

fn check_manifest(path: &str, text: &str) -> Option<Problem> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if !name.ends_with(".json") || !is_named_as_manifest(name) {
        return None;
    }
    json::parse(text).err().map(|error| Problem::new(ProblemKind::BadManifest, error))
}

static RULES: Rules = Rules {
    bare_members: BareMembers::Never,
    member_order: MemberOrder::DepthFirst,
    module_scope_ends_lookup: false,
    explicit_exports: true,
    submodules_are_members: false,
    constructors: &["constructor"],
    overrides_static: true,
    class_members: &[("constructor", MethodShape::Field(FieldShape::First))],
    call_method: None,
    stubs: &[(".js", ".d.ts"), (".jsx", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts")],
    index_method: None,
    iterate_method: None,
    map_iterates_pairs: true,
    next_method: None,
    enter_method: None,
    async_wraps_declared: false,
    builtin_types: &[
        ("Array", Builtin::List),
        ("ReadonlyArray", Builtin::List),
        ("Set", Builtin::List),
        ("ReadonlySet", Builtin::List),
        ("WeakSet", Builtin::List),
        ("Iterable", Builtin::List),
        ("Iterator", Builtin::List),
        ("IterableIterator", Builtin::List),
        ("AsyncIterable", Builtin::List),
        ("Generator", Builtin::List),
        ("AsyncGenerator", Builtin::List),
        ("Map", Builtin::Map),
        ("ReadonlyMap", Builtin::Map),
        ("WeakMap", Builtin::Map),
        ("Record", Builtin::Map),
        ("Promise", Builtin::Wrapper),
        ("PromiseLike", Builtin::Wrapper),
        ("Awaited", Builtin::Transparent),
        ("Partial", Builtin::Transparent),
        ("Required", Builtin::Transparent),
        ("Readonly", Builtin::Transparent),
        ("NonNullable", Builtin::Transparent),
        ("Pick", Builtin::Transparent),
        ("Omit", Builtin::Transparent),
        ("InstanceType", Builtin::Transparent),
    ],
    builtin_methods: &[
        (Builtin::List, "at", MethodShape::First),
        (Builtin::List, "find", MethodShape::First),
        (Builtin::List, "findLast", MethodShape::First),
        (Builtin::List, "pop", MethodShape::First),
        (Builtin::List, "shift", MethodShape::First),
        (Builtin::List, "filter", MethodShape::Same),
        (Builtin::List, "slice", MethodShape::Same),
        (Builtin::List, "concat", MethodShape::Same),
        (Builtin::List, "reverse", MethodShape::Same),
        (Builtin::List, "sort", MethodShape::Same),
        (Builtin::List, "values", MethodShape::Same),
        (Builtin::List, "entries", MethodShape::Enumerated),
        (Builtin::Map, "get", MethodShape::Second),
        (Builtin::Map, "values", MethodShape::ListOfSecond),
        (Builtin::Map, "keys", MethodShape::ListOfFirst),
        (Builtin::Map, "entries", MethodShape::ListOfPairs),
        (Builtin::Wrapper, "catch", MethodShape::Same),
        (Builtin::Wrapper, "finally", MethodShape::Same),
    ],
    identity_methods: &[],
    derived_methods: &[],
    universal_members: &[],
    builtin_package: globals::PACKAGE,
    decorations_call: true,
    plain_decorators: crate::plain_decorators::TYPESCRIPT,
    is_standard_library: |package| matches!(package, "globals" | globals::NODE),
    is_standard_package: |package| package == "globals",
    common_methods: globals::COMMON_METHODS,
    duck_typing: true,
    computed_members: true,
    function_methods: FunctionMethods::Named(&["apply", "call"]),
    dispatch: Dispatch::Members,
    follows_arguments: true,
    fields_apart: false,
    spreads_into_objects: true,
    function_classes: true,
    includes: false,
    linked: true,
    ..Rules::OUTLINED
};

/// Finds modules by the manifests of the project.
struct TypeScript {
    modules: Modules,
    ambient: Ambient,
    dependencies: Dependencies,
    /// Files by their packages.
    groups: Groups,
    fingerprint: u64,
}

impl TypeScript {
    fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let own = || manifests.iter().filter(|(path, _)| is_named_as_manifest(&file_name(path)));
        let all = manifests.iter().filter(|(path, _)| is_manifest(&file_name(path)));
        let mut hasher = FxHasher::default();
        for row in own() {
            row.hash(&mut hasher);
        }
        files.roots().for_each(|root| root.hash(&mut hasher));
        let modules = Modules::new(all.map(|(path, text)| (path.as_str(), text.as_str())));
        // Of configurations with other names, only those count that others name.
        modules.hash_configs(&mut hasher);
        let modules = modules.of_repositories(&|folder| files.root_of(folder).to_owned());
        let ambient = Ambient::new(files, own().map(|(path, _)| path.as_str()));
        ambient.hash(&mut hasher);
        let dependencies = modules.dependencies();
        let groups = Groups::by_folder(files, |folder| dependencies.package_of(folder).map(str::to_owned));
        Self { modules, ambient, dependencies, groups, fingerprint: hasher.finish() }
    }
}

impl Resolver for TypeScript {
    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        let heading = files.heading(from);
        let importer = Importer {
            path: files.path(from),
            is_typescript: !matches!(heading.language, Language::JavaScript),
            requires: heading.requires,
        };
        match self.modules.find(importer, module, &|path| files.find(path).is_some()) {
            Found::File(path) => files.find(&path).map_or(ModuleTarget::NotFound, ModuleTarget::File),
            Found::External(name) => ModuleTarget::External(name),
            Found::Nothing => ModuleTarget::NotFound,
        }
    }

    fn may_use(&self, files: &Files<'_>, from: FileId, to: FileId) -> bool {
        self.groups.answer(from, to, || self.dependencies.may_use(files.path(from), files.path(to)))
    }

    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if let Some(package) = globals::package(name) {
            return Some(ModuleTarget::External(package.to_owned()));
        }
        let declaring = self.ambient.declaring(files, from, name);
        (!declaring.is_empty()).then(|| ModuleTarget::Member(declaring, vec![name.to_owned()]))
    }
}
