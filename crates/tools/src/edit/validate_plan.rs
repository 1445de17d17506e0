//! What a list of planned changes leaves out, before any of them is made.

use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_query::changes::predict::{PredictQuery, PredictRow, predict};
use m1nd_query::closure::ClosureState;
use m1nd_query::covering::TestRow;
use m1nd_query::edits::{Gap, PlanCheck, PlannedAction, PlannedKind, Severity, check_plan};
use m1nd_query::references::callers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refactor_hint::fitting_refactorings;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset, yes,
};
use crate::rows::{self, round_value};
use crate::word::{Level, Word};

/// Most actions of a plan.
const MAX_ACTIONS: usize = 500;
/// Gaps on a page.
const MAX_GAPS: usize = 50;
/// Actions suggested; of more, the number is said.
const MAX_ADDITIONS: usize = 200;
/// Files suggested because they usually change together with planned ones.
const MAX_CO_CHANGE: usize = 10;
/// Test files listed of each changed file; of more, the number is said.
const MAX_TESTS: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ActionWord {
    Modify,
    Create,
    Delete,
    Rename,
    Test,
}

/// A planned change. `action` and `file` are the short names of the help.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActionInput {
    action_type: Option<ActionWord>,
    action: Option<ActionWord>,
    file_path: Option<String>,
    file: Option<String>,
    description: Option<String>,
    #[serde(default)]
    depends_on: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// `[{file, action, depends_on}]`
    #[serde(alias = "plan")]
    actions: Vec<ActionInput>,
    /// Path prefix of listed users
    scope: Option<String>,
    #[serde(default = "yes")]
    include_test_impact: bool,
    #[serde(default = "yes")]
    include_risk_score: bool,
}

#[derive(Debug, Serialize)]
struct GapRow {
    file_path: String,
    node_id: String,
    severity: Word<Severity>,
    /// The edge that it follows from.
    because: String,
    uses: usize,
    signal_strength: f64,
}

#[derive(Debug, Serialize)]
struct Addition {
    action_type: ActionWord,
    file_path: String,
    reason: String,
}

#[derive(Debug, Serialize)]
struct CoChangeRow {
    file_path: String,
    probability: f64,
    support: u32,
}

#[derive(Debug, Serialize)]
struct CoverageRow {
    file_path: String,
    tests: Vec<String>,
    /// Number of all of them, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Coverage {
    modified_files: usize,
    tested_files: usize,
    untested_files: Vec<String>,
    coverage_ratio: f64,
    tests: Vec<CoverageRow>,
}

#[derive(Debug, Serialize)]
struct RiskParts {
    critical_gaps: f64,
    untested: f64,
    blast: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    actions_analyzed: usize,
    actions_resolved: usize,
    actions_unresolved: usize,
    /// Paths that are not in the index, without those that are created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved: Vec<String>,
    gaps: Vec<GapRow>,
    total_gaps: usize,
    critical_gaps: usize,
    /// Gaps that are left out because of `scope`.
    #[serde(skip_serializing_if = "crate::framework::is_zero")]
    gaps_outside_scope: usize,
    /// Changed files that may have users which are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open_users: Vec<String>,
    suggested_additions: Vec<Addition>,
    /// Number of all of them, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_suggested_additions: Option<usize>,
    /// The refactorings that would make planned changes, with all that follows from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refactorings: Vec<String>,
    co_change: Vec<CoChangeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    co_change_note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_coverage: Option<Coverage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_level: Option<Word<Level>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_parts: Option<RiskParts>,
    blast_radius_total: usize,
    /// Paths in an order that `depends_on` allows.
    order: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependency_cycle: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_dependencies: Vec<String>,
}

pub(crate) struct ValidatePlan;

