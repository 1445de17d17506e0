//! Searching text: bounded under hostile patterns, exact in its pages.

use m1nd_base::Cancel;
use m1nd_query::retrieval::{GrepFault, GrepOptions, GrepQuery, grep};

use crate::project::Project;

/// Patterns that take exponential time or memory in other engines.
#[test]
fn hostile_patterns_are_bounded() {
    let project = Project::new("");
    project.tree.write("a.txt", format!("{}\n", "a".repeat(200_000)));
    project.tree.write("b.txt", "ab\n".repeat(20_000));
    let engine = project.open_indexed();
    let snapshot = engine.snapshot();
    let ask = |pattern: &str, multiline| {
        let options = GrepOptions { pattern: pattern.into(), regex: true, multiline, ..GrepOptions::default() };
        grep(&snapshot, &GrepQuery { options, limit: 10, ..GrepQuery::default() }, &Cancel::new())
    };
    for pattern in
        ["(a*)*c", "(a+)+$", "(a|aa)+c", "(a|a)*c", "([a-z]+)*d", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)(.*)(.*)x"]
    {
        for multiline in [false, true] {
            let found = ask(pattern, multiline).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert!(found.rows.len() <= 10, "{pattern}");
            let shown: usize = found.rows.iter().map(|row| row.found.text.len()).sum();
            assert!(shown <= 10 * (m1nd_search::grep::MAX_LINE_BYTES + 8), "{pattern}: {shown} bytes of a giant line");
            assert_eq!(found.files_searched + found.files_left, 2, "{pattern}: each file is searched or named");
        }
    }
    for pattern in
        ["a{1000}{1000}{1000}", r"\pL{1000}{100}", "(?:a{100}){100}{100}", &"(".repeat(500), &"a?".repeat(9_000)]
    {
        let shown: String = pattern.chars().take(20).collect();
        let error = ask(pattern, false).map(|found| found.total).expect_err(&shown);
        assert!(matches!(error, GrepFault::Pattern(_)) && error.to_string().len() < 500, "{shown}: {error}");
    }
}

#[test]
fn a_far_page_holds_its_own_rows_only() {
    let project = Project::new("");
    for name in ["a", "b", "c"] {
        project.tree.write(format!("{name}.py"), "x = 1\n".repeat(100));
    }
    let engine = project.open_indexed();
    let snapshot = engine.snapshot();
    let page = |offset, limit| {
        let options = GrepOptions { pattern: "x".into(), ..GrepOptions::default() };
        let found = grep(&snapshot, &GrepQuery { options, offset, limit, ..GrepQuery::default() }, &Cancel::new());
        let found = found.expect("searches");
        assert_eq!(found.total, 300);
        found.rows.iter().map(|row| format!("{}:{}", row.file.path, row.found.line)).collect::<Vec<_>>()
    };
    let all = page(0, 300);
    assert_eq!(all.len(), 300);
    for (offset, limit) in [(0, 7), (98, 5), (150, 20), (199, 1), (200, 100), (295, 50)] {
        assert_eq!(page(offset, limit), all[offset..(offset + limit).min(300)], "{offset} {limit}");
    }
    for forged in [300, usize::MAX - 3, usize::MAX] {
        assert!(page(forged, 50).is_empty());
    }
}
