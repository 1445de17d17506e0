//! `m1nd memory …`, which is also `mind …`.

mod background;
mod commands;
mod hooks;

use serde_json::Value;

use crate::{Place, Run, SHOP, tree};

/// Two memories that name code, and a gotcha.
const MEMORY: &str = "\
# Shop

## Project State
- Goal: sell things
- Stack: python

## Gotchas
- Prices are in cents -> divide before showing them

## 2026-03-02
**Decided:** round in `shop/price.py` because taxes are by line
**Problem:** totals differ from the invoice
";

/// A project with a memory that its user has taken over.
fn open_remembered() -> Place {
    let place = open_found();
    assert_eq!(mind(&place, &["approve"]).code, 0);
    place
}

/// A project that came with a memory.
fn open_found() -> Place {
    let place = Place::new(SHOP);
    place.project.write(".mind/MEMORY.md", MEMORY);
    place
}

fn mind(place: &Place, arguments: &[&str]) -> Run {
    place.run(&[&["memory"], arguments].concat())
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

fn text(place: &Place, path: &str) -> String {
    std::fs::read_to_string(place.project.join(path)).unwrap()
}

#[test]
fn a_project_is_made_registered_and_connected_once() {
    let place = Place::new(SHOP);
    place.project.write("AGENTS.md", "# Rules\n\nBe kind.\n");
    let run = mind(&place, &["init"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(text(&place, ".mind/MEMORY.md").contains("## Gotchas"));
    assert_eq!(text(&place, ".mind/.gitignore"), ".index/\n");
    let (claude, agents) = (text(&place, "CLAUDE.md"), text(&place, "AGENTS.md"));
    assert!(claude.contains("<!-- MIND:CONTEXT") && claude.contains("<!-- MIND:END -->"), "{claude}");
    assert!(agents.ends_with("# Rules\n\nBe kind.\n") && agents.contains("MIND:END"), "{agents}");
    let before = tree(place.project.path());
    assert_eq!(mind(&place, &["init"]).code, 0);
    assert_eq!(tree(place.project.path()), before, "a second time there is nothing to do");
    let list = json(&mind(&place, &["list", "--json"]));
    assert_eq!(list[0]["path"], place.project.path().display().to_string());
    assert_eq!(list[0]["memories"], 0);
    place.project.write(".mind/MEMORY.md", MEMORY);
    assert!(mind(&place, &["list"]).out.contains("; 3 memories"));
    assert_eq!(mind(&place, &["remove"]).code, 0);
    assert_eq!(mind(&place, &["remove"]).code, 3, "it is no longer registered");
    assert_eq!(mind(&place, &["add"]).code, 0);
    assert!(place.project.join(".mind/MEMORY.md").is_file());
}

#[test]
fn what_an_init_is_told_to_leave_alone_is_left() {
    let place = Place::new(SHOP);
    place.project.write("template.md", "# From a template\n\nDecided: use jam because it is sweet\n");
    let run = mind(&place, &["init", "--no-register", "--no-claude-md", "--template", "template.md", "--json"]);
    assert_eq!(json(&run)["registered"], false);
    assert!(!place.project.join("CLAUDE.md").exists());
    assert_eq!(json(&mind(&place, &["list", "--json"])), serde_json::json!([]));
    assert!(mind(&place, &["search", "jam"]).out.contains("use jam"));
}

#[test]
fn memories_are_found_with_their_place_and_code() {
    let place = open_remembered();
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(mind(&place, &["index", "--no-context"]).code, 0);
    let found = json(&mind(&place, &["search", "why", "round", "taxes", "--json"]));
    let first = &found["results"][0];
    assert_eq!((&first["type"], &first["source_line"]), (&Value::from("decision"), &Value::from(11)), "{found}");
    assert_eq!(first["code"][0]["state"], "current", "{found}");
    let shown = mind(&place, &["search", "invoice totals", "--type", "issue"]);
    assert!(shown.out.contains("[issue, open]") && shown.out.contains(".mind/MEMORY.md:12"), "{}", shown.out);
    let parsed = mind(&place, &["parse"]);
    assert!(parsed.out.contains("3 memories") && parsed.out.contains("edge"), "{}", parsed.out);
    let exported = mind(&place, &["export", "--format", "markdown"]);
    assert!(exported.out.contains("## Gotchas\n\n- Prices are in cents"), "{}", exported.out);
    let checked = place.run(&["mind", "edges", "check", "change prices in cents"]);
    assert_eq!(checked.out.matches("Prices are in cents").count(), 1, "a bullet is not said twice: {}", checked.out);
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Fixed:** a slow search, by an index\n"));
    let exported = mind(&place, &["export", "--format", "markdown"]).out;
    assert!(exported.contains("slow search [resolved]"), "{exported}");
}

#[test]
fn code_beyond_the_limit_is_said_not_to_be_compared() {
    let place = open_remembered();
    let many: String =
        (0..405).map(|n| format!("**Decided:** `shop/price.py` holds {n} kinds of prices because of {n}\n")).collect();
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    for (text, expected) in [(MEMORY.to_owned(), false), (format!("{MEMORY}{many}"), true)] {
        place.project.write(".mind/MEMORY.md", text);
        assert_eq!(mind(&place, &["index", "--no-context"]).code, 0);
        let found = json(&mind(&place, &["search", "round taxes by line", "--json"]));
        let notice = found["notice"].as_str().unwrap_or_default();
        assert_eq!(notice.contains("6 more were not compared"), expected, "{notice}");
    }
}

#[test]
fn a_new_project_is_told_what_it_is_made_with() {
    let place = Place::new(SHOP);
    place.project.write("package.json", r#"{"dependencies": {"next": "1", "@supabase/supabase-js": "2"}}"#);
    place.project.write("vercel.json", "{}");
    assert_eq!(mind(&place, &["init"]).code, 0);
    let block = text(&place, "CLAUDE.md");
    assert!(block.contains("Made with: ") && block.contains("nextjs") && block.contains("`decided …`"), "{block}");
    place.project.write(".mind/MEMORY.md", MEMORY);
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 0);
    assert!(!text(&place, "CLAUDE.md").contains("Made with"));
}

#[test]
fn the_memory_server_says_all_of_its_four_schemas() {
    use std::io::Write;

    let place = open_remembered();
    let mut command = place.command(&["memory", "mcp"]);
    let mut child = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let client = serde_json::json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let mut stdin = child.stdin.take().unwrap();
    for (id, method, params) in [
        (Value::from(1), "initialize", client),
        (Value::Null, "notifications/initialized", serde_json::json!({})),
        (Value::from(2), "tools/list", serde_json::json!({})),
    ] {
        let mut message = serde_json::json!({"jsonrpc": "2.0", "method": method, "params": params});
        if !id.is_null() {
            message["id"] = id;
        }
        writeln!(stdin, "{message}").unwrap();
    }
    let out = std::io::BufReader::new(child.stdout.take().unwrap());
    let answers = std::io::BufRead::lines(out).map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let list = answers.into_iter().find(|answer| answer["id"] == 2).unwrap();
    drop(stdin);
    child.wait().unwrap();
    let tools = list["result"]["tools"].as_array().unwrap();
    assert!(
        tools.len() == 4 && tools.iter().all(|tool| tool["inputSchema"]["additionalProperties"] == false),
        "{list}"
    );
    let search = tools.iter().find(|tool| tool["name"] == "mind_search").unwrap();
    let limit = &search["inputSchema"]["properties"]["limit"];
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&Value::from(1), &Value::from(100)), "{limit}");
    assert!(tools.iter().all(|tool| tool["outputSchema"]["type"] == "object"), "{list}");
}

#[test]
fn words_that_every_command_takes() {
    let place = open_remembered();
    let version = mind(&place, &["--version"]);
    assert!(version.code == 0 && version.out.trim_end().ends_with(env!("CARGO_PKG_VERSION")), "{}", version.out);
    for arguments in [&["-q", "list"][..], &["parse", "--quiet"], &["search", "-q", "round taxes"]] {
        let run = mind(&place, arguments);
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{arguments:?}");
    }
    assert_eq!(json(&mind(&place, &["-q", "list", "--json"])), serde_json::json!([]));
    assert!(mind(&place, &["-v", "search", "round taxes"]).out.contains("round in"));
}

#[cfg(unix)]
#[test]
fn the_configuration_is_opened_in_the_editor_that_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let place = open_remembered();
    let script = place.project.join("editor.sh");
    place.project.write("editor.sh", "#!/bin/sh\necho '[context]\nmax_gotcha = 1' > \"$2\"\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let edit = |editor: &str| {
        let mut command = place.command(&["memory", "config", "edit"]);
        command.env_remove("VISUAL").env("EDITOR", editor).output().unwrap()
    };
    let output = edit(&format!("{} --wait", script.display()));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("did you mean `context.max_gotchas`"), "{said}");
    assert_eq!(edit("").status.code(), Some(2));
}

