//! Stack detection: tags from a project's manifests, and from its memory file.

mod gradle;
mod javascript;
mod python;
mod runtime;
mod tags;

use crate::edges::canonical_tag;

/// Folders below the project's root that are looked into.
pub const MAX_DEPTH: usize = 3;
/// Larger manifests count by their name only, in bytes.
const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// A file that indicates the stack.
#[derive(Clone, Copy, Debug)]
pub struct Manifest<'a> {
    /// Relative to the project, with `/`.
    pub path: &'a str,
    /// Its text; empty if the name is sufficient.
    pub text: &'a str,
}

/// The part of a file that indicates the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Its name.
    Name,
    /// Its text.
    Text,
    /// A script of a framework that may say where it runs: only wanted until one does.
    Script,
}

/// Files that indicate the stack but are excluded from listings: they are requested by name, in the folders that
/// contain a manifest. Their text is needed if [`stack_evidence`] says so.
pub const UNLISTED: &[&str] = &["uv.lock", "poetry.lock", "pdm.lock", "bun.lock", "bun.lockb"];

/// Hidden files that indicate the stack.
pub const HIDDEN: &[&str] = &[".github/workflows/*"];

/// Returns whether a file is evidence of a stack, and whether its text is wanted. Files deeper than [`MAX_DEPTH`]
/// folders are not, but for scripts that say where they run.
#[must_use]
pub fn stack_evidence(path: &str) -> Option<Evidence> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if runtime::is_told_by(path) {
        return Some(Evidence::Script);
    }
    if depth(path) > MAX_DEPTH {
        return None;
    }
    if wants_text(name) || is_middleware(path) {
        return Some(Evidence::Text);
    }
    let mut found = Vec::new();
    by_name(path, &mut found);
    (!found.is_empty()).then_some(Evidence::Name)
}

/// The tags of a project: those of its manifests in the fixed order of the table, then the stated ones that are not
/// among them, in their order. Each tag once.
#[must_use]
pub fn detect_stack(manifests: &[Manifest<'_>], stated: &[Box<str>]) -> Vec<Box<str>> {
    let mut found: Vec<&'static str> = Vec::new();
    let is_near = |path: &str| depth(path) <= MAX_DEPTH || runtime::is_told_by(path);
    let shallow = || manifests.iter().filter(|manifest| is_near(manifest.path));
    for manifest in shallow() {
        by_name(manifest.path, &mut found);
        if manifest.text.len() <= MAX_MANIFEST_BYTES {
            by_text(manifest, &mut found);
        }
    }
    // A middleware file is one of the framework's only where that framework is used.
    if found.contains(&"nextjs") && shallow().any(|manifest| is_middleware(manifest.path)) {
        found.extend(["edge", "middleware"]);
    }
    let mut tags: Vec<Box<str>> =
        tags::ORDER.iter().filter(|tag| found.contains(tag)).map(|tag| Box::from(*tag)).collect();
    for stated in stated {
        // `Postgres (Neon)` is Postgres.
        let tag = canonical_tag(stated.split('(').next().unwrap_or(stated));
        if !tag.is_empty() && !tags.iter().any(|known| **known == *tag) {
            tags.push(tag.into());
        }
    }
    tags
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}

fn is_middleware(path: &str) -> bool {
    matches!(path, "middleware.ts" | "middleware.js" | "src/middleware.ts" | "src/middleware.js")
}

fn wants_text(name: &str) -> bool {
    matches!(
        name,
        "package.json"
            | "pyproject.toml"
            | "Cargo.toml"
            | "Pipfile"
            | "setup.py"
            | "setup.cfg"
            | "uv.lock"
            | "build.gradle"
            | "build.gradle.kts"
            | "Gemfile"
            | "composer.json"
            | "mix.exs"
    ) || is_requirements(name)
}

fn is_requirements(name: &str) -> bool {
    name.starts_with("requirements") && name.ends_with(".txt")
}

/// File names that indicate the stack.
const NAMES: &[(&str, &str)] = &[
    ("Cargo.toml", "rust"),
    ("go.mod", "go"),
    ("pyproject.toml", "python"),
    ("setup.py", "python"),
    ("setup.cfg", "python"),
    ("Pipfile", "python"),
    ("uv.lock", "python"),
    ("poetry.lock", "python"),
    ("pdm.lock", "python"),
    ("tsconfig.json", "typescript"),
    ("deno.json", "deno"),
    ("deno.jsonc", "deno"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("vercel.json", "vercel"),
    ("docker-compose.yml", "docker"),
    ("docker-compose.yaml", "docker"),
    ("compose.yml", "docker"),
    ("compose.yaml", "docker"),
    ("Dockerfile", "docker"),
    ("wrangler.toml", "cloudflare"),
    ("wrangler.json", "cloudflare"),
    ("wrangler.jsonc", "cloudflare"),
    ("netlify.toml", "netlify"),
    ("fly.toml", "fly"),
    ("Chart.yaml", "helm"),
    ("pom.xml", "java"),
    ("Gemfile", "ruby"),
    ("composer.json", "php"),
    ("mix.exs", "elixir"),
    ("Package.swift", "swift"),
    ("pubspec.yaml", "flutter"),
];

fn by_name(path: &str, found: &mut Vec<&'static str>) {
    let name = path.rsplit('/').next().unwrap_or(path);
    found.extend(NAMES.iter().filter(|(known, _)| *known == name).map(|(_, tag)| *tag));
    if is_requirements(name) {
        found.push("python");
    }
    if name.ends_with(".csproj") || name.ends_with(".fsproj") {
        found.push("dotnet");
    }
    if name.ends_with(".tf") {
        found.push("terraform");
    }
    if name.starts_with("Dockerfile.") {
        found.push("docker");
    }
    if path.starts_with("supabase/") || path.contains("/supabase/") {
        found.push("supabase");
    }
    if path.starts_with(".github/workflows/") {
        found.push("github-actions");
    }
}

fn by_text(manifest: &Manifest<'_>, found: &mut Vec<&'static str>) {
    let name = manifest.path.rsplit('/').next().unwrap_or(manifest.path);
    let text = manifest.text;
    match name {
        "package.json" => javascript::package(text, found),
        "Cargo.toml" => cargo(text, found),
        "pyproject.toml" => python::pyproject(text, found),
        "Pipfile" => python::pipfile(text, found),
        "setup.py" => python::find_quoted(text, found),
        "setup.cfg" => python::setup_cfg(text, found),
        "uv.lock" => python::uv_lock(text, found),
        "build.gradle" | "build.gradle.kts" => gradle::languages(name, text, found),
        "composer.json" if has_key(text, &["require", "require-dev"], "laravel/framework") => found.push("laravel"),
        "Gemfile" if calls_with(text, "gem", "rails") => found.push("rails"),
        "mix.exs" if text.lines().any(|line| code_of(line, "#").contains("{:phoenix,")) => found.push("phoenix"),
        _ if is_requirements(name) => python::requirements(text, found),
        _ if (runtime::is_told_by(manifest.path) || is_middleware(manifest.path)) && runtime::is_edge(text) => {
            found.push("edge");
        }
        _ => {}
    }
}

/// A line of Ruby or Elixir without its comment.
fn code_of<'l>(line: &'l str, comment: &str) -> &'l str {
    line.split(comment).next().unwrap_or(line)
}

