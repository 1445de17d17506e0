//! The findings of `mind doctor`: problems of a memory and its surroundings, each with a remedy.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Unit};
use m1nd_base::count;
use m1nd_memory::{Health, Kind, LARGE_FILE_BYTES, SourceKind, Status, secrets};
use m1nd_store::SharedFolder;
use m1nd_vfs::PathKind;
use serde::Serialize;

use crate::MemoryError;
use crate::daemon;
use crate::files::edges::GlobalEdges;
use crate::files::noted::NotedFile;
use crate::files::project::MEMORY_FILE;
use crate::files::registry::Registry;
use crate::health;
use crate::keep::block::{BlockState, block_files, size_in};
use crate::read::load::{ProjectMemory, REPLACED, user_settings};
use crate::read::model::embedder_in_words;

/// Secrets named, at most.
const MAX_SECRETS: usize = 20;
/// Memories pointed out, at most.
const MAX_REMARKS: usize = 5;
/// Days without a change from which it is said how long ago the last one was.
const QUIET_DAYS: i32 = 7;
/// Folders that a system should be able to watch: the daemon takes half of them at most.
const FEW_WATCHES: u64 = 8_192;
/// Hours that a time may lie ahead: clocks of machines differ.
const CLOCK_HOURS: i32 = 24;
/// Most lines and characters of a block, whatever the configuration says.
const MAX_BLOCK: (usize, usize) = (60, 4_000);

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// No problem.
    Good,
    /// Worth a look.
    Warning,
    /// Something does not work.
    Bad,
}

/// A finding, with its remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Severity.
    pub level: Level,
    /// The finding, as a sentence.
    pub text: String,
    /// The remedy: a command, or a short instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Finding {
    fn good(text: impl Into<String>) -> Self {
        Self { level: Level::Good, text: text.into(), next: None }
    }

    fn warning(text: impl Into<String>, next: &str) -> Self {
        Self { level: Level::Warning, text: text.into(), next: Some(next.to_owned()) }
    }

    fn bad(text: impl Into<String>, next: &str) -> Self {
        Self { level: Level::Bad, text: text.into(), next: Some(next.to_owned()) }
    }
}

/// Checks the folder that all projects share, and `project` if there is one.
pub fn check_up(home: &Path, project: Option<&Path>) -> Vec<Finding> {
    let folder = SharedFolder::new(home.to_owned());
    let mut found = Vec::new();
    // The user's own folder: settings, rights, watches.
    let (_, problems) = user_settings(&folder);
    found
        .extend(problems.into_iter().map(|problem| Finding::warning(format!("config.toml: {problem}"), "mind config")));
    if let Err(error) = daemon::check_private(home) {
        found.push(Finding::bad(error.to_string(), "chmod go-w FOLDER, or set MIND_HOME elsewhere"));
    }
    found.extend(few_watches(m1nd_vfs::watch_limit()));
    // The daemon is optional.
    found.push(match daemon::status(home) {
        Ok(report) => match report.degraded {
            Some(why) => Finding::warning(format!("the daemon notices changes late: {why}"), "mind daemon logs"),
            None => Finding::good(format!("the daemon runs; projects it looks after: {}", report.projects.len())),
        },
        Err(MemoryError::DaemonNotRunning) => Finding::good("no daemon runs; it is not needed"),
        Err(error) => Finding::bad(error.to_string(), "mind daemon restart"),
    });
    // Registered projects, each with a memory that can be read.
    match Registry::new(folder.clone()).list() {
        Ok(projects) => {
            let gone: Vec<PathBuf> = projects
                .iter()
                .map(|project| project.path.clone())
                .filter(|path| PathKind::at(&path.join(MEMORY_FILE)) != PathKind::File)
                .collect();
            found.push(Finding::good(format!("registered projects: {}", projects.len())));
            found.extend(projects.iter().filter(|other| project != Some(&other.path)).filter_map(|other| {
                let error = m1nd_vfs::try_open(&other.path.join(MEMORY_FILE)).err()?;
                let is_gone = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                let text = format!("`{}` cannot be read: {error}", other.path.join(MEMORY_FILE).display());
                (!is_gone).then(|| Finding::bad(text, "make it readable"))
            }));
            found.extend(gone.iter().map(|path| {
                Finding::warning(
                    format!("`{}` is registered and has no memory", path.display()),
                    "mind remove PATH, or mind init there",
                )
            }));
        }
        Err(error) => found.push(Finding::bad(error.to_string(), "correct the file, or move it away")),
    }
    // What is kept for all projects, and the project in question.
    match GlobalEdges::read(&folder) {
        Ok(edges) => found.push(Finding::good(format!("gotchas of all projects: {}", edges.edges().len()))),
        Err(error) => found.push(Finding::bad(error.to_string(), "correct the file, or move it away")),
    }
    match project.map(|project| ProjectMemory::read(project, &folder)) {
        None => found.push(Finding::warning("no project with a memory is here", "mind init")),
        Some(Err(error)) => found.push(Finding::bad(error.to_string(), "make `.mind/MEMORY.md` readable")),
        Some(Ok(memory)) => found.extend(of_project(&memory)),
    }
    found
}

