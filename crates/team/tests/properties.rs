//! Clones that exchange in any order end alike, and no text is ever changed but at its end.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use m1nd_memory::SourceKind;
use m1nd_team::{
    Entry, EntryId, EntryKind, Known, MemoryText, Received, RemoteState, append_entries, collect_entries, merge,
};
use proptest::prelude::*;

const REPOSITORY: &str = "example.com/acme/shop";
const FILE: &str = ".mind/MEMORY.md";
const TODAY: Date = Date::constant(2026, 11, 28);
const CLONES: usize = 3;

/// What people write: label and words.
const LINES: &[&str] = &[
    "**Decided:** redis over memcached because of lists",
    "**Decided:** kafka instead of redis",
    "- **Learned:** `Cart.total` is called twice",
    "**Problem:** the export drops umlauts",
    "KEY: **Decided:** money is an integer of cents",
    "MEMORY: learned - the sandbox sleeps at night",
    "decided to keep JWT. Problem: Safari drops cookies.",
    "- [x] **Problem:** the login loops ⚠️ on Safari",
    "TIL \u{200b}that `a|b` needs *escaping* in tables <!-- note -->",
    "Turns out that [the docs](https://example.com/x) lie about limits",
];

/// The database: memories with their generations.
#[derive(Default)]
struct Database {
    memories: BTreeMap<EntryId, (Entry, u32)>,
}

#[derive(Default)]
struct CloneModel {
    text: String,
    known: BTreeMap<EntryId, Known>,
}

#[derive(Clone, Debug)]
enum Step {
    Write { clone: usize, line: usize, day: i8 },
    Exchange { clone: usize },
    Remove { pick: usize },
    Restore { pick: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..CLONES, 0..LINES.len(), 1..28i8).prop_map(|(clone, line, day)| Step::Write { clone, line, day }),
        4 => (0..CLONES).prop_map(|clone| Step::Exchange { clone }),
        1 => any::<usize>().prop_map(|pick| Step::Remove { pick }),
        1 => any::<usize>().prop_map(|pick| Step::Restore { pick }),
    ];
    proptest::collection::vec(step, 1..40)
}

/// One exchange in both directions.
fn exchange(clone: &mut CloneModel, database: &mut Database) {
    let before = clone.text.clone();
    let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: &before }];
    let local = collect_entries(REPOSITORY, &texts, TODAY);
    let states = |database: &Database| -> BTreeMap<EntryId, RemoteState> {
        let state = |generation| RemoteState { generation, is_released: true };
        database.memories.iter().map(|(id, (_, generation))| (*id, state(*generation))).collect()
    };
    for id in merge(&local.present, &clone.known, &states(database)).send {
        if let Ok(entry) = local.describe(id, &texts) {
            assert!(entry.is_sound(), "{entry:?}");
            database.memories.entry(id).or_insert((entry, 1));
        }
    }
    let remote = states(database);
    let plan = merge(&local.present, &clone.known, &remote);
    let received: Vec<Received> = plan.append.iter().map(|id| receive(&database.memories[id].0)).collect();
    let rendered = append_entries(&before, FILE, REPOSITORY, &received, TODAY).expect("can be written");
    let unwritable: Vec<&Entry> = rendered.unwritable.iter().map(|id| &database.memories[id].0).collect();
    assert!(unwritable.iter().all(|entry| entry.kind == EntryKind::Fix), "{unwritable:?}\n{before}");
    clone.text.push_str(&rendered.added);
    // Every memory was there, or was appended once.
    let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: &clone.text }];
    let after = collect_entries(REPOSITORY, &texts, TODAY);
    assert!(rendered.written.iter().all(|id| after.present.contains(id) && !local.present.contains(id)));
    m1nd_team::learn(&mut clone.known, &after.present, &remote);
    assert!(clone.text.starts_with(&before), "what people wrote is unchanged");
}

fn receive(entry: &Entry) -> Received {
    Received { entry: entry.clone(), author: "alice".to_owned(), stored: TODAY }
}

