//! Registrations with frameworks, by the tables of each language.

mod common;

use std::sync::Arc;

use m1nd_base::{Cancel, EdgeTier, Limits, NoProgress, Relation, RepoPath};
use m1nd_lang::Language;
use m1nd_link::Linker;

type Files<'a> = &'a [(&'a str, &'a str)];

fn link_files(files: Files<'_>) -> Linker {
    linked_with_edges(files).0
}

/// The linker, and the edges of a relation as `from -> to (line)`, with `?` behind what is not certain.
fn linked_with_edges(files: Files<'_>) -> (Linker, Vec<(Relation, String)>) {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in files {
        assert_eq!(common::put(&mut linker, path, text), None, "{path}");
    }
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let mut rows = Vec::new();
    for links in &delta.changed {
        for edge in &links.edges {
            let mark = if edge.tier == EdgeTier::Certain { "" } else { "?" };
            let lines: Vec<String> = links.sites(edge).iter().map(|pos| pos.line.to_string()).collect();
            let (from, to) = (short(linker.text(edge.from)), short(linker.text(edge.to)));
            rows.push((edge.relation, format!("{from} -> {to} ({}){mark}", lines.join(","))));
        }
    }
    (linker, rows)
}

fn short(id: &str) -> String {
    let id = id.trim_start_matches("file::");
    id.replace("fn::", "").replace("class::", "").replace("struct::", "")
}

/// The entry points of all files as `from -> to: what`, with `?` behind what is only possible.
fn entry_points(files: Files<'_>) -> Vec<String> {
    let linker = link_files(files);
    let mut rows = Vec::new();
    for (path, _) in files {
        for row in linker.entry_points(&RepoPath::new(path).expect("a valid path")) {
            let mark = if row.tier == EdgeTier::Certain { "" } else { "?" };
            rows.push(format!("{} -> {}: {}{mark}", short(&row.from), short(&row.to), row.what));
        }
    }
    rows
}

