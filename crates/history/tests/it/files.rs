use crate::histories::subjects;
use crate::repository::{DAY, Move, Put, Remove, Repository, START, lines};

#[test]
fn a_file_has_the_commits_that_touched_it() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("src/a.py", "1\n"), Put("b.py", "1\n")]);
    repository.commit("bob", "change a", &[Put("src/a.py", "2\n")]);
    repository.commit("ann", "change a again\n\nwith a body", &[Put("src/a.py", "3\n"), Put("c.py", "1\n")]);
    let history = repository.history();
    assert_eq!(subjects(&history, "src/a.py"), ["change a again", "change a", "start"]);
    assert_eq!(subjects(&history, "b.py"), ["start"]);
    assert!(history.file("missing.py").is_none() && history.file("src").is_none());
    let file = history.file("src/a.py").expect("known");
    assert_eq!((file.authors(), file.commit_count(), file.last_change()), (2, 3, START + 3 * DAY));
    assert_eq!((file.commits_within(0.5), file.commits_within(1.5), file.commits_within(99.0)), (1, 2, 3));
    assert_eq!(file.decayed_commits(1.0), 1.0 + 0.5 + 0.25);
    let other = history.file("b.py").expect("known");
    assert_eq!((other.age_days(), history.now()), (2.0, START + 3 * DAY));
    assert_eq!(history.files().iter().map(|file| file.path()).collect::<Vec<_>>(), ["b.py", "c.py", "src/a.py"]);
}

#[test]
fn a_file_is_followed_over_its_names() {
    let mut repository = Repository::new();
    let (text, changed) = (lines("a", 40), format!("{}tail\n", lines("a", 36)));
    repository.commit(
        "ann",
        "start",
        &[Put("old.py", &text), Put("x/same.py", "1\n"), Put("other.py", &lines("o", 9))],
    );
    repository.commit("ann", "edit", &[Put("old.py", &lines("a", 38))]);
    repository.commit("ann", "move", &[Move("old.py", "new.py"), Move("x/same.py", "y/same.py")]);
    repository.commit("ann", "move with a change", &[Move("new.py", "pkg/newer.py"), Put("pkg/newer.py", &changed)]);
    let history = repository.history();
    assert_eq!(subjects(&history, "pkg/newer.py"), ["move with a change", "move", "edit", "start"]);
    assert_eq!(subjects(&history, "y/same.py"), ["move", "start"]);
    assert_eq!(subjects(&history, "other.py"), ["start"]);
    assert!(history.file("old.py").is_none() && history.file("new.py").is_none(), "names that are gone");
}

#[test]
fn a_new_file_under_an_old_name_is_another_one() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", &lines("first", 20)), Put("keep.py", "1\n")]);
    repository.commit("ann", "remove", &[Remove("a.py")]);
    repository.commit("ann", "another", &[Put("a.py", &lines("second", 20))]);
    assert_eq!(subjects(&repository.history(), "a.py"), ["another"]);

    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", &lines("first", 20))]);
    repository.commit("ann", "move away", &[Move("a.py", "b.py")]);
    repository.commit("ann", "another", &[Put("a.py", &lines("second", 20))]);
    let history = repository.history();
    assert_eq!(subjects(&history, "a.py"), ["another"]);
    assert_eq!(subjects(&history, "b.py"), ["move away", "start"]);
}

#[test]
fn files_with_little_in_common_are_not_one() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", &lines("a", 40))]);
    let mixed = format!("{}{}", lines("a", 10), lines("b", 40));
    repository.commit("ann", "replace", &[Remove("a.py"), Put("b.py", &mixed)]);
    assert_eq!(subjects(&repository.history(), "b.py"), ["replace"]);
}

#[test]
fn a_file_that_becomes_a_folder() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a", &lines("a", 9))]);
    repository.commit("ann", "folder", &[Remove("a"), Put("a/b.py", &lines("b", 9)), Put("a.txt", "1\n")]);
    let history = repository.history();
    assert_eq!(subjects(&history, "a/b.py"), ["folder"]);
    assert!(history.file("a").is_none());
}

#[test]
fn merges_touch_nothing_and_both_sides_count() {
    let mut repository = Repository::new();
    let start = repository.commit("ann", "start", &[Put("a.py", "1\n"), Put("b.py", "1\n")]);
    let left = repository.commit("ann", "left", &[Put("a.py", "2\n")]);
    repository.point(start);
    let right = repository.commit("bob", "right", &[Put("a.py", "1\n"), Put("b.py", "2\n")]);
    repository.commit_with("ann", "merge", &[left, right]);
    let history = repository.history();
    assert_eq!(history.commits().iter().map(|commit| &*commit.subject).collect::<Vec<_>>()[..2], ["merge", "right"]);
    assert_eq!(history.commits()[0].count_touched(), 0, "a merge");
    assert_eq!(subjects(&history, "a.py"), ["left", "start"]);
    assert_eq!(subjects(&history, "b.py"), ["right", "start"]);
}

#[test]
fn no_address_is_kept() {
    let mut repository = Repository::new();
    repository.commit("secretperson", "start", &[Put("a.py", "1\n")]);
    let bytes = m1nd_history::encode(&repository.history()).expect("encodes");
    assert!(!String::from_utf8_lossy(&bytes).contains("secretperson"));
}
