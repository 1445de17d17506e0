//! Rules for Go.

use super::Pattern::{ApiSurface, Concurrency, ErrorHandling, ResourceCleanup, StateMutation};
use super::{Check, Names, Near, Patterns, Rule, Within, auth, public_route};
use crate::Language;

const ASSIGNS: &str = r#"(assignment_statement left: (expression_list (identifier) @name)) @found
(assignment_statement left: (expression_list (index_expression operand: (identifier) @name))) @found
(inc_statement (identifier) @name) @found"#;

/// Functions of the standard library with a result and an error. Others drop a truth value or a second result.
static RETURN_ERRORS: Names = Names::new(|| {
    let names = [
        r"strconv\.(Atoi|Parse\w+|Unquote\w*)",
        r"(json|xml|gob|asn1|pem|toml|yaml)\.Marshal\w*",
        r"(hex|base32|base64)\.(\w+\.)?Decode\w*",
        r"io\.(Read\w+|Copy\w*|WriteString)",
        r"ioutil\.\w+",
        r"os\.(Open\w*|Create\w*|Read\w+|Stat|Lstat|Getwd|Hostname|Executable|User\w+Dir|MkdirTemp|Pipe)",
        r"filepath\.(Abs|Rel|Glob|Match|EvalSymlinks)",
        r"(path|fnmatch)\.Match",
        r"url\.(Parse\w*|\w*Unescape|JoinPath)",
        r"http\.(NewRequest\w*|Get|Head|Post\w*|ReadResponse|ReadRequest)",
        r"net\.(Dial\w*|Listen\w*|Lookup\w+|Resolve\w+|ParseCIDR|ParseMAC|Interface\w*)",
        r"time\.(Parse\w*|LoadLocation)",
        r"regexp\.(Compile\w*|Match\w*)",
        r"(text|html)?template\.(Parse\w*|New\(.*\)\.Parse)",
        r"exec\.LookPath",
        r"user\.(Current|Lookup\w*)",
        r"rand\.(Read|Int|Prime)",
        r"fmt\.(Sscan\w*|Fscan\w*|Scan\w*)",
        r"sql\.Open",
        r"uuid\.(Parse|NewRandom|NewUUID|FromString)",
    ];
    regex::Regex::new(&format!("^({})$", names.join("|"))).ok()
});

pub(super) const PATTERNS: Patterns = Patterns {
    languages: &[Language::Go],
    rules: RULES,
    functions: &["function_declaration", "method_declaration"],
    closures: &["func_literal"],
    types: &[],
    handing_calls: "(call_expression arguments: (argument_list (identifier) @name)) @found",
};

