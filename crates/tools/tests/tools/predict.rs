use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

/// A long history: `model.py` changes with its test, sometimes with the notes; other files change alone or at random.
pub(crate) fn project() -> Project {
    Project::over_repository(repository())
}

/// Its repository.
pub(crate) fn repository() -> Repository {
    let mut repository = Repository::new();
    for round in 0..240 {
        let text = format!("value = {round}\n");
        let note = format!("round {round}\n");
        let mut changes = vec![Put("model.py", &text), Put("tests/test_model.py", &text)];
        if round % 3 == 0 {
            changes.push(Put("notes.md", &note));
        }
        repository.commit("ann", &format!("model {round}"), &changes);
        repository.commit("bob", "view", &[Put("view.py", &text), Put(if round % 2 == 0 { "a.css" } else { "b.css" }, &text)]);
    }
    for path in ["model.py", "tests/test_model.py", "view.py"] {
        repository.tree.write(path, "value = 239\n");
    }
    repository.tree.write("notes.md", "round 237\n");
    repository.tree.write("a.css", "value = 238\n");
    repository.tree.write("b.css", "value = 239\n");
    repository
}

fn row<'a>(answer: &'a Value, path: &str) -> &'a Value {
    let rows = answer["predictions"].as_array().expect("rows");
    rows.iter().find(|row| row["file_path"] == path).unwrap_or_else(|| panic!("no {path} in {answer}"))
}

#[test]
fn what_changes_together_is_measured() {
    let project = project();
    let answer = project.ok("predict", json!({"changed_node": "model.py"}));
    let test = row(&answer, "tests/test_model.py");
    assert_eq!((&test["verdict"], &test["source"]), (&json!("act"), &json!("co_change")), "{answer}");
    assert!(test["confidence"].as_f64() > Some(0.9) && test["coupling_strength"] == json!(1.0), "{test}");
    assert_eq!(test["commits"].as_array().map(Vec::len), Some(3));
    assert_eq!(test["commits"][0]["subject"], "model 239");
    let notes = row(&answer, "notes.md");
    assert!(notes["confidence"].as_f64() < Some(0.8) && notes["verdict"] != "act", "{notes}");
    let calibration = &answer["calibration"];
    assert_eq!(calibration["calibrated"], true, "{calibration}");
    assert!(calibration["measured_precision"].as_f64() >= Some(0.8), "{calibration}");
    assert!(calibration["coverage"].as_f64() >= Some(0.15), "{calibration}");
    assert_eq!(project.ok("predict", json!({"changed_node": "model.py"}))["predictions"], answer["predictions"]);
}

/// What is said of a file beside its row is what `trust` and `tremor` say of it.
#[test]
fn rows_have_what_is_known_of_their_files() {
    let project = crate::defects::project();
    let answer = project.ok("predict", json!({"changed_node": "tests/test_a.py"}));
    let mut known = 0;
    for row in answer["predictions"].as_array().expect("rows") {
        let surface = project.ok("heuristics_surface", json!({"node_id": row["node_id"]}));
        let signals = &surface["heuristic_summary"]["heuristic_signals"];
        for name in ["trust_score", "trust_risk_multiplier", "tremor_magnitude"] {
            assert_eq!(row.get(name).unwrap_or(&Value::Null), &signals[name], "{name}: {row} {surface}");
        }
        known += usize::from(row.get("trust_tier").is_some());
    }
    assert!(known > 0, "{answer}");
    let plain = project.ok("predict", json!({"changed_node": "tests/test_a.py", "include_velocity": false}));
    assert!(!plain["predictions"].to_string().contains("velocity"), "{plain}");
}

