//! `mind search`, `edges`, `status`: the tools, for people.

use std::path::Path;

use m1nd_base::{Cancel, NoProgress};
use m1nd_mind::{
    Edge, EdgeDraft, GlobalEdges, GotchaBullet, Health, Keeper, MemoryError, MemoryStatusReport, PROJECT_PREFIX,
    ProjectMemory, ProjectStatus, Severity, SharedFolder, canonical_tag, find_project,
};
use m1nd_tools::{Context, Services, TOOLS};
use serde_json::{Value, json};

use super::look::counts;
use super::rows;
use crate::answers::{self, Answer, Asked, Memories, MemoryRow, Titled, Warnings};
use crate::args::memory::{EdgesArgs, EdgesCommand, SearchArgs};
use crate::args::{Common, PathArg};
use crate::error::CliError;
use crate::json::with_member;
use crate::output::{Out, Tone, count, note};
use crate::project::{self, memory_places, mind_home};

/// Maximum size of a code file that is checked, in bytes.
const MAX_CODE: u64 = 1 << 20;

/// `mind search`.
pub(crate) fn search(args: &SearchArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let types = Some(&args.types).filter(|types| !types.is_empty());
    let query = args.query.join(" ");
    let arguments = json!({"query": query, "scope": args.scope, "limit": args.limit, "types": types});
    let Asked { answer: found, json } = ask::<Memories>(without_nulls(arguments), None, common)?;
    if out.json {
        return out.value(&json);
    }
    found.notice.as_deref().into_iter().for_each(note);
    if found.results.is_empty() {
        return out.line("no memory matches");
    }
    found.results.iter().try_for_each(|row| show_memory(row, out))
}

/// Prints a memory: what it says, what it is related to, its code, and where it is.
fn show_memory(row: &MemoryRow, out: &mut Out) -> Result<(), CliError> {
    let status = row.status.as_ref().map(|status| format!(", {status}")).unwrap_or_default();
    let head = format!("[{}{status}] {}", row.kind, row.title);
    let relevance = row.relevance.as_ref().map(ToString::to_string).unwrap_or_default();
    out.line(format!("{}  {relevance}", out.paint(Tone::Strong, &head)))?;
    if let Some(reason) = &row.reasoning {
        out.line(format!("    {reason}"))?;
    }
    let named = |what: &'static str, others: &[Titled]| -> Vec<String> {
        others.iter().map(|other| format!("{what}: {}", other.title)).collect()
    };
    let related = [
        named("replaces", row.replaces.as_slice()),
        named("contradicts", row.contradicts.as_deref().unwrap_or_default()),
        named("contradicted by", row.contradicted_by.as_deref().unwrap_or_default()),
    ];
    for line in related.iter().flatten() {
        out.line(format!("    {}", out.paint(Tone::Warn, line)))?;
    }
    for code in row.code.iter().flatten() {
        let tone = if code.state == "current" { Tone::Good } else { Tone::Warn };
        let why = code.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        out.line(format!("    {}: {}{}", code.name, out.paint(tone, &code.state), out.paint(Tone::Dim, &why)))?;
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let day: String = text(&row.date).chars().take(10).collect();
    let line = row.source_line.as_ref().map(ToString::to_string).unwrap_or_default();
    let place = format!("    {} {}:{line}  {day}  {}", text(&row.project), text(&row.source_file), row.id);
    out.line(out.paint(Tone::Dim, &place))
}

/// `mind status`.
pub(crate) fn status(args: &PathArg, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let Asked { answer: report, json } = ask::<MemoryStatusReport>(json!({}), args.path.as_deref(), common)?;
    if out.json {
        return out.value(&json);
    }
    match &report.current_project {
        None => out.line("no project with a memory is here; create one with `mind init`")?,
        Some(project) => show_project(project, out)?,
    }
    let daemon = &report.daemon;
    let running = match daemon.running {
        true => {
            let process = daemon.pid.map_or_else(|| "null".to_owned(), |pid| pid.to_string());
            format!("running, process {process}, watching {}", count(daemon.projects_watching, "project"))
        }
        false => "not running; not required".to_owned(),
    };
    out.line(format!("daemon: {running}"))?;
    let all = &report.global_stats;
    out.line(format!(
        "all: {}, {}, {} of all projects",
        count(all.projects_registered, "project"),
        count(all.total_memories, "memory"),
        count(all.global_edges, "gotcha")
    ))?;
    let of_project = report.current_project.iter().flat_map(|project| &project.problems);
    report.problems.iter().chain(&daemon.degraded).chain(of_project).for_each(note);
    Ok(())
}

