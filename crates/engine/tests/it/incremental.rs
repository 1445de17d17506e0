//! However the files came to be what they are, the index is that of a clean build.

use m1nd_engine::Engine;
use m1nd_engine::graph::NodeFlags;
use m1nd_testkit::Random;

use crate::project::{Project, edges, incremental, path};

/// Random edit sequences tried for each language.
const SEEDS: u64 = 34;
/// Edits of one sequence.
const EDITS: usize = 6;

struct Dialect {
    fixture: &'static str,
    extension: &'static str,
    /// Contents that files are given; they use each other's names.
    texts: &'static [&'static str],
    /// Names of files.
    names: &'static [&'static str],
}

const PYTHON: Dialect = Dialect {
    fixture: "\
//- pkg/__init__.py
from .alpha import make
//- pkg/alpha.py
class Pool:
    def get(self):
        return make()
def make():
    return Pool()
//- pkg/beta.py
from pkg.alpha import Pool, make
from pkg import make as other
class Special(Pool):
    def run(self):
        return self.get()
def use():
    make().get()
    other()
//- main.py
import pkg.beta
from pkg.beta import Special
def main():
    Special().run()
    pkg.beta.use()
",
    extension: "py",
    texts: &[
        "class Pool:\n    def get(self, size):\n        return 1\ndef make():\n    return Pool()\n",
        "class Pool:\n    def fetch(self):\n        return make()\ndef make(): return Pool()\n",
        "from pkg.alpha import *\nclass Special(Pool):\n    def run(self):\n        self.get()\n        self.fetch()\n",
        "from .alpha import make\nfrom . import beta\ndef use():\n    make().get()\n    beta.use()\n",
        "def broken(:\n    make(\n",
        "from pkg.gamma import use\nuse()\n",
        "",
        "import os\nos.getcwd()\nundefined_name()\n",
        "__all__ = ['make']\ndef make(): pass\ndef hidden(): pass\n",
    ],
    names: &["pkg/__init__", "pkg/alpha", "pkg/beta", "pkg/gamma", "main", "alpha", "other/alpha"],
};

const TYPESCRIPT: Dialect = Dialect {
    fixture: "\
//- src/index.ts
export { make } from './alpha';
export * from './beta';
//- src/alpha.ts
export class Pool { get() { return make(); } }
export function make(): Pool { return new Pool(); }
//- src/beta.ts
import { Pool, make } from './alpha';
export class Special extends Pool { run() { return this.get(); } }
export function use() { make().get(); }
//- src/main.ts
import { make, Special } from './index';
import * as beta from './beta';
export function main() { new Special().run(); beta.use(); make().get(); }
",
    extension: "ts",
    texts: &[
        "export class Pool { get(size: number) { return size; } }\nexport function make(): Pool { return new Pool(); }\n",
        "export interface Pool { fetch(): void }\nexport const make = (): Pool => ({ fetch() {} });\n",
        "export * from './alpha';\nexport default function use() {}\n",
        "import use from './beta';\nimport { make } from '.';\nexport function go() { use(); make(); }\n",
        "export function broken( {\n  make(\n",
        "import { gone } from './gamma';\ngone();\nfetch('x');\n",
        "",
        "export { make as build } from './alpha';\nexport { build as other };\n",
    ],
    names: &["src/index", "src/alpha", "src/beta", "src/gamma", "src/main", "src/alpha/index", "lib/alpha"],
};

