//! What packages, the plugin and install links say about m1nd.

/// One sentence about the program. The MCP registry takes at most 100 characters.
pub(crate) const DESCRIPTION: &str =
    "A graph of your code for coding agents, which says how it knows and what may be missing";
/// Arguments with which clients start the server for agents.
pub(crate) const SERVE: &[&str] = &["serve", "--stdio", "--format", "text", "--toolset", "agent"];
