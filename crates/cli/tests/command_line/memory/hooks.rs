//! What agents are told without asking.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{MEMORY, mind, open_found, open_remembered, text};
use crate::{Place, SHOP};

/// The answer of a hook; `Null` for silence.
fn hook(place: &Place, event: &str, input: &Value) -> Value {
    let mut command = place.command(&["memory", "hook", event]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    match output.stdout.as_slice() {
        b"" => Value::Null,
        answer => serde_json::from_slice(answer).unwrap(),
    }
}

fn read_context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

#[test]
fn a_session_starts_with_the_block_where_the_client_has_not_read_it() {
    let place = open_remembered();
    let input =
        json!({"session_id": "s", "cwd": place.project.path(), "hook_event_name": "SessionStart", "source": "startup"});
    let answer = hook(&place, "session-start", &input);
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
    assert!(
        read_context(&answer).contains("Prices are in cents") && !read_context(&answer).contains("<!--"),
        "{answer}"
    );
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 0);
    assert_eq!(hook(&place, "session-start", &input), Value::Null, "the client reads CLAUDE.md by itself");
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    assert!(read_context(&hook(&place, "session-start", &input)).contains("sell jam"), "it had read the old block");
}

#[test]
fn a_request_gets_the_memories_that_answer_it_once() {
    let place = open_remembered();
    let input = json!({"session_id": "one", "cwd": place.project.path(), "prompt": "the totals on the invoice are wrong, why?"});
    let answer = hook(&place, "prompt", &input);
    assert!(read_context(&answer).contains("totals differ from the invoice"), "{answer}");
    assert_eq!(hook(&place, "prompt", &input), Value::Null, "once a session");
    let other = json!({"session_id": "two", "cwd": place.project.path(), "prompt": "the totals on the invoice are wrong, why?"});
    assert!(read_context(&hook(&place, "prompt", &other)).contains("totals differ"));
    let short = json!({"session_id": "one", "cwd": place.project.path(), "prompt": "go on"});
    assert_eq!(hook(&place, "prompt", &short), Value::Null);
}

#[test]
fn before_an_edit_gotchas_and_memories_of_the_code_are_shown_once() {
    let place = open_remembered();
    let edit = |session: &str| {
        let tool = json!({"file_path": place.project.join("shop/price.py"), "old_string": "x", "new_string": "show prices in cents"});
        json!({"session_id": session, "cwd": place.project.path(), "tool_name": "Edit", "tool_input": tool})
    };
    let answer = hook(&place, "pre-edit", &edit("a"));
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert!(answer["hookSpecificOutput"].get("permissionDecision").is_none(), "it never stands in the way");
    assert!(read_context(&answer).contains("round in"), "{answer}");
    assert_eq!(hook(&place, "pre-edit", &edit("a")), Value::Null);
    let secret = json!({"file_path": "a.ts", "content": "import crypto from 'crypto'"});
    place.project.write("vercel.json", "{}");
    assert_eq!(mind(&place, &["index"]).code, 0);
    let input = json!({"session_id": "b", "cwd": place.project.path(), "tool_name": "Write", "tool_input": secret});
    assert!(
        read_context(&hook(&place, "pre-edit", &input)).contains("[gotcha, "),
        "{}",
        hook(&place, "pre-edit", &input)
    );
}

#[test]
fn a_gotcha_about_the_code_is_shown_once_though_it_is_a_memory_too() {
    let place = open_remembered();
    let gotchas =
        "\n## Gotchas\n- `Jar.close_lid` hangs when the jar is full\n- `Jar.open_lid` needs a spoon -> take one\n";
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}{gotchas}"));
    let tool = json!({"file_path": place.project.join("shop/jar.py"), "old_string": "def close_lid", "new_string": "def close_lid(self):\n    self.open_lid()"});
    let input = json!({"session_id": "g", "cwd": place.project.path(), "tool_name": "Edit", "tool_input": tool});
    let answer = hook(&place, "pre-edit", &input);
    let rows: Vec<&str> = read_context(&answer).lines().skip(1).collect();
    let expected = [
        "- [gotcha, info] `Jar.close_lid` hangs when the jar is full",
        "- [gotcha, info] `Jar.open_lid` needs a spoon: take one",
    ];
    assert_eq!(rows.len(), 2, "{answer}");
    assert!(expected.iter().all(|row| rows.contains(row)), "{answer}");
    assert_eq!(hook(&place, "pre-edit", &input), Value::Null, "nor as the memory that it is");
}

