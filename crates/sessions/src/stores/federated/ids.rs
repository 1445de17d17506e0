//! Ids of nodes in the state of one folder, and in that of a federation.
//!
//! The state of a folder has ids that count from the folder: `file::src/a.py`. In a federation in which the folder is
//! the repository `backend`, that file is `file::backend/src/a.py`. A file of another repository stands in the state of
//! the folder as answers show it: `web::file::b.ts`, which names nothing as long as the folder is alone.

use std::path::{Path, PathBuf};

use m1nd_base::node_id;
use serde_json::{Map, Value};

/// In front of ids that belong to no repository, though they look as if they did.
const NO_REPOSITORY: &str = ".::";
/// Values whose paths are no ids: kind and field.
const PATH_FIELDS: &[(&str, &str)] = &[("preview", "path")];

/// How the ids of the state of one folder are written in that of a federation.
#[derive(Debug)]
pub struct FolderIds {
    /// Prefixes of paths: in the folder, and in the federation.
    prefixes: Vec<(String, String)>,
    names: Vec<String>,
}

impl FolderIds {
    /// For the state of `folder`, in a federation of these repositories, by name.
    #[must_use]
    pub fn new(folder: &Path, members: &[(String, PathBuf)]) -> Self {
        let prefix = |(name, path): &(String, PathBuf)| {
            let inner = path.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
            let inner = if inner.is_empty() { inner } else { format!("{inner}/") };
            Some((inner, format!("{name}/")))
        };
        let prefixes = members.iter().filter_map(prefix).collect();
        Self { prefixes, names: members.iter().map(|(name, _)| name.clone()).collect() }
    }

    /// The id in the federation; `None` if it is the same, or the text is no id.
    #[must_use]
    pub fn inward(&self, text: &str) -> Option<String> {
        let Some(path) = node_id::path_of_file(text) else { return node_id::without_repository(text, self.is_name()) };
        let own = self
            .prefixes
            .iter()
            .find_map(|(inner, outer)| Some(format!("{outer}{}", path.strip_prefix(inner.as_str())?)));
        own.map(node_id::file).or_else(|| self.repository(text).map(|_| format!("{NO_REPOSITORY}{text}")))
    }

    /// The inverse of [`FolderIds::inward`].
    #[must_use]
    pub fn outward(&self, text: &str) -> Option<String> {
        if let Some(inner) = text.strip_prefix(NO_REPOSITORY).filter(|inner| node_id::path_of_file(inner).is_some()) {
            return Some(inner.to_owned());
        }
        self.native(text).or_else(|| node_id::with_repository(text, self.is_name()))
    }

    /// The id in the folder, if it has the file.
    fn native(&self, text: &str) -> Option<String> {
        let path = node_id::path_of_file(text)?;
        let own = self
            .prefixes
            .iter()
            .find_map(|(inner, outer)| Some(format!("{inner}{}", path.strip_prefix(outer.as_str())?)));
        own.map(node_id::file)
    }

    /// Whether the folder has the file of this id of the federation.
    pub(super) fn has(&self, id: &str) -> bool {
        self.native(id).is_some()
    }

    /// The name of the repository that an id of the federation begins with.
    fn repository<'i>(&self, id: &'i str) -> Option<&'i str> {
        let (name, _) = node_id::path_of_file(id)?.split_once('/')?;
        self.is_name()(name).then_some(name)
    }

    fn is_name(&self) -> impl Fn(&str) -> bool {
        |name| self.names.iter().any(|known| known == name)
    }

    /// A stored value with the ids of the federation.
    pub(super) fn value_inward(&self, kind: &str, value: &str) -> String {
        translate_ids(kind, value, &|id| self.inward(id))
    }

    /// A stored value with the ids of the folder.
    pub(super) fn value_outward(&self, kind: &str, value: &str) -> String {
        translate_ids(kind, value, &|id| self.outward(id))
    }
}

