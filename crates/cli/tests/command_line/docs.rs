use std::process::Command;

use serde_json::Value;

use crate::{Place, Run, schema};

const SCHEMA: &str = include_str!("../sarif/sarif-schema-2.1.0.json");

const SHOP: &str = "\
//- shop/__init__.py
from .cart import Cart
//- shop/cart.py
class Cart:
    def add_item(self, item, amount):
        return item * amount

    def compute_total_price(self):
        prices = [item.price for item in self.items]
        return sum(prices) + self.shipping
//- docs/guide.md
# Guide

Call `Cart.add_item()` with an `amount`, then `compute_total_price()`.

See [the rules](rules.md) and [the end](#the-end), start with `shop --fast-mode`.

```python
from shop import Cart
from shop import Checkout
```

## The end

Nothing about `someone_elses_name`.
//- shop/cli.py
OPTIONS = ['--fast-mode']
//- pyproject.toml
[project]
name = 'shop'
[project.scripts]
shop = 'shop.cli:main'
//- CHANGELOG.md
# Changes

- `compute_total_price()` is new.
";

const POOL: &str = "\
//- pool/__init__.py
from .core import ConnectionPool, acquire_connection
//- pool/core.py
class ConnectionPool:
    max_connections = 5

    def drain_connections(self):
        return self.max_connections

def acquire_connection(pool_name, retry_limit):
    return retry_limit
//- setup.py
install_requires = [
    'chardet',
]
//- docs/guide.rst
.. _start here:

Guide
=====

See :ref:`start here` and :ref:`begin`, `the manual`_ and `the notes`_.

.. _the manual: https://example.com/

It needs ``chardet``. Write :file:`settings.py`, and call ``drain_conections()``.

.. code-block:: python

    acquire_connection('a', retry_limit=3)
    my_own_name = 1

.. mine:example::

    print_the_page()
";

fn git(place: &Place, arguments: &[&str]) -> bool {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com"]).args(arguments);
    command.current_dir(place.project.path()).env("HOME", place.user.path());
    command.output().is_ok_and(|output| output.status.success())
}

/// A repository with one commit; `None` where there is no git.
fn commit_project(project: &str) -> Option<Place> {
    let place = Place::new(project);
    let done = git(&place, &["init", "-q"]) && git(&place, &["add", "-A"]);
    (done && git(&place, &["commit", "-q", "-m", "start"])).then_some(place)
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).expect("JSON")
}

fn names(value: &Value) -> Vec<String> {
    let rows = value["findings"].as_array().into_iter().flatten();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    rows.map(|row| format!("{}:{} {} {}", text(row, "path"), row["line"], text(row, "class"), text(row, "name")))
        .collect()
}

