//! What a change against a commit breaks, for checks outside of a conversation: `m1nd check --base`.

use std::collections::BTreeSet;

use m1nd_base::{ContentHash, RepoPath, node_id};
use m1nd_engine::Snapshot;
use m1nd_query::changes::Committed;
use m1nd_query::edits::{Break, BreakKind, Delta, EditedFile, Likeness, changed_files, delta};

use crate::framework::{Context, ErrorCode, ToolError};
use crate::past;

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// A use that had a target and certainly has none now.
    Dangling,
    /// A call whose arguments certainly do not fit.
    Arity,
    /// A method or type that certainly is not what the language asks for.
    Types,
    /// An import cycle of files that was not there.
    Cycle,
    /// A dependency against the declared layers that was not there.
    Layer,
    /// A new function that is a copy of another, but for names and literals.
    Duplicate,
    /// What may be broken.
    MayBreak,
}

impl ChangeKind {
    /// All of them, the worst first.
    pub const ALL: [Self; 7] =
        [Self::Dangling, Self::Arity, Self::Types, Self::Cycle, Self::Layer, Self::Duplicate, Self::MayBreak];

    /// The word on the command line, and the rule in SARIF.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Dangling => "dangling",
            Self::Arity => "arity",
            Self::Types => "types",
            Self::Cycle => "cycle",
            Self::Layer => "layer",
            Self::Duplicate => "duplicate",
            Self::MayBreak => "may-break",
        }
    }

    /// What is wrong where it is found, in a sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Dangling => "A use that had a target has none after the change.",
            Self::Arity => "The arguments of a call do not fit its target after the change.",
            Self::Types => "A method or type is not what its language asks for after the change.",
            Self::Cycle => "The change closes an import cycle of files.",
            Self::Layer => "The change depends against the layers that m1nd-layers.toml declares.",
            Self::Duplicate => "A new function is a copy of another, but for names and literals.",
            Self::MayBreak => "A use may be broken by the change.",
        }
    }

    /// Whether a check fails for it unless the caller chooses: what is certain.
    pub const fn fails_by_default(self) -> bool {
        !matches!(self, Self::Duplicate | Self::MayBreak)
    }

    /// The kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Something that a change broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeFinding {
    /// What kind of thing.
    pub kind: ChangeKind,
    /// The file of the place.
    pub path: String,
    /// Its line, if it is not the whole file.
    pub line: Option<u32>,
    /// What is wrong, in words.
    pub message: String,
    /// Other places that belong to it.
    pub related: Vec<(String, Option<u32>)>,
    /// Stays the same when lines are added above.
    pub identity: String,
}

/// What a change against a commit did.
#[derive(Debug, Clone, Default)]
pub struct ChangeCheck {
    /// What it broke, by path and line.
    pub findings: Vec<ChangeFinding>,
    /// Number of files that differ.
    pub changed_files: usize,
    /// Test files that reach the change, nearest first.
    pub tests: Vec<String>,
    /// What could not be looked at, in words.
    pub gaps: Vec<String>,
}

