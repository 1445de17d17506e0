//! Reading and replacing the files of a project's memories. A replaced file is kept as it was.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Zoned;
use m1nd_base::RepoPath;
use m1nd_store::{HeldLock, RealSystem, Replaced, create_user_file, inside, replace_growing_file, replace_user_file};
use m1nd_vfs::{PathKind, Root};

use crate::MemoryError;
use crate::files::archives::ARCHIVE;
use crate::files::project::index_folder;

/// Maximum size of a file that is changed, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Lock file held during a change.
pub(crate) const LOCK: &str = ".tidy.lock";
/// Maximum number of copies of a file that were made in one second.
const MAX_BACKUPS: usize = 1_000;
/// Maximum wait for the lock.
const WAIT: Duration = Duration::from_secs(5);

/// Takes the lock under which memory files are changed.
pub(crate) fn lock(project: &Path) -> Result<HeldLock, MemoryError> {
    Ok(index_folder(project)?.hold(LOCK, WAIT)?)
}

/// Returns the text of a file of the project.
pub(crate) fn read(project: &Path, file: &str) -> Result<String, MemoryError> {
    let path = RepoPath::new(file).map_err(|error| MemoryError::Invalid(error.to_string()))?;
    let bytes = Root::open(project)?.read(&path, MAX_BYTES)?;
    String::from_utf8(bytes).map_err(|_| MemoryError::Invalid(format!("{file} is not UTF-8; it was left as it is")))
}

/// Adds a section to the archive file of a year, unless that holds it already. Creates the file if there is none.
///
/// # Errors
/// [`MemoryError::Store`], [`MemoryError::Files`], or [`MemoryError::Invalid`] if the file is not UTF-8; it is then
/// unchanged.
pub(crate) fn append(project: &Path, year: i16, section: &str) -> Result<(), MemoryError> {
    let folder = inside(project, &project.join(ARCHIVE))?;
    let name = archive_of(year);
    let file = folder.join(format!("{year}.md"));
    create_user_file(&RealSystem, &file, format!("# {year}\n\n").as_bytes())?;
    let before = read(project, &name)?;
    if before.contains(section) {
        // An earlier attempt was interrupted after this step.
        return Ok(());
    }
    let gap = if before.ends_with('\n') { "" } else { "\n" };
    replace_user_file(&RealSystem, &file, format!("{before}{gap}{section}").as_bytes())?;
    Ok(())
}

/// The archive file of a year, below the project.
pub(crate) fn archive_of(year: i16) -> String {
    format!("{ARCHIVE}/{year}.md")
}

/// Replaces the content `before` of a file of memories, of which a copy is kept. Lines that others append meanwhile
/// stay; see [`replace_growing_file`].
///
/// # Errors
/// [`MemoryError::Invalid`] if others changed more than its end; nothing is done then. [`MemoryError::Store`].
pub(crate) fn replace(project: &Path, file: &str, before: &str, after: &str) -> Result<(), MemoryError> {
    let kept = unused_backup(project, file)?;
    let target = inside(project, &project.join(file))?;
    match replace_growing_file(&RealSystem, &target, before.as_bytes(), after.as_bytes(), &kept)? {
        Replaced::Done => Ok(()),
        Replaced::Changed => {
            Err(MemoryError::Invalid(format!("{file} was changed meanwhile; nothing was done, try again")))
        }
    }
}

/// A path for the copy of a file that has no file yet.
fn unused_backup(project: &Path, file: &str) -> Result<PathBuf, MemoryError> {
    let folder = index_folder(project)?.path().join("backup");
    let name = format!("{}-{}", file.rsplit('/').next().unwrap_or(file), Zoned::now().strftime("%Y-%m-%dT%H-%M-%S"));
    let numbered = (2..MAX_BACKUPS).map(|number| folder.join(format!("{name}-{number}")));
    let mut paths = std::iter::once(folder.join(&name)).chain(numbered);
    let unused = paths.find(|path| PathKind::at(path) == PathKind::Nothing);
    unused.ok_or_else(|| MemoryError::Invalid(format!("{} holds too many copies of {file}", folder.display())))
}
