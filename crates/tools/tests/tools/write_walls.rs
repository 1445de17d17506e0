//! No write tool changes a byte outside of the roots, by any spelling of a path.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Project, files_below};

/// Number of paths that are tried at least.
const LEAST: usize = 200;

/// Paths that lead out, into places that are not written, or to what is no file.
fn attacks(outside: &str, root: &str, home: &str) -> Vec<String> {
    let up = ["../", "../../", "a/../../", "./../", "a/b/../../../", "..//", ".././", "a/./../../", "link/../../", "//../"];
    let ends = ["secret.txt", "x.py", "etc/passwd", "..", ".", "a/b.py", ".git/config", "victim/secret.txt"];
    let mut all: Vec<String> = up.iter().flat_map(|up| ends.map(|end| format!("{up}{end}"))).collect();
    let absolute = ["/etc/passwd", "/", "//etc/passwd", "/proc/self/mem", "/dev/null", "/dev/stdin", "/dev/sda", "/tmp/x"];
    all.extend(absolute.map(str::to_owned));
    for base in [outside, home] {
        let names = ["secret.txt", "x.py", "", "sub/x.py", "../x.py", ".", "m1nd.db", "projects/x", "cache/x"];
        all.extend(names.map(|name| format!("{base}/{name}")));
        all.extend(names.map(|name| format!("file://{base}/{name}")));
    }
    all.extend(["-evil/x.py", "/../x.py", "/link/x.py", "/link_file", "x.py"].map(|end| format!("{root}{end}")));
    all.retain(|path| *path != format!("{root}x.py"));
    let links = ["link", "link/x.py", "link/secret.txt", "link/sub/x.py", "link_file", "./link_file", "a/../link/x.py", "dangling"];
    all.extend(links.map(str::to_owned));
    let folders = [".git", ".GIT", ".Git", "sub/.git", ".hg", ".svn", ".git/./", ".git/../.git"];
    let inside = ["config", "hooks/pre-commit", "HEAD", "new"];
    all.extend(folders.iter().flat_map(|folder| inside.map(|name| format!("{folder}/{name}"))));
    let odd = [
        "", " ", "a", "a/", ".", "./", "..", "~/.bashrc", "~root/x", "C:\\Windows\\win.ini", "C:/x", "c:x", "\\\\host\\share",
        "..\\secret.txt", "a\0b.py", "src/\0/../../x", "file:///etc/passwd", "file::/etc/passwd", "file::../secret.txt",
        "file::../secret.txt::fn::x", "http://example.org/x", "\u{ff0e}\u{ff0e}/secret.txt/../../x", "a\nb/../../x", "a/b/c/../../../../x",
        "....//....//../../x", "./a/../..", "a/../../a.py/../x", "/./../x", "///etc/shadow", "/proc/self/root/etc/passwd",
        "/proc/self/cwd/../x", "/proc/self/fd/1", "/sys/kernel/x", "/dev/fd/0", "/dev/tty", "/dev/full", "a.py/x", "a.py/../../x",
        "../\u{202e}txt.py", "..\u{0}/x", "\u{feff}/etc/passwd", "../a.py", "../../a.py", "/var/tmp/x", "/root/.ssh/authorized_keys",
    ];
    all.extend(odd.map(str::to_owned));
    all.push(format!("{}x.py", "../".repeat(500)));
    all.push(format!("{}x.py", "a/".repeat(5_000)));
    all.push("a".repeat(300));
    all
}

/// Calls of every tool that writes, for one path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let text = "x = 1\n";
    let diff = format!("--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n+x = 1\n");
    vec![
        ("apply", json!({"file_path": path, "new_content": text})),
        ("apply", json!({"file_path": path, "delete": true})),
        ("apply", json!({"node_id": path, "new_content": text})),
        ("apply_batch", json!({"edits": [{"file_path": path, "new_content": text}, {"file_path": "fine.py", "new_content": text}]})),
        ("apply_batch", json!({"edits": [{"file_path": path, "new_content": text}], "atomic": false})),
        ("apply_batch", json!({"diff": diff})),
        ("edit_preview", json!({"file_path": path, "new_content": text})),
        ("rename_commit", json!({"node_id": path, "new_name": "renewed", "confirm": true})),
    ]
}

