//! No circles between the folders of a crate: what names a folder is not named by it.
//!
//! A folder here is a file or folder directly below `src/`; inside one, a `mod.rs` and the files beside it may name
//! each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;
use super::paths::{code_only, paths_of, test_modules};

/// Crates that are looked at.
const CRATES: &[&str] = &[
    "crates/base", "crates/vfs", "crates/store", "crates/lang", "crates/link", "crates/graph", "crates/history",
    "crates/search", "crates/trace", "crates/memory", "crates/model", "crates/engine", "crates/query",
    "crates/sessions", "crates/mind", "crates/tools", "crates/server", "crates/cli", "crates/testkit", "xtask",
];
/// Folders whose rooms may need each other, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "crates/link/src/eval",
    "evaluation is mutually recursive by nature: a member needs the value it is of, and a value its members",
)];
/// Passing on of names that is followed; longer chains are taken to end there.
const MAX_PASSES: usize = 16;
/// Arrows of one circle that are listed.
const MAX_ARROWS: usize = 12;

/// The names of the modules that lead to a file, first to last; none for the top of the crate.
type Module = Vec<String>;

/// The modules of a crate.
struct Tree<'s> {
    /// Path from the top of the repository, and text without comments, texts and tests.
    files: BTreeMap<Module, (&'s str, String)>,
    /// Names that a module brings in with `use`, with the paths they stand for.
    uses: BTreeMap<Module, BTreeMap<String, Module>>,
}

/// What a path in a file names.
struct Arrow<'t> {
    from: &'t [String],
    to: Module,
    written: String,
}

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    CRATES.iter().flat_map(|folder| check_crate(folder, sources)).collect()
}

fn check_crate(folder: &str, sources: &[Source]) -> Vec<String> {
    let tree = Tree::new(&format!("{folder}/src/"), sources);
    let arrows = tree.arrows();
    let mut complaints = Vec::new();
    for level in tree.levels() {
        let place = format!("{folder}/src{}", level.iter().map(|name| format!("/{name}")).collect::<String>());
        if !EXCEPTIONS.iter().any(|(path, _)| *path == place) {
            complaints.extend(tree.circles(&place, &level, &arrows));
        }
    }
    complaints
}

impl<'s> Tree<'s> {
    fn new(top: &str, sources: &'s [Source]) -> Self {
        let mut files = BTreeMap::new();
        for source in sources.iter().filter(|source| source.is_rust() && !source.is_test()) {
            let Some(module) = source.path.strip_prefix(top).and_then(module_of) else { continue };
            files.insert(module, (source.path.as_str(), code_only(&source.text)));
        }
        let for_tests: Vec<Module> = files
            .iter()
            .flat_map(|(module, (_, text))| test_modules(text).into_iter().map(|name| below(module, &name)))
            .collect();
        files.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
        let mut tree = Self { files, uses: BTreeMap::new() };
        tree.uses = tree.files.iter().map(|(module, (_, text))| (module.clone(), tree.uses_in(module, text))).collect();
        tree
    }

    fn uses_in(&self, module: &[String], text: &str) -> BTreeMap<String, Module> {
        let mut uses = BTreeMap::new();
        for path in paths_of(text, |first| self.files.contains_key(&below(module, first))) {
            if let (true, Some(name)) = (path.is_use, &path.name) {
                uses.insert(name.clone(), path.names);
            }
        }
        uses
    }

    /// Every path of every file with the file that it leads to.
    fn arrows(&self) -> Vec<Arrow<'_>> {
        let mut arrows = Vec::new();
        for (from, (_, text)) in &self.files {
            for path in paths_of(text, |_| false) {
                let to = self.target(from, path.names.clone());
                arrows.push(Arrow { from, to, written: path.names.join("::") });
            }
        }
        arrows
    }

    /// The module that a path leads to, where names that modules pass on are followed.
    fn target(&self, from: &[String], path: Module) -> Module {
        let (mut at, mut path) = (from.to_vec(), path);
        for _ in 0..MAX_PASSES {
            let mut rest = path.into_iter().peekable();
            while let Some(name) = rest.peek() {
                match name.as_str() {
                    "crate" => at.clear(),
                    "super" => _ = at.pop(),
                    "self" => {}
                    name if self.files.contains_key(&below(&at, name)) => at.push(name.to_owned()),
                    _ => break,
                }
                rest.next();
            }
            let passed = rest.next().and_then(|name| self.uses.get(&at)?.get(&name)).cloned();
            match passed {
                Some(next) if self.is_above_files(&at) => path = next.into_iter().chain(rest).collect(),
                _ => return at,
            }
        }
        at
    }

    /// Whether a module has others below it.
    fn is_above_files(&self, module: &[String]) -> bool {
        let first_below = self.files.range(module.to_vec()..).nth(1);
        first_below.is_some_and(|(other, _)| other.starts_with(module))
    }

    /// The folders: modules that have others below them.
    fn levels(&self) -> Vec<Module> {
        self.files.keys().filter(|module| self.is_above_files(module)).cloned().collect()
    }

    fn circles(&self, place: &str, level: &[String], arrows: &[Arrow<'_>]) -> Vec<String> {
        let room = |module: &[String]| {
            let inside = module.strip_prefix(level)?;
            inside.first().cloned()
        };
        let mut between: BTreeMap<(String, String), &Arrow<'_>> = BTreeMap::new();
        for arrow in arrows {
            if let (Some(from), Some(to)) = (room(arrow.from), room(&arrow.to))
                && from != to
            {
                between.entry((from, to)).or_insert(arrow);
            }
        }
        let mut complaints = Vec::new();
        for circle in rings(between.keys()) {
            if !level.is_empty() && !circle.iter().any(|name| self.is_above_files(&below(level, name))) {
                continue;
            }
            let names: Vec<&str> = circle.iter().map(String::as_str).collect();
            let mut told = format!("{place}: {} need each other in a circle", names.join(", "));
            let inside = between.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
            for ((from, to), arrow) in inside.take(MAX_ARROWS) {
                let file = self.files.get(arrow.from).map_or("", |(path, _)| path);
                told.push_str(&format!("\n    {from} → {to}: {file} names {}", arrow.written));
            }
            complaints.push(told);
        }
        complaints
    }
}

