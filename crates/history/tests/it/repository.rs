//! A git repository of loose objects, written without running git.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gix_hash::{Kind, ObjectId};
use gix_object::Write;
use m1nd_testkit::TempTree;

/// Time of the first commit of a test.
pub(crate) const START: i64 = 1_700_000_000;
/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// A repository with one branch, updated by hand.
pub(crate) struct Repository {
    pub(crate) tree: TempTree,
    odb: gix_odb::Handle,
    /// Files of the last commit.
    files: BTreeMap<String, Vec<u8>>,
    pub(crate) head: Option<ObjectId>,
    time: i64,
}

/// A change of one file.
pub(crate) enum Change<'a> {
    Put(&'a str, &'a str),
    Remove(&'a str),
    Move(&'a str, &'a str),
}

pub(crate) use Change::{Move, Put, Remove};

impl Repository {
    pub(crate) fn new() -> Self {
        let tree = TempTree::new("//- .git/HEAD\nref: refs/heads/main\n//- .git/objects/info/packs\n");
        let odb = gix_odb::at(tree.join(".git/objects"), Kind::Sha1).expect("the folder is there");
        Self { tree, odb, files: BTreeMap::new(), head: None, time: START }
    }

    pub(crate) fn write(&self, kind: gix_object::Kind, bytes: &[u8]) -> ObjectId {
        self.odb.write_buf(kind, bytes).expect("an object can be written")
    }

    /// Writes the tree of these files: `(path below, content)`.
    pub(crate) fn write_tree(&self, files: &[(&str, &[u8])]) -> ObjectId {
        let mut entries: BTreeMap<Vec<u8>, (&str, &str, ObjectId)> = BTreeMap::new();
        let mut folders: BTreeMap<&str, Vec<(&str, &[u8])>> = BTreeMap::new();
        for &(path, content) in files {
            match path.split_once('/') {
                Some((folder, rest)) => folders.entry(folder).or_default().push((rest, content)),
                None => {
                    let blob = self.write(gix_object::Kind::Blob, content);
                    entries.insert(path.as_bytes().to_vec(), ("100644", path, blob));
                }
            }
        }
        for (folder, inner) in folders {
            entries.insert(format!("{folder}/").into_bytes(), ("40000", folder, self.write_tree(&inner)));
        }
        let mut bytes = Vec::new();
        for (mode, name, id) in entries.values() {
            bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            bytes.extend_from_slice(id.as_slice());
        }
        self.write(gix_object::Kind::Tree, &bytes)
    }

    /// Writes a commit object for a tree.
    pub(crate) fn write_commit(
        &self,
        tree: ObjectId,
        parents: &[ObjectId],
        who: &str,
        time: i64,
        text: &str,
    ) -> ObjectId {
        let parents: String = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
        let person = format!("{who} <{who}@example.org> {time} +0000");
        let commit = format!("tree {tree}\n{parents}author {person}\ncommitter {person}\n\n{text}\n");
        self.write(gix_object::Kind::Commit, commit.as_bytes())
    }

    fn tree_now(&self) -> ObjectId {
        let files: Vec<(&str, &[u8])> = self.files.iter().map(|(path, bytes)| (&**path, &**bytes)).collect();
        self.write_tree(&files)
    }

    /// Commits these changes a day after the last commit and moves the branch.
    pub(crate) fn commit(&mut self, who: &str, text: &str, changes: &[Change<'_>]) -> ObjectId {
        for change in changes {
            match change {
                Put(path, content) => drop(self.files.insert((*path).into(), content.as_bytes().to_vec())),
                Remove(path) => drop(self.files.remove(*path).expect("the file is there")),
                Move(from, to) => {
                    let bytes = self.files.remove(*from).expect("the file is there");
                    self.files.insert((*to).into(), bytes);
                }
            }
        }
        let parents: Vec<ObjectId> = self.head.into_iter().collect();
        self.commit_with(who, text, &parents)
    }

    /// Commits the current files with these parents.
    pub(crate) fn commit_with(&mut self, who: &str, text: &str, parents: &[ObjectId]) -> ObjectId {
        self.time += DAY;
        let id = self.write_commit(self.tree_now(), parents, who, self.time, text);
        self.point(id);
        id
    }

    /// Moves the branch.
    pub(crate) fn point(&mut self, id: ObjectId) {
        self.head = Some(id);
        self.tree.write(".git/refs/heads/main", format!("{id}\n"));
    }

    pub(crate) fn object_path(&self, id: &ObjectId) -> PathBuf {
        let hex = id.to_string();
        self.tree.join(".git/objects").join(&hex[..2]).join(&hex[2..])
    }
}

/// Text of the given number of lines, distinct per `name`.
pub(crate) fn lines(name: &str, count: usize) -> String {
    (0..count).map(|number| format!("{name} says {number}\n")).collect()
}
