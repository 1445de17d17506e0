//! Paths that manifests name: workspace members and dependencies by path. Read line by line, because only lines that
//! leave the folder of the manifest matter.

use super::evidence::{Evidence, Mention};

/// Paths that a manifest names, as written; none for other files.
pub(super) fn mentions(name: &str, text: &str) -> Vec<Mention> {
    let kind: fn(&str, &str) -> Option<Evidence> = match name {
        "Cargo.toml" => cargo,
        "package.json" => npm,
        "pnpm-workspace.yaml" => |_, line| line.trim_start().starts_with('-').then_some(Evidence::PnpmWorkspace),
        "pyproject.toml" => python,
        "go.work" | "go.mod" => |_, _| Some(Evidence::GoWorkspaceUse),
        _ if name.starts_with("requirements") && name.ends_with(".txt") => |_, _| Some(Evidence::PythonPathDependency),
        _ => return Vec::new(),
    };
    let mut section = String::new();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some(header) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
            && !header.contains(['"', ','])
        {
            section = header.trim_matches(['[', ']']).to_owned();
        }
        let key = trimmed.split(['=', ':']).next().unwrap_or("").trim_matches(['"', '{', ' ']);
        if trimmed.contains('[') && !key.is_empty() && !trimmed.starts_with('[') {
            section = format!("{}.{key}", section.split(".members").next().unwrap_or(""));
        }
        for path in paths(trimmed) {
            if let Some(evidence) = kind(&section, trimmed) {
                found.push(Mention { path, evidence, line: number as u32 + 1 });
            }
        }
        if trimmed.contains(']') && section.contains('.') && !trimmed.starts_with('[') {
            let end = section.rfind('.').unwrap_or(section.len());
            section.truncate(end);
        }
    }
    found
}

fn cargo(section: &str, line: &str) -> Option<Evidence> {
    if section.starts_with("workspace") && section.ends_with("members") {
        return Some(Evidence::CargoWorkspaceMember);
    }
    line.contains("path").then_some(Evidence::CargoPathDependency)
}

fn npm(section: &str, line: &str) -> Option<Evidence> {
    if ["file:", "link:", "portal:"].iter().any(|scheme| line.contains(scheme)) {
        return Some(Evidence::NpmFileDependency);
    }
    (section.contains("workspaces") || section.contains("packages")).then_some(Evidence::NpmWorkspace)
}

fn python(section: &str, line: &str) -> Option<Evidence> {
    if section.contains("uv.workspace") {
        return Some(Evidence::UvWorkspaceMember);
    }
    (line.contains("path") || line.contains("file:")).then_some(Evidence::PythonPathDependency)
}

/// Relative paths of a line that lead upwards; of a glob, the folder above it.
fn paths(line: &str) -> Vec<String> {
    let words = line.split(['"', '\'', ' ', '\t', ',', '(', ')', '[', ']', '{', '}', '=', '@']);
    let paths = words.filter_map(|word| {
        let path = ["file://", "file:", "link:", "portal:"].iter().find_map(|scheme| word.strip_prefix(scheme));
        let path = path.unwrap_or(word);
        let path = path.split('*').next().unwrap_or("").trim_end_matches('/');
        (path.starts_with("../") || path == "..").then(|| path.to_owned())
    });
    paths.collect()
}
