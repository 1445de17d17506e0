//! Code that documents name.

use std::sync::Arc;

use m1nd_base::{Cancel, EdgeTier, Limits, NoProgress, Relation};
use m1nd_link::{FileLinks, Linker};

use crate::{Files, common, edges_of};

/// The `documents` edges as `from -> to (line)`, with `?n` behind what is one of n.
fn documents(linker: &Linker, links: &[Arc<FileLinks>]) -> Vec<String> {
    let mut rows = Vec::new();
    for links in links {
        for edge in links.edges.iter().filter(|edge| edge.relation == Relation::Documents) {
            let mark = if edge.tier == EdgeTier::Certain { String::new() } else { format!("?{}", edge.of) };
            for site in links.sites(edge) {
                let short = |id| linker.text(id).trim_start_matches("file::").to_owned();
                rows.push(format!("{} -> {} ({}){mark}", short(edge.from), short(edge.to), site.line));
            }
        }
    }
    rows.sort();
    rows
}

const PY: (&str, &str) = (
    "src/shop/cart.py",
    "class Base:\n    def total(self): pass\nclass Cart(Base):\n    limit = 3\n    def add_item(self, x): pass\ndef load(): pass\ndef data(): pass\n",
);
const INIT: (&str, &str) = ("src/shop/__init__.py", "from .cart import Cart, load\n");

