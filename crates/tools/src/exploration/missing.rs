//! Finds what code of a topic lacks but nearly all its siblings have, and what several functions repeat.

use m1nd_base::{NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_query::retrieval::{GapsAnswer, Hole, RepeatedUse, Trait as Lacking, gaps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Guidance, MAX_TARGET, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number,
    rows_schema,
};
use crate::rows::{self, count, round_value};
use crate::word::{EdgeSide, Word, answer_kinds};

/// Default minimum activation of a node of the topic.
const DEFAULT_ACTIVATION: f64 = 0.3;
/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;
/// Maximum functions in the evidence of a missing abstraction.
const NAMED: usize = 8;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Topic: words or names
    query: String,
    /// Threshold of the topic
    #[serde(default = "default_activation")]
    #[schemars(range(min = 0, max = 1))]
    min_sibling_activation: f64,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

const fn default_activation() -> f64 {
    DEFAULT_ACTIVATION
}

answer_kinds! {
    /// Whether a node lacks what its siblings have.
    pub(crate) LackStatus { Missing = "missing", CannotTell = "cannot_tell", }
}

#[derive(Debug, Serialize)]
pub(crate) struct What {
    relation: Word<Relation>,
    /// `out`: from the node; `in`: to it; `inside`: a member.
    direction: Word<EdgeSide>,
    /// The other end, or the name of the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    name: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Holder {
    node_id: String,
    /// The file of `line`, if it is not that of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

answer_kinds! {
    /// What is missing.
    pub(crate) GapKind { StructuralHole = "structural_hole", MissingAbstraction = "missing_abstraction", }
}

/// Members of every row.
#[derive(Debug, Serialize)]
pub(crate) struct GapPlace {
    node_id: String,
    label: String,
    #[serde(rename = "type")]
    kind: Word<GapKind>,
    node_type: Word<NodeKind>,
    file_path: String,
    line_start: u32,
    line_end: u32,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Row {
    Lacking(LackingRow),
    Repeated(RepeatedRow),
}

#[derive(Debug, Serialize)]
pub(crate) struct RepeatedRow {
    #[serde(flatten)]
    place: GapPlace,
    reason: String,
    /// The nodes that are used together.
    uses: Vec<String>,
    /// Functions that use them, at most eight, and where each begins to.
    evidence: Vec<Holder>,
    functions: usize,
    files: usize,
    /// A function that does the same for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    existing: Option<String>,
    strength: f64,
    p_value: f64,
    activation: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct LackingRow {
    #[serde(flatten)]
    place: GapPlace,
    /// `missing`, or `cannot_tell` if something unresolved could fill the hole.
    status: Word<LackStatus>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cannot_tell: Option<String>,
    lacks: What,
    siblings: String,
    siblings_with: usize,
    siblings_total: usize,
    evidence: Vec<Holder>,
    strength: f64,
    p_value: f64,
    activation: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    query: String,
    holes: Vec<Row>,
    total_holes: usize,
    /// Structural holes with the status `missing`.
    sure_holes: usize,
    missing_abstractions: usize,
    members: usize,
    members_compared: usize,
    sibling_groups: usize,
    /// What was compared, and what became of the differences.
    compared: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Missing;

impl Tool for Missing {
    const NAME: &'static str = "missing";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Find what code of a topic lacks but its siblings have";
    const ANSWERS: &'static str =
        "what code of a topic lacks but nearly all its siblings have: a call, a test, a registration, a member";
    const HELP: &'static str = "\
Takes the code of a topic (what matches the words, and what `activate` finds from `min_sibling_activation` on, with the
members of such types and files; no tests) and compares each function, type and file with its siblings: members of the
same class or file, files of the same folder, types with the same base, functions with the same decorator, or of the
same name or the same parameters and result in one folder. A hole is what at least three siblings, and three in four,
have and it lacks: a call, a decorator, a configuration key it reads, a member of a certain name, a test (methods count
only if the project calls them), being exported by the file that stands for the folder, of files being imported by the
same code; and what all siblings have: a base, being called or registered by the same code. Only what is rarer elsewhere
than chance explains counts (`p_value`).

`status` is `missing` if nothing in the graph could fill the hole, within two calls either way and in base types, and
`cannot_tell` if something could (only of calls and decorators): an unresolved reference of that name, one of several
candidates, an incompletely parsed file; `cannot_tell` names it. `reason` explains the hole in a sentence, `evidence` lists siblings that have it
with the line (in `file_path`, if that is not the sibling's own file). `strength` is the lower bound of the share
(Wilson interval, 90 %), weighted by kind. A hole is a difference, not a defect: look at the siblings before filling
it. Groups of fewer than four or more than 200 nodes, or in which more than four lack it, show no pattern; each node
lists its four strongest holes. `compared` says how many nodes and groups were compared, and why differences between
siblings are no holes.

`missing_abstraction` rows come last: functions in at least three files, at least two of them of the topic, that each
call the same three or more things, two of them of the project, which little else calls, and none of which calls another. `uses` names the things,
`evidence` the functions and lines, `existing` a function that already does it for others, if one of those that use
all of them is called by another. Only certain calls count.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "validate credentials"}"#;
    const PAGED: bool = true;
    const RARE: &'static [&'static str] = &["top_k"];
    const DETAILS: &'static [&'static str] = &[
        "holes.node_type", "holes.evidence", "holes.siblings_with", "holes.siblings_total", "holes.strength",
        "holes.p_value", "holes.activation", "members", "sibling_groups",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("holes": "node_id", "label", "file_path", "line_start", "reason");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Missing {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        rows::words("query", &input.query, "the words or names of a topic")?;
        let least = input.min_sibling_activation;
        let found = gaps(snapshot, &input.query, least, &cx.history_at_hand(), cx.cancel())?;
        let page = cx.page(input.top_k);
        let guidance = guidance(snapshot, &found, &input.query);
        let sure = found.holes.iter().filter(|hole| hole.open.is_none()).count();
        let what_is_missing = what_is_missing(&found);
        let missing_abstractions = found.repeated.len();
        let rows = found.holes.iter().map(|hole| Row::Lacking(row(snapshot, hole)));
        let rows: Vec<Row> =
            rows.chain(found.repeated.iter().map(|one| Row::Repeated(repeated_row(snapshot, one)))).collect();
        let total = rows.len();
        let output = Output {
            query: input.query,
            holes: page.cut(rows),
            total_holes: total,
            sure_holes: sure,
            missing_abstractions,
            compared: describe_compared(&found),
            members: found.members,
            members_compared: found.compared,
            sibling_groups: found.groups,
            incomplete: found.incomplete,
            what_is_missing,
        };
        Ok(Answer::new(output).rows("holes", total).guidance(guidance))
    }
}

fn place(snapshot: &Snapshot, node: NodeIx, kind: GapKind, label: String) -> GapPlace {
    let graph = snapshot.graph();
    let (line_start, line_end) = graph.lines(node);
    GapPlace {
        node_id: graph.id(node).to_owned(),
        label,
        kind: Word(kind),
        node_type: Word(graph.kind(node)),
        file_path: graph.path(node).to_owned(),
        line_start,
        line_end,
    }
}

fn repeated_row(snapshot: &Snapshot, one: &RepeatedUse) -> RepeatedRow {
    let graph = snapshot.graph();
    let names: Vec<String> = one.uses.iter().map(|node| format!("`{}`", show_label(snapshot, *node))).collect();
    let names = match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    let existing = one.existing.map(|node| graph.id(node).to_owned());
    let end = one.existing.map_or_else(
        || "no certain call leads from one of them to another".to_owned(),
        |node| format!("`{}` does it for others", graph.label(node)),
    );
    let functions = one.by.len();
    let sites = one.by.iter().take(NAMED).map(|(node, at)| Holder {
        node_id: graph.id(*node).to_owned(),
        file_path: None,
        line: at.map(|at| at.line),
    });
    let label = one.uses.iter().map(|node| show_label(snapshot, *node)).collect::<Vec<_>>().join(" + ");
    RepeatedRow {
        place: place(snapshot, one.by[0].0, GapKind::MissingAbstraction, label),
        reason: format!("{functions} functions in {} files each call {names}; {end}", one.files),
        uses: one.uses.iter().map(|node| graph.id(*node).to_owned()).collect(),
        evidence: sites.collect(),
        functions,
        files: one.files,
        existing,
        strength: round_value(one.strength),
        p_value: one.p_value,
        activation: round_value(one.activation),
    }
}

fn row(snapshot: &Snapshot, hole: &Hole) -> LackingRow {
    let graph = snapshot.graph();
    let siblings = hole.group.members_text(snapshot.graph(), hole.node);
    let sites = hole.holders.iter().map(|(node, at)| Holder {
        node_id: graph.id(*node).to_owned(),
        file_path: at
            .map(|(within, _)| graph.path(within))
            .filter(|path| *path != graph.path(*node))
            .map(str::to_owned),
        line: at.map(|(_, at)| at.line),
    });
    LackingRow {
        place: place(snapshot, hole.node, GapKind::StructuralHole, graph.label(hole.node).to_owned()),
        status: Word(if hole.open.is_none() { LackStatus::Missing } else { LackStatus::CannotTell }),
        reason: reason(snapshot, hole, &siblings),
        cannot_tell: hole.open.clone(),
        lacks: what(snapshot, &hole.lacks),
        siblings,
        siblings_with: hole.with,
        siblings_total: hole.of,
        evidence: sites.collect(),
        strength: round_value(hole.strength),
        p_value: hole.p_value,
        activation: round_value(hole.activation),
    }
}

/// The label of a node. A constructor is preceded by its class, since all constructors of a language may share a name.
fn show_label(snapshot: &Snapshot, node: NodeIx) -> String {
    let graph = snapshot.graph();
    match graph.parent(node).filter(|_| graph.flags(node).has(NodeFlags::CONSTRUCTOR)) {
        Some(class) if graph.label(class) != graph.label(node) => {
            format!("{}.{}", graph.label(class), graph.label(node))
        }
        _ => graph.label(node).to_owned(),
    }
}

fn what(snapshot: &Snapshot, lacks: &Lacking) -> What {
    let graph = snapshot.graph();
    let end = |relation: Relation, direction, node: NodeIx| What {
        relation: Word(relation),
        direction: Word(direction),
        node_id: Some(graph.id(node).to_owned()),
        name: show_label(snapshot, node),
    };
    match lacks {
        Lacking::Uses(relation, node) => end(*relation, EdgeSide::Out, *node),
        Lacking::UsedBy(relation, node) => end(*relation, EdgeSide::In, *node),
        Lacking::Defines(_, name) => What {
            relation: Word(Relation::Contains),
            direction: Word(EdgeSide::Inside),
            node_id: None,
            name: name.clone(),
        },
        Lacking::Tested => What {
            relation: Word(Relation::Tests),
            direction: Word(EdgeSide::In),
            node_id: None,
            name: "a test".to_owned(),
        },
        Lacking::Documented => What {
            relation: Word(Relation::Documents),
            direction: Word(EdgeSide::Inside),
            node_id: None,
            name: "a doc comment".to_owned(),
        },
    }
}

fn reason(snapshot: &Snapshot, hole: &Hole, siblings: &str) -> String {
    let graph = snapshot.graph();
    let name = |node: &NodeIx| {
        let is_test = graph.flags(*node).has(NodeFlags::TEST);
        format!("{}`{}`", if is_test { "test " } else { "" }, show_label(snapshot, *node))
    };
    // What the others have.
    let have = match &hole.lacks {
        Lacking::Uses(relation, node) => {
            let verb = match relation {
                Relation::Calls => "call",
                Relation::Decorates => "are decorated with",
                Relation::Inherits => "inherit from",
                Relation::Implements => "implement",
                Relation::ReadsConfig => "read",
                _ => "refer to",
            };
            format!("{verb} {}", name(node))
        }
        Lacking::UsedBy(relation, node) => {
            let verb = match relation {
                Relation::Calls => "are called by",
                Relation::Registers => "are registered by",
                Relation::Imports => "are used by",
                Relation::Inherits | Relation::Implements => "are a base of",
                _ => "are referred to by",
            };
            format!("{verb} {}", name(node))
        }
        Lacking::Defines(_, name) => format!("have a `{name}`"),
        Lacking::Tested => "are used by a test".to_owned(),
        Lacking::Documented => "have a doc comment".to_owned(),
    };
    // What this one lacks, in the same verb.
    let end = if hole.open.is_none() { "does not" } else { "is not known to" };
    let end = match &hole.lacks {
        Lacking::UsedBy(..) | Lacking::Tested => end.replace("does not", "is not").replace("known to", "known to be"),
        Lacking::Defines(..) | Lacking::Documented => {
            end.replace("does not", "has none").replace("known to", "known to have one")
        }
        Lacking::Uses(Relation::Decorates, _) => end.replace("does not", "is not").replace("known to", "known to be"),
        Lacking::Uses(..) => end.to_owned(),
    };
    format!("{} of {} other {siblings} {have}; `{}` {end}", hole.with, hole.of, graph.label(hole.node))
}

/// How much was compared, and why differences between siblings are no holes.
fn describe_compared(found: &GapsAnswer) -> String {
    let nodes = format!("{} of {}", found.compared, count(found.members, "node"));
    let groups = count(found.groups, "group");
    if found.groups == 0 {
        return format!("{nodes} of the topic have siblings: no group to compare with");
    }
    let differences = found.differences;
    let all = match differences.all {
        0 => "none lacks what three in four of its siblings have".to_owned(),
        all => format!("{} from three in four of the siblings", count(all, "difference")),
    };
    let why = [
        (differences.provided, "provided by calls or bases"),
        (differences.usual, "of no weight alone"),
        (differences.unknown, "that unresolved code may fill"),
        (differences.role, "due to another role"),
        (differences.chance, "as likely by chance"),
        (differences.weak, "among too few"),
    ];
    let why = why.into_iter().filter(|(number, _)| *number > 0);
    let why: Vec<String> = why.map(|(number, why)| format!("{number} {why}")).collect();
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
    format!("{nodes} of the topic compared in {groups} of siblings: {all}{why}")
}

fn what_is_missing(found: &GapsAnswer) -> Option<String> {
    let mut gaps = Vec::new();
    if found.members > found.compared {
        gaps.push(format!("{} of the topic have too few siblings", count(found.members - found.compared, "node")));
    }
    let unsure = found.holes.iter().filter(|hole| hole.open.is_some()).count();
    if unsure > 0 {
        gaps.push(format!("{} that unresolved references could fill", count(unsure, "hole")));
    }
    if found.incomplete {
        gaps.push("the topic exceeds the search limit".to_owned());
    }
    (!gaps.is_empty()).then(|| gaps.join("; "))
}

fn guidance(snapshot: &Snapshot, found: &GapsAnswer, query: &str) -> Guidance {
    let graph = snapshot.graph();
    let Some(first) = found.first else {
        return Guidance::no_match(Some(query));
    };
    if let Some(hole) = found.holes.first() {
        let target = Some(graph.id(hole.node).to_owned());
        // Siblings with the same name are distinguished by their owners.
        let same_name = hole.holders.first().is_some_and(|(node, _)| graph.label(*node) == graph.label(hole.node));
        let told_apart = |node: NodeIx| match graph.parent(node).filter(|_| same_name) {
            Some(parent) => format!("{}.{}", graph.label(parent), graph.label(node)),
            None => graph.label(node).to_owned(),
        };
        let like = hole.holders.first().map_or_else(String::new, |(node, _)| {
            let path = if graph.path(*node) == graph.path(hole.node) { "" } else { graph.path(*node) };
            format!(", and compare it with `{}`{}{path}", told_apart(*node), if path.is_empty() { "" } else { " in " })
        });
        let label = told_apart(hole.node);
        let hint = match hole.open {
            None => format!("open `{label}`{like}"),
            Some(_) => format!("no hole is certain: open `{label}`{like}, and check what `cannot_tell` names"),
        };
        return Guidance::next(ProofState::Triaging, ToolRef("view"), target, hint);
    }
    if let Some(one) = found.repeated.first() {
        let target = Some(graph.id(one.by[0].0).to_owned());
        let other = one.by.get(1).map_or("", |(node, _)| graph.path(*node));
        let hint = format!("compare `{}` with what does the same in {other}", graph.label(one.by[0].0));
        return Guidance::next(ProofState::Triaging, ToolRef("view"), target, hint);
    }
    let target = Some(graph.id(first).to_owned());
    match found.compared {
        0 => {
            let hint = "no code of the topic has siblings to compare with; look for code built alike";
            Guidance::next(ProofState::Proving, ToolRef("resonate"), target, hint)
        }
        _ => {
            let rest = if found.incomplete { "; the topic exceeds the search limit" } else { "" };
            let hint = format!(
                "nothing is missing that its siblings show{rest}, see `compared`; look at the topic with `activate`"
            );
            let words = Some(query.chars().take(MAX_TARGET).collect());
            Guidance::next(ProofState::Proving, ToolRef("activate"), words, hint)
        }
    }
}