#[test]
fn the_work_tree_is_asked_about_by_itself() {
    let project = project();
    let nothing = project.ok("predict", json!({}));
    assert!(nothing["note"].as_str().unwrap_or_default().contains("nothing changed"), "{nothing}");
    project.tree.write("model.py", "value = 1000\n");
    project.tree.write("new.py", "value = 1\n");
    project.ok("ingest", json!({"path": "."}));
    let answer = project.ok("predict", json!({}));
    assert_eq!(answer["changed"], json!(["file::model.py", "file::new.py"]));
    assert_eq!(row(&answer, "tests/test_model.py")["verdict"], "act", "{answer}");
    assert_eq!(row(&answer, "tests/test_model.py")["because_of"], "file::model.py");
    project.tree.write("tests/test_model.py", "value = 1000\n");
    project.ok("ingest", json!({"path": "."}));
    let answer = project.ok("predict", json!({}));
    assert!(!column(&answer, "predictions", "file_path").contains("test_model"), "{answer}");
}

#[test]
fn without_a_history_nothing_is_claimed() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("predict", json!({"changed_node": "auth.py"}));
    assert_eq!(answer["co_change_count"], 0);
    assert!(answer["structural_fallback_count"].as_u64() > Some(0), "{answer}");
    let verdicts = column(&answer, "predictions", "verdict");
    assert!(verdicts.split(' ').all(|verdict| verdict == "abstain"), "{verdicts}");
    assert!(answer["note"].as_str().unwrap_or_default().contains("no") && answer["calibration"]["calibrated"] == json!(false));
    let tree = project.ok("predict", json!({}));
    assert!(tree["note"].as_str().unwrap_or_default().starts_with("cannot tell"), "{tree}");
    let thin = Project::in_git(PROGRAM, &[("first", &["auth.py", "app.py"]), ("second", &["auth.py", "app.py"])]);
    let answer = thin.ok("predict", json!({"changed_node": "auth.py"}));
    assert_eq!((&row(&answer, "app.py")["verdict"], &row(&answer, "app.py")["support"]), (&json!("abstain"), &json!(2)));
    assert!(answer["calibration"]["note"].as_str().unwrap_or_default().contains("too few"), "{answer}");
    assert_eq!(thin.err("predict", json!({"changed_node": "nowhere"}))["code"], "node_not_found");
}

/// Each new file of `parts` comes with a line of `index.py`.
#[test]
fn a_file_that_is_not_committed_yet_is_answered_by_those_like_it() {
    let mut repository = Repository::new();
    let mut index = String::new();
    for round in 0..12 {
        let (path, part) = (format!("parts/p{round}.py"), format!("def part_{round}():\n    return {round}\n"));
        index += &format!("names.append({round})\n");
        repository.commit("ann", &format!("part {round}"), &[Put(&path, &part), Put("index.py", &index)]);
        repository.commit("bob", &format!("notes {round}"), &[Put("notes.md", &format!("round {round}\n"))]);
        repository.tree.write(&path, part);
    }
    repository.tree.write("index.py", index);
    repository.tree.write("notes.md", "round 11\n");
    repository.tree.write("parts/fresh.py", "def fresh():\n    return 1\n");
    let project = Project::over_repository(repository);
    let answer = project.ok("predict", json!({"changed_node": "parts/fresh.py"}));
    let index = row(&answer, "index.py");
    assert_eq!((&index["source"], &index["support"]), (&json!("structural_fallback"), &json!(0)), "{answer}");
    assert!(index["reason"].as_str().unwrap_or_default().contains("added to its folder"), "{index}");
    assert!(answer["note"].as_str().unwrap_or_default().contains("not committed yet"), "{answer}");
    assert!(!column(&answer, "predictions", "file_path").contains("notes.md"), "{answer}");
}

/// The floor is about every row, also those that a call connects.
#[test]
fn fewer_common_commits_than_asked_for_do_not_count() {
    let commits = [("first", &["auth.py", "app.py"][..]), ("second", &["auth.py", "app.py"][..])];
    let project = Project::in_git(PROGRAM, &commits);
    let ask = |least: u32| project.ok("predict", json!({"changed_node": "auth.py", "min_co_change_count": least}));
    assert_eq!((&row(&ask(2), "app.py")["source"], &ask(2)["co_change_count"]), (&json!("co_change"), &json!(1)));
    let answer = ask(3);
    let app = row(&answer, "app.py");
    assert_eq!((&app["source"], &app["support"]), (&json!("structural_fallback"), &json!(0)), "{answer}");
    assert_eq!((&answer["co_change_count"], &app["commits"]), (&json!(0), &json!([])), "{answer}");
}

