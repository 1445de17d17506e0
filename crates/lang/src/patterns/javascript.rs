//! Rules for JavaScript and TypeScript.

use super::Pattern::{ApiSurface, Concurrency, ErrorHandling, ResourceCleanup, StateMutation};
use super::{Check, Near, Patterns, Rule, Within, auth, public_route};
use crate::Language;

/// The end of a query for an empty handler `@b` of a body `@t` with the last statement `@last`: after a body that
/// leaves the function or the iteration, the following code is the handler, and a body that only cleans up has
/// nothing to say.
macro_rules! left_by_body {
    () => {
        r#"  (#match? @b "^\\{\\s*\\}") (#not-match? @last "^(return|continue|break|throw)\\b")
  (#not-match? @t "^\\{\\s*(await\\s+|void\\s+)?[\\w.$?!#]*\\b(close|cancel|abort|destroy|end|kill|terminate|dispose|disconnect|release|unref|unsubscribe|unlink|unlinkSync|rmSync|rm|rmdirSync|removeListener|cleanup|reset|stop)\\([^;]*\\)(\\.\\w+\\([^;]*\\))?;?\\s*\\}$"))"#
    };
}

/// An object that a constructor creates and stores.
macro_rules! made_in_constructor {
    ($made:literal) => {
        concat!(
            r#"((method_definition name: (property_identifier) @c body: (statement_block (expression_statement (assignment_expression
  left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @name)
  right: "#,
            $made,
            r#")) @found)) (#eq? @c "constructor") "#
        )
    };
}

/// Initial value of an object's field. Its node has another name in each grammar.
macro_rules! made_by_field {
    ($made:literal) => {
        concat!(
            "((class_body (_ [(property_identifier) (private_property_identifier)] @name value: ",
            $made,
            r#") @found) (#not-match? @found "^((public|private|protected|override|declare|readonly)\\s+)*static\\b") "#
        )
    };
}

/// Not a value or a collection of the language, nor an error.
macro_rules! of_no_library {
    () => {
        r#"(#not-match? @t "^(Map|Set|WeakMap|WeakSet|WeakRef|Array|Date|Object|Promise|URL|URLSearchParams|RegExp|AbortController|EventEmitter|(Big)?(Ui|I)nt\\d+(Clamped)?Array|Float\\d+Array|ArrayBuffer|DataView|Text(En|De)coder|Proxy|Headers|FormData|Blob|Buffer)$|Error$"))"#
    };
}

/// Functions whose names suggest that their result has external effects.
macro_rules! that_reaches_out {
    () => {
        r#"(#match? @t "(^|[.])(create(Secure)?(Server|Client|Connection|Pool|Socket|Transport)|fork|spawn)$|^(axios|got|ky)[.](create|extend)$|^(net|tls)[.]connect$"))"#
    };
}

pub(super) const PATTERNS: Patterns = Patterns {
    languages: &[Language::JavaScript, Language::TypeScript, Language::Tsx],
    rules: RULES,
    functions: &[
        "function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function",
        "generator_function_declaration",
    ],
    closures: &[],
    types: &["class_declaration", "class"],
    handing_calls: "(call_expression arguments: (arguments (identifier) @name)) @found",
};