/// Prints the current project for `mind status`.
fn show_project(project: &ProjectStatus, out: &mut Out) -> Result<(), CliError> {
    let name = out.paint(Tone::Strong, &project.name);
    out.line(format!("{name}  {}", project.path.display()))?;
    let tone = if project.memory_health == Health::Good { Tone::Good } else { Tone::Warn };
    let health = out.paint(tone, project.memory_health.name());
    out.line(format!("  memory: {health}, {}", project.memory_health_reason))?;
    let stats = &project.stats;
    out.line(format!("  {}, {}", counts(stats), count(stats.sessions_inferred, "session")))?;
    if !project.stack.is_empty() {
        out.line(format!("  stack: {}", project.stack.join(", ")))?;
    }
    let day = project.last_activity.strftime("%Y-%m-%d %H:%M");
    let registered = if project.registered { "" } else { "; not registered, run `mind add`" };
    out.line(format!("  last activity {day}{registered}"))
}

/// `mind edges`.
pub(crate) fn edges(args: &EdgesArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let home = SharedFolder::new(mind_home()?);
    match &args.command {
        None | Some(EdgesCommand::List) => list(args, &home, out),
        Some(EdgesCommand::Check { intent, code, stack }) => {
            let code = code.as_deref().map(read).transpose()?;
            let arguments = json!({"intent": intent, "code": code, "stack": stack});
            show_warnings(&ask(without_nulls(arguments), None, common)?, out)
        }
        Some(EdgesCommand::Add { title, description, workaround, context, intent, code, tags, severity }) => {
            let detection = json!({"context": context, "intent": intent, "code": code});
            let draft = json!({
                "title": title, "description": description, "workaround": workaround, "detection": detection,
                "stack_tags": tags, "severity": severity,
            });
            let draft: EdgeDraft =
                serde_json::from_value(draft).map_err(|error| MemoryError::Invalid(error.to_string()))?;
            let edge = Keeper::new(home.path(), None).add_global_edge(&draft)?;
            print_value(&json!(edge), &format!("stored as {}", edge.id), out)
        }
        Some(EdgesCommand::Verify { id }) => {
            let edge = GlobalEdges::verify(&home, id)?;
            print_value(&json!(edge), &format!("{id}: verified, {}", count(edge.verified_count as usize, "time")), out)
        }
        Some(EdgesCommand::Remove { id }) => {
            let edge = GlobalEdges::remove(&home, id)?;
            print_value(&json!(edge), &format!("{id} removed: {}", edge.title), out)
        }
    }
}

fn print_value(value: &Value, text: &str, out: &mut Out) -> Result<(), CliError> {
    if out.json { out.value(value) } else { out.line(text) }
}

fn list(args: &EdgesArgs, home: &SharedFolder, out: &mut Out) -> Result<(), CliError> {
    // Outside a project, there are no gotchas of its own.
    let project = find_project(Path::new("."), home.path()).and_then(|path| ProjectMemory::read(&path, home)).ok();
    let own = project.iter().flat_map(|memory| &memory.parsed.gotchas);
    let mut rows: Vec<ListedGotcha> = own.map(ListedGotcha::of_project).collect();
    rows.extend(GlobalEdges::read(home)?.edges().iter().map(|edge| ListedGotcha::of_all(edge, "global")));
    rows.extend(GlobalEdges::built_in().map(|edge| ListedGotcha::of_all(edge, "built in")));
    let wanted: Vec<String> = args.stack.iter().map(|tag| canonical_tag(tag)).collect();
    let keep = |row: &ListedGotcha| {
        let text = row.json.to_string().to_lowercase();
        args.search.as_ref().is_none_or(|wanted| text.contains(&wanted.to_lowercase()))
            && (wanted.is_empty() || row.tags.iter().any(|tag| wanted.contains(&canonical_tag(tag))))
    };
    rows.retain(keep);
    if out.json {
        return out.value(&rows.into_iter().map(|row| row.json).collect());
    }
    for row in &rows {
        let id = out.paint(Tone::Dim, &row.id);
        out.line(format!("{id}  [{}, {}] {}", row.severity.name(), row.source, row.title))?;
        if !row.workaround.is_empty() {
            out.line(format!("    {}", row.workaround))?;
        }
    }
    if rows.is_empty() { out.line("none") } else { Ok(()) }
}

