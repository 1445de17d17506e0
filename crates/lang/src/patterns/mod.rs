//! Patterns of risky code, as data: for each pattern and language a few rules, each a tree-sitter query, conditions
//! within the file that withdraw a match, and the graph evidence that bears on it.
//!
//! This crate only evaluates what a single file shows. Evidence from other files is evaluated by the user of
//! [`Check`].

mod code;
mod effects;
mod go;
mod java;
mod javascript;
mod needed;
mod propose;
mod python;
mod rust;
mod syntax;

pub use code::first_metavariable;
pub use effects::{Effects, effects};
pub use propose::{Proposal, proposals};
pub use syntax::{Extent, QueryError, SyntaxFile, SyntaxMatch, SyntaxMatches, SyntaxQuery};

use std::sync::LazyLock;

use crate::Language;

/// Kind of risky code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// Errors that get lost, and errors that say too little.
    ErrorHandling,
    /// A resource that is opened and not closed.
    ResourceCleanup,
    /// Something visible to other files that should not be, or that they cannot know how to use.
    ApiSurface,
    /// State that several functions share and change.
    StateMutation,
    /// Locks, threads and asynchronous code.
    Concurrency,
    /// Ways in from outside without a check of who comes.
    AuthBoundary,
    /// Public functions that no test reaches.
    TestCoverage,
    /// Classes that make their collaborators themselves.
    DependencyInjection,
}

impl Pattern {
    /// Every pattern.
    pub const ALL: [Self; 8] = [
        Self::ErrorHandling,
        Self::ResourceCleanup,
        Self::ApiSurface,
        Self::StateMutation,
        Self::Concurrency,
        Self::AuthBoundary,
        Self::TestCoverage,
        Self::DependencyInjection,
    ];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ErrorHandling => "error_handling",
            Self::ResourceCleanup => "resource_cleanup",
            Self::ApiSurface => "api_surface",
            Self::StateMutation => "state_mutation",
            Self::Concurrency => "concurrency",
            Self::AuthBoundary => "auth_boundary",
            Self::TestCoverage => "test_coverage",
            Self::DependencyInjection => "dependency_injection",
        }
    }

    /// The pattern with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.word() == word)
    }

    /// Languages that have rules for it.
    pub fn languages(self) -> impl Iterator<Item = Language> {
        Language::all().filter(move |language| rules(self, *language).next().is_some())
    }
}

/// Region around a match that is searched for a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// The `@scope` of the match.
    Scope,
    /// The innermost function around it, else the file.
    Function,
    /// The innermost enclosing function itself, counting closures as functions: the condition must match all of it.
    /// Outside of functions nothing matches.
    FunctionItself,
    /// Like [`Within::FunctionItself`], but code in a closure belongs to the enclosing named function.
    NamedFunctionItself,
    /// The innermost type with members around it, else the file.
    Type,
    /// The file.
    File,
}

/// A query that must, or must not, match near a match. If both have a `@name`, the names must be equal.
#[derive(Debug, Clone, Copy)]
pub struct Near {
    /// Region to search.
    pub within: Within,
    /// Query, with `@found` on the match.
    pub query: &'static str,
}

/// Graph evidence that bears on a match.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// Only what applies to every finding.
    Plain,
    /// A called function may do what is missing here: its body contains a match of `does`. `handed`: only a function
    /// that receives `@name`; else any that is called within `@scope`.
    CalleeDoes {
        /// What the called function must do.
        does: &'static str,
        /// Only calls that take `@name` as an argument.
        handed: bool,
    },
    /// Every caller may be ready for it: it calls within a match of `guard`.
    CallersGuard {
        /// Required context of the call.
        guard: &'static str,
    },
    /// Only a finding if the function of `@call` can return an error: its signature ends with this word, or it is one
    /// of these functions from outside of the project, named by `@name`.
    ReturnsError {
        /// Word of the signature's result.
        word: &'static str,
        /// Functions from outside that can return an error.
        outside: &'static Names,
    },
    /// Only a finding if several functions use the variable `@name`.
    Shared,
    /// Mitigated if a match of `asks` earlier in the function checks the value that `@name` starts with.
    AskedBefore {
        /// The check; captures `@name`.
        asks: &'static str,
    },
    /// Like [`Check::Shared`], but no finding if all matches of `writes` for `@name` are in functions named `once`.
    SharedOnceSet {
        /// A write of the variable; captures `@name`.
        writes: &'static str,
        /// Functions that run once, before all others.
        once: &'static str,
    },
    /// Only a finding if other files can see `@name`; proven if they use it.
    Exposed,
    /// Only a finding if `@name` is visible to others and has no doc comment.
    Undocumented,
    /// A check of who comes may be in a function that the handler calls.
    ReachesAuth,
    /// Only a finding if no test reaches the function `@name`.
    Tested,
    /// Only a finding if the target of `@call` creates something with external effects, see [`effects`].
    Collaborator,
}

