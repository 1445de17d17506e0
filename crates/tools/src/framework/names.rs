use std::borrow::Cow;

use m1nd_base::node_id;
use m1nd_engine::Snapshot;
use m1nd_query::resolve::find_choice;
use serde_json::{Map, Value};

use super::definition::ToolDef;
use super::kinds::Effect;
use super::text::short_target;
use super::visible::parse_visible;

/// Arguments of tools that take paths, ids or names of files and symbols, or patterns of them.
pub(crate) const NAME_ARGUMENTS: &[&str] = &[
    "path", "file_path", "files", "scope", "node", "changed_node", "changed", "focus_nodes", "node_id", "node_ids",
    "source", "target", "target_node", "probe_queries", "dotfile_patterns", "filename_pattern", "near", "node_filter",
    "entry_nodes", "scope_filter", "root_nodes", "path_nodes", "anchor_node", "symbol",
];
/// Arguments of single tools that do, while the same argument of others takes a text.
pub(crate) const NAME_ARGUMENTS_OF: &[(&str, &str)] = &[("glob", "pattern")];

/// Names in lists of objects, beside those of [`NAME_ARGUMENTS`].
pub(super) const NESTED_NAMES: &[&str] = &["node_external_id", "supporting_nodes", "contradicting_nodes"];
/// Texts in which ids stand among other words.
const TEXTS: &[&str] = &["claim", "query", "task", "task_description", "intent", "question"];
/// Paths of files that need not exist yet.
const PATHS: &[&str] = &["file_path"];

/// Replaces the names that begin with a repository of a federation by those of the index, at any depth.
fn take_repositories(tool: &str, snapshot: &Snapshot, arguments: &mut Map<String, Value>) {
    let is_repository = |name: &str| snapshot.repositories().any(|known| known == name);
    let mut rest: Vec<(String, &mut Value)> = arguments.iter_mut().map(|(name, value)| (name.clone(), value)).collect();
    while let Some((name, value)) = rest.pop() {
        let key = name.as_str();
        match value {
            Value::String(text) => {
                let is_name = NAME_ARGUMENTS.contains(&key) || NESTED_NAMES.contains(&key);
                let is_name = is_name || NAME_ARGUMENTS_OF.contains(&(tool, key));
                let inner = match is_name {
                    true => snapshot.without_repository(text).or_else(|| new_path(key, text, is_repository)),
                    false if TEXTS.contains(&key) => node_id::without_repositories(text, is_repository),
                    false => None,
                };
                if let Some(inner) = inner {
                    *text = inner;
                }
            }
            Value::Array(items) => rest.extend(items.iter_mut().map(|item| (name.clone(), item))),
            Value::Object(members) => rest.extend(members.iter_mut().map(|(name, value)| (name.clone(), value))),
            _ => {}
        }
    }
}

/// The path of a file that is to be made in a repository.
fn new_path(argument: &str, text: &str, is_repository: impl Fn(&str) -> bool) -> Option<String> {
    let (name, path) = text.split_once(node_id::SEPARATOR)?;
    let is_path = PATHS.contains(&argument) && !path.is_empty() && !path.contains(node_id::SEPARATOR);
    (is_path && is_repository(name)).then(|| format!("{name}/{path}"))
}

/// Replaces paths that are written as other programs write them (`file:` URIs, `./a`, `.\a`, absolute ones below a
/// root) by those of the index, at any depth; for a tool that indexes, URIs by paths of the disk.
pub(super) fn take_paths(tool: &ToolDef, snapshot: &Snapshot, arguments: &mut Map<String, Value>) {
    let indexes = tool.effect == Effect::Graph;
    let mut rest: Vec<(String, &mut Value)> = arguments.iter_mut().map(|(name, value)| (name.clone(), value)).collect();
    while let Some((name, value)) = rest.pop() {
        let key = name.as_str();
        match value {
            Value::String(text) if NAME_ARGUMENTS.contains(&key) || NAME_ARGUMENTS_OF.contains(&(tool.name, key)) => {
                let of_disk = || m1nd_base::uri::file_path(text)?.to_str().map(str::to_owned);
                if let Some(path) = if indexes { of_disk() } else { read_path(snapshot, text) } {
                    *text = path;
                }
            }
            Value::Array(items) => rest.extend(items.iter_mut().map(|item| (name.clone(), item))),
            Value::Object(members) => rest.extend(members.iter_mut().map(|(name, value)| (name.clone(), value))),
            _ => {}
        }
    }
}

