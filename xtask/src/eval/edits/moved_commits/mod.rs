//! `eval edits moved-commits`: commits of public histories that move a definition, made anew by `move` at their
//! parents.
//!
//! A commit counts if a whole definition at the top of one file left it and came to another one, (nearly) unchanged.
//! A commit that changes much else is left out, before anything is tried. Commits are drawn at random from all of a
//! repository, never by their result. `move` is applied at the parent for each of the moved definitions; if one is
//! refused, the commit is counted as refused. Of the files that both the commit and `move` touch, the changed imports
//! and uses are compared: one row for each imported name, and for each line that names a moved definition differently.

mod find;
mod lines;

use std::collections::{BTreeMap, BTreeSet};

use m1nd_testkit::Random;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::find::{MoveCommit, find_commits};
use self::lines::{Scope, changed_rows, count_equal};
use super::Request;
use super::project::{Project, git};
use super::refactorings::reason_of;
use crate::Outcome;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;

/// Repositories that are followed if none is named, with the endings of their files.
const REPOSITORIES: &[(&str, &str, &[&str])] = &[
    ("FasterXML/jackson-databind", "Java", &[".java"]),
    ("square/javapoet", "Java", &[".java"]),
    ("google/gson", "Java", &[".java"]),
    ("jhy/jsoup", "Java", &[".java"]),
    ("pallets/click", "Python", &[".py"]),
    ("pallets/werkzeug", "Python", &[".py"]),
    ("psf/black", "Python", &[".py"]),
    ("dask/dask", "Python", &[".py"]),
    ("wagtail/wagtail", "Python", &[".py"]),
    ("reduxjs/redux-toolkit", "TypeScript", &[".ts", ".tsx"]),
    ("sindresorhus/got", "TypeScript", &[".ts"]),
    ("honojs/hono", "TypeScript", &[".ts", ".tsx"]),
    ("typescript-eslint/typescript-eslint", "TypeScript", &[".ts"]),
    ("tokio-rs/bytes", "Rust", &[".rs"]),
    ("chronotope/chrono", "Rust", &[".rs"]),
    ("BurntSushi/ripgrep", "Rust", &[".rs"]),
    ("sharkdp/bat", "Rust", &[".rs"]),
    ("sharkdp/fd", "Rust", &[".rs"]),
];

/// Draws of commits for each one that is wanted: some cannot be moved.
const DRAWS: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    language: String,
    /// Commits of the history that move definitions.
    found: u64,
    tried: u64,
    refused: u64,
    /// Refusals by their reason.
    reasons: BTreeMap<String, u64>,
    /// Commits that were made anew.
    compared: u64,
    /// Those in which both sides change the same rows.
    same: u64,
    /// Changed rows of both sides, and those that both have.
    rows: u64,
    equal: u64,
    /// Further rows that import the same name by another path.
    equivalent: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    format_version: u32,
    tried: u64,
    refused_share: Option<f64>,
    compared: u64,
    /// Rows that both sides have, of the rows of both.
    equal_share: Option<f64>,
    /// With those that import the same name by another path.
    equivalent_share: Option<f64>,
    repositories: BTreeMap<String, Counts>,
}

pub(super) fn run(request: &Request) -> Outcome<()> {
    let mut report = Report { format_version: 1, ..Report::default() };
    for (repository, language, endings) in REPOSITORIES {
        if !request.repositories.is_empty() && !request.repositories.iter().any(|name| name == repository) {
            continue;
        }
        let mut counts = follow(request, repository, endings)?;
        (*language).clone_into(&mut counts.language);
        println!("{repository}: {counts:#?}");
        report.repositories.insert((*repository).to_owned(), counts);
    }
    let sum = |of: fn(&Counts) -> u64| report.repositories.values().map(of).sum::<u64>();
    report.tried = sum(|counts| counts.tried);
    report.compared = sum(|counts| counts.compared);
    report.refused_share = ratio(sum(|counts| counts.refused), report.tried);
    let (equal, rows) = (sum(|counts| counts.equal), sum(|counts| counts.rows));
    report.equal_share = ratio(equal, rows);
    report.equivalent_share = ratio(equal + sum(|counts| counts.equivalent), rows);
    keep(&golden_folder("edits").join("moved_commits.json"), &report, request.keep)
}