/// Sets of rooms each of which leads to every other of its set.
fn rings<'a>(arrows: impl Iterator<Item = &'a (String, String)> + Clone) -> Vec<BTreeSet<String>> {
    let reached = |start: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open = vec![start];
        while let Some(room) = open.pop() {
            for (_, to) in arrows.clone().filter(|(from, _)| from == room) {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let rooms: BTreeSet<&str> = arrows.clone().map(|(from, _)| from.as_str()).collect();
    let reach: BTreeMap<&str, BTreeSet<&str>> = rooms.iter().map(|room| (*room, reached(room))).collect();
    let mut rings: Vec<BTreeSet<String>> = Vec::new();
    for (room, others) in reach.iter().filter(|(room, others)| others.contains(*room)) {
        let back = |other: &&str| reach.get(other).is_some_and(|from_there| from_there.contains(room));
        let ring: BTreeSet<String> = others.iter().copied().filter(back).map(str::to_owned).collect();
        if !rings.contains(&ring) {
            rings.push(ring);
        }
    }
    rings
}

/// The module of a file below `src`; `None` for other programs of the crate.
fn module_of(path: &str) -> Option<Module> {
    let names = path.strip_suffix(".rs")?;
    if names.starts_with("bin/") {
        return None;
    }
    let mut module: Module = names.split('/').map(str::to_owned).collect();
    let is_top = module.len() == 1 && matches!(names, "lib" | "main");
    if is_top || module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    Some(module)
}

fn below(module: &[String], name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name of a case, files with their texts, and the number of complaints.
    type Row = (&'static str, &'static [(&'static str, &'static str)], usize);

    /// Complaints about the crate `base` with these files.
    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let source =
            |(path, text): &(&str, &str)| Source { path: format!("crates/base/src/{path}"), text: (*text).to_owned() };
        check(&files.iter().map(source).collect::<Vec<_>>())
    }

    #[test]
    fn circles_between_rooms() {
        let rows: &[Row] = &[
            ("one way", &[("lib.rs", "mod a;"), ("a.rs", "use crate::b::B;"), ("b.rs", "")], 0),
            (
                "two files of the top",
                &[("lib.rs", ""), ("a.rs", "use crate::b::B;"), ("b.rs", "fn f(a: super::a::A) {}")],
                1,
            ),
            (
                "files of one folder",
                &[("lib.rs", ""), ("x/mod.rs", ""), ("x/a.rs", "use super::b::B;"), ("x/b.rs", "use super::a::A;")],
                0,
            ),
            (
                "a folder below",
                &[
                    ("lib.rs", ""),
                    ("x.rs", ""),
                    ("x/a.rs", "use super::y::B;"),
                    ("x/y/mod.rs", ""),
                    ("x/y/b.rs", "use crate::x::a::A;"),
                ],
                1,
            ),
            (
                "through a folder's module",
                &[
                    ("lib.rs", ""),
                    ("x/mod.rs", "pub use self::a::A;\nuse crate::b;"),
                    ("x/a.rs", ""),
                    ("b.rs", "use crate::x::A;"),
                ],
                1,
            ),
            (
                "a name that the top passes on",
                &[("lib.rs", "mod a;\npub use a::A;"), ("a.rs", "use crate::b;"), ("b.rs", "use crate::A;")],
                1,
            ),
            (
                "a name of the top",
                &[("lib.rs", "pub struct A;\nmod a;"), ("a.rs", "use crate::b;"), ("b.rs", "use crate::A;")],
                0,
            ),
            (
                "of tests",
                &[
                    ("lib.rs", ""),
                    ("a.rs", "use crate::b;"),
                    ("b.rs", "#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
                ],
                0,
            ),
            (
                "of comments and texts",
                &[("lib.rs", ""), ("a.rs", "use crate::b;"), ("b.rs", "// crate::a\nconst A: &str = \"crate::a\";")],
                0,
            ),
            (
                "three",
                &[
                    ("lib.rs", ""),
                    ("a.rs", "use crate::{b, c::{self, C}};"),
                    ("b.rs", "use crate::c;"),
                    ("c.rs", "use crate::a;"),
                ],
                1,
            ),
        ];
        for (name, files, expected) in rows {
            let found = complaints(files);
            assert_eq!(found.len(), *expected, "{name}: {found:?}");
        }
    }
}
