//! The framework of the tools: definition, calls, answers and errors.

mod answer;
mod arguments;
mod budget;
mod call;
mod catalog;
mod context;
mod defaults;
mod definition;
mod detail;
mod error;
mod kinds;
mod layout;
mod measure;
mod names;
mod schema;
mod stale;
mod text;
mod visible;

pub use answer::{Answer, Guidance, Page, ProofState, ToolRef};
pub(crate) use answer::{MAX_TARGET, is_zero};
pub use arguments::bounds;
pub use call::{Replied, Reply};
pub use catalog::Catalog;
pub(crate) use context::HeldValues;
pub use context::{ANONYMOUS, Context, ReadContext, WriteContext};
pub(crate) use defaults::{number, yes};
pub(crate) use definition::rows_schema;
pub use definition::{ReadTool, Tool, ToolDef, WriteTool};
pub use error::{ErrorCode, ToolError};
pub use kinds::{Command, Detail, Effect, Format, Mention, Purpose, Route, Stage, ToolChoice, Toolset};
pub use layout::text_of;
pub use names::canonical_name;
pub(crate) use names::edit_distance;
pub use schema::{default_of, takes};
pub use text::RowText;
pub use visible::visible;
