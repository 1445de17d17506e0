//! Lists what a change to a node can break, before the edit.

use std::collections::HashSet;

use m1nd_base::{EdgeTier, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::analysis::{Direction, Hop, ImpactAnswer, ImpactClass, ImpactQuery, ImpactRow, impact};
use m1nd_query::changes::predict::{PredictRow, Verdict};
use m1nd_query::closure::ClosureState;
use m1nd_query::what_if::hypothesize::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::closure::Closure;
use super::impact_text::{IMPACT_GROUPS, IMPACT_OMITS};
use super::with_history::WithHistory;
use crate::framework::{
    Answer, Command, Guidance, Mention, ProofState, Purpose, ReadContext, ReadTool, Route, Stage, TextGroups, Tool,
    ToolError, ToolRef, Toolset, number, rows_schema, yes,
};
use crate::past::CitedCommit;
use crate::rows::{self, NodeRow, count, round_value};
use crate::test_rows::{CoveringRow, covering_tests};
use crate::word::{Kind, Provenance, Word, answer_kinds};

/// Default number of rows.
const DEFAULT_NODES: usize = 150;
/// Maximum rows of one page.
const MAX_NODES: usize = 1_000;
/// Default number of chains.
const DEFAULT_CHAINS: usize = 20;
/// Maximum chains.
const MAX_CHAINS: usize = 100;
/// Maximum test files.
const MAX_TESTS: usize = 20;

/// Rows of a page that have a witness, the first: of the others it is rarely read, and it is most of their size.
const WITNESSED: usize = 30;
/// Number of nearest rows whose memories are shown.
const REMEMBERED: usize = 20;
/// Default maximum size of an answer, in bytes.
const DEFAULT_BYTES: usize = 50_000;
/// Default maximum size of its text, in bytes: the direct dependents of most nodes.
const TEXT_BYTES: usize = 7_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DirectionWord {
    #[default]
    Forward,
    Reverse,
    Both,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id, path or name
    node_id: String,
    /// forward: dependents; reverse: what it needs
    #[serde(default)]
    direction: DirectionWord,
    /// Only rows below this path
    scope: Option<String>,
    /// No rows in tests
    #[serde(default)]
    without_tests: bool,
    #[serde(default = "yes")]
    include_causal_chains: bool,
    #[serde(default = "number::<DEFAULT_NODES>")]
    #[schemars(range(min = 1, max = MAX_NODES))]
    max_nodes: usize,
    #[serde(default = "number::<DEFAULT_CHAINS>")]
    #[schemars(range(max = MAX_CHAINS))]
    max_chains: usize,
}

answer_kinds! {
    /// Why a node is in the blast radius.
    pub(crate) Side { Dependent = "dependent", Dependency = "dependency", History = "history", }
}

/// How a node in the blast radius is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlastClass {
    /// A path in the code leads there.
    Reached(ImpactClass),
    /// Only the history connects it.
    CoChange,
}

