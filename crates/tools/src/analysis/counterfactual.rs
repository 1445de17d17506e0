//! Shows what a project loses without some nodes.

use m1nd_base::Relation;
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::analysis::Hop;
use m1nd_query::closure::{self, ClosureState};
use m1nd_query::what_if::{self, Broken, Orphan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::closure::Closure;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, RowText, Stage, Tool, ToolError, ToolRef,
    Toolset, is_zero, number, rows_schema, yes,
};
use crate::rows::{self, NodeRow, Unresolved, count, round_value};
use crate::sites::{self, SiteRow};
use crate::word::Word;

/// Maximum nodes of one call.
const MAX_NODES: usize = 50;
/// Default number of dangling places.
const DEFAULT_ROWS: usize = 100;
/// Maximum dangling places of one page.
const MAX_ROWS: usize = 1_000;
/// Rows of the other lists.
const MAX_LISTED: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Ids, paths or names
    #[schemars(length(min = 1, max = MAX_NODES))]
    node_ids: Vec<String>,
    /// Dependents by distance
    #[serde(default = "yes")]
    include_cascade: bool,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Step {
    from: String,
    to: String,
    relation: Word<Relation>,
    file_path: String,
    line: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct BrokenRow {
    #[serde(flatten)]
    node: NodeRow,
    hop_distance: u32,
    witness: Vec<Step>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OrphanRow {
    #[serde(flatten)]
    node: NodeRow,
    /// Why it may have users after all.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Only tests use it then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tested: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Depth {
    depth: usize,
    affected: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct IndividualRow {
    node_id: String,
    affected: usize,
    pct_activation_lost: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Synergy {
    individual_impacts: Vec<IndividualRow>,
    combined_impact: f64,
    synergy_factor: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Cut {
    node_id: String,
    detached: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    /// What was not removed, because it names no single node: all figures are without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved_ids: Vec<Unresolved>,
    removed_nodes: Vec<String>,
    dangling: Vec<SiteRow>,
    total_dangling: usize,
    /// Places in documents that name a removed node: nothing breaks there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<SiteRow>,
    #[serde(skip_serializing_if = "is_zero")]
    total_documents: usize,
    /// Nodes with a dangling place, and those that break through them.
    broken_count: usize,
    indirect_breaks: Vec<BrokenRow>,
    orphaned_count: usize,
    orphaned: Vec<OrphanRow>,
    weakened_count: usize,
    total_affected: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cascade: Option<Vec<Depth>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    synergy: Option<Synergy>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    articulation: Vec<Cut>,
    pct_activation_lost: f64,
    total_impact: f64,
    reachability_before: usize,
    reachability_after: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    closure: Closure,
}

pub(crate) struct Counterfactual;

impl Tool for Counterfactual {
    const NAME: &'static str = "counterfactual";
    const TOOLSET: Toolset = Toolset::Analysis;
    const SUMMARY: &'static str = "Show what breaks and what falls out of use if nodes are deleted";
    const ANSWERS: &'static str = "what breaks and what falls out of use if something is deleted";
    const HELP: &'static str = "\
Removes nodes, with all they contain, in thought. Nothing is changed. The effects are exact on the graph:

`unresolved_ids` are texts that name no node or several; the answer is about the others. None at all is an error.

`dangling` lists every place in the rest that names a removed node: code before tests, by path and line. `tier`
`possible` marks a reference that has other targets, too. `documents` lists places in texts that name one: they do not
break, but say something that is gone. `indirect_breaks` lists nodes that name none of them but use
what a broken node exposes, by re-exports or inheritance, with the edges that lead there; `broken_count` counts these and
the nodes with a certain dangling reference. `weakened_count` counts other dependents within five edges, which may only
behave differently; `cascade` counts dependents by distance.

`orphaned` lists definitions that only the removed ones keep in use, directly or through each other; imports,
documentation and tests do not keep anything in use (`tested`: tests name it). `why` says when users may exist
nevertheless: it is exported, or open references have its name. `articulation` lists named nodes without which other
nodes lose every connection to the largest part of the graph.

`pct_activation_lost` (also `total_impact`) is the number of nodes that break or fall out of use, over all definitions
outside of tests. `reachability_before` and `reachability_after` count those definitions. With several nodes, `synergy`
compares the joint loss with the sum of the single ones: `synergy_factor` above 1 means that they replace each other,
below 1 that they take the same with them.

`closure.state` is `closed` if every direct dependent of all named nodes is known; `blocked` lists what may hide more, as
in `callers`. What code outside of the index may use is never said to be deletable.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "node_ids": ["README.md"]}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Plan, 35, "what deleting something takes with it"),
        (Stage::Review, 45, "what a deletion leaves dangling or unused"),
    ];
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const ROW_TEXT: Option<RowText> = Some(sites::row_text);
    const TEXT_OMITS: &'static [&'static str] = &["removed_nodes", "total_impact"];
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("nodes", "node_ids"), ("limit", "top_k")];
    const COMMAND: Option<Command> = Some(Command::words("counterfactual", &["node_ids"]));
    const DETAILS: &'static [&'static str] = &[
        "dangling.line_start", "dangling.line_end", "removed_nodes", "cascade", "synergy", "articulation",
        "total_impact", "reachability_before", "reachability_after", "closure.hiding",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("dangling": "node_id", "label", "file_path", "role", "tier");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Counterfactual {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let (nodes, unresolved_ids) = rows::resolve_all(snapshot, "node_ids", &input.node_ids)?;
        let page = cx.page(input.top_k);
        let found = what_if::counterfactual(snapshot, &nodes, cx.cancel())?;
        // The answer is as sure as the least sure of the removed nodes.
        let mut closure = weakest(&found.closures);
        if let Some(unseen) = cx.describe_unseen() {
            closure.block(unseen);
        }
        // The page is cut last, so that totals are those of all rows.
        let total = found.dangling.len();
        let ids = |node| snapshot.graph().id(node).to_owned();
        let output = Output {
            unresolved_ids,
            removed_nodes: nodes.iter().copied().map(ids).collect(),
            total_dangling: total,
            broken_count: found.broken_directly + found.broken_indirectly.len(),
            indirect_breaks: found
                .broken_indirectly
                .iter()
                .take(MAX_LISTED)
                .map(|row| broken_row(snapshot, row))
                .collect(),
            orphaned_count: found.orphans.len(),
            orphaned: found.orphans.iter().take(MAX_LISTED).map(|row| orphan_row(snapshot, row)).collect(),
            weakened_count: found.weakened,
            total_affected: found.by_distance.iter().sum(),
            cascade: input.include_cascade.then(|| cascade(&found.by_distance)),
            synergy: synergy(snapshot, &found),
            articulation: found
                .articulation
                .iter()
                .map(|&(node, detached)| Cut { node_id: ids(node), detached })
                .collect(),
            pct_activation_lost: round_value(found.share_lost()),
            total_impact: round_value(found.share_lost()),
            reachability_before: found.definitions,
            reachability_after: found.definitions_left,
            incomplete: found.incomplete,
            closure: Closure::new(snapshot, &closure),
            dangling: sites::site_rows(snapshot, &page.cut(found.dangling.clone())),
            documents: sites::site_rows(snapshot, &found.documents[..found.documents.len().min(MAX_LISTED)]),
            total_documents: found.documents.len(),
        };
        let is_exported = nodes.iter().any(|&node| closure::is_visible_outside(snapshot, node));
        let guidance = guidance(&output, &closure, is_exported);
        Ok(Answer::new(output).rows("dangling", total).guidance(guidance))
    }
}

