//! What a list of planned changes leaves out.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, Cancelled, EdgeTier, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{Graph, NodeIx};

use crate::covering::{TestRow, TestsQuery, tests_for};
pub use crate::severity::Severity;

/// What is planned for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlannedKind {
    /// Its code changes.
    Modify,
    /// It is new.
    Create,
    /// It goes.
    Delete,
    /// Its path changes.
    Rename,
    /// A test is written or changed.
    Test,
}

/// One planned change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedAction {
    /// What is planned.
    pub kind: PlannedKind,
    /// Path in the index.
    pub path: String,
    /// Paths of actions that come before it.
    pub depends_on: Vec<String>,
}

/// A file that the plan leaves out.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// How much it matters.
    pub severity: Severity,
    /// Its path.
    pub path: String,
    /// The node that uses what changes.
    pub node: NodeIx,
    /// What it uses.
    pub target: NodeIx,
    /// How.
    pub relation: Relation,
    /// Line of the use; 0 if only the file is known.
    pub line: u32,
    /// Uses of this kind in the file.
    pub uses: usize,
    /// The action that it follows from, by its place in the plan.
    pub action: usize,
    /// PageRank of the node.
    pub weight: f64,
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanCheck {
    /// Files left out, the most important first.
    pub gaps: Vec<Gap>,
    /// Test files that cover each changed file, best first.
    pub tests: BTreeMap<String, Vec<TestRow>>,
    /// Places of the actions in an order that their dependencies allow; empty if there is none.
    pub order: Vec<usize>,
    /// Paths on a cycle of dependencies.
    pub cycle: Vec<String>,
    /// Dependencies on what is not in the plan: the action's path, and what it names.
    pub missing: Vec<(String, String)>,
    /// Number of files outside of the plan that use a changed one.
    pub blast: usize,
}

/// Checks a plan. With a history, tests that only commits connect with a changed file are named, too.
///
/// # Errors
/// [`Cancelled`].
pub fn check_plan(
    snapshot: &Snapshot,
    history: Option<&ProjectHistory>,
    actions: &[PlannedAction],
    cancel: &Cancel,
) -> Result<PlanCheck, Cancelled> {
    let graph = snapshot.graph();
    let planned: BTreeSet<&str> = actions.iter().map(|action| action.path.as_str()).collect();
    let mut gaps: BTreeMap<String, Gap> = BTreeMap::new();
    let mut check = PlanCheck::default();
    for (index, action) in actions.iter().enumerate() {
        cancel.check()?;
        let Some(file) = graph.find_file(&action.path) else { continue };
        if matches!(action.kind, PlannedKind::Create | PlannedKind::Test) {
            continue;
        }
        for gap in gaps_of(graph, file, (index, action.kind), &planned) {
            match gaps.get_mut(&gap.path) {
                Some(known) if known.severity <= gap.severity => known.uses += gap.uses,
                Some(known) => *known = Gap { uses: known.uses + gap.uses, ..gap },
                None => drop(gaps.insert(gap.path.clone(), gap)),
            }
        }
        let tests = tests_for(snapshot, history, &TestsQuery::of([file]), cancel)?;
        check.tests.insert(action.path.clone(), tests.rows);
    }
    check.blast = gaps.len();
    check.gaps = gaps.into_values().collect();
    check.gaps.sort_by(|a, b| {
        (a.severity, b.weight.total_cmp(&a.weight))
            .cmp(&(b.severity, std::cmp::Ordering::Equal))
            .then_with(|| a.path.cmp(&b.path))
    });
    order(actions, &mut check);
    Ok(check)
}

/// Files that use a changed file and are not in the plan, one gap for each use.
fn gaps_of(graph: &Graph, file: NodeIx, (action, kind): (usize, PlannedKind), planned: &BTreeSet<&str>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for target in graph.of_file(file) {
        for edge in graph.in_edges(target) {
            let path = graph.path(edge.from);
            let is_use = !matches!(edge.relation, Relation::Contains | Relation::Tests | Relation::RelatesTo);
            let goes = matches!(kind, PlannedKind::Delete | PlannedKind::Rename);
            // A document that names code has to be looked at when the name goes, not at every change.
            let is_said = edge.relation == Relation::Documents;
            if !is_use || path.is_empty() || planned.contains(path) || is_said && !goes {
                continue;
            }
            let is_certain = edge.tier == EdgeTier::Certain;
            let breaks = goes && !is_said;
            let severity = match (breaks, is_certain) {
                (true, true) => Severity::Critical,
                (true, false) | (false, true) => Severity::Warning,
                (false, false) => Severity::Info,
            };
            gaps.push(Gap {
                severity,
                path: path.to_owned(),
                node: edge.from,
                target,
                relation: edge.relation,
                line: edge.sites.get(0).map_or(0, |pos| pos.line),
                uses: edge.sites.len().max(1),
                action,
                weight: f64::from(graph.pagerank(edge.from)),
            });
        }
    }
    gaps
}

/// Sorts the actions by what they depend on.
fn order(actions: &[PlannedAction], check: &mut PlanCheck) {
    let place = |path: &str| actions.iter().position(|action| action.path == path);
    let mut waits: Vec<BTreeSet<usize>> = Vec::with_capacity(actions.len());
    for action in actions {
        let mut before = BTreeSet::new();
        for name in &action.depends_on {
            match place(name) {
                Some(index) => drop(before.insert(index)),
                None => check.missing.push((action.path.clone(), name.clone())),
            }
        }
        waits.push(before);
    }
    let mut done: Vec<usize> = Vec::new();
    while let Some(next) =
        (0..actions.len()).find(|index| !done.contains(index) && waits[*index].iter().all(|other| done.contains(other)))
    {
        done.push(next);
    }
    if done.len() == actions.len() {
        check.order = done;
    } else {
        let left = (0..actions.len()).filter(|index| !done.contains(index));
        check.cycle = left.map(|index| actions[index].path.clone()).collect();
    }
}
