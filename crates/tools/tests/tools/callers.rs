use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

#[test]
fn each_call_has_its_place_and_code_comes_before_tests() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("callers", json!({"node_id": "validate_credentials"}));
    assert_eq!(column(&answer, "callers", "label"), "login test_validate");
    let row = &answer["callers"][0];
    assert_eq!((&row["file_path"], &row["line_number"], &row["column"]), (&json!("app.py"), &json!(5), &json!(12)));
    assert_eq!((&row["line_content"], &row["tier"]), (&json!("    return validate_credentials(user, password)"), &json!("certain")));
    assert_eq!((&answer["total_callers"], &answer["total_sites"]), (&json!(2), &json!(2)));
    assert_eq!(answer["closure"]["state"], "closed", "{answer}");
    let text = project.ok("callers", json!({"node_id": "validate_credentials", "format": "text"}));
    let definition = &answer["definitions"][0];
    assert_eq!(definition["file_path"], "auth.py", "{answer}");
    let expected = format!(
        "complete: 2 calls of `validate_credentials` in 2 files (1 in tests); no search adds one\n\
         defined at auth.py:{}\napp.py\n5: return validate_credentials(user, password)  (login)\n",
        definition["line_number"]
    );
    assert!(text["text"].as_str().is_some_and(|text| text.starts_with(&expected)), "{text}");
}

#[test]
fn a_possible_call_hides_no_other_one_of_its_line() {
    let project = Project::new(
        "//- a.py\nimport pickle\nclass Base:\n    def go(self, n):\n        return 1\nclass Fast(Base):\n    \
         def go(self, n):\n        return 2\ndef run(x: Base, raw):\n    return x.go(pickle.loads(raw).go(1))\nFast()\n",
    );
    let answer = project.ok("callers", json!({"node_id": "Fast.go"}));
    assert_eq!(column(&answer, "callers", "tier"), "possible", "{answer}");
    let closure = &answer["closure"];
    assert_eq!((&closure["state"], &closure["hiding"][0]["line"]), (&json!("blocked"), &json!(9)), "{answer}");
}

#[test]
fn a_class_is_called_by_construction_and_a_file_by_its_members_from_outside() {
    let project = Project::new(PROGRAM);
    assert_eq!(column(&project.ok("callers", json!({"node_id": "Store"})), "callers", "label"), "load_user");
    assert_eq!(column(&project.ok("callers", json!({"node_id": "auth.py"})), "callers", "label"), "login test_validate");
}

#[test]
fn an_empty_list_says_whether_it_proves_anything() {
    let project = Project::new(
        "//- a.py\ndef close_everything():\n    pass\ndef alone_here():\n    pass\n//- b.py\ndef run(x):\n    x.close_everything()\n",
    );
    let state = |name| project.ok("callers", json!({"node_id": name}))["closure"]["state"].clone();
    assert_eq!((state("close_everything"), state("alone_here")), (json!("blocked"), json!("closed")));
}

#[test]
fn a_call_of_the_base_may_run_the_override() {
    let project = Project::new(
        "//- a.py\nclass Base:\n    def go(self):\n        return 1\nclass Fast(Base):\n    def go(self):\n        return 2\ndef run(x: Base):\n    x.go()\nFast()\n",
    );
    let answer = project.ok("callers", json!({"node_id": "Fast.go"}));
    let row = &answer["callers"][0];
    assert_eq!((&row["label"], &row["tier"], &row["by_dispatch"]), (&json!("run"), &json!("possible"), &json!(true)), "{answer}");
    assert_eq!(row["names"], "Base.go");
    let of_base = project.ok("callers", json!({"node_id": "Base.go"}));
    assert_eq!((column(&of_base, "callers", "label"), &of_base["override_calls"]), ("run".to_owned(), &Value::Null));
}

#[test]
fn pages_join() {
    let calls: String = (0..7).map(|n| format!("def f{n}():\n    target()\n")).collect();
    let project = Project::new(&format!("//- a.py\ndef target():\n    pass\n{calls}"));
    let first = project.ok("callers", json!({"node_id": "target", "top_k": 5}));
    assert_eq!((column(&first, "callers", "label"), &first["truncated"]), ("f0 f1 f2 f3 f4".to_owned(), &json!(true)));
    let second = project.ok("callers", json!({"node_id": "target", "top_k": 5, "cursor": first["cursor"]}));
    assert_eq!((column(&second, "callers", "label"), &second["truncated"]), ("f5 f6".to_owned(), &json!(false)));
}

#[test]
fn names_are_followed_through_long_chains_of_wildcard_re_exports() {
    let mut files = String::from("//- use.py\nfrom m1 import *\ndef run():\n    deep()\n//- m6.py\ndef deep():\n    pass\n");
    files.push_str("//- Cargo.toml\n[package]\nname = \"r\"\nversion = \"0.1.0\"\n//- src/e.rs\npub fn far() {}\n");
    files.push_str("//- src/main.rs\nmod a; mod b; mod c; mod d; mod e;\nuse a::*;\nfn main() { far(); }\n");
    for number in 1..6 {
        files.push_str(&format!("//- m{number}.py\nfrom m{} import *\n", number + 1));
    }
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")] {
        files.push_str(&format!("//- src/{from}.rs\npub use crate::{to}::*;\n"));
    }
    let project = Project::new(&files);
    for (name, caller) in [("m6.py::deep", "run"), ("src/e.rs::far", "main")] {
        let answer = project.ok("callers", json!({"node_id": name}));
        assert_eq!(column(&answer, "callers", "label"), caller, "{answer}");
    }
}

