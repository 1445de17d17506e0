//! Refactorings that are written and compiled: what `eval edits extract` and `eval edits inline` share.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compilers::{Checked, Errors, new_errors};
use super::project::Project;
use super::{Request, keep_others};
use crate::Outcome;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;

/// Refactorings that are written before the compiler runs, each in a file of its own.
const BATCH: usize = 8;
/// Characters of a reason that are kept.
const MAX_REASON: usize = 90;

/// Parts of the reasons that belong to what the operations are: control flow that leaves the lines, a function that is
/// not alone under its name, uses that are not calls, a body whose members the language hides from the caller. Nobody
/// expects these to work.
const OUTSIDE: &[&str] = &[
    "leaves the function", "belongs to a loop around", "belongs to the generator", "`goto` belongs to the function",
    "a label may be used from outside", "which may leave the lines", "returns in the middle", "is overridden by it",
    "overrides it", "may override", "implements a member", "calls itself", "uses it as a value",
    "used here without a call", "no function with a body", "hidden from it", "runs at the end of the function",
    "is called by the language",
];

/// A refactoring that is tried.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    /// The file that it writes.
    pub(super) path: String,
    pub(super) arguments: Value,
}

/// What became of the refactorings of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    language: String,
    tried: u64,
    refused: u64,
    /// Those of them that are outside of what the operation is: see `OUTSIDE`.
    #[serde(default)]
    outside: u64,
    /// Refusals by their reason, without the names in it.
    reasons: BTreeMap<String, u64>,
    written: u64,
    /// Those after which the project compiles as before.
    compiles: u64,
}

/// The results of all repositories.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Report {
    format_version: u32,
    tried: u64,
    refused_share: Option<f64>,
    /// Without those that are outside of what the operation is, of the rest.
    #[serde(default)]
    refused_inside_share: Option<f64>,
    #[serde(default)]
    seed: u64,
    written: u64,
    /// Of those that are not refused.
    compiles_share: Option<f64>,
    repositories: BTreeMap<String, Counts>,
}

/// Tries the operations that `sample` chooses in each repository.
pub(super) fn run(
    request: &Request,
    file: &str,
    sample: fn(&Request, &Checked, &Project) -> Outcome<Vec<Operation>>,
) -> Outcome<()> {
    let mut report = Report { format_version: 1, ..Report::default() };
    for checked in Checked::of(request) {
        let mut project = Project::check_out(request, checked.repository)?;
        let operations = sample(request, &checked, &project)?;
        project.serve(request)?;
        let counts = try_all(request, &checked, &mut project, &operations)?;
        println!("{}: {counts:#?}", checked.repository);
        std::io::Write::flush(&mut std::io::stdout())?;
        report.repositories.insert(checked.repository.to_owned(), counts);
    }
    let path = golden_folder("edits").join(file);
    keep_others(&path, request, &mut report.repositories)?;
    let sum = |of: fn(&Counts) -> u64| report.repositories.values().map(of).sum::<u64>();
    report.tried = sum(|counts| counts.tried);
    report.written = sum(|counts| counts.written);
    report.seed = request.seed;
    let outside = sum(|counts| counts.outside);
    report.refused_share = ratio(sum(|counts| counts.refused), report.tried);
    report.refused_inside_share = ratio(sum(|counts| counts.refused) - outside, report.tried - outside);
    report.compiles_share = ratio(sum(|counts| counts.compiles), report.written);
    keep(&path, &report, request.keep)
}

fn try_all(request: &Request, checked: &Checked, project: &mut Project, operations: &[Operation]) -> Outcome<Counts> {
    let before = checked.first_errors(request, &project.root)?;
    project.restore()?;
    let mut counts =
        Counts { language: checked.language.to_owned(), tried: operations.len() as u64, ..Counts::default() };
    let mut written: Vec<&Operation> = Vec::new();
    let mut touched: BTreeSet<String> = BTreeSet::new();
    for operation in operations {
        if written.len() == BATCH || touched.contains(&operation.path) {
            settle(request, checked, project, (&before, &std::mem::take(&mut written)), &mut counts)?;
            touched.clear();
        }
        match commit(project, operation) {
            Ok(files) => {
                written.push(operation);
                touched.extend(files);
            }
            Err(answer) => {
                let reason = reason_of(&answer);
                if request.explain > 0 {
                    println!("refused {}: {}", operation.arguments, answer["error"]);
                }
                counts.refused += 1;
                let text = answer["error"].as_str().unwrap_or_default();
                counts.outside += u64::from(OUTSIDE.iter().any(|part| text.contains(part)));
                *counts.reasons.entry(reason).or_default() += 1;
            }
        }
    }
    settle(request, checked, project, (&before, &written), &mut counts)?;
    Ok(counts)
}

/// Compiles what was written, and undoes it. If it does not compile, each operation is compiled alone.
fn settle(
    request: &Request,
    checked: &Checked,
    project: &mut Project,
    (before, written): (&Errors, &[&Operation]),
    counts: &mut Counts,
) -> Outcome<()> {
    if written.is_empty() {
        return Ok(());
    }
    counts.written += written.len() as u64;
    let after = checked.errors(request, &project.root)?;
    project.restore()?;
    if new_errors(before, &after, None).is_empty() {
        counts.compiles += written.len() as u64;
        return Ok(());
    }
    // Each alone.
    for operation in written {
        if commit(project, operation).is_err() {
            continue;
        }
        let after = checked.errors(request, &project.root)?;
        let errors = new_errors(before, &after, None);
        counts.compiles += u64::from(errors.is_empty());
        if !errors.is_empty() && request.explain > 0 {
            println!("broken {}: {:#?}", operation.arguments, &errors[..errors.len().min(4)]);
            println!("{}", super::project::git(&project.root, &["diff", "-U1"])?);
        }
        project.restore()?;
    }
    Ok(())
}

/// Writes a refactoring: the files, or the error.
fn commit(project: &mut Project, operation: &Operation) -> Result<Vec<String>, Value> {
    let mut arguments = operation.arguments.clone();
    arguments["confirm"] = json!(true);
    let (mut answer, mut is_error) = project.call("refactor_commit", arguments.clone());
    // The index may not have seen yet that files were brought back.
    if is_error && answer["error"].as_str().is_some_and(|error| error.contains("read it again")) {
        project.ingest().map_err(|error| json!({"error": error.to_string()}))?;
        (answer, is_error) = project.call("refactor_commit", arguments);
    }
    if is_error {
        return Err(answer);
    }
    let files = answer["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(files.map(str::to_owned).collect())
}

/// The reason of a refusal, without names and places.
pub(super) fn reason_of(answer: &Value) -> String {
    let message = answer["error"].as_str().map_or_else(|| answer.to_string(), str::to_owned);
    let words = message.split('`').enumerate().map(|(place, part)| if place % 2 == 1 { "_" } else { part });
    let text: String = words.collect();
    let kept =
        text.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()) && !word.contains('/'));
    kept.collect::<Vec<_>>().join(" ").chars().take(MAX_REASON).collect()
}
