//! Linking what changed gives what linking everything again gives, over random edits of small projects.

mod common;
#[path = "incremental/csharp.rs"]
mod csharp;
mod incremental_samples;
#[path = "incremental/kotlin.rs"]
mod kotlin;
#[path = "incremental/swift.rs"]
mod swift;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use incremental_samples::{LINES, PHP, RUBY, SCALA, WORDS};
use m1nd_base::{Cancel, Limits, NoProgress, Pos, RepoPath};
use m1nd_lang::FileFacts;
use m1nd_link::{
    CompilerFile, CompilerNode, CompilerRelation, CompilerRow, CompilerSymbol, FactsSource, FileLinks, Linker,
};

/// Random edit sequences a language.
const SEEDS: u64 = 40;
/// Edits a sequence.
const EDITS: usize = 12;

type Tree = BTreeMap<String, String>;

const PYTHON: &[(&str, &str)] = &[
    ("pkg/__init__.py", "from .a import load as load\nfrom .shapes import *\n__all__ = ['load', 'Circle']\n"),
    (
        "pkg/a.py",
        "from . import shapes\nfrom .b import Store\n\ndef load(x: int) -> Store:\n    return Store(shapes.Circle(x))\n",
    ),
    (
        "pkg/b.py",
        "class Base:\n    def size(self): return 1\n\nclass Store(Base):\n    def __init__(self, shape):\n        self.shape = shape\n    def get(self): return self.shape\n    def all(self): return self.size()\n",
    ),
    (
        "pkg/shapes.py",
        "class Circle:\n    def __init__(self, r): self.r = r\n    def area(self): return self.r\n\ndef unit(): return Circle(1)\n",
    ),
    (
        "main.py",
        "import pkg\nfrom pkg import load, Circle\n\ndef main():\n    store = load(1)\n    store.get().area()\n    store.all()\n    pkg.shapes.unit().area()\n    Circle(2).area()\n",
    ),
];

/// Entry points and what tests are given.
const SERVICE: &[(&str, &str)] = &[
    (
        "app.py",
        "import flask\nfrom store import Store, load\napp = flask.Flask('x')\n@app.route('/')\ndef area(): return load()\napp.add_url_rule('/x', 'x', load)\napp.add_url_rule('/y', 'y', Store.get)\n",
    ),
    ("store.py", "import os\nclass Store:\n    def get(self): return os.environ['size']\ndef load(): return Store()\n"),
    (
        "views.py",
        "from app import app\nimport flask\n@app.get('/v')\ndef size(): ...\ndef unit(load):\n    load.get('/w')(size)\n    @load.route('/a')\n    def all(): ...\n",
    ),
    (
        "conftest.py",
        "import pytest\nfrom store import Store\n@pytest.fixture\ndef load(): return Store()\n@pytest.fixture\ndef shapes(load):\n    yield load\n",
    ),
    (
        "tests/conftest.py",
        "import pytest\n@pytest.fixture(name='unit')\ndef area(shapes): return shapes\n@pytest.fixture\ndef load(load): return load\n",
    ),
    (
        "tests/test_store.py",
        "def test_size(load, unit):\n    load.get()\n    unit.get()\nclass TestAll:\n    def test_area(self, shapes): shapes.get()\n",
    ),
];

