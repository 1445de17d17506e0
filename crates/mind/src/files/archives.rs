//! The archive of a project's memories: one file a year below `.mind/archive`.

use std::path::Path;

use m1nd_base::{Cancel, Limits, NoProgress};
use m1nd_store::inside;
use m1nd_vfs::{Root, VfsError, WalkOptions};

/// Folder of the archive, below the project.
pub(crate) const ARCHIVE: &str = ".mind/archive";
/// Maximum number of archive files that are read.
const MAX_ARCHIVES: usize = 100;
/// Maximum size of an archive file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Reads the archive files of a project: the path of each in the project, and its bytes. Adds to `problems` why one
/// cannot be used.
pub(crate) fn archives(project: &Path, problems: &mut Vec<String>) -> Vec<(String, Vec<u8>)> {
    let mut named = |why: String| problems.push(format!("{ARCHIVE} is not used: {why}"));
    // A folder that is a link out of the project is none of its own.
    let folder = inside(project, &project.join(ARCHIVE)).map_err(|error| error.to_string());
    let opened = match folder.map(|folder| Root::open(&folder)) {
        Ok(Err(VfsError::NotFound { .. })) => return Vec::new(),
        Ok(opened) => opened.map_err(|error| error.to_string()),
        Err(why) => Err(why),
    };
    let folder = match opened {
        Ok(folder) => folder,
        Err(why) => {
            named(why);
            return Vec::new();
        }
    };
    let walk = match folder.walk(&WalkOptions::default(), &Limits::default(), &Cancel::new(), &NoProgress) {
        Ok(walk) => walk,
        Err(error) => {
            named(error.to_string());
            return Vec::new();
        }
    };
    let paths = walk.files.into_iter().map(|(path, _)| path).filter(|path| path.extension() == Some("md"));
    let mut found = Vec::new();
    for (number, path) in paths.enumerate() {
        if number >= MAX_ARCHIVES {
            problems.push(format!("{ARCHIVE}: more than {MAX_ARCHIVES} files; the others are not read"));
            break;
        }
        match folder.read(&path, MAX_FILE) {
            Ok(bytes) => found.push((format!("{ARCHIVE}/{path}"), bytes)),
            Err(error) => problems.push(format!("{ARCHIVE}/{path} is not used: {error}")),
        }
    }
    found
}