fn calls_with(text: &str, function: &str, argument: &str) -> bool {
    text.lines().any(|line| {
        let Some(rest) = code_of(line, "#").trim().strip_prefix(function) else { return false };
        let rest = rest.trim_start_matches([' ', '(']);
        ['"', '\''].iter().any(|quote| {
            rest.strip_prefix(*quote)
                .and_then(|rest| rest.strip_prefix(argument))
                .is_some_and(|rest| rest.starts_with(*quote))
        })
    })
}

fn has_key(text: &str, tables: &[&str], key: &str) -> bool {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return false };
    tables.iter().any(|table| value.get(table).and_then(|table| table.get(key)).is_some())
}

/// Crates and their tags.
const CRATES: &[(&str, &str)] = &[
    ("tokio", "tokio"),
    ("axum", "axum"),
    ("actix-web", "actix-web"),
    ("sqlx", "sqlx"),
    ("tauri", "tauri"),
    ("leptos", "leptos"),
    ("bevy", "bevy"),
    ("wasm-bindgen", "wasm"),
    ("rmcp", "mcp"),
    ("rusqlite", "sqlite"),
];

fn cargo(text: &str, found: &mut Vec<&'static str>) {
    let Ok(manifest) = text.parse::<toml::Table>() else { return };
    let mut tables = vec![manifest.get("dependencies")];
    tables.push(manifest.get("workspace").and_then(|workspace| workspace.get("dependencies")));
    if let Some(targets) = manifest.get("target").and_then(toml::Value::as_table) {
        tables.extend(targets.values().map(|target| target.get("dependencies")));
    }
    for (name, dependency) in tables.into_iter().flatten().filter_map(toml::Value::as_table).flatten() {
        // `web = { package = "axum" }` is axum.
        let package = dependency.get("package").and_then(toml::Value::as_str).unwrap_or(name);
        found.extend(CRATES.iter().filter(|(known, _)| *known == package).map(|(_, tag)| *tag));
    }
}

#[cfg(test)]
mod tests;
