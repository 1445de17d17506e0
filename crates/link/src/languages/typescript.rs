//! TypeScript and JavaScript: relative modules, `package.json`, `tsconfig.json`.

use m1nd_lang::Language;

use super::Family;
use crate::project::{FileId, Files};
use crate::rules::{BareMembers, Builtin, MemberOrder, MethodShape, ModuleTarget, Resolver, Rules};

pub(super) const FAMILY: Family = Family {
    name: "typescript",
    languages: &[Language::JavaScript, Language::TypeScript, Language::Tsx, Language::Vue, Language::Svelte],
    rules: &RULES,
    is_manifest: |name| {
        matches!(name, "package.json" | "jsconfig.json" | "pnpm-workspace.yaml")
            || name.starts_with("tsconfig") && name.ends_with(".json")
    },
    check_manifest: |_, _| None,
    resolver: |_, _| Box::new(TypeScript),
};

static RULES: Rules = Rules {
    bare_members: BareMembers::Never,
    member_order: MemberOrder::DepthFirst,
    module_scope_ends_lookup: false,
    explicit_exports: true,
    submodules_are_members: false,
    constructors: &["constructor"],
    call_method: None,
    index_method: None,
    iterate_method: None,
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
    builtin_package: "globals",
    duck_typing: true,
    fields_apart: false,
    function_classes: true,
    linked: true,
};

struct TypeScript;

impl Resolver for TypeScript {
    fn fingerprint(&self) -> u64 {
        0
    }

    fn module(&self, _files: &Files<'_>, _from: FileId, _module: &str, _level: u16) -> ModuleTarget {
        ModuleTarget::NotFound
    }
}
