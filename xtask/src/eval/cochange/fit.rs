//! `cargo xtask fit-predict`: fits the weights by which `predict` orders files to commits of fetched repositories.
//!
//! The newest commits of each repository are replayed: one file is the question, the others are right, and only older
//! commits are evidence; the code is that of the commit before all of them. The loss is that of logistic regression,
//! with the same weight for every question, so that values are logarithms of odds. Generalisation is measured by
//! leaving out groups of repositories. Repositories of `eval cochange` are left out with `--without`.

use std::path::{Path, PathBuf};

use m1nd_history::Moment;
use m1nd_query::Model;
use m1nd_query::changes::predict::{Around, Beside, Changed, PREDICT_SIGNALS, candidates, predict_model, questions_of};

use super::super::linear;
use super::WEIGHTS;
use super::repository::Mirror;
use crate::{Outcome, repository};

const COUNT: usize = PREDICT_SIGNALS.len();
const USAGE: &str = "expected: cargo xtask fit-predict --mirror DIR --checkouts DIR [--without owner/name,…] [--write]";
/// Commits of a repository.
const COMMITS: usize = 250;
/// Commits that must be older.
const LEAST_BEFORE: usize = 200;
/// Candidates of a question that count, the best by the model in use; the right ones count in any case.
const CANDIDATES: usize = 120;
/// Rows of an answer that count.
const TOP: usize = 10;
/// Steps of descent, and L2 penalty.
const STEPS: usize = 150;
const PENALTY: f64 = 3e-4;
const RATE: f64 = 0.12;
const SLOWER: f64 = 60.0;

/// A question of a repository.
pub(super) struct Question<const N: usize> {
    pub(super) repo: String,
    pub(super) rows: Vec<([f64; N], bool)>,
    /// Right files, among the candidates or not.
    pub(super) right: usize,
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let (mut mirror, mut checkouts, mut without, mut write) = (None, None, Vec::new(), false);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value; {USAGE}"));
        match flag.as_str() {
            "--mirror" => mirror = Some(PathBuf::from(value()?)),
            "--checkouts" => checkouts = Some(PathBuf::from(value()?)),
            "--without" => without = value()?.split(',').map(|name| name.replace('/', "+")).collect(),
            "--write" => write = true,
            _ => return Err(format!("unknown argument `{flag}`; {USAGE}").into()),
        }
    }
    let (Some(mirror), Some(checkouts)) = (mirror, checkouts) else { return Err(USAGE.into()) };
    let mut names: Vec<String> = std::fs::read_dir(&mirror)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.contains('+') && !without.contains(name))
        .collect();
    names.sort();
    let mut questions: Vec<Question<COUNT>> = Vec::new();
    for name in &names {
        match questions_from(&mirror, name, &checkouts) {
            Ok(rows) => {
                println!("{name}: {} questions", rows.len());
                questions.extend(rows);
            }
            Err(error) => println!("{name}: left out, {error}"),
        }
    }
    let all: Vec<&Question<COUNT>> = questions.iter().collect();
    let fitted = fit(&all);
    let left_out = linear::left_out(&questions, |question| &question.repo, fit);
    let as_it_is = measures(&all, |_| predict_model());
    let held_out = measures(&all, |question| left_out[question.repo.as_str()]);
    println!("recall@10, average precision: as it is {as_it_is:.3?}, fitted {:.3?}", measures(&all, |_| fitted));
    println!("with its repository left out {held_out:.3?}");
    for (name, weight) in PREDICT_SIGNALS.iter().zip(fitted.weights()) {
        println!("  {name:<16} {weight:.3}");
    }
    if write {
        let mut text = format!(
            "# Weights of the signals by which `predict` orders files: logarithms of odds, a logistic model.\n\
             # Fitted by `cargo xtask fit-predict` to {} questions from the newest commits of {} public repositories, answered\n\
             # from older commits. With groups of repositories left out of the fit in turn: recall@10 {:.3}, mean average\n\
             # precision {:.3}.\n",
            questions.len(),
            left_out.len(),
            held_out[0],
            held_out[1],
        );
        for (name, weight) in PREDICT_SIGNALS.iter().zip(fitted.weights()) {
            text += &format!("{name} {weight:.3}\n");
        }
        std::fs::write(Path::new(repository()).join(WEIGHTS), text)?;
    }
    Ok(())
}