const CASES: &[(&str, Files<'_>, &[&str])] = &[
    (
        "spans are names of code only if they can hardly be anything else",
        &[
            PY,
            INIT,
            (
                "README.md",
                "# Use\n\n`Cart` has `add_item()` and data. See `Cart.total`, `os.load`, `cart.limit`, `x`, `true`.\n",
            ),
        ],
        &[
            "README.md::section::Use -> src/shop/cart.py::class::Base::fn::total (3)",
            "README.md::section::Use -> src/shop/cart.py::class::Cart (3)",
            "README.md::section::Use -> src/shop/cart.py::class::Cart::field::limit (3)",
            "README.md::section::Use -> src/shop/cart.py::class::Cart::fn::add_item (3)",
        ],
    ),
    (
        "roles have a module and a class around",
        &[
            PY,
            INIT,
            (
                "docs/api.rst",
                "API\n===\n\n.. currentmodule:: shop\n\n.. class:: Cart\n\n   Use :meth:`add_item` and :func:`load`.\n\n:mod:`shop.cart` and :func:`requests.get`.\n",
            ),
        ],
        &[
            "docs/api.rst::section::API -> src/shop/__init__.py (4)",
            "docs/api.rst::section::API -> src/shop/cart.py (10)",
            "docs/api.rst::section::API -> src/shop/cart.py::class::Cart (6)",
            "docs/api.rst::section::API -> src/shop/cart.py::class::Cart::fn::add_item (8)",
            "docs/api.rst::section::API -> src/shop/cart.py::fn::load (8)",
        ],
    ),
    (
        "examples import what they name, and what they import from elsewhere is not the project's",
        &[
            PY,
            INIT,
            (
                "docs/a.md",
                "# A\n\n```python\nfrom shop import Cart\nimport shop\nfrom other import Base\n\nshop.load()\n```\n\n`Base` is another one.\n",
            ),
        ],
        &[
            "docs/a.md::section::A -> src/shop/cart.py::class::Cart (4)",
            "docs/a.md::section::A -> src/shop/cart.py::fn::load (8)",
        ],
    ),
    (
        "paths are files beside the document, from the root, or by their end",
        &[
            ("src/app/main.py", "x = 1\n"),
            ("setup.py", ""),
            ("docs/build.py", ""),
            (
                "docs/a.md",
                "Run `build.py`, `setup.py` or [this](../src/app/main.py); not `main.py`. See `app/main.py`.\n",
            ),
        ],
        &[
            "docs/a.md -> docs/build.py (1)", "docs/a.md -> setup.py (1)", "docs/a.md -> src/app/main.py (1)",
            "docs/a.md -> src/app/main.py (1)",
        ],
    ),
    (
        "names with crates and packages in front",
        &[
            ("Cargo.toml", "[package]\nname = \"my-lib\"\n"),
            ("src/lib.rs", "pub mod pool;\n"),
            ("src/pool.rs", "pub struct Pool;\nimpl Pool { pub fn acquire(&self) {} }\n"),
            ("go.mod", "module example.com/mux\n"),
            ("mux.go", "package mux\nfunc NewRouter() {}\n"),
            (
                "README.md",
                "`my_lib::Pool`, `Pool::acquire`, `mux.NewRouter()`, `http.NewRouter`\n\n```rust\nuse my_lib::Pool;\n```\n\n```go\nimport \"example.com/mux\"\n\nfunc main() { mux.NewRouter() }\n```\n",
            ),
        ],
        &[
            "README.md -> mux.go::fn::NewRouter (1)",
            "README.md -> mux.go::fn::NewRouter (10)",
            "README.md -> src/pool.rs::impl::Pool::fn::acquire (1)",
            "README.md -> src/pool.rs::struct::Pool (1)",
            "README.md -> src/pool.rs::struct::Pool (4)",
        ],
    ),
    (
        "environment variables that code reads",
        &[
            ("app.py", "import os\nHOME = os.environ.get('APP_HOME_DIR')\nX = dict(A_B='OTHER_NAME')\n"),
            ("README.md", "`APP_HOME_DIR` and `$APP_HOME_DIR`, `OTHER_NAME`.\n"),
        ],
        &["README.md -> config::env::APP_HOME_DIR (1)"],
    ),
    (
        "several of one name are one of so many",
        &[
            ("a.py", "class Pool: pass\n"),
            ("b.py", "class Pool: pass\n"),
            ("tests/test_a.py", "class Pool: pass\n"),
            ("README.md", "`Pool`\n"),
        ],
        &["README.md -> a.py::class::Pool (1)?2", "README.md -> b.py::class::Pool (1)?2"],
    ),
    (
        "nouns, headings and the text around say whose member a name is",
        &[
            (
                "src/pool.ts",
                "export class Options { signal = 1; body() { return 1; } }\nexport class Hooks { signal = 2; onOpen = 1; }\nexport class PoolError { reason = 1; signal = 3; }\nexport class Reply { text = 1; reason = 2; }\n",
            ),
            (
                "docs/a.md",
                "# A\n\nThe `signal` option, `onOpen` hooks, the `signal` header.\n\nThe `text` property of a `Reply`; its `reason`.\n\nThe `reason` property.\n\n## `PoolError`\n\nHas a `reason`.\n\n## B\n\nThe [`signal` or `body` options](b.md).\n",
            ),
        ],
        &[
            "docs/a.md::section::A -> src/pool.ts::class::Hooks::field::onOpen (3)?1",
            "docs/a.md::section::A -> src/pool.ts::class::Options::field::signal (3)?1",
            "docs/a.md::section::A -> src/pool.ts::class::Reply (5)",
            "docs/a.md::section::A -> src/pool.ts::class::Reply::field::text (5)?1",
            "docs/a.md::section::A::section::B -> src/pool.ts::class::Options::field::signal (15)?1",
            "docs/a.md::section::A::section::B -> src/pool.ts::class::Options::fn::body (15)?1",
            "docs/a.md::section::A::section::PoolError -> src/pool.ts::class::PoolError (9)",
            "docs/a.md::section::A::section::PoolError -> src/pool.ts::class::PoolError::field::reason (11)?1",
        ],
    ),
    (
        "the noun of another thing takes a name away",
        &[
            PY,
            INIT,
            (
                "README.md",
                "`add_item` is a method, `load` loads; the `add_item` argument, ``load`` header, `add_item()` argument.\n\n`load` parameter\n",
            ),
        ],
        &[
            "README.md -> src/shop/cart.py::class::Cart::fn::add_item (1)",
            "README.md -> src/shop/cart.py::fn::load (1)?1",
        ],
    ),
    (
        "values are of the class whose words their names are, or that alone has the method",
        &[
            (
                "src/pool.ts",
                "export class RetryOptions { limit = 1; }\nexport class PoolPromise { once() {} limit = 2; }\nexport class Command { initDefaultCommand() {} close() {} }\n",
            ),
            (
                "README.md",
                "`options.retry.limit`, `promise.once(x)`, `cmd.initDefaultCommand()`, `cmd.close()`, `x.limit`, `retry.once`.\n",
            ),
        ],
        &[
            "README.md -> src/pool.ts::class::Command::fn::initDefaultCommand (1)?1",
            "README.md -> src/pool.ts::class::PoolPromise::fn::once (1)?1",
            "README.md -> src/pool.ts::class::RetryOptions::field::limit (1)?1",
        ],
    ),
    (
        "addresses of references are those of definitions",
        &[
            ("Cargo.toml", "[package]\nname = \"my-lib\"\n"),
            ("src/lib.rs", "pub mod pool;\npub fn run() {}\n"),
            ("src/pool.rs", "pub struct Pool { run: u8 }\nimpl Pool { pub fn acquire(&self) {} }\n"),
            ("go.mod", "module example.com/mux\n"),
            ("sub/sub.go", "package sub\nfunc Get() {}\n"),
            (
                "README.md",
                "[`Pool`] and [run](crate::run)\n\n[`Pool`]: crate::pool::Pool\n\
                 [a]: https://docs.rs/my-lib/1.0.0/my_lib/pool/struct.Pool.html#method.acquire\n\
                 [b]: https://docs.rs/other/1.0.0/other/fn.run.html\n[c]: https://pkg.go.dev/example.com/mux/sub#Get\n",
            ),
        ],
        &[
            "README.md -> src/lib.rs::fn::run (1)",
            "README.md -> src/pool.rs::impl::Pool::fn::acquire (4)",
            "README.md -> src/pool.rs::struct::Pool (1)",
            "README.md -> src/pool.rs::struct::Pool (3)",
            "README.md -> sub/sub.go::fn::Get (6)",
        ],
    ),
    (
        "the value of a package, a letter with a role, and a file with a name of its own",
        &[
            ("package.json", r#"{"name": "got"}"#),
            ("source/index.ts", "export const got = make();\nexport const json = 1;\n"),
            ("lib/globals.py", "g = 1\n"),
            ("lib/__version__.py", "v = 1\n"),
            ("lib/auth.py", ""),
            ("docs/a.rst", "``got`` and ``json``, :data:`.g` and ``g``, ``__version__.py`` and ``auth.py``.\n"),
        ],
        &[
            "docs/a.rst -> lib/__version__.py (1)",
            "docs/a.rst -> lib/globals.py::var::g (1)",
            "docs/a.rst -> source/index.ts::const::got (1)?1",
        ],
    ),
    (
        "lines of a program of Python, its options alone, and its name",
        &[
            ("pyproject.toml", "[project]\nname = \"tool\"\n[project.scripts]\ntool = \"tool.cli:main\"\n"),
            ("tool/__init__.py", ""),
            (
                "tool/cli.py",
                "import click\n@click.group()\ndef main(): pass\n@main.command()\n@click.option('--port', '-p')\n@click.option('--level')\ndef start(port, level): pass\n@main.command('stop')\n@click.option('--port')\ndef stop_it(port): pass\n",
            ),
            ("tests/test_cli.py", "import click\n@click.option('--level')\ndef x(): pass\n"),
            (
                "README.md",
                "# Use\n\nThe `tool` command: `tool start --port 80 -p 1 --no`, `tool other`. `--level`, `--port`, `-p`.\n\n## Server\n\n`gunicorn --x`: `--level`.\n\n## Shell\n\n```sh\n# tool stop\ntool stop --port=1\n```\n\n## Alone\n\nThe `stop` command, `--level`\n",
            ),
        ],
        &[
            "README.md::section::Use -> tool/cli.py::fn::main (3)",
            "README.md::section::Use -> tool/cli.py::fn::start (3)",
            "README.md::section::Use -> tool/cli.py::fn::start (3)",
            "README.md::section::Use -> tool/cli.py::fn::start (3)?2",
            "README.md::section::Use -> tool/cli.py::fn::stop_it (3)?2",
            "README.md::section::Use::section::Alone -> tool/cli.py::fn::start (18)?1",
            "README.md::section::Use::section::Alone -> tool/cli.py::fn::stop_it (18)?1",
            "README.md::section::Use::section::Shell -> tool/cli.py::fn::stop_it (13)",
        ],
    ),
    (
        "commands and options that clap derives, and those of cobra and commander",
        &[
            ("Cargo.toml", "[package]\nname = \"tool\"\n"),
            (
                "src/main.rs",
                "use clap::{Parser, Subcommand};\n#[derive(Parser)]\nstruct Cli {\n    #[arg(long)]\n    dry_run: bool,\n    #[command(subcommand)]\n    command: Commands,\n}\n#[derive(Subcommand)]\nenum Commands { AddItem { #[arg(long)] count: u8 }, Remove(RemoveArgs) }\n#[derive(clap::Args)]\nstruct RemoveArgs { #[arg(long)] count: u8 }\n",
            ),
            ("go.mod", "module example.com/gotool\n"),
            ("main.go", "package main\nfunc main() {}\n"),
            (
                "serve.go",
                "package main\nimport \"github.com/spf13/cobra\"\nvar serve = &cobra.Command{Use: \"serve\"}\nfunc init() { serve.Flags().String(\"addr\", \"\", \"\") }\n",
            ),
            ("package.json", r#"{"name": "@x/jstool", "bin": "bin.js"}"#),
            (
                "bin.js",
                "const {program} = require('commander');\nfunction setup() { program.command('build').option('--out <x>'); }\n",
            ),
            (
                "README.md",
                "`tool --dry-run add-item --count 1`; `tool remove --count 1`\n\n`gotool serve --addr x`, `npx jstool build --out x`\n",
            ),
        ],
        &[
            "README.md -> bin.js::fn::setup (3)",
            "README.md -> serve.go::fn::init (3)",
            "README.md -> serve.go::var::serve (3)",
            "README.md -> src/main.rs::enum::Commands::variant::AddItem (1)",
            "README.md -> src/main.rs::enum::Commands::variant::AddItem::field::count (1)",
            "README.md -> src/main.rs::enum::Commands::variant::Remove (1)",
            "README.md -> src/main.rs::struct::Cli::field::dry_run (1)",
            "README.md -> src/main.rs::struct::RemoveArgs::field::count (1)",
        ],
    ),
    (
        "an option that only another program declares may be that of a library in common",
        &[
            ("a/package.json", r#"{"name": "one", "bin": "bin.js"}"#),
            ("a/bin.js", "const {program} = require('commander');\nfunction own() { program.option('--size <x>'); }\n"),
            ("b/package.json", r#"{"name": "two", "bin": "bin.js"}"#),
            (
                "b/bin.js",
                "const {program} = require('commander');\nfunction other() { program.option('--out <x>'); }\n",
            ),
            ("README.md", "`one --size 3 --out x`\n"),
        ],
        &["README.md -> a/bin.js::fn::own (1)", "README.md -> b/bin.js::fn::other (1)?1"],
    ),
    (
        "web pages and notebooks name code as well",
        &[
            PY,
            INIT,
            ("docs/page.html", "<html><body><h1>Page</h1><p>Use <code>Cart.add_item()</code>.</p></body></html>\n"),
            (
                "docs/book.ipynb",
                r##"{"cells": [
 {"cell_type": "markdown", "metadata": {}, "source": ["# Book\n", "Use `Cart.add_item()`.\n"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["from shop import load\n", "load()"]}
], "metadata": {"kernelspec": {"language": "python"}, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
"##,
            ),
        ],
        &[
            "docs/book.ipynb::section::Book -> src/shop/cart.py::class::Cart::fn::add_item (3)",
            "docs/book.ipynb::section::Book -> src/shop/cart.py::fn::load (3)",
            "docs/page.html::section::Page -> src/shop/cart.py::class::Cart::fn::add_item (1)",
        ],
    ),
];

#[test]
fn documents_name_code() {
    for (name, files, wanted) in CASES {
        assert_eq!(edges_of(files, documents), *wanted, "{name}");
    }
}

/// Files of each state; a file that is missing in the next one is removed.
const STATES: &[Files<'_>] = &[
    &[PY, INIT, ("README.md", "`Cart`, `late_name`, `tools/run.py`, `acme.Cart`\n")],
    &[
        PY,
        INIT,
        ("README.md", "`Cart`, `late_name`, `tools/run.py`, `acme.Cart`\n"),
        ("src/late.py", "def late_name(): pass\n"),
        ("tools/run.py", ""),
        ("pyproject.toml", "[project]\nname = \"acme\"\n"),
    ],
    &[
        ("src/shop/cart.py", "class Basket:\n    pass\n"),
        INIT,
        ("README.md", "`Cart`, `late_name`, `tools/run.py`, `acme.Cart`\n"),
        ("src/late.py", "def late_name(): pass\n"),
        ("src/other.py", "class Cart: pass\n"),
    ],
    &[
        ("src/shop/cart.py", "class Basket:\n    pass\n\nclass Cart: pass\n"),
        ("README.md", "`Cart`, `late_name`, `tools/run.py`, `acme.Cart`\n"),
        ("src/late.py", "def late_name(): pass\ndef x(): pass\n"),
        ("src/other.py", "class Cart: pass\n"),
    ],
];

#[test]
fn edits_lead_to_the_edges_of_a_clean_run() {
    let mut linker = Linker::new(Limits::default());
    let mut known: std::collections::BTreeMap<String, Arc<FileLinks>> = std::collections::BTreeMap::new();
    let mut before: Files<'_> = &[];
    for files in STATES {
        for (path, _) in before.iter().filter(|(path, _)| !files.iter().any(|(own, _)| own == path)) {
            linker.remove_file(&m1nd_base::RepoPath::new(path).expect("valid"));
        }
        for file in files.iter().filter(|file| !before.contains(file)) {
            common::put(&mut linker, file.0, file.1);
        }
        let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
        for path in &delta.removed {
            known.remove(path.as_str());
        }
        known.extend(delta.changed.into_iter().map(|links| (links.path.to_string(), links)));
        assert_eq!(documents(&linker, &known.values().cloned().collect::<Vec<_>>()), edges_of(files, documents));
        before = files;
    }
}

#[test]
fn a_body_does_not_relink_the_documents_that_name_its_function() {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in [PY, INIT, ("README.md", "`add_item()`\n")] {
        common::put(&mut linker, path, text);
    }
    linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    common::put(&mut linker, PY.0, &PY.1.replace("def load(): pass", "def load(): return print(1)"));
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let changed: Vec<&str> = delta.changed.iter().map(|links| links.path.as_str()).collect();
    assert!(!changed.contains(&"README.md"), "{changed:?}");
}
