//! The configuration files of MCP clients: their paths, and the entry for m1nd in them.

mod diff;
mod hooks;
mod json_edit;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub(crate) use diff::changed_lines;
pub(crate) use hooks::{hooks_file, set_hooks};
pub(crate) use json_edit::{EditError, set_entry};

/// Name of the entry.
pub(crate) const ENTRY: &str = "m1nd";
/// The member of the entry that names the program.
pub(crate) const COMMAND: &str = "command";
/// Arguments with which every client starts the server: for agents, whose context they spare.
const ARGUMENTS: &[&str] = &["serve", "--stdio", "--format", "text", "--toolset", "agent"];

/// A client that m1nd can be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Client {
    /// Claude Code: `.mcp.json`
    ClaudeCode,
    /// Cursor: `.cursor/mcp.json`
    Cursor,
    /// VS Code: `.vscode/mcp.json`
    Vscode,
}

impl Client {
    /// Every client.
    pub(crate) const ALL: &'static [Self] = &[Self::ClaudeCode, Self::Cursor, Self::Vscode];

    /// Its name for people.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
        }
    }

    /// Its configuration file for one project.
    pub(crate) fn file(self, project: &Path) -> PathBuf {
        project.join(match self {
            Self::ClaudeCode => ".mcp.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::Vscode => ".vscode/mcp.json",
        })
    }

    /// The member of that file that holds the servers.
    pub(crate) const fn section(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::Cursor => "mcpServers",
            Self::Vscode => "servers",
        }
    }

    /// Returns whether the client is used in this project or by this user.
    pub(crate) fn is_present(self, project: &Path, user_home: Option<&Path>) -> bool {
        let (here, at_home): (&[&str], &[&str]) = match self {
            Self::ClaudeCode => (&[".mcp.json", ".claude"], &[".claude", ".claude.json"]),
            Self::Cursor => (&[".cursor"], &[".cursor"]),
            Self::Vscode => (&[".vscode"], &[]),
        };
        here.iter().any(|name| project.join(name).exists())
            || user_home.is_some_and(|home| at_home.iter().any(|name| home.join(name).exists()))
    }

    /// The entry that starts `program` for the project the client has open.
    pub(crate) fn entry(self, program: &str) -> Value {
        let here = [ARGUMENTS, &["--root", "${workspaceFolder}"]].concat();
        match self {
            // Started in the project's folder.
            Self::ClaudeCode => json!({COMMAND: program, "args": ARGUMENTS}),
            Self::Cursor => json!({COMMAND: program, "args": here}),
            Self::Vscode => json!({"type": "stdio", COMMAND: program, "args": here}),
        }
    }
}
