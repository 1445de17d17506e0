use serde_json::{Value, json};

use crate::harness::{Project, column};

const PROGRAM: &str = "//- /a.py\ndef load(x):\n    return x\n\n\ndef other():\n    pass\n//- /b.py\nfrom a import load, other\n\n\ndef run():\n    other()\n    return load(2)\n//- /c.py\nfrom b import run\n\nrun()\n";

fn text(project: &Project, path: &str) -> String {
    std::fs::read_to_string(project.tree.join(path)).expect("is there")
}

#[test]
fn all_or_none() {
    let project = Project::new(PROGRAM);
    let edits = json!([
        {"file_path": "a.py", "edits": [{"old": "return x", "new": "return x * 2"}]},
        {"file_path": "b.py", "edits": [{"old": "not there", "new": ""}]},
    ]);
    let error = project.call("apply_batch", json!({"edits": edits})).expect_err("one does not apply");
    assert_eq!(error.code.word(), "edit_does_not_apply");
    assert!(text(&project, "a.py").contains("return x\n"));
    let answer = project.ok("apply_batch", json!({"edits": edits, "atomic": false}));
    assert_eq!((&answer["all_succeeded"], &answer["files_written"]), (&json!(false), &json!(1)), "{answer}");
    assert_eq!(answer["results"][1]["success"], false);
    assert!(text(&project, "a.py").contains("return x * 2\n"));
    let twice = json!({"edits": [{"file_path": "a.py", "new_content": "1"}, {"file_path": "./a.py", "new_content": "2"}]});
    assert_eq!(project.call("apply_batch", twice).expect_err("twice").code.word(), "invalid_params");
    let nothing = project.ok("apply_batch", json!({"edits": []}));
    assert_eq!((&nothing["all_succeeded"], &nothing["files_total"]), (&json!(true), &json!(0)));
}

#[test]
fn phases_and_their_progress() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("apply_batch", json!({"edits": [{"file_path": "n.py", "new_content": "x = 1\n"}]}));
    assert_eq!(column(&answer, "phases", "phase"), "validate write reingest verify done");
    assert_eq!(column(&answer, "phases", "status"), "completed completed completed skipped completed");
    let percent: Vec<u64> = answer["phases"].as_array().expect("rows").iter().filter_map(|row| row["progress_pct"].as_u64()).collect();
    assert_eq!(percent, [20, 40, 60, 80, 100]);
    assert_eq!(answer["progress_events"][4]["event_type"], "batch_completed");
    assert_eq!((&answer["next_suggested_tool"], &answer["proof_state"]), (&json!("validate_plan"), &json!("triaging")));
    let edits = json!([{"file_path": "a.py", "edits": [{"old": "none", "new": ""}]}, {"file_path": "m.py", "new_content": "x = 1\n"}]);
    let failed = project.ok("apply_batch", json!({"edits": edits, "atomic": false, "reingest": false}));
    assert_eq!(column(&failed, "phases", "status"), "completed failed skipped skipped completed", "{failed}");
    assert_eq!((&failed["next_suggested_tool"], &failed["proof_state"]), (&json!("view"), &json!("blocked")));
}

#[test]
fn a_diff_over_several_files() {
    let project = Project::new(PROGRAM);
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def load(x):\n-    return x\n+    return -x\n--- /dev/null\n+++ b/d.py\n@@ -0,0 +1 @@\n+y = 1\n--- a/c.py\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-from b import run\n-\n-run()\n";
    let answer = project.ok("apply_batch", json!({"diff": diff}));
    assert_eq!(answer["files_written"], 3, "{answer}");
    assert!(text(&project, "a.py").contains("return -x") && text(&project, "d.py") == "y = 1\n");
    assert!(!project.tree.join("c.py").exists());
}

/// The verdict on edits of a program, and what is broken.
fn verdict(program: &str, edits: Value) -> (String, String) {
    let project = Project::new(program);
    let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true}));
    let found = &answer["verification"];
    let kinds = column(found, "broken", "kind");
    let kinds: std::collections::BTreeSet<&str> = kinds.split_whitespace().collect();
    (found["verdict"].as_str().unwrap_or_default().to_owned(), Vec::from_iter(kinds).join(" "))
}

