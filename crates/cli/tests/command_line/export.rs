use expect_test::{Expect, expect};
use serde_json::Value;

use crate::Place;

/// Decorators above a name, a header of several lines, a class, top-level code, an unknown receiver and a package.
const TOOLS: &str = "\
//- .git/HEAD
ref: refs/heads/main
//- tools.py
import functools
import os


@functools.cache
@functools.wraps(
    print,
)
def cached(value):
    return os.getpid() + value


class Box:
    def open(self):
        return cached(1)


class Chest:
    def open(self):
        return cached(2) + cached(3)


def use(thing):
    return thing.open()


Box().open()
//- lib.rs
pub(crate) const fn
late() -> u32 {
    1
}

fn main() { late(); }
";

fn check(arguments: &[&str], expected: Expect) {
    let run = Place::new(TOOLS).run(&[&["export"], arguments].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    expected.assert_eq(&run.out);
}

#[test]
fn edges_of_a_folder_that_was_never_indexed() {
    check(
        &["--what", "edges", "--relation", "calls"],
        expect![[r#"
            {"from":"file::lib.rs::fn::main","to":"file::lib.rs::fn::late","relation":"calls","tier":"certain","of":1,"from_file":"lib.rs","from_line":6,"from_name":"main","from_kind":"function","to_file":"lib.rs","to_line":2,"to_name":"late","to_kind":"function","sites":[[6,13]]}
            {"from":"file::tools.py","to":"file::tools.py::class::Box","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":13,"to_name":"Box","to_kind":"class","sites":[[27,1]]}
            {"from":"file::tools.py","to":"file::tools.py::class::Box::fn::open","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":14,"to_name":"open","to_kind":"function","sites":[[27,7]]}
            {"from":"file::tools.py::class::Box::fn::open","to":"file::tools.py::fn::cached","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":14,"from_name":"open","from_kind":"function","to_file":"tools.py","to_line":9,"to_name":"cached","to_kind":"function","sites":[[15,16]]}
            {"from":"file::tools.py::class::Chest::fn::open","to":"file::tools.py::fn::cached","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":19,"from_name":"open","from_kind":"function","to_file":"tools.py","to_line":9,"to_name":"cached","to_kind":"function","sites":[[20,16],[20,28]]}
            {"from":"file::tools.py::fn::cached","to":"external::os","relation":"calls","tier":"external","of":1,"from_file":"tools.py","from_line":9,"from_name":"cached","from_kind":"function","to_file":null,"to_line":0,"to_name":"os","to_kind":"package","sites":[[10,15]]}
            {"from":"file::tools.py::fn::cached","to":"external::os::getpid","relation":"calls","tier":"external","of":1,"from_file":"tools.py","from_line":9,"from_name":"cached","from_kind":"function","to_file":null,"to_line":0,"to_name":"getpid","to_kind":"package_member","sites":[[10,15]]}
            {"from":"file::tools.py::fn::use","to":"file::tools.py::class::Box::fn::open","relation":"calls","tier":"possible","of":2,"from_file":"tools.py","from_line":23,"from_name":"use","from_kind":"function","to_file":"tools.py","to_line":14,"to_name":"open","to_kind":"function","sites":[[24,18]]}
            {"from":"file::tools.py::fn::use","to":"file::tools.py::class::Chest::fn::open","relation":"calls","tier":"possible","of":2,"from_file":"tools.py","from_line":23,"from_name":"use","from_kind":"function","to_file":"tools.py","to_line":19,"to_name":"open","to_kind":"function","sites":[[24,18]]}
        "#]],
    );
}

#[test]
fn certain_edges_only_as_one_object() {
    check(
        &["--relation", "calls,contains", "--tier", "certain", "--format", "json"],
        expect![[r#"
        {"format_version":2,"generator":"m1nd 0.1.0","edges":[
        {"from":"file::lib.rs","to":"file::lib.rs::fn::late","relation":"contains","tier":"certain","of":1,"from_file":"lib.rs","from_line":0,"from_name":"lib.rs","from_kind":"file","to_file":"lib.rs","to_line":2,"to_name":"late","to_kind":"function","sites":[]},
        {"from":"file::lib.rs","to":"file::lib.rs::fn::main","relation":"contains","tier":"certain","of":1,"from_file":"lib.rs","from_line":0,"from_name":"lib.rs","from_kind":"file","to_file":"lib.rs","to_line":6,"to_name":"main","to_kind":"function","sites":[]},
        {"from":"file::lib.rs::fn::main","to":"file::lib.rs::fn::late","relation":"calls","tier":"certain","of":1,"from_file":"lib.rs","from_line":6,"from_name":"main","from_kind":"function","to_file":"lib.rs","to_line":2,"to_name":"late","to_kind":"function","sites":[[6,13]]},
        {"from":"file::tools.py","to":"file::tools.py::class::Box","relation":"contains","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":13,"to_name":"Box","to_kind":"class","sites":[]},
        {"from":"file::tools.py","to":"file::tools.py::class::Box","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":13,"to_name":"Box","to_kind":"class","sites":[[27,1]]},
        {"from":"file::tools.py","to":"file::tools.py::class::Box::fn::open","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":14,"to_name":"open","to_kind":"function","sites":[[27,7]]},
        {"from":"file::tools.py","to":"file::tools.py::class::Chest","relation":"contains","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":18,"to_name":"Chest","to_kind":"class","sites":[]},
        {"from":"file::tools.py","to":"file::tools.py::fn::cached","relation":"contains","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":9,"to_name":"cached","to_kind":"function","sites":[]},
        {"from":"file::tools.py","to":"file::tools.py::fn::use","relation":"contains","tier":"certain","of":1,"from_file":"tools.py","from_line":0,"from_name":"tools.py","from_kind":"file","to_file":"tools.py","to_line":23,"to_name":"use","to_kind":"function","sites":[]},
        {"from":"file::tools.py::class::Box","to":"file::tools.py::class::Box::fn::open","relation":"contains","tier":"certain","of":1,"from_file":"tools.py","from_line":13,"from_name":"Box","from_kind":"class","to_file":"tools.py","to_line":14,"to_name":"open","to_kind":"function","sites":[]},
        {"from":"file::tools.py::class::Box::fn::open","to":"file::tools.py::fn::cached","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":14,"from_name":"open","from_kind":"function","to_file":"tools.py","to_line":9,"to_name":"cached","to_kind":"function","sites":[[15,16]]},
        {"from":"file::tools.py::class::Chest","to":"file::tools.py::class::Chest::fn::open","relation":"contains","tier":"certain","of":1,"from_file":"tools.py","from_line":18,"from_name":"Chest","from_kind":"class","to_file":"tools.py","to_line":19,"to_name":"open","to_kind":"function","sites":[]},
        {"from":"file::tools.py::class::Chest::fn::open","to":"file::tools.py::fn::cached","relation":"calls","tier":"certain","of":1,"from_file":"tools.py","from_line":19,"from_name":"open","from_kind":"function","to_file":"tools.py","to_line":9,"to_name":"cached","to_kind":"function","sites":[[20,16],[20,28]]}
        ]}
    "#]],
    );
}

#[test]
fn nodes_with_the_lines_of_their_names() {
    check(
        &["--what", "nodes"],
        expect![[r#"
            {"id":"external::builtins","kind":"package","name":"builtins","file":null,"line":0,"start_line":0,"end_line":0,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"external::functools","kind":"package","name":"functools","file":null,"line":0,"start_line":0,"end_line":0,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"external::functools::cache","kind":"package_member","name":"cache","file":null,"line":0,"start_line":0,"end_line":0,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"external::functools::wraps","kind":"package_member","name":"wraps","file":null,"line":0,"start_line":0,"end_line":0,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"external::os","kind":"package","name":"os","file":null,"line":0,"start_line":0,"end_line":0,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"external::os::getpid","kind":"package_member","name":"getpid","file":null,"line":0,"start_line":0,"end_line":0,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"file::lib.rs","kind":"file","name":"lib.rs","file":"lib.rs","line":0,"start_line":1,"end_line":6,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"file::lib.rs::fn::late","kind":"function","name":"late","file":"lib.rs","line":2,"start_line":1,"end_line":4,"parent":"file::lib.rs","flags":[],"signature":"pub(crate) const fn late() -> u32","doc":""}
            {"id":"file::lib.rs::fn::main","kind":"function","name":"main","file":"lib.rs","line":6,"start_line":6,"end_line":6,"parent":"file::lib.rs","flags":[],"signature":"fn main()","doc":""}
            {"id":"file::tools.py","kind":"file","name":"tools.py","file":"tools.py","line":0,"start_line":1,"end_line":27,"parent":null,"flags":[],"signature":"","doc":""}
            {"id":"file::tools.py::class::Box","kind":"class","name":"Box","file":"tools.py","line":13,"start_line":13,"end_line":15,"parent":"file::tools.py","flags":["exported"],"signature":"class Box","doc":""}
            {"id":"file::tools.py::class::Box::fn::open","kind":"function","name":"open","file":"tools.py","line":14,"start_line":14,"end_line":15,"parent":"file::tools.py::class::Box","flags":["exported"],"signature":"def open(self)","doc":""}
            {"id":"file::tools.py::class::Chest","kind":"class","name":"Chest","file":"tools.py","line":18,"start_line":18,"end_line":20,"parent":"file::tools.py","flags":["exported"],"signature":"class Chest","doc":""}
            {"id":"file::tools.py::class::Chest::fn::open","kind":"function","name":"open","file":"tools.py","line":19,"start_line":19,"end_line":20,"parent":"file::tools.py::class::Chest","flags":["exported"],"signature":"def open(self)","doc":""}
            {"id":"file::tools.py::fn::cached","kind":"function","name":"cached","file":"tools.py","line":9,"start_line":9,"end_line":10,"parent":"file::tools.py","flags":["exported"],"signature":"def cached(value)","doc":""}
            {"id":"file::tools.py::fn::use","kind":"function","name":"use","file":"tools.py","line":23,"start_line":23,"end_line":24,"parent":"file::tools.py","flags":["exported"],"signature":"def use(thing)","doc":""}
        "#]],
    );
}

#[test]
fn a_tier_admits_the_surer_ones() {
    let place = Place::new(TOOLS);
    let tiers = |arguments: &[&str]| {
        let run = place.run(&[&["export", "--quiet"], arguments].concat());
        assert!(run.code == 0 && run.err.is_empty(), "{}", run.err);
        let rows = run.out.lines().map(|row| serde_json::from_str::<Value>(row).expect("a row"));
        let mut tiers: Vec<String> = rows.map(|row| row["tier"].as_str().expect("a tier").to_owned()).collect();
        tiers.sort();
        tiers.dedup();
        tiers
    };
    assert_eq!(tiers(&[]), ["certain", "external", "possible"]);
    assert_eq!(tiers(&["--tier", "possible"]), ["certain", "possible"]);
    assert_eq!(tiers(&["--tier", "certain"]), ["certain"]);
}

#[test]
fn the_index_is_brought_up_to_date_and_stays_what_it_was() {
    let place = Place::new(TOOLS);
    place.project.write(".hidden.py", "def unseen():\n    pass\n");
    assert_eq!(place.run(&["ingest", "--quiet", "--include-hidden"]).code, 0);
    place.project.write("new.py", "def added():\n    pass\n");
    let run = place.run(&["export", "--what", "nodes"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for id in ["file::new.py::fn::added", "file::.hidden.py::fn::unseen"] {
        assert!(run.out.contains(id), "{id}: {}", run.out);
    }
    let again = place.run(&["export", "--what", "nodes"]);
    assert_eq!(run.out, again.out, "equal graphs give equal rows");
}

#[test]
fn meta_counts_the_rows() {
    let place = Place::new(TOOLS);
    let count = |what: &str| place.run(&["export", "--what", what]).out.lines().count() as u64;
    let meta: Value = serde_json::from_str(&place.run(&["export", "--what", "meta"]).out).expect("one row");
    assert_eq!(meta["format_version"], 2);
    assert_eq!((meta["nodes"].as_u64(), meta["edges"].as_u64()), (Some(count("nodes")), Some(count("edges"))));
    let path = std::fs::canonicalize(place.project.path()).expect("a folder");
    assert_eq!(meta["roots"][0]["path"].as_str(), path.to_str());
}

#[test]
fn what_makes_no_sense_is_refused_with_what_does() {
    let place = Place::new(TOOLS);
    for (arguments, words) in [
        (&["--relation", "eats"][..], "expected one of contains, imports"),
        (&["--what", "nodes", "--tier", "certain"], "apply only to edges"),
        (&["--tier", "sure"], "possible values: certain, possible"),
        (&["no/such/folder"], "no/such/folder"),
    ] {
        let run = place.run(&[&["export"], arguments].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new(TOOLS);
    let mut command = place.command(&["export"]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = command.stdout(writer).status().expect("runs");
    assert!(status.success(), "{status}");
}

#[test]
fn tables_are_partitions_of_repository_and_state() {
    let place = Place::new(TOOLS);
    let parquet = ["export", "--quiet", "--format", "parquet", "--output", "tables"];
    let named = ["--repository", "acme/tools", "--commit", "c1"];
    let run = place.run(&[&parquet[..], &named].concat());
    assert!(run.code == 0 && run.out.is_empty() && run.err.is_empty(), "{}", run.err);
    let file = |table: &str| {
        place.project.path().join(format!("tables/{table}/repository=acme%2Ftools/commit=c1/part-0.parquet"))
    };
    let tables = ["nodes", "edges", "external_uses", "files", "dependencies", "provides", "bodies", "secrets"];
    for table in tables.into_iter().chain(["cross_edges", "memories", "exports"]) {
        let bytes = std::fs::read(file(table)).expect("a table");
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
    }
    let before = std::fs::read(file("edges")).expect("a table");
    std::fs::remove_dir_all(place.project.path().join("tables")).expect("no tables");
    assert_eq!(place.run(&[&parquet[..], &named, &["--tables", "edges,memories"]].concat()).code, 0);
    assert_eq!(std::fs::read(file("edges")).expect("a table"), before, "equal graphs give equal bytes");
    assert!(file("memories").is_file() && file("exports").is_file() && !file("nodes").exists());
}

#[test]
fn options_of_rows_and_tables_are_not_mixed() {
    let place = Place::new(TOOLS);
    let rows: &[(&[&str], &str)] = &[
        (&["--output", "tables"], "apply only to tables"),
        (&["--format", "jsonl", "--tables", "nodes"], "apply only to tables"),
        (&["--format", "parquet"], "tables need a folder"),
        (&["--format", "parquet", "--output", "tables", "--what", "nodes"], "apply only to rows"),
        (&["--format", "parquet", "--output", "tables", "--tables", "nodes,sums"], "unknown table `sums`"),
    ];
    for (arguments, expected) in rows {
        let run = place.run(&[&["export", "--quiet"], *arguments].concat());
        assert!(run.code == 2 && run.err.contains(expected), "{arguments:?}: {}", run.err);
        assert!(!place.project.path().join("tables").exists(), "{arguments:?}");
    }
}
