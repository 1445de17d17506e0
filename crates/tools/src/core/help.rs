//! Explains all tools, one tool, or which to call next. Everything comes from the registry.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::framework::{
    Answer, Catalog, Guidance, Mention, ProofState, Purpose, ReadContext, ReadTool, Stage, Tool, ToolDef, ToolError,
    ToolRef, Toolset, canonical_name, number, takes,
};
use crate::word::{Word, answer_kinds};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Text,
    Markdown,
    Json,
}

/// How much of the answer is in `formatted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Render {
    #[default]
    Full,
    Compact,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HelpMode {
    Overview,
    Tool,
    Route,
    Recovery,
    Workflow,
}

/// Default number of steps and similar names.
const DEFAULT_SUGGESTIONS: usize = 5;
/// Maximum steps and similar names.
const MAX_SUGGESTIONS: usize = 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    tool_name: Option<String>,
    /// Same as tool_name
    tool: Option<String>,
    /// What you want to do
    intent: Option<String>,
    stage: Option<Stage>,
    /// Message of a failed call
    error_text: Option<String>,
    #[serde(default)]
    format: Format,
    #[serde(default)]
    render: Render,
    /// Default: by the other arguments
    mode: Option<HelpMode>,
    /// File or folder in question
    path: Option<String>,
    /// Already called
    #[serde(default)]
    recent_tools: Vec<String>,
    #[serde(default = "number::<DEFAULT_SUGGESTIONS>")]
    #[schemars(range(min = 1, max = MAX_SUGGESTIONS))]
    max_suggestions: usize,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Step {
    tool: ToolRef,
    reason: &'static str,
}

