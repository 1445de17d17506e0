//! `eval edits commits`: follows the newest commits of a repository along first parents, and asks the server at each
//! parent what an agent that makes the commit would ask.
//!
//! - *Alarms*: the commit is written by `apply_batch`. Commits of a maintained repository compile, so the verdict
//!   BROKEN is a false alarm.
//! - *Plan*: of a commit that changes three to twenty known files, every other file is given to `validate_plan`. The
//!   files that it names, co-change before gaps, are compared with the rest of the commit. ROSE answers from all
//!   commits before: the rules of each given file, by confidence.
//! - *Tests*: of a fix that changes code and tests, the code files are given; the tests that the answer names are
//!   compared with those that the fix changed.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_history::History;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Request;
use super::project::{Project, git};
use crate::Outcome;
use crate::eval::cochange::Mirror;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;

/// Repositories that are followed if none is named.
const REPOSITORIES: &[&str] =
    &["go-chi/chi", "psf/requests", "tokio-rs/bytes", "honojs/hono", "jhy/jsoup", "pallets/flask", "colinhacks/zod"];
/// Files of a commit that is asked about.
const FILES: std::ops::RangeInclusive<usize> = 3..=20;
/// Files of the largest commit that is written.
const MOST_FILES: usize = 60;
/// Files of the largest commit that ROSE learns from.
const ROSE_FILES: usize = 30;
/// Rows of an answer that count.
const TOP: usize = 10;
/// Endings of code.
const CODE: &[&str] = &[".rs", ".go", ".py", ".ts", ".tsx", ".js", ".java"];

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    /// Commits that were written.
    commits: u64,
    /// Those with verdict BROKEN.
    alarms: u64,
    /// Commits of several files.
    plans: u64,
    /// Mean share of the other files among ten rows, of the answer and of ROSE.
    ours: f64,
    rose: f64,
    /// Fixes with code and tests.
    fixes: u64,
    /// Those of which all changed tests are named.
    all_tests: u64,
    /// Changed tests, and those that are named.
    tests: u64,
    named: u64,
    /// Mean share of the test files that is named.
    chosen: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    format_version: u32,
    commits: u64,
    alarm_share: Option<f64>,
    plans: u64,
    recall_ratio: f64,
    /// Share of the changed tests of fixes that are named.
    tests_share: Option<f64>,
    repositories: BTreeMap<String, Counts>,
}

pub(super) fn run(request: &Request) -> Outcome<()> {
    let mut report = Report { format_version: 1, ..Report::default() };
    let all: Vec<String> = match request.repositories.as_slice() {
        [] => REPOSITORIES.iter().map(|name| (*name).to_owned()).collect(),
        named => named.to_vec(),
    };
    let (mut ours, mut rose) = (0.0, 0.0);
    for name in all {
        let mut counts = follow(request, &name)?;
        (ours, rose) = (ours + counts.ours, rose + counts.rose);
        counts.finish();
        println!("{name}: {counts:?}");
        report.repositories.insert(name, counts);
    }
    let sum = |of: fn(&Counts) -> u64| report.repositories.values().map(of).sum::<u64>();
    (report.commits, report.plans) = (sum(|counts| counts.commits), sum(|counts| counts.plans));
    report.alarm_share = ratio(sum(|counts| counts.alarms), report.commits);
    report.tests_share = ratio(sum(|counts| counts.named), sum(|counts| counts.tests));
    report.recall_ratio = if rose > 0.0 { round_value(ours / rose) } else { 0.0 };
    keep(&golden_folder("edits").join("commits.json"), &report, request.keep)
}

