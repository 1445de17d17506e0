//! The tools: one file each, one row each in [`ALL`]. They depend on neither the wire protocol nor the disk.
//!
//! Common *behaviour* (argument checks, paging, the size budget of an answer, escaping of hidden characters, catching
//! panics) is in [`ToolDef::invoke`]. Common *answers* are in the engine: tools never call tools.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod analysis;
mod answers;
mod apps;
mod change_check;
mod checks;
mod continuity;
mod core;
mod documents;
mod edit;
mod envelope;
mod exploration;
mod first_code;
mod framework;
mod lifecycle;
mod memory;
mod past;
mod persons;
mod perspective;
mod prompts;
mod registry;
mod resources;
pub mod sarif;
mod services;
mod shorten;
mod task;
mod trust;
mod word;

use answers::{change_rows, docstring, heuristics, prior, rows, site_text, sites, source, test_rows};

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
