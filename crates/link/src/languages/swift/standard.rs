//! Names of the standard library that code uses without saying where they are from, and its containers.

use crate::rules::{Builtin, FieldShape, MethodShape};

/// The module of the language.
pub(super) const PACKAGE: &str = "Swift";

/// Modules that know nothing of the project but what they are given.
#[rustfmt::skip]
pub(super) const LIBRARIES: &[&str] = &[
    "AppKit", "Combine", "CoreData", "CoreFoundation", "CoreGraphics", "Darwin", "Dispatch", "Foundation",
    "FoundationEssentials", "Glibc", "Musl", "ObjectiveC", "Observation", "PackageDescription", "PackagePlugin",
    "RegexBuilder", "Swift", "SwiftUI", "Synchronization", "Testing", "UIKit", "WinSDK", "XCTest", "os",
];

/// Types, functions and attributes of the language.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "_Metatype",
    "Actor", "AdditiveArithmetic", "Any", "AnyBidirectionalCollection", "AnyClass", "AnyCollection", "AnyHashable",
    "AnyIterator", "AnyKeyPath", "AnyObject", "AnyRandomAccessCollection", "AnySequence", "Array",
    "ArrayLiteralElement", "ArraySlice", "AsyncIteratorProtocol", "AsyncSequence", "AsyncStream",
    "AsyncThrowingStream", "Atomic", "AtomicRepresentable", "AutoreleasingUnsafeMutablePointer",
    "BidirectionalCollection", "BinaryFloatingPoint", "BinaryInteger", "BitwiseCopyable", "Bool", "BorrowingSequence",
    "CBool", "CChar", "CDouble", "CFloat", "CInt", "CLong", "CShort", "CUnsignedChar", "CUnsignedInt",
    "CUnsignedLong", "CVarArg", "CVarArgs", "CancellationError", "CaseIterable", "Character", "CheckedContinuation",
    "Clock", "ClosedRange", "Codable", "CodingKey", "CodingKeyRepresentable", "CodingUserInfoKey", "Collection",
    "CollectionOfOne", "CommandLine", "Comparable", "ContiguousArray", "ContinuousClock", "Copyable",
    "CustomDebugStringConvertible", "CustomLeafReflectable", "CustomPlaygroundDisplayConvertible",
    "CustomReflectable", "CustomStringConvertible", "Decodable", "Decoder", "DecodingError", "DefaultIndices",
    "DefaultStringInterpolation", "Dictionary", "DiscardingTaskGroup", "DiscontiguousSlice", "Double", "Duration",
    "DynamicProperty", "EmptyCollection", "Encodable", "Encoder", "EncodingError", "EnumeratedSequence", "Equatable",
    "Error", "Escapable", "Executor", "ExecutorJob", "ExpressibleByArrayLiteral", "ExpressibleByBooleanLiteral",
    "ExpressibleByDictionaryLiteral", "ExpressibleByExtendedGraphemeClusterLiteral", "ExpressibleByFloatLiteral",
    "ExpressibleByIntegerLiteral", "ExpressibleByNilLiteral", "ExpressibleByStringInterpolation",
    "ExpressibleByStringLiteral", "ExpressibleByUnicodeScalarLiteral", "FixedWidthInteger", "FlattenSequence",
    "Float", "Float16", "Float32", "Float64", "Float80", "FloatLiteralType", "FloatingPoint", "FloatingPointSign",
    "GKInspectable", "GlobalActor", "Hashable", "Hasher", "IBAction", "IBDesignable", "IBInspectable", "IBOutlet",
    "IBSegueAction", "Identifiable", "IndexSet", "IndexingIterator", "InlineArray", "InstantProtocol", "Int",
    "Int128", "Int16", "Int32", "Int64", "Int8", "IntegerLiteralType", "IteratorProtocol", "IteratorSequence",
    "JoinedSequence", "KeyPath", "KeyValuePairs", "KeyedDecodingContainer", "KeyedDecodingContainerProtocol",
    "KeyedEncodingContainer", "KeyedEncodingContainerProtocol", "LazyCollection", "LazyCollectionProtocol",
    "LazyFilterSequence", "LazyMapSequence", "LazySequence", "LazySequenceProtocol", "LosslessStringConvertible",
    "MainActor", "ManagedBuffer", "ManagedBufferPointer", "MemoryLayout", "Mirror", "MutableCollection",
    "MutableRawSpan", "MutableSpan", "Mutex", "NSApplicationMain", "NSCopying", "NSManaged", "Never", "Numeric",
    "ObjectIdentifier", "Observable", "OpaquePointer", "OptionSet", "Optional", "OutputRawSpan", "OutputSpan",
    "PartialKeyPath", "PartialRangeFrom", "PartialRangeThrough", "PartialRangeUpTo", "RandomAccessCollection",
    "RandomNumberGenerator", "Range", "RangeExpression", "RangeReplaceableCollection", "RangeSet", "RawRepresentable",
    "RawSpan", "ReferenceWritableKeyPath", "Regex", "RegexComponent", "Repeated", "Result", "ReversedCollection",
    "SIMD", "SIMD16", "SIMD2", "SIMD3", "SIMD4", "SIMD8", "SIMDScalar", "Self", "Sendable", "Sequence",
    "SerialExecutor", "Set", "SetAlgebra", "SignedInteger", "SignedNumeric", "SingleValueDecodingContainer",
    "SingleValueEncodingContainer", "Slice", "Span", "StaticBigInt", "StaticString", "StrideThrough", "StrideTo",
    "Strideable", "String", "StringInterpolationProtocol", "StringLiteralType", "StringProtocol", "Substring",
    "SuspendingClock", "SystemRandomNumberGenerator", "Task", "TaskGroup", "TaskLocal", "TaskPriority",
    "TextOutputStream", "TextOutputStreamable", "ThrowingDiscardingTaskGroup", "ThrowingTaskGroup",
    "UIApplicationMain", "UInt", "UInt128", "UInt16", "UInt32", "UInt64", "UInt8", "UTF16", "UTF32", "UTF8",
    "UnboundedRange", "UnboundedRange_", "UnfoldFirstSequence", "UnfoldSequence", "Unicode", "UnicodeCodec",
    "UnicodeScalar", "UnkeyedDecodingContainer", "UnkeyedEncodingContainer", "Unmanaged", "UnownedJob",
    "UnownedSerialExecutor", "UnsafeBufferPointer", "UnsafeContinuation", "UnsafeCurrentTask",
    "UnsafeMutableBufferPointer", "UnsafeMutablePointer", "UnsafeMutableRawBufferPointer", "UnsafeMutableRawPointer",
    "UnsafePointer", "UnsafeRawBufferPointer", "UnsafeRawPointer", "UnsignedInteger", "Void", "WritableKeyPath",
    "Zip2Sequence", "_addressable", "_addressableForDependencies", "_addressableSelf", "_alwaysEmitIntoClient",
    "_borrowed", "_cdecl", "_disfavoredOverload", "_documentation", "_eagerMove", "_effects", "_exported",
    "_fixed_layout", "_hasMissingDesignatedInitializers", "_implementationOnly", "_implicitSelfCapture",
    "_inheritActorContext", "_lifetime", "_marker", "_noEagerMove", "_nonSendable", "_optimize", "_owned",
    "_rawLayout", "_section", "_semantics", "_silgen_name", "_specialize", "_spi", "_spiOnly", "_staticExclusiveOnly",
    "_transparent", "_unavailableFromAsync", "_unsafeInheritExecutor", "_unsafeNonescapableResult", "_used", "abs",
    "assert", "assertionFailure", "attached", "autoclosure", "autoreleasepool", "available", "backDeployed",
    "convention", "debugPrint", "discardableResult", "dump", "dynamicCallable", "dynamicMemberLookup", "escaping",
    "exclusivelyAccess", "extendLifetime", "fatalError", "freestanding", "frozen", "getVaList", "globalActor",
    "inlinable", "inline", "isKnownUniquelyReferenced", "main", "max", "min", "nonexhaustive", "nonobjc",
    "numericCast", "objc", "objcMembers", "preconcurrency", "precondition", "preconditionFailure", "print",
    "propertyWrapper", "readLine", "repeatElement", "requires_stored_property_inits", "resultBuilder", "retroactive",
    "sequence", "storageRestrictions", "stride", "swap", "testable", "transcode", "type", "unchecked", "unsafe",
    "unsafeBitCast", "unsafeDowncast", "usableFromInline", "warn_unqualified_access", "withCheckedContinuation",
    "withCheckedThrowingContinuation", "withDiscardingTaskGroup", "withExtendedLifetime",
    "withTaskCancellationHandler", "withTaskGroup", "withTaskPriorityChangedHandler",
    "withThrowingDiscardingTaskGroup", "withThrowingTaskGroup", "withUnsafeBytes", "withUnsafeContinuation",
    "withUnsafeMutableBytes", "withUnsafeMutablePointer", "withUnsafePointer", "withUnsafeTemporaryAllocation",
    "withUnsafeThrowingContinuation", "withVaList", "withoutActuallyEscaping", "zip",
];

