//! Dependencies of Python projects.

use toml::{Table, Value};

/// Packages and their tags.
const PACKAGES: &[(&str, &str)] = &[
    ("fastapi", "fastapi"),
    ("django", "django"),
    ("flask", "flask"),
    ("mcp", "mcp"),
    ("fastmcp", "mcp"),
    ("supabase", "supabase"),
    ("stripe", "stripe"),
];

fn add(name: &str, found: &mut Vec<&'static str>) {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    found.extend(PACKAGES.iter().filter(|(known, _)| *known == name).map(|(_, tag)| *tag));
}

/// The name at the start of `fastapi[all]>=0.100 ; python_version > "3"`.
fn required_name(requirement: &str) -> &str {
    let text = requirement.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    &text[..end]
}

fn add_list(list: Option<&Value>, found: &mut Vec<&'static str>) {
    let names = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.for_each(|requirement| add(required_name(requirement), found));
}

fn add_keys(table: Option<&Value>, found: &mut Vec<&'static str>) {
    table.and_then(Value::as_table).into_iter().flat_map(Table::keys).for_each(|name| add(name, found));
}

pub(super) fn pyproject(text: &str, found: &mut Vec<&'static str>) {
    let Ok(manifest) = text.parse::<Table>() else { return };
    let project = manifest.get("project");
    add_list(project.and_then(|project| project.get("dependencies")), found);
    let extras = project.and_then(|project| project.get("optional-dependencies"));
    let groups = [extras, manifest.get("dependency-groups")];
    for group in groups.into_iter().flatten().filter_map(Value::as_table).flat_map(Table::values) {
        add_list(Some(group), found);
    }
    let poetry = manifest.get("tool").and_then(|tool| tool.get("poetry"));
    add_keys(poetry.and_then(|poetry| poetry.get("dependencies")), found);
    add_keys(poetry.and_then(|poetry| poetry.get("dev-dependencies")), found);
    let groups = poetry.and_then(|poetry| poetry.get("group")).and_then(Value::as_table);
    for group in groups.into_iter().flat_map(Table::values) {
        add_keys(group.get("dependencies"), found);
    }
}

pub(super) fn pipfile(text: &str, found: &mut Vec<&'static str>) {
    let Ok(manifest) = text.parse::<Table>() else { return };
    add_keys(manifest.get("packages"), found);
    add_keys(manifest.get("dev-packages"), found);
}

pub(super) fn requirements(text: &str, found: &mut Vec<&'static str>) {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '-']));
    lines.for_each(|line| add(required_name(line), found));
}

/// The requirements of `[options]` and its extras.
pub(super) fn setup_cfg(text: &str, found: &mut Vec<&'static str>) {
    let (mut section, mut is_list) = ("", false);
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        if let Some(rest) = line.strip_prefix('[') {
            (section, is_list) = (rest.split(']').next().unwrap_or_default().trim(), false);
            continue;
        }
        let is_continued = line.starts_with([' ', '\t']);
        let value = if is_continued {
            line
        } else {
            let Some((key, value)) = line.split_once('=') else { continue };
            let is_required = section == "options" && key.trim() == "install_requires";
            is_list = is_required || section == "options.extras_require";
            value
        };
        if is_list {
            value.split(';').take(1).for_each(|requirement| add(required_name(requirement), found));
        }
    }
}

/// Dependencies of the packages in the project itself: it did not choose the others.
pub(super) fn uv_lock(text: &str, found: &mut Vec<&'static str>) {
    let Ok(lock) = text.parse::<Table>() else { return };
    let packages = lock.get("package").and_then(Value::as_array).into_iter().flatten();
    let is_own = |package: &&Value| {
        let source = package.get("source").and_then(Value::as_table);
        source.is_some_and(|source| source.contains_key("virtual") || source.contains_key("editable"))
    };
    for package in packages.filter(is_own) {
        let named = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
        named.filter_map(|dependency| dependency.get("name")?.as_str()).for_each(|name| add(name, found));
    }
}

/// Names in string literals of a program, such as `install_requires` of a `setup.py`.
pub(super) fn find_quoted(text: &str, found: &mut Vec<&'static str>) {
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let parts: Vec<&str> = line.split(['"', '\'']).collect();
        // Every second part is inside of quotes; a name is followed by nothing or by a version.
        for part in parts.iter().skip(1).step_by(2) {
            let name = required_name(part);
            let rest = part[part.len().min(part.find(name).unwrap_or(0) + name.len())..].trim_start();
            if rest.is_empty() || rest.starts_with(['=', '<', '>', '~', '!', '[', ';']) {
                add(name, found);
            }
        }
    }
}