/// A limit that the daemon would run into; nothing where there is none that can be read.
fn few_watches(limit: Option<u64>) -> Option<Finding> {
    let limit = limit?;
    let text = format!("this system watches {limit} folders a user at most: the daemon may notice changes late");
    (limit < FEW_WATCHES).then(|| Finding::warning(text, "sysctl fs.inotify.max_user_watches=65536"))
}

fn of_project(memory: &ProjectMemory) -> Vec<Finding> {
    let mut found = Vec::new();
    found.push(Finding::good(format!("memories in {}: {}", memory.name, memory.records.len())));
    found.push(Finding::good(format!("meaning is told by: {}", embedder_in_words(&memory.settings))));
    found.extend(state_of(memory, Timestamp::now()));
    // Files that cannot be used, and memories that were left out for another reason.
    found.extend(memory.problems.iter().map(|problem| Finding::warning(problem.clone(), "correct that file")));
    let left = memory.left_out().skip(memory.problems.len()).filter(|why| why != REPLACED);
    found.extend(left.map(|why| Finding::warning(why, "take out comments that hold no longer")));
    let patterns = memory.matcher().problems().iter();
    found.extend(patterns.map(|problem| Finding::warning(problem.clone(), "mind edges remove ID")));
    // The block of each file for agents: whether it is current, and its size.
    for file in block_files(memory) {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let rewrite = "mind context --regenerate";
        match file.state {
            BlockState::Fresh => found.push(Finding::good(format!("the block of {name} is as it should be"))),
            BlockState::Stale => found.push(Finding::warning(format!("the block of {name} is old"), rewrite)),
            BlockState::Edited => {
                let text = format!("the block of {name} was changed by hand; memories belong into {MEMORY_FILE}");
                found.push(Finding::warning(text, rewrite));
            }
            BlockState::Broken => {
                let why = file.problem.unwrap_or_default();
                found.push(Finding::bad(
                    format!("the block of {name} cannot be written: {why}"),
                    "mend its marks by hand",
                ));
            }
            BlockState::None if name == "CLAUDE.md" => {
                found.push(Finding::warning("CLAUDE.md has no block", rewrite));
            }
            BlockState::Absent if name == "CLAUDE.md" => {
                found
                    .push(Finding::warning("there is no CLAUDE.md, so agents are told nothing by themselves", rewrite));
            }
            BlockState::None | BlockState::Absent => {}
        }
        let (lines, chars) = MAX_BLOCK;
        if let Some(size) = size_in(&file.path).filter(|size| size.0 > lines || size.1 > chars) {
            let text = format!(
                "the block of {name} has {} and {}, at most {lines} and {chars} are good",
                count(size.0, "line"),
                count(size.1, "character")
            );
            found.push(Finding::warning(text, rewrite));
        }
    }
    // What a person has to look at.
    found.extend(approvals_of(memory));
    found.extend(secrets_of(&memory.path));
    found.extend(remarks(memory));
    found
}