/// Names, by a regular expression.
#[derive(Debug)]
pub struct Names(LazyLock<Option<regex::Regex>>);

impl Names {
    /// The names that the expression of a function matches.
    const fn new(expression: fn() -> Option<regex::Regex>) -> Self {
        Self(LazyLock::new(expression))
    }

    /// Returns whether a name is one of them.
    pub fn is_match(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|names| names.is_match(name))
    }
}

/// One thing to look for in one language.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The pattern it belongs to.
    pub pattern: Pattern,
    /// Its lasting name.
    pub name: &'static str,
    /// Severity of a confirmed finding, 0 to 1.
    pub severity: f64,
    /// Message for the reader.
    pub message: &'static str,
    /// The query.
    pub query: &'static str,
    /// All of these must match near it.
    pub needs: &'static [Near],
    /// None of these may match near it.
    pub unless: &'static [Near],
    /// Graph evidence.
    pub check: Check,
}

impl Rule {
    /// Severity of what is more often meant than not. It is below what is listed unless asked for.
    const USUAL: f64 = 0.2;

    /// A collaborator that a class makes itself.
    const fn collaborator(severity: f64, query: &'static str, needs: &'static [Near]) -> Self {
        Self {
            pattern: Pattern::DependencyInjection,
            name: "makes_collaborator",
            severity,
            message: "makes its collaborator itself: it cannot be given another one",
            query,
            needs,
            unless: &[],
            check: Check::Collaborator,
        }
    }

    /// Code that others can use and that no test reaches.
    const fn find_untested(message: &'static str, query: &'static str) -> Self {
        Self {
            pattern: Pattern::TestCoverage,
            name: "untested",
            severity: 0.5,
            message,
            query,
            needs: &[],
            unless: &[],
            check: Check::Tested,
        }
    }

    /// A route without an authorization check; `unless` is where such a check may be.
    const fn open_route(severity: f64, message: &'static str, query: &'static str, unless: &'static [Near]) -> Self {
        Self {
            pattern: Pattern::AuthBoundary,
            name: "open_route",
            severity,
            message,
            query,
            needs: &[],
            unless,
            check: Check::ReachesAuth,
        }
    }
}

/// Names that indicate an authorization check. The words are those of names in all naming conventions: `author`,
/// `catalog_index`, `dialogInput` and `MutexGuard` contain none of them.
macro_rules! auth {
    () => {
        "(?:^|[^A-Za-z])(?:o|un|re|pre|is|has)?auth(?:$|[^o]|o(?:$|[^r])|or[iy])|Auth(?:$|[^o]|o(?:$|[^r])|or[iy])|\
(?:^|[^A-Za-z])(?:O|UN)?AUTH(?:$|[^O]|O(?:$|[^R])|OR[IY])|(?:^|[^A-Za-z])log(?:[_-]?in|In)(?:$|[^a-z])|\
Log[_-]?[iI]n(?:$|[^a-z])|(?:^|[^A-Za-z])LOG_?IN(?:$|[^A-Z])|(?i:logged_?(?:in|user))(?:$|[^a-z])|\
(?i:permission|credential|current_?user|access_?control|csrf|verify_?(?:token|user|session))|\
(?i:require_?(?:user|role|admin|session)|roles_?allowed)|\
(?:^|[^A-Za-z])(?:is_?[aA]dmin|jwt|principal|secured)|IsAdmin|J[wW][tT]|Principal|Secured|\
(?i:(?:verify|check|validate|valid|compare|webhook|hmac|request|hub)_?signature|signature_?(?:is_?)?(?:valid|matches|ok))|\
(?:^|[^A-Za-z0-9_])[gG]uards?(?:$|[^a-z])|(?i:(?:use|role|route|user|admin|access|api|session|token)s?_?guards?)(?:$|[^a-z])"
    };
}
pub(crate) use auth;

static AUTH_NAMES: LazyLock<Option<regex::Regex>> = LazyLock::new(|| regex::Regex::new(auth!()).ok());