static RULES: &[Rule] = &[
    Rule {
        pattern: ErrorHandling,
        name: "empty_catch",
        severity: 0.6,
        message: "an exception is caught and dropped without a trace",
        query: concat!(
            "((try_statement body: (statement_block (_) @last .) @t handler: (catch_clause body: (statement_block) @b) @found)\n",
            left_by_body!()
        ),
        needs: &[],
        // What was to be assigned is tested where it is used.
        unless: &[Near {
            within: Within::Function,
            query: r#"((try_statement body: (statement_block (expression_statement (assignment_expression left: (_) @v)) .) handler: (catch_clause) @found)
  . [(if_statement condition: (_) @c) (return_statement (_) @c) (expression_statement (_) @c) (lexical_declaration (_) @c)] (#match? @c "[!?=]|typeof|instanceof"))"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "rejection_dropped",
        severity: 0.6,
        message: "a rejected promise is dropped without a trace",
        query: r#"((call_expression function: (member_expression property: (property_identifier) @p)
  arguments: (arguments . [(arrow_function body: (statement_block) @b) (function_expression body: (statement_block) @b)] .)) @found
  (#eq? @p "catch") (#match? @b "^\\{\\s*\\}"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "rejection_unhandled",
        severity: 0.45,
        message: "nothing handles this promise if it is rejected",
        query: r#"((expression_statement (call_expression function: (member_expression property: (property_identifier) @p)
  arguments: (arguments . (_) .))) @found (#eq? @p "then"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: ErrorHandling,
        name: "throws_text",
        severity: 0.4,
        message: "throws a text: no stack, and no type to catch by",
        query: "(throw_statement [(string) (template_string)]) @found",
        needs: &[],
        unless: &[],
        check: Check::CallersGuard { guard: "(try_statement body: (statement_block) @found)" },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "opened_not_closed",
        severity: 0.55,
        message: "opened, and never closed in this function",
        query: r#"((variable_declarator name: (identifier) @name value: [(call_expression function: (_) @f) (await_expression (call_expression function: (_) @f))]) @found
  (#match? @f "^(fs|fsp|fsPromises|promises|net|tls)\\.(promises\\.)?(openSync|open|createWriteStream|createConnection|connect)$"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::Function,
            query: r#"((call_expression function: (member_expression object: (identifier) @name property: (property_identifier) @m)) @found (#any-of? @m "close" "end" "destroy" "pipe" "unref"))
((call_expression function: (_) @f arguments: (arguments (identifier) @name)) @found (#match? @f "(closeSync|close|finished|pipeline|pipe)$"))
(return_statement (identifier) @name) @found
(return_statement (_ (identifier) @name)) @found
(assignment_expression right: (identifier) @name) @found"#,
        }],
        check: Check::CalleeDoes {
            does: r#"((call_expression function: (_) @f) @found (#match? @f "(^|\\.)(close|closeSync|end|destroy)$"))"#,
            handed: true,
        },
    },
    Rule {
        pattern: ResourceCleanup,
        name: "timer_never_cleared",
        severity: 0.45,
        message: "an interval that nothing in this file clears",
        query: r#"((variable_declarator name: (identifier) @name value: (call_expression function: (identifier) @f)) @found (#eq? @f "setInterval"))
((assignment_expression left: (_) @name right: (call_expression function: (identifier) @f)) @found (#eq? @f "setInterval"))"#,
        needs: &[],
        unless: &[Near {
            within: Within::File,
            query: r#"((call_expression function: (identifier) @f arguments: (arguments (_) @name)) @found (#eq? @f "clearInterval"))
((call_expression function: (member_expression object: (_) @name property: (property_identifier) @m)) @found (#eq? @m "unref"))
(return_statement (identifier) @name) @found"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: ApiSurface,
        name: "undocumented",
        severity: 0.35,
        message: "exported, but nothing says what it does",
        query: r#"(export_statement declaration: (function_declaration name: (identifier) @name)) @found
((expression_statement (assignment_expression left: (member_expression object: (_) @o property: (property_identifier) @name) right: [(function_expression) (arrow_function)])) @found
  (#match? @o "^(exports|module\\.exports)$"))"#,
        needs: &[],
        unless: &[],
        check: Check::Undocumented,
    },
    Rule {
        pattern: ApiSurface,
        name: "exported_variable",
        severity: 0.5,
        message: "exports a variable that changes under its importers",
        query: r#"(export_statement declaration: (lexical_declaration "let" (variable_declarator name: (identifier) @name))) @found
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name))) @found"#,
        needs: &[Near {
            within: Within::File,
            query: r#"(assignment_expression left: (identifier) @name) @found
(augmented_assignment_expression left: (identifier) @name) @found
(update_expression argument: (identifier) @name) @found"#,
        }],
        unless: &[],
        check: Check::Exposed,
    },
    Rule {
        pattern: StateMutation,
        name: "module_variable_assigned",
        severity: 0.45,
        message: "functions assign this variable of the module",
        query: r#"(program (lexical_declaration (variable_declarator name: (identifier) @name) @found))
(program (variable_declaration (variable_declarator name: (identifier) @name) @found))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @found)))"#,
        needs: &[Near {
            within: Within::File,
            query: r#"(statement_block (expression_statement (assignment_expression left: (identifier) @name))) @found
(statement_block (expression_statement (augmented_assignment_expression left: (identifier) @name))) @found
(statement_block (expression_statement (update_expression argument: (identifier) @name))) @found"#,
        }],
        unless: &[],
        check: Check::Shared,
    },
    Rule {
        pattern: StateMutation,
        name: "global_assigned",
        severity: 0.5,
        message: "assigns a property of the global object",
        // A module that offers itself to those without modules does so when it is loaded.
        query: r#"((assignment_expression left: (member_expression object: (identifier) @o)) @found (#any-of? @o "globalThis" "global"))"#,
        needs: &[Near { within: Within::FunctionItself, query: "(_) @found" }],
        unless: &[Near {
            within: Within::File,
            query: r#"((formal_parameters (_) @found) (#match? @found "^global(This)?\\b"))"#,
        }],
        check: Check::Plain,
    },
    Rule {
        pattern: StateMutation,
        name: "builtin_extended",
        severity: 0.6,
        message: "changes the prototype of a built-in type for everybody",
        query: r#"((assignment_expression left: (member_expression object: (member_expression object: (identifier) @o property: (property_identifier) @p))) @found
  (#any-of? @o "Array" "Object" "String" "Number" "Function" "Promise" "Date" "Map" "Set") (#eq? @p "prototype"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "async_in_for_each",
        severity: 0.6,
        message: "`forEach` does not wait for its `async` callback, and drops what it throws",
        query: r#"((call_expression function: (member_expression property: (property_identifier) @p)
  arguments: (arguments . [(arrow_function "async") (function_expression "async")])) @found (#eq? @p "forEach"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "async_executor",
        severity: 0.6,
        message: "what an `async` executor of a promise throws is lost",
        query: r#"((new_expression constructor: (identifier) @t arguments: (arguments . [(arrow_function "async") (function_expression "async")])) @found (#eq? @t "Promise"))"#,
        needs: &[],
        unless: &[],
        check: Check::Plain,
    },
    Rule {
        pattern: Concurrency,
        name: "blocks_event_loop",
        severity: 0.4,
        message: "blocks the event loop: a waiting call in an `async` function",
        query: r#"((call_expression function: (_) @f) @found (#match? @f "^(fs\\.(readFileSync|writeFileSync|appendFileSync|copyFileSync|readdirSync)|(child_process\\.)?(execSync|execFileSync|spawnSync))$"))"#,
        needs: &[Near {
            within: Within::FunctionItself,
            query: r#"(function_declaration "async") @found
(function_expression "async") @found
(arrow_function "async") @found
(method_definition "async") @found
(generator_function "async") @found
(generator_function_declaration "async") @found"#,
        }],
        unless: &[],
        check: Check::Plain,
    },
    Rule::open_route(
        0.55,
        "a route with a handler alone: no check of who calls stands before it",
        concat!(
            r#"((call_expression function: (member_expression object: (identifier) @o property: (property_identifier) @p)
  arguments: (arguments . (string) @path . (_) @scope .)) @found
  (#match? @o "^(app|router|server|api|routes?)$|Router$|App$") (#not-match? @o "(?i)auth|private|secure|admin") (#any-of? @p "get" "post" "put" "patch" "delete" "all")
  (#not-match? @scope "(?i)\\b(create_?(user|account)|sign_?up|register(_?user)?|express\\.static)\\(") (#match? @path "^.[/*]") (#not-match? @path "^.(/|\\*|/\\*)?.$") (#not-match? @path ""#,
            public_route!(),
            r#""))"#
        ),
        &[
            Near {
                within: Within::Scope,
                query: concat!(r#"([(identifier) (property_identifier)] @found (#match? @found ""#, auth!(), r#""))"#),
            },
            Near {
                within: Within::File,
                query: concat!(
                    r#"((call_expression function: (member_expression property: (property_identifier) @p) arguments: (arguments) @a) @found
  (#any-of? @p "use" "addHook" "param") (#match? @a ""#,
                    auth!(),
                    r#""))"#
                ),
            },
        ],
    ),
    Rule::find_untested(
        "exported, and no test reaches it",
        r#"(export_statement declaration: (function_declaration name: (identifier) @name body: (statement_block . (_) . (_)))) @found
(export_statement declaration: (class_declaration body: (class_body (method_definition name: (property_identifier) @name body: (statement_block . (_) . (_))) @found)))
(program (expression_statement (assignment_expression left: (member_expression property: (property_identifier) @name) right: [(function_expression body: (statement_block . (_) . (_))) (arrow_function body: (statement_block . (_) . (_)))])) @found)"#,
    ),
    Rule::collaborator(
        0.45,
        concat!(
            made_in_constructor!(r#"(new_expression constructor: [(identifier) (member_expression)] @t @call)"#),
            of_no_library!(),
            "\n",
            made_in_constructor!(r#"(call_expression function: [(identifier) (member_expression)] @t @call)"#),
            that_reaches_out!(),
            "\n",
            made_by_field!(r#"(new_expression constructor: [(identifier) (member_expression)] @t @call)"#),
            of_no_library!(),
            "\n",
            made_by_field!(r#"(call_expression function: [(identifier) (member_expression)] @t @call)"#),
            that_reaches_out!(),
        ),
        &[],
    ),
];
