//! No argument of any tool leads out of the indexed roots.

use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

/// Paths that lead out, or that mean a file outside by some other spelling.
fn attacks(outside: &str, root: &str) -> Vec<String> {
    let mut attacks: Vec<String> = [
        "/etc/passwd",
        "/",
        "//etc/passwd",
        "../secret.txt",
        "../../etc/passwd",
        "src/../../secret.txt",
        "./../secret.txt",
        "src/a/../../../secret.txt",
        "..",
        "../",
        "/proc/self/root/etc/passwd",
        "/proc/self/environ",
        "~/.bashrc",
        "~root/x",
        "C:\\Windows\\win.ini",
        "C:/x",
        "\\\\host\\share",
        "file:///etc/passwd",
        "file::/etc/passwd",
        "file::../secret.txt",
        "file::../secret.txt::fn::x",
        "src/\0/../../x",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "..;/secret.txt",
        "\u{ff0e}\u{ff0e}/secret.txt",
        "..\u{2215}secret.txt",
        "link",
        "link/secret.txt",
        "link_file",
        "/dev/null",
        "/dev/stdin",
    ]
    .iter()
    .map(|text| (*text).to_owned())
    .collect();
    attacks.push(outside.to_owned());
    attacks.push(format!("{root}-evil/secret.txt"));
    attacks.push(format!("{root}/../secret.txt"));
    attacks.push(format!("{root}/link_file"));
    attacks
}

#[test]
fn nothing_outside_is_read_by_any_spelling() {
    let secret = "TOP-SECRET-CONTENT";
    let outer = m1nd_testkit::TempTree::new(&format!("//- secret.txt\n{secret}\n"));
    let project = Project::new(PROGRAM);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path(), project.tree.join("link")).expect("a link");
        std::os::unix::fs::symlink(outer.join("secret.txt"), project.tree.join("link_file")).expect("a link");
    }
    project.ok("ingest", json!({"path": "."}));
    let outside = outer.join("secret.txt").to_string_lossy().into_owned();
    let root = project.tree.path().to_string_lossy().into_owned();
    for attack in attacks(&outside, &root) {
        let calls: [(&str, Value); 6] = [
            ("view", json!({"file_path": attack})),
            ("search", json!({"query": "SECRET", "scope": attack})),
            ("search", json!({"query": "root:", "scope": attack, "filename_pattern": attack})),
            ("glob", json!({"pattern": attack})),
            ("glob", json!({"pattern": "*", "scope": attack})),
            ("seek", json!({"query": "secret", "scope": attack})),
        ];
        for (tool, arguments) in calls {
            let text = match project.call(tool, arguments.clone()) {
                Ok(answer) => {
                    assert_ne!(tool, "view", "{attack:?} was shown: {answer}");
                    answer.to_string()
                }
                Err(error) => error.to_json().to_string(),
            };
            assert!(!text.contains(secret) && !text.contains("root:x:"), "{tool} {arguments}: {text}");
        }
        let ingest = project.call("ingest", json!({"path": attack}));
        assert!(ingest.is_err(), "{attack:?} was indexed: {ingest:?}");
    }
}

#[test]
fn the_code_says_that_it_is_outside() {
    let project = Project::new(PROGRAM);
    for path in ["/etc/passwd", "../x", "file::../x", "C:/x"] {
        assert_eq!(project.err("view", json!({"file_path": path}))["code"], "outside_workspace", "{path}");
        assert_eq!(project.err("search", json!({"query": "x", "scope": path}))["code"], "outside_workspace", "{path}");
    }
    let inside = project.tree.join("src").to_string_lossy().into_owned();
    assert_eq!(project.ok("search", json!({"query": "needle", "scope": inside}))["total_matches"], json!(2));
    let root = project.tree.path().to_string_lossy().into_owned();
    assert_eq!(project.ok("search", json!({"query": "needle", "scope": root}))["total_matches"], json!(3));
}

#[test]
fn keys_and_hidden_files_inside_are_not_shown() {
    let project = Project::new(PROGRAM);
    let secret = "TOP-SECRET-CONTENT";
    let names = ["tls.key", "server.pem", "keys/id_rsa", "id_ed25519.pub", "a.p12", ".netrc", ".git/config", ".env"];
    for name in names {
        project.tree.write(name, secret);
    }
    let mut attacks: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    attacks.extend(["./tls.key", "src/../tls.key", "file::tls.key"].map(str::to_owned));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("tls.key", project.tree.join("notes.txt")).expect("a link");
        std::os::unix::fs::symlink(".git", project.tree.join("plain")).expect("a link");
        std::fs::remove_file(project.tree.join("store.py")).expect("an indexed file");
        std::os::unix::fs::symlink(".env", project.tree.join("store.py")).expect("a link");
        attacks.extend(["notes.txt", "plain/config", "store.py"].map(str::to_owned));
    }
    project.tree.write("upper.PEM", secret);
    assert!(project.call("view", json!({"file_path": "upper.PEM"})).is_err(), "letter case does not matter");
    std::fs::remove_file(project.tree.join("upper.PEM")).expect("a file");
    for indexed_again in [false, true] {
        for attack in &attacks {
            let answer = project.call("view", json!({"file_path": attack}));
            assert!(answer.is_err(), "{attack} was shown: {answer:?}");
        }
        if !indexed_again {
            project.ok("ingest", json!({"path": "."}));
        }
    }
    project.tree.write("fresh.py", "x = 1\n");
    assert_eq!(project.ok("view", json!({"file_path": "fresh.py"}))["indexed"], json!(false));
}
