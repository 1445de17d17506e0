//! Which servers of this user are running. Each has a file in the home of m1nd, and holds a lock as long as it lives.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use m1nd_store::{HeldLock, RealSystem, SharedFolder, StoreError, durable_write};
use serde_json::{Value, json};

use crate::token::{FOLDER, draw};

/// Endings of the files of a server.
const FILE: &str = ".json";
const LOCK: &str = ".lock";
/// Maximum size of such a file, in bytes.
const MAX_BYTES: u64 = 16 << 10;
/// The file that a browser opens.
const REDIRECT: &str = "open.html";
/// Random bytes of an id.
const ID_BYTES: usize = 8;

/// A running server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Its id.
    pub id: String,
    /// The folder that it indexes.
    pub root: String,
    /// Where it listens.
    pub url: String,
    /// Its process.
    pub pid: u32,
    /// When it started, in milliseconds since 1970.
    pub started: u64,
}

/// The entry of this server, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Announcement {
    folder: SharedFolder,
    pub(crate) id: String,
    _lock: HeldLock,
}

fn folder_of(home: &Path) -> SharedFolder {
    SharedFolder::new(home.join(FOLDER).join("instances"))
}

impl Announcement {
    /// Announces this server, and removes entries of servers that have ended without doing so.
    #[allow(clippy::disallowed_methods, reason = "people see when a server was started")]
    pub(crate) fn write(home: &Path, root: &Path, url: &str) -> Result<Self, StoreError> {
        let folder = folder_of(home);
        remove_ended(&folder)?;
        let path: PathBuf = folder.path().to_owned();
        let id = draw(ID_BYTES).map_err(|source| StoreError::Io { action: "draw a name in", path, source })?;
        let Some(lock) = folder.try_hold(&format!("{id}{LOCK}"))? else {
            return Err(StoreError::Taken { path: folder.path().join(id) });
        };
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        let entry = json!({"root": root, "url": url, "pid": std::process::id(), "started": started});
        let file = folder.path().join(format!("{id}{FILE}"));
        durable_write(&RealSystem, &file, entry.to_string().as_bytes())?;
        Ok(Self { folder, id, _lock: lock })
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        for ending in [FILE, LOCK] {
            let _ = self.folder.remove(&format!("{}{ending}", self.id));
        }
    }
}

/// Ids in the folder with whether their server runs.
fn list_ids(folder: &SharedFolder) -> Result<Vec<(String, bool)>, StoreError> {
    let names = folder.list()?;
    let ids = names.iter().filter_map(|name| name.strip_suffix(FILE).or_else(|| name.strip_suffix(LOCK)));
    let mut ids: Vec<String> = ids.map(str::to_owned).collect();
    ids.dedup();
    Ok(ids.into_iter().map(|id| (id.clone(), folder.is_held(&format!("{id}{LOCK}")))).collect())
}

fn remove_ended(folder: &SharedFolder) -> Result<(), StoreError> {
    for (id, runs) in list_ids(folder)? {
        // The lock is taken before, so that a server that is starting keeps its own.
        if !runs && let Some(_lock) = folder.try_hold(&format!("{id}{LOCK}"))? {
            folder.remove(&format!("{id}{FILE}"))?;
            folder.remove(&format!("{id}{LOCK}"))?;
        }
    }
    Ok(())
}

/// The running servers of a home.
///
/// # Errors
/// The folder cannot be read.
pub fn list_instances(home: &Path) -> Result<Vec<Instance>, StoreError> {
    let folder = folder_of(home);
    let running = list_ids(&folder)?.into_iter().filter(|(_, runs)| *runs);
    Ok(running.filter_map(|(id, _)| read(&folder, id)).collect())
}

/// The running server of a project; `None` if there is none.
///
/// # Errors
/// The folder cannot be read.
pub fn find_instance(home: &Path, root: &Path) -> Result<Option<Instance>, StoreError> {
    let root = root.to_string_lossy();
    Ok(list_instances(home)?.into_iter().find(|instance| instance.root == root))
}

/// Writes a file that leads a browser to an address with the token, which a command line would show to other users.
/// Only its owner can read it.
///
/// # Errors
/// The file cannot be written.
pub fn write_redirect(home: &Path, address: &str) -> Result<PathBuf, StoreError> {
    let file = home.join(FOLDER).join(REDIRECT);
    let page = format!("<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0;url={address}\">\n");
    durable_write(&RealSystem, &file, page.as_bytes())?;
    Ok(file)
}

fn read(folder: &SharedFolder, id: String) -> Option<Instance> {
    let bytes = folder.read(&format!("{id}{FILE}"), MAX_BYTES).ok()??;
    let entry: Value = serde_json::from_slice(&bytes).ok()?;
    let text = |name: &str| entry[name].as_str().map(str::to_owned);
    Some(Instance {
        id,
        root: text("root")?,
        url: text("url")?,
        pid: u32::try_from(entry["pid"].as_u64()?).ok()?,
        started: entry["started"].as_u64()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_listed_as_long_as_they_run() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(list_instances(home.path()).unwrap(), []);
        let one = Announcement::write(home.path(), Path::new("/a"), "http://127.0.0.1:1").unwrap();
        let two = Announcement::write(home.path(), Path::new("/b"), "http://127.0.0.1:2").unwrap();
        assert_eq!(list_instances(home.path()).unwrap().len(), 2);
        assert_eq!(find_instance(home.path(), Path::new("/b")).unwrap().unwrap().id, two.id);
        drop(one);
        assert_eq!(find_instance(home.path(), Path::new("/a")).unwrap(), None);
        // One that ended without removing its entry.
        let folder = folder_of(home.path());
        std::fs::write(folder.path().join("left.json"), r#"{"root": "/a", "url": "u", "pid": 1, "started": 1}"#)
            .unwrap();
        std::fs::write(folder.path().join("left.lock"), "").unwrap();
        assert_eq!(list_instances(home.path()).unwrap().len(), 1);
        drop(Announcement::write(home.path(), Path::new("/c"), "http://127.0.0.1:3").unwrap());
        assert!(!folder.path().join("left.json").exists() && !folder.path().join("left.lock").exists());
    }
}