#[test]
fn documents_are_compared_with_code_and_commits() {
    let Some(place) = commit_project(SHOP) else { return };
    let run = place.run(&["docs", "check", "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    let wrong = ["docs/guide.md:5 link_broken rules.md", "docs/guide.md:9 example_broken shop.Checkout"];
    assert_eq!(names(&json(&run)), wrong, "{run:?}");
    let code = "class Cart:\n    def add_item(self, item, count):\n        return item * count\n\n    def total_with_shipping(self):\n        prices = [item.price for item in self.items]\n        return sum(prices) + self.shipping\n";
    place.project.write("shop/cart.py", code);
    place.project.write("shop/cli.py", "OPTIONS = []\n");
    assert!(git(&place, &["add", "-A"]) && git(&place, &["commit", "-q", "-m", "other names"]));
    let run = place.run(&["docs", "check", "--json", "--since", "HEAD~1", "--changed-code"]);
    assert_eq!(
        names(&json(&run)),
        [
            "docs/guide.md:3 binding_moved compute_total_price",
            "docs/guide.md:3 code_change_unreflected Cart.add_item",
            "docs/guide.md:5 command_missing --fast-mode",
        ],
        "{run:?}"
    );
    assert!(run.out.contains("total_with_shipping") && run.out.contains("other names"), "{}", run.out);
    let run = place.run(&["docs", "check"]);
    assert!(run.code == 1 && run.out.contains("error[binding-moved] `compute_total_price`"), "{}", run.out);
    let run = place.run(&["docs", "check", "--markdown"]);
    assert!(run.out.starts_with("### Documents: 4 findings\n"), "{}", run.out);
    let log = json(&place.run(&["docs", "check", "--sarif"]));
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    assert_eq!(schema::faults(&schema, &log), Vec::<String>::new());
}

const LOAD: &str = "\
//- lib/io.py
def load(path, mode): pass
def dump(path, mode): pass
def scan(path): pass
//- docs/api.rst
API
===

``load()`` reads what ``dump()`` wrote.

Loading
-------

``load()`` takes a ``path`` and a ``mode``.

Scanning
--------

Call ``scan('a')`` first.

Reference
---------

.. autofunction:: load

   Takes ``path`` and ``mode``.
";

#[test]
fn a_section_is_wrong_only_if_it_says_what_changed() {
    let Some(place) = commit_project(LOAD) else { return };
    let code =
        "def load(path, mode, level=1): pass\ndef dump(path, mode, level=1): pass\ndef scan(path, level): pass\n";
    place.project.write("lib/io.py", code);
    assert!(git(&place, &["commit", "-q", "-a", "-m", "levels"]));
    let run = place.run(&["docs", "check", "--json", "--changed-code", "--confidence", "0.3"]);
    let wrong = ["docs/api.rst:9 code_change_unreflected load", "docs/api.rst:14 code_change_unreflected scan"];
    assert_eq!(names(&json(&run)), wrong, "{run:?}");
}

const TOOL: &str = "\
//- pyproject.toml
[project]
name = 'tool'
[project.scripts]
tool = 'tool.cli:main'
//- tool/__init__.py
//- tool/cli.py
import click

@click.group()
def main(): pass

@main.command()
@click.option('--port')
def start(port): pass
//- README.md
# Tool

Run `tool start --port 80`, `tool start --speed 3`, `tool launch`, `other --speed`, `--speed`, `tool start --help`.

```sh
tool start --colour
```
";

#[test]
fn commands_and_options_that_no_program_declares_are_found_if_all_are_known() {
    let place = Place::new(TOOL);
    let run = place.run(&["docs", "check", "--json"]);
    let wrong = [
        "README.md:3 command_missing --speed",
        "README.md:3 command_missing tool launch",
        "README.md:6 command_missing --colour",
    ];
    assert_eq!(names(&json(&run)), wrong, "{run:?}");
    // Other options are passed on.
    place.project.write("tool/more.py", "import argparse\nargparse.ArgumentParser().parse_known_args()\n");
    assert_eq!(names(&json(&place.run(&["docs", "check", "--json"]))), Vec::<String>::new());
}

#[test]
fn references_slips_packages_and_names_in_listings_are_checked() {
    let Some(place) = commit_project(POOL) else { return };
    let run = place.run(&["docs", "check", "--json"]);
    let wrong = [
        "docs/guide.rst:6 anchor_broken begin",
        "docs/guide.rst:6 anchor_broken the notes",
        "docs/guide.rst:10 binding_missing drain_conections",
    ];
    assert_eq!(names(&json(&run)), wrong, "{run:?}");
    let code = "class ConnectionPool:\n    max_connections = 5\n\n    def drain_connections(self):\n        return self.max_connections\n\ndef acquire_connection(pool_name, retries):\n    return retries\n";
    place.project.write("pool/core.py", code);
    place.project.write("setup.py", "install_requires = []\n");
    assert!(git(&place, &["add", "-A"]) && git(&place, &["commit", "-q", "-m", "fewer"]));
    let run = place.run(&["docs", "check", "--json", "--since", "HEAD~1"]);
    let wrong = ["docs/guide.rst:10 binding_missing chardet", "docs/guide.rst:14 example_broken retry_limit"];
    assert_eq!(names(&json(&run)), wrong, "{run:?}");
}

#[test]
fn a_check_that_cannot_be_made_is_no_finding() {
    let Some(place) = commit_project(SHOP) else { return };
    let run = place.run(&["docs", "check", "--since", "nowhere"]);
    assert!(run.code == 2 && run.err.contains("nowhere"), "{run:?}");
    let run = place.run(&["docs", "check", "src"]);
    assert!(run.code == 2 && run.err.contains("`src` is no document"), "{run:?}");
    let run = place.run(&["docs", "check", "CHANGELOG.md"]);
    assert_eq!((run.code, run.out.as_str()), (0, "no findings in 1 document with 1 section\n"), "{run:?}");
}
