//! Several writers of one file: one wins, the others hear of it, and nothing that anybody saved is lost.

use std::sync::Barrier;

use m1nd_edit::EditError;

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
fn writers_in_a_row_all_succeed() {
    let world = World::new();
    for number in 0..5 {
        commit(&world.workspace(), vec![world.edit("a.py", text(&format!("x = {number}\n")))]).expect("commits");
    }
}
