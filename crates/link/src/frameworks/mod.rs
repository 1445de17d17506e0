//! Frameworks that functions and classes are registered with, as data: one table per language.

use m1nd_lang::Language;

mod csharp;
mod go;
mod java;
pub(crate) mod messages;
mod php;
mod python;
pub(crate) mod rpc;
mod rust;
pub(crate) mod settings;
mod swift;
pub(crate) mod tables;
mod typescript;

/// One way of handing something to a framework.
#[derive(Debug)]
pub(crate) struct HandlerRule {
    /// Package of the decorator, annotation or callee, including its subpackages.
    pub(crate) package: &'static str,
    /// Names of the decorators, annotations or callees.
    pub(crate) names: &'static [&'static str],
    /// Position of the handler.
    pub(crate) form: Form,
    /// Role of the handler.
    pub(crate) what: What,
}

/// Position of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// It is the definition that is decorated or annotated.
    Decorated,
    /// It is the argument at this place, counted from 0.
    Argument(usize),
    /// All functions and classes among the arguments from this index on.
    From(usize),
    /// It is the argument of this name; of any, if empty.
    Named(&'static str),
}

/// Role of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum What {
    /// Answers requests.
    Route,
    /// Runs before, after or around the answering of requests.
    Middleware,
    /// A command-line command, or the callback of an option.
    Command,
    /// Runs when something happens.
    EventHandler,
    /// Runs in the background, at a time, or elsewhere.
    Task,
    /// Is constructed, or constructs a value, for injection.
    Provider,
    /// A test, or a fixture.
    Test,
    /// Called by the framework or another language under its name.
    Extension,
}

impl What {
    /// The words for it.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Route => "http route",
            Self::Middleware => "middleware",
            Self::Command => "command",
            Self::EventHandler => "event handler",
            Self::Task => "task",
            Self::Provider => "provider",
            Self::Test => "test",
            Self::Extension => "extension",
        }
    }
}

/// Members of a class that yield it as a handler (`View.as_view()`).
pub(crate) const MAKES_HANDLER: &[&str] = &["as_view", "as_asgi"];

const fn row(package: &'static str, form: Form, what: What, names: &'static [&'static str]) -> HandlerRule {
    HandlerRule { package, names, form, what }
}

/// The rows of a family of languages that are linked.
pub(crate) fn rows(family: Option<Language>) -> &'static [HandlerRule] {
    match family {
        Some(Language::Python) => python::ROWS,
        Some(Language::JavaScript) => typescript::ROWS,
        Some(Language::Rust) => rust::ROWS,
        Some(Language::Go) => go::ROWS,
        Some(Language::Java) => java::ROWS,
        Some(Language::Php) => php::ROWS,
        Some(Language::CSharp) => csharp::ROWS,
        Some(Language::Swift) => swift::ROWS,
        _ => &[],
    }
}

/// Returns whether a package is the one a row names, or below it. Cargo writes `-` for `_`, PHP `\` before what is
/// below.
pub(crate) fn is_of(package: &str, row: &str) -> bool {
    let same = |(a, b): (u8, u8)| a == b || (a == b'-' && b == b'_');
    package.len() >= row.len()
        && package.bytes().zip(row.bytes()).all(same)
        && matches!(package.as_bytes().get(row.len()), None | Some(b'.' | b'/' | b'\\'))
}