/// A value with other ids. One that is no JSON, such as the empty one of an expired handle, stays as it is.
fn translate_ids(kind: &str, value: &str, other: &dyn Fn(&str) -> Option<String>) -> String {
    let Ok(mut parsed) = serde_json::from_str::<Value>(value) else { return value.to_owned() };
    for (_, field) in PATH_FIELDS.iter().filter(|(of, _)| *of == kind) {
        if let Some(Value::String(path)) = parsed.get_mut(field)
            && let Some(id) = other(&node_id::file(&*path))
            && let Some(inner) = node_id::path_of_file(&id)
        {
            *path = inner.to_owned();
        }
    }
    let mut rest = vec![&mut parsed];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => {
                if let Some(id) = other(text) {
                    *text = id;
                }
            }
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                let named =
                    std::mem::take(members).into_iter().map(|(name, value)| (other(&name).unwrap_or(name), value));
                *members = named.collect::<Map<_, _>>();
                rest.extend(members.values_mut());
            }
            _ => {}
        }
    }
    parsed.to_string()
}

/// The ids of files and definitions in a stored value.
pub(super) fn ids_in(value: &str) -> Vec<String> {
    let Ok(parsed) = serde_json::from_str::<Value>(value) else { return Vec::new() };
    let mut found = Vec::new();
    let mut rest = vec![&parsed];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) if node_id::path_of_file(text).is_some() => found.push(text.clone()),
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().filter(|name| node_id::path_of_file(name).is_some()).cloned());
                rest.extend(members.values());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<(String, PathBuf)> {
        [("api", "/w/server"), ("web", "/w/web"), ("far", "/far")].map(|(name, path)| (name.into(), path.into())).into()
    }

    #[test]
    fn ids_are_the_same_node_on_both_sides() {
        let rows = [
            ("/w/server", "file::a.py::fn::x", "file::api/a.py::fn::x"),
            ("/w/server", "web::file::b.ts", "file::web/b.ts"),
            ("/w", "file::server/a.py", "file::api/a.py"),
            ("/w", "file::web/b.ts", "file::web/b.ts"),
            ("/w", "far::file::c.c", "file::far/c.c"),
            ("/w", "file::api/doc.md", ".::file::api/doc.md"),
            ("/far", "file::api/c.c", "file::far/api/c.c"),
            ("/w", "file::docs/a.md", "file::docs/a.md"),
            ("/w", "external::x", "external::x"),
        ];
        for (folder, inner, outer) in rows {
            let translation = FolderIds::new(Path::new(folder), &members());
            assert_eq!(translation.inward(inner).as_deref().unwrap_or(inner), outer, "{folder} {inner}");
            assert_eq!(translation.outward(outer).as_deref().unwrap_or(outer), inner, "{folder} {outer}");
        }
        let server = FolderIds::new(Path::new("/w/server"), &members());
        assert!(server.has("file::api/a.py") && !server.has("file::web/a.py") && !server.has("external::x"));
    }

    #[test]
    fn values_keep_everything_else() {
        let server = FolderIds::new(Path::new("/w/server"), &members());
        let value = r#"{"boosts":{"file::a.py":0.1},"note":"see file::a.py","roots":["file::a.py","external::x"]}"#;
        let inside = server.value_inward("trail", value);
        let expected =
            r#"{"boosts":{"file::api/a.py":0.1},"note":"see file::a.py","roots":["file::api/a.py","external::x"]}"#;
        assert_eq!(inside, expected);
        assert_eq!(server.value_outward("trail", &inside), value);
        assert_eq!(ids_in(&inside).len(), 2);
        let preview = server.value_inward("preview", r#"{"path":"a.py"}"#);
        assert_eq!(preview, r#"{"path":"api/a.py"}"#);
        assert_eq!(server.value_outward("preview", &preview), r#"{"path":"a.py"}"#);
        assert_eq!(server.value_inward("trail", ""), "");
    }
}