/// The closure of the node of which least is known.
fn weakest(closures: &[(NodeIx, closure::Closure)]) -> closure::Closure {
    let worst = closures.iter().find(|(_, closure)| closure.state != ClosureState::Closed).or_else(|| closures.first());
    worst.map(|(_, closure)| closure.clone()).expect("a call names at least one node")
}

fn broken_row(snapshot: &Snapshot, row: &Broken) -> BrokenRow {
    let graph = snapshot.graph();
    let step = |hop: &Hop| Step {
        from: graph.label(hop.from).to_owned(),
        to: graph.label(hop.to).to_owned(),
        relation: Word(hop.relation),
        file_path: hop.file.clone(),
        line: hop.line,
    };
    BrokenRow {
        node: NodeRow::new(snapshot, row.node),
        hop_distance: row.hops,
        witness: row.witness.iter().map(step).collect(),
    }
}

fn orphan_row(snapshot: &Snapshot, row: &Orphan) -> OrphanRow {
    let why = match (row.exported, row.open) {
        (_, open) if open > 0 => Some(format!("{} its name", has(open))),
        (true, _) => Some("exported: code that is not indexed may use it".to_owned()),
        _ => None,
    };
    OrphanRow { node: NodeRow::new(snapshot, row.node), why, tested: row.tested }
}

fn has(open: usize) -> String {
    format!("{} {}", count(open, "open reference"), if open == 1 { "has" } else { "have" })
}

fn cascade(by_distance: &[usize]) -> Vec<Depth> {
    (1..).zip(by_distance).map(|(depth, &affected)| Depth { depth, affected }).collect()
}

fn synergy(snapshot: &Snapshot, found: &what_if::Counterfactual) -> Option<Synergy> {
    let all = found.definitions.max(1) as f64;
    let row = |one: &what_if::Individual| IndividualRow {
        node_id: snapshot.graph().id(one.node).to_owned(),
        affected: one.lost,
        pct_activation_lost: round_value(one.lost as f64 / all),
    };
    Some(Synergy {
        synergy_factor: round_value(found.synergy()?),
        individual_impacts: found.individual.iter().map(row).collect(),
        combined_impact: round_value(found.share_lost()),
    })
}

fn guidance(output: &Output, closure: &closure::Closure, is_exported: bool) -> Guidance {
    let first = output.removed_nodes.first().cloned();
    let places = count(output.total_dangling, "place");
    if let Some(unknown) = output.unresolved_ids.first() {
        let hint =
            format!("`{}` was left out, and so was what it takes with it: name it, then ask again", unknown.node_id);
        return Guidance::next(ProofState::Proving, ToolRef("seek"), Some(unknown.node_id.clone()), hint);
    }
    if closure.state != ClosureState::Closed {
        let hint = format!("{places} would dangle, and what `closure` lists may be more: look there before deleting");
        return Guidance::next(ProofState::Proving, ToolRef("references"), first, hint);
    }
    match output.total_dangling {
        0 if is_exported => {
            let hint = "unused in this index; it is visible to code outside, which may use it";
            Guidance::next(ProofState::Proving, ToolRef("view"), first, hint)
        }
        0 => {
            let hint = "complete: nothing names it, and no search finds a use: it can be deleted";
            Guidance::next(ProofState::ReadyToEdit, ToolRef("view"), first, hint)
        }
        _ => {
            let hint = format!("complete: {places} to change, and no search adds one; delete what is orphaned as well");
            Guidance::next(ProofState::ReadyToEdit, ToolRef("view"), first, hint)
        }
    }
}
