//! The commands of tools, such as `m1nd seek`.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Place, Run, SHOP};

fn open_indexed() -> Place {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    place
}

/// Runs a command with something on standard input.
fn run_piped(mut command: Command, input: &str) -> Run {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn words_by_position_are_the_arguments_of_the_tool() {
    let place = open_indexed();
    let cases: &[(&[&str], &str)] = &[
        (&["seek", "gross", "price"], "shop/price.py"),
        (&["search", "net(value)"], "shop/price.py\n1: def net(value):  (net)\n5: return net(value) + 1  (gross)"),
        (&["search", "import", "shop/order.py"], "shop/order.py\n1: "),
        (&["search", "--mode", "regex", "--", "-> number|nothing"], "no match"),
        (&["impact", "net", "--direction", "forward"], "gross"),
        (&["why", "total", "net"], "gross"),
        (&["view", "net"], "def net(value)"),
        (&["view", "shop/order.py"], "class Order"),
        (&["callers", "net"], "shop/price.py\n5: return net(value) + 1  (gross)"),
        (&["refs", "gross", "--roles", "import"], "shop/order.py\n1: from shop.price import gross  (import)"),
        (&["def", "shop/order.py:5:16"], "1. shop/price.py:4: def gross(value)  (function)"),
        (&["def", "Order.total"], "1. shop/order.py:4: def total(self)  (function)"),
        (&["outline", "shop/order.py"], "2. 4-5:   def total(self)"),
        (&["glob", "*.ts"], "web/cart.ts"),
    ];
    for (arguments, expected) in cases {
        let run = place.run(arguments);
        assert!(run.out.contains(expected), "{arguments:?}: {}{}", run.out, run.err);
        assert_eq!(run.code, i32::from(*expected == "no match"), "{arguments:?}: {}", run.err);
        assert!(!run.out.contains('\u{1b}'), "no colours into a pipe: {arguments:?}");
    }
    let as_json = |arguments: &[&str]| -> Value {
        let mut answer: Value = serde_json::from_str(&place.run(arguments).out).unwrap();
        answer["elapsed_ms"].take();
        answer
    };
    let called = as_json(&["call", "callers", "--node-id", "net", "--json"]);
    assert_eq!(as_json(&["callers", "net", "--json"]), called);
    assert_eq!(as_json(&["--json", "callers", "net"]), called);
    assert_eq!(as_json(&["references", "net", "--json"]), as_json(&["refs", "net", "--json"]), "the name of the tool");
}

#[test]
fn every_command_of_a_tool_takes_the_words_of_its_example() {
    let place = Place::new(&format!(
        "{SHOP}//- README.md\n# Shop\n//- auth.py\ndef check():\n    pass\n//- app.py\ndef login():\n    pass\n"
    ));
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    for tool in m1nd_tools::ALL {
        let Some(command) = tool.command else { continue };
        let example = tool.example_arguments();
        let values = command.positional.iter().map(|name| &example[*name]);
        let words = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
        let words = words.filter_map(Value::as_str);
        let mut arguments: Vec<&str> = std::iter::once(command.name).chain(words).collect();
        if example.get("confirm").is_some() {
            arguments.push("--confirm");
        }
        let run = place.run(&arguments);
        assert!([0, 1].contains(&run.code), "{arguments:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn nothing_found_is_one_and_an_error_is_two_or_more() {
    let place = open_indexed();
    let cases: &[(&[&str], i32)] = &[
        (&["search", "gross"], 0),
        (&["search", "no such text anywhere"], 1),
        (&["search", "gross", "--count-only"], 0),
        (&["search", "no such text anywhere", "--count-only"], 1),
        (&["call", "search", "--query", "no such text anywhere"], 1),
        (&["callers", "Order.total", "--json"], 1),
        (&["refs", "Order.total"], 1),
        (&["def", "shop/price.py:3"], 1),
        (&["outline", "shop/__init__.py"], 1),
        (&["search", "(", "--mode", "regex"], 2),
        (&["search"], 2),
        (&["search", "gross", "shop", "web"], 2),
        (&["callers", "net", "--bogus"], 2),
        (&["callers", "nobody_knows"], 4),
    ];
    for (arguments, expected) in cases {
        let run = place.run(arguments);
        assert_eq!(run.code, *expected, "{arguments:?}: {}{}", run.out, run.err);
        assert_eq!(run.err.is_empty(), *expected < 2, "{arguments:?}: {}", run.err);
    }
}

#[test]
fn arguments_come_as_json_from_standard_input() {
    let place = open_indexed();
    let forms: &[&[&str]] = &[
        &["call", "callers", "--arguments", "-"],
        &["call", "callers", "--json", "-"],
        &["callers", "--arguments", "-"],
        &["callers", "--json", "-"],
    ];
    for form in forms {
        let run = run_piped(place.command(form), r#"{"node_id": "net"}"#);
        assert!(run.code == 0 && run.out.contains("shop/price.py"), "{form:?}: {run:?}");
        let run = run_piped(place.command(form), "{broken");
        assert!(run.code == 2 && run.err.contains("not valid JSON"), "{form:?}: {run:?}");
    }
}

#[test]
fn help_of_every_command_fits_80_columns() {
    let place = Place::new(SHOP);
    let commands = ["ingest", "status", "serve", "init", "doctor", "export", "memory", "completions", "man"];
    let mut calls: Vec<Vec<&str>> = vec![vec![], vec!["call"]];
    calls.extend(commands.iter().map(|name| vec![*name]));
    calls.extend(m1nd_tools::ALL.iter().map(|tool| vec!["call", tool.name]));
    calls.extend(m1nd_tools::ALL.iter().filter_map(|tool| Some(vec![tool.command?.name])));
    for mut call in calls {
        if call != ["call"] {
            call.push("--help");
        }
        let output = place.command(&call).env("COLUMNS", "80").output().unwrap();
        assert!(output.status.success(), "{call:?}: {}", String::from_utf8_lossy(&output.stderr));
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            // The list of tools by `m1nd call` and examples in one line are data.
            let is_data = call == ["call"] || line.starts_with("  m1nd call ");
            assert!(is_data || line.chars().count() <= 80, "{call:?}: {line}");
        }
    }
}

#[test]
fn completions_and_the_manual_page_know_tools_and_their_flags() {
    let place = Place::new(SHOP);
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(&["completions", shell]).out;
        for words in ["callers", "refs", "count-only"] {
            assert!(script.contains(words), "{shell}: {words}");
        }
        // Fish is given no values of arguments by position.
        assert!(shell == "fish" || script.contains("mind_search"), "{shell}");
    }
    let page = place.run(&["man"]);
    assert!(page.code == 0 && page.out.contains(".TH m1nd 1") && page.out.contains("callers"), "{page:?}");
}

#[test]
fn colours_are_for_terminals_only() {
    let place = open_indexed();
    for arguments in [&["seek", "gross"][..], &["seek", "--help"], &["--help"], &["call"], &["callers", "nobody_knows"]]
    {
        let run = place.run(arguments);
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{arguments:?}: {run:?}");
    }
}

#[test]
fn view_takes_several_files_names_and_ranges() {
    let place = Place::new(
        "//- a.py\ndef first():\n    return 1\n\ndef second():\n    return 2\n//- b.py\ndef third():\n    return 3\n",
    );
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let run = place.run(&["view", "a.py:4-5", "third", "--no-pager"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.contains("def second") && run.out.contains("def third") && !run.out.contains("def first"),
        "{run:?}"
    );
    let one = place.run(&["view", "a.py"]);
    assert!(one.out.contains("def first"), "{one:?}");
    assert_eq!(place.run(&["view", "a.py", "--no-such-flag"]).code, 2);
}
