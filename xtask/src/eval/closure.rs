//! `cargo xtask eval closure`: compares what `impact` says of its completeness with the callers in a compiler index.
//!
//! For every function that the truth calls (evenly sampled if there are many), `impact` is asked as the tool asks. An
//! answer is *wrong* if it says that its direct dependents are complete, while a caller in the truth is not among
//! them. *Covered* is the share of the functions with all callers found of which the answer says so. Both are counted
//! for the state of the direct dependents, and for that of the whole answer, indirect ones included. With `--program`,
//! the words of all files are the truth (`uses`).

use std::collections::{BTreeMap, HashSet};

use m1nd_base::{Cancel, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_query::analysis::{ImpactAnswer, ImpactQuery, impact};
use m1nd_query::closure::ClosureState;
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::edges::{Context, Findings, sources};
use super::golden::{self, ratio};
use super::ours::{Ours, open_indexed};
use super::truth::{Call, Truth};
use super::{golden_folder, repositories, uses};
use crate::Outcome;

/// Maximum number of functions asked for; of more, every k-th is.
const MOST_ASKED: usize = 2_000;
/// Minimum share of the truth's functions that must exist; fewer indicate the wrong commit.
const LEAST_FOUND: f64 = 0.5;

/// The stored result of a repository.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RepositoryResult {
    format_version: u32,
    name: String,
    /// URL and commit of the repository, if it is one of those known here.
    source: Option<String>,
    commit: Option<String>,
    /// Functions asked for.
    functions: u64,
    /// Those whose callers in the truth are all among the direct dependents.
    complete: u64,
    /// By the state of the direct dependents.
    direct: Score,
    /// By the state of the whole answer.
    whole: Score,
}

/// Answers that say they are complete.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Score {
    /// Answers that say `closed`.
    closed: u64,
    /// Those that lack a caller of the truth.
    wrong: u64,
    /// `wrong` over `closed`.
    wrong_share: Option<f64>,
    /// Right ones over all functions with complete callers.
    covered: Option<f64>,
}

impl Score {
    fn count(&mut self, state: ClosureState, is_complete: bool) {
        self.closed += u64::from(state == ClosureState::Closed);
        self.wrong += u64::from(state == ClosureState::Closed && !is_complete);
    }

    fn finish(&mut self, complete: u64) {
        self.wrong_share = ratio(self.wrong, self.closed);
        self.covered = ratio(self.closed - self.wrong, complete);
    }
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(args, &["--repo", "--truth", "--program"])?;
    if arguments.folder("--program").is_ok() {
        return uses::run(&arguments);
    }
    let (repository, truth) = (arguments.folder("--repo")?, arguments.folder("--truth")?);
    let (name, mut truth) = Truth::read(truth)?;
    let sources = sources(repository, &truth);
    truth.drop_declarations(&sources);
    let home = tempfile::tempdir()?;
    let engine = open_indexed(home.path(), repository)?;
    let snapshot = engine.snapshot();
    let ours = Ours::of_snapshot(&snapshot);
    let context = Context::new(&ours, &truth, &sources);
    let mut findings = Findings::new(arguments.explain);
    let result = result(&name, &snapshot, &context, &mut findings)?;
    if arguments.explain > 0 {
        findings.print();
    }
    golden::keep(&golden_folder("closure").join(format!("{name}.json")), &result, arguments.keep)
}

/// A function of the truth, and its callers there.
struct Asked<'a> {
    node: usize,
    callers: Vec<&'a Call>,
}

/// The functions that the truth calls, in order of place, and the share of them that we have.
fn functions<'a>(context: &Context<'a>) -> (Vec<Asked<'a>>, f64) {
    let mut callers: BTreeMap<(&str, u32, &str), Vec<&Call>> = BTreeMap::new();
    for call in &context.truth.calls {
        callers.entry((&call.file, call.line, &call.name)).or_default().push(call);
    }
    let mut known = 0;
    let all = callers.len();
    let mut functions = Vec::new();
    for ((file, line, name), callers) in callers {
        let nodes = context.ours.at(file, line, name);
        known += usize::from(!nodes.is_empty());
        let is_function = |&node: &usize| {
            context.ours.nodes[node].kind == NodeKind::Function && context.ours.nodes[node].name == name
        };
        functions.extend(nodes.into_iter().find(is_function).map(|node| Asked { node, callers }));
    }
    let step = functions.len().div_ceil(MOST_ASKED).max(1);
    (functions.into_iter().step_by(step).collect(), known as f64 / all.max(1) as f64)
}

