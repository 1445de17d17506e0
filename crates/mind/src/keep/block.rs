//! The block in `CLAUDE.md` and similar files: its state, its text, and writing it.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Zoned;
use m1nd_base::{RepoPath, System};
use m1nd_memory::block::{self, BlockHealth, BlockInput, BlockLimits};
use m1nd_memory::{Kind, Recall};
use m1nd_store::{RealSystem, SharedFolder, StoreError, create_user_file, inside, replace_user_file};
use m1nd_vfs::{PathKind, Root, VfsError};

use crate::MemoryError;
use crate::files::anchor::CodeState;
use crate::files::project::index_folder;
use crate::keep::kept::Kept;
use crate::read::behind::behind;
use crate::read::load::ProjectMemory;

/// File that is created if there is none.
const MAIN: &str = "CLAUDE.md";
/// Files that agents read by themselves, relative to the project.
const TARGETS: &[&str] = &[MAIN, "AGENTS.md", ".cursorrules", ".windsurfrules", ".clinerules"];
/// Maximum size of a file that is changed, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Lock file held during a change.
const LOCK: &str = ".block.lock";
/// Maximum wait for the lock.
const WAIT: Duration = Duration::from_secs(2);
/// Attempts when another program writes at the same time.
const TRIES: usize = 3;
/// Memories whose words show which gotchas matter, the last.
const MAX_SAID: usize = 400;
/// Files of the last session that count.
const MAX_FOCUS: usize = 20;
/// Message instead of writing a block.
const NOT_APPROVED: &str =
    "the memory of this project came with its folder and nobody here has approved it: read it, then run `mind approve`";
/// Command that shows more about a stale memory.
const REMEDY: &str = "`mind status`";
/// Backups kept of one file.
const MAX_BACKUPS: usize = 14;

/// Size of the block in a file with its markers, in lines and characters. `None` without a readable block.
pub(crate) fn size_in(file: &Path) -> Option<(usize, usize)> {
    let bytes = RealSystem.read(file, MAX_BYTES).ok()?;
    let body = block::inspect(&bytes).ok()??.body;
    Some((body.lines().count() + 2, body.chars().count()))
}

/// State of the block of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockState {
    /// The file does not exist.
    Absent,
    /// The file has no block.
    None,
    /// The block is up to date.
    Fresh,
    /// The block is out of date.
    Stale,
    /// A person changed the block.
    Edited,
    /// The markers do not match, so the block cannot be changed safely.
    Broken,
}

/// A file that can have a block, and the state of that.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct BlockFile {
    /// Path of the file.
    pub path: PathBuf,
    /// State of its block.
    pub state: BlockState,
    /// The problem with a broken block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Selects the files that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Files that have a block.
    WithBlock,
    /// Files that exist, and [`MAIN`].
    All,
}

/// Renders the block. Depends only on the memory and the day, so every process renders the same text.
pub fn text(memory: &ProjectMemory) -> String {
    let shown = list_shown(memory);
    let recall = shown.as_ref().unwrap_or_else(|| memory.recall());
    let settings = &memory.settings;
    let number = |value: u32| value as usize;
    let limits = BlockLimits {
        max_chars: number(settings.max_chars),
        max_decisions: number(settings.max_decisions),
        max_open_loops: number(settings.max_open_loops),
        max_gotchas: number(settings.max_gotchas),
        ..BlockLimits::default()
    };
    let said = list_said(memory);
    let sessions: Vec<m1nd_memory::Session> = memory.sessions.iter().map(|worked| worked.session.clone()).collect();
    let focus = focus(memory);
    let focus: Vec<&str> = focus.iter().map(String::as_str).collect();
    block::render(&BlockInput {
        today: memory.today,
        health: behind(memory).map_or(BlockHealth::Active, |since| BlockHealth::Stale { since, remedy: REMEDY }),
        state: &memory.parsed.project_state,
        detected: &memory.stack,
        recall,
        gotchas: &memory.parsed.gotchas,
        relations: memory.relations(),
        stack_gotchas: &memory.matcher().for_block(&memory.stack, &memory.parsed.project_state.stack, said),
        sessions: &sessions,
        next: &memory.parsed.next_items,
        focus: &focus,
        hits: None,
        limits,
    })
}

/// The project's own words, which rank the gotchas of its stack.
fn list_said(memory: &ProjectMemory) -> Vec<&str> {
    let goal = memory.parsed.project_state.goal.as_deref().into_iter();
    let own = memory.records.iter().filter(|record| record.kind != Kind::Gotcha && memory.is_told(record));
    goal.chain(own.rev().take(MAX_SAID).map(|record| &*record.content)).collect()
}

