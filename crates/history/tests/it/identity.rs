use m1nd_history::{GitFolder, has_commit, oldest_commit};

use crate::repository::{Put, Repository};

#[test]
fn a_repository_is_known_by_its_first_commit() {
    let mut repository = Repository::new();
    let first = repository.commit("ann", "first", &[Put("a", "1")]);
    let second = repository.commit("ann", "second", &[Put("a", "2")]);
    let third = repository.commit("ann", "third", &[Put("a", "3")]);
    let git = GitFolder::find(repository.tree.path()).expect("a repository");
    let oldest = || oldest_commit(&git, &git.head().expect("a commit"));
    assert_eq!(oldest(), Ok(first.to_string()));
    // An unreachable commit still belongs to this repository.
    repository.point(second);
    assert!(has_commit(&git, [&*third.to_string()]) && has_commit(&git, ["no name", &*first.to_string()]));
    let elsewhere = "1".repeat(40);
    assert!(!has_commit(&git, [&*elsewhere]) && !has_commit(&git, [""]) && !has_commit(&git, []));
    // A shallow clone knows no older commit.
    repository.tree.write(".git/shallow", format!("{second}\n"));
    assert_eq!(oldest(), Ok(second.to_string()));
    repository.tree.write(".git/refs/heads/main", &elsewhere);
    assert!(oldest().is_err());
}
