//! Names visible in every Rust file without an import.

/// Crates that come with the compiler. All count as one package.
pub(super) const STANDARD_CRATES: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

/// Package that everything of the standard library belongs to.
pub(super) const STANDARD: &str = "std";

const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8",
    "usize",
];

const TYPES_AND_TRAITS: &[&str] = &[
    "AsMut", "AsRef", "AsyncFn", "AsyncFnMut", "AsyncFnOnce", "Box", "Clone", "Copy", "Debug", "Default",
    "DoubleEndedIterator", "Drop", "Eq", "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From",
    "FromIterator", "Future", "Hash", "Into", "IntoFuture", "IntoIterator", "Iterator", "Option", "Ord", "PartialEq",
    "PartialOrd", "Result", "Send", "Sized", "String", "Sync", "ToOwned", "ToString", "TryFrom", "TryInto", "Unpin",
    "Vec",
];

const VALUES: &[&str] = &["Err", "None", "Ok", "Some", "drop", "size_of", "size_of_val", "align_of", "align_of_val"];

const MACROS: &[&str] = &[
    "addr_of", "assert", "assert_eq", "assert_ne", "cfg", "column", "compile_error", "concat", "dbg", "debug_assert",
    "debug_assert_eq", "debug_assert_ne", "env", "eprint", "eprintln", "file", "format", "format_args", "include",
    "include_bytes", "include_str", "is_aarch64_feature_detected", "is_x86_feature_detected", "line", "matches",
    "module_path", "option_env", "panic", "print", "println", "stringify", "thread_local", "todo", "try",
    "unimplemented", "unreachable", "vec", "write", "writeln",
];

/// Methods that iterators, collections, options, results and strings share with everybody's own types.
pub(super) const COMMON_METHODS: &[&str] = &[
    "all", "and_then", "any", "as_bytes", "as_deref", "as_mut", "as_ref", "as_slice", "as_str", "borrow", "borrow_mut",
    "bytes", "chain", "chars", "clear", "clone", "cloned", "cmp", "collect", "contains", "contains_key", "copied",
    "count", "drain", "entry", "enumerate", "eq", "expect", "extend", "filter", "filter_map", "find", "first",
    "flat_map", "flatten", "fold", "for_each", "get", "get_mut", "get_or_insert_with", "insert", "into", "into_iter",
    "is_empty", "is_err", "is_none", "is_ok", "is_some", "iter", "iter_mut", "join", "keys", "last", "len", "lines",
    "lock", "map", "map_err", "max", "min", "next", "nth", "ok", "ok_or", "ok_or_else", "or_default", "or_else",
    "or_insert", "or_insert_with", "parse", "peek", "pop", "position", "push", "push_str", "remove", "replace",
    "retain", "rev", "skip", "sort", "sort_by", "sort_by_key", "split", "starts_with", "sum", "take", "then",
    "to_owned", "to_string", "to_vec", "trim", "try_into", "unwrap", "unwrap_or", "unwrap_or_default",
    "unwrap_or_else", "values", "with_capacity", "zip",
];

/// Returns whether the name is built in or in the prelude of the standard library.
pub(super) fn knows(name: &str) -> bool {
    [PRIMITIVES, TYPES_AND_TRAITS, VALUES, MACROS].iter().any(|names| names.contains(&name))
}
