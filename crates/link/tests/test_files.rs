//! Files of Rust that are tests because of where they are declared: the flag of the file, and the edges that follow
//! from it; also after edits of what declares them.

mod common;

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Limits, NoProgress, Relation, RepoPath};
use m1nd_link::Linker;

const MANIFEST: &str = "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\n";

/// A project as one text, files after `//- path`, and those of its files that are tests though their path does not
/// say so.
const CASES: &[(&str, &str, &str)] = &[
    (
        "declared for tests",
        "//- src/lib.rs\n#[cfg(test)]\nmod helpers;\nmod code;\n//- src/helpers.rs\n//- src/code.rs\n",
        "src/helpers.rs",
    ),
    (
        "with all below it, at any depth",
        "//- src/lib.rs\n#[cfg(all(test, unix))]\nmod a;\n//- src/a/mod.rs\nmod b;\npub mod c { mod d; }\n//- src/a/b.rs\n#[cfg(unix)]\nmod e;\n\
         //- src/a/b/e.rs\n//- src/a/c/d.rs\n",
        "src/a/b.rs src/a/b/e.rs src/a/c/d.rs src/a/mod.rs",
    ),
    (
        "in an inline module for tests",
        "//- src/lib.rs\n#[cfg(test)]\nmod tests { mod one; #[path = \"two.rs\"] mod other; }\nmod code { mod one; }\n\
         //- src/tests/one.rs\n//- src/tests/two.rs\n//- src/code/one.rs\n",
        "src/tests/one.rs src/tests/two.rs",
    ),
    (
        "by a path",
        "//- src/lib.rs\n#[cfg(test)]\n#[path = \"odd/mock.rs\"]\nmod real;\n#[cfg(not(test))]\nmod real;\n//- src/odd/mock.rs\nmod more;\n\
         //- src/odd/more.rs\n//- src/real.rs\n",
        "src/odd/mock.rs src/odd/more.rs",
    ),
    (
        "of two crates, for tests in one only",
        "//- src/lib.rs\n#[cfg(test)]\nmod both;\n#[cfg(test)]\nmod all;\n//- src/main.rs\nmod both;\n#[cfg(test)]\nmod all;\n//- src/both.rs\n//- src/all.rs\n",
        "src/all.rs",
    ),
    ("twice in one file", "//- src/lib.rs\n#[cfg(test)]\nmod a;\n#[cfg(unix)]\nmod a;\n//- src/a.rs\n", ""),
    (
        "conditions that also hold elsewhere",
        "//- src/lib.rs\n#[cfg(any(test, feature = \"x\"))]\nmod a;\n#[cfg(feature = \"test\")]\nmod b;\n#[cfg(not(test))]\nmod c;\n#[cfg_attr(test, allow(unused))]\nmod d;\n\
         //- src/a.rs\n//- src/b.rs\n//- src/c.rs\n//- src/d.rs\n",
        "",
    ),
    (
        "a ring, reached by a test or by nothing",
        "//- src/lib.rs\n#[cfg(test)]\nmod a;\n//- src/a.rs\n#[path = \"b.rs\"]\nmod b;\n//- src/b.rs\n#[path = \"a.rs\"]\nmod a;\n#[path = \"c.rs\"]\nmod c;\n//- src/c.rs\n#[path = \"c.rs\"]\nmod c;\n",
        "",
    ),
    (
        "by a file that is a test by its path or content",
        "//- src/lib.rs\nmod pool_test;\nmod whole;\n//- src/pool_test.rs\nmod deep;\n//- src/pool_test/deep.rs\n//- src/whole.rs\n#![cfg(test)]\nmod deep;\n//- src/whole/deep.rs\n",
        "src/pool_test.rs src/pool_test/deep.rs src/whole/deep.rs",
    ),
    (
        "a test of the manifest, and a program",
        "//- src/main.rs\nmod code;\n//- src/code.rs\n//- checks/run.rs\nmod parts;\n//- checks/parts/mod.rs\n//- Cargo.toml\n[[test]]\nname = \"run\"\npath = \"checks/run.rs\"\n",
        "checks/parts/mod.rs checks/run.rs",
    ),
    (
        "in a file that no crate has",
        "//- src/lib.rs\n//- src/lost/mod.rs\n#[cfg(test)]\nmod a;\nmod b;\n//- src/lost/a.rs\n//- src/lost/b.rs\n",
        "src/lost/a.rs",
    ),
    (
        "the root of a crate, declared by a test",
        "//- src/lib.rs\n//- src/main.rs\n#[cfg(test)]\n#[path = \"lib.rs\"]\nmod lib;\n",
        "",
    ),
    ("a file that is not there", "//- src/lib.rs\n#[cfg(test)]\nmod a;\n", ""),
];

fn files(text: &str) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut last = String::new();
    for line in text.lines() {
        match line.strip_prefix("//- ") {
            Some(path) => last = path.to_owned(),
            None => *files.entry(last.clone()).or_default() += &format!("{line}\n"),
        }
        files.entry(last.clone()).or_default();
    }
    files
}