static RULES: &[Rule] = &[
    Rule {
        pattern: ErrorHandling,
        name: "error_dropped",
        severity: 0.5,
        message: "the error of this call is dropped without a trace",
        // `_ = f()` says that the error is dropped on purpose; beside a result that is used, it is easily overlooked.
        query: r#"((assignment_statement left: (expression_list (_) @v (identifier) @u .) right: (expression_list . (call_expression function: (_) @name) @call .)) @found (#eq? @u "_") (#not-eq? @v "_"))
((short_var_declaration left: (expression_list (_) @v (identifier) @u .) right: (expression_list . (call_expression function: (_) @name) @call .)) @found (#eq? @u "_") (#not-eq? @v "_"))"#,
        needs: &[],
        // The result is tested in place of the error.
        unless: &[Near { within: Within::Scope, query: "(if_statement initializer: (short_var_declaration) @found)" }],
        check: Check::ReturnsError { word: "error", outside: &RETURN_ERRORS },
    },
    Rule {
        pattern: ErrorHandling,
        name: "error_branch_empty",
        severity: 0.6,
        message: "an error is found and nothing is done about it",
        query: r#"((if_statement condition: (binary_expression left: (identifier) @e right: (nil)) consequence: (block) @b) @found
  (#match? @b "^\\{\\s*\\}$") (#match? @e "(?i)err"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "panics",
        severity: Rule::USUAL,
        message: "panics instead of returning an error",
        // What is not written yet, or cannot be reached, has no error to return.
        query: r#"((call_expression function: (identifier) @f arguments: (argument_list) @a) @found (#eq? @f "panic")
  (#not-match? @a "(?i)not (yet )?(implemented|supported)|unimplemented|unreachable|impossible|cannot happen|can't happen|should never|never happens|todo|bug:?|invalid state"))"#,
        needs: &[],
        // By custom these end the program: their names say so, or they run before anything else does.
        unless: &[Near {
            within: Within::NamedFunctionItself,
            query: r#"((function_declaration name: (identifier) @n) @found (#match? @n "^([mM]ust|init$|main$)"))
((method_declaration name: (field_identifier) @n) @found (#match? @n "^[mM]ust"))"#,
        }],
        check: Check::CallersGuard {
            guard: r#"((function_declaration body: (block) @b) @found (#match? @b "\\brecover\\(\\)"))
((method_declaration body: (block) @b) @found (#match? @b "\\brecover\\(\\)"))"#,
        },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "opened_not_closed",
        severity: 0.6,
        message: "opened, and never closed in this function",
        query: r#"((short_var_declaration left: (expression_list . (identifier) @name) right: (expression_list . (call_expression function: (_) @f) @call)) @found
  (#match? @f "^(os\\.(Open|Create|OpenFile|CreateTemp)|net\\.(Dial|Listen)\\w*|sql\\.Open|http\\.(Get|Post|Head|PostForm)|(zip|gzip)\\.(OpenReader|NewReader))$") (#not-eq? @name "_"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: r#"((selector_expression operand: (identifier) @name field: (field_identifier) @m) @found (#any-of? @m "Close" "Shutdown"))
((selector_expression operand: (selector_expression operand: (identifier) @name) field: (field_identifier) @m) @found (#eq? @m "Close"))
(return_statement (expression_list (identifier) @name)) @found
(return_statement (expression_list (_ (identifier) @name))) @found
(literal_element (identifier) @name) @found
(assignment_statement right: (expression_list (identifier) @name)) @found"#,
        }],
        check: Check::CalleeDoes {
            does: r#"((selector_expression field: (field_identifier) @found) (#any-of? @found "Close" "Shutdown"))"#,
            handed: true,
        },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "ticker_not_stopped",
        severity: 0.45,
        message: "a ticker or timer that this function does not stop",
        query: r#"((short_var_declaration left: (expression_list . (identifier) @name .) right: (expression_list (call_expression function: (_) @f))) @found (#match? @f "^time\\.New(Ticker|Timer)$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: r#"((selector_expression operand: (identifier) @name field: (field_identifier) @m) @found (#eq? @m "Stop"))
(return_statement (expression_list (identifier) @name)) @found
(literal_element (identifier) @name) @found
(assignment_statement right: (expression_list (identifier) @name)) @found"#,
        }],
        check: Check::CalleeDoes {
            does: r#"((selector_expression field: (field_identifier) @found) (#eq? @found "Stop"))"#,
            handed: true,
        },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "cancel_dropped",
        severity: 0.6,
        message: "the function that ends this context is dropped: it lives as long as its parent",
        query: r#"((short_var_declaration left: (expression_list (_) (identifier) @u .) right: (expression_list (call_expression function: (_) @f))) @found
  (#eq? @u "_") (#match? @f "^context\\.With(Cancel|Timeout|Deadline)$"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ApiSurface,
        name: "undocumented",
        severity: 0.35,
        message: "exported, but nothing says what it does",
        query: r#"((function_declaration name: (identifier) @name) @found (#match? @name "^[A-Z]"))
((method_declaration name: (field_identifier) @name) @found (#match? @name "^[A-Z]"))
((type_declaration (type_spec name: (type_identifier) @name)) @found (#match? @name "^[A-Z]"))"#,
        needs: &[],
        unless: &[],
        check: Check::Undocumented,
    },
    Rule {
        pattern: ApiSurface,
        name: "exported_variable",
        severity: 0.4,
        message: "an exported variable: every package may assign it",
        query: r#"((source_file (var_declaration (var_spec name: (identifier) @name) @found)) (#match? @name "^[A-Z]") (#not-match? @name "^Err"))
((source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @found))) (#match? @name "^[A-Z]") (#not-match? @name "^Err"))"#,
        needs: &[],
        unless: &[],
        check: Check::Exposed,
    },
    Rule {
        pattern: StateMutation,
        name: "package_variable_assigned",
        severity: 0.5,
        message: "functions assign this variable of the package",
        query: r#"((source_file (var_declaration (var_spec name: (identifier) @name) @found)) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @found))) (#not-eq? @name "_"))"#,
        needs: &[Near { within: Within::File, query: ASSIGNS }],
        unless: &[],
        check: Check::SharedOnceSet { writes: ASSIGNS, once: "init" },
    },
    Rule {
        pattern: Concurrency,
        name: "lock_not_released",
        severity: 0.6,
        message: "takes a lock that this function does not release",
        query: r#"((call_expression function: (selector_expression operand: (_) @name field: (field_identifier) @m)) @found (#any-of? @m "Lock" "RLock"))"#,
        needs: &[],
        unless: &[
            Near {
                within: Within::Function,
                query: r#"((selector_expression operand: (_) @name field: (field_identifier) @m) @found (#any-of? @m "Unlock" "RUnlock"))"#,
            },
            Near {
                within: Within::NamedFunctionItself,
                query: r#"((method_declaration name: (field_identifier) @n) @found (#match? @n "(?i)lock|acquire"))
((function_declaration name: (identifier) @n) @found (#match? @n "(?i)lock|acquire"))"#,
            },
        ],
        check: Check::CalleeDoes {
            does: r#"((selector_expression field: (field_identifier) @found) (#any-of? @found "Unlock" "RUnlock"))"#,
            handed: false,
        },
    },
    Rule {
        pattern: Concurrency,
        name: "counted_inside",
        severity: 0.6,
        message: "a goroutine that counts itself: `Wait` may return before it has",
        query: r#"((go_statement (call_expression function: (func_literal body: (block (statement_list . (expression_statement (call_expression function: (selector_expression operand: (_) @o field: (field_identifier) @m)))))))) @found
  (#eq? @m "Add") (#match? @o "(?i)wg|wait|group"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule::open_route(
        0.5,
        "a route with a handler alone: no check of who calls stands before it",
        concat!(
            r#"((call_expression function: (selector_expression operand: (_) @o field: (field_identifier) @m) arguments: (argument_list . (interpreted_string_literal) @path . (_) @scope .)) @found
  (#not-match? @o "(?i)auth|private|secure|admin|With\\(")
  (#any-of? @m "HandleFunc" "Handle" "Get" "Post" "Put" "Patch" "Delete" "GET" "POST" "PUT" "PATCH" "DELETE")
  (#match? @path "^\"([A-Z]+ )?/.") (#not-match? @path ""#,
            public_route!(),
            r#""))"#
        ),
        &[
            Near {
                within: Within::Scope,
                query: concat!(r#"([(identifier) (field_identifier)] @found (#match? @found ""#, auth!(), r#""))"#),
            },
            // Files that everybody may read.
            Near {
                within: Within::Scope,
                query: r#"([(identifier) (field_identifier)] @found (#any-of? @found "FileServer" "FileServerFS" "StripPrefix" "NotFoundHandler" "RedirectHandler"))"#,
            },
            Near {
                within: Within::File,
                query: concat!(
                    r#"((call_expression function: (selector_expression field: (field_identifier) @m) arguments: (argument_list) @a) @found
  (#any-of? @m "Use" "With" "Group") (#match? @a ""#,
                    auth!(),
                    r#""))"#
                ),
            },
        ],
    ),
    Rule::find_untested(
        "exported, and no test reaches it",
        r#"((function_declaration name: (identifier) @name body: (block (statement_list . (_) . (_)))) @found (#match? @name "^[A-Z]"))
((method_declaration name: (field_identifier) @name body: (block (statement_list . (_) . (_)))) @found (#match? @name "^[A-Z]"))"#,
    ),
    Rule::collaborator(
        0.4,
        r#"((keyed_element key: (literal_element (identifier) @name) value: (literal_element (call_expression function: (_) @t @call))) @found
  (#match? @t "^(New[A-Z]\\w*|\\w+\\.New\\w*)$") (#not-match? @t "^(errors|sync|strings|bytes|bufio|list|rand|time|big|md5|sha\\d*|log)\\.|New(Map|Set|Buffer|Mutex|Pool)$"))"#,
        &[Near {
            within: Within::NamedFunctionItself,
            query: r#"((function_declaration name: (identifier) @n) @found (#match? @n "^[nN]ew"))"#,
        }],
    ),
];
