//! What a tool is, how it is called and what it answers.

mod answer;
mod arguments;
mod budget;
mod context;
mod definition;
mod error;
mod layout;
mod names;
mod schema;
mod visible;

pub use answer::{Answer, Guidance, Page, ProofState};
pub(crate) use answer::{MAX_TARGET, is_zero};
pub use context::{Context, ReadContext, WriteContext};
pub use definition::{Effect, ReadTool, Tool, ToolDef, Toolset, WriteTool};
pub use error::{ErrorCode, ToolError};
pub use layout::text_of;
pub use names::canonical_name;
pub(crate) use names::edit_distance;
pub use visible::visible;
