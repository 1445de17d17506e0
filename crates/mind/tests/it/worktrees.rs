//! Work trees of a repository whose project was taken over: their texts decide whether they count as it.

use std::path::{Path, PathBuf};

use m1nd_mind::{Depth, HookEvent, Keeper, ProjectMemory, hook};
use m1nd_testkit::TempTree;
use serde_json::json;

use crate::repository::{Put, Repository};

const MEMORY: &str = "# Shop\n\n**Decided:** zebra stripes over dots\n";
const OTHER: &str = "# Shop\n\n**Decided:** obey the giraffe\n";

struct Place {
    home: TempTree,
    repository: Repository,
    linked: TempTree,
}

impl Place {
    /// A project that was taken over, and a work tree of its repository that holds `memory`.
    fn new(memory: &str) -> Self {
        let home = TempTree::new("");
        let mut repository = Repository::new();
        repository.tree.write(".mind/MEMORY.md", MEMORY);
        repository.commit("ann", "one", &[Put("a.py", "1")]);
        let place = Self { home, repository, linked: TempTree::new("//- a.py\n1\n") };
        place.keeper().approve(&place.main(), &[], None).expect("is approved");
        place.link(&place.linked);
        place.linked.write(".mind/MEMORY.md", memory);
        place
    }

    /// Makes the repository name a folder as a work tree of its own.
    fn link(&self, folder: &TempTree) {
        let tree = &self.repository.tree;
        tree.write(".git/worktrees/w/HEAD", "ref: refs/heads/main\n");
        tree.write(".git/worktrees/w/commondir", "../..\n");
        tree.write(".git/worktrees/w/gitdir", format!("{}\n", folder.join(".git").display()));
        folder.write(".git", format!("gitdir: {}\n", tree.join(".git/worktrees/w").display()));
    }

    fn keeper(&self) -> Keeper {
        Keeper::new(self.home.path(), None)
    }

    fn main(&self) -> PathBuf {
        std::fs::canonicalize(self.repository.tree.path()).expect("is there")
    }

    fn path(&self) -> PathBuf {
        std::fs::canonicalize(self.linked.path()).expect("is there")
    }

    fn is_own(&self, project: &Path) -> bool {
        ProjectMemory::read(project, self.keeper().home()).expect("is read").is_own()
    }

    /// What is said at the start of a session in the work tree.
    fn ask_start(&self) -> String {
        let input = json!({"cwd": self.path(), "session_id": "s"});
        let said = hook(&self.keeper(), HookEvent::SessionStart, &input, &[]).expect("is answered");
        said.map(|said| said.to_string()).unwrap_or_default()
    }

    fn look(&self, depth: Depth) {
        self.keeper().refresh(&self.path(), depth).expect("is noted");
    }

    /// What git notes when another commit is checked out in the work tree.
    fn check_out_another(&mut self) {
        let before = self.repository.head.expect("committed").to_string();
        let now = self.repository.commit("eve", "theirs", &[Put("a.py", "9")]).to_string();
        self.repository.tree.write(".git/worktrees/w/HEAD", format!("{now}\n"));
        let line = format!("{before} {now} a <a@b> 1 +0000\tcheckout: moving from main to theirs\n");
        self.repository.tree.write(".git/worktrees/w/logs/HEAD", line);
    }
}

#[test]
fn texts_that_were_approved_make_a_work_tree_the_project() {
    let place = Place::new(MEMORY);
    assert!(place.is_own(&place.path()) && place.ask_start().contains("zebra stripes"));
    // An older text of the project was approved as well.
    place.repository.tree.write(".mind/MEMORY.md", format!("{MEMORY}**Learned:** hoofs need oil\n"));
    place.keeper().refresh(&place.main(), Depth::Quick).expect("is noted");
    assert!(place.is_own(&place.path()));
}

#[test]
fn other_texts_do_not_and_neither_does_a_claim() {
    let place = Place::new(OTHER);
    for _ in 0..3 {
        assert!(!place.is_own(&place.path()));
        assert!(!place.ask_start().contains("giraffe"), "{}", place.ask_start());
        place.look(Depth::Full);
    }
    // Notes of a session and an archive are texts, too.
    for file in [".mind/SESSION.md", ".mind/archive/2025.md"] {
        let place = Place::new(MEMORY);
        place.linked.write(file, OTHER);
        assert!(!place.is_own(&place.path()), "{file}");
    }
    // A folder that says to be a work tree of the repository, which does not name it.
    let place = Place::new(MEMORY);
    let thief = TempTree::new("");
    thief.write(".mind/MEMORY.md", MEMORY);
    thief.write(".git", format!("gitdir: {}\n", place.repository.tree.join(".git/worktrees/w").display()));
    assert!(!place.is_own(&std::fs::canonicalize(thief.path()).expect("is there")));
    // Nor without a repository, nor where the project was never taken over.
    thief.remove(".git");
    assert!(!place.is_own(&std::fs::canonicalize(thief.path()).expect("is there")));
    place.keeper().disapprove(&place.main(), &[]).expect("is taken back");
    assert!(!place.is_own(&place.path()));
}

