//! Rules for Java.

use super::Pattern::{ApiSurface, Concurrency, ErrorHandling, ResourceCleanup, StateMutation};
use super::{Check, Near, Patterns, Rule, Within, auth, public_route};
use crate::Language;

/// Names of classes that hold values and do nothing of their own, as a string of a query.
macro_rules! plain_class {
    () => {
        r#""(Map|Set|List|Queue|Deque|Stack|Vector|Builder|Buffer|Lock|Date|Random|Exception|Error|Latch)$|^(Object|String|Thread|File|Scanner|Atomic\\w+|ThreadLocal)$""#
    };
}

/// Classes whose static methods create objects with external effects, as a string of a query.
macro_rules! maker {
    () => {
        r#""^(Executors|DriverManager|Clock|\\w*(Client|Clients|Server|Channel|ChannelBuilder|DataSource))$""#
    };
}

/// Calls of them that do, as a string of a query.
macro_rules! makes {
    () => {
        r#""^\\w+\\.(new|create|open|connect|build|system|getConnection|start|for[A-Z])\\w*\\(""#
    };
}

pub(super) const PATTERNS: Patterns = Patterns {
    languages: &[Language::Java],
    rules: RULES,
    functions: &["method_declaration", "constructor_declaration", "compact_constructor_declaration"],
    closures: &["lambda_expression"],
    types: &["class_declaration", "enum_declaration", "record_declaration", "interface_declaration"],
    handing_calls: "(method_invocation arguments: (argument_list (identifier) @name)) @found",
};

