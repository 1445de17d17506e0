//! Functions that macros define are nodes where they are invoked, if the definition of the macro says so.

mod common;

use m1nd_base::{Cancel, Limits, NoProgress, Relation};
use m1nd_link::{FileLinks, Linker};

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"app\"\n");

const CHECKS: &str = "\
fn work() {}
check!(first, || work());
mod inner {
    use super::*;
    check!(second, || {
        fn own() {}
        own();
        work()
    });
}
";

fn set(linker: &mut Linker, (path, text): (&str, &str)) {
    common::put(linker, path, text);
}

/// The nodes of the file with invocations, tests marked by a star, and the edges to `work`.
fn checks(linker: &mut Linker) -> (Vec<String>, Vec<String>) {
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let links: &FileLinks =
        delta.changed.iter().find(|links| links.path.as_str() == "src/checks.rs").expect("the file is linked");
    let short = |id| linker.text(id).trim_start_matches("file::src/").replace("checks.rs", "").to_owned();
    let nodes = links.nodes.iter().map(|node| format!("{}{}", short(node.id), if node.is_test { "*" } else { "" }));
    let edges = links.edges.iter().filter(|edge| edge.relation != Relation::Contains);
    let edges = edges.map(|edge| format!("{} {} {} {}", short(edge.from), edge.relation, short(edge.to), edge.tier));
    (nodes.collect(), edges.filter(|edge| edge.contains(" ::fn::work ")).collect())
}

#[test]
fn nodes_follow_the_definition_of_the_macro() {
    let rows: &[(&str, &[&str], &[&str])] = &[
        (
            "macro_rules! check { ($name:ident, $e:expr) => { fn $name() { $e(); } } }",
            &["", "::fn::work", "::fn::first", "::mod::inner", "::mod::inner::fn::second", "::mod::inner::fn::own"],
            &["::fn::first calls ::fn::work certain", "::mod::inner::fn::second calls ::fn::work certain"],
        ),
        (
            "macro_rules! check { ($name:ident, $e:expr) => { #[test] fn $name() { $e(); } } }",
            &["", "::fn::work", "::fn::first*", "::mod::inner", "::mod::inner::fn::second*", "::mod::inner::fn::own"],
            &[
                "::fn::first calls ::fn::work certain",
                "::fn::first tests ::fn::work certain",
                "::mod::inner::fn::second calls ::fn::work certain",
                "::mod::inner::fn::second tests ::fn::work certain",
            ],
        ),
        (
            "macro_rules! check { ($name:ident, $e:expr) => { const _: u8 = { $e; 1 }; } }",
            &["", "::fn::work", "::mod::inner", "::mod::inner::fn::own"],
            &[" calls ::fn::work certain", "::mod::inner calls ::fn::work certain"],
        ),
        (
            "macro_rules! check { ($($t:tt)*) => {} }",
            &["", "::fn::work", "::mod::inner", "::mod::inner::fn::own"],
            &[" calls ::fn::work possible", "::mod::inner calls ::fn::work possible"],
        ),
        (
            "macro_rules! check { (first, $e:expr) => {}; ($a:ident, $e:expr) => { fn $a() { $e; } } }",
            &["", "::fn::work", "::mod::inner", "::mod::inner::fn::second", "::mod::inner::fn::own"],
            &[" calls ::fn::work certain", "::mod::inner::fn::second calls ::fn::work certain"],
        ),
    ];
    let mut linker = Linker::new(Limits::default());
    set(&mut linker, MANIFEST);
    set(&mut linker, ("src/lib.rs", "#[macro_use]\nmod rules;\nmod checks;\n"));
    set(&mut linker, ("src/checks.rs", CHECKS));
    for (rules, nodes, edges) in rows {
        set(&mut linker, ("src/rules.rs", rules));
        let (found, calls) = checks(&mut linker);
        assert_eq!(found, *nodes, "{rules}");
        assert_eq!(calls, *edges, "{rules}");
    }
}