#[test]
fn the_graph_says_what_breaks() {
    let edit = |old: &str, new: &str| json!([{"file_path": "a.py", "edits": [{"old": old, "new": new}]}]);
    let rows = [
        (edit("return x", "return x + 1"), "UNVERIFIED", ""),
        (edit("def load(x)", "def fetch(x)"), "BROKEN", "dangling_import lost_reference"),
        (edit("def load(x)", "def load(x, y)"), "BROKEN", "argument_count"),
        (edit("def load(x)", "def load(x, y=1)"), "UNVERIFIED", ""),
        // The syntax is broken; what other files use is still there.
        (edit("return x", "return (x"), "BROKEN", ""),
        (json!([{"file_path": "a.py", "delete": true}]), "BROKEN", "dangling_import lost_reference"),
    ];
    for (edits, expected, kinds) in rows {
        let (verdict, broken) = verdict(PROGRAM, edits.clone());
        assert_eq!((verdict.as_str(), broken.as_str()), (expected, kinds), "{edits}");
    }
}

#[test]
fn the_graph_says_what_breaks_inside_of_the_edited_file() {
    let rust = "//- /Cargo.toml\n[package]\nname = \"p\"\n//- /src/lib.rs\nuse std::ops::Deref;\npub struct Text(Vec<u8>);\nimpl Deref for Text {\n    type Target = [u8];\n    fn deref(&self) -> &[u8] {\n        &self.0\n    }\n}\nimpl Text {\n    fn whole(&self) -> usize {\n        1\n    }\n    pub fn size(&self) -> usize {\n        self.whole() + half()\n    }\n}\nfn half() -> usize {\n    2\n}\n";
    let with = "//- /a.py\nclass Held:\n    def __enter__(self):\n        return self\n\n    def __exit__(self, kind, value, trace):\n        pass\n\n\ndef run():\n    held = Held()\n";
    let trait_of = "//- /Cargo.toml\n[package]\nname = \"p\"\n//- /src/lib.rs\npub trait Shape {\n    fn area(&self) -> u8;\n}\npub struct Dot;\nimpl Shape for Dot {\n    fn area(&self) -> u8 {\n        0\n    }\n}\n";
    let java = "//- /A.java\npublic class A {\n  static int go(int a) { return a; }\n  static int go(int a, int b) { return a; }\n}\n//- /B.java\npublic class B {\n  int run() { return A.go(1, 2); }\n}\n";
    let typed = "//- /a.ts\nexport function load(a: number, b?: number) {\n  return a;\n}\n//- /b.ts\nimport { load } from './a';\nexport const one = load(1);\n";
    let macros = "//- /Cargo.toml\n[package]\nname = \"p\"\n//- /src/lib.rs\npub struct Text;\nmacro_rules! tests {\n    ($make:ident) => {\n        use super::*;\n        fn run() {\n            $make();\n        }\n    };\n}\nmod one {\n    fn make() -> u8 {\n        1\n    }\n    tests!(make);\n}\n";
    let abstract_java = "//- /A.java\nabstract class A {\n  abstract int size();\n}\n//- /B.java\nclass B extends A {\n  B() {}\n  int size() { return 1; }\n}\n";
    let annotated = "//- /A.java\npublic class A {\n  @Deprecated\n  static int go(int a) { return a; }\n}\n//- /B.java\npublic class B {\n  int run() { return A.go(1); }\n}\n";
    let overriding = "//- /A.java\nclass A {\n  int size() { return 0; }\n}\n//- /B.java\nclass B extends A {\n  @Override\n  int size() { return 1; }\n  @Override\n  public String toString() { return new Object() { @Override public int hashCode() { return 1; } }.toString(); }\n}\n";
    let outside = "//- /B.java\nimport java.util.AbstractList;\nabstract class B extends AbstractList<String> {\n  @Override\n  public int size() { return 1; }\n}\n";
    let inherited = "//- /A.java\nimport java.util.Iterator;\nabstract class A implements Iterator<String> {\n  private String root;\n  boolean run() { if (root == null) { return false; } return root.isEmpty(); }\n}\n";
    let java_overloads = "//- /A.java\nclass A {\n  int go() { return go(1); }\n  int go(int a) { return a; }\n}\n";
    let constructed = "//- /A.java\nclass A {\n  A(int a) {}\n}\n//- /B.java\nclass B {\n  A a = new A(1);\n}\n";
    let overloaded = "//- /a.ts\nexport function load(a: number, b?: number): number;\nexport function load(a: any, b: any) {\n  return a;\n}\n//- /b.ts\nimport { load } from './a';\nexport const one = load(1);\n";
    let unclear = "//- /a.py\ndef load(x):\n    return x\n\n\ndef run():\n    given_by_the_shell()\n    return load(1)\n";
    let edit = |path: &str, old: &str, new: &str| json!([{"file_path": path, "edits": [{"old": old, "new": new}]}]);
    let rows = [
        // The receiver may have methods from outside, so that the name alone has a target there.
        (rust, edit("src/lib.rs", "fn whole(", "fn entire("), "BROKEN", "lost_reference"),
        (rust, edit("src/lib.rs", "fn half(", "fn third("), "BROKEN", "lost_reference"),
        (rust, edit("src/lib.rs", "+ half()", "+ haff()"), "BROKEN", "lost_reference"),
        // A function is replaced by a method of a type from outside.
        (
            rust,
            json!([{"file_path": "src/lib.rs", "edits": [
                {"old": "fn half() -> usize {\n    2\n}\n", "new": ""},
                {"old": "+ half()", "new": "+ self.0.half()"},
            ]}]),
            "UNVERIFIED",
            "",
        ),
        (trait_of, edit("src/lib.rs", "    fn area(&self) -> u8;\n", ""), "BROKEN", "lost_override"),
        (java, edit("A.java", "  static int go(int a, int b) { return a; }\n", ""), "BROKEN", "argument_count"),
        (
            java,
            json!([
                {"file_path": "A.java", "delete": true},
                {"file_path": "C.java", "new_content": "public class A {\n  static int go(int a, int b) { return a; }\n}\n"},
            ]),
            "BROKEN",
            "misplaced_type",
        ),
        (typed, edit("a.ts", "(a: number, b?: number)", "(a: number, b?: number, c?: number)"), "UNVERIFIED", ""),
        (typed, edit("a.ts", "(a: number, b?: number)", "(a: number, b: number, c = 1)"), "BROKEN", "argument_count"),
        // The macro may import what the module around has.
        (macros, edit("src/lib.rs", "mod one {", "mod two {\n    fn make() -> Text {\n        Text\n    }\n    tests!(make);\n}\nmod one {"), "RISKY", ""),
        // A misspelled name beside others that are not known.
        (unclear, edit("a.py", "load(1)", "laod(1)"), "BROKEN", "lost_reference"),
        (unclear, edit("a.py", "load(1)", "breakpoint2(1)"), "RISKY", ""),
        (abstract_java, edit("B.java", "  int size() { return 1; }\n", ""), "BROKEN", "lost_override"),
        (abstract_java, edit("B.java", "class B extends A", "abstract class B extends A"), "UNVERIFIED", ""),
        (abstract_java, edit("B.java", "  B() {}", "  Bee() {}"), "BROKEN", "lost_reference"),
        (annotated, edit("A.java", "int go(int a)", "int go(int a, int b)"), "BROKEN", "argument_count"),
        (overriding, edit("B.java", "int size()", "int length()"), "BROKEN", "lost_override"),
        (overriding, edit("A.java", "int size()", "int length()"), "BROKEN", "lost_override"),
        (overriding, edit("B.java", "return 1; }\n  @", "return 2; }\n  @"), "UNVERIFIED", ""),
        (inherited, edit("A.java", "if (root", "if (rooot"), "RISKY", ""),
        (java_overloads, edit("A.java", "int go(int a)", "int gone(int a)"), "BROKEN", "argument_count"),
        (outside, edit("B.java", "int size()", "int length()"), "RISKY", ""),
        (constructed, edit("A.java", "  A(int a) {}\n", ""), "BROKEN", "argument_count"),
        // What an implementation declares is not what its overloads take.
        (overloaded, edit("b.ts", "one = ", "two = load(2);\nexport const one = "), "UNVERIFIED", ""),
        // `with` has no list of arguments.
        (with, edit("a.py", "held = Held()", "with Held():\n        pass"), "UNVERIFIED", ""),
    ];
    for (program, edits, expected, kinds) in rows {
        let (verdict, broken) = verdict(program, edits.clone());
        assert_eq!((verdict.as_str(), broken.as_str()), (expected, kinds), "{edits}");
    }
}