/// The memories of a clone that the team has not removed; fixes depend on what else the text says.
fn effective(clone: &CloneModel, database: &Database) -> BTreeSet<EntryId> {
    let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: &clone.text }];
    let present = collect_entries(REPOSITORY, &texts, TODAY).present;
    let is_there = |id: &EntryId| {
        database.memories.get(id).is_some_and(|(entry, generation)| generation % 2 == 1 && entry.kind != EntryKind::Fix)
    };
    present.into_iter().filter(is_there).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn clones_end_alike(steps in steps()) {
        let mut database = Database::default();
        let mut clones: Vec<CloneModel> = (0..CLONES).map(|_| CloneModel { text: "# shop\n".into(), ..CloneModel::default() }).collect();
        for step in &steps {
            let ids: Vec<EntryId> = database.memories.keys().copied().collect();
            match step {
                Step::Write { clone, line, day } => {
                    clones[*clone].text.push_str(&format!("\n## 2026-10-{day:02}\n\n{}\n", LINES[*line]));
                }
                Step::Exchange { clone } => exchange(&mut clones[*clone], &mut database),
                Step::Remove { pick } | Step::Restore { pick } if !ids.is_empty() => {
                    let (_, generation) = database.memories.get_mut(&ids[pick % ids.len()]).expect("is there");
                    *generation += u32::from((*generation % 2 == 1) == matches!(step, Step::Remove { .. }));
                }
                Step::Remove { .. } | Step::Restore { .. } => {}
            }
        }
        for _ in 0..2 {
            clones.iter_mut().for_each(|clone| exchange(clone, &mut database));
        }
        let is_there = |(entry, generation): &(Entry, u32)| generation % 2 == 1 && entry.kind != EntryKind::Fix;
        let expected: BTreeSet<EntryId> =
            database.memories.iter().filter(|(_, row)| is_there(row)).map(|(id, _)| *id).collect();
        for clone in &clones {
            prop_assert_eq!(&effective(clone, &database), &expected, "{}", clone.text);
        }
        // Nothing is left to do.
        let before: Vec<String> = clones.iter().map(|clone| clone.text.clone()).collect();
        clones.iter_mut().for_each(|clone| exchange(clone, &mut database));
        prop_assert!(clones.iter().zip(&before).all(|(clone, before)| clone.text == *before));
    }

    #[test]
    fn any_text_stays_and_what_is_written_is_read_again(text in "(?s).{0,300}", picks in proptest::collection::btree_set(0..LINES.len(), 1..LINES.len())) {
        let source: String = picks.iter().map(|pick| format!("\n{}\n", LINES[*pick])).collect();
        let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: &source }];
        let collected = collect_entries(REPOSITORY, &texts, TODAY);
        let received: Vec<Received> = collected.present.iter()
            .filter_map(|id| collected.describe(*id, &texts).ok()).map(|entry| receive(&entry)).collect();
        // A text that ends in an open code block is refused; else all of it is read as it was sent.
        if let Ok(rendered) = append_entries(&text, FILE, REPOSITORY, &received, TODAY) {
            let after = format!("{text}{}", rendered.added);
            let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: &after }];
            let present = collect_entries(REPOSITORY, &texts, TODAY).present;
            prop_assert!(rendered.written.iter().all(|id| present.contains(id)), "{after}");
        }
        // The order in which memories come from the database does not matter.
        let mut reversed = received.clone();
        reversed.reverse();
        let one = append_entries(&text, FILE, REPOSITORY, &received, TODAY).map(|rendered| rendered.added).ok();
        let other = append_entries(&text, FILE, REPOSITORY, &reversed, TODAY).map(|rendered| rendered.added).ok();
        prop_assert_eq!(one, other);
    }
}

#[test]
fn every_form_of_a_memory_is_sent_as_one_line() {
    for line in LINES {
        let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: line }];
        let collected = collect_entries(REPOSITORY, &texts, TODAY);
        assert!(!collected.present.is_empty(), "{line}");
        for id in &collected.present {
            let entry = collected.describe(*id, &texts).unwrap_or_else(|withheld| panic!("{line}: {withheld:?}"));
            assert!(entry.is_sound(), "{entry:?}");
        }
    }
    let gotchas =
        "## Gotchas\n\n- The sandbox rejects amounts over 999: use the mock\n* critical: never run it twice\n";
    let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: gotchas }];
    let collected = collect_entries(REPOSITORY, &texts, TODAY);
    let entries: Vec<Entry> =
        collected.present.iter().map(|id| collected.describe(*id, &texts).expect("is sent")).collect();
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|entry| entry.kind == EntryKind::Gotcha && entry.is_sound()), "{entries:?}");
}

#[test]
fn secrets_and_doubtful_memories_stay_here() {
    for (text, why) in
        [("**Decided:** password = hunter2hunter2XyZ9 for the sandbox\n", "secret"), ("login is broken\n", "not clear")]
    {
        let texts = [MemoryText { file: FILE, kind: SourceKind::MemoryFile, content: text }];
        let collected = collect_entries(REPOSITORY, &texts, TODAY);
        let id = collected.present.first().unwrap_or_else(|| panic!("{text}: no memory"));
        let withheld = collected.describe(*id, &texts).expect_err("is not sent");
        assert!(withheld.why.contains(why) && withheld.line == 1, "{withheld:?}");
        assert!(!format!("{withheld:?}").contains("hunter2"));
    }
}
