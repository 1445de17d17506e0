//! Registrations of Go frameworks.

use super::Form::{Argument, From};
use super::What::{EventHandler, Middleware, Route, Task, Test};
use super::{HandlerRule, row};

const UPPER: &[&str] = &["Any", "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];
const TITLE: &[&str] = &["All", "Connect", "Delete", "Get", "Head", "Options", "Patch", "Post", "Put", "Trace"];

pub(super) const ROWS: &[HandlerRule] = &[
    row("net/http", Argument(1), Route, &["Handle", "HandleFunc"]),
    row("net/http", Argument(0), Route, &["HandlerFunc"]),
    row("github.com/gin-gonic/gin", From(1), Route, UPPER),
    row("github.com/gin-gonic/gin", From(2), Route, &["Handle", "Match"]),
    row("github.com/gin-gonic/gin", From(0), Middleware, &["Use", "NoMethod", "NoRoute"]),
    row("github.com/gin-gonic/gin", From(1), Middleware, &["Group"]),
    row("github.com/labstack/echo", From(1), Route, UPPER),
    row("github.com/labstack/echo", From(0), Middleware, &["Pre", "Use"]),
    row("github.com/gofiber/fiber", From(1), Route, TITLE),
    row("github.com/gofiber/fiber", From(0), Middleware, &["Use"]),
    row("github.com/go-chi/chi", Argument(1), Route, &["Handle", "HandleFunc", "Mount", "Route"]),
    row("github.com/go-chi/chi", Argument(1), Route, TITLE),
    row("github.com/go-chi/chi", Argument(2), Route, &["Method", "MethodFunc"]),
    row("github.com/go-chi/chi", From(0), Middleware, &["Group", "MethodNotAllowed", "NotFound", "Use", "With"]),
    row("github.com/gorilla/mux", Argument(1), Route, &["Handle", "HandleFunc"]),
    row("github.com/gorilla/mux", Argument(0), Route, &["Handler", "HandlerFunc"]),
    row("github.com/gorilla/mux", From(0), Middleware, &["Use"]),
    row("github.com/julienschmidt/httprouter", Argument(1), Route, UPPER),
    row("github.com/spf13/cobra", From(0), EventHandler, &["OnFinalize", "OnInitialize"]),
    row("testing", Argument(1), Test, &["Run"]),
    row("testing", Argument(0), Test, &["Cleanup", "Fuzz"]),
    row("time", Argument(1), Task, &["AfterFunc"]),
    row("runtime", Argument(1), EventHandler, &["AddCleanup", "SetFinalizer"]),
];
