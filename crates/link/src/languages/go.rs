//! Go: modules, workspaces, packages and predeclared names.

mod manifest;
mod modules;
mod platforms;
mod universe;

use m1nd_base::{Problem, ProblemKind};
use m1nd_lang::Language;

use self::modules::GoModules;
use super::Family;
use crate::rules::{BareMembers, Builtin, Dispatch, FunctionMethods, MemberOrder, MethodShape, Rules, Yields};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Go),
    languages: &[(Language::Go, &RULES)],
    is_manifest: |name| matches!(name, "go.mod" | "go.work"),
    check_manifest: |path, text| {
        let is_module = path.rsplit('/').next() == Some("go.mod");
        let nameless = is_module && manifest::Manifest::read(text).module.is_none();
        nameless.then(|| Problem::new(ProblemKind::BadManifest, "no module path"))
    },
    resolver: |files, manifests| Box::new(GoModules::new(files, manifests)),
};

static RULES: Rules = Rules {
    bare_members: BareMembers::Never,
    member_order: MemberOrder::Embedding,
    builtin_types: &[
        // Keywords of the language, as the extractor writes them.
        ("map", Builtin::Map),
        ("chan", Builtin::Wrapper),
        // `sync/atomic`, `iter`
        ("Pointer", Builtin::Wrapper),
        ("Seq", Builtin::Wrapper),
        ("Seq2", Builtin::Map),
    ],
    builtin_methods: &[(Builtin::Wrapper, "Load", MethodShape::First), (Builtin::Wrapper, "Swap", MethodShape::First)],
    builtin_package: "builtin",
    is_standard_library: |package| !package.split('/').next().is_some_and(|first| first.contains('.')),
    is_standard_package: |package| matches!(package, "builtin" | "sync/atomic" | "iter"),
    common_methods: universe::COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Any,
    counted_ranges: true,
    members_beside_type: true,
    variables_are_open: true,
    has_conditional_items: true,
    dispatch: Dispatch::Structural,
    linked: true,
    yields: Yields::OfFunctions,
    ..Rules::OUTLINED
};
