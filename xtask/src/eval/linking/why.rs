//! `cargo xtask eval why`: compares the paths of `why` and the rows of `impact` with the calls in a compiler index.
//!
//! The truth lists pairs of functions that its calls connect (*reachable*, over one to five calls) and pairs that they
//! never connect. `why` is asked as the tool asks. A reachable pair is *found* if a path leads from source to target,
//! and *denied* if the answer says that there provably is none. Of the best path, each certain call is judged: *wrong*
//! if the truth has no call of that name at its place. An unreachable pair with a path of certain calls alone is
//! *contradicted*. Relations other than calls are not in this truth, so paths with them are not judged. For functions
//! with their callers in the truth, the callers among the rows of `impact` are counted.

use std::collections::{BTreeMap, HashMap, HashSet};

use m1nd_base::{Cancel, EdgeTier, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_engine::graph::paths::Way;
use m1nd_query::analysis::{ImpactQuery, WhyPath, WhyQuery, impact, why};
use m1nd_query::closure::ClosureState;
use serde::{Deserialize, Serialize};

use super::edges::{Context, Findings, sources};
use super::ours::{Ours, open_indexed};
use super::truth::{Call, Truth, rows};
use crate::Outcome;
use crate::eval::arguments::Arguments;
use crate::eval::golden::{self, ratio};
use crate::eval::{golden_folder, repositories};

/// Bounds of the tool.
const MAX_HOPS: u32 = 6;
const MAX_PATHS: usize = 3;

/// The stored result of a repository.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RepositoryResult {
    format_version: u32,
    name: String,
    /// URL and commit of the repository, if it is one of those known here.
    source: Option<String>,
    commit: Option<String>,
    reachable: Reachable,
    unreachable: Unreachable,
    impact: Impact,
}

/// Pairs that calls of the truth connect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Reachable {
    pairs: u64,
    /// A path leads from source to target.
    found: u64,
    found_share: Option<f64>,
    /// All steps of the best path are certain.
    certain: u64,
    /// The answer says that there is no path.
    denied: u64,
    /// Certain calls of the best paths, and those that the truth does not have.
    calls: u64,
    wrong_calls: u64,
    wrong_share: Option<f64>,
    /// Pairs and those found, by the number of calls.
    by_distance: BTreeMap<usize, (u64, u64)>,
}

/// Pairs that no calls of the truth connect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Unreachable {
    pairs: u64,
    /// A path of certain calls alone is given.
    contradicted: u64,
    /// The answer says that there is no path.
    closed: u64,
}

/// Callers of the truth among the rows of `impact`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Impact {
    functions: u64,
    /// Direct callers among the direct dependents.
    direct: Callers,
    /// Callers within three calls among all dependents.
    within_three: Callers,
    /// Answers that say that their direct dependents are complete, and those that lack a direct caller.
    closed: u64,
    wrongly_closed: u64,
}

/// Callers of the truth, and those that were found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Callers {
    callers: u64,
    found: u64,
    recall: Option<f64>,
}

/// A function of the truth; line 0 is the code of a file outside of functions.
#[derive(Debug, Deserialize)]
struct Place {
    file: String,
    line: u32,
    name: String,
}

/// Two functions of the truth.
#[derive(Debug, Deserialize)]
struct Pair {
    a: Place,
    b: Place,
    dist: Option<usize>,
    reachable: bool,
}

/// A function of the truth with its callers.
#[derive(Debug, Deserialize)]
struct ImpactRow {
    target: Place,
    direct: Vec<Place>,
    transitive3: Vec<Place>,
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(args, &["--repo", "--truth"])?;
    let (repository, truth) = (arguments.folder("--repo")?, arguments.folder("--truth")?);
    let folder = truth;
    let (name, mut truth) = Truth::read(folder)?;
    let pair_rows: Vec<Pair> = rows(&folder.join(format!("{name}.why.jsonl")))?;
    let impact_rows: Vec<ImpactRow> = rows(&folder.join(format!("{name}.impact.jsonl")))?;
    let sources = sources(repository, &truth);
    truth.drop_declarations(&sources);
    let home = tempfile::tempdir()?;
    let engine = open_indexed(home.path(), repository)?;
    let snapshot = engine.snapshot();
    let ours = Ours::of_snapshot(&snapshot);
    let context = Context::new(&ours, &truth, &sources);
    let mut findings = Findings::new(arguments.explain);
    let known = repositories::find(&name);
    let mut result = RepositoryResult {
        format_version: 1,
        name: name.clone(),
        source: known.map(|known| known.source.to_owned()),
        commit: known.map(|known| known.commit.to_owned()),
        reachable: Reachable::default(),
        unreachable: Unreachable::default(),
        impact: callers(&snapshot, &context, &impact_rows, &mut findings)?,
    };
    pairs(&snapshot, &context, &pair_rows, &mut result, &mut findings)?;
    result.reachable.found_share = ratio(result.reachable.found, result.reachable.pairs);
    result.reachable.wrong_share = ratio(result.reachable.wrong_calls, result.reachable.calls);
    if arguments.explain > 0 {
        findings.print();
    }
    golden::keep(&golden_folder("why").join(format!("{name}.json")), &result, arguments.keep)
}

/// Our node of a place of the truth.
fn node(snapshot: &Snapshot, context: &Context<'_>, place: &Place) -> Option<NodeIx> {
    if place.line == 0 {
        return snapshot.graph().find_file(&place.file);
    }
    let ours = context.ours;
    let at = ours.at(&place.file, place.line, &place.name);
    let own = at.iter().find(|&&node| ours.nodes[node].name == place.name).or(at.first())?;
    snapshot.graph().find(&ours.nodes[*own].id)
}

