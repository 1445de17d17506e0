use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn a_file_with_its_symbols() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("view", json!({"file_path": "store.py"}));
    assert!(
        answer["content"].as_str().expect("text").starts_with("1  class Store:\n2      \"\"\"Keeps users.\"\"\"\n")
    );
    assert_eq!(column(&answer, "symbols", "label"), "Store find");
    assert_eq!(
        (&answer["total_lines"], &answer["truncated"], &answer["stale"]),
        (&json!(5), &json!(false), &json!(false))
    );
}

#[test]
fn a_part_and_what_touches_it() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("view", json!({"file_path": "auth.py", "offset": 9, "limit": 2}));
    assert_eq!(answer["content"], "10  def load_user(name):\n11      return Store().find(name)\n");
    assert_eq!(column(&answer, "symbols", "label"), "load_user");
    let past = project.ok("view", json!({"file_path": "auth.py", "offset": 900}));
    assert_eq!((&past["lines_returned"], &past["total_lines"]), (&json!(0), &json!(11)));
    assert!(past["inline_summary"].as_str().expect("why").contains("but the file has"));
}

#[test]
fn a_node_id_shows_its_lines() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("view", json!({"file_path": "file::store.py::class::Store::fn::find"}));
    assert_eq!(answer["content"], "4      def find(self, name):\n5          return None\n");
    assert_eq!(project.err("view", json!({"file_path": "file::store.py::fn::gone"}))["code"], "node_not_found");
}

