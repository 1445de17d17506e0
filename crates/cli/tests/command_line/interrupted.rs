//! A process is killed while it exchanges the files of a batch; then each way into the program is taken.

use std::path::Path;

use m1nd_testkit::wire::Wire;
use serde_json::{Value, json};

use crate::{Place, tree};

/// Files of the batch: enough that the kill comes before the last one.
const FILES: usize = 150;
/// Tries to kill the process in the middle.
const TRIES: usize = 30;

/// The content of all files below two folders.
type Trees = (Vec<(String, Vec<u8>)>, Vec<(String, Vec<u8>)>);

struct Crashed {
    place: Place,
    trees: Trees,
}

fn name(number: usize) -> String {
    format!("m{number:03}.py")
}

fn content(word: &str, number: usize) -> String {
    format!("def {word}_{number}(): return 1\n")
}

/// Numbers of files with old and with new content.
fn count(place: &Place) -> (usize, usize) {
    let has = |number: &usize, word: &str| {
        std::fs::read_to_string(place.project.join(name(*number))).is_ok_and(|text| text == content(word, *number))
    };
    let count = |word: &str| (0..FILES).filter(|number| has(number, word)).count();
    (count("old"), count("new"))
}

fn restore(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (name, _) in tree(folder).into_iter().filter(|(name, _)| !files.iter().any(|(known, _)| known == name)) {
        std::fs::remove_file(folder.join(name)).unwrap();
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

impl Crashed {
    fn new() -> Self {
        let place = Place::new("//- other.py\ndef other(): return 1\n");
        (0..FILES).for_each(|number| place.project.write(name(number), content("old", number)));
        assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
        let edits: Vec<Value> = (0..FILES)
            .map(|number| json!({"file_path": name(number), "new_content": content("new", number)}))
            .collect();
        place.user.write("batch.json", json!({"edits": edits}).to_string());
        let start = (tree(place.project.path()), tree(&place.user.join("store")));
        for _ in 0..TRIES {
            let mut command = place.command(&["call", "apply_batch", "--arguments", "-"]);
            command.stdin(std::fs::File::open(place.user.join("batch.json")).unwrap());
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            let mut child = command.spawn().unwrap();
            let first = place.project.join(name(0));
            while std::fs::read_to_string(&first).is_ok_and(|text| text == content("old", 0)) {
                assert!(child.try_wait().unwrap().is_none(), "it ended on its own");
                std::hint::spin_loop();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let (old, new) = count(&place);
            if old > 0 && new > 0 && old + new == FILES {
                let trees = (tree(place.project.path()), tree(&place.user.join("store")));
                return Self { place, trees };
            }
            restore(place.project.path(), &start.0);
            restore(&place.user.join("store"), &start.1);
        }
        panic!("the process was never killed in the middle");
    }

    /// Everything as it was after the kill.
    fn again(&self) -> &Place {
        restore(self.place.project.path(), &self.trees.0);
        restore(&self.place.user.join("store"), &self.trees.1);
        let (old, new) = count(&self.place);
        assert!(old > 0 && new > 0, "it is half applied again");
        &self.place
    }

    fn serve(&self, arguments: &[&str]) -> Wire {
        let mut command = self.place.command(&["serve", "--no-watch"]);
        command.args(arguments);
        let mut wire = Wire::spawn(&mut command).unwrap();
        wire.initialize("2025-06-18");
        wire
    }
}

/// Whether an answer lists the batch as recovered.
fn names_recovered(answer: &Value) -> bool {
    let batch = &answer["recovered_writes"][0];
    batch["outcome"] == "undone" && has_all_files(batch)
}

/// Whether an answer lists the batch as waiting.
fn names_waiting(answer: &Value) -> bool {
    has_all_files(&answer["interrupted_writes"][0])
}

/// An answer names the first files of a batch, and how many there are.
fn has_all_files(batch: &Value) -> bool {
    batch["files"][0] == "m000.py"
        && (batch["files_total"] == FILES || batch["files"].as_array().is_some_and(|files| files.len() == FILES))
}

#[test]
fn every_way_into_the_program_recovers_or_reports_an_interrupted_write() {
    let crashed = Crashed::new();
    // Those that write recover before they read, and say so.
    let writers: [&[&str]; 5] = [
        &["ingest", "--json"],
        &["ingest", "--incremental", "--json"],
        &["call", "search", "--query", "old_1", "--json"],
        &["call", "apply", "--json", r#"{"file_path": "other.py", "new_content": "def other(): return 2\n"}"#],
        &[
            "call",
            "apply",
            "--json",
            r#"{"file_path": "m000.py", "new_content": "def mine(): return 2\n", "expected_hash": "0000000000000000000000000000000000000000000000000000000000000000"}"#,
        ],
    ];
    for arguments in writers {
        let run = crashed.again().run(arguments);
        assert_eq!(count(&crashed.place), (FILES, 0), "{arguments:?}: {}", run.err);
        let answer: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{arguments:?}: {run:?}"));
        assert!(names_recovered(&answer), "{arguments:?}: {answer}");
        let found = crashed.place.run(&["call", "search", "--query", "new_1", "--json"]).out;
        assert_eq!(serde_json::from_str::<Value>(&found).unwrap()["matches"], json!([]), "{arguments:?}");
    }
    // Those that read change nothing and name it.
    let readers: [(&[&str], bool); 5] = [
        (&["status"], false),
        (&["status", "--json"], true),
        (&["doctor"], false),
        (&["memory", "status"], false),
        (&["call", "health", "--json"], true),
    ];
    for (arguments, is_json) in readers {
        let run = crashed.again().run(arguments);
        assert_eq!(tree(crashed.place.project.path()), crashed.trees.0, "{arguments:?} changed a file");
        match is_json {
            true => assert!(names_waiting(&serde_json::from_str(&run.out).unwrap()), "{arguments:?}: {}", run.out),
            false => {
                let said = run.out + &run.err;
                let names =
                    said.contains("m000.py") && said.contains("was interrupted") && said.contains("m1nd ingest");
                assert!(names, "{arguments:?}: {said}");
            }
        }
    }
}

#[test]
fn every_server_recovers_or_reports_an_interrupted_write() {
    let crashed = Crashed::new();
    crashed.again();
    let mut wire = crashed.serve(&["--read-only"]);
    for (tool, arguments) in [("health", json!({})), ("search", json!({"query": "new_1"}))] {
        let (answer, failed) = wire.call(tool, arguments);
        assert!(!failed && names_waiting(&answer), "{tool}: {answer}");
    }
    let (health, _) = wire.call("health", json!({}));
    assert!(health["issues"].to_string().contains("was interrupted"), "{health}");
    assert!(wire.finish().success());
    assert_eq!(tree(crashed.place.project.path()), crashed.trees.0);

    crashed.again();
    let mut wire = crashed.serve(&[]);
    let (answer, _) = wire.call("search", json!({"query": "old_1"}));
    assert!(names_recovered(&answer) && count(&crashed.place) == (FILES, 0), "{answer}");
    let (again, _) = wire.call("search", json!({"query": "old_1"}));
    assert_eq!(again.get("recovered_writes"), None, "said once");
    assert!(wire.finish().success());
}

/// A process that writes files is killed while a server of the same project runs: as its writer, or beside one that
/// ends afterwards.
#[test]
fn a_server_that_is_alive_recovers_as_the_writer() {
    let crashed = Crashed::new();
    for takes_over in [false, true] {
        // The state before the crash, with the server started on it.
        restore(crashed.place.project.path(), &old_files(&crashed.trees.0));
        let store = crashed.place.user.join("store");
        let journals = |name: &str| name.contains("/edits/") && name.ends_with(".journal");
        let clean: Vec<_> = crashed.trees.1.iter().filter(|(name, _)| !journals(name)).cloned().collect();
        restore(&store, &clean);
        let other = takes_over.then(|| crashed.serve(&[]));
        let mut wire = crashed.serve(&[]);
        wire.call("health", json!({}));
        restore(crashed.place.project.path(), &crashed.trees.0);
        let journal = crashed.trees.1.iter().find(|(name, _)| journals(name)).unwrap();
        std::fs::write(store.join(&journal.0), &journal.1).unwrap();
        if let Some(mut other) = other {
            // Killed: it cannot tidy up.
            rustix_kill(other.process_id().unwrap());
            other.close_input();
            for _ in 0..200 {
                std::thread::sleep(std::time::Duration::from_millis(50));
                if wire.call("health", json!({})).0["role"] == "writer" {
                    break;
                }
            }
        }
        let (answer, failed) = wire.call("search", json!({"query": "old_1"}));
        assert!(!failed && count(&crashed.place) == (FILES, 0), "takes over: {takes_over}: {answer}");
        let (found, _) = wire.call("search", json!({"query": "new_1"}));
        assert_eq!(found["matches"], json!([]), "takes over: {takes_over}");
        assert!(wire.finish().success());
    }
}

fn rustix_kill(process: u32) {
    let done = std::process::Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
    assert!(done.success());
}

/// The files with their old content and nothing beside them.
fn old_files(files: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let kept = files.iter().filter(|(name, _)| !name.contains(".m1nd-edit-"));
    let old = |(name, bytes): &(String, Vec<u8>)| {
        let number =
            name.strip_prefix('m').and_then(|rest| rest.strip_suffix(".py")).and_then(|text| text.parse().ok());
        (name.clone(), number.map_or_else(|| bytes.clone(), |number| content("old", number).into_bytes()))
    };
    kept.map(old).collect()
}
