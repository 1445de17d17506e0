//! Lists files that change together although the code does not connect them.

use m1nd_engine::Snapshot;
use m1nd_query::changes::Depth;
use m1nd_query::retrieval::{GhostEdge, ghost_pairs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number, rows_schema,
};
use crate::past::{self, CitedCommit};
use crate::rows::{self, round_value};

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only pairs of this file or of the file of this symbol
    node: Option<String>,
    /// `<N>d` before the newest commit, or `all`
    #[serde(default = "everything")]
    depth: String,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

fn everything() -> String {
    "all".to_owned()
}

#[derive(Debug, Serialize)]
pub(crate) struct Ghost {
    source: String,
    target: String,
    strength: f64,
    commits: u32,
    lift: f64,
    p_value: f64,
    evidence: Vec<CitedCommit>,
}

impl Ghost {
    pub(crate) fn new(snapshot: &Snapshot, ghost: &GhostEdge) -> Self {
        let id = |node| snapshot.graph().id(node).to_owned();
        Self {
            source: id(ghost.source),
            target: id(ghost.target),
            strength: round_value(ghost.strength),
            commits: ghost.commits,
            lift: round_value(ghost.lift),
            p_value: ghost.p_value,
            evidence: CitedCommit::all(&ghost.evidence),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    ghost_edges: Vec<Ghost>,
    total_ghost_edges: usize,
    /// The reason why nothing can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct GhostEdges;

impl Tool for GhostEdges {
    const NAME: &'static str = "ghost_edges";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "List files that change together although the code does not connect them";
    const ANSWERS: &'static str = "hidden couplings: files that change together without a connection in the code";
    const HELP: &'static str = "\
Lists pairs of indexed files that change together more often than chance explains (`p_value` at most .01, hypergeometric,
at least two common commits of at most ten files) although no edge connects them within two steps from file to file, in
either direction: duplicated knowledge, formats agreed on by hand, copies. Of a project, the 1,000 pairs least likely to be
chance are examined; of a `node`, the 20 files that change with its file most. `depth` leaves out what is older than so many
days before the newest commit; the figures are then those of the commits that are left.

`strength` is the share of the first file's commits that touched the other one, 0 to 1: newer commits count more (half-life
a year), those of many files less, those of programs a quarter; a single one is no pattern. `commits` is the number of
common commits, `lift` how many times more often than by chance, `evidence` the newest three. Commits of formatters, merges
and commits of more than 50 files do not count. `note` says why nothing can be told. Subjects are text of the repository.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const PAGED: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("node_id", "node"), ("window", "depth")];
    const DETAILS: &'static [&'static str] = &["ghost_edges.lift", "ghost_edges.p_value"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("ghost_edges": "source", "target", "strength", "commits");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for GhostEdges {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let node = input.node.as_deref().map(|text| rows::resolve(snapshot, "node", text)).transpose()?;
        let page = cx.page(input.top_k);
        let history = match past::depth(&input.depth)? {
            Depth::All => cx.history(),
            Depth::Days(days) => cx.history().within_days(days),
        };
        let found = ghost_pairs(snapshot, &history, node, cx.cancel())?;
        let (total, gaps) = (found.len(), history.gaps());
        let told = match (history.is_known(), gaps.is_empty()) {
            (false, _) => (Some(format!("cannot tell: {}", gaps.join("; "))), None),
            (true, false) => (None, Some(gaps.join("; "))),
            (true, true) => (None, None),
        };
        let guidance = match found.first() {
            Some(first) => {
                let (one, other) = (snapshot.graph().path(first.source), snapshot.graph().path(first.target));
                let hint = format!("{one} and {other} change together: look for what they share");
                Guidance::next(ProofState::Triaging, ToolRef("view"), Some(other.to_owned()), hint)
            }
            None => match past::first_place(snapshot, &history) {
                Ok(_) => Guidance::state(ProofState::Triaging),
                Err(reason) => past::report_blocked(past::remedy(&reason)),
            },
        };
        let output = Output {
            node: node.map(|node| snapshot.graph().id(node).to_owned()),
            ghost_edges: page.cut(found).iter().map(|ghost| Ghost::new(snapshot, ghost)).collect(),
            total_ghost_edges: total,
            note: told.0,
            what_is_missing: told.1,
        };
        Ok(Answer::new(output).rows("ghost_edges", total).guidance(guidance))
    }
}
