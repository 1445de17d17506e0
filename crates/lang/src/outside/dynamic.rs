//! What Ruby, PHP and Lua call on any value.

use super::{OutsideBase, OutsideCalls, OutsideMember, Overriding, base, member};

pub(super) const RUBY: OutsideCalls =
    OutsideCalls { members: MEMBERS, bases: MODULES, overriding: Overriding::ByName, ..OutsideCalls::NONE };

const MEMBERS: &[OutsideMember] = &[
    member("Class", "inherited"),
    member("Comparable", "<=>"),
    member("Enumerable", "each"),
    member("Kernel", "initialize_copy"),
    member("Kernel", "inspect"),
    member("Kernel", "method_missing"),
    member("Kernel", "respond_to_missing?"),
    member("Kernel", "to_s"),
    member("Module", "const_missing"),
    member("Module", "extended"),
    member("Module", "included"),
    member("Module", "method_added"),
    member("Module", "prepended"),
    member("Object", "eql?"),
    member("Object", "hash"),
    member("coercion", "coerce"),
    member("coercion", "to_a"),
    member("coercion", "to_ary"),
    member("coercion", "to_h"),
    member("coercion", "to_hash"),
    member("coercion", "to_proc"),
    member("coercion", "to_str"),
    member("JSON", "as_json"),
    member("JSON", "to_json"),
    member("Rack", "call"),
];

const MODULES: &[OutsideBase] = &[
    base("Comparable", &["<=>"]),
    base("Enumerable", &["each"]),
    base("Object", &[]),
    base("RuntimeError", &["message"]),
    base("StandardError", &["message"]),
    base("Struct", &[]),
];

pub(super) const PHP: OutsideCalls = OutsideCalls {
    special: Some(("__", "")),
    bases: CLASSES,
    overriding: Overriding::ByName,
    hidden_words: &["private"],
    reflected_classes: &["Controller", "Job", "Listener", "Middleware", "Observer", "Policy", "Subscriber"],
    ..OutsideCalls::NONE
};

const ITERATOR: &[&str] = &["current", "key", "next", "rewind", "valid"];

const CLASSES: &[OutsideBase] = &[
    base("ArrayAccess", &["offsetExists", "offsetGet", "offsetSet", "offsetUnset"]),
    base("Countable", &["count"]),
    base("Error", &[]),
    base("Exception", &[]),
    base("InvalidArgumentException", &[]),
    base("Iterator", ITERATOR),
    base("IteratorAggregate", &["getIterator"]),
    base("JsonSerializable", &["jsonSerialize"]),
    base("LogicException", &[]),
    base("RuntimeException", &[]),
    base("Stringable", &["__toString"]),
];

pub(super) const LUA: OutsideCalls = OutsideCalls { special: Some(("__", "")), ..OutsideCalls::NONE };