impl Kind for BlastClass {
    fn word(self) -> &'static str {
        match self {
            Self::Reached(class) => class.word(),
            Self::CoChange => "co_change",
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Witness {
    from: String,
    to: String,
    relation: Word<Relation>,
    tier: Word<EdgeTier>,
    /// Source of the edge, unless it is our linker.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Word<Provenance>>,
    file_path: String,
    line: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct BlastRow {
    #[serde(flatten)]
    node: NodeRow,
    /// `dependent`, `dependency`, or `history`: nothing in the code connects it.
    side: Word<Side>,
    class: Word<BlastClass>,
    /// Absent where no path in the code leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    hop_distance: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal_strength: Option<f64>,
    /// Chance that its file changes with that of the node; null if it is not known.
    probability: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    witness: Vec<Witness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_together: Option<ChangedTogether>,
}

/// Common commits of the files of the node and of a row that nothing in the code connects.
#[derive(Debug, Serialize)]
pub(crate) struct ChangedTogether {
    common_commits: u32,
    of: u32,
    verdict: Word<Verdict>,
    commits: Vec<CitedCommit>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Chain {
    /// Labels, outwards from the changed node.
    path: Vec<String>,
    relations: Vec<Word<Relation>>,
    cumulative_strength: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileRow {
    file_path: String,
    nodes: usize,
    hop_distance: u32,
    signal_strength: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_test: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    source: String,
    source_label: String,
    file_path: String,
    line_start: u32,
    line_end: u32,
    direction: DirectionWord,
    #[serde(skip_serializing_if = "String::is_empty")]
    scope: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    without_tests: bool,
    blast_radius: Vec<BlastRow>,
    total_blast_nodes: usize,
    total_direct: usize,
    total_in_tests: usize,
    total_energy: f64,
    max_hops_reached: u32,
    members_changed_with_it: usize,
    files: Vec<FileRow>,
    total_files: usize,
    /// Test files that cover the node, best first.
    tests: Vec<CoveringRow>,
    total_tests: usize,
    causal_chains: Vec<Chain>,
    closure: Closure,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_probability: Option<String>,
    /// Memories about the node and its nearest dependents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<m1nd_mind::Note>,
}

pub(crate) struct Impact;

impl Tool for Impact {
    const NAME: &'static str = "impact";
    const TOOLSET: Toolset = Toolset::Analysis;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Show what changing a node can break, with evidence";
    const ANSWERS: &'static str = "what depends on something, each with a path as evidence";
    const HELP: &'static str = "\
Lists what depends on a node, directly or transitively (`direction: forward`, the default), what it depends on
(`reverse`), or both. The members of the node count as changed with it. Direct code and tests come first, then farther
ones, nearer before farther, by file; files and documents last.

Each row has a `class` (`breaks`: it names what changes; `behaviour`; `test`; `doc`; `co_change`), its distance, and a
`witness`: the edges that lead there, with file and line (direct rows and the first 30 of a page; `why` shows it for
others).
`signal_strength` ranks rows by a fixed table of relations; it is not measured. `probability` is: how often a file like this one changed in the same commit as the node's file, over
replayed commits of this repository (see `predict`); null where the history is not loaded or says nothing, and
`no_probability` says why there is none at all. It is about files and about commits, not about what breaks. Rows of
class `co_change` (`side: history`) come last: no path in the code leads there, but their files often changed with the
node's; they cite commits. `tests` are the test files that cover the node, best first, as `tests_for` lists them. `closure.state` is `closed` if every direct dependent is known; `blocked` if something may hide
more (see `callers` for the reasons). `closure.indirect`
says the same of dependents of dependents (`far`), which search limits may hide, too: `closure.hiding` and
`closure.why` say which. Changes on disk that are not indexed yet (`stale`) block it. An empty list proves absence only if it is `closed`.
`scope` limits the rows to a folder or file, `without_tests` to those outside of tests; ways through other files count,
and the verdict is about these rows. `total_blast_nodes` counts the rows of all pages; `files` groups them by file. An answer of a server is cut to 10,000 bytes by
default (`max_output_chars`); `cursor` continues.";
    const TEXT_GROUPS: Option<&'static TextGroups> = Some(&IMPACT_GROUPS);
    const TEXT_PAGE_BYTES: usize = TEXT_BYTES;
    const TEXT_OMITS: &'static [&'static str] = IMPACT_OMITS;
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "node_id": "README.md"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Diagnose, 40, "what it depends on: `direction` \"reverse\""),
        (Stage::Plan, 10, "what a change can break"),
        (Stage::Edit, 30, "what must change with it"),
        (Stage::Review, 20, "what the change can break"),
    ];
    const MENTIONS: &'static [Mention] = &[(Purpose::BeforeChange, 20, "(what depends on it)")];
    const PAGED: bool = true;
    const ANSWER_BYTES: usize = DEFAULT_BYTES;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("node", "node_id")];
    const COMMAND: Option<Command> = Some(Command::new("impact", &["node_id"]));
    const DETAILS: &'static [&'static str] = &[
        "blast_radius.signal_strength", "files", "causal_chains", "blast_radius.changed_together", "total_energy",
        "max_hops_reached", "closure.hiding",
    ];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("blast_radius": "node_id", "label", "file_path", "line_start", "class");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Impact {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let part = rows::resolve_part(snapshot, "node_id", &input.node_id)?;
        // A folder is asked for as its files.
        let (node, also) = match &part {
            Part::Node(node) => (*node, &[][..]),
            Part::Folder { files, .. } => match files.split_first() {
                Some((first, rest)) => (*first, rest),
                None => (rows::resolve(snapshot, "node_id", &input.node_id)?, &[][..]),
            },
        };
        let page = cx.page(input.max_nodes);
        let direction = match input.direction {
            DirectionWord::Forward => Direction::Forward,
            DirectionWord::Reverse => Direction::Reverse,
            DirectionWord::Both => Direction::Both,
        };
        let scope = rows::scope(snapshot, input.scope.as_deref())?;
        let query = ImpactQuery {
            direction,
            also: also.to_vec(),
            scope: scope.clone(),
            without_tests: input.without_tests,
            max_rows: page.end(),
            ..ImpactQuery::new(node)
        };
        let mut found = impact(snapshot, &query, cx.cancel())?;
        // Changed files that the index does not have may hold more uses.
        if let Some(unseen) = cx.describe_unseen() {
            found.closure.block(unseen);
        }
        let chains = match input.include_causal_chains {
            true => chains(snapshot, &found, input.max_chains),
            false => Vec::new(),
        };
        // The history adds files that nothing in the code connects, and how likely a change is.
        let history = cx.history_at_hand();
        let past = match &part {
            Part::Node(node) => WithHistory::of(cx, &history, *node)?,
            Part::Folder { .. } => WithHistory::missing("of folders, `predict` tells what changes with them"),
        };
        let unreached = match direction {
            Direction::Reverse => Vec::new(),
            Direction::Forward | Direction::Both => list_unreached(snapshot, &query, &found, &past),
        };
        let source = match &part {
            Part::Node(node) => NodeRow::new(snapshot, *node),
            Part::Folder { path, .. } => NodeRow::folder(path),
        };
        let guidance = guidance(snapshot, &source, input.direction, &found);
        let total = found.total_rows + unreached.len();
        let covering = covering_tests(cx, Some(&history), std::iter::once(node).chain(also.iter().copied()), "")?;
        let tests = covering.rows.iter().take(MAX_TESTS).map(|row| CoveringRow::new(snapshot, row)).collect();
        // Only the first rows keep their witnesses, which are most of the bytes.
        let rows = found.rows.iter().map(|row| blast_row(snapshot, row, &past));
        let mut blast_radius = page.cut(rows.chain(unreached).collect());
        // The edge of a direct row is the place that must change.
        let is_direct = |row: &BlastRow| row.hop_distance == Some(1);
        let others = blast_radius.iter_mut().skip(WITNESSED).filter(|row| !is_direct(row));
        others.for_each(|row| row.witness.clear());
        let output = Output {
            source: source.node_id,
            source_label: source.label,
            file_path: source.file_path,
            line_start: source.line_start,
            line_end: source.line_end,
            direction: input.direction,
            scope,
            without_tests: input.without_tests,
            total_blast_nodes: total,
            total_direct: found.total_direct,
            total_in_tests: found.total_in_tests,
            total_energy: round_value(found.total_strength),
            max_hops_reached: found.max_hops_reached,
            members_changed_with_it: found.members,
            files: files(&found),
            total_files: found.total_files,
            causal_chains: chains,
            closure: Closure::new(snapshot, &found.closure)
                .with_lines(snapshot, &found.closure)
                .with_indirect(&found.closure),
            memory: cx.memory().about(&near(snapshot, node, &found), snapshot),
            tests,
            total_tests: covering.rows.len(),
            no_probability: past.missing.clone(),
            blast_radius,
        };
        Ok(Answer::new(output).rows("blast_radius", total).guidance(guidance))
    }
}

