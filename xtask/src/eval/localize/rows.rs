//! Rows of the evaluation, as they are read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::Outcome;

/// Longest text that is asked, in bytes, of rows whose text is read from the history.
const MAX_MESSAGE: usize = 2_000;

/// A text and the files that answer it.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Row {
    pub(in crate::eval) id: String,
    /// `owner/name`.
    pub(in crate::eval) repo: String,
    /// The commit before the repair.
    pub(in crate::eval) base_commit: String,
    /// The repair.
    #[serde(default)]
    fix_commit: String,
    /// The text; that of `fix_commit` if it is left out.
    #[serde(default, alias = "trace")]
    pub(in crate::eval) query: String,
    /// Files that the repair changed and that were there before.
    pub(in crate::eval) gold_files: Vec<String>,
    /// Functions that it changed, by file.
    #[serde(default)]
    pub(in crate::eval) gold_funcs: BTreeMap<String, Vec<GoldFunction>>,
}

/// A function that a repair changed.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct GoldFunction {
    /// With its owner before it.
    pub(in crate::eval) name: String,
    /// First and last line.
    pub(in crate::eval) line: u32,
    pub(in crate::eval) end: u32,
}

impl Row {
    /// A row about one function: its name, first and last line.
    pub(in crate::eval) fn made(id: String, repo: &str, query: String, file: &str, gold: (&str, u32, u32)) -> Self {
        let function = GoldFunction { name: gold.0.to_owned(), line: gold.1, end: gold.2 };
        Self {
            id,
            repo: repo.to_owned(),
            base_commit: String::new(),
            fix_commit: String::new(),
            query,
            gold_files: vec![file.to_owned()],
            gold_funcs: BTreeMap::from([(file.to_owned(), vec![function])]),
        }
    }
}

impl GoldFunction {
    /// The name without its owner.
    pub(in crate::eval) fn label(&self) -> &str {
        self.name.rsplit(['.', ':']).next().unwrap_or(&self.name)
    }
}

/// The rows of a file, one JSON object a line. Rows without files are left out.
pub(super) fn read(file: &Path, mirror: Option<&Path>) -> Outcome<Vec<Row>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut row: Row =
            serde_json::from_str(line).map_err(|error| format!("{} line {}: {error}", file.display(), number + 1))?;
        if row.query.is_empty() {
            let mirror = mirror.ok_or("rows without a text need --mirror: the text is read from the history")?;
            row.query = message(&git_folder(mirror, &row.repo)?, &row.fix_commit)?;
        }
        rows.push(row);
    }
    rows.retain(|row| !row.gold_files.is_empty());
    Ok(rows)
}

/// The git folder of a repository below a folder of fetched ones.
pub(super) fn git_folder(mirror: &Path, repo: &str) -> Outcome<PathBuf> {
    let top = mirror.join(repo.replace('/', "+"));
    let folders = [top.join("repo/.git"), top.join("repo"), top.join(".git"), top.clone()];
    let found = folders.into_iter().find(|folder| folder.join("HEAD").is_file());
    found.ok_or_else(|| format!("no git folder of {repo} below {}", mirror.display()).into())
}

/// The message of a commit without the lines at its end that name people and issues.
fn message(git: &Path, commit: &str) -> Outcome<String> {
    let output = Command::new("git").arg("--git-dir").arg(git).args(["log", "-1", "--format=%B", commit]).output()?;
    if !output.status.success() {
        return Err(format!("commit {commit} is not in {}", git.display()).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let kept: Vec<&str> = text.lines().filter(|line| !is_trailer(line)).collect();
    let kept = kept.join("\n");
    let kept = kept.trim();
    Ok(kept[..kept.floor_char_boundary(MAX_MESSAGE)].to_owned())
}

fn is_trailer(line: &str) -> bool {
    const TRAILERS: &[&str] = &[
        "signed-off-by",
        "co-authored-by",
        "reviewed-by",
        "reported-by",
        "tested-by",
        "pr-url",
        "change-id",
        "close",
        "closes",
        "fixes",
    ];
    let key = line.split_once(':').map_or("", |(key, _)| key).to_ascii_lowercase();
    TRAILERS.contains(&key.as_str())
}
