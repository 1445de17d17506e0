//! `m1nd verify`, with the commands of docs/edits.md.

use crate::{Place, SHOP};

/// The page whose commands are run.
const PAGE: &str = include_str!("../../../../docs/edits.md");

/// The lines of the page that call the command.
fn list_documented() -> Vec<Vec<&'static str>> {
    let lines = PAGE.lines().filter_map(|line| line.strip_prefix("m1nd verify "));
    lines.map(|line| std::iter::once("verify").chain(line.split_whitespace()).collect()).collect()
}

#[test]
fn the_documented_commands_allow_list_and_remove() {
    let place = Place::new(SHOP);
    let calls = list_documented();
    assert!(calls.len() >= 4, "{calls:?}");
    for call in &calls {
        let run = place.run(call);
        assert_eq!(run.code, 0, "{call:?}: {}", run.err);
    }
    let left = place.run(&["verify", "list"]);
    assert!(left.out.contains("pytest {tests}") && !left.out.contains("cargo check"), "{left:?}");
    assert_ne!(place.run(&["verify", "remove", "9"]).code, 0);
}

#[cfg(unix)]
#[test]
fn an_allowed_command_decides_the_verdict_of_a_later_call() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(place.run(&["verify", "allow", "--", "grep", "-q", "def net", "shop/price.py"]).code, 0);
    let edits = r#"[{"file_path": "shop/order.py", "edits": [{"old": "gross(3)", "new": "gross(4)"}]}]"#;
    let run = place.run(&["call", "apply_batch", "--edits", edits, "--verify", "true", "--json"]);
    assert!(run.code == 0 && run.out.contains("\"SAFE\""), "{run:?}");
}
