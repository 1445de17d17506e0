//! `mind doctor`, `archive`, `forget`.

use jiff::ToSpan;
use jiff::civil::Date;
use m1nd_mind::{GlobalEdges, Level, MemoryError, ProjectMemory, SharedFolder, check_up};
use serde_json::json;

use super::look::open;
use crate::args::Common;
use crate::args::memory::{ArchiveArgs, DoctorArgs, ForgetArgs};
use crate::error::CliError;
use crate::json::with_member;
use crate::output::{Out, Tone, count, note};
use crate::project::mind_home;

/// Prefix of the ids of gotchas of all projects.
const GLOBAL_GOTCHA: &str = "edge_";
/// Default age in days at which entries are archived.
const OLD_DAYS: i32 = 180;

/// `mind doctor`.
pub(crate) fn doctor(args: &DoctorArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let home = mind_home()?;
    let project = match open(args.path.path.as_deref(), common) {
        Ok((project, keeper)) => {
            // The check below reports why a repair fails.
            if args.fix
                && let Err(error) = keeper.keep(&project)
            {
                note(format!("nothing was repaired: {error}"));
            }
            Some(project)
        }
        Err(CliError::Memory(MemoryError::NoProject { .. })) => None,
        Err(error) => return Err(error),
    };
    let findings = check_up(&home, project.as_deref());
    if out.json {
        out.value(&json!(findings))?;
    } else {
        for finding in &findings {
            let (tone, mark) = match finding.level {
                Level::Good => (Tone::Good, "ok"),
                Level::Warning => (Tone::Warn, "look"),
                Level::Bad => (Tone::Bad, "bad"),
            };
            out.line(format!("{:>4}  {}", out.paint(tone, mark), finding.text))?;
            if let Some(next) = &finding.next {
                out.line(format!("      {}", out.paint(Tone::Dim, next)))?;
            }
        }
    }
    match findings.iter().filter(|finding| finding.level == Level::Bad).count() {
        0 => Ok(()),
        1 => Err(CliError::fail("1 problem found", "follow the step below it")),
        bad => Err(CliError::fail(format!("{bad} problems found"), "follow the step below each")),
    }
}

/// `mind archive`.
pub(crate) fn archive(args: &ArchiveArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (project, keeper) = open(args.path.path.as_deref(), common)?;
    let memory = ProjectMemory::read(&project, keeper.home())?;
    let before = match &args.before {
        Some(text) => text
            .parse::<Date>()
            .map_err(|_| CliError::usage(format!("`{text}` is not a date"), "pass a date such as 2026-05-31"))?,
        None => memory.today.saturating_sub(OLD_DAYS.days()),
    };
    let moved = m1nd_mind::archive(&memory, before, args.dry_run)?;
    if out.json {
        return out.value(&json!({"moved": moved, "dry_run": args.dry_run}));
    }
    for day in &moved {
        let what = if args.dry_run { "would be moved to" } else { "moved to" };
        out.line(format!("{}  {} {what} {}", day.date, count(day.lines, "line"), day.file.display()))?;
    }
    if moved.is_empty() { out.line(format!("no entry before {before} can be moved")) } else { Ok(()) }
}

/// `mind forget`.
pub(crate) fn forget(args: &ForgetArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    if args.id.starts_with(GLOBAL_GOTCHA) && !args.undo && !args.dry_run {
        let edge = GlobalEdges::remove(&SharedFolder::new(mind_home()?), &args.id)?;
        return match out.json {
            true => out.value(&json!(edge)),
            false => out.line(format!("{}  removed from the gotchas of all projects: {}", edge.id, edge.title)),
        };
    }
    let (project, keeper) = open(args.path.path.as_deref(), common)?;
    if args.undo {
        if !m1nd_mind::show_again(&keeper, &project, &args.id)? {
            let why = format!("no hidden memory has the id `{}`", args.id);
            return Err(CliError::fail(why, "a removed line is kept in .mind/.index/backup"));
        }
        return match out.json {
            true => out.value(&json!({"id": args.id, "hidden": false})),
            false => out.line(format!("{}  shown again", args.id)),
        };
    }
    let memory = ProjectMemory::read(&project, keeper.home())?;
    let forgotten = m1nd_mind::forget(&keeper, &memory, &args.id, args.dry_run)?;
    if !args.dry_run {
        for problem in m1nd_mind::refresh_blocks(&ProjectMemory::read(&project, keeper.home())?).problems {
            note(problem);
        }
    }
    if out.json {
        return out.value(&with_member(json!(forgotten), "dry_run", args.dry_run));
    }
    let place = format!("{}:{}", forgotten.file, forgotten.line);
    let what = match (args.dry_run, forgotten.hidden) {
        (true, false) => "would be removed",
        (false, false) => "was removed",
        (true, true) => "would be hidden on this machine",
        (false, true) => "is hidden on this machine; its text is kept",
    };
    out.line(format!("{place} {what}:\n  {}", forgotten.text))
}
