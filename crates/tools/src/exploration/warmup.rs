//! Primes later answers with a task.

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::priming_plan;
use m1nd_sessions::HALF_LIFE_MS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Effect, Guidance, MAX_TARGET, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
    rows_schema,
};
use crate::rows::{self, Seed, round_value};

/// Default boost of the nearest node, as a share of its score.
const DEFAULT_STRENGTH: f64 = 0.15;
/// Maximum nodes shown.
const SHOWN: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What you are about to do
    task_description: String,
    /// 0 ends it
    #[serde(default = "default_strength")]
    #[schemars(range(min = 0, max = 1))]
    boost_strength: f64,
}

const fn default_strength() -> f64 {
    DEFAULT_STRENGTH
}

#[derive(Debug, Serialize)]
pub(crate) struct Primed {
    node_id: String,
    label: String,
    boost: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    task: String,
    /// The value of `task`, under the name of the argument.
    task_description: String,
    boost_strength: f64,
    half_life_minutes: u64,
    primed_nodes: usize,
    top_primed: Vec<Primed>,
    seeds: Vec<Seed>,
    total_seeds: usize,
    total_priming: usize,
    /// Nothing was kept: the server is read-only, or the process ends with the call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preview: bool,
}

pub(crate) struct Warmup;

impl Tool for Warmup {
    const NAME: &'static str = "warmup";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Name your task, so that later answers favour its code";
    const ANSWERS: &'static str = "names the task at hand, so that later answers favour its code for a while";
    const HELP: &'static str = "\
Finds the code of a task (`seeds`: matches of its words; `top_primed`: nodes within about two steps of them, nearer
than by chance, at most 200) and remembers it for this `agent_id`. Later answers of `seek` and `activate` for this
agent multiply the score of these nodes by up to 1 + `boost_strength` and say so: `primed_by` in the answer names the
task and the remaining strength, `primed_by` in a row the boost it got. No row is added or hidden, and nothing else
depends on it.

The strength halves every 30 minutes, in steps of 5, and ends after four hours. A new task replaces the previous one;
`boost_strength: 0` ends it. The priming is in server memory only: nothing is stored, the graph does not change, and
other agents are not affected. A read-only server, and the command line, show what would be primed (`preview`).";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "task_description": "add a timeout to the retry of requests"}"#;
    const DETAILS: &'static [&'static str] = &["seeds", "task", "half_life_minutes", "total_seeds", "total_priming"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("top_primed": "node_id", "label", "boost");
    type Input = Input;
    type Output = Output;
}

impl WriteTool for Warmup {
    const EFFECT: Effect = Effect::Session;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.snapshot();
        if snapshot.is_empty() {
            return Err(ToolError::empty_graph());
        }
        let strength = input.boost_strength;
        rows::words("task_description", &input.task_description, "what you are about to do, in words or names")?;
        let plan = priming_plan(snapshot, &input.task_description, cx.cancel())?;
        let preview = cx.engine().is_read_only();
        // A strength of 0 primes nothing and ends the previous priming.
        let nodes = if strength > 0.0 { plan.nodes.as_slice() } else { &[] };
        if !preview {
            let nodes = plan.nodes.iter().map(|(node, near)| (snapshot.graph().id(*node).to_owned(), *near));
            cx.sessions().prime(cx.agent(), &input.task_description, strength, nodes.collect());
        }
        let first = plan.seeds.first().map(|(node, _)| *node);
        let guidance = guidance(snapshot, first, &input.task_description, strength, preview);
        let graph = snapshot.graph();
        let primed = |(node, near): &(NodeIx, f64)| Primed {
            node_id: graph.id(*node).to_owned(),
            label: graph.label(*node).to_owned(),
            boost: round_value(near * strength),
        };
        Ok(Answer::new(Output {
            task: input.task_description.clone(),
            task_description: input.task_description,
            boost_strength: round_value(strength),
            half_life_minutes: HALF_LIFE_MS / 60_000,
            primed_nodes: nodes.len(),
            top_primed: nodes.iter().take(SHOWN).map(primed).collect(),
            seeds: plan.seeds.iter().map(|seed| Seed::new(snapshot, seed)).collect(),
            total_seeds: plan.seeds.len(),
            total_priming: nodes.len(),
            preview,
        })
        .guidance(guidance))
    }
}

fn guidance(snapshot: &Snapshot, first: Option<NodeIx>, task: &str, strength: f64, preview: bool) -> Guidance {
    let Some(first) = first else {
        let hint = "no symbol matches a word of the task, so nothing is primed; name the code, or search for the text";
        return Guidance::next(
            ProofState::Blocked,
            ToolRef("search"),
            Some(task.chars().take(MAX_TARGET).collect()),
            hint,
        );
    };
    let (id, label) = (snapshot.graph().id(first).to_owned(), snapshot.graph().label(first));
    let hint = match (preview, strength > 0.0) {
        (true, _) => format!("nothing is remembered here; `{label}` matches the task best: open it"),
        (false, false) => format!("the priming ended; `{label}` matches the task best"),
        (false, true) => format!("`seek` and `activate` now favour the task; `{label}` matches it best: open it"),
    };
    Guidance::next(ProofState::Triaging, ToolRef("view"), Some(id), hint)
}
