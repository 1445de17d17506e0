//! Several writers of one file: one wins, the others hear of it, and nothing that anybody saved is lost.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use m1nd_edit::{EditError, Gate, Step, Workspace};
use m1nd_store::SharedFolder;

use crate::world::{World, commit, text};

/// Tries of each race; `M1ND_RACES` sets another number.
fn tries() -> usize {
    std::env::var("M1ND_RACES").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

#[test]
fn of_two_commits_one_wins() {
    let world = World::new();
    for number in 0..tries() {
        world.project.write("a.py", format!("x = {number}\n"));
        let barrier = Barrier::new(2);
        let race = |name: &str| {
            let workspace = world.workspace();
            let plan = workspace.plan(vec![world.edit("a.py", text(name))]).expect("plans");
            barrier.wait();
            workspace.commit(&plan, &m1nd_base::Cancel::new(), &mut |_| {})
        };
        let (one, two) = std::thread::scope(|scope| {
            let one = scope.spawn(|| race("one"));
            let two = race("two");
            (one.join().expect("ends"), two)
        });
        let now = std::fs::read_to_string(world.project.join("a.py")).expect("is read");
        match (&one, &two) {
            (Ok(_), Err(EditError::SourceModified { .. })) => assert_eq!(now, "one"),
            (Err(EditError::SourceModified { .. }), Ok(_)) => assert_eq!(now, "two"),
            other => panic!("try {number}: {other:?}"),
        }
    }
}

/// An editor that saves by renaming a new file over the old one, or by writing into it.
#[test]
fn what_a_person_saves_meanwhile_is_not_lost() {
    let world = World::new();
    let path = world.project.join("a.py");
    let mut outcomes = [0, 0];
    for number in 0..tries() {
        world.project.write("a.py", "x = 1\n");
        let workspace = world.workspace();
        let plan = workspace.plan(vec![world.edit("a.py", text("agent\n"))]).expect("plans");
        let barrier = Barrier::new(2);
        let saved = std::thread::scope(|scope| {
            let person = scope.spawn(|| {
                let new = world.project.join("a.py.swp");
                std::fs::write(&new, "person\n").expect("is written");
                barrier.wait();
                // Over all of the time that a commit takes.
                std::thread::sleep(std::time::Duration::from_micros(40 * (number as u64 % 50)));
                std::fs::rename(&new, &path).expect("is renamed");
            });
            barrier.wait();
            let saved = workspace.commit(&plan, &m1nd_base::Cancel::new(), &mut |_| {});
            person.join().expect("ends");
            saved
        });
        outcomes[usize::from(saved.is_ok())] += 1;
        // The person saved last, or the commit was refused.
        let now = std::fs::read_to_string(&path).expect("is read");
        assert_eq!(now, "person\n", "try {number}: {saved:?}");
        world.assert_clean("after a race");
    }
    assert!(outcomes[0] + outcomes[1] == tries());
}

#[test]
fn of_two_commits_and_a_person_none_is_lost() {
    let world = World::new();
    let path = world.project.join("a.py");
    let mut won = [0; 3];
    for number in 0..tries() {
        world.project.write("a.py", format!("x = {number}\n"));
        let barrier = Barrier::new(3);
        let race = |name: &str| {
            let workspace = world.workspace();
            let plan = workspace.plan(vec![world.edit("a.py", text(name))]).expect("plans");
            barrier.wait();
            workspace.commit(&plan, &m1nd_base::Cancel::new(), &mut |_| {})
        };
        let person = || {
            let new = world.project.join("a.py.swp");
            std::fs::write(&new, "person\n").expect("is written");
            barrier.wait();
            std::thread::sleep(std::time::Duration::from_micros(50 * (number as u64 % 60)));
            std::fs::rename(&new, &path).expect("is renamed");
        };
        let outcomes = std::thread::scope(|scope| {
            let one = scope.spawn(|| race("one"));
            let two = scope.spawn(|| race("two"));
            person();
            [one.join().expect("ends"), two.join().expect("ends")]
        });
        let wins = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        for outcome in &outcomes {
            assert!(matches!(outcome, Ok(_) | Err(EditError::SourceModified { .. })), "try {number}: {outcome:?}");
        }
        // Over the person's file, no commit may be: it was planned with another content.
        assert_eq!(std::fs::read_to_string(&path).expect("is read"), "person\n", "try {number}: {outcomes:?}");
        won[wins] += 1;
        world.assert_clean("after a race");
    }
    assert!(won[2] == 0 && won[0] + won[1] == tries(), "{won:?}");
}

/// Somebody who saves just before a file is exchanged, and dies with the commit soon after.
#[derive(Debug)]
struct Meddler {
    path: PathBuf,
    /// Places left until each save, and after how many more the commit can do nothing any more.
    saves: Vec<usize>,
    dies: usize,
    places: AtomicUsize,
}

impl Gate for Meddler {
    fn pass(&self, step: Step) -> io::Result<()> {
        if step != Step::Place && self.places.load(Ordering::Relaxed) <= self.dies {
            return Ok(());
        }
        let place = self.places.fetch_add(1, Ordering::Relaxed);
        if place >= self.dies {
            return Err(io::Error::other("injected"));
        }
        if let Some(number) = self.saves.iter().position(|save| *save == place) {
            std::fs::write(self.path.with_extension("swp"), format!("save {number}\n"))?;
            std::fs::rename(self.path.with_extension("swp"), &self.path)?;
        }
        Ok(())
    }
}

#[test]
fn what_is_saved_at_the_worst_moment_survives_a_crash_as_well() {
    // Before the exchange, before the one back, before both; the commit goes on, or dies after the first exchange.
    let rows: [(&[usize], usize, &str); 5] = [
        (&[0], 100, "save 0\n"),
        (&[0, 1], 100, "save 1\n"),
        (&[0, 1, 2], 100, "save 2\n"),
        (&[0], 1, "save 0\n"),
        (&[], 1, "x = 1\ny = 2\n"),
    ];
    for (saves, dies, expected) in rows {
        let world = World::new();
        let path = world.project.join("a.py");
        let gate = Meddler { path: path.clone(), saves: saves.to_vec(), dies, places: AtomicUsize::new(0) };
        let state = SharedFolder::new(world.journals());
        let workspace = Workspace::with(state, world.home.path(), Arc::new(gate));
        // The second place of a commit that nobody meddles with is that of another file.
        let batch = vec![world.edit("a.py", text("agent\n")), world.edit("empty.py", text("agent\n"))];
        let error = commit(&workspace, batch).expect_err("is refused");
        world.workspace().recover().expect("recovers");
        let what = format!("saves {saves:?}, dies {dies}: {error}");
        assert_eq!(std::fs::read_to_string(&path).expect("is read"), expected, "{what}");
        assert_eq!(std::fs::read(world.project.join("empty.py")).expect("is read"), b"", "{what}");
        assert!(!world.tree().keys().any(|path| path.contains(".m1nd")), "{what}: {:?}", world.tree().keys());
    }
}

#[test]
fn writers_in_a_row_all_succeed() {
    let world = World::new();
    for number in 0..5 {
        commit(&world.workspace(), vec![world.edit("a.py", text(&format!("x = {number}\n")))]).expect("commits");
    }
}
