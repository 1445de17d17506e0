//! Tests against a real PostgreSQL server, which they start themselves. Without one they are ignored.
#![cfg(unix)]

mod exchange;
mod outage;
mod security;
mod server;
mod writers;
