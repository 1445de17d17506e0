//! Another repository in the folder of one that was taken over.

use std::path::{Path, PathBuf};

use m1nd_mind::{
    Depth, HookEvent, Keeper, Level, ProjectMemory, Registry, check_up, hook, refresh_blocks, write_blocks,
};
use m1nd_testkit::TempTree;
use serde_json::json;

use crate::repository::{Put, Repository};

const MEMORY: &str = "# Shop\n\n**Decided:** zebra stripes over dots\n";

/// A project that was taken over, with a repository of `commits` commits.
fn open_approved(commits: usize) -> (TempTree, Repository, PathBuf, Keeper) {
    let home = TempTree::new("");
    let mut repository = Repository::new();
    repository.tree.write(".mind/MEMORY.md", MEMORY);
    for number in 0..commits {
        repository.commit("ann", &format!("one {number}"), &[Put("a.py", &number.to_string())]);
    }
    let project = std::fs::canonicalize(repository.tree.path()).expect("is there");
    let keeper = Keeper::new(home.path(), None);
    keeper.approve(&project, &[], None).expect("is approved");
    Registry::new(keeper.home().clone()).add(&project, &[], jiff::Timestamp::now()).expect("is registered");
    (home, repository, project, keeper)
}

/// The git folder of another repository, which came to this machine as the log says.
fn other(log: Option<&str>) -> Repository {
    let mut repository = Repository::new();
    let commit = repository.commit("eve", "theirs", &[Put("a.py", "9")]);
    if let Some(how) = log {
        write_log(repository.tree.path(), &commit.to_string(), how);
    }
    repository
}

fn write_log(root: &Path, commit: &str, how: &str) {
    let line = format!("{} {commit} a <a@b> 1 +0000\t{how}\n", "0".repeat(40));
    std::fs::create_dir_all(root.join(".git/logs")).expect("is made");
    std::fs::write(root.join(".git/logs/HEAD"), line).expect("is written");
}

fn put(from: &Path, project: &Path) {
    std::fs::rename(from.join(".git"), project.join(".git")).expect("is moved");
}

/// Whether the project is still that of its user, also after it was looked at.
fn is_own(keeper: &Keeper, project: &Path) -> bool {
    let read = || ProjectMemory::read(project, keeper.home()).expect("is read");
    let before = read().is_own();
    for depth in [Depth::Quick, Depth::Full, Depth::Full] {
        keeper.refresh(project, depth).expect("is noted");
        assert_eq!(read().is_own(), before, "a look approves nothing");
    }
    assert_eq!(read().is_replaced(), !before);
    before
}

#[test]
fn a_repository_is_told_from_another_in_its_folder() {
    // Commits at the time of approval, what lies there then, and whether it is the user's own.
    let rows: [(usize, Option<Option<&str>>, bool); 9] = [
        (2, Some(Some("clone: from https://x.test/y")), false),
        (2, Some(Some("pull: storing head")), false),
        (2, Some(None), false),
        (2, Some(Some("commit (initial): begun again")), true),
        (2, None, false),
        // Without commits there was nothing to know it by.
        (0, Some(Some("clone: from https://x.test/y")), false),
        (0, Some(Some("commit (initial): a")), true),
        (0, Some(None), true),
        (0, None, true),
    ];
    for (commits, then, expected) in rows {
        let (_home, repository, project, keeper) = open_approved(commits);
        assert!(is_own(&keeper, &project), "{commits} {then:?}");
        let away = TempTree::new("");
        put(&project, away.path());
        if let Some(log) = then {
            put(other(log).tree.path(), &project);
        }
        assert_eq!(is_own(&keeper, &project), expected, "{commits} {then:?}");
        if commits > 0 {
            // The first one again, wherever it was meanwhile, and however many commits it has now.
            std::fs::remove_dir_all(project.join(".git")).ok();
            put(away.path(), &project);
            let mut repository = repository;
            let commit = repository.commit("ann", "more", &[Put("a.py", "more")]);
            write_log(&project, &commit.to_string(), "clone: from a mirror");
            assert!(is_own(&keeper, &project), "{commits} {then:?}");
        }
    }
}

#[test]
fn a_project_whose_last_commit_was_never_pushed_is_known_by_its_first() {
    let (_home, mut repository, project, keeper) = open_approved(2);
    let first = repository.head.expect("a commit");
    let gone = repository.commit("ann", "never pushed", &[Put("a.py", "x")]).to_string();
    keeper.refresh(&project, Depth::Full).expect("is noted");
    repository.point(first);
    std::fs::remove_file(project.join(".git/objects").join(&gone[..2]).join(&gone[2..])).expect("is removed");
    write_log(&project, &first.to_string(), "clone: from https://x.test/y");
    assert!(is_own(&keeper, &project));
}

#[test]
fn of_a_replaced_repository_nothing_is_told_unasked_until_it_is_approved() {
    let (home, _repository, project, keeper) = open_approved(1);
    let memory = ProjectMemory::read(&project, keeper.home()).expect("is read");
    assert_eq!(write_blocks(&memory).problems, Vec::<String>::new());
    std::fs::remove_dir_all(project.join(".git")).expect("is removed");
    put(other(Some("clone: from https://x.test/y")).tree.path(), &project);
    std::fs::write(project.join(".mind/MEMORY.md"), MEMORY.replace("stripes", "horns")).expect("is written");
    let told = |event: HookEvent| {
        let input = json!({"cwd": project, "session_id": "s", "prompt": "zebra horns over dots, or not"});
        let answer = hook(&keeper, event, &input, &[]).expect("never fails");
        answer.map(|answer| answer.to_string()).unwrap_or_default()
    };
    for event in [HookEvent::SessionStart, HookEvent::Prompt] {
        assert!(!told(event).contains("zebra"), "{}", told(event));
    }
    assert!(told(HookEvent::SessionStart).contains("not the repository that its user approved"));
    let memory = ProjectMemory::read(&project, keeper.home()).expect("is read");
    assert_eq!(refresh_blocks(&memory).written, Vec::<PathBuf>::new());
    assert!(memory.left_out().any(|why| why.contains("not the repository")), "whoever asks is told");
    let found = check_up(home.path(), Some(&project));
    let said: Vec<_> = found.iter().filter(|finding| finding.text.contains("not the repository")).collect();
    assert!(matches!(said.as_slice(), [one] if one.level == Level::Warning), "{found:#?}");
    keeper.approve(&project, &[], None).expect("is approved");
    assert!(is_own(&keeper, &project) && told(HookEvent::Prompt).contains("zebra horns"));
}
