use serde_json::json;

use crate::harness::{PROGRAM, Project};

#[test]
fn a_proven_path_with_its_evidence() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("why", json!({"source": "login", "target": "load_user"}));
    assert_eq!((&answer["found"], &answer["closure"]["state"]), (&json!(true), &json!("closed")));
    let path = &answer["paths"][0];
    assert_eq!(path["nodes"], json!(["login", "validate_credentials", "load_user"]));
    assert_eq!((&path["relations"], &path["direction"]), (&json!(["calls", "calls"]), &json!("forward")));
    assert_eq!((&path["steps"][0]["file_path"], &path["steps"][0]["line"]), (&json!("app.py"), &json!(5)));
    let back = project.ok("why", json!({"source": "load_user", "target": "login"}));
    assert_eq!(back["paths"][0]["direction"], "backward");
}

#[test]
fn no_path_is_not_a_proof_when_something_is_open() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("why", json!({"source": "logout", "target": "file::twins/left.py::fn::twin"}));
    assert_eq!(answer["found"], json!(false));
    // `session.close_everything()` can be anything.
    assert_eq!(answer["closure"]["state"], "unknown", "{answer}");
    assert_eq!(answer["closure"]["dangling_edges"][0]["name"], "close_everything");
    assert_eq!(answer["reason"], "no_path_within_hops");
}

#[test]
fn ends_that_are_missing_or_several() {
    let project = Project::new(PROGRAM);
    let error = project.err("why", json!({"source": "login", "target": "load_usr"}));
    assert_eq!((&error["code"], &error["closure"]["state"]), (&json!("node_not_found"), &json!("unknown")));
    assert_eq!(error["suggestions"][0], "file::auth.py::fn::load_user");
    let error = project.err("why", json!({"source": "twin", "target": "login"}));
    assert_eq!(error["code"], "ambiguous_node");
    assert_eq!(error["candidates"].as_array().map(Vec::len), Some(2));
    assert!(error["candidates"][0]["node_id"].is_string() && error["candidates"][0]["label"].is_string());
}

#[test]
fn an_ambiguous_call_blocks_and_a_clean_hop_does_not() {
    let project = Project::new(
        "//- model.py\nclass Cat:\n    def speak(self):\n        return 1\n\nclass Dog:\n    def speak(self):\n        return 2\n\n\
def check():\n    return 3\n//- app.py\nfrom model import check\n\ndef ask(animal):\n    check()\n    animal.vanish()\n    return animal.speak()\n",
    );
    let answer = project.ok("why", json!({"source": "ask", "target": "Dog.speak"}));
    assert_eq!((&answer["found"], &answer["closure"]["state"]), (&json!(true), &json!("blocked")), "{answer}");
    let candidates = &answer["closure"]["dangling_edges"][0]["candidates"];
    assert_eq!(candidates.as_array().map(Vec::len), Some(2), "{answer}");
    // The source has another reference without a target, which this path does not rest on.
    let answer = project.ok("why", json!({"source": "ask", "target": "check"}));
    assert_eq!((&answer["found"], &answer["closure"]["state"]), (&json!(true), &json!("closed")), "{answer}");
}

#[test]
fn common_commits_are_marked_and_prove_nothing() {
    let project = crate::predict::project();
    let ask = || project.ok("why", json!({"source": "model.py", "target": "notes.md"}));
    assert!(ask()["history"].is_null(), "not loaded");
    project.ok("timeline", json!({"node": "model.py"}));
    let answer = ask();
    let history = &answer["history"];
    assert_eq!((&history["relation"], &history["common_commits"]), (&json!("changed_together"), &json!(80)), "{answer}");
    assert_eq!((&history["commits_of_source"], &history["commits_of_target"]), (&json!(240), &json!(80)));
    assert_eq!(history["commits"][0]["subject"], "model 237");
    assert_eq!((&answer["found"], &answer["paths"]), (&json!(false), &json!([])), "{answer}");
    assert!(project.ok("why", json!({"source": "model.py", "target": "view.py"}))["history"].is_null());
}

