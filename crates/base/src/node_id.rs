//! Ids of nodes: all code that builds and parses them.
//!
//! | node | id |
//! |---|---|
//! | file | `file::src/a.py` |
//! | definition | the id of its owner, then `::<word>::<name>`: `file::src/a.py::class::Pool::fn::acquire` |
//! | definition with the same owner, kind and name as another | the same, then `~` and a hash of its signature |
//! | package outside the roots | `external::requests` |
//! | member of such a package | `external::requests::Session::get`; `get()::json` if the path contains a call |
//! | configuration key | `config::env::HOME` |
//!
//! Answers about a federation show `backend::file::src/a.py` for the id `file::backend/src/a.py` of a file of the
//! repository `backend`, and take both.
//!
//! The word is the kind of the definition (`fn`, `class`, `section`). Nothing is escaped: names and paths are written
//! as in the code, and some contain the separator (an `impl` block of Rust that names `fmt::Display`, a configuration
//! key). So an id can be compared, and its file, kind and last name can be parsed, but the exact chain of owners is
//! only in the graph. Imported data may have ids of any other form.

use std::fmt::Display;

use crate::{ContentHash, NodeKind};

/// Separator of the parts of an id, and of names in text from users.
pub const SEPARATOR: &str = "::";
/// Prefix of ids of external packages and their members.
pub const EXTERNAL_PREFIX: &str = "external::";
/// Prefix of ids of configuration keys.
const CONFIG_PREFIX: &str = "config::";
const FILE_PREFIX: &str = "file::";
/// Separator before the hash that distinguishes definitions with the same name.
const HASH_MARK: char = '~';

/// The id of a file, by its path in the index.
pub fn file(path: impl Display) -> String {
    format!("{FILE_PREFIX}{path}")
}

/// The id of an external package or a member of it, see [`join`].
pub fn external(path: &str) -> String {
    format!("{EXTERNAL_PREFIX}{path}")
}

/// The id of a configuration key. `store` is the place of the key (`env`).
pub fn config(store: &str, key: &str) -> String {
    format!("{CONFIG_PREFIX}{store}{SEPARATOR}{key}")
}

/// The id of a definition, by that of its owner (a file or a definition), the word for its kind, and its name.
pub fn child(owner: &str, word: &str, name: &str) -> String {
    format!("{owner}{SEPARATOR}{word}{SEPARATOR}{name}")
}

/// Names joined as ids and users write them: `requests` and `Session` make `requests::Session`.
pub fn join(path: &str, name: &str) -> String {
    format!("{path}{SEPARATOR}{name}")
}

/// Distinguishes a definition from others with the same id by a hash of its signature.
pub fn tell_apart(id: &mut String, signature: &str) {
    let hash = ContentHash::of(signature.as_bytes()).short() as u32;
    id.push_str(&format!("{HASH_MARK}{hash:08x}"));
}

/// An id without what [`tell_apart`] added: overloads of one owner have the same.
pub fn without_hash(id: &str) -> &str {
    let is_hash = |end: &str| end.len() == 8 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
    id.rsplit_once(HASH_MARK).filter(|(_, end)| is_hash(end)).map_or(id, |(start, _)| start)
}

/// The text contained in the id of every definition of a kind whose owner has this word and name: methods declared
/// outside `Pool`, as in Go, contain `::impl::Pool::fn::`.
pub fn owned_infix(owner_word: &str, owner_name: &str, word: &str) -> String {
    child(&child("", owner_word, owner_name), word, "")
}

/// The path in the id of a file; `None` for ids without the prefix of a file. For the id of a definition use
/// [`path_of`].
pub fn path_of_file(id: &str) -> Option<&str> {
    id.strip_prefix(FILE_PREFIX)
}

/// The path of the file that contains a node, by the id of either; `None` if no file does.
pub fn path_of(id: &str) -> Option<&str> {
    path_of_file(id).map(first)
}

/// The id of the file that contains a node, by the id of either.
pub fn file_of(id: &str) -> &str {
    id.match_indices(SEPARATOR).nth(1).map_or(id, |(end, _)| &id[..end])
}

/// Returns the part of an id after the path of the file at `path`: empty for the file itself. `None` for ids of other
/// files. The inverse of [`in_file`].
pub fn behind_path<'i>(id: &'i str, path: &str) -> Option<&'i str> {
    path_of_file(id)?.strip_prefix(path)
}

/// The id with `rest` after the path of its file, see [`behind_path`].
pub fn in_file(path: &str, rest: &str) -> String {
    format!("{FILE_PREFIX}{path}{rest}")
}

/// Returns whether the id has two parts, like that of a file. Ids of definitions have more.
pub fn is_file(id: &str) -> bool {
    id.matches(SEPARATOR).count() == 1
}