/// Ids of the node and its nearest rows, for the search of memories.
fn near(snapshot: &Snapshot, node: NodeIx, found: &ImpactAnswer) -> Vec<String> {
    let rows = found.rows.iter().take(REMEMBERED).map(|row| row.node);
    std::iter::once(node).chain(rows).map(|node| snapshot.graph().id(node).to_owned()).collect()
}

/// Rows of files that only the history connects with the node.
fn list_unreached(snapshot: &Snapshot, query: &ImpactQuery, found: &ImpactAnswer, past: &WithHistory) -> Vec<BlastRow> {
    let mut reached: HashSet<&str> = found.reached.iter().map(String::as_str).collect();
    reached.insert(snapshot.graph().path(query.node));
    let row = |row: &PredictRow| {
        Some(BlastRow {
            node: NodeRow::new(snapshot, row.node.filter(|node| query.lists(snapshot.graph(), *node))?),
            side: Word(Side::History),
            class: Word(BlastClass::CoChange),
            hop_distance: None,
            signal_strength: None,
            probability: past.probability(&row.path).map(round_value),
            witness: Vec::new(),
            changed_together: Some(ChangedTogether {
                common_commits: row.support,
                of: row.of,
                verdict: Word(row.verdict),
                commits: CitedCommit::all(&row.commits),
            }),
        })
    };
    past.list_unreached(&reached).into_iter().filter_map(row).collect()
}

