//! `docs/tools.md`: all tools with their arguments, and word by word what a server tells a client about them.

use std::fmt::Write;

use m1nd_server::{ServeOptions, instructions, tools_list};
use m1nd_tools::{ErrorCode, PROMPTS, RESOURCES, ToolDef, Toolset, takes};
use serde_json::Value;

use super::{COMMAND, by_toolset};

/// Arguments that the page explains once.
const COMMON: &[&str] = &["agent_id", "max_output_chars", "cursor", "detail", "repo"];

pub(super) fn text() -> String {
    let mut page = format!(
        "<!-- Written by `{COMMAND}` from the registry of tools (crates/tools/src/registry.rs). Edit that, not this. -->\n\n"
    );
    page.push_str(
        "# Tools\n\n\
         Every tool takes `agent_id` and `max_output_chars` (largest answer in bytes, 2,000 to 100,000; by default\n\
         10,000 for JSON from a server). `agent_id` is the name of\n\
         whoever calls. Schemas require it, but for tools about memories; a call without it is answered under the name of the\n\
         client. Tools whose answer is a page of rows take `cursor`, which a truncated answer gives. `detail` is `full` (default)\n\
         or `brief`: JSON without what a reader can do without (identity, place, verdict and reason stay). Over a\n\
         federation, tools that take names of code also take `repo`, the repository that the names and the scope of the call\n\
         belong to. `help` with `tool_name`, or\n\
         `m1nd call TOOL --help`, shows the manual of a tool. Arguments in parentheses are taken, but left out of `tools/list`.\n",
    );
    table(&mut page);
    let listed = tools_list(&ServeOptions::default());
    for (set, tools) in by_toolset() {
        let _ = write!(page, "\n## {}: {}\n", set.word(), set.text());
        tools.into_iter().for_each(|tool| section(&mut page, tool, &listed));
    }
    write_errors(&mut page);
    resources_and_prompts(&mut page);
    page.push_str("\n## Instructions\n\nWhat a server tells an agent when it connects. With all tools:\n");
    quote_instructions(&mut page, &ServeOptions::default());
    page.push_str("\nWith the tools about memories alone:\n");
    quote_instructions(&mut page, &ServeOptions { only: Some(Toolset::Memory), ..ServeOptions::default() });
    page
}

/// All tools, with the question that each answers.
fn table(page: &mut String) {
    page.push_str("\n| tool | answers |\n|---|---|\n");
    for tool in by_toolset().flat_map(|(_, tools)| tools) {
        let _ = writeln!(page, "| [`{0}`](#{0}) | {1} |", tool.name, tool.answers);
    }
}

/// The members of an answer in JSON that programs can rely on.
fn write_members(page: &mut String, tool: &ToolDef) {
    let schema = Value::Object(tool.output_schema().unwrap_or_default());
    let members = schema["properties"].as_object().into_iter().flatten();
    let members: Vec<String> = members.map(|(name, member)| describe_member(name, member)).collect();
    if !members.is_empty() {
        let _ = write!(page, "\nThe answer in JSON has {}.\n", members.join(", "));
    }
}

fn describe_member(name: &str, member: &Value) -> String {
    let row = if member["items"].is_object() { &member["items"] } else { member };
    let mut parts: Vec<String> = row["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|name| format!("`{name}`"))
        .collect();
    if parts.is_empty() {
        parts.extend(row["properties"].as_object().into_iter().flatten().map(|(name, _)| format!("`{name}`")));
    }
    let (is_list, kind) = (member["items"].is_object(), member["type"].as_str().unwrap_or("anything"));
    match (is_list, parts.is_empty()) {
        (true, true) => format!("`{name}` (rows)"),
        (true, false) => format!("`{name}` (rows with {})", parts.join(", ")),
        (false, true) => format!("`{name}` ({kind})"),
        (false, false) => format!("`{name}` ({kind} with {})", parts.join(", ")),
    }
}

/// All error codes. A call that fails has one.
fn write_errors(page: &mut String) {
    page.push_str(
        "\n## Errors\n\nA call that fails answers with `code`, `message` and often `hint`, `example` or `suggested_next_step`.\n\n\
         | code | meaning, and what to do |\n|---|---|\n",
    );
    for code in ErrorCode::ALL {
        let meaning: Vec<&str> = code.meaning().lines().map(str::trim).collect();
        let _ = writeln!(page, "| `{}` | {} |", code.word(), meaning.join(" "));
    }
}

/// What a server offers beside tools.
fn resources_and_prompts(page: &mut String) {
    page.push_str("\n## Resources\n\nTheir content is the text answer of tools.\n\n| address | content |\n|---|---|\n");
    for resource in RESOURCES {
        let _ = writeln!(page, "| `{}` | {} |", resource.uri(), resource.description);
    }
    page.push_str("\n## Prompts\n\n| prompt | purpose | arguments |\n|---|---|---|\n");
    for prompt in PROMPTS {
        let arguments = prompt.arguments.iter().map(|argument| {
            let must = if argument.is_required { ", required" } else { "" };
            format!("`{}`{must}: {}", argument.name, argument.description)
        });
        let arguments = arguments.collect::<Vec<_>>().join("<br>");
        let _ = writeln!(page, "| `{}` | {} | {arguments} |", prompt.name, prompt.description);
    }
}

fn quote_instructions(page: &mut String, options: &ServeOptions) {
    let _ = write!(page, "\n```text\n{}\n```\n", instructions(options));
}

fn section(page: &mut String, tool: &ToolDef, listed: &Value) {
    let _ = write!(page, "\n### `{}`\n\n{}. It {}.\n", tool.name, tool.summary, tool.effect.text());
    let stages: Vec<String> =
        tool.stages.iter().map(|(stage, _, reason)| format!("{} ({reason})", stage.word())).collect();
    if !stages.is_empty() {
        let _ = writeln!(page, "Proposed for: {}.", stages.join(", "));
    }
    arguments(page, tool);
    write_members(page, tool);
    let _ = write!(page, "\n```sh\nm1nd call {} --json '{}'\n```\n", tool.name, tool.example.trim());
    let entry = listed["tools"].as_array().into_iter().flatten().find(|entry| entry["name"] == tool.name);
    if let Some(entry) = entry {
        let _ = write!(
            page,
            "\n<details><summary>Entry in <code>tools/list</code></summary>\n\n```json\n{entry}\n```\n\n</details>\n"
        );
    }
}

fn arguments(page: &mut String, tool: &ToolDef) {
    let schema = tool.schema();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let own = schema["properties"].as_object().into_iter().flatten();
    let mut own = own.filter(|(name, _)| !COMMON.contains(&name.as_str())).peekable();
    if own.peek().is_none() {
        return;
    }
    page.push_str("\n| argument | takes | meaning |\n|---|---|---|\n");
    for (name, property) in own {
        let name_shown = if tool.lists(name) { format!("`{name}`") } else { format!("(`{name}`)") };
        let must = if required.contains(&name.as_str()) { ", required" } else { "" };
        let aliases = tool.argument_aliases.iter().filter(|(_, to)| to == name).map(|(alias, _)| format!("`{alias}`"));
        let aliases: Vec<String> = aliases.collect();
        let mut about = property["description"].as_str().unwrap_or_default().replace('|', "\\|");
        if !aliases.is_empty() {
            let gap = if about.is_empty() { "" } else { "; " };
            let _ = write!(about, "{gap}also {}", aliases.join(", "));
        }
        let _ = writeln!(page, "| {name_shown} | {}{must} | {about} |", takes(property));
    }
}
