//! `eval edits move`: after a definition is in another file, the project compiles as before, and its tests pass.
//!
//! Definitions at the top of a file are sampled, each with another file of its language as the target, every second one
//! with a new file beside that. Each is moved by `refactor_commit` and compiled with the others of its batch; if that
//! fails, each is compiled alone. No sample is chosen by its result.

use std::collections::BTreeMap;

use m1nd_base::{NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;
use m1nd_testkit::Random;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compilers::{Checked, Errors, new_errors};
use super::project::Project;
use super::refactorings::reason_of;
use super::{Request, keep_others};
use crate::Outcome;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;
use crate::eval::ours::open_indexed;

/// Moves before the compiler runs.
const BATCH: usize = 4;

/// Draws for each sample, until a definition and a target fit.
const TRIES: usize = 200;

/// Parts of refusals that a compiler would give as well, whoever moves the text: another name, another package or more
/// changes would be needed.
const DUE: &[&str] = &[
    "does not export",
    "capital letter",
    "import cycle",
    "would import itself",
    "already",
    "other conditions",
    "another crate",
    "package main",
    "internal package",
    "runs by itself",
    "constants that count",
    "is public, so its file must be",
    "compiled with other files",
    "without the names of its fields",
    "seen by the order of the text",
    "declared by no module",
    "nothing can import",
    "which `isolatedDeclarations` wants",
    "include cycle",
    "keeps to itself",
    "cannot include a source file",
    "would be defined in every file",
];

/// What became of the moves of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    language: String,
    moves: u64,
    refused: u64,
    /// Refusals that a compiler would give as well.
    refused_due: u64,
    /// Refusals by their reason.
    reasons: BTreeMap<String, u64>,
    accepted: u64,
    /// Those after which the project compiles as before.
    compiles: u64,
    /// Those of them after which the tests were run, and after which none fails that passed.
    tested: u64,
    tests_pass: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    format_version: u32,
    moves: u64,
    /// Of all without those that a compiler would refuse as well.
    refused_share: Option<f64>,
    accepted: u64,
    /// Of those that are not refused.
    compiles_share: Option<f64>,
    /// Of those after which tests were run.
    tests_share: Option<f64>,
    repositories: BTreeMap<String, Counts>,
}

/// A definition, and where it goes.
#[derive(Debug, Clone)]
struct Sample {
    id: String,
    to: String,
}

pub(super) fn run(request: &Request) -> Outcome<()> {
    let mut report = Report { format_version: 1, ..Report::default() };
    for checked in Checked::of(request) {
        let counts = repository(request, &checked)?;
        println!("{}: {counts:?}", checked.repository);
        report.repositories.insert(checked.repository.to_owned(), counts);
    }
    let path = golden_folder("edits").join("move.json");
    keep_others(&path, request, &mut report.repositories)?;
    let sum = |of: fn(&Counts) -> u64| report.repositories.values().map(of).sum::<u64>();
    report.moves = sum(|counts| counts.moves);
    let due = sum(|counts| counts.refused_due);
    report.refused_share = ratio(sum(|counts| counts.refused) - due, report.moves - due);
    report.accepted = sum(|counts| counts.accepted);
    report.compiles_share = ratio(sum(|counts| counts.compiles), report.accepted);
    report.tests_share = ratio(sum(|counts| counts.tests_pass), sum(|counts| counts.tested));
    keep(&path, &report, request.keep)
}

fn repository(request: &Request, checked: &Checked) -> Outcome<Counts> {
    let mut project = Project::check_out(request, checked.repository)?;
    let samples = {
        let engine = open_indexed(project.home(), &project.root)?;
        sample(&engine.snapshot(), checked, request)
    };
    project.serve(request)?;
    let before = Before {
        errors: without_files(&checked.first_errors(request, &project.root)?),
        failing: checked.failing_tests(request, &project.root)?,
    };
    let mut counts = Counts { language: checked.language.to_owned(), moves: samples.len() as u64, ..Counts::default() };
    for batch in samples.chunks(BATCH) {
        let mut moved = Vec::new();
        for sample in batch {
            let mut outcome = move_definition(&mut project, sample);
            // A move before it may stand in the way.
            if outcome.is_err() && !moved.is_empty() {
                settle(request, checked, &mut project, (&before, &std::mem::take(&mut moved)), &mut counts)?;
                outcome = move_definition(&mut project, sample);
            }
            match outcome {
                Ok(()) => moved.push(sample),
                Err(answer) => {
                    if request.explain > 0 {
                        println!("refused {} → {}: {}", sample.id, sample.to, answer["error"]);
                    }
                    let text = answer.to_string();
                    counts.refused += 1;
                    counts.refused_due += u64::from(DUE.iter().any(|part| text.contains(part)));
                    *counts.reasons.entry(reason_of(&answer)).or_default() += 1;
                }
            }
        }
        settle(request, checked, &mut project, (&before, &moved), &mut counts)?;
    }
    Ok(counts)
}

/// What a repository has before any move.
struct Before {
    errors: Errors,
    /// Tests that fail.
    failing: Option<Errors>,
}

