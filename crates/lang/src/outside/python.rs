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

const DICT: &[&str] =
    &["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"];

const BASES: &[OutsideBase] = &[
    base("ABC", &[]),
    base("ABCMeta", &["register"]),
    base("ArithmeticError", EXCEPTION),
    base("AssertionError", EXCEPTION),
    base("AttributeError", EXCEPTION),
    base("BaseException", EXCEPTION),
    base("DeprecationWarning", EXCEPTION),
    base("Enum", ENUM),
    base("Exception", EXCEPTION),
    base("Flag", ENUM),
    base("Generic", &[]),
    base("IndexError", EXCEPTION),
    base("IntEnum", ENUM),
    base("IntFlag", ENUM),
    base("KeyError", EXCEPTION),
    base("LookupError", EXCEPTION),
    base("NamedTuple", &[]),
    base("NotImplementedError", EXCEPTION),
    base("OSError", EXCEPTION),
    base("Protocol", &[]),
    base("RuntimeError", EXCEPTION),
    base("RuntimeWarning", EXCEPTION),
    base("StrEnum", ENUM),
    base("TypeError", EXCEPTION),
    base("TypedDict", &[]),
    base("UserWarning", EXCEPTION),
    base("ValueError", EXCEPTION),
    base("Warning", EXCEPTION),
    base("dict", DICT),
    base("float", &[]),
    base("int", &[]),
    base(
        "list",
        &["append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"],
    ),
    base("local", &[]),
    base("object", &[]),
    base("partial", &[]),
    base("str", &["encode", "format", "join", "lower", "replace", "split", "startswith", "strip", "upper"]),
    base("tuple", &["count", "index"]),
    base("type", &["mro"]),
];