fn round_value(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

impl Counts {
    /// Makes means of sums.
    fn finish(&mut self) {
        (self.ours, self.rose) =
            (round_value(self.ours / self.plans.max(1) as f64), round_value(self.rose / self.plans.max(1) as f64));
        self.chosen = round_value(self.chosen / self.fixes.max(1) as f64);
    }
}

/// A commit with the files that it changes: path, and whether it exists before and after.
struct Commit {
    id: String,
    subject: String,
    files: Vec<(String, bool, bool)>,
}

fn commits(project: &Project, count: usize) -> Outcome<(String, Vec<Commit>)> {
    let number = format!("--max-count={}", count + 1);
    let log = git(&project.root, &["log", "--first-parent", "--format=%H %s", &number, "HEAD"])?;
    let mut rows: Vec<(&str, &str)> = log.lines().filter_map(|line| line.split_once(' ')).collect();
    rows.reverse();
    let Some((first, rest)) = rows.split_first() else { return Err("there are no commits".into()) };
    let mut all = Vec::new();
    let mut last = first.0;
    for (id, subject) in rest {
        let names = git(&project.root, &["diff", "--name-status", "--no-renames", "-z", last, id])?;
        let mut words = names.split('\0');
        let mut files = Vec::new();
        while let (Some(status), Some(path)) = (words.next(), words.next()) {
            files.push((path.to_owned(), status != "A", status != "D"));
        }
        all.push(Commit { id: (*id).to_owned(), subject: (*subject).to_owned(), files });
        last = id;
    }
    Ok((first.0.to_owned(), all))
}

fn follow(request: &Request, name: &str) -> Outcome<Counts> {
    let mut project = Project::check_out(request, name)?;
    let mirror = Mirror::open(&request.mirror, name)?;
    let (first, commits) = commits(&project, request.samples)?;
    project.reset(&first)?;
    project.serve(request)?;
    let mut counts = Counts::default();
    let mut whole: Option<History> = None;
    let mut parent = first;
    for commit in commits {
        let is_code = |path: &str| CODE.iter().any(|ending| path.ends_with(ending));
        if commit.files.iter().any(|(path, ..)| is_code(path)) && commit.files.len() <= MOST_FILES {
            let known: Vec<&str> = commit.files.iter().filter(|file| file.1).map(|file| file.0.as_str()).collect();
            if FILES.contains(&known.len()) {
                whole = Some(mirror.whole_history_at(&parent, whole.as_ref())?);
                plan(request, &mut project, whole.as_ref().expect("was just read"), &known, &mut counts);
            }
            if is_fix(&commit.subject) {
                tests(request, &mut project, &commit, &mut counts)?;
            }
            alarm(request, &mut project, &commit, &mut counts)?;
        }
        // Also what the batch could not write: links, files that are no text.
        project.reset(&commit.id)?;
        parent = commit.id;
    }
    Ok(counts)
}

/// Writes a commit as a batch.
fn alarm(request: &Request, project: &mut Project, commit: &Commit, counts: &mut Counts) -> Outcome<()> {
    let mut edits = Vec::new();
    for (path, _, is_there) in &commit.files {
        if !is_there {
            edits.push(json!({"file_path": path, "delete": true}));
            continue;
        }
        let Ok(text) = git(&project.root, &["show", &format!("{}:{path}", commit.id)]) else { continue };
        // Not what git gives as text: left to the checkout that follows.
        if !text.contains(['\0', '\u{FFFD}']) && !path.starts_with('.') {
            edits.push(json!({"file_path": path, "new_content": text}));
        }
    }
    let (answer, is_error) = project.call("apply_batch", json!({"edits": edits, "verify": true}));
    if is_error {
        if request.explain > 0 {
            println!("not written {}: {answer}", commit.id);
        }
        return Ok(());
    }
    counts.commits += 1;
    if answer["verification"]["verdict"] == json!("BROKEN") {
        counts.alarms += 1;
        if request.explain > 0 {
            let syntax: Vec<&Value> =
                answer["results"].as_array().into_iter().flatten().map(|row| &row["syntax"]["new_errors"]).collect();
            let syntax: Vec<&&Value> = syntax.iter().filter(|row| row.is_array()).collect();
            let broken: String = answer["verification"]["broken"].to_string().chars().take(900).collect();
            println!("alarm {} {}: {broken} {syntax:?}", commit.id, commit.subject);
        }
    }
    Ok(())
}

/// Asks for the other half of a commit.
fn plan(request: &Request, project: &mut Project, history: &History, files: &[&str], counts: &mut Counts) {
    let given: Vec<&str> = files.iter().step_by(2).copied().collect();
    let rest: BTreeSet<&str> = files.iter().skip(1).step_by(2).copied().collect();
    // Loads the history.
    project.call("predict", json!({"changed_node": given[0]}));
    let actions: Vec<Value> = given.iter().map(|file| json!({"action": "modify", "file": file})).collect();
    let (answer, is_error) = project.call("validate_plan", json!({"actions": actions}));
    if is_error {
        return;
    }
    let mut named: Vec<&str> = Vec::new();
    for list in ["co_change", "gaps"] {
        for row in answer[list].as_array().into_iter().flatten() {
            let path = row["file_path"].as_str().unwrap_or_default();
            if !named.contains(&path) {
                named.push(path);
            }
        }
    }
    let recall =
        |named: &[&str]| named.iter().take(TOP).filter(|path| rest.contains(**path)).count() as f64 / rest.len() as f64;
    let rose = rose(history, &given);
    if request.explain > 0 {
        let first = &named[..named.len().min(TOP)];
        println!("plan: given {given:?}, wanted {rest:?}, named {first:?}, ROSE {rose:?}");
    }
    counts.plans += 1;
    counts.ours += recall(&named);
    counts.rose += recall(&rose.iter().map(String::as_str).collect::<Vec<_>>());
}

/// The files that ROSE names for some: of each file the rules by confidence, the best rule of each named file counts.
fn rose(history: &History, given: &[&str]) -> Vec<String> {
    let mut best: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for query in given {
        let Some(file) = history.file(query) else { continue };
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let changes: Vec<usize> = file
            .changes()
            .map(|change| change.commit)
            .filter(|at| history.commits()[*at].count_touched() <= ROSE_FILES)
            .collect();
        for commit in &changes {
            for other in history.touched_by(*commit).filter(|other| !given.contains(&other.path())) {
                *counts.entry(other.path()).or_default() += 1;
            }
        }
        for (path, support) in counts {
            let rule = (support as f64 / changes.len() as f64, support);
            let known = best.entry(path).or_insert(rule);
            if rule > *known {
                *known = rule;
            }
        }
    }
    let mut rows: Vec<(&str, (f64, usize))> = best.into_iter().collect();
    rows.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(b.1.1.cmp(&a.1.1)).then(a.0.cmp(b.0)));
    rows.into_iter().take(TOP).map(|(path, _)| path.to_owned()).collect()
}