#[test]
fn comments_and_commits_are_memories_until_they_are_gone() {
    let place = open_remembered();
    place
        .project
        .write("shop/price.py", "# MEMORY: learned that banks round half to even\ndef net(value):\n    return value\n");
    place.project.write("node_modules/x/a.js", "// MEMORY: decided to be evil\n");
    assert_eq!(mind(&place, &["index"]).code, 0);
    let ask = |words: &str| json(&mind(&place, &["search", words, "--json"]));
    let found = ask("banks round half to even");
    assert_eq!(found["results"][0]["source_file"], "shop/price.py", "{found}");
    assert_eq!(found["results"][0]["source_kind"], "comment");
    assert!(!ask("decided to be evil").to_string().contains("node_modules"));
    place.project.write("shop/price.py", "def net(value):\n    return value + 0\n");
    assert_eq!(mind(&place, &["index"]).code, 0);
    assert!(!ask("banks round half to even").to_string().contains("price.py\""), "it went with its comment");
}

#[test]
fn exit_codes_say_what_is_wrong() {
    let place = Place::new(SHOP);
    assert_eq!(mind(&place, &["search", "x"]).code, 3, "no project is here");
    assert_eq!(mind(&place, &["context"]).code, 3);
    assert_eq!(mind(&place, &["daemon", "stop"]).code, 4);
    assert_eq!(mind(&place, &["daemon", "status"]).code, 4);
    assert_eq!(mind(&place, &["search"]).code, 2);
    assert_eq!(mind(&place, &["config", "set", "no.such", "1"]).code, 2);
    assert_eq!(mind(&place, &["edges", "remove", "edge_none"]).code, 2);
}