/// The last name of an id or of text from a user, with the hash that distinguishes it from others of the name. The
/// whole text if it is one name.
pub fn last_name(id: &str) -> &str {
    names_from_end(id).next().unwrap_or(id)
}

/// Like [`last_name`], without the hash.
pub fn bare_name(id: &str) -> &str {
    let name = last_name(id);
    name.split(HASH_MARK).next().unwrap_or(name)
}

/// The word for the kind of a definition, by its id.
pub fn kind_word(id: &str) -> Option<&str> {
    names_from_end(id).nth(1)
}

/// The path of a node of an external package as code would write it: `requests::get` for `external::requests::get`.
/// `None` for other nodes.
pub fn outside_path(id: &str) -> Option<&str> {
    id.strip_prefix(EXTERNAL_PREFIX)
}

/// Kind and label of a node outside all files, from its id: a package, a member of one, or a configuration key. `None`
/// for others.
pub fn outside(id: &str) -> Option<(NodeKind, &str)> {
    if let Some(path) = outside_path(id) {
        return Some(match path.rsplit_once(SEPARATOR) {
            Some((_, name)) if !name.is_empty() => (NodeKind::PackageMember, name),
            _ => (NodeKind::Package, path),
        });
    }
    let key = id.strip_prefix(CONFIG_PREFIX)?;
    Some((NodeKind::Config, key.split_once(SEPARATOR).map_or(key, |(_, name)| name)))
}

/// The id as answers of a federation show it, `backend::file::src/a.py` for `file::backend/src/a.py`; `None` for nodes
/// outside the files of its repositories. `is_name` says which folders are repositories.
pub fn with_repository(id: &str, is_name: impl Fn(&str) -> bool) -> Option<String> {
    let (name, rest) = path_of_file(id)?.split_once('/')?;
    is_name(name).then(|| format!("{name}{SEPARATOR}{FILE_PREFIX}{rest}"))
}

/// The inverse of [`with_repository`].
pub fn without_repository(shown: &str, is_name: impl Fn(&str) -> bool) -> Option<String> {
    let (name, rest) = shown.split_once(SEPARATOR)?;
    let path = path_of_file(rest)?;
    is_name(name).then(|| format!("{FILE_PREFIX}{name}/{path}"))
}

/// The inverse of [`with_repositories`]. `None` if there are no such ids.
pub fn without_repositories(text: &str, is_name: impl Fn(&str) -> bool) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(&format!("{SEPARATOR}{FILE_PREFIX}")) {
        let before = &text[done..at];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let start =
            before.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(at, |(start, _)| done + start);
        let name = &text[start..at];
        if !is_name(name) || text[..start].ends_with(SEPARATOR) {
            continue;
        }
        out.push_str(&text[done..start]);
        out.push_str(FILE_PREFIX);
        out.push_str(name);
        out.push('/');
        done = at + SEPARATOR.len() + FILE_PREFIX.len();
    }
    (done > 0).then(|| out + &text[done..])
}

/// Replaces the ids in a text as [`with_repository`] does, where `is_file` knows the path. `None` if there are none.
pub fn with_repositories(text: &str, is_name: impl Fn(&str) -> bool, is_file: impl Fn(&str) -> bool) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(FILE_PREFIX) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '/' | '.' | '-')) {
            continue;
        }
        let rest = &text[at + FILE_PREFIX.len()..];
        let Some((name, inner)) = rest.split_once('/').filter(|(name, _)| is_name(name)) else { continue };
        let path = &rest[..name.len() + 1 + first(inner).len()];
        // A whole id, or one among other words.
        let word = path.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ';' | ')')).next();
        if at > 0 && !is_file(path) && !word.is_some_and(&is_file) {
            continue;
        }
        out.push_str(&text[done..at]);
        out.push_str(name);
        out.push_str(SEPARATOR);
        out.push_str(FILE_PREFIX);
        done = at + FILE_PREFIX.len() + name.len() + 1;
    }
    (done > 0).then(|| out + &text[done..])
}

/// The parts between separators, first to last, of an id or a qualified name from a user.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(SEPARATOR)
}

/// The parts between separators, last to first.
pub fn names_from_end(text: &str) -> impl Iterator<Item = &str> {
    text.rsplit(SEPARATOR)
}

/// A name without the brackets of a call behind it: `load()` means `load`, but `operator()` is a name.
pub fn without_call(name: &str) -> &str {
    let plain = name.trim_end_matches("()");
    if plain.ends_with("operator") { &name[..(plain.len() + "()".len()).min(name.len())] } else { plain }
}

/// A path or a qualified name from a user, without the optional prefix of a file.
pub fn strip_prefix_of_file(text: &str) -> &str {
    path_of_file(text).unwrap_or(text)
}

