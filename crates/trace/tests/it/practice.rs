//! Stacks from real logs, mails, tickets and terminals, one per file of `tests/practice`: the text, a line [`MARK`],
//! then the expected result. `UPDATE_EXPECT=1` rewrites the results.

use std::path::PathBuf;

use m1nd_trace::parse;

use super::show_parsed;

const MARK: &str = "=== read\n";
/// Minimum number of files; fewer mean that the folder was not found.
const LEAST: usize = 75;

#[test]
fn stacks_from_practice() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/practice");
    let entries = std::fs::read_dir(&folder).expect("the folder of the cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() >= LEAST, "{} cases", paths.len());
    let mut failed = Vec::new();
    for path in paths {
        let case = std::fs::read_to_string(&path).expect("a case");
        let (text, expected) = case.split_once(MARK).unwrap_or_else(|| panic!("{} has no mark", path.display()));
        let found = show_parsed(&parse(text, None));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, format!("{text}{MARK}{found}")).expect("written");
        } else if found != expected {
            failed.push(format!("{}\n--- found:\n{found}--- expected:\n{expected}", path.display()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
