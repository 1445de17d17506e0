//! What the framework does for every tool, shown with tools made for it.

use m1nd_base::{Cancel, NoProgress};
use m1nd_tools::{
    Answer, Context, ErrorCode, Format, Guidance, ProofState, ReadContext, ReadTool, TOOLS, Tool, ToolDef, ToolError, Toolset,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    what: String,
}

#[derive(Serialize)]
struct Output {
    rows: Vec<String>,
    text: String,
}

/// Fails, hangs on until cancelled, or answers with more than fits, as asked.
struct Odd;

impl Tool for Odd {
    const NAME: &'static str = "odd";
    const TOOLSET: Toolset = Toolset::Core;
    const SUMMARY: &'static str = "Does what tools must not do";
    const ANSWERS: &'static str = "";
    const HELP: &'static str = "";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "what": "rows"}"#;
    const PAGED: bool = true;
    const TOKEN_BUDGET: bool = true;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Odd {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        match input.what.as_str() {
            "panic" => panic!("a bug"),
            "loop" => loop {
                cx.cancel().check()?;
            },
            _ => {
                let page = cx.page(10_000);
                let rows = page.cut((0..5_000).map(|n| format!("row {n} {}", "x".repeat(100))).collect());
                let text = match input.what.as_str() {
                    "text" => "ä".repeat(200_000),
                    "call" => format!("{} {}", cx.agent(), cx.budget()),
                    _ => String::new(),
                };
                let guidance = Guidance::state(ProofState::Triaging);
                Ok(Answer::new(Output { rows, text }).rows("rows", 5_000).guidance(guidance))
            }
        }
    }
}

const ODD: ToolDef = ToolDef::read::<Odd>();

fn call(project: &Project, cancel: &Cancel, mut arguments: Value) -> Result<Value, ToolError> {
    arguments["agent_id"] = json!("tester");
    ODD.invoke(&Context::new(&project.services, TOOLS, cancel, &NoProgress), arguments)
}

#[test]
fn a_panic_is_an_error_of_that_call_alone() {
    let project = Project::new(PROGRAM);
    for _ in 0..20 {
        let error = call(&project, &Cancel::new(), json!({"what": "panic"})).expect_err("a bug");
        assert_eq!(error.code, ErrorCode::Internal);
        assert!(error.message.contains("a bug"), "{error}");
        project.ok("seek", json!({"query": "login"}));
    }
}

#[test]
fn a_cancelled_call_ends() {
    let project = Project::new(PROGRAM);
    let cancel = Cancel::new();
    cancel.cancel();
    let error = call(&project, &cancel, json!({"what": "loop"})).expect_err("cancelled");
    assert_eq!(error.code, ErrorCode::Cancelled);
    for (tool, arguments) in [
        ("seek", json!({"query": "login"})),
        ("search", json!({"query": "login"})),
        ("search", json!({"query": "login", "mode": "semantic"})),
        ("ingest", json!({"path": "."})),
    ] {
        let mut arguments = arguments;
        arguments["agent_id"] = json!("tester");
        let tool = m1nd_tools::find(tool).expect("a tool");
        let error =
            tool.invoke(&Context::new(&project.services, TOOLS, &cancel, &NoProgress), arguments).expect_err("cancelled");
        assert_eq!(error.code, ErrorCode::Cancelled, "{}", tool.name);
    }
}

#[test]
fn answers_are_bounded_whatever_a_tool_returns() {
    let project = Project::new(PROGRAM);
    let mut arguments = json!({"what": "rows"});
    let mut rows = 0;
    for _ in 0..20 {
        let answer = call(&project, &Cancel::new(), arguments.clone()).expect("answers");
        assert!(m1nd_tools::text_of(&answer).len() <= 100_000, "{}", m1nd_tools::text_of(&answer).len());
        rows += answer["rows"].as_array().map_or(0, Vec::len);
        match answer["cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert_eq!(rows, 5_000);
    let answer = call(&project, &Cancel::new(), json!({"what": "text"})).expect("answers");
    assert!(m1nd_tools::text_of(&answer).len() <= 100_000, "{}", m1nd_tools::text_of(&answer).len());
    assert_eq!(answer["truncated"], json!(true));
}

#[test]
fn the_framework_takes_its_own_arguments_and_hands_them_over() {
    let project = Project::new(PROGRAM);
    let text = |arguments| call(&project, &Cancel::new(), arguments).expect("answers")["text"].clone();
    assert_eq!(text(json!({"what": "call"})), "tester 100000");
    assert_eq!(text(json!({"what": "call", "max_output_chars": 5_000})), "tester 5000");
    assert_eq!(text(json!({"what": "call", "max_output_chars": 1})), "tester 2000");
    let schema = ODD.schema();
    assert_eq!(schema["required"], json!(["agent_id", "what"]));
    for name in ["agent_id", "max_output_chars", "cursor", "token_budget", "what"] {
        assert!(schema["properties"][name].is_object(), "{name}");
    }
    let listed = |is_short| ODD.listed_schema(Format::Text, is_short)["properties"].clone();
    let (whole, short) = (listed(false), listed(true));
    assert!(whole["cursor"].is_object() && short["cursor"].is_object(), "{short}");
    assert!(whole["token_budget"].is_object() && short["token_budget"].is_null(), "{short}");
    assert_eq!(whole["max_output_chars"]["default"], json!(8_000));
}

#[test]
fn a_call_without_agent_id_is_answered_under_the_name_of_the_caller() {
    let project = Project::new(PROGRAM);
    let cancel = Cancel::new();
    let nobody = Context::new(&project.services, TOOLS, &cancel, &NoProgress);
    let client = Context { agent: "editor", ..nobody.clone() };
    let text = |context, arguments| ODD.invoke(context, arguments).expect("answers")["text"].clone();
    assert_eq!(text(&nobody, json!({"what": "call"})), "anonymous 100000");
    assert_eq!(text(&client, json!({"what": "call"})), "editor 100000");
    assert_eq!(text(&client, json!({"what": "call", "agent_id": null})), "editor 100000");
    assert_eq!(text(&client, json!({"what": "call", "agent_id": "me"})), "me 100000");
}

#[test]
fn a_token_budget_and_a_size_are_one_budget() {
    let project = Project::new(PROGRAM);
    let ask = |arguments| call(&project, &Cancel::new(), arguments).expect("answers");
    let kept = |answer: &Value| answer["rows"].as_array().map_or(0, Vec::len);
    // A row takes 108 bytes: 27 tokens.
    let few = ask(json!({"what": "rows", "token_budget": 100}));
    assert_eq!(kept(&few), 3);
    assert_eq!(few["budget"], json!({"requested": 100, "used": 81, "kept": 3, "dropped": 4_997}));
    let next = ask(json!({"what": "rows", "token_budget": 1, "cursor": few["cursor"]}));
    assert!(next["rows"][0].as_str().is_some_and(|row| row.starts_with("row 3 ")), "{next}");
    assert_eq!(next["budget"]["kept"], json!(1), "one row at least");
    // What the size leaves out is told, too.
    let small = ask(json!({"what": "rows", "token_budget": 10_000, "max_output_chars": 3_000}));
    assert_eq!(small["budget"]["kept"], json!(kept(&small)));
    assert!(kept(&small) < 30 && small["budget"]["kept"] != json!(0), "{small}");
}

#[test]
fn every_code_has_a_word_and_a_meaning() {
    let mut words: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.word()).collect();
    assert!(ErrorCode::ALL.iter().all(|code| code.meaning().trim().len() > 20));
    words.sort_unstable();
    let count = words.len();
    words.dedup();
    assert_eq!(words.len(), count);
}
