//! Files of memories that others append to while they are changed.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::civil::date;
use m1nd_mind::{Keeper, MemoryError, ProjectMemory, archive, forget};
use m1nd_testkit::TempTree;

/// Lines that are appended.
const LINES: usize = 10_000;
/// Memories that are forgotten or archived meanwhile.
const OLD: usize = 24;

/// Appends lines as a shell does: opens the file for each.
fn append_all(file: &Path) {
    for number in 0..LINES {
        let mut file = OpenOptions::new().append(true).open(file).expect("is there");
        file.write_all(format!("a{number}.\n").as_bytes()).expect("is written");
        drop(file);
        if number % 4 == 0 {
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}

/// A project with one memory a day.
fn project() -> (TempTree, Keeper) {
    let days = (1..=OLD).map(|day| format!("## 2024-01-{day:02}\n**Decided:** zebra stripes {day} over dots\n\n"));
    let tree = TempTree::new("");
    tree.write(".mind/MEMORY.md", format!("# Shop\n\n{}## 2026-03-02\n", days.collect::<String>()));
    let keeper = Keeper::new(&tree.join("home"), None);
    (tree, keeper)
}

/// Runs `change` with a fresh look at the project, again and again until all lines are appended, and returns how often
/// it did something.
fn while_lines_are_appended(
    change: impl Fn(&Keeper, &ProjectMemory, usize) -> Result<bool, MemoryError>,
) -> (usize, String) {
    let (tree, keeper) = project();
    let project = std::fs::canonicalize(tree.path()).expect("is there");
    let file = project.join(".mind/MEMORY.md");
    let is_done = AtomicBool::new(false);
    let changes = std::thread::scope(|scope| {
        scope.spawn(|| {
            append_all(&file);
            is_done.store(true, Ordering::Release);
        });
        let mut changes = 0;
        for round in 1.. {
            let memory = ProjectMemory::read(&project, keeper.home()).expect("is read");
            changes += usize::from(change(&keeper, &memory, round).expect("nothing else changes it"));
            if is_done.load(Ordering::Acquire) {
                break;
            }
        }
        changes
    });
    (changes, std::fs::read_to_string(&file).expect("is text"))
}

fn assert_none_lost(text: &str) {
    let lost: Vec<usize> = (0..LINES).filter(|number| !text.contains(&format!("\na{number}.\n"))).collect();
    assert!(lost.is_empty(), "{} lost: {:?}", lost.len(), &lost[..lost.len().min(9)]);
    assert_eq!(text.matches("\na").count(), LINES, "none stands twice");
}

#[test]
fn forgetting_loses_no_line() {
    let (changes, text) = while_lines_are_appended(|keeper, memory, _| {
        let Some(record) = memory.records.iter().find(|record| record.title.contains("zebra")) else {
            return Ok(false);
        };
        forget(keeper, memory, &record.id.to_string(), false).map(|forgotten| !forgotten.hidden)
    });
    assert!(changes >= 1, "{changes} changes only");
    assert_eq!(text.matches("zebra stripes").count(), OLD.saturating_sub(changes));
    assert_none_lost(&text);
}

#[test]
fn archiving_loses_no_line() {
    let (changes, text) = while_lines_are_appended(|_, memory, round| {
        let before = date(2024, 1, 1).saturating_add(jiff::Span::new().days(round.min(OLD) as i64));
        archive(memory, before, false).map(|moved| !moved.is_empty())
    });
    assert!(changes >= 1, "{changes} changes only");
    assert_none_lost(&text);
}