/// Methods that so many types have that their names are no hint.
#[rustfmt::skip]
pub(super) const COMMON_METHODS: &[&str] = &[
    "addTarget", "advanced", "allSatisfy", "append", "appending", "appendingPathComponent", "async", "bool", "cancel",
    "compactMap", "components", "container", "contains", "count", "data", "decode", "decodeIfPresent", "decodeNil",
    "description", "distance", "dropFirst", "dropLast", "elementsEqual", "encode", "encodeIfPresent", "encodeNil",
    "enumerated", "execute", "filter", "first", "firstIndex", "flatMap", "forEach", "formIndex", "formUnion", "get",
    "hasPrefix", "hasSuffix", "hash", "index", "init", "insert", "integer", "intersection", "isEmpty", "joined",
    "keys", "last", "lastIndex", "lexicographicallyPrecedes", "load", "lock", "lowercased", "makeIterator", "map",
    "max", "merge", "merging", "min", "nestedContainer", "next", "object", "perform", "popLast", "prefix", "print",
    "randomElement", "reduce", "remove", "removeAll", "removeFirst", "removeLast", "removeValue",
    "replacingOccurrences", "reserveCapacity", "resume", "reverse", "reversed", "setValue", "shuffle", "shuffled",
    "signal", "singleValueContainer", "sort", "sorted", "split", "starts", "store", "string", "subtracting", "suffix",
    "swapAt", "sync", "trimmingCharacters", "union", "unkeyedContainer", "unlock", "updateValue", "uppercased", "url",
    "value", "values", "wait", "withUnsafeBufferPointer", "withUnsafeBytes", "withUnsafeMutableBytes", "write",
];

