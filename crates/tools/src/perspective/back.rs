//! Goes back to the stop before.

use m1nd_query::navigation::Mode;
use serde::Serialize;

use super::held::Kept;
use super::here::{Here, open_handle};
use super::input::OnePerspective;
use super::rows::{PageOfRoutes, row_text};
use crate::framework::{
    Answer, Effect, ErrorCode, RowText, Tool, ToolError, Toolset, WriteContext, WriteTool, rows_schema,
};
use crate::word::Word;

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id: String,
    restored_focus: Option<String>,
    restored_mode: Word<Mode>,
    #[serde(flatten)]
    page: PageOfRoutes,
}

pub(crate) struct PerspectiveBack;

impl Tool for PerspectiveBack {
    const NAME: &'static str = "perspective_back";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "Undo the last follow of a perspective";
    const ANSWERS: &'static str = "the routes of the stop before, exactly as they were";
    const HELP: &'static str = "\
Goes back to the stop before the last `perspective_follow` and returns the first page of routes there: the same routes,
scores and ids as before, unless the graph changed meanwhile. `restored_focus` is null at the start of a query without
an anchor. `route_set_version` is a new one. At the start it is an error (`at_the_start`), and nothing changes.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "perspective_id": "persp_agent_0"}"#;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const TEXT_OMITS: &'static [&'static str] = &["suggested", "cache_generation"];
    const DETAILS: &'static [&'static str] =
        &["routes.also", "routes.path_preview", "routes.target_type", "suggested", "cache_generation"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("routes": "route_id", "target_node", "family", "score", "reason");
    type Input = OnePerspective;
    type Output = Output;
}

impl WriteTool for PerspectiveBack {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: OnePerspective) -> Result<Answer<Output>, ToolError> {
        let here = Here::writing(cx)?;
        let back = |kept: &mut Kept| {
            kept.0.back(here.snapshot.generation()).ok_or_else(|| at_the_start(&input.perspective_id))?;
            kept.0.route_count = here.routes(&kept.0)?.routes.len();
            Ok::<_, ToolError>(())
        };
        let (handle, ()) = cx.sessions().update(cx.agent(), &input.perspective_id, back)?;
        let (id, perspective) = open_handle(&handle);
        let (page, total, guidance) = PageOfRoutes::of(&here, id, perspective)?;
        let output = Output {
            perspective_id: id.to_owned(),
            restored_focus: perspective.focus().map(str::to_owned),
            restored_mode: Word(perspective.mode_effective()),
            page,
        };
        Ok(Answer::new(output).with_found(total).guidance(guidance))
    }
}

fn at_the_start(id: &str) -> ToolError {
    ToolError::new(ErrorCode::AtTheStart, format!("`{id}` is at its start: no route was followed that could be undone"))
        .next_step("follow a route with `perspective_follow`, or end it with `perspective_close`")
}
