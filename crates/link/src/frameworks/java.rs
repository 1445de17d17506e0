//! Registrations of Java and Scala frameworks.

use super::Form::{Argument, Decorated};
use super::What::{Command, EventHandler, Extension, Middleware, Provider, Route, Task, Test};
use super::{HandlerRule, row};

const MAPPINGS: &[&str] =
    &["DeleteMapping", "GetMapping", "MessageMapping", "PatchMapping", "PostMapping", "PutMapping", "RequestMapping"];
const STEREOTYPES: &[&str] = &[
    "Component", "Configuration", "ConfigurationProperties", "Controller", "Repository", "RestController", "Service",
    "SpringBootApplication", "TestConfiguration",
];
const RESOURCES: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "Path", "Provider"];
const VERBS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put"];
const SCOPES: &[&str] = &["ApplicationScoped", "Named", "Produces", "RequestScoped", "Singleton"];

pub(super) const ROWS: &[HandlerRule] = &[
    row("org.springframework", Decorated, Route, MAPPINGS),
    row("org.springframework", Decorated, Provider, STEREOTYPES),
    row("org.springframework", Decorated, Provider, &["Bean", "ModelAttribute"]),
    row(
        "org.springframework",
        Decorated,
        Middleware,
        &["ControllerAdvice", "ExceptionHandler", "InitBinder", "RestControllerAdvice"],
    ),
    row(
        "org.springframework",
        Decorated,
        EventHandler,
        &["EventListener", "JmsListener", "KafkaListener", "RabbitListener", "TransactionalEventListener"],
    ),
    row("org.springframework", Decorated, Task, &["Async", "Scheduled"]),
    row("javax.ws.rs", Decorated, Route, RESOURCES),
    row("jakarta.ws.rs", Decorated, Route, RESOURCES),
    row("javax.servlet", Decorated, Route, &["WebFilter", "WebListener", "WebServlet"]),
    row("jakarta.servlet", Decorated, Route, &["WebFilter", "WebListener", "WebServlet"]),
    row("javax.inject", Decorated, Provider, SCOPES),
    row("jakarta.inject", Decorated, Provider, SCOPES),
    row("javax.enterprise", Decorated, Provider, SCOPES),
    row("jakarta.enterprise", Decorated, Provider, SCOPES),
    row("javax.annotation", Decorated, EventHandler, &["PostConstruct", "PreDestroy"]),
    row("jakarta.annotation", Decorated, EventHandler, &["PostConstruct", "PreDestroy"]),
    row("io.micronaut", Decorated, Route, &["Controller", "Delete", "Get", "Head", "Patch", "Post", "Put"]),
    row("com.google.inject", Decorated, Provider, &["Provides", "Singleton"]),
    row("dagger", Decorated, Provider, &["Binds", "Module", "Provides"]),
    row("io.javalin", Argument(1), Route, VERBS),
    row("spark", Argument(1), Route, VERBS),
    row("io.ktor", Argument(1), Route, VERBS),
    row("io.ktor", Argument(0), EventHandler, &["subscribe"]),
    row("androidx.compose", Decorated, Extension, &["Preview"]),
    row("dagger.hilt", Decorated, Provider, &["AndroidEntryPoint", "EntryPoint", "HiltAndroidApp", "HiltViewModel"]),
    row("kotlin.test", Decorated, Test, &["AfterTest", "BeforeTest", "Test"]),
    row("picocli", Decorated, Command, &["Command"]),
    row(
        "cask",
        Decorated,
        Route,
        &["delete", "get", "getJson", "patch", "post", "postForm", "postJson", "put", "route"],
    ),
    row(
        "sttp.tapir",
        Argument(0),
        Route,
        &["handle", "handleSuccess", "serverLogic", "serverLogicPure", "serverLogicSuccess"],
    ),
    row("org.apache.spark", Argument(0), Extension, &["udf"]),
    row("org.apache.spark", Argument(1), Extension, &["register"]),
    row("scala.scalajs", Decorated, Extension, &["JSExport", "JSExportAll", "JSExportTopLevel"]),
    row("org.openjdk.jmh", Decorated, Test, &["Benchmark", "Setup", "TearDown"]),
    row("com.google.common.eventbus", Decorated, EventHandler, &["Subscribe"]),
    row("javax.swing", Argument(0), EventHandler, &["addActionListener", "addChangeListener", "invokeLater"]),
];