static RULES: &[Rule] = &[
    Rule {
        pattern: ErrorHandling,
        name: "empty_catch",
        severity: 0.6,
        message: "an exception is caught and dropped without a trace",
        // After a body that leaves the method, the following code is the handler; closing what is given up has nothing
        // to say.
        query: r#"((try_statement body: (block (_) @last .) @t (catch_clause (catch_formal_parameter name: (identifier) @n) body: (block) @b) @found)
  (#match? @b "^\\{\\s*\\}$") (#not-match? @n "^(ignored?|expected|unused|_+)$") (#not-match? @last "^(return|continue|break|throw)\\b")
  (#not-match? @t "^\\{\\s*[\\w.]+\\.(close|closeQuietly|disconnect|shutdown\\w*|cancel|interrupt|release|delete|destroy|stop|sleep|join)\\([^;]*\\);\\s*\\}$"))
((try_with_resources_statement body: (block (_) @last .) (catch_clause (catch_formal_parameter name: (identifier) @n) body: (block) @b) @found)
  (#match? @b "^\\{\\s*\\}$") (#not-match? @n "^(ignored?|expected|unused|_+)$") (#not-match? @last "^(return|continue|break|throw)\\b"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "only_printed",
        severity: 0.45,
        message: "an exception is printed and then dropped",
        query: r#"((catch_clause body: (block . (expression_statement (method_invocation name: (identifier) @m)) .)) @found (#eq? @m "printStackTrace"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "catches_throwable",
        severity: 0.55,
        message: "catches `Throwable`, errors of the virtual machine included, and goes on",
        query: r#"((catch_clause (catch_formal_parameter (catch_type (type_identifier) @t))) @found (#eq? @t "Throwable"))"#,
        needs: &[],
        unless: &[Near { within: Within::Scope, query: "(throw_statement) @found" }],
        check: Check::CalleeDoes {
            does: r#"(throw_statement) @found
((method_invocation name: (identifier) @found) (#any-of? @found "error" "warn" "severe" "warning" "fatal" "completeExceptionally" "onError"))"#,
            handed: false,
        },
    },
    Rule {
        pattern: ErrorHandling,
        name: "throws_general",
        severity: Rule::USUAL,
        message: "throws a general exception: callers can only catch everything",
        // One that wraps another has its type from that.
        query: r#"((throw_statement (object_creation_expression type: (type_identifier) @t arguments: (argument_list) @a)) @found (#any-of? @t "RuntimeException" "Exception" "Throwable" "Error")
  (#not-match? @a "(^\\(|,\\s*)(e|ex|exc|t|ioe|cause|error|err|exception|throwable|[a-z]\\w*(Exception|Error|Cause))\\s*\\)$"))"#,
        needs: &[],
        unless: &[],
        check: Check::CallersGuard {
            guard: "(try_statement body: (block) @found)\n(try_with_resources_statement body: (block) @found)",
        },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "opened_not_closed",
        severity: 0.6,
        message: "opened without `try (…)`, and never closed in this method",
        query: r#"((local_variable_declaration declarator: (variable_declarator name: (identifier) @name value: (object_creation_expression type: (_) @t) @call)) @found
  (#match? @t "^(File(Input|Output)Stream|FileReader|FileWriter|(Server|Datagram)?Socket|RandomAccessFile|ZipFile|JarFile|(Gzip|GZIP|Zip)(Input|Output)Stream|PrintWriter|Scanner)$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: r#"((method_invocation object: (identifier) @name name: (identifier) @m) @found (#any-of? @m "close" "shutdown"))
(return_statement (identifier) @name) @found
(object_creation_expression arguments: (argument_list (identifier) @name)) @found
(assignment_expression right: (identifier) @name) @found
(resource (identifier) @name) @found
(return_statement (method_invocation arguments: (argument_list (identifier) @name))) @found"#,
        }],
        check: Check::CalleeDoes {
            does: r#"((method_invocation name: (identifier) @found) (#match? @found "^close"))
(try_with_resources_statement) @found"#,
            handed: true,
        },
    },
    Rule {
        pattern: ApiSurface,
        name: "undocumented",
        severity: 0.35,
        message: "public, but nothing says what it does",
        query: r#"((method_declaration (modifiers) @m name: (identifier) @name) @found (#match? @m "\\bpublic\\b") (#not-match? @m "@Override"))
((class_declaration (modifiers) @m name: (identifier) @name) @found (#match? @m "\\bpublic\\b"))
((interface_declaration (modifiers) @m name: (identifier) @name) @found (#match? @m "\\bpublic\\b"))"#,
        needs: &[],
        unless: &[],
        check: Check::Undocumented,
    },
    Rule {
        pattern: ApiSurface,
        name: "public_field",
        severity: 0.5,
        message: "a public field that is not final: everybody may assign it",
        query: r#"((field_declaration (modifiers) @m declarator: (variable_declarator name: (identifier) @name)) @found
  (#match? @m "\\bpublic\\b") (#not-match? @m "\\bfinal\\b"))"#,
        needs: &[],
        unless: &[],
        check: Check::Exposed,
    },
    Rule {
        pattern: StateMutation,
        name: "static_field",
        severity: 0.5,
        message: "a static field that is not final: state of the whole program",
        query: r#"((field_declaration (modifiers) @m declarator: (variable_declarator name: (identifier) @name)) @found
  (#match? @m "\\bstatic\\b") (#not-match? @m "\\bfinal\\b"))"#,
        needs: &[],
        unless: &[],
        check: Check::Shared,
    },
    Rule {
        pattern: Concurrency,
        name: "lock_not_released",
        severity: 0.6,
        message: "takes a lock that this method does not release",
        query: r#"((method_invocation object: (_) @name name: (identifier) @m) @found (#any-of? @m "lock" "lockInterruptibly") (#match? @name "(?i)lock|mutex"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: r#"((method_invocation object: (_) @name name: (identifier) @m) @found (#eq? @m "unlock"))"#,
        }],
        check: Check::CalleeDoes {
            does: r#"((method_invocation name: (identifier) @found) (#eq? @found "unlock"))"#,
            handed: false,
        },
    },
    Rule {
        pattern: Concurrency,
        name: "sleeps_with_lock",
        severity: 0.55,
        message: "sleeps in a `synchronized` method: everybody else waits, too",
        query: r#"((method_invocation object: (identifier) @o name: (identifier) @n) @found (#eq? @o "Thread") (#eq? @n "sleep"))"#,
        needs: &[Near {
            within: Within::FunctionItself,
            query: r#"((method_declaration (modifiers) @m) @found (#match? @m "\\bsynchronized\\b"))"#,
        }],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "shared_date_format",
        severity: 0.6,
        message: "a static `SimpleDateFormat`: it may not be used by two threads",
        query: r#"((field_declaration (modifiers) @m type: (type_identifier) @t declarator: (variable_declarator name: (identifier) @name)) @found
  (#eq? @t "SimpleDateFormat") (#match? @m "\\bstatic\\b"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule::open_route(
        0.55,
        "a route whose handler shows no check of who calls",
        concat!(
            r#"((method_declaration (modifiers [(annotation name: (identifier) @a) (marker_annotation name: (identifier) @a)]) @mods name: (identifier) @name) @found
  (#any-of? @a "GetMapping" "PostMapping" "PutMapping" "PatchMapping" "DeleteMapping" "RequestMapping" "GET" "POST" "PUT" "DELETE")
  (#not-match? @mods "PreAuthorize|PostAuthorize|Secured|RolesAllowed|PermitAll|Authenticated") (#not-match? @mods ""#,
            public_route!(),
            r#""))"#
        ),
        &[
            Near {
                within: Within::Scope,
                query: concat!(r#"([(identifier) (type_identifier)] @found (#match? @found ""#, auth!(), r#""))"#),
            },
            Near {
                within: Within::Type,
                query: r#"((class_declaration (modifiers) @m) @found (#match? @m "PreAuthorize|Secured|RolesAllowed|PermitAll|Authenticated"))"#,
            },
        ],
    ),
    Rule::find_untested(
        "public, and no test reaches it",
        r#"((method_declaration (modifiers) @m name: (identifier) @name body: (block . (_) . (_))) @found (#match? @m "\\bpublic\\b") (#not-match? @m "@Override"))"#,
    ),
    Rule::collaborator(
        0.45,
        concat!(
            r#"((field_declaration (modifiers)? @m declarator: (variable_declarator name: (identifier) @name value: (object_creation_expression type: [(type_identifier) @t @call (generic_type . (type_identifier) @t @call)]))) @found
  (#not-match? @m "\\bstatic\\b")
  (#not-match? @t "#,
            plain_class!(),
            r#"))
((constructor_declaration body: (constructor_body (expression_statement (assignment_expression left: (_) @name right: (object_creation_expression type: [(type_identifier) @t @call (generic_type . (type_identifier) @t @call)]))) @found))
  (#not-match? @t "#,
            plain_class!(),
            r#"))
((field_declaration (modifiers)? @m declarator: (variable_declarator name: (identifier) @name value: (method_invocation object: [(identifier) @o (method_invocation object: (identifier) @o)]) @call @t)) @found
  (#not-match? @m "\\bstatic\\b") (#match? @o "#,
            maker!(),
            r#") (#match? @t "#,
            makes!(),
            r#"))
((constructor_declaration body: (constructor_body (expression_statement (assignment_expression left: (_) @name right: (method_invocation object: [(identifier) @o (method_invocation object: (identifier) @o)]) @call @t)) @found))
  (#match? @o "#,
            maker!(),
            r#") (#match? @t "#,
            makes!(),
            r#"))"#
        ),
        &[],
    ),
];
