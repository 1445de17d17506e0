//! Finds the project that a folder belongs to.

use std::path::{Path, PathBuf};

use m1nd_store::{SharedFolder, StoreError, inside};

use crate::MemoryError;

/// The folder of a project's memories.
pub(crate) const FOLDER: &str = ".mind";
/// The memories themselves, below the project.
pub(crate) const MEMORY_FILE: &str = ".mind/MEMORY.md";
/// The notes of the running session, below the project.
pub(crate) const SESSION_FILE: &str = ".mind/SESSION.md";
/// Derived files, relative to the project.
pub(crate) const INDEX_FOLDER: &str = ".mind/.index";

/// Returns the nearest folder from `start` upwards that contains `.mind/MEMORY.md`, canonical. `home` is the shared
/// folder: it is called `.mind`, too, and is never taken for a project's.
///
/// # Errors
/// [`MemoryError::NoProject`]; [`MemoryError::NoFile`] if the nearest entry of that name is no file.
pub fn find_project(start: &Path, home: &Path) -> Result<PathBuf, MemoryError> {
    let canonical = std::fs::canonicalize(start);
    let shown = canonical.as_ref().ok().cloned().or_else(|| std::path::absolute(start).ok());
    let none = || MemoryError::NoProject { cwd: shown.clone().unwrap_or_else(|| start.to_owned()) };
    let start = canonical.map_err(|_| none())?;
    let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned());
    let can_hold = |folder: &&Path| {
        let mind = folder.join(FOLDER);
        mind != home && std::fs::canonicalize(&mind).is_ok_and(|mind| mind != home)
    };
    let folders = || start.ancestors().filter(can_hold);
    let found = folders().find(|folder| folder.join(MEMORY_FILE).is_file());
    found.map(Path::to_owned).ok_or_else(|| folders().find_map(no_file).unwrap_or_else(none))
}

/// Error for an entry in the place of a project's memory that is no file.
pub(crate) fn no_file(project: &Path) -> Option<MemoryError> {
    let path = project.join(MEMORY_FILE);
    path.symlink_metadata().ok()?;
    let what = match path.metadata() {
        Ok(found) if found.is_file() => return None,
        Ok(found) if found.is_dir() => "a folder",
        Ok(_) => "a device or the like",
        Err(_) => "a link that cannot be followed",
    };
    Some(MemoryError::NoFile { path, what })
}

/// The folder of derived files, unless it, its parent or one of the written files is a link out of the project: a
/// repository must not control where we write.
///
/// # Errors
/// [`StoreError::Outside`], or [`StoreError::Io`] for a dangling link.
pub(crate) fn index_folder(project: &Path) -> Result<SharedFolder, StoreError> {
    let index = project.join(INDEX_FOLDER);
    inside(project, &project.join(FOLDER))?;
    inside(project, &index)?;
    for name in ["backup", ".lock", ".block.lock", ".tidy.lock"] {
        inside(project, &index.join(name))?;
    }
    Ok(SharedFolder::new(project.join(INDEX_FOLDER)))
}

/// The name of a project: that of its folder.
pub(crate) fn name_of(project: &Path) -> String {
    project.file_name().map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The project of the first of these places that is inside one.
pub(crate) fn first_project(places: &[PathBuf], home: &Path) -> Result<PathBuf, MemoryError> {
    let mut missed = None;
    for place in places {
        match find_project(place, home) {
            Ok(project) => return Ok(project),
            // An obstacle is more informative than a missing project.
            Err(error @ MemoryError::NoFile { .. }) => missed = Some(error),
            Err(error) => missed = missed.or(Some(error)),
        }
    }
    Err(missed.unwrap_or_else(|| MemoryError::NoProject { cwd: PathBuf::from(".") }))
}