/// Routes that routers of other files are mounted in front of, and clients of two languages.
const CONTRACTS: &[(&str, &str)] = &[
    (
        "app.py",
        "from fastapi import FastAPI\nfrom shapes import router\nfrom store import ROOT_PATH\napp = FastAPI()\napp.include_router(router, prefix='/load')\n@app.get('/size/{all}')\ndef size(all): ...\n",
    ),
    (
        "shapes.py",
        "from fastapi import APIRouter\nrouter = APIRouter(prefix='/area')\n@router.get('/{unit}')\ndef unit(unit): ...\n@router.post('/all')\ndef all(): ...\n",
    ),
    ("store.py", "ROOT_PATH = '/load'\nimport requests\ndef load(): return requests.get('http://h/size/1')\n"),
    // Neither has a route or a request of its own.
    ("main.py", "from app import app\nfrom shapes import router\napp.include_router(router, prefix='/unit')\n"),
    (
        "api.ts",
        "import axios from 'axios';\nexport const api = axios.create({ baseURL: 'http://h/unit' });\nexport const base = '/load/area';\n",
    ),
    (
        "calls.ts",
        "import { api, base } from './api';\nexport const all = () => api.get('/area/all');\nexport const area = () => fetch(`${base}/all`);\n",
    ),
    (
        "server.js",
        "const express = require('express');\nconst shapes = require('./routes');\nconst app = express();\napp.use('/unit', shapes);\napp.get('/load/area/all', all);\nfunction all() {}\n",
    ),
    (
        "routes.js",
        "const express = require('express');\nconst get = express.Router();\nget.get('/area', (a, b) => b);\nmodule.exports = get;\n",
    ),
    (
        "client.ts",
        "import axios from 'axios';\nconst load = axios.create({ baseURL: 'http://h/load' });\nexport function get(all: string) { return load.get(`/area/${all}`); }\nexport const unit = () => load.post('/area/all', {});\nexport const size = () => fetch('/unit/area');\n",
    ),
];

/// Procedures, tables, fields, topics, tools and variables that programs share.
const SHARED: &[(&str, &str)] = &[
    (
        "all/load.proto",
        "syntax = \"proto3\";\npackage lib;\nimport \"all/shapes.proto\";\nservice Store {\n  rpc Load(Circle) returns (Base) {}\n  rpc Size(Base) returns (Circle);\n}\nmessage Base { Circle area = 1; }\n",
    ),
    ("all/shapes.proto", "syntax = \"proto3\";\npackage lib;\nmessage Circle { int32 unit = 1; }\n"),
    (
        "area/server.py",
        "import load_pb2_grpc\nfrom kafka import KafkaConsumer\nfrom mcp.server.fastmcp import FastMCP\nfrom size import STORE_TOPIC\nlib = FastMCP('x')\nclass Circle(load_pb2_grpc.StoreServicer):\n    def Load(self, a, b): ...\n    def Size(self, a, b): ...\nload_pb2_grpc.add_StoreServicer_to_server(Circle(), None)\n@lib.tool()\ndef get(): ...\ndef all():\n    KafkaConsumer('area')\n    KafkaConsumer(STORE_TOPIC)\n",
    ),
    (
        "area/client.py",
        "import os\nimport load_pb2_grpc\nfrom kafka import KafkaProducer\nfrom mcp import ClientSession\ndef unit(lib):\n    Store = load_pb2_grpc.StoreStub(lib)\n    Store.Load(1)\n    KafkaProducer().send('area')\n    KafkaProducer().send('load')\nasync def size(all: ClientSession):\n    await all.call_tool('get')\n    lib('LOAD_SIZE')\ndef lib(name): return os.getenv(name)\ndef get(db):\n    db.execute(\"SELECT unit FROM shapes\")\n    return os.environ['size']\n",
    ),
    ("size.py", "STORE_TOPIC = 'load'\n"),
    (
        "all/shapes.sql",
        "CREATE TABLE shapes (unit INT, area INT REFERENCES load (size));\nCREATE TABLE load (size INT);\n",
    ),
    (
        "get.yaml",
        "services:\n  unit:\n    image: lib/unit\n    build: {context: ./area, dockerfile: all.dockerfile}\n    environment:\n      size: 1\n      LOAD_SIZE: 2\n    depends_on: [load]\n  load:\n    image: lib/unit\n",
    ),
    ("area/all.dockerfile", "FROM load\nENV size=1\nCMD [\"python\", \"client.py\"]\n"),
    ("unit.graphql", "type Query { area: Circle }\ntype Circle { unit: Int }\n"),
    (
        "lib.js",
        "import { gql } from '@apollo/client';\nconst resolvers = { Query: { area() { return 1; }, size: () => 2 } };\nexport const get = gql`query { area { unit } size }`;\n",
    ),
];

