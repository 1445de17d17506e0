//! Lists saved investigations.

use m1nd_sessions::{MAX_CHECKED_TRAILS, Trail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trails::{NodeNow, TrailRow, nodes_now};
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset, number,
    rows_schema,
};
use crate::rows::session_error;

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusFilter {
    Active,
    Saved,
    Archived,
    Stale,
    Merged,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    filter_agent_id: Option<String>,
    /// `stale`: a node changed since
    filter_status: Option<StatusFilter>,
    /// Any of these
    #[serde(default)]
    filter_tags: Vec<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    limit: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    trail: TrailRow,
    /// Nodes that are missing, modified or moved.
    stale_nodes: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Unreadable {
    trail_id: String,
    reason: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    trails: Vec<Row>,
    total_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Unreadable>,
}

pub(crate) struct TrailList;

impl Tool for TrailList {
    const NAME: &'static str = "trail_list";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "List saved investigations of all agents";
    const ANSWERS: &'static str = "which investigations are saved, and how many of their nodes changed since";
    const HELP: &'static str = "\
Lists trails of all agents, last changed first. `stale_nodes` is the number of their nodes that are missing, modified or
moved now; `trail_resume` names them. `status` is what the owner set (`saved`, `active`, `archived`), or `merged`;
`filter_status: stale` selects those with stale nodes. Tags are compared without case. `unreadable` names trails that
another version of m1nd wrote.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Handoff, 30, "which investigations there are")];
    const PAGED: bool = true;
    const LISTS_BUDGET: bool = false;
    const RARE: &'static [&'static str] = &["filter_status", "filter_tags"];
    const DETAILS: &'static [&'static str] = &[
        "trails.created_at_ms", "trails.node_count", "trails.hypothesis_count", "trails.conclusion_count",
        "trails.open_question_count", "total_count",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("trails": "trail_id", "label", "status");
    const TEXT_OMITS: &'static [&'static str] = &["created_at_ms", "last_modified_ms", "total_count"];
    type Input = Input;
    type Output = Output;
}

impl ReadTool for TrailList {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let listed = cx.list_held().list::<Trail>(input.filter_agent_id.as_deref(), MAX_CHECKED_TRAILS);
        let listed = listed.map_err(session_error)?;
        let tags: Vec<String> = input.filter_tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
        let mut chosen = listed.handles;
        chosen.retain(|trail| tags.is_empty() || trail.value.tags.iter().any(|tag| tags.contains(&tag.to_lowercase())));
        let word = |status| match status {
            StatusFilter::Active => "active",
            StatusFilter::Saved => "saved",
            StatusFilter::Archived => "archived",
            StatusFilter::Stale => "stale",
            StatusFilter::Merged => "merged",
        };
        // Whether code changed under a trail is known only by looking, so it is asked last.
        let stale_of = |trail: &Trail| -> Result<usize, ToolError> {
            let nodes = nodes_now(snapshot, trail, cx.cancel())?;
            Ok(nodes.iter().filter(|node| NodeNow::is_stale(node)).count())
        };
        match input.filter_status {
            Some(StatusFilter::Stale) => {
                let mut stale = Vec::new();
                for trail in chosen {
                    if stale_of(&trail.value)? > 0 {
                        stale.push(trail);
                    }
                }
                chosen = stale;
            }
            Some(status) => chosen.retain(|trail| trail.value.status.word() == word(status)),
            None => {}
        }
        // A later page is refused if a trail has changed since the first.
        let versions: String = chosen.iter().map(|trail| format!("{}{}", trail.id, trail.version)).collect();
        cx.rests_on(versions.as_bytes());
        let total = chosen.len();
        let mut rows = Vec::new();
        for trail in cx.page(input.limit).cut(chosen) {
            rows.push(Row { stale_nodes: stale_of(&trail.value)?, trail: TrailRow::new(&trail) });
        }
        let first = rows.first().map(|row| row.trail.trail_id.clone());
        let guidance = match first {
            Some(first) => Guidance::next(ProofState::Triaging, ToolRef("trail_resume"), Some(first), "go on with one"),
            None => Guidance::next(ProofState::Blocked, ToolRef("trail_save"), None, "no trail fits; save one"),
        };
        let unreadable = listed.unreadable.into_iter();
        let unreadable = unreadable.map(|row| Unreadable { trail_id: row.id, reason: row.detail }).collect();
        Ok(Answer::new(Output { trails: rows, total_count: total, unreadable })
            .rows("trails", total)
            .guidance(guidance))
    }
}
