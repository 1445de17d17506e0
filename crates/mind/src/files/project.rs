//! Which project a folder belongs to.

use std::path::{Path, PathBuf};

use m1nd_store::{SharedFolder, StoreError, inside};
use m1nd_vfs::{PathKind, canonical};

use crate::MemoryError;
use crate::files::main_tree::find_main_folder;

/// The folder of a project's memories.
pub(crate) const FOLDER: &str = ".mind";
/// The memories themselves, below the project.
pub(crate) const MEMORY_FILE: &str = ".mind/MEMORY.md";
/// The notes of the running session, below the project.
pub(crate) const SESSION_FILE: &str = ".mind/SESSION.md";
/// Folder of derived data, below the project.
pub(crate) const INDEX_FOLDER: &str = ".mind/.index";

/// The nearest folder from `start` upwards that holds `.mind/MEMORY.md`, canonical. `home` is the folder that all
/// projects share: it is called `.mind`, too, and is never taken for a project's.
///
/// # Errors
/// [`MemoryError::NoProject`]; [`MemoryError::NoFile`] where the nearest thing of that name is none.
pub fn find_project(start: &Path, home: &Path) -> Result<PathBuf, MemoryError> {
    let resolved = canonical(start);
    let shown = resolved.as_ref().ok().cloned().or_else(|| std::path::absolute(start).ok());
    let none = || MemoryError::NoProject { cwd: shown.clone().unwrap_or_else(|| start.to_owned()) };
    let start = resolved.map_err(|_| none())?;
    let home = canonical(home).unwrap_or_else(|_| home.to_owned());
    let can_hold = |folder: &&Path| {
        let mind = folder.join(FOLDER);
        mind != home && canonical(&mind).is_ok_and(|mind| mind != home)
    };
    let folders = || start.ancestors().filter(can_hold);
    let found = folders().find(|folder| PathKind::at(&folder.join(MEMORY_FILE)) == PathKind::File).map(Path::to_owned);
    // A work tree of a branch without memories has those of its repository.
    let in_main = || folders().find_map(|folder| find_main_folder(folder, MEMORY_FILE));
    found.or_else(in_main).ok_or_else(|| folders().find_map(no_file).unwrap_or_else(none))
}

/// The error for something other than a file at the path of a project's memory.
pub(crate) fn no_file(project: &Path) -> Option<MemoryError> {
    let path = project.join(MEMORY_FILE);
    let what = match PathKind::at(&path) {
        PathKind::File | PathKind::Nothing => return None,
        PathKind::Folder => "a folder",
        PathKind::Other => "a device or the like",
        PathKind::BrokenLink => "a link that cannot be followed",
    };
    Some(MemoryError::NoFile { path, what })
}

/// The folder of what can be made again, unless it, the folder around it or what is written in it by name is a link out
/// of the project: a repository must not say where we write.
///
/// # Errors
/// [`StoreError::Outside`], or [`StoreError::Io`] for a link to nothing.
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

/// The project that a folder or file belongs to, if one of these places lies in one: the first that does.
pub(crate) fn first_project(places: &[PathBuf], home: &Path) -> Result<PathBuf, MemoryError> {
    let mut missed = None;
    for place in places {
        match find_project(place, home) {
            Ok(project) => return Ok(project),
            // What is in the way says more than that there is nothing.
            Err(error @ MemoryError::NoFile { .. }) => missed = Some(error),
            Err(error) => missed = missed.or(Some(error)),
        }
    }
    Err(missed.unwrap_or_else(|| MemoryError::NoProject { cwd: PathBuf::from(".") }))
}
