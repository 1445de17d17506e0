//! Registrations of TypeScript and JavaScript frameworks.

use super::Form::{Argument, Decorated, From};
use super::What::{Command, EventHandler, Extension, Middleware, Provider, Route, Test};
use super::{HandlerRule, row};

const VERBS: &[&str] = &["all", "checkout", "delete", "del", "get", "head", "options", "patch", "post", "put"];
const LISTEN: &[&str] =
    &["addListener", "on", "once", "prependListener", "prependOnceListener", "addEventListener", "onAny"];
const HOOKS: &[&str] = &["after", "afterAll", "afterEach", "before", "beforeAll", "beforeEach"];
const TESTS: &[&str] = &["describe", "it", "suite", "test"];

pub(super) const ROWS: &[HandlerRule] = &[
    row("express", From(1), Route, VERBS),
    row("express", From(0), Route, VERBS),
    row("express", From(0), Middleware, &["use"]),
    row("express", Argument(1), Middleware, &["param"]),
    row("koa", From(0), Middleware, &["use"]),
    row("koa-router", From(1), Route, VERBS),
    row("koa-router", From(0), Middleware, &["use"]),
    row("@koa/router", From(1), Route, VERBS),
    row("@koa/router", From(0), Middleware, &["use"]),
    row("fastify", From(1), Route, VERBS),
    row("fastify", Argument(1), EventHandler, &["addHook"]),
    row("fastify", Argument(0), Extension, &["register", "setErrorHandler", "setNotFoundHandler"]),
    row("hono", From(1), Route, VERBS),
    row("hono", From(0), Middleware, &["use"]),
    row("polka", From(1), Route, VERBS),
    row("restify", From(1), Route, VERBS),
    row("restify", From(0), Middleware, &["use", "pre"]),
    row("connect", From(0), Middleware, &["use"]),
    row("commander", Argument(0), Command, &["action"]),
    row("commander", Argument(1), EventHandler, &["hook", "on"]),
    row("yargs", From(1), Command, &["command"]),
    row("cac", Argument(0), Command, &["action"]),
    row("node", Argument(1), EventHandler, LISTEN),
    row("node", Argument(0), Route, &["createServer"]),
    row("globals", Argument(1), EventHandler, &["addEventListener"]),
    row("socket.io", Argument(1), EventHandler, LISTEN),
    row("socket.io-client", Argument(1), EventHandler, LISTEN),
    row("ws", Argument(1), EventHandler, LISTEN),
    row("eventemitter3", Argument(1), EventHandler, LISTEN),
    row("jquery", From(1), EventHandler, &["on", "one"]),
    row("electron", Argument(1), EventHandler, &["handle", "handleOnce", "on", "once"]),
    row("vscode", Argument(1), Command, &["registerCommand", "registerTextEditorCommand"]),
    row("redux-saga", Argument(1), EventHandler, &["takeEvery", "takeLatest", "takeLeading"]),
    row(
        "@nestjs/common",
        Decorated,
        Route,
        &["All", "Controller", "Delete", "Get", "Head", "Options", "Patch", "Post", "Put", "Sse"],
    ),
    row("@nestjs/common", Decorated, Provider, &["Catch", "Injectable", "Module"]),
    row("@nestjs/microservices", Decorated, EventHandler, &["EventPattern", "MessagePattern"]),
    row("@nestjs/websockets", Decorated, EventHandler, &["SubscribeMessage", "WebSocketGateway"]),
    row("@nestjs/event-emitter", Decorated, EventHandler, &["OnEvent"]),
    row("@nestjs/schedule", Decorated, EventHandler, &["Cron", "Interval", "Timeout"]),
    row("@nestjs/graphql", Decorated, Route, &["Mutation", "Query", "ResolveField", "Resolver", "Subscription"]),
    row("@angular/core", Decorated, Provider, &["Component", "Directive", "Injectable", "NgModule", "Pipe"]),
    row("@angular/core", Decorated, EventHandler, &["HostListener"]),
    row("globals", Argument(0), Test, HOOKS),
    row("globals", Argument(1), Test, TESTS),
    row("vitest", Argument(0), Test, HOOKS),
    row("vitest", Argument(1), Test, TESTS),
    row("mocha", Argument(0), Test, HOOKS),
    row("mocha", Argument(1), Test, TESTS),
    row("@jest/globals", Argument(0), Test, HOOKS),
    row("@jest/globals", Argument(1), Test, TESTS),
];
