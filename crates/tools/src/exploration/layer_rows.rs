//! What `layers`, `layer_inspect` and `audit` share.

use std::sync::Arc;

use m1nd_base::Relation;
use m1nd_engine::Snapshot;
use m1nd_query::layers::{
    Against, Declared, FILE, Files, Layering, LayersQuery, Severity, declaration, files, place_of,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{ErrorCode, ReadContext, ToolError};
use crate::rows::round_value;
use crate::word::Word;

/// How layers are named that are not declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Naming {
    #[default]
    Auto,
    PathPrefix,
    Pagerank,
}

/// What modules are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Grain {
    #[default]
    Auto,
    Packages,
    Folders,
}

impl Grain {
    pub(super) const fn query(self) -> Option<m1nd_query::layers::Grain> {
        match self {
            Self::Auto => None,
            Self::Packages => Some(m1nd_query::layers::Grain::Packages),
            Self::Folders => Some(m1nd_query::layers::Grain::Folders),
        }
    }
}

/// The layers of the project that is asked about.
pub(super) struct Found {
    pub(super) files: Arc<Files>,
    pub(super) declared: Option<Declared>,
    pub(super) layering: Layering,
}

/// Works out the layers: declared ones, else inferred ones.
pub(super) fn layering(cx: &ReadContext<'_>, query: &LayersQuery) -> Result<Found, ToolError> {
    let snapshot = cx.require_indexed()?;
    let declared = read_declaration(cx)?;
    let files = files(snapshot, cx.cancel())?;
    let layering = Layering::of(snapshot, &files, declared.as_ref(), query, cx.cancel())?;
    Ok(Found { files, declared, layering })
}

/// The declaration of the project, if it has one.
pub(super) fn read_declaration(cx: &ReadContext<'_>) -> Result<Option<Declared>, ToolError> {
    declaration(cx.snapshot()).map_err(|error| {
        ToolError::new(ErrorCode::InvalidPattern, error.to_string())
            .next_step(format!("mend `{FILE}`; `help` of `layers` shows its form"))
    })
}

/// Files of the first layer that has a level; `None` if nothing is in it.
pub(super) fn basis(found: &Found) -> String {
    match (&found.declared, found.layering.grain) {
        (Some(_), _) => format!("declared in {FILE}"),
        (None, grain) => format!("inferred from dependencies between {}", grain.word()),
    }
}

/// The path of a module, with a name for the top.
pub(super) fn module_name(name: &str) -> &str {
    if name.is_empty() { "." } else { name }
}

/// A dependency that contradicts the layers.
#[derive(Debug, Serialize)]
pub(super) struct Violation {
    pub(super) source: String,
    pub(super) source_layer: String,
    pub(super) target: String,
    pub(super) target_layer: String,
    pub(super) edge_relation: Word<Relation>,
    pub(super) severity: Word<Severity>,
    pub(super) violation_type: Word<m1nd_query::layers::Violation>,
    /// `path:line` of the first place.
    pub(super) location: String,
    /// Number of edges between the two files.
    pub(super) edges: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_new: Option<bool>,
    pub(super) explanation: String,
}

impl Violation {
    pub(super) fn of(snapshot: &Snapshot, found: &Found, row: &Against, is_new: Option<bool>) -> Self {
        let (graph, layering) = (snapshot.graph(), &found.layering);
        let arc = &found.files.arcs[row.arc];
        let name = |level: usize| layering.layers.get(level).map_or_else(String::new, |layer| layer.name.clone());
        let (from, to) = row.levels;
        let explanation = match (&found.declared, row.violation) {
            (Some(_), m1nd_query::layers::Violation::Upward) => "leads to a layer above".to_owned(),
            (Some(_), m1nd_query::layers::Violation::Skip) => "leads past the next layer".to_owned(),
            (Some(_), _) => "is not in `may_use`".to_owned(),
            (None, _) => {
                let module = |file: usize| layering.modules.of[file].unwrap_or_default();
                let (a, b) = (module(arc.from), module(arc.to));
                let weight = |a, b| layering.modules.joints.get(&(a, b)).map_or(0, |joint| joint.arcs.len());
                format!(
                    "{} uses {} in {} pairs of files, and the other way round in {}",
                    module_name(&layering.modules.names[a]),
                    module_name(&layering.modules.names[b]),
                    weight(a, b),
                    weight(b, a)
                )
            }
        };
        Self {
            source: graph.id(arc.source).to_owned(),
            source_layer: name(from),
            target: graph.id(arc.target).to_owned(),
            target_layer: name(to),
            edge_relation: Word(arc.relation),
            severity: Word(row.severity),
            violation_type: Word(row.violation),
            location: place_of(graph, &found.files, arc),
            edges: arc.edges,
            is_new,
            explanation,
        }
    }
}

/// The share of the dependencies of a layer's files that agree with the layers.
pub(super) fn mean(confidences: &[f64], files: &[usize]) -> f64 {
    round_value(files.iter().map(|at| confidences[*at]).sum::<f64>() / files.len().max(1) as f64)
}
