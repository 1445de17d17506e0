//! The tools: one file each, one row each in [`ALL`]. They know neither the wire nor the disk.
//!
//! Everything that several tools share in *behaviour* (argument checks, paging, the size budget of an answer, making
//! hidden characters visible, catching a panic) happens once, in [`ToolDef::invoke`]. What they share in *answers*
//! lives in the engine: tools never call tools.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod analysis;
mod core;
mod exploration;
mod framework;
mod memory;
mod prior;
mod registry;
mod rows;
mod services;
mod source;

pub use framework::{
    Answer, Catalog, Context, Effect, ErrorCode, Format, Guidance, Mention, Page, ProofState, Purpose, ReadContext,
    ReadTool, Reply, Route, RowText, Stage, Tool, ToolDef, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
    canonical_name, text_of, visible,
};
pub use memory::memory_error;
pub use registry::{ALL, TOOLS, find};
pub use services::Services;