answer_kinds! {
    /// What `help` answers with.
    pub(crate) Decision {
        Overview = "overview",
        Tool = "tool",
        Route = "route",
        Sequence = "sequence",
        Recovery = "recovery",
    }
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Output {
    formatted: String,
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<ToolRef>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<ToolRef>,
    decision_type: Option<Word<Decision>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Stage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recommended_sequence: Vec<Step>,
    /// Tools of the stage that are not in the sequence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected_alternatives: Vec<Step>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    minimal_calls: Vec<Value>,
    /// Calls that the minimal call of a tool needs before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls_before: Vec<Value>,
    /// The content of an overview or a manual as data; only with `format` "json".
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

pub(crate) struct Help;

impl Tool for Help {
    const NAME: &'static str = "help";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Explain the tools, or which to call next";
    const ANSWERS: &'static str = "how to use each tool, and which one fits";
    const HELP: &'static str = "\
Without arguments: an overview. With `tool_name` (or an alias of it): the manual of that tool, with its arguments, a
working example and the meaning of its answer. With `stage` or `intent`: the tools to call, in order. With
`error_text`, the message of a failed call: how to recover. For an unknown tool, `suggestions` lists similar names.

`formatted` holds the text. With `format` \"json\", an overview and a manual have `details`, the same as data; steps
and similar names are data in every answer.
`render` is `full` (default), `compact` (names and minimal calls) or `none` (no text: read the other members). `mode`
selects the kind of answer (`route` and `workflow` are the same); `tool_name` takes precedence over it. `path` is
inserted into the minimal calls, tools in `recent_tools` are omitted while others remain, and `max_suggestions` (1-10,
default 5) limits steps and similar names; `rejected_alternatives` lists the omitted tools. No answer has a `confidence`:
the sequences are advice that nothing measures.";
    const WAITS: bool = false;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "tool_name": "seek"}"#;
    const MENTIONS: &'static [Mention] = &[(Purpose::Server, 10, "explains each tool")];
    const RARE: &'static [&'static str] =
        &["max_suggestions", "mode", "path", "recent_tools", "render", "format", "tool"];
    const DETAILS: &'static [&'static str] =
        &["minimal_calls", "calls_before", "decision_type", "rejected_alternatives"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"formatted": {"type": "string"}, "found": {"type": "boolean"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Help {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let mut answer = answer(cx.tools(), cx.snapshot().is_empty(), &input);
        let indexes = answer.guidance.as_ref().and_then(|next| next.next_suggested_tool) == Some(ToolRef("ingest"));
        if let (true, Some(now)) = (indexes, cx.status().activity.as_ref()) {
            answer.guidance = Some(Guidance::to_first_index(Some(now)));
        }
        Ok(Answer { body: limit_text(cx.tools(), answer.body, input.render), ..answer })
    }
}

fn answer(tools: Catalog, is_empty: bool, input: &Input) -> Answer<Output> {
    let most = input.max_suggestions;
    let named =
        input.tool_name.as_deref().or(input.tool.as_deref()).filter(|name| !name.trim().is_empty() && *name != "about");
    if let Some(name) = named {
        return match tools.find(name) {
            Some(tool) => about_tool(tool, input.format),
            None => unknown_tool(tools, name, most),
        };
    }
    let stage = || input.stage.or_else(|| input.intent.as_deref().map(stage_of));
    let with = |decision_type, stage: Option<Stage>, steps: &[Step], state| {
        sequence_answer(tools, Sequence { decision_type, stage, state, input, most }, steps)
    };
    match (input.mode, &input.error_text) {
        (Some(HelpMode::Overview | HelpMode::Tool), _) => overview(tools, input.format, is_empty),
        (Some(HelpMode::Recovery), text) => {
            with(Decision::Recovery, None, recovery(text.as_deref().unwrap_or_default()), ProofState::Blocked)
        }
        (Some(mode @ (HelpMode::Route | HelpMode::Workflow)), _) => {
            let word = if mode == HelpMode::Route { Decision::Route } else { Decision::Sequence };
            let stage = stage().unwrap_or(Stage::Orient);
            with(word, Some(stage), &route(tools, stage, is_empty), ProofState::Triaging)
        }
        (None, Some(text)) => with(Decision::Recovery, None, recovery(text), ProofState::Blocked),
        (None, None) => match stage() {
            Some(stage) => with(Decision::Route, Some(stage), &route(tools, stage, is_empty), ProofState::Triaging),
            None => overview(tools, input.format, is_empty),
        },
    }
}

/// The answer with as much text as `render` requests.
fn limit_text(tools: Catalog, mut output: Output, render: Render) -> Output {
    match render {
        Render::Full => {}
        Render::None => output.formatted.clear(),
        Render::Compact if output.decision_type == Some(Word(Decision::Overview)) => {
            output.formatted = names(tools);
        }
        Render::Compact if output.found => {
            let lines = output.minimal_calls.iter().map(|call| {
                let name = call["tool"].as_str().unwrap_or_default();
                let reason =
                    output.recommended_sequence.iter().find(|step| step.tool.0 == name).map(|step| step.reason);
                let about = reason.or_else(|| tools.find(name).map(|tool| tool.summary)).unwrap_or_default();
                format!("{name}: {about}\n{}\n", call["arguments"])
            });
            output.formatted = lines.collect();
        }
        Render::Compact => {}
    }
    output
}

/// All names, in order.
fn names(tools: Catalog) -> String {
    tools.all().iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

fn overview(tools: Catalog, format: Format, is_empty: bool) -> Answer<Output> {
    let mut text = String::new();
    let heading = if format == Format::Markdown { "## " } else { "" };
    let _ = writeln!(text, "{heading}m1nd: a graph of this code, with evidence for every edge\n");
    for toolset in Toolset::ALL {
        let members: Vec<&ToolDef> = tools.all().iter().filter(|tool| tool.toolset == *toolset).collect();
        if members.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{heading}{}", toolset.word());
        for tool in members {
            let _ = match format {
                Format::Markdown => writeln!(text, "- `{}`: {}", tool.name, tool.summary),
                _ => writeln!(text, "  {:<10} {}", tool.name, tool.summary),
            };
        }
        text.push('\n');
    }
    text.push_str(
        "Every tool takes `agent_id`. `help` with `tool_name` shows the arguments of a tool and a working call.\n",
    );
    let details = (format == Format::Json).then(|| json!(tools.all().iter().map(summary_of).collect::<Vec<_>>()));
    let output = Output {
        formatted: text,
        found: true,
        decision_type: Some(Word(Decision::Overview)),
        details,
        ..Output::default()
    };
    Answer::new(output).guidance(first_step(is_empty))
}

fn first_step(is_empty: bool) -> Guidance {
    if is_empty {
        return Guidance::to_first_index(None);
    }
    Guidance::next(ProofState::Triaging, ToolRef("seek"), None, "find code by what it does")
}

fn summary_of(tool: &ToolDef) -> Value {
    json!({"name": tool.name, "toolset": tool.toolset.word(), "effect": tool.effect, "summary": tool.summary})
}

fn minimal_call(tool: &ToolDef) -> Value {
    json!({"tool": tool.name, "arguments": tool.example_arguments()})
}

fn about_tool(tool: &'static ToolDef, format: Format) -> Answer<Output> {
    let schema = tool.schema();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = String::new();
    let (code, heading) = if format == Format::Markdown { ("`", "## ") } else { ("", "") };
    let _ = writeln!(text, "{heading}{}\n{}\n\n{}\n\nArguments", tool.name, tool.summary, tool.help);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let kind = takes(property);
        let must = if required.contains(&name.as_str()) { ", required" } else { "" };
        let about = property["description"].as_str().map(|text| format!(": {text}")).unwrap_or_default();
        let _ = writeln!(text, "- {code}{name}{code} ({kind}{must}){about}");
    }
    for (alias, name) in tool.argument_aliases {
        let _ = writeln!(text, "- {code}{alias}{code}: the same as {code}{name}{code}");
    }
    let _ = writeln!(text, "\nEffect: {}\nMinimal call: {}", tool.effect.text(), tool.example);
    for (name, arguments) in tool.calls_before() {
        let _ = writeln!(text, "Before it: {name} {arguments}");
    }
    let before = |(name, arguments)| json!({"tool": name, "arguments": arguments});
    let details = json!({
        "name": tool.name, "toolset": tool.toolset.word(), "effect": tool.effect, "summary": tool.summary, "help": tool.help,
        "schema": schema, "argument_aliases": tool.argument_aliases.iter().map(|(a, n)| json!({"alias": a, "name": n})).collect::<Vec<_>>(),
    });
    let output = Output {
        formatted: text,
        found: true,
        tool: Some(ToolRef(tool.name)),
        decision_type: Some(Word(Decision::Tool)),
        minimal_calls: vec![minimal_call(tool)],
        calls_before: tool.calls_before().map(before).collect(),
        details: (format == Format::Json).then_some(details),
        ..Output::default()
    };
    let hint = "call it as in the minimal call";
    Answer::new(output).guidance(Guidance::next(ProofState::Triaging, ToolRef(tool.name), None, hint))
}

fn unknown_tool(tools: Catalog, name: &str, most: usize) -> Answer<Output> {
    let mut suggestions = tools.suggestions(name);
    suggestions.truncate(most);
    let shown: String = canonical_name(name).chars().take(80).collect();
    let mut text = format!("There is no tool `{shown}`.");
    if !suggestions.is_empty() {
        let _ = write!(text, " Similar: {}.", suggestions.join(", "));
    }
    let _ = write!(text, " Tools: {}.", names(tools));
    let target = suggestions.first().map(|name| (*name).to_owned());
    let suggestions = suggestions.into_iter().map(ToolRef).collect();
    let output =
        Output { formatted: text, suggestions, decision_type: Some(Word(Decision::Tool)), ..Output::default() };
    Answer::new(output).guidance(Guidance::next(
        ProofState::Blocked,
        ToolRef("help"),
        target,
        "pass the name of an existing tool",
    ))
}

/// Words of an intent that indicate a stage. The first row with a match wins.
const INTENTS: &[(&[&str], Stage)] = &[
    (&["error", "errors", "trace", "stack", "crash", "bug", "exception", "fails", "failing"], Stage::Diagnose),
    (&["spec", "doc", "docs", "documentation", "pdf", "light"], Stage::Ground),
    (&["plan", "blast", "impact", "break", "breaks", "affected", "depends", "dependents"], Stage::Plan),
    (&["edit", "write", "patch", "batch", "change", "rename", "refactor"], Stage::Edit),
    (&["review", "diff", "history", "changed"], Stage::Review),
    (&["operate", "monitor", "daemon", "alert", "status", "stale"], Stage::Operate),
    (&["handoff", "resume", "continue", "trail"], Stage::Handoff),
    (&["orient", "understand", "overview", "onboard", "start"], Stage::Orient),
];

fn stage_of(intent: &str) -> Stage {
    let words: Vec<String> =
        intent.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).filter(|word| !word.is_empty()).collect();
    let hit = INTENTS.iter().find(|(keys, _)| words.iter().any(|word| keys.contains(&word.as_str())));
    hit.map_or(Stage::Find, |(_, stage)| *stage)
}

