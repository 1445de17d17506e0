//! C and C++: includes, compile commands, standard headers. They are one family, because each includes headers of the
//! other.

mod cmake;
mod compile;
mod includes;
mod standard;

use m1nd_base::{Problem, ProblemKind};
use m1nd_lang::Language;

use self::includes::Includes;
use super::Family;
use crate::rules::{
    BareMembers, Builtin, FieldShape, FunctionMethods, MemberOrder, MethodShape, Overloads, PrivateMethods, Rules,
    Yields,
};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::C),
    languages: &[(Language::C, &C), (Language::Cpp, &CPP)],
    is_manifest: |name| [compile::FILE_NAME, cmake::FILE_NAME].contains(&name),
    check_manifest: |path, text| {
        let is_ours = path.rsplit('/').next() == Some(compile::FILE_NAME);
        let error = compile::check(text).err().filter(|_| is_ours)?;
        Some(Problem::new(ProblemKind::BadManifest, error))
    },
    resolver: |files, manifests| Box::new(Includes::new(files, manifests)),
};

/// C has no overloads. Values of the standard library follow the C++ rules, because headers belong to both.
static C: Rules = Rules { overloads: Overloads::None, ..SHARED };

static CPP: Rules = Rules {
    overloads: Overloads::ByClass,
    private_methods: PrivateMethods::Replaceable,
    call_method: Some("operator()"),
    index_method: Some("operator[]"),
    ..SHARED
};

/// Built-in types, and those of the standard headers that are numbers.
const SCALARS: &[&str] = &[
    "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void", "char16_t", "char32_t",
    "char8_t", "int16_t", "int32_t", "int64_t", "int8_t", "intptr_t", "nullptr_t", "ptrdiff_t", "size_t", "ssize_t",
    "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintptr_t", "wchar_t", "unsigned char", "unsigned int",
    "unsigned long", "unsigned long long", "unsigned short", "long long", "long int", "long double", "signed char",
];

/// Fields and member types of containers. An iterator is what it points at, as a pointer is.
const FIELDS: &[(Builtin, &str, FieldShape)] = &[
    (Builtin::Tuple, "first", FieldShape::First),
    (Builtin::Tuple, "second", FieldShape::Second),
    (Builtin::Tuple, "first_type", FieldShape::First),
    (Builtin::Tuple, "second_type", FieldShape::Second),
    (Builtin::List, "const_iterator", FieldShape::First),
    (Builtin::List, "const_pointer", FieldShape::First),
    (Builtin::List, "const_reference", FieldShape::First),
    (Builtin::List, "const_reverse_iterator", FieldShape::First),
    (Builtin::List, "iterator", FieldShape::First),
    (Builtin::List, "key_type", FieldShape::First),
    (Builtin::List, "pointer", FieldShape::First),
    (Builtin::List, "reference", FieldShape::First),
    (Builtin::List, "reverse_iterator", FieldShape::First),
    (Builtin::List, "value_type", FieldShape::First),
    (Builtin::Map, "const_iterator", FieldShape::Pair),
    (Builtin::Map, "const_reference", FieldShape::Pair),
    (Builtin::Map, "const_reverse_iterator", FieldShape::Pair),
    (Builtin::Map, "iterator", FieldShape::Pair),
    (Builtin::Map, "key_type", FieldShape::First),
    (Builtin::Map, "mapped_type", FieldShape::Second),
    (Builtin::Map, "reference", FieldShape::Pair),
    (Builtin::Map, "reverse_iterator", FieldShape::Pair),
    (Builtin::Map, "value_type", FieldShape::Pair),
];
const METHODS: &[(Builtin, &str, MethodShape)] = &[
    (Builtin::List, "at", MethodShape::First),
    (Builtin::List, "back", MethodShape::First),
    (Builtin::List, "begin", MethodShape::First),
    (Builtin::List, "cbegin", MethodShape::First),
    (Builtin::List, "cend", MethodShape::First),
    (Builtin::List, "crbegin", MethodShape::First),
    (Builtin::List, "crend", MethodShape::First),
    (Builtin::List, "data", MethodShape::First),
    (Builtin::List, "emplace_back", MethodShape::First),
    (Builtin::List, "emplace_front", MethodShape::First),
    (Builtin::List, "end", MethodShape::First),
    (Builtin::List, "erase", MethodShape::First),
    (Builtin::List, "find", MethodShape::First),
    (Builtin::List, "front", MethodShape::First),
    (Builtin::List, "lower_bound", MethodShape::First),
    (Builtin::List, "rbegin", MethodShape::First),
    (Builtin::List, "rend", MethodShape::First),
    (Builtin::List, "top", MethodShape::First),
    (Builtin::List, "upper_bound", MethodShape::First),
    (Builtin::Map, "at", MethodShape::Second),
    (Builtin::Map, "begin", MethodShape::Pair),
    (Builtin::Map, "cbegin", MethodShape::Pair),
    (Builtin::Map, "cend", MethodShape::Pair),
    (Builtin::Map, "crbegin", MethodShape::Pair),
    (Builtin::Map, "crend", MethodShape::Pair),
    (Builtin::Map, "end", MethodShape::Pair),
    (Builtin::Map, "erase", MethodShape::Pair),
    (Builtin::Map, "find", MethodShape::Pair),
    (Builtin::Map, "lower_bound", MethodShape::Pair),
    (Builtin::Map, "rbegin", MethodShape::Pair),
    (Builtin::Map, "rend", MethodShape::Pair),
    (Builtin::Map, "upper_bound", MethodShape::Pair),
];

const SHARED: Rules = Rules {
    bare_members: BareMembers::Everywhere,
    member_order: MemberOrder::DepthFirst,
    includes: true,
    linked: true,
    builtin_types: &[
        ("vector", Builtin::List),
        ("array", Builtin::List),
        ("deque", Builtin::List),
        ("list", Builtin::List),
        ("forward_list", Builtin::List),
        ("set", Builtin::List),
        ("multiset", Builtin::List),
        ("unordered_set", Builtin::List),
        ("unordered_multiset", Builtin::List),
        ("span", Builtin::List),
        ("stack", Builtin::List),
        ("queue", Builtin::List),
        ("priority_queue", Builtin::List),
        ("initializer_list", Builtin::List),
        ("map", Builtin::Map),
        ("multimap", Builtin::Map),
        ("unordered_map", Builtin::Map),
        ("unordered_multimap", Builtin::Map),
        ("pair", Builtin::Tuple),
        ("tuple", Builtin::Tuple),
        ("optional", Builtin::Transparent),
        ("atomic", Builtin::Transparent),
        ("unique_ptr", Builtin::Transparent),
        ("shared_ptr", Builtin::Transparent),
        ("weak_ptr", Builtin::Transparent),
        ("reference_wrapper", Builtin::Transparent),
        ("make_unique", Builtin::Transparent),
        ("make_shared", Builtin::Transparent),
        ("move", Builtin::Transparent),
        ("ref", Builtin::Transparent),
        ("cref", Builtin::Transparent),
    ],
    builtin_fields: FIELDS,
    holding_fields: &["first", "second"],
    builtin_methods: METHODS,
    scalars: SCALARS,
    function_methods: FunctionMethods::Named(&["operator()"]),
    identity_methods: &["get", "release", "lock", "value", "value_or", "load", "exchange"],
    builtin_package: standard::CPP_PACKAGE,
    builtin_package_is_open: true,
    is_standard_package: |package| package == "std",
    map_iterates_pairs: true,
    yields: Yields::OfCalls,
    ..Rules::OUTLINED
};