/// Files, and what they hand to frameworks.
const CASES: &[(&str, Files<'_>, &[&str])] = &[
    (
        "flask",
        &[(
            "app.py",
            "from flask import Flask, Blueprint\napp = Flask(__name__)\nbp = Blueprint('b', __name__)\n\
             @app.route('/')\ndef index(): ...\n@bp.get('/x')\ndef one(): ...\n@app.before_request\ndef first(): ...\n\
             @app.cli.command('init')\ndef init(): ...\ndef create():\n    app = Flask(__name__)\n    @app.route('/in')\n    \
             def inner(): ...\n    app.add_url_rule('/l', 'l', late)\n    return app\ndef late(): ...\n",
        )],
        &[
            "app.py -> app.py::index: http route",
            "app.py -> app.py::one: http route",
            "app.py -> app.py::first: middleware",
            "app.py -> app.py::init: command",
            "app.py::create -> app.py::create::inner: http route",
            "app.py::create -> app.py::late: http route",
        ],
    ),
    (
        "one decorator of several functions",
        &[(
            "tasks.py",
            "from celery import Celery, shared_task\napp = Celery()\n@shared_task\ndef one(): ...\n@shared_task\n\
             def two(): ...\n@app.task\ndef three(): ...\n@app.task\ndef four(): ...\n",
        )],
        &[
            "tasks.py -> tasks.py::one: task",
            "tasks.py -> tasks.py::two: task",
            "tasks.py -> tasks.py::three: task",
            "tasks.py -> tasks.py::four: task",
        ],
    ),
    (
        "an application made elsewhere, and one of which nothing is known",
        &[
            ("app.py", "from flask import Flask\napp = Flask(__name__)\n"),
            ("views.py", "from app import app\n@app.route('/')\ndef index(): ...\n"),
            ("late.py", "import flask\ndef add(app):\n    @app.route('/')\n    def index(): ...\n"),
        ],
        &["views.py -> views.py::index: http route", "late.py::add -> late.py::add::index: http route?"],
    ),
    (
        "names of a framework's methods on other things",
        &[(
            "app.py",
            "import flask\nfrom other import thing\nclass App:\n    def route(self, path): ...\n    def get(self, f): ...\n\
             app = App()\n@app.route('/')\ndef index(): ...\n@thing.route('/')\ndef two(): ...\napp.get(index)\n",
        )],
        &[],
    ),
    (
        "fastapi",
        &[
            ("deps.py", "def session(): ...\n"),
            (
                "api.py",
                "from fastapi import APIRouter, Depends\nfrom deps import session\nrouter = APIRouter()\n\
                 @router.get('/items')\nasync def items(db=Depends(session)): ...\n\
                 class Repo: ...\ndef repository(of):\n    def made(): return of()\n    return made\n\
                 def late(\n    repo=Depends(repository(Repo)),\n): ...\n",
            ),
        ],
        &[
            "api.py -> api.py::items: http route",
            "api.py::items -> deps.py::session: provider",
            "api.py::late -> api.py::repository::made: provider",
        ],
    ),
    (
        "django",
        &[
            ("shop/__init__.py", ""),
            (
                "shop/views.py",
                "from django.views import View\nclass Cart(View): ...\ndef index(request): ...\ndef late(r): ...\n",
            ),
            (
                "shop/urls.py",
                "from django.urls import path\nfrom wrappers import wraps\nfrom . import views\n\
                 urlpatterns = [path('', views.index), path('cart', views.Cart.as_view()), path('p', wraps(views.late))]\n",
            ),
            (
                "shop/signals.py",
                "from django.db.models.signals import post_save\nfrom django.dispatch import receiver\n\
                 @receiver(post_save)\ndef saved(**kw): ...\ndef other(**kw): ...\npost_save.connect(other)\n",
            ),
        ],
        &[
            "shop/urls.py -> shop/views.py::index: http route",
            "shop/urls.py -> shop/views.py::Cart: http route",
            "shop/urls.py -> shop/views.py::late: http route?",
            "shop/signals.py -> shop/signals.py::saved: event handler",
            "shop/signals.py -> shop/signals.py::other: event handler",
        ],
    ),
    (
        "click: groups are made of functions",
        &[(
            "cli.py",
            "import click\n@click.group()\ndef cli(): ...\n@cli.command()\n@click.option('--n')\ndef run(n): ...\n\
             @cli.group()\ndef sub(): ...\n@sub.command()\ndef deep(): ...\ndef plain(): ...\n@plain.command()\ndef no(): ...\n",
        )],
        &[
            "cli.py -> cli.py::cli: command", "cli.py -> cli.py::run: command", "cli.py -> cli.py::sub: command",
            "cli.py -> cli.py::deep: command",
        ],
    ),
    (
        "celery and typer",
        &[(
            "tasks.py",
            "from celery import Celery, shared_task\nimport typer\napp = Celery()\ncmd = typer.Typer()\n\
             @app.task\ndef one(): ...\n@shared_task(bind=True)\ndef two(self): ...\n@cmd.command()\ndef main(): ...\n",
        )],
        &["tasks.py -> tasks.py::one: task", "tasks.py -> tasks.py::two: task", "tasks.py -> tasks.py::main: command"],
    ),
    (
        "express",
        &[
            ("users.js", "exports.list = function list(req, res) {};\nexports.one = (req, res) => {};\n"),
            (
                "app.js",
                "const express = require('express');\nconst users = require('./users');\nconst app = express();\n\
                 const router = express.Router();\nfunction auth(req, res, next) {}\n\
                 const made = wrap(async (req, res) => {});\nfunction wrap(f) { return f; }\n\
                 app.get('/users', auth, users.list);\nrouter.post('/x', [auth], made);\napp.use(auth);\n\
                 router.route('/y').get(users.one);\nconst map = new Map();\nmap.get(auth);\napp.use('/r', router);\n",
            ),
        ],
        &[
            "app.js -> app.js::auth: http route",
            "app.js -> users.js::list: http route",
            "app.js -> app.js::auth: http route",
            "app.js -> app.js::const::made: http route",
            "app.js -> app.js::auth: middleware",
            "app.js -> users.js::one: http route",
        ],
    ),
    (
        "events and commands",
        &[(
            "main.ts",
            "import { EventEmitter } from 'events';\nimport { Command } from 'commander';\n\
             class Bus extends EventEmitter { start() { this.on('x', this.got); } got() {} }\n\
             function stop() {}\nprocess.on('SIGINT', stop);\nwindow.addEventListener('load', stop);\n\
             function run() {}\nnew Command().command('run').action(run);\n\
             class Own { on(n: string, f: () => void) {} }\nnew Own().on('x', run);\n",
        )],
        &[
            "main.ts::Bus::start -> main.ts::Bus::got: event handler",
            "main.ts -> main.ts::stop: event handler",
            "main.ts -> main.ts::stop: event handler",
            "main.ts -> main.ts::run: command",
        ],
    ),
    (
        "nest",
        &[(
            "users.ts",
            "import { Controller, Get, Injectable } from '@nestjs/common';\nimport { Injectable as Other } from './own';\n\
             @Injectable()\nexport class Users {}\n@Controller('users')\nexport class Api {\n  @Get()\n  all() {}\n}\n\
             @Other()\nclass No {}\n",
        )],
        &[
            "users.ts -> users.ts::Users: provider",
            "users.ts -> users.ts::Api: http route",
            "users.ts::Api -> users.ts::Api::all: http route",
        ],
    ),
    (
        "gin and net/http",
        &[
            ("go.mod", "module example.com/app\n\nrequire github.com/gin-gonic/gin v1.9.0\n"),
            (
                "main.go",
                "package main\n\nimport (\n\t\"net/http\"\n\n\t\"github.com/gin-gonic/gin\"\n)\n\n\
                 func ping(c *gin.Context) {}\n\nfunc auth(c *gin.Context) {}\n\n\
                 func health(w http.ResponseWriter, r *http.Request) {}\n\n\
                 type table struct{}\n\nfunc (t table) GET(path string, f func(*gin.Context)) {}\n\n\
                 func main() {\n\tr := gin.Default()\n\tr.GET(\"/ping\", auth, ping)\n\tr.Use(auth)\n\
                 \thttp.HandleFunc(\"/health\", health)\n\ttable{}.GET(\"/no\", ping)\n}\n",
            ),
        ],
        &[
            "main.go::main -> main.go::auth: http route",
            "main.go::main -> main.go::ping: http route",
            "main.go::main -> main.go::auth: middleware",
            "main.go::main -> main.go::health: http route",
        ],
    ),
    (
        "axum and actix",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"app\"\n\n[dependencies]\naxum = \"0.7\"\nactix-web = \"4\"\ntokio = \"1\"\n",
            ),
            (
                "src/main.rs",
                "use actix_web::get;\nuse axum::{Router, routing};\n\nasync fn list() {}\nasync fn make() {}\n\n\
                 #[get(\"/health\")]\nasync fn health() {}\n\n#[tokio::main]\nasync fn main() {\n    \
                 let app = Router::new().route(\"/\", routing::get(list).post(make));\n    own(list);\n}\nfn own<T>(_: T) {}\n",
            ),
        ],
        &[
            "src/main.rs -> src/main.rs::health: http route",
            "src/main.rs -> src/main.rs::main: task",
            "src/main.rs::main -> src/main.rs::list: http route",
            "src/main.rs::main -> src/main.rs::make: http route",
        ],
    ),
    (
        "spring",
        &[
            (
                "src/app/Users.java",
                "package app;\nimport org.springframework.web.bind.annotation.*;\n\
                 import org.springframework.context.annotation.Bean;\n@RestController\n\
                 public class Users {\n  @GetMapping(\"/users\")\n  String all() { return \"\"; }\n  @Bean\n  Users users() { return this; }\n  @Own\n  void no() {}\n}\n",
            ),
            ("src/app/Own.java", "package app;\npublic @interface Own {}\n"),
        ],
        &[
            "src/app/Users.java -> src/app/Users.java::Users: provider",
            "src/app/Users.java::Users -> src/app/Users.java::Users::all: http route",
            "src/app/Users.java::Users -> src/app/Users.java::Users::users: provider",
        ],
    ),
    (
        "ktor, spring and tests in kotlin",
        &[
            (
                "src/main/kotlin/Users.kt",
                "package app\nimport io.ktor.server.routing.*\nimport org.springframework.stereotype.Service\n\
                 @Service\nclass Users {\n    fun all() {}\n}\nfun Routing.users() {\n    get(\"/users\", ::list)\n}\n\
                 fun list() {}\n",
            ),
            (
                "src/test/kotlin/UsersTest.kt",
                "package app\nimport kotlin.test.BeforeTest\nclass UsersTest {\n    @BeforeTest\n    fun before() {}\n}\n",
            ),
        ],
        &[
            "src/main/kotlin/Users.kt -> src/main/kotlin/Users.kt::Users: provider",
            "src/main/kotlin/Users.kt::users -> src/main/kotlin/Users.kt::list: http route",
            "src/test/kotlin/UsersTest.kt::UsersTest -> src/test/kotlin/UsersTest.kt::UsersTest::before: test",
        ],
    ),
    (
        "symfony",
        &[
            (
                "src/Users.php",
                "<?php\nnamespace App;\nuse Symfony\\Component\\Routing\\Attribute\\Route;\n\
                 use PHPUnit\\Framework\\Attributes\\Test;\nclass Users {\n  #[Route('/users')]\n  public function all() {}\n  \
                 #[Own]\n  public function no() {}\n  #[Test]\n  public function works() {}\n}\n",
            ),
            ("src/Own.php", "<?php\nnamespace App;\nclass Own {}\n"),
        ],
        &[
            "src/Users.php::Users -> src/Users.php::Users::all: http route",
            "src/Users.php::Users -> src/Users.php::Users::works: test",
        ],
    ),
];

