use m1nd_base::Cancel;
use m1nd_history::{GitFolder, messages};

use crate::repository::{Put, Repository};

#[test]
fn messages_are_whole_newest_first_and_follow_what_is_checked_out() {
    let mut repository = Repository::new();
    repository.commit("ann", "first\n\ndecided: use a\nlearned: b", &[Put("a", "1")]);
    let first = repository.head;
    repository.commit("ann", "second", &[Put("a", "2")]);
    let read = |repository: &Repository, limit| {
        let git = GitFolder::find(repository.tree.path()).expect("a repository");
        let head = git.head().expect("a commit");
        let found = messages(&git, &head, limit, &Cancel::new()).expect("is read");
        found.into_iter().map(|message| message.text.trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read(&repository, 200), ["second", "first\n\ndecided: use a\nlearned: b"]);
    assert_eq!(read(&repository, 1), ["second"]);
    repository.point(first.expect("a commit"));
    assert_eq!(read(&repository, 200), ["first\n\ndecided: use a\nlearned: b"], "what is no longer reachable is gone");
}
