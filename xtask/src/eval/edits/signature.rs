//! `eval edits signature`: after a function takes other parameters, the project compiles as before.
//!
//! Functions are sampled from those that are called somewhere, with an operation on each, both by the seed. A request
//! that cannot be made of a function (to reorder one parameter) draws the next operation. Each is written by
//! `refactor_commit` and compiled alone.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::signatures::{ParameterForm, ParameterPlace, Signatures};
use m1nd_testkit::Random;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compilers::{Checked, Errors, new_errors};
use super::project::Project;
use super::refactorings::reason_of;
use super::rename::is_candidate;
use super::{Request, keep_others};
use crate::Outcome;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;
use crate::eval::ours::open_indexed;

/// Name of parameters that are added or renamed.
const NEW: &str = "renewed_one";

/// Changes that are written before the compiler runs.
const BATCH: usize = 6;

/// Parts of refusals that a compiler would give as well, or a person: something outside of the project calls the
/// function or decides about it, or the order that is asked for is not possible.
const DUE: &[&str] = &[
    "outside of the project",
    "the caller is outside",
    "cannot stand behind",
    "has no default and would stand behind",
    "already, which the parameter would hide",
];

/// The operations, in the order in which they are tried from the drawn one on.
const KINDS: &[Kind] = &[Kind::AddDefault, Kind::AddValue, Kind::Remove, Kind::Rename, Kind::Order];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    AddDefault,
    AddValue,
    Remove,
    Rename,
    Order,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::AddDefault => "add_default",
            Self::AddValue => "add_value",
            Self::Remove => "remove",
            Self::Rename => "rename",
            Self::Order => "order",
        }
    }
}

/// What became of the operations of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    language: String,
    operations: u64,
    /// Operations by their kind.
    kinds: BTreeMap<String, u64>,
    refused: u64,
    /// Refusals that a compiler would give as well, or that only the author can decide.
    refused_due: u64,
    /// Refusals by their reason.
    reasons: BTreeMap<String, u64>,
    accepted: u64,
    /// Those after which the project compiles as before.
    compiles: u64,
    /// Call sites and other places that were rewritten.
    places: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    format_version: u32,
    operations: u64,
    /// Of all without those that are due.
    refused_share: Option<f64>,
    accepted: u64,
    /// Of those that are not refused.
    compiles_share: Option<f64>,
    repositories: BTreeMap<String, Counts>,
}

/// An operation on a function.
struct Sample {
    id: String,
    kind: Kind,
    arguments: Value,
    old: String,
}

pub(super) fn run(request: &Request) -> Outcome<()> {
    let mut report = Report { format_version: 1, ..Report::default() };
    for checked in Checked::of(request) {
        let counts = repository(request, &checked)?;
        println!("{}: {counts:?}", checked.repository);
        report.repositories.insert(checked.repository.to_owned(), counts);
    }
    let path = golden_folder("edits").join("signature.json");
    keep_others(&path, request, &mut report.repositories)?;
    let sum = |of: fn(&Counts) -> u64| report.repositories.values().map(of).sum::<u64>();
    report.operations = sum(|counts| counts.operations);
    report.accepted = sum(|counts| counts.accepted);
    let due = sum(|counts| counts.refused_due);
    report.refused_share = ratio(sum(|counts| counts.refused) - due, report.operations - due);
    report.compiles_share = ratio(sum(|counts| counts.compiles), report.accepted);
    keep(&path, &report, request.keep)
}

fn repository(request: &Request, checked: &Checked) -> Outcome<Counts> {
    let mut project = Project::check_out(request, checked.repository)?;
    let samples = {
        let engine = open_indexed(project.home(), &project.root)?;
        sample(&engine.snapshot(), checked, request)
    };
    project.serve(request)?;
    let before = checked.first_errors(request, &project.root)?;
    let mut counts =
        Counts { language: checked.language.to_owned(), operations: samples.len() as u64, ..Counts::default() };
    for batch in samples.chunks(BATCH) {
        let mut written = Vec::new();
        for sample in batch {
            *counts.kinds.entry(sample.kind.word().to_owned()).or_default() += 1;
            let mut outcome = commit(&mut project, sample);
            // A change before it may stand in the way.
            if outcome.is_err() && !written.is_empty() {
                settle(request, checked, &mut project, (&before, &std::mem::take(&mut written)), &mut counts)?;
                outcome = commit(&mut project, sample);
            }
            match outcome {
                Ok(places) => {
                    counts.places += places;
                    written.push(sample);
                }
                Err(answer) => {
                    if request.explain > 0 {
                        println!("refused {} {}: {}", sample.kind.word(), sample.id, answer["error"]);
                    }
                    let text = answer["error"].to_string();
                    counts.refused += 1;
                    counts.refused_due += u64::from(DUE.iter().any(|part| text.contains(part)));
                    *counts.reasons.entry(reason_of(&answer)).or_default() += 1;
                }
            }
        }
        settle(request, checked, &mut project, (&before, &written), &mut counts)?;
    }
    Ok(counts)
}

/// Compiles what was written, and undoes it. If it does not compile, each change is compiled alone.
fn settle(
    request: &Request,
    checked: &Checked,
    project: &mut Project,
    (before, written): (&Errors, &[&Sample]),
    counts: &mut Counts,
) -> Outcome<()> {
    if written.is_empty() {
        return Ok(());
    }
    counts.accepted += written.len() as u64;
    let after = checked.errors(request, &project.root)?;
    project.restore()?;
    if new_errors(before, &after, None).is_empty() {
        counts.compiles += written.len() as u64;
        return Ok(());
    }
    for sample in written {
        if commit(project, sample).is_err() {
            // Only possible behind another one: what fails together counts as failed.
            continue;
        }
        let after = checked.errors(request, &project.root)?;
        let errors = new_errors(before, &after, Some((NEW, &sample.old)));
        counts.compiles += u64::from(errors.is_empty());
        if !errors.is_empty() && request.explain > 0 {
            println!("broken {} {}: {:?}", sample.kind.word(), sample.arguments, &errors[..errors.len().min(4)]);
        }
        project.restore()?;
    }
    Ok(())
}