/// Compares the work tree with a commit, or the commit `head` with it, whatever is checked out.
///
/// # Errors
/// A project without a history, a commit that is not there, cancellation.
pub fn check_change(cx: &Context<'_>, base: &str, head: Option<&str>) -> Result<ChangeCheck, ToolError> {
    let here: &Snapshot = &cx.snapshot;
    let history = here.history_briefly(cx.cancel);
    let place = past::first_place(here, &history).map_err(past::without_history)?;
    let index = |commit| {
        here.at_commit(&place, commit, cx.cancel).map_err(|error| {
            ToolError::new(ErrorCode::RevisionNotFound, error.to_string())
                .next_step("fetch its objects (`git fetch --unshallow`), then repeat the command")
        })
    };
    let commit = past::commit(&place, "base", base)?;
    let before = index(commit)?;
    let head = head.map(|head| past::commit(&place, "head", head)).transpose()?;
    let then = head.map(index).transpose()?;
    let after = then.as_deref().unwrap_or(here);
    // Text of the files that differ; those of both states that are equal are read from the disk.
    let read = |commit| Committed::of(Some(&place), Some(commit), cx.cancel).map_err(past::without_history);
    let (texts, new_texts) = (read(commit)?, head.map(read).transpose()?.flatten());
    let changed = changed_files(&before, after);
    let text = |of: &Snapshot, texts: Option<&Committed>, path: &RepoPath| {
        let bytes = of.files().get(path).and_then(|_| texts?.text(path.as_str()))?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    // What the disk has in another state is read from the commits, too.
    let is_elsewhere = |path: &&RepoPath| here.files().get(path).map(|entry| entry.hash) != hash_of(after, path);
    let other: Vec<RepoPath> = match then.as_deref() {
        Some(after) => after.files().iter().map(|entry| &entry.path).filter(is_elsewhere).cloned().collect(),
        None => Vec::new(),
    };
    let all: BTreeSet<&RepoPath> = changed.iter().chain(&other).collect();
    let read_both = |path: &&RepoPath| (text(&before, texts.as_ref(), path), text(after, new_texts.as_ref(), path));
    let both: Vec<(Option<String>, Option<String>)> = all.iter().map(read_both).collect();
    let edited: Vec<EditedFile<'_>> = { all.iter().zip(&both) }
        .map(|(path, (old, new))| EditedFile { path, before: old.as_deref(), after: new.as_deref() })
        .collect();
    let found = delta(&before, after, &edited, cx.cancel)?;
    let mut check = ChangeCheck { changed_files: changed.len(), ..list_findings(&found) };
    let is_lost = |(path, (old, _)): &(&&RepoPath, &(Option<String>, Option<String>))| {
        old.is_none() && before.files().get(path).is_some()
    };
    let lost = all.iter().zip(&both).filter(is_lost).count();
    if lost > 0 {
        check.gaps.push(format!("the old text of {lost} files cannot be read"));
    }
    if here.roots().len() > 1 {
        check.gaps.push("only the first root with a history was compared".to_owned());
    }
    Ok(check)
}

fn hash_of(snapshot: &Snapshot, path: &RepoPath) -> Option<ContentHash> {
    snapshot.files().get(path).map(|entry| entry.hash)
}

fn list_findings(delta: &Delta) -> ChangeCheck {
    let Delta { check, copies, tests, .. } = delta;
    let mut findings: Vec<ChangeFinding> = check.broken.iter().map(|found| of_break(found, kind_of(found))).collect();
    findings.extend(check.doubtful.iter().map(|found| of_break(found, ChangeKind::MayBreak)));
    findings.extend(check.cycles.iter().map(|way| ChangeFinding {
        kind: ChangeKind::Cycle,
        path: way.first().cloned().unwrap_or_default(),
        line: None,
        message: format!("closes an import cycle: {}", way.join(" → ")),
        related: way.iter().skip(1).map(|path| (path.clone(), None)).collect(),
        identity: way.join(" "),
    }));
    findings.extend(check.layers.iter().map(|found| ChangeFinding {
        kind: ChangeKind::Layer,
        path: found.file.clone(),
        line: Some(found.line),
        message: format!("`{}` must not use `{}` ({} uses {})", found.layer, found.to_layer, found.file, found.to),
        related: vec![(found.to.clone(), None)],
        identity: format!("{} {}", found.file, found.to),
    }));
    let path = |id: &str| node_id::path_of(id).unwrap_or_default().to_owned();
    findings.extend(copies.iter().map(|found| ChangeFinding {
        kind: ChangeKind::Duplicate,
        path: path(&found.id),
        line: Some(found.line),
        message: format!(
            "`{}` is a copy of `{}`{}",
            node_id::last_name(&found.id),
            node_id::last_name(&found.of),
            if found.likeness == Likeness::Copy { "" } else { ", but for names and literals" }
        ),
        related: vec![(path(&found.of), Some(found.of_line))],
        identity: format!("{} {}", found.id, found.of),
    }));
    findings.sort_by(|a, b| (&a.path, a.line, a.kind, &a.message).cmp(&(&b.path, b.line, b.kind, &b.message)));
    let mut gaps = Vec::new();
    let listed = check.broken.len() + check.doubtful.len() + check.layers.len();
    let total = check.total_broken + check.total_doubtful + check.total_layers;
    if total > listed {
        gaps.push(format!("{} findings more are not listed", total - listed));
    }
    gaps.extend(check.unusable_layers.iter().cloned());
    ChangeCheck { findings, changed_files: 0, tests: tests.iter().map(|row| row.file.clone()).collect(), gaps }
}

const fn kind_of(found: &Break) -> ChangeKind {
    match found.kind {
        BreakKind::LostReference | BreakKind::DanglingImport => ChangeKind::Dangling,
        BreakKind::ArgumentCount | BreakKind::ArgumentName => ChangeKind::Arity,
        BreakKind::LostOverride | BreakKind::MisplacedType => ChangeKind::Types,
    }
}

fn of_break(found: &Break, kind: ChangeKind) -> ChangeFinding {
    ChangeFinding {
        kind,
        path: found.file.clone(),
        line: Some(found.line),
        message: found.detail.clone(),
        related: Vec::new(),
        identity: format!("{} {} {}", found.kind.word(), found.from, found.to),
    }
}