fn result(
    name: &str,
    snapshot: &Snapshot,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Outcome<RepositoryResult> {
    let known = repositories::find(name);
    let (functions, found) = functions(context);
    if found < LEAST_FOUND {
        return Err(format!("{found:.2} of the functions of {name} exist: this is not the truth's commit").into());
    }
    let mut result = RepositoryResult {
        format_version: 1,
        name: name.to_owned(),
        source: known.map(|known| known.source.to_owned()),
        commit: known.map(|known| known.commit.to_owned()),
        functions: functions.len() as u64,
        complete: 0,
        direct: Score::default(),
        whole: Score::default(),
    };
    for asked in &functions {
        let Some(node) = snapshot.graph().find(&context.ours.nodes[asked.node].id) else { continue };
        let query = ImpactQuery { max_rows: usize::MAX, ..ImpactQuery::new(node) };
        let answer = impact(snapshot, &query, &Cancel::new())?;
        let missed = list_missed(snapshot, context, asked, &answer);
        result.complete += u64::from(missed.is_empty());
        result.direct.count(answer.closure.state, missed.is_empty());
        result.whole.count(answer.closure.indirect, missed.is_empty());
        explain(context, asked, &answer, &missed, findings);
    }
    result.direct.finish(result.complete);
    result.whole.finish(result.complete);
    Ok(result)
}

/// The callers of the truth that are not among the direct dependents, neither by name nor by the place of the call (the
/// truth names functions that macros make, and none for code that its build leaves out). A function that calls itself
/// is no dependent.
fn list_missed<'a>(
    snapshot: &Snapshot,
    context: &Context<'_>,
    asked: &Asked<'a>,
    answer: &ImpactAnswer,
) -> Vec<&'a Call> {
    let ours = context.ours;
    let direct = answer.rows.iter().filter(|row| row.hops == 1);
    let mut known: HashSet<usize> = direct.filter_map(|row| ours.find(snapshot.graph().id(row.node))).collect();
    known.insert(asked.node);
    let graph = snapshot.graph();
    let node = graph.find(&ours.nodes[asked.node].id);
    let edges = node.into_iter().flat_map(|node| graph.in_edges(node)).filter(|edge| edge.relation.carries_change());
    let sites: HashSet<(&str, u32)> =
        edges.flat_map(|edge| edge.sites.iter().map(move |site| (graph.path(edge.from), site.line))).collect();
    let is_missed = |call: &&&Call| {
        let at = (call.caller_file.as_str(), call.caller_line, call.caller_name.as_str());
        let is_at_site = call.sites.iter().any(|&line| sites.contains(&(call.caller_file.as_str(), line)));
        !is_at_site && !known.iter().any(|&node| ours.lies_in(node, at, |function| context.is_caller(function)))
    };
    asked.callers.iter().filter(is_missed).copied().collect()
}

fn explain(context: &Context<'_>, asked: &Asked<'_>, answer: &ImpactAnswer, missed: &[&Call], findings: &mut Findings) {
    let id = &context.ours.nodes[asked.node].id;
    let (direct, whole) =
        (answer.closure.state == ClosureState::Closed, answer.closure.indirect == ClosureState::Closed);
    match missed {
        [] if whole => {}
        [] if direct => {
            findings.add("far: blocked, callers complete".into(), || format!("{id}: {}", answer.closure.why))
        }
        [] => {
            let open = answer.closure.hiding.first().filter(|open| !open.far);
            let class = open.map_or("without a reference".to_owned(), |open| format!("{} {}", open.role, open.reason));
            findings.add(format!("direct: blocked by {class}, callers complete"), || {
                let at = open.map(|open| {
                    let line = context.source_line(&open.file, open.line);
                    format!("\n      {} at {}:{}: {line}", open.name, open.file, open.line)
                });
                format!("{id}: {}{}", answer.closure.why, at.unwrap_or_default())
            });
        }
        [first, ..] if direct => findings.add(format!("wrong: closed{}", if whole { "" } else { " direct" }), || {
            let line = first.sites.first().copied().unwrap_or(0);
            let text = context.source_line(&first.caller_file, line);
            format!("{id}\n      {}:{line} in {}: {text}", first.caller_file, first.caller_name)
        }),
        _ => {}
    }
}
