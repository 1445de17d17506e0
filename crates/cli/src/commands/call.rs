//! `m1nd call`: calls a tool as an agent would.

use m1nd_base::{Cancel, NoProgress, Progress};
use m1nd_tools::{ALL, Context, Effect, Format, Reply, TOOLS, ToolDef};
use serde_json::Value;

use crate::args::{CallArgs, Common};
use crate::error::CliError;
use crate::flags;
use crate::output::{Out, Tone, render};
use crate::progress::Terminal;
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &CallArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let Some(name) = args.tool.as_deref().filter(|name| !name.starts_with('-')) else { return list(out) };
    let tool = m1nd_tools::find(name).ok_or_else(|| CliError::Tool(m1nd_server::unknown_tool(name)))?;
    let flags = flags::parse(tool.name, &tool.schema(), tool.argument_aliases, &args.arguments)?;
    if flags.help {
        return manual(tool, out);
    }
    out.json |= flags.json;
    let mut common = common.clone();
    common.home = flags.home.or(common.home);
    let root = project::root(flags.root.as_deref())?;
    let services = match tool.needs_fresh {
        true => project::open_fresh(&common, &root)?,
        false => project::open(&common, &root, matches!(tool.effect, Effect::Read | Effect::Session))?,
    };
    let terminal = Terminal::new(false);
    let progress: &dyn Progress =
        if matches!(tool.effect, Effect::Read | Effect::Session) { &NoProgress } else { &terminal };
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, progress) };
    let format = if out.json { Format::Json } else { Format::Text };
    let outcome = tool.reply(&context, Value::Object(flags.arguments), format);
    terminal.finish();
    match outcome.map_err(CliError::Tool)? {
        Reply::Text(text) => out.line(text.trim_end()),
        Reply::Json(answer) if out.json => out.value(&answer),
        Reply::Json(answer) => out.line(render(&answer).trim_end()),
    }
}

/// Lists every tool with its summary.
fn list(out: &mut Out) -> Result<(), CliError> {
    if out.json {
        let row = |tool: &ToolDef| serde_json::json!({"name": tool.name, "toolset": tool.toolset, "effect": tool.effect, "summary": tool.summary});
        return out.value(&Value::Array(ALL.iter().map(row).collect()));
    }
    let width = ALL.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
    for tool in ALL {
        let name = out.paint(Tone::Strong, &format!("{:width$}", tool.name));
        out.line(format!("  {name}  {}", tool.summary))?;
    }
    out.line("\nrun `m1nd call TOOL --help` for the manual of a tool")
}

/// Prints the manual of a tool, for `--help` after its name.
fn manual(tool: &ToolDef, out: &mut Out) -> Result<(), CliError> {
    out.line(out.paint(Tone::Strong, tool.name))?;
    out.line(format!("{}\n\n{}", tool.summary, tool.help.trim()))?;
    out.line(format!("\n{}", out.paint(Tone::Strong, "Flags")))?;
    let schema = tool.schema();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let kind = match property["enum"].as_array() {
            Some(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
            None => property["type"].as_str().unwrap_or("value").to_owned(),
        };
        let needed = if required.contains(&name.as_str()) && name != "agent_id" { ", required" } else { "" };
        let about = property["description"].as_str().unwrap_or_default();
        out.line(format!("  --{} <{kind}{needed}>  {about}", name.replace('_', "-")))?;
    }
    out.line(format!(
        "\n{}\n  m1nd call {} --json '{}'",
        out.paint(Tone::Strong, "Example"),
        tool.name,
        tool.example.trim()
    ))
}