/// Memories that are never shown unasked, because nobody here approved them.
fn approvals_of(memory: &ProjectMemory) -> Option<Finding> {
    if memory.is_replaced() {
        return Some(Finding::warning(REPLACED, "mind approve"));
    }
    if !memory.is_own() {
        let text = "nobody here has approved this memory, so agents are told of it only when they ask";
        return Some(Finding::warning(text, "read it, then `mind approve`"));
    }
    let waiting: Vec<String> =
        memory.sources().into_iter().filter(|source| !source.approved).map(|source| source.file).collect();
    let some = waiting.iter().take(MAX_REMARKS).map(String::as_str).collect::<Vec<_>>().join(", ");
    (!waiting.is_empty()).then(|| {
        let text = format!("memories came with the repository in {}: {some}", count(waiting.len(), "text"));
        Finding::warning(text, "they are found but not told unasked; read them, then `mind approve`")
    })
}

/// The state of the stored data, the age of the memory, and times that cannot be right.
fn state_of(memory: &ProjectMemory, now: Timestamp) -> Vec<Finding> {
    let mut found = Vec::new();
    if NotedFile::of(&memory.path).is_damaged() {
        let text = "what is kept beside the memory is damaged; it is put aside and made again, but times are lost";
        found.push(Finding::warning(text, "mind index"));
    }
    let (health, why) = health::of(memory, now);
    match health {
        Health::Good => {}
        Health::Stale => {
            found.push(Finding::warning(format!("the memory is stale: {why}"), "write down what was decided since"))
        }
        Health::Empty => {
            found.push(Finding::warning(format!("the memory is empty: {why}"), "write into .mind/MEMORY.md"))
        }
    }
    // A file that is long, or that nobody has touched for long.
    if memory.bytes > LARGE_FILE_BYTES {
        let text = format!("{MEMORY_FILE} has {} kB", memory.bytes / 1_000);
        found.push(Finding::warning(text, "mind archive moves old days out of it"));
    }
    let days = memory.modified.until((Unit::Day, now)).map_or(0, |span| span.get_days());
    if days > QUIET_DAYS {
        found.push(Finding::good(format!(
            "{MEMORY_FILE} was last changed {} ago",
            count(days.unsigned_abs() as usize, "day")
        )));
    }
    // Times that are yet to come spoil what is sorted by time.
    let is_ahead = |time: Timestamp| now.until((Unit::Hour, time)).is_ok_and(|span| span.get_hours() > CLOCK_HOURS);
    let commit = Timestamp::from_second(memory.noted.newest_commit).ok();
    for (what, time) in [(MEMORY_FILE, Some(memory.modified)), ("the newest commit", commit)] {
        if let Some(time) = time.filter(|time| is_ahead(*time)) {
            found.push(Finding::warning(
                format!("{what} is of {time}, which is yet to come"),
                "set the clock of this machine",
            ));
        }
    }
    let own = memory.records.iter().filter(|record| record.source.kind == SourceKind::MemoryFile);
    let later = own.filter(|record| record.date.is_some_and(|date| date > memory.today)).take(MAX_REMARKS);
    found.extend(later.map(|record| {
        let (file, line) = (&record.source.file, record.source.line);
        let text = format!(
            "{file}:{line}: of {}, which is yet to come",
            record.date.map(|date| date.to_string()).unwrap_or_default()
        );
        Finding::warning(text, "correct the heading of that day, or the clock")
    }));
    found
}

