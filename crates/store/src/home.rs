use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use m1nd_base::{ContentHash, System};

use crate::project::SNAPSHOTS;
use crate::{FactsCache, ProjectDir, RealSystem, SharedFolder, StoreError, durable_write, snapshots};

/// Maximum length of the readable part of a project folder's name, in characters.
const SLUG_CHARS: usize = 40;
/// Number of hex digits that make the name unique.
const HASH_DIGITS: usize = 16;

/// The list of [`Home::readable_folders`], one in a line.
const READABLE: &str = "readable-folders";
/// Lock file held during a change of the list.
const READABLE_LOCK: &str = "readable-folders.lock";
/// How long a change of the list waits for others.
const WAIT: Duration = Duration::from_secs(10);

/// What the folder names of federations begin with, so that none is that of a project.
const FEDERATION: &str = "federation-of-";

/// The folder under which everything is stored. No other type builds paths below it.
#[derive(Debug, Clone)]
pub struct Home {
    path: PathBuf,
    system: Arc<dyn System>,
}

impl Home {
    /// Opens the folder at `path`, creating it with access for its owner only.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Arc::new(RealSystem))
    }

    /// Like [`Home::open`], with the given file operations.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn open_with(path: &Path, system: Arc<dyn System>) -> Result<Self, StoreError> {
        system.create_folder(path).map_err(StoreError::io("create the folder", path))?;
        let path = std::fs::canonicalize(path).map_err(StoreError::io("open the folder", path))?;
        Ok(Self { path, system })
    }

    /// The folder at `path`, for a program that only reads: creates nothing. It need not exist.
    pub fn to_read(path: &Path) -> Self {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Self { path, system: Arc::new(RealSystem) }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the stored state of the project whose first root is `first_root`, which must exist. The same folder
    /// gives the same project, whatever links lead to it.
    ///
    /// # Errors
    /// Those of opening its databases: see [`StoreError`].
    pub fn project(&self, first_root: &Path) -> Result<ProjectDir, StoreError> {
        let root = std::fs::canonicalize(first_root).map_err(StoreError::io("open the folder", first_root))?;
        ProjectDir::open(self.path.join("projects").join(folder_name(&root)), self.system.clone())
    }

    /// Like [`Home::project`], for a program that only reads: missing files count as empty, and nothing is created.
    ///
    /// # Errors
    /// Those of opening its databases: see [`StoreError`].
    pub fn project_to_read(&self, first_root: &Path) -> Result<ProjectDir, StoreError> {
        let root = std::fs::canonicalize(first_root).map_err(StoreError::io("open the folder", first_root))?;
        ProjectDir::open_to_read(self.path.join("projects").join(folder_name(&root)), self.system.clone())
    }

    /// Opens the stored state of a federation that belongs to the folder `workspace`, which must exist.
    ///
    /// # Errors
    /// Those of [`Home::project`].
    pub fn federation(&self, workspace: &Path) -> Result<ProjectDir, StoreError> {
        ProjectDir::open(self.federation_folder(workspace)?, self.system.clone())
    }

    /// Like [`Home::federation`], for a program that only reads, as [`Home::project_to_read`].
    ///
    /// # Errors
    /// Those of [`Home::project`].
    pub fn federation_to_read(&self, workspace: &Path) -> Result<ProjectDir, StoreError> {
        ProjectDir::open_to_read(self.federation_folder(workspace)?, self.system.clone())
    }

    fn federation_folder(&self, workspace: &Path) -> Result<PathBuf, StoreError> {
        let folder = std::fs::canonicalize(workspace).map_err(StoreError::io("open the folder", workspace))?;
        Ok(self.path.join("projects").join(format!("{FEDERATION}{}", folder_name(&folder))))
    }

    /// Folders that the user allowed to be read although no root of a project. Of a list that cannot be read, none.
    pub fn readable_folders(&self) -> Vec<PathBuf> {
        let listed = std::fs::read_to_string(self.path.join(READABLE)).unwrap_or_default();
        listed.lines().map(PathBuf::from).filter(|folder| folder.is_absolute()).collect()
    }

    /// Adds to [`Home::readable_folders`].
    ///
    /// # Errors
    /// [`StoreError::Io`]; also for a path with a line feed or one that is not UTF-8, which cannot be listed.
    /// [`StoreError::Taken`] if another process holds the list.
    pub fn allow_folder(&self, folder: &Path) -> Result<(), StoreError> {
        let path = self.path.join(READABLE);
        let refused = || StoreError::io("list a folder in", &path)(std::io::ErrorKind::InvalidFilename.into());
        let text = folder.to_str().filter(|text| !text.contains('\n')).ok_or_else(refused)?;
        // Two processes that add a folder each would otherwise lose one.
        let _lock = SharedFolder::with_system(self.path.clone(), self.system.clone()).hold(READABLE_LOCK, WAIT)?;
        let mut folders = self.readable_folders();
        if folders.iter().any(|known| known == folder) {
            return Ok(());
        }
        folders.push(PathBuf::from(text));
        let lines: String = folders.iter().map(|folder| format!("{}\n", folder.display())).collect();
        durable_write(&*self.system, &path, lines.as_bytes())
    }

    /// Returns whether a store at `path` holds a snapshot of a project whose first root is `first_root`. Creates
    /// nothing.
    pub fn holds(path: &Path, first_root: &Path) -> bool {
        let snapshot = |root: PathBuf| {
            let folder = path.join("projects").join(folder_name(&root));
            snapshots::current(&RealSystem, &folder.join(SNAPSHOTS))
        };
        std::fs::canonicalize(first_root).is_ok_and(|root| snapshot(root).is_file())
    }

    /// Returns whether a store at `path` has state of the project whose first root is `first_root`. Creates nothing.
    pub fn has_project(path: &Path, first_root: &Path) -> bool {
        Self::project_folder(path, first_root).is_some()
    }

    /// The folder with the state of the project whose first root is `first_root` in a store at `path`; `None` if there
    /// is none. Creates nothing.
    pub fn project_folder(path: &Path, first_root: &Path) -> Option<PathBuf> {
        let root = std::fs::canonicalize(first_root).ok()?;
        Some(path.join("projects").join(folder_name(&root))).filter(|folder| folder.is_dir())
    }

    /// A folder as its state is named: absolute and without links, if it exists.
    #[must_use]
    pub fn canonical(folder: &Path) -> PathBuf {
        std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
    }

    /// Opens the facts cache, shared by all projects and processes.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Database`] or [`StoreError::TooNew`]; never damage, which empties it.
    pub fn facts_cache(&self) -> Result<FactsCache, StoreError> {
        FactsCache::open(&self.path.join("cache").join("facts"), self.system.clone())
    }
}

/// `<slug>-<hash>`: a readable part and a unique one.
fn folder_name(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let mut slug = String::new();
    for c in name.chars().take(SLUG_CHARS) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    let hash = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_string();
    format!("{}-{}", if slug.is_empty() { "project" } else { slug }, &hash[..HASH_DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_and_unique() {
        let name = |path: &str| folder_name(Path::new(path));
        assert!(name("/a/My Project_2").starts_with("my-project-2-"));
        assert!(name("/").starts_with("project-") && name("/ä").starts_with("project-"));
        assert_ne!(name("/a/x"), name("/b/x"));
        assert!(name(&format!("/{}", "x".repeat(255))).len() <= SLUG_CHARS + 1 + HASH_DIGITS);
    }
    /// Each of several processes that add a folder at once keeps what the others added.
    #[test]
    fn folders_allowed_at_once_are_all_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::open(folder.path()).expect("opens");
        std::thread::scope(|scope| {
            for number in 0..16 {
                let home = &home;
                scope.spawn(move || home.allow_folder(Path::new(&format!("/srv/{number}"))).expect("is listed"));
            }
        });
        assert_eq!(home.readable_folders().len(), 16);
    }
}