/// The path in text from a user: an id, or a path optionally followed by the name of a symbol.
pub fn typed_path(text: &str) -> &str {
    first(strip_prefix_of_file(text))
}

/// Returns whether a path typed by a user is followed by a symbol name.
pub fn typed_symbol(text: &str) -> bool {
    strip_prefix_of_file(text).contains(SEPARATOR)
}

fn first(text: &str) -> &str {
    names(text).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let class = child(&file("src/a.py"), "class", "Pool");
        assert_eq!(class, "file::src/a.py::class::Pool");
        let mut method = child(&class, "fn", "acquire");
        assert!(!method.contains(&owned_infix("impl", "Pool", "fn")));
        assert!(child(&child("file::a.go", "impl", "Pool"), "fn", "x").contains(&owned_infix("impl", "Pool", "fn")));
        tell_apart(&mut method, "def acquire(self)");
        assert_eq!(
            (bare_name(&method), kind_word(&method), path_of(&method)),
            ("acquire", Some("fn"), Some("src/a.py"))
        );
        assert_eq!(method.len(), "file::src/a.py::class::Pool::fn::acquire~01234567".len());
        assert_eq!(external(&join("requests", "get")), "external::requests::get");
        assert_eq!(config("env", "HOME"), "config::env::HOME");
    }

    #[test]
    fn files_of_ids() {
        let rows = [
            ("file::src/a.py", Some("src/a.py"), "file::src/a.py", true),
            ("file::src/a.py::fn::x", Some("src/a.py"), "file::src/a.py", false),
            ("external::requests::get", None, "external::requests", false),
            ("imported", None, "imported", false),
        ];
        for (id, path, of, is) in rows {
            assert_eq!((path_of(id), file_of(id), is_file(id)), (path, of, is), "{id}");
        }
        for (id, rest) in [("file::a.py::fn::x", Some("::fn::x")), ("file::a.py", Some("")), ("file::b.py", None)] {
            assert_eq!(behind_path(id, "a.py"), rest, "{id}");
            assert!(rest.is_none_or(|rest| in_file("a.py", rest) == id), "{id}");
        }
    }

    #[test]
    fn nodes_without_a_file_are_told_by_their_ids() {
        let rows = [
            ("external::a.b/c", Some((NodeKind::Package, "a.b/c"))),
            ("external::a::B::c", Some((NodeKind::PackageMember, "c"))),
            ("external::a::", Some((NodeKind::Package, "a::"))),
            ("config::env::HOME", Some((NodeKind::Config, "HOME"))),
            ("config::property::a::b", Some((NodeKind::Config, "a::b"))),
            ("file::config::x", None),
        ];
        for (id, expected) in rows {
            assert_eq!(outside(id), expected, "{id}");
        }
    }

    #[test]
    fn repositories_are_in_front_of_ids() {
        let is_name = |name: &str| name == "api";
        let rows = [
            ("file::api/src/a.py::fn::x", Some("api::file::src/a.py::fn::x")),
            ("file::web/a.py", None),
            ("file::api", None),
            ("external::api", None),
        ];
        for (id, shown) in rows {
            let found = with_repository(id, is_name);
            assert_eq!(found.as_deref(), shown, "{id}");
            assert!(found.is_none_or(|shown| without_repository(&shown, is_name).as_deref() == Some(id)), "{id}");
        }
        for text in ["api::x", "web::file::a.py", "file::api/a.py"] {
            assert_eq!(without_repository(text, is_name), None, "{text}");
        }
        let shown = |text: &str| with_repositories(text, is_name, |path| path == "api/a.py");
        let text = "see `file::api/a.py::fn::x`, file::api/none.py, file::api/a.py and profile::api/a.py";
        let expected = "see `api::file::a.py::fn::x`, file::api/none.py, api::file::a.py and profile::api/a.py";
        assert_eq!(shown(text).as_deref(), Some(expected));
        assert_eq!(shown("nothing"), None);
        let back = without_repositories(expected, is_name);
        assert_eq!(back.as_deref(), Some(text));
        assert_eq!(without_repositories("web::file::a.py and x::api::file::a.py", is_name), None);
        assert_eq!(shown("file::api/new.py").as_deref(), Some("api::file::new.py"));
    }

    #[test]
    fn texts_of_users() {
        let rows = [
            ("src/a.py", "src/a.py", false),
            ("file::src/a.py", "src/a.py", false),
            ("src/a.py::Pool", "src/a.py", true),
            ("file::src/a.py::class::Pool", "src/a.py", true),
        ];
        for (text, path, symbol) in rows {
            assert_eq!((typed_path(text), typed_symbol(text)), (path, symbol), "{text}");
        }
        assert_eq!(names_from_end("a::b::c").collect::<Vec<_>>(), ["c", "b", "a"]);
    }
}
