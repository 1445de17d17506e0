//! Figures of the index, collected on request.

use std::collections::BTreeMap;
use std::path::PathBuf;

use m1nd_base::{ContentHash, ProblemKind, RepoPath};

use crate::Language;
use crate::report::{
    Activity, CompilerStatus, IngestReport, LanguageStatus, ProblemStatus, ProcessRole, Status, Tiers, WatchState,
};
use crate::state::snapshot::Snapshot;

/// Examples of each kind of problem.
const EXAMPLES: usize = 5;
/// Reasons of unresolved references listed.
const REASONS: usize = 10;

/// Inputs of the status beside the snapshot.
pub(crate) struct Parts<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) allowed_roots: Vec<PathBuf>,
    pub(crate) role: ProcessRole,
    pub(crate) watch: WatchState,
    pub(crate) activity: Option<Activity>,
    pub(crate) last_ingest: Option<IngestReport>,
    pub(crate) notices: Vec<String>,
    pub(crate) uptime_secs: u64,
}

pub(crate) fn status(parts: Parts<'_>) -> Status {
    let snapshot = parts.snapshot;
    let languages = languages(snapshot);
    let mut tiers = Tiers::default();
    languages.iter().for_each(|row| tiers.add(&row.tiers));
    let lines = languages.iter().map(|row| row.lines).sum();
    Status {
        generation: snapshot.generation(),
        roots: snapshot.roots().iter().map(|root| root.path.clone()).collect(),
        allowed_roots: parts.allowed_roots,
        files: snapshot.files().len(),
        lines,
        node_count: snapshot.graph().node_count(),
        edge_count: snapshot.graph().edge_count(),
        tiers,
        languages,
        unresolved_reasons: snapshot.reasons().all.iter().take(REASONS).cloned().collect(),
        git: snapshot.git_head(),
        problems: problems(snapshot),
        compiler: compiler(snapshot),
        last_ingest: parts.last_ingest,
        indexed_at_ms: snapshot.indexed_at_ms(),
        activity: parts.activity,
        watch: parts.watch,
        role: parts.role,
        rss_bytes: rss_bytes(),
        notices: parts.notices,
        uptime_secs: parts.uptime_secs,
    }
}

/// Figures of each language, most files first.
fn languages(snapshot: &Snapshot) -> Vec<LanguageStatus> {
    let mut languages: BTreeMap<Language, LanguageStatus> = BTreeMap::new();
    for file in snapshot.files().iter() {
        let language = file.language;
        let row = languages.entry(language).or_insert(LanguageStatus {
            language,
            files: 0,
            lines: 0,
            tiers: Tiers::default(),
            unresolved_reasons: Vec::new(),
        });
        row.files += 1;
        row.lines += u64::from(file.lines);
        row.tiers.add(&file.tiers);
    }
    for (language, counts) in &snapshot.reasons().by_language {
        if let Some(row) = languages.get_mut(language) {
            row.unresolved_reasons = counts.iter().take(REASONS).cloned().collect();
        }
    }
    let mut languages: Vec<LanguageStatus> = languages.into_values().collect();
    languages.sort_by_key(|row| std::cmp::Reverse(row.files));
    languages
}

/// Problems of files and of paths that were skipped, most frequent first, each with examples.
fn problems(snapshot: &Snapshot) -> Vec<ProblemStatus> {
    let mut problems: BTreeMap<ProblemKind, ProblemStatus> = BTreeMap::new();
    let row = |kind| ProblemStatus { kind, count: 0, examples: Vec::new() };
    for file in snapshot.files().iter() {
        for problem in &file.problems {
            let row = problems.entry(problem.kind).or_insert_with(|| row(problem.kind));
            row.count += 1;
            if row.examples.len() < EXAMPLES {
                row.examples.push((file.path.to_string(), problem.detail.clone()));
            }
        }
    }
    for (kind, count) in snapshot.skipped.counts() {
        problems.entry(kind).or_insert_with(|| row(kind)).count += count;
    }
    for (path, problem) in snapshot.list_skipped() {
        let row = problems.entry(problem.kind).or_insert_with(|| row(problem.kind));
        if row.examples.len() < EXAMPLES {
            row.examples.push((path.clone(), problem.detail.clone()));
        }
    }
    let mut problems: Vec<ProblemStatus> = problems.into_values().collect();
    problems.sort_by_key(|row| std::cmp::Reverse(row.count));
    problems
}

/// Coverage of compiler indexes.
fn compiler(snapshot: &Snapshot) -> Option<CompilerStatus> {
    let cover = &snapshot.compiler;
    let is_stale =
        |row: &&(RepoPath, ContentHash)| snapshot.files().get(&row.0).is_none_or(|entry| entry.hash != row.1);
    (!cover.files.is_empty()).then(|| CompilerStatus {
        tools: cover.tools.clone(),
        files: cover.files.len(),
        stale: cover.files.iter().filter(is_stale).count(),
    })
}

/// Resident memory of this process, 0 where the system does not tell.
fn rss_bytes() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