#[test]
fn frameworks_are_handed_functions_and_classes() {
    for (name, files, expected) in CASES {
        assert_eq!(entry_points(files), *expected, "{name}");
    }
}

#[test]
fn each_row_of_the_tables_has_its_edge_in_the_graph() {
    let files: Files<'_> = &[("app.py", "import click\n@click.command()\ndef main(): ...\n")];
    let path = RepoPath::new("app.py").expect("a valid path");
    let mut linker = link_files(&[]);
    let facts = m1nd_lang::extract(Language::Python, files[0].1.as_bytes(), &Limits::default(), &Cancel::new());
    linker.set_file(&path, Arc::new(facts));
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let edges = &delta.changed[0].edges;
    let edge = edges.iter().find(|edge| edge.relation == Relation::Registers).expect("an edge");
    assert_eq!((linker.text(edge.from), linker.text(edge.to)), ("file::app.py", "file::app.py::fn::main"));
    assert_eq!(delta.changed[0].sites(edge).iter().map(|pos| (pos.line, pos.col)).collect::<Vec<_>>(), [(2, 8)]);
}

fn edges(relation: Relation, files: Files<'_>) -> Vec<String> {
    let rows = linked_with_edges(files).1.into_iter();
    rows.filter(|(of, _)| *of == relation).map(|(_, row)| row).collect()
}

