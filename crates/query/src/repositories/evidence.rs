//! Paths to other repositories in the text of a file, by the kind of evidence they are.

use m1nd_base::RepoPath;

use super::manifests;

/// Longest path that is taken for one, in bytes.
const MAX_PATH: usize = 512;
/// Paths taken of one file.
const MAX_MENTIONS: usize = 200;

/// How a file speaks of a path. The order is that of strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is said by its word")]
pub enum Evidence {
    MarkdownLink,
    KeyedAssignment,
    QuotedPath,
    CargoWorkspaceMember,
    CargoPathDependency,
    NpmWorkspace,
    NpmFileDependency,
    PnpmWorkspace,
    UvWorkspaceMember,
    PythonPathDependency,
    GoWorkspaceUse,
    ImportIdentityMatch,
    ProtoContractMatch,
    McpToolContractMatch,
    OpenapiContractMatch,
    ApiRouteMatch,
}

impl Evidence {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::MarkdownLink => "markdown_link",
            Self::KeyedAssignment => "keyed_assignment",
            Self::QuotedPath => "quoted_path",
            Self::CargoWorkspaceMember => "cargo_workspace_member",
            Self::CargoPathDependency => "cargo_path_dependency",
            Self::NpmWorkspace => "npm_workspace",
            Self::NpmFileDependency => "npm_file_dependency",
            Self::PnpmWorkspace => "pnpm_workspace",
            Self::UvWorkspaceMember => "uv_workspace_member",
            Self::PythonPathDependency => "python_path_dependency",
            Self::GoWorkspaceUse => "go_workspace_use",
            Self::ImportIdentityMatch => "import_identity_match",
            Self::ProtoContractMatch => "proto_contract_match",
            Self::McpToolContractMatch => "mcp_tool_contract_match",
            Self::OpenapiContractMatch => "openapi_contract_match",
            Self::ApiRouteMatch => "api_route_match",
        }
    }

    /// Place in the order of rows: 0 is strongest.
    pub const fn rank(self) -> u8 {
        match self {
            Self::MarkdownLink | Self::KeyedAssignment => 0,
            Self::QuotedPath => 1,
            Self::ImportIdentityMatch => 3,
            Self::ProtoContractMatch | Self::McpToolContractMatch | Self::OpenapiContractMatch => 4,
            Self::ApiRouteMatch => 5,
            _ => 2,
        }
    }

    /// Whether it says for certain that the repository is meant. Routes in common do only if there are several.
    pub const fn is_high(self) -> bool {
        self.rank() <= 2 && !matches!(self, Self::QuotedPath | Self::PythonPathDependency)
    }
}

/// A path that a file speaks of, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) path: String,
    pub(super) evidence: Evidence,
    /// 1-based.
    pub(super) line: u32,
}

/// Parts of keys whose values are paths of repositories.
const KEYS: &[&str] = &["path", "root", "repo", "workspace", "dir", "home", "project"];

/// The paths that a file speaks of, each once per line and kind, in order of lines.
pub(super) fn mentions(path: &RepoPath, text: &str) -> Vec<Mention> {
    let mut found = manifests::mentions(path.file_name(), text);
    let is_markdown = [".md", ".markdown", ".mdx", ".light"].iter().any(|end| path.as_str().ends_with(end));
    for (number, line) in text.lines().enumerate() {
        if found.len() >= MAX_MENTIONS {
            break;
        }
        // Most lines have neither.
        if !line.contains('/') {
            continue;
        }
        let number = number as u32 + 1;
        let mut taken = Vec::new();
        if is_markdown {
            taken.extend(links(line).into_iter().map(|path| (path, Evidence::MarkdownLink)));
        }
        taken.extend(find_assigned_path(line).map(|path| (path, Evidence::KeyedAssignment)));
        taken.extend(list_quoted_paths(line).into_iter().map(|path| (path, Evidence::QuotedPath)));
        let mut seen: Vec<&str> = Vec::new();
        for (path, evidence) in taken {
            if path.len() <= MAX_PATH && !seen.contains(&path) {
                seen.push(path);
                found.push(Mention { path: path.to_owned(), evidence, line: number });
            }
        }
    }
    found.truncate(MAX_MENTIONS);
    found
}

/// Targets of links that are absolute paths.
fn links(line: &str) -> Vec<&str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '#']).next());
    targets
        .map(|target| target.strip_prefix("file://").unwrap_or(target))
        .filter(|target| target.starts_with('/'))
        .collect()
}

