//! Tools for these tests: one that answers, and one that runs until it is cancelled.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use m1nd_tools::{Answer, ErrorCode, ReadContext, ReadTool, Tool, ToolDef, ToolError, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls of `spin` that run, for each mark.
pub(crate) static RUNNING: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

/// The tools.
pub(crate) const TOOLS: &[ToolDef] = &[ToolDef::read::<Echo>(), ToolDef::read::<Spin>()];

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(default)]
    text: String,
    #[serde(default)]
    mark: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    text: String,
}

macro_rules! tool {
    ($type:ident, $name:literal) => {
        pub(crate) struct $type;
        impl Tool for $type {
            const NAME: &'static str = $name;
            const TOOLSET: Toolset = Toolset::Core;
            const SUMMARY: &'static str = "Exists in this test only.";
            const ANSWERS: &'static str = "";
            const HELP: &'static str = "";
            const EXAMPLE: &'static str = r#"{"agent_id": "test"}"#;
            type Input = Input;
            type Output = Output;
        }
    };
}

tool!(Echo, "echo");
tool!(Spin, "spin");

impl ReadTool for Echo {
    fn run(_: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        // So much later that a client can go away before.
        std::thread::sleep(Duration::from_millis(100 * input.mark as u64));
        Ok(Answer::new(Output { text: input.text }))
    }
}

impl ReadTool for Spin {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        RUNNING[input.mark].fetch_add(1, Ordering::SeqCst);
        while !cx.cancel().is_cancelled() {
            std::thread::sleep(Duration::from_millis(2));
        }
        RUNNING[input.mark].fetch_sub(1, Ordering::SeqCst);
        Err(ToolError::new(ErrorCode::Cancelled, "cancelled"))
    }
}

/// Number of calls of `spin` with this mark that run.
pub(crate) fn count_running(mark: usize) -> usize {
    RUNNING[mark].load(Ordering::SeqCst)
}
