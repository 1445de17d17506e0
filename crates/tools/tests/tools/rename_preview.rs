use serde_json::json;

use crate::harness::{Project, column};

const PROGRAM: &str = "//- /a.py\ndef load(x: int):\n    return x\n//- /b.py\nfrom a import load\nimport a\n\n\ndef run():\n    return load(2) + a.load(1)\n//- /c.py\nfrom a import load as fetch\n\n\ndef go():\n    return fetch(1)\n";

#[test]
fn every_place_is_shown_and_nothing_is_written() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("rename_preview", json!({"node_id": "load", "new_name": "obtain"}));
    assert_eq!(column(&answer, "files", "file_path"), "a.py b.py c.py", "{answer}");
    assert_eq!(answer["total_places"], 5, "{answer}");
    let diff = answer["files"][2]["diff"].as_str().expect("a diff");
    assert!(diff.contains("+from a import obtain as fetch\n") && !diff.contains("obtain(1)"), "{diff}");
    assert!(std::fs::read_to_string(project.tree.join("a.py")).expect("is there").contains("def load"));
}

#[test]
fn what_is_refused() {
    let project = Project::new("//- /a.py\nclass A:\n    def __len__(self):\n        return 1\n\n    def get(self):\n        return 1\n\n    def put(self):\n        return self.get()\n\n\ndef use(x):\n    return x.get()\n");
    let rows = [
        ("A.put", "get", "is already the name of"),
        ("A.put", "2x", "cannot be a name"),
        ("A.__len__", "size", "is called by the language"),
        ("a.py", "b", "has no name in the code"),
    ];
    for (node, name, expected) in rows {
        let error = project.call("rename_preview", json!({"node_id": node, "new_name": name})).expect_err(node);
        assert!(error.message.contains(expected), "{node} {name}: {error}");
    }
}
