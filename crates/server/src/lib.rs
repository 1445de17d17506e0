//! MCP over stdio: maps the tool registry to the wire.

mod framing;
mod message;
mod running;
mod scan;
mod transport;
pub use framing::{Frame, Framer, MESSAGE_BYTES, Mode};
pub use message::{BATCH, NESTING};
pub use transport::{IN_FLIGHT, Output, OutputClosed};
