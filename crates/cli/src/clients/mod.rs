//! The configuration files of MCP clients: their paths, and the entry for m1nd in them. A client is a row in [`ROWS`].

mod agents;
mod backup;
mod diff;
mod hooks;
mod json_edit;
#[cfg(test)]
mod tests;
mod toml_edit;
mod yaml_edit;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub(crate) use agents::{agents_files, list_agents_files, remove_block, set_block};
pub(crate) use backup::Backups;
pub(crate) use diff::changed_lines;
pub(crate) use hooks::{hooks_file, remove_hooks, set_hooks};
pub(crate) use json_edit::EditError;

use json_edit::Syntax;

/// Name of the entry.
pub(crate) const ENTRY: &str = "m1nd";
/// Arguments with which every client starts the server: for agents, whose context they spare.
const ARGUMENTS: &[&str] = &["serve", "--stdio", "--format", "text", "--toolset", "agent"];
/// How long Goose waits for an answer, in seconds.
const GOOSE_TIMEOUT: u32 = 300;

/// A client that m1nd can be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Client {
    /// Claude Code: `.mcp.json`
    ClaudeCode,
    /// Cursor: `.cursor/mcp.json`
    Cursor,
    /// VS Code: `.vscode/mcp.json`
    Vscode,
    /// Codex CLI: `.codex/config.toml`
    Codex,
    /// Gemini CLI: `.gemini/settings.json`
    Gemini,
    /// GitHub Copilot CLI: `.github/mcp.json`
    Copilot,
    /// Zed: `.zed/settings.json`
    Zed,
    /// Continue: `.continue/mcpServers/m1nd.json`
    Continue,
    /// Junie, the agent of JetBrains: `.junie/mcp/mcp.json`
    Junie,
    /// OpenCode: `opencode.json`
    Opencode,
    /// Windsurf: `~/.codeium/windsurf/mcp_config.json`
    Windsurf,
    /// Cline: `~/.cline/data/settings/cline_mcp_settings.json`
    Cline,
    /// Goose: `~/.config/goose/config.yaml`
    Goose,
}

/// Where a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// In the project.
    Project,
    /// In the user's home: the client has one file for all projects. It is changed only if the client is named.
    User,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json(Syntax),
    Toml,
    Yaml,
}

/// What an entry says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `command` and `args`.
    Plain,
    /// With `"type": "stdio"`.
    Stdio,
    /// With `"type": "local"` and the tools that may be called.
    Copilot,
    /// The whole command as a list.
    List,
    /// An extension of Goose.
    Goose,
}

/// What is known about a client.
struct Row {
    client: Client,
    /// Its name for people.
    label: &'static str,
    scope: Scope,
    /// Its files. The first that exists is changed, or else the first is created.
    files: &'static [&'static str],
    /// The member of the file that holds the servers.
    section: &'static str,
    format: Format,
    shape: Shape,
    /// The variable that stands for the project, where the client does not start servers in its folder.
    variable: Option<&'static str>,
    /// Files and folders of a project, and of the user's home, that show that the client is used.
    signs: (&'static [&'static str], &'static [&'static str]),
}

const STRICT: Format = Format::Json(Syntax::Strict);
const COMMENTS: Format = Format::Json(Syntax::Comments);
/// What most clients have in common.
const USUAL: Row = Row {
    client: Client::ClaudeCode,
    label: "Claude Code",
    scope: Scope::Project,
    files: &[".mcp.json"],
    section: "mcpServers",
    format: STRICT,
    shape: Shape::Plain,
    variable: None,
    signs: (&[".mcp.json", ".claude"], &[".claude", ".claude.json"]),
};

/// Every client, in the order of [`Client`].
const ROWS: &[Row] = &[
    USUAL,
    Row {
        client: Client::Cursor,
        label: "Cursor",
        files: &[".cursor/mcp.json"],
        variable: Some("${workspaceFolder}"),
        signs: (&[".cursor"], &[".cursor"]),
        ..USUAL
    },
    Row {
        client: Client::Vscode,
        label: "VS Code",
        files: &[".vscode/mcp.json"],
        section: "servers",
        format: COMMENTS,
        shape: Shape::Stdio,
        variable: Some("${workspaceFolder}"),
        signs: (&[".vscode"], &[]),
        ..USUAL
    },
    Row {
        client: Client::Codex,
        label: "Codex CLI",
        files: &[".codex/config.toml"],
        section: "mcp_servers",
        format: Format::Toml,
        signs: (&[".codex"], &[".codex"]),
        ..USUAL
    },
    Row {
        client: Client::Gemini,
        label: "Gemini CLI",
        files: &[".gemini/settings.json"],
        format: COMMENTS,
        signs: (&[".gemini"], &[".gemini"]),
        ..USUAL
    },
    Row {
        client: Client::Copilot,
        label: "Copilot CLI",
        files: &[".github/mcp.json"],
        shape: Shape::Copilot,
        signs: (&[".github/mcp.json"], &[".copilot"]),
        ..USUAL
    },
    Row {
        client: Client::Zed,
        label: "Zed",
        files: &[".zed/settings.json"],
        section: "context_servers",
        format: COMMENTS,
        signs: (&[".zed"], &[".config/zed"]),
        ..USUAL
    },
    Row {
        client: Client::Continue,
        label: "Continue",
        files: &[".continue/mcpServers/m1nd.json"],
        signs: (&[".continue"], &[".continue"]),
        ..USUAL
    },
    Row {
        client: Client::Junie,
        label: "Junie",
        files: &[".junie/mcp/mcp.json"],
        signs: (&[".junie"], &[".junie"]),
        ..USUAL
    },
    Row {
        client: Client::Opencode,
        label: "OpenCode",
        files: &["opencode.json", "opencode.jsonc"],
        section: "mcp",
        format: COMMENTS,
        shape: Shape::List,
        signs: (&["opencode.json", "opencode.jsonc", ".opencode"], &[".config/opencode"]),
        ..USUAL
    },
    Row {
        client: Client::Windsurf,
        label: "Windsurf",
        scope: Scope::User,
        files: &[".codeium/windsurf/mcp_config.json"],
        ..USUAL
    },
    Row {
        client: Client::Cline,
        label: "Cline",
        scope: Scope::User,
        files: &[".cline/data/settings/cline_mcp_settings.json"],
        ..USUAL
    },
    Row {
        client: Client::Goose,
        label: "Goose",
        scope: Scope::User,
        files: &[".config/goose/config.yaml"],
        section: "extensions",
        format: Format::Yaml,
        shape: Shape::Goose,
        ..USUAL
    },
];