/// Functions in whose place decorators of another file put others, which use what they are given or do not.
const WRAPPED: &[(&str, &str)] = &[
    (
        "lib.py",
        "def load(get):\n    def area():\n        get()\n    return area\ndef all(size):\n    def unit(get=None):\n        get\n    return unit\ndef shapes(get):\n    size = get\n    def area(get):\n        size(get)\n    return area\n",
    ),
    (
        "use.py",
        "from lib import load, all, shapes\n@load\ndef unit(): ...\n@all\ndef size(): ...\n@shapes\ndef get(): ...\ndef area():\n    unit()\n    size()\n    get()\n",
    ),
    ("tests/test_use.py", "from use import unit, size, get\ndef test_area():\n    unit()\n    size()\n    get()\n"),
];

/// Functions and values that calls in other files pass, by place, by name, through variables and parameters.
const PASSES: &[(&str, &str)] = &[
    (
        "lib.py",
        "class Store:\n    def __init__(self, load):\n        self.load = load\n    def get(self): return self.load()\ndef all(size):\n    size()\n    return size\ndef unit(get, area=None):\n    get(area)\n    area()\n",
    ),
    (
        "shapes.py",
        "class Circle:\n    def area(self): ...\n    def get(self): ...\ndef area(f):\n    def size(): f()\n    return size\n",
    ),
    (
        "main.py",
        "import lib\nfrom lib import all, unit as load, Store\nfrom shapes import Circle, area\ndef get(): ...\nsize = get\nall(size)\ndef main():\n    size = Circle()\n    lib.all(size=size)\n    Store(get).get()\n    load(all, area=get)\n",
    ),
    (
        "use.py",
        "from shapes import area, Circle\nfrom lib import *\n@area\ndef size(): ...\ndef load(x): x.get()\nload(Circle())\nall(load)()\nunit(area=Circle, get=load)\n",
    ),
];

const TYPESCRIPT: &[(&str, &str)] = &[
    (
        "src/index.ts",
        "export * from './store';\nexport { Circle as Round } from './shapes';\nexport { default } from './main';\n",
    ),
    (
        "src/store.ts",
        "import { Circle } from './shapes';\nexport class Base { size() { return 1; } }\nexport class Store extends Base {\n  shape: Circle;\n  constructor(shape: Circle) { super(); this.shape = shape; }\n  get() { return this.shape; }\n  all() { return this.size(); }\n}\n",
    ),
    (
        "src/shapes.ts",
        "export class Circle { r = 1; area() { return this.r; } }\nexport function unit(): Circle { return new Circle(); }\n",
    ),
    (
        "src/main.ts",
        "import { Store } from './store';\nimport * as shapes from './shapes';\nexport default function main() {\n  const store = new Store(shapes.unit());\n  store.get().area();\n  store.all();\n}\n",
    ),
    (
        "src/fits.ts",
        "export interface Sized { size(): number; get?: () => void }\nexport function load(x: Sized, { area }: { area: () => void }) { x.size(); area(); }\nexport const unit = { size() { return 1; } };\n",
    ),
    (
        "app.js",
        "const main = require('./src/main');\nimport run, { Round } from './src';\nrun();\nnew Round().area();\n",
    ),
    ("package.json", "{ \"name\": \"fixture\" }\n"),
];

const RUST: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"fixture\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "pub mod shapes;\nmod store;\npub use store::Store;\npub use shapes::*;\n\npub fn main() {\n    let store = Store::new(shapes::unit());\n    store.get().area();\n    store.size();\n}\n",
    ),
    (
        "src/shapes.rs",
        "pub struct Circle { pub r: u32 }\nimpl Circle {\n    pub fn area(&self) -> u32 { self.r }\n}\npub fn unit() -> Circle { Circle { r: 1 } }\n",
    ),
    (
        "src/store/mod.rs",
        "use crate::shapes::Circle;\nmod sized;\npub use sized::Sized2;\npub struct Store { shape: Circle }\nimpl Store {\n    pub fn new(shape: Circle) -> Self { Store { shape } }\n    pub fn get(&self) -> &Circle { &self.shape }\n}\n",
    ),
    (
        "src/store/sized.rs",
        "use super::Store;\npub trait Sized2 { fn size(&self) -> u32 { 1 } }\nimpl Sized2 for Store {}\n",
    ),
];