#[test]
fn long_files_are_cut_at_lines_and_go_on() {
    let long: String = (0..5_000).map(|n| format!("line number {n} ä\n")).collect();
    let project = Project::new(&format!("//- long.txt\n{long}"));
    let mut offset = 0;
    let mut lines = 0;
    for _ in 0..20 {
        let answer = project.ok("view", json!({"file_path": "long.txt", "offset": offset}));
        assert!(answer.to_string().len() <= 100_000);
        lines += answer["lines_returned"].as_u64().expect("lines");
        match answer["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(lines, 5_000);
}

#[test]
fn staleness_and_what_cannot_be_shown() {
    let project = Project::new(PROGRAM);
    project.tree.write("store.py", "changed = 1\n");
    let answer = project.ok("view", json!({"file_path": "store.py"}));
    assert_eq!((&answer["stale"], &answer["next_suggested_tool"]), (&json!(true), &json!("ingest")));
    project.tree.write("data.bin", b"a\0b");
    assert_eq!(project.err("view", json!({"file_path": "data.bin"}))["code"], "file_unreadable");
    assert_eq!(project.err("view", json!({"file_path": ".env"}))["code"], "file_unreadable");
    assert_eq!(project.err("view", json!({"file_path": "gone.py"}))["code"], "file_not_found");
    assert_eq!(project.err("view", json!({"file_path": "src"}))["code"], "file_unreadable");
}

#[test]
fn no_line_is_lost_in_a_file_with_many_symbols() {
    // Short functions whose lines grow when they are escaped.
    let total = 9_000;
    let code: String =
        (0..total / 3).map(|n| format!("def function_with_a_long_name_{n}():\n\t\t\"\"\"\t\\\\\"\"\"\n\n")).collect();
    let project = Project::new(&format!("//- many.py\n{code}"));
    for size in [None, Some(5_000), Some(20_000)] {
        let (mut offset, mut expected) = (0, 1u64);
        loop {
            let mut arguments = json!({"file_path": "many.py", "offset": offset});
            if let Some(size) = size {
                arguments["max_output_chars"] = json!(size);
            }
            let answer = project.ok("view", arguments);
            let sent = m1nd_tools::text_of(&answer).len();
            assert!(sent <= size.unwrap_or(100_000), "{sent} of {size:?}");
            let content = answer["content"].as_str().expect("text");
            let first = expected;
            for line in content.lines() {
                let number: u64 = line.split_whitespace().next().expect("a number").parse().expect("a number");
                assert_eq!(number, expected);
                expected += 1;
            }
            assert_eq!(answer["lines_returned"], json!(expected - first));
            assert_eq!(answer["line_end"], json!(expected - 1));
            assert!(answer["symbols_total"].as_u64().is_none_or(|all| all > 0));
            match answer["next_offset"].as_u64() {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!(expected, total + 1, "{size:?}");
    }
}

#[test]
fn auto_ingest_is_taken_and_indexes_nothing() {
    let project = Project::new(PROGRAM);
    let before = project.services.engine.snapshot().generation();
    for value in [false, true] {
        project.ok("view", json!({"file_path": "auth.py", "auto_ingest": value}));
    }
    assert_eq!(project.services.engine.snapshot().generation(), before);
}

#[test]
fn lines_of_a_symbol_and_of_a_place() {
    let project = Project::new(PROGRAM);
    let find = "file::store.py::class::Store::fn::find";
    let content = |arguments| project.ok("view", arguments)["content"].as_str().map(str::to_owned).expect("text");
    let [first, second] = ["4      def find(self, name):\n", "5          return None\n"];
    let both = format!("{first}{second}");
    let cases = [
        (json!({"file_path": find, "offset": 1}), second),
        (json!({"file_path": find, "limit": 1}), first),
        (json!({"file_path": find, "limit": 100}), &both),
        (json!({"file_path": "Store.find", "offset": 1}), second),
        (json!({"file_path": "store.py:4"}), first),
        (json!({"file_path": "store.py:4:9"}), first),
        (json!({"file_path": "file::store.py:4-5"}), &both),
        (json!({"file_path": "store.py:4", "limit": 2}), &both),
        (json!({"file_path": "store.py:4-99"}), &both),
        (json!({"file_path": "store.py:4-5", "offset": 1, "limit": 7}), second),
    ];
    for (arguments, expected) in cases {
        assert_eq!(content(arguments.clone()), expected, "{arguments}");
    }
    assert!(content(json!({"file_path": "file::store.py"})).starts_with("1  class Store:"));
    let past = |arguments| project.ok("view", arguments)["inline_summary"].as_str().map(str::to_owned).expect("why");
    assert!(past(json!({"file_path": find, "offset": 2})).contains("has 2 lines"));
    assert!(past(json!({"file_path": "store.py:77"})).contains("has 5 lines"));
    assert_eq!(project.err("view", json!({"file_path": "gone.py:3"}))["code"], "file_not_found");
}

#[test]
fn a_long_symbol_goes_on_inside_itself() {
    let long: String = (0..2_000).map(|n| format!("    value_{n} = {n}\n")).collect();
    let project = Project::new(&format!("//- long.py\nimport os\n\ndef big():\n{long}\ndef after(): pass\n"));
    let (mut offset, mut lines) = (0, 0);
    for _ in 0..50 {
        let answer = project.ok("view", json!({"file_path": "long.py::big", "offset": offset, "max_output_chars": 9_000}));
        assert_eq!(answer["line_start"], json!(offset + 3));
        lines += answer["lines_returned"].as_u64().expect("lines");
        match answer["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(lines, 2_001);
}

#[test]
fn a_name_that_is_no_path_shows_the_symbol() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("view", json!({"file_path": "Store.find"}));
    assert_eq!(answer["node_id"], "file::store.py::class::Store::fn::find");
    let several = project.err("view", json!({"file_path": "twin"}));
    assert_eq!(several["code"], "ambiguous_node");
    let heads = several["heads"].as_str().expect("the first lines of each");
    assert!(heads.contains("twins/left.py:") && heads.contains("twins/right.py:") && heads.contains("def twin("), "{heads}");
    assert_eq!(project.err("view", json!({"file_path": "nobody_knows"}))["code"], "file_not_found");
}

#[test]
fn a_long_docstring_leaves_room_for_the_code() {
    let doc: String = (0..200).map(|row| format!("    Text of row {row}.\n")).collect();
    let body: String = (0..300).map(|row| format!("    step({row})\n")).collect();
    let project = Project::new(&format!("//- a.py\ndef run(x):\n    \"\"\"First.\n{doc}    \"\"\"\n{body}"));
    let text = project.text("view", json!({"file_path": "a.py::run", "format": "text"}));
    assert!(text.contains("… 189 lines of the comment: lines 12-200\n"), "{}", &text[..900]);
    assert!(text.contains("step(0)") && text.contains("step(299)") && !text.contains("row 100."), "the code is whole");
    let lines = project.text("view", json!({"file_path": "a.py:10-400", "format": "text"}));
    assert!(lines.contains("row 100.") && lines.contains("400      step("), "named lines are shown as they are");
    let both = project.text("batch_view", json!({"files": ["a.py::run", "a.py:2-3"], "format": "text"}));
    assert!(both.contains("step(299)") && both.contains("First."), "several in one call are as whole");
}