#[test]
fn what_is_written_in_a_work_tree_counts_and_what_is_checked_out_waits() {
    let mut place = Place::new(MEMORY);
    place.look(Depth::Quick);
    place.linked.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** hay over oats\n"));
    assert!(!place.is_own(&place.path()), "nobody has looked yet");
    assert!(place.ask_start().contains("hay over oats"), "{}", place.ask_start());
    place.check_out_another();
    place.linked.write(".mind/MEMORY.md", OTHER);
    for depth in [Depth::Quick, Depth::Full, Depth::Full] {
        assert!(!place.ask_start().contains("giraffe"), "{}", place.ask_start());
        place.look(depth);
        assert!(!place.is_own(&place.path()));
    }
    place.linked.write(".mind/MEMORY.md", format!("{OTHER}**Decided:** more\n"));
    place.look(Depth::Full);
    assert!(!place.is_own(&place.path()), "what waited waits on, however it is changed");
    place.keeper().approve(&place.path(), &[], None).expect("is approved");
    assert!(place.is_own(&place.path()) && place.ask_start().contains("giraffe"));
}

#[test]
fn that_a_work_tree_counts_can_be_taken_back() {
    let place = Place::new(MEMORY);
    place.look(Depth::Full);
    place.keeper().disapprove(&place.path(), &[]).expect("is taken back");
    place.look(Depth::Full);
    assert!(!place.is_own(&place.path()) && place.is_own(&place.main()));
}

#[test]
fn memories_belong_to_the_repository_and_not_to_the_path() {
    let place = Place::new(MEMORY);
    let read = |project: &Path| ProjectMemory::read(project, place.keeper().home()).expect("is read");
    let titles =
        |project: &Path| -> Vec<String> { read(project).records.iter().map(|r| r.title.to_string()).collect() };
    // What is added in the main tree is seen in the work tree, whose own text is now an old one.
    let added = "hoofs need oil on Tuesdays";
    m1nd_mind::add(&read(&place.main()), added, None).expect("is added");
    assert!(titles(&place.path()).iter().any(|title| title.contains("hoofs")), "{:?}", titles(&place.path()));
    // What is added in the work tree is written to the main one, and stays when the work tree goes.
    m1nd_mind::add(&read(&place.path()), "manes are combed twice", None).expect("is added");
    assert!(titles(&place.main()).iter().any(|title| title.contains("manes")));
    assert_eq!(std::fs::read_to_string(place.linked.join(".mind/MEMORY.md")).expect("is there"), MEMORY);
    // A memory has one id in both, is trusted in both, and is forgotten in both.
    let ids = |project: &Path| -> Vec<String> { read(project).records.iter().map(|r| r.id.to_string()).collect() };
    assert_eq!(ids(&place.path()), ids(&place.main()));
    let memory = read(&place.path());
    let record = memory.records.iter().find(|record| record.title.contains("manes")).expect("is there").clone();
    assert_eq!(memory.trust(&record), m1nd_mind::Trust::Own);
    assert_eq!(memory.records.iter().filter(|other| other.title == record.title).count(), 1);
    m1nd_mind::forget(&place.keeper(), &memory, &record.id.to_string(), false).expect("is forgotten");
    assert!(!titles(&place.main()).iter().any(|title| title.contains("manes")));
    // A work tree without a memory file has those of the repository.
    place.linked.remove(".mind/MEMORY.md");
    let found = m1nd_mind::find_project(&place.path(), place.home.path()).expect("is found");
    assert_eq!(found, place.main());
}

#[test]
fn a_repository_that_nobody_approved_lends_nothing() {
    let place = Place::new(MEMORY);
    place.keeper().disapprove(&place.main(), &[]).expect("is taken back");
    place.repository.tree.write(".mind/MEMORY.md", OTHER);
    let memory = ProjectMemory::read(&place.path(), place.keeper().home()).expect("is read");
    assert!(memory.records.iter().all(|record| !record.title.contains("giraffe")), "{:?}", memory.records);
    m1nd_mind::add(&memory, "manes are combed twice", None).expect("is added");
    let own = std::fs::read_to_string(place.linked.join(".mind/MEMORY.md")).expect("is there");
    assert!(own.contains("manes"), "{own}");
}