fn questions_from(mirror: &Path, name: &str, checkouts: &Path) -> Outcome<Vec<Question<COUNT>>> {
    let mirror = Mirror::open(mirror, name)?;
    let history = mirror.history()?;
    let commits = history.commits();
    let last = commits.len().saturating_sub(LEAST_BEFORE);
    let is_question = |number: &usize| {
        let commit = &commits[*number];
        commit.touched() > 1 && commit.is_focused() && commit.counts_together() && !commit.is_bot
    };
    let numbers: Vec<usize> = (0..last).filter(is_question).take(COMMITS).collect();
    let oldest = *numbers.last().ok_or("it has too few commits")?;
    let links = mirror.links_at(&commits[oldest + 1].name(), checkouts)?;
    let beside = Beside::of(&history);
    let model = predict_model();
    let mut questions = Vec::new();
    for number in numbers {
        for (file, right) in questions_of(&history, number) {
            let moment = Moment::before(number);
            let own = history.counting_commits(file, moment);
            let around = Around { links: &links, beside: &beside, prefix: "" };
            let found = candidates(&history, Changed { path: file.path(), commits: &own }, around, moment);
            let is_right = |key: u32| right.contains(&key);
            let mut rows: Vec<([f64; COUNT], bool)> =
                found.iter().map(|row| (row.signals, is_right(row.file.key()))).collect();
            rows.sort_by(|a, b| {
                let value = |row: &([f64; COUNT], bool)| model.value(&row.0);
                b.1.cmp(&a.1).then_with(|| value(b).total_cmp(&value(a)))
            });
            rows.truncate(CANDIDATES);
            questions.push(Question { repo: name.to_owned(), rows, right: right.len() });
        }
    }
    Ok(questions)
}

/// Logistic regression by gradient descent with Adam, over signals divided by their standard deviations, so that rare
/// and small ones are learned as fast.
pub(super) fn fit<const N: usize>(questions: &[&Question<N>]) -> Model<N> {
    let scale = deviations(questions);
    let mut weights = [0.0; N];
    let (mut mean, mut square) = ([0.0; N], [0.0; N]);
    let share = 1.0 / questions.len().max(1) as f64;
    let unscaled = |weights: &[f64; N]| {
        let mut own = *weights;
        own.iter_mut().zip(&scale).for_each(|(weight, scale)| *weight /= scale);
        Model::new(own)
    };
    for step in 1..=STEPS {
        let model = unscaled(&weights);
        let mut gradient = [0.0; N];
        for (signals, is_right) in questions.iter().flat_map(|question| &question.rows) {
            let probability = 1.0 / (1.0 + (-model.value(signals)).exp());
            let pull = share * (probability - f64::from(u8::from(*is_right)));
            gradient.iter_mut().zip(signals).for_each(|(sum, signal)| *sum += pull * signal);
        }
        let rate = RATE / (1.0 + step as f64 / SLOWER);
        for place in 0..N {
            // The constant is not drawn to zero.
            let penalty = if place == 0 { 0.0 } else { 2.0 * PENALTY * weights[place] };
            let slope = gradient[place] / scale[place] + penalty;
            mean[place] = 0.9 * mean[place] + 0.1 * slope;
            square[place] = 0.99 * square[place] + 0.01 * slope * slope;
            let m = mean[place] / (1.0 - 0.9f64.powi(step as i32));
            let s = square[place] / (1.0 - 0.99f64.powi(step as i32));
            weights[place] -= rate * m / (s.sqrt() + 1e-8);
        }
    }
    unscaled(&weights)
}

/// Standard deviations of the signals; 1 for a constant one.
fn deviations<const N: usize>(questions: &[&Question<N>]) -> [f64; N] {
    let (mut sums, mut squares, mut rows) = ([0.0; N], [0.0; N], 0.0f64);
    for (signals, _) in questions.iter().flat_map(|question| &question.rows) {
        rows += 1.0;
        sums.iter_mut().zip(signals).for_each(|(sum, signal)| *sum += signal);
        squares.iter_mut().zip(signals).for_each(|(sum, signal)| *sum += signal * signal);
    }
    let rows = rows.max(1.0);
    std::array::from_fn(|place| {
        let mean = sums[place] / rows;
        let deviation = (squares[place] / rows - mean * mean).max(0.0).sqrt();
        if deviation > 1e-6 { deviation } else { 1.0 }
    })
}

/// Recall among the first ten, and average precision, over all questions.
pub(super) fn measures<const N: usize>(
    questions: &[&Question<N>],
    model: impl Fn(&Question<N>) -> Model<N>,
) -> [f64; 2] {
    let (mut recall, mut precision) = (0.0, 0.0);
    for question in questions {
        let model = model(question);
        let mut rows: Vec<(f64, bool)> =
            question.rows.iter().map(|(signals, is_right)| (model.value(signals), *is_right)).collect();
        // Of equal values, wrong rows come first.
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let hits: Vec<usize> = rows.iter().enumerate().filter(|(_, row)| row.1).map(|(place, _)| place).collect();
        let right = question.right.max(1) as f64;
        recall += hits.iter().filter(|place| **place < TOP).count() as f64 / right;
        let terms = hits.iter().enumerate().map(|(number, place)| (number + 1) as f64 / (place + 1) as f64);
        precision += terms.sum::<f64>() / right;
    }
    let count = questions.len().max(1) as f64;
    [recall / count, precision / count]
}
