//! `m1nd call`, and the commands of tools: call a tool as an agent would.

use m1nd_base::{Cancel, NoProgress, Progress};
use m1nd_tools::{ALL, Command, Context, Effect, ErrorCode, Format, Replied, Reply, TOOLS, ToolDef, ToolError};
use serde_json::Value;

use crate::args::tools::{self, ToolArgs};
use crate::args::{CallArgs, Common};
use crate::error::CliError;
use crate::flags::{self, Syntax};
use crate::output::{Out, Tone, render};
use crate::progress::Terminal;
use crate::project;
use crate::resident::{self, Answer};

/// Runs `m1nd call`.
pub(crate) fn run(args: &CallArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let Some(name) = args.tool.as_deref().filter(|name| !name.starts_with('-')) else { return list(out) };
    let tool = m1nd_tools::find(name).ok_or_else(|| CliError::Tool(m1nd_server::unknown_tool(name)))?;
    call(tool, None, &args.arguments, common, out)
}

/// Runs the command of a tool, such as `m1nd seek`.
pub(crate) fn command(args: &ToolArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (tool, command) = choose_tool(args);
    call(tool, command, &args.words, common, out)
}

/// The tool that a command runs: another one if there are more words than the first takes.
fn choose_tool(args: &ToolArgs) -> (&'static ToolDef, Option<Command>) {
    let (tool, command) = (args.tool, args.tool.command);
    let several = command.and_then(|command| Some((command, m1nd_tools::find(command.several?)?)));
    let Some((own, other)) = several else { return (tool, command) };
    let schema = tool.schema();
    let syntax = Syntax { tool: tool.name, schema: &schema, aliases: tool.argument_aliases, command };
    // Standard input is left for the call itself.
    let Err(error) = flags::parse(&syntax, &args.words, false, &mut std::io::empty()) else { return (tool, command) };
    match error.to_string().contains(flags::UNEXPECTED) {
        true => (other, Some(Command::words(own.name, &["files"]))),
        false => (tool, command),
    }
}

fn call(
    tool: &'static ToolDef,
    command: Option<Command>,
    words: &[String],
    common: &Common,
    out: &mut Out,
) -> Result<(), CliError> {
    let schema = tool.schema();
    let syntax = Syntax { tool: tool.name, schema: &schema, aliases: tool.argument_aliases, command };
    let flags = flags::parse(&syntax, words, out.json, &mut std::io::stdin())?;
    out.pages &= !flags.no_pager;
    if let Some(choice) = flags.color {
        out.choose_colour(choice);
    }
    if flags.help {
        return out.help(&tools::build_documented(tool, command).render_help());
    }
    out.json |= flags.json;
    // Flags after the name of the tool win over those before it.
    let mut common = common.clone();
    common.home = flags.home.or(common.home);
    common.model = flags.model.or(common.model);
    let root = project::root(flags.root.as_deref())?;
    let reads = matches!(tool.effect, Effect::Read | Effect::Session);
    let format = if out.json { Format::Json } else { Format::Text };
    let arguments = Value::Object(flags.arguments);
    let (config, settings) = project::load_config(&common, vec![root.clone()], false)?;
    let uses_resident =
        resident::can_answer(tool) && resident::is_allowed(flags.no_daemon || common.no_daemon, settings.daemon);
    // A process that holds the index open answers at once.
    if uses_resident {
        let mind = project::memory_places(&project::places(&config, &root), true)?;
        match resident::ask(&config, &mind, tool, &arguments, out.json) {
            Some(Answer::Text(text, found)) => return print(Reply::Text(text), found, out),
            Some(Answer::Json(value, found)) => return print(Reply::Json(value), found, out),
            Some(Answer::BeingBuilt(why)) => {
                let error = ToolError::new(ErrorCode::EmptyGraph, why).detail("linking", true.into());
                let next = "repeat this command in a few seconds, or when `m1nd ingest` is done";
                return Err(CliError::Tool(error.next_step(next)));
            }
            Some(Answer::Declined | Answer::Attached) | None => {}
        }
    }
    // Otherwise the index is opened here, for this one answer.
    let services = match reads {
        true => project::open_to_ask(&common, &root, tool.needs_fresh)?,
        false => {
            let services = project::open(&common, &root, false)?;
            project::tell_damage(&services.engine);
            services
        }
    }
    .for_one_answer();
    let terminal = Terminal::new(reads);
    let progress: &dyn Progress = if reads { &NoProgress } else { &terminal };
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, progress) };
    let outcome = tool.reply_with_count(&context, arguments, format);
    terminal.finish();
    // Started after the answer, so that the caller does not wait for it.
    if uses_resident && resident::pays(context.snapshot.graph().node_count(), settings.daemon) {
        resident::start(&config, &common);
    }
    let Replied { reply, found } = outcome.map_err(CliError::Tool)?;
    print(reply, found, out)
}

/// Prints an answer; `found` is the number of its rows, where the tool counts them.
fn print(reply: Reply, found: Option<usize>, out: &mut Out) -> Result<(), CliError> {
    match reply {
        Reply::Text(text) => out.answer(&text),
        Reply::Json(answer) if out.json => out.value(&answer),
        Reply::Json(answer) => out.answer(&render(&answer)),
    }?;
    if found == Some(0) { Err(CliError::NothingFound) } else { Ok(()) }
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
