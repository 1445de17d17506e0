//! What the answers of writes say about the structure of the code.

use serde_json::{Value, json};

use crate::harness::Project;

const USERS: &str = "\
//- /a.py
def load(path, strict=False):
    rows = open(path).read().splitlines()
    return [row for row in rows if row or not strict]


class Pool:
    def get(self, size):
        return [None] * size + load('x')
//- /b.py
from a import Pool, load


def run():
    return load('y', strict=True)


def all():
    return Pool().get(3)
//- /tests/test_b.py
from b import run


def test_run():
    assert run()
";

/// A write of one file of [`USERS`], and what its answer says: a list, and a part of one of its rows; or a list that it
/// has not.
struct Row {
    what: &'static str,
    call: fn() -> (&'static str, Value),
    says: &'static [(&'static str, &'static str)],
    lacks: &'static [&'static str],
}

fn replace(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("apply", json!({"file_path": path, "edits": [{"old": old, "new": new}]}))
}

const ROWS: &[Row] = &[
    Row {
        what: "a body changes",
        call: || replace("a.py", "or not strict]", "or strict]"),
        says: &[("changed", "a.py:1 load"), ("tests", "tests/test_b.py (1)"), ("summary", "nothing certainly broken")],
        lacks: &["dangling", "arguments", "added", "removed", "renamed"],
    },
    Row {
        what: "a function gets another name",
        call: || replace("a.py", "def load(", "def fetch("),
        says: &[
            ("renamed", "load → a.py:1 fetch"),
            ("dangling", "b.py:1"),
            ("dangling", "a.py:8"),
            ("summary", "certainly broken"),
        ],
        lacks: &["added", "removed"],
    },
    Row {
        what: "a class gets another name",
        call: || replace("a.py", "class Pool:", "class Tank:"),
        says: &[("renamed", "Pool → a.py:6 Tank"), ("dangling", "b.py:")],
        lacks: &["added", "removed", "moved"],
    },
    Row {
        what: "a parameter is required",
        call: || replace("a.py", "get(self, size)", "get(self, size, kind)"),
        says: &[("arguments", "b.py:9 `get` takes 2 argument(s), the call has 1"), ("summary", "1 do not fit")],
        lacks: &["dangling"],
    },
    Row {
        what: "a parameter has another name",
        call: || {
            let edits = json!([{"old": "strict=False", "new": "exact=False"}, {"old": "not strict", "new": "not exact"}]);
            ("apply", json!({"file_path": "a.py", "edits": edits}))
        },
        says: &[
            ("arguments", "b.py:5 `load` has no parameter `strict`"),
            ("summary", "calls of changed signatures: 1 fit, 1 do not fit"),
        ],
        lacks: &["dangling"],
    },
    Row {
        what: "a parameter may be left out",
        call: || replace("a.py", "get(self, size)", "get(self, size, kind=None)"),
        says: &[("summary", "calls of changed signatures: 1 fit")],
        lacks: &["arguments", "dangling"],
    },
    Row {
        what: "a function moves",
        call: || {
            let class = "class Pool:\n    def get(self, size):\n        return [None] * size + load('x')\n";
            let own = format!("from a import load\n\n\n{class}");
            let edits = json!([
                {"file_path": "a.py", "edits": [{"old": format!("\n\n\n{class}"), "new": "\n"}]},
                {"file_path": "pool.py", "new_content": own}
            ]);
            ("apply_batch", json!({"edits": edits}))
        },
        says: &[("moved", "a.py Pool → pool.py:4 Pool"), ("dangling", "b.py:1")],
        lacks: &["added", "removed"],
    },
    Row {
        what: "an import closes a cycle",
        call: || replace("a.py", "def load(", "from b import run\n\n\ndef load("),
        says: &[("cycles", "a.py"), ("summary", "1 new import cycle(s)")],
        lacks: &["dangling", "added"],
    },
    Row {
        what: "an import for types closes no cycle",
        call: || {
            let import = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from b import run\n\n\ndef load(";
            replace("a.py", "def load(", import)
        },
        says: &[("summary", "nothing certainly broken")],
        lacks: &["cycles", "dangling"],
    },
    Row {
        what: "a function is copied",
        call: || {
            let copy = "def read(name, exact=False):\n    rows = open(name).read().splitlines()\n    \
                        return [row for row in rows if row or not exact]\n";
            ("apply", json!({"file_path": "c.py", "new_content": copy}))
        },
        says: &[("copies", "c.py:1 read copies, but for names and literals, a.py:1 load"), ("added", "c.py:1 read")],
        lacks: &["dangling"],
    },
];

#[test]
fn every_write_says_what_it_did() {
    for row in ROWS {
        let project = Project::new(USERS);
        let (tool, arguments) = (row.call)();
        let answer = project.ok(tool, arguments);
        let delta = &answer["delta"];
        for (list, part) in row.says {
            let rows = delta[list].as_array().cloned().unwrap_or_else(|| vec![delta[list].clone()]);
            let has = rows.iter().any(|text| text.as_str().is_some_and(|text| text.contains(part)));
            assert!(has, "{}: {list} has no `{part}`: {delta}", row.what);
        }
        for list in row.lacks {
            assert_eq!(delta[list], Value::Null, "{}: {delta}", row.what);
        }
        assert!(delta.to_string().len() <= 1_500, "{delta}");
        assert_eq!(answer["proof_state"] == "blocked", delta["dangling"] != Value::Null || delta["arguments"] != Value::Null, "{}: {answer}", row.what);
    }
}

#[test]
fn only_calls_of_languages_that_count_arguments_do_not_fit() {
    const SCRIPTS: &str = "\
//- /size.ts
export function measure(text: string) {
  return text.length;
}
//- /plain.js
export function count(rows) {
  return rows.length;
}
//- /typed_user.ts
import { measure } from './size';

export const typed = () => measure('x');
//- /plain_user.js
import { count } from './plain';
import { measure } from './size';

export const all = () => count([]) + measure('y');
";
    let rows = [
        ("size.ts", "text: string", "text: string, unit: number", Some("typed_user.ts:3 `measure` takes 2")),
        ("size.ts", "text: string", "", Some("typed_user.ts:3 `measure` takes 0")),
        ("plain.js", "count(rows)", "count(rows, kind)", None),
        ("plain.js", "count(rows)", "count()", None),
    ];
    for (path, old, new, misfit) in rows {
        let project = Project::new(SCRIPTS);
        let (tool, arguments) = replace(path, old, new);
        let delta = &project.ok(tool, arguments)["delta"];
        let found: Vec<&str> = delta["arguments"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert_eq!(found.len(), usize::from(misfit.is_some()), "{path} {new}: {delta}");
        assert!(misfit.is_none_or(|text| found[0].contains(text)), "{path} {new}: {delta}");
    }
}

#[test]
fn a_write_that_is_not_indexed_says_so() {
    let project = Project::new(USERS);
    let answer = project.ok("apply", json!({"file_path": "n.py", "new_content": "x = 1\n", "reingest": false}));
    assert_eq!(answer["delta"], json!({"summary": "not compared: `reingest` is false"}));
}

#[test]
fn a_verified_write_lists_what_is_broken_once() {
    let project = Project::new(USERS);
    let edits = json!([{"file_path": "a.py", "edits": [{"old": "def load(", "new": "def fetch("}]}]);
    let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true}));
    assert!(answer["verification"]["broken"].as_array().is_some_and(|rows| !rows.is_empty()), "{answer}");
    assert_eq!(answer["delta"]["dangling"], Value::Null);
    assert_eq!(answer["delta"]["renamed"], json!(["load → a.py:1 fetch"]));
}
