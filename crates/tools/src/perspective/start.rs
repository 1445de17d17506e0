//! Starts a perspective from a query, and optionally at a node.

use m1nd_base::secrets;
use m1nd_query::navigation::{MAX_ROUTES, Mode, Perspective};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::held::Kept;
use super::here::Here;
use super::lens::LensInput;
use super::rows::{PageOfRoutes, row_text};
use crate::framework::{
    Answer, Effect, Route, RowText, Stage, Tool, ToolError, Toolset, WriteContext, WriteTool, rows_schema,
};
use crate::rows;
use crate::word::Word;

/// Longest query, in characters.
const MAX_QUERY: usize = 10_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What to explore: words or names
    #[schemars(length(max = MAX_QUERY))]
    query: String,
    /// Node that routes stay related to
    anchor_node: Option<String>,
    /// Filters and weights of routes
    #[serde(default)]
    lens: LensInput,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id: String,
    mode: Word<Mode>,
    anchor_node: Option<String>,
    focus_node: Option<String>,
    #[serde(flatten)]
    page: PageOfRoutes,
    #[serde(skip_serializing_if = "Option::is_none")]
    lens_summary: Option<String>,
}

pub(crate) struct PerspectiveStart;

impl Tool for PerspectiveStart {
    const NAME: &'static str = "perspective_start";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "Start a guided walk through the code: ranked routes from a query or a node";
    const ANSWERS: &'static str = "where to begin with a topic, and from there where to go next, with reasons";
    const HELP: &'static str = "\
Opens a perspective: a walk that remembers its way. Without `anchor_node` the routes are the best matches of the query;
with one the walk starts there (`mode: anchored`) and routes stay related to it, until it is more than 8 hops away.

A route is a node to go to next. `family` is the evidence that connects it (an edge, common commits, a role, words of
the query), `reason` names it with a place, `path_preview` the nodes between, `score` ranks it (0 to 1; its parts are
shown by `perspective_inspect`). `lens` filters routes (`node_types`, `relations`, `paths`, `tiers`, `families`) and
weighs evidence (`dimensions`: structural, semantic, temporal, causal, each 0 to 1). At most 60 routes, six a page.

`route_set_version` belongs to the later calls: it changes when the walk moves or the graph changes. The id cannot be
guessed and belongs to this `agent_id`; it ends 7 days after the last move, also after a restart. An agent has at most
50: close those that are done. Docs: `docs/navigation.md`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "validate credentials"}"#;
    const STAGES: &'static [Route] = &[(Stage::Orient, 60, "walk through a topic step by step, with reasons")];
    const RARE: &'static [&'static str] = &["lens"];
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const TEXT_OMITS: &'static [&'static str] = &["mode", "suggested", "cache_generation"];
    const DETAILS: &'static [&'static str] =
        &["routes.also", "routes.path_preview", "routes.target_type", "suggested", "cache_generation"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("routes": "route_id", "target_node", "family", "score", "reason");
    type Input = Input;
    type Output = Output;
}

const _: () = assert!(MAX_ROUTES == 60, "the manual names it");

impl WriteTool for PerspectiveStart {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let here = Here::writing(cx)?;
        rows::words("query", &input.query, "what to explore, in words or names")?;
        let anchor = input.anchor_node.as_deref().map(|text| rows::resolve(here.snapshot, "anchor_node", text));
        let anchor = anchor.transpose()?.map(|node| here.id(node));
        let (lens, query) = (input.lens.read()?, secrets::redact(&input.query).into_owned());
        let is_plain = lens == Default::default();
        let mut perspective = Perspective::new(query, anchor.clone(), lens, here.snapshot.generation());
        // Before anything is stored, so that a cancelled call leaves nothing behind.
        perspective.route_count = here.routes(&perspective)?.routes.len();
        let handle = cx.sessions().mint(cx.agent(), Kept(perspective))?;
        let perspective = &handle.value.0;
        let (page, total, guidance) = PageOfRoutes::of(&here, &handle.id, perspective)?;
        let output = Output {
            perspective_id: handle.id.clone(),
            mode: Word(perspective.mode()),
            focus_node: perspective.focus().map(str::to_owned),
            anchor_node: anchor,
            page,
            lens_summary: (!is_plain).then(|| perspective.lens.summary()),
        };
        Ok(Answer::new(output).with_found(total).guidance(guidance))
    }
}
