use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

/// A row per kind of evidence: a program, what changes, and the first row as `path evidence`.
const CASES: &[(&str, &str, &str)] = &[
    // A helper of the tests stands in between.
    (
        "//- /shop/cart.py\nclass Cart:\n    def total(self):\n        return 1\n//- /tests/conftest.py\nimport pytest\nfrom shop.cart import Cart\n\n\n@pytest.fixture\ndef cart():\n    return Cart()\n//- /tests/test_sums.py\ndef test_sum(cart):\n    assert cart.total() == 1\n",
        "shop/cart.py",
        "tests/test_sums.py",
    ),
    // Only names connect them.
    ("//- /src/a/parse.py\ndef run():\n    return 1\n//- /tests/a/test_parse.py\ndef test_it():\n    pass\n//- /tests/b/test_other.py\ndef test_it():\n    pass\n", "src/a/parse.py", "tests/a/test_parse.py name"),
    ("//- /pool.go\npackage pool\n\nfunc Open() int { return 1 }\n//- /pool_test.go\npackage pool\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n", "pool.go", "pool_test.go name"),
    (
        "//- /src/main/java/x/Pool.java\npackage x;\npublic class Pool { int open() { return 1; } }\n//- /src/test/java/x/PoolTest.java\npackage x;\npublic class PoolTest { void works() { } }\n//- /src/test/java/x/OtherTest.java\npackage x;\npublic class OtherTest { void works() { } }\n",
        "src/main/java/x/Pool.java",
        "src/test/java/x/PoolTest.java name",
    ),
    ("//- /src/list.ts\nexport const one = 1\n//- /src/list.test.ts\ntest('x', () => {})\n//- /src/b.test.ts\ntest('x', () => {})\n", "src/list.ts", "src/list.test.ts name"),
    ("//- /src/views/user-list.ts\nexport const one = 1\n//- /src/views/__tests__/userList.spec.ts\ntest('x', () => {})\n", "src/views/user-list.ts", "src/views/__tests__/userList.spec.ts name"),
    // Nothing but the code connects them.
    ("//- /core/engine.py\ndef start():\n    return 1\n//- /tests/test_smoke.py\nfrom core.engine import start\n\n\ndef test_smoke():\n    assert start()\n", "core/engine.py", "tests/test_smoke.py calls"),
    ("//- /lib.rs\npub fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() { super::a() }\n}\n", "lib.rs", "lib.rs same_file"),
];