impl Tool for ValidatePlan {
    const NAME: &'static str = "validate_plan";
    const TOOLSET: Toolset = Toolset::Edit;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Check planned changes for files and tests that they leave out";
    const ANSWERS: &'static str = "the files and tests that a planned change leaves out";
    const HELP: &'static str = "\
Checks a list of planned actions before anything is edited: `actions`, or `plan`, with `{action_type, file_path}` or
`{action, file}` and `depends_on`, the paths of actions that come before it. Actions are modify, create, delete, rename
and test.

`gaps` are files outside of the plan that use a planned file, each with the edge it follows from (`because`). A certain
user of a file that is deleted or renamed breaks and is `critical`; other users are `warning`, possible ones `info`.
`open_users` are planned files that references without a known target may use as well: their gaps may not be all.
With `scope`, gaps outside of it that are not critical are only counted (`gaps_outside_scope`).
`refactorings` names the tool that would make a planned change with all that follows from it, by its action and the words
of its `description`.
Adding every entry of `suggested_additions` removes all critical gaps; at most 200 are listed, with their total.
`co_change` are files that are likely to change with the planned ones, by the history and the code: most likely first,
with the probability that each changes with the planned file it belongs to most, and their common commits. `test_coverage` names the test files that cover each changed file, best first, as `tests_for` lists them;
`untested_files` are those that no test reaches in the graph. `order` is an order that
`depends_on` allows; a cycle or a dependency outside of the plan is named. The risk is the sum of `risk_parts`.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "actions": [{"action_type": "modify", "file_path": "store.py"}]}"#;
    const STAGES: &'static [Route] = &[(Stage::Plan, 60, "check a plan for files and tests that it leaves out")];
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("plan", "actions")];
    const DETAILS: &'static [&'static str] = &["gaps.signal_strength", "risk_parts"];
    const RARE: &'static [&'static str] = &["scope", "include_test_impact", "include_risk_score"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"gaps": {"type": "array"}, "suggested_additions": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for ValidatePlan {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let words: Vec<String> =
            input.actions.iter().map(|action| action.description.clone().unwrap_or_default()).collect();
        let actions = actions(snapshot, input.actions)?;
        let scope = rows::scope(snapshot, input.scope.as_deref())?;
        let history = cx.loaded_history();
        let mut check = check_plan(snapshot, history.as_ref(), &actions, cx.cancel())?;
        // What breaks is named wherever it is.
        let (inside, outside): (Vec<Gap>, Vec<Gap>) = check
            .gaps
            .into_iter()
            .partition(|gap| gap.severity == Severity::Critical || m1nd_base::is_within(&gap.path, &scope));
        check.gaps = inside;
        let (co_change, co_change_note) = co_change(cx, (snapshot, history.as_ref()), &actions)?;
        let page = cx.page(MAX_GAPS);
        let is_known = |action: &&PlannedAction| snapshot.graph().find_file(&action.path).is_some();
        let resolved = actions.iter().filter(is_known).count();
        let unresolved: Vec<String> = actions
            .iter()
            .filter(|action| !is_known(action) && action.kind != PlannedKind::Create)
            .map(|action| action.path.clone())
            .collect();
        let critical = check.gaps.iter().filter(|gap| gap.severity == Severity::Critical).count();
        let coverage = coverage(&check);
        let parts = RiskParts {
            critical_gaps: round_value(0.40 * (0.1 * critical as f64).min(1.0)),
            untested: round_value(0.35 * (1.0 - coverage.coverage_ratio)),
            blast: round_value(0.25 * (check.blast as f64 / snapshot.files().len().max(1) as f64).min(1.0)),
        };
        let score = round_value(parts.critical_gaps + parts.untested + parts.blast);
        let open_users = open_users(cx, snapshot, &actions)?;
        let guidance = guidance(&actions, resolved, critical, &check, &open_users);
        let total_gaps = check.gaps.len();
        let suggested_additions = additions(&check);
        let shown = input.include_risk_score;
        let output = Output {
            actions_analyzed: actions.len(),
            actions_resolved: resolved,
            actions_unresolved: unresolved.len(),
            unresolved,
            total_gaps,
            critical_gaps: critical,
            gaps_outside_scope: outside.len(),
            open_users,
            total_suggested_additions: Some(critical).filter(|all| *all > suggested_additions.len()),
            suggested_additions,
            refactorings: fitting_refactorings(snapshot, &actions, &words),
            co_change,
            co_change_note,
            test_coverage: input.include_test_impact.then_some(coverage),
            risk_score: shown.then_some(score),
            risk_level: shown.then(|| Word(level(score))),
            risk_parts: shown.then_some(parts),
            blast_radius_total: check.blast,
            order: check.order.iter().map(|index| actions[*index].path.clone()).collect(),
            dependency_cycle: check.cycle,
            missing_dependencies: check
                .missing
                .iter()
                .map(|(path, name)| format!("`{path}` depends on `{name}`, which is not in the plan"))
                .collect(),
            gaps: page.cut(check.gaps).iter().map(|gap| gap_row(snapshot, gap)).collect(),
        };
        Ok(Answer::new(output).rows("gaps", total_gaps).guidance(guidance))
    }
}

