use m1nd_base::Cancel;
use m1nd_history::{Cut, GitFolder, Messages, NoHistory, messages};

use crate::repository::{Put, Repository};

fn read(repository: &Repository, limit: usize) -> Result<Messages, NoHistory> {
    let git = GitFolder::find(repository.tree.path()).expect("a repository");
    let head = git.head().expect("a commit");
    messages(&git, &head, limit, None, &Cancel::new())
}

fn texts(repository: &Repository, limit: usize) -> (Vec<String>, Option<Cut>) {
    let found = read(repository, limit).expect("is read");
    (found.rows.into_iter().map(|message| message.text.trim_end().to_owned()).collect(), found.cut)
}

fn all(rows: &[&str]) -> (Vec<String>, Option<Cut>) {
    (rows.iter().map(|row| (*row).to_owned()).collect(), None)
}

#[test]
fn messages_are_whole_newest_first_and_follow_what_is_checked_out() {
    let mut repository = Repository::new();
    repository.commit("ann", "first\n\ndecided: use a\nlearned: b", &[Put("a", "1")]);
    let first = repository.head;
    repository.commit("ann", "second", &[Put("a", "2")]);
    assert_eq!(texts(&repository, 200), all(&["second", "first\n\ndecided: use a\nlearned: b"]));
    assert_eq!(texts(&repository, 1), (vec!["second".to_owned()], Some(Cut::Commits)));
    repository.point(first.expect("a commit"));
    assert_eq!(texts(&repository, 200), all(&["first\n\ndecided: use a\nlearned: b"]), "what is not reachable is gone");
}

#[test]
fn merges_say_nothing_and_both_sides_are_read() {
    let mut repository = Repository::new();
    let first = repository.commit("ann", "first", &[Put("a", "1")]);
    let left = repository.commit("ann", "left", &[Put("a", "2")]);
    repository.point(first);
    let right = repository.commit("ann", "right", &[Put("b", "1")]);
    repository.commit_with("ann", "merged", &[left, right]);
    assert_eq!(texts(&repository, 200), all(&["right", "left", "first"]));
    // Merges count towards the limit: two of each.
    assert_eq!(texts(&repository, 1), (vec!["right".to_owned()], Some(Cut::Commits)));
}

#[test]
fn what_is_not_there_is_told() {
    let mut repository = Repository::new();
    let first = repository.commit("ann", "first", &[Put("a", "1")]);
    let second = repository.commit("ann", "second", &[Put("a", "2")]);
    let third = repository.commit("ann", "third", &[Put("a", "3")]);
    std::fs::remove_file(repository.object_path(&first)).expect("the object is there");
    let rows = || vec!["third".to_owned(), "second".to_owned()];
    assert_eq!(texts(&repository, 200), (rows(), Some(Cut::Missing)));
    repository.tree.write(".git/shallow", format!("{second}\n"));
    assert_eq!(texts(&repository, 200), (rows(), Some(Cut::Shallow)));
    // Without the newest commit nothing is known, not even that the history is empty.
    let path = repository.object_path(&third);
    std::fs::remove_file(&path).expect("the object is there");
    assert!(matches!(read(&repository, 200), Err(NoHistory::Unreadable(_))));
    std::fs::write(&path, b"no object").expect("it can be written");
    assert!(matches!(read(&repository, 200), Err(NoHistory::Unreadable(_))));
}

#[test]
fn a_known_commit_is_looked_for_further_back() {
    let mut repository = Repository::new();
    let commits: Vec<String> =
        (0..6).map(|n| repository.commit("ann", &format!("c{n}"), &[Put("a", &n.to_string())]).to_string()).collect();
    let git = GitFolder::find(repository.tree.path()).expect("a repository");
    let head = git.head().expect("a commit");
    let elsewhere = "1".repeat(40);
    // The known commit, how far to look, the number of messages, and whether the known one is reached.
    let rows = [
        (&commits[4], 0, 2, true),
        (&commits[1], 100, 5, true),
        (&commits[1], 0, 4, false),
        (&elsewhere, 1, 5, false),
        (&elsewhere, 100, 6, false),
    ];
    for (known, further, expected, met) in rows {
        let found = messages(&git, &head, 2, Some((known, further)), &Cancel::new()).expect("is read");
        assert_eq!((found.rows.len(), found.met), (expected, met), "{known} {further}");
    }
}