/// Functions that macros define, and code in the arguments of macros of other files.
const RUST_MACROS: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"fixture\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "#[macro_use]\nmod load;\nmod shapes;\nmod checks;\npub struct Store;\nimpl Store { pub fn get(&self) -> shapes::Circle { shapes::unit() } }\n",
    ),
    (
        "src/load.rs",
        "macro_rules! load {\n    ($name:ident, $e:expr) => {\n        #[test]\n        fn $name() { $e(1); }\n    };\n}\nmacro_rules! all {\n    ($($e:expr),*) => { [$($e),*] };\n}\n#[macro_export]\nmacro_rules! size { ($($t:tt)*) => { stringify!($($t)*) } }\n",
    ),
    (
        "src/shapes.rs",
        "pub struct Circle;\nimpl Circle { pub fn area(&self) -> u32 { all![unit().area(), size!(unit())] } }\npub fn unit() -> Circle { Circle }\n",
    ),
    (
        "src/checks.rs",
        "use crate::{Store, shapes::{self, unit}};\nload!(get, |store: Store| store.get().area());\nload!(area, |_| {\n    all!(shapes::unit().area(), unit());\n    size!(unit().area());\n});\ncrate::size!(all, unit());\n",
    ),
];

/// Crates that know each other, with files that change places in their trees of modules.
const RUST_CRATES: &[(&str, &str)] = &[
    ("Cargo.toml", "[workspace]\nmembers = [\"shapes\", \"load\"]\n"),
    ("shapes/Cargo.toml", "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\n"),
    (
        "shapes/src/lib.rs",
        "#[macro_use]\nmod all;\npub mod unit;\npub struct Circle;\nimpl Circle { pub fn area(&self) { all!() } }\npub fn load() -> Circle { unit::unit() }\n",
    ),
    (
        "shapes/src/all.rs",
        "macro_rules! all { () => { $crate::load() }; }\n#[macro_export]\nmacro_rules! size { () => { 1 }; }\n",
    ),
    ("shapes/src/unit.rs", "pub mod get;\npub fn unit() -> super::Circle { get::get() }\n"),
    ("shapes/src/unit/get.rs", "pub fn get() -> crate::Circle { super::super::load() }\n"),
    (
        "load/Cargo.toml",
        "[package]\nname = \"load\"\nversion = \"0.1.0\"\n[dependencies]\nshapes = { path = \"../shapes\" }\n",
    ),
    (
        "load/src/lib.rs",
        "extern crate shapes as lib;\nmod size;\nuse lib::Circle;\npub fn area(c: Circle) { c.area(); shapes::size!(); size::size() }\n",
    ),
    ("load/src/size.rs", "pub fn size() { shapes::unit::get::get().area(); crate::area(lib::load()) }\n"),
    ("load/src/main.rs", "mod get;\nfn main() { load::area(shapes::load()); get::get() }\n"),
    ("load/src/get.rs", "pub fn get() { super::main(); crate::get::get() }\n"),
    (
        "load/tests/unit.rs",
        "#[path = \"../src/get.rs\"]\nmod get;\nfn unit() { get::get(); load::area(shapes::Circle) }\n",
    ),
];

/// Modules in other files that are there for tests only.
const RUST_TESTS: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"fixture\"\nversion = \"0.1.0\"\n"),
    ("src/lib.rs", "mod store;\n#[cfg(test)]\nmod load;\nmod shapes;\n#[cfg(test)]\nmod all { mod unit; }\n"),
    ("src/store.rs", "pub fn get() {}\n#[cfg(test)]\n#[path = \"load/size.rs\"]\nmod size;\npub fn size() { get() }\n"),
    ("src/load.rs", "mod area;\nmod size;\npub fn load() { crate::store::get(); area::area() }\n"),
    ("src/load/area.rs", "pub fn area() { crate::store::size(); super::load() }\n"),
    ("src/load/size.rs", "pub fn size() { crate::store::get() }\n"),
    ("src/shapes.rs", "#[test]\nfn unit() { crate::load::load(); crate::store::get() }\n"),
    ("src/all/unit.rs", "pub fn unit() { crate::store::get() }\n"),
];

