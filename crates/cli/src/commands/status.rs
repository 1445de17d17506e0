//! `m1nd status`: what is indexed and how fresh it is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::WatchState;
use m1nd_tools::Context;
use serde_json::json;

use crate::args::{Common, PathArg};
use crate::commands::ingest;
use crate::error::CliError;
use crate::flags::DEFAULT_AGENT;
use crate::output::{Out, Tone, duration, grouped};
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &PathArg, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.as_deref())?;
    let engine = project::open(common, &root, true)?;
    if out.json {
        // The same answer that an agent gets.
        let cancel = Cancel::new();
        let health = m1nd_tools::find("health").ok_or_else(|| CliError::Tool(m1nd_server::unknown_tool("health")))?;
        let answer = health.invoke(&Context::new(&engine, &cancel, &NoProgress), json!({"agent_id": DEFAULT_AGENT}));
        return out.value(&answer.map_err(CliError::Tool)?);
    }
    let status = engine.status();
    for notice in &status.notices {
        out.line(out.paint(Tone::Warn, notice))?;
    }
    if engine.snapshot().is_empty() {
        return Err(CliError::NoIndex(root.display().to_string()));
    }
    for root in &status.roots {
        out.line(out.paint(Tone::Strong, &root.display().to_string()))?;
    }
    let made = UNIX_EPOCH + Duration::from_millis(status.indexed_at_ms);
    let age = SystemTime::now().duration_since(made).unwrap_or_default();
    out.line(format!(
        "  generation {}, made {} ago: {} files, {} lines, {} nodes, {} edges",
        status.generation,
        duration(age.as_secs_f64() * 1e3),
        grouped(status.files as u64),
        grouped(status.lines),
        grouped(status.node_count as u64),
        grouped(status.edge_count as u64),
    ))?;
    if let WatchState::Failed(why) = &status.watch {
        out.line(out.paint(Tone::Warn, &format!("  watching does not work: {why}")))?;
    }
    ingest::tiers(&status.languages, status.tiers, out)?;
    if !status.unresolved_reasons.is_empty() {
        out.line(format!("\n{}", out.paint(Tone::Strong, "Why references are unresolved")))?;
        for (reason, count) in status.unresolved_reasons.iter().take(5) {
            out.line(format!("  {:>10}  {reason}", grouped(*count)))?;
        }
    }
    Ok(())
}
