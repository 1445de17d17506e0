//! Classes of the standard library of Python. Special methods are told by their names.

use super::{OutsideBase, OutsideCalls, Overriding, base};

pub(super) const CALLS: OutsideCalls = OutsideCalls {
    starts_with: &["pytest_"],
    special: Some(("__", "__")),
    bases: BASES,
    overriding: Overriding::ByName,
    ..OutsideCalls::NONE
};

const EXCEPTION: &[&str] = &["add_note", "with_traceback"];
const ENUM: &[&str] = &["_generate_next_value_", "_missing_"];

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
    base("float", &[]),
    base("int", &[]),
    base("local", &[]),
    base("object", &[]),
    base("partial", &[]),
    base("type", &["mro"]),
];
