//! Creates a project's folder of memories.

use std::path::{Path, PathBuf};

use m1nd_store::{RealSystem, SharedFolder, create_user_file, inside};
use m1nd_vfs::{PathKind, canonical};

use crate::MemoryError;
use crate::files::approval::FILE as APPROVALS_FILE;
use crate::files::project::{FOLDER, MEMORY_FILE, name_of, no_file};
use crate::files::registry::{FILE as REGISTRY_FILE, Registry};
use crate::keep::block::without_block;

/// Content of `.gitignore`, which keeps derived files out of git.
const IGNORED: &str = ".index/\n";

/// The result of [`make`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Folder of the project, canonical.
    pub project: PathBuf,
    /// `.mind/MEMORY.md` was created; if `false`, it existed and was left unchanged.
    pub is_new: bool,
}

/// Creates `.mind/` with an empty memory, unless there is one. `template` replaces the default text.
///
/// # Errors
/// [`MemoryError::Invalid`] if `folder` is none, or is the folder around `home`, the one that all projects share;
/// [`MemoryError::NoFile`]; else [`MemoryError::Store`].
pub fn make(folder: &Path, home: &Path, template: Option<&str>) -> Result<Made, MemoryError> {
    let shown = folder.display();
    let project = canonical(folder)
        .ok()
        .filter(|path| PathKind::at(path) == PathKind::Folder)
        .ok_or_else(|| MemoryError::Invalid(format!("`{shown}` is not a folder; name the folder of a project")))?;
    let mind = project.join(FOLDER);
    let real = |path: &Path| canonical(path).unwrap_or_else(|_| path.to_owned());
    if real(&mind) == real(home) {
        let why = format!("`{}` is what all projects share, so `{shown}` cannot be a project", mind.display());
        return Err(MemoryError::Invalid(format!("{why}; name a folder below it, or set MIND_HOME elsewhere")));
    }
    inside(&project, &mind)?;
    let text = template.map_or_else(|| new_memory(&name_of(&project)), str::to_owned);
    let is_new = create_user_file(&RealSystem, &project.join(MEMORY_FILE), text.as_bytes())?;
    if let Some(error) = no_file(&project) {
        return Err(error);
    }
    create_user_file(&RealSystem, &mind.join(".gitignore"), IGNORED.as_bytes())?;
    Ok(Made { project, is_new })
}

/// The text of a new `MEMORY.md`: nothing in it is a memory.
fn new_memory(name: &str) -> String {
    // A name may hold anything that a folder's name may.
    let name: String = name.chars().filter(|char| !char.is_control()).collect();
    format!(
        "<!-- MIND MEMORY: write freely, one thought a line; it is read as it is.\n\
         Keywords: decided, problem, fixed, learned, gotcha, KEY, Next, blocked by -->\n\
         # {name}\n\n\
         ## Project State\n\n\
         - Goal: (describe your goal)\n\
         - Stack: (add your stack)\n\
         - Blocked: None\n\n\
         ## Gotchas\n\n\
         ---\n\n\
         ## Session Log\n"
    )
}

/// A file that [`make`], a registration and the block write.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Planned {
    /// Its path.
    pub file: PathBuf,
    /// Whether there is none yet.
    pub is_new: bool,
    /// What is written, in a few words.
    pub change: &'static str,
}

/// Returns the files that connecting the project in `folder` writes, in order, without writing any.
pub fn plan_files(folder: &Path, home: &Path) -> Vec<Planned> {
    let project = canonical(folder).unwrap_or_else(|_| folder.to_owned());
    let plan = |file: PathBuf, change| Planned { is_new: PathKind::at(&file) == PathKind::Nothing, file, change };
    let mut files = vec![
        plan(project.join(MEMORY_FILE), "the memory: a title and empty sections"),
        plan(project.join(FOLDER).join(".gitignore"), "keeps the index out of git"),
    ];
    files.push(plan(project.join(FOLDER).join(".index"), "derived from the memory; may be deleted"));
    files.retain(|file| file.is_new);
    let blocks = without_block(&project).into_iter();
    files.extend(blocks.map(|file| plan(file, "a marked block; the rest of the file stays")));
    let registered = Registry::new(SharedFolder::new(home.to_owned())).get(&project);
    if !matches!(registered, Ok(Some(_))) {
        files.push(plan(home.join(REGISTRY_FILE), "the project is registered"));
        files.push(plan(home.join(APPROVALS_FILE), "the memories of the project are approved"));
    }
    files
}
