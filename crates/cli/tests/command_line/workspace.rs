//! `m1nd workspace`: repositories that are answered over as one, as a person lists them.

use crate::Place;

/// A folder for the workspace, and repositories beside it.
const AROUND: &str = "\
//- back/.git/HEAD
ref: refs/heads/main
//- back/price.py
def net(value):
    return value * 2
//- front/shop.py
from price import net


def show():
    return net(1)
//- other/back/a.py
def a():
    return 1
";

fn place() -> Place {
    Place::new(AROUND)
}

/// Runs the command in a folder of the project.
fn run(place: &Place, folder: &str, arguments: &[&str]) -> (i32, String, String) {
    let folder = place.project.path().join(folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut command = place.command(arguments);
    let output = command.current_dir(folder).output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[test]
fn repositories_are_added_listed_indexed_and_removed() {
    let place = place();
    let (code, out, err) = run(&place, "work", &["workspace", "add", "../back"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("added back:"), "{out}");
    let (code, _, err) = run(&place, "work", &["workspace", "add", "../front"]);
    assert_eq!(code, 0, "{err}");
    let file = std::fs::read_to_string(place.project.path().join("work/m1nd-workspace.toml")).expect("a file");
    assert!(file.contains("path = \"../back\""), "{file}");
    // Another repository of the same name is not put in the place of the first.
    let (code, _, err) = run(&place, "work", &["workspace", "add", "../other/back"]);
    assert!(code != 0 && err.contains("listed already") && err.contains("--name"), "{err}");
    let (code, _, err) = run(&place, "work", &["ingest"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = run(&place, "work", &["workspace", "status"]);
    assert!(out.contains("back  1 files") && out.contains("front  1 files"), "{out}");
    let (code, out, err) = run(&place, "work", &["call", "callers", "--node-id", "back::file::price.py::fn::net"]);
    assert!(code == 0 && out.contains("front/shop.py:5") && out.contains("show"), "{out}{err}");
    let (code, out, _) = run(&place, "work", &["workspace", "remove", "front"]);
    assert!(code == 0 && out.contains("removed front"), "{out}");
    let (code, _, err) = run(&place, "work", &["workspace", "remove", "front"]);
    assert!(code != 0 && err.contains("no repository `front`"), "{err}");
}

#[test]
fn who_adds_a_repository_to_theirs_means_both() {
    let place = place();
    let (code, out, err) = run(&place, "back", &["workspace", "add", "../front"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("added back:") && out.contains("added front:"), "{out}");
    let (_, out, _) = run(&place, "back", &["workspace", "list"]);
    assert!(out.contains("back") && out.contains("front"), "{out}");
}
