//! Commands made from the registry of tools: a tool that has a command needs no line here.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use m1nd_tools::{ALL, Command, ToolDef, bounds, default_of};
use serde_json::Value;

use crate::schema::{Property, Schema};

/// Name of the argument that holds the words after the name of the command.
const WORDS: &str = "words";
/// First place of the commands of tools in the list of commands.
const FIRST_PLACE: usize = 10;
/// Columns of help on a wide terminal.
const WIDTH: usize = 100;

/// A command of a tool with the words after its name.
#[derive(Debug)]
pub(crate) struct ToolArgs {
    /// The tool.
    pub tool: &'static ToolDef,
    /// The words, for [`crate::flags::parse`].
    pub words: Vec<String>,
}

/// The tools that have a command.
pub(crate) fn with_commands() -> impl Iterator<Item = (&'static ToolDef, Command)> {
    ALL.iter().filter_map(|tool| Some((tool, tool.command?)))
}

/// The commands, each of which takes any words: a tool parses its arguments by its schema.
pub(crate) fn commands() -> impl Iterator<Item = clap::Command> {
    let words = Arg::new(WORDS).num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
    with_commands().enumerate().map(move |(at, (tool, command))| {
        let base = clap::Command::new(command.name).about(tool.summary).display_order(FIRST_PLACE + at);
        // Agents know the name of the tool.
        let base = if command.name == tool.name { base } else { base.alias(tool.name) };
        base.disable_help_flag(true).arg(words.clone())
    })
}

/// `m1nd help callers` as `m1nd callers --help`: the parser knows no arguments of tools.
pub(crate) fn ask_for_help(words: Vec<OsString>) -> Vec<OsString> {
    let [program, help, name] = &words[..] else { return words };
    let Some(tool) = ALL.iter().find(|tool| {
        let is_named = |known: &str| *name == *known;
        is_named(tool.name) || tool.command.is_some_and(|command| is_named(command.name))
    }) else {
        return words;
    };
    if help != "help" {
        return words;
    }
    match tool.command {
        Some(command) => vec![program.clone(), command.name.into(), "--help".into()],
        None => vec![program.clone(), "call".into(), tool.name.into(), "--help".into()],
    }
}

/// The command of a tool in the parsed command line; `None` if it is another command.
pub(crate) fn read(matches: &ArgMatches) -> Option<ToolArgs> {
    let (name, inner) = matches.subcommand()?;
    let (tool, _) = with_commands().find(|(_, command)| command.name == name)?;
    let words = inner.get_many::<String>(WORDS).into_iter().flatten().cloned().collect();
    Some(ToolArgs { tool, words })
}

/// A tool with all its arguments, for help and completions: as its own command, or as `m1nd call TOOL`.
pub(crate) fn build_documented(tool: &'static ToolDef, command: Option<Command>) -> clap::Command {
    let call = match command {
        Some(command) => format!("m1nd {}", command.name),
        None => format!("m1nd call {}", tool.name),
    };
    let schema = tool.schema();
    let Schema { properties, required } = Schema::of(&schema);
    let is_required = |name: &str| required.iter().any(|known| known == name);
    let positional = command.map_or(&[][..], |command| command.positional);
    let joins = command.is_some_and(|command| command.joins);
    // Not clap's own, which lists every flag that is required.
    let shown = positional.iter().map(|name| match (is_required(name), joins) {
        (true, true) => format!(" <{}>...", name.to_uppercase()),
        (true, false) => format!(" <{}>", name.to_uppercase()),
        (false, _) => format!(" [{}]", name.to_uppercase()),
    });
    let usage = format!("{call} [OPTIONS]{}", shown.collect::<String>());
    let place = with_commands().position(|(other, _)| other.name == tool.name).unwrap_or_default();
    let base = clap::Command::new(command.map_or(tool.name, |command| command.name))
        .about(tool.summary)
        .override_usage(usage)
        .display_order(FIRST_PLACE + place)
        .max_term_width(WIDTH)
        .after_help(format!("{}\n\nExample:\n  {}", flowing(tool.help), example(tool, command)));
    let flag = |(name, property): (&String, &Value)| {
        let is_required = is_required(name) && name != "agent_id";
        let argument = Arg::new(name.clone()).required(is_required);
        match positional.iter().position(|other| other == name) {
            Some(at) => {
                let argument = argument
                    .help(about(name, property, false))
                    .index(at + 1)
                    .value_name(name.to_uppercase())
                    .value_hint(ValueHint::AnyPath);
                if joins { argument.num_args(1..) } else { argument }
            }
            None => value(argument.long(name.replace('_', "-")).help(about(name, property, is_required)), property),
        }
    };
    let shared = of_every_tool();
    let is_own = |(name, _): &(&String, &Value)| shared.iter().all(|flag| flag.get_id() != name.as_str());
    let own = properties.iter().filter(is_own).map(flag);
    base.args(own.collect::<Vec<_>>()).args(&shared)
}

