//! `cargo xtask eval cochange`: commits, of which one file is the question and the others are the right answers.
//!
//! The protocol is online: each row is answered from the history up to the parent of its commit. The code is that of
//! the `cutoff` commit of the rows, before all of them. Beside it, ROSE (Zimmermann et al., "Mining version histories
//! to guide software changes", 2005) answers the same rows from all commits. Verdicts are those of a calibration at
//! the `cutoff`, so that all rows are later than what it was measured on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use m1nd_base::Cancel;
use m1nd_history::{History, Moment};
use m1nd_query::changes::predict::{
    Around, Beside, Calibration, Candidate, Changed, FileLinks, PREDICT_SIGNALS, PredictModel, Source, Verdict,
    candidates,
};
use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::golden::{keep, ratio};
use crate::{Outcome, repository};

mod covering;
mod fit;
mod plans;
mod repository;
mod rows;

pub(super) use covering::run as covering;
pub(super) use fit::run as fit;
pub(super) use plans::run as plans;
pub(super) use repository::Mirror;

const USAGE: &str = "expected: cargo xtask eval cochange (--rows FILE | --repository OWNER/NAME)... --mirror DIR --checkouts DIR \
                     [--check | --write]";
/// Path of the weights.
const WEIGHTS: &str = "crates/query/src/changes/predict/weights.txt";
/// Rows of an answer that count.
const TOP: usize = 10;
/// Rows of an answer that are ranked.
const RANKED: usize = 100;
/// Files of the largest commit that ROSE learns from: with 30 it is better on these repositories than with 50 or all.
const ROSE_FILES: usize = 30;
/// Bins of the calibration error.
const BINS: usize = 10;
/// Share of the questions whose first rows are counted as the surest.
const SUREST: f64 = 0.15;

/// Arguments of an evaluation of repositories that can fit a model to them, too.
struct Fitting {
    mirror: PathBuf,
    checkouts: PathBuf,
    /// `--repository`, each OWNER/NAME.
    names: Vec<String>,
    /// `--fit`.
    fits: bool,
    how: Keep,
}

impl Fitting {
    fn parse(args: &[String], usage: &str) -> Outcome<Self> {
        let (mut mirror, mut checkouts, mut names) = (None, None, Vec::new());
        let (mut fits, mut how) = (false, Keep::Print);
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value; {usage}"));
            match flag.as_str() {
                "--mirror" => mirror = Some(PathBuf::from(value()?)),
                "--checkouts" => checkouts = Some(PathBuf::from(value()?)),
                "--repository" => names.push(value()?.clone()),
                "--fit" => fits = true,
                "--check" => how = Keep::Check,
                "--write" => how = Keep::Write,
                _ => return Err(format!("unknown argument `{flag}`; {usage}").into()),
            }
        }
        let (Some(mirror), Some(checkouts)) = (mirror, checkouts) else { return Err(usage.into()) };
        Ok(Self { mirror, checkouts, names, fits, how })
    }
}

#[derive(Debug, Deserialize)]
struct Row {
    repo: String,
    parent: String,
    cutoff: String,
    query: String,
    gold: Vec<String>,
}

/// Quality of a ranking.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Quality {
    recall_at_10: f64,
    map: f64,
}

/// Verdicts on the first ten rows of each answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Verdicts {
    /// Rows with verdict `act`.
    act: u64,
    /// Those of them that are right.
    right: u64,
    precision: Option<f64>,
    /// Share of the questions with a row of verdict `act`.
    coverage: Option<f64>,
    /// Mean difference of the stated probability and the share of right rows, in ten bins.
    calibration_error: f64,
    /// Share of right rows among the first rows of the 15 % of the questions whose first row is the most probable: what
    /// a threshold that had been known before could have reached.
    surest: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    repository: String,
    /// The newest commit of the history that the rows were made from; absent for rows of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    rows: u64,
    rose: Quality,
    ours: Quality,
    /// Ours over ROSE.
    recall_ratio: f64,
    map_ratio: f64,
    verdicts: Verdicts,
}

