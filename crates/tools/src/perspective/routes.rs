//! Lists the routes of a perspective, a page at a time.

use m1nd_query::navigation::{Mode, PAGE_SIZE};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::held::Kept;
use super::here::{Here, open_handle};
use super::rows::{MAX_PAGE, PageOfRoutes, pages, row_text};
use crate::framework::{
    Answer, Effect, RowText, Tool, ToolError, Toolset, WriteContext, WriteTool, number, rows_schema,
};
use crate::word::Word;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    perspective_id: String,
    #[serde(default = "number::<1>")]
    page: usize,
    /// Clamped to 1 to 10
    #[serde(default = "number::<PAGE_SIZE>")]
    page_size: usize,
    /// Version last seen
    route_set_version: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id: String,
    mode: Word<Mode>,
    mode_effective: Word<Mode>,
    anchor: Option<String>,
    focus: Option<String>,
    lens_summary: String,
    #[serde(flatten)]
    page: PageOfRoutes,
    page_size_clamped: bool,
    /// The requested version was not the current one; the routes are current.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_version: Option<u64>,
}

pub(crate) struct PerspectiveRoutes;

impl Tool for PerspectiveRoutes {
    const NAME: &'static str = "perspective_routes";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "List a page of the routes of a perspective";
    const ANSWERS: &'static str = "all routes from where a perspective is, a page at a time";
    const HELP: &'static str = "\
Lists the routes from where the perspective is; members as in `perspective_start`. `page_size` is clamped to 1 to 10
(`page_size_clamped`), a `page` behind the last one shows the last one. The page shown last is what `route_index` of the
other tools counts on; `index` counts over all pages.

`route_set_version` is the version last seen. If the perspective moved, or the graph or its history changed since, the
answer has `stale: true`, the `requested_version` and the current routes with their version. `mode_effective` is `local`
while the focus is more than 8 hops from the anchor. If the focus is no longer in the graph, the routes are the matches
of the query, and `what_is_missing` says so.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "perspective_id": "persp_agent_0"}"#;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const TEXT_OMITS: &'static [&'static str] = &["mode", "suggested", "cache_generation", "page_size_clamped"];
    const DETAILS: &'static [&'static str] = &[
        "routes.also", "routes.path_preview", "routes.target_type", "suggested", "cache_generation", "lens_summary",
        "page_size_clamped",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("routes": "route_id", "target_node", "family", "score", "reason");
    type Input = Input;
    type Output = Output;
}

impl WriteTool for PerspectiveRoutes {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let here = Here::writing(cx)?;
        let page_size = input.page_size.clamp(1, MAX_PAGE);
        let mut handle = cx.sessions().get::<Kept>(cx.agent(), &input.perspective_id)?;
        let mut shown = handle.value.0.clone();
        (shown.page, shown.page_size) = (input.page.max(1), page_size);
        shown.page = pages(&shown, &*here.routes(&shown)?).page;
        // The same page again is stored only once, so that a read-only server can show it.
        if shown != handle.value.0 {
            let show = |kept: &mut Kept| {
                (kept.0.page, kept.0.page_size) = (shown.page, shown.page_size);
                Ok::<_, ToolError>(())
            };
            handle = cx.sessions().update(cx.agent(), &input.perspective_id, show)?.0;
        }
        let (id, perspective) = open_handle(&handle);
        let (page, total, guidance) = PageOfRoutes::of(&here, id, perspective)?;
        let requested_version = input.route_set_version.filter(|version| *version != here.version(perspective));
        let output = Output {
            perspective_id: id.to_owned(),
            mode: Word(perspective.mode()),
            mode_effective: Word(perspective.mode_effective()),
            anchor: perspective.anchor.clone(),
            focus: perspective.focus().map(str::to_owned),
            lens_summary: perspective.lens.summary(),
            page,
            page_size_clamped: page_size != input.page_size,
            stale: requested_version.is_some(),
            requested_version,
        };
        Ok(Answer::new(output).with_found(total).guidance(guidance))
    }
}
