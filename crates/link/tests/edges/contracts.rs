//! Contracts between programs: what one asks for and another serves.

use std::sync::Arc;

use m1nd_base::{EdgeTier, Relation};
use m1nd_link::{FileLinks, Linker};

use crate::{Files, edges_of};

/// The edges of contracts as `from -> to (line)`, with `?` behind what is not certain.
fn contracts(linker: &Linker, links: &[Arc<FileLinks>]) -> Vec<String> {
    let mut rows = Vec::new();
    for links in links {
        for edge in links.edges.iter().filter(|edge| matches!(edge.relation, Relation::Requests | Relation::Serves)) {
            let mark = if edge.tier == EdgeTier::Certain { "" } else { "?" };
            let line = links.sites(edge)[0].line;
            let short = |id| {
                linker
                    .text(id)
                    .trim_start_matches("file::")
                    .replace("fn::", "")
                    .replace("class::", "")
                    .replace("route::", "")
            };
            rows.push(format!("{} -> {} ({line}){mark}", short(edge.from), short(edge.to)));
        }
    }
    rows.sort();
    rows
}

const CASES: &[(&str, Files<'_>, &[&str])] = &[
    (
        "flask and requests",
        &[
            (
                "server/app.py",
                "from flask import Flask\napp = Flask(__name__)\n@app.route('/users/<int:id>', methods=['GET'])\ndef show(id): pass\n",
            ),
            ("client/c.py", "import requests\ndef fetch(id):\n    return requests.get(f'http://server/users/{id}')\n"),
        ],
        &[
            "client/c.py::fetch -> server/app.py::GET /users/{} (3)",
            "server/app.py::GET /users/{} -> server/app.py::show (3)",
        ],
    ),
    (
        "fastapi with a mounted router and axios with a base",
        &[
            (
                "api/main.py",
                "from fastapi import FastAPI\nfrom api import items\napp = FastAPI()\napp.include_router(items.router, prefix='/v1')\n",
            ),
            (
                "api/items.py",
                "from fastapi import APIRouter\nrouter = APIRouter(prefix='/items')\n@router.get('/{id}')\ndef read(id): pass\n@router.post('/')\ndef make(): pass\n",
            ),
            ("api/__init__.py", ""),
            (
                "web/c.ts",
                "import axios from 'axios';\nconst api = axios.create({ baseURL: 'http://h/v1' });\nexport function load(id: string) { return api.get<X>(`/items/${id}`); }\nexport function add() { return api.post('/items', {}); }\n",
            ),
        ],
        &[
            "api/items.py::GET /{} -> api/items.py::read (3)",
            "api/items.py::POST / -> api/items.py::make (5)",
            "web/c.ts::add -> api/items.py::POST / (4)",
            "web/c.ts::load -> api/items.py::GET /{} (3)",
        ],
    ),
    (
        "express routers and fetch",
        &[
            (
                "server/app.js",
                "const express = require('express');\nconst users = require('./users');\nconst app = express();\napp.use('/api/users', users);\n",
            ),
            (
                "server/users.js",
                "const express = require('express');\nconst router = express.Router();\nrouter.get('/:id', (req, res) => res.send(1));\nrouter.route('/').post(create);\nfunction create(req, res) {}\nmodule.exports = router;\n",
            ),
            (
                "web/a.js",
                "export function load(id) { return fetch('/api/users/' + id, { method: 'GET' }); }\nexport function make() { return fetch('/api/users', { method: 'POST' }); }\n",
            ),
        ],
        &[
            "server/users.js::GET /{} -> server/users.js (3)",
            "server/users.js::POST / -> server/users.js::create (4)",
            "web/a.js::load -> server/users.js::GET /{} (1)",
            "web/a.js::make -> server/users.js::POST / (2)",
        ],
    ),
    (
        "go and spring",
        &[
            (
                "s/main.go",
                "package main\nimport \"net/http\"\nfunc list(w http.ResponseWriter, r *http.Request) {}\nfunc main() { http.HandleFunc(\"GET /orders/{id}\", list) }\n",
            ),
            (
                "j/C.java",
                "package j;\nimport org.springframework.web.bind.annotation.*;\nimport org.springframework.web.client.RestTemplate;\n@RestController @RequestMapping(\"/carts\")\nclass C {\n  RestTemplate rest;\n  @GetMapping(\"/{id}\") String cart(String id) { return rest.getForObject(\"http://orders/orders/\" + id, String.class); }\n}\n",
            ),
            (
                "g/go.go",
                "package g\nimport \"net/http\"\nfunc cart(id string) { http.Get(\"http://carts/carts/\" + id) }\n",
            ),
        ],
        &[
            "g/go.go::cart -> j/C.java::GET /{} (3)",
            "j/C.java::C::cart -> s/main.go::GET /orders/{} (7)",
            "j/C.java::GET /{} -> j/C.java::C::cart (7)",
            "s/main.go::GET /orders/{} -> s/main.go::list (4)",
        ],
    ),
    (
        "groups that functions are given",
        &[
            (
                "s/main.go",
                "package main\nimport \"github.com/gin-gonic/gin\"\nfunc Users(r *gin.RouterGroup) { r.GET(\"/\", users) }\nfunc Tags(r *gin.RouterGroup) { r.GET(\"/\", tags) }\nfunc users(c *gin.Context) {}\nfunc tags(c *gin.Context) {}\nfunc main() {\n\tr := gin.Default()\n\tv1 := r.Group(\"/api\")\n\tUsers(v1.Group(\"/users\"))\n\tTags(v1.Group(\"/tags\"))\n}\n",
            ),
            ("web/c.js", "export const tags = () => fetch('http://h/api/tags');\n"),
        ],
        &[
            "s/main.go::GET / -> s/main.go::users (3)",
            "s/main.go::GET /~4cbafeb1 -> s/main.go::tags (4)",
            "web/c.js::tags -> s/main.go::GET /~4cbafeb1 (1)",
        ],
    ),
    (
        "names that coincide are no contract",
        &[
            ("a.py", "from flask import Flask\napp = Flask(__name__)\n@app.get('/api/v1')\ndef root(): pass\n"),
            ("b.js", "export const go = () => router.push('/users');\nexport const x = () => fetch('/api/v1');\n"),
        ],
        &["a.py::GET /api/v1 -> a.py::root (3)"],
    ),
    (
        "two servers of one route",
        &[
            ("a.py", "from flask import Flask\napp = Flask(__name__)\n@app.get('/users')\ndef a(): pass\n"),
            ("b.py", "from flask import Flask\napp = Flask(__name__)\n@app.get('/users')\ndef b(): pass\n"),
            ("c.py", "import requests\ndef c(): requests.get('http://x/users')\n"),
        ],
        &[
            "a.py::GET /users -> a.py::a (3)", "b.py::GET /users -> b.py::b (3)", "c.py::c -> a.py::GET /users (2)?",
            "c.py::c -> b.py::GET /users (2)?",
        ],
    ),
];

#[test]
fn clients_reach_the_routes_of_servers() {
    let mut wrong = Vec::new();
    for (name, files, expected) in CASES {
        let found = edges_of(files, contracts);
        if found != *expected {
            wrong.push(format!("{name}:\n  found    {found:#?}\n  expected {expected:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