/// Sums over rows.
#[derive(Default)]
struct Sums {
    rows: u64,
    recall: f64,
    precision: f64,
}

impl Sums {
    /// Adds an answer: share of the right files among the first ten, and average precision.
    fn add(&mut self, ranked: &[String], gold: &BTreeSet<&str>) {
        let hits: Vec<usize> = ranked
            .iter()
            .enumerate()
            .filter(|(_, path)| gold.contains(path.as_str()))
            .map(|(place, _)| place)
            .collect();
        self.rows += 1;
        self.recall += hits.iter().filter(|place| **place < TOP).count() as f64 / gold.len() as f64;
        let precision = hits.iter().enumerate().map(|(number, place)| (number + 1) as f64 / (place + 1) as f64);
        self.precision += precision.sum::<f64>() / gold.len() as f64;
    }

    fn quality(&self) -> Quality {
        let rows = self.rows.max(1) as f64;
        Quality { recall_at_10: round_value(self.recall / rows), map: round_value(self.precision / rows) }
    }
}

fn round_value(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let (mut rows, mut repositories) = (Vec::new(), Vec::new());
    let (mut mirror, mut checkouts, mut keep) = (None, None, Keep::Print);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().map(PathBuf::from).ok_or_else(|| format!("{flag} needs a value; {USAGE}"));
        match flag.as_str() {
            "--rows" => rows.push(value()?),
            "--repository" => repositories.push(value()?),
            "--mirror" => mirror = Some(value()?),
            "--checkouts" => checkouts = Some(value()?),
            "--check" => keep = Keep::Check,
            "--write" => keep = Keep::Write,
            _ => return Err(format!("unknown argument `{flag}`; {USAGE}").into()),
        }
    }
    let (Some(mirror), Some(checkouts)) = (mirror, checkouts) else { return Err(USAGE.into()) };
    for file in &rows {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let rows: Vec<Row> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        evaluate(&rows, None, &mirror, &checkouts, keep)?;
    }
    for name in &repositories {
        let name = name.to_string_lossy();
        let head = Mirror::open(&mirror, &name)?.history()?.head();
        evaluate(&rows::of_repository(&mirror, &name)?, Some(head), &mirror, &checkouts, keep)?;
    }
    Ok(())
}

fn evaluate(rows: &[Row], head: Option<String>, mirror: &Path, checkouts: &Path, kept: Keep) -> Outcome<()> {
    let first = rows.first().ok_or("there are no rows")?;
    let mirror = Mirror::open(mirror, &first.repo)?;
    let before = mirror.history_at(&first.cutoff, None)?;
    let links = mirror.links_at(&first.cutoff, checkouts)?;
    let model = model()?;
    let calibration = Calibration::of(&before, &Beside::of(&before), &model, &Cancel::new())?;
    let (mut ours, mut rose, mut judged) = (Sums::default(), Sums::default(), Judged::default());
    let (mut known, mut whole) = (before, mirror.whole_history_at(&first.cutoff, None)?);
    for row in rows {
        known = mirror.history_at(&row.parent, Some(&known))?;
        whole = mirror.whole_history_at(&row.parent, Some(&whole))?;
        let gold: BTreeSet<&str> = row.gold.iter().map(String::as_str).collect();
        rose.add(&rose_answer(&whole, &row.query), &gold);
        let found = answer(&known, &links, &row.query, &model);
        judged.add(&calibration, &model, &found, &gold);
        let ranked: Vec<String> = found.iter().map(|(_, row)| row.file.path().to_owned()).collect();
        ours.add(&ranked, &gold);
    }
    let report = Report {
        repository: first.repo.clone(),
        head,
        rows: rows.len() as u64,
        recall_ratio: round_value(ours.recall / rose.recall),
        map_ratio: round_value(ours.precision / rose.precision),
        rose: rose.quality(),
        ours: ours.quality(),
        verdicts: judged.verdicts(),
    };
    println!("{report:#?}");
    keep(&repository().join(format!("eval/cochange/{}.json", first.repo.replace('/', "+"))), &report, kept)
}

