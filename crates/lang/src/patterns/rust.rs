//! Rules for Rust.

use super::Pattern::{ApiSurface, Concurrency, ErrorHandling, ResourceCleanup, StateMutation};
use super::{Check, Near, Patterns, Rule, Within, auth, public_route};
use crate::Language;

/// A variable is passed on: returned, or moved into another value. `$calls`: further calls that do so, as `|` and an
/// expression.
macro_rules! handed_on {
    ($calls:literal) => {
        concat!(
            r#"(block (identifier) @name .) @found
(return_expression (identifier) @name) @found
((call_expression function: (_) @f arguments: (arguments (identifier) @name)) @found (#match? @f "^(Ok|Some|.*::[A-Z]\\w*|[A-Z]\\w*"#,
            $calls,
            r#")$"))
(shorthand_field_initializer (identifier) @name) @found
(field_initializer value: (identifier) @name) @found"#
        )
    };
}

pub(super) const PATTERNS: Patterns = Patterns {
    languages: &[Language::Rust],
    rules: RULES,
    functions: &["function_item"],
    closures: &["closure_expression", "async_block"],
    types: &["impl_item", "trait_item"],
    handing_calls: "(call_expression arguments: (arguments (identifier) @name)) @found
(call_expression arguments: (arguments (reference_expression value: (identifier) @name))) @found",
};

static RULES: &[Rule] = &[
    Rule {
        pattern: ErrorHandling,
        name: "unwrap",
        severity: Rule::USUAL,
        message: "`unwrap` ends the thread without saying why this cannot happen",
        // A poisoned lock is a bug of the program itself: to end it then is the custom.
        query: r#"((call_expression function: (field_expression value: (_) @name field: (field_identifier) @found) arguments: (arguments) @a)
  (#eq? @found "unwrap") (#match? @a "^\\(\\s*\\)$") (#not-match? @name "(lock|read|write|join|borrow|borrow_mut)\\(\\)$") (#not-match? @name "Regex::new")
  (#not-match? @name "^(\\w+::)*[A-Z]\\w*(::<[^>]*>)?::\\w+\\(\\s*(b?r?\"[^\"]*\"|-?[0-9][\\w.]*|b?'[^']+'|&?\\[[^()\\[\\]]*\\])\\s*\\)$") (#not-match? @name "^\"[^\"]*\"\\.(parse|try_into)\\b"))"#,
        needs: &[],
        unless: &[],
        check: Check::AskedBefore {
            asks: r#"((call_expression function: (field_expression value: (_) @name field: (field_identifier) @m)) @found
  (#any-of? @m "is_some" "is_none" "is_ok" "is_err" "is_empty" "len" "contains_key" "contains" "starts_with" "ends_with"))"#,
        },
    },
    Rule {
        pattern: ErrorHandling,
        name: "panic_in_result",
        severity: 0.5,
        message: "ends the thread in a function that could return the error",
        query: r#"((macro_invocation macro: (identifier) @m) @found (#any-of? @m "panic" "todo" "unimplemented"))"#,
        needs: &[Near {
            within: Within::FunctionItself,
            query: r#"((function_item return_type: (_) @r) @found (#match? @r "Result\\b"))"#,
        }],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "ok_dropped",
        severity: Rule::USUAL,
        message: "`ok()` as a statement drops the error without a trace",
        query: r#"((expression_statement (call_expression function: (field_expression field: (field_identifier) @m))) @found (#eq? @m "ok"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ResourceCleanup,
        name: "never_dropped",
        severity: 0.5,
        message: "what is forgotten, leaked or made raw is never freed",
        query: r#"((call_expression function: (_) @f) @found (#match? @f "(^|::)mem::forget$|^forget$|^Box::(<.*>::)?(leak|into_raw)$|^CString::into_raw$|^Arc::into_raw$"))"#,
        needs: &[],
        unless: &[Near { within: Within::File, query: r#"((identifier) @found (#eq? @found "from_raw"))"# }],
        check: Check::Plain,
    },
    Rule {
        pattern: ResourceCleanup,
        name: "child_not_waited_for",
        severity: 0.55,
        message: "nobody in this function waits for the child process",
        query: r#"((let_declaration pattern: (identifier) @name value: (_) @v) @found (#match? @v "Command") (#match? @v "\\.spawn\\(\\)(\\?|\\.unwrap\\(\\)|\\.expect\\([^)]*\\))?$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: concat!(
                r#"((call_expression function: (field_expression value: (identifier) @name field: (field_identifier) @m)) @found (#any-of? @m "wait" "wait_with_output" "try_wait"))
"#,
                handed_on!("")
            ),
        }],
        check: Check::CalleeDoes {
            does: r#"((field_identifier) @found (#any-of? @found "wait" "wait_with_output" "try_wait"))"#,
            handed: true,
        },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "writer_not_flushed",
        severity: 0.4,
        message: "a buffered writer that is dropped without `flush` loses the error of its last write",
        query: r#"((let_declaration pattern: (identifier) @name value: (call_expression function: (_) @f)) @found (#match? @f "(Buf|Line)Writer::(new|with_capacity)$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: concat!(
                r#"((call_expression function: (field_expression value: (identifier) @name field: (field_identifier) @m)) @found (#any-of? @m "flush" "into_inner" "into_parts"))
"#,
                handed_on!("|.*::new")
            ),
        }],
        check: Check::CalleeDoes {
            does: r#"((field_identifier) @found (#any-of? @found "flush" "into_inner"))"#,
            handed: true,
        },
    },
    Rule {
        pattern: ApiSurface,
        name: "undocumented",
        severity: 0.35,
        message: "public, but nothing says what it does",
        query: r#"((function_item (visibility_modifier) @v name: (identifier) @name) @found (#eq? @v "pub"))
((struct_item (visibility_modifier) @v name: (type_identifier) @name) @found (#eq? @v "pub"))
((enum_item (visibility_modifier) @v name: (type_identifier) @name) @found (#eq? @v "pub"))
((trait_item (visibility_modifier) @v name: (type_identifier) @name) @found (#eq? @v "pub"))"#,
        needs: &[],
        unless: &[],
        check: Check::Undocumented,
    },
    Rule {
        pattern: StateMutation,
        name: "static_mut",
        severity: 0.7,
        message: "a `static mut`: every use is a data race that the compiler does not see",
        query: "(static_item (mutable_specifier) name: (identifier) @name) @found",
        needs: &[],
        unless: &[],
        check: Check::Shared,
    },
    Rule {
        pattern: StateMutation,
        name: "static_cell",
        severity: 0.4,
        message: "state of the whole program behind a static",
        query: r#"((static_item name: (identifier) @name type: (_) @t) @found (#match? @t "\\b(Mutex|RwLock|RefCell|Atomic\\w+)\\b"))"#,
        needs: &[],
        unless: &[],
        check: Check::Shared,
    },
    Rule {
        pattern: Concurrency,
        name: "blocks_executor",
        severity: 0.6,
        message: "blocks the executor: a waiting call in an `async` function",
        query: r#"((call_expression function: (_) @f) @found (#match? @f "^((std::)?thread::sleep|std::fs::\\w+|fs::(read|write|read_to_string|copy|read_dir)|(std::net::)?TcpStream::connect)$"))"#,
        needs: &[Near {
            within: Within::FunctionItself,
            query: r#"((function_item (function_modifiers) @m) @found (#match? @m "async"))
(async_block) @found
(closure_expression "async") @found"#,
        }],
        unless: &[Near {
            within: Within::File,
            query: r#"((scoped_identifier) @found (#eq? @found "tokio::fs"))
((use_declaration) @found (#match? @found "tokio::(fs|net)|async_std"))"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "unsafe_marker",
        severity: 0.5,
        message: "promises by hand that this type may cross or be shared between threads",
        query: r#"((impl_item trait: (type_identifier) @t) @found (#any-of? @t "Send" "Sync") (#match? @found "^unsafe"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "thread_not_joined",
        severity: Rule::USUAL,
        message: "a thread that nobody waits for: its panic is lost, and the program may end before it",
        query: r#"((expression_statement (call_expression function: (_) @f)) @found (#match? @f "(^|::)thread::spawn$"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule::open_route(
        0.55,
        "a route whose handler shows no check of who calls",
        concat!(
            r#"((attribute_item (attribute (identifier) @a arguments: (token_tree) @path)) . (function_item name: (identifier) @name) @found
  (#any-of? @a "get" "post" "put" "patch" "delete") (#match? @path "^\\(\\s*\"/") (#not-match? @path ""#,
            public_route!(),
            r#""))
((call_expression function: (field_expression field: (field_identifier) @m) arguments: (arguments . (string_literal) @path (call_expression function: (_) @g) @call .) @found)
  (#eq? @m "route") (#match? @g "^((axum::|actix_web::)?(routing::|web::)?)(get|post|put|patch|delete)$") (#not-match? @path ""#,
            public_route!(),
            r#""))"#
        ),
        &[
            Near {
                within: Within::Scope,
                query: concat!(r#"([(identifier) (type_identifier)] @found (#match? @found ""#, auth!(), r#""))"#),
            },
            Near {
                within: Within::File,
                query: concat!(
                    r#"((call_expression function: (field_expression field: (field_identifier) @m) arguments: (arguments) @a) @found
  (#any-of? @m "layer" "route_layer" "wrap" "filter" "attach") (#match? @a ""#,
                    auth!(),
                    r#""))"#
                ),
            },
        ],
    ),
    Rule::find_untested(
        "public, and no test reaches it",
        r#"((function_item (visibility_modifier) @v name: (identifier) @name body: (block . (_) . (_))) @found (#eq? @v "pub"))"#,
    ),
    Rule::collaborator(
        0.4,
        r#"((field_initializer field: (field_identifier) @name value: (call_expression function: (scoped_identifier path: (_) @t name: (identifier) @m) @call)) @found
  (#match? @m "^(new|connect|open|build)$")
  (#not-match? @t "(^|::)(Vec|VecDeque|String|\\w*(Builder|Map|Set|Heap|Cell|Lock|Arena|Path|PathBuf)|Arc|Rc|Box|Mutex|Atomic\\w+|Instant|Duration|PhantomData|Condvar|Cursor|Regex)$"))"#,
        &[Near {
            within: Within::NamedFunctionItself,
            query: r#"((function_item name: (identifier) @n) @found (#match? @n "^new"))"#,
        }],
    ),
];
