//! What a repository offers to others and asks of them, by its texts: packages, protobuf services, MCP tools, paths of
//! OpenAPI descriptions, and routes.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::RepoPath;

use super::evidence::Evidence;

/// Places kept of one name.
const MAX_PLACES: usize = 5;
/// Longest line that is looked at, in bytes.
const MAX_LINE: usize = 2_000;
/// Names of folders of Python that are packages of nobody else.
const NO_PACKAGES: &[&str] = &["tests", "test", "docs", "doc", "examples", "example", "scripts", "benchmarks"];

/// A name with the places where it is, as path and line.
type Names = BTreeMap<String, Vec<(RepoPath, u32)>>;

/// What is said in the texts of a repository.
#[derive(Debug, Clone, Default)]
pub(super) struct Profile {
    /// Names under which its code is imported.
    packages: Names,
    /// Protobuf services that it defines, with their package, and names that code of a user of one has.
    services: Names,
    clients: Names,
    /// MCP tools that it has, and that it calls.
    tools: Names,
    tool_calls: Names,
    /// Paths of OpenAPI descriptions.
    described: Names,
    /// Routes in quotes.
    routes: Names,
}

/// Something that two repositories share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) evidence: Evidence,
    /// Where it is in this repository.
    pub(super) here: Vec<(RepoPath, u32)>,
    /// Where it is in the other one, as `path:line`.
    pub(super) there: Option<String>,
}

impl Profile {
    /// Adds what a file says.
    pub(super) fn add(&mut self, path: &RepoPath, text: &str) {
        self.add_package(path, text);
        let name = path.file_name();
        if name.ends_with(".proto") {
            self.add_services(path, text);
            return;
        }
        let is_description = (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json"))
            && text.lines().take(20).any(|line| is_openapi(line.trim_start().trim_start_matches(['{', '"'])));
        let is_prose = [".md", ".mdx", ".rst", ".txt", ".lock", ".svg", ".html"].iter().any(|end| name.ends_with(end));
        if is_prose {
            return;
        }
        let speaks_mcp = text.contains("mcp") || text.contains("MCP");
        let mut is_tool = false;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.len() <= MAX_LINE) {
            let place = (path.clone(), number as u32 + 1);
            if is_description {
                if let Some(path) = parse_described_path(line) {
                    note(&mut self.described, path, &place);
                }
                continue;
            }
            list_quoted(line).filter_map(route).for_each(|route| note(&mut self.routes, route, &place));
            client_names(line).for_each(|name| note(&mut self.clients, name.to_owned(), &place));
            if speaks_mcp {
                self.add_tools(line, &mut is_tool, &place);
            }
        }
    }

    fn add_package(&mut self, path: &RepoPath, text: &str) {
        let line_of = |needle: &str| text.lines().position(|line| line.contains(needle)).map_or(1, |at| at as u32 + 1);
        let name = match path.file_name() {
            "package.json" => serde_json::from_str::<serde_json::Value>(text)
                .ok()
                .and_then(|manifest| Some(manifest.get("name")?.as_str()?.to_owned())),
            "Cargo.toml" => table_name(text, "package").map(|name| name.replace('-', "_")),
            "pyproject.toml" => table_name(text, "project").map(|name| name.replace('-', "_").to_lowercase()),
            "go.mod" => text.lines().find_map(|line| Some(line.strip_prefix("module ")?.trim().to_owned())),
            "__init__.py" => python_package(path),
            _ => path.as_str().ends_with(".java").then(|| java_package(text)).flatten(),
        };
        if let Some(name) = name.filter(|name| name.len() > 2) {
            let place = (path.clone(), line_of(&name));
            note(&mut self.packages, name, &place);
        }
    }

    fn add_services(&mut self, path: &RepoPath, text: &str) {
        let first = |line: &str, word: &str| -> Option<String> {
            let rest = line.trim_start().strip_prefix(word)?.strip_prefix(' ')?;
            let name: String =
                rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect();
            (!name.is_empty()).then_some(name)
        };
        let package = text.lines().find_map(|line| first(line, "package")).unwrap_or_default();
        for (number, line) in text.lines().enumerate() {
            if let Some(name) = first(line, "service") {
                note(&mut self.services, format!("{package}.{name}"), &(path.clone(), number as u32 + 1));
            }
        }
    }

    /// `is_tool`: the line before registered a function as a tool.
    fn add_tools(&mut self, line: &str, is_tool: &mut bool, place: &(RepoPath, u32)) {
        let trimmed = line.trim_start();
        if *is_tool && let Some(rest) = trimmed.strip_prefix("async def ").or_else(|| trimmed.strip_prefix("def ")) {
            note(&mut self.tools, rest.split('(').next().unwrap_or(rest).to_owned(), place);
        }
        *is_tool = trimmed.starts_with('@') && trimmed.contains(".tool") || *is_tool && trimmed.starts_with('@');
        let first_text = |rest: &str| list_quoted(rest).next().filter(|name| is_name(name)).map(str::to_owned);
        for call in [".tool(", ".registerTool(", "types.Tool(", "mcp.NewTool("] {
            if let Some(name) = line.split(call).nth(1).and_then(first_text) {
                note(&mut self.tools, name, place);
            }
        }
        for call in ["callTool(", "call_tool(", "CallTool("] {
            if let Some(name) = line.split(call).nth(1).and_then(first_text) {
                note(&mut self.tool_calls, name, place);
            }
        }
    }