fn callers(snapshot: &Snapshot, context: &Context<'_>, rows: &[ImpactRow], findings: &mut Findings) -> Outcome<Impact> {
    let mut found = Impact::default();
    for row in rows {
        let Some(target) = node(snapshot, context, &row.target) else { continue };
        let answer =
            impact(snapshot, &ImpactQuery { max_rows: usize::MAX, ..ImpactQuery::new(target) }, &Cancel::new())?;
        found.functions += 1;
        // Members of a class change with it.
        let changed: HashSet<NodeIx> = snapshot.graph().with_members(target, usize::MAX).into_iter().collect();
        let hops: HashMap<NodeIx, u32> = answer.rows.iter().map(|row| (row.node, row.hops)).collect();
        let mut is_whole = true;
        for (callers, score, most) in
            [(&row.direct, &mut found.direct, 1), (&row.transitive3, &mut found.within_three, u32::MAX)]
        {
            for caller in callers {
                let Some(known) = node(snapshot, context, caller).filter(|known| !changed.contains(known)) else {
                    continue;
                };
                score.callers += 1;
                // The truth has one name for all code of a file outside of named functions.
                let in_file = |row: &&m1nd_query::analysis::ImpactRow| snapshot.graph().path(row.node) == caller.file;
                let is_found = match caller.line {
                    0 => answer.rows.iter().filter(in_file).any(|row| row.hops <= most),
                    _ => hops.get(&known).is_some_and(|hops| *hops <= most),
                };
                score.found += u64::from(is_found);
                is_whole &= is_found || most > 1;
                if !is_found {
                    findings
                        .add(format!("caller missed within {}", if most == 1 { "1 call" } else { "3 calls" }), || {
                            format!("{} of {}", snapshot.graph().id(known), snapshot.graph().id(target))
                        });
                }
            }
        }
        found.closed += u64::from(answer.closure.state == ClosureState::Closed);
        found.wrongly_closed += u64::from(answer.closure.state == ClosureState::Closed && !is_whole);
    }
    found.direct.recall = ratio(found.direct.found, found.direct.callers);
    found.within_three.recall = ratio(found.within_three.found, found.within_three.callers);
    Ok(found)
}

fn pairs(
    snapshot: &Snapshot,
    context: &Context<'_>,
    rows: &[Pair],
    result: &mut RepositoryResult,
    findings: &mut Findings,
) -> Outcome<()> {
    let places: HashSet<(&str, u32, &str)> = context.truth.calls.iter().flat_map(sites).collect();
    for pair in rows {
        let ends = (node(snapshot, context, &pair.a), node(snapshot, context, &pair.b));
        let (Some(source), Some(target)) = ends else { continue };
        let query = WhyQuery { source, target, max_hops: MAX_HOPS, max_paths: MAX_PATHS };
        let answer = why(snapshot, &query, &Cancel::new())?;
        let path = answer.paths.first().filter(|path| path.direction == Way::Forward);
        let ends = || format!("{} -> {}", snapshot.graph().id(source), snapshot.graph().id(target));
        let is_closed = answer.closure.state == ClosureState::Closed;
        if pair.reachable {
            let row = &mut result.reachable;
            row.pairs += 1;
            row.found += u64::from(path.is_some());
            row.denied += u64::from(path.is_none() && is_closed);
            let of_distance = row.by_distance.entry(pair.dist.unwrap_or_default()).or_default();
            *of_distance = (of_distance.0 + 1, of_distance.1 + u64::from(path.is_some()));
            match path {
                Some(path) => judge(snapshot, path, &places, row, findings, &ends),
                None => findings.add("not found".into(), ends),
            }
            continue;
        }
        let is_proof =
            |path: &WhyPath| path.direction == Way::Forward && path.steps.iter().all(|step| is_certain_call(&step.hop));
        let is_contradicted = answer.paths.iter().any(is_proof);
        result.unreachable.pairs += 1;
        result.unreachable.contradicted += u64::from(is_contradicted);
        result.unreachable.closed += u64::from(path.is_none() && is_closed);
        if is_contradicted {
            findings.add("contradicted".into(), ends);
        }
    }
    Ok(())
}

fn sites(call: &Call) -> impl Iterator<Item = (&str, u32, &str)> {
    call.sites.iter().map(|&line| (call.caller_file.as_str(), line, call.name.as_str()))
}

fn is_certain_call(hop: &m1nd_query::analysis::Hop) -> bool {
    hop.relation == Relation::Calls && hop.tier == EdgeTier::Certain
}

fn judge(
    snapshot: &Snapshot,
    path: &WhyPath,
    places: &HashSet<(&str, u32, &str)>,
    row: &mut Reachable,
    findings: &mut Findings,
    ends: &dyn Fn() -> String,
) {
    row.certain += u64::from(path.steps.iter().all(|step| step.hop.tier == EdgeTier::Certain));
    let graph = snapshot.graph();
    let names: HashSet<&str> = places.iter().map(|(_, _, name)| *name).collect();
    for step in path.steps.iter().filter(|step| is_certain_call(&step.hop)) {
        let name = graph.label(step.hop.to);
        let name = name.rsplit(['.', ':']).next().unwrap_or(name);
        // Of a function that the truth never calls, it cannot tell.
        if !names.contains(name) {
            continue;
        }
        row.calls += 1;
        if !places.contains(&(step.hop.file.as_str(), step.hop.line, name)) {
            row.wrong_calls += 1;
            findings.add("a call that the truth does not have".into(), || {
                format!("{}: {name} at {}:{}", ends(), step.hop.file, step.hop.line)
            });
        }
    }
}