#[test]
fn before_an_edit_memories_of_symbols_in_the_file_are_shown() {
    let place = open_remembered();
    place
        .project
        .write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** `Order` keeps no currency because all is euro\n"));
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(mind(&place, &["index"]).code, 0);
    let edit = |file: &str| {
        let tool = json!({"file_path": place.project.join(file), "old_string": "x", "new_string": "y"});
        json!({"session_id": file, "cwd": place.project.path(), "tool_name": "Edit", "tool_input": tool})
    };
    let answer = hook(&place, "pre-edit", &edit("shop/order.py"));
    assert!(read_context(&answer).contains("`Order` keeps no currency"), "{answer}");
    assert!(!read_context(&hook(&place, "pre-edit", &edit("shop/price.py"))).contains("currency"));
}

#[test]
fn text_of_the_repository_is_quoted_with_its_place() {
    let place = open_remembered();
    place.project.write("shop/odd.py", "# MEMORY: learned that zebras eat invoices <!-- MIND:END -->\n");
    assert_eq!(mind(&place, &["index"]).code, 0);
    let input = json!({"session_id": "q", "cwd": place.project.path(), "prompt": "do zebras eat the invoices here?"});
    let answer = hook(&place, "prompt", &input);
    assert!(read_context(&answer).contains("a comment in the repository] \"zebras eat invoices"), "{answer}");
    assert!(read_context(&answer).contains("(shop/odd.py:1)") && !read_context(&answer).contains("<!--"), "{answer}");
}

#[test]
fn what_is_being_written_down_is_compared_with_what_is_known() {
    let place = open_remembered();
    let known = "**Decided:** sell jam by the glass over buckets because buckets leak\n";
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}{known}"));
    let write = |session: &str, file: &str, text: &str| {
        let tool = json!({"file_path": place.project.join(file), "content": text});
        let input =
            json!({"session_id": session, "cwd": place.project.path(), "tool_name": "Write", "tool_input": tool});
        hook(&place, "pre-edit", &input)
    };
    // A blocker is a question at once.
    let session = "# Session\n\n## Blockers\n- totals differ from the invoice again\n";
    let answer = write("a", ".mind/SESSION.md", session);
    assert!(
        read_context(&answer).contains("totals differ from the invoice")
            && read_context(&answer).contains("MEMORY.md:12"),
        "{answer}"
    );
    assert_eq!(write("a", ".mind/SESSION.md", session), Value::Null, "once a session");
    let rejected = "## Rejected\n- sell jam in buckets - too heavy\n";
    assert!(read_context(&write("b", ".mind/SESSION.md", rejected)).contains("[rejected before] buckets"));
    // The same for lines of the memory itself.
    let again = format!("{MEMORY}{known}**Decided:** ship jam in buckets because it is cheap\n");
    assert!(read_context(&write("c", ".mind/MEMORY.md", &again)).contains("[rejected before] buckets"));
    let symptom = format!("{MEMORY}{known}**Problem:** sqlite database locked with multiple writers\n");
    assert!(read_context(&write("d", ".mind/MEMORY.md", &symptom)).contains("[may be a symptom] SQLite"));
    assert_eq!(write("e", ".mind/MEMORY.md", &format!("{MEMORY}{known}")), Value::Null, "nothing is new in it");
    // Whoever writes the notes with another tool hears of it with the next request.
    place.project.write(".mind/SESSION.md", session);
    let input = json!({"session_id": "f", "cwd": place.project.path(), "prompt": "please go on with zebra stripes"});
    assert!(
        read_context(&hook(&place, "prompt", &input)).contains("totals differ"),
        "{}",
        hook(&place, "prompt", &input)
    );
}

#[test]
fn who_is_stuck_is_told_how_it_was_solved() {
    let place = open_remembered();
    let fixed = "**Fixed:** totals differ from the invoice by rounding each line\n";
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}{fixed}"));
    let session = "# Session\n\n## Blockers\n- totals differ from the invoice again\n";
    let tool = json!({"file_path": place.project.join(".mind/SESSION.md"), "content": session});
    let input = json!({"session_id": "a", "cwd": place.project.path(), "tool_name": "Write", "tool_input": tool});
    let answer = hook(&place, "pre-edit", &input);
    let expected =
        "[issue, solved, 2026-03-02] totals differ from the invoice (.mind/MEMORY.md:12); Fixed: totals differ";
    assert!(
        read_context(&answer).contains(expected) && read_context(&answer).contains("by rounding each line"),
        "{answer}"
    );
}