/// Files that were changed in the last session, as far as the daemon watched them.
fn focus(memory: &ProjectMemory) -> Vec<String> {
    let Some((start, _)) = memory.sessions.iter().filter_map(|worked| worked.span).max() else { return Vec::new() };
    let touched = memory.noted.touched.iter().filter(|(_, at)| **at >= start);
    touched.map(|(path, _)| path.clone()).take(MAX_FOCUS).collect()
}

/// The memories that may be shown, with a mark on those whose code changed or is gone; `None` if those are simply
/// all. For a project that is not approved this returns all, because its block is compared but never written.
fn list_shown(memory: &ProjectMemory) -> Option<Recall> {
    let is_shown = |record: &&m1nd_memory::Record| !memory.is_own() || memory.is_told(record);
    let mut records: Vec<m1nd_memory::Record> = memory.records.iter().filter(is_shown).cloned().collect();
    let mut any = records.len() < memory.records.len();
    for record in &mut records {
        let mark = match memory.noted.code.get(&record.id) {
            Some(CodeState::Stale) => "its code changed since",
            Some(CodeState::Gone) => "its code is gone",
            // Noted only beside an index: the file was changed after it was indexed.
            Some(CodeState::Unknown) => "its file changed, not indexed yet",
            _ => continue,
        };
        record.title = format!("{} [{mark}]", record.title).into();
        any = true;
    }
    any.then(|| Recall::new(records.into()))
}

/// The block without its markers.
pub(crate) fn body(memory: &ProjectMemory) -> String {
    let text = text(memory);
    text.lines().filter(|line| !line.starts_with("<!-- MIND:")).collect::<Vec<_>>().join("\n")
}

/// Whether a file of the project has a block.
pub(crate) fn is_in(project: &Path, file: &str) -> bool {
    read(project, file).ok().flatten().is_some_and(|bytes| matches!(block::inspect(&bytes), Ok(Some(_))))
}

/// The files that get a block when the project is connected, and have none yet.
pub(crate) fn without_block(project: &Path) -> Vec<PathBuf> {
    let is_due =
        |file: &&&str| (**file == MAIN || PathKind::at(&project.join(file)) == PathKind::File) && !is_in(project, file);
    TARGETS.iter().filter(is_due).map(|file| project.join(file)).collect()
}

/// Returns the files of a project that can have a block, each with its state.
pub fn block_files(memory: &ProjectMemory) -> Vec<BlockFile> {
    let fresh = text(memory);
    let state = |file: &&str| {
        let path = memory.path.join(file);
        let of = |state, problem| BlockFile { path: path.clone(), state, problem };
        match read(&memory.path, file) {
            Ok(None) => of(BlockState::Absent, None),
            Err(error) => of(BlockState::Broken, Some(error.to_string())),
            Ok(Some(bytes)) => match block::inspect(&bytes) {
                Err(error) => of(BlockState::Broken, Some(error.to_string())),
                Ok(None) => of(BlockState::None, None),
                Ok(Some(present)) if present.is_edited => of(BlockState::Edited, None),
                Ok(Some(_)) => match block::splice(&bytes, &fresh) {
                    Ok(spliced) if !spliced.changed => of(BlockState::Fresh, None),
                    _ => of(BlockState::Stale, None),
                },
            },
        }
    };
    TARGETS.iter().map(state).collect()
}

/// Updates the block in each file that has one.
pub fn refresh(memory: &ProjectMemory) -> Kept {
    write(memory, Which::WithBlock, &(Arc::new(RealSystem) as Arc<dyn System>))
}

/// Writes the block into all files that exist and can have one, and creates `CLAUDE.md` if it is missing.
pub fn write_blocks(memory: &ProjectMemory) -> Kept {
    write_blocks_with(memory, Arc::new(RealSystem))
}

/// Like [`write_blocks`], with the given file operations.
pub fn write_blocks_with(memory: &ProjectMemory, system: Arc<dyn System>) -> Kept {
    write(memory, Which::All, &system)
}

fn write(memory: &ProjectMemory, which: Which, system: &Arc<dyn System>) -> Kept {
    let mut kept = Kept::default();
    if !memory.is_own() {
        // Agents read a block as instructions, so it holds nothing that only came with a repository.
        if which == Which::All {
            kept.problems.push(NOT_APPROVED.to_owned());
        }
        return kept;
    }
    // Not made where no file has one.
    let fresh = LazyCell::new(|| text(memory));
    let mut done: Vec<PathBuf> = Vec::new();
    for file in TARGETS {
        match write_one(memory, file, &fresh, which, system, &mut done, &mut kept.problems) {
            Ok(Some(path)) => kept.written.push(path),
            Ok(None) => {}
            Err(error) => kept.problems.push(error.to_string()),
        }
    }
    kept
}

