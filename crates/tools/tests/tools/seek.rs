use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn finds_by_purpose_and_by_name() {
    let project = Project::new(PROGRAM);
    let cases = [
        ("code that validates user credentials", "file::auth.py::fn::validate_credentials"),
        ("validateCredentials", "file::auth.py::fn::validate_credentials"),
        ("close the session", "file::app.py::fn::logout"),
        ("test validate", "file::tests/test_auth.py::fn::test_validate"),
        ("keeps users", "file::store.py::class::Store"),
    ];
    for (query, expected) in cases {
        let answer = project.ok("seek", json!({"query": query, "min_score": 0.0}));
        assert_eq!(
            answer["results"][0]["node_id"],
            json!(expected),
            "{query}: {}",
            column(&answer, "results", "node_id")
        );
    }
}

#[test]
fn a_name_is_answered_by_what_has_it() {
    let project = Project::new(
        r#"
//- net.py
class Base:
    def send(self):
        pass


class Session(Base):
    def send(self):
        pass
//- lib/more.py
from net import Session


class SessionSend:
    """Session send: sends a session."""
"#,
    );
    let session = "file::net.py::class::Session";
    let send = "file::net.py::class::Session::fn::send";
    let cases = [
        ("Session.send", send, "act", "sufficient"),
        ("`net.Session::send()`", send, "act", "sufficient"),
        ("Session", session, "act", "sufficient"),
        ("lib/more.py", "file::lib/more.py", "act", "sufficient"),
        ("SessionSend", "file::lib/more.py::class::SessionSend", "act", "sufficient"),
        ("net.send", "file::net.py::class::Base::fn::send", "reverify", "partial"),
    ];
    for (query, expected, verdict, state) in cases {
        let answer = project.ok("seek", json!({"query": query, "min_score": 0.0}));
        let rows = column(&answer, "results", "node_id");
        assert_eq!(rows.split(' ').next(), Some(expected), "{query}: {rows}");
        assert_eq!(answer["trust_envelope"]["verdict"], verdict, "{query}");
        assert_eq!(answer["sufficiency"]["state"], state, "{query}");
        let scores =
            answer["results"].as_array().expect("rows").iter().map(|row| row["score"].as_f64().expect("a score"));
        assert!(scores.is_sorted_by(|a, b| a >= b), "{query}: {answer}");
    }
    let others = project.ok("seek", json!({"query": "Session.send", "node_types": ["class"]}));
    assert_ne!(others["trust_envelope"]["verdict"], "act", "no class has this name");
}

#[test]
fn a_row_has_the_members_of_the_contract_and_nothing_made_up() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("seek", json!({"query": "validate credentials", "node_types": ["function"]}));
    let row = &answer["results"][0];
    assert_eq!(row["label"], "validate_credentials");
    assert_eq!(row["type"], "function");
    assert_eq!((&row["file_path"], &row["line_start"]), (&json!("auth.py"), &json!(5)));
    assert_eq!(row["intent_summary"], "Validates user credentials against the provider store.");
    assert!(row["score_breakdown"]["embedding_similarity"].as_f64() > Some(0.4));
    assert_eq!(row["score_breakdown"]["temporal_recency"], json!(null));
    let no_git = "no history: the root is not the top of a git repository";
    assert_eq!((&answer["embeddings_used"], &answer["history_missing"]), (&json!(true), &json!(no_git)));
    let plain = project.ok("seek", json!({"query": "validate credentials", "embeddings": false}));
    assert_eq!((&plain["embeddings_used"], &plain["results"][0]["label"]), (&json!(false), &row["label"]));
    assert_eq!(plain["results"][0]["score_breakdown"]["embedding_similarity"], json!(null));
    assert!(row["score_breakdown"]["lexical"].as_f64() > Some(0.0));
    assert!(answer["total_candidates_scanned"].as_u64() > Some(8));
    let envelope = &answer["trust_envelope"];
    assert_eq!(envelope["calibrated"], json!(envelope["calibration_receipt"].is_object()), "{envelope}");
    let words_only = project.ok("seek", json!({"query": "validate credentials", "graph_rerank": false}));
    assert_eq!(words_only["trust_envelope"]["calibrated"], json!(false), "only the model is measured");
    assert_ne!(words_only["trust_envelope"]["verdict"], "act");
    let links = column(row, "connections", "label");
    assert!(links.contains("login") && links.contains("load_user"), "{links}");
    assert!(column(&answer, "results", "type").split(' ').all(|kind| kind == "function"));
}

