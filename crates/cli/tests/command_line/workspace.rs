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
    let (code, _, err) = run(&place, "work", &["workspace", "add", "../other/back", "--name", "back"]);
    assert!(code != 0 && err.contains("listed already") && err.contains("--name"), "{err}");
    let (code, _, err) = run(&place, "work", &["ingest"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = run(&place, "work", &["workspace", "status"]);
    assert!(out.contains("back  1 file ") && out.contains("front  1 file "), "{out}");
    let (code, out, err) = run(&place, "work", &["call", "callers", "--node-id", "back::file::price.py::fn::net"]);
    assert!(code == 0 && out.contains("front/shop.py\n5: ") && out.contains("show"), "{out}{err}");
    let (code, out, _) = run(&place, "work", &["workspace", "remove", "front"]);
    assert!(code == 0 && out.contains("removed front"), "{out}");
    let (_, out, _) = run(&place, "work", &["workspace", "status"]);
    assert!(out.contains("(removed)") && out.contains("m1nd ingest"), "{out}");
    assert_eq!(run(&place, "work", &["workspace", "add", "../other"]).0, 0);
    let (_, out, _) = run(&place, "work", &["workspace", "status"]);
    assert!(out.contains("other  0 files") && out.contains("(not indexed yet)"), "{out}");
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

#[test]
fn folders_of_the_same_name_get_names_of_their_own() {
    let place = place();
    let git = place.project.path().join("other/back/.git");
    std::fs::create_dir_all(&git).expect("a folder");
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
    std::fs::write(git.join("config"), "[remote \"origin\"]\n\turl = git@example.com:acme/prices.git\n")
        .expect("a file");
    for (path, added) in [("../back", "added back:"), ("../other/back", "added prices:"), ("../back", "added back:")] {
        let (code, out, err) = run(&place, "work", &["workspace", "add", path]);
        assert!(code == 0 && out.starts_with(added), "{path}: {out}{err}");
    }
    let (_, out, _) = run(&place, "work", &["workspace", "list"]);
    assert_eq!(out.lines().count(), 2, "{out}");
}

#[cfg(unix)]
#[test]
fn commands_of_a_repository_check_a_change_in_the_federation() {
    let place = place();
    for path in ["../back", "../front"] {
        assert_eq!(run(&place, "work", &["workspace", "add", path]).0, 0);
    }
    assert_eq!(run(&place, "work", &["ingest"]).0, 0);
    let net = ["verify", "allow", "--dir", "../back", "--", "grep", "-q", "def net", "price.py"];
    let (code, _, err) = run(&place, "work", &net);
    assert_eq!(code, 0, "{err}");
    let shop = ["verify", "allow", "--dir", "../front", "--", "grep", "-q", "def show", "shop.py"];
    let (code, _, err) = run(&place, "work", &shop);
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = run(&place, "work", &["verify", "list"]);
    assert!(out.contains("def net") && out.contains("def show"), "{out}");
    let edit =
        |new: &str| format!(r#"[{{"file_path": "back/price.py", "edits": [{{"old": "value * 2", "new": "{new}"}}]}}]"#);
    let calls = ["call", "apply_batch", "--verify", "true", "--json", "--edits"];
    let text = edit("value * 3");
    let (code, out, err) = run(&place, "work", &[&calls[..], &[text.as_str()]].concat());
    assert!(code == 0 && out.contains("\"SAFE\"") && out.matches("grep").count() >= 2, "{out}{err}");
}