/// The absolute path that a line assigns to a key which says that it is one.
fn find_assigned_path(line: &str) -> Option<&str> {
    let at = line.find(['=', ':'])?;
    let key = line[..at].trim().trim_matches(['"', '\'']).rsplit([' ', '.', '"']).next()?.to_ascii_lowercase();
    let value = line[at + 1..].trim().trim_start_matches(['"', '\'', '`']);
    let value = value.split(['"', '\'', '`', ',', ' ', ';', '#']).next()?;
    (value.starts_with('/') && KEYS.iter().any(|part| key.contains(part))).then_some(value)
}

/// Absolute paths between quotes.
fn list_quoted_paths(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for quote in ['"', '\'', '`'] {
        let parts = line.split(quote).skip(1).step_by(2);
        found.extend(parts.filter(|part| part.starts_with('/') && !part.contains(' ')));
    }
    found
}

/// Parts of paths that stand for others.
const PLACEHOLDERS: &[&str] = &["/your/", "/path/to/", "/app/", "/repo/", "/workspace/", "..."];
/// Folders of the system.
const SYSTEM: &[&str] =
    &["/usr", "/dev", "/bin", "/sbin", "/System", "/Library", "/opt/homebrew", "/proc", "/sys", "/etc"];

/// Returns whether an absolute path may be one of a repository.
pub(super) fn is_plausible(path: &str) -> bool {
    let names = path.split('/').filter(|name| !name.is_empty()).count();
    let odd = |c: char| {
        matches!(c, '[' | ']' | '{' | '}' | '(' | ')' | '<' | '>' | '\\' | '*' | '$' | '?' | '|' | ':')
            || c.is_control()
    };
    let slashed = format!("{path}/");
    path.starts_with('/')
        && names >= 2
        && !path.contains(odd)
        && !PLACEHOLDERS.iter().any(|part| slashed.contains(part))
        && !SYSTEM.iter().any(|folder| slashed.starts_with(&format!("{folder}/")))
        && ![".sock", ".pid", ".lock"].iter().any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_by_kind() {
        /// Name of a file, its text, and the paths found in it with their evidence.
        type Case<'c> = (&'c str, &'c str, &'c [(&'c str, &'c str)]);
        let rows: &[Case<'_>] = &[
            ("a.md", "See [x](/srv/me/lib/README.md#top).", &[("/srv/me/lib/README.md", "markdown_link")]),
            ("a.env", "REPO_ROOT=/srv/me/lib", &[("/srv/me/lib", "keyed_assignment")]),
            ("a.py", "open('/srv/me/lib/x.py')", &[("/srv/me/lib/x.py", "quoted_path")]),
            ("a.py", "x = 1 / 2", &[]),
            ("Cargo.toml", "[dependencies]\nlib = { path = \"../lib\" }", &[("../lib", "cargo_path_dependency")]),
            ("Cargo.toml", "[workspace]\nmembers = [\n  \"../lib\",\n]", &[("../lib", "cargo_workspace_member")]),
            ("package.json", "{\"workspaces\": [\"../lib\"]}", &[("../lib", "npm_workspace")]),
            ("package.json", "{\"dependencies\": {\n\"lib\": \"file:../lib\"}}", &[("../lib", "npm_file_dependency")]),
            ("pnpm-workspace.yaml", "packages:\n  - '../lib'\n", &[("../lib", "pnpm_workspace")]),
            ("pyproject.toml", "[tool.uv.workspace]\nmembers = [\"../lib\"]", &[("../lib", "uv_workspace_member")]),
            (
                "pyproject.toml",
                "[tool.uv.sources]\nlib = { path = \"../lib\" }",
                &[("../lib", "python_path_dependency")],
            ),
            ("requirements.txt", "-e ../lib\n", &[("../lib", "python_path_dependency")]),
            ("go.work", "use (\n\t../lib\n)", &[("../lib", "go_workspace_use")]),
            ("go.mod", "replace x.y/lib => ../lib", &[("../lib", "go_workspace_use")]),
        ];
        for (name, text, expected) in rows {
            let path = RepoPath::new(name).expect("a valid path");
            let found = mentions(&path, text);
            let found: Vec<(&str, &str)> = found.iter().map(|row| (row.path.as_str(), row.evidence.word())).collect();
            assert_eq!(found, *expected, "{name}: {text}");
        }
    }

    #[test]
    fn placeholders_and_system_paths_are_none() {
        let rows = [
            ("/srv/me/lib", true),
            ("/lib", false),
            ("/usr/lib/x", false),
            ("/path/to/repo", false),
            ("/srv/{me}/x", false),
            ("/srv/me/a.sock", false),
            ("/api/users/:id", false),
            ("home/me", false),
        ];
        for (path, expected) in rows {
            assert_eq!(is_plausible(path), expected, "{path}");
        }
    }
}