    /// What this repository and another one share, strongest first. `imports`: outside packages that this one uses,
    /// with where.
    pub(super) fn list_shared(&self, other: &Self, imports: &Names) -> Vec<Match> {
        let mut found = Vec::new();
        let mut add = |evidence, here: &Names, there: &Names| found.extend(common(evidence, here, there));
        let imported: Names = imports
            .iter()
            .filter_map(|(name, places)| Some((other.package_of(name)?.to_owned(), places.clone())))
            .collect();
        add(Evidence::ImportIdentityMatch, &imported, &other.packages);
        add(Evidence::ProtoContractMatch, &self.services, &other.services);
        add(Evidence::ProtoContractMatch, &self.clients, &clients_of(&other.services));
        add(Evidence::ProtoContractMatch, &clients_of(&self.services), &other.clients);
        add(Evidence::McpToolContractMatch, &self.tool_calls, &other.tools);
        add(Evidence::McpToolContractMatch, &self.tools, &other.tool_calls);
        add(Evidence::OpenapiContractMatch, &self.routes, &other.described);
        add(Evidence::OpenapiContractMatch, &self.described, &other.routes);
        let api = |routes: &Names| -> Names {
            routes
                .iter()
                .filter(|(route, _)| route.starts_with("/api/"))
                .map(|(route, at)| (route.clone(), at.clone()))
                .collect()
        };
        add(Evidence::ApiRouteMatch, &api(&self.routes), &api(&other.routes));
        found
    }

    /// Number of routes that both have.
    pub(super) fn shared_routes(&self, other: &Self) -> usize {
        let api = |routes: &Names| -> BTreeSet<String> {
            routes.keys().filter(|route| route.starts_with("/api/")).cloned().collect()
        };
        api(&self.routes).intersection(&api(&other.routes)).count()
    }

    /// The package that an import with this name is of: the same name, or, for paths of Go, the module above.
    fn package_of(&self, import: &str) -> Option<&str> {
        let plain = import.replace('-', "_").to_lowercase();
        let is_same = |name: &&String| **name == import || **name == plain || is_below(import, name);
        self.packages.keys().find(is_same).map(String::as_str)
    }
}

fn is_below(import: &str, module: &str) -> bool {
    module.contains('/') && import.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'))
}

fn common(evidence: Evidence, here: &Names, there: &Names) -> Vec<Match> {
    let both = here.iter().filter_map(|(name, places)| Some((places, there.get(name)?)));
    both.map(|(places, others)| Match {
        evidence,
        here: places.clone(),
        there: others.first().map(|(path, line)| format!("{path}:{line}")),
    })
    .collect()
}

fn note(names: &mut Names, name: String, place: &(RepoPath, u32)) {
    let places = names.entry(name).or_default();
    if places.len() < MAX_PLACES {
        places.push(place.clone());
    }
}

fn table_name(text: &str, table: &str) -> Option<String> {
    let parsed: toml::Table = text.parse().ok()?;
    Some(parsed.get(table)?.as_table()?.get("name")?.as_str()?.to_owned())
}

/// The package of a file at the top of the project, or of its `src`.
fn python_package(path: &RepoPath) -> Option<String> {
    let folder = path.as_str().strip_suffix("/__init__.py")?;
    let name = folder.strip_prefix("src/").unwrap_or(folder);
    (!name.contains('/') && !NO_PACKAGES.contains(&name)).then(|| name.to_owned())
}

fn java_package(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("package "))?;
    let name = line.trim().trim_end_matches(';').trim();
    name.contains('.').then(|| name.to_owned())
}

fn is_openapi(line: &str) -> bool {
    ["openapi", "swagger"].iter().any(|word| {
        line.strip_prefix(word).is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(':'))
    })
}

/// The path that a line of an OpenAPI description is the key of.
fn parse_described_path(line: &str) -> Option<String> {
    let key = line.trim().trim_end_matches('{').trim_end().strip_suffix(':')?;
    route(key.trim_matches(['"', '\'']))
}

