//! What only a person allows: files that other programs run or trust, commands, locks of others.

use std::time::{Duration, Instant};

use m1nd_testkit::wire::Wire;
use serde_json::{Value, json};

use crate::{Place, SHOP};

fn answer_of(run: &crate::Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"))
}

fn git(place: &Place, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com"]).args(arguments);
    let done = command.current_dir(place.project.path()).env("HOME", place.user.path()).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {done:?}");
}

/// Calls of every tool that writes, for one path.
fn writes(path: &str) -> Vec<(&'static str, Value)> {
    let diff = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
    vec![
        ("apply", json!({"file_path": path, "new_content": "x\n"})),
        ("apply", json!({"file_path": path, "diff": diff})),
        ("apply_batch", json!({"edits": [{"file_path": path, "new_content": "x\n"}]})),
        ("apply_batch", json!({"diff": diff})),
        ("edit_preview", json!({"file_path": path, "new_content": "x\n"})),
    ]
}

#[test]
fn files_that_other_programs_run_are_written_only_with_a_persons_leave() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let paths = [
        ".claude/settings.json", ".vscode/tasks.json", ".github/workflows/ci.yml", ".husky/pre-commit",
        ".gitattributes",
    ];
    for path in paths {
        for (tool, arguments) in writes(path) {
            let run = place.run(&["call", tool, "--json", &arguments.to_string()]);
            let said = format!("{}{}", run.out, run.err);
            assert!(run.code != 0 && said.contains(&format!("m1nd write allow {path}")), "{tool} {path}: {run:?}");
        }
        assert!(!place.project.join(path).exists(), "{path}");
    }
    assert_eq!(place.run(&["write", "allow", ".vscode/tasks.json"]).code, 0);
    assert_eq!(place.run(&["write", "allow", ".github/workflows/"]).code, 0);
    let listed = place.run(&["write", "list"]).out;
    assert!(listed.contains(" 1  .vscode/tasks.json\n") && listed.contains(" 2  .github/workflows/\n"), "{listed}");
    for (path, is_allowed) in [
        (".vscode/tasks.json", true),
        (".vscode/launch.json", false),
        (".github/workflows/ci.yml", true),
        (".gitattributes", false),
    ] {
        let (tool, arguments) = writes(path).swap_remove(0);
        let run = place.run(&["call", tool, "--json", &arguments.to_string()]);
        assert_eq!((run.code == 0, place.project.join(path).exists()), (is_allowed, is_allowed), "{path}: {run:?}");
    }
    assert_eq!(place.run(&["write", "remove", "1"]).code, 0);
    let run = place.run(&["call", "apply", "--json", r#"{"file_path": ".vscode/tasks.json", "delete": true}"#]);
    assert!(run.code != 0 && place.project.join(".vscode/tasks.json").exists(), "{run:?}");
    for outside in ["../x", "/etc/passwd", "."] {
        assert_ne!(place.run(&["write", "allow", outside]).code, 0, "{outside}");
    }
}

/// What git runs is not only what its folder holds: the configuration of a repository names files of the work tree.
#[test]
fn files_that_the_configuration_of_git_names_are_guarded() {
    let Some(place) = Place::open_committed(SHOP) else { return };
    let inner = place.project.join("web/inner");
    std::fs::create_dir_all(&inner).unwrap();
    git(&place, &["init", "-q", "web/inner"]);
    git(&place, &["config", "core.hooksPath", "build/Hooks"]);
    git(&place, &["config", "filter.own.clean", "sh ./tools/clean.sh %f"]);
    git(&place, &["config", "include.path", "../shared.settings"]);
    git(&place, &["-C", "web/inner", "config", "core.hooksPath", "run"]);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let writes_file = |path: &str| {
        let (tool, arguments) = writes(path).swap_remove(0);
        let run = place.run(&["call", tool, "--json", &arguments.to_string()]);
        assert_eq!(run.code == 0, place.project.join(path).exists(), "{path}: {run:?}");
        run.code == 0 || !format!("{}{}", run.out, run.err).contains(&format!("m1nd write allow {path}"))
    };
    for path in [
        "build/Hooks/pre-commit", "build/hooks/lib/x.sh", "tools/clean.sh", "shared.settings", "web/inner/run/pre-push",
    ] {
        assert!(!writes_file(path), "{path} is written");
    }
    for path in ["build/x.sh", "tools/other.sh", "run/pre-push", "web/inner/x.sh"] {
        assert!(writes_file(path), "{path} is refused");
    }
    assert_eq!(place.run(&["write", "allow", "build/Hooks/"]).code, 0);
    assert!(writes_file("build/Hooks/pre-commit"), "a person allowed it");
}

/// Permissions are for the repository, not for whatever is at its path.
#[test]
fn another_repository_at_the_same_path_inherits_no_permission() {
    let Some(place) = Place::open_committed(SHOP) else { return };
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(place.run(&["verify", "allow", "--", "touch", "ran"]).code, 0);
    assert_eq!(place.run(&["write", "allow", ".gitattributes"]).code, 0);
    let verify = |number: usize| {
        let edit = json!({"edits": [{"file_path": "web/new.ts", "new_content": format!("export const a = {number}\n")}], "verify": true});
        let run = place.run(&["call", "apply_batch", "--json", &edit.to_string()]);
        assert_eq!(run.code, 0, "{run:?}");
        let ran = place.project.join("ran");
        let did_run = ran.exists();
        _ = std::fs::remove_file(ran);
        did_run
    };
    let writes_attributes = || {
        let run = place.run(&["call", "apply", "--json", r#"{"file_path": ".gitattributes", "new_content": "a\n"}"#]);
        _ = std::fs::remove_file(place.project.join(".gitattributes"));
        run.code == 0
    };
    assert!(verify(1) && writes_attributes());
    // New commits of the same repository change nothing.
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "later"]);
    assert!(verify(2) && writes_attributes());
    let aside = place.user.join("git-of-the-first");
    std::fs::rename(place.project.join(".git"), &aside).unwrap();
    git(&place, &["init", "-q"]);
    for is_committed in [false, true] {
        if is_committed {
            git(&place, &["add", "-A"]);
            git(&place, &["commit", "-q", "-m", "another project"]);
        }
        assert!(!verify(3 + usize::from(is_committed)) && !writes_attributes(), "committed: {is_committed}");
        let listed = place.run(&["verify", "list"]).out;
        assert!(
            listed.contains("No command is allowed") && listed.contains("another repository at this path"),
            "{listed}"
        );
    }
    std::fs::remove_dir_all(place.project.join(".git")).unwrap();
    std::fs::rename(&aside, place.project.join(".git")).unwrap();
    assert!(verify(5) && writes_attributes(), "it is the same repository again");
}

/// Waits for a file for some time; returns whether it is there.
fn appears(path: &std::path::Path, within: Duration) -> bool {
    let started = Instant::now();
    while started.elapsed() < within {
        if path.exists() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Scripts whose processes leave their group, their session and their parents.
#[cfg(target_os = "linux")]
const ESCAPES: [&str; 3] = [
    "setsid sh -c 'echo up > up; sleep 3; touch survivor' & ",
    "setsid sh -c '(echo up > up; sleep 3; touch survivor) & exit 0' & ",
    "setsid env -i sh -c 'setsid sh -c \"(echo up > up; sleep 3; touch survivor) &\" & exit 0' & ",
];

#[cfg(target_os = "linux")]
#[test]
fn nothing_that_a_command_started_outlives_it() {
    for escape in ESCAPES {
        for end in ["while [ ! -e up ]; do sleep .02; done; exit 0", "sleep 100"] {
            let place = Place::new(SHOP);
            assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
            let script = format!("{escape}{end}");
            let allowed = place.run(&["verify", "allow", "--timeout", "1", "--", "sh", "-c", &script]);
            assert_eq!(allowed.code, 0, "{allowed:?}");
            let edit = r#"{"edits": [{"file_path": "new.py", "new_content": "x = 1\n"}], "verify": true}"#;
            let run = place.run(&["call", "apply_batch", "--json", edit]);
            assert_eq!(run.code, 0, "{run:?}");
            assert!(place.project.join("up").exists(), "{script}: it ran");
            assert!(!appears(&place.project.join("survivor"), Duration::from_secs(4)), "{script}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_server_leaves_no_command_behind() {
    for escape in ESCAPES {
        let place = Place::new(SHOP);
        assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
        let script = format!("{escape}sleep 3; touch survivor");
        assert_eq!(place.run(&["verify", "allow", "--", "sh", "-c", &script]).code, 0);
        let mut wire = Wire::spawn(&mut place.command(&["serve", "--no-watch"])).unwrap();
        wire.initialize("2025-06-18");
        let edit = json!({"file_path": "new.py", "new_content": "x = 1\n"});
        wire.ask_tool("apply_batch", json!({"edits": [edit], "verify": true}));
        assert!(appears(&place.project.join("up"), Duration::from_secs(10)), "it runs");
        let killed = std::process::Command::new("kill").args(["-9", &wire.process_id().unwrap().to_string()]).status();
        assert!(killed.unwrap().success());
        assert!(!appears(&place.project.join("survivor"), Duration::from_secs(5)), "{script}");
    }
}

#[test]
fn a_person_lists_and_releases_the_locks_of_agents() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert!(place.run(&["lock", "list"]).out.contains("No agent holds a lock"));
    for agent in ["one", "two", "two"] {
        let lock =
            json!({"agent_id": agent, "scope": "node", "root_nodes": ["file::shop/price.py::fn::net"], "strict": true});
        let run = place.run(&["call", "lock_create", "--json", &lock.to_string()]);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let locks = || answer_of(&place.run(&["lock", "list", "--json"]))["locks"].as_array().unwrap().clone();
    let held = locks();
    assert_eq!(held.len(), 3, "{held:?}");
    let listed = place.run(&["lock", "list"]).out;
    assert!(listed.contains("one  refuses writes of others") && listed.contains("price.py::fn::net"), "{listed}");
    let write = r#"{"agent_id": "three", "file_path": "shop/price.py", "new_content": "def net(value): return 1\n"}"#;
    assert_ne!(place.run(&["call", "apply", "--json", write]).code, 0, "it is locked");
    let of_one = held.iter().find(|lock| lock["owner"] == "one").unwrap()["lock_id"].as_str().unwrap().to_owned();
    assert_eq!(place.run(&["lock", "release", &of_one]).code, 0);
    assert_ne!(place.run(&["lock", "release", &of_one]).code, 0, "it is gone");
    assert_eq!(place.run(&["lock", "release", "--agent", "two"]).code, 0);
    assert!(locks().is_empty());
    assert_eq!(place.run(&["call", "apply", "--json", write]).code, 0);
}