const RUST: Dialect = Dialect {
    fixture: "\
//- Cargo.toml
[package]
name = \"demo\"
version = \"0.1.0\"
edition = \"2021\"
//- src/lib.rs
pub mod alpha;
pub mod beta;
pub use alpha::make;
//- src/alpha.rs
pub struct Pool;
impl Pool { pub fn get(&self) -> Pool { make() } }
pub fn make() -> Pool { Pool }
//- src/beta.rs
use crate::alpha::{Pool, make};
pub trait Run { fn run(&self); }
impl Run for Pool { fn run(&self) { self.get(); } }
pub fn use_it() { make().get().run(); }
//- src/main.rs
use demo::beta::{use_it, Run};
fn main() { use_it(); demo::make().run(); }
",
    extension: "rs",
    texts: &[
        "pub struct Pool;\nimpl Pool { pub fn get(&self, size: u32) -> u32 { size } }\npub fn make() -> Pool { Pool }\n",
        "pub enum Pool { A, B }\nimpl Pool { pub fn fetch(&self) {} }\npub fn make() -> Pool { Pool::A }\n",
        "use super::alpha::*;\npub fn use_it() { make().get(); }\n",
        "pub mod gamma;\npub mod alpha;\npub use gamma::*;\n",
        "pub fn broken( {\n  make(\n",
        "use crate::gamma::gone;\nfn f() { gone(); println!(\"x\"); std::mem::drop(1); }\n",
        "",
        "pub fn gone() {}\npub use crate::alpha::make as build;\n",
    ],
    names: &["src/lib", "src/alpha", "src/beta", "src/gamma", "src/main", "src/alpha/mod"],
};

fn edit(project: &Project, dialect: &Dialect, random: &mut Random) -> String {
    let file =
        |random: &mut Random| format!("{}.{}", dialect.names[random.below(dialect.names.len())], dialect.extension);
    let (a, b) = (file(random), file(random));
    let exists = project.tree.join(&a).is_file();
    match random.below(6) {
        0 if exists => {
            project.tree.remove(&a);
            format!("remove {a}")
        }
        1 if exists => {
            let text = std::fs::read(project.tree.join(&a)).expect("reads");
            project.tree.remove(&a);
            project.tree.write(&b, text);
            format!("move {a} to {b}")
        }
        2 if exists => {
            let mut text = std::fs::read_to_string(project.tree.join(&a)).expect("reads");
            text.push_str(dialect.texts[random.below(dialect.texts.len())]);
            project.tree.write(&a, text);
            format!("append to {a}")
        }
        3 if exists => {
            let text = std::fs::read_to_string(project.tree.join(&a)).expect("reads");
            project.tree.write(&a, text.replace("make", "create"));
            format!("rename in {a}")
        }
        _ => {
            let text = dialect.texts[random.below(dialect.texts.len())];
            project.tree.write(&a, text);
            format!("write {a}")
        }
    }
}

fn dump(engine: &Engine) -> String {
    let snapshot = engine.snapshot();
    let files: Vec<String> = snapshot
        .files()
        .iter()
        .map(|file| {
            let (path, language, is_test) = (&file.path, file.language, file.is_test);
            format!("{path} {language:?} {} {is_test} {:?} {:?}", file.lines, file.tiers, file.problems)
        })
        .collect();
    format!("{}\n{}", files.join("\n"), snapshot.graph().dump())
}

/// Search results with scores, which must not depend on how the index was built.
fn find_hits(engine: &Engine) -> Vec<(String, f64)> {
    let snapshot = engine.snapshot();
    let query = m1nd_search::Query::parse("pool make get use fetch");
    let found = snapshot.index().search(&query, 50, &m1nd_search::Filter::default(), &m1nd_base::Cancel::new());
    found.expect("not cancelled").hits.into_iter().map(|hit| (hit.id, hit.score)).collect()
}

fn check(dialect: &Dialect) {
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let project = Project::new(dialect.fixture);
        // With half of the seeds, facts, terms and texts are dropped whenever they can be had again.
        let facts_in_memory = if seed % 2 == 0 { m1nd_engine::EngineConfig::FACTS_IN_MEMORY } else { 0 };
        let open = || {
            let config = m1nd_engine::EngineConfig { facts_in_memory, ..project.config() };
            Engine::open(config).expect("opens")
        };
        let mut engine = open();
        crate::project::ingest(&engine, m1nd_engine::IngestRequest::code(project.tree.path())).expect("ingests");
        let mut edits = Vec::new();
        for _ in 0..EDITS {
            if random.below(3) == 0 {
                edits.push("another process".to_owned());
                drop(engine);
                engine = open();
            }
            edits.push(edit(&project, dialect, &mut random));
            if random.coin() {
                edits.push(edit(&project, dialect, &mut random));
            }
            incremental(&engine, project.tree.path());
        }
        let clean = Project { tree: m1nd_testkit::TempTree::new(""), home: tempfile::TempDir::new().expect("folder") };
        let config = m1nd_engine::EngineConfig::new(clean.home.path().into(), vec![project.tree.path().into()]);
        let fresh = Engine::open(config).expect("opens");
        crate::project::ingest(&fresh, m1nd_engine::IngestRequest::code(project.tree.path())).expect("ingests");
        let (changed, built) = (dump(&engine), dump(&fresh));
        if changed != built {
            let differing = changed.lines().zip(built.lines()).find(|(a, b)| a != b);
            panic!("seed {seed}, edits {edits:#?}: first difference {differing:#?}");
        }
        assert_eq!(find_hits(&engine), find_hits(&fresh), "seed {seed}, edits {edits:#?}");
    }
}