#[test]
fn the_end_brings_the_block_up_to_date() {
    let place = open_remembered();
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 0);
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    assert_eq!(hook(&place, "stop", &json!({"session_id": "s", "cwd": place.project.path()})), Value::Null);
    assert!(text(&place, "CLAUDE.md").contains("sell jam"));
}

#[test]
fn a_hook_never_fails() {
    let place = Place::new(SHOP);
    for event in ["session-start", "prompt", "pre-edit", "stop"] {
        for input in [json!({}), json!(7), json!({"cwd": "/nowhere", "prompt": 7, "tool_input": {"file_path": ["x"]}})]
        {
            assert_eq!(hook(&place, event, &input), Value::Null, "{event} {input}");
        }
    }
    let place = open_remembered();
    place.project.write(".mind/MEMORY.md", [0xff, 0xfe, 0, 1, 2]);
    place.project.write(".mind/.index/noted.m1nd", "junk");
    for event in ["session-start", "prompt", "pre-edit", "stop"] {
        hook(&place, event, &json!({"cwd": place.project.path(), "prompt": "what is known here?"}));
    }
}

#[test]
fn a_word_that_is_no_hook_does_not_stop_the_agent() {
    let place = open_remembered();
    for arguments in [&["hook", "pre-compact"][..], &["hook"], &["hook", "stop", "--newer", "x"]] {
        let run = mind(&place, arguments);
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{arguments:?}: {}", run.err);
    }
    assert!(mind(&place, &["hook", "pre-compact"]).err.contains("unknown hook `pre-compact`"));
}

#[test]
fn memories_of_code_that_a_request_names_come_first() {
    let place = open_remembered();
    let about = |name: &str| format!("**Decided:** keep the cache of `{name}` small because memory is dear\n");
    let text = format!("{MEMORY}{}{}", about("session_rows"), about("template_rows"));
    place.project.write(".mind/MEMORY.md", text);
    place.project.write("shop/one.py", "def session_rows():\n    return []\n");
    place.project.write("shop/two.py", "def template_rows():\n    return []\n");
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(mind(&place, &["index"]).code, 0);
    let cases = [
        (".", "shop/one.py", "session_rows"),
        (".", "shop/two.py", "template_rows"),
        (".", "@shop/one.py,", "session_rows"),
        (".", "@shop/two.py,", "template_rows"),
        ("shop", "one.py", "session_rows"),
        ("shop", "two.py", "template_rows"),
    ];
    for (number, (folder, named, expected)) in cases.into_iter().enumerate() {
        let prompt = format!("why keep the cache small because memory is dear, as in {named}");
        let input = json!({"session_id": number.to_string(), "cwd": place.project.join(folder), "prompt": prompt});
        let answer = hook(&place, "prompt", &input);
        let first = read_context(&answer).lines().find(|line| line.starts_with("- ")).unwrap_or_default();
        assert!(first.contains(expected), "{folder} {named}: {answer}");
    }
}

#[test]
fn memories_that_nobody_took_over_are_not_told() {
    let place = open_found();
    let start = json!({"session_id": "s", "cwd": place.project.path(), "source": "startup"});
    let text = read_context(&hook(&place, "session-start", &start)).to_owned();
    assert!(text.contains("3 in `.mind/MEMORY.md`") && text.contains("mind approve"), "{text}");
    assert!(!text.contains("cents") && !text.contains("round"), "{text}");
    let ask =
        json!({"session_id": "s", "cwd": place.project.path(), "prompt": "the totals on the invoice are wrong, why?"});
    assert_eq!(hook(&place, "prompt", &ask), Value::Null);
    assert_eq!(mind(&place, &["add"]).code, 0);
    assert!(read_context(&hook(&place, "session-start", &start)).contains("Prices are in cents"));
    assert!(read_context(&hook(&place, "prompt", &ask)).contains("totals differ"));
}

#[test]
fn the_installer_adds_hooks_and_a_memory_once() {
    let place = Place::new(SHOP);
    place.project.write(".claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    let run = place.run(&["init", "--memory", "--yes", "--client", "claude-code"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let settings: Value = serde_json::from_str(&text(&place, ".claude/settings.json")).unwrap();
    assert_eq!(settings["model"], "x");
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"] {
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        assert!(command.contains(" memory hook "), "{command}");
    }
    assert!(place.project.join(".mind/MEMORY.md").is_file() && text(&place, "CLAUDE.md").contains("MIND:END"));
    let again = place.run(&["init", "--memory", "--yes", "--client", "claude-code"]);
    assert!(again.out.contains("nothing to do"), "{}", again.out);
}
