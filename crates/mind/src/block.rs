//! The block in `CLAUDE.md` and its like: which files have one, whether it is as it should be, and writing it.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Zoned;
use m1nd_base::{RepoPath, System};
use m1nd_memory::block::{self, BlockHealth, BlockInput, BlockLimits};
use m1nd_memory::{Kind, Recall};
use m1nd_store::{RealSystem, SharedFolder, StoreError, create_user_file, inside, replace_user_file};
use m1nd_vfs::{Root, VfsError};

use crate::MemoryError;
use crate::anchor::CodeState;
use crate::behind::behind;
use crate::kept::Kept;
use crate::load::ProjectMemory;
use crate::project::index_folder;

/// The file that is made if there is none.
const MAIN: &str = "CLAUDE.md";
/// Files that agents read by themselves, relative to the project.
const TARGETS: &[&str] = &[MAIN, "AGENTS.md", ".cursorrules", ".windsurfrules", ".clinerules"];
/// Largest such file that is changed, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Held while files of a project are changed.
const LOCK: &str = ".block.lock";
/// How long to wait for it.
const WAIT: Duration = Duration::from_secs(2);
/// Tries against somebody who writes at the same time.
const TRIES: usize = 3;
/// Memories whose words show which gotchas matter, the last.
const MAX_SAID: usize = 400;
/// Files of the last session that count.
const MAX_FOCUS: usize = 20;
/// Said instead of writing a block.
const NOT_APPROVED: &str =
    "the memory of this project came with its folder and nobody here has approved it: read it, then run `mind approve`";
/// What shows more about a memory that is behind.
const REMEDY: &str = "`mind status`";
/// Backups kept of one file.
const MAX_BACKUPS: usize = 14;

/// How large the block is that a file holds, with its markers: lines and characters. `None` if there is none to be seen.
pub(crate) fn size_in(file: &Path) -> Option<(usize, usize)> {
    let bytes = RealSystem.read(file, MAX_BYTES).ok()?;
    let body = block::inspect(&bytes).ok()??.body;
    Some((body.lines().count() + 2, body.chars().count()))
}

/// How the block of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockState {
    /// There is no such file.
    Absent,
    /// The file has none.
    None,
    /// It is what it should be.
    Fresh,
    /// It is not.
    Stale,
    /// A person has changed it.
    Edited,
    /// Its marks do not fit, so it cannot be changed safely.
    Broken,
}

/// A file that can have a block.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct BlockFile {
    /// Where it is.
    pub path: PathBuf,
    /// How its block is.
    pub state: BlockState,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Which files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those that have a block.
    WithBlock,
    /// Those that are there, and [`MAIN`].
    All,
}

/// The block as it should be now. A function of the memory, what is noted of it and the day; so every process makes the same.
pub fn text(memory: &ProjectMemory) -> String {
    let shown = shown(memory);
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
    let said = said(memory);
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

/// What the project's own words are: by them it shows which gotchas of its stack matter in it.
fn said(memory: &ProjectMemory) -> Vec<&str> {
    let goal = memory.parsed.project_state.goal.as_deref().into_iter();
    let own = memory.records.iter().filter(|record| record.kind != Kind::Gotcha && memory.is_told(record));
    goal.chain(own.rev().take(MAX_SAID).map(|record| &*record.content)).collect()
}

/// The files that were changed in the last session, as far as somebody watched.
fn focus(memory: &ProjectMemory) -> Vec<String> {
    let Some((start, _)) = memory.sessions.iter().filter_map(|worked| worked.span).max() else { return Vec::new() };
    let touched = memory.noted.touched.iter().filter(|(_, at)| **at >= start);
    touched.map(|(path, _)| path.clone()).take(MAX_FOCUS).collect()
}

/// The memories that may be told, with a mark on those whose code changed or is gone, if those are not simply all. Of a
/// project that nobody has taken over all are shown: its block is only looked at, never written.
fn shown(memory: &ProjectMemory) -> Option<Recall> {
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

/// The same without its marks.
pub(crate) fn body(memory: &ProjectMemory) -> String {
    let text = text(memory);
    text.lines().filter(|line| !line.starts_with("<!-- MIND:")).collect::<Vec<_>>().join("\n")
}

/// Whether a file of the project has a block.
pub(crate) fn is_in(project: &Path, file: &str) -> bool {
    read(project, file).ok().flatten().is_some_and(|bytes| matches!(block::inspect(&bytes), Ok(Some(_))))
}

/// The files of a project that can have a block, and how that is.
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

/// Writes the block into the files that have one, where it is not as it should be.
pub fn refresh(memory: &ProjectMemory) -> Kept {
    write(memory, Which::WithBlock, &(Arc::new(RealSystem) as Arc<dyn System>))
}

/// Writes the block into all files that can have one and are there, and makes `CLAUDE.md` if it is not.
pub fn write_blocks(memory: &ProjectMemory) -> Kept {
    write_blocks_with(memory, Arc::new(RealSystem))
}

/// As [`write_blocks`], with other file operations.
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

/// What stands below the block in a file that is made for it: a heading to write under.
fn stub(memory: &ProjectMemory) -> String {
    let name: String = memory.name.chars().filter(|char| !char.is_control()).collect();
    format!("# {name}\n")
}

/// The file as it was, once a day; and what a person had changed in the block, each time.
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
