//! Tests that cover a change, as every tool lists them.

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_engine::history::ProjectHistory;
use m1nd_query::covering::{TestEvidence, TestRow, TestsAnswer, TestsQuery, tests_for};
use serde::Serialize;
use serde_json::Value;

use crate::framework::{Members, ReadContext, ToolError};
use crate::rows::NodeRow;
use crate::word::Word;

/// Nodes that [`first_tests`] asks about.
const MAX_NODES: usize = 3;
/// Test files that it names, and tests of each.
const MAX_SHORT: usize = 3;
const MAX_NAMES: usize = 2;
/// Tests of a file in a line of text, and reasons.
const SHOWN_TESTS: usize = 4;
const SHOWN_REASONS: usize = 2;

/// A file with tests that cover a change.
#[derive(Debug, Serialize)]
pub(crate) struct CoveringRow {
    /// The nearest test in it, else the file.
    #[serde(flatten)]
    node: NodeRow,
    /// Why it is here, the strongest first.
    evidence: Vec<Word<TestEvidence>>,
    /// Uses between the test and the change; absent if none are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    hop_distance: Option<u32>,
    /// The uses may lead elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    possible: bool,
    /// Names of the tests that use the change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<String>,
    /// Their first lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    test_lines: Vec<u32>,
    /// Common commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    common_commits: Option<u32>,
}

impl CoveringRow {
    pub(crate) fn new(snapshot: &Snapshot, row: &TestRow) -> Self {
        let graph = snapshot.graph();
        Self {
            node: NodeRow::new(snapshot, row.nearest),
            evidence: row.evidence.iter().map(|&evidence| Word(evidence)).collect(),
            hop_distance: row.hops,
            possible: row.is_possible,
            tests: row.functions.iter().map(|test| graph.label(*test).to_owned()).collect(),
            test_lines: row.functions.iter().map(|test| graph.name_line(*test)).collect(),
            common_commits: row.together.map(|(common, _)| common),
        }
    }
}

/// A [`CoveringRow`] as text: `tests/test_a.py: test_login:4, test_logout:9  (calls, name)`.
pub(crate) fn write_covering(row: &Members) -> String {
    let list = |name: &str| row.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (tests, lines) = (list("tests"), list("test_lines"));
    let named = tests.iter().zip(lines).take(SHOWN_TESTS);
    let mut named: Vec<String> =
        named.map(|(test, line)| format!("{}:{line}", test.as_str().unwrap_or_default())).collect();
    if tests.len() > SHOWN_TESTS {
        named.push(format!("{} more", tests.len() - SHOWN_TESTS));
    }
    let colon = if named.is_empty() { "" } else { ": " };
    let reasons = list("evidence").iter().take(SHOWN_REASONS).filter_map(Value::as_str);
    let reasons = reasons.map(|reason| reason.replace('_', " ")).collect::<Vec<_>>().join(", ");
    let path = row.get("file_path").and_then(Value::as_str).unwrap_or_default();
    format!("{path}{colon}{}  ({reasons})", named.join(", "))
}

/// A test file in an answer about something else.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ShortTest {
    file_path: String,
    /// Why it is here: the strongest evidence.
    evidence: &'static str,
    /// Names of the nearest tests that use the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<String>,
}

/// The first test files that cover some nodes, by code and the history as far as it is loaded. Test code itself has
/// none.
pub(crate) fn first_tests(
    cx: &ReadContext<'_>,
    history: Option<&ProjectHistory>,
    nodes: &[NodeIx],
    task: &str,
) -> Result<Vec<ShortTest>, ToolError> {
    let graph = cx.snapshot().graph();
    let code = nodes.iter().copied().filter(|node| !graph.flags(*node).has(NodeFlags::TEST));
    let code: Vec<NodeIx> = code.filter(|node| graph.kind(*node) != NodeKind::Section).take(MAX_NODES).collect();
    if code.is_empty() {
        return Ok(Vec::new());
    }
    let found = covering_tests(cx, history, code, task)?;
    let row = |row: &TestRow| ShortTest {
        file_path: row.path.clone(),
        evidence: row.evidence.first().map_or("", |evidence| evidence.word()),
        tests: row.functions.iter().take(MAX_NAMES).map(|test| graph.label(*test).to_owned()).collect(),
    };
    Ok(found.rows.iter().take(MAX_SHORT).map(row).collect())
}

/// The tests that cover some nodes, from the code and this history.
pub(crate) fn covering_tests(
    cx: &ReadContext<'_>,
    history: Option<&ProjectHistory>,
    changed: impl IntoIterator<Item = NodeIx>,
    task: &str,
) -> Result<TestsAnswer, ToolError> {
    let query = TestsQuery { task: task.to_owned(), ..TestsQuery::of(changed) };
    Ok(tests_for(cx.snapshot(), history, &query, cx.cancel())?)
}