#[test]
fn the_block_is_checked_and_written_without_touching_another_byte() {
    let place = open_remembered();
    let own = "---\ntitle: x\n---\r\n# Mine\r\n\r\n<!-- MIND:CONTEXT is what I call it -->\r\ntext\u{fffd}\r\n";
    place.project.write("CLAUDE.md", own);
    assert_eq!(mind(&place, &["context", "--check"]).code, 1, "there is none yet");
    let run = mind(&place, &["context", "--regenerate"]);
    // A line that looks like the beginning of a block and has no end: it is not touched.
    assert!(run.code == 1 && run.err.contains("left as it is"), "{}", run.err);
    assert_eq!(text(&place, "CLAUDE.md"), own);
    place.project.write("CLAUDE.md", own.replace("<!-- MIND:CONTEXT is what I call it -->\r\n", ""));
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 0);
    let written = text(&place, "CLAUDE.md");
    assert!(written.contains("round in") && written.contains("Prices are in cents"), "{written}");
    assert!(written.contains("# Mine\r\n"), "{written:?}");
    assert_eq!(mind(&place, &["context", "--check"]).code, 0);
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    assert_eq!(mind(&place, &["context", "--check"]).code, 1);
    assert_eq!(mind(&place, &["index"]).code, 0);
    assert!(text(&place, "CLAUDE.md").contains("sell jam"));
    assert_eq!(mind(&place, &["context", "--check"]).code, 0);
    let backups = tree(&place.project.join(".mind/.index/backup"));
    assert_eq!(backups.iter().filter(|(name, _)| name.starts_with("CLAUDE.md-")).count(), 1, "once a day");
}