/// Writes a change: the number of places, or the refusal.
fn commit(project: &mut Project, sample: &Sample) -> Result<u64, Value> {
    match project.call("refactor_commit", sample.arguments.clone()) {
        (answer, false) => Ok(answer["places"].as_u64().unwrap_or(0)),
        (answer, true) => Err(answer),
    }
}

/// Functions that are called, evenly at random, each with an operation.
fn sample(snapshot: &Snapshot, checked: &Checked, request: &Request) -> Vec<Sample> {
    let graph = snapshot.graph();
    let is_called = |node: NodeIx| {
        graph.in_edges(node).any(|edge| edge.relation == Relation::Calls && edge.tier == EdgeTier::Certain)
    };
    let is_function = |node: &NodeIx| {
        let takes = graph.kind(*node) == NodeKind::Function && !graph.flags(*node).has(NodeFlags::PROPERTY);
        let is_constructor = graph.flags(*node).has(NodeFlags::CONSTRUCTOR) && checked.covers(graph.path(*node));
        takes && is_called(*node) && (is_candidate(snapshot, checked, *node) || is_constructor)
    };
    let mut all: Vec<NodeIx> = graph.nodes().filter(is_function).collect();
    all.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    let mut random = Random::new(request.seed);
    let mut chosen = Vec::new();
    while chosen.len() < request.samples && !all.is_empty() {
        let node = all.swap_remove(random.below(all.len()));
        let first = random.below(KINDS.len());
        let kinds = KINDS.iter().cycle().skip(first).take(KINDS.len());
        chosen.extend({ kinds }.find_map(|kind| make_request(snapshot, node, *kind)));
    }
    chosen
}

/// A request of a kind for a function, if one can be made.
fn make_request(snapshot: &Snapshot, node: NodeIx, kind: Kind) -> Option<Sample> {
    let graph = snapshot.graph();
    let file = snapshot.file_of(node)?;
    let text = snapshot.read_file(&file.path).ok()?.text;
    let cancel = Cancel::new();
    let signatures = Signatures::parse(file.language, &text, snapshot.limits(), &cancel)?;
    let line: usize = text.split_inclusive('\n').take(graph.name_line(node) as usize - 1).map(str::len).sum();
    let label = graph.label(node);
    let list = signatures.parameters_at(line + text[line..].find(label)?)?;
    // Parameters with a name that are not the receiver.
    let name = |item: &ParameterPlace| Some(text[item.name?.0..item.name?.1].to_owned());
    let is_method = |name: &str| file.language == Language::Python && matches!(name, "self" | "cls");
    let named: Vec<(String, &ParameterPlace)> =
        list.items.iter().filter_map(|item| Some((name(item)?, item))).filter(|(name, _)| !is_method(name)).collect();
    let plain: Vec<&(String, &ParameterPlace)> =
        named.iter().filter(|(_, item)| item.form == ParameterForm::Plain && !item.is_field).collect();
    let mut arguments = json!({"operation": "change_signature", "node_id": graph.id(node), "confirm": true});
    let mut old = NEW.to_owned();
    match kind {
        Kind::AddDefault => {
            let parameter = match file.language {
                Language::Python => format!("{NEW}: int = 0"),
                Language::TypeScript | Language::Tsx => format!("{NEW}: number = 0"),
                Language::JavaScript => format!("{NEW} = 0"),
                Language::Cpp => format!("int {NEW} = 0"),
                _ => return None,
            };
            arguments["add"] = json!([{"parameter": parameter}]);
        }
        Kind::AddValue => {
            let parameter = match file.language {
                Language::Python => format!("{NEW}: int"),
                Language::TypeScript | Language::Tsx => format!("{NEW}: number"),
                Language::JavaScript => NEW.to_owned(),
                Language::Go => format!("{NEW} int"),
                Language::Rust => format!("{NEW}: usize"),
                _ => format!("int {NEW}"),
            };
            arguments["add"] = json!([{"parameter": parameter, "value": "0"}]);
        }
        Kind::Remove => {
            let range = list.function;
            let unused = plain.iter().find(|(name, item)| {
                let own = item.name.map(|range| range.0);
                list.body.is_some() && signatures.uses_of(range, name).iter().all(|found| Some(found.start) == own)
            })?;
            arguments["remove"] = json!([unused.0]);
        }
        Kind::Rename => {
            let (name, _) = plain.first()?;
            old.clone_from(name);
            arguments["rename"] = json!({ name: NEW });
        }
        Kind::Order => {
            let required: Vec<&String> =
                plain.iter().filter(|(_, item)| !item.is_optional).map(|(name, _)| name).collect();
            let (first, last) = (required.first()?, required.last()?);
            if first == last {
                return None;
            }
            let swap = |name: &String| match name {
                name if name == *first => (*last).clone(),
                name if name == *last => (*first).clone(),
                name => name.clone(),
            };
            arguments["order"] = json!(named.iter().map(|(name, _)| swap(name)).collect::<Vec<_>>());
        }
    }
    Some(Sample { id: graph.id(node).to_owned(), kind, arguments, old })
}