/// Draws commits of a repository until enough of them could be compared.
fn follow(request: &Request, repository: &str, endings: &[&str]) -> Outcome<Counts> {
    let mut project = Project::check_out(request, repository)?;
    let mut commits = find_commits(&project.root, endings)?;
    let mut counts = Counts { found: commits.len() as u64, ..Counts::default() };
    let mut random = Random::new(request.seed);
    let mut is_served = false;
    while !commits.is_empty()
        && (counts.compared as usize) < request.samples
        && (counts.tried as usize) < request.samples * DRAWS
    {
        let commit = commits.swap_remove(random.below(commits.len()));
        project.reset(&format!("{}^", commit.id))?;
        if !is_served {
            project.serve(request)?;
            is_served = true;
        }
        project.ingest()?;
        counts.tried += 1;
        match apply(&mut project, &commit) {
            Ok(()) => compare(request, &project, &commit, &mut counts)?,
            Err(answer) => {
                counts.refused += 1;
                *counts.reasons.entry(reason_of(&answer)).or_default() += 1;
                if request.explain > 0 {
                    let names: Vec<String> =
                        commit.moves.iter().map(|row| format!("{} {} → {}", row.name, row.from, row.to)).collect();
                    println!("refused {} {names:?}: {}", commit.id, answer["error"]);
                }
            }
        }
    }
    Ok(counts)
}

/// Moves what a commit moves. A move that needs another one first is tried again behind that.
fn apply(project: &mut Project, commit: &MoveCommit) -> Result<(), serde_json::Value> {
    let mut call = |node: &str, to: &str| {
        let arguments = json!({"operation": "move", "node_id": node, "to": to, "confirm": true});
        match project.call("refactor_commit", arguments) {
            (_, false) => Ok(()),
            (answer, true) => Err(answer),
        }
    };
    let files = commit.whole.iter().map(|(from, to)| (format!("file::{from}"), to.as_str()));
    let parts = commit.moves.iter().filter(|row| !commit.whole.contains_key(&row.from));
    let parts = parts.map(|row| (format!("file::{}::{}::{}", row.from, row.word, row.name), row.to.as_str()));
    let mut left: Vec<(String, &str)> = files.chain(parts).collect();
    while !left.is_empty() {
        let (mut refused, mut last) = (Vec::new(), None);
        for row in &left {
            if let Err(answer) = call(&row.0, row.1) {
                refused.push(row.clone());
                last = Some(answer);
            }
        }
        match last {
            Some(answer) if refused.len() == left.len() => return Err(answer),
            _ => left = refused,
        }
    }
    Ok(())
}

/// Compares what is written with the commit.
fn compare(request: &Request, project: &Project, commit: &MoveCommit, counts: &mut Counts) -> Outcome<()> {
    let parent = format!("{}^", commit.id);
    git(&project.root, &["add", "--all"])?;
    let paths = |text: String| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let ours = paths(git(&project.root, &["diff", "--cached", "--name-only", "--no-renames", &parent])?);
    let theirs = paths(git(&project.root, &["diff", "--name-only", "--no-renames", &parent, &commit.id])?);
    let scope = Scope::of(&commit.moves);
    let show =
        |revision: &str, path: &str| git(&project.root, &["show", &format!("{revision}:{path}")]).unwrap_or_default();
    let mut is_same = true;
    for path in ours.intersection(&theirs) {
        if commit.whole.contains_key(path) {
            continue;
        }
        // A file that goes as a whole is compared with what it was at its old path.
        let old = commit.whole.iter().find(|(_, to)| *to == path).map_or(path, |(from, _)| from);
        let before = show(&parent, old);
        let written = std::fs::read_to_string(project.root.join(path)).unwrap_or_default();
        let own = changed_rows(path, &before, &written, &scope);
        let real = changed_rows(path, &before, &show(&commit.id, path), &scope);
        let (equal, equivalent) = count_equal(&own, &real);
        let rows = own.values().sum::<usize>() + real.values().sum::<usize>();
        counts.rows += rows as u64;
        counts.equal += equal as u64;
        counts.equivalent += equivalent as u64;
        is_same &= own == real;
        if request.explain > 0 && own != real {
            println!("differs {} {path}", commit.id);
            for (key, _) in own.iter().filter(|(key, count)| real.get(key) != Some(count)) {
                println!("  ours  {} {}", key.0, key.1);
            }
            for (key, _) in real.iter().filter(|(key, count)| own.get(key) != Some(count)) {
                println!("  commit {} {}", key.0, key.1);
            }
        }
    }
    counts.compared += 1;
    counts.same += u64::from(is_same);
    Ok(())
}
