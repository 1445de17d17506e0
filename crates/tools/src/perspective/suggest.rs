//! Suggests the next move of a perspective.

use m1nd_query::navigation::{Move, suggest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::held::Kept;
use super::here::{Here, open_handle};
use crate::framework::{Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset};
use crate::rows::round_value;
use crate::word::{Kind, Word, answer_kinds};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    perspective_id: String,
    route_set_version: u64,
}

answer_kinds! {
    /// A move of a perspective.
    pub(crate) MoveKind { Follow = "follow", Back = "back", Start = "start", }
}

#[derive(Debug, Serialize)]
pub(crate) struct Suggestion {
    action: Word<MoveKind>,
    /// The route to follow; with `back`, the one to follow from there.
    route_id: Option<String>,
    target_node: Option<String>,
    reason: String,
    confidence: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id: String,
    suggestion: Suggestion,
}

pub(crate) struct PerspectiveSuggest;

impl Tool for PerspectiveSuggest {
    const NAME: &'static str = "perspective_suggest";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "Suggest the next move of a perspective, by its routes and its way so far";
    const ANSWERS: &'static str = "the next move of a perspective, and why";
    const HELP: &'static str = "\
Suggests one move: `follow` the best route whose target the way has not visited, with a small lead for families that it has
not followed yet; `back`, if everything here was visited or a route of the stop before is clearly better; `start`
again, if nothing leads on. `reason` says why. `confidence` is the score of the route, halved where the second one is as
good; it is no probability. Nothing changes.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "perspective_id": "persp_agent_0", "route_set_version": 16777216}"#;
    const DETAILS: &'static [&'static str] = &["suggestion.target_node"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"suggestion": {"type": "object", "required": ["action", "reason", "confidence"]}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for PerspectiveSuggest {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let here = Here::reading(cx)?;
        let handle = cx.list_held().get::<Kept>(cx.agent(), &input.perspective_id)?;
        let (id, perspective) = open_handle(&handle);
        here.check(id, perspective, input.route_set_version)?;
        let set = here.routes(perspective)?;
        let mut before = perspective.clone();
        let before = match before.back(perspective.generation) {
            Some(_) => Some(here.routes(&before)?),
            None => None,
        };
        let found = suggest(here.snapshot.graph(), perspective, &set, before.as_deref());
        let (action, tool, route) = match found.action {
            Move::Follow(place) => (MoveKind::Follow, ToolRef("perspective_follow"), Some(&set.routes[place])),
            Move::Back(place) => {
                let route = place.zip(before.as_ref()).map(|(place, before)| &before.routes[place]);
                (MoveKind::Back, ToolRef("perspective_back"), route)
            }
            Move::Nothing => (MoveKind::Start, ToolRef("perspective_start"), None),
        };
        let suggestion = Suggestion {
            action: Word(action),
            route_id: route.map(|route| route.id.clone()),
            target_node: route.map(|route| here.id(route.target)),
            reason: found.reason,
            confidence: round_value(found.confidence),
        };
        let target = suggestion.route_id.clone().filter(|_| action == MoveKind::Follow);
        let hint = format!("{} is the suggestion", action.word());
        let guidance = Guidance::next(ProofState::Triaging, tool, target, hint);
        Ok(Answer::new(Output { perspective_id: id.to_owned(), suggestion }).guidance(guidance))
    }
}
