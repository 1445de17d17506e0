//! Incomplete, damaged, hostile and external repositories.

use m1nd_history::{Cut, GitFolder, NoHistory, ReadLimits};
use m1nd_testkit::TempTree;

use crate::histories::subjects;
use crate::repository::{Put, Repository, START, lines};

#[test]
fn without_git_there_is_a_reason() {
    let find = |tree: &TempTree| GitFolder::find(tree.path()).and_then(|git| git.head()).err();
    let empty = TempTree::new("//- a.py\n1\n");
    assert_eq!(find(&empty), Some(NoHistory::NotARepository));
    let unborn = TempTree::new("//- .git/HEAD\nref: refs/heads/main\n");
    assert_eq!(find(&unborn), Some(NoHistory::NoCommits));
    let tables = TempTree::new("//- .git/HEAD\nref: refs/heads/.invalid\n");
    assert_eq!(find(&tables), Some(NoHistory::Unsupported("references in tables")));
    let sha256 = TempTree::new(&format!("//- .git/HEAD\n{}\n", "0".repeat(64)));
    assert_eq!(find(&sha256), Some(NoHistory::Unsupported("objects under SHA-256 names")));
    for head in ["ref: refs/../../secret", "ref: refs/heads/../../x", "nonsense", "ref: refs/heads/a"] {
        let tree = TempTree::new(&format!("//- .git/HEAD\n{head}\n//- .git/refs/heads/a\nref: refs/heads/a\n"));
        assert!(find(&tree).is_some(), "{head}");
    }
}

#[test]
fn packed_references_are_read() {
    let mut repository = Repository::new();
    let id = repository.commit("ann", "start", &[Put("a.py", "1\n")]);
    repository.tree.remove(".git/refs/heads/main");
    repository.tree.write(".git/packed-refs", format!("# pack-refs with: peeled\n{id} refs/heads/main\n^{id}\n"));
    assert_eq!(repository.history().commits().len(), 1);
}

#[test]
fn a_folder_elsewhere_must_name_the_root() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", "1\n")]);
    let git = repository.tree.join(".git");
    let thief = TempTree::new("//- a.py\n1\n");
    thief.write(".git", format!("gitdir: {}\n", git.display()));
    assert!(matches!(GitFolder::find(thief.path()), Err(NoHistory::Elsewhere(_))));

    let linked = TempTree::new("//- a.py\n1\n");
    let own = repository.tree.join(".git/worktrees/w");
    repository.tree.write(".git/worktrees/w/HEAD", "ref: refs/heads/main\n");
    repository.tree.write(".git/worktrees/w/commondir", "../..\n");
    repository.tree.write(".git/worktrees/w/gitdir", format!("{}\n", linked.join(".git").display()));
    linked.write(".git", format!("gitdir: {}\n", own.display()));
    thief.write(".git", format!("gitdir: {}\n", own.display()));
    let head = GitFolder::find(linked.path()).and_then(|git| git.head()).expect("a linked work tree");
    assert_eq!(head.commit(), repository.head.expect("committed").to_string());
    assert!(matches!(GitFolder::find(thief.path()), Err(NoHistory::Elsewhere(_))));

    let module = TempTree::new("//- sub/a.py\n1\n//- .git/modules/sub/HEAD\nref: refs/heads/main\n");
    module.write("sub/.git", "gitdir: ../.git/modules/sub\n");
    let sub = module.join("sub");
    assert!(matches!(GitFolder::find(&sub), Err(NoHistory::Elsewhere(_))));
    module.write(".git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n");
    assert!(GitFolder::find(&sub).is_ok());
}

#[cfg(unix)]
#[test]
fn a_linked_git_folder_is_not_followed() {
    let repository = Repository::new();
    let tree = TempTree::new("//- a.py\n1\n");
    std::os::unix::fs::symlink(repository.tree.join(".git"), tree.join(".git")).expect("a link");
    assert!(matches!(GitFolder::find(tree.path()), Err(NoHistory::Elsewhere(_))));
}

#[cfg(unix)]
#[test]
fn a_pipe_among_the_packs_is_refused() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", "1\n")]);
    std::fs::create_dir_all(repository.tree.join(".git/objects/pack")).expect("a folder");
    let pipe = repository.tree.join(".git/objects/pack/pack-1.idx");
    let _socket = std::os::unix::net::UnixListener::bind(pipe).expect("a socket");
    assert!(matches!(repository.read(), Err(NoHistory::Unreadable(_))));
}

#[test]
fn objects_of_alternates_are_read() {
    let mut repository = Repository::new();
    let id = repository.commit("ann", "start", &[Put("a.py", "1\n")]);
    let other = TempTree::new(&format!("//- .git/HEAD\n{id}\n"));
    other.write(".git/objects/info/alternates", format!("{}\n", repository.tree.join(".git/objects").display()));
    let git = GitFolder::find(other.path()).expect("a folder");
    let head = git.head().expect("a head");
    let history = m1nd_history::read(&git, &head, None, &Default::default(), &m1nd_base::Cancel::new());
    assert_eq!(history.expect("a history").commits().len(), 1);
}

#[test]
fn a_shallow_clone_says_so() {
    let mut repository = Repository::new();
    let first = repository.commit("ann", "first", &[Put("a.py", "1\n")]);
    let second = repository.commit("ann", "second", &[Put("a.py", "2\n"), Put("b.py", "1\n")]);
    repository.commit("ann", "third", &[Put("a.py", "3\n")]);
    let whole = repository.history();
    std::fs::remove_file(repository.object_path(&first)).expect("the object is there");
    repository.tree.write(".git/shallow", format!("{second}\n"));
    let history = repository.history();
    assert_eq!((history.commits().len(), history.cut()), (2, Some(Cut::Shallow)));
    assert_eq!(subjects(&history, "a.py"), ["third"], "what the oldest one touched is not known");
    assert!(history.file("b.py").is_none());
    let after = repository.read_after(Some(&whole), &Default::default()).expect("a history");
    assert_eq!(m1nd_history::encode(&after), m1nd_history::encode(&history));
}