/// Members that types have without writing them.
#[rustfmt::skip]
pub(super) const UNIVERSAL: &[&str] = &[
    "Protocol", "Type", "allCases", "customMirror", "debugDescription", "description", "encode", "flatMap", "hash",
    "hashValue", "isEqual", "localizedDescription", "map", "none", "rawValue", "self", "some", "superclass", "take",
    "unsafelyUnwrapped",
];

/// What standard types conform to, with all that these refine.
#[rustfmt::skip]
pub(super) const BASES: &[(&str, &[&str])] = &[
    ("Array", &["Sequence", "Collection", "BidirectionalCollection", "RandomAccessCollection", "MutableCollection", "RangeReplaceableCollection", "ExpressibleByArrayLiteral", "Equatable", "Hashable", "Encodable", "Decodable", "CustomStringConvertible"]),
    ("ArraySlice", &["Sequence", "Collection", "BidirectionalCollection", "RandomAccessCollection", "MutableCollection", "RangeReplaceableCollection"]),
    ("BidirectionalCollection", &["Collection", "Sequence"]),
    ("BinaryInteger", &["Numeric", "Comparable", "Equatable", "Hashable"]),
    ("Bool", &["Equatable", "Hashable", "ExpressibleByBooleanLiteral", "CustomStringConvertible", "LosslessStringConvertible"]),
    ("Character", &["Equatable", "Hashable", "Comparable", "CustomStringConvertible"]),
    ("ClosedRange", &["Sequence", "Collection", "RangeExpression"]),
    ("Collection", &["Sequence"]),
    ("Comparable", &["Equatable"]),
    ("Data", &["Sequence", "Collection", "BidirectionalCollection", "RandomAccessCollection", "MutableCollection", "RangeReplaceableCollection", "DataProtocol", "ContiguousBytes", "Equatable", "Hashable"]),
    ("Dictionary", &["Sequence", "Collection", "ExpressibleByDictionaryLiteral", "Equatable", "Hashable"]),
    ("Double", &["FloatingPoint", "BinaryFloatingPoint", "Numeric", "SignedNumeric", "Comparable", "Equatable", "Hashable", "Strideable", "CustomStringConvertible", "LosslessStringConvertible"]),
    ("FixedWidthInteger", &["BinaryInteger", "Numeric", "Comparable", "Equatable", "Hashable"]),
    ("Float", &["FloatingPoint", "BinaryFloatingPoint", "Numeric", "SignedNumeric", "Comparable", "Equatable", "Hashable", "Strideable", "CustomStringConvertible", "LosslessStringConvertible"]),
    ("Hashable", &["Equatable"]),
    ("Int", &["BinaryInteger", "FixedWidthInteger", "SignedInteger", "Numeric", "SignedNumeric", "Comparable", "Equatable", "Hashable", "Strideable", "CustomStringConvertible", "LosslessStringConvertible"]),
    ("MutableCollection", &["Collection", "Sequence"]),
    ("RandomAccessCollection", &["BidirectionalCollection", "Collection", "Sequence"]),
    ("Range", &["Sequence", "Collection", "RangeExpression"]),
    ("RangeReplaceableCollection", &["Collection", "Sequence"]),
    ("Set", &["Sequence", "Collection", "SetAlgebra", "Equatable", "Hashable"]),
    ("SetAlgebra", &["Equatable"]),
    ("String", &["Sequence", "Collection", "BidirectionalCollection", "RangeReplaceableCollection", "StringProtocol", "Comparable", "Equatable", "Hashable", "CustomStringConvertible", "LosslessStringConvertible", "TextOutputStream", "ExpressibleByStringLiteral"]),
    ("StringProtocol", &["BidirectionalCollection", "Collection", "Sequence", "Comparable", "Hashable"]),
    ("Substring", &["Sequence", "Collection", "BidirectionalCollection", "RangeReplaceableCollection", "StringProtocol", "Comparable", "Equatable", "Hashable"]),
    ("UInt", &["BinaryInteger", "FixedWidthInteger", "UnsignedInteger", "Numeric", "Comparable", "Equatable", "Hashable", "Strideable", "CustomStringConvertible", "LosslessStringConvertible"]),
    ("UInt8", &["BinaryInteger", "FixedWidthInteger", "UnsignedInteger", "Numeric", "Comparable", "Equatable", "Hashable", "Strideable", "CustomStringConvertible", "LosslessStringConvertible"]),
    ("UnsafeBufferPointer", &["Sequence", "Collection"]),
    ("UnsafeMutableBufferPointer", &["Sequence", "Collection", "MutableCollection"]),
    ("UnsafeRawBufferPointer", &["Sequence", "Collection"]),
];

