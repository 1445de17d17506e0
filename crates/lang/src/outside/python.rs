//! Classes of the standard library of Python. Special methods are told by their names.

use super::{OutsideBase, OutsideCalls, Overriding, base};

pub(super) const CALLS: OutsideCalls = OutsideCalls {
    starts_with: &["pytest_"],
    special: Some(("__", "__")),
    bases: BASES,
    overriding: Overriding::ByName,
    reading_bases: &[
        "Enum", "Flag", "IntEnum", "IntFlag", "NamedTuple", "ReprEnum", "StrEnum", "Structure", "TypedDict", "Union",
    ],
    ..OutsideCalls::NONE
};

const EXCEPTION: &[&str] = &["add_note", "with_traceback"];
const ENUM: &[&str] = &["_generate_next_value_", "_missing_"];

const DICT: &[&str] = &[
    "clear", "copy", "fromkeys", "get", "items", "keys", "move_to_end", "pop", "popitem", "setdefault", "update",
    "values",
];

const GENERATOR: &[&str] = &["close", "send", "throw"];
const LIST: &[&str] =
    &["append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"];
const SET: &[&str] = &["add", "clear", "discard", "isdisjoint", "pop", "remove"];

const BASES: &[OutsideBase] = &[
    base("ABC", &[]),
    base("ABCMeta", &["register"]),
    base("ArithmeticError", EXCEPTION),
    base("AssertionError", EXCEPTION),
    base("AsyncGenerator", &["aclose", "asend", "athrow"]),
    base("AsyncIterable", &[]),
    base("AsyncIterator", &[]),
    base("AttributeError", EXCEPTION),
    base("Awaitable", &[]),
    base("BaseException", EXCEPTION),
    base("Callable", &[]),
    base("Collection", &[]),
    base("Container", &[]),
    base("Coroutine", GENERATOR),
    base("DeprecationWarning", EXCEPTION),
    base("Enum", ENUM),
    base("Exception", EXCEPTION),
    base("Flag", ENUM),
    base("Generator", GENERATOR),
    base("Generic", &[]),
    base("Hashable", &[]),
    base("IndexError", EXCEPTION),
    base("IntEnum", ENUM),
    base("IntFlag", ENUM),
    base("ItemsView", &["isdisjoint"]),
    base("Iterable", &[]),
    base("Iterator", &[]),
    base("KeyError", EXCEPTION),
    base("KeysView", &["isdisjoint"]),
    base("LookupError", EXCEPTION),
    base("Mapping", &["get", "items", "keys", "values"]),
    base("MappingView", &[]),
    base("MutableMapping", DICT),
    base("MutableSequence", LIST),
    base("MutableSet", SET),
    base("NamedTuple", &[]),
    base("NotImplementedError", EXCEPTION),
    base("OSError", EXCEPTION),
    base("OrderedDict", DICT),
    base("Protocol", &[]),
    base("Reversible", &[]),
    base("RuntimeError", EXCEPTION),
    base("RuntimeWarning", EXCEPTION),
    base("Sequence", &["count", "index"]),
    base("Set", SET),
    base("Sized", &[]),
    base("StrEnum", ENUM),
    base("TypeError", EXCEPTION),
    base("TypedDict", &[]),
    base("UserDict", DICT),
    base("UserWarning", EXCEPTION),
    base("ValueError", EXCEPTION),
    base("ValuesView", &[]),
    base("Warning", EXCEPTION),
    base("defaultdict", DICT),
    base("dict", DICT),
    base("float", &[]),
    base("int", &[]),
    base("list", LIST),
    base("local", &[]),
    base("object", &[]),
    base("partial", &[]),
    base("str", &["encode", "format", "join", "lower", "replace", "split", "startswith", "strip", "upper"]),
    base("tuple", &["count", "index"]),
    base("type", &["mro"]),
];
