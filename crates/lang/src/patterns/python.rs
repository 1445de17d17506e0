//! Rules for Python.

use super::Pattern::{ApiSurface, Concurrency, ErrorHandling, ResourceCleanup, StateMutation};
use super::{Check, Near, Patterns, Rule, Within, auth, public_route};
use crate::Language;

const RAISES_OR_LOGS: &str = r#"(raise_statement) @found
((call function: (attribute attribute: (identifier) @found)) (#any-of? @found "exception" "error" "warning" "critical" "warn" "print_exc"))"#;

const CLOSES: &str = r#"((call function: (attribute attribute: (identifier) @m)) @found (#any-of? @m "close" "shutdown" "terminate" "detach"))
(with_statement) @found"#;

pub(super) const PATTERNS: Patterns = Patterns {
    languages: &[Language::Python],
    rules: RULES,
    functions: &["function_definition"],
    closures: &["lambda"],
    types: &["class_definition"],
    handing_calls: "(call arguments: (argument_list (identifier) @name)) @found",
};

static RULES: &[Rule] = &[
    Rule {
        pattern: ErrorHandling,
        name: "bare_except",
        severity: 0.78,
        message: "bare `except:` catches every exception, KeyboardInterrupt and SystemExit included",
        query: "(except_clause !value) @found",
        needs: &[],
        unless: &[Near { within: Within::Scope, query: "(raise_statement) @found" }],
        check: Check::CalleeDoes { does: RAISES_OR_LOGS, handed: false },
    },
    Rule {
        pattern: ErrorHandling,
        name: "swallowed_any",
        severity: 0.7,
        message: "every exception is caught and dropped without a trace",
        // Closing what is given up has nothing to say. What follows a body that leaves the function is the handler.
        query: r#"((try_statement body: (block) @b (except_clause value: (_) @t (block . (pass_statement) .)) @found)
  (#match? @t "^(Base)?Exception\\b")
  (#not-match? @b "\\b(close|kill|terminate|cancel|shutdown|disconnect|unlink|rmtree|remove|rollback|release|__exit__|join|stop|cleanup)\\([^\\n]*$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Scope,
            query: r#"((block (try_statement body: (block (_) @last .) (except_clause) @found) . (_)) (#match? @last "^(return|continue|break|yield|raise)\\b"))"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "swallowed",
        severity: 0.4,
        message: "an exception of any of several statements is caught and dropped without a trace",
        // To try one statement and go on without it is the custom. After a body that leaves the function or the
        // iteration, the following code only runs on an exception: it is the handler.
        query: r#"((try_statement body: (block (_) (_) (_) @last .) (except_clause value: (_) (block . (pass_statement) .)) @found)
  (#not-match? @last "^(return|continue|break|yield|raise)\\b"))"#,
        needs: &[],
        // Only signals that something optional is missing.
        unless: &[Near {
            within: Within::Scope,
            query: r#"((except_clause value: (_) @t) @found (#match? @t "ImportError|ModuleNotFoundError|StopIteration|KeyboardInterrupt|CancelledError|FileNotFoundError"))"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "raises_general",
        severity: Rule::USUAL,
        message: "raises `Exception` itself: callers can only catch everything",
        query: r#"((raise_statement (call function: (identifier) @t)) @found (#any-of? @t "Exception" "BaseException"))"#,
        needs: &[],
        unless: &[],
        check: Check::CallersGuard { guard: "(try_statement body: (block) @found)" },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "opened_not_closed",
        severity: 0.6,
        message: "opened without `with`, and never closed in this function",
        query: r#"((assignment left: (identifier) @name right: (call function: (_) @f) @call) @found
  (#match? @f "^(open|io\\.open|codecs\\.open|os\\.fdopen|gzip\\.open|socket\\.socket|socket\\.create_connection|sqlite3\\.connect|zipfile\\.ZipFile|tarfile\\.open)$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: r#"((call function: (attribute object: (identifier) @name attribute: (identifier) @m)) @found (#any-of? @m "close" "shutdown" "detach" "__exit__"))
(with_item value: (identifier) @name) @found
(with_item value: (as_pattern (identifier) @name)) @found
(with_item value: (call arguments: (argument_list (identifier) @name))) @found
(return_statement (identifier) @name) @found
(return_statement (_ (identifier) @name)) @found
(yield (identifier) @name) @found
(assignment right: (identifier) @name) @found
(assignment right: (_ (identifier) @name)) @found"#,
        }],
        check: Check::CalleeDoes { does: CLOSES, handed: true },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "opened_in_passing",
        severity: 0.45,
        message: "opened in passing: nothing is left that could close it",
        query: r#"((call function: (attribute object: (call function: (identifier) @f) attribute: (identifier) @m)) @found
  (#eq? @f "open") (#not-eq? @m "close"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ResourceCleanup,
        name: "held_not_closed",
        severity: 0.5,
        message: "opened into an attribute that no method of the class closes",
        query: r#"((assignment left: (attribute object: (identifier) @s attribute: (identifier) @name) right: (call function: (_) @f)) @found
  (#eq? @s "self") (#match? @f "^(open|io\\.open|socket\\.socket|socket\\.create_connection|sqlite3\\.connect)$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Type,
            query: r#"((call function: (attribute object: (attribute attribute: (identifier) @name) attribute: (identifier) @m)) @found (#any-of? @m "close" "shutdown" "detach"))"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: ApiSurface,
        name: "undocumented",
        severity: 0.35,
        message: "public, but nothing says what it does",
        query: r#"((module (function_definition name: (identifier) @name) @found) (#not-match? @name "^_"))
((module (decorated_definition definition: (function_definition name: (identifier) @name) @found)) (#not-match? @name "^_"))
((module (class_definition name: (identifier) @name) @found) (#not-match? @name "^_"))"#,
        needs: &[],
        unless: &[],
        check: Check::Undocumented,
    },
    Rule {
        pattern: ApiSurface,
        name: "wildcard_import",
        severity: 0.45,
        message: "`import *` makes the names of another module part of this one, whatever they are",
        query: "(import_from_statement (wildcard_import)) @found",
        needs: &[],
        unless: &[Near {
            within: Within::File,
            query: r#"((assignment left: (identifier) @found) (#eq? @found "__all__"))"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: StateMutation,
        name: "global_assigned",
        severity: 0.55,
        message: "a function rebinds a variable of the module",
        query: "(global_statement (identifier) @name) @found",
        needs: &[Near {
            within: Within::Function,
            query: "(assignment left: (identifier) @name) @found\n(augmented_assignment left: (identifier) @name) @found",
        }],
        unless: &[],
        check: Check::Shared,
    },
    Rule {
        pattern: StateMutation,
        name: "default_changed",
        severity: 0.65,
        message: "changes its default value, which all calls share",
        query: "(default_parameter name: (identifier) @name value: [(list) (dictionary) (set)]) @found\n(typed_default_parameter name: (identifier) @name value: [(list) (dictionary) (set)]) @found",
        needs: &[Near {
            within: Within::Function,
            query: r#"((call function: (attribute object: (identifier) @name attribute: (identifier) @m)) @found (#any-of? @m "append" "add" "update" "extend" "insert" "pop" "popitem" "setdefault" "clear" "remove" "discard" "sort" "reverse"))
(assignment left: (subscript value: (identifier) @name)) @found
(augmented_assignment left: (identifier) @name) @found"#,
        }],
        unless: &[Near { within: Within::Function, query: "(assignment left: (identifier) @name) @found" }],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "blocks_event_loop",
        severity: 0.6,
        message: "blocks the event loop: a waiting call in an `async` function",
        query: r#"((call function: (_) @f) @found (#match? @f "^(time\\.sleep|requests\\.(get|post|put|patch|delete|head|request)|subprocess\\.(run|call|check_output|check_call)|urllib\\.request\\.urlopen|socket\\.create_connection)$"))"#,
        needs: &[Near { within: Within::FunctionItself, query: "(function_definition \"async\") @found" }],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "lock_not_released",
        severity: 0.6,
        message: "acquires a lock that this function does not release",
        query: r#"((call function: (attribute object: (_) @name attribute: (identifier) @m)) @found
  (#eq? @m "acquire") (#match? @name "(?i)lock|sem|mutex|cond"))"#,
        needs: &[],
        unless: &[
            Near {
                within: Within::Function,
                query: r#"((call function: (attribute object: (_) @name attribute: (identifier) @m)) @found (#eq? @m "release"))"#,
            },
            // Parts of a lock themselves.
            Near {
                within: Within::NamedFunctionItself,
                query: r#"((function_definition name: (identifier) @n) @found (#any-of? @n "acquire" "lock" "__enter__" "__aenter__"))"#,
            },
        ],
        check: Check::CalleeDoes {
            does: r#"((call function: (attribute attribute: (identifier) @m)) @found (#eq? @m "release"))"#,
            handed: false,
        },
    },
    Rule::open_route(
        0.6,
        "a route whose handler shows no check of who calls",
        concat!(
            r#"((decorated_definition (decorator (call function: (attribute attribute: (identifier) @m) arguments: (argument_list . (string) @path)))
  definition: (function_definition name: (identifier) @name)) @found
  (#any-of? @m "route" "get" "post" "put" "patch" "delete") (#not-match? @name "^(create_(user|account)|sign_?up|register|log_?(in|out))") (#match? @path "^[rbf]?[\"']/") (#not-match? @path ""#,
            public_route!(),
            r#""))"#
        ),
        &[
            Near {
                within: Within::Scope,
                query: concat!(r#"((identifier) @found (#match? @found ""#, auth!(), r#""))"#),
            },
            Near {
                within: Within::File,
                query: concat!(
                    r#"((decorator) @found (#match? @found "before_request"))
((keyword_argument name: (identifier) @k value: (_) @v) @found (#eq? @k "dependencies") (#match? @v ""#,
                    auth!(),
                    r#""))"#
                ),
            },
        ],
    ),
    Rule::find_untested(
        "public, and no test reaches it",
        r#"((module (function_definition name: (identifier) @name body: (block . (_) . (_))) @found) (#not-match? @name "^_"))
((module (decorated_definition definition: (function_definition name: (identifier) @name body: (block . (_) . (_))) @found)) (#not-match? @name "^_"))
((module (class_definition name: (identifier) @c body: (block (function_definition name: (identifier) @name body: (block . (_) . (_))) @found)))
  (#not-match? @name "^_") (#not-match? @c "^_"))"#,
    ),
    Rule::collaborator(
        0.45,
        r#"((assignment left: (attribute object: (identifier) @s attribute: (identifier) @name) right: (call function: [(identifier) (attribute)] @t @call)) @found
  (#eq? @s "self") (#match? @t "(^|\\.)[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$")
  (#not-match? @t "(^|\\.)(Ordered|Default|Chain|Weak|Case).*(Dict|Map|Set)|(^|\\.)(Counter|Path|PurePath|Decimal|Fraction|R?Lock|Event|Condition|Semaphore|Queue|Future|BytesIO|StringIO|Struct|Random|ContextVar|Exception|Namespace|SimpleNamespace|UserDict)$|Error$"))
((assignment left: (attribute object: (identifier) @s attribute: (identifier) @name) right: (call function: [(identifier) (attribute)] @t @call)) @found
  (#eq? @s "self")
  (#match? @t "(^|\\.)(create_(async_)?engine|create_connection|create_server|open_connection|start_server|from_url|urlopen)$|^(boto3|sqlite3|psycopg2?|redis|requests|httpx|socket|pymysql|asyncpg|grpc(\\.aio)?)\\.(client|resource|connect|session|socket|create_\\w+|(in)?secure_channel)$"))"#,
        &[Near {
            within: Within::NamedFunctionItself,
            query: r#"((function_definition name: (identifier) @n) @found (#eq? @n "__init__"))"#,
        }],
    ),
];