const JAVA: &[(&str, &str)] = &[
    (
        "src/p/Base.java",
        "package p;\npublic class Base<T> {\n    protected T all;\n    public int size() { return 1; }\n    public T get() { return all; }\n}\n",
    ),
    (
        "src/p/Store.java",
        "package p;\nimport q.Circle;\npublic class Store extends Base<Circle> {\n    Store(Circle circle) { load(circle, 1); }\n    void load(Circle circle) { load(circle, size()); }\n    void load(Circle circle, int size) { all = circle; }\n    void area() { get().area(); }\n}\n",
    ),
    (
        "src/q/Circle.java",
        "package q;\npublic class Circle implements Shapes {\n    public int area() { return 1; }\n    public static Circle unit() { return new Circle(); }\n}\ninterface Shapes { int area(); default int size() { return area(); } }\n",
    ),
    (
        "src/q/Main.java",
        "package q;\nimport java.util.*;\nimport p.*;\nimport static q.Circle.unit;\nclass Main {\n    void get(List<Circle> all) {\n        Store store = null;\n        store.get().area();\n        unit().size();\n        all.forEach(load -> load.area());\n        new Circle().size();\n    }\n}\n",
    ),
    (
        "test/q/CircleTest.java",
        "package q;\nclass CircleTest extends Circle {\n    void area(int size) { unit().area(); area(); }\n}\n",
    ),
];

const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.com/m\n\nrequire example.com/lib v1.0.0\nreplace example.com/lib => ./lib\n"),
    (
        "main.go",
        "package main\n\nimport (\n\t\"example.com/lib\"\n\t\"example.com/m/shapes\"\n)\n\nfunc main() {\n\tstore := lib.Load(shapes.unit())\n\tstore.get().area()\n\tstore.size()\n\tall(store)\n}\n",
    ),
    (
        "all.go",
        "package main\n\nimport . \"example.com/lib\"\n\ntype Sized interface { size() int }\n\nfunc all(s Sized) { s.size(); load() }\nfunc load() *Store { return nil }\n",
    ),
    ("lib/go.mod", "module example.com/lib\n"),
    (
        "lib/store.go",
        "package lib\n\nimport \"example.com/m/shapes\"\n\ntype Store struct {\n\tBase\n\tshape shapes.Circle\n}\nfunc Load(c shapes.Circle) *Store { return &Store{shape: c} }\nfunc (s *Store) get() shapes.Circle { return s.shape }\n",
    ),
    ("lib/base.go", "package lib\n\ntype Base struct{}\nfunc (b Base) size() int { return 1 }\nfunc load() {}\n"),
    (
        "shapes/shapes.go",
        "package shapes\n\ntype Circle struct { r int }\nfunc (c Circle) area() int { return c.r }\nfunc unit() Circle { return Circle{r: 1} }\n",
    ),
    ("shapes/shapes_test.go", "package shapes\n\nfunc size() int { return unit().area() }\n"),
];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn put(linker: &mut Linker, path: &str, text: &str) {
    common::put(linker, path, text);
    let path = RepoPath::new(path).expect("a fixture path");
    let is_indexed = path.as_str() == INDEXED.0 && text == INDEXED.1;
    linker.set_compiler_index(&path, is_indexed.then(compiler_index));
}

/// A file of which a compiler index says more than can be found out, as long as it is as it is here.
const INDEXED: (&str, &str) = (
    "use.py",
    "from pkg import load\ndef use(shape, store):\n    shape.area()\n    store.get()\n    store.all()\n    load(1)\n",
);

fn compiler_index() -> CompilerFile {
    let node = |path: &str, id: &str| {
        let path = RepoPath::new(path).expect("a fixture path");
        CompilerSymbol::Nodes(vec![CompilerNode { id: format!("file::{path}::{id}").into(), path }])
    };
    let symbols = vec![
        node("pkg/shapes.py", "class::Circle::fn::area"),
        node("pkg/b.py", "class::Store::fn::get"),
        CompilerSymbol::External(Some("outside".into())),
        node("pkg/b.py", "class::Store"),
    ];
    let row = |line, col, symbol| CompilerRow { pos: Pos { line, col }, symbol, import: false };
    // At the last one we see no reference.
    let rows = vec![row(3, 11, 0), row(4, 11, 1), row(5, 11, 2), row(6, 5, 3), row(6, 10, 3)];
    let relation = |from: &str, symbol| CompilerRelation { from: format!("file::use.py::{from}").into(), symbol };
    let relations = vec![relation("fn::use", 0), relation("fn::gone", 1)];
    CompilerFile { symbols: Arc::new(symbols), rows: Arc::new(rows), relations: Arc::new(relations) }
}

