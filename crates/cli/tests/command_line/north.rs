//! The front door through the real program: each broken state has its verdict, and a repair that works when followed.

use m1nd_testkit::wire::Wire;
use serde_json::{Value, json};

use crate::{Place, SHOP, tree};

const TASK: &str = "gross price of an order";

fn json_of(place: &Place, arguments: &[&str]) -> Value {
    let run = place.run(arguments);
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

fn open_indexed() -> Place {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    place
}

fn mode(answer: &Value) -> &str {
    let mode = answer["verdict"].as_str().or(answer["binding"]["trust_mode"].as_str());
    mode.unwrap_or_else(|| panic!("no verdict: {answer}"))
}

/// Makes the call of a step, as a person would on the command line.
fn follow(place: &Place, step: &Value) {
    let tool = step["tool"].as_str().unwrap_or_else(|| panic!("no call: {step}"));
    let run = place.run(&["call", tool, "--json", &step["arguments"].to_string()]);
    assert_eq!(run.code, 0, "{step}: {run:?}");
}

#[test]
fn an_empty_index_needs_an_ingest() {
    let place = Place::new(SHOP);
    let answer = json_of(&place, &["north", TASK, "--json"]);
    assert_eq!((mode(&answer), &answer["needs"]), ("needs_ingest", &json!("needs_ingest")), "{answer}");
    follow(&place, &answer["next_move"]);
    let after = json_of(&place, &["north", TASK, "--json"]);
    assert_eq!(mode(&after), "full_trust", "{after}");
    assert!(after["context"]["focus_nodes"].to_string().contains("gross"), "{after}");
    follow(&place, &after["next_move"]);
    let shown = place.run(&["north", TASK]);
    assert!(shown.code == 0 && shown.out.contains("full_trust") && shown.out.contains("gross"), "{shown:?}");
}

#[test]
fn a_stale_index_is_not_trusted() {
    let place = open_indexed();
    place.project.write("shop/price.py", "def net(value):\n    return value * 3\n");
    let answer = json_of(&place, &["selftest", "--json"]);
    assert_eq!(mode(&answer), "stale_binding_suspected", "{answer}");
    follow(&place, &answer["recovery_playbook"]["steps"][0]);
    assert_eq!(mode(&json_of(&place, &["selftest", "--json"])), "full_trust");
    // `north` brings the index up to date itself, unless it only reads.
    place.project.write("shop/price.py", "def net(value):\n    return value * 4\n");
    let mut wire = Wire::spawn(&mut place.command(&["serve", "--read-only"])).unwrap();
    wire.initialize("2025-06-18");
    let (answer, failed) = wire.call("north", json!({"agent_id": "a", "task": TASK}));
    assert!(!failed && mode(&answer) == "stale_binding_suspected", "{answer}");
    assert!(answer["honest_gaps"].to_string().contains("stale_index"), "{answer}");
    let command = answer["recovery_steps"][0]["command"].as_array().expect("a command").clone();
    let words: Vec<&str> = command.iter().skip(1).filter_map(Value::as_str).collect();
    assert_eq!(place.run(&words).code, 0, "{command:?}");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let (answer, _) = wire.call("north", json!({"agent_id": "a", "task": TASK}));
    assert_eq!(mode(&answer), "full_trust", "{answer}");
    assert!(wire.finish().success());
}

#[test]
fn a_server_of_another_folder_says_so_to_the_client() {
    let (place, other) =
        (open_indexed(), Place::new("//- .git/HEAD\nref: refs/heads/main\n//- lib.py\ndef lib(): pass\n"));
    let root = place.project.path().to_string_lossy().into_owned();
    let mut command = place.command(&["serve", "--no-watch", "--root", &root]);
    let mut wire = Wire::spawn(command.current_dir(other.project.path())).unwrap();
    wire.initialize("2025-06-18");
    let (answer, failed) = wire.call("north", json!({"agent_id": "a", "task": TASK}));
    assert!(!failed, "{answer}");
    let reception = &answer["reception"];
    assert_eq!(reception["match"], "caller_root_mismatch", "{answer}");
    let outside = other.project.path().join("lib.py").to_string_lossy().into_owned();
    let (scoped, _) = wire.call("north", json!({"agent_id": "a", "task": TASK, "scope": outside}));
    assert_eq!(mode(&scoped), "wrong_workspace_binding", "{scoped}");
    assert!(wire.finish().success());
    let words = reception["options"][0]["command"].as_array().expect("a command").clone();
    let words: Vec<&str> = words.iter().skip(1).filter_map(Value::as_str).collect();
    assert_eq!(place.run(&words).code, 0, "{reception}");
    let mut command = place.command(&["serve", "--no-watch", "--root", words[1]]);
    let mut wire = Wire::spawn(command.current_dir(other.project.path())).unwrap();
    wire.initialize("2025-06-18");
    let (answer, _) = wire.call("north", json!({"agent_id": "a", "task": "lib"}));
    assert!(mode(&answer) == "full_trust" && answer.get("reception").is_none(), "{answer}");
    assert!(wire.finish().success());
}

#[test]
fn without_git_the_history_is_missing_and_the_index_is_trusted() {
    let place = Place::new("//- a.py\ndef gross(value):\n    return value\n");
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let answer = json_of(&place, &["north", TASK, "--json"]);
    assert_eq!(mode(&answer), "full_trust", "{answer}");
    assert!(answer["honest_gaps"].to_string().contains("git_missing"), "{answer}");
    let doctor = place.run(&["doctor"]);
    assert!(doctor.code == 0 && doctor.out.contains("git init"), "{doctor:?}");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(place.project.path());
        command.output().is_ok_and(|output| output.status.success())
    };
    if !(git(&["init", "-q"]) && git(&["add", "a.py"]) && git(&["commit", "-q", "-m", "one"])) {
        return;
    }
    let answer = json_of(&place, &["north", TASK, "--json"]);
    assert!(!answer["honest_gaps"].to_string().contains("git_missing"), "{answer}");
}

