//! The argument `repo`: which repository of a federation the names of a call belong to.

use m1nd_base::node_id;
use m1nd_engine::Snapshot;
use serde_json::{Map, Value};

use super::error::{ErrorCode, ToolError};
use super::names::{NAME_ARGUMENTS, NAME_ARGUMENTS_OF, NESTED_NAMES, is_known};

/// Its name.
pub(super) const REPOSITORY: &str = "repo";
/// Arguments that limit a call to a folder. The first that a tool has is the repository if the caller names neither it
/// nor a node: a node of one repository may be used in all.
const FOLDERS: &[&str] = &["scope", "scope_filter", "node_filter"];
/// Arguments with the path of a file or folder, which need not exist yet.
const PATHS: &[&str] = &["file_path", "path", "files", "scope", "scope_filter"];
/// Arguments with globs, which count from the top of the index if they have a slash.
const GLOBS: &[&str] = &["filename_pattern"];
/// Names that belong to no repository: of hidden files to index, and texts that may be ids.
const OTHERS: &[&str] = &["dotfile_patterns", "probe_queries"];

/// Returns whether a tool with these arguments takes `repo`: if one of them is a name of code.
pub(super) fn takes_repository(tool: &str, properties: &Map<String, Value>) -> bool {
    properties.iter().any(|(name, of)| is_name(tool, name) && !of["enum"].is_array() && !OTHERS.contains(&&**name))
}

/// Takes `repo` out of the arguments of a tool and puts the repository in front of every name among them that has none,
/// or makes it the folder that the call is limited to. A name with a repository in front stays as it is.
///
/// # Errors
/// [`ErrorCode::InvalidParams`] for what is no repository of the index, and [`ErrorCode::NodeNotFound`] for a symbol
/// that only other repositories have.
pub(super) fn take_repository(
    tool: &str,
    schema: &Value,
    snapshot: &Snapshot,
    arguments: &mut Map<String, Value>,
) -> Result<(), ToolError> {
    let Some(Value::String(given)) = arguments.remove(REPOSITORY) else { return Ok(()) };
    let given = given.trim().trim_end_matches(node_id::SEPARATOR).trim_end_matches('/');
    let Some(name) = snapshot.repositories().find(|known| *known == given) else {
        return Err(report_unknown(snapshot, given));
    };
    let folder = FOLDERS.iter().find(|folder| {
        let property = &schema["properties"][**folder];
        property.is_object() && !property["enum"].is_array()
    });
    let mut given = arguments.keys().map(String::as_str);
    let names_node = given.any(|key| is_name(tool, key) && ![FOLDERS, PATHS, GLOBS, OTHERS].concat().contains(&key));
    let mut rest: Vec<(String, &mut Value)> = arguments.iter_mut().map(|(key, value)| (key.clone(), value)).collect();
    while let Some((key, value)) = rest.pop() {
        match value {
            Value::String(text) if !schema["properties"][&key]["enum"].is_array() && is_name(tool, &key) => {
                if let Some(inner) = of_repository(tool, snapshot, name, &key, text.trim())? {
                    *text = inner;
                }
            }
            Value::Array(items) => rest.extend(items.iter_mut().map(|item| (key.clone(), item))),
            Value::Object(members) => rest.extend(members.iter_mut().map(|(key, value)| (key.clone(), value))),
            _ => {}
        }
    }
    if let Some(folder) = folder.filter(|_| !names_node) {
        arguments.entry(*folder).or_insert_with(|| name.into());
    }
    Ok(())
}

fn is_name(tool: &str, argument: &str) -> bool {
    NAME_ARGUMENTS.contains(&argument)
        || NESTED_NAMES.contains(&argument)
        || NAME_ARGUMENTS_OF.contains(&(tool, argument))
}

/// The name in the index that stands for `text` in a repository; `None` if that is the text itself.
fn of_repository(
    tool: &str,
    snapshot: &Snapshot,
    name: &str,
    argument: &str,
    text: &str,
) -> Result<Option<String>, ToolError> {
    // What names a repository already, or nothing in it, stays.
    let has_repository = || {
        let front = text.split_once(node_id::SEPARATOR).map(|(front, _)| front);
        let is_repository = |front: &str| snapshot.repositories().any(|known| known == front);
        front.is_some_and(is_repository) || text == name || text.starts_with(&format!("{name}/"))
    };
    if text.is_empty() || text.starts_with('/') || OTHERS.contains(&argument) || has_repository() {
        return Ok(None);
    }
    // Ids and paths get the repository in front.
    if let Some(path) = node_id::path_of_file(text) {
        let is_there = snapshot.graph().find(text).is_some();
        return Ok((!is_there).then(|| node_id::file(format!("{name}/{path}"))));
    }
    let inner = format!("{name}/{text}");
    if GLOBS.contains(&argument) || NAME_ARGUMENTS_OF.contains(&(tool, argument)) {
        return Ok(text.contains('/').then_some(inner));
    }
    if PATHS.contains(&argument) || is_known(snapshot, &inner) {
        return Ok(Some(inner));
    }
    // A name may mean nodes of several repositories: only those of this one count.
    let graph = snapshot.graph();
    let own = |text: &str| {
        let nodes = snapshot.nodes_named(text).into_iter();
        nodes.partition::<Vec<_>, _>(|&node| snapshot.repository_of(graph.path(node)) == Some(name))
    };
    if !own(&inner).0.is_empty() {
        return Ok(Some(inner));
    }
    let (nodes, others) = own(text);
    if let [node] = nodes.as_slice() {
        return Ok(Some(graph.id(*node).to_owned()));
    }
    if nodes.is_empty() && !others.is_empty() {
        return Err(elsewhere(name, argument, text));
    }
    Ok(None)
}

/// The error about a name that only other repositories have.
fn elsewhere(name: &str, argument: &str, text: &str) -> ToolError {
    let shown: String = text.chars().take(80).collect();
    let message = format!("argument `{argument}`: nothing in the repository `{name}` has the name `{shown}`");
    ToolError::new(ErrorCode::NodeNotFound, message)
        .hint("other repositories of the federation have it")
        .next_step("leave `repo` out, or pass the repository in front of the name")
}

fn report_unknown(snapshot: &Snapshot, given: &str) -> ToolError {
    let shown: String = given.chars().take(80).collect();
    let known: Vec<String> = snapshot.repositories().map(|name| format!("`{name}`")).collect();
    if known.is_empty() {
        return ToolError::invalid(format!(
            "argument `{REPOSITORY}` is `{shown}`, but the index is of one repository, not of a federation"
        ))
        .next_step(format!("leave `{REPOSITORY}` out, or make several repositories one index with `federate`"));
    }
    ToolError::invalid(format!("argument `{REPOSITORY}` is `{shown}`, expected one of {}", known.join(", ")))
}
