//! `m1nd map`: every format, the three figures, and names that try to be more than names.

use crate::Place;

/// A folder above another, one import that leads up, and a file whose name is a script.
const APP: &str = "\
//- .git/HEAD
ref: refs/heads/main
//- app/web/page.py
from app.core.rules import check

def show():
    return check()
//- app/web/<img src=x onerror=alert(1)>\".py
from app.core.rules import check

def other():
    return check()
//- app/core/rules.py
def check():
    return 1

def late():
    from app.web.page import show
    return show()
";

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.project.path().join(name)).unwrap()
}

#[test]
fn every_format_is_written() {
    let place = Place::new(APP);
    let starts: &[(&str, &[u8])] = &[
        ("map.svg", b"<svg xmlns"),
        ("map.png", b"\x89PNG\r\n\x1a\n"),
        ("map.html", b"<!doctype html>"),
        ("map.dot", b"digraph m1nd {"),
        ("map.mmd", b"flowchart TD\n"),
    ];
    for (name, start) in starts {
        let run = place.run(&["map", "--out", name]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        assert!(run.out.starts_with(name), "{}", run.out);
        let bytes = std::fs::read(place.project.path().join(name)).unwrap();
        assert!(bytes.starts_with(start), "{name}");
        // The same again: pictures of the same code are the same bytes.
        assert_eq!(place.run(&["map", "--out", name]).code, 0);
        assert_eq!(std::fs::read(place.project.path().join(name)).unwrap(), bytes, "{name}");
    }
    let run = place.run(&["map", "--format", "dot"]);
    assert_eq!(run.out, read(&place, "map.dot"));
    assert!(place.run(&["map"]).out.starts_with("flowchart TD\n"));
}

#[test]
fn names_stay_names() {
    let place = Place::new(APP);
    for name in ["a.svg", "a.html"] {
        assert_eq!(place.run(&["map", "--out", name]).code, 0);
        let text = read(&place, name);
        assert!(!text.contains("<img"), "{text}");
        assert!(text.contains("&lt;img src=x onerror"), "{text}");
    }
    let text = place.run(&["map", "--scope", "app"]).out;
    assert!(!text.contains("<img") && text.contains("#60;img"), "{text}");
}

#[test]
fn layers_show_what_contradicts_them() {
    let place = Place::new(APP);
    let declared = "[[layer]]\nname = 'web'\npaths = ['app/web']\nmay_use = ['core']\n[[layer]]\nname = 'core'\npaths = ['app/core']\n";
    std::fs::write(place.project.path().join("m1nd-layers.toml"), declared).unwrap();
    let run = place.run(&["map", "--layers"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("subgraph b0[\"web\"]") && run.out.contains("subgraph b1[\"core\"]"), "{}", run.out);
    assert!(run.out.contains(" ==>"), "{}", run.out);
    assert!(run.out.contains("red: 1 dependency against them"), "{}", run.out);
}

#[test]
fn an_impact_ends_at_its_symbol() {
    let place = Place::new(APP);
    let run = place.run(&["map", "--impact", "check"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let focus = run.out.lines().find(|line| line.contains(":::focus")).unwrap();
    assert!(focus.contains("check<br/>app/core/rules.py:1"), "{}", run.out);
    for name in ["other<br/>", "show<br/>"] {
        assert!(run.out.lines().any(|line| line.contains(name) && line.ends_with(":::breaks")), "{}", run.out);
    }
    let missing = place.run(&["map", "--impact", "nowhere"]);
    assert_eq!(missing.code, 4, "{}", missing.err);
    assert!(missing.err.contains("no node is named `nowhere`"), "{}", missing.err);
}

#[test]
fn mistakes_are_named() {
    let place = Place::new(APP);
    let cases: &[(&[&str], &str)] = &[
        (&["map", "--out", "a.jpeg"], "the ending of `a.jpeg` names no format"),
        (&["map", "--limit", "0"], "`--limit 0` is out of range"),
        (&["map", "--scope", "a["], "cannot read `--scope`"),
        (&["map", "--out", "no/such/folder/a.svg"], "cannot write `no/such/folder/a.svg`"),
    ];
    for (arguments, message) in cases {
        let run = place.run(arguments);
        assert!(run.code > 1 && run.err.contains(message), "{arguments:?} {} {}", run.code, run.err);
    }
}