/// The path of the index that another spelling of it means, with what follows it (lines, a symbol). `None` if the text
/// is one already, or is not a path.
fn read_path(snapshot: &Snapshot, text: &str) -> Option<String> {
    let trimmed = text.trim();
    if snapshot.files().by_text(trimmed).is_some() {
        return None;
    }
    let file = m1nd_base::uri::file_path(trimmed);
    let path = file.as_deref().map_or(Some(trimmed), std::path::Path::to_str)?;
    let below = |root: &m1nd_engine::RootInfo| {
        let inner = path.strip_prefix(root.path.to_str()?)?.strip_prefix('/')?.trim_end_matches('/');
        (!inner.is_empty()).then(|| format!("{}{inner}", root.prefix))
    };
    if let Some(inner) = snapshot.roots().iter().find_map(below) {
        return Some(inner);
    }
    let slashes = if trimmed.contains('\\') { trimmed.replace('\\', "/") } else { trimmed.to_owned() };
    let plain = slashes.strip_prefix("./").unwrap_or(&slashes);
    let head = plain.split("::").next().unwrap_or(plain).split(':').next().unwrap_or(plain);
    let is_known = || {
        let head = head.trim_end_matches('/');
        snapshot.files().by_text(head).is_some() || snapshot.files().within(head).next().is_some()
    };
    if plain != trimmed && !head.is_empty() && (slashes == trimmed || is_known()) {
        return Some(plain.to_owned());
    }
    file.as_ref().map(|_| path.to_owned())
}

/// Arguments among [`NAME_ARGUMENTS`] that are paths or patterns, or that list all that they may mean.
const NOT_NODES: &[&str] =
    &["path", "file_path", "files", "scope", "dotfile_patterns", "filename_pattern", "scope_filter", "node_filter"];
/// Tools that answer with everything of a name.
const ANSWERS_ALL: &[&str] = &["definition"];
/// Other nodes of a name that are listed.
const MAX_OTHERS: usize = 3;

/// Says what was taken for each name that could mean several nodes.
pub(super) fn list_taken(tool: &str, snapshot: &Snapshot, arguments: &Map<String, Value>) -> Vec<String> {
    let is_node = |name: &str| NAME_ARGUMENTS.contains(&name) && !NOT_NODES.contains(&name);
    let mut said = Vec::new();
    for (_, value) in arguments.iter().filter(|(name, _)| is_node(name) && !ANSWERS_ALL.contains(&tool)) {
        for text in std::slice::from_ref(value).iter().chain(value.as_array().into_iter().flatten()) {
            let Some(text) = text.as_str() else { continue };
            let Some((node, others)) = find_choice(snapshot, text) else { continue };
            let graph = snapshot.graph();
            let listed: Vec<String> =
                others.iter().take(MAX_OTHERS).map(|&other| short_target(graph.id(other))).collect();
            let more = others.len().saturating_sub(MAX_OTHERS);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            said.push(format!("`{text}` is {}; not {}{more}", short_target(graph.id(node)), listed.join(", ")));
        }
    }
    said
}

/// Replaces names in the arguments of a tool that are spelled as answers show them, with escapes in place of hidden
/// characters, by the names themselves.
pub(super) fn take_from_answers(tool: &str, snapshot: &Snapshot, arguments: &mut Map<String, Value>) {
    if snapshot.repositories().next().is_some() {
        take_repositories(tool, snapshot, arguments);
    }
    for (argument, value) in arguments.iter_mut() {
        if !NAME_ARGUMENTS.contains(&argument.as_str()) && !NAME_ARGUMENTS_OF.contains(&(tool, argument)) {
            continue;
        }
        let texts = match value {
            Value::Array(items) => items.as_mut_slice(),
            value => std::slice::from_mut(value),
        };
        for text in texts {
            if let Value::String(text) = text
                && let Cow::Owned(name) = parse_visible(text)
                && !is_literal(snapshot, text, &name)
            {
                *text = name;
            }
        }
    }
}

/// Writes the ids in an answer about a federation with the repository in front.
pub(super) fn show_repositories<'v>(snapshot: &Snapshot, values: impl Iterator<Item = &'v mut Value>) {
    if snapshot.repositories().next().is_none() {
        return;
    }
    replace_texts(values, &|text| snapshot.with_repositories(text));
}

/// Replaces the texts in these values for which there is another.
pub(super) fn replace_texts<'v>(values: impl Iterator<Item = &'v mut Value>, other: &dyn Fn(&str) -> Option<String>) {
    let mut rest: Vec<&mut Value> = values.collect();
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => {
                if let Some(other) = other(text) {
                    *text = other;
                }
            }
            Value::Array(items) => rest.extend(items.iter_mut()),
            Value::Object(members) => rest.extend(members.values_mut()),
            _ => {}
        }
    }
}

