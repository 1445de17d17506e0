use std::sync::Arc;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, EngineConfig, IngestRequest};
use m1nd_mind::{Keeper, MemoryError, Registry, SharedFolder, find_project, make};
use m1nd_store::RealSystem;
use m1nd_testkit::{Fault, FaultSystem, TempTree};

fn now() -> jiff::Timestamp {
    "2026-05-04T10:00:00Z".parse().expect("a time")
}

#[test]
fn a_project_is_the_nearest_folder_with_a_memory_and_never_the_shared_one() {
    let tree =
        TempTree::new("//- .mind/MEMORY.md\n# shared\n//- a/.mind/MEMORY.md\n//- a/b/c/x\n//- d/x\n//- e/.mind/x\n");
    let home = tree.join(".mind");
    let find = |path: &str| find_project(&tree.join(path), &home).ok().map(|path| path.display().to_string());
    let a = Some(tree.join("a").display().to_string());
    assert_eq!(find("a"), a);
    assert_eq!(find("a/b/c"), a);
    assert_eq!(find("d"), None, "the folder that all projects share is no project");
    assert_eq!(find("e"), None, "a folder without a memory is none either");
    assert_eq!(find("nowhere"), None);
    assert!(find_project(&tree.join("d"), &tree.join("other")).is_ok(), "without that it would be one");
}

#[test]
fn what_stands_in_the_place_of_a_memory_is_named() {
    let tree = TempTree::new("//- .mind/MEMORY.md\n# above\n//- a/.mind/MEMORY.md/x\n");
    let (home, a) = (tree.join("home"), tree.join("a"));
    assert!(find_project(&a, &home).is_ok(), "the memory above it holds");
    tree.remove(".mind/MEMORY.md");
    let said = |folder: &std::path::Path| find_project(folder, &home).expect_err("is none").to_string();
    assert!(said(&a).contains("MEMORY.md` is a folder"), "{}", said(&a));
    let made = make(&a, &home, None).expect_err("nothing can be made").to_string();
    assert!(made.contains("MEMORY.md` is a folder"), "{made}");
    #[cfg(unix)]
    {
        tree.write("b/.mind/x", "");
        std::os::unix::fs::symlink("nowhere", tree.join("b/.mind/MEMORY.md")).expect("a link");
        assert!(said(&tree.join("b")).contains("a link that cannot be followed"), "{}", said(&tree.join("b")));
    }
    assert!(matches!(find_project(&tree.join("home"), &home), Err(MemoryError::NoProject { .. })));
}

#[test]
fn a_memory_is_made_once_and_never_overwritten() {
    let tree = TempTree::new("//- p/x\n");
    let (project, home) = (tree.join("p"), tree.join("home"));
    assert!(make(&project, &home, None).expect("is made").is_new);
    let text = std::fs::read_to_string(tree.join("p/.mind/MEMORY.md")).expect("is there");
    assert!(text.contains("# p\n") && text.contains("## Gotchas"), "{text}");
    assert_eq!(std::fs::read_to_string(tree.join("p/.mind/.gitignore")).expect("is there"), ".index/\n");
    tree.write("p/.mind/MEMORY.md", "mine");
    assert!(!make(&project, &home, Some("other")).expect("is left").is_new);
    assert_eq!(std::fs::read_to_string(tree.join("p/.mind/MEMORY.md")).expect("is there"), "mine");
    let refused = make(tree.path(), &tree.join(".mind"), None);
    assert!(matches!(refused, Err(MemoryError::Invalid(_))), "{refused:?}");
    assert!(make(&tree.join("p/x"), &home, None).is_err(), "a file is no project");
}