/// A gotcha as `mind edges` lists it.
struct ListedGotcha {
    id: String,
    severity: Severity,
    source: &'static str,
    title: String,
    workaround: String,
    tags: Vec<String>,
    /// The same for programs.
    json: Value,
}

impl ListedGotcha {
    /// A gotcha of this project.
    fn of_project(gotcha: &GotchaBullet) -> Self {
        let (id, source) = (format!("{PROJECT_PREFIX}{}", gotcha.id), "project");
        let json = with_member(with_member(rows::gotcha(gotcha), "id", id.as_str()), "source", source);
        let workaround = gotcha.workaround.as_deref().unwrap_or_default().to_owned();
        Self {
            id,
            severity: gotcha.severity,
            source,
            title: gotcha.title.to_string(),
            workaround,
            tags: Vec::new(),
            json,
        }
    }

    /// A gotcha of all projects.
    fn of_all(edge: &Edge, source: &'static str) -> Self {
        Self {
            id: edge.id.to_string(),
            severity: edge.severity,
            source,
            title: edge.title.to_string(),
            workaround: edge.workaround.to_string(),
            tags: edge.stack_tags.iter().map(ToString::to_string).collect(),
            json: with_member(json!(edge), "source", source),
        }
    }
}

fn show_warnings(asked: &Asked<Warnings>, out: &mut Out) -> Result<(), CliError> {
    if out.json {
        return out.value(asked.json.get("result").unwrap_or(&Value::Null));
    }
    let found = &asked.answer;
    found.notice.as_deref().into_iter().for_each(note);
    for row in &found.result {
        let tone = if row.severity == "info" { Tone::Dim } else { Tone::Warn };
        let confidence = row.confidence.as_ref().map(ToString::to_string).unwrap_or_default();
        out.line(out.paint(tone, &format!("[{}, {confidence}] {}", row.severity, row.title)))?;
        // The description of a project's gotcha contains its title.
        if !row.description.contains(&row.title) {
            out.line(format!("    {}", row.description))?;
        }
        if let Some(workaround) = row.workaround.as_ref().filter(|text| !text.is_empty()) {
            out.line(format!("    → {workaround}"))?;
        }
        out.line(format!("    {}", row.matched_on.as_deref().unwrap_or_default()))?;
    }
    if found.result.is_empty() { out.line("no known gotcha applies") } else { Ok(()) }
}

fn read(path: &Path) -> Result<String, CliError> {
    let unusable = |why: String| CliError::usage(format!("cannot read {}: {why}", path.display()), "pass a text file");
    match std::fs::metadata(path) {
        Ok(data) if data.len() > MAX_CODE => return Err(unusable(format!("it is larger than {MAX_CODE} bytes"))),
        _ => {}
    }
    std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    value
}

/// Calls a memory tool on the project around a folder.
fn ask<A: Answer>(arguments: Value, folder: Option<&Path>, common: &Common) -> Result<Asked<A>, CliError> {
    let services = services(folder, common)?;
    let cancel = Cancel::new();
    answers::ask(&Context::new(&services, TOOLS, &cancel, &NoProgress), arguments)
}

/// Opens the index of the repository around a folder and its memories, read-only.
pub(super) fn services(folder: Option<&Path>, common: &Common) -> Result<Services, CliError> {
    let (mut config, _) = project::load_config(common, vec![project::root(folder)?], folder.is_some())?;
    config.read_only = true;
    let mind = memory_places(&config.roots, folder.is_some())?;
    let services = Services::open(config, mind)?;
    for interrupted in services.engine.files().interrupted_anywhere().unwrap_or_default() {
        note(interrupted.notice());
    }
    Ok(services)
}
