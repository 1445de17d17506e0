//! What files hand to frameworks, by the tables of each language.

use std::sync::Arc;

use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use m1nd_lang::Language;
use m1nd_link::Linker;

type Files<'a> = &'a [(&'a str, &'a str)];

fn linked(files: Files<'_>) -> Linker {
    let limits = Limits::default();
    let mut linker = Linker::new(limits.clone());
    for (path, text) in files {
        let path = RepoPath::new(path).expect("a valid path");
        let language = Language::detect(&path, text.as_bytes());
        let facts = m1nd_lang::extract(language, text.as_bytes(), &limits, &Cancel::new());
        linker.set_file(&path, Arc::new(facts));
        if Linker::is_manifest(&path) {
            assert_eq!(linker.set_manifest(&path, text), None);
        }
    }
    linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    linker
}

/// The entry points of all files as `from -> to: what`, with `?` behind what is only possible.
fn entry_points(files: Files<'_>) -> Vec<String> {
    let linker = linked(files);
    let short = |id: &str| {
        let id = id.trim_start_matches("file::");
        id.replace("fn::", "").replace("class::", "").replace("struct::", "")
    };
    let mut rows = Vec::new();
    for (path, _) in files {
        for row in linker.entry_points(&RepoPath::new(path).expect("a valid path")) {
            let mark = if row.tier == m1nd_base::EdgeTier::Certain { "" } else { "?" };
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
                 @router.get('/items')\nasync def items(db=Depends(session)): ...\n",
            ),
        ],
        &["api.py -> api.py::items: http route", "api.py -> deps.py::session: provider"],
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
            "cli.py -> cli.py::cli: command",
            "cli.py -> cli.py::run: command",
            "cli.py -> cli.py::sub: command",
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
    let mut linker = linked(&[]);
    let facts = m1nd_lang::extract(Language::Python, files[0].1.as_bytes(), &Limits::default(), &Cancel::new());
    linker.set_file(&path, Arc::new(facts));
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let edges = &delta.changed[0].edges;
    let edge = edges.iter().find(|edge| edge.relation == m1nd_base::Relation::Registers).expect("an edge");
    assert_eq!((linker.text(edge.from), linker.text(edge.to)), ("file::app.py", "file::app.py::fn::main"));
    assert_eq!(delta.changed[0].sites(edge).iter().map(|pos| (pos.line, pos.col)).collect::<Vec<_>>(), [(2, 8)]);
}
