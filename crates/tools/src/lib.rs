//! The tools: one file each, one row each in [`ALL`]. They depend on neither the wire protocol nor the disk.
//!
//! Common *behaviour* (argument checks, paging, the size budget of an answer, escaping of hidden characters, catching
//! panics) is in [`ToolDef::invoke`]. Common *answers* are in the engine: tools never call tools.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod analysis;
mod core;
mod exploration;
mod framework;
mod memory;
mod past;
mod prior;
mod registry;
mod rows;
mod services;
mod sites;
mod source;

pub use framework::{
    Answer, Catalog, Command, Context, Effect, ErrorCode, Format, Guidance, Mention, Page, ProofState, Purpose,
    ReadContext, ReadTool, Replied, Reply, Route, RowText, Stage, Tool, ToolDef, ToolError, ToolRef, Toolset,
    WriteContext, WriteTool, canonical_name, text_of, visible,
};
pub use memory::memory_error;
pub use registry::{ALL, TOOLS, find};
pub use services::Services;
