use std::fs;
use std::path::{Path, PathBuf};

/// Marks the line that names a file of a fixture.
const MARK: &str = "//- ";

/// Splits a fixture text into files.
///
/// A line `//- src/a.py` starts a file; all lines up to the next such line are its content. A `/` before the path is
/// dropped. Lines before the first mark must be blank.
///
/// ```
/// let files = m1nd_testkit::parse_fixture("//- a.py\nx = 1\n//- /b/c.py\n");
/// assert_eq!(files, [("a.py".to_owned(), "x = 1\n".to_owned()), ("b/c.py".to_owned(), String::new())]);
/// ```
pub fn parse_fixture(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix(MARK) {
            files.push((path.trim().trim_start_matches('/').to_owned(), String::new()));
        } else if let Some((_, content)) = files.last_mut() {
            content.push_str(line);
        } else {
            assert!(line.trim().is_empty(), "a fixture must start with `{MARK}<path>`, found {line:?}");
        }
    }
    files
}

/// A folder with files of a fixture, removed when dropped.
#[derive(Debug)]
pub struct TempTree {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl TempTree {
    /// Writes the files of `fixture` ([`parse_fixture`]) into a new folder.
    pub fn new(fixture: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("m1nd-test-").tempdir().expect("a temporary folder can be made");
        let path = fs::canonicalize(folder.path()).expect("it was just made");
        let tree = Self { folder, path };
        for (path, content) in parse_fixture(fixture) {
            tree.write(&path, content);
        }
        tree
    }

    /// The canonical path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of something in it.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path.join(path)
    }

    /// Writes a file, creating missing folders.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.join(path);
        fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("its folder can be made");
        fs::write(&path, content).expect("it can be written");
    }

    /// Removes a file, or a folder with its content.
    pub fn remove(&self, path: impl AsRef<Path>) {
        let path = self.join(path);
        let is_folder = fs::symlink_metadata(&path).expect("it exists").is_dir();
        if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.expect("it can be removed");
    }

    /// Keeps the folder on the disk, for inspection after a failure.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}
