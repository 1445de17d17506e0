//! Registrations of Rust frameworks.

use super::Form::{Argument, Decorated};
use super::What::{Command, EventHandler, Extension, Middleware, Provider, Route, Task, Test};
use super::{HandlerRule, row};

const VERBS: &[&str] = &["connect", "delete", "get", "head", "options", "patch", "post", "put", "trace"];

pub(super) const ROWS: &[HandlerRule] = &[
    row("axum", Argument(0), Route, VERBS),
    row("axum", Argument(0), Route, &["any", "fallback"]),
    row("axum", Argument(1), Route, &["on"]),
    row("axum", Argument(0), Middleware, &["from_fn"]),
    row("axum", Argument(1), Middleware, &["from_fn_with_state"]),
    row("actix_web", Decorated, Route, VERBS),
    row("actix_web", Decorated, Route, &["route", "routes"]),
    row("actix_web", Argument(0), Route, &["to"]),
    row("actix_web", Argument(0), Provider, &["configure", "service"]),
    row("actix_web", Decorated, Task, &["main"]),
    row("rocket", Decorated, Route, VERBS),
    row("rocket", Decorated, Route, &["catch", "launch", "route"]),
    row("poem", Argument(0), Route, VERBS),
    row("warp", Argument(0), Route, &["and_then", "recover", "then"]),
    row("tide", Argument(0), Route, VERBS),
    row("tokio", Decorated, Task, &["main"]),
    row("async_std", Decorated, Task, &["main"]),
    row("tauri", Decorated, Command, &["command"]),
    row("clap", Argument(0), Command, &["value_parser"]),
    row("ctrlc", Argument(0), EventHandler, &["set_handler"]),
    row("criterion", Argument(1), Test, &["bench_function"]),
    row("rstest", Decorated, Test, &["fixture"]),
    row("wasm_bindgen", Decorated, Extension, &["wasm_bindgen"]),
    row("pyo3", Decorated, Extension, &["pyclass", "pyfunction", "pymethods", "pymodule"]),
    row("napi_derive", Decorated, Extension, &["napi"]),
];