#[test]
fn arguments_by_name_are_handlers() {
    let files: Files<'_> = &[(
        "cli.py",
        "import argparse\nimport threading\nimport flask\ndef one(): ...\ndef two(): ...\ndef main(app: flask.Flask, other):\n    \
         p = argparse.ArgumentParser()\n    p.set_defaults(func=one, level=3)\n    threading.Thread(target=two).start()\n    \
         app.add_url_rule('/x', view_func=one)\n    dict(func=two)\n",
    )];
    let expected = [
        "cli.py::main -> cli.py::one: command",
        "cli.py::main -> cli.py::two: task",
        "cli.py::main -> cli.py::one: http route",
    ];
    assert_eq!(entry_points(files), expected);
}

/// Files of a language, and the variables of the environment and other keys they read.
const READS: &[(Files<'_>, &[&str])] = &[
    (
        &[(
            "a.py",
            "import os\nfrom os import environ, getenv\nfrom own import env\ndef f(d):\n    os.environ['A']\n    os.environ.get('B', 1)\n    \
             environ['C']\n    getenv('D')\n    d['E']\n    env['F']\n    os.environ[name]\n    d.environ['G']\nenviron['H']\nos.environ['I'] = 'x'\n",
        )],
        &[
            "a.py -> config::env::H (13)", "a.py::f -> config::env::A (5)", "a.py::f -> config::env::B (6)",
            "a.py::f -> config::env::C (7)", "a.py::f -> config::env::D (8)",
        ],
    ),
    (
        &[(
            "a.ts",
            "const own = { env: { C: 1 } };\nexport function f() {\n  process.env.A;\n  process.env['B'];\n  own.env.C;\n  import.meta.env.D;\n}\n",
        )],
        &["a.ts::f -> config::env::A (3)", "a.ts::f -> config::env::B (4)", "a.ts::f -> config::env::D (6)"],
    ),
    (
        &[
            ("Cargo.toml", "[package]\nname = \"x\"\n"),
            (
                "src/lib.rs",
                "use std::env;\nfn f() {\n    let _ = env::var(\"A\");\n    let _ = std::env::var_os(\"B\");\n    let _ = env!(\"C\");\n    \
                 let _ = option_env!(\"D\");\n    var(\"E\");\n}\nfn var(_: &str) {}\n",
            ),
        ],
        &[
            "src/lib.rs::f -> config::env::A (3)",
            "src/lib.rs::f -> config::env::B (4)",
            "src/lib.rs::f -> config::env::C (5)",
            "src/lib.rs::f -> config::env::D (6)",
        ],
    ),
    (
        &[
            ("go.mod", "module example.com/a\n"),
            (
                "a.go",
                "package a\n\nimport \"os\"\n\nfunc f(name string) {\n\tos.Getenv(\"A\")\n\tos.LookupEnv(`B`)\n\tos.Getenv(name)\n\tos.Setenv(\"C\", \"\")\n}\n",
            ),
        ],
        &["a.go::f -> config::env::A (6)", "a.go::f -> config::env::B (7)"],
    ),
    (
        &[(
            "A.java",
            "class A {\n  void f(A own) {\n    System.getenv(\"A\");\n    System.getProperty(\"b.c\");\n    own.getenv(\"D\");\n  }\n  String getenv(String s) { return s; }\n}\n",
        )],
        &["A.java::A::f -> config::env::A (3)", "A.java::A::f -> config::property::b.c (4)"],
    ),
    (
        &[
            ("a.c", "#include <stdlib.h>\nvoid f(void) {\n  getenv(\"A\");\n}\n"),
            ("b.c", "static char *getenv(const char *s) { return 0; }\nvoid g(void) { getenv(\"B\"); }\n"),
        ],
        &["a.c::f -> config::env::A (3)"],
    ),
];

#[test]
fn what_is_read_of_the_environment() {
    for (files, expected) in READS {
        assert_eq!(edges(Relation::ReadsConfig, files), *expected);
    }
}

#[test]
fn tests_are_given_fixtures_by_name() {
    let files: Files<'_> = &[
        (
            "app.py",
            "class Client:\n    def get(self): ...\nclass Db:\n    def add(self): ...\n    def close(self): ...\n",
        ),
        (
            "conftest.py",
            "import pytest\nfrom app import Client, Db\n@pytest.fixture\ndef client(db):\n    return Client()\n\
             @pytest.fixture(scope='session')\ndef db():\n    db = Db()\n    yield db\n    db.close()\n\
             @pytest.fixture(name='made')\ndef _make():\n    def make(): return Client()\n    return make\ndef plain(): return Client()\n",
        ),
        (
            "tests/conftest.py",
            "import pytest\n@pytest.fixture\ndef client(client):\n    client.get()\n    return client\n",
        ),
        (
            "tests/test_a.py",
            "import pytest\nfrom other import value\n\
             def test_one(client, db, made, monkeypatch, missing, plain):\n    client.get()\n    db.add()\n    made().get()\n    \
             monkeypatch.setattr(db, 'add', None)\n    plain.get()\n\
             @pytest.mark.parametrize('db, n', [])\ndef test_two(db, n, client=None): db.add()\n\
             class TestC:\n    @pytest.fixture\n    def db(self): return 1\n    def test_three(self, db): ...\n\
             @pytest.mark.usefixtures('db')\ndef test_four(): ...\ndef helper(client): client.get()\n",
        ),
        (
            "other/test_b.py",
            "def fixture(f): return f\n@fixture\ndef client(): ...\ndef test_b(client): client.get()\n",
        ),
    ];
    let expected = [
        "conftest.py::client -> conftest.py::db (4)",
        "conftest.py::db -> app.py::Db (8)",
        "conftest.py::db -> app.py::Db::close (10)",
        // Other parameters are skipped.
        "other/test_b.py::client -> other/test_b.py::fixture (2)",
        "other/test_b.py::test_b -> app.py::Client::get (4)",
        "other/test_b.py::test_b -> conftest.py::client (4)",
        "tests/conftest.py::client -> app.py::Client::get (4)",
        "tests/conftest.py::client -> conftest.py::client (3)",
        "tests/test_a.py::TestC::test_three -> tests/test_a.py::TestC::db (14)",
        "tests/test_a.py::helper -> app.py::Client::get (17)?",
        "tests/test_a.py::test_four -> conftest.py::db (16)",
        "tests/test_a.py::test_one -> app.py::Client::get (4,6)",
        "tests/test_a.py::test_one -> app.py::Client::get (8)?",
        "tests/test_a.py::test_one -> app.py::Db::add (5)",
        "tests/test_a.py::test_one -> conftest.py::_make (3)",
        "tests/test_a.py::test_one -> conftest.py::_make::make (6)",
        "tests/test_a.py::test_one -> conftest.py::db (3)",
        "tests/test_a.py::test_one -> external::pytest (7)?",
        "tests/test_a.py::test_one -> tests/conftest.py::client (3)",
        "tests/test_a.py::test_two -> app.py::Db::add (10)?",
    ];
    let mut found = edges(Relation::Calls, files);
    found.retain(|row| !row.contains("app.py::Client ("));
    found.sort();
    assert_eq!(found, expected);
}