/// The facts of all files as they are.
struct Stored(BTreeMap<RepoPath, Arc<FileFacts>>);

impl FactsSource for Stored {
    fn facts(&self, path: &RepoPath) -> Option<Arc<FileFacts>> {
        self.0.get(path).cloned()
    }
}

fn store_tree(tree: &Tree) -> Arc<Stored> {
    let facts = |(path, text): (&String, &String)| {
        let path = RepoPath::new(path).expect("a fixture path");
        let facts = common::facts(&path, text);
        (path, facts)
    };
    Arc::new(Stored(tree.iter().map(facts).collect()))
}

/// The linker as another process has it, or after its facts were dropped, or as it is.
fn forgetful(random: &mut Random, tree: &Tree, mut linker: Linker) -> Linker {
    match random.below(3) {
        0 if !tree.is_empty() => {
            let indexed = tree.get(INDEXED.0).filter(|text| *text == INDEXED.1);
            let path = RepoPath::new(INDEXED.0).expect("a fixture path");
            let compiler = indexed.map(|_| (path, compiler_index()));
            Linker::restore(Limits::default(), Arc::new(linker.state()), store_tree(tree), compiler, Vec::new())
                .expect("it is whole")
        }
        1 => {
            linker.unload(store_tree(tree), &|path| path.as_str().len().is_multiple_of(3));
            linker
        }
        _ => linker,
    }
}

fn dump(linker: &Linker, links: &FileLinks) -> String {
    let mut text = format!("test {}\n", links.is_test);
    for node in &links.nodes {
        let _ = writeln!(text, "node {} {:?}", linker.text(node.id), node.parent);
    }
    for edge in &links.edges {
        let (from, to) = (linker.text(edge.from), linker.text(edge.to));
        let (tier, of, sites) = (edge.tier, edge.of, links.sites(edge));
        let compiler = if edge.compiler { " compiler" } else { "" };
        let _ = writeln!(text, "{from} -{}-> {to} {tier} of {of} at {sites:?}{compiler}", edge.relation);
    }
    for row in &links.unresolved {
        let _ = writeln!(text, "{} ? {} {} at {:?}", linker.text(row.from), linker.name(row.name), row.reason, row.pos);
    }
    let _ = writeln!(text, "{:?} {:?}", links.counts, links.compared);
    text
}

fn update(linker: &mut Linker, state: &mut Tree) {
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    for path in &delta.removed {
        state.remove(path.as_str());
    }
    for links in &delta.changed {
        state.insert(links.path.as_str().to_owned(), dump(linker, links));
    }
}

fn clean(tree: &Tree) -> Tree {
    let mut linker = Linker::new(Limits::default());
    // Another order than the edits came in.
    for (path, text) in tree.iter().rev() {
        put(&mut linker, path, text);
    }
    let mut state = Tree::new();
    update(&mut linker, &mut state);
    state
}

/// A line that brings names in.
fn new_line(random: &mut Random, path: &str) -> String {
    let rows = LINES.iter().find(|(ending, _)| path.ends_with(ending)).map_or(&[][..], |(_, rows)| rows);
    let Some(row) = rows.get(random.below(rows.len().max(1))) else { return String::new() };
    row.replace("{a}", WORDS[random.below(WORDS.len())]).replace("{b}", WORDS[random.below(WORDS.len())])
}

