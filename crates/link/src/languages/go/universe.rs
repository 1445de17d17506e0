//! Predeclared names, and method names too common to be informative.

/// Predeclared names, and the keywords for types.
pub(super) const UNIVERSE: &[&str] = &[
    "any", "append", "bool", "byte", "cap", "chan", "clear", "close", "comparable", "complex", "complex128",
    "complex64", "copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int16", "int32", "int64",
    "int8", "iota", "len", "make", "map", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover",
    "rune", "string", "true", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr",
];

/// Methods of the standard interfaces: a value nobody knows may well be of a type outside.
pub(super) const COMMON_METHODS: &[&str] = &[
    "Add", "Close", "Done", "Err", "Error", "Flush", "Format", "Get", "Header", "Len", "Less", "Load", "Lock",
    "MarshalJSON", "MarshalText", "Name", "Next", "Read", "ReadFrom", "Reset", "Scan", "Seek", "ServeHTTP", "Set",
    "Store", "String", "Swap", "Unlock", "UnmarshalJSON", "UnmarshalText", "Unwrap", "Value", "Wait", "Write",
    "WriteHeader", "WriteString", "WriteTo",
];
