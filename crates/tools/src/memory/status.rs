//! Reports the health of the memory.

use m1nd_mind::MemoryStatusReport;
use serde::Serialize;

use super::{answers, memory_error};
use crate::framework::{Answer, Guidance, NoArguments, ProofState, ReadContext, ReadTool, Tool, ToolError, Toolset};

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    #[serde(flatten)]
    report: MemoryStatusReport,
}

pub(crate) struct MemoryStatus;

impl Tool for MemoryStatus {
    const NAME: &'static str = "mind_status";
    const TOOLSET: Toolset = Toolset::Memory;
    const SUMMARY: &'static str = "Show memory health, daemon state and statistics";
    const ANSWERS: &'static str = "the health of the memory, its daemon and statistics";
    const HELP: &'static str = "\
`daemon` is optional: everything works without it. `current_project` is null outside a project; `memory_health` is
`good`, `stale` or `empty`, and `memory_health_reason` gives the rule. `stats` counts the current content of the
memory; blocked issues count as open, `edges` are the project's own gotchas. `global_stats` counts all registered
projects.";
    const EXAMPLE: &'static str = "{}";
    const OUTPUT_SCHEMA: &'static str = answers::STATUS;
    const DETAILS: &'static [&'static str] = &["version", "embedder"];
    type Input = NoArguments;
    type Output = Output;
}

impl ReadTool for MemoryStatus {
    fn run(cx: &ReadContext<'_>, _input: NoArguments) -> Result<Answer<Output>, ToolError> {
        let report = cx.memory().status().map_err(|error| memory_error(&error))?;
        let mut guidance = Guidance::state(ProofState::Triaging);
        guidance.next_step_hint = Some(match &report.current_project {
            None => "no project with a memory is here; create one with `mind init`".into(),
            Some(project) => project.memory_health_reason.clone(),
        });
        Ok(Answer::new(Output { report }).guidance(guidance))
    }
}
