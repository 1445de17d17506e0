use serde_json::json;

use crate::harness::{Project, column};

const PROGRAM: &str = "//- /a.py\ndef load(x: int):\n    return x\n//- /b.py\nfrom a import load\nimport a\n\n\ndef run():\n    return load(2) + a.load(1)\n//- /c.py\n# Unlike load, download is no name of it.\nfrom a import load as fetch\n\n\ndef go():\n    return fetch(1)\n";

#[test]
fn every_place_is_shown_and_nothing_is_written() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("rename_preview", json!({"node_id": "load", "new_name": "obtain"}));
    assert_eq!(column(&answer, "files", "file_path"), "a.py b.py c.py", "{answer}");
    assert_eq!(answer["total_places"], 5, "{answer}");
    assert_eq!(answer["comments"], json!(["c.py:1: # Unlike load, download is no name of it."]), "{answer}");
    let diff = answer["files"][2]["diff"].as_str().expect("a diff");
    assert!(diff.contains("+from a import obtain as fetch\n") && !diff.contains("obtain(1)"), "{diff}");
    assert!(std::fs::read_to_string(project.tree.join("a.py")).expect("is there").contains("def load"));
}

#[test]
fn what_is_refused() {
    let project = Project::new("//- /a.py\nclass A:\n    def __len__(self):\n        return 1\n\n    def get(self):\n        return 1\n\n    def put(self):\n        return self.get()\n\n\ndef use(x):\n    return x.get()\n");
    let rows = [
        ("A.put", "get", "is already the name of"),
        ("A.put", "2x", "not starting with a digit"),
        ("A.put", "class", "is a keyword"),
        ("A.put", "put", "is the name already"),
        ("A.__len__", "size", "is called by the language"),
        ("a.py", "b", "has no name in the code"),
    ];
    for (node, name, expected) in rows {
        let error = project.call("rename_preview", json!({"node_id": node, "new_name": name})).expect_err(node);
        assert!(error.message.contains(expected), "{node} {name}: {error}");
    }
}

/// Each case: a program, a field, and the line of a literal that may give its value.
#[test]
fn a_key_that_nothing_resolves_refuses_the_rename_of_a_field() {
    let rows = [
        (
            "//- /a.ts\nexport interface Init {\n  protocol: string;\n}\nexport function make(x: Init) { return x.protocol; }\n//- /b.ts\nimport { make } from './a';\nexport const all = [{ protocol: 'ws' }].map(make);\n",
            "Init.protocol",
            "b.ts:2",
        ),
    ];
    for (program, node, place) in rows {
        let project = Project::new(program);
        let error = project.err("rename_preview", json!({"node_id": node, "new_name": "renewed"}));
        assert_eq!(error["refused_because"], "references_unknown", "{error}");
        assert!(error["may_mean_it"].to_string().contains(place), "{error}");
    }
}