impl Client {
    /// Every client.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.client)
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.client == self).unwrap_or(&USUAL)
    }

    /// Its name for people.
    pub(crate) fn label(self) -> &'static str {
        self.row().label
    }

    /// Its configuration file. `None` if it is in the home of a user who has none.
    pub(crate) fn file(self, project: &Path, user_home: Option<&Path>) -> Option<PathBuf> {
        let row = self.row();
        let folder = match row.scope {
            Scope::Project => project,
            Scope::User => user_home?,
        };
        let files = || row.files.iter().map(|file| folder.join(file));
        files().find(|file| file.exists()).or_else(|| files().next())
    }

    /// Returns whether the client is used in this project or by this user. Clients with one file for all projects have
    /// to be named.
    pub(crate) fn is_present(self, project: &Path, user_home: Option<&Path>) -> bool {
        let Row { scope, signs: (here, at_home), .. } = self.row();
        let is_in = |folder: &Path, names: &[&str]| names.iter().any(|name| folder.join(name).exists());
        *scope == Scope::Project && (is_in(project, here) || user_home.is_some_and(|home| is_in(home, at_home)))
    }

    /// The entry that starts the program with this command, a program and its first arguments, for the project the
    /// client has open.
    pub(crate) fn entry(self, command: &[String], project: &Path) -> Value {
        let Row { scope, shape, variable, .. } = self.row();
        let project = project.to_string_lossy();
        let root = match scope {
            Scope::User => Some(&*project),
            Scope::Project => *variable,
        };
        let (program, first) =
            command.split_first().map_or((ENTRY, &[][..]), |(program, first)| (program.as_str(), first));
        let mut args: Vec<&str> = first.iter().map(String::as_str).chain(ARGUMENTS.iter().copied()).collect();
        args.extend(root.into_iter().flat_map(|root| ["--root", root]));
        match shape {
            Shape::Plain => json!({"command": program, "args": args}),
            Shape::Stdio => json!({"type": "stdio", "command": program, "args": args}),
            Shape::Copilot => json!({"type": "local", "command": program, "args": args, "tools": ["*"]}),
            Shape::List => {
                args.insert(0, program);
                json!({"type": "local", "command": args, "enabled": true})
            }
            Shape::Goose => json!({
                "name": ENTRY, "type": "stdio", "enabled": true, "cmd": program, "args": args,
                "timeout": GOOSE_TIMEOUT,
            }),
        }
    }

    /// Returns the text of its file with the entry; `None` if it exists already.
    ///
    /// # Errors
    /// The text is not understood.
    pub(crate) fn set_entry(self, text: &str, entry: &Value) -> Result<Option<String>, EditError> {
        let row = self.row();
        match row.format {
            Format::Json(syntax) => json_edit::set_entry_in(syntax, text, row.section, ENTRY, entry),
            Format::Toml => toml_edit::set_entry(text, row.section, ENTRY, entry),
            Format::Yaml => yaml_edit::set_entry(text, row.section, ENTRY, entry),
        }
    }

    /// Returns the text of its file without the entry; `None` if there is none. Empty if the file held nothing else.
    ///
    /// # Errors
    /// The text is not understood.
    pub(crate) fn remove_entry(self, text: &str) -> Result<Option<String>, EditError> {
        let row = self.row();
        match row.format {
            Format::Json(syntax) => json_edit::remove_entry(syntax, text, row.section, ENTRY),
            Format::Toml => toml_edit::remove_entry(text, row.section, ENTRY),
            Format::Yaml => yaml_edit::remove_entry(text, row.section, ENTRY),
        }
    }

    /// The program that the entry in the text of its file starts; `None` if there is no entry.
    ///
    /// # Errors
    /// The text is not understood.
    pub(crate) fn read_command(self, text: &str) -> Result<Option<String>, EditError> {
        let row = self.row();
        match row.format {
            Format::Json(syntax) => json_edit::read_command(syntax, text, row.section, ENTRY),
            Format::Toml => toml_edit::read_command(text, row.section, ENTRY),
            Format::Yaml => yaml_edit::read_command(text, row.section, ENTRY, "cmd"),
        }
    }

    /// The entry as it is written into an empty file, for people who write it by hand.
    pub(crate) fn write_by_hand(self, entry: &Value) -> String {
        self.set_entry("", entry).ok().flatten().unwrap_or_default()
    }
}
