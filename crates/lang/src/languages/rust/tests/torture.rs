use m1nd_base::{Cancel, Limits};

use crate::facts::FileFacts;
use crate::{Language, extract};

/// Far less than any thread of ours has, so recursion over the input overflows it.
const STACK_BYTES: usize = 512 << 10;

fn on_small_stack(sources: Vec<String>) -> Vec<FileFacts> {
    let work = move || {
        let limits = Limits { parse_time: std::time::Duration::from_secs(30), ..Limits::default() };
        let extract = |source: &String| extract(Language::Rust, source.as_bytes(), &limits, &Cancel::new());
        sources.iter().map(extract).collect()
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("a thread");
    thread.join().expect("extraction never panics")
}

fn check_invariants(facts: &FileFacts) {
    for (index, scope) in facts.scopes.iter().enumerate() {
        assert!(scope.parent.is_none_or(|parent| parent.index() < index), "a parent scope stands before its children");
        assert!(scope.owner.is_none_or(|owner| owner.index() < facts.definitions.len()));
    }
    for (index, definition) in facts.definitions.iter().enumerate() {
        assert!(definition.owner.is_none_or(|owner| owner.index() < index), "an owner stands before what it owns");
        assert!(definition.bytes.0 <= definition.bytes.1 && definition.line_start <= definition.line_end);
    }
    let exprs = facts.exprs.len();
    assert!(facts.list_items.iter().all(|item| item.index() < exprs));
    for reference in &facts.references {
        assert!(reference.expr.index() < exprs && reference.pos.line >= 1 && reference.pos.line <= facts.lines.max(1));
    }
}

fn nest_text(open: &str, middle: &str, close: &str, bytes: usize) -> String {
    let depth = bytes / open.len().max(1);
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

fn hostile() -> Vec<String> {
    let within = |body: String| format!("fn f() {{ let x = {body}; }}");
    vec![
        nest_text("(", "1", ")", 40_000),
        nest_text("[", "", "", 40_000),
        nest_text("{", "", "}", 40_000),
        "([{<".repeat(10_000),
        within(nest_text("(", "1", ")", 40_000)),
        within(nest_text("[", "1", "]", 40_000)),
        within(nest_text("{ ", "1", "}", 40_000)),
        within(nest_text("|a| ", "a", "", 15_000)),
        within(nest_text("|a| { let b = a; ", "b", "}", 15_000)),
        within(nest_text("f(", "1", ")", 40_000)),
        within(nest_text("if let Some(a) = a { ", "1", "}", 40_000)),
        within(nest_text("match a { a => ", "1", "}", 40_000)),
        within(nest_text("&", "a", "", 40_000)),
        within(nest_text("-", "a", "", 40_000)),
        within(nest_text("vec![", "a", "]", 40_000)),
        within(nest_text("own!(", "a.b()", ")", 40_000)),
        within(nest_text("println!(\"{}\", ", "a.b()", ")", 40_000)),
        within(format!("a{}", ".b()".repeat(20_000))),
        within(format!("a{}", "?".repeat(20_000))),
        within(format!("a{}", "::b".repeat(20_000))),
        within(format!("a{}", " + b".repeat(20_000))),
        within(format!("a{}", "[0]".repeat(10_000))),
        format!("use {}", "a::".repeat(20_000)),
        format!("use {}b{};", "a::{".repeat(10_000), "}".repeat(10_000)),
        format!("fn f(x: {}) {{}}", nest_text("Vec<", "u8", ">", 40_000)),
        format!("fn f(x: {}) {{}}", nest_text("&", "u8", "", 40_000)),
        format!("fn f() {{ let {} = x; }}", nest_text("(", "a", ",)", 40_000)),
        format!("fn f() {{ let {} = x; }}", nest_text("Some(", "a", ")", 40_000)),
        format!("fn f() {{ match x {{ {} => 1 }} }}", "A | ".repeat(10_000) + "B"),
        nest_text("mod m { ", "fn f() {}", "}", 40_000),
        nest_text("fn f() { ", "g()", "}", 40_000),
        nest_text("impl A for B { fn f() { ", "", "}}", 40_000),
        format!("fn f() {{ {} }}", "let a = a;".repeat(20_000)),
        format!("#[derive({})] struct S;", "A, ".repeat(20_000)),
        format!("m!{{{}}}", nest_text("(a.b", "", ")", 40_000)),
        "/*".repeat(20_000),
        "\"".repeat(20_001),
        "r#".repeat(20_000),
        "'a".repeat(20_000),
        "#![cfg(".repeat(5_000),
        "\u{feff}fn é() { ü(\"\u{1f600}\"); }\r\n\u{0}".to_owned(),
    ]
}

#[test]
fn hostile_nesting_needs_no_stack() {
    for (source, facts) in hostile().iter().zip(on_small_stack(hostile())) {
        check_invariants(&facts);
        assert_eq!(facts.language, Language::Rust, "{}", &source[..source.floor_char_boundary(40)]);
    }
}

#[test]
fn a_long_line_of_statements_ends_at_the_limit() {
    let statements = "x=1;".repeat(90_000);
    let source = format!("fn f() {{ {statements} }}");
    assert!(source.len() <= 1 << 20);
    for facts in on_small_stack(vec![source]) {
        check_invariants(&facts);
        assert!(facts.len() <= Limits::default().facts_per_file);
        assert!(!facts.references.is_empty());
    }
}

#[test]
fn every_truncation_of_a_file_is_extracted() {
    let sample = include_str!("../items.rs");
    let cuts: Vec<String> = (0..sample.len())
        .step_by(7)
        .take(250)
        .map(|cut| sample[..sample.floor_char_boundary(cut)].to_owned())
        .collect();
    for facts in on_small_stack(cuts) {
        check_invariants(&facts);
    }
    let own = concat!(
        include_str!("../mod.rs"),
        include_str!("../macros.rs"),
        include_str!("../patterns.rs"),
        include_str!("mod.rs")
    );
    for facts in on_small_stack(vec![own.to_owned()]) {
        check_invariants(&facts);
        assert!(facts.problems.is_empty(), "{:?}", facts.problems);
    }
}
