//! `m1nd status`: shows what is indexed and how fresh it is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{LanguageStatus, ProblemStatus, Status, WatchState};
use m1nd_tools::{Context, TOOLS};
use serde_json::json;

use crate::args::{Common, PathArg};
use crate::commands::ingest;
use crate::error::CliError;
use crate::flags::DEFAULT_AGENT;
use crate::output::{Out, Tone, duration, group_digits};
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &PathArg, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.as_deref())?;
    let services = project::open(common, &root, true)?;
    if out.json {
        // The answer that an agent gets.
        let cancel = Cancel::new();
        let health = m1nd_tools::find("health").ok_or_else(|| CliError::Tool(m1nd_server::unknown_tool("health")))?;
        let answer =
            health.invoke(&Context::new(&services, TOOLS, &cancel, &NoProgress), json!({"agent_id": DEFAULT_AGENT}));
        return out.value(&answer.map_err(CliError::Tool)?);
    }
    let (status, snapshot) = (services.engine.status(), services.engine.snapshot());
    for notice in &status.notices {
        out.line(out.paint(Tone::Warn, notice))?;
    }
    if snapshot.is_empty() {
        return Err(CliError::NoIndex(root.display().to_string()));
    }
    for root in &status.roots {
        out.line(out.paint(Tone::Strong, &root.display().to_string()))?;
    }
    let made = UNIX_EPOCH + Duration::from_millis(status.indexed_at_ms);
    let age = SystemTime::now().duration_since(made).unwrap_or_default();
    out.line(format!(
        "  generation {}, built {} ago: {} files, {} lines, {} nodes, {} edges",
        status.generation,
        duration(age.as_secs_f64() * 1e3),
        group_digits(status.files as u64),
        group_digits(status.lines),
        group_digits(status.node_count as u64),
        group_digits(status.edge_count as u64),
    ))?;
    if let Some(unseen) = project::describe_unseen(&services.engine) {
        out.line(out.paint(Tone::Warn, &format!("  {unseen}; run `m1nd ingest`")))?;
    }
    if let WatchState::Failed(why) = &status.watch {
        out.line(out.paint(Tone::Warn, &format!("  files are not watched: {why}")))?;
    }
    if let Some(index) = &status.compiler {
        let tools = index.tools.join(", ");
        let (files, stale) = (group_digits(index.files as u64), group_digits(index.stale as u64));
        let tone = if index.stale > 0 { Tone::Warn } else { Tone::Dim };
        let text = format!("  compiler index ({tools}): {files} files covered, {stale} stale");
        out.line(out.paint(tone, &text))?;
    }
    ingest::tiers(&status.languages, status.tiers, out)?;
    reasons(&status, out)?;
    problems(&status.problems, out)
}

/// Maximum reasons of unresolved references shown.
const REASONS: usize = 6;
/// Maximum languages named with a reason.
const LANGUAGES: usize = 4;
/// Maximum examples shown for each kind of problem.
const EXAMPLES: usize = 2;

fn reasons(status: &Status, out: &mut Out) -> Result<(), CliError> {
    if status.unresolved_reasons.is_empty() {
        return Ok(());
    }
    out.line(format!("\n{}", out.paint(Tone::Strong, "Why references are unresolved")))?;
    for (reason, count) in status.unresolved_reasons.iter().take(REASONS) {
        let of = |row: &LanguageStatus| {
            let (_, count) = row.unresolved_reasons.iter().find(|(own, _)| own == reason)?;
            Some((*count, format!("{} {}", row.language.name(), group_digits(*count))))
        };
        let mut languages: Vec<(u64, String)> = status.languages.iter().filter_map(of).collect();
        languages.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let named: Vec<String> = languages.into_iter().take(LANGUAGES).map(|(_, text)| text).collect();
        let named = out.paint(Tone::Dim, &named.join(", "));
        out.line(format!("  {:>10}  {reason:28}  {named}", group_digits(*count)))?;
    }
    Ok(())
}

fn problems(rows: &[ProblemStatus], out: &mut Out) -> Result<(), CliError> {
    if rows.is_empty() {
        return Ok(());
    }
    out.line(format!("\n{}", out.paint(Tone::Strong, "Files skipped or indexed incompletely")))?;
    for row in rows {
        let kind = serde_json::to_value(row.kind).unwrap_or_default();
        let shown: Vec<String> = row.examples.iter().take(EXAMPLES).map(describe).collect();
        let kind = out.paint(Tone::Warn, &format!("{:18}", kind.as_str().unwrap_or_default()));
        let shown = out.paint(Tone::Dim, &shown.join(", "));
        out.line(format!("  {:>10}  {kind}  {shown}", group_digits(row.count as u64)))?;
    }
    Ok(())
}

fn describe((path, detail): &(String, String)) -> String {
    if detail.is_empty() { path.clone() } else { format!("{path} ({detail})") }
}
