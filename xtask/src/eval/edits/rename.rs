//! `eval edits rename`: after a symbol has another name, the project compiles as before.
//!
//! Symbols are sampled from the definitions with a name of their own (not `__init__`, which the language gives) that
//! are used somewhere and are not inside of a function. Each
//! is renamed by `rename_commit`. Several are compiled together; if that fails, each is compiled alone.

use std::collections::BTreeMap;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_query::edits::has_own_name;
use m1nd_testkit::Random;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Request;
use super::compilers::{Checked, Errors, new_errors};
use super::project::Project;
use crate::Outcome;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;
use crate::eval::ours::open_indexed;

/// Symbols that are renamed before the compiler runs.
const BATCH: usize = 8;

/// What became of the renames of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    language: String,
    symbols: u64,
    refused: u64,
    /// Refusals by their reason.
    reasons: BTreeMap<String, u64>,
    renamed: u64,
    /// Those after which the project compiles as before.
    compiles: u64,
    /// Those whose verdict is BROKEN although it compiles.
    false_alarms: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    format_version: u32,
    symbols: u64,
    refused_share: Option<f64>,
    /// Of those that are not refused.
    compiles_share: Option<f64>,
    repositories: BTreeMap<String, Counts>,
}

/// A symbol, and the name it gets.
#[derive(Debug, Clone)]
struct Symbol {
    id: String,
    old: String,
    new: String,
}

enum Renamed {
    /// With verdict BROKEN or not.
    Done(bool),
    Refused(String),
}

pub(super) fn run(request: &Request) -> Outcome<()> {
    let mut report = Report { format_version: 1, ..Report::default() };
    for checked in Checked::of(request) {
        let counts = repository(request, &checked)?;
        println!("{}: {counts:?}", checked.repository);
        report.repositories.insert(checked.repository.to_owned(), counts);
    }
    let sum = |of: fn(&Counts) -> u64| report.repositories.values().map(of).sum::<u64>();
    report.symbols = sum(|counts| counts.symbols);
    report.refused_share = ratio(sum(|counts| counts.refused), report.symbols);
    report.compiles_share = ratio(sum(|counts| counts.compiles), sum(|counts| counts.renamed));
    keep(&golden_folder("edits").join("rename.json"), &report, request.keep)
}

fn repository(request: &Request, checked: &Checked) -> Outcome<Counts> {
    let mut project = Project::check_out(request, checked.repository)?;
    let symbols = {
        let engine = open_indexed(project.home(), &project.root)?;
        sample(&engine.snapshot(), checked, request)
    };
    project.serve(request)?;
    let before = checked.first_errors(request, &project.root)?;
    let mut counts =
        Counts { language: checked.language.to_owned(), symbols: symbols.len() as u64, ..Counts::default() };
    for batch in symbols.chunks(BATCH) {
        let mut renamed = Vec::new();
        for symbol in batch {
            let mut outcome = rename(&mut project, symbol);
            // A rename before it may have changed its id.
            if matches!(outcome, Renamed::Refused(_)) && !renamed.is_empty() {
                settle(request, checked, &mut project, (&before, &std::mem::take(&mut renamed)), &mut counts)?;
                outcome = rename(&mut project, symbol);
            }
            match outcome {
                Renamed::Done(is_broken) => renamed.push((symbol, is_broken)),
                Renamed::Refused(reason) => {
                    if request.explain > 0 {
                        println!("refused {}: {}", symbol.id, reason.chars().take(400).collect::<String>());
                    }
                    counts.refused += 1;
                    *counts.reasons.entry(kind_of(&reason)).or_default() += 1;
                }
            }
        }
        settle(request, checked, &mut project, (&before, &renamed), &mut counts)?;
    }
    Ok(counts)
}

