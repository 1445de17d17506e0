//! From a path to an open folder and a name in it.

use m1nd_base::RepoPath;
use m1nd_vfs::{Folder, FolderId, Root, VfsError};

use crate::EditError;
use crate::disk::{Gate, Step, create_folder};
use crate::journal::TEMPORARY;

/// Longest path of a file in its root, in bytes.
const MAX_PATH: usize = 2_048;
/// Most folders above a file in its root.
const MAX_FOLDERS: usize = 128;

/// Where a file is or will be.
#[derive(Debug)]
pub(crate) struct Destination {
    /// The deepest folder on the way that exists.
    pub(crate) folder: Folder,
    /// Folders below it that do not exist, from the top.
    pub(crate) missing: Vec<String>,
    /// Path of `folder` in the root, empty or with a slash at its end.
    pub(crate) inner: String,
    /// Name of the file.
    pub(crate) name: String,
}

/// Opens the folders on the way to a file, one after the other, through no link. `closed` are folders that nobody
/// writes to.
pub(crate) fn find(
    gate: &dyn Gate,
    root: &Root,
    path: &RepoPath,
    closed: &[FolderId],
    shown: &str,
) -> Result<Destination, EditError> {
    let refused = |why| EditError::Refused { path: shown.to_owned(), why };
    if path.as_str().len() > MAX_PATH || path.as_str().matches('/').count() > MAX_FOLDERS {
        return Err(refused("its path is longer than programs can open"));
    }
    let mut folder = root.folder()?;
    let mut names: Vec<&str> = path.as_str().split('/').collect();
    let name = names.pop().unwrap_or_default();
    for part in names.iter().chain([&name]) {
        check_name(part).map_err(refused)?;
    }
    m1nd_vfs::check_not_version_control(std::path::Path::new(path.as_str()))?;
    // Folder by folder, each opened inside the one before: no link is followed on the way.
    let mut missing = Vec::new();
    let mut inner = String::new();
    for part in names {
        if folder.id().is_some_and(|id| closed.contains(&id)) {
            return Err(refused("it belongs to the state of m1nd"));
        }
        if !missing.is_empty() {
            missing.push(part.to_owned());
            continue;
        }
        gate.pass(Step::Read).map_err(EditError::step(shown, "opening a folder"))?;
        match folder.child(part, shown) {
            Ok(child) => {
                folder = child;
                inner.push_str(part);
                inner.push('/');
            }
            // What is missing is made with the write, not before.
            Err(VfsError::NotFound { .. }) => missing.push(part.to_owned()),
            Err(VfsError::NotRegular { .. }) => return Err(refused("a folder on its way is a link")),
            Err(error) => return Err(error.into()),
        }
    }
    if folder.id().is_some_and(|id| closed.contains(&id)) {
        return Err(refused("it belongs to the state of m1nd"));
    }
    Ok(Destination { folder, missing, inner, name: name.to_owned() })
}

impl Destination {
    /// Creates the missing folders and returns the one of the file.
    pub(crate) fn make_folders(self, gate: &dyn Gate, shown: &str) -> Result<Folder, EditError> {
        let mut folder = self.folder;
        for name in &self.missing {
            create_folder(gate, &folder, name).map_err(EditError::step(shown, "creating a folder"))?;
            folder = folder.child(name, shown)?;
        }
        Ok(folder)
    }

    /// Paths in the root of the missing folders, from the top.
    pub(crate) fn missing_paths(&self) -> Vec<String> {
        let mut path = self.inner.clone();
        let mut paths = Vec::new();
        for name in &self.missing {
            path.push_str(name);
            paths.push(path.clone());
            path.push('/');
        }
        paths
    }
}

/// Names that some system takes for something other than a file of this name.
fn check_name(name: &str) -> Result<(), &'static str> {
    if name.starts_with(TEMPORARY) {
        return Err("m1nd gives such names to files that it is writing");
    }
    if name.chars().any(|c| c.is_control() || c == '\\') {
        return Err("its name has a control character or a backslash");
    }
    if cfg!(windows) && (name.ends_with(['.', ' ']) || name.contains(':') || is_device(name)) {
        return Err("the system takes its name for another file or a device");
    }
    Ok(())
}

/// Names of devices on Windows, with any extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_uppercase();
    matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL")
        || (stem.len() == 4
            && (stem.starts_with("COM") || stem.starts_with("LPT"))
            && stem.ends_with(|c: char| c.is_ascii_digit()))
}