/// A call that works: with words by position, or with arguments as JSON.
fn example(tool: &ToolDef, command: Option<Command>) -> String {
    let mut arguments = tool.example_arguments();
    if let Some(members) = arguments.as_object_mut() {
        members.remove("agent_id");
    }
    let Some(command) = command else {
        // On lines of its own, since a wrapped string would no longer be JSON.
        let arguments = format!("{arguments:#}").replace('\n', "\n  ");
        return format!("m1nd call {} --json '{arguments}'", tool.name);
    };
    let values = command.positional.iter().map(|name| &arguments[*name]);
    let words = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let words = words.filter_map(Value::as_str);
    let quoted =
        words.map(|word| match command.joins || word.chars().all(|c| c.is_alphanumeric() || "._/-".contains(c)) {
            true => word.to_owned(),
            false => format!("'{word}'"),
        });
    format!("m1nd {} {}", command.name, quoted.collect::<Vec<_>>().join(" "))
}

/// Flags of every tool, as [`crate::flags::parse`] takes them.
fn of_every_tool() -> [Arg; 6] {
    let root = Arg::new("root").long("root").value_name("PATH").value_hint(ValueHint::DirPath);
    let json = Arg::new("json").long("json").value_name("ARGUMENTS").num_args(0..=1);
    let arguments = Arg::new("arguments").long("arguments").value_name("JSON");
    let color = Arg::new("color").long("color").value_name("WHEN").value_parser(["auto", "always", "never"]);
    let no_pager = Arg::new("no_pager").long("no-pager").action(ArgAction::SetTrue);
    let no_daemon = Arg::new("no_daemon").long("no-daemon").action(ArgAction::SetTrue);
    [
        root.help("The repository [default: the one around the current folder]"),
        json.help("Write JSON; arguments can follow as JSON, `-` reads them from standard input"),
        arguments.help("Arguments as JSON; `-` reads them from standard input"),
        color.help("Colours: `auto` is on a terminal and without NO_COLOR"),
        no_pager.help("Do not show a long answer through a pager"),
        no_daemon.help("Neither ask nor start a process that keeps the index open"),
    ]
}

/// The value that a flag takes.
fn value(argument: Arg, property: &Value) -> Arg {
    let property = Property::of(property);
    let words: Vec<String> = property.words().map(str::to_owned).collect();
    match property.kind() {
        Some("boolean") => argument.value_name("BOOLEAN").num_args(0..=1).value_parser(["true", "false"]),
        _ if !words.is_empty() => argument.value_name("WORD").value_parser(words),
        Some(kind) => argument.value_name(kind.to_uppercase()),
        None => argument.value_name("VALUE"),
    }
}

fn about(name: &str, property: &Value, is_required: bool) -> String {
    // Not described in the schema, where each word costs every session tokens.
    let described = Property::of(property).description;
    let about = described.as_deref().unwrap_or(match name {
        "agent_id" => "Name of the caller [default: cli]",
        "max_output_chars" => "Maximum size of the answer, in bytes",
        "format" => "Form of the answer [default: text]",
        "detail" => "How much the answer says",
        _ => "",
    });
    let bounds = bounds(property).map(|bounds| format!(" [{bounds}]")).unwrap_or_default();
    let default = match name {
        // Of the command line, not of a server.
        "format" | "max_output_chars" => None,
        _ => default_of(property),
    };
    let default = default.map(|default| format!(" [default: {default}]")).unwrap_or_default();
    let mark = if is_required { " [required]" } else { "" };
    format!("{about}{bounds}{default}{mark}").trim_start().to_owned()
}

/// A manual whose paragraphs are one line each, so that they wrap at the width of the terminal. Lines that are indented
/// or begin a list stay as they are.
fn flowing(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.trim().lines() {
        let is_own = line.is_empty() || line.starts_with([' ', '-', '*', '|']);
        let joins = !is_own && !out.is_empty() && !out.ends_with('\n');
        match (joins, out.is_empty()) {
            (true, _) => out.push(' '),
            (false, true) => {}
            (false, false) if out.ends_with("\n\n") && !line.is_empty() => {}
            (false, false) => out.push('\n'),
        }
        out.push_str(line);
        if line.is_empty() {
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_one_line_each() {
        let text = "One\ntwo.\n\nThree\n- a\n- b\n\n  code\n  more\n";
        assert_eq!(flowing(text), "One two.\n\nThree\n- a\n- b\n\n  code\n  more");
    }
}
