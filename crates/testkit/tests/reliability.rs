//! The page about reliability names tests that exist.

use std::fs;
use std::path::Path;

#[test]
fn every_test_of_the_table_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let page = fs::read_to_string(crates.join("../docs/reliability.md")).expect("the page is readable");
    let mut file = "";
    let mut count = 0;
    for named in page.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('`').skip(1).step_by(2)) {
        let Some((path, test)) = named.split_once(".rs::").or_else(|| named.split_once("::")) else { continue };
        if !path.is_empty() {
            file = path;
        }
        let path = crates.join(format!("{file}.rs"));
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(source.contains(&format!("fn {test}(")), "no test `{test}` in {}", path.display());
        count += 1;
    }
    assert!(count > 40, "only {count} tests are named");
}
