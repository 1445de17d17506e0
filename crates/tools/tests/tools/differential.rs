use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Move, Put, Remove, Repository};

const POOL: &str = "class Pool:\n    def acquire(self):\n        return self.open()\n\n    def open(self):\n        return 1\n";
const MAIN: &str = "from pool import Pool\n\ndef main():\n    return Pool().acquire()\n";

/// Two commits: the second moves a file, renames a function, adds one and removes another file.
fn project() -> Project {
    let mut repository = Repository::new();
    let first = [
        Put("pool.py", POOL),
        Put("main.py", MAIN),
        Put("util.py", "import main\n\ndef load():\n    return main.main()\n"),
        Put("old.py", "def unused():\n    return 0\n"),
    ];
    repository.commit("ann", "first", &first);
    let util = "import main\n\ndef fetch():\n    return main.main()\n\ndef more():\n    return 2\n";
    let main = MAIN.replace("from pool", "from lib.pool");
    let second = [Move("pool.py", "lib/pool.py"), Put("main.py", &main), Put("util.py", util), Remove("old.py")];
    repository.commit("ann", "second", &second);
    for (path, text) in [("lib/pool.py", POOL), ("main.py", &*main), ("util.py", util)] {
        repository.tree.write(path, text);
    }
    Project::over_repository(repository)
}

