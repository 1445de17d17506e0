//! A store that is damaged or cannot be written.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Place, Run, SHOP, tree};

/// Questions that need nothing but a snapshot.
const QUESTIONS: [&[&str]; 4] = [
    &["call", "search", "--query", "value * 2", "--json"],
    &["call", "callers", "--node-id", "shop/price.py::net", "--json"],
    &["call", "view", "--file-path", "shop/order.py", "--json"],
    &["export", "--what", "edges", "--quiet"],
];

fn open_indexed() -> Place {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    place
}

/// The rows of an answer, without what differs from call to call.
fn rows(run: &Run) -> String {
    assert_eq!(run.code, 0, "{run:?}");
    let Ok(answer) = serde_json::from_str::<Value>(&run.out) else { return run.out.clone() };
    ["matches", "callers", "content"].into_iter().map(|member| answer[member].to_string()).collect()
}

/// The only file of the store whose name has this part.
fn file(place: &Place, part: &str) -> PathBuf {
    let store = place.user.join("store");
    let mut names: Vec<String> = tree(&store).into_iter().map(|(name, _)| name).collect();
    names.retain(|name| Path::new(name).file_name().is_some_and(|name| name.to_string_lossy().contains(part)));
    assert_eq!(names.len(), 1, "{part}: {names:?}");
    store.join(names.remove(0))
}

#[test]
fn a_damaged_database_is_put_aside_with_a_message_and_questions_are_answered() {
    for question in QUESTIONS {
        let place = open_indexed();
        let answer = rows(&place.run(question));
        let database = file(&place, "project.db");
        std::fs::write(&database, "something else").unwrap();
        let run = place.run(question);
        assert_eq!(rows(&run), answer, "{question:?}");
        assert!(run.err.contains("was damaged") && run.err.contains("corrupt-"), "{question:?}: {}", run.err);
        let kept = tree(&place.user.join("store")).into_iter().find(|(name, _)| name.contains("project.db.corrupt-"));
        assert_eq!(kept.expect("is kept").1, b"something else");
        let again = place.run(question);
        assert_eq!((rows(&again), again.err.contains("damaged")), (answer, false), "{question:?}: {}", again.err);
        let doctor = place.run(&["doctor"]);
        assert!(doctor.code == 0 && doctor.out.contains("project.db.corrupt-"), "{doctor:?}");
    }
}

#[test]
fn a_damaged_snapshot_is_replaced_by_the_one_before_or_rebuilt() {
    let place = open_indexed();
    let answers: Vec<String> = QUESTIONS.iter().map(|question| rows(&place.run(question))).collect();
    for is_header in [true, false] {
        for (question, answer) in QUESTIONS.iter().zip(&answers) {
            let newest = |(name, _): &(String, Vec<u8>)| name.ends_with(".m1nd");
            let (name, mut bytes) = tree(&place.user.join("store")).into_iter().rfind(newest).unwrap();
            // The first section, whose place is in its row of the table behind the header.
            let first: [u8; 8] = bytes[72..80].try_into().unwrap();
            let at = if is_header { 9 } else { u64::from_le_bytes(first) as usize };
            bytes[at] ^= 1;
            std::fs::write(place.user.join("store").join(name), bytes).unwrap();
            let run = place.run(question);
            assert_eq!(rows(&run), *answer, "{question:?}: {}", run.err);
            assert!(run.err.contains("corrupt-"), "{question:?}: {}", run.err);
            assert!(!place.run(question).err.contains("corrupt-"));
        }
    }
}

/// Takes away the right to write the store, also from the user who owns the machine.
#[cfg(unix)]
fn protect(place: &Place, is_protected: bool) {
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    let store = place.user.join("store");
    let mut open = vec![store.clone()];
    while let Some(path) = open.pop() {
        let is_folder = path.is_dir();
        set(&path, if is_protected { if is_folder { 0o555 } else { 0o444 } } else { 0o755 });
        if is_folder {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
}

/// Does `work` where modes of files bind the superuser, too: in a thread whose children have no capability to ignore
/// them.
///
/// Another user would not do: the folders above the binary and the test's own may be closed to everyone else.
#[cfg(target_os = "linux")]
fn bound_by_modes<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
    let in_thread = || {
        if rustix::process::geteuid().is_root() {
            for capability in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
                remove_capability_from_bounding_set(capability).unwrap();
            }
        }
        work()
    };
    std::thread::scope(|scope| scope.spawn(in_thread).join()).unwrap()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn bound_by_modes<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    work()
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_written_is_read() {
    let place = open_indexed();
    let answers: Vec<String> = QUESTIONS.iter().map(|question| rows(&place.run(question))).collect();
    protect(&place, true);
    let before = tree(&place.user.join("store"));
    bound_by_modes(|| questions_to_a_protected_store(&place, &answers));
    assert_eq!(tree(&place.user.join("store")), before);
    protect(&place, false);
}

#[cfg(unix)]
fn questions_to_a_protected_store(place: &Place, answers: &[String]) {
    let run = |arguments: &[&str]| {
        let output = place.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    };
    for (question, answer) in QUESTIONS.iter().zip(answers) {
        assert_eq!(rows(&run(question)), *answer, "{question:?}");
    }
    let status = run(&["status"]);
    assert!(status.code == 0 && status.out.contains("generation 1"), "{status:?}");
    assert!(!status.out.contains("not used"), "the database is read, too: {status:?}");
    let doctor = run(&["doctor"]);
    assert!(doctor.code == 6 && doctor.out.contains("is indexed"), "{doctor:?}");
    let refused = run(&["ingest", "--quiet"]);
    assert!(refused.code != 0 && refused.err.contains("permissions"), "{refused:?}");
    let refused = run(&["serve"]);
    assert!(refused.code != 0 && refused.err.contains("--read-only"), "{refused:?}");
    let mut wire = m1nd_testkit::wire::Wire::spawn(&mut place.command(&["serve", "--read-only"])).unwrap();
    wire.initialize("2025-06-18");
    let (answer, failed) = wire.call("search", serde_json::json!({"agent_id": "a", "query": "value * 2"}));
    assert!(!failed && answer.to_string().contains("shop/price.py"), "{answer}");
    assert!(wire.finish().success());
}

/// However often processes were killed while they extracted it, a healthy file is indexed: another process of this
/// program shows that it does not crash.
#[test]
fn a_healthy_file_is_indexed_after_any_number_of_killed_processes() {
    let place = Place::new(SHOP);
    let large = format!("{}def last():\n    pass\n", "def f():\n    pass\n\n\n".repeat(1_000));
    std::fs::write(place.project.join("large.py"), &large).unwrap();
    let notes = place.user.join("store/extracting");
    std::fs::create_dir_all(&notes).unwrap();
    let note = notes.join(m1nd_base::ContentHash::of(large.as_bytes()).to_string());
    std::fs::write(&note, ".....").unwrap();
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let outline = place.run(&["call", "outline", "--path", "large.py", "--json"]);
    assert!(outline.code == 0 && outline.out.contains("last"), "{outline:?}");
    assert!(!note.exists(), "forgotten");
}
