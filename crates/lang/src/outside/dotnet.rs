//! Types of .NET.

use super::{OutsideBase, OutsideCalls, OutsideMember, Overriding, base, count_parameters, member};

pub(super) const CALLS: OutsideCalls = OutsideCalls {
    starts: &["Main"],
    static_starts: true,
    members: MEMBERS,
    bases: BASES,
    overriding: Overriding::ByWordOrPublic,
    override_word: Some("override"),
    operator_word: Some("operator"),
    hidden_words: &["private", "static"],
    reflected_classes: &["Controller", "ViewComponent"],
    ..OutsideCalls::NONE
};

const MEMBERS: &[OutsideMember] = &[
    member("System.Object", "Equals"),
    member("System.Object", "Finalize"),
    member("System.Object", "GetHashCode"),
    member("System.Object", "ToString"),
    member("the syntax of indexing", "this[]"),
    member("the syntax of `await`", "GetAwaiter"),
    member("the syntax of patterns", "Deconstruct"),
    member("the syntax of `foreach`", "GetAsyncEnumerator"),
    member("the syntax of `foreach`", "GetEnumerator"),
    member("the syntax of initialisers", "Add"),
    member("ASP.NET", "Configure"),
    member("ASP.NET", "ConfigureServices"),
    count_parameters("ASP.NET middleware", "Invoke", 1),
    member("ASP.NET middleware", "InvokeAsync"),
];

const BASES: &[OutsideBase] = &[
    base("Attribute", &[]),
    base("Exception", &[]),
    base("IAsyncDisposable", &["DisposeAsync"]),
    base("ICloneable", &["Clone"]),
    base("IComparable", &["CompareTo"]),
    base("IComparer", &["Compare"]),
    base("IDisposable", &["Dispose"]),
    base("IEnumerable", &["GetEnumerator"]),
    base("IEnumerator", &["Current", "MoveNext", "Reset"]),
    base("IEqualityComparer", &["Equals", "GetHashCode"]),
    base("IEquatable", &["Equals"]),
    base("IFormattable", &["ToString"]),
];