#[test]
fn a_broken_batch_is_undone_if_asked() {
    let project = Project::new(PROGRAM);
    let before = text(&project, "a.py");
    let edits = json!([
        {"file_path": "a.py", "edits": [{"old": "def load(x)", "new": "def fetch(x)"}]},
        {"file_path": "new.py", "new_content": "x = 1\n"},
    ]);
    let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true, "on_broken": "rollback"}));
    assert_eq!((&answer["rolled_back"], &answer["files_written"]), (&json!(true), &json!(0)), "{answer}");
    let undone = answer["results"].as_array().expect("rows");
    let is_undone = |row: &Value| row["success"] == false && row["content_hash"].is_null() && row["error"].is_string();
    assert!(answer["all_succeeded"] == false && undone.iter().all(is_undone), "{answer}");
    assert_eq!(text(&project, "a.py"), before);
    assert!(!project.tree.join("new.py").exists());
    assert_eq!(project.ok("definition", json!({"target": "load"}))["total_definitions"], 1);
}

#[test]
fn a_new_import_cycle_is_risky() {
    let project = Project::new(PROGRAM);
    let edits = json!([{"file_path": "a.py", "edits": [{"old": "def load(x)", "new": "import c\n\n\ndef load(x)"}]}]);
    let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true}));
    assert_eq!(answer["verification"]["verdict"], "RISKY", "{answer}");
    assert_eq!(answer["verification"]["new_import_cycles"], json!([["a.py", "c.py", "b.py", "a.py"]]));
}

