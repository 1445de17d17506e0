//! `cargo xtask fit-seek`: fits the weights by which `seek` orders files to rows of `eval localize`.
//!
//! The model is linear. What is made small is the surprise at the right files: minus the logarithm of the share that the
//! right files have of the exponentials of all files' values, the mean over rows with each kind of row weighing the same,
//! plus a penalty for large weights. A row counts that has a right file among its candidates. How well that carries over
//! to other repositories is measured by leaving groups of repositories out in turn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use m1nd_base::Cancel;
use m1nd_engine::retrieval::{Model, SIGNALS, Signals};

use super::{Request, for_each_row};
use crate::{Outcome, repository};

/// Steps of the descent.
const STEPS: usize = 300;
/// Length of the first step, and the steps after which it is halved.
const RATE: f64 = 0.3;
const SLOWER: f64 = 40.0;
/// Groups of repositories that are left out in turn.
const GROUPS: usize = 6;
/// Signals that brought nothing to repositories that were left out: they weigh nothing.
const WITHOUT: &[&str] = &["best_title", "exact", "best_exact", "name", "is_front", "prior"];
/// Penalty for the square of a weight.
const PENALTY: f64 = 0.003;
/// Where the weights stand.
const WEIGHTS: &str = "crates/engine/src/retrieval/seek/weights.txt";
/// Where it stands what a confidence is worth.
const CALIBRATION: &str = "crates/engine/src/retrieval/seek/calibration.txt";
/// Least precision of what may be acted on; the bound below it must reach [`LEAST_BOUND`].
const LEAST_PRECISION: f64 = 0.9;
/// Least value of the lower bound (one-sided, 90 of 100, Wilson) of that precision.
const LEAST_BOUND: f64 = 0.8;
/// Precision from which an answer is better than a guess.
const GUESS: f64 = 0.25;

/// The candidates of a row.
struct Sample {
    id: String,
    repo: String,
    /// Which file of rows it is from.
    kind: usize,
    files: Vec<(Signals, bool)>,
    /// Paths of the same.
    paths: Vec<String>,
    /// Right files that are no candidates.
    missed: usize,
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let write = args.iter().any(|arg| arg == "--write");
    let mut args: Vec<String> = args.iter().filter(|arg| *arg != "--write").cloned().collect();
    let dump =
        args.iter().position(|arg| arg == "--dump").and_then(|at| args.drain(at..(at + 2).min(args.len())).nth(1));
    let tried =
        args.iter().position(|arg| arg == "--without").and_then(|at| args.drain(at..(at + 2).min(args.len())).nth(1));
    let without: Vec<&str> = WITHOUT.iter().copied().chain(tried.iter().flat_map(|names| names.split(','))).collect();
    let request = Request::parse(&args)?;
    let mut samples: Vec<Sample> = Vec::new();
    for (kind, file) in request.rows.iter().enumerate() {
        let rows = request.rows_of(file)?;
        let found = for_each_row(&request, &rows, |row, snapshot| {
            let files = snapshot.seek_files(&row.query, &Cancel::new())?;
            let paths = files.iter().map(|file| file.path.clone()).collect();
            let files: Vec<_> =
                files.into_iter().map(|file| (file.signals, row.gold_files.contains(&file.path))).collect();
            let missed = row.gold_files.len() - files.iter().filter(|(_, right)| *right).count();
            Ok(Sample { id: row.id.clone(), repo: row.repo.clone(), kind, files, paths, missed })
        })?;
        samples.extend(found.into_iter().flatten());
    }
    println!(
        "rows {}, right files that are no candidates {}",
        samples.len(),
        samples.iter().map(|s| s.missed).sum::<usize>()
    );
    if let Some(path) = dump {
        dump_samples(&samples, &path)?;
    }
    let all: Vec<&Sample> = samples.iter().collect();
    let kinds = request.rows.len();
    let fitted = fit(&all, &without);
    report("as it is", &all, kinds, |_| Model::fitted());
    report("fitted to all rows", &all, kinds, |_| Model::new(fitted));
    let repositories: BTreeSet<&str> = samples.iter().map(|sample| sample.repo.as_str()).collect();
    let mut left_out: BTreeMap<&str, Model> = BTreeMap::new();
    for group in 0..GROUPS {
        let of_group = || repositories.iter().skip(group).step_by(GROUPS).copied();
        let rest: Vec<&Sample> = samples.iter().filter(|sample| !of_group().any(|repo| repo == sample.repo)).collect();
        let model = Model::new(fit(&rest, &without));
        left_out.extend(of_group().map(|repo| (repo, model)));
    }
    report("its repository left out", &all, kinds, |sample| left_out[sample.repo.as_str()]);
    for (name, weight) in SIGNALS.iter().zip(fitted) {
        println!("  {name:<12} {weight:.2}");
    }
    let names = |file: &std::path::PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = request.rows.iter().map(names).collect();
    if write { keep(&fitted, &samples, &left_out, &names) } else { Ok(()) }
}

