//! Python: packages, source roots, standard library.

use m1nd_lang::Language;

use super::Family;
use crate::project::{FileId, Files};
use crate::rules::{BareMembers, Builtin, MemberOrder, MethodShape, ModuleTarget, Resolver, Rules};

pub(super) const FAMILY: Family = Family {
    name: "python",
    languages: &[Language::Python],
    rules: &RULES,
    is_manifest: |name| matches!(name, "pyproject.toml" | "setup.cfg"),
    check_manifest: |_, _| None,
    resolver: |_, _| Box::new(Python),
};

static RULES: Rules = Rules {
    bare_members: BareMembers::InBody,
    member_order: MemberOrder::C3,
    module_scope_ends_lookup: false,
    explicit_exports: false,
    submodules_are_members: true,
    constructors: &["__init__"],
    call_method: Some("__call__"),
    index_method: Some("__getitem__"),
    iterate_method: Some("__iter__"),
    next_method: Some("__next__"),
    enter_method: Some("__enter__"),
    async_wraps_declared: true,
    builtin_types: &[
        ("list", Builtin::List),
        ("List", Builtin::List),
        ("Sequence", Builtin::List),
        ("MutableSequence", Builtin::List),
        ("Iterable", Builtin::List),
        ("Iterator", Builtin::List),
        ("Generator", Builtin::List),
        ("AsyncIterator", Builtin::List),
        ("AsyncIterable", Builtin::List),
        ("AsyncGenerator", Builtin::List),
        ("Collection", Builtin::List),
        ("set", Builtin::List),
        ("Set", Builtin::List),
        ("frozenset", Builtin::List),
        ("FrozenSet", Builtin::List),
        ("deque", Builtin::List),
        ("Deque", Builtin::List),
        ("dict", Builtin::Map),
        ("Dict", Builtin::Map),
        ("Mapping", Builtin::Map),
        ("MutableMapping", Builtin::Map),
        ("defaultdict", Builtin::Map),
        ("DefaultDict", Builtin::Map),
        ("OrderedDict", Builtin::Map),
        ("tuple", Builtin::Tuple),
        ("Tuple", Builtin::Tuple),
        ("Optional", Builtin::Transparent),
        ("Final", Builtin::Transparent),
        ("ClassVar", Builtin::Transparent),
        ("Annotated", Builtin::Transparent),
        ("Required", Builtin::Transparent),
        ("NotRequired", Builtin::Transparent),
        ("Union", Builtin::Union),
        ("type", Builtin::ClassOf),
        ("Type", Builtin::ClassOf),
        ("Awaitable", Builtin::Wrapper),
        ("Coroutine", Builtin::Wrapper),
        ("Task", Builtin::Wrapper),
        ("Future", Builtin::Wrapper),
        ("Callable", Builtin::Function),
    ],
    builtin_methods: &[
        (Builtin::List, "pop", MethodShape::First),
        (Builtin::List, "popleft", MethodShape::First),
        (Builtin::List, "copy", MethodShape::Same),
        (Builtin::List, "union", MethodShape::Same),
        (Builtin::List, "intersection", MethodShape::Same),
        (Builtin::List, "difference", MethodShape::Same),
        (Builtin::List, "__next__", MethodShape::First),
        (Builtin::Map, "get", MethodShape::Second),
        (Builtin::Map, "pop", MethodShape::Second),
        (Builtin::Map, "setdefault", MethodShape::Second),
        (Builtin::Map, "values", MethodShape::ListOfSecond),
        (Builtin::Map, "keys", MethodShape::ListOfFirst),
        (Builtin::Map, "items", MethodShape::ListOfPairs),
        (Builtin::Map, "copy", MethodShape::Same),
    ],
    builtin_package: "builtins",
    duck_typing: true,
    function_classes: false,
    linked: true,
};

struct Python;

impl Resolver for Python {
    fn fingerprint(&self) -> u64 {
        0
    }

    fn module(&self, _files: &Files<'_>, _from: FileId, _module: &str, _level: u16) -> ModuleTarget {
        ModuleTarget::NotFound
    }
}
