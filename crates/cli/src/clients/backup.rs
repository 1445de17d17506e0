//! Copies of the files of clients from before m1nd changed them, in the folder of the index. While a file is as m1nd
//! left it, its copy says what it was before.

use std::io::Write;
use std::path::{Path, PathBuf};

use m1nd_base::ContentHash;
use serde::{Deserialize, Serialize};

/// Folder of the copies, below the folder of the index.
const FOLDER: &str = "backups";

/// The copies in the folder of an index.
pub(crate) struct Backups {
    folder: PathBuf,
}

/// A copy.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    file: PathBuf,
    /// The text before the first change; `None` if there was no file.
    before: Option<String>,
    /// Hash of the text that m1nd wrote last.
    after: String,
    /// Folders that were created for the file, the deepest first.
    #[serde(default)]
    folders: Vec<PathBuf>,
}

impl Backups {
    pub(crate) fn new(home: &Path) -> Self {
        Self { folder: home.join(FOLDER) }
    }

    /// Keeps the text of a file before it is changed to `after`. If m1nd wrote the present text, the older copy stays.
    ///
    /// # Errors
    /// The copy cannot be written.
    pub(crate) fn keep(&self, file: &Path, before: Option<&str>, after: &str) -> std::io::Result<()> {
        let older = self.read(file).filter(|copy| Some(copy.after.as_str()) == before.map(hash).as_deref());
        let (before, folders) = match older {
            Some(copy) => (copy.before, copy.folders),
            None => (before.map(str::to_owned), list_missing_folders(file)),
        };
        let copy = Record { file: file.to_owned(), before, after: hash(after), folders };
        std::fs::create_dir_all(&self.folder)?;
        let path = self.path(file);
        let _ = std::fs::remove_file(&path);
        // Configuration files may hold secrets.
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut out = options.open(path)?;
        out.write_all(&serde_json::to_vec(&copy)?)?;
        out.sync_all()
    }

    /// What the file was before, if it is still as m1nd wrote it: its text, or `None` if it did not exist.
    pub(crate) fn find(&self, file: &Path, now: &str) -> Option<Option<String>> {
        self.read(file).filter(|copy| copy.after == hash(now)).map(|copy| copy.before)
    }

    /// Forgets the copy of a file. If the file is gone, the folders that were created for it go, unless something else
    /// is in them.
    pub(crate) fn drop_copy(&self, file: &Path) {
        if !file.exists() {
            let folders = self.read(file).map(|copy| copy.folders).unwrap_or_default();
            folders.iter().all(|folder| std::fs::remove_dir(folder).is_ok());
        }
        let _ = std::fs::remove_file(self.path(file));
        let _ = std::fs::remove_dir(&self.folder);
    }

    /// Every file that was changed.
    pub(crate) fn list(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let read = |path: PathBuf| serde_json::from_slice::<Record>(&std::fs::read(path).ok()?).ok();
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(read(entry.path())?.file)).collect();
        files.sort();
        files
    }

    fn path(&self, file: &Path) -> PathBuf {
        self.folder.join(format!("{}.json", hash(&file.to_string_lossy())))
    }

    fn read(&self, file: &Path) -> Option<Record> {
        serde_json::from_slice(&std::fs::read(self.path(file)).ok()?).ok()
    }
}

/// Folders above a file that do not exist, the deepest first.
fn list_missing_folders(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    above.map(Path::to_path_buf).collect()
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}