/// Compiles what was renamed, and undoes it.
fn settle(
    request: &Request,
    checked: &Checked,
    project: &mut Project,
    (before, renamed): (&Errors, &[(&Symbol, bool)]),
    counts: &mut Counts,
) -> Outcome<()> {
    if renamed.is_empty() {
        return Ok(());
    }
    counts.renamed += renamed.len() as u64;
    let after = checked.errors(request, &project.root)?;
    let mut all = before.clone();
    for (symbol, _) in renamed {
        all = all.into_iter().map(|(line, count)| (line.replace(&symbol.old, &symbol.new), count)).collect();
    }
    project.restore()?;
    if new_errors(before, &after, None).is_empty() || new_errors(&all, &after, None).is_empty() {
        counts.compiles += renamed.len() as u64;
        counts.false_alarms += renamed.iter().filter(|(_, is_broken)| *is_broken).count() as u64;
        return Ok(());
    }
    for (symbol, is_broken) in renamed {
        let Renamed::Done(_) = rename(project, symbol) else { continue };
        let after = checked.errors(request, &project.root)?;
        let errors = new_errors(before, &after, Some((&symbol.new, &symbol.old)));
        counts.compiles += u64::from(errors.is_empty());
        counts.false_alarms += u64::from(errors.is_empty() && *is_broken);
        if !errors.is_empty() && request.explain > 0 {
            println!("broken {} (verdict BROKEN: {is_broken}): {:?}", symbol.id, &errors[..errors.len().min(4)]);
        }
        project.restore()?;
    }
    Ok(())
}

fn rename(project: &mut Project, symbol: &Symbol) -> Renamed {
    let (answer, is_error) =
        project.call("rename_commit", json!({"node_id": symbol.id, "new_name": symbol.new, "confirm": true}));
    if is_error {
        return Renamed::Refused(answer.to_string());
    }
    Renamed::Done(answer["verification"]["verdict"] == json!("BROKEN"))
}

/// The reason of a refusal, as programs read it.
pub(super) fn kind_of(answer: &str) -> String {
    const KEY: &str = "\"refused_because\":\"";
    let reason = answer.split(KEY).nth(1).and_then(|rest| rest.split('"').next());
    reason.unwrap_or("other").to_owned()
}

/// Symbols that are used, evenly at random.
fn sample(snapshot: &Snapshot, checked: &Checked, request: &Request) -> Vec<Symbol> {
    let graph = snapshot.graph();
    let mut all: Vec<NodeIx> = graph.nodes().filter(|node| is_candidate(snapshot, checked, *node)).collect();
    all.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    let mut random = Random::new(request.seed);
    let mut chosen = Vec::new();
    while chosen.len() < request.samples && !all.is_empty() {
        let node = all.swap_remove(random.below(all.len()));
        let old = graph.label(node).to_owned();
        chosen.push(Symbol { id: graph.id(node).to_owned(), new: new_name(&old), old });
    }
    chosen
}

pub(super) fn is_candidate(snapshot: &Snapshot, checked: &Checked, node: NodeIx) -> bool {
    let graph = snapshot.graph();
    let is_inner = graph.parent(node).is_some_and(|parent| graph.kind(parent) == NodeKind::Function);
    let label = graph.label(node);
    let is_of_language = label.starts_with("__") && label.ends_with("__");
    has_own_name(graph.kind(node))
        && !is_inner
        && !is_of_language
        && !graph.flags(node).has(NodeFlags::CONSTRUCTOR)
        && checked.covers(graph.path(node))
        && label.chars().all(|c| c.is_alphanumeric() || c == '_')
        && graph.in_edges(node).any(|edge| {
            !matches!(edge.relation, Relation::Contains | Relation::Documents | Relation::Tests)
                && edge.tier != EdgeTier::External
        })
}

/// A name in the style of the old one that nothing has.
fn new_name(old: &str) -> String {
    let has_upper = old.chars().any(char::is_uppercase);
    let has_lower = old.chars().any(char::is_lowercase);
    match (has_upper, has_lower) {
        (true, false) => format!("{old}_RENEWED"),
        (true, true) => format!("{old}Renewed"),
        _ if old.contains('_') => format!("{old}_renewed"),
        _ => format!("{old}renewed"),
    }
}