const LAYERS: &str =
    "//- /m1nd-layers.toml\n[[layer]]\nname = \"app\"\npaths = [\"app/**\"]\n\n[[layer]]\nname = \"core\"\npaths = [\"core/**\"]\n";
const LAYERED: &str = "//- /app/__init__.py\n//- /app/page.py\nfrom core.store import read\n\n\ndef show():\n    return read()\n//- /app/text.py\ndef words():\n    return []\n//- /core/__init__.py\n//- /core/store.py\ndef read():\n    return 1\n//- /core/old.py\nfrom app.page import show\n\n\ndef draw():\n    return show()\n";

#[test]
fn a_new_dependency_against_the_declared_layers_is_risky() {
    let project = Project::new(&format!("{LAYERS}{LAYERED}"));
    let verified = |edits: Value| {
        let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true}));
        (answer["verification"]["verdict"].clone(), answer["verification"]["layer_violations"].clone())
    };
    let upward = "from app.text import words\n\n\ndef read():\n    return words()\n";
    let row = json!({"file_path": "core/store.py", "line": 1, "layer": "core", "to": "app/text.py", "to_layer": "app"});
    let write = |path: &str, text: &str| json!([{"file_path": path, "new_content": text}]);
    assert_eq!(verified(write("core/store.py", upward)), (json!("RISKY"), json!([row])));
    // What was against the layers before is no finding, and what they allow is none.
    let old = "from app.page import show\n\n\ndef draw():\n    return show() or None\n";
    assert_eq!(verified(write("core/old.py", old)).1, json!(null));
    let down = "from core.old import draw\n\n\ndef words():\n    return [draw()]\n";
    assert_eq!(verified(write("app/text.py", down)).1, json!(null));
}

#[test]
fn a_declaration_of_layers_that_cannot_be_read_is_said() {
    let project = Project::new(&format!("//- /m1nd-layers.toml\n[[layer]\n{LAYERED}"));
    let edits = json!([{"file_path": "app/text.py", "new_content": "def words():\n    return [1]\n"}]);
    let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true}));
    let checks = answer["verification"]["checks"].as_array().expect("rows");
    let layers = checks.iter().find(|row| row["name"] == "layers").expect("it is named");
    assert_eq!(layers["result"], "not_run");
    assert!(layers["reason"].as_str().is_some_and(|why| why.contains("m1nd-layers.toml")), "{layers}");
}

/// Allows a shell script as a command of the project.
#[cfg(unix)]
fn allow(project: &Project, script: &str) {
    let scope = m1nd_run::Scope::of(vec![project.tree.path().to_owned()]);
    let argv = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    let command = m1nd_run::Allowed::new(m1nd_run::CheckKind::Test, argv, project.tree.path().to_owned());
    project.services.checks.allow(&scope, command).expect("is allowed");
}

