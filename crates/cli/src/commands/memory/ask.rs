//! `mind search`, `edges`, `status`: the tools, for people.

use std::path::Path;

use m1nd_base::{Cancel, NoProgress};
use m1nd_mind::{
    EdgeDraft, GlobalEdges, GotchaBullet, Keeper, MemoryError, PROJECT_PREFIX, ProjectMemory, ProjectStats,
    SharedFolder, canonical_tag, find_project,
};
use m1nd_tools::{Context, Services, TOOLS};
use serde_json::{Value, json};

use super::look::counts;
use super::rows;
use crate::answers::{self, Memories, MemoryRow, Titled, Warnings};
use crate::args::memory::{EdgesArgs, EdgesCommand, SearchArgs};
use crate::args::{Common, PathArg};
use crate::error::CliError;
use crate::output::{Out, Tone, count, note};
use crate::project::{self, memory_places, mind_home};

/// Maximum size of a code file that is checked, in bytes.
const MAX_CODE: u64 = 1 << 20;

/// `mind search`.
pub(crate) fn search(args: &SearchArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let mut arguments = json!({"query": args.query.join(" "), "scope": args.scope, "limit": args.limit});
    if !args.types.is_empty() {
        arguments["types"] = json!(args.types);
    }
    let answer = call("mind_search", arguments, None, common)?;
    if out.json {
        return out.value(&answer);
    }
    let found: Memories = answers::read(&answer)?;
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
    let answer = call("mind_status", json!({}), args.path.as_deref(), common)?;
    if out.json {
        return out.value(&answer);
    }
    match &answer["current_project"] {
        Value::Null => out.line("no project with a memory is here; create one with `mind init`")?,
        project => show_project(project, out)?,
    }
    let daemon = &answer["daemon"];
    let running = match daemon["running"].as_bool() {
        Some(true) => {
            format!("running, process {}, watching {}", daemon["pid"], number(daemon, "projects_watching", "project"))
        }
        _ => "not running; not required".to_owned(),
    };
    out.line(format!("daemon: {running}"))?;
    let all = &answer["global_stats"];
    out.line(format!(
        "all: {}, {}, {} of all projects",
        number(all, "projects_registered", "project"),
        number(all, "total_memories", "memory"),
        number(all, "global_edges", "gotcha")
    ))?;
    let told = [&answer["problems"], &daemon["degraded"], &answer["current_project"]["problems"]];
    for problem in
        told.into_iter().flat_map(|value| value.as_array().map_or_else(|| vec![value], |list| list.iter().collect()))
    {
        problem.as_str().into_iter().for_each(crate::output::note);
    }
    Ok(())
}

/// A number of an answer, with its noun.
fn number(of: &Value, name: &str, noun: &str) -> String {
    count(of[name].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default(), noun)
}

/// Prints the current project for `mind status`.
fn show_project(project: &Value, out: &mut Out) -> Result<(), CliError> {
    let text = |name: &str| project[name].as_str().unwrap_or_default();
    let name = out.paint(Tone::Strong, text("name"));
    out.line(format!("{name}  {}", text("path")))?;
    let tone = if text("memory_health") == "good" { Tone::Good } else { Tone::Warn };
    let health = out.paint(tone, text("memory_health"));
    out.line(format!("  memory: {health}, {}", text("memory_health_reason")))?;
    let stats: ProjectStats = serde_json::from_value(project["stats"].clone()).unwrap_or_default();
    out.line(format!("  {}, {}", counts(&stats), count(stats.sessions_inferred, "session")))?;
    let stack: Vec<&str> = project["stack"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !stack.is_empty() {
        out.line(format!("  stack: {}", stack.join(", ")))?;
    }
    let day = text("last_activity").get(..16).unwrap_or_default().replace('T', " ");
    let registered = if project["registered"] == true { "" } else { "; not registered, run `mind add`" };
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
            let answer = call("mind_edges", without_nulls(arguments), None, common)?;
            show_warnings(&answer, out)
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
    let mut rows: Vec<Value> = own.map(|gotcha| row(own_row(gotcha), "project")).collect();
    rows.extend(GlobalEdges::read(home)?.edges().iter().map(|edge| row(json!(edge), "global")));
    rows.extend(GlobalEdges::built_in().map(|edge| row(json!(edge), "built in")));
    let wanted: Vec<String> = args.stack.iter().map(|tag| canonical_tag(tag)).collect();
    let keep = |row: &Value| {
        let text = row.to_string().to_lowercase();
        let tags = row["stack_tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
        args.search.as_ref().is_none_or(|wanted| text.contains(&wanted.to_lowercase()))
            && (wanted.is_empty() || tags.into_iter().any(|tag| wanted.contains(&canonical_tag(tag))))
    };
    rows.retain(keep);
    if out.json {
        return out.value(&Value::Array(rows));
    }
    for row in &rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let id = out.paint(Tone::Dim, text("id"));
        out.line(format!("{id}  [{}, {}] {}", text("severity"), text("source"), text("title")))?;
        if !text("workaround").is_empty() {
            out.line(format!("    {}", text("workaround")))?;
        }
    }
    if rows.is_empty() { out.line("none") } else { Ok(()) }
}

fn own_row(gotcha: &GotchaBullet) -> Value {
    let mut row = rows::gotcha(gotcha);
    row["id"] = format!("{PROJECT_PREFIX}{}", gotcha.id).into();
    row
}

fn row(mut edge: Value, source: &str) -> Value {
    edge["source"] = source.into();
    edge
}

fn show_warnings(answer: &Value, out: &mut Out) -> Result<(), CliError> {
    if out.json {
        return out.value(&answer["result"]);
    }
    let found: Warnings = answers::read(answer)?;
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
fn call(tool: &str, arguments: Value, folder: Option<&Path>, common: &Common) -> Result<Value, CliError> {
    let services = services(folder, common)?;
    let tool = m1nd_tools::find(tool).ok_or_else(|| CliError::fail("no such tool", "report this as a bug"))?;
    let cancel = Cancel::new();
    tool.invoke(&Context::new(&services, TOOLS, &cancel, &NoProgress), arguments).map_err(CliError::Tool)
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