/// The weights as they are in the repository now, so that a new fit is measured without building again.
fn model() -> Outcome<PredictModel> {
    let path = repository().join(WEIGHTS);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(PredictModel::parse(&text, &PREDICT_SIGNALS))
}

/// The candidates for a file, best first.
fn answer<'h>(history: &'h History, links: &FileLinks, query: &str, model: &PredictModel) -> Vec<(f64, Candidate<'h>)> {
    let beside = Beside::of(history);
    let own = history.file(query).map(|file| history.counting_commits(file, Moment::NOW)).unwrap_or_default();
    let around = Around { links, beside: &beside, prefix: "" };
    let found = candidates(history, Changed { path: query, commits: &own }, around, Moment::NOW);
    let mut rows: Vec<(f64, Candidate<'h>)> = found.into_iter().map(|row| (model.value(&row.signals), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.truncate(RANKED);
    rows
}

/// The files that ROSE names: from the commits of at most [`ROSE_FILES`] files, by confidence; of equal ones, the one
/// that last changed with the file first.
fn rose_answer(history: &History, query: &str) -> Vec<String> {
    let Some(file) = history.file(query) else { return Vec::new() };
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for change in file.changes() {
        if history.commits()[change.commit].count_touched() > ROSE_FILES {
            continue;
        }
        // All rules have the same left side, so that the order by confidence is that by support.
        for other in history.touched_by(change.commit).filter(|other| other.path() != query) {
            counts.entry(other.path()).or_insert((0, change.commit)).0 += 1;
        }
    }
    let mut rows: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
    rows.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.1.1.cmp(&b.1.1)).then_with(|| a.0.cmp(b.0)));
    rows.into_iter().take(RANKED).map(|(path, _)| path.to_owned()).collect()
}

/// Verdicts and probabilities of rows.
#[derive(Default)]
struct Judged {
    questions: u64,
    answered: u64,
    act: u64,
    right: u64,
    rows: usize,
    bins: [(f64, f64); BINS],
    /// Probability of the first row of each answer, and whether it is right.
    first: Vec<(f64, bool)>,
}

impl Judged {
    fn add(
        &mut self,
        calibration: &Calibration,
        model: &PredictModel,
        found: &[(f64, Candidate<'_>)],
        gold: &BTreeSet<&str>,
    ) {
        self.questions += 1;
        let mut is_answered = false;
        for (place, (_, candidate)) in found.iter().take(TOP).enumerate() {
            let path = candidate.file.path();
            let source = if candidate.support > 0 { Source::CoChange } else { Source::Structure };
            let probability = calibration.probability(model.value(&candidate.without_graph()), source);
            let is_right = gold.contains(path);
            if calibration.verdict(probability, source, path) == Verdict::Act {
                (self.act, self.right) = (self.act + 1, self.right + u64::from(is_right));
                is_answered = true;
            }
            if place == 0 {
                self.first.push((probability, is_right));
            }
            let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
            *bin = (bin.0 + probability, bin.1 + f64::from(u8::from(is_right)));
            self.rows += 1;
        }
        self.answered += u64::from(is_answered);
    }

    fn verdicts(&self) -> Verdicts {
        let mut first = self.first.clone();
        // Of equally probable rows, wrong ones come first.
        first.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        first.truncate((self.questions as f64 * SUREST).ceil() as usize);
        let gap: f64 = self.bins.iter().map(|(stated, right)| (stated - right).abs()).sum();
        Verdicts {
            act: self.act,
            right: self.right,
            precision: ratio(self.right, self.act),
            coverage: ratio(self.answered, self.questions),
            calibration_error: round_value(gap / self.rows.max(1) as f64),
            surest: ratio(first.iter().filter(|row| row.1).count() as u64, first.len() as u64),
        }
    }
}
