//! Types of the standard library of Java, and how its sister languages say that a method replaces another.

use super::{OutsideBase, OutsideCalls, OutsideMember, Overriding, base, member};

pub(super) const CALLS: OutsideCalls = OutsideCalls {
    starts: &["main", "premain", "agentmain"],
    static_starts: true,
    members: OBJECT,
    bases: BASES,
    overriding: Overriding::ByName,
    hidden_words: &["private", "static"],
    nested_is_member: true,
    accessors: &["get", "set", "is"],
    hides_values: true,
    ..OutsideCalls::NONE
};

pub(super) const KOTLIN: OutsideCalls = OutsideCalls {
    starts: &["main"],
    members: OBJECT,
    bases: BASES,
    overriding: Overriding::ByWord,
    override_word: Some("override"),
    operator_word: Some("operator"),
    hidden_words: &["private"],
    ..OutsideCalls::NONE
};

pub(super) const SCALA: OutsideCalls = OutsideCalls {
    starts: &["main"],
    static_starts: true,
    members: SYNTAX_OF_SCALA,
    bases: BASES,
    overriding: Overriding::ByName,
    override_word: Some("override"),
    hidden_words: &["private"],
    ..OutsideCalls::NONE
};

const OBJECT: &[OutsideMember] = &[
    member("java.lang.Object", "clone"),
    member("java.lang.Object", "equals"),
    member("java.lang.Object", "finalize"),
    member("java.lang.Object", "hashCode"),
    member("java.lang.Object", "toString"),
    member("java.io.Serializable", "readObject"),
    member("java.io.Serializable", "readObjectNoData"),
    member("java.io.Serializable", "readResolve"),
    member("java.io.Serializable", "writeObject"),
    member("java.io.Serializable", "writeReplace"),
];

const SYNTAX_OF_SCALA: &[OutsideMember] = &[
    member("java.lang.Object", "clone"),
    member("java.lang.Object", "equals"),
    member("java.lang.Object", "finalize"),
    member("java.lang.Object", "hashCode"),
    member("java.lang.Object", "toString"),
    member("scala.Equals", "canEqual"),
    member("the syntax of calls", "apply"),
    member("the syntax of calls", "applyDynamic"),
    member("the syntax of assignments", "update"),
    member("the syntax of patterns", "unapply"),
    member("the syntax of patterns", "unapplySeq"),
    member("the syntax of `for`", "flatMap"),
    member("the syntax of `for`", "foreach"),
    member("the syntax of `for`", "map"),
    member("the syntax of `for`", "withFilter"),
    member("scala.math.Ordered", "compare"),
];

const THROWABLE: &[&str] = &[
    "fillInStackTrace", "getCause", "getLocalizedMessage", "getMessage", "getStackTrace", "initCause",
    "printStackTrace", "setStackTrace",
];

const BASES: &[OutsideBase] = &[
    base("AutoCloseable", &["close"]),
    base("BiConsumer", &["accept", "andThen"]),
    base("BiFunction", &["andThen", "apply"]),
    base("BiPredicate", &["and", "negate", "or", "test"]),
    base("BinaryOperator", &["andThen", "apply"]),
    base("BooleanSupplier", &["getAsBoolean"]),
    base("Callable", &["call"]),
    base("CharSequence", &["charAt", "chars", "codePoints", "isEmpty", "length", "subSequence"]),
    base("Cloneable", &[]),
    base("Closeable", &["close"]),
    base("Comparable", &["compareTo"]),
    base("Comparator", &["compare", "reversed", "thenComparing"]),
    base("Consumer", &["accept", "andThen"]),
    base("Enum", &[]),
    base("Enumeration", &["asIterator", "hasMoreElements", "nextElement"]),
    base("Error", THROWABLE),
    base("EventListener", &[]),
    base("Exception", THROWABLE),
    base("FileFilter", &["accept"]),
    base("FilenameFilter", &["accept"]),
    base("Flushable", &["flush"]),
    base("Function", &["andThen", "apply", "compose"]),
    base("IOException", THROWABLE),
    base("IllegalArgumentException", THROWABLE),
    base("IllegalStateException", THROWABLE),
    base("IntFunction", &["apply"]),
    base("IntPredicate", &["test"]),
    base("IntSupplier", &["getAsInt"]),
    base("InvocationHandler", &["invoke"]),
    base("Iterable", &["forEach", "iterator", "spliterator"]),
    base("Iterator", &["forEachRemaining", "hasNext", "next", "remove"]),
    base("LongSupplier", &["getAsLong"]),
    base("Object", &[]),
    base("Predicate", &["and", "negate", "or", "test"]),
    base("RandomAccess", &[]),
    base("Record", &[]),
    base("Runnable", &["run"]),
    base("RuntimeException", THROWABLE),
    base("Serializable", &[]),
    base("Supplier", &["get"]),
    base("Thread", &["getName", "interrupt", "isInterrupted", "run", "start"]),
    base("ThreadFactory", &["newThread"]),
    base("Throwable", THROWABLE),
    base("TimerTask", &["cancel", "run", "scheduledExecutionTime"]),
    base("ToDoubleFunction", &["applyAsDouble"]),
    base("ToIntFunction", &["applyAsInt"]),
    base("ToLongFunction", &["applyAsLong"]),
    base("UnaryOperator", &["andThen", "apply", "compose"]),
    base("UncaughtExceptionHandler", &["uncaughtException"]),
];