#[test]
fn uses_in_the_tokens_of_macros_are_listed_or_keep_it_open() {
    let project = Project::new(
        "//- Cargo.toml\n[package]\nname = \"p\"\n//- src/lib.rs\n\
         pub struct Header<T>(T);\nimpl<T> Header<T> {\n    pub fn tracing_id() {}\n    pub fn send_it(&self) {}\n    \
     pub fn set_it(&self, on: bool) {}\n    pub fn quiet() {}\n}\npub fn remove_it() {}\n\
         macro_rules! find { ($header:ident) => { $header::tracing_id() } }\n\
         //- src/proof.rs\nown! { a b; crate::Header<u8>::send_it(_): Send, crate::remove_it }\n\
         own!(broadcast, set_it(true));\n",
    );
    for (name, state) in [("tracing_id", "blocked"), ("send_it", "blocked"), ("remove_it", "blocked"), ("set_it", "blocked"), ("quiet", "closed")] {
        let answer = project.ok("callers", json!({"node_id": name}));
        let is_listed = answer["callers"].as_array().is_some_and(|rows| !rows.is_empty());
        assert!(is_listed && state == "blocked" || answer["closure"]["state"] == state, "{name}: {answer}");
    }
}

#[test]
fn properties_read_of_what_outside_code_yields_keep_it_open() {
    let project = Project::new(
        "//- app.py\nimport typing as t\nclass Plan:\n    @property\n    def loader(self):\n        return 1\n    \
         @property\n    def quiet(self):\n        return 1\n\
         def plans() -> t.ValuesView[Plan]:\n    return {}.values()\n\
         //- use.py\nfrom app import plans\ndef go():\n    for plan in plans():\n        print(plan.loader)\n",
    );
    for (name, state) in [("loader", "blocked"), ("quiet", "closed")] {
        let answer = project.ok("references", json!({"node_id": name}));
        let is_listed = answer["references"].as_array().is_some_and(|rows| !rows.is_empty());
        assert!(is_listed || answer["closure"]["state"] == state, "{name}: {answer}");
    }
}

#[test]
fn a_name_of_overloads_means_all_of_them_and_a_scope_limits_the_rows() {
    let project = Project::new(
        r#"
//- src/Node.java
class Node {
    void add(Node child) { add(0, child); }
    void add(int at, Node child) { }
}
//- src/Use.java
class Use {
    void run(Node node) { node.add(node); }
}
//- test/UseTest.java
class UseTest {
    void tries(Node node) { node.add(1, node); }
}
"#,
    );
    let answer = project.ok("callers", json!({"node_id": "Node.add"}));
    let lines = |answer: &Value| column(answer, "callers", "file_path");
    assert_eq!(lines(&answer), "src/Node.java src/Use.java test/UseTest.java", "{answer}");
    assert_eq!(answer["includes"].as_array().map(Vec::len), Some(1), "{answer}");
    let used = project.ok("references", json!({"node_id": "Node.add"}));
    assert_eq!(column(&used, "references", "file_path"), lines(&answer), "{used}");
    let of_src = project.ok("callers", json!({"node_id": "Node.add", "scope": "src"}));
    assert_eq!(lines(&of_src), "src/Node.java src/Use.java", "{of_src}");
    assert_eq!((&of_src["total_callers"], &answer["total_callers"]), (&json!(2), &json!(3)), "{of_src}");
    assert_eq!(of_src["closure"]["state"], "closed", "nothing in the folder hides a call: {of_src}");
    let outside = json!({"node_id": "Node.add", "without_tests": true});
    assert_eq!(lines(&project.ok("callers", outside)), "src/Node.java src/Use.java");
    assert_eq!(of_src["next_step_hint"], answer["next_step_hint"], "and so is what follows from it");
}

#[test]
fn a_call_of_a_member_outside_may_run_the_method_that_implements_it() {
    let cases = [
        (
            "//- go.mod\nmodule x\n//- a.go\npackage x\nimport \"io\"\ntype T struct{}\nfunc (t T) Write(b []byte) (int, error) { return 0, nil }\nfunc run(w io.Writer) { w.Write(nil) }\nfunc Use() { run(T{}) }\n",
            "T.Write",
            5,
        ),
        (
            "//- a.py\nfrom threading import Thread\nclass Mine(Thread):\n    def run(self): pass\ndef go(t: Thread):\n    t.run()\ngo(Mine())\n",
            "Mine.run",
            5,
        ),
        (
            "//- a.ts\nimport { Base } from 'outside';\nclass Mine extends Base { handle() { return 1 } }\nexport function go(b: Base) { return b.handle() }\ngo(new Mine());\n",
            "Mine.handle",
            3,
        ),
        (
            "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\n//- src/lib.rs\nuse std::io::Write;\npub struct W;\nimpl Write for W { fn write(&mut self, b: &[u8]) -> std::io::Result<usize> { Ok(0) } }\npub fn go(w: &mut dyn Write) { w.write(b\"x\"); }\n",
            "W.write",
            4,
        ),
    ];
    for (program, node, line) in cases {
        let answer = Project::new(program).ok("callers", json!({"node_id": node}));
        assert_eq!(answer["closure"]["state"], "blocked", "{answer}");
        let hiding = answer["closure"]["hiding"].as_array().expect("places");
        assert!(hiding.iter().any(|row| row["reason"] == "outside_member" && row["line"] == line), "{answer}");
        assert_eq!(answer["same_name"], Value::Null, "it is not known to be another one: {answer}");
        let program = format!("{program}//- other/note.md\n# A note\n");
        let elsewhere = Project::new(&program).ok("callers", json!({"node_id": node, "scope": "other"}));
        assert_eq!(elsewhere["closure"]["state"], "blocked", "code outside may call it from anywhere: {elsewhere}");
    }
}