/// Lines of the memory that look like secrets; never the secrets themselves.
fn secrets_of(project: &Path) -> Vec<Finding> {
    let Ok(root) = m1nd_vfs::Root::open(project) else { return Vec::new() };
    let Ok(path) = m1nd_base::RepoPath::new(MEMORY_FILE) else { return Vec::new() };
    let bytes = match root.read(&path, m1nd_memory::MAX_TEXT_BYTES as u64) {
        Ok(bytes) => bytes,
        Err(error) => {
            let text = format!("{MEMORY_FILE} was not looked at for secrets: {error}");
            return vec![Finding::warning(text, "mind archive moves old days out of it")];
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let found = secrets::find(&text).into_iter().take(MAX_SECRETS);
    found
        .map(|secret| {
            let text = format!("{MEMORY_FILE}:{} looks like it holds a secret ({})", secret.line, secret.kind);
            Finding::warning(text, "take it out and renew it; it is not shown, but it is in the file")
        })
        .collect()
}

/// Memories that could say more, and issues that have been open for too long.
fn remarks(memory: &ProjectMemory) -> Vec<Finding> {
    let settings = &memory.settings;
    if !settings.feedback {
        return Vec::new();
    }
    let own = || memory.records.iter().filter(|record| record.source.kind == SourceKind::MemoryFile);
    let place = |record: &m1nd_memory::Record| format!("{}:{}", record.source.file, record.source.line);
    let vague = own().filter(|record| {
        record.kind == Kind::Decision
            && record.reasoning.is_none()
            && record.confidence < settings.vague_decision_threshold
    });
    let mut found: Vec<Finding> = vague
        .take(MAX_REMARKS)
        .map(|record| Finding::warning(format!("{}: a decision without a reason", place(record)), "add `because …`"))
        .collect();
    let old = |record: &&m1nd_memory::Record| {
        let is_open = matches!(record.status, Some(Status::Open | Status::Blocked));
        let days = record
            .date
            .and_then(|date| date.until((jiff::Unit::Day, memory.today)).ok())
            .map_or(0, |span| span.get_days());
        is_open && days > i32::try_from(settings.stale_issue_days).unwrap_or(i32::MAX)
    };
    found.extend(own().filter(old).take(MAX_REMARKS).map(|record| {
        let text =
            format!("{}: open since {}", place(record), record.date.map(|date| date.to_string()).unwrap_or_default());
        Finding::warning(text, "add a line `fixed: …` when it is solved")
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_watches_few_folders_is_told() {
        let rows = [(Some(8_191), true), (Some(8_192), false), (None, false)];
        for (limit, expected) in rows {
            assert_eq!(few_watches(limit).is_some(), expected, "{limit:?}");
        }
    }

    #[test]
    fn what_doctor_says_of_a_project() {
        let rows = [
            ("## 2020-01-02\n**Decided:** a over b because c\n", "", "is stale", false),
            ("# Shop\n", "", "the memory is empty", true),
            ("## 2090-01-02\n**Decided:** a over b because c\n", "", "MEMORY.md:2: of 2090-01-02", true),
            ("**Decided:** a over b because c\n", "x", "is damaged", true),
        ];
        for (text, index, expected, is_said) in rows {
            let tree = tempfile::tempdir().expect("a folder");
            let (project, home) = (tree.path().join("p"), tree.path().join("home"));
            std::fs::create_dir_all(project.join(".mind/.index")).expect("is made");
            std::fs::write(project.join(MEMORY_FILE), text).expect("is written");
            if !index.is_empty() {
                std::fs::write(project.join(".mind/.index/noted.m1nd"), index).expect("is written");
            }
            let found = check_up(&home, Some(&project));
            let hits: Vec<&Finding> = found.iter().filter(|finding| finding.text.contains(expected)).collect();
            assert_eq!(!hits.is_empty(), is_said, "{expected}: {found:#?}");
            assert!(hits.iter().all(|finding| finding.level == Level::Warning && finding.next.is_some()));
        }
    }

    #[test]
    fn a_block_that_is_too_large_is_told() {
        let tree = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(tree.path().join(".mind")).expect("is made");
        std::fs::write(tree.path().join(MEMORY_FILE), "# Shop\n").expect("is written");
        for (lines, expected) in [(10, false), (70, true)] {
            let body = "- more\n".repeat(lines);
            let text = format!("<!-- MIND:CONTEXT -->\n{body}<!-- MIND:END -->\n");
            std::fs::write(tree.path().join("CLAUDE.md"), text).expect("is written");
            let found = check_up(&tree.path().join("home"), Some(tree.path()));
            assert_eq!(found.iter().any(|finding| finding.text.contains("at most 60")), expected, "{found:#?}");
        }
    }
}