#[cfg(unix)]
#[test]
fn no_byte_outside_of_the_roots_changes() {
    let outer = m1nd_testkit::TempTree::new("//- /secret.txt\nsecret\n//- /sub/a.py\nx = 0\n");
    let project = Project::new("//- /a.py\ndef load():\n    return 1\n//- /sub/b.py\nx = 1\n");
    project.tree.write(".git/config", "safe");
    project.tree.write("sub/.git/config", "safe");
    let link = |to: PathBuf, from: &str| std::os::unix::fs::symlink(to, project.tree.join(from)).expect("a link");
    link(outer.path().to_owned(), "link");
    link(outer.join("secret.txt"), "link_file");
    link(outer.join("none.txt"), "dangling");
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    let paths = attacks(&text(outer.path()), &text(project.tree.path()), &text(project.home()));
    assert!(paths.len() >= LEAST, "{}", paths.len());
    let parent = project.tree.path().parent().expect("a folder").join("secret.txt");
    let guarded = || -> BTreeMap<PathBuf, Vec<u8>> {
        files_below(&[outer.path(), &project.tree.join(".git"), &project.tree.join("sub/.git")])
    };
    let before = guarded();
    for path in &paths {
        for (tool, arguments) in calls(path) {
            let answer = project.call(tool, arguments.clone());
            if tool == "edit_preview" && let Ok(preview) = &answer {
                let commit = json!({"preview_id": preview["preview_id"], "confirm": true});
                drop(project.call("edit_commit", commit));
            }
            assert!(guarded() == before, "{tool} {arguments}");
            if let Err(error) = answer {
                assert!(!error.message.is_empty(), "{tool} {arguments}");
            }
        }
    }
    assert!(!parent.exists() && !outer.join("none.txt").exists());
    assert!(project.tree.join("link_file").is_symlink(), "a link is not replaced");
}

#[test]
fn a_read_only_server_refuses_every_write_tool_first() {
    let program = "//- /a.py\ndef load():\n    return 1\n";
    let project = Project::open(program, true);
    let before = files_below(&[project.tree.path()]);
    for path in ["a.py", "new.py", "../x", ".git/config"] {
        for (tool, arguments) in calls(path) {
            let error = project.call(tool, arguments).expect_err(tool);
            assert_eq!(error.code.word(), "read_only", "{tool} {path}");
        }
    }
    assert!(files_below(&[project.tree.path()]) == before);
}

#[test]
fn texts_that_are_not_written() {
    let project = Project::new("//- /a.py\nx = 1\n");
    std::fs::write(project.tree.join("binary.py"), b"\x00\x01\xff\xfe\x00").expect("is written");
    let large = "x".repeat(17 << 20);
    let replaced = json!([{"old": "x", "new": "y"}]);
    let rows = [
        (json!({"file_path": "large.py", "new_content": large}), "write_refused"),
        (json!({"file_path": "a.py", "new_content": "a\u{0}b"}), "write_refused"),
        (json!({"file_path": "binary.py", "edits": replaced}), "write_refused"),
    ];
    for (arguments, code) in rows {
        for batch in [false, true] {
            let path = arguments["file_path"].clone();
            let before = files_below(&[project.tree.path()]);
            let answer = match batch {
                true => project.call("apply_batch", json!({"edits": [arguments.clone()]})),
                false => project.call("apply", arguments.clone()),
            };
            let error = answer.expect_err("is refused");
            assert_eq!(error.code.word(), code, "{path}: {error}");
            assert!(files_below(&[project.tree.path()]) == before, "{path}");
        }
    }
}
