//! The built program, run as `m1nd share` runs it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A commit.
const COMMIT: &str = "0123456789012345678901234567890123456789";

struct Run {
    is_done: bool,
    out: String,
    err: String,
}

fn run(home: &Path, arguments: &[&str], input: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_m1nd-fleet"));
    command.arg("--home").arg(home).args(arguments).env_remove("M1ND_SHARE_KEY").env_remove("M1ND_HOME");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    // It may end before it reads.
    let _ = child.stdin.take().expect("is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("ends");
    let text = |bytes| String::from_utf8(bytes).expect("is text");
    Run { is_done: output.status.success(), out: text(output.stdout), err: text(output.stderr) }
}

fn ask(home: &Path, arguments: &[&str], request: &Value) -> Value {
    let Run { out, .. } = run(home, &[&["--json"], arguments].concat(), &request.to_string());
    serde_json::from_str(&out).expect(&out)
}

#[test]
fn requests_are_answered() {
    let folder = TempDir::new().expect("a folder");
    let (ci, dev, store) = (folder.path().join("ci"), folder.path().join("dev"), folder.path().join("store"));
    let to = folder.path().join("to");
    std::fs::create_dir(&to).expect("is created");
    for name in ["snapshot", "facts"] {
        std::fs::write(folder.path().join(name), format!("content of {name}")).expect("writes");
    }
    let push = json!({
        "store": store, "repository": "example.org/a", "versions": "f1", "commit": COMMIT,
        "snapshot": folder.path().join("snapshot"), "facts": folder.path().join("facts"), "rewrite": false,
    });
    assert_eq!(ask(&ci, &["share", "push"], &push)["error"]["code"], "no_key");
    let key = ask(&ci, &["share", "keygen"], &json!({}))["key"].as_str().expect("a key").to_owned();
    let pushed = ask(&ci, &["share", "push"], &push);
    assert_eq!((&pushed["new_parts"], &pushed["key"]), (&json!(2), &json!(key)), "{pushed}");
    let pull = json!({
        "store": store, "repository": "example.org/a", "versions": "f1", "commits": [COMMIT], "trust": [], "folder": to,
    });
    let refused = ask(&dev, &["share", "pull"], &pull);
    assert_eq!(refused["error"]["code"], "untrusted");
    assert!(refused["error"]["next"].as_str().is_some_and(|next| next.contains(&key)), "{refused}");
    assert_eq!(std::fs::read_dir(&to).expect("lists").count(), 0, "nothing is fetched");
    ask(&dev, &["share", "trust", &key, "CI"], &json!({}));
    let pulled = ask(&dev, &["share", "pull"], &pull);
    assert_eq!(
        (&pulled["distance"], &pulled["fetched_parts"], &pulled["key_name"]),
        (&json!(0), &json!(2), &json!("CI"))
    );
    for name in ["snapshot", "facts"] {
        assert_eq!(std::fs::read_to_string(to.join(name)).expect("reads"), format!("content of {name}"));
    }
    ask(&dev, &["share", "trust", &key, "--remove"], &json!({}));
    assert_eq!(ask(&dev, &["share", "find"], &pull)["error"]["code"], "untrusted");
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let home = TempDir::new().expect("a folder");
    let rows = [
        (vec!["share", "push"], "", "cannot be read"),
        (vec!["share", "pull"], "{\"store\":\"x\",\"more\":1}", "cannot be read"),
        (vec!["share", "trust", "ssh-rsa"], "", "not a key"),
    ];
    for (arguments, input, expected) in rows {
        let Run { is_done, out, err } = run(home.path(), &arguments, input);
        assert!(!is_done && out.is_empty() && err.contains(expected) && err.contains("next: "), "{arguments:?}: {err}");
    }
    let keys = run(home.path(), &["share", "keys"], "");
    assert!(keys.is_done && keys.out.contains("m1nd share trust"), "{}", keys.out);
    let printed = run(home.path(), &["share", "keygen", "--print"], "");
    assert!(printed.out.starts_with("ed25519-secret:") && printed.out.contains("\ned25519:"), "{}", printed.out);
    assert!(!home.path().join("share").exists(), "a printed key is kept nowhere");
}
