use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use m1nd_base::ProgressEvent;
use m1nd_tools::{
    Answer, Effect, ErrorCode, ReadContext, ReadTool, Tool, ToolDef, ToolError, Toolset, WriteContext, WriteTool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) static TOOLS: &[ToolDef] = &[
    ToolDef::read::<Echo>(),
    ToolDef::read::<Panics>(),
    ToolDef::read::<Spin>(),
    ToolDef::read::<Pulse>(),
    ToolDef::write::<Build>(),
];

/// Number of running calls of [`Spin`] and [`Build`], by their `mark`.
static RUNNING: [AtomicUsize; 16] = [const { AtomicUsize::new(0) }; 16];

pub(crate) fn running(mark: usize) -> usize {
    RUNNING[mark].load(Ordering::SeqCst)
}

/// Waits until the given number of calls with this mark are running.
pub(crate) fn wait_for_running(mark: usize, count: usize) {
    let end = std::time::Instant::now() + m1nd_testkit::wire::PATIENCE;
    while running(mark) != count {
        assert!(std::time::Instant::now() < end, "{} calls run, expected {count}", running(mark));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    text: String,
    #[serde(default)]
    mark: usize,
    /// Steps of some milliseconds to work for.
    #[serde(default = "endless")]
    steps: u64,
}

fn endless() -> u64 {
    u64::MAX
}

#[derive(Serialize)]
pub(crate) struct Output {
    text: String,
}

fn answer(text: &str) -> Result<Answer<Output>, ToolError> {
    Ok(Answer::new(Output { text: text.to_owned() }))
}

macro_rules! tool {
    ($type:ident, $name:literal, $toolset:ident, waits: $waits:literal) => {
        pub(crate) struct $type;
        impl Tool for $type {
            const NAME: &'static str = $name;
            const TOOLSET: Toolset = Toolset::$toolset;
            const SUMMARY: &'static str = "Exists in this test only.";
            const ANSWERS: &'static str = "";
            const HELP: &'static str = "";
            const EXAMPLE: &'static str = r#"{"agent_id": "test"}"#;
            const WAITS: bool = $waits;
            const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"text": {"type": "string"}}}"#;
            type Input = Input;
            type Output = Output;
        }
    };
}

tool!(Echo, "echo", Core, waits: true);
tool!(Panics, "panics", Core, waits: true);
tool!(Spin, "spin", Analysis, waits: true);
tool!(Pulse, "pulse", Core, waits: false);
tool!(Build, "build", Lifecycle, waits: true);

impl ReadTool for Echo {
    fn run(_: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        answer(&input.text)
    }
}

impl ReadTool for Panics {
    fn run(_: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        panic!("on purpose: {}", input.text)
    }
}

impl ReadTool for Pulse {
    fn run(_: &ReadContext<'_>, _: Input) -> Result<Answer<Output>, ToolError> {
        answer("alive")
    }
}

fn work(input: &Input, cancel: &m1nd_base::Cancel, step: &dyn Fn(u64)) -> Result<Answer<Output>, ToolError> {
    let running = &RUNNING[input.mark];
    running.fetch_add(1, Ordering::SeqCst);
    let mut outcome = answer("done");
    for done in 0..input.steps {
        if cancel.is_cancelled() {
            outcome = Err(ToolError::new(ErrorCode::Cancelled, "cancelled"));
            break;
        }
        step(done);
        std::thread::sleep(Duration::from_millis(2));
    }
    running.fetch_sub(1, Ordering::SeqCst);
    outcome
}

impl ReadTool for Spin {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        work(&input, cx.cancel(), &|_| {})
    }
}

impl WriteTool for Build {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let total = Some(input.steps);
        work(&input, cx.cancel(), &|done| cx.progress().report(ProgressEvent { stage: "building", done, total }))
    }
}
