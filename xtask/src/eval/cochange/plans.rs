//! `cargo xtask eval plans`: of a commit that changes three to twenty known files, every other file is given, and the
//! others are the right answers: what `validate_plan` lists as `co_change`. Only older commits are evidence; the code
//! is that of the commit before all of them. Beside it, ROSE answers from all commits before: the rules of each given
//! file, by confidence. With `--fit`, the weights are fitted to the repositories that are named.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_history::{FileHistory, History, Moment};
use m1nd_query::changes::predict::{
    Around, Beside, Changed, JOINT_SIGNALS, JointModel, Part, PredictModel, candidates, joint_signals,
};
use serde::{Deserialize, Serialize};

use super::Fitting;
use super::fit::{Question, fit, measures};
use super::repository::Mirror;
use super::{RANKED, ROSE_FILES, TOP, model, round_value};
use crate::eval::arguments::Keep;
use crate::eval::golden::keep;
use crate::eval::linear;
use crate::{Outcome, repository};

const COUNT: usize = JOINT_SIGNALS.len();
const USAGE: &str = "expected: cargo xtask eval plans --mirror DIR --checkouts DIR [--repository owner/name]... \
                     [--fit] [--check | --write]";
/// Repositories that are asked about if none is named; the weights are fitted to others.
const REPOSITORIES: &[&str] =
    &["go-chi/chi", "psf/requests", "tokio-rs/bytes", "honojs/hono", "jhy/jsoup", "pallets/flask", "colinhacks/zod"];
/// Path of the weights.
const WEIGHTS: &str = "crates/query/src/changes/predict/joint_weights.txt";
/// Known files of a commit that is asked about.
const FILES: std::ops::RangeInclusive<usize> = 3..=20;
/// Newest such commits of a repository.
const COMMITS: usize = 120;
/// Commits that must be older.
const LEAST_BEFORE: usize = 100;

/// Mean share of the other files among the first ten.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    plans: usize,
    rose: f64,
    ours: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    /// Ours over ROSE, of the means over the repositories.
    recall_ratio: f64,
    repositories: BTreeMap<String, Counts>,
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let Fitting { mirror, checkouts, mut names, fits, how } = Fitting::parse(args, USAGE)?;
    if names.is_empty() {
        names = REPOSITORIES.iter().map(|name| (*name).to_owned()).collect();
    }
    let (mut questions, mut report) = (Vec::new(), Report::default());
    for name in names {
        let (own, rose) = questions_from(&mirror, &name, &checkouts)?;
        println!("{name}: {} plans, ROSE {rose:.3}", own.len());
        report.repositories.insert(name, Counts { plans: own.len(), rose: round_value(rose), ours: 0.0 });
        questions.extend(own);
    }
    if fits {
        return fit_to(&questions, how);
    }
    let model = read_stored()?;
    for (name, counts) in &mut report.repositories {
        let own: Vec<&Question<COUNT>> = questions.iter().filter(|question| question.repo == *name).collect();
        counts.ours = round_value(measures(&own, |_| model)[0]);
    }
    let sum = |of: fn(&Counts) -> f64| report.repositories.values().map(of).sum::<f64>();
    report.recall_ratio = round_value(sum(|counts| counts.ours) / sum(|counts| counts.rose));
    println!("{report:#?}");
    keep(&repository().join("eval/cochange/plans.json"), &report, how)
}

/// The weights as they are in the repository now.
fn read_stored() -> Outcome<JointModel> {
    let path = repository().join(WEIGHTS);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(JointModel::parse(&text, &JOINT_SIGNALS))
}

fn fit_to(questions: &[Question<COUNT>], how: Keep) -> Outcome<()> {
    let all: Vec<&Question<COUNT>> = questions.iter().collect();
    let fitted = fit(&all);
    let left_out = linear::left_out(questions, |question| &question.repo, fit);
    let held_out = measures(&all, |question| left_out[question.repo.as_str()])[0];
    let (now, best) = (read_stored()?, measures(&all, |_| fitted)[0]);
    println!("recall@10: as it is {:.3}, fitted {best:.3}", measures(&all, |_| now)[0]);
    println!("with its repository left out {held_out:.3}");
    let mut text = format!(
        "# Weights of the signals by which files are ordered that may change with several changed ones: logarithms of\n\
         # odds, a logistic model. Fitted by `cargo xtask eval plans --fit` to {} commits of {} public repositories,\n\
         # answered from older commits. With groups of repositories left out of the fit in turn: recall@10 {held_out:.3}.\n",
        questions.len(),
        left_out.len(),
    );
    for (name, weight) in JOINT_SIGNALS.iter().zip(fitted.weights()) {
        text += &format!("{name} {weight:.3}\n");
    }
    println!("{text}");
    if how == Keep::Write {
        std::fs::write(Path::new(repository()).join(WEIGHTS), text)?;
    }
    Ok(())
}

