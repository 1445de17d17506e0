//! Draws the modules, the layers, or the impact of a symbol as text that a client or editor renders.

use m1nd_layout::{write_dot, write_mermaid};
use m1nd_query::Scope;
use m1nd_query::figures::{DEFAULT_BOXES, MAX_BOXES, impact_figure, layers_figure, modules_figure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number,
};
use crate::past;
use crate::rows::resolve;

/// What a diagram shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    #[default]
    Modules,
    Layers,
    Impact,
}

/// The language of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    #[default]
    Mermaid,
    Dot,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    kind: Kind,
    /// Symbol or file of `impact`
    node_id: Option<String>,
    /// Folder or glob, for `modules` and `layers`
    scope: Option<String>,
    #[serde(default)]
    language: Language,
    /// Maximum number of boxes
    #[serde(default = "number::<DEFAULT_BOXES>")]
    #[schemars(range(min = 1, max = MAX_BOXES))]
    limit: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Hidden {
    boxes: usize,
    arrows: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    title: String,
    /// What is shown and what is left out.
    shows: String,
    language: Language,
    diagram: String,
    boxes: usize,
    arrows: usize,
    hidden: Hidden,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Diagram;

impl Tool for Diagram {
    const NAME: &'static str = "diagram";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Draw modules, layers or impact as a Mermaid or DOT diagram";
    const ANSWERS: &'static str = "a diagram of the modules, of the layers, or of what a change reaches";
    const HELP: &'static str = "\
Writes a diagram as text for a document or a client that renders it; put `diagram` in a code block named after `language`.

- `modules` (default): packages, or folders and files of the only package; the largest are split until none holds most of
  the code. Examples, tests and documents are left out. Boxes in a circle of dependencies have the class `circle`.
- `layers`: the modules in their layers, as `layers` finds them; thick red arrows contradict these.
- `impact` with `node_id`: what `impact` lists, with the paths that lead to it; the node has the class `focus`.

An arrow leads to what is used; its number counts edges of the graph, a dashed one is only possible. `limit` bounds the boxes
(those with the most dependencies are kept), and there are about two arrows for each box: the strongest, and at least one for
each. `hidden` counts the rest, and `shows` says it in words. `m1nd map` draws the same as SVG, PNG or HTML.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const NEEDS_FRESH: bool = true;
    const RARE: &'static [&'static str] = &["language"];
    const DETAILS: &'static [&'static str] = &["boxes", "arrows"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"title": {"type": "string"}, "shows": {"type": "string"}, "diagram": {"type": "string"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Diagram {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        // 1. The figure.
        let scope: Scope = past::scope(input.scope.as_deref())?;
        let found = match (input.kind, input.node_id.as_deref()) {
            (Kind::Impact, None) => {
                return Err(ToolError::invalid("argument `node_id` is missing: `impact` needs a symbol"));
            }
            (Kind::Impact, Some(node)) => {
                let node = resolve(snapshot, "node_id", node)?;
                impact_figure(snapshot, (node, input.limit), cx.cancel())?
            }
            (_, Some(_)) => return Err(ToolError::invalid("argument `node_id` applies only to kind `impact`")),
            (Kind::Modules, None) => modules_figure(snapshot, (&scope, input.limit), cx.cancel())?,
            (Kind::Layers, None) => layers_figure(snapshot, (&scope, input.limit), cx.cancel())?,
        };
        // 2. Its text, which is never cut: a part of a diagram cannot be drawn.
        let diagram = match input.language {
            Language::Mermaid => write_mermaid(&found.figure),
            Language::Dot => write_dot(&found.figure),
        };
        let guidance = match input.kind {
            Kind::Layers => {
                Guidance::next(ProofState::Triaging, ToolRef("layers"), None, "lists each violation".to_owned())
            }
            _ => Guidance::state(ProofState::Triaging),
        };
        let gaps = (!found.gaps.is_empty()).then(|| found.gaps.join("; "));
        let output = Output {
            title: found.figure.title,
            shows: found.figure.subtitle,
            language: input.language,
            diagram,
            boxes: found.figure.boxes.len(),
            arrows: found.figure.arrows.len(),
            hidden: Hidden { boxes: found.hidden_boxes, arrows: found.hidden_arrows },
            what_is_missing: gaps,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}