/// `load` changes with `save` of its file and `check` of another; `other` changes alone.
#[test]
fn a_symbol_is_answered_by_symbols() {
    let mut repository = Repository::new();
    let store = |load: u32, other: u32| {
        format!(
            "def load(path):\n    size = {load}\n    return size\n\n\ndef other(path):\n    count = {other}\n    return count\n\n\ndef save(path):\n    width = {load}\n    return width\n"
        )
    };
    let view = |check: u32| format!("def check(row):\n    level = {check}\n    return level\n");
    for round in 0..6 {
        repository.commit("ann", &format!("load {round}"), &[
            Put("store.py", &store(round, round)),
            Put("view.py", &view(round)),
        ]);
        repository.commit("ann", &format!("other {round}"), &[Put("store.py", &store(round, round + 1))]);
    }
    repository.tree.write("store.py", store(5, 6));
    repository.tree.write("view.py", view(5));
    let project = Project::over_repository(repository);
    let answer = project.ok("predict", json!({"changed_node": "load"}));
    let labels = column(&answer, "symbols", "label");
    assert!(labels.contains("save") && labels.contains("check"), "{answer}");
    assert!(!labels.contains("other") && !labels.contains("load"), "{answer}");
    let first = &answer["symbols"][0];
    assert_eq!((&first["support"], &first["of_commits"]), (&json!(6), &json!(6)), "{answer}");
    assert_eq!(first["commits"][0]["subject"], "load 5");
    let file = project.ok("predict", json!({"changed_node": "store.py"}));
    assert_eq!((file.get("symbols"), file.get("symbols_note")), (None, None), "{file}");
    let alone = project.ok("predict", json!({"changed_node": "load", "min_co_change_count": 100}));
    assert!(alone["symbols_note"].as_str().unwrap_or_default().starts_with("file level only"), "{alone}");
}

/// Files of a commit of a project where each part nearly always changes with its test, and other files at random.
fn pick_touched(random: &mut m1nd_testkit::Random) -> Vec<String> {
    let part = random.below(6);
    let mut files = vec![format!("part{part}.py")];
    if random.below(20) < 19 {
        files.push(format!("tests/test_part{part}.py"));
    }
    if random.below(3) == 0 {
        files.push(format!("other{}.py", random.below(12)));
    }
    files
}

/// Verdicts come from the older half of a history; the newer half, which predictions never saw, agrees with them.
#[test]
fn rows_to_act_on_are_right_in_commits_that_come_later() {
    let mut repository = Repository::new();
    let mut random = m1nd_testkit::Random::new(7);
    let mut written = std::collections::BTreeSet::new();
    for round in 0..400 {
        let (files, text) = (pick_touched(&mut random), format!("value = {round}\n"));
        let changes: Vec<_> = files.iter().map(|path| Put(path, &text)).collect();
        repository.commit("ann", &format!("round {round}"), &changes);
        files.iter().for_each(|path| repository.tree.write(path, &text));
        written.extend(files);
    }
    let project = Project::over_repository(repository);
    let acted: std::collections::BTreeMap<String, Vec<String>> = written
        .iter()
        .map(|path| {
            let answer = project.ok("predict", json!({"changed_node": path}));
            let rows = answer["predictions"].as_array().expect("rows").iter().filter(|row| row["verdict"] == "act");
            (path.clone(), rows.map(|row| row["file_path"].as_str().unwrap_or_default().to_owned()).collect())
        })
        .collect();
    let (mut questions, mut answered, mut rows, mut right) = (0, 0, 0, 0);
    for _ in 0..400 {
        let files = pick_touched(&mut random);
        for path in files.iter().filter(|path| files.len() > 1 && written.contains(*path)) {
            let found = &acted[path];
            questions += 1;
            answered += usize::from(!found.is_empty());
            rows += found.len();
            right += found.iter().filter(|row| files.contains(row)).count();
        }
    }
    assert!(right * 10 >= rows * 8, "{right} of {rows} are right");
    assert!(answered * 100 >= questions * 15, "{answered} of {questions} questions are answered");
}
