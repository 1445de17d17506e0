//! `mind index`, `context`, `parse`, `export`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use m1nd_mind::{
    self, BlockState, Depth, Keeper, ProjectMemory, Record, Registry, SourceKind, Status, block_files, block_text,
    write_blocks,
};
use serde_json::{Value, json};

use super::rows;
use crate::args::Common;
use crate::args::memory::{ContextArgs, IndexArgs, MemoryExport, ParseArgs};
use crate::error::CliError;
use crate::json::with_member;
use crate::output::{Out, Tone, count, duration, note};
use crate::project::{self, mind_home};

/// The project around a folder, and the writer of its memories.
pub(super) fn open(path: Option<&Path>, common: &Common) -> Result<(PathBuf, Keeper), CliError> {
    let home = mind_home()?;
    let start = match path {
        Some(path) => path.to_owned(),
        None => std::env::var_os("CLAUDE_PROJECT_DIR")
            .filter(|folder| !folder.is_empty())
            .map_or_else(|| ".".into(), PathBuf::from),
    };
    let project = m1nd_mind::find_project(&start, &home)?;
    Ok((project, Keeper::new(&home, Some(&project::home(common)?))))
}

/// `mind index`.
pub(crate) fn index(args: &IndexArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (project, keeper) = open(args.path.path.as_deref(), common)?;
    if args.full {
        keeper.forget_sources(&project)?;
    }
    let begun = Instant::now();
    let changed = keeper.refresh(&project, Depth::Full)?;
    let looked = begun.elapsed();
    let memory = ProjectMemory::read(&project, keeper.home())?;
    let kept = match args.no_context {
        true => m1nd_mind::Kept::default(),
        false => m1nd_mind::refresh_blocks(&memory),
    };
    let stats = m1nd_mind::ProjectStats::of(&memory);
    if out.json {
        return out.value(&json!({
            "project": project, "memory_changed": changed, "stats": stats, "problems": memory.left_out().collect::<Vec<_>>(),
            "sources": memory.source_counts(), "blocks_written": kept.written, "block_problems": kept.problems,
            "elapsed_ms": begun.elapsed().as_secs_f64() * 1e3,
        }));
    }
    out.line(out.paint(Tone::Strong, &project.display().to_string()))?;
    let [file, archive, comments, commits] = memory.source_counts();
    out.line(format!(
        "  {} in the file, {archive} archived, {comments} in comments, {commits} in commits",
        count(file, "memory")
    ))?;
    out.line(format!("  {}  ({})", counts(&stats), duration(looked.as_secs_f64() * 1e3)))?;
    if !memory.stack.is_empty() {
        out.line(format!("  stack: {}", memory.stack.join(", ")))?;
    }
    for path in &kept.written {
        out.line(format!("  updated the block of {}", path.display()))?;
    }
    for problem in memory.left_out().chain(kept.problems) {
        note(problem);
    }
    Ok(())
}

/// Counts of a memory, as text.
pub(super) fn counts(stats: &m1nd_mind::ProjectStats) -> String {
    let parts = [
        count(stats.decisions, "decision"),
        count(stats.issues_open, "open issue"),
        format!("{} resolved", stats.issues_resolved),
        count(stats.learnings, "learning"),
        count(stats.edges, "gotcha"),
    ];
    parts.join(", ")
}

/// `mind context`.
pub(crate) fn context(args: &ContextArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (project, keeper) = open(args.path.path.as_deref(), common)?;
    if args.regenerate {
        keeper.refresh(&project, Depth::Full)?;
        let memory = ProjectMemory::read(&project, keeper.home())?;
        let kept = write_blocks(&memory);
        for problem in &kept.problems {
            note(problem);
        }
        if out.json {
            out.value(&json!({"written": kept.written, "problems": kept.problems}))?;
        } else {
            for path in &kept.written {
                out.line(format!("{}  written", path.display()))?;
            }
        }
        return match (kept.written.is_empty(), kept.problems.is_empty()) {
            (true, false) => Err(CliError::fail("no block was written", "fix the problems above")),
            (true, true) if !out.json => out.line("every block is up to date"),
            _ => Ok(()),
        };
    }
    // In a fresh checkout, as in CI, comments and commits have not been read yet, but the block contains some.
    if args.check
        && let Err(error) = keeper.refresh(&project, Depth::Full)
    {
        note(format!("comments and commits were not read: {error}"));
    }
    let memory = ProjectMemory::read(&project, keeper.home())?;
    if !args.check {
        let text = block_text(&memory);
        return match out.json {
            true => out.value(&json!({"project": project, "text": text.trim_end()})),
            false => out.line(text.trim_end()),
        };
    }
    let files = block_files(&memory);
    let with_block: Vec<_> =
        files.iter().filter(|file| !matches!(file.state, BlockState::Absent | BlockState::None)).collect();
    let bad = with_block.iter().filter(|file| file.state != BlockState::Fresh).count();
    if out.json {
        out.value(&json!(files))?;
    } else {
        for file in &with_block {
            let problem = file.problem.as_deref().map(|problem| format!("  {problem}")).unwrap_or_default();
            out.line(format!("{}  {}{problem}", file.path.display(), json!(file.state).as_str().unwrap_or_default()))?;
        }
    }
    match (bad, with_block.len()) {
        (0, 1..) => Ok(()),
        (0, 0) => Err(CliError::fail("no file has a block", "run `mind context --regenerate`")),
        _ => Err(CliError::fail("a block is out of date", "run `mind context --regenerate`")),
    }
}