/// Writes what is fitted, for looking at it with other means: a line a row, then a line a candidate.
fn dump_samples(samples: &[Sample], path: &str) -> Outcome<()> {
    let mut text = format!("{}\n", SIGNALS.join(" "));
    for sample in samples {
        text += &format!("row {} {} {} {}\n", sample.id, sample.repo, sample.kind, sample.missed);
        for ((signals, right), path) in sample.files.iter().zip(&sample.paths) {
            text += if *right { "1" } else { "0" };
            signals.iter().for_each(|signal| text += &format!(" {signal:.4}"));
            text += &format!(" {path}\n");
        }
    }
    Ok(std::fs::write(path, text)?)
}

fn keep(weights: &Signals, samples: &[Sample], left_out: &BTreeMap<&str, Model>, kinds: &[String]) -> Outcome<()> {
    let mut text = String::from("# Weights of the signals by which `seek` ranks files: a linear model.\n");
    let all: Vec<&Sample> = samples.iter().collect();
    text += &format!(
        "# Fitted by `cargo xtask fit-seek` to {} texts from {} repositories. With groups of repositories left out of the fit\n\
         # in turn, a right file was first / among five / among ten in\n",
        samples.len(),
        left_out.len()
    );
    for (kind, name) in kinds.iter().enumerate() {
        let of_kind: Vec<&Sample> = all.iter().filter(|sample| sample.kind == kind).copied().collect();
        let [one, five, ten] = accuracy(&of_kind, |sample| left_out[sample.repo.as_str()]);
        text += &format!("#   {one:.2} / {five:.2} / {ten:.2} of the {} texts of `{name}`\n", of_kind.len());
    }
    text += "# Signals at 0 brought nothing there.\n";
    for (name, weight) in SIGNALS.iter().zip(weights) {
        text += &format!("{name} {weight:.3}\n");
    }
    std::fs::write(Path::new(repository()).join(WEIGHTS), text)?;
    Ok(std::fs::write(Path::new(repository()).join(CALIBRATION), calibration(samples, left_out))?)
}

/// What the confidence of a model is worth on rows of repositories that it has not seen.
fn calibration(samples: &[Sample], left_out: &BTreeMap<&str, Model>) -> String {
    let mut judged: Vec<(f64, bool)> = samples
        .iter()
        .filter(|sample| !sample.files.is_empty())
        .map(|sample| {
            let model = left_out[sample.repo.as_str()];
            let confidence = model.confidence(sample.files.iter().map(|(signals, _)| signals));
            let best = sample.files.iter().max_by(|a, b| model.value(&a.0).total_cmp(&model.value(&b.0)));
            (confidence, best.is_some_and(|(_, right)| *right))
        })
        .collect();
    judged.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut act, mut reverify) = (None, 1.0);
    let mut right = 0.0;
    for (count, (confidence, is_right)) in judged.iter().enumerate() {
        right += f64::from(u8::from(*is_right));
        let all = (count + 1) as f64;
        let precision = right / all;
        if precision >= LEAST_PRECISION && bound(precision, all) >= LEAST_BOUND {
            act = Some((*confidence, precision, all / judged.len() as f64));
        }
    }
    // Groups of neighbours in confidence, from the surest: where one is no better than a guess, the rest is not either.
    for group in judged.chunks(GROUP) {
        let right = group.iter().filter(|(_, right)| *right).count() as f64 / group.len() as f64;
        if right < GUESS {
            break;
        }
        reverify = group.last().map_or(reverify, |(confidence, _)| *confidence);
    }
    let (act_at, precision, coverage) = act.unwrap_or((1.1, 0.0, 0.0));
    format!(
        "# How often the first file of `seek` was right, by the confidence of the ranking: `cargo xtask fit-seek`, with\n\
         # groups of repositories left out of the fit in turn.\nact_at {act_at:.3}\nreverify_at {:.3}\nprecision {precision:.3}\n\
         coverage {coverage:.3}\nrows {}\n",
        reverify.min(act_at),
        judged.len()
    )
}