#[test]
fn what_a_macro_of_another_file_defines_is_found_as_soon_as_it_does() {
    let project = Project::new(
        "\
//- Cargo.toml
[package]
name = \"demo\"
version = \"0.1.0\"
//- src/lib.rs
#[macro_use]
mod load;
mod checks;
//- src/load.rs
macro_rules! other { () => {}; }
//- src/checks.rs
load!(fetch, |x: u32| x);
",
    );
    let engine = project.open_indexed();
    let names = || -> Vec<String> { find_hits(&engine).into_iter().map(|(id, _)| id).collect() };
    let function = "file::src/checks.rs::fn::fetch".to_owned();
    assert!(!names().contains(&function));
    let text = "macro_rules! load { ($name:ident, $e:expr) => { fn $name() { $e(1); } }; }\n";
    project.tree.write("src/load.rs", text);
    incremental(&engine, project.tree.path());
    assert!(names().contains(&function), "{:?}\n{}", names(), dump(&engine));
    project.tree.write("src/load.rs", "macro_rules! other { () => {}; }\n");
    incremental(&engine, project.tree.path());
    assert!(!names().contains(&function));
}

#[test]
fn a_file_is_test_code_as_soon_as_it_is_declared_so() {
    let project = Project::new(
        "\
//- Cargo.toml
[package]
name = \"demo\"
version = \"0.1.0\"
//- src/lib.rs
mod helpers;
pub fn run() {}
//- src/helpers.rs
mod deep;
//- src/helpers/deep.rs
pub struct Deep;
pub fn help() { crate::run() }
",
    );
    let mut engine = project.open_indexed();
    for (declared, is_test) in [("mod helpers;", false), ("#[cfg(test)]\nmod helpers;", true), ("mod helpers;", false)]
    {
        project.tree.write("src/lib.rs", format!("{declared}\npub fn run() {{}}\n"));
        incremental(&engine, project.tree.path());
        for _ in 0..2 {
            let snapshot = engine.snapshot();
            for file in ["src/helpers.rs", "src/helpers/deep.rs"] {
                assert_eq!(
                    snapshot.files().get(&path(file)).map(|file| file.is_test),
                    Some(is_test),
                    "{declared} {file}"
                );
            }
            for id in ["", "::struct::Deep", "::fn::help"] {
                let node = snapshot.graph().find(&format!("file::src/helpers/deep.rs{id}")).expect("node");
                assert_eq!(snapshot.graph().flags(node).has(NodeFlags::TEST), is_test, "{declared} {id}");
            }
            let mut expected = vec!["calls file::src/lib.rs::fn::run"];
            expected.extend(is_test.then_some("tests file::src/lib.rs::fn::run"));
            assert_eq!(edges(&snapshot, "file::src/helpers/deep.rs::fn::help"), expected);
            drop(snapshot);
            // As another process finds it.
            drop(engine);
            engine = project.open();
        }
    }
}

#[test]
fn python_edits_equal_a_clean_build() {
    check(&PYTHON);
}

#[test]
fn typescript_edits_equal_a_clean_build() {
    check(&TYPESCRIPT);
}

#[test]
fn rust_edits_equal_a_clean_build() {
    check(&RUST);
}