/// `mind parse`.
pub(crate) fn parse(args: &ParseArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (project, keeper) = open(args.path.path.as_deref(), common)?;
    let memory = ProjectMemory::read(&project, keeper.home())?;
    let shown =
        |record: &&Record| args.inline || matches!(record.source.kind, SourceKind::MemoryFile | SourceKind::Archive);
    let records: Vec<&Record> = memory.records.iter().filter(shown).collect();
    if out.json {
        return out.value(&json!({
            "project_state": memory.parsed.project_state, "entities": records.iter().map(|record| rows::entity(record)).collect::<Vec<_>>(), "sessions": memory.sessions.iter().map(|worked| &worked.session).collect::<Vec<_>>(),
            "project_edges": memory.parsed.gotchas.iter().map(rows::gotcha).collect::<Vec<_>>(),
            "next_items": memory.parsed.next_items,
            "relations": memory.relations().iter().map(rows::relation).collect::<Vec<_>>(),
            "parse_errors": memory.parsed.problems, "stats": rows::stats(&memory.parsed.stats),
        }));
    }
    for record in &records {
        let status =
            record.status.map(|status| format!(", {}", json!(status).as_str().unwrap_or_default())).unwrap_or_default();
        let place = format!("{}:{}", record.source.file, record.source.line);
        out.line(format!("{place}  [{}{status}] {:.2} {}", record.kind.name(), record.confidence, record.title))?;
        let rule = format!("    {}  {}", record.rule, record.id);
        out.line(out.paint(Tone::Dim, &rule))?;
    }
    for problem in memory.left_out() {
        note(problem);
    }
    out.line(count(records.len(), "memory"))
}

/// `mind export`.
pub(crate) fn export(args: &MemoryExport, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (mut paths, home) = (Vec::new(), mind_home()?);
    if args.all {
        let registry = Registry::new(m1nd_mind::SharedFolder::new(home.clone()));
        paths.extend(registry.list()?.into_iter().map(|project| project.path));
    } else {
        paths.push(open(args.path.path.as_deref(), common)?.0);
    }
    let folder = m1nd_mind::SharedFolder::new(home);
    let mut projects = Vec::new();
    // A project that cannot be read does not keep the others back.
    for path in paths {
        match ProjectMemory::read(&path, &folder) {
            Ok(memory) => projects.push(memory),
            Err(error) => note(format!("{}: skipped: {error}", path.display())),
        }
    }
    // For programs: everything.
    if args.format == "json" {
        let row = |memory: &ProjectMemory| {
            let row = json!({
                "path": memory.path, "name": memory.name, "stack": memory.stack, "memories": memory.records.iter().map(rows::entity).collect::<Vec<_>>(),
                "dates": memory.dates,
            });
            if args.include_index { with_member(row, "index", json!(memory.index())) } else { row }
        };
        let rows: Vec<Value> = projects.iter().map(row).collect();
        return out.value(&json!({"format_version": 1, "projects": rows}));
    }
    // For people: by kind, without what is empty.
    for memory in &projects {
        out.line(format!("# {}\n", memory.name))?;
        let index = args.include_index.then(|| memory.index());
        for (title, kind) in
            [("Decisions", "decision"), ("Issues", "issue"), ("Learnings", "learning"), ("Gotchas", "edge")]
        {
            let records: Vec<&Record> = memory.records.iter().filter(|record| record.kind.name() == kind).collect();
            if records.is_empty() {
                continue;
            }
            out.line(format!("## {title}\n"))?;
            for record in records {
                let reason = record.reasoning.as_deref().map(|reason| format!(" - {reason}")).unwrap_or_default();
                let date = record.date.map(|date| format!(" ({date})")).unwrap_or_default();
                let state = match record.status {
                    Some(Status::Resolved) => " [resolved]",
                    Some(Status::Blocked) => " [blocked]",
                    Some(Status::Open) | None => "",
                };
                out.line(format!("- {}{state}{date}{reason}", record.title))?;
                if let Some(index) = &index {
                    print_indexed(index, record, out)?;
                }
            }
            out.line("")?;
        }
    }
    Ok(())
}

/// Prints the indexed data of a memory below it.
fn print_indexed(index: &m1nd_mind::IndexExport, record: &Record, out: &mut Out) -> Result<(), CliError> {
    let place = format!("{}:{}", record.source.file, record.source.line);
    let known = index.memories.iter().find(|known| known.id == record.id);
    let seen = known.and_then(|known| known.first_seen).map(|time| format!(", first seen {time}")).unwrap_or_default();
    out.line(format!("  - `{}` at {place}{seen}", record.id))?;
    for known in known.into_iter().filter(|known| !known.code.is_empty()) {
        let code: Vec<String> = known.code.iter().map(|code| format!("`{}`", code.node_id)).collect();
        let state = known.state.map(|state| format!(": {}", state.word())).unwrap_or_default();
        out.line(format!("  - about {}{state}", code.join(", ")))?;
    }
    for relation in index.relations.iter().filter(|relation| relation.from == record.id) {
        let kind = json!(relation.kind);
        out.line(format!("  - {} `{}`", kind.as_str().unwrap_or_default().replace('_', " "), relation.to))?;
    }
    Ok(())
}
