//! `cargo xtask fit-seek`: fits the weights by which `seek` ranks files, and functions within a file, to rows of
//! `eval localize`.
//!
//! The models are linear ([`linear`]), with equal weight for each kind of row. Generalisation to other repositories
//! is measured by leaving out groups of repositories. The function model is fitted to the changed functions among all
//! functions of the right files: types and their parts are never recorded as changed, so the model must not learn
//! from the kind.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_base::Cancel;
use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_query::Model;
use m1nd_query::retrieval::{ENTRY_SIGNALS, EntryModel, FileModel, SIGNALS};
use m1nd_query::retrieval::{seek_entries, seek_files};

use super::{Request, Row, for_each_row};
use crate::eval::linear::{self, Options, Weighed, fit};
use crate::{Outcome, repository};

/// Signals without benefit on held-out repositories: their weight is 0.
const WITHOUT: &[&str] =
    &["best_title", "exact", "best_exact", "name", "stem_title", "is_front", "prior", "uses", "prefix_commits"];
/// L2 penalty.
const PENALTY: f64 = 0.003;
/// L2 penalty of the function model, which has fewer rows.
const ENTRY_PENALTY: f64 = 0.02;
/// Path of the weights.
const WEIGHTS: &str = "crates/query/src/retrieval/seek/weights.txt";
const ENTRY_WEIGHTS: &str = "crates/query/src/retrieval/seek/entry_weights.txt";
/// Path of the calibration of confidences.
const CALIBRATION: &str = "crates/query/src/retrieval/seek/calibration.txt";
/// Minimum precision for `act`; its lower bound must reach [`LEAST_BOUND`].
const LEAST_PRECISION: f64 = 0.9;
/// Minimum lower bound (one-sided, 90 of 100, Wilson) of that precision.
const LEAST_BOUND: f64 = 0.8;
/// Precision above which an answer is better than a guess.
const GUESS: f64 = 0.25;

/// The candidates of a row.
struct Sample {
    id: String,
    repo: String,
    /// Index of its file of rows.
    kind: usize,
    files: Options<{ SIGNALS.len() }>,
    /// Paths of the files.
    paths: Vec<String>,
    /// Functions of the right files; the changed ones are right. Empty if the row names none.
    functions: Options<{ ENTRY_SIGNALS.len() }>,
    /// Number of right files that are no candidates.
    missed: usize,
}

/// Selects the options that a model is fitted to.
type Choice<const N: usize> = fn(&Sample) -> &Options<N>;

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
        let found = for_each_row(&request, &rows, |row, snapshot| sample(row, snapshot, kind))?;
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
    let files: Choice<{ SIGNALS.len() }> = |sample| &sample.files;
    let used = |name: &str| !without.contains(&name);
    let fit_files = |samples: &[&Sample]| {
        fit(&weighed(samples, files), &std::array::from_fn(|place| used(SIGNALS[place])), PENALTY)
    };
    let fitted = fit_files(&all);
    report("as it is", &all, kinds, files, |_| FileModel::fitted());
    report("fitted to all rows", &all, kinds, files, |_| fitted);
    let left_out = left_out(&samples, fit_files);
    report("its repository left out", &all, kinds, files, |sample| left_out[sample.repo.as_str()]);
    for (name, weight) in SIGNALS.iter().zip(fitted.weights()) {
        println!("  {name:<12} {weight:.2}");
    }
    let of_functions = fit_functions(&samples, kinds);
    let names = |file: &std::path::PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = request.rows.iter().map(names).collect();
    if write {
        keep(&fitted, &samples, &left_out, &names)?;
        of_functions.keep(&names)?;
    }
    Ok(())
}

/// Options of a row.
fn sample(row: &Row, snapshot: &Snapshot, kind: usize) -> Outcome<Sample> {
    let graph = snapshot.graph();
    let files = seek_files(snapshot, &row.query, &Cancel::new())?;
    let paths = files.iter().map(|file| file.path.clone()).collect();
    let files: Vec<_> = files.into_iter().map(|file| (file.signals, row.gold_files.contains(&file.path))).collect();
    let missed = row.gold_files.len() - files.iter().filter(|(_, right)| *right).count();
    let mut functions = Vec::new();
    if !row.gold_funcs.is_empty() {
        for entry in seek_entries(snapshot, &row.query, &Cancel::new())? {
            let path = graph.path(entry.node);
            if graph.kind(entry.node) == NodeKind::Function && row.gold_files.iter().any(|file| file == path) {
                let is_right = row.is_changed(path, graph.label(entry.node), graph.lines(entry.node));
                functions.push((entry.signals, is_right));
            }
        }
    }
    Ok(Sample { id: row.id.clone(), repo: row.repo.clone(), kind, files, paths, functions, missed })
}

/// Options of samples, with equal weight for each kind of row.
fn weighed<'s, const N: usize>(samples: &[&'s Sample], options: Choice<N>) -> Vec<Weighed<'s, N>> {
    let counts: BTreeMap<usize, usize> = samples.iter().fold(BTreeMap::new(), |mut counts, sample| {
        *counts.entry(sample.kind).or_default() += 1;
        counts
    });
    let share = |sample: &Sample| 1.0 / (counts[&sample.kind] * counts.len()) as f64;
    samples.iter().map(|sample| Weighed { options: options(sample), share: share(sample) }).collect()
}