/// Compiles and tests what was moved, and undoes it. If anything fails, each move is tried alone.
fn settle(
    request: &Request,
    checked: &Checked,
    project: &mut Project,
    (before, moved): (&Before, &[&Sample]),
    counts: &mut Counts,
) -> Outcome<()> {
    if moved.is_empty() {
        return Ok(());
    }
    counts.accepted += moved.len() as u64;
    let found = find_faults(request, checked, project, before)?;
    project.restore()?;
    if found.errors.is_empty() && found.failing.as_ref().is_none_or(Vec::is_empty) {
        counts.compiles += moved.len() as u64;
        counts.tested += if found.failing.is_some() { moved.len() as u64 } else { 0 };
        counts.tests_pass += if found.failing.is_some() { moved.len() as u64 } else { 0 };
        return Ok(());
    }
    for sample in moved {
        if move_definition(project, sample).is_err() {
            // Only possible behind another one: what fails together counts as failed.
            continue;
        }
        let found = find_faults(request, checked, project, before)?;
        counts.compiles += u64::from(found.errors.is_empty());
        counts.tested += u64::from(found.failing.is_some());
        counts.tests_pass += u64::from(found.failing.as_ref().is_some_and(Vec::is_empty));
        if request.explain > 0 && !found.errors.is_empty() {
            println!("broken {} → {}: {:?}", sample.id, sample.to, &found.errors[..found.errors.len().min(6)]);
        }
        if let Some(failing) = found.failing.filter(|failing| request.explain > 0 && !failing.is_empty()) {
            println!("failing {} → {}: {failing:?}", sample.id, sample.to);
        }
        project.restore()?;
    }
    Ok(())
}

/// New errors, and tests that fail now, where they were run: only in a project that compiles.
struct Faults {
    errors: Vec<String>,
    failing: Option<Vec<String>>,
}

fn find_faults(request: &Request, checked: &Checked, project: &Project, before: &Before) -> Outcome<Faults> {
    let after = without_files(&checked.errors(request, &project.root)?);
    let errors = new_errors(&before.errors, &after, None);
    let Some(known) = before.failing.as_ref().filter(|_| errors.is_empty()) else {
        return Ok(Faults { errors, failing: None });
    };
    // A test that moves has another path.
    let failing = checked.failing_tests(request, &project.root)?;
    let failing = failing.map(|now| new_errors(&without_paths(known), &without_paths(&now), None));
    Ok(Faults { errors, failing })
}

/// Failing tests by their names alone.
fn without_paths(failing: &Errors) -> Errors {
    let mut found = Errors::new();
    for (line, count) in failing {
        *found.entry(line.rsplit("::").next().unwrap_or(line).to_owned()).or_default() += count;
    }
    found
}

/// Errors without the names of files: those that were there move with the code.
fn without_files(errors: &Errors) -> Errors {
    let mut found = Errors::new();
    for (line, count) in errors {
        let message = line.trim_start_matches("vet: ").split_once(':').map_or(line.as_str(), |(_, message)| message);
        *found.entry(message.to_owned()).or_default() += count;
    }
    found
}

/// Moves a definition; the refusal if there is one.
fn move_definition(project: &mut Project, sample: &Sample) -> Result<(), Value> {
    let arguments = json!({"operation": "move", "node_id": sample.id, "to": sample.to, "confirm": true});
    match project.call("refactor_commit", arguments) {
        (_, false) => Ok(()),
        (answer, true) => Err(answer),
    }
}

fn is_test(path: &str) -> bool {
    RepoPath::new(path).is_ok_and(|path| m1nd_lang::is_test_path(&path))
}

/// Definitions and targets, evenly at random.
fn sample(snapshot: &Snapshot, checked: &Checked, request: &Request) -> Vec<Sample> {
    let graph = snapshot.graph();
    let mut all: Vec<NodeIx> = graph.nodes().filter(|node| is_candidate(snapshot, checked, *node)).collect();
    all.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    let files = snapshot.files().iter().map(|entry| entry.path.as_str()).filter(|path| checked.covers(path));
    let mut files: Vec<String> = files.map(str::to_owned).collect();
    files.sort();
    let mut random = Random::new(request.seed);
    let mut chosen = Vec::new();
    for _ in 0..request.samples * TRIES {
        if chosen.len() >= request.samples || all.is_empty() {
            break;
        }
        let node = all.swap_remove(random.below(all.len()));
        let other = files[random.below(files.len())].clone();
        let is_new = chosen.len() % 2 == 1;
        let (own, label) = (graph.path(node), graph.label(node));
        let ending = own.rsplit('.').next().unwrap_or_default();
        // Tests go to tests: they are compiled apart.
        let is_same_kind = other.rsplit('.').next() == Some(ending) && other != own && is_test(&other) == is_test(own);
        if !is_same_kind {
            all.push(node);
            continue;
        }
        let folder = other.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let to = match (is_new || ending == "java", ending) {
            (false, _) => other,
            // A public class must be in a file of its name.
            (true, "java") => format!("{folder}{label}.java"),
            (true, "go") if own.ends_with("_test.go") => format!("{folder}moved_{}_test.go", label.to_lowercase()),
            (true, _) => format!("{folder}moved_{}.{ending}", label.to_lowercase()),
        };
        if snapshot.graph().find_file(&to).is_none() || !is_new {
            chosen.push(Sample { id: graph.id(node).to_owned(), to });
        }
    }
    chosen
}

fn is_candidate(snapshot: &Snapshot, checked: &Checked, node: NodeIx) -> bool {
    let graph = snapshot.graph();
    // Most code of C++ is in a namespace.
    let is_outer = |kind| kind == NodeKind::File || kind == NodeKind::Module && checked.language == "C++";
    let is_top = graph.parent(node).is_some_and(|parent| is_outer(graph.kind(parent)));
    let is_kind = matches!(
        graph.kind(node),
        NodeKind::Function
            | NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Enum
            | NodeKind::Trait
            | NodeKind::Interface
            | NodeKind::Type
            | NodeKind::Constant
            | NodeKind::Variable
    );
    let label = graph.label(node);
    is_top
        && is_kind
        && checked.covers(graph.path(node))
        && !graph.id(node).contains("::impl::")
        && !matches!(label, "main" | "init" | "_")
        && label.chars().all(|c| c.is_alphanumeric() || c == '_')
}