fn actions(snapshot: &Snapshot, inputs: Vec<ActionInput>) -> Result<Vec<PlannedAction>, ToolError> {
    if inputs.len() > MAX_ACTIONS {
        return Err(ToolError::invalid(format!("{} actions, expected at most {MAX_ACTIONS}", inputs.len())));
    }
    let path = |text: &str| {
        let path = snapshot.index_path(text).map_err(|error| rows::read_error("file_path", &error))?;
        Ok::<_, ToolError>(path.as_str().to_owned())
    };
    let action = |input: ActionInput| {
        let Some(file) = input.file_path.or(input.file) else {
            return Err(ToolError::invalid("an action needs `file_path` (or `file`)"));
        };
        let kind = match input.action_type.or(input.action).unwrap_or(ActionWord::Modify) {
            ActionWord::Modify => PlannedKind::Modify,
            ActionWord::Create => PlannedKind::Create,
            ActionWord::Delete => PlannedKind::Delete,
            ActionWord::Rename => PlannedKind::Rename,
            ActionWord::Test => PlannedKind::Test,
        };
        let depends_on = input.depends_on.iter().map(|name| path(name)).collect::<Result<_, _>>()?;
        Ok(PlannedAction { kind, path: path(&file)?, depends_on })
    };
    inputs.into_iter().map(action).collect()
}

/// Files that change with planned ones in the history, and why there are none.
fn co_change(
    cx: &ReadContext<'_>,
    (snapshot, history): (&Snapshot, Option<&ProjectHistory>),
    actions: &[PlannedAction],
) -> Result<(Vec<CoChangeRow>, Option<String>), ToolError> {
    let Some(history) = history else {
        return Ok((Vec::new(), Some("the history is not loaded yet; `predict` loads it".to_owned())));
    };
    let changed: Vec<_> = actions.iter().filter_map(|action| snapshot.graph().find_file(&action.path)).collect();
    if changed.is_empty() {
        return Ok((Vec::new(), None));
    }
    let query = PredictQuery {
        changed,
        also_changed: Vec::new(),
        min_support: 1,
        with_symbols: false,
        waits: cx.answers_once(),
    };
    let found = predict(snapshot, history, &query, cx.cancel())?;
    let is_new = |path: &str| !actions.iter().any(|action| action.path == path);
    // By what all planned files say together: a verdict is about one of them.
    let mut rows: Vec<&PredictRow> = found.rows.iter().filter(|row| is_new(&row.path)).collect();
    rows.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.path.cmp(&b.path)));
    let row = |row: &PredictRow| CoChangeRow {
        file_path: row.path.clone(),
        probability: round_value(row.probability),
        support: row.support,
    };
    let note = found.untold.first().map(|(_, reason)| reason.to_string());
    Ok((rows.into_iter().take(MAX_CO_CHANGE).map(row).collect(), note))
}

fn coverage(check: &PlanCheck) -> Coverage {
    let rows = check.tests.iter();
    let is_reached = |tests: &[TestRow]| tests.iter().any(TestRow::is_by_graph);
    let untested: Vec<String> =
        rows.clone().filter(|(_, tests)| !is_reached(tests)).map(|(path, _)| path.clone()).collect();
    let modified_files = check.tests.len();
    let tested_files = modified_files - untested.len();
    let ratio = if modified_files == 0 { 1.0 } else { tested_files as f64 / modified_files as f64 };
    Coverage {
        modified_files,
        tested_files,
        untested_files: untested,
        coverage_ratio: round_value(ratio),
        tests: rows
            .filter(|(_, tests)| !tests.is_empty())
            .map(|(path, tests)| CoverageRow {
                file_path: path.clone(),
                tests: tests.iter().take(MAX_TESTS).map(|row| row.path.clone()).collect(),
                total: Some(tests.len()).filter(|all| *all > MAX_TESTS),
            })
            .collect(),
    }
}

