//! Members that JavaScript and its libraries call on any value.

use super::{OutsideBase, OutsideCalls, OutsideMember, Overriding, base, member};

pub(super) const CALLS: OutsideCalls = OutsideCalls {
    members: MEMBERS,
    bases: BASES,
    overriding: Overriding::ByName,
    override_word: Some("override"),
    hidden_words: &["private", "static"],
    ..OutsideCalls::NONE
};

const MEMBERS: &[OutsideMember] = &[
    member("the iteration protocol", "[Symbol.asyncIterator]"),
    member("the iteration protocol", "[Symbol.iterator]"),
    member("Symbol.asyncDispose", "[Symbol.asyncDispose]"),
    member("Symbol.dispose", "[Symbol.dispose]"),
    member("Symbol.hasInstance", "[Symbol.hasInstance]"),
    member("Symbol.toPrimitive", "[Symbol.toPrimitive]"),
    member("Symbol.toStringTag", "[Symbol.toStringTag]"),
    member("EventListenerObject", "handleEvent"),
    member("JSON.stringify", "toJSON"),
    member("Object", "toLocaleString"),
    member("Object", "toString"),
    member("Object", "valueOf"),
    member("await", "then"),
];

const BASES: &[OutsideBase] = &[
    base("Error", &[]),
    base("Object", &[]),
    base("RangeError", &[]),
    base("SyntaxError", &[]),
    base("TypeError", &[]),
];
