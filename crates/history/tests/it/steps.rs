//! The history of ranges of lines.

use m1nd_base::Cancel;
use m1nd_history::{Contents, GitFolder, LineCache, RangeHistories, Tracing};

use crate::repository::{Move, Put, Remove, Repository};

const LIMIT: usize = 100;

/// A function of four lines.
fn function(name: &str, body: &str) -> String {
    format!("def {name}(value):\n    result = {body}\n    check_{body}(result)\n    return result + {body}\n")
}

fn trace_ranges(
    repository: &Repository,
    path: &str,
    text: &str,
    ranges: &[(u32, u32)],
    limit: usize,
) -> RangeHistories {
    let history = repository.history();
    let git = GitFolder::find(repository.tree.path()).expect("a repository");
    let contents = Contents::open(&git).expect("objects");
    let cache = LineCache::default();
    let ranges: Vec<_> = ranges.iter().map(|&(start, end)| start..end).collect();
    let tracing = Tracing { contents: &contents, cache: &cache, limit, cancel: &Cancel::new() };
    history.file(path).expect("known").trace(text.as_bytes(), &ranges, tracing).expect("not cancelled")
}

/// Subjects of the commits that changed each range.
fn subjects(repository: &Repository, found: &RangeHistories) -> Vec<Vec<String>> {
    let history = repository.history();
    let subject = |commit: usize| history.commits()[commit].subject.to_string();
    found.ranges.iter().map(|range| range.changes.iter().map(|change| subject(change.commit)).collect()).collect()
}

#[test]
fn each_function_has_its_own_commits() {
    let mut repository = Repository::new();
    let file = |one: &str, two: &str| format!("{}\n\n{}", function("one", one), function("two", two));
    repository.commit("ann", "start", &[Put("a.py", &file("first", "second"))]);
    repository.commit("ann", "change two", &[Put("a.py", &file("first", "other"))]);
    repository.commit("ann", "change one", &[Put("a.py", &file("third", "other"))]);
    repository.commit("ann", "docs", &[Put("README.md", "text")]);
    let text = file("third", "other");
    let found = trace_ranges(&repository, "a.py", &text, &[(0, 4), (6, 10)], LIMIT);
    assert_eq!(subjects(&repository, &found), [["change one", "start"], ["change two", "start"]]);
    assert!(!found.is_cut && !found.is_broken);
    // Lines that are not committed yet shift what is below them.
    let edited = format!("import x\n\n{text}");
    let found = trace_ranges(&repository, "a.py", &edited, &[(2, 6), (8, 12), (0, 1)], LIMIT);
    assert_eq!(subjects(&repository, &found), [vec!["change one", "start"], vec!["change two", "start"], vec![]]);
    let found = trace_ranges(&repository, "a.py", &text, &[(0, 4)], 1);
    assert!(found.is_cut);
    assert_eq!(subjects(&repository, &found), [["change one"]]);
}

#[test]
fn a_function_is_followed_where_it_comes_from() {
    let mut repository = Repository::new();
    let other = function("other", "unrelated");
    repository.commit("ann", "start", &[Put("a.py", &format!("{other}\n{}", function("one", "first")))]);
    repository.commit("ann", "edit", &[Put("a.py", &format!("{other}\n{}", function("one", "second")))]);
    let renamed = function("renamed", "second");
    repository.commit("ann", "rename", &[Put("a.py", &format!("{other}\n{renamed}"))]);
    repository.commit("ann", "above", &[Put("a.py", &format!("{renamed}\n{other}"))]);
    repository.commit("ann", "move", &[Put("a.py", &other), Put("b.py", &format!("import x\n\n{renamed}"))]);
    repository.commit("ann", "file", &[Move("b.py", "pkg/b.py")]);
    let text = format!("import x\n\n{renamed}");
    let found = trace_ranges(&repository, "pkg/b.py", &text, &[(2, 6)], LIMIT);
    let all = subjects(&repository, &found);
    assert_eq!(all[0].first().map(String::as_str), Some("move"));
    for subject in ["rename", "edit", "start"] {
        assert!(all[0].iter().any(|found| found == subject), "{subject}: {all:?}");
    }
    assert_eq!(found.ranges[0].moved_from.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["a.py"]);
}

#[test]
fn a_new_function_has_no_older_history() {
    let mut repository = Repository::new();
    let one = function("one", "first");
    repository.commit("ann", "start", &[Put("a.py", &one), Put("gone.py", &function("gone", "away"))]);
    let text = format!("{one}\n{}", function("two", "second"));
    repository.commit("ann", "add", &[Put("a.py", &text), Remove("gone.py")]);
    let found = trace_ranges(&repository, "a.py", &text, &[(5, 9)], LIMIT);
    assert_eq!(subjects(&repository, &found), [["add"]]);
    assert_eq!((found.ranges[0].changes[0].added, found.ranges[0].changes[0].removed), (4, 0));
}

#[test]
fn sides_of_a_merge_are_both_followed() {
    let mut repository = Repository::new();
    let file = |one: &str, two: &str| format!("{}\n\n{}", function("one", one), function("two", two));
    let start = repository.commit("ann", "start", &[Put("a.py", &file("first", "second"))]);
    let left = repository.commit("ann", "left", &[Put("a.py", &file("left", "second"))]);
    repository.point(start);
    repository.commit("bob", "right", &[Put("a.py", &file("first", "right"))]);
    let right = repository.head.expect("a commit");
    // The merge itself is no change of its own.
    let blob = file("left", "right");
    let tree = repository.write_tree(&[("a.py", blob.as_bytes())]);
    let merge = repository.write_commit(tree, &[left, right], "ann", crate::repository::START + 99 * 86_400, "merge");
    repository.point(merge);
    let found = trace_ranges(&repository, "a.py", &blob, &[(0, 4), (6, 10)], LIMIT);
    assert_eq!(subjects(&repository, &found), [["left", "start"], ["right", "start"]]);
}
