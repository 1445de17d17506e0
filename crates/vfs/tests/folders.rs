//! A folder watcher reports direct changes of its folders, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use m1nd_testkit::TempTree;
use m1nd_vfs::FolderWatch;

/// Maximum delay of a report on a busy machine; reached only by a failing test.
const PATIENCE: Duration = Duration::from_secs(20);

fn watch() -> (FolderWatch, Receiver<Option<PathBuf>>) {
    let (sink, changes) = channel();
    let sink = move |path: Option<&std::path::Path>| drop(sink.send(path.map(std::path::Path::to_owned)));
    (FolderWatch::start(sink).expect("it can be watched"), changes)
}

/// Names reported until the expected one arrives.
fn told_until(changes: &Receiver<Option<PathBuf>>, last: &str) -> BTreeSet<String> {
    let mut told = BTreeSet::new();
    loop {
        let path = changes.recv_timeout(PATIENCE).expect("a change is told").expect("no hint is lost");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == last {
            return told;
        }
        told.insert(name);
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_changes_directly_in_a_watched_folder_is_told() {
    let tree = TempTree::new("//- a/one.md\n1\n//- a/deep/two.md\n1\n//- b/three.md\n1\n");
    let (watch, changes) = watch();
    watch.add(&tree.join("a")).expect("it is there");
    tree.write("b/three.md", "2");
    tree.write("a/deep/two.md", "2");
    tree.write("a/one.md", "2");
    tree.write("a/last.md", "1");
    assert_eq!(told_until(&changes, "last.md"), names(&["one.md"]), "neither other folders nor what is further down");
    watch.add(&tree.join("b")).expect("it is there");
    watch.remove(&tree.join("a"));
    while changes.try_recv().is_ok() {}
    tree.write("a/one.md", "3");
    fs::rename(tree.join("b/three.md"), tree.join("b/moved.md")).expect("it can be moved");
    tree.write("b/end.md", "1");
    assert_eq!(told_until(&changes, "end.md"), names(&["moved.md", "three.md"]));
    assert!(watch.add(&tree.join("nowhere")).is_err());
}

#[test]
fn reading_is_no_change() {
    let tree = TempTree::new("//- a/one.md\n1\n");
    let (watch, changes) = watch();
    watch.add(&tree.join("a")).expect("it is there");
    for _ in 0..3 {
        fs::read(tree.join("a/one.md")).expect("it can be read");
        fs::read_dir(tree.join("a")).expect("it can be listed").for_each(drop);
    }
    tree.write("a/last.md", "1");
    assert_eq!(told_until(&changes, "last.md"), names(&[]));
}
