//! The texts of a clone: found, read, appended to.

use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_history::GitFolder;
use m1nd_memory::SourceKind;
use m1nd_store::{RealSystem, SharedFolder, append_to_user_file, create_user_file, inside};

use crate::TeamError;
use crate::entry::MemoryText;

/// The folder of a project's memories.
const FOLDER: &str = ".mind";
/// The memories, below the project.
pub(crate) const MEMORY_FILE: &str = ".mind/MEMORY.md";
/// Folder of old memories, below the project.
const ARCHIVE: &str = ".mind/archive";
/// Folder of derived data, below the project.
const INDEX: &str = ".mind/.index";
/// The file that keeps derived data out of git, and its content.
const IGNORE_FILE: &str = ".mind/.gitignore";
const IGNORED: &[u8] = b".index/\n";
/// Lock file under which memory files are changed; other programs of m1nd take it as well.
const LOCK: &str = ".tidy.lock";
/// Maximum wait for that lock.
const WAIT: Duration = Duration::from_secs(5);
/// Maximum size of a text, in bytes.
const MAX_TEXT: u64 = 8 << 20;
/// Maximum number of archive files that are read.
const MAX_ARCHIVES: usize = 200;
/// Maximum length of a repository's name, in bytes.
const MAX_NAME: usize = 256;

/// A clone of a repository.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
    repository: String,
}

/// A text that was read.
pub(crate) struct ReadText {
    file: String,
    kind: SourceKind,
    content: String,
}

impl ReadText {
    pub(crate) fn view(&self) -> MemoryText<'_> {
        MemoryText { file: &self.file, kind: self.kind, content: &self.content }
    }
}

impl Project {
    /// The project around a folder: the nearest one with memories, else the nearest one with a repository. `repository`
    /// is the name by which the team knows it; by default it follows from the remote `origin`.
    ///
    /// # Errors
    /// [`TeamError::Invalid`] if there is none, or its name cannot be found out.
    pub fn find(start: &Path, home: &Path, repository: Option<&str>) -> Result<Self, TeamError> {
        let invalid = |why: String| TeamError::Invalid(why);
        let start = std::fs::canonicalize(start)
            .map_err(|error| invalid(format!("cannot open the folder `{}`: {error}", start.display())))?;
        let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned());
        let is_own = |folder: &&Path| !folder.join(FOLDER).starts_with(&home);
        let folders = || start.ancestors().filter(is_own);
        let root = folders()
            .find(|folder| folder.join(MEMORY_FILE).is_file())
            .or_else(|| folders().find(|folder| folder.join(".git").exists()));
        let Some(root) = root else {
            return Err(invalid(format!(
                "`{}` is not in a project; create {MEMORY_FILE} with `m1nd memory init`",
                start.display()
            )));
        };
        let name = match repository {
            Some(name) => name.to_owned(),
            None => find_name(root).ok_or_else(|| {
                invalid("the repository has no remote `origin`; name it with --repository NAME".to_owned())
            })?,
        };
        if name.is_empty() || name.len() > MAX_NAME || name.contains(|c: char| c.is_control() || c.is_whitespace()) {
            return Err(invalid(format!("a repository's name has 1 to {MAX_NAME} bytes without blanks")));
        }
        Ok(Self { root: root.to_owned(), repository: name })
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name by which the team knows it.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Its texts: the memory file, then the archives in order of name.
    pub(crate) fn read_texts(&self) -> Result<Vec<ReadText>, TeamError> {
        let mut texts = Vec::new();
        let memory = self.read(MEMORY_FILE)?;
        texts.push(ReadText { file: MEMORY_FILE.to_owned(), kind: SourceKind::MemoryFile, content: memory });
        let folder = inside(&self.root, &self.root.join(ARCHIVE))?;
        let names = SharedFolder::new(folder).list()?;
        let archives = names.into_iter().filter(|name| name.ends_with(".md"));
        for name in archives.take(MAX_ARCHIVES) {
            let file = format!("{ARCHIVE}/{name}");
            let content = self.read(&file)?;
            texts.push(ReadText { file, kind: SourceKind::Archive, content });
        }
        Ok(texts)
    }

    /// Appends to the memory file what `write` makes of its content, under the lock of all writers. Creates the file.
    pub(crate) fn append<T>(&self, write: impl FnOnce(&str) -> Result<(T, String), TeamError>) -> Result<T, TeamError> {
        for folder in [FOLDER, INDEX] {
            inside(&self.root, &self.root.join(folder))?;
        }
        let index = SharedFolder::new(self.root.join(INDEX));
        inside(&self.root, &index.path().join(LOCK))?;
        let _lock = index.hold(LOCK, WAIT)?;
        let before = self.read(MEMORY_FILE)?;
        let (answer, added) = write(&before)?;
        if !added.is_empty() {
            let path = self.root.join(MEMORY_FILE);
            let name = self.root.file_name().unwrap_or_default().to_string_lossy();
            create_user_file(&RealSystem, &path, format!("# {name}\n").as_bytes())?;
            create_user_file(&RealSystem, &self.root.join(IGNORE_FILE), IGNORED)?;
            append_to_user_file(&inside(&self.root, &path)?, added.as_bytes())?;
        }
        Ok(answer)
    }

    /// The content of a file below the project; empty if there is none.
    fn read(&self, file: &str) -> Result<String, TeamError> {
        let path = inside(&self.root, &self.root.join(file))?;
        let folder = path.parent().unwrap_or(&self.root).to_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = SharedFolder::new(folder).read(&name, MAX_TEXT)?.unwrap_or_default();
        String::from_utf8(bytes).map_err(|_| TeamError::Invalid(format!("{file} is not UTF-8; it was left as it is")))
    }
}

/// The name of the repository around a folder, by its remote `origin`.
fn find_name(root: &Path) -> Option<String> {
    let top = root.ancestors().find(|folder| folder.join(".git").exists())?;
    GitFolder::find(top).ok()?.repository_name()
}
