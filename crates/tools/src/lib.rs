//! The tools: one file each, one row each in [`ALL`]. They depend on neither the wire protocol nor the disk.
//!
//! Common *behaviour* (argument checks, paging, the size budget of an answer, escaping of hidden characters, catching
//! panics) is in [`ToolDef::invoke`]. Common *answers* are in the engine: tools never call tools.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod analysis;
mod apps;
mod change_check;
mod change_rows;
mod checks;
mod continuity;
mod core;
mod docstring;
mod documents;
mod edit;
mod envelope;
mod exploration;
mod first_code;
mod framework;
mod heuristics;
mod lifecycle;
mod memory;
mod past;
mod persons;
mod perspective;
mod prior;
mod prompts;
mod registry;
mod resources;
mod rows;
pub mod sarif;
mod services;
mod shorten;
mod site_text;
mod sites;
mod source;
mod task;
mod test_rows;
mod trust;
mod word;

pub use apps::{APPS, AppDef, EXTENSION, MIME_TYPE, app_of, find_app};
pub use change_check::{ChangeCheck, ChangeFinding, ChangeKind, check_change};
pub use envelope::add_envelope;
pub use framework::{
    ANONYMOUS, Answer, Catalog, Command, Context, Detail, Effect, ErrorCode, Format, Guidance, Members, Mention, Page,
    ProofState, Purpose, ReadContext, ReadTool, Replied, Reply, Route, RowLine, RowText, Shown, Stage, TextGroups,
    Tool, ToolChoice, ToolDef, ToolError, ToolRef, Toolset, WriteContext, WriteTool, bounds, cannot_tell,
    canonical_name, default_of, takes, text_of, visible,
};
pub use memory::memory_error;
pub use persons::{HeldLock, guarded_by, held_locks, release_lock};
pub use prompts::{PROMPTS, PromptArgument, PromptDef};
pub use registry::{ALL, TOOLS, find, resolve_call};
pub use resources::{RESOURCES, ResourceDef, find_resource};
pub use rows::resolve as find_node;
pub use services::{Services, permission_scope};
