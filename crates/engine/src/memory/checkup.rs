//! What is wrong with a memory and around it, and what to do.

use std::path::{Path, PathBuf};

use m1nd_memory::{Kind, SourceKind, Status, secrets};
use m1nd_store::SharedFolder;
use serde::Serialize;

use crate::memory::block::{BlockState, block_files};
use crate::memory::daemon;
use crate::memory::load::{ProjectMemory, user_settings};
use crate::memory::project::MEMORY_FILE;
use crate::memory::registry::Registry;
use crate::memory::{GlobalEdges, MemoryError};

/// Secrets named, at most.
const MAX_SECRETS: usize = 20;
/// Memories pointed out, at most.
const MAX_REMARKS: usize = 5;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// All is well.
    Good,
    /// Worth a look.
    Warning,
    /// Something does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// What was found.
    pub text: String,
    /// What to do.
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

/// Looks at everything that all projects share, and at `project` if there is one.
pub fn check_up(home: &Path, project: Option<&Path>) -> Vec<Finding> {
    let folder = SharedFolder::new(home.to_owned());
    let mut found = Vec::new();
    let (_, problems) = user_settings(&folder);
    found
        .extend(problems.into_iter().map(|problem| Finding::warning(format!("config.toml: {problem}"), "mind config")));
    found.push(match daemon::status(home) {
        Ok(report) => match report.degraded {
            Some(why) => Finding::warning(format!("the daemon notices changes late: {why}"), "mind daemon logs"),
            None => Finding::good(format!("the daemon runs and looks after {} projects", report.projects.len())),
        },
        Err(MemoryError::DaemonNotRunning) => Finding::good("no daemon runs; it is not needed"),
        Err(error) => Finding::bad(error.to_string(), "mind daemon restart"),
    });
    match Registry::new(folder.clone()).list() {
        Ok(projects) => {
            let gone: Vec<PathBuf> = projects
                .iter()
                .map(|project| project.path.clone())
                .filter(|path| !path.join(MEMORY_FILE).is_file())
                .collect();
            found.push(Finding::good(format!("{} projects are registered", projects.len())));
            found.extend(gone.iter().map(|path| {
                Finding::warning(
                    format!("`{}` is registered and has no memory", path.display()),
                    "mind remove PATH, or mind init there",
                )
            }));
        }
        Err(error) => found.push(Finding::bad(error.to_string(), "correct the file, or move it away")),
    }
    match GlobalEdges::read(&folder) {
        Ok(edges) => found.push(Finding::good(format!("{} gotchas of all projects", edges.edges().len()))),
        Err(error) => found.push(Finding::bad(error.to_string(), "correct the file, or move it away")),
    }
    match project.map(|project| ProjectMemory::read(project, &folder)) {
        None => found.push(Finding::warning("no project with a memory is here", "mind init")),
        Some(Err(error)) => found.push(Finding::bad(error.to_string(), "make `.mind/MEMORY.md` readable")),
        Some(Ok(memory)) => found.extend(of_project(&memory)),
    }
    found
}

fn of_project(memory: &ProjectMemory) -> Vec<Finding> {
    let mut found = Vec::new();
    found.push(Finding::good(format!("{} memories in {}", memory.records.len(), memory.name)));
    found.extend(memory.problems.iter().map(|problem| Finding::warning(problem.clone(), "correct that file")));
    let patterns = memory.matcher().problems().iter();
    found.extend(patterns.map(|problem| Finding::warning(problem.clone(), "mind edges remove ID")));
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
    }
    found.extend(approvals_of(memory));
    found.extend(secrets_of(&memory.path));
    found.extend(remarks(memory));
    found
}

/// Memories that nobody is told of unasked, because nobody here approved them.
fn approvals_of(memory: &ProjectMemory) -> Option<Finding> {
    if !memory.is_own() {
        let text = "nobody here has approved this memory, so agents are told of it only when they ask";
        return Some(Finding::warning(text, "read it, then `mind approve`"));
    }
    let waiting: Vec<String> =
        memory.sources().into_iter().filter(|source| !source.approved).map(|source| source.file).collect();
    let some = waiting.iter().take(MAX_REMARKS).map(String::as_str).collect::<Vec<_>>().join(", ");
    (!waiting.is_empty()).then(|| {
        let text = format!("memories came with the repository in {} comments and commits: {some}", waiting.len());
        Finding::warning(text, "they are found but not told unasked; read them, then `mind approve`")
    })
}

/// Where secrets stand in the memory; never what they are.
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

/// Memories that could say more, and issues that have been open for long.
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
