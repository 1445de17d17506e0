//! Registrations of Swift frameworks.

use super::Form::{Decorated, From};
use super::What::{Extension, Middleware, Route, Test};
use super::{HandlerRule, row};

const VERBS: &[&str] = &["delete", "get", "head", "on", "patch", "post", "put", "webSocket"];

pub(super) const ROWS: &[HandlerRule] = &[
    row("Vapor", From(0), Route, VERBS),
    row("Vapor", From(0), Middleware, &["group", "grouped", "use"]),
    row("Hummingbird", From(0), Route, VERBS),
    row("Testing", Decorated, Test, &["Suite", "Test"]),
    row("Swift", Decorated, Extension, &["IBAction", "IBSegueAction", "NSManaged", "_cdecl", "objc", "objcMembers"]),
];