#[cfg(unix)]
#[test]
fn an_allowed_command_decides() {
    let edit = |new: &str| json!([{"file_path": "a.py", "edits": [{"old": "return x", "new": new}]}]);
    let rows = [
        ("true", "return x + 1", "SAFE", "pass"),
        ("grep -q 'return x' a.py", "return x + 1", "SAFE", "pass"),
        ("grep -q 'return x$' a.py", "return x + 1", "BROKEN", "fail"),
        ("echo 'a.py:1: old'; exit 1", "return x + 1", "UNVERIFIED", "fails_as_before"),
        ("exit 1", "return x + 1", "RISKY", "unclear"),
        ("/no/such/program; exit 0", "return (x", "BROKEN", "pass"),
    ];
    for (script, new, verdict, result) in rows {
        let project = Project::new(PROGRAM);
        allow(&project, script);
        let answer = project.ok("apply_batch", json!({"edits": edit(new), "verify": true}));
        let found = &answer["verification"];
        assert_eq!((&found["verdict"], &found["commands"][0]["result"]), (&json!(verdict), &json!(result)), "{script}: {found}");
        assert!(result != "fails_as_before" || found["commands"][0]["output"].is_null(), "it is known: {found}");
    }
}

#[cfg(unix)]
#[test]
fn what_a_command_finds_broken_is_undone_if_asked() {
    let project = Project::new(PROGRAM);
    allow(&project, "grep -q 'return x$' a.py");
    let edits = json!([{"file_path": "a.py", "edits": [{"old": "return x", "new": "return 2"}]}]);
    let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true, "on_broken": "rollback"}));
    assert_eq!(answer["rolled_back"], true, "{answer}");
    assert!(text(&project, "a.py").contains("return x\n"));
    let plain = project.ok("apply_batch", json!({"edits": edits}));
    assert!(plain["verification"].is_null(), "nothing runs unasked: {plain}");
}

#[test]
fn what_usually_changes_with_it_is_named() {
    let project = crate::predict::project();
    // Loads the history.
    project.ok("predict", json!({"changed_node": "model.py"}));
    let edit = |text: &str| json!({"edits": [{"file_path": "model.py", "new_content": text}]});
    let answer = project.ok("apply_batch", edit("value = 1\n"));
    assert_eq!(answer["proactive_insights"][0]["suggested_target"], "tests/test_model.py", "{answer}");
    // It is changed by now.
    std::fs::write(project.tree.path().join("tests/test_model.py"), "value = 1\n").expect("is written");
    let again = project.ok("apply_batch", edit("value = 2\n"));
    assert!(!again["proactive_insights"].to_string().contains("test_model"), "{again}");
}

#[test]
fn what_is_remembered_about_the_touched_code_is_told() {
    let project = Project::new(
        "//- /pool.py\nclass Pool:\n    def acquire(self):\n        return self.open()\n\n    def open(self):\n        return 1\n\n\ndef other():\n    return 2\n//- /.mind/MEMORY.md\n# Pools\n\n## Gotchas\n- [critical] Pools leak after a fork -> call `Pool.open` in the child\n",
    );
    project.note();
    let edit = |old: &str, new: &str| {
        let edits = json!([{"file_path": "pool.py", "edits": [{"old": old, "new": new}]}]);
        project.ok("apply_batch", json!({"edits": edits}))["memory"].to_string()
    };
    assert!(edit("return 1", "return 3").contains("leak after a fork"));
    let elsewhere = edit("return 2", "return 4");
    assert!(!elsewhere.contains("leak after a fork"), "it is about another function: {elsewhere}");
}

#[test]
fn bug_patterns_that_a_write_brings_in_are_told() {
    let project = Project::new(PROGRAM);
    project.ok("antibody_create", json!({"code": "eval($X)", "language": "python", "name": "evaluates input"}));
    let edit = |old: &str, new: &str| {
        let edits = json!([{"file_path": "a.py", "edits": [{"old": old, "new": new}]}]);
        project.ok("apply_batch", json!({"edits": edits}))["proactive_insights"].clone()
    };
    assert_eq!(edit("return x", "return x + 1"), Value::Null);
    let told = edit("return x + 1", "return eval(x)");
    assert_eq!((&told[0]["kind"], &told[0]["suggested_target"]), (&json!("antibody_recurrence"), &json!("a.py")), "{told}");
    assert!(told[0]["message"].as_str().is_some_and(|text| text.contains("evaluates input") && text.contains("a.py:2")), "{told}");
    assert_eq!(edit("    pass", "    return 1"), Value::Null, "what was there before is not told again");
}