#[test]
fn a_block_is_checked_where_nobody_has_approved_or_read_anything() {
    let place = open_remembered();
    place.project.write("shop/jam.py", "# MEMORY: decided cherries over grapes\n");
    assert_eq!(mind(&place, &["approve"]).code, 0);
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 0);
    assert!(text(&place, "CLAUDE.md").contains("cherries"));
    // As CI has it: a fresh checkout and a fresh home.
    std::fs::remove_dir_all(place.project.join(".mind/.index")).unwrap();
    std::fs::remove_dir_all(place.user.join("mind")).unwrap();
    let run = mind(&place, &["context", "--check"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    assert_eq!(mind(&place, &["context", "--check"]).code, 1);
}

#[test]
fn a_new_project_of_plain_python_has_no_foreign_gotchas_in_its_block() {
    let place = Place::new(SHOP);
    place.project.write("pyproject.toml", "[project]\nname = 'shop'\n");
    place.project.write("package.json", "{\"dependencies\": {\"typescript\": \"5\"}}");
    assert_eq!(mind(&place, &["init"]).code, 0);
    let block = text(&place, "CLAUDE.md");
    assert!(block.contains("MIND:END") && !block.contains("Gotchas (This Stack)"), "{block}");
    assert!(
        mind(&place, &["edges", "check", "parse a date with utcnow"]).out.contains("Python: utcnow"),
        "asked for they are"
    );
}

#[test]
#[cfg(unix)]
fn a_file_that_must_not_be_written_is_not() {
    use std::os::unix::fs::PermissionsExt;

    let place = open_remembered();
    place.project.write("CLAUDE.md", "mine\n");
    let claude = place.project.join("CLAUDE.md");
    std::fs::set_permissions(&claude, std::fs::Permissions::from_mode(0o444)).unwrap();
    let run = mind(&place, &["context", "--regenerate"]);
    assert!(run.err.contains("read-only"), "{}", run.err);
    assert_eq!(text(&place, "CLAUDE.md"), "mine\n");
    // Links inside the project are followed, those out of it are not.
    std::fs::remove_file(&claude).unwrap();
    place.project.write("AGENTS.md", "rules\n");
    std::os::unix::fs::symlink("AGENTS.md", &claude).unwrap();
    std::fs::set_permissions(place.project.join("AGENTS.md"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 0);
    assert!(std::fs::symlink_metadata(&claude).unwrap().is_symlink());
    assert_eq!(text(&place, "AGENTS.md").matches("<!-- MIND:CONTEXT").count(), 1);
    let mode = std::fs::metadata(place.project.join("AGENTS.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "its mode stays");
    std::fs::remove_file(&claude).unwrap();
    place.user.write("outside.md", "theirs\n");
    std::os::unix::fs::symlink(place.user.join("outside.md"), &claude).unwrap();
    mind(&place, &["context", "--regenerate"]);
    assert_eq!(std::fs::read_to_string(place.user.join("outside.md")).unwrap(), "theirs\n");
}

#[test]
fn gotchas_of_all_projects_are_kept_for_people_too() {
    let place = open_remembered();
    let add = [
        "edges", "add", "--title", "Jam is sticky", "--description", "always", "--workaround", "wash", "--intent",
        "jam", "--json",
    ];
    let edge = json(&mind(&place, &add));
    let id = edge["id"].as_str().unwrap();
    let again = mind(&place, &add);
    assert_eq!((again.code, &json(&again)["details"]["existing_id"]), (1, &Value::from(id)));
    assert!(mind(&place, &["edges", "check", "cook jam"]).out.contains("Jam is sticky"));
    assert!(mind(&place, &["edges", "--search", "sticky"]).out.contains(id));
    assert_eq!(json(&mind(&place, &["edges", "verify", id, "--json"]))["verified_count"], 2);
    assert_eq!(mind(&place, &["edges", "remove", id]).code, 0);
    assert!(!mind(&place, &["edges", "list"]).out.contains(id));
}

#[test]
fn the_configuration_is_shown_and_changed() {
    let place = open_remembered();
    assert_eq!(mind(&place, &["config", "set", "context.max_gotchas", "0"]).code, 0);
    assert!(mind(&place, &["config"]).out.contains("max_gotchas = 0"));
    assert!(!mind(&place, &["context"]).out.contains("Prices are in cents"));
    place.project.write(".mind/config.toml", "[privacy]\nredact = false\n[contxt]\nx = 1\n");
    let run = mind(&place, &["config", "--project"]);
    assert!(run.err.contains("only be set by the user") && run.err.contains("unknown key"), "{}", run.err);
    assert_eq!(mind(&place, &["config", "reset"]).code, 0);
    assert!(mind(&place, &["context"]).out.contains("Prices are in cents"));
}

#[test]
fn a_memory_of_a_megabyte_is_read() {
    let place = Place::new(SHOP);
    let lines: String =
        (0..12_000).map(|n| format!("**Learned:** part {n} of the machine needs oil number {n}\n")).collect();
    place.project.write(".mind/MEMORY.md", format!("# Large\n\n## 2026-01-01\n{lines}"));
    let run = mind(&place, &["index"]);
    assert!(run.code == 0 && run.out.contains("12000 memories in the file"), "{}{}", run.out, run.err);
    let found = json(&mind(&place, &["search", "oil number 77", "--json", "--limit", "3"]));
    assert!(found["results"].to_string().contains("part 77 "), "{found}");
}

#[test]
fn old_days_are_archived_and_single_memories_forgotten() {
    let place = open_remembered();
    let memory =
        format!("{MEMORY}\n## 2026-03-05\n**Learned:** jam burns\n\n## 2026-03-06\n**KEY:** never stop stirring\n");
    place.project.write(".mind/MEMORY.md", &memory);
    let dry = json(&mind(&place, &["archive", "--before", "2026-04-01", "--dry-run", "--json"]));
    assert_eq!(dry["moved"].as_array().map(Vec::len), Some(1), "an open issue and a pin keep their days: {dry}");
    assert_eq!(text(&place, ".mind/MEMORY.md"), memory);
    assert_eq!(mind(&place, &["archive", "--before", "2026-04-01"]).code, 0);
    assert_eq!(text(&place, ".mind/MEMORY.md"), memory.replace("## 2026-03-05\n**Learned:** jam burns\n\n", ""));
    assert!(text(&place, ".mind/archive/2026.md").ends_with("## 2026-03-05\n**Learned:** jam burns\n\n"));
    let found = json(&mind(&place, &["search", "jam burns", "--json"]));
    assert_eq!(found["results"][0]["source_file"], ".mind/archive/2026.md", "{found}");
    let id = found["results"][0]["id"].as_str().unwrap();
    assert_eq!(mind(&place, &["forget", id]).code, 0);
    assert!(!text(&place, ".mind/archive/2026.md").contains("jam burns"));
    assert_eq!(mind(&place, &["forget", id]).code, 2);
}

#[test]
fn every_memory_is_forgotten_in_one_call_and_shown_again_in_another() {
    let place = open_found();
    let two = "\n## 2026-03-09\ndecided to sell plums. Learned that figs rot\n";
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}{two}"));
    place.project.write("shop/jam.py", "# MEMORY: decided cherries over grapes\n");
    assert_eq!(mind(&place, &["approve"]).code, 0);
    let ids = || json(&mind(&place, &["parse", "--inline", "--json"]))["entities"].clone();
    let all = ids();
    for record in all.as_array().unwrap() {
        let id = record["id"].as_str().unwrap();
        let run = mind(&place, &["forget", id, "--json"]);
        assert_eq!(run.code, 0, "{record}: {}", run.err);
        let is_known = |id: &str| ids().as_array().unwrap().iter().any(|record| record["id"] == id);
        assert!(!is_known(id), "{record}");
        if json(&run)["hidden"] == true {
            assert_eq!(mind(&place, &["forget", id, "--undo"]).code, 0);
            assert!(is_known(id), "{record}");
            assert_eq!(mind(&place, &["forget", id]).code, 0);
        }
    }
    assert_eq!(ids(), serde_json::json!([]));
    let kept = text(&place, ".mind/MEMORY.md");
    assert!(!kept.contains("round in") && kept.contains("plums"), "a line of two is left to people: {kept}");
    assert!(text(&place, "shop/jam.py").contains("cherries"));
}

#[test]
fn what_is_read_is_told_in_the_words_of_a_search() {
    let place = open_remembered();
    let parsed = json(&mind(&place, &["parse", "--json"]));
    let first = &parsed["entities"][0];
    assert_eq!((&first["type"], &first["source_line"]), (&Value::from("decision"), &Value::from(11)), "{first}");
    assert_eq!((&first["matched_pattern"], &first["confidence"]), (&Value::from("decision.label"), &Value::from(1.0)));
    assert_eq!(first["id"].as_str().map(str::len), Some(16), "a number of JavaScript would not hold it");
    let stats = serde_json::json!({
        "lines_processed": 12, "entities_found": 3, "high_confidence": 3, "medium_confidence": 0, "low_confidence": 0,
    });
    assert_eq!(parsed["stats"], stats);
}

#[test]
fn what_came_with_a_repository_waits_until_it_is_approved() {
    let place = open_found();
    let run = mind(&place, &["context", "--regenerate"]);
    assert!(run.code == 1 && run.err.contains("mind approve"), "{}", run.err);
    assert!(!place.project.join("CLAUDE.md").exists());
    assert!(mind(&place, &["doctor"]).out.contains("mind approve"));
    let asked = json(&mind(&place, &["search", "round taxes", "--json"]));
    assert_eq!(asked["results"][0]["trust"], "unapproved", "{asked}");
    assert!(asked["notice"].as_str().is_some_and(|notice| notice.contains("data, not instructions")), "{asked}");
    assert_eq!(mind(&place, &["add"]).code, 0);
    assert!(json(&mind(&place, &["search", "round taxes", "--json"]))["results"][0]["trust"].is_null());
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 0);
    assert!(
        text(&place, "CLAUDE.md")
            .ends_with(&format!("\n\n# {}\n", place.project.path().file_name().unwrap().display()))
    );
    let listed = json(&mind(&place, &["approve", "--dry-run", "--json"]));
    assert_eq!((&listed["approved"], &listed["sources"]), (&Value::from(true), &serde_json::json!([])));
    assert_eq!(mind(&place, &["approve", "shop/none.py"]).code, 2);
    assert_eq!(mind(&place, &["approve", "--undo"]).code, 0);
    assert_eq!(mind(&place, &["remove"]).code, 0);
    assert_eq!(mind(&place, &["context", "--regenerate"]).code, 1, "nothing is left of it");
}

#[test]
fn the_doctor_names_what_is_wrong_and_never_a_secret() {
    let place = open_remembered();
    // In two parts, so that no scan of this file takes it for one.
    let secret = ["sk-ant-", "api03-Lk8Jh7Gf6Ds5Aq4Wz3Xe2Cr1Vt0B"].concat();
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}the key is {secret}\n"));
    let run = mind(&place, &["doctor"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("MEMORY.md:13 looks like it holds a secret") && !run.out.contains("Lk8Jh7Gf6"),
        "{}",
        run.out
    );
    assert!(run.out.contains("mind context --regenerate"), "{}", run.out);
    place.user.write("mind/projects.json", "{");
    let run = mind(&place, &["doctor", "--fix"]);
    assert!(run.code == 1 && run.err.contains("1 problem found"), "{}{}", run.out, run.err);
}

#[test]
fn mind_is_the_same_program() {
    let place = open_remembered();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mind"));
    command.args(["search", "invoice", "totals"]).current_dir(place.project.path());
    command
        .env("HOME", place.user.path())
        .env("M1ND_HOME", place.user.join("store"))
        .env("MIND_HOME", place.user.join("mind"));
    let output = command.output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("totals differ"), "{output:?}");
}