/// Rows in a group of neighbours.
const GROUP: usize = 20;

fn bound(precision: f64, rows: f64) -> f64 {
    const Z: f64 = 1.2816;
    let centre = precision + Z * Z / (2.0 * rows);
    let spread = Z * (precision * (1.0 - precision) / rows + Z * Z / (4.0 * rows * rows)).sqrt();
    (centre - spread) / (1.0 + Z * Z / rows)
}

fn report(what: &str, samples: &[&Sample], kinds: usize, model: impl Fn(&Sample) -> Model) {
    print!("{what:<24}");
    for kind in 0..kinds {
        let of_kind: Vec<&Sample> = samples.iter().filter(|sample| sample.kind == kind).copied().collect();
        let [one, five, ten] = accuracy(&of_kind, &model);
        print!("  | n {:<3} @1 {one:.3} @5 {five:.3} @10 {ten:.3}", of_kind.len());
    }
    println!();
}

/// Shares of rows with a right file first, among five, among ten.
fn accuracy(samples: &[&Sample], model: impl Fn(&Sample) -> Model) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for sample in samples {
        let model = model(sample);
        let best = sample
            .files
            .iter()
            .filter(|(_, right)| *right)
            .map(|(signals, _)| model.value(signals))
            .fold(f64::NEG_INFINITY, f64::max);
        if best == f64::NEG_INFINITY {
            continue;
        }
        let above = sample.files.iter().filter(|(signals, right)| !right && model.value(signals) > best).count();
        for (sum, k) in sums.iter_mut().zip([1, 5, 10]) {
            *sum += f64::from(u8::from(above < k));
        }
    }
    sums.map(|sum| sum / samples.len().max(1) as f64)
}

/// The weights that fit best, by gradient descent with the steps of Adam.
fn fit(samples: &[&Sample], without: &[&str]) -> Signals {
    let counts: BTreeMap<usize, usize> = samples.iter().fold(BTreeMap::new(), |mut counts, sample| {
        *counts.entry(sample.kind).or_default() += 1;
        counts
    });
    let mut weights: Signals = [0.0; SIGNALS.len()];
    let (mut mean, mut square) = ([0.0; SIGNALS.len()], [0.0; SIGNALS.len()]);
    for step in 1..=STEPS {
        let mut gradient: Signals = weights.map(|weight| 2.0 * PENALTY * weight);
        for sample in samples {
            let share = 1.0 / (counts[&sample.kind] * counts.len()) as f64;
            add_gradient(sample, &weights, share, &mut gradient);
        }
        let rate = RATE / (1.0 + step as f64 / SLOWER);
        for place in (0..SIGNALS.len()).filter(|place| !without.contains(&SIGNALS[*place])) {
            mean[place] = 0.9 * mean[place] + 0.1 * gradient[place];
            square[place] = 0.99 * square[place] + 0.01 * gradient[place] * gradient[place];
            let (m, s) =
                (mean[place] / (1.0 - 0.9f64.powi(step as i32)), square[place] / (1.0 - 0.99f64.powi(step as i32)));
            weights[place] -= rate * m / (s.sqrt() + 1e-8);
        }
    }
    weights
}

fn add_gradient(sample: &Sample, weights: &Signals, share: f64, gradient: &mut Signals) {
    let model = Model::new(*weights);
    let values: Vec<f64> = sample.files.iter().map(|(signals, _)| model.value(signals)).collect();
    let most = values.iter().fold(f64::NEG_INFINITY, |most, value| most.max(*value));
    let powers: Vec<f64> = values.iter().map(|value| (value - most).exp()).collect();
    let all: f64 = powers.iter().sum();
    let right: f64 = powers.iter().zip(&sample.files).filter(|(_, (_, right))| *right).map(|(power, _)| power).sum();
    if right <= 0.0 {
        return;
    }
    for (power, (signals, is_right)) in powers.iter().zip(&sample.files) {
        let pull = power / all - if *is_right { power / right } else { 0.0 };
        gradient.iter_mut().zip(signals).for_each(|(sum, signal)| *sum += share * pull * signal);
    }
}