fn write_one(
    memory: &ProjectMemory,
    file: &str,
    fresh: &LazyCell<String, impl FnOnce() -> String>,
    which: Which,
    system: &Arc<dyn System>,
    done: &mut Vec<PathBuf>,
    problems: &mut Vec<String>,
) -> Result<Option<PathBuf>, MemoryError> {
    let path = memory.path.join(file);
    let broken = |why: String| MemoryError::Block { path: path.clone(), why };
    for _ in 0..TRIES {
        let Some(before) = read(&memory.path, file)? else {
            if which == Which::All && file == MAIN {
                let text = block::splice(stub(memory).as_bytes(), fresh).map_err(|error| broken(error.to_string()))?;
                return Ok(create_user_file(&**system, &path, &text.bytes)?.then(|| path.clone()));
            }
            return Ok(None);
        };
        // Links to one file are common; it is written once.
        let target = inside(&memory.path, &path)?;
        if done.contains(&target) {
            return Ok(None);
        }
        let has_block = block::inspect(&before).map_err(|error| broken(error.to_string()))?.is_some();
        if !has_block && which == Which::WithBlock {
            return Ok(None);
        }
        let spliced = block::splice(&before, fresh).map_err(|error| broken(error.to_string()))?;
        if !spliced.changed {
            done.push(target);
            return Ok(None);
        }
        let folder = index_folder(&memory.path)?;
        let folder = SharedFolder::with_system(folder.path().to_owned(), system.clone());
        let _lock = folder.hold(LOCK, WAIT)?;
        if read(&memory.path, file)?.as_deref() != Some(before.as_slice()) {
            continue;
        }
        keep_copies(&folder, system, file, &before, &spliced.edited, problems)?;
        replace_user_file(&**system, &target, &spliced.bytes)?;
        done.push(target.clone());
        return Ok(Some(target));
    }
    Err(broken("it was changed by somebody else at the same time; try again".into()))
}

/// The text below the block in a new file: a heading to write under.
fn stub(memory: &ProjectMemory) -> String {
    let name: String = memory.name.chars().filter(|char| !char.is_control()).collect();
    format!("# {name}\n")
}

/// Keeps a copy of the file, once a day, and the lines that a person changed in the block, each time.
fn keep_copies(
    folder: &SharedFolder,
    system: &Arc<dyn System>,
    file: &str,
    before: &[u8],
    edited: &[String],
    problems: &mut Vec<String>,
) -> Result<(), StoreError> {
    let name = file.trim_start_matches('.');
    let backups = SharedFolder::with_system(folder.path().join("backup"), system.clone());
    let backup = format!("{name}-{}", Zoned::now().date());
    if backups.read(&backup, MAX_BYTES)?.is_none() {
        backups.change(&backup, MAX_BYTES, WAIT, |_| Ok::<_, StoreError>(((), Some(before.to_vec()))))?;
        let mut names = backups.system().list(backups.path()).unwrap_or_default();
        names.retain(|other| other.starts_with(&format!("{name}-")));
        // Names end in days, so they are in order of time.
        for old in names.iter().take(names.len().saturating_sub(MAX_BACKUPS)) {
            let _ = backups.system().remove(&backups.path().join(old));
        }
    }
    if !edited.is_empty() {
        let kept = format!("edited-{name}-{}", Zoned::now().strftime("%Y-%m-%dT%H-%M-%S"));
        let text = edited.join("\n").into_bytes();
        folder.change(&kept, MAX_BYTES, WAIT, |_| Ok::<_, StoreError>(((), Some(text))))?;
        let place = folder.path().join(&kept);
        problems.push(format!(
            "the block of {file} had been changed by hand; what stood there is kept in `{}`: memories belong into .mind/MEMORY.md",
            place.display()
        ));
    }
    Ok(())
}

/// The bytes of a file of the project; `None` if there is none.
fn read(project: &Path, file: &str) -> Result<Option<Vec<u8>>, MemoryError> {
    let path = RepoPath::new(file).map_err(|error| MemoryError::Invalid(error.to_string()))?;
    match Root::open(project)?.read(&path, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(VfsError::NotFound { .. }) => {
            // A link to nothing is not nothing: writing would take its place.
            inside(project, &project.join(file))?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
