//! Rows of the evaluation, as read from disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use serde::Deserialize;

use crate::Outcome;

/// Maximum length in bytes of a text read from the history.
pub(super) const MAX_MESSAGE: usize = 2_000;

/// A text and the files that answer it.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Row {
    pub(in crate::eval) id: String,
    /// `owner/name`.
    pub(in crate::eval) repo: String,
    /// The commit before the fix.
    pub(in crate::eval) base_commit: String,
    /// The fix.
    #[serde(default)]
    fix_commit: String,
    /// The text; defaults to the message of `fix_commit`.
    #[serde(default, alias = "trace")]
    pub(in crate::eval) query: String,
    /// Existing files changed by the fix.
    pub(in crate::eval) gold_files: Vec<String>,
    /// Functions changed by it, by file.
    #[serde(default)]
    pub(in crate::eval) gold_funcs: BTreeMap<String, Vec<GoldFunction>>,
    /// Whether the text is the message of the fix.
    #[serde(skip)]
    pub(in crate::eval) is_of_repair: bool,
    /// Lines changed by the fix, by file, for rows without functions.
    #[serde(skip)]
    changed: BTreeMap<String, Vec<(u32, u32)>>,
}

/// A function changed by a fix.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct GoldFunction {
    /// Including its owner.
    pub(in crate::eval) name: String,
    /// First and last line.
    pub(in crate::eval) line: u32,
    pub(in crate::eval) end: u32,
}

impl Row {
    /// A row about one function: its name, first and last line.
    pub(in crate::eval) fn new_row(id: String, repo: &str, query: String, file: &str, gold: (&str, u32, u32)) -> Self {
        let function = GoldFunction { name: gold.0.to_owned(), line: gold.1, end: gold.2 };
        Self {
            id,
            repo: repo.to_owned(),
            base_commit: String::new(),
            fix_commit: String::new(),
            query,
            gold_files: vec![file.to_owned()],
            gold_funcs: BTreeMap::from([(file.to_owned(), vec![function])]),
            is_of_repair: false,
            changed: BTreeMap::new(),
        }
    }

    /// Returns whether the row lists a function with this label and these lines as changed.
    pub(in crate::eval) fn is_changed(&self, path: &str, label: &str, lines: (u32, u32)) -> bool {
        let told = self.gold_funcs.get(path).into_iter().flatten();
        told.into_iter().any(|one| one.is_at(label, lines))
    }

    /// The same row with the innermost indexed functions around the changed lines.
    pub(in crate::eval) fn with_functions(&self, snapshot: &Snapshot) -> Self {
        let graph = snapshot.graph();
        let mut row = self.clone();
        for node in graph.nodes().filter(|node| graph.kind(*node) == NodeKind::Function) {
            if self.changed.contains_key(graph.path(node)) {
                let (line, end) = graph.lines(node);
                let function = GoldFunction { name: graph.label(node).to_owned(), line, end };
                row.gold_funcs.entry(graph.path(node).to_owned()).or_default().push(function);
            }
        }
        for (path, functions) in &mut row.gold_funcs {
            let Some(ranges) = self.changed.get(path) else { continue };
            let innermost = |range: &(u32, u32)| {
                let holding = functions.iter().filter(|one| one.line <= range.1 && range.0 <= one.end);
                holding.min_by_key(|one| (one.end - one.line, one.line)).cloned()
            };
            let mut found: Vec<GoldFunction> = ranges.iter().filter_map(innermost).collect();
            found.sort_by_key(|one| one.line);
            found.dedup_by_key(|one| one.line);
            *functions = found;
        }
        row.gold_funcs.retain(|_, functions| !functions.is_empty());
        row
    }
}

impl GoldFunction {
    /// The name without its owner.
    pub(in crate::eval) fn label(&self) -> &str {
        self.name.rsplit(['.', ':']).next().unwrap_or(&self.name)
    }

    /// Returns whether a symbol with this label and these lines is this function.
    pub(in crate::eval) fn is_at(&self, label: &str, lines: (u32, u32)) -> bool {
        self.label() == label && lines.0 <= self.end && self.line <= lines.1
    }
}

/// Reads the rows of a file, one JSON object per line. Rows without files are skipped. Texts from the history are
/// truncated to `longest` bytes.
pub(super) fn read(file: &Path, mirror: Option<&Path>, longest: usize) -> Outcome<Vec<Row>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut row: Row =
            serde_json::from_str(line).map_err(|error| format!("{} line {}: {error}", file.display(), number + 1))?;
        if row.query.is_empty() {
            let mirror = mirror.ok_or("rows without a text need --mirror: the text is read from the history")?;
            let git = git_folder(mirror, &row.repo)?;
            row.query = message(&git, &row.fix_commit, longest)?;
            row.is_of_repair = true;
            row.changed = changed_lines(&git, &row)?;
        }
        rows.push(row);
    }
    rows.retain(|row| !row.gold_files.is_empty());
    Ok(rows)
}

/// The git folder of a repository in a mirror folder.
pub(super) fn git_folder(mirror: &Path, repo: &str) -> Outcome<PathBuf> {
    let top = mirror.join(repo.replace('/', "+"));
    let folders = [top.join("repo/.git"), top.join("repo"), top.join(".git"), top.clone()];
    let found = folders.into_iter().find(|folder| folder.join("HEAD").is_file());
    found.ok_or_else(|| format!("no git folder of {repo} below {}", mirror.display()).into())
}

/// Lines of the files before the fix that it changed, or after which it inserted something.
fn changed_lines(git: &Path, row: &Row) -> Outcome<BTreeMap<String, Vec<(u32, u32)>>> {
    let range = format!("{}..{}", row.base_commit, row.fix_commit);
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(git).args(["diff", "-U0", "--no-color", "--no-renames", &range, "--"]);
    let output = command.args(&row.gold_files).output()?;
    if !output.status.success() {
        return Err(format!("no difference of {range} in {}", git.display()).into());
    }
    let mut changed: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut file = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(path) = line.strip_prefix("--- a/") {
            path.clone_into(&mut file);
        } else if let Some((old, _)) = line.strip_prefix("@@ -").and_then(|rest| rest.split_once(' ')) {
            let (start, count) = old.split_once(',').unwrap_or((old, "1"));
            let (start, count): (u32, u32) = (start.parse()?, count.parse()?);
            changed.entry(file.clone()).or_default().push((start, start + count.saturating_sub(1)));
        }
    }
    Ok(changed)
}

/// The message of a commit without trailers that name people and issues.
fn message(git: &Path, commit: &str, longest: usize) -> Outcome<String> {
    let output = Command::new("git").arg("--git-dir").arg(git).args(["log", "-1", "--format=%B", commit]).output()?;
    if !output.status.success() {
        return Err(format!("commit {commit} is not in {}", git.display()).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let kept: Vec<&str> = text.lines().filter(|line| !is_trailer(line)).collect();
    let kept = kept.join("\n");
    let kept = kept.trim();
    Ok(kept[..kept.floor_char_boundary(longest)].to_owned())
}

fn is_trailer(line: &str) -> bool {
    const TRAILERS: &[&str] = &[
        "signed-off-by", "co-authored-by", "reviewed-by", "reported-by", "tested-by", "pr-url", "change-id", "close",
        "closes", "fixes",
    ];
    let key = line.split_once(':').map_or("", |(key, _)| key).to_ascii_lowercase();
    TRAILERS.contains(&key.as_str())
}
