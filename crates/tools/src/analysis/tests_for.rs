//! Lists the existing tests that cover a symbol, a file or a change.

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::changes::work_tree_changes;
use m1nd_query::covering::TestsAnswer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::framework::{
    Answer, Command, Guidance, Members, Mention, ProofState, Purpose, ReadContext, ReadTool, Route, RowLine, Shown,
    Stage, TextGroups, Tool, ToolError, ToolRef, Toolset, number, rows_schema,
};
use crate::past;
use crate::rows::{self, count};
use crate::test_rows::{CoveringRow, covering_tests, write_covering};

/// Default number of rows.
const DEFAULT_ROWS: usize = 8;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;
/// Maximum changed nodes of one question.
const MAX_CHANGED: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Files or symbols; default: what the work tree has changed
    #[serde(default)]
    changed: Vec<String>,
    /// What the change is about, in words
    task: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    /// Ids of the changed nodes.
    changed: Vec<String>,
    tests: Vec<CoveringRow>,
    total_tests: usize,
    /// Number of them that use the change, as the code says.
    total_by_code: usize,
    /// Why rows may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct TestsFor;

impl Tool for TestsFor {
    const NAME: &'static str = "tests_for";
    const TOOLSET: Toolset = Toolset::Analysis;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "List the existing tests that cover a symbol, a file or a change";
    const ANSWERS: &'static str = "which existing tests cover something, each with the reason";
    const HELP: &'static str = "\
Lists the test files that cover the changed files or symbols, best first: which to run, and which to extend. Without
`changed` it asks about what the work tree has changed. `task` says in words what the change is about.

`evidence` says why a file is listed, the strongest first. By the code: `same_file`, `calls`, `uses`, `registers`,
`imports`, `fixture` (through a helper of the tests), `reaches` (through other code). Else: `changed_together` (with
`common_commits`), `container` (it uses the class or file around a symbol), `name` (the names mirror each other),
`folder`, `words` (of the task). `hop_distance` is the number of uses in between, `tests` are the functions that lead to
the change, with their lines in `test_lines`. A fitted model orders the rows. A row that rests on the code uses the change, unless it is `possible`; all others
are likely.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "changed": ["auth.py"]}"#;
    const MENTIONS: &'static [Mention] = &[(Purpose::BeforeChange, 30, "(tests that cover it)")];
    const STAGES: &'static [Route] = &[
        (Stage::Plan, 45, "the tests that cover what changes"),
        (Stage::Edit, 50, "the tests to run or extend"),
        (Stage::Review, 25, "the tests that cover the change"),
    ];
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("node_id", "changed"), ("node", "changed"), ("file_path", "changed"), ("limit", "top_k")];
    const COMMAND: Option<Command> = Some(Command::words("tests-for", &["changed"]));
    const TEXT_GROUPS: Option<&'static TextGroups> = Some(&GROUPS);
    const TEXT_OMITS: &'static [&'static str] = &["changed", "total_tests", "total_by_code"];
    const DETAILS: &'static [&'static str] = &["tests.hop_distance", "tests.common_commits"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("tests": "node_id", "label", "file_path", "line_start", "evidence");
    type Input = Input;
    type Output = Output;
}

/// How the text shows test files: each with its tests and the strongest reasons, below the numbers.
const GROUPS: TextGroups =
    TextGroups { top: write_numbers, head: |_| String::new(), row: write_tests, end: |_, _| String::new() };

/// `45 test files use it by the code, 39 by commits, names and folders; shown: 1 to 8`.
fn write_numbers(body: &Members, shown: Shown) -> String {
    let by_code = body.get("total_by_code").and_then(Value::as_u64).map_or(0, |number| number as usize);
    let others = shown.total.saturating_sub(by_code);
    let mut out = match (by_code, others) {
        (0, 0) => "no test file covers it".to_owned(),
        (0, _) => format!("{} likely by commits, names and folders, none by the code", count(others, "test file")),
        (_, 0) => format!("{} by the code", count(by_code, "test file")),
        _ => format!("{} by the code, {others} more likely by commits, names and folders", count(by_code, "test file")),
    };
    if shown.is_part() {
        out.push_str(&format!("; best first, shown: {} to {}", shown.before + 1, shown.before + shown.rows));
    }
    out + "\n"
}

fn write_tests(row: &Members, _: Option<&Members>, _: &Members) -> RowLine {
    RowLine { place: String::new(), text: write_covering(row) }
}

impl ReadTool for TestsFor {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.top_k);
        let history = cx.history_at_hand();
        let (changed, mut gaps) = match input.changed.is_empty() {
            false => (resolve_names(snapshot, &input.changed)?, Vec::new()),
            true => match work_tree_changes(snapshot, &history, cx.cancel()) {
                Ok(found) => {
                    let files = found.changed.iter().filter_map(|path| snapshot.graph().find_file(path));
                    (files.collect(), found.gaps)
                }
                Err(error) => return past::untold(error, |note| output(snapshot, &[], Vec::new(), (0, 0), Some(note))),
            },
        };
        let found =
            covering_tests(cx, Some(&history), changed.iter().copied(), input.task.as_deref().unwrap_or_default())?;
        if history.is_being_read() {
            gaps.push("the git history is still being read: tests that only changed together are missing".to_owned());
        }
        let guidance = guidance(&changed, &found);
        let by_code = found.rows.iter().filter(|row| row.is_by_graph()).count();
        let total = found.rows.len();
        let tests = page.cut(found.rows).iter().map(|row| CoveringRow::new(snapshot, row)).collect();
        let missing = (!gaps.is_empty()).then(|| gaps.join("; "));
        Ok(Answer::new(output(snapshot, &changed, tests, (total, by_code), missing))
            .rows("tests", total)
            .guidance(guidance))
    }
}

fn output(
    snapshot: &Snapshot,
    changed: &[NodeIx],
    tests: Vec<CoveringRow>,
    (total_tests, total_by_code): (usize, usize),
    what_is_missing: Option<String>,
) -> Output {
    let changed = changed.iter().map(|node| snapshot.graph().id(*node).to_owned()).collect();
    Output { changed, tests, total_tests, total_by_code, what_is_missing }
}

/// The nodes that a caller names.
fn resolve_names(snapshot: &Snapshot, names: &[String]) -> Result<Vec<NodeIx>, ToolError> {
    if names.len() > MAX_CHANGED {
        return Err(ToolError::invalid(format!("{} changed nodes, expected at most {MAX_CHANGED}", names.len())));
    }
    let mut nodes = Vec::with_capacity(names.len());
    for name in names {
        let (node, overloads) = rows::resolve_overloads(snapshot, "changed", name)?;
        nodes.push(node);
        nodes.extend(overloads);
    }
    Ok(nodes)
}

fn guidance(changed: &[NodeIx], found: &TestsAnswer) -> Guidance {
    match found.rows.first() {
        Some(first) => {
            let by_code = found.rows.iter().filter(|row| row.is_by_graph()).count();
            let hint = match by_code {
                0 => "no test is known to use it; these are likely by commits and names: open the first".to_owned(),
                _ => format!("{} by the code; open the first", count(by_code, "test file")),
            };
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(first.path.clone()), hint)
        }
        None if changed.is_empty() => Guidance::state(ProofState::Blocked),
        None => {
            let hint = "no existing test covers it as far as code, commits and names say";
            Guidance::next(ProofState::Proving, ToolRef("impact"), None, hint)
        }
    }
}