fn blast_row(snapshot: &Snapshot, row: &ImpactRow, past: &WithHistory) -> BlastRow {
    let graph = snapshot.graph();
    let witness = |hop: &Hop| Witness {
        from: graph.label(hop.from).to_owned(),
        to: graph.label(hop.to).to_owned(),
        relation: Word(hop.relation),
        tier: Word(hop.tier),
        provenance: Provenance::of(hop.compiler),
        file_path: hop.file.clone(),
        line: hop.line,
    };
    BlastRow {
        node: NodeRow::new(snapshot, row.node),
        side: Word(if row.dependent { Side::Dependent } else { Side::Dependency }),
        class: Word(BlastClass::Reached(row.class)),
        hop_distance: Some(row.hops),
        signal_strength: Some(round_value(row.strength)),
        probability: past.probability(graph.path(row.node)).map(round_value),
        witness: row.witness.iter().map(witness).collect(),
        changed_together: None,
    }
}

/// The witnesses of two or more steps, strongest first, outwards from the changed node.
fn chains(snapshot: &Snapshot, found: &ImpactAnswer, limit: usize) -> Vec<Chain> {
    let graph = snapshot.graph();
    let mut rows: Vec<&ImpactRow> = found.rows.iter().filter(|row| row.witness.len() > 1).collect();
    rows.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    let chain = |row: &&ImpactRow| {
        let mut hops: Vec<&Hop> = row.witness.iter().collect();
        let mut nodes: Vec<&str> = hops.first().map(|hop| graph.label(hop.from)).into_iter().collect();
        nodes.extend(hops.iter().map(|hop| graph.label(hop.to)));
        if row.dependent {
            hops.reverse();
            nodes.reverse();
        }
        Chain {
            path: nodes.into_iter().map(str::to_owned).collect(),
            relations: hops.iter().map(|hop| Word(hop.relation)).collect(),
            cumulative_strength: round_value(row.strength),
        }
    };
    rows.iter().take(limit).map(chain).collect()
}

fn files(found: &ImpactAnswer) -> Vec<FileRow> {
    let row = |file: &m1nd_query::analysis::ImpactFile| FileRow {
        file_path: file.path.clone(),
        nodes: file.rows,
        hop_distance: file.hops,
        signal_strength: round_value(file.strength),
        is_test: file.is_test,
    };
    found.files.iter().map(row).collect()
}

fn guidance(snapshot: &Snapshot, source: &NodeRow, direction: DirectionWord, found: &ImpactAnswer) -> Guidance {
    let first = found.rows.first().map(|row| snapshot.graph().id(row.node).to_owned());
    let dependents = if direction == DirectionWord::Reverse { "dependency" } else { "dependent" };
    match (found.closure.state, found.total_rows) {
        (ClosureState::Closed, 0) => {
            let hint = format!("complete: no {dependents} of `{}`, and no search finds one", source.label);
            Guidance::next(ProofState::ReadyToEdit, ToolRef("view"), Some(source.node_id.clone()), hint)
        }
        (ClosureState::Closed, total) => {
            let hint = match found.closure.indirect {
                ClosureState::Closed => {
                    format!("complete: {}, and no search adds one; start with the nearest", count(total, dependents))
                }
                _ => format!("{} known, all direct ones among them; start with the nearest", count(total, dependents)),
            };
            Guidance::next(ProofState::ReadyToEdit, ToolRef("view"), first, hint)
        }
        (_, total) => {
            let hint = format!("{} known; what `closure` lists may be more", count(total, dependents));
            Guidance::next(ProofState::Proving, ToolRef("callers"), Some(source.node_id.clone()), hint)
        }
    }
}