fn list(answer: &Value, member: &str) -> Vec<String> {
    let rows = answer[member].as_array().unwrap_or_else(|| panic!("no {member} in {answer}"));
    rows.iter().map(|row| row.as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn what_was_renamed_is_neither_new_nor_removed() {
    let project = project();
    let answer = project.ok("differential", json!({"snapshot_a": "HEAD~1", "snapshot_b": "HEAD"}));
    assert_eq!(list(&answer, "new_nodes"), ["file::util.py::fn::more"], "{answer}");
    assert_eq!(list(&answer, "removed_nodes"), ["file::old.py", "file::old.py::fn::unused"]);
    let renamed = column(&answer, "renamed_nodes", "from") + " " + &column(&answer, "renamed_nodes", "to");
    assert_eq!(renamed, "file::pool.py file::util.py::fn::load file::lib/pool.py file::util.py::fn::fetch");
    assert_eq!(column(&answer, "renamed_nodes", "kind"), "move rename");
    assert!(list(&answer, "new_edges").is_empty() && list(&answer, "removed_edges").is_empty(), "{answer}");
    assert!(answer["structural_drift"].as_f64() > Some(0.0));
    // The same from the other side, and with the work tree, which is as the commit.
    let range = project.ok("differential", json!({"snapshot_a": "HEAD~1.."}));
    assert_eq!((&range["new_nodes"], &range["renamed_nodes"]), (&answer["new_nodes"], &answer["renamed_nodes"]));
    let back = project.ok("differential", json!({"snapshot_a": "HEAD", "snapshot_b": "HEAD~1"}));
    assert_eq!(back["removed_nodes"], answer["new_nodes"]);
    let same = project.ok("differential", json!({"snapshot_a": "HEAD"}));
    assert_eq!(same["structural_drift"], json!(0.0), "{same}");
}

#[test]
fn rows_can_be_limited() {
    let project = project();
    let ask = |more: Value| {
        let mut arguments = json!({"snapshot_a": "HEAD~1"});
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        project.ok("differential", arguments)
    };
    assert!(list(&ask(json!({"scope": "lib"})), "removed_nodes").is_empty());
    assert_eq!(list(&ask(json!({"question": "which unused code went away"})), "removed_nodes").len(), 1);
    assert_eq!(list(&ask(json!({"focus_nodes": ["util.py::more"]})), "new_nodes").len(), 1);
    // Also what is only in the older state, and nothing whose name merely begins like it.
    assert_eq!(list(&ask(json!({"focus_nodes": ["old.py::unused"]})), "removed_nodes"), ["file::old.py::fn::unused"]);
    let none = ask(json!({"question": "what about frobnication"}));
    assert_eq!(list(&none, "new_nodes"), ["file::util.py::fn::more"], "a word that nothing is named by leaves nothing out");
    assert!(none["what_is_missing"].as_str().unwrap_or_default().contains("frobnication"), "{none}");
}

#[test]
fn a_question_is_answered() {
    let mut repository = Repository::new();
    let text = [
        ("core.py", "def run():\n    return 1\n\n\ndef stop():\n    return 2\n"),
        ("pool.py", "class Pool:\n    def acquire_all(self):\n        return []\n"),
        // What is possible only may still be there, and may have been.
        ("loose.py", "import pool\n\n\ndef watch():\n    return pool.Pool().acquire_all()\n"),
        ("tight.py", "def watch(pool):\n    return pool.acquire_all()\n"),
        ("shop.py", "import core\n\n\ndef sell():\n    return core.run()\n"),
        ("lone.py", "import core\n\n\ndef wait():\n    return core.stop()\n"),
    ];
    repository.commit("ann", "first", &text.map(|(path, text)| Put(path, text)));
    let now = [
        ("core.py", "import shop\n\n\ndef run():\n    return shop.sell\n"),
        ("pool.py", "class Pool:\n    def acquire_all(self):\n        return []\n"),
        ("loose.py", "def watch(pool):\n    return pool.acquire_all()\n"),
        ("tight.py", "import pool\n\n\ndef watch():\n    return pool.Pool().acquire_all()\n"),
        ("shop.py", "import core\n\n\ndef sell():\n    return core.run()\n"),
        ("lone.py", "def wait():\n    return 3\n"),
    ];
    repository.commit("ann", "second", &now.map(|(path, text)| Put(path, text)));
    now.iter().for_each(|(path, text)| repository.tree.write(path, text));
    let layers = "[[layer]]\nname = 'shop'\npaths = ['shop.py', 'lone.py']\n[[layer]]\nname = 'core'\npaths = ['core.py']\n";
    repository.tree.write("m1nd-layers.toml", layers);
    let project = Project::over_repository(repository);
    let ask = |question: &str| project.ok("differential", json!({"snapshot_a": "HEAD~1", "question": question}));
    let cases = [
        ("which new dependencies came", "new_coupling", json!(["core.py", "shop.py"])),
        ("which public API was removed", "removed_api", json!(["file::core.py::fn::stop"])),
        ("are there new cycles", "new_cycle", json!(["core.py", "shop.py"])),
        ("what is isolated now", "isolated", json!(["lone.py"])),
        ("layering violations", "layer_violation", json!(["core.py", "shop.py"])),
    ];
    for (question, asked, names) in cases {
        let answer = ask(question);
        assert_eq!((&answer["answers"][0]["asked"], &answer["answers"][0]["names"]), (&json!(asked), &names), "{answer}");
        assert_eq!(answer["answers"].as_array().map(Vec::len), Some(1), "{answer}");
    }
    let none = ask("new cycles in lone");
    assert_eq!(none["answers"], json!([]), "of another file");
    assert!(none["summary"].to_string().contains("; 0 answers to the question (new_cycle)"), "{none}");
    assert_eq!(ask("lone").get("answers"), None);
    project.tree.write("m1nd-layers.toml", "layer = 3");
    let unclear = ask("layering violations");
    assert_eq!(unclear["answers"], json!([]));
    assert!(unclear["what_is_missing"].to_string().contains("layers cannot be told"), "{unclear}");
}

#[test]
fn a_state_that_is_not_there_is_an_error() {
    let project = project();
    for name in ["nowhere", "HEAD~9", "0000000"] {
        assert_eq!(project.err("differential", json!({"snapshot_a": name}))["code"], "revision_not_found", "{name}");
    }
    let two = project.err("differential", json!({"snapshot_a": "HEAD~1..HEAD", "snapshot_b": "HEAD"}));
    assert_eq!(two["code"], "invalid_params");
    let none = Project::new(PROGRAM).ok("differential", json!({"snapshot_a": "HEAD"}));
    assert!(none["note"].as_str().unwrap_or_default().starts_with("cannot tell"), "{none}");
}
