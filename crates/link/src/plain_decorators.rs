//! Decorators, annotations and attributes that do not keep what they decorate, one table per language.
//!
//! Everything else may register the definition somewhere, so that it is run without being named. A row is a package,
//! any if it is empty, with names.

type Rows = &'static [(&'static str, &'static [&'static str])];

pub(crate) const SCALA: Rows = &[
    ("java", &["Deprecated", "FunctionalInterface", "Override", "SafeVarargs", "SuppressWarnings"]),
    (
        "scala",
        &[
            "compileTimeOnly", "deprecated", "deprecatedInheritance", "deprecatedName", "elidable", "experimental",
            "implicitAmbiguous", "implicitNotFound", "inline", "main", "migration", "native", "noinline", "nowarn",
            "publicInBinary", "specialized", "switch", "tailrec", "targetName", "threadUnsafe", "throws", "transient",
            "transparentTrait", "unchecked", "unused", "varargs", "volatile",
        ],
    ),
];

pub(crate) const PYTHON: Rows = &[
    ("", &["setter", "getter", "deleter"]),
    ("builtins", &["classmethod", "property", "staticmethod"]),
    ("abc", &["abstractclassmethod", "abstractmethod", "abstractproperty", "abstractstaticmethod"]),
    ("asyncio", &["coroutine"]),
    ("attr", &["attributes", "attrs", "dataclass", "define", "frozen", "mutable", "s"]),
    ("attrs", &["define", "frozen", "mutable"]),
    ("backoff", &["on_exception", "on_predicate"]),
    ("cachetools", &["cached", "cachedmethod"]),
    (
        "click",
        &[
            "argument", "confirmation_option", "help_option", "option", "pass_context", "pass_obj", "password_option",
            "version_option",
        ],
    ),
    ("contextlib", &["asynccontextmanager", "contextmanager"]),
    ("dataclasses", &["dataclass"]),
    ("deprecated", &["deprecated"]),
    (
        "django",
        &[
            "async_to_sync", "atomic", "cache_control", "cache_page", "cached_property", "classproperty",
            "csrf_exempt", "csrf_protect", "keep_lazy", "keep_lazy_text", "login_required", "method_decorator",
            "never_cache", "override_settings", "permission_required", "require_GET", "require_POST",
            "require_http_methods", "require_safe", "sensitive_post_parameters", "sensitive_variables",
            "staff_member_required", "user_passes_test", "vary_on_cookie", "vary_on_headers", "xframe_options_exempt",
            "xframe_options_sameorigin",
        ],
    ),
    ("enum", &["member", "nonmember", "property", "unique", "verify"]),
    (
        "functools",
        &[
            "cache", "cached_property", "lru_cache", "partialmethod", "singledispatch", "singledispatchmethod",
            "total_ordering", "wraps",
        ],
    ),
    ("freezegun", &["freeze_time"]),
    ("hypothesis", &["example", "given", "settings"]),
    ("mock", &["dict", "multiple", "object", "patch"]),
    ("numba", &["jit", "njit", "vectorize"]),
    ("pydantic", &["computed_field", "validate_call"]),
    ("six", &["add_metaclass", "python_2_unicode_compatible"]),
    ("sqlalchemy", &["hybrid_method", "hybrid_property"]),
    ("tenacity", &["retry"]),
    ("torch", &["compile", "inference_mode", "no_grad"]),
    ("types", &["coroutine"]),
    ("typing", TYPING),
    ("typing_extensions", TYPING),
    ("unittest", &["dict", "expectedFailure", "multiple", "object", "patch", "skip", "skipIf", "skipUnless"]),
    ("warnings", &["deprecated"]),
    ("werkzeug", &["cached_property"]),
];
const TYPING: &[&str] = &[
    "dataclass_transform", "deprecated", "final", "no_type_check", "overload", "override", "runtime",
    "runtime_checkable", "type_check_only",
];

pub(crate) const TYPESCRIPT: Rows = &[
    ("core-decorators", &["autobind", "debounce", "deprecate", "memoize", "override", "readonly", "throttle"]),
    ("lodash-decorators", &["Bind", "Debounce", "Memoize", "Once", "Throttle"]),
    ("mobx", &["action", "computed", "observable"]),
];

/// Attributes of the compiler and its tools are left out by the extractor.
pub(crate) const RUST: Rows =
    &[("", &["async_recursion", "async_trait", "error", "instrument", "serde", "skip", "stable", "unstable"])];