/// One random edit; what was done, for the report.
fn edit(random: &mut Random, tree: &mut Tree, linker: &mut Linker) -> String {
    let paths: Vec<String> = tree.keys().cloned().collect();
    let path = paths[random.below(paths.len())].clone();
    let text = tree[&path].clone();
    match random.below(8) {
        0 if tree.len() > 2 => {
            tree.remove(&path);
            linker.remove_file(&RepoPath::new(&path).expect("a fixture path"));
            return format!("delete {path}");
        }
        1 => {
            let (stem, extension) = path.rsplit_once('.').expect("fixtures have extensions");
            let moved = format!("{stem}{}.{extension}", random.below(3));
            tree.remove(&path);
            linker.remove_file(&RepoPath::new(&path).expect("a fixture path"));
            put(linker, &moved, &text);
            tree.insert(moved.clone(), text);
            return format!("move {path} to {moved}");
        }
        _ => {}
    }
    let lines: Vec<&str> = text.lines().collect();
    let line = random.below(lines.len().max(1));
    let changed = match random.below(9) {
        0 => {
            let (old, new) = (WORDS[random.below(WORDS.len())], WORDS[random.below(WORDS.len())]);
            text.replace(old, new)
        }
        1 => {
            lines.iter().enumerate().filter(|(index, _)| *index != line).map(|(_, line)| format!("{line}\n")).collect()
        }
        2 => {
            let mut lines = lines.clone();
            lines.insert(line, lines.get(random.below(lines.len().max(1))).copied().unwrap_or(""));
            lines.join("\n")
        }
        3 => text[..text.floor_char_boundary(random.below(text.len() + 1))].to_owned(),
        4 => {
            let other = &paths[random.below(paths.len())];
            format!("{text}{}", tree[other])
        }
        5 => format!("\n{text}"),
        // At any place, so in bodies and classes too.
        kind => {
            let new = new_line(random, &path);
            let place = if kind == 6 { lines.len() } else { line };
            let (before, after) = lines.split_at(place);
            [before, &[new.as_str()], after].concat().iter().map(|line| format!("{line}\n")).collect()
        }
    };
    put(linker, &path, &changed);
    tree.insert(path.clone(), changed);
    format!("edit {path}")
}

fn sequences(fixture: &[(&str, &str)]) {
    for seed in 1..=SEEDS {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut tree: Tree = fixture.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let mut linker = Linker::new(Limits::default());
        let mut state = Tree::new();
        for (path, text) in &tree {
            put(&mut linker, path, text);
        }
        update(&mut linker, &mut state);
        let mut done = Vec::new();
        for _ in 0..EDITS {
            done.push(edit(&mut random, &mut tree, &mut linker));
            update(&mut linker, &mut state);
            let wanted = clean(&tree);
            for (path, wanted) in &wanted {
                let got = state.get(path).map_or("", String::as_str);
                assert_eq!(got, wanted, "seed {seed}, {path} after {done:#?}\ntree: {tree:#?}");
            }
            assert_eq!(state.len(), wanted.len(), "seed {seed} after {done:#?}");
            assert!(!linker.is_short(), "seed {seed} after {done:#?}");
            linker = forgetful(&mut random, &tree, linker);
        }
    }
}

const C: &[(&str, &str)] = &[
    (
        "include/store.h",
        "#ifndef STORE_H\n#define STORE_H\nstruct store;\ntypedef struct ops { int (*get)(int); } ops_t;\nint store_get(int x);\nvoid store_put(struct store *s);\n#define TWICE(x) (store_get(x) + store_get(x))\nextern const ops_t table;\n#endif\n",
    ),
    (
        "src/store.c",
        "#include \"store.h\"\nstruct store { int size; };\nstatic int check(int x) { return x; }\nint store_get(int x) { return check(x); }\nvoid store_put(struct store *s) { s->size = TWICE(1); }\nconst ops_t table = { .get = store_get };\n",
    ),
    (
        "src/main.c",
        "#include <stdio.h>\n#include \"../include/store.h\"\n#include \"util.h\"\nint main(void) {\n  ops_t o;\n  o.get = helper;\n  printf(\"%d\", o.get(TWICE(2)));\n  return table.get(store_get(1)) + late(2);\n}\n",
    ),
    ("src/util.h", "static inline int helper(int x) { return x + 1; }\n"),
    ("src/other.c", "int late(int x) { return x; }\nint check(int x) { return late(x); }\n"),
];

