//! `cargo xtask fit-trace`: fits the weights by which `trace` ranks suspects to rows of `eval trace`.
//!
//! A suspect is right if its file was changed; if a row names the changed functions, they form a second choice of the
//! same row with equal weight. Generalisation is measured by leaving out groups of repositories.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_base::{Cancel, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_query::Model;
use m1nd_query::analysis::trace::trace;
use m1nd_query::analysis::trace::{SUSPECT_SIGNALS, SuspectModel, suspect_model};

use super::localize::{self, Request, Row};
use super::trace::{query_of, rows_of};
use crate::eval::linear::{self, Options, Weighed, fit};
use crate::{Outcome, repository};

/// L2 penalty.
const PENALTY: f64 = 0.01;
/// Maximum number of weighted suspects.
const SUSPECTS: usize = 5_000;
/// Path of the weights.
const WEIGHTS: &str = "crates/query/src/analysis/trace/weights.txt";
/// Signals without benefit on held-out repositories: their weight is 0.
const WITHOUT: &[&str] = &["words", "words_of_file", "named", "centrality", "near_file"];

/// The suspects of a row.
struct Sample {
    id: String,
    repo: String,
    /// Index of its file of rows.
    kind: usize,
    /// Suspects; right if their file was changed.
    files: Options<{ SUSPECT_SIGNALS.len() }>,
    /// File number of each suspect.
    numbers: Vec<usize>,
    /// Suspects; right if they were changed themselves. Empty if no row names functions.
    functions: Options<{ SUSPECT_SIGNALS.len() }>,
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let write = args.iter().any(|arg| arg == "--write");
    let mut args: Vec<String> = args.iter().filter(|arg| *arg != "--write").cloned().collect();
    let mut option = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.drain(at..(at + 2).min(args.len())).nth(1)
    };
    let (dump, tried) = (option("--dump"), option("--without"));
    let without: Vec<&str> = WITHOUT.iter().copied().chain(tried.iter().flat_map(|names| names.split(','))).collect();
    let request = Request::parse(&args)?;
    let mut samples: Vec<Sample> = Vec::new();
    for (kind, file) in request.rows.iter().enumerate() {
        let rows = rows_of(&request, file)?;
        let found = localize::for_each_row(&request, &rows, |row, snapshot| sample(row, snapshot, kind))?;
        samples.extend(found.into_iter().flatten());
    }
    if let Some(path) = dump {
        std::fs::write(path, dump_samples(&samples))?;
    }
    let used = std::array::from_fn(|place| !without.contains(&SUSPECT_SIGNALS[place]));
    let all: Vec<&Sample> = samples.iter().collect();
    let fitted = fit(&weigh_samples(&all), &used, PENALTY);
    let left_out = linear::left_out(&samples, |sample| &sample.repo, |rest| fit(&weigh_samples(rest), &used, PENALTY));
    let kinds = request.rows.len();
    report("as it is", &samples, kinds, |_| *suspect_model());
    report("fitted to all rows", &samples, kinds, |_| fitted);
    report("its repository left out", &samples, kinds, |sample| left_out[sample.repo.as_str()]);
    for (name, weight) in SUSPECT_SIGNALS.iter().zip(fitted.weights()) {
        println!("  {name:<16} {weight:.2}");
    }
    if write {
        let name = |file: &std::path::PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        keep(&fitted, &samples, &left_out, &request.rows.iter().map(name).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn sample(row: &Row, snapshot: &Snapshot, kind: usize) -> Outcome<Sample> {
    let graph = snapshot.graph();
    let found = trace(snapshot, &query_of(row, SUSPECTS), &Cancel::new())?;
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut files, mut numbers, mut functions) = (Vec::new(), Vec::new(), Vec::new());
    for suspect in &found.suspects {
        let path = graph.path(suspect.node);
        let next = known.len();
        numbers.push(*known.entry(path).or_insert(next));
        files.push((suspect.signals.values(), row.gold_files.iter().any(|file| file == path)));
        if !row.gold_funcs.is_empty() && graph.kind(suspect.node) != NodeKind::File {
            let is_right = row.is_changed(path, graph.label(suspect.node), graph.lines(suspect.node));
            functions.push((suspect.signals.values(), is_right));
        }
    }
    Ok(Sample { id: row.id.clone(), repo: row.repo.clone(), kind, files, numbers, functions })
}

/// Both choices of every row, with equal weight.
fn weigh_samples<'s>(samples: &[&'s Sample]) -> Vec<Weighed<'s, { SUSPECT_SIGNALS.len() }>> {
    let share = 0.5 / samples.len().max(1) as f64;
    let choices = samples.iter().flat_map(|sample| [&sample.files, &sample.functions]);
    choices.map(|options| Weighed { options, share }).collect()
}