pub(crate) const JAVA: Rows = &[("", ANNOTATIONS)];
pub(crate) const KOTLIN: Rows = &[("", ANNOTATIONS), ("kotlin", KOTLIN_ANNOTATIONS)];
/// Annotations for the compiler of Kotlin.
const KOTLIN_ANNOTATIONS: &[&str] = &[
    "DslMarker", "ExperimentalMultiplatform", "JvmField", "JvmInline", "JvmMultifileClass", "JvmName", "JvmOverloads",
    "JvmStatic", "JvmSuppressWildcards", "JvmSynthetic", "OptIn", "PublishedApi", "RequiresOptIn", "SinceKotlin",
    "Suppress", "Synchronized", "Target", "Throws", "Transient", "UnsafeVariance", "Volatile",
];
/// Annotations for compilers, checkers and generators of code, and those that only wrap a method.
const ANNOTATIONS: &[&str] = &[
    "AllArgsConstructor", "Async", "Builder", "CacheEvict", "CachePut", "Cacheable", "CanIgnoreReturnValue",
    "CheckForNull", "CheckReturnValue", "Data", "Deprecated", "Documented", "EqualsAndHashCode", "FunctionalInterface",
    "Generated", "Getter", "GuardedBy", "Immutable", "Inherited", "InterfaceAudience", "NoArgsConstructor", "NonNull",
    "NonNullApi", "NonNullFields", "Nonnull", "NotNull", "NotThreadSafe", "NullMarked", "Nullable", "Override",
    "ParametersAreNonnullByDefault", "PostAuthorize", "PreAuthorize", "Repeatable", "RequiredArgsConstructor",
    "Retention", "Retryable", "SafeVarargs", "Secured", "Setter", "Slf4j", "SneakyThrows", "SuppressFBWarnings",
    "SuppressWarnings", "Synchronized", "Target", "ThreadSafe", "Timed", "ToString", "Transactional", "Validated",
    "Value", "VisibleForTesting", "With",
];

pub(crate) const CSHARP: Rows = &[(
    "",
    &[
        "AggressiveInlining", "AllowNull", "Browsable", "CLSCompliant", "CallerMemberName", "Category",
        "CompilerGenerated", "Conditional", "DebuggerDisplay", "DebuggerHidden", "DebuggerNonUserCode",
        "DebuggerStepThrough", "Description", "DisallowNull", "DoesNotReturn", "EditorBrowsable",
        "ExcludeFromCodeCoverage", "Experimental", "Flags", "GeneratedCode", "MaybeNull", "MaybeNullWhen",
        "MemberNotNull", "MethodImpl", "MethodImplAttribute", "NotNull", "NotNullIfNotNull", "NotNullWhen", "Obsolete",
        "ObsoleteAttribute", "Pure", "RequiresDynamicCode", "RequiresUnreferencedCode", "SetsRequiredMembers",
        "StructLayout", "SuppressMessage", "UnconditionalSuppressMessage",
    ],
)];

/// Of languages whose names are not followed beyond a file: by name alone.
pub(crate) const PHP: Rows = &[
    (
        "php",
        &[
            "AllowDynamicProperties", "Attribute", "Deprecated", "NoDiscard", "Override", "ReturnTypeWillChange",
            "SensitiveParameter",
        ],
    ),
    ("JetBrains\\PhpStorm", &["ArrayShape", "Deprecated", "ExpectedValues", "Immutable", "NoReturn", "Pure"]),
];

pub(crate) const OUTLINED: Rows = &[
    ("", ANNOTATIONS),
    (
        "",
        &[
            "Composable", "DebuggerStepThrough", "ExperimentalCoroutinesApi", "Flags", "IntRange", "JvmField",
            "JvmName", "JvmOverloads", "JvmStatic", "MainActor", "MainThread", "MethodImpl", "Obsolete", "OptIn",
            "Pure", "RequiresApi", "Suppress", "Throws", "UiThread", "WorkerThread", "available", "discardableResult",
            "frozen", "inlinable", "inline", "override", "tailrec", "usableFromInline",
        ],
    ),
];

pub(crate) const SWIFT: Rows = &[(
    "",
    &[
        "GKInspectable",
        "IBDesignable",
        "IBInspectable",
        "IBOutlet",
        "NSCopying",
        "Sendable",
        "_addressable",
        "_addressableForDependencies",
        "_addressableSelf",
        "_alwaysEmitIntoClient",
        "_borrowed",
        "_disfavoredOverload",
        "_documentation",
        "_eagerMove",
        "_effects",
        "_exported",
        "_fixed_layout",
        "_hasMissingDesignatedInitializers",
        "_implementationOnly",
        "_implicitSelfCapture",
        "_inheritActorContext",
        "_lifetime",
        "_marker",
        "_noEagerMove",
        "_nonSendable",
        "_optimize",
        "_owned",
        "_rawLayout",
        "_section",
        "_semantics",
        "_specialize",
        "_spi",
        "_spiOnly",
        "_staticExclusiveOnly",
        "_transparent",
        "_unavailableFromAsync",
        "_unsafeInheritExecutor",
        "_unsafeNonescapableResult",
        "_used",
        "abi",
        "attached",
        "autoclosure",
        "available",
        "backDeployed",
        "concurrent",
        "convention",
        "discardableResult",
        "dynamicCallable",
        "dynamicMemberLookup",
        "escaping",
        "export",
        "freestanding",
        "frozen",
        "globalActor",
        "implementation",
        "inlinable",
        "inline",
        "isolated",
        "nonexhaustive",
        "nonobjc",
        "preconcurrency",
        "propertyWrapper",
        "requires_stored_property_inits",
        "resultBuilder",
        "retroactive",
        "section",
        "specialized",
        "storageRestrictions",
        "testable",
        "unchecked",
        "unknown",
        "usableFromInline",
        "used",
        "warn_unqualified_access",
    ],
)];
