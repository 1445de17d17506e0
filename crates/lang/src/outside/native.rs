//! What runtimes and libraries of C, C++ and Swift call.

use super::{OutsideBase, OutsideCalls, OutsideMember, Overriding, base, member};

/// Functions that operating systems, fuzzers and other languages look up by name.
const STARTS: &[&str] = &[
    "DllMain", "JNI_OnLoad", "JNI_OnUnload", "LLVMFuzzerCustomMutator", "LLVMFuzzerInitialize",
    "LLVMFuzzerTestOneInput", "SDL_main", "WinMain", "_start", "app_main", "main", "wWinMain", "wmain",
];
const STARTS_WITH: &[&str] = &["Java_", "PyInit_"];

pub(super) const C: OutsideCalls = OutsideCalls {
    starts: STARTS,
    starts_with: STARTS_WITH,
    overriding: Overriding::Never,
    hides_values: true,
    ..OutsideCalls::NONE
};

pub(super) const CPP: OutsideCalls = OutsideCalls {
    starts: STARTS,
    starts_with: STARTS_WITH,
    special: Some(("~", "")),
    members: MEMBERS,
    bases: BASES,
    overriding: Overriding::ByName,
    override_word: Some("override"),
    operator_word: Some("operator"),
    hidden_words: &["static"],
    hides_values: true,
    ..OutsideCalls::NONE
};

/// Members that templates and syntax of the language use.
const MEMBERS: &[OutsideMember] = &[
    member("the iteration protocol", "begin"),
    member("the iteration protocol", "cbegin"),
    member("the iteration protocol", "cend"),
    member("the iteration protocol", "crbegin"),
    member("the iteration protocol", "crend"),
    member("the iteration protocol", "end"),
    member("the iteration protocol", "rbegin"),
    member("the iteration protocol", "rend"),
    member("the coroutine protocol", "await_ready"),
    member("the coroutine protocol", "await_resume"),
    member("the coroutine protocol", "await_suspend"),
    member("the coroutine protocol", "final_suspend"),
    member("the coroutine protocol", "get_return_object"),
    member("the coroutine protocol", "initial_suspend"),
    member("the coroutine protocol", "return_value"),
    member("the coroutine protocol", "return_void"),
    member("the coroutine protocol", "unhandled_exception"),
    member("the coroutine protocol", "yield_value"),
    member("std::allocator_traits", "allocate"),
    member("std::allocator_traits", "deallocate"),
    member("std::lockable", "lock"),
    member("std::lockable", "try_lock"),
    member("std::lockable", "unlock"),
    member("std::swap", "swap"),
    member("std::back_inserter", "push_back"),
];

const GOOGLE_TEST: &[&str] =
    &["SetUp", "SetUpTestCase", "SetUpTestSuite", "TearDown", "TearDownTestCase", "TearDownTestSuite", "TestBody"];

const BASES: &[OutsideBase] = &[
    base("Test", GOOGLE_TEST),
    base("TestWithParam", GOOGLE_TEST),
    base("bad_alloc", &["what"]),
    base("enable_shared_from_this", &[]),
    base("exception", &["what"]),
    base("false_type", &[]),
    base("integral_constant", &[]),
    base("invalid_argument", &["what"]),
    base("iterator", &[]),
    base("logic_error", &["what"]),
    base("out_of_range", &["what"]),
    base("runtime_error", &["what"]),
    base("system_error", &["what"]),
    base("true_type", &[]),
];

pub(super) const SWIFT: OutsideCalls = OutsideCalls {
    starts: &["main"],
    static_starts: true,
    members: SYNTAX_OF_SWIFT,
    bases: PROTOCOLS,
    overriding: Overriding::ByName,
    override_word: Some("override"),
    hidden_words: &["fileprivate", "private"],
    reading_bases: &["CaseIterable", "Codable", "Decodable", "Encodable"],
    ..OutsideCalls::NONE
};

const SYNTAX_OF_SWIFT: &[OutsideMember] = &[
    member("the language", "deinit"),
    member("the language", "callAsFunction"),
    member("result builders", "buildArray"),
    member("result builders", "buildBlock"),
    member("result builders", "buildEither"),
    member("result builders", "buildExpression"),
    member("result builders", "buildFinalResult"),
    member("result builders", "buildOptional"),
    member("result builders", "buildPartialBlock"),
];

const PROTOCOLS: &[OutsideBase] = &[
    base("App", &["body", "init"]),
    base("AsyncMiddleware", &["respond"]),
    base("AsyncMigration", &["prepare", "revert"]),
    base("AsyncParsableCommand", &["configuration", "run", "validate"]),
    base("Codable", &["encode", "init"]),
    base("Comparable", &["<", "<=", ">", ">=", "=="]),
    base("CustomDebugStringConvertible", &["debugDescription"]),
    base("CustomStringConvertible", &["description"]),
    base("Decodable", &["init"]),
    base("Encodable", &["encode"]),
    base("Equatable", &["=="]),
    base("Error", &["localizedDescription"]),
    base("Hashable", &["==", "hash", "hashValue"]),
    base("Identifiable", &["id"]),
    base("IteratorProtocol", &["next"]),
    base("LocalizedError", &["errorDescription", "failureReason", "helpAnchor", "recoverySuggestion"]),
    base("Middleware", &["respond"]),
    base("Migration", &["prepare", "revert"]),
    base("ParsableCommand", &["configuration", "run", "validate"]),
    base("PreviewProvider", &["previews"]),
    base("RouteCollection", &["boot"]),
    base("Scene", &["body"]),
    base("Sendable", &[]),
    base("UIViewControllerRepresentable", &["makeCoordinator", "makeUIViewController", "updateUIViewController"]),
    base("UIViewRepresentable", &["makeCoordinator", "makeUIView", "updateUIView"]),
    base("View", &["body"]),
    base("ViewModifier", &["body"]),
    base("Widget", &["body"]),
    base("XCTestCase", &["setUp", "setUpWithError", "tearDown", "tearDownWithError"]),
    base("Int", &[]),
    base("String", &[]),
];