/// The files of the index that are tests by their declaration, and the edges `tests` as `from > to` without `file::`.
#[derive(Default, Debug, PartialEq, Eq)]
struct State {
    tests: BTreeMap<String, bool>,
    edges: BTreeMap<String, Vec<String>>,
}

impl State {
    fn update(&mut self, linker: &mut Linker) -> Vec<String> {
        let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
        let short = |id| linker.text(id).trim_start_matches("file::").to_owned();
        for path in &delta.removed {
            self.tests.remove(path.as_str());
            self.edges.remove(path.as_str());
        }
        for links in &delta.changed {
            let path = links.path.to_string();
            self.tests.insert(path.clone(), links.is_test);
            let tests = links.edges.iter().filter(|edge| edge.relation == Relation::Tests);
            self.edges.insert(path, tests.map(|edge| format!("{} > {}", short(edge.from), short(edge.to))).collect());
        }
        delta.changed.iter().map(|links| links.path.to_string()).collect()
    }

    fn tests(&self) -> String {
        let tests = self.tests.iter().filter(|(_, is_test)| **is_test);
        tests.map(|(path, _)| path.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn edges(&self) -> String {
        self.edges.values().flatten().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

fn linker(files: &BTreeMap<String, String>) -> Linker {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in files {
        common::put(&mut linker, path, text);
    }
    linker
}

#[test]
fn files_are_tests_by_their_declarations() {
    for (what, text, expected) in CASES {
        let mut state = State::default();
        state.update(&mut linker(&files(&format!("{MANIFEST}{text}"))));
        assert_eq!(state.tests(), *expected, "{what}");
    }
}

/// A test helper calls code, a test calls the helper, and code calls code.
const PROJECT: &str = "//- Cargo.toml\n[package]\nname = \"a\"\n//- src/code.rs\npub fn run() {}\npub fn go() { run() }\n\
    //- src/helpers.rs\nmod deep;\npub fn help() { crate::code::run(); deep::dig() }\n\
    //- src/helpers/deep.rs\npub fn dig() { crate::code::go() }\n\
    //- src/other.rs\n#[test]\nfn checks() { crate::helpers::help() }\n";

#[test]
fn what_a_declaration_says_is_brought_up_to_date() {
    let plain = "mod helpers; mod code; mod other;\n";
    let tests = "#[cfg(test)] mod helpers; mod code; mod other;\n";
    let (helpers, deep) = ("src/helpers.rs", "src/helpers/deep.rs");
    let exercised = "src/helpers.rs::fn::help > src/code.rs::fn::run, \
        src/helpers/deep.rs::fn::dig > src/code.rs::fn::go";
    let checked = "src/other.rs::fn::checks > src/helpers.rs::fn::help";
    // The root of the crate, what is a test, the edges `tests`, and files that are linked again.
    let steps = [
        (plain, String::new(), checked, None),
        (
            tests,
            format!("{helpers} {deep}"),
            exercised,
            Some("src/helpers.rs src/helpers/deep.rs src/lib.rs src/other.rs"),
        ),
        (
            "\n#[cfg(test)] mod helpers; mod code; mod other;\n",
            format!("{helpers} {deep}"),
            exercised,
            Some("src/lib.rs"),
        ),
        (plain, String::new(), checked, Some("src/helpers.rs src/helpers/deep.rs src/lib.rs src/other.rs")),
        ("mod code; mod other;\n", String::new(), "", None),
        (tests, format!("{helpers} {deep}"), exercised, None),
        (
            "#[cfg(test)] mod helpers; mod code; mod other; mod more { #[path = \"../helpers.rs\"] mod again; }\n",
            String::new(),
            checked,
            None,
        ),
    ];
    let mut all = files(PROJECT);
    let mut linker = linker(&all);
    let mut state = State::default();
    for (root, expected, edges, relinked) in steps {
        common::put(&mut linker, "src/lib.rs", root);
        all.insert("src/lib.rs".to_owned(), root.to_owned());
        let changed = state.update(&mut linker);
        assert_eq!(state.tests(), expected, "{root}");
        assert_eq!(state.edges(), edges, "{root}");
        if let Some(relinked) = relinked {
            assert_eq!(changed.join(" "), relinked, "{root}");
        }
        let mut clean = State::default();
        clean.update(&mut self::linker(&all));
        assert_eq!(state, clean, "{root}");
    }
    // The declaring file goes: nothing says any more that its modules are for tests.
    common::put(&mut linker, "src/lib.rs", tests);
    state.update(&mut linker);
    assert_eq!(state.tests(), format!("{helpers} {deep}"));
    linker.remove_file(&RepoPath::new("src/lib.rs").expect("a valid path"));
    state.update(&mut linker);
    assert_eq!(state.tests(), "");
}
