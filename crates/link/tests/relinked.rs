//! The files that are linked again after an edit: those that asked for what changed, by name.

mod common;

use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use m1nd_link::Linker;

/// Files by path.
type Project<'t> = &'t [(&'t str, &'t str)];

/// Paths of the files that are linked again when `path` gets another text, or goes away.
fn list_relinked(project: Project<'_>, path: &str, text: Option<&str>) -> Vec<String> {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in project {
        common::put(&mut linker, path, text);
    }
    linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    match text {
        Some(text) => _ = common::put(&mut linker, path, text),
        None => linker.remove_file(&RepoPath::new(path).expect("a fixture path")),
    }
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let others = delta.changed.iter().map(|links| links.path.as_str().to_owned());
    others.filter(|other| other != path).collect()
}

#[track_caller]
fn check(project: Project<'_>, path: &str, text: &str, wanted: &[&str]) {
    assert_eq!(list_relinked(project, path, Some(text)), wanted, "{path} becomes:\n{text}");
}

const PYTHON: Project<'static> = &[
    ("lib.py", "class Base:\n    def size(self): return 1\n\ndef load(): return Base()\n"),
    ("heirs.py", "from lib import Base\nclass Heir(Base):\n    def area(self): return self.size()\n"),
    ("missing.py", "import lib\nlib.later()\n"),
    ("named.py", "from lib import load\nload().size()\n"),
    ("other.py", "from lib import load\nload()\n"),
    ("star.py", "from lib import *\nlater()\n"),
    ("unknown.py", "def use(x): x.area()\n"),
];

/// The text of a file with more at its end.
fn with(project: Project<'_>, path: &str, more: &str) -> String {
    let text = project.iter().find(|(other, _)| *other == path).map_or("", |(_, text)| text);
    format!("{text}{more}")
}

#[test]
fn a_name_that_nobody_asked_for_concerns_nobody() {
    check(PYTHON, "lib.py", &with(PYTHON, "lib.py", "def unused(): ...\n"), &[]);
    check(PYTHON, "lib.py", &with(PYTHON, "lib.py", "class Unused(Base): ...\n"), &[]);
    check(PYTHON, "lib.py", &format!("import os\n{}", with(PYTHON, "lib.py", "")), &[]);
}

#[test]
fn a_new_name_concerns_those_who_asked_in_vain() {
    check(PYTHON, "lib.py", &with(PYTHON, "lib.py", "def later(): ...\n"), &["missing.py", "star.py"]);
}

#[test]
fn a_list_of_exports_concerns_star_imports() {
    // It may concern everybody who looked anything up in the file: whether there is one is not found by a name.
    let text = with(PYTHON, "lib.py", "__all__ = ['load']\n");
    assert!(list_relinked(PYTHON, "lib.py", Some(&text)).contains(&"star.py".to_owned()));
}

#[test]
fn a_changed_name_concerns_those_who_asked_for_it() {
    let text = "class Base:\n    def size(self): return 1\n\ndef load(x): return Base()\n";
    check(PYTHON, "lib.py", text, &["named.py", "other.py"]);
    let text = "class Base:\n    def size(self, x): return 1\n\ndef load(): return Base()\n";
    check(PYTHON, "lib.py", text, &["heirs.py", "named.py"]);
}

#[test]
fn a_member_concerns_those_who_looked_for_it_in_heirs() {
    let text = "class Base:\n    def area(self): return 1\n    def size(self): return 1\n\ndef load(): return Base()\n";
    check(PYTHON, "lib.py", text, &["heirs.py", "unknown.py"]);
}

#[test]
fn a_body_concerns_nobody_and_a_result_those_who_call_it() {
    let text = "class Base:\n    def size(self): return 1\n\ndef load():\n    print(load)\n    return Base()\n";
    check(PYTHON, "lib.py", text, &[]);
    let text = "class Base:\n    def size(self): return 1\n\ndef load(): return 1\n";
    check(PYTHON, "lib.py", text, &["named.py", "other.py"]);
}

#[test]
fn a_candidate_concerns_those_whose_receiver_is_unknown() {
    check(PYTHON, "heirs.py", "from lib import Base\nclass Heir(Base): ...\n", &["unknown.py"]);
    let text = with(PYTHON, "other.py", "class Round:\n    def area(self): ...\n    def turn(self): ...\n");
    check(PYTHON, "other.py", &text, &["unknown.py"]);
}