/// The questions of a repository, and the mean share of right files among ten that ROSE names.
fn questions_from(mirror: &Path, name: &str, checkouts: &Path) -> Outcome<(Vec<Question<COUNT>>, f64)> {
    let mirror = Mirror::open(mirror, name)?;
    let history = mirror.history()?;
    let commits = history.commits();
    let is_asked = |number: &usize| {
        let commit = &commits[*number];
        FILES.contains(&commit.count_touched()) && commit.counts_together() && !commit.is_bot
    };
    let numbers: Vec<usize> = (0..commits.len().saturating_sub(LEAST_BEFORE)).filter(is_asked).take(COMMITS).collect();
    let oldest = *numbers.last().ok_or_else(|| format!("{name} has too few commits"))?;
    let links = mirror.links_at(&commits[oldest + 1].name(), checkouts)?;
    let beside = Beside::of(&history);
    let around = Around { links: &links, beside: &beside, prefix: "" };
    let single = model()?;
    let (mut questions, mut rose_sum) = (Vec::new(), 0.0);
    for number in numbers {
        let mut files: Vec<FileHistory<'_>> = history.all_touched_by(number).collect();
        files.retain(|file| file.changes().any(|change| change.commit > number));
        files.sort_by(|a, b| a.path().cmp(b.path()));
        if !FILES.contains(&files.len()) {
            continue;
        }
        let given: Vec<FileHistory<'_>> = files.iter().step_by(2).copied().collect();
        let right: Vec<&str> = files.iter().skip(1).step_by(2).map(FileHistory::path).collect();
        let named = rose(&history, &given, number);
        rose_sum += named.iter().take(TOP).filter(|path| right.contains(path)).count() as f64 / right.len() as f64;
        questions.push(Question {
            repo: name.to_owned(),
            rows: rows(&history, around, &given, number, &single, &right),
            right: right.len(),
        });
    }
    let mean = rose_sum / questions.len().max(1) as f64;
    Ok((questions, mean))
}

/// Signals of every file that a given one names, and whether it is right.
fn rows(
    history: &History,
    around: Around<'_>,
    given: &[FileHistory<'_>],
    number: usize,
    model: &PredictModel,
    right: &[&str],
) -> Vec<([f64; COUNT], bool)> {
    let moment = Moment::before(number);
    let mut parts: BTreeMap<String, Vec<Part>> = BTreeMap::new();
    for file in given {
        let own = history.counting_commits(*file, moment);
        for candidate in candidates(history, Changed { path: file.path(), commits: &own }, around, moment) {
            let path = candidate.file.path();
            if !given.iter().any(|other| other.path() == path) {
                parts.entry(path.to_owned()).or_default().push(Part::of(&candidate, model));
            }
        }
    }
    let mut rows: Vec<([f64; COUNT], bool)> =
        parts.iter().map(|(path, parts)| (joint_signals(parts, given.len()), right.contains(&path.as_str()))).collect();
    // The second signal alone orders them well enough to leave out those that no weights bring to the top.
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| b.0[1].total_cmp(&a.0[1])));
    rows.truncate(RANKED);
    rows
}

/// The files that ROSE names for some at a commit: the best rule of each counts.
fn rose<'h>(history: &'h History, given: &[FileHistory<'h>], number: usize) -> Vec<&'h str> {
    let mut best: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for file in given {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let changes: Vec<usize> = file
            .changes()
            .map(|change| change.commit)
            .filter(|commit| *commit > number && history.commits()[*commit].count_touched() <= ROSE_FILES)
            .collect();
        for commit in &changes {
            for other in history.touched_by(*commit) {
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
    rows.retain(|(path, _)| !given.iter().any(|file| file.path() == *path));
    rows.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(b.1.1.cmp(&a.1.1)).then(a.0.cmp(b.0)));
    rows.into_iter().map(|(path, _)| path).collect()
}