fn left_out<const N: usize>(samples: &[Sample], fit: impl Fn(&[&Sample]) -> Model<N>) -> BTreeMap<&str, Model<N>> {
    linear::left_out(samples, |sample| &sample.repo, fit)
}

fn accuracy<const N: usize>(samples: &[&Sample], options: Choice<N>, model: impl Fn(&Sample) -> Model<N>) -> [f64; 3] {
    linear::accuracy(samples.iter().map(|sample| (model(sample), options(sample))))
}

/// The function model, and its measures on held-out repositories, by kind of row.
struct OfFunctions {
    model: EntryModel,
    measures: Vec<(usize, [f64; 3])>,
}

fn fit_functions(samples: &[Sample], kinds: usize) -> OfFunctions {
    let functions: Choice<{ ENTRY_SIGNALS.len() }> = |sample| &sample.functions;
    let told: Vec<&Sample> = samples.iter().filter(|sample| !sample.functions.is_empty()).collect();
    let of = |samples: &[&Sample]| fit(&weighed(samples, functions), &[true; ENTRY_SIGNALS.len()], ENTRY_PENALTY);
    let model = of(&told);
    println!("functions of the right files");
    report("as it is", &told, kinds, functions, |_| EntryModel::fitted());
    report("fitted to all rows", &told, kinds, functions, |_| model);
    let left_out = left_out(samples, of);
    report("its repository left out", &told, kinds, functions, |sample| left_out[sample.repo.as_str()]);
    for (name, weight) in ENTRY_SIGNALS.iter().zip(model.weights()) {
        println!("  {name:<12} {weight:.2}");
    }
    let measure = |kind: usize| {
        let of_kind: Vec<&Sample> = told.iter().filter(|sample| sample.kind == kind).copied().collect();
        (of_kind.len(), accuracy(&of_kind, functions, |sample| left_out[sample.repo.as_str()]))
    };
    OfFunctions { model, measures: (0..kinds).map(measure).collect() }
}

impl OfFunctions {
    fn keep(&self, names: &[String]) -> Outcome<()> {
        let mut text = String::from(
            "# Weights of the signals by which `seek` orders the entries of a file: a linear model.\n\
             # Fitted by `cargo xtask fit-seek` to functions that repairs changed, among all functions of the changed files\n\
             # that meet the text. With groups of repositories left out of the fit in turn, a changed one was first / among\n\
             # five / among ten in\n",
        );
        for ((rows, [one, five, ten]), name) in self.measures.iter().zip(names) {
            text += &format!("#   {one:.2} / {five:.2} / {ten:.2} of the {rows} texts of `{name}`\n");
        }
        for (name, weight) in ENTRY_SIGNALS.iter().zip(self.model.weights()) {
            text += &format!("{name} {weight:.3}\n");
        }
        Ok(std::fs::write(Path::new(repository()).join(ENTRY_WEIGHTS), text)?)
    }
}

/// Writes the samples for analysis with other tools: a line per row, then a line per candidate.
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

fn keep(model: &FileModel, samples: &[Sample], left_out: &BTreeMap<&str, FileModel>, kinds: &[String]) -> Outcome<()> {
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
        let [one, five, ten] = accuracy(&of_kind, |sample| &sample.files, |sample| left_out[sample.repo.as_str()]);
        text += &format!("#   {one:.2} / {five:.2} / {ten:.2} of the {} texts of `{name}`\n", of_kind.len());
    }
    text += "# Signals at 0 brought nothing there.\n";
    for (name, weight) in SIGNALS.iter().zip(model.weights()) {
        text += &format!("{name} {weight:.3}\n");
    }
    std::fs::write(Path::new(repository()).join(WEIGHTS), text)?;
    Ok(std::fs::write(Path::new(repository()).join(CALIBRATION), calibration(samples, left_out))?)
}

/// Calibrates the confidence of a model on rows of held-out repositories.
fn calibration(samples: &[Sample], left_out: &BTreeMap<&str, FileModel>) -> String {
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
    // Groups of similar confidence, highest first: once a group is no better than a guess, neither is the rest.
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

/// Rows per group of similar confidence.
const GROUP: usize = 20;

fn bound(precision: f64, rows: f64) -> f64 {
    const Z: f64 = 1.2816;
    let centre = precision + Z * Z / (2.0 * rows);
    let spread = Z * (precision * (1.0 - precision) / rows + Z * Z / (4.0 * rows * rows)).sqrt();
    (centre - spread) / (1.0 + Z * Z / rows)
}

fn report<const N: usize>(
    what: &str,
    samples: &[&Sample],
    kinds: usize,
    options: Choice<N>,
    model: impl Fn(&Sample) -> Model<N>,
) {
    print!("{what:<24}");
    for kind in 0..kinds {
        let of_kind: Vec<&Sample> = samples.iter().filter(|sample| sample.kind == kind).copied().collect();
        let [one, five, ten] = accuracy(&of_kind, options, &model);
        print!("  | n {:<3} @1 {one:.3} @5 {five:.3} @10 {ten:.3}", of_kind.len());
    }
    println!();
}