#[test]
fn projects_registered_at_the_same_time_are_all_kept() {
    let tree = TempTree::new("");
    let home = tree.join("home");
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let registry = Registry::new(SharedFolder::new(home.clone()));
            scope.spawn(move || {
                for number in 0..10 {
                    let path = format!("/p/{worker}/{number}");
                    assert!(registry.add(path.as_ref(), &[], now()).expect("is added"));
                    registry.touch(path.as_ref(), now(), std::time::Duration::from_secs(10)).expect("is noted");
                    if number % 2 == 1 {
                        assert!(registry.remove(path.as_ref()).expect("is removed"));
                    }
                }
            });
        }
    });
    let all = Registry::new(SharedFolder::new(home)).list().expect("is read");
    assert_eq!(all.len(), 40);
    assert!(all.iter().all(|project| project.last_activity == Some(now())));
}

#[test]
fn a_registry_that_cannot_be_read_is_never_replaced() {
    for text in ["{", "[]", "{\"version\": 2, \"projects\": {}}", ""] {
        let tree = TempTree::new("");
        tree.write("home/projects.json", text);
        let registry = Registry::new(SharedFolder::new(tree.join("home")));
        assert!(matches!(registry.list(), Err(MemoryError::Damaged { .. })), "{text:?}");
        assert!(matches!(registry.add("/p".as_ref(), &[], now()), Err(MemoryError::Damaged { .. })), "{text:?}");
        assert_eq!(std::fs::read_to_string(tree.join("home/projects.json")).expect("is there"), text);
    }
    let tree = TempTree::new("");
    let known = r#"{"version":1,"later":7,"projects":{"/a":{"path":"/a","name":"a","stack":[],"registered_at":"2026-01-01T00:00:00Z","hue":3}}}"#;
    tree.write("home/projects.json", known);
    Registry::new(SharedFolder::new(tree.join("home"))).add("/b".as_ref(), &[], now()).expect("is added");
    let text = std::fs::read_to_string(tree.join("home/projects.json")).expect("is there");
    assert!(text.contains("\"later\": 7") && text.contains("\"hue\": 3"), "what is not known is kept: {text}");
}

#[test]
fn a_failing_disk_leaves_the_registry_as_it_was_or_as_it_should_be() {
    for fault in [Fault::Device, Fault::Full, Fault::ShortWrite, Fault::Dead] {
        for nth in 0..12 {
            let tree = TempTree::new("");
            let system = FaultSystem::new(Arc::new(RealSystem));
            let registry = Registry::new(SharedFolder::with_system(tree.join("home"), Arc::new(system.clone())));
            registry.add("/first".as_ref(), &[], now()).expect("is added");
            system.fail(nth, fault);
            let outcome = registry.add("/second".as_ref(), &[], now());
            system.heal();
            let names: Vec<String> =
                registry.list().expect("is read").into_iter().map(|project| project.name).collect();
            let expected: &[&[&str]] =
                if outcome.is_ok() { &[&["first", "second"]] } else { &[&["first"], &["first", "second"]] };
            assert!(expected.iter().any(|expected| names == *expected), "{fault:?} {nth}: {names:?}");
            registry.add("/third".as_ref(), &[], now()).expect("goes on");
        }
    }
}

#[test]
fn the_index_of_a_folder_around_the_project_counts_as_its_own() {
    let tree = TempTree::new("//- a.py\ndef f():\n    pass\n//- inner/b.py\ndef g():\n    pass\n");
    let (home, store) = (tempfile::TempDir::new().expect("a folder"), tempfile::TempDir::new().expect("a folder"));
    let engine = Engine::open(EngineConfig::new(store.path().into(), vec![tree.path().to_owned()])).expect("opens");
    engine.ingest(IngestRequest::code(tree.path()), &Cancel::new(), &NoProgress).expect("ingests");
    drop(engine);
    // A project that was only opened has no snapshot, and does not hide the one around it.
    drop(Engine::open(EngineConfig::new(store.path().into(), vec![tree.join("inner")])).expect("opens"));
    let keeper = Keeper::new(home.path(), Some(store.path()));
    let files = keeper.with_index(&tree.join("inner"), |snapshot| snapshot.map(|snapshot| snapshot.files().len()));
    assert_eq!(files, Some(2));
}