/// Containers by their names.
#[rustfmt::skip]
pub(super) const CONTAINERS: &[(&str, Builtin)] = &[
    ("Array", Builtin::List),
    ("ArraySlice", Builtin::List),
    ("AsyncStream", Builtin::List),
    ("AsyncThrowingStream", Builtin::List),
    ("ContiguousArray", Builtin::List),
    ("Dictionary", Builtin::Map),
    ("Optional", Builtin::Transparent),
    ("Set", Builtin::List),
    ("UnsafeBufferPointer", Builtin::List),
    ("UnsafeMutableBufferPointer", Builtin::List),
    ("_Metatype", Builtin::ClassOf),
];

/// Their properties.
#[rustfmt::skip]
pub(super) const CONTAINER_FIELDS: &[(Builtin, &str, FieldShape)] = &[
    (Builtin::List, "first", FieldShape::First),
    (Builtin::List, "last", FieldShape::First),
    (Builtin::Map, "first", FieldShape::Pair),
    (Builtin::Map, "keys", FieldShape::Firsts),
    (Builtin::Map, "values", FieldShape::Seconds),
    (Builtin::Tuple, "element", FieldShape::Second),
    (Builtin::Tuple, "key", FieldShape::First),
    (Builtin::Tuple, "value", FieldShape::Second),
];

/// Their methods.
#[rustfmt::skip]
pub(super) const CONTAINER_METHODS: &[(Builtin, &str, MethodShape)] = &[
    (Builtin::List, "compactMap", MethodShape::Mapped),
    (Builtin::List, "drop", MethodShape::Same),
    (Builtin::List, "dropFirst", MethodShape::Same),
    (Builtin::List, "dropLast", MethodShape::Same),
    (Builtin::List, "enumerated", MethodShape::Enumerated),
    (Builtin::List, "filter", MethodShape::Same),
    (Builtin::List, "first", MethodShape::First),
    (Builtin::List, "flatMap", MethodShape::FlatMapped),
    (Builtin::List, "last", MethodShape::First),
    (Builtin::List, "map", MethodShape::Mapped),
    (Builtin::List, "max", MethodShape::First),
    (Builtin::List, "min", MethodShape::First),
    (Builtin::List, "popFirst", MethodShape::First),
    (Builtin::List, "popLast", MethodShape::First),
    (Builtin::List, "prefix", MethodShape::Same),
    (Builtin::List, "randomElement", MethodShape::First),
    (Builtin::List, "remove", MethodShape::First),
    (Builtin::List, "removeFirst", MethodShape::First),
    (Builtin::List, "removeLast", MethodShape::First),
    (Builtin::List, "reversed", MethodShape::Same),
    (Builtin::List, "shuffled", MethodShape::Same),
    (Builtin::List, "sorted", MethodShape::Same),
    (Builtin::List, "suffix", MethodShape::Same),
    (Builtin::Map, "filter", MethodShape::Same),
    (Builtin::Map, "removeValue", MethodShape::Second),
    (Builtin::Map, "sorted", MethodShape::ListOfPairs),
    (Builtin::Map, "updateValue", MethodShape::Second),
];
