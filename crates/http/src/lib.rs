//! MCP, a REST face and a page over HTTP, for any number of clients that share one index.
//!
//! - `/mcp`: Streamable HTTP of the official SDK, with sessions up to 2025-11-25 and without since 2026-07-28.
//! - `/api`: the tools of the registry, health, events, and an OpenAPI document made from the registry.
//! - Everything else: the page, embedded in the program.
//!
//! Each request passes the same wall before its body is read: a `Host` that this server has, an `Origin` that is the
//! server itself, and, below `/api` and `/mcp`, the token. Connections, bodies, calls, streams and sessions are limited
//! ([`Limits`]). A connection that has not sent its first request yet gives way to newer ones, so that slow ones cannot
//! keep others out.

mod address;
mod api;
mod connections;
mod events;
mod instances;
mod mcp;
mod memory;
mod openapi;
mod page;
mod serve;
mod server;
mod tls;
mod token;
mod wall;

pub use address::{Address, AddressError};
pub use instances::{Instance, find_instance, list_instances, write_redirect};
pub use m1nd_store::StoreError;
pub use openapi::describe_api;
pub use serve::serve;
pub use server::{HttpError, HttpOptions, HttpServer, Limits, adapt_options};
pub use token::{TOKEN_FILE, Token};