#[test]
fn a_file_that_goes_concerns_all_that_looked_at_it() {
    let all = ["heirs.py", "missing.py", "named.py", "other.py", "star.py"];
    assert_eq!(list_relinked(PYTHON, "lib.py", None), all);
}

const GO: Project<'static> = &[
    ("go.mod", "module example.com/m\n"),
    ("a.go", "package m\n\ntype Store struct{}\n\nfunc (s Store) Get() int { return 1 }\n"),
    ("b.go", "package m\n\nfunc use(s Store) { s.Get() }\n"),
    ("c.go", "package m\n\nfunc waits(s Store) { s.Put() }\n"),
];

#[test]
fn a_method_beside_its_type_concerns_those_who_asked_for_its_name() {
    check(GO, "a.go", &with(GO, "a.go", "func (s Store) Size() int { return 1 }\n"), &[]);
    check(GO, "a.go", &with(GO, "a.go", "func (s Store) Put() {}\n"), &["c.go"]);
    check(GO, "a.go", &with(GO, "a.go", "func helper() {}\n"), &[]);
}

/// A configuration of another name than the usual ones.
const CONFIGURED: Project<'static> = &[
    ("app/tsconfig.json", "{\"extends\": \"../conf/web.json\"}"),
    ("conf/web.json", "{\"compilerOptions\": {\"paths\": {\"@/*\": [\"../app/old/*\"]}}}"),
    ("conf/other.json", "{\"extends\": \"./web.json\"}"),
    ("app/old/a.ts", "export function a() {}\n"),
    ("app/new/a.ts", "export function a() {}\n"),
    ("app/use.ts", "import { a } from '@/a';\na();\n"),
];

#[test]
fn a_configuration_concerns_those_who_find_modules_by_it() {
    let text = "{\"compilerOptions\": {\"paths\": {\"@/*\": [\"../app/new/*\"]}}}";
    assert!(list_relinked(CONFIGURED, "conf/web.json", Some(text)).contains(&"app/use.ts".to_owned()));
    assert!(list_relinked(CONFIGURED, "conf/web.json", Some("{}")).contains(&"app/use.ts".to_owned()));
    assert!(list_relinked(CONFIGURED, "conf/web.json", None).contains(&"app/use.ts".to_owned()));
    check(CONFIGURED, "conf/other.json", "{\"extends\": \"./none.json\"}", &[]);
}

const TYPESCRIPT: Project<'static> = &[
    ("lib.ts", "export class Store { get() { return 1; } }\n"),
    ("all.ts", "export * from './lib';\n"),
    ("use.ts", "import { Store } from './all';\nnew Store().get();\n"),
    ("waits.ts", "import { later } from './all';\nlater();\n"),
];

#[test]
fn a_name_behind_a_reexport_concerns_those_who_asked_for_it() {
    check(TYPESCRIPT, "lib.ts", &with(TYPESCRIPT, "lib.ts", "export function unused() {}\n"), &[]);
    check(TYPESCRIPT, "lib.ts", &with(TYPESCRIPT, "lib.ts", "export function later() {}\n"), &["waits.ts"]);
}

const RUST: Project<'static> = &[
    ("Cargo.toml", "[package]\nname = \"fixture\"\nversion = \"0.1.0\"\n"),
    ("src/lib.rs", "mod store;\nmod user;\nmod waits;\n"),
    ("src/store.rs", "pub struct Store;\nimpl Store {\n    pub fn get(&self) {}\n}\n"),
    ("src/user.rs", "use crate::store::Store;\nfn user(store: &Store) { store.get() }\n"),
    ("src/waits.rs", "use crate::store::*;\nfn waits(store: &Store) { store.put(); later() }\n"),
];

#[test]
fn an_item_concerns_those_who_asked_for_it() {
    check(RUST, "src/store.rs", &with(RUST, "src/store.rs", "pub fn unused() {}\n"), &[]);
    check(RUST, "src/store.rs", &with(RUST, "src/store.rs", "pub fn later() {}\n"), &["src/waits.rs"]);
    let text = with(RUST, "src/store.rs", "fn inner() { use std::cmp::Ordering::*; Less; }\n");
    check(RUST, "src/store.rs", &text, &[]);
    let text = "pub struct Store;\nimpl Store {\n    pub fn get(&self) {}\n    pub fn put(&self) {}\n}\n";
    check(RUST, "src/store.rs", text, &["src/waits.rs"]);
}