/// Texts between quotes.
fn list_quoted(line: &str) -> impl Iterator<Item = &str> {
    ['"', '\'', '`'].into_iter().flat_map(|quote| line.split(quote).skip(1).step_by(2))
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 100
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A route with `_` for what is filled in; `None` for texts that are none, or say too little.
fn route(text: &str) -> Option<String> {
    let text = match text.split_once("://") {
        Some((_, rest)) => &rest[rest.find('/')?..],
        None => text,
    };
    let text = text.split(['?', '#']).next().unwrap_or(text).trim_end_matches('/');
    let is_filled = |part: &str| part.starts_with([':', '{', '<', '$']) || part.contains("${") || part.contains('{');
    let is_plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let parts: Vec<&str> = text.strip_prefix('/')?.split('/').collect();
    if parts.iter().any(|part| part.is_empty() || !is_filled(part) && !is_plain(part)) {
        return None;
    }
    let named = parts.iter().filter(|part| !is_filled(part) && part.len() > 2).count();
    let last = parts.last()?;
    // Paths of files end in an extension.
    let is_file = !is_filled(last) && last.contains('.');
    (named >= 2 && !is_file)
        .then(|| parts.iter().fold(String::new(), |route, part| route + "/" + if is_filled(part) { "_" } else { part }))
}

/// Endings of the names that generators give to clients of a protobuf service.
const CLIENT_ENDINGS: &[&str] = &["Stub", "Client", "Grpc", "BlockingStub"];

/// Names in a line that may be those of generated clients.
fn client_names(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.len() > 6 && CLIENT_ENDINGS.iter().any(|end| word.ends_with(end)))
}

/// The names of generated clients of these services, with the places of the services.
fn clients_of(services: &Names) -> Names {
    let mut found = Names::new();
    for (name, places) in services {
        let service = name.rsplit('.').next().unwrap_or(name);
        for name in CLIENT_ENDINGS.iter().flat_map(|end| [format!("{service}{end}"), format!("New{service}{end}")]) {
            found.insert(name, places.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(files: &[(&str, &str)]) -> Profile {
        let mut profile = Profile::default();
        for (path, text) in files {
            profile.add(&RepoPath::new(path).expect("a path"), text);
        }
        profile
    }

    #[test]
    fn routes_are_told_from_other_texts() {
        let rows = [
            ("/api/users/:id", Some("/api/users/_")),
            ("/api/users/{id}/", Some("/api/users/_")),
            ("/api/users/<int:id>", Some("/api/users/_")),
            ("http://host:80/api/users/${id}?a=1", Some("/api/users/_")),
            ("/api", None),
            ("/static/app.css", None),
            ("a/b", None),
            ("/tmp/some thing", None),
        ];
        for (text, expected) in rows {
            assert_eq!(route(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_two_repositories_share_is_found_by_kind() {
        /// Evidence, a file here, a file there, and a package used here.
        type Case<'c> = (Evidence, (&'c str, &'c str), (&'c str, &'c str), &'c str);
        let rows: &[Case<'_>] = &[
            (
                Evidence::ImportIdentityMatch,
                ("a.py", ""),
                ("pyproject.toml", "[project]\nname = \"Tool-Kit\""),
                "tool_kit",
            ),
            (Evidence::ImportIdentityMatch, ("a.py", ""), ("src/toolkit/__init__.py", ""), "toolkit"),
            (Evidence::ImportIdentityMatch, ("a.ts", ""), ("package.json", "{\"name\": \"@x/kit\"}"), "@x/kit"),
            (Evidence::ImportIdentityMatch, ("a.rs", ""), ("Cargo.toml", "[package]\nname = \"tool-kit\""), "tool_kit"),
            (Evidence::ImportIdentityMatch, ("a.go", ""), ("go.mod", "module x.org/kit\n"), "x.org/kit/core"),
            (Evidence::ImportIdentityMatch, ("A.java", ""), ("src/K.java", "package org.kit;\n"), "org.kit"),
            (
                Evidence::ProtoContractMatch,
                ("a.py", "stub = CartServiceStub(channel)"),
                ("p/cart.proto", "package shop;\nservice CartService {"),
                "",
            ),
            (
                Evidence::McpToolContractMatch,
                ("a.ts", "// mcp\nclient.callTool({ name: \"find_user\" })"),
                ("s.py", "from mcp import x\n@server.tool()\nasync def find_user(name):"),
                "",
            ),
            (
                Evidence::OpenapiContractMatch,
                ("a.ts", "fetch(`/users/list/${id}`)"),
                ("api.yaml", "openapi: 3.0.0\npaths:\n  /users/list/{id}:\n    get:"),
                "",
            ),
            (Evidence::ApiRouteMatch, ("a.ts", "fetch('/api/users/1')"), ("s.py", "@app.get('/api/users/1')"), ""),
        ];
        for (evidence, here, there, import) in rows {
            let (here, there) = (profile(&[*here]), profile(&[*there]));
            let place = (RepoPath::new("a.py").expect("a path"), 1);
            let imports: Names = [import]
                .into_iter()
                .filter(|name| !name.is_empty())
                .map(|name| (name.to_string(), vec![place.clone()]))
                .collect();
            let found = here.list_shared(&there, &imports);
            assert_eq!(found.iter().map(|found| found.evidence).collect::<Vec<_>>(), [*evidence], "{here:?} {there:?}");
            assert!(there.list_shared(&Profile::default(), &imports).is_empty());
        }
    }
}
