//! No circles between the folders of a crate: what names a folder is not named by it.
//!
//! A folder here is a file or folder directly below `src/`; inside one, a `mod.rs` and the files beside it may name each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;

/// The crates that keep to this.
const CRATES: &[&str] = &["engine", "query", "sessions", "tools", "server", "cli"];
/// The tops of crates: they name all folders, and no folder may name what they define.
const TOPS: &[&str] = &["lib", "main"];

/// Each folder with those it names.
type Arrows = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for name in CRATES {
        let arrows = arrows(&format!("crates/{name}/src/"), sources);
        if let Some(circle) = circle(&arrows) {
            complaints.push(format!("crates/{name}/src: a circle of imports: {}", circle.join(" → ")));
        }
    }
    complaints
}

fn arrows(prefix: &str, sources: &[Source]) -> Arrows {
    let inside = sources.iter().filter_map(|source| Some((source.path.strip_prefix(prefix)?, &source.text)));
    let files: Vec<(String, &String)> = inside.map(|(path, text)| (folder(path), text)).collect();
    let folders: BTreeSet<&String> = files.iter().map(|(folder, _)| folder).collect();
    let mut arrows = Arrows::new();
    for (from, text) in files.iter().filter(|(from, _)| !TOPS.contains(&from.as_str())) {
        let named = named(text).into_iter().filter(|to| folders.contains(to) && to != from);
        arrows.entry(from.clone()).or_default().extend(named);
    }
    arrows
}

fn folder(path: &str) -> String {
    let first = path.split('/').next().unwrap_or(path);
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

/// The names directly behind `crate::`, also those of a list in braces.
fn named(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in text.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => drop(names.insert(identifier(rest))),
            Some(list) => {
                let mut depth = 0;
                let mut starts = true;
                for (at, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => starts = true,
                        _ if starts && !c.is_whitespace() => {
                            names.insert(identifier(&list[at..]));
                            starts = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Folders of which each names the next, back to the first; `None` if there are none.
fn circle(arrows: &Arrows) -> Option<Vec<String>> {
    let mut left = arrows.clone();
    // An entry that names no remaining one is in no cycle.
    loop {
        let done: Vec<String> = left
            .iter()
            .filter(|(_, to)| !to.iter().any(|to| left.contains_key(to)))
            .map(|(from, _)| from.clone())
            .collect();
        if done.is_empty() {
            break;
        }
        done.iter().for_each(|from| drop(left.remove(from)));
    }
    let mut path = vec![left.keys().next()?.clone()];
    loop {
        let next = left[path.last()?].iter().find(|to| left.contains_key(*to))?.clone();
        let seen = path.iter().position(|folder| *folder == next);
        path.push(next);
        if let Some(start) = seen {
            return Some(path.split_off(start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let source =
            |(path, text): &(&str, &str)| Source { path: format!("crates/tools/src/{path}"), text: (*text).to_owned() };
        check(&files.iter().map(source).collect::<Vec<_>>())
    }

    #[test]
    fn circles_are_named() {
        let circle = [
            ("a/mod.rs", "use crate::b::X;"),
            ("b.rs", "use crate::{c::{D, E}, other};"),
            ("c/deep.rs", "fn f() { crate::a::g() }"),
        ];
        assert_eq!(complaints(&circle), ["crates/tools/src: a circle of imports: a → b → c → a"]);
    }

    #[test]
    fn what_is_no_circle_passes() {
        let fine = [
            ("lib.rs", "mod a; mod b; pub use crate::a::A;"),
            ("a/mod.rs", "use crate::a::one; use crate::b::B;"),
            ("a/one.rs", "use crate::a::two;"),
            ("b.rs", "use crate::Outcome;"),
        ];
        assert!(complaints(&fine).is_empty());
    }
}
