//! Notebooks: their code cells are one module of Python, and what is said of places is true of the file.

mod common;

use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use m1nd_link::Linker;

const CORE: &str = "def core(x): ...\n\nclass Pool:\n    def take(self): ...\n";

/// Cells as lines of their own, with magics, a cell of another language, escapes and a document between them.
const LINES: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "source": ["# Title\n", "Calls `core`."]},
  {"cell_type": "code", "outputs": [], "source": [
    "%matplotlib inline\n",
    "from pkg.core import core, Pool\n",
    "!pip install \"x\"\n",
    "def nbfn(a):\n",
    "    text = \"é \\\"quoted\\\"\"; return core(a)\n"
  ]},
  {"cell_type": "code", "source": ["%%bash\n", "core x\n"]},
  {"cell_type": "raw", "source": ["core()"]},
  {"cell_type": "code", "source": ["%%time\n", "pool = Pool()\n", "pool.take()\n", "nbfn(1)"]}
 ],
 "metadata": {"kernelspec": {"language": "python"}}
}
"##;

/// All code of a cell in one string.
const STRING: &str = r#"{"cells": [{"cell_type": "code", "source": "from pkg.core import core\ncore(\n  1)\n"}]}"#;

const OTHER: &str = r#"{"cells": [{"cell_type": "code", "source": ["core(1)"]}],
 "metadata": {"kernelspec": {"language": "julia"}}}"#;

fn link_notebook(notebook: &str) -> Linker {
    let mut linker = Linker::new(Limits::default());
    common::put(&mut linker, "pkg/__init__.py", "");
    common::put(&mut linker, "pkg/core.py", CORE);
    common::put(&mut linker, "nb.ipynb", notebook);
    linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    linker
}

/// References with a target: name, line, column and the target.
fn targets(linker: &Linker) -> Vec<String> {
    let rows = linker.explain(&RepoPath::new("nb.ipynb").expect("a valid path"));
    let inside = rows.iter().filter(|row| row.targets.iter().any(|id| id.starts_with("file::")));
    let shown = inside.map(|row| {
        let target = row.targets[0].trim_start_matches("file::");
        format!("{} {}:{} {target}", row.name, row.pos.line, row.pos.col)
    });
    shown.collect()
}

#[test]
fn cells_define_and_call_functions() {
    let linker = link_notebook(LINES);
    assert_eq!(
        targets(&linker),
        [
            "core 6:27 pkg/core.py::fn::core",
            "Pool 6:33 pkg/core.py::class::Pool",
            "core 9:46 pkg/core.py::fn::core",
            "Pool 13:56 pkg/core.py::class::Pool",
            "pool 13:68 nb.ipynb::var::pool",
            "take 13:73 pkg/core.py::class::Pool::fn::take",
            "nbfn 13:85 nb.ipynb::fn::nbfn",
        ]
    );
    let nodes = linker.nodes(&RepoPath::new("nb.ipynb").expect("a valid path"));
    let named: Vec<(&str, u32)> = nodes.iter().map(|node| (node.name, node.pos.line)).collect();
    assert_eq!(named, [("", 0), ("Title", 3), ("nbfn", 8), ("pool", 13)]);
}

#[test]
fn a_cell_may_be_one_string() {
    let found = targets(&link_notebook(STRING));
    assert_eq!(found, ["core 1:66 pkg/core.py::fn::core", "core 1:72 pkg/core.py::fn::core"]);
}

#[test]
fn code_of_other_languages_is_not_read_as_python() {
    assert_eq!(targets(&link_notebook(OTHER)), Vec::<String>::new());
    assert_eq!(targets(&link_notebook("{")), Vec::<String>::new());
}

#[test]
fn an_edit_of_what_a_notebook_uses_links_it_again() {
    let mut linker = link_notebook(LINES);
    common::put(&mut linker, "pkg/core.py", "def other(): ...\n");
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    assert!(delta.changed.iter().any(|links| links.path.as_str() == "nb.ipynb"));
}