#[test]
fn each_kind_of_evidence_leads_to_the_test() {
    for (program, changed, expected) in CASES {
        let answer = Project::new(program).ok("tests_for", json!({"changed": [changed]}));
        let row = &answer["tests"][0];
        let (path, evidence) = expected.split_once(' ').unwrap_or((expected, ""));
        assert_eq!(row["file_path"], path, "{changed}: {answer}");
        let listed: Vec<&str> = row["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert!(evidence.is_empty() || listed.contains(&evidence), "{changed} needs {evidence}: {answer}");
    }
}

#[test]
fn a_row_names_the_tests_that_use_the_symbol() {
    let answer = Project::new(PROGRAM).ok("tests_for", json!({"changed": ["load_user"]}));
    let row = &answer["tests"][0];
    assert_eq!((&row["label"], &row["file_path"]), (&json!("test_validate"), &json!("tests/test_auth.py")), "{answer}");
    assert_eq!((&row["evidence"][0], &row["hop_distance"], &row["tests"]), (&json!("reaches"), &json!(2), &json!(["test_validate"])));
    let text = Project::new(PROGRAM).ok("tests_for", json!({"changed": ["validate_credentials"], "format": "text"}));
    let expected = "1 test file by the code\ntests/test_auth.py: test_validate:4  (calls, name)\n";
    assert!(text["text"].as_str().is_some_and(|text| text.starts_with(expected)), "{text}");
}

#[test]
fn a_test_that_is_a_call_is_named_by_its_title() {
    let project = Project::new(
        "//- pool.ts\nexport class Pool { grow() {} }\n//- pool.test.ts\nimport { Pool } from './pool';\n\
         describe('Pool', () => {\n  it('grows', () => {\n    new Pool().grow();\n  });\n  it.skip('rests', () => {});\n});\n\
         //- go.mod\nmodule example.com/p\n\ngo 1.22\n//- p.go\npackage p\n\nfunc Shrink() {}\n\
         //- p_test.go\npackage p\n\nimport \"testing\"\n\nfunc TestAll(t *testing.T) {\n\tt.Run(\"shrinks\", func(t *testing.T) {\n\t\tShrink()\n\t})\n\
         \tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) { Shrink() })\n\t}\n}\n",
    );
    for (node, expected) in [("Pool.grow", "pool.test.ts: it grows:3"), ("Shrink", "p_test.go: TestAll:5, run shrinks:6  (")] {
        let text = project.text("tests_for", json!({"changed": [node]}));
        assert!(text.contains(expected), "{text}");
    }
    let found = project.ok("seek", json!({"query": "rests"}));
    assert_eq!(found["results"][0]["label"], "it rests", "{found}");
    let text = project.text("view", json!({"file_path": "pool.test.ts::it grows"}));
    assert!(text.contains("new Pool().grow()") && !text.contains("rests"), "{text}");
}

/// A file that came with one commit has one common commit with its tests.
#[test]
fn one_common_commit_counts_for_a_young_file() {
    let program = "//- /young.py\nvalue = 1\n//- /old.py\nvalue = 2\n//- /tests/test_behaviour.py\ndef test_a():\n    pass\n//- /tests/test_unrelated.py\ndef test_b():\n    pass\n";
    let commits: &[(&str, &[&str])] =
        &[("old", &["old.py", "tests/test_unrelated.py"]), ("add", &["young.py", "tests/test_behaviour.py"])];
    let project = Project::in_git(program, commits);
    let answer = project.ok("tests_for", json!({"changed": ["young.py"]}));
    let row = &answer["tests"][0];
    assert_eq!(row["file_path"], "tests/test_behaviour.py", "{answer}");
    assert!(row["evidence"].as_array().is_some_and(|list| list.contains(&json!("changed_together"))), "{answer}");
    assert_eq!(row["common_commits"], 1);
}

/// The words of the task decide between tests that nothing else tells apart.
#[test]
fn the_task_decides_between_equal_tests() {
    let program = "//- /core.py\ndef run(x):\n    return x\n//- /tests/test_a.py\nfrom core import run\n\n\ndef test_colour_of_walls():\n    assert run(1)\n//- /tests/test_b.py\nfrom core import run\n\n\ndef test_parsing_of_dates():\n    assert run(1)\n";
    let project = Project::new(program);
    let first = |task: &str| project.ok("tests_for", json!({"changed": ["core.py"], "task": task}))["tests"][0]["file_path"].clone();
    assert_eq!((first("parsing of dates fails"), first("the colour of walls")), (json!("tests/test_b.py"), json!("tests/test_a.py")));
}

/// Tools that name tests agree on the order.
#[test]
fn every_tool_has_the_same_ranking() {
    let program = "//- /shop/cart.py\ndef total():\n    return 1\n//- /shop/page.py\nfrom shop.cart import total\n\n\ndef show():\n    return total()\n//- /tests/test_all.py\nfrom shop.page import show\n\n\ndef test_show():\n    show()\n//- /tests/test_cart.py\nfrom shop.cart import total\n\n\ndef test_total():\n    total()\n";
    let project = Project::new(program);
    let own = column(&project.ok("tests_for", json!({"changed": ["shop/cart.py"]})), "tests", "file_path");
    assert_eq!(own, "tests/test_cart.py tests/test_all.py");
    assert_eq!(column(&project.ok("impact", json!({"node_id": "shop/cart.py"})), "tests", "file_path"), own);
    assert_eq!(column(&project.ok("surgical_context", json!({"file_path": "shop/cart.py"})), "tests", "file_path"), own);
    assert_eq!(column(&project.ok("predict", json!({"changed_node": "shop/cart.py"})), "tests", "file_path"), own);
    let listed = |answer: &Value| -> String {
        let rows = answer.as_array().into_iter().flatten().filter_map(Value::as_str);
        rows.collect::<Vec<_>>().join(" ")
    };
    let context = project.ok("surgical_context_v2", json!({"file_path": "shop/cart.py"}));
    assert_eq!(listed(&context["tests"]), own);
    let plan = project.ok("validate_plan", json!({"actions": [{"action": "modify", "file": "shop/cart.py"}]}));
    assert_eq!(listed(&plan["test_coverage"]["tests"][0]["tests"]), own);
}

#[test]
fn without_names_it_asks_about_the_work_tree() {
    let project = Project::in_git(PROGRAM, &[("first", &["auth.py", "app.py"])]);
    project.tree.write("auth.py", "def validate_credentials(user, password):\n    return user\n");
    project.ok("ingest", json!({"path": "."}));
    let answer = project.ok("tests_for", json!({}));
    assert!(answer["changed"].as_array().is_some_and(|list| list.contains(&json!("file::auth.py"))), "{answer}");
    assert_eq!(answer["tests"][0]["file_path"], "tests/test_auth.py", "{answer}");
}