/// Files, and what is decorated with what of them.
const DECORATED: &[(Files<'_>, &[&str])] = &[
    (
        &[
            (
                "web.py",
                "class App:\n    def route(self, path):\n        def wrap(f):\n            return f\n        return wrap\n\ndef deco(f):\n    return f\n",
            ),
            (
                "app.py",
                "from web import App, deco\napp = App()\n@app.route('/')\ndef index(): ...\n@deco\nclass C:\n    @deco\n    @property\n    \
                 def m(self): ...\n",
            ),
        ],
        &[
            "app.py::C -> web.py::deco (5)",
            "app.py::C::m -> external::builtins (8)?",
            "app.py::C::m -> web.py::deco (7)",
            "app.py::index -> web.py::App::route (3)",
        ],
    ),
    (
        &[
            ("d.ts", "export function Comp(o: any): any {}\nexport function Hook(t: any): any {}\n"),
            (
                "a.ts",
                "import { Comp, Hook } from './d';\n@Comp({})\nexport class A {\n  @Hook b = 1;\n  @Hook\n  c(@Hook d: number) {}\n  \
                 @Hook get e() { return 1; }\n}\n",
            ),
        ],
        &[
            "a.ts::A -> d.ts::Comp (2)",
            "a.ts::A::c -> d.ts::Hook (5,6)",
            "a.ts::A::e -> d.ts::Hook (7)",
            "a.ts::A::field::b -> d.ts::Hook (4)",
        ],
    ),
    (
        &[
            ("p/Mark.java", "package p;\npublic @interface Mark {}\n"),
            ("p/A.java", "package p;\nclass A {\n  @Mark int b, c;\n  @Mark void d(@Mark int e) {}\n}\n"),
        ],
        &[
            "p/A.java::A::d -> p/Mark.java::interface::Mark (4,4)",
            "p/A.java::A::field::b -> p/Mark.java::interface::Mark (3)",
            "p/A.java::A::field::c -> p/Mark.java::interface::Mark (3)",
        ],
    ),
];

#[test]
fn decorators_lead_from_what_carries_them() {
    for (files, expected) in DECORATED {
        let mut found = edges(Relation::Decorates, files);
        found.sort();
        assert_eq!(&found, expected, "{}", files[1].0);
    }
    // Decorating calls the decorator, and then its result.
    let calls = edges(Relation::Calls, DECORATED[0].0);
    let expected = [
        "app.py -> web.py::App (2)",
        "app.py -> web.py::App::route::wrap (3)",
        "app.py::C -> web.py::deco (5)",
        "app.py::C::m -> web.py::deco (7)",
        "app.py::index -> web.py::App::route (3)",
    ];
    assert_eq!(calls, expected);
}