/// Returns whether a text with escapes is itself a name, as people type it, rather than what answers show for `name`.
fn is_literal(snapshot: &Snapshot, text: &str, name: &str) -> bool {
    if is_known(snapshot, name) {
        return false;
    }
    is_known(snapshot, text) || snapshot.nodes_named(name).is_empty() && !snapshot.nodes_named(text).is_empty()
}

/// Returns whether a text is the path of a file or folder or the id of a node.
pub(super) fn is_known(snapshot: &Snapshot, text: &str) -> bool {
    snapshot.graph().find(text).is_some()
        || snapshot.files().by_text(text).is_some()
        || snapshot.files().within(text.trim_end_matches('/')).next().is_some()
}

/// Names under which clients know this server.
const SERVER_NAMES: &[&str] = &["m1nd", "mind"];

/// The bare snake-case name behind any form in use: `m1nd.activate`, `m1nd_activate`, `perspective.start`,
/// `mcp__m1nd__activate`, `mcp__mind__mind_search`. Apply it once to every name before it is looked up, logged or
/// checked.
pub fn canonical_name(name: &str) -> String {
    let name = name.trim();
    let bare = match name.rfind("__") {
        Some(at) if SERVER_NAMES.iter().any(|server| name[..at].contains(server)) => &name[at + 2..],
        _ => name,
    };
    let bare = bare.strip_prefix("m1nd.").or_else(|| bare.strip_prefix("m1nd_")).unwrap_or(bare);
    bare.replace(['.', '-'], "_")
}

/// Levenshtein distance in characters: the minimum insertions, deletions and replacements that turn `a` into `b`.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_form_reaches_the_bare_name() {
        for alias in ["seek", " seek ", "m1nd.seek", "m1nd_seek", "mcp__m1nd__seek", "mcp__m1nd-mcp__m1nd.seek"] {
            assert_eq!(canonical_name(alias), "seek", "{alias:?}");
        }
        for alias in
            ["perspective.start", "m1nd.perspective.start", "mcp__m1nd__perspective_start", "perspective-start"]
        {
            assert_eq!(canonical_name(alias), "perspective_start", "{alias:?}");
        }
        assert_eq!(canonical_name("mcp__other__seek"), "mcp__other__seek", "another server's tool is not ours");
        assert_eq!(canonical_name(""), "");
    }

    #[test]
    fn every_argument_is_known_to_be_a_name_or_not() {
        // None of these is a path or an id: escapes in them are part of what the caller looks for.
        const TEXTS: &[&str] = &[
            "agent_id", "antibody_id", "antibody_ids", "available_tools", "missing_tools", "observed_proof_state",
            "observed_tool", "trust_mode", "baseline", "branch_name", "claim", "current_repo_name", "code", "commit",
            "name", "since", "cursor", "depth", "description", "diff", "dimensions", "error_text", "filter_agent_id",
            "filter_tags", "expected_hash", "idempotency_key", "intent", "label", "language", "lock_patterns",
            "read_only_patterns", "lock_id", "namespace", "new_content", "new_name", "node_types", "open_questions",
            "pattern", "perspective_id", "perspective_id_a", "perspective_id_b", "action", "key", "repo", "repos",
            "roots", "formats", "preview_id", "query", "source_refs", "tags", "task", "value", "question",
            "recent_tools", "order", "remove", "roles", "route_id", "since", "snapshot_a", "snapshot_b", "stack",
            "stack_tags", "summary", "tags", "task_description", "title", "to", "tool", "tool_name", "window", "trail",
            "trail_id", "trail_ids", "workaround", "write",
        ];
        let mut unclear = std::collections::BTreeSet::new();
        for tool in crate::ALL {
            let schema = tool.schema();
            for (name, of) in schema["properties"].as_object().expect("an object") {
                let takes_text = [&of["type"], &of["items"]["type"]].into_iter().any(|kind| kind == "string");
                if takes_text && of["enum"].is_null() && of["items"]["enum"].is_null() {
                    let is_name = NAME_ARGUMENTS.contains(&name.as_str());
                    if is_name == TEXTS.contains(&name.as_str()) {
                        unclear.insert(format!("`{name}` of `{}`", tool.name));
                    }
                }
            }
        }
        assert!(unclear.is_empty(), "{unclear:?}");
    }

    #[test]
    fn distances() {
        for (a, b, distance) in [("", "", 0), ("seek", "", 4), ("saek", "seek", 1), ("impcat", "impact", 2)] {
            assert_eq!(edit_distance(a, b), distance, "{a} {b}");
            assert_eq!(edit_distance(b, a), distance, "{b} {a}");
        }
    }
}