#[test]
fn a_damaged_store_is_told_and_rebuilt() {
    let place = open_indexed();
    for (name, mut bytes) in tree(&place.user.join("store")) {
        if name.ends_with(".m1nd") && name.contains("snapshot") {
            let middle = bytes.len() / 2;
            bytes[middle..].fill(0);
            std::fs::write(place.user.join("store").join(name), bytes).unwrap();
        }
    }
    let doctor = place.run(&["doctor", "--json"]);
    let findings: Value = serde_json::from_str(&doctor.out).unwrap();
    let findings = findings["findings"].as_array().expect("findings").clone();
    let told = findings.iter().find(|row| row["what"].as_str().is_some_and(|what| what.contains("corrupt-")));
    assert!(doctor.code == 6 && told.is_some(), "{doctor:?}");
    let index = findings.iter().find(|row| row["what"].as_str().is_some_and(|what| what.starts_with("index:")));
    assert!(
        index.expect("a finding")["next"].as_str().is_some_and(|next| next.contains("m1nd ingest")),
        "{findings:?}"
    );
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(mode(&json_of(&place, &["selftest", "--json"])), "full_trust");
    assert_eq!(place.run(&["doctor"]).code, 0);
}

#[test]
fn the_envelope_is_off_unless_asked_for() {
    let place = open_indexed();
    for asked in [false, true] {
        let arguments: &[&str] = if asked { &["serve", "--no-watch", "--envelope"] } else { &["serve", "--no-watch"] };
        let mut wire = Wire::spawn(&mut place.command(arguments)).unwrap();
        wire.initialize("2025-06-18");
        let (answer, failed) = wire.call("seek", json!({"agent_id": "a", "query": "zebra"}));
        assert_eq!((failed, answer["_m1nd"].is_object()), (false, asked), "{answer}");
        assert_eq!(answer["_m1nd"]["suggest_next"][0]["tool"].is_string(), asked, "{answer}");
        assert!(wire.finish().success());
    }
}