fn additions(check: &PlanCheck) -> Vec<Addition> {
    let critical = check.gaps.iter().filter(|gap| gap.severity == Severity::Critical);
    critical
        .take(MAX_ADDITIONS)
        .map(|gap| Addition {
            action_type: ActionWord::Modify,
            file_path: gap.path.clone(),
            reason: format!("{} use(s) of a file that goes away", gap.uses),
        })
        .collect()
}

fn gap_row(snapshot: &Snapshot, gap: &Gap) -> GapRow {
    let graph = snapshot.graph();
    let line = if gap.line > 0 { format!(" (line {})", gap.line) } else { String::new() };
    GapRow {
        file_path: gap.path.clone(),
        node_id: graph.id(gap.node).to_owned(),
        severity: Word(gap.severity),
        because: format!("{} {} {}{line}", graph.id(gap.node), gap.relation.word(), graph.id(gap.target)),
        uses: gap.uses,
        signal_strength: round_value(gap.weight),
    }
}

fn level(score: f64) -> Level {
    match score {
        score if score < 0.3 => Level::Low,
        score if score < 0.6 => Level::Medium,
        score if score < 0.8 => Level::High,
        _ => Level::Critical,
    }
}

/// Planned files whose code may be used by references without a known target.
fn open_users(cx: &ReadContext<'_>, snapshot: &Snapshot, actions: &[PlannedAction]) -> Result<Vec<String>, ToolError> {
    let mut open = Vec::new();
    for action in actions.iter().filter(|action| !matches!(action.kind, PlannedKind::Create | PlannedKind::Test)) {
        let Some(file) = snapshot.graph().find_file(&action.path) else { continue };
        if callers(snapshot, file, cx.cancel())?.closure.state != ClosureState::Closed {
            open.push(action.path.clone());
        }
    }
    Ok(open)
}

fn guidance(
    actions: &[PlannedAction],
    resolved: usize,
    critical: usize,
    check: &PlanCheck,
    open_users: &[String],
) -> Guidance {
    let first = check.gaps.first().map(|gap| gap.path.clone());
    // What makes the plan unusable comes first.
    if actions.is_empty() {
        return Guidance::next(
            ProofState::Blocked,
            ToolRef("seek"),
            None,
            "the plan has no actions: find the code first",
        );
    }
    let creates = actions.iter().filter(|action| action.kind == PlannedKind::Create).count();
    if resolved == 0 && creates < actions.len() {
        return Guidance::next(
            ProofState::Blocked,
            ToolRef("glob"),
            None,
            "no planned file is indexed: check the paths",
        );
    }
    if !check.cycle.is_empty() {
        return Guidance::next(
            ProofState::Proving,
            ToolRef("view"),
            None,
            "`depends_on` has a cycle: no order is possible",
        );
    }
    // Then what the plan breaks, and last who may use it unknown to the index.
    match (critical, first) {
        (0, None) if resolved + creates < actions.len() => {
            let hint = "some planned files are not indexed, so who uses them is not known: check `unresolved`";
            Guidance::next(ProofState::Proving, ToolRef("glob"), None, hint)
        }
        (0, None) => match open_users.first() {
            None => Guidance::state(ProofState::ReadyToEdit),
            Some(path) => {
                let hint = "no user outside of the plan is known, but references without a known target may be some";
                Guidance::next(ProofState::Proving, ToolRef("callers"), Some(path.clone()), hint)
            }
        },
        (0, Some(path)) => {
            let hint = "nothing breaks by itself; look at the users of what changes";
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(path), hint)
        }
        (_, path) => {
            let hint = "files outside of the plan break: add `suggested_additions`";
            Guidance::next(ProofState::Proving, ToolRef("view"), path, hint)
        }
    }
}