const CPP: &[(&str, &str)] = &[
    (
        "shape.h",
        "#pragma once\n#include <vector>\nnamespace geo {\nclass Shape {\n public:\n  Shape();\n  int area() const;\n  int area(int scale) const;\n};\nint total(const std::vector<Shape>& all);\n}\n",
    ),
    (
        "shape.cc",
        "#include \"shape.h\"\nnamespace geo {\nShape::Shape() {}\nint Shape::area() const { return area(1); }\nint Shape::area(int scale) const { return scale; }\nint total(const std::vector<Shape>& all) {\n  int sum = 0;\n  for (const auto& one : all) sum += one.area();\n  return sum;\n}\n}\n",
    ),
    (
        "main.cc",
        "#include \"shape.h\"\nusing geo::Shape;\nint main() {\n  Shape s;\n  std::vector<Shape> all;\n  return geo::total(all) + s.area(2);\n}\n",
    ),
];

#[test]
fn c_edits() {
    sequences(C);
}

#[test]
fn cpp_edits() {
    sequences(CPP);
}

#[test]
fn edits_below_a_compilers_index() {
    let fixture: Vec<(&str, &str)> = PYTHON.iter().copied().chain([INDEXED]).collect();
    let state = clean(&fixture.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect());
    let said: Vec<&str> = state[INDEXED.0].lines().filter(|line| line.ends_with("compiler")).collect();
    assert_eq!(said.len(), 7, "{said:#?}");
    sequences(&fixture);
}

#[test]
fn python_edits() {
    sequences(PYTHON);
}

#[test]
fn passed_values_edits() {
    sequences(PASSES);
}

#[test]
fn wrapped_edits() {
    sequences(WRAPPED);
}

#[test]
fn the_body_of_a_wrapper_is_seen_from_other_files() {
    let mut linker = Linker::new(Limits::default());
    let mut state = Tree::new();
    let wrapper = |body: &str| format!("def load(get):\n    def area():\n        {body}\n    return area\n");
    put(&mut linker, "use.py", "from lib import load\n@load\ndef unit(): ...\ndef main(): unit()\n");
    for (body, calls) in [("get()", true), ("pass", false), ("get()", true)] {
        put(&mut linker, "lib.py", &wrapper(body));
        update(&mut linker, &mut state);
        let edge = "file::use.py::fn::main -calls-> file::use.py::fn::unit certain";
        assert_eq!(state["use.py"].contains(edge), calls, "{body}: {}", state["use.py"]);
    }
}

#[test]
fn typescript_edits() {
    sequences(TYPESCRIPT);
}

#[test]
fn rust_edits() {
    sequences(RUST);
}

#[test]
fn rust_crate_edits() {
    sequences(RUST_CRATES);
}

#[test]
fn rust_macro_edits() {
    sequences(RUST_MACROS);
}

#[test]
fn rust_test_edits() {
    sequences(RUST_TESTS);
}

#[test]
fn java_edits() {
    sequences(JAVA);
}

#[test]
fn php_edits() {
    sequences(PHP);
}

#[test]
fn ruby_edits() {
    sequences(RUBY);
}

#[test]
fn scala_edits() {
    sequences(SCALA);
}

#[test]
fn kotlin_edits() {
    sequences(kotlin::PROJECT);
}

#[test]
fn csharp_edits() {
    sequences(csharp::PROJECT);
}

#[test]
fn swift_edits() {
    sequences(swift::PROJECT);
}

#[test]
fn contract_edits() {
    sequences(CONTRACTS);
}

#[test]
fn shared_name_edits() {
    let state = clean(&SHARED.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect());
    let of = |relation: &str| state.values().map(|text| text.matches(&format!(" -{relation}-> ")).count()).sum();
    let counts: [usize; 4] = ["requests", "serves", "depends_on", "sets_config"].map(of);
    assert!(counts.iter().zip([6, 6, 4, 3]).all(|(found, least)| *found >= least), "{counts:?}");
    sequences(SHARED);
}

#[test]
fn service_edits() {
    sequences(SERVICE);
}

#[test]
fn go_edits() {
    sequences(GO);
}