#[test]
fn unmet_words_and_weak_rows_are_said() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("seek", json!({"query": "validate zebra credentials"}));
    assert_eq!(answer["sufficiency"]["unmatched_words"], json!(["zebra"]));
    let answer = project.ok("seek", json!({"query": "zebra quagga"}));
    assert_eq!(answer["results"], json!([]));
    assert_eq!((&answer["proof_state"], &answer["next_suggested_tool"]), (&json!("blocked"), &json!("search")));
    let answer = project.ok("seek", json!({"query": "validate", "min_score": 1.0}));
    assert!(answer["below_min_score"].as_u64() > Some(0));
    assert_eq!(answer["next_suggested_tool"], "seek");
}

#[test]
fn a_row_does_not_stand_out_because_the_others_are_not_shown() {
    let project =
        Project::new("//- a.py\ndef load_user():\n    pass\n//- b.py\ndef load_user(name):\n    return name\n");
    let call =
        |least: f64| project.ok("seek", json!({"query": "load user", "node_types": ["function"], "min_score": least}));
    let score = |answer: &serde_json::Value, row: usize| answer["results"][row]["score"].as_f64().expect("a score");
    let all = call(0.0);
    assert_eq!(all["sufficiency"]["state"], "partial", "{all}");
    let one = call((score(&all, 0) + score(&all, 1)) / 2.0);
    assert_eq!((&one["sufficiency"], one["results"].as_array().map(Vec::len)), (&all["sufficiency"], Some(1)));
}

#[test]
fn what_has_no_spaces_is_searched_as_it_is_written() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("seek", json!({"query": "クッキーの処理 直す"}));
    assert_eq!(answer["next_suggested_target"], "クッキーの処理");
}

#[test]
fn other_words_for_the_same_are_found() {
    let project = Project::new(
        "//- a.py\ndef resize_image(image, width, height):\n    return image\n//- b.py\ndef noop():\n    pass\n",
    );
    let answer = project.ok("seek", json!({"query": "pixels"}));
    let row = &answer["results"][0];
    assert_eq!((&row["label"], &row["best_field"]), (&json!("resize_image"), &json!("meaning")));
    let answer = project.ok("seek", json!({"query": "pixels", "embeddings": false}));
    assert_eq!(answer["results"], json!([]));
}

#[test]
fn a_token_budget_cuts_the_page_and_the_cursor_goes_on() {
    let project = Project::new(PROGRAM);
    let ask = |more: serde_json::Value| {
        let mut input = json!({"query": "validate credentials", "min_score": 0.0});
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        project.ok("seek", input)
    };
    let ids = |answer: &serde_json::Value| column(answer, "results", "node_id");
    let (whole, cut) = (ask(json!({})), ask(json!({"token_budget": 1})));
    assert!(whole.get("budget").is_none_or(serde_json::Value::is_null));
    assert_eq!((&cut["budget"]["kept"], &cut["budget"]["requested"]), (&json!(1), &json!(1)));
    let next = ask(json!({"token_budget": 1, "cursor": cut["cursor"]}));
    assert!(ids(&whole).starts_with(&format!("{} {}", ids(&cut), ids(&next))), "{} {}", ids(&cut), ids(&next));
}

#[test]
fn scope_is_by_component_and_kinds_are_checked() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("seek", json!({"query": "mark", "scope": "src/a", "min_score": 0.0}));
    assert!(column(&answer, "results", "file_path").split(' ').all(|path| path == "src/a/one.py"));
    let error = project.err("seek", json!({"query": "x", "node_types": ["gizmo"]}));
    let message = error["error"].as_str().expect("message");
    assert!(message.contains("`gizmo`") && message.contains("`function`"), "{message}");
    let error = project.err("seek", json!({"query": " !? "}));
    assert_eq!(error["code"], "invalid_params");
}

