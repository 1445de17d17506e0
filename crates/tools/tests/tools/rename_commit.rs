use serde_json::json;

use crate::harness::Project;

/// Each case: a program, the node, the new name, and what a file has afterwards.
#[test]
fn all_places_follow() {
    let cases = [
        (
            "//- /a.py\ndef load(x: int):\n    return x\n//- /b.py\nfrom a import load\n\n\ndef run():\n    return load(2)\n",
            "load",
            "b.py",
            "from a import fetch\n\n\ndef run():\n    return fetch(2)\n",
        ),
        (
            "//- /Cargo.toml\n[package]\nname = \"x\"\n//- /src/lib.rs\nmod a;\npub use a::load;\n//- /src/a.rs\npub fn load(x: u8) -> u8 {\n    x\n}\n\npub fn two() -> u8 {\n    crate::load(load(1))\n}\n",
            "load",
            "src/a.rs",
            "pub fn fetch(x: u8) -> u8 {\n    x\n}\n\npub fn two() -> u8 {\n    crate::fetch(fetch(1))\n}\n",
        ),
        (
            "//- /Cargo.toml\n[package]\nname = \"x\"\n//- /src/lib.rs\npub struct P {\n    load: u8,\n}\n\npub fn make(load: u8) -> P {\n    P { load }\n}\n\npub fn get(p: &P) -> u8 {\n    p.load\n}\n",
            "P.load",
            "src/lib.rs",
            "pub struct P {\n    fetch: u8,\n}\n\npub fn make(load: u8) -> P {\n    P { fetch: load }\n}\n\npub fn get(p: &P) -> u8 {\n    p.fetch\n}\n",
        ),
        (
            "//- /go.mod\nmodule x\n//- /a.go\npackage x\n\nfunc load(n int) int { return n }\n//- /b.go\npackage x\n\nfunc Run() int { return load(1) }\n",
            "load",
            "b.go",
            "package x\n\nfunc Run() int { return fetch(1) }\n",
        ),
        (
            "//- /a.ts\nexport function load(n: number) { return n; }\n//- /b.ts\nimport { load } from './a';\nexport const all = { load };\nexport const one = load(1);\n",
            "a.ts::load",
            "b.ts",
            "import { fetch } from './a';\nexport const all = { load: fetch };\nexport const one = fetch(1);\n",
        ),
        (
            "//- /p/__init__.py\nfrom .a import load as load\n//- /p/a.py\ndef load():\n    return 1\n//- /b.py\nimport p\n\n\ndef run():\n    return p.load()\n",
            "p/a.py::load",
            "p/__init__.py",
            "from .a import fetch as fetch\n",
        ),
        // A local value is another one, though it has no node.
        (
            "//- /a.ts\nconst load = 1;\nexport function run() {\n  const load = 2;\n  return load;\n}\nexport const two = load;\n",
            "a.ts::load",
            "a.ts",
            "const fetch = 1;\nexport function run() {\n  const load = 2;\n  return load;\n}\nexport const two = fetch;\n",
        ),
        // One node: functions of the same signature in blocks that are no nodes.
        (
            "//- /a.ts\neach('one', () => {\n  const load = () => 1;\n  run(load);\n});\neach('two', () => {\n  const load = () => 2;\n  run(load);\n});\n",
            "a.ts::load",
            "a.ts",
            "each('one', () => {\n  const fetch = () => 1;\n  run(fetch);\n});\neach('two', () => {\n  const fetch = () => 2;\n  run(fetch);\n});\n",
        ),
        // A test is a node with a name, so that its functions are its own.
        (
            "//- /a.ts\nit('one', () => {\n  const load = () => 1;\n  run(load);\n});\nit('two', () => {\n  const load = () => 2;\n  run(load);\n});\n",
            "file::a.ts::fn::it one::fn::load",
            "a.ts",
            "it('one', () => {\n  const fetch = () => 1;\n  run(fetch);\n});\nit('two', () => {\n  const load = () => 2;\n  run(load);\n});\n",
        ),
    ];
    for (program, node, path, expected) in cases {
        let project = Project::new(program);
        let answer = project.ok("rename_commit", json!({"node_id": node, "new_name": "fetch", "confirm": true}));
        let now = std::fs::read_to_string(project.tree.join(path)).expect("is there");
        assert_eq!(now, expected, "{answer}");
        assert_ne!(answer["verification"]["verdict"], "BROKEN", "{answer}");
    }
}

#[test]
fn methods_that_override_each_other_go_together() {
    let project = Project::new(
        "//- /a.py\nclass Base:\n    def get(self):\n        return 1\n\n\nclass Sub(Base):\n    def get(self):\n        return 2\n\n\ndef use(x: Base):\n    return x.get()\n",
    );
    let answer = project.ok("rename_commit", json!({"node_id": "Sub.get", "new_name": "take", "confirm": true}));
    let now = std::fs::read_to_string(project.tree.join("a.py")).expect("is there");
    assert!(!now.contains("get") && now.matches("take").count() == 3, "{now}\n{answer}");
}