/// Folders are connected by what leads from one to the other.
#[test]
fn folders_are_ends_like_nodes() {
    let project = Project::new(
        "//- web/views.py\nfrom store.files import load\n\ndef show(name):\n    return load(name)\n\
         //- web/forms.py\nfrom store.files import load\n\ndef fill(name):\n    return load(name)\n\
         //- store/files.py\ndef load(name):\n    return name\n\
         //- docs/tool.py\ndef build():\n    return 1\n",
    );
    let answer = project.ok("why", json!({"source": "web", "target": "store"}));
    assert_eq!((&answer["source"]["node_id"], &answer["found"]), (&json!("web/"), &json!(true)), "{answer}");
    let from: Vec<&str> =
        answer["paths"].as_array().expect("paths").iter().filter_map(|path| path["steps"][0]["file_path"].as_str()).collect();
    assert_eq!(from, ["web/forms.py", "web/views.py"], "{answer}");
    assert_eq!((&answer["closure"]["state"], &answer["paths"][0]["direction"]), (&json!("closed"), &json!("forward")));
    let back = project.ok("why", json!({"source": "store/", "target": "web"}));
    assert_eq!(back["paths"][0]["direction"], "backward", "{back}");
    assert_eq!((&back["closure"]["state"], &back["closure"]["reason"]), (&json!("closed"), &json!("no_forward_path")));
    let none = project.ok("why", json!({"source": "docs", "target": "load"}));
    assert_eq!((&none["found"], &none["closure"]["state"]), (&json!(false), &json!("closed")), "{none}");
}

/// What uses a member of a file uses the file, also in languages whose files do not import each other.
#[test]
fn files_are_connected_by_what_they_contain() {
    let project = Project::new(
        "//- go.mod\nmodule example.com/a\n\ngo 1.22\n\
         //- mux.go\npackage a\n\ntype Mux struct{ tree *node }\n\nfunc (m *Mux) Insert() { m.tree.insert() }\n\
         //- tree.go\npackage a\n\ntype node struct{ size int }\n\nfunc (n *node) insert() { n.size++ }\n\
         //- other.go\npackage a\n\nfunc other() int { return 1 }\n",
    );
    for (source, target) in [("mux.go", "tree.go"), ("Mux", "tree.go"), ("mux.go", "node"), ("Mux.Insert", "tree.go")] {
        let answer = project.ok("why", json!({"source": source, "target": target}));
        assert_eq!(answer["paths"][0]["direction"], "forward", "{source} {target} {answer}");
        assert_eq!(answer["closure"]["state"], "closed", "{source} {target} {answer}");
    }
    let back = project.ok("why", json!({"source": "tree.go", "target": "mux.go"}));
    assert_eq!((&back["paths"][0]["direction"], &back["closure"]["reason"]), (&json!("backward"), &json!("no_forward_path")));
    let none = project.ok("why", json!({"source": "other.go", "target": "tree.go"}));
    assert_eq!((&none["found"], &none["closure"]["state"]), (&json!(false), &json!("closed")), "{none}");
}

/// A reference without a target on the way hides a path as well as one in the folder.
#[test]
fn an_open_reference_on_the_way_keeps_folders_open() {
    let project = Project::new(
        "//- web/views.py\nfrom middle import ask\n\ndef show(name):\n    return ask(name)\n\
         //- middle.py\ndef ask(thing):\n    return thing.load()\n\
         //- store/files.py\nclass File:\n    def read(self):\n        return 1\n",
    );
    let answer = project.ok("why", json!({"source": "web", "target": "store"}));
    assert_eq!((&answer["found"], &answer["closure"]["state"]), (&json!(false), &json!("unknown")), "{answer}");
    assert_eq!(answer["closure"]["dangling_edges"][0]["name"], "load", "{answer}");
}