/// A file that joins a crate is no news for the files of the crate, nor for other crates.
#[test]
fn a_module_that_joins_a_crate_concerns_those_who_asked_for_it() {
    let joins = |more: &[(&str, &str)], text: &str| {
        let project: Vec<(&str, &str)> = RUST.iter().chain(more).copied().collect();
        list_relinked(&project, "src/lib.rs", Some(text))
    };
    let text = with(RUST, "src/lib.rs", "mod fresh;\n");
    let with_file = [("src/fresh.rs", "use super::store::Store;\npub fn fresh(_: Store) {}\n")];
    assert_eq!(joins(&with_file, &text), ["src/fresh.rs"]);
    let asks = [with_file[0], ("src/asks.rs", "fn asks() { crate::fresh::fresh() }\n")];
    let text = with(RUST, "src/lib.rs", "mod fresh;\nmod asks;\n");
    assert_eq!(joins(&asks, &text), ["src/asks.rs", "src/fresh.rs"]);
    // Macros are found in all files of the crate.
    let text = with(RUST, "src/lib.rs", "mod macros;\n");
    let macros = [("src/macros.rs", "macro_rules! put { () => {}; }\n")];
    assert!(joins(&macros, &text).contains(&"src/user.rs".to_owned()));
}

const C: Project<'static> = &[
    ("store.h", "int store_get(int x);\n"),
    ("store.c", "#include \"store.h\"\nint store_get(int x) { return x; }\n"),
    ("main.c", "#include \"store.h\"\nint main(void) { return store_get(1); }\n"),
    ("waits.c", "#include \"store.h\"\nint waits(void) { return later(1); }\n"),
];

#[test]
fn a_declaration_concerns_those_who_asked_for_it() {
    check(C, "store.h", &with(C, "store.h", "int unused(int x);\n"), &[]);
    check(C, "store.h", &with(C, "store.h", "int later(int x);\n"), &["waits.c"]);
}

#[test]
fn a_header_that_comes_or_goes_concerns_those_who_include_it() {
    check(C, "unused.h", "int unused(int x);\n", &[]);
    check(C, "sub/store.h", "int store_get(int x);\n", &[]);
    let other: Vec<(&str, &str)> = C.iter().copied().chain([("sub/use.c", "#include \"store.h\"\n")]).collect();
    check(&other, "sub/store.h", "int store_get(int x);\n", &["sub/use.c"]);
    assert_eq!(list_relinked(&other, "store.h", None), ["main.c", "store.c", "sub/use.c", "waits.c"]);
}

const SERVED: Project<'static> = &[
    (
        "api.py",
        "from flask import Flask\nfrom help import help\napp = Flask(__name__)\n@app.route('/users')\ndef users():\n    return help()\n@app.route('/groups')\ndef groups():\n    return help()\ndef other():\n    return 1\n",
    ),
    ("client.py", "import requests\nrequests.get('http://h/users')\n"),
    ("help.py", "def help(): return 1\n"),
    (
        "test_api.py",
        "from flask import Flask\nimport requests\napp = Flask(__name__)\n@app.route('/users')\ndef users(): return 1\nrequests.get('/groups')\n",
    ),
];

/// Bodies decide what is served, and whether: an edit of one concerns those who asked for what stands in it.
#[test]
fn a_route_concerns_those_who_asked_for_it() {
    let api = |from: &str, to: &str| SERVED[0].1.replace(from, to);
    check(SERVED, "api.py", &api("return 1", "return help()"), &[]);
    check(SERVED, "api.py", &api("/users", "/people"), &["client.py"]);
    check(SERVED, "api.py", &api("def groups():\n", "def groups():\n    help(1)\n"), &["test_api.py"]);
    check(SERVED, "api.py", &api("Flask(__name__)", "make()"), &["client.py", "test_api.py"]);
    // Routes of tests are there for these tests.
    check(SERVED, "test_api.py", &SERVED[3].1.replace("/users", "/people"), &[]);
}
