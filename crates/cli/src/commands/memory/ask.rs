//! `mind search`, `edges`, `status`: the tools, for people.

use std::path::Path;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::memory::{EdgeDraft, GlobalEdges, Keeper, MemoryError, SharedFolder};
use m1nd_engine::{Engine, EngineConfig};
use m1nd_tools::Context;
use serde_json::{Value, json};

use super::{mind_home, places};
use crate::args::{Common, PathArg};
use crate::error::CliError;
use crate::memory_args::{EdgesArgs, EdgesCommand, SearchArgs};
use crate::output::{Out, Tone, render};
use crate::project;

/// Largest file of code that is checked, in bytes.
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
    if let Some(notice) = answer["notice"].as_str() {
        crate::output::note(notice);
    }
    let rows = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        return out.line("nothing answers this");
    }
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let status = row["status"].as_str().map(|status| format!(", {status}")).unwrap_or_default();
        let head = format!("[{}{status}] {}", text("type"), text("title"));
        out.line(format!("{}  {}", out.paint(Tone::Strong, &head), row["relevance"]))?;
        if let Some(reason) = row["reasoning"].as_str() {
            out.line(format!("    {reason}"))?;
        }
        for code in row["code"].as_array().into_iter().flatten() {
            let (name, state) = (code["name"].as_str().unwrap_or_default(), code["state"].as_str().unwrap_or_default());
            let tone = if state == "current" { Tone::Good } else { Tone::Warn };
            out.line(format!("    {name}: {}", out.paint(tone, state)))?;
        }
        let day = text("date").chars().take(10).collect::<String>();
        let place =
            format!("    {} {}:{}  {day}  {}", text("project"), text("source_file"), row["source_line"], text("id"));
        out.line(out.paint(Tone::Dim, &place))?;
    }
    Ok(())
}

/// `mind status`.
pub(crate) fn status(args: &PathArg, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let answer = call("mind_status", json!({}), args.path.as_deref(), common)?;
    if out.json { out.value(&answer) } else { out.line(render(&answer).trim_end()) }
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
            said(&json!(edge), &format!("stored as {}", edge.id), out)
        }
        Some(EdgesCommand::Verify { id }) => {
            let edge = GlobalEdges::verify(&home, id)?;
            said(&json!(edge), &format!("{id}: met {} times again", edge.verified_count), out)
        }
        Some(EdgesCommand::Remove { id }) => {
            let edge = GlobalEdges::remove(&home, id)?;
            said(&json!(edge), &format!("{id} removed: {}", edge.title), out)
        }
    }
}

fn said(value: &Value, text: &str, out: &mut Out) -> Result<(), CliError> {
    if out.json { out.value(value) } else { out.line(text) }
}

fn list(args: &EdgesArgs, home: &SharedFolder, out: &mut Out) -> Result<(), CliError> {
    let mut rows: Vec<Value> = GlobalEdges::read(home)?.edges().iter().map(|edge| row(json!(edge), "global")).collect();
    rows.extend(GlobalEdges::built_in().map(|edge| row(json!(edge), "built in")));
    let keep = |row: &Value| {
        let text = row.to_string().to_lowercase();
        let tags = row["stack_tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
        args.search.as_ref().is_none_or(|wanted| text.contains(&wanted.to_lowercase()))
            && (args.stack.is_empty() || tags.into_iter().any(|tag| args.stack.iter().any(|wanted| wanted == tag)))
    };
    rows.retain(keep);
    if out.json {
        return out.value(&Value::Array(rows));
    }
    for row in &rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        out.line(format!("{}  [{}] {}", out.paint(Tone::Dim, text("id")), text("severity"), text("title")))?;
        out.line(format!("    {}", text("workaround")))?;
    }
    if rows.is_empty() { out.line("none") } else { Ok(()) }
}

fn row(mut edge: Value, source: &str) -> Value {
    edge["source"] = source.into();
    edge
}

fn show_warnings(answer: &Value, out: &mut Out) -> Result<(), CliError> {
    if out.json {
        return out.value(&answer["result"]);
    }
    if let Some(notice) = answer["notice"].as_str() {
        crate::output::note(notice);
    }
    let rows = answer["result"].as_array().map(Vec::as_slice).unwrap_or_default();
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let tone = if text("severity") == "info" { Tone::Dim } else { Tone::Warn };
        let head = format!("[{}, {}] {}", text("severity"), row["confidence"], text("title"));
        out.line(out.paint(tone, &head))?;
        out.line(format!("    {}\n    → {}\n    {}", text("description"), text("workaround"), text("matched_on")))?;
    }
    if rows.is_empty() { out.line("nothing known applies") } else { Ok(()) }
}

fn read(path: &Path) -> Result<String, CliError> {
    let unusable = |why: String| CliError::usage(format!("cannot read {}: {why}", path.display()), "name a text file");
    match std::fs::metadata(path) {
        Ok(data) if data.len() > MAX_CODE => return Err(unusable(format!("it has more than {MAX_CODE} bytes"))),
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
    let engine = engine(folder, common)?;
    let tool = m1nd_tools::find(tool).ok_or_else(|| CliError::failed("no such tool", "report this"))?;
    let cancel = Cancel::new();
    tool.invoke(&Context::new(&engine, &cancel, &NoProgress), arguments).map_err(CliError::Tool)
}

/// An engine that only reads, on the repository around a folder.
pub(super) fn engine(folder: Option<&Path>, common: &Common) -> Result<Engine, CliError> {
    let mut config = EngineConfig::new(project::home(common)?, vec![project::root(folder)?]);
    config.read_only = true;
    config.model = common.model.clone();
    places(&mut config, folder.is_some())?;
    Ok(Engine::open(config)?)
}
