//! Says how far files and symbols can be trusted to need no fix, from the fixes that they needed.

use m1nd_engine::Snapshot;
use m1nd_query::risk::{Tier, TrustAnswer, TrustNode, TrustQuery, TrustScope, trust_nodes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    number, rows_schema,
};
use crate::past::CitedCommit;
use crate::rows::{self, count, round_value};
use crate::word::{Band, Kind, Word};

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;
/// Default of the least evidence.
const DEFAULT_HISTORY: usize = 3;
/// Maximum of the least evidence.
const MAX_HISTORY: usize = 1_000;
/// Default days after which evidence counts half.
const DEFAULT_HALF_LIFE: f64 = 730.0;
/// Default cap of the multiplier.
const DEFAULT_CAP: f64 = 3.0;
/// Milliseconds of a second, and seconds of an hour.
const HOUR: f64 = 3_600.0;

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScopeWord {
    #[default]
    File,
    All,
    Function,
    Module,
}

impl Kind for ScopeWord {
    fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::All => "all",
            Self::Function => "function",
            Self::Module => "module",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    #[default]
    TrustAsc,
    TrustDesc,
    DefectsDesc,
    Recency,
}

const fn default_half_life() -> f64 {
    DEFAULT_HALF_LIFE
}

const fn default_cap() -> f64 {
    DEFAULT_CAP
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Kinds of nodes
    #[serde(default)]
    scope: ScopeWord,
    /// Fewest commits and outcomes for a score
    #[serde(default = "number::<DEFAULT_HISTORY>")]
    #[schemars(range(min = 1, max = MAX_HISTORY))]
    min_history: usize,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// Folder, glob, file or symbol
    node_filter: Option<String>,
    #[serde(default)]
    sort_by: Order,
    #[serde(default = "default_half_life")]
    #[schemars(range(min = 1, max = 36_500))]
    decay_half_life_days: f64,
    /// Largest risk_multiplier
    #[serde(default = "default_cap")]
    #[schemars(range(min = 1, max = 100))]
    risk_cap: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    node_id: String,
    label: String,
    trust_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
    tier: Word<Tier>,
    trust_band: Word<Band>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    insufficient_evidence: bool,
    defect_count: usize,
    commit_count: usize,
    defect_density: f64,
    risk_multiplier: Option<f64>,
    recency_factor: f64,
    false_alarm_count: usize,
    partial_count: usize,
    total_learn_events: usize,
    /// Hours before the newest commit; -1 if there was none.
    last_defect_age_hours: f64,
    fixes: Vec<CitedCommit>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Summary {
    total_nodes_with_history: usize,
    high_risk_count: usize,
    medium_risk_count: usize,
    low_risk_count: usize,
    unknown_count: usize,
    mean_trust: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    scope: Word<ScopeWord>,
    trust_scores: Vec<Row>,
    total_trust_scores: usize,
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Trust;

impl Tool for Trust {
    const NAME: &'static str = "trust";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str =
        "Rank files or symbols by how likely they need a fix, from past fix commits and outcomes";
    const ANSWERS: &'static str = "which code needed fixes before, and how likely it needs the next, with an interval";
    const HELP: &'static str = "\
Rates code of the product (not tests, not documents) by explicit evidence of defects: commits whose subject says that they
fix something (`fix`, `bug`, `crash`, `regression` and the like; not typos, docs, tests, lints; no bots, no formatting, at
most 50 files) and that touched the file or the lines of the symbol, and `learn` with `outcome` (`defect`, `false_alarm`,
`partial`). Subjects that say nothing are no evidence, so defects are a lower bound.

`trust_score` is the chance that the next 20 commits of the repository contain no fix of this node: 1 minus the mean of a
beta posterior. A period of 20 commits with a fix is a hit, another one a miss; both count half after
`decay_half_life_days`, a `partial` outcome counts half a hit. The prior is the mean of the project, scaled by the square
root of the lines, and weighs as much as one expected fix. `interval` holds 90 % of the posterior. `tier`: `HighRisk` below
a score of .4, `MediumRisk` below .7, else `LowRisk`; `trust_band` says the same in one word. With fewer than `min_history`
commits and outcomes, or fewer than three fix commits in the whole project, there is no score: `trust_score` is null,
`insufficient_evidence` true, `tier` `Unknown`, `trust_band` `insufficient_evidence`.

`risk_multiplier` is the chance of a fix over the mean of the project, from 1 to `risk_cap`; `defect_density` the share of
fixes and defects among commits and outcomes; `recency_factor` the weight of the newest defect by age;
`last_defect_age_hours` counts back from the newest commit, -1 without a defect; `fixes` cites the newest three.

`scope`: `file`; `function`; `module` (classes, structs, traits, modules); `all`. Symbols are followed by their lines through
the newest 200 commits of the 40 files with the most fixes, or of the file in `node_filter`.

How well it ranks, with a quarter of the history held back: see `eval/risk` in the repository of m1nd. The tenth of the files
ranked riskiest hold about as many later fix commits as the largest tenth, in fewer lines. Subjects are text of the
repository.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Review, 25, "which files needed fixes before")];
    const COMMAND: Option<Command> = Some(Command::new("trust", &["node_filter"]));
    const PAGED: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("node_id", "node_filter")];
    const RARE: &'static [&'static str] = &["decay_half_life_days", "risk_cap", "min_history"];
    const DETAILS: &'static [&'static str] = &[
        "trust_scores.defect_density",
        "trust_scores.recency_factor",
        "trust_scores.false_alarm_count",
        "trust_scores.partial_count",
        "trust_scores.total_learn_events",
        "trust_scores.last_defect_age_hours",
        "trust_scores.fixes",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("trust_scores": "node_id", "label", "tier");
    const TEXT_OMITS: &'static [&'static str] = &["label", "scope"];
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Trust {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.top_k);
        let (paths, node) = rows::part(snapshot, input.node_filter.as_deref())?;
        let (outcomes, unavailable) = cx.outcomes();
        let history = cx.history();
        // A filter by a node is about that node, whatever the scope says.
        let (scope, word) = match (input.scope, node) {
            (_, Some(_)) => (TrustScope::All, ScopeWord::All),
            (ScopeWord::File, _) => (TrustScope::Files, ScopeWord::File),
            (ScopeWord::All, _) => (TrustScope::All, ScopeWord::All),
            (ScopeWord::Function, _) => (TrustScope::Functions, ScopeWord::Function),
            (ScopeWord::Module, _) => (TrustScope::Modules, ScopeWord::Module),
        };
        let query = TrustQuery {
            scope,
            paths,
            node,
            half_life: input.decay_half_life_days,
            least: input.min_history,
            outcomes,
        };
        let mut found = trust_nodes(snapshot, &history, &query, cx.cancel())?;
        found.gaps.extend(unavailable.map(|why| format!("recorded outcomes could not be read: {why}")));
        sort(snapshot, &mut found.rows, input.sort_by);
        // Of all rows, before the page is cut.
        let (total, summary) = (found.rows.len(), summary(&found));
        let guidance = guidance(snapshot, &found);
        let known = history.is_known();
        let gaps = (!found.gaps.is_empty()).then(|| found.gaps.join("; "));
        let now = found.now;
        let rows = page.cut(found.rows);
        let output = Output {
            scope: Word(word),
            trust_scores: rows.iter().map(|row| build_row(snapshot, row, now, input.risk_cap)).collect(),
            total_trust_scores: total,
            summary,
            note: if known { None } else { Some(format!("cannot tell: {}", gaps.clone().unwrap_or_default())) },
            what_is_missing: gaps.filter(|_| known),
        };
        Ok(Answer::new(output).rows("trust_scores", total).guidance(guidance))
    }
}

