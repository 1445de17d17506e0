//! Finds functions that are written alike or use the same things.

use m1nd_engine::Snapshot;
use m1nd_query::analysis::fingerprint::{Equivalent, EquivalentPair, Likeness, equivalent_pairs, fingerprint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    number,
};
use crate::rows::{self, NodeRow, round_value};
use crate::word::Word;

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;
/// What both functions use, as far as it is listed.
const MAX_COMMON: usize = 6;

/// Default least similarity.
const fn default_threshold() -> f64 {
    0.85
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Function: id, path or name; omit for all pairs
    target_node: Option<String>,
    #[serde(default = "default_threshold")]
    #[schemars(range(min = 0, max = 1))]
    similarity_threshold: f64,
    /// Compare only with these nodes and their members
    #[serde(default)]
    probe_queries: Vec<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct EquivalentRow {
    #[serde(flatten)]
    node: NodeRow,
    similarity: f64,
    reason: Word<Likeness>,
    token_similarity: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    use_similarity: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    common_uses: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    directly_connected: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    same_role: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct PairRow {
    node_a: String,
    node_b: String,
    place_a: String,
    place_b: String,
    similarity: f64,
    reason: Word<Likeness>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    directly_connected: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    target_node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equivalents: Option<Vec<EquivalentRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equivalent_pairs: Option<Vec<PairRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_pairs: Option<usize>,
    compared: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fingerprint: Vec<f64>,
    /// Why nothing is compared, or not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

pub(crate) struct Fingerprint;

impl Tool for Fingerprint {
    const NAME: &'static str = "fingerprint";
    const TOOLSET: Toolset = Toolset::Analysis;
    const SUMMARY: &'static str = "Find copies of a function, similar ones, and ones that use the same things";
    const ANSWERS: &'static str = "which functions are copies of each other, similar, or use the same things";
    const HELP: &'static str = "\
Compares the functions of the project. With `target_node`, lists those like it (`equivalents`); without, all pairs of
similar code (`equivalent_pairs`, `total_pairs`). Functions shorter than 30 tokens are not compared.

`token_similarity` compares runs of five tokens after names and literals are replaced by placeholders (Jaccard).
`use_similarity` compares what both call and name, weighted by rarity; it counts with at least three common uses
(`common_uses`). `similarity` is the greater one. `reason`: `copy` (the same tokens), `renamed_copy` (other names and
literals), `similar_code`, `same_uses` (written differently). `same_role`: the same kinds of neighbours by the same
relations, two steps far; `directly_connected`: one uses the other.

`similarity_threshold` leaves less similar ones out. `fingerprint` holds 16 of the minima that pairs are found by: the
share of equal ones estimates the similarity of two functions. `probe_queries` names nodes (files, types, functions) to
compare with instead of the whole project.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Plan, 60, "code that does the same already"),
        (Stage::Review, 60, "copies that need the same change"),
    ];
    const PAGED: bool = true;
    const RARE: &'static [&'static str] = &["probe_queries"];
    const TEXT_OMITS: &'static [&'static str] = &["fingerprint"];
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("node_id", "target_node"), ("limit", "top_k")];
    const COMMAND: Option<Command> = Some(Command::new("fingerprint", &["target_node"]));
    const DETAILS: &'static [&'static str] =
        &["fingerprint", "tokens", "equivalents.token_similarity", "equivalents.common_uses", "equivalents.line_end"];
    const NEEDS_FRESH: bool = true;
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"compared": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Fingerprint {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let Some(target) = &input.target_node else { return all_pairs(cx, &input) };
        let node = rows::resolve(snapshot, "target_node", target)?;
        let probes: Result<Vec<_>, ToolError> =
            input.probe_queries.iter().map(|text| rows::resolve(snapshot, "probe_queries", text)).collect();
        let found = fingerprint(snapshot, node, input.similarity_threshold, &probes?, cx.cancel())?;
        let id = snapshot.graph().id(node).to_owned();
        let Some(found) = found else {
            let output = Output {
                target_node: Some(id.clone()),
                equivalents: Some(Vec::new()),
                note: Some("it is no function of 30 tokens or more in a file that is as it was indexed"),
                ..nothing()
            };
            let hint = "name a function with a body";
            let guidance = Guidance::next(ProofState::Blocked, ToolRef("outline"), Some(id), hint);
            return Ok(Answer::new(output).rows("equivalents", 0).guidance(guidance));
        };
        let total = found.equivalents.len();
        let first = found.equivalents.first().map(|row| snapshot.graph().id(row.node).to_owned());
        let page = cx.page(input.top_k).cut(found.equivalents);
        let output = Output {
            target_node: Some(id.clone()),
            equivalents: Some(page.iter().map(|row| equivalent_row(snapshot, row)).collect()),
            compared: found.compared,
            tokens: Some(found.tokens),
            fingerprint: found.sketch.into_iter().map(round_value).collect(),
            ..nothing()
        };
        let guidance = match first {
            Some(first) => {
                Guidance::next(ProofState::Triaging, ToolRef("view"), Some(first), "compare the code of both")
            }
            None => Guidance::state(ProofState::ReadyToEdit),
        };
        Ok(Answer::new(output).rows("equivalents", total).guidance(guidance))
    }
}

fn nothing() -> Output {
    Output {
        target_node: None,
        equivalents: None,
        equivalent_pairs: None,
        total_pairs: None,
        compared: 0,
        tokens: None,
        fingerprint: Vec::new(),
        note: None,
    }
}

fn all_pairs(cx: &ReadContext<'_>, input: &Input) -> Result<Answer<Output>, ToolError> {
    let snapshot = cx.require_indexed()?;
    let found = equivalent_pairs(snapshot, input.similarity_threshold, cx.cancel())?;
    let total = found.pairs.len();
    let first = found.pairs.first().map(|pair| snapshot.graph().id(pair.a).to_owned());
    let page = cx.page(input.top_k).cut(found.pairs);
    let output = Output {
        equivalent_pairs: Some(page.iter().map(|pair| pair_row(snapshot, pair)).collect()),
        total_pairs: Some(total),
        compared: found.compared,
        note: found.cut.then_some("there are more candidates than are compared; pass `target_node` for all of one"),
        ..nothing()
    };
    let guidance = match first {
        Some(first) => Guidance::next(ProofState::Triaging, ToolRef("view"), Some(first), "compare the code of both"),
        None => Guidance::state(ProofState::ReadyToEdit),
    };
    Ok(Answer::new(output).rows("equivalent_pairs", total).guidance(guidance))
}

fn equivalent_row(snapshot: &Snapshot, row: &Equivalent) -> EquivalentRow {
    let graph = snapshot.graph();
    EquivalentRow {
        node: NodeRow::new(snapshot, row.node),
        similarity: round_value(row.similarity),
        reason: Word(row.likeness),
        token_similarity: round_value(row.tokens),
        use_similarity: row.uses.map(round_value),
        common_uses: row.common.iter().take(MAX_COMMON).map(|&node| graph.label(node).to_owned()).collect(),
        directly_connected: row.connected,
        same_role: row.same_role,
    }
}

fn pair_row(snapshot: &Snapshot, pair: &EquivalentPair) -> PairRow {
    let graph = snapshot.graph();
    let place = |node| format!("{}:{}", graph.path(node), graph.lines(node).0);
    PairRow {
        node_a: graph.id(pair.a).to_owned(),
        node_b: graph.id(pair.b.node).to_owned(),
        place_a: place(pair.a),
        place_b: place(pair.b.node),
        similarity: round_value(pair.b.similarity),
        reason: Word(pair.b.likeness),
        directly_connected: pair.b.connected,
    }
}