/// Returns whether a name indicates an authorization check, see [`Check::ReachesAuth`].
pub fn speaks_of_auth(name: &str) -> bool {
    AUTH_NAMES.as_ref().is_some_and(|names| names.is_match(name))
}

/// Paths of routes that everybody may use: one of their parts is such a word, not only begins with it.
macro_rules! public_route {
    () => {
        "(?i)/(?:log[_-]?(?:in|out)|sign[_-]?(?:in|up|out)|register|health(?:z|[_-]?checks?)?|ping|readyz?|readiness|livez?|\
liveness|version|metrics|static|public|favicon(?:[.]ico)?|robots(?:[.]txt)?)(?:[/?\\\"'`]|$)"
    };
}
pub(crate) use public_route;

/// Pattern data of a language.
struct Patterns {
    /// The languages that it is about.
    languages: &'static [Language],
    /// Its rules.
    rules: &'static [Rule],
    /// Kinds of nodes that are functions, for [`Within::Function`].
    functions: &'static [&'static str],
    /// Kinds of nodes that are run on their own but have no name, for [`Within::FunctionItself`].
    closures: &'static [&'static str],
    /// Kinds of nodes that are types with members, for [`Within::Type`].
    types: &'static [&'static str],
    /// The query for calls that are given a plain variable (`@name`).
    handing_calls: &'static str,
}

/// Every language with rules.
static PATTERNS: &[Patterns] = &[python::PATTERNS, javascript::PATTERNS, rust::PATTERNS, go::PATTERNS, java::PATTERNS];

fn patterns(language: Language) -> Option<&'static Patterns> {
    PATTERNS.iter().find(|known| known.languages.contains(&language))
}

/// The rules of a pattern for a language; none if the language has none.
pub fn rules(pattern: Pattern, language: Language) -> impl Iterator<Item = &'static Rule> {
    let rules = patterns(language).map_or(&[] as &[Rule], |known| known.rules);
    rules.iter().filter(move |rule| rule.pattern == pattern)
}