/// Asks for the tests of a fix.
fn tests(request: &Request, project: &mut Project, commit: &Commit, counts: &mut Counts) -> Outcome<()> {
    let is_code = |path: &str| CODE.iter().any(|ending| path.ends_with(ending));
    let known = commit.files.iter().filter(|(path, before, after)| *before && *after && is_code(path));
    let (touched, code): (Vec<&str>, Vec<&str>) = known.map(|file| file.0.as_str()).partition(|path| is_test(path));
    if touched.is_empty() || code.is_empty() {
        return Ok(());
    }
    let actions: Vec<Value> = code.iter().map(|file| json!({"action": "modify", "file": file})).collect();
    let (answer, is_error) = project.call("validate_plan", json!({"actions": actions}));
    if is_error {
        return Ok(());
    }
    let rows = answer["test_coverage"]["tests"].as_array().into_iter().flatten();
    let named: BTreeSet<&str> =
        rows.flat_map(|row| row["tests"].as_array().into_iter().flatten()).filter_map(Value::as_str).collect();
    let listing = git(&project.root, &["ls-files"])?;
    let all = listing.lines().filter(|path| is_code(path) && is_test(path)).count();
    let found = touched.iter().filter(|path| named.contains(**path)).count();
    counts.fixes += 1;
    counts.tests += touched.len() as u64;
    counts.named += found as u64;
    counts.all_tests += u64::from(found == touched.len());
    counts.chosen += named.len() as f64 / all.max(1) as f64;
    if found < touched.len() && request.explain > 0 {
        println!("tests {}: code {code:?}, changed {touched:?}, named {named:?}", commit.id);
    }
    Ok(())
}

/// Whether a path is that of a test, by the usual conventions.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let in_folder = path.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__"));
    in_folder
        || name.starts_with("test_")
        || ["_test.go", ".test.ts", ".test.tsx", ".test.js", "Test.java", "_test.py"]
            .iter()
            .any(|end| name.ends_with(end))
}

fn is_fix(subject: &str) -> bool {
    let words = subject.to_lowercase();
    ["fix", "bug", "correct", "regression"].iter().any(|word| words.contains(word))
}

#[cfg(test)]
mod tests_of_paths {
    use super::*;

    #[test]
    fn tests_are_told_by_their_paths() {
        for path in ["tests/test_a.py", "mux_test.go", "src/a.test.ts", "src/test/java/org/A.java"] {
            assert!(is_test(path), "{path}");
        }
        assert!(!is_test("src/testing.rs") && !is_test("src/contest.py"));
    }
}