/// The tools for a stage, preceded by `ingest` if nothing is indexed.
fn route(tools: Catalog, stage: Stage, is_empty: bool) -> Vec<Step> {
    let proposed = tools.route(stage).into_iter();
    let mut steps: Vec<Step> = proposed.map(|(tool, reason)| Step { tool: ToolRef(tool.name), reason }).collect();
    let first = ToolRef("ingest");
    if is_empty && steps.first().is_none_or(|step| step.tool != first) {
        steps.insert(0, Step { tool: first, reason: "nothing is indexed yet" });
    }
    steps
}

/// The request that a sequence of tools answers.
struct Sequence<'a> {
    decision_type: Decision,
    stage: Option<Stage>,
    state: ProofState,
    input: &'a Input,
    most: usize,
}

/// The steps whose tools exist. Those in `recent_tools` are omitted while others remain.
fn sequence_answer(tools: Catalog, asked: Sequence<'_>, steps: &[Step]) -> Answer<Output> {
    let existing = steps.iter().filter_map(|step| tools.find(step.tool.0).map(|tool| (step.clone(), tool)));
    let mut steps: Vec<(Step, &'static ToolDef)> = existing.collect();
    let recent: Vec<String> = asked.input.recent_tools.iter().map(|name| canonical_name(name)).collect();
    let is_new = |(step, _): &(Step, &'static ToolDef)| !recent.iter().any(|name| name == step.tool.0);
    let mut rejected: Vec<Step> = Vec::new();
    let mut reject = |(step, _): (Step, &'static ToolDef), reason| rejected.push(Step { reason, ..step });
    if steps.iter().any(is_new) {
        steps.extract_if(.., |step| !is_new(step)).for_each(|step| reject(step, "already called"));
    }
    let beyond = steps.split_off(steps.len().min(asked.most));
    beyond.into_iter().for_each(|step| reject(step, "later than the first `max_suggestions`"));
    let calls: Vec<Value> = steps.iter().map(|(_, tool)| call_for(tool, asked.input.path.as_deref())).collect();
    let mut text = String::new();
    for (number, ((step, _), call)) in steps.iter().zip(&calls).enumerate() {
        let _ = writeln!(text, "{}. {}: {}\n   {}", number + 1, step.tool.0, step.reason, call["arguments"]);
    }
    let output = Output {
        formatted: text,
        found: true,
        decision_type: Some(Word(asked.decision_type)),
        stage: asked.stage,
        recommended_sequence: steps.iter().map(|(step, _)| step.clone()).collect(),
        rejected_alternatives: rejected,
        minimal_calls: calls,
        ..Output::default()
    };
    let guidance = match steps.first() {
        Some((step, _)) => Guidance::next(asked.state, step.tool, asked.input.path.clone(), step.reason),
        None => Guidance::state(asked.state),
    };
    Answer::new(output).guidance(guidance)
}

/// The minimal call, with `path` if the tool takes one.
fn call_for(tool: &ToolDef, path: Option<&str>) -> Value {
    let mut call = minimal_call(tool);
    let schema = tool.schema();
    let takes = |name: &&&str| schema["properties"].get(**name).is_some();
    if let (Some(path), Some(name)) = (path, ["file_path", "scope", "node_id", "path"].iter().find(takes)) {
        call["arguments"][*name] = path.into();
    }
    call
}

/// How to recover from a failed call, by the codes and words of our own errors.
fn recovery(text: &str) -> &'static [Step] {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["empty_graph", "nothing is indexed"]) {
        &[Step { tool: ToolRef("ingest"), reason: "build the graph" }]
    } else if has(&["node_not_found", "ambiguous_node", "no node is named", "names"]) {
        &[
            Step { tool: ToolRef("seek"), reason: "find the node and pass its `node_id`" },
            Step { tool: ToolRef("search"), reason: "find its name as text; each hit has a `node_id`" },
        ]
    } else if has(&["outside_workspace", "outside"]) {
        &[Step { tool: ToolRef("health"), reason: "list the allowed roots; pass a path below one of them" }]
    } else if has(&["file_not_found", "does not exist", "no such file", "path", "scope"]) {
        &[
            Step { tool: ToolRef("glob"), reason: "find the file" },
            Step { tool: ToolRef("health"), reason: "list the roots and the skipped files" },
        ]
    } else if has(&["invalid_params", "missing argument", "unknown argument", "expected"]) {
        &[Step { tool: ToolRef("help"), reason: "show the arguments of the tool: pass its `tool_name`" }]
    } else {
        &[
            Step { tool: ToolRef("health"), reason: "check the state of the server" },
            Step { tool: ToolRef("search"), reason: "find the message in the code" },
        ]
    }
}