fn report(what: &str, samples: &[Sample], kinds: usize, model: impl Fn(&Sample) -> SuspectModel) {
    print!("{what:<24}");
    for kind in 0..kinds {
        let ([one, five, ten], [function_one, function_five, _]) = measures(samples, kind, &model);
        let count = samples.iter().filter(|sample| sample.kind == kind).count();
        print!(
            "  | n {count:<3} @1 {one:.3} @5 {five:.3} @10 {ten:.3}, functions @1 {function_one:.3} @5 {function_five:.3}"
        );
    }
    println!();
}

/// Shares of rows of a kind with a right file, and with a changed function, first, in the top five, in the top ten.
fn measures(samples: &[Sample], kind: usize, model: impl Fn(&Sample) -> SuspectModel) -> ([f64; 3], [f64; 3]) {
    let of_kind = || samples.iter().filter(|sample| sample.kind == kind);
    let files: Vec<_> = of_kind().map(|sample| (Model::new([1.0]), sample.best_of_files(&model(sample)))).collect();
    let functions = of_kind().filter(|sample| !sample.functions.is_empty());
    (
        linear::accuracy(files.iter().map(|(first, files)| (*first, files))),
        linear::accuracy(functions.map(|sample| (model(sample), &sample.functions))),
    )
}

impl Sample {
    /// The highest score of a suspect in each file.
    fn best_of_files(&self, model: &SuspectModel) -> Options<1> {
        let mut best: BTreeMap<usize, (f64, bool)> = BTreeMap::new();
        for ((signals, is_right), number) in self.files.iter().zip(&self.numbers) {
            let file = best.entry(*number).or_insert((f64::NEG_INFINITY, *is_right));
            file.0 = file.0.max(model.value(signals));
        }
        best.into_values().map(|(value, is_right)| ([value], is_right)).collect()
    }
}

/// Writes the samples for analysis with other tools: a line per row, then a line per suspect, then one for each that
/// is no file.
fn dump_samples(samples: &[Sample]) -> String {
    let mut text = format!("{}\n", SUSPECT_SIGNALS.join(" "));
    for sample in samples {
        text += &format!("row {} {} {}\n", sample.id, sample.repo, sample.kind);
        for ((signals, is_right), number) in sample.files.iter().zip(&sample.numbers) {
            text += &format!("{} {number}", u8::from(*is_right));
            signals.iter().for_each(|signal| text += &format!(" {signal:.4}"));
            text.push('\n');
        }
        for (signals, is_right) in &sample.functions {
            text += if *is_right { "function 1" } else { "function 0" };
            signals.iter().for_each(|signal| text += &format!(" {signal:.4}"));
            text.push('\n');
        }
    }
    text
}

fn keep(
    model: &SuspectModel,
    samples: &[Sample],
    left_out: &BTreeMap<&str, SuspectModel>,
    kinds: &[String],
) -> Outcome<()> {
    let mut text = format!(
        "# Weights of the signals by which `trace` orders suspects: a linear model.\n\
         # Fitted by `cargo xtask fit-trace` to {} traces from {} repositories. With groups of repositories left out of the fit\n\
         # in turn, a right file was first / among five / among ten in\n",
        samples.len(),
        left_out.len()
    );
    for (kind, name) in kinds.iter().enumerate() {
        let ([one, five, ten], _) = measures(samples, kind, |sample| left_out[sample.repo.as_str()]);
        let count = samples.iter().filter(|sample| sample.kind == kind).count();
        text += &format!("#   {one:.2} / {five:.2} / {ten:.2} of the {count} traces of `{name}`\n");
    }
    for (name, weight) in SUSPECT_SIGNALS.iter().zip(model.weights()) {
        text += &format!("{name} {weight:.3}\n");
    }
    Ok(std::fs::write(Path::new(repository()).join(WEIGHTS), text)?)
}
