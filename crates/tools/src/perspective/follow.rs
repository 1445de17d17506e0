//! Follows a route: its target becomes the focus.

use m1nd_query::navigation::{MAX_STEPS, Mode, Step, hops_of};
use serde::Serialize;

use super::held::Kept;
use super::here::{Here, open_handle};
use super::input::OneRoute;
use super::rows::{PageOfRoutes, row_text};
use crate::framework::{
    Answer, Effect, ErrorCode, RowText, Tool, ToolError, Toolset, WriteContext, WriteTool, rows_schema,
};
use crate::word::Word;

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id: String,
    previous_focus: Option<String>,
    new_focus: String,
    mode: Word<Mode>,
    mode_effective: Word<Mode>,
    #[serde(flatten)]
    page: PageOfRoutes,
}

pub(crate) struct PerspectiveFollow;

impl Tool for PerspectiveFollow {
    const NAME: &'static str = "perspective_follow";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "Follow a route of a perspective: move to its target and get the routes from there";
    const ANSWERS: &'static str = "the routes from the target of a route, which becomes the focus";
    const HELP: &'static str = "\
Moves the perspective to the target of a route and returns the first page of routes from there; members as in
`perspective_start`. Pass exactly one of `route_id` and `route_index` (1-based, on the page shown last), and the
`route_set_version` that came with it: if it is not current, nothing moves and the error names the current one.

The way is kept (at most 200 stops): `perspective_back` undoes the move exactly. Routes to what the way has seen rank
low, those that earlier stops connect with rank higher. `mode_effective` is `local` while the new focus is more than 8
hops from the anchor; hops are counted along the way, a jump without a path as three.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "perspective_id": "persp_agent_0", "route_index": 1, "route_set_version": 16777216}"#;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const TEXT_OMITS: &'static [&'static str] = &["mode", "suggested", "cache_generation"];
    const DETAILS: &'static [&'static str] =
        &["routes.also", "routes.path_preview", "routes.target_type", "suggested", "cache_generation"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("routes": "route_id", "target_node", "family", "score", "reason");
    type Input = OneRoute;
    type Output = Output;
}

impl WriteTool for PerspectiveFollow {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: OneRoute) -> Result<Answer<Output>, ToolError> {
        let here = Here::writing(cx)?;
        let id = &*input.perspective_id;
        let follow = |kept: &mut Kept| {
            let perspective = &mut kept.0;
            let named = input.named_route();
            let (set, place) = here.route(id, perspective, named)?;
            if perspective.steps.len() >= MAX_STEPS {
                return Err(too_long(id));
            }
            let route = &set.routes[place];
            let step = Step {
                node: here.id(route.target),
                route_id: route.id.clone(),
                family: route.family,
                hops: hops_of(here.snapshot.graph(), perspective, route),
            };
            let previous = perspective.focus().map(str::to_owned);
            perspective.follow(step, here.snapshot.generation());
            // Before it is stored, so that a cancelled call moves nothing.
            perspective.route_count = here.routes(perspective)?.routes.len();
            Ok(previous)
        };
        let (handle, previous_focus) = cx.sessions().update(cx.agent(), id, follow)?;
        let (id, perspective) = open_handle(&handle);
        let (page, total, guidance) = PageOfRoutes::of(&here, id, perspective)?;
        let output = Output {
            perspective_id: id.to_owned(),
            previous_focus,
            new_focus: perspective.focus().unwrap_or_default().to_owned(),
            mode: Word(perspective.mode()),
            mode_effective: Word(perspective.mode_effective()),
            page,
        };
        Ok(Answer::new(output).with_found(total).guidance(guidance))
    }
}

fn too_long(id: &str) -> ToolError {
    let message = format!("the way of `{id}` has {MAX_STEPS} stops, which is the limit");
    ToolError::new(ErrorCode::LimitReached, message)
        .next_step("go back with `perspective_back`, or start a new one with `perspective_start` at this node")
}