/// The query for calls that are given a plain variable (`@name`), for [`Check::CalleeDoes`].
pub fn handing_calls(language: Language) -> Option<&'static str> {
    patterns(language).map(|known| known.handing_calls)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn languages() -> impl Iterator<Item = Language> {
        PATTERNS.iter().flat_map(|known| known.languages).copied()
    }

    #[test]
    fn every_pattern_has_rules_for_every_language_and_every_query_compiles() {
        let mut wrong = Vec::new();
        for language in languages() {
            for pattern in Pattern::ALL {
                assert!(rules(pattern, language).next().is_some(), "{} {}", pattern.word(), language.name());
                for rule in rules(pattern, language) {
                    let near = rule.needs.iter().chain(rule.unless).map(|near| near.query);
                    let check = match rule.check {
                        Check::CalleeDoes { does, .. } => Some(does),
                        Check::CallersGuard { guard } => Some(guard),
                        _ => None,
                    };
                    for query in [rule.query].into_iter().chain(near).chain(check) {
                        if let Err(error) = SyntaxQuery::new(language, query) {
                            wrong.push(format!("{} {}: {error}: {query}", language.name(), rule.name));
                        }
                    }
                    assert!((0.0..=1.0).contains(&rule.severity), "{}", rule.name);
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn names_that_speak_of_checks() {
        for name in ["check_auth", "authorize", "requireLogin", "isAdmin", "AuthGuard", "verify_token", "current_user"]
        {
            assert!(speaks_of_auth(name), "{name}");
        }
        for name in [
            "login_required", "log_in", "isLoggedIn", "unauthorized", "OAUTH_TOKEN", "oauth2", "PreAuthorize",
            "UseGuards", "guard", "JwtStrategy", "verifySignature", "secured", "hasPermission",
        ] {
            assert!(speaks_of_auth(name), "{name}");
        }
        for name in [
            "author", "list_authors", "save", "logger", "catalogue", "blog", "log_info", "catalog_index",
            "dialogInput", "LogIndex", "lock_guard", "MutexGuard", "method_signature", "unsecured",
        ] {
            assert!(!speaks_of_auth(name), "{name}");
        }
        let public = regex::Regex::new(public_route!()).expect("an expression");
        for path in ["\"/login\"", "'/api/health'", "/static/<path>", "(\"/healthz\")", "\"/sign-up?next=x\""] {
            assert!(public.is_match(path), "{path}");
        }
        for path in ["\"/healthcare/patients\"", "'/publications/:id'", "/livestreams", "\"/versions/x/delete\""] {
            assert!(!public.is_match(path), "{path}");
        }
        for language in languages() {
            let query = handing_calls(language).expect("a query");
            assert!(SyntaxQuery::new(language, query).is_ok(), "{}", language.name());
        }
    }

    /// The test cases of `scan`: one folder per pattern, lines marked with the expected verdict and rule.
    const CASES: [(Language, &str); 5] = [
        (Language::Python, include_str!("../../../tools/tests/tools/scan_cases/python.txt")),
        (Language::JavaScript, include_str!("../../../tools/tests/tools/scan_cases/javascript.txt")),
        (Language::Rust, include_str!("../../../tools/tests/tools/scan_cases/rust.txt")),
        (Language::Go, include_str!("../../../tools/tests/tools/scan_cases/go.txt")),
        (Language::Java, include_str!("../../../tools/tests/tools/scan_cases/java.txt")),
    ];

    #[test]
    fn every_rule_has_a_case_that_it_finds_and_one_that_it_leaves() {
        let mut missing = Vec::new();
        for (language, cases) in CASES {
            for pattern in Pattern::ALL {
                let folder = format!("{}/", pattern.word());
                let files = cases.split("//- ").filter(|file| file.starts_with(&folder));
                let lines: Vec<&str> = files.flat_map(str::lines).collect();
                for rule in rules(pattern, language) {
                    let has = |marks: [&str; 2]| {
                        let ends = marks.map(|mark| format!(" {mark} {}", rule.name));
                        lines.iter().any(|line| ends.iter().any(|end| line.ends_with(end)))
                    };
                    for (marks, kind) in [(["FIND", "MITIGATED"], "found"), (["CLEAR", "FALSE"], "left")] {
                        if !has(marks) {
                            missing.push(format!("{} {}: none is {kind}", language.name(), rule.name));
                        }
                    }
                }
            }
        }
        assert!(missing.is_empty(), "{}", missing.join("\n"));
    }

    #[test]
    fn names_of_rules_are_unique_in_a_language() {
        for language in languages() {
            let names = || Pattern::ALL.into_iter().flat_map(|pattern| rules(pattern, language)).map(|rule| rule.name);
            assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count(), "{}", language.name());
        }
    }

    #[test]
    fn each_pattern_of_a_query_reports() {
        let file = "a = 1\nf(b)\n";
        let parsed =
            SyntaxFile::parse(Language::Python, file, &m1nd_base::Limits::default(), &m1nd_base::Cancel::new());
        let parsed = parsed.expect("it parses");
        let found = |query: &str| {
            let query = SyntaxQuery::new(Language::Python, query).expect(query);
            let found = parsed.matches(&query, &parsed.whole(), &m1nd_base::Cancel::new());
            found.rows.iter().map(|row| &file[row.found.bytes.clone()]).collect::<Vec<_>>()
        };
        assert_eq!(found("(integer) @x (call) @y"), ["1", "f(b)"]);
        assert_eq!(found("(assignment (identifier) @a (integer) @found) (call function: (_) @name) @y"), ["1", "f"]);
    }

    #[test]
    fn what_could_harm_is_refused() {
        let new = |text: &str| SyntaxQuery::new(Language::Python, text).map(|_| ()).map_err(|error| error.to_string());
        let cases = [
            ("(".repeat(2_000), "nested"),
            (";".repeat(5_000), "bytes"),
            ("(module) @x (#strip! @x \"a\")".to_owned(), "strip!"),
            ("(module)".to_owned(), "captures nothing"),
            ("(identifier) @x (module)".to_owned(), "captures nothing"),
            ("((identifier) @x (#is? local))".to_owned(), "is?"),
            ("((identifier) @x (#is-not? local))".to_owned(), "is-not?"),
            ("((identifier) @x (#set! a \"b\"))".to_owned(), "set!"),
            ("(no_such_node) @x".to_owned(), "no_such_node"),
            ("((identifier) @x (#match? @x \"(\"))".to_owned(), "line 1"),
        ];
        for (text, expected) in cases {
            let error = new(&text).expect_err(&text);
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert_eq!(new("(identifier) @x"), Ok(()));
        let none = SyntaxQuery::new(Language::Vue, "(a) @x").map(|_| ()).expect_err("no grammar").to_string();
        assert!(none.contains("`vue`") && none.contains("python, ") && !none.contains("svelte"), "{none}");
    }
}
