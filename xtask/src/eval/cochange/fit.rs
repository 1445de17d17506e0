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
use rayon::prelude::*;

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
/// L2 penalty of the weights of scaled signals.
const PENALTY: f64 = 3e-4;
/// Maximum steps, longest change of a weight in one, and the change that ends them.
const STEPS: usize = 40;
const LONGEST: f64 = 2.0;
const CLOSE: f64 = 1e-5;
/// Keeps the equations solvable where a signal is constant.
const SLACK: f64 = 1e-9;
/// Questions that one thread sums up.
const CHUNK: usize = 256;

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
        commit.count_touched() > 1 && commit.is_focused() && commit.counts_together() && !commit.is_bot
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

/// Logistic regression by Newton's method (iteratively reweighted least squares), which finds the one minimum. Signals
/// are divided by their standard deviations, so that the penalty is the same for rare and small ones.
pub(super) fn fit<const N: usize>(questions: &[&Question<N>]) -> Model<N> {
    let scale = deviations(questions);
    let share = 1.0 / questions.len().max(1) as f64;
    let mut weights = [0.0; N];
    for _ in 0..STEPS {
        let (slope, curve) = derivatives(questions, &weights, &scale);
        let mut right: [f64; N] = std::array::from_fn(|at| share * slope[at] + penalty(at) * weights[at]);
        let mut left: Vec<[f64; N]> = curve.iter().map(|row| row.map(|value| share * value)).collect();
        (0..N).for_each(|at| left[at][at] += penalty(at) + SLACK);
        solve(&mut left, &mut right);
        let longest = right.iter().fold(0.0f64, |most, step| most.max(step.abs()));
        // A step from far away may go too far.
        let part = (LONGEST / longest.max(f64::MIN_POSITIVE)).min(1.0);
        weights.iter_mut().zip(&right).for_each(|(weight, step)| *weight -= part * step);
        if longest < CLOSE {
            break;
        }
    }
    weights.iter_mut().zip(&scale).for_each(|(weight, scale)| *weight /= scale);
    Model::new(weights)
}

/// The penalty of a weight; the constant is not drawn to zero.
const fn penalty(place: usize) -> f64 {
    if place == 0 { 0.0 } else { 2.0 * PENALTY }
}

/// First and second derivatives of the loss by the weights of scaled signals, summed over the rows.
fn derivatives<const N: usize>(questions: &[&Question<N>], weights: &[f64; N], scale: &[f64; N]) -> Derivatives<N> {
    let nothing = || ([0.0; N], vec![[0.0; N]; N]);
    let of = |question: &&Question<N>| {
        let (mut slope, mut curve) = nothing();
        for (signals, is_right) in &question.rows {
            let scaled: [f64; N] = std::array::from_fn(|at| signals[at] / scale[at]);
            let value: f64 = scaled.iter().zip(weights).map(|(signal, weight)| signal * weight).sum();
            let probability = 1.0 / (1.0 + (-value).exp());
            let (pull, bend) = (probability - f64::from(u8::from(*is_right)), probability * (1.0 - probability));
            for at in (0..N).filter(|at| scaled[*at] != 0.0) {
                slope[at] += pull * scaled[at];
                let by = bend * scaled[at];
                curve[at].iter_mut().zip(&scaled).for_each(|(sum, signal)| *sum += by * signal);
            }
        }
        (slope, curve)
    };
    // In the order of the questions, so that sums are the same in every run.
    let parts: Vec<_> =
        questions.par_chunks(CHUNK).map(|chunk| chunk.iter().map(of).fold(nothing(), add_derivatives)).collect();
    parts.into_iter().fold(nothing(), add_derivatives)
}

type Derivatives<const N: usize> = ([f64; N], Vec<[f64; N]>);

fn add_derivatives<const N: usize>(mut one: Derivatives<N>, other: Derivatives<N>) -> Derivatives<N> {
    one.0.iter_mut().zip(&other.0).for_each(|(sum, value)| *sum += value);
    for (row, other) in one.1.iter_mut().zip(&other.1) {
        row.iter_mut().zip(other).for_each(|(sum, value)| *sum += value);
    }
    one
}

/// Solves linear equations of a symmetric positive matrix by elimination; the solution replaces the right side.
fn solve<const N: usize>(left: &mut [[f64; N]], right: &mut [f64; N]) {
    for at in 0..N {
        for below in at + 1..N {
            let factor = left[below][at] / left[at][at];
            if factor == 0.0 {
                continue;
            }
            let above = left[at];
            left[below].iter_mut().zip(&above).skip(at).for_each(|(value, above)| *value -= factor * above);
            right[below] -= factor * right[at];
        }
    }
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|other| left[at][other] * right[other]).sum();
        right[at] = (right[at] - known) / left[at][at];
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The weights that explain rows drawn by known ones are near these.
    #[test]
    fn the_weights_behind_rows_are_found() {
        let mut random = m1nd_testkit::Random::new(5);
        let mut number = || random.below(1_000_000) as f64 / 1e6;
        let known = [-1.0, 2.0, -1.5];
        let questions: Vec<Question<COUNT>> = (0..400)
            .map(|_| {
                let row = |signals: [f64; 3], drawn: f64| {
                    let value: f64 = signals.iter().zip(known).map(|(signal, weight)| signal * weight).sum();
                    let mut all = [0.0; COUNT];
                    all[..3].copy_from_slice(&signals);
                    (all, drawn < 1.0 / (1.0 + (-value).exp()))
                };
                let rows = (0..60).map(|_| row([1.0, 3.0 * number(), number()], number())).collect();
                Question { repo: String::new(), rows, right: 1 }
            })
            .collect();
        let found = fit(&questions.iter().collect::<Vec<_>>());
        for (weight, known) in found.weights().iter().zip(known) {
            assert!((weight - known).abs() < 0.15, "{weight} for {known}");
        }
        assert!(found.weights()[3..].iter().all(|weight| weight.abs() < 1e-6));
    }
}