fn sort(snapshot: &Snapshot, rows: &mut [TrustNode], order: Order) {
    let graph = snapshot.graph();
    let defects = |row: &TrustNode| row.exposure.fixes.len() + row.evidence.outcomes[0];
    let unknown = |row: &TrustNode| row.verdict.tier == Tier::Unknown;
    rows.sort_by(|a, b| {
        let by = match order {
            Order::TrustAsc => a.verdict.trust.total_cmp(&b.verdict.trust),
            Order::TrustDesc => b.verdict.trust.total_cmp(&a.verdict.trust),
            Order::DefectsDesc => defects(b).cmp(&defects(a)),
            Order::Recency => b.evidence.last_defect.cmp(&a.evidence.last_defect),
        };
        unknown(a).cmp(&unknown(b)).then(by).then_with(|| graph.id(a.node).cmp(graph.id(b.node)))
    });
}

fn summary(found: &TrustAnswer) -> Summary {
    let of = |tier: Tier| found.rows.iter().filter(|row| row.verdict.tier == tier).count();
    let known: Vec<f64> =
        found.rows.iter().filter(|row| row.verdict.tier != Tier::Unknown).map(|row| row.verdict.trust).collect();
    Summary {
        total_nodes_with_history: known.len(),
        high_risk_count: of(Tier::High),
        medium_risk_count: of(Tier::Medium),
        low_risk_count: of(Tier::Low),
        unknown_count: of(Tier::Unknown),
        mean_trust: (!known.is_empty()).then(|| round_value(known.iter().sum::<f64>() / known.len() as f64)),
    }
}

fn build_row(snapshot: &Snapshot, row: &TrustNode, now: i64, cap: f64) -> Row {
    let graph = snapshot.graph();
    let is_known = row.verdict.tier != Tier::Unknown;
    let [defects, false_alarms, partial] = row.evidence.outcomes;
    let defect_count = row.exposure.fixes.len() + defects;
    let told = defects + false_alarms + partial;
    let age = |time: i64| round_value(now.saturating_sub(time).max(0) as f64 / HOUR);
    Row {
        node_id: graph.id(row.node).to_owned(),
        label: graph.label(row.node).to_owned(),
        trust_score: is_known.then(|| round_value(row.verdict.trust)),
        interval: is_known.then(|| [round_value(row.verdict.interval.0), round_value(row.verdict.interval.1)]),
        tier: Word(row.verdict.tier),
        trust_band: Word(Band(row.verdict.tier)),
        insufficient_evidence: !is_known,
        defect_count,
        commit_count: row.exposure.commits,
        defect_density: round_value(defect_count as f64 / (row.exposure.commits + told).max(1) as f64),
        risk_multiplier: is_known.then(|| round_value(row.verdict.ratio.clamp(1.0, cap))),
        recency_factor: round_value(row.recency),
        false_alarm_count: false_alarms,
        partial_count: partial,
        total_learn_events: told,
        last_defect_age_hours: row.evidence.last_defect.map_or(-1.0, age),
        fixes: CitedCommit::all(&row.evidence.commits),
    }
}

fn guidance(snapshot: &Snapshot, found: &TrustAnswer) -> Guidance {
    let worst = found.rows.iter().find(|row| row.verdict.tier == Tier::High);
    match worst {
        Some(row) => {
            let id = snapshot.graph().id(row.node).to_owned();
            let hint =
                format!("{id} needed {}: look at when and with what", count(row.exposure.fixes.len(), "fix commit"));
            Guidance::next(ProofState::Triaging, ToolRef("timeline"), Some(id), hint)
        }
        None if found.rows.is_empty() => Guidance::state(ProofState::Blocked),
        None => Guidance::state(ProofState::Triaging),
    }
}
