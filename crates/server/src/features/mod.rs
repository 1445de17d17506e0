//! What MCP offers besides tools: prompts, resources, pages.

pub(crate) mod apps;
pub(crate) mod prompts;
pub(crate) mod resources;
