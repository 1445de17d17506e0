//! Rust: crates, module trees, Cargo manifests.

use m1nd_lang::Language;

use super::Family;
use crate::project::{FileId, Files};
use crate::rules::{BareMembers, Builtin, MemberOrder, MethodShape, ModuleTarget, Resolver, Rules};

pub(super) const FAMILY: Family = Family {
    name: "rust",
    languages: &[Language::Rust],
    rules: &RULES,
    is_manifest: |name| name == "Cargo.toml",
    check_manifest: |_, _| None,
    resolver: |_, _| Box::new(Rust),
};

static RULES: Rules = Rules {
    bare_members: BareMembers::Never,
    member_order: MemberOrder::DepthFirst,
    module_scope_ends_lookup: true,
    explicit_exports: false,
    submodules_are_members: false,
    constructors: &[],
    call_method: None,
    index_method: Some("index"),
    iterate_method: Some("into_iter"),
    next_method: Some("next"),
    enter_method: None,
    async_wraps_declared: true,
    builtin_types: &[
        ("Vec", Builtin::List),
        ("VecDeque", Builtin::List),
        ("HashSet", Builtin::List),
        ("BTreeSet", Builtin::List),
        ("BinaryHeap", Builtin::List),
        ("HashMap", Builtin::Map),
        ("BTreeMap", Builtin::Map),
        ("Option", Builtin::Wrapper),
        ("Result", Builtin::Wrapper),
        ("Poll", Builtin::Wrapper),
        ("Box", Builtin::Transparent),
        ("Rc", Builtin::Transparent),
        ("Arc", Builtin::Transparent),
        ("Pin", Builtin::Transparent),
        ("Cow", Builtin::Transparent),
        ("Ref", Builtin::Transparent),
        ("RefMut", Builtin::Transparent),
        ("MutexGuard", Builtin::Transparent),
        ("RwLockReadGuard", Builtin::Transparent),
        ("RwLockWriteGuard", Builtin::Transparent),
        ("ManuallyDrop", Builtin::Transparent),
    ],
    builtin_methods: &[
        (Builtin::Wrapper, "unwrap", MethodShape::First),
        (Builtin::Wrapper, "expect", MethodShape::First),
        (Builtin::Wrapper, "unwrap_or", MethodShape::First),
        (Builtin::Wrapper, "unwrap_or_else", MethodShape::First),
        (Builtin::Wrapper, "unwrap_or_default", MethodShape::First),
        (Builtin::Wrapper, "as_ref", MethodShape::Same),
        (Builtin::Wrapper, "as_mut", MethodShape::Same),
        (Builtin::Wrapper, "as_deref", MethodShape::Same),
        (Builtin::Wrapper, "as_deref_mut", MethodShape::Same),
        (Builtin::Wrapper, "cloned", MethodShape::Same),
        (Builtin::Wrapper, "copied", MethodShape::Same),
        (Builtin::Wrapper, "clone", MethodShape::Same),
        (Builtin::Wrapper, "take", MethodShape::Same),
        (Builtin::Wrapper, "or", MethodShape::Same),
        (Builtin::Wrapper, "or_else", MethodShape::Same),
        (Builtin::Wrapper, "filter", MethodShape::Same),
        (Builtin::Wrapper, "ok", MethodShape::Same),
        (Builtin::Wrapper, "ok_or", MethodShape::Same),
        (Builtin::Wrapper, "ok_or_else", MethodShape::Same),
        (Builtin::Wrapper, "map_err", MethodShape::Same),
        (Builtin::Wrapper, "iter", MethodShape::ListOfFirst),
        (Builtin::Wrapper, "into_iter", MethodShape::ListOfFirst),
        (Builtin::List, "iter", MethodShape::Same),
        (Builtin::List, "iter_mut", MethodShape::Same),
        (Builtin::List, "into_iter", MethodShape::Same),
        (Builtin::List, "drain", MethodShape::Same),
        (Builtin::List, "filter", MethodShape::Same),
        (Builtin::List, "skip", MethodShape::Same),
        (Builtin::List, "take", MethodShape::Same),
        (Builtin::List, "rev", MethodShape::Same),
        (Builtin::List, "chain", MethodShape::Same),
        (Builtin::List, "peekable", MethodShape::Same),
        (Builtin::List, "cloned", MethodShape::Same),
        (Builtin::List, "copied", MethodShape::Same),
        (Builtin::List, "clone", MethodShape::Same),
        (Builtin::List, "collect", MethodShape::Same),
        (Builtin::List, "to_vec", MethodShape::Same),
        (Builtin::List, "as_slice", MethodShape::Same),
        (Builtin::List, "enumerate", MethodShape::Enumerated),
        (Builtin::List, "first", MethodShape::WrapperOfFirst),
        (Builtin::List, "last", MethodShape::WrapperOfFirst),
        (Builtin::List, "first_mut", MethodShape::WrapperOfFirst),
        (Builtin::List, "last_mut", MethodShape::WrapperOfFirst),
        (Builtin::List, "get", MethodShape::WrapperOfFirst),
        (Builtin::List, "get_mut", MethodShape::WrapperOfFirst),
        (Builtin::List, "pop", MethodShape::WrapperOfFirst),
        (Builtin::List, "next", MethodShape::WrapperOfFirst),
        (Builtin::List, "find", MethodShape::WrapperOfFirst),
        (Builtin::List, "nth", MethodShape::WrapperOfFirst),
        (Builtin::List, "remove", MethodShape::First),
        (Builtin::List, "swap_remove", MethodShape::First),
        (Builtin::Map, "get", MethodShape::WrapperOfSecond),
        (Builtin::Map, "get_mut", MethodShape::WrapperOfSecond),
        (Builtin::Map, "remove", MethodShape::WrapperOfSecond),
        (Builtin::Map, "values", MethodShape::ListOfSecond),
        (Builtin::Map, "values_mut", MethodShape::ListOfSecond),
        (Builtin::Map, "into_values", MethodShape::ListOfSecond),
        (Builtin::Map, "keys", MethodShape::ListOfFirst),
        (Builtin::Map, "iter", MethodShape::ListOfPairs),
        (Builtin::Map, "iter_mut", MethodShape::ListOfPairs),
        (Builtin::Map, "into_iter", MethodShape::ListOfPairs),
    ],
    builtin_package: "std",
    duck_typing: true,
    function_classes: false,
    linked: true,
};

struct Rust;

impl Resolver for Rust {
    fn fingerprint(&self) -> u64 {
        0
    }

    fn module(&self, _files: &Files<'_>, _from: FileId, _module: &str, _level: u16) -> ModuleTarget {
        ModuleTarget::NotFound
    }
}
