//! A model of a disk: synced data is certain, any part of the rest may be there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Random;

type Inode = usize;

/// Files and names, with the parts of both that are not yet durable.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    files: Vec<Content>,
    folders: BTreeMap<PathBuf, Names>,
}

#[derive(Debug, Default, Clone)]
struct Content {
    synced: Vec<u8>,
    length: usize,
    /// Start and bytes of each later write.
    pending: Vec<(usize, Vec<u8>)>,
}

#[derive(Debug, Default, Clone)]
struct Names {
    synced: BTreeMap<String, Inode>,
    current: BTreeMap<String, Inode>,
    pending: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Set(String, Inode),
    Move(String, String, Inode),
    Remove(String),
}

impl Disk {
    pub(crate) fn create(&mut self, path: &Path) {
        let inode = self.files.len();
        self.files.push(Content::default());
        let (names, name) = self.names(path);
        names.make(Change::Set(name, inode));
    }

    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) {
        if let Some(file) = self.file(path) {
            file.pending.push((file.length, bytes.to_vec()));
            file.length += bytes.len();
        }
    }

    pub(crate) fn sync(&mut self, path: &Path) {
        if let Some(file) = self.file(path) {
            for (start, bytes) in std::mem::take(&mut file.pending) {
                put(&mut file.synced, start, &bytes);
            }
        }
    }

    pub(crate) fn rename(&mut self, from: &Path, to: &Path) {
        assert_eq!(from.parent(), to.parent(), "the model knows renames within one folder only");
        let (_, to) = self.names(to);
        let (names, from) = self.names(from);
        if let Some(&inode) = names.current.get(&from) {
            names.make(Change::Move(from, to, inode));
        }
    }

    pub(crate) fn remove(&mut self, path: &Path) {
        let (names, name) = self.names(path);
        names.make(Change::Remove(name));
    }

    pub(crate) fn sync_folder(&mut self, path: &Path) {
        let names = self.folders.entry(path.to_owned()).or_default();
        names.synced.clone_from(&names.current);
        names.pending.clear();
    }

    /// Writes one of the possible states of `folder` after a power loss into `target`.
    pub(crate) fn image(&self, folder: &Path, seed: u64, target: &Path) {
        let Some(names) = self.folders.get(folder) else { return };
        let mut random = Random::new(seed);
        let mut entries = names.synced.clone();
        for change in &names.pending {
            if random.coin() {
                change.apply(&mut entries);
            }
        }
        for (name, inode) in entries {
            let content = self.files[inode].after_loss(&mut random);
            fs::write(target.join(name), content).expect("the image can be written");
        }
    }

    fn names(&mut self, path: &Path) -> (&mut Names, String) {
        let folder = path.parent().expect("a file lies in a folder").to_owned();
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        (self.folders.entry(folder).or_default(), name)
    }

    fn file(&mut self, path: &Path) -> Option<&mut Content> {
        let (names, name) = self.names(path);
        let inode = *names.current.get(&name)?;
        self.files.get_mut(inode)
    }
}

impl Names {
    fn make(&mut self, change: Change) {
        change.apply(&mut self.current);
        self.pending.push(change);
    }
}

impl Change {
    fn apply(&self, entries: &mut BTreeMap<String, Inode>) {
        match self {
            Self::Set(name, inode) => drop(entries.insert(name.clone(), *inode)),
            Self::Move(from, to, inode) => {
                entries.remove(from);
                entries.insert(to.clone(), *inode);
            }
            Self::Remove(name) => drop(entries.remove(name)),
        }
    }
}

impl Content {
    fn after_loss(&self, random: &mut Random) -> Vec<u8> {
        let mut content = self.synced.clone();
        let kept: Vec<&(usize, Vec<u8>)> = self.pending.iter().filter(|_| random.coin()).collect();
        for (index, (start, bytes)) in kept.iter().enumerate() {
            let torn = index + 1 == kept.len();
            let end = if torn { random.below(bytes.len() + 1) } else { bytes.len() };
            put(&mut content, *start, &bytes[..end]);
        }
        content
    }
}

/// Overwrites or appends; a gap is filled with zeros, as file systems do.
fn put(content: &mut Vec<u8>, start: usize, bytes: &[u8]) {
    let end = start + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[start..end].copy_from_slice(bytes);
}
