//! The format versions of the files of a store, read without changing them.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::database::Schema;
use crate::project::{DATABASE, SNAPSHOTS};
use crate::{Home, RealSystem, facts, settings, snapshots};

/// The format of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseFormat {
    /// Path of the file.
    pub path: PathBuf,
    /// Its format version, or why it cannot be read.
    pub found: Result<u32, String>,
    /// The newest version that this program reads.
    pub supported: u32,
    /// Its content cannot be made again. A database of derived data can.
    pub is_precious: bool,
}

impl Home {
    /// The formats of the databases in a store at `path` that the project whose first root is `first_root` uses, as far
    /// as they exist. Creates and changes nothing.
    pub fn list_database_formats(path: &Path, first_root: &Path) -> Vec<DatabaseFormat> {
        let project = Self::project_folder(path, first_root).map(|folder| (folder.join(DATABASE), &settings::SCHEMA));
        let facts = (path.join("cache").join("facts").join(facts::FILE), &facts::SCHEMA);
        let files = project.into_iter().chain([facts]).filter(|(path, _)| path.is_file());
        files.map(|(path, schema)| read_format(path, schema)).collect()
    }

    /// The current snapshot file of the project whose first root is `first_root` in a store at `path`; `None` if there
    /// is none.
    pub fn find_snapshot(path: &Path, first_root: &Path) -> Option<PathBuf> {
        let folder = Self::project_folder(path, first_root)?;
        Some(snapshots::current(&RealSystem, &folder.join(SNAPSHOTS))).filter(|file| file.is_file())
    }
}

fn read_format(path: PathBuf, schema: &Schema) -> DatabaseFormat {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let found = Connection::open_with_flags(&path, flags)
        .and_then(|connection| connection.pragma_query_value(None, "user_version", |row| row.get(0)))
        .map_err(|error| error.to_string());
    DatabaseFormat { path, found, supported: schema.newest(), is_precious: schema.precious.is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_and_nothing_is_created() {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, root) = (folder.path().join("store"), folder.path().to_owned());
        assert_eq!(Home::list_database_formats(&store, &root), []);
        assert!(!store.exists(), "nothing is created");
        drop(Home::open(&store).and_then(|home| home.project(&root)).expect("a project"));
        let found = Home::list_database_formats(&store, &root);
        let [project] = &found[..] else { panic!("{found:?}") };
        assert!(project.is_precious && project.found == Ok(project.supported), "{project:?}");
        std::fs::write(&project.path, "not a database, but long enough to have a header of its own").expect("writable");
        assert!(Home::list_database_formats(&store, &root)[0].found.is_err());
        assert_eq!(Home::find_snapshot(&store, &root), None);
    }
}
