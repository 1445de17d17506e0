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

use super::calibration::{self, Judgement};
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

/// The candidates of a row.
pub(super) struct Sample {
    pub(super) id: String,
    pub(super) repo: String,
    /// Index of its file of rows.
    kind: usize,
    pub(super) files: Options<{ SIGNALS.len() }>,
    /// Paths of the files.
    pub(super) paths: Vec<String>,
    /// Functions of the right files; the changed ones are right. Empty if the row names none.
    pub(super) functions: Options<{ ENTRY_SIGNALS.len() }>,
    /// Paths of their files.
    pub(super) function_paths: Vec<String>,
    /// The row names functions that were changed.
    pub(super) names_functions: bool,
    /// Number of right files that are no candidates.
    missed: usize,
}

/// Selects the options that a model is fitted to.
type Choice<const N: usize> = fn(&Sample) -> &Options<N>;

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let given = |flag: &str| args.iter().any(|arg| arg == flag);
    let (write, calibrate) = (given("--write"), given("--calibrate"));
    let mut args: Vec<String> =
        args.iter().filter(|arg| !["--write", "--calibrate"].contains(&arg.as_str())).cloned().collect();
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
        fit(&weigh_samples(samples, files), &std::array::from_fn(|place| used(SIGNALS[place])), PENALTY)
    };
    let fitted = fit_files(&all);
    report("as it is", &all, kinds, files, |_| FileModel::load_fitted());
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
    let judge = |sample: &Sample| {
        let repo = sample.repo.as_str();
        Judgement::of(sample, &left_out[repo], &of_functions.left_out[repo])
    };
    let judged: Vec<Judgement> = samples.iter().filter_map(judge).collect();
    println!("{}", calibration::calibration(&judged));
    if write || calibrate {
        calibration::keep(&judged)?;
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
    let (mut functions, mut function_paths) = (Vec::new(), Vec::new());
    let names_functions = !row.gold_funcs.is_empty();
    if names_functions {
        for entry in seek_entries(snapshot, &row.query, &Cancel::new())? {
            let path = graph.path(entry.node);
            if graph.kind(entry.node) == NodeKind::Function && row.gold_files.iter().any(|file| file == path) {
                let is_right = row.is_changed(path, graph.label(entry.node), graph.lines(entry.node));
                functions.push((entry.signals, is_right));
                function_paths.push(path.to_owned());
            }
        }
    }
    let (id, repo) = (row.id.clone(), row.repo.clone());
    Ok(Sample { id, repo, kind, files, paths, functions, function_paths, names_functions, missed })
}

/// Options of samples, with equal weight for each kind of row.
fn weigh_samples<'s, const N: usize>(samples: &[&'s Sample], options: Choice<N>) -> Vec<Weighed<'s, N>> {
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
struct OfFunctions<'s> {
    model: EntryModel,
    /// The models without each repository.
    left_out: BTreeMap<&'s str, EntryModel>,
    measures: Vec<(usize, [f64; 3])>,
}

fn fit_functions(samples: &[Sample], kinds: usize) -> OfFunctions<'_> {
    let functions: Choice<{ ENTRY_SIGNALS.len() }> = |sample| &sample.functions;
    let told: Vec<&Sample> = samples.iter().filter(|sample| !sample.functions.is_empty()).collect();
    let of = |samples: &[&Sample]| fit(&weigh_samples(samples, functions), &[true; ENTRY_SIGNALS.len()], ENTRY_PENALTY);
    let model = of(&told);
    println!("functions of the right files");
    report("as it is", &told, kinds, functions, |_| EntryModel::load_fitted());
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
    let measures = (0..kinds).map(measure).collect();
    OfFunctions { model, left_out, measures }
}

impl OfFunctions<'_> {
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
    Ok(std::fs::write(Path::new(repository()).join(WEIGHTS), text)?)
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