#[test]
fn missing_and_damaged_objects_cut_the_list() {
    let mut repository = Repository::new();
    let first = repository.commit("ann", "first", &[Put("a.py", "1\n")]);
    repository.commit("ann", "second", &[Put("a.py", "2\n")]);
    let third = repository.commit("ann", "third", &[Put("a.py", "3\n")]);
    std::fs::remove_file(repository.object_path(&first)).expect("the object is there");
    let history = repository.history();
    assert_eq!((history.cut(), history.commits().len()), (Some(Cut::Missing), 2));
    assert_eq!(subjects(&history, "a.py"), ["third"]);
    let head = || GitFolder::find(repository.tree.path()).and_then(|git| git.head()).expect("a commit");
    assert!(history.is_of(&head(), ReadLimits::default().commits));
    repository.tree.write(".git/objects/pack/pack-1.pack", "");
    assert!(!history.is_of(&head(), ReadLimits::default().commits), "a fetch may have brought what was missing");
    std::fs::remove_file(repository.tree.join(".git/objects/pack/pack-1.pack")).expect("the file is there");
    let path = repository.object_path(&third);
    std::fs::remove_file(&path).expect("the object is there");
    std::fs::write(&path, b"no object").expect("it can be written");
    assert!(matches!(repository.read(), Err(NoHistory::Unreadable(_))));
}

#[test]
fn a_folder_that_is_missing_is_unknown_not_empty() {
    let mut repository = Repository::new();
    repository.commit("ann", "first", &[Put("d/a.py", "1\n"), Put("b.py", "1\n")]);
    repository.commit("ann", "second", &[Put("d/a.py", "2\n")]);
    repository.commit("ann", "third", &[Put("b.py", "2\n")]);
    let folder = repository.write_tree(&[("a.py", b"2\n")]);
    std::fs::remove_file(repository.object_path(&folder)).expect("the object is there");
    let history = repository.history();
    // The third commit does not change the folder, so its object is not needed there.
    assert_eq!(subjects(&history, "b.py"), ["third", "first"]);
    assert_eq!(subjects(&history, "d/a.py"), ["first"]);
}

#[test]
fn folders_that_repeat_without_end_are_cut() {
    let mut repository = Repository::new();
    let mut folder = repository.write_tree(&[("f", b"1\n")]);
    for _ in 0..12 {
        let mut bytes = Vec::new();
        for number in 0..10 {
            bytes.extend_from_slice(format!("40000 d{number}\0").as_bytes());
            bytes.extend_from_slice(folder.as_slice());
        }
        folder = repository.write(gix_object::Kind::Tree, &bytes);
    }
    let id = repository.write_commit(folder, &[], "ann", START, "a trillion files");
    repository.point(id);
    let history = repository.history();
    assert_eq!((history.commits().len(), history.together_pairs(1, 9).len()), (1, 0));
}

#[test]
fn names_that_are_no_text_and_submodules_are_left_out() {
    let mut repository = Repository::new();
    let blob = repository.write(gix_object::Kind::Blob, b"1\n");
    let mut bytes = Vec::new();
    for name in [&b"100644 \xff\xfe.py\0"[..], b"100644 a.py\0", b"160000 module\0"] {
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(blob.as_slice());
    }
    let tree = repository.write(gix_object::Kind::Tree, &bytes);
    let id = repository.write_commit(tree, &[], "ann", START, "odd \u{202e} names");
    repository.point(id);
    let history = repository.history();
    assert_eq!(history.files().iter().map(|file| file.path()).collect::<Vec<_>>(), ["a.py"]);
}

#[test]
fn a_long_history_needs_no_stack() {
    let mut repository = Repository::new();
    for number in 0..600 {
        repository.commit("ann", "edit", &[Put("d/e/f/a.py", &lines("a", number % 7 + 1))]);
    }
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let path = repository.tree.path().to_owned();
    let read = move || {
        let git = GitFolder::find(&path).expect("a folder");
        let head = git.head().expect("a head");
        m1nd_history::read(&git, &head, None, &Default::default(), &m1nd_base::Cancel::new()).map(|h| h.commits().len())
    };
    let count = small.spawn(read).expect("a thread").join().expect("no overflow");
    assert_eq!(count, Ok(600));
}

#[test]
fn folders_in_which_a_commit_changes_something() {
    let rows: [(&str, bool, &[&str]); 5] = [
        ("refs/heads/main", true, &["logs"]),
        ("refs/heads/main", false, &["", "refs/heads"]),
        ("refs/heads/fix/jar", false, &["", "refs/heads", "refs/heads/fix"]),
        ("refs/heads/../../../x", false, &["", "refs/heads"]),
        ("refs/tags/a", false, &["", "refs/heads"]),
    ];
    for (branch, is_logged, expected) in rows {
        let log = if is_logged { "//- .git/logs/HEAD\n0\n" } else { "" };
        let tree = TempTree::new(&format!("//- .git/HEAD\nref: {branch}\n{log}"));
        let git = GitFolder::find(tree.path()).expect("a folder");
        let expected: Vec<_> = expected.iter().map(|folder| tree.path().join(".git").join(folder)).collect();
        assert_eq!(git.moved_in(), expected, "{branch}");
    }
}