#[test]
fn rows_that_the_model_did_not_weigh_are_not_passed_over_in_silence() {
    let files: String =
        (0..400).map(|n| format!("//- m{n:03}.py\ndef func_{n:03}():\n    return 'needle'\n")).collect();
    let project = Project::new(&files);
    let answer = project.ok("seek", json!({"query": "needle", "min_score": 0.0}));
    assert!(answer["total_matches"].as_u64() < Some(400), "{}", answer["total_matches"]);
    assert_eq!(answer["total_is_lower_bound"], json!(true));
}

#[test]
fn what_limits_left_out_is_said_where_it_may_matter() {
    let words: String = (0..500).map(|n| format!("    word{n} = 1\n")).collect();
    let names: String = (0..1_100).map(|n| format!("x.name_of{n}()\n")).collect();
    let text = format!("{PROGRAM}//- long.py\ndef fill():\n{words}//- names.py\n{names}x.last_of_all()\n");
    let project = Project::new(&text);
    let said = |query: &str| {
        let answer = project.ok("seek", json!({"query": query, "min_score": 0.0}));
        answer["what_is_missing"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(said("validate credentials"), "", "every word is met");
    let beyond = said("validate zebra");
    assert!(beyond.contains("`zebra` may occur in one of 2 long entries beyond the first 400 words"), "{beyond}");
    let name = said("validate lastOfAll");
    assert!(name.contains("`lastofall` may be used in one of 1 long file beyond the first 1000 names"), "{name}");
    let known = said("validate name_of7");
    assert!(!known.contains("long file"), "a file is known to use it: {known}");
    let long: String = (0..200).map(|n| format!("topic{n} ")).collect();
    let asked = said(&format!("validate credentials {long}"));
    assert!(asked.contains("not looked up, since the query is long: 42 words"), "{asked}");
    assert!(asked.contains("cover only the 64 words of most weight"), "{asked}");
    let short = Project::new(PROGRAM).ok("seek", json!({"query": "validate zebra"}));
    assert!(short["what_is_missing"].is_null(), "no entry is long: {short}");
}

#[test]
fn where_nothing_is_found_the_next_call_differs_in_what_stood_in_the_way() {
    let project = Project::new(PROGRAM);
    let cases = [
        (json!({"query": "validate", "scope": "twins", "min_score": 0.0}), "seek", "repeat without them"),
        (json!({"query": "zebra", "node_types": ["class"], "min_score": 0.0}), "seek", "repeat without them"),
        (json!({"query": "validate credentials", "min_score": 1.0}), "seek", "lower `min_score`"),
        (json!({"query": "zebra quagga", "min_score": 0.0}), "search", "search for the text"),
    ];
    for (arguments, tool, hint) in cases {
        let answer = project.ok("seek", arguments.clone());
        assert_eq!((&answer["results"], &answer["next_suggested_tool"]), (&json!([]), &json!(tool)), "{arguments}");
        assert!(answer["next_step_hint"].as_str().is_some_and(|said| said.contains(hint)), "{arguments}: {answer}");
        if tool == "seek" {
            assert_eq!(answer["next_suggested_target"], arguments["query"]);
        }
    }
}

#[test]
fn the_most_telling_connections_of_a_hub_are_among_all_of_them() {
    let mut text = "//- hub.py\ndef write_log(line):\n    pass\n".to_owned();
    for number in 0..450 {
        text +=
            &format!("//- a/m{number:03}.py\nfrom hub import write_log\n\n\ndef run{number}():\n    write_log('')\n");
    }
    let uses: String = (0..450).map(|n| format!("from a.m{n:03} import run{n}\n")).collect();
    text +=
        &format!("//- zzz.py\nfrom hub import write_log\n\n\ndef central():\n    write_log('')\n//- zzzz.py\n{uses}");
    for number in 0..30 {
        text += &format!("//- z/n{number}.py\nfrom zzz import central\n\n\ndef call{number}():\n    central()\n");
    }
    let project = Project::new(&text);
    let answer = project.ok("seek", json!({"query": "write_log", "top_k": 1}));
    let row = &answer["results"][0];
    assert_eq!(row["label"], "write_log");
    assert!(column(row, "connections", "label").contains("central"), "the most important user: {row}");
}

#[test]
fn a_declaration_is_not_another_answer_than_its_definition() {
    let project = Project::new(
        "//- pool.h\nint lookup_key(int k);\nint only_declared(int k);\n//- pool.c\n#include \"pool.h\"\nint lookup_key(int k) { return k; }\n",
    );
    let answer = project.ok("seek", json!({"query": "lookup_key", "min_score": 0.0}));
    let rows = column(&answer, "results", "node_id");
    assert!(rows.starts_with("file::pool.c::fn::lookup_key file::pool.h::fn::lookup_key"), "{rows}");
    assert_eq!(answer["trust_envelope"]["verdict"], "act", "{answer}");
    assert_eq!(answer["sufficiency"]["why"], "the query is the name of the first row");
    let answer = project.ok("seek", json!({"query": "only_declared"}));
    assert_eq!(answer["trust_envelope"]["verdict"], "act", "{answer}");
}

#[test]
fn that_a_file_meets_few_words_of_a_question_is_said() {
    let project = Project::new(PROGRAM);
    let cases = [
        ("validate quagga", false, "the first row matches 1 of 2 words, not `quagga`"),
        ("validate quagga zebra", true, "the first row matches 1 of 3 words, not `quagga`, `zebra`"),
    ];
    for (query, is_few, why) in cases {
        let answer = project.ok("seek", json!({"query": query, "graph_rerank": false}));
        let said = answer["sufficiency"]["why"].as_str().expect("a reason");
        assert!(said.starts_with(why), "{said}");
        // Such files are often the right ones all the same.
        assert_eq!(answer["trust_envelope"]["verdict"], "reverify", "{answer}");
        let reasons = answer["trust_envelope"]["reasons"].as_array().expect("reasons");
        let few = reasons.contains(&json!("its file matches 1 of 3 words, fewer than half"));
        assert_eq!(few, is_few, "{answer}");
    }
}

#[test]
fn a_verdict_says_what_it_is_about() {
    let project = Project::new(PROGRAM);
    let about = |query: &str| {
        let answer = project.ok("seek", json!({"query": query}));
        let envelope = &answer["trust_envelope"];
        assert!(!envelope["verdict"].is_null(), "{answer}");
        (envelope["about"].clone(), envelope["about_node_id"].clone(), envelope["reasons"].to_string())
    };
    let (kind, id, _) = about("load_user");
    assert_eq!((kind, id), (json!("function"), json!("file::auth.py::fn::load_user")), "it is its name");
    let (kind, id, reasons) = about("validates the credentials");
    assert_eq!((kind, id), (json!("file"), json!("file::auth.py")), "a function is the first row");
    assert!(reasons.contains("`act` is not given without the complete git history"), "{reasons}");
    let (kind, id, reasons) = about("quagga zebra");
    assert_eq!((kind, id), (json!(null), json!(null)), "there is no row");
    assert!(!reasons.contains("open"), "{reasons}");
}

#[test]
fn a_question_in_another_language_is_told_to_ask_in_that_of_the_code() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("seek", json!({"query": "wo wird das Passwort vom user verglichen", "min_score": 0.0}));
    let hint = answer["next_step_hint"].as_str().expect("a hint");
    assert!(hint.starts_with("most words of the query are not in the index"), "{answer}");
    assert_ne!(answer["trust_envelope"]["verdict"], "act");
}

#[test]
fn the_first_page_is_of_many_files() {
    let many: String = (0..30).map(|n| format!("def parse_header{n}(header):\n    return header\n\n\n")).collect();
    let others: String =
        (0..12).map(|n| format!("//- lib/m{n:02}.py\ndef parse_header_of{n}(header):\n    return header\n")).collect();
    let project = Project::new(&format!("//- parse/header.py\n{many}{others}"));
    let answer = project.ok("seek", json!({"query": "parse header", "top_k": 20}));
    let files = column(&answer, "results", "file_path");
    let rows: Vec<&str> = files.split(' ').collect();
    let mut distinct = rows.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((rows.len(), distinct.len()), (20, 13), "{files}");
    let scores = answer["results"].as_array().expect("rows").iter().map(|row| row["score"].as_f64().expect("a score"));
    assert!(scores.is_sorted_by(|a, b| a >= b), "{answer}");
    let number = |name: &str| answer[name].as_u64().expect("a number");
    assert!(number("total_matches") + number("below_min_score") >= 42, "nothing is left out");
}

#[test]
fn a_row_shows_its_header_and_the_lines_that_meet_the_question() {
    let project = Project::new(
        r#"
//- names.py
# Aliases that lead to themselves are refused.
def check(name, aliases):
    """Look a name up."""
    seen = set()
    while name in aliases:
        if name in seen:
            raise ValueError("Recursive alias definition: " + name)
        seen.add(name)
        name = aliases[name]
    return name


def other(name):
    return name
"#,
    );
    let answer = project.ok("seek", json!({"query": "recursive alias detection refused", "min_score": 0.0}));
    let row = &answer["results"][0];
    let body = row["body"].as_str().unwrap_or_else(|| panic!("its code: {answer}"));
    let lines: Vec<&str> = body.lines().collect();
    assert_eq!(lines.len(), 10, "its comment and all of its code: {answer}");
    assert_eq!(lines[0], " 1  # Aliases that lead to themselves are refused.");
    assert_eq!(lines[6], " 7              raise ValueError(\"Recursive alias definition: \" + name)");
    assert_eq!((&row["label"], &row["lines"]), (&json!("check"), &json!(null)), "{answer}");
    let lines = json!([
        {"line": 1, "text": "# Aliases that lead to themselves are refused."},
        {"line": 7, "text": "raise ValueError(\"Recursive alias definition: \" + name)"},
    ]);
    assert_eq!(answer["results"][1]["lines"], lines, "of a file: {answer}");
    let text = project.text("seek", json!({"query": "recursive alias detection refused", "min_score": 0.0}));
    assert!(text.contains("   7              raise ValueError(\"Recursive alias"), "{text}");
    assert!(!text.contains("trust_envelope") && !text.contains("references"), "{text}");
    let whole = json!({"query": "recursive alias detection refused", "min_score": 0.0, "detail": "full"});
    assert!(project.text("seek", whole).contains("trust_envelope"), "all of it where it is asked for");
}

#[test]
fn of_a_long_function_the_code_around_the_matching_lines_is_shown() {
    let filler: String = (0..200).map(|n| format!("    value = compute_{n}(value, {n})\n")).collect();
    let program = format!(
        "//- long.py\ndef run(value):\n{filler}    if value is None:\n        raise KeyError(\"no such frobnicator\")\n{filler}    return value\n"
    );
    let project = Project::new(&program);
    let answer = project.ok("seek", json!({"query": "raise no such frobnicator", "min_score": 0.0}));
    let body = answer["results"][0]["body"].as_str().unwrap_or_else(|| panic!("its code: {answer}"));
    assert!(body.len() < 1_500, "{} bytes", body.len());
    assert!(body.starts_with("  1  def run(value):") && body.contains("frobnicator"), "{body}");
    assert!(body.contains("\n…\n") && body.ends_with("…\n"), "what is left out is marked: {body}");
}

#[test]
fn a_function_that_hands_on_comes_behind_the_one_that_does_the_work() {
    let python = "\
//- tree.py
def walk_tree(routes, visit):
    \"\"\"Walk all routes of a tree and visit each.\"\"\"
    return _walk(routes, visit, '')


def _walk(routes, visit, prefix):
    for route in routes:
        path = prefix + route.pattern
        if route.children:
            _walk(route.children, visit, path)
            continue
        for method in route.methods:
            if method == '*':
                continue
            visit(method, path)
";
    let go = "\
//- tree.go
package tree

// Walk walks all routes of a tree and visits each.
func Walk(r Routes, visit Visit) error {
\treturn walkAll(r, visit, \"\")
}

func walkAll(r Routes, visit Visit, prefix string) error {
\tfor _, route := range r.Routes() {
\t\tpath := prefix + route.Pattern
\t\tif route.Children != nil {
\t\t\tif err := walkAll(route.Children, visit, path); err != nil {
\t\t\t\treturn err
\t\t\t}
\t\t\tcontinue
\t\t}
\t\tvisit(route.Method, path)
\t}
\treturn nil
}
";
    for (files, first, second) in [(python, "_walk", "walk_tree"), (go, "walkAll", "Walk")] {
        let project = Project::new(files);
        let answer = project.ok("seek", json!({"query": "walk the routes of a tree and visit each", "min_score": 0.0}));
        let labels = column(&answer, "results", "label");
        assert!(labels.starts_with(&format!("{first} {second}")), "{labels}");
    }
}
