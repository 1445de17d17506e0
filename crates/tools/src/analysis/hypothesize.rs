//! Tests a claim about the structure of code.

use m1nd_base::{EdgeTier, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::analysis::Hop;
use m1nd_query::what_if::hypothesize::{
    self as query, Bounds, Claim, ClaimKind, Evidence, EvidenceKind, Hidden, Part, ResolvedClaim, Tested, Verb, Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    number, yes,
};
use crate::rows::{self, round_value};
use crate::word::Word;

/// Default maximum number of edges of a path.
const DEFAULT_HOPS: usize = 5;
/// Maximum edges of a path.
const MAX_HOPS: usize = 20;
/// Default number of edges that one search visits. A search that ends at its budget decides nothing, so it is large
/// enough for most projects; it takes some milliseconds.
const DEFAULT_BUDGET: usize = 100_000;
/// Maximum edges of one search.
const MAX_BUDGET: usize = 1_000_000;
/// Longest claim, in characters.
const MAX_CLAIM: usize = 500;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KindWord {
    NeverCalls,
    NoDependency,
    DependsOn,
    Coupling,
    Circular,
    Gateway,
    AlwaysBefore,
    Isolated,
    /// Any path between them
    Unknown,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerbWord {
    #[default]
    Any,
    Calls,
    Imports,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimAst {
    #[serde(rename = "type")]
    kind: KindWord,
    /// Id, path or name; omit for the whole project
    subject: Option<String>,
    object: Option<String>,
    /// Relations that count
    #[serde(default)]
    relation: VerbWord,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// A sentence, e.g. "Session never calls Pool.close"
    #[schemars(length(max = MAX_CLAIM))]
    claim: Option<String>,
    /// The claim without a sentence
    claim_ast: Option<ClaimAst>,
    #[serde(default = "number::<DEFAULT_HOPS>")]
    #[schemars(range(min = 1, max = MAX_HOPS))]
    max_hops: usize,
    /// Co-change counts for coupling
    #[serde(default = "yes")]
    include_ghost_edges: bool,
    /// Where a search without result came to
    #[serde(default = "yes")]
    include_partial_flow: bool,
    /// Edges per search
    #[serde(default = "number::<DEFAULT_BUDGET>")]
    #[schemars(range(min = 1, max = MAX_BUDGET))]
    path_budget: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Step {
    from: String,
    to: String,
    relation: Word<Relation>,
    tier: Word<EdgeTier>,
    file_path: String,
    line: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct EvidenceRow {
    #[serde(rename = "type")]
    kind: Word<EvidenceKind>,
    description: String,
    likelihood_factor: f64,
    nodes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relations: Vec<Word<Relation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_weight: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step>,
}

#[derive(Debug, Serialize)]
pub(crate) struct HiddenRow {
    label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    reason: String,
    file_path: String,
    #[serde(skip_serializing_if = "is_no_line")]
    line: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct PartialRow {
    node_id: String,
    label: String,
    hops_from_source: u32,
    activation_at_stop: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    verdict: Word<Verdict>,
    confidence: f64,
    why: String,
    claim: String,
    claim_type: Word<ClaimKind>,
    subject_nodes: Vec<String>,
    object_nodes: Vec<String>,
    supporting_evidence: Vec<EvidenceRow>,
    contradicting_evidence: Vec<EvidenceRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocking: Vec<HiddenRow>,
    total_blocking: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial_reach: Vec<PartialRow>,
    paths_explored: usize,
}

pub(crate) struct Hypothesize;

impl Tool for Hypothesize {
    const NAME: &'static str = "hypothesize";
    const TOOLSET: Toolset = Toolset::Analysis;
    const SUMMARY: &'static str = "Test a claim about the structure of the code, with evidence for and against";
    const ANSWERS: &'static str = "whether a claim holds (depends on, never calls, is circular, …), or cannot be told";
    const HELP: &'static str = "\
Tests one claim, as a sentence (`claim`) or without language (`claim_ast`: `type`, `subject`, `object`, `relation`). Types
and sentences: never_calls \"A never calls B\" (also imports, uses), no_dependency \"A is independent of B\", depends_on
\"A depends on B\", coupling \"A and B are coupled\", circular \"circular dependency between A and B\" or \"A is on a
cycle\", gateway \"all calls to B go through A\" or \"A is a bottleneck\", always_before \"A always runs before B\",
isolated \"A is isolated\" or \"files in the repo with no connections\". Names are ids, paths or names; members count as
their container, files as their folder (`src/ui never imports src/db`; not for coupling, gateway and always_before). A sentence that fits no type asks for any path between its first and last word.

Paths follow edges in their direction only. `verdict`: `likely_true` (confidence above 0.8), `plausible` (evidence for it,
but uncertain), `likely_false` (below 0.2), `inconclusive`. A path counts as shown with the product of the
probabilities of its edges; its `steps` have file and line. That there is no path is said only if no reference in the
searched region could be the missing step; otherwise `blocking` lists what could, and the answer is `inconclusive`.
Confidence is 0.99 or 0.01 when proven, and about 0.3 for a connection that was not found but may be hidden.

Coupling needs a direct edge, or at least three common commits that chance does not explain. Gateway to a node searches
a way around it; a gateway without object detaches other nodes or keeps them in use alone. always_before compares lines
in the functions that call both, not branches, and is `plausible` at best. `include_partial_flow` lists where a search
without result stopped; `path_budget` and `max_hops` bound it.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "claim": "README.md is isolated"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Diagnose, 45, "whether an assumption about the structure holds"),
        (Stage::Plan, 45, "whether an assumption of the plan holds"),
    ];
    const NEEDS_FRESH: bool = true;
    const RARE: &'static [&'static str] = &["claim_ast", "include_ghost_edges", "include_partial_flow", "path_budget"];
    const COMMAND: Option<Command> = Some(Command::words("hypothesize", &["claim"]));
    const DETAILS: &'static [&'static str] = &[
        "supporting_evidence.path_weight", "supporting_evidence.relations", "subject_nodes", "object_nodes",
        "paths_explored",
    ];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"verdict": {"type": "string"}, "confidence": {"type": "number"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Hypothesize {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let claim = claim(&input)?;
        let named = |text: &str| rows::resolve_part(snapshot, "claim", text);
        let resolved = ResolvedClaim {
            kind: claim.kind,
            verb: claim.verb,
            subject: claim.subject.as_deref().map(named).transpose()?,
            object: claim.object.as_deref().map(named).transpose()?,
        };
        let bounds = Bounds { max_hops: u32::try_from(input.max_hops).unwrap_or(u32::MAX), budget: input.path_budget };
        let uses_history = claim.kind == ClaimKind::Coupling && input.include_ghost_edges;
        let history = uses_history.then(|| cx.history_at_hand());
        let mut tested = query::hypothesize(snapshot, &resolved, bounds, history.as_ref(), cx.cancel())?;
        if let Some(unseen) = cx.describe_unseen() {
            tested = tested.over_unseen(&unseen);
        }
        let guidance = guidance(snapshot, &resolved, &tested);
        let id = |part: &Option<Part>| part.iter().map(|part| part.name(snapshot.graph())).collect();
        let output = Output {
            verdict: Word(tested.verdict),
            confidence: round_value(tested.confidence),
            why: tested.why.clone(),
            claim: input.claim.unwrap_or_else(|| claim.kind.word().to_owned()),
            claim_type: Word(claim.kind),
            subject_nodes: id(&resolved.subject),
            object_nodes: id(&resolved.object),
            supporting_evidence: tested.supporting.iter().map(|row| evidence(snapshot, row, true)).collect(),
            contradicting_evidence: tested.contradicting.iter().map(|row| evidence(snapshot, row, false)).collect(),
            blocking: tested.hidden.iter().map(|row| build_hidden(snapshot, row)).collect(),
            total_blocking: tested.total_hidden,
            partial_reach: match input.include_partial_flow {
                true => tested.partial.iter().map(|row| partial(snapshot, row)).collect(),
                false => Vec::new(),
            },
            paths_explored: tested.visited,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn claim(input: &Input) -> Result<Claim, ToolError> {
    match (&input.claim, &input.claim_ast) {
        (_, Some(ast)) => Ok(Claim {
            kind: kind(ast.kind),
            verb: match ast.relation {
                VerbWord::Any => Verb::Any,
                VerbWord::Calls => Verb::Calls,
                VerbWord::Imports => Verb::Imports,
            },
            subject: ast.subject.clone(),
            object: ast.object.clone(),
        }),
        (Some(text), None) => {
            rows::words("claim", text, "a sentence such as \"Session depends on HTTPAdapter\"")?;
            query::parse(text).map_err(|error| {
                ToolError::invalid(format!("argument `claim`: {error}"))
                    .hint("a claim is a subject, a verb and an object, such as \"Session depends on HTTPAdapter\", \"no file in core imports web\", \"a and b are coupled\"")
                    .next_step("pass one such sentence, or `claim_ast`")
            })
        }
        (None, None) => Err(ToolError::invalid(
            "argument `claim` is missing; pass a sentence such as \"Session depends on HTTPAdapter\", or `claim_ast`",
        )),
    }
}

const fn kind(word: KindWord) -> ClaimKind {
    match word {
        KindWord::NeverCalls => ClaimKind::NeverCalls,
        KindWord::NoDependency => ClaimKind::NoDependency,
        KindWord::DependsOn => ClaimKind::DependsOn,
        KindWord::Coupling => ClaimKind::Coupling,
        KindWord::Circular => ClaimKind::Circular,
        KindWord::Gateway => ClaimKind::Gateway,
        KindWord::AlwaysBefore => ClaimKind::AlwaysBefore,
        KindWord::Isolated => ClaimKind::Isolated,
        KindWord::Unknown => ClaimKind::Unknown,
    }
}

fn evidence(snapshot: &Snapshot, row: &Evidence, supports: bool) -> EvidenceRow {
    let graph = snapshot.graph();
    let step = |hop: &Hop| Step {
        from: graph.label(hop.from).to_owned(),
        to: graph.label(hop.to).to_owned(),
        relation: Word(hop.relation),
        tier: Word(hop.tier),
        file_path: hop.file.clone(),
        line: hop.line,
    };
    // Odds of the evidence if the claim holds against those if it does not.
    let share = row.strength.clamp(0.01, 0.99);
    let odds = share / (1.0 - share);
    EvidenceRow {
        kind: Word(row.kind),
        description: row.text.clone(),
        likelihood_factor: round_value(if supports { odds } else { 1.0 / odds }),
        nodes: row.nodes.iter().map(|&node| graph.id(node).to_owned()).collect(),
        relations: row.path.iter().map(|hop| Word(hop.relation)).collect(),
        path_weight: (!row.path.is_empty()).then(|| round_value(row.strength)),
        steps: row.path.iter().map(step).collect(),
    }
}

fn build_hidden(snapshot: &Snapshot, row: &Hidden) -> HiddenRow {
    HiddenRow {
        label: snapshot.graph().label(row.node).to_owned(),
        name: row.name.clone(),
        reason: row.reason.clone(),
        file_path: row.file.clone(),
        line: row.line,
    }
}

fn partial(snapshot: &Snapshot, &(node, hops): &(NodeIx, u32)) -> PartialRow {
    PartialRow {
        node_id: snapshot.graph().id(node).to_owned(),
        label: snapshot.graph().label(node).to_owned(),
        hops_from_source: hops,
        activation_at_stop: round_value(1.0 / (1.0 + f64::from(hops))),
    }
}

fn guidance(snapshot: &Snapshot, claim: &ResolvedClaim, tested: &Tested) -> Guidance {
    let id = |node: NodeIx| snapshot.graph().id(node).to_owned();
    let evidence = tested.supporting.iter().chain(&tested.contradicting);
    // What is outside of the project cannot be opened.
    let inside = |node: &NodeIx| snapshot.graph().file(*node).is_some();
    let last = evidence.filter_map(|row| row.nodes.iter().rev().copied().find(inside)).next();
    let last = last.or(claim.subject.as_ref().and_then(Part::node)).map(id);
    match tested.verdict {
        Verdict::LikelyTrue | Verdict::LikelyFalse => Guidance::next(
            ProofState::ReadyToEdit,
            ToolRef("view"),
            last,
            "decided; open the last node of the evidence",
        ),
        Verdict::Plausible => {
            Guidance::next(ProofState::Triaging, ToolRef("view"), last, "check the evidence in the code")
        }
        Verdict::Inconclusive if tested.total_hidden > 0 => {
            let name = tested.hidden.first().map(|row| row.name.clone()).filter(|name| !name.is_empty()).or(last);
            Guidance::next(ProofState::Proving, ToolRef("search"), name, "look at the references that could decide it")
        }
        Verdict::Inconclusive if !tested.partial.is_empty() => {
            let farthest = tested.partial.first().map(|(node, _)| id(*node));
            Guidance::next(ProofState::Proving, ToolRef("view"), farthest, "the search stopped here")
        }
        Verdict::Inconclusive => Guidance::state(ProofState::Blocked),
    }
}

fn is_no_line(line: &u32) -> bool {
    *line == 0
}
