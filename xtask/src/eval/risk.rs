//! `cargo xtask eval risk`: how many later fix commits the riskiest files of a repository hold, by `trust`, by `tremor`
//! and by size.
//!
//! The newest quarter of the read commits is "later"; everything is ranked from the commits before it. The files are
//! those of the product that existed then. A set of files holds a fix commit if the commit touched one of them. Every
//! ranking names the same number of files: a tenth. `hindsight` is the share held by the files that later fixes touched
//! most: no ranking can hold much more. Fix commits are those that [`m1nd_history::Commit::is_fix`] finds by their
//! subjects, before and after.

use std::collections::BTreeSet;
use std::path::PathBuf;

use m1nd_history::{Contents, FileHistory, History, Moment};
use m1nd_query::risk::{Tier, Tremors, TrustModel, is_product};
use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::cochange::Mirror;
use super::golden::keep;
use crate::{Outcome, repository};

const USAGE: &str =
    "expected: cargo xtask eval risk --mirror DIR [--repository owner/name]... [--half-life DAYS] [--check | --write]";
/// Share of the read commits that are later.
const LATER: f64 = 0.25;
/// Share of the files that a ranking names.
const TOP: f64 = 0.1;
/// Days after which evidence counts half, as in `trust`.
const HALF_LIFE: f64 = 730.0;
/// Commits below which nothing is told, as in `trust`.
const LEAST: usize = 3;
/// Days of the window of `tremor`.
const WINDOW: u32 = 30;
/// Days after which a fix counts half in `expected`.
const FIX_HALF_LIFE: f64 = 365.0;
/// Fewest later fix commits of a repository that is counted.
const LEAST_FIXES: usize = 10;

/// Shares of the later fix commits that the named files hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Held {
    trust: f64,
    tremor: f64,
    /// By the expected number of fixes: those before by age, and as much again shared out by size.
    #[serde(default)]
    expected: f64,
    /// By number of commits before.
    commits: f64,
    size: f64,
    hindsight: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    repository: String,
    files: u64,
    named: u64,
    later_fixes: u64,
    held: Held,
    /// Held by `trust` over held by size.
    trust_over_size: f64,
    tremor_over_size: f64,
    #[serde(default)]
    expected_over_size: f64,
    hindsight_over_size: f64,
    /// Bytes of the files named by `trust` over those named by size: what a reader of them has to read.
    bytes_over_size: f64,
    /// Fix commits held by each of the two per byte: `trust` over size.
    per_byte_over_size: f64,
    /// Of the files that `trust` calls risky or safe beyond doubt, the share touched by a later fix.
    touched_of_high: Option<f64>,
    touched_of_low: Option<f64>,
}

/// A file at the split.
struct Ranked<'h> {
    file: FileHistory<'h>,
    bytes: usize,
    lines: u32,
}

fn round_value(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let (mut mirror, mut only, mut half_life, mut kept) = (None, Vec::new(), HALF_LIFE, Keep::Print);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value; {USAGE}"));
        match flag.as_str() {
            "--mirror" => mirror = Some(PathBuf::from(value()?)),
            "--repository" => only.push(value()?.replace('/', "+")),
            "--half-life" => half_life = value()?.parse()?,
            "--check" => kept = Keep::Check,
            "--write" => kept = Keep::Write,
            _ => return Err(format!("unknown argument `{flag}`; {USAGE}").into()),
        }
    }
    let mirror = mirror.ok_or(USAGE)?;
    let mut names: Vec<String> = std::fs::read_dir(&mirror)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.contains('+') && (only.is_empty() || only.contains(name)))
        .collect();
    names.sort();
    let mut reports = Vec::new();
    for name in names {
        match Mirror::open(&mirror, &name).and_then(|mirror| report(&mirror, &name, half_life)) {
            Ok(Some(report)) => {
                println!("{report:?}");
                reports.push(report);
            }
            Ok(None) => println!("{name}: left out, too few later fix commits"),
            Err(error) => println!("{name}: left out, {error}"),
        }
    }
    summary(&reports);
    keep(&repository().join("eval/risk/files.json"), &reports, kept)
}

fn summary(reports: &[Report]) {
    let median = |of: &dyn Fn(&Report) -> f64| {
        let mut values: Vec<f64> = reports.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let at_least = |bound: f64| reports.iter().filter(|row| row.trust_over_size >= bound).count();
    println!(
        "{} repositories; over size, medians: trust {:.2}, tremor {:.2}, expected {:.2}, hindsight {:.2}; trust per byte {:.2}; trust at least 1.0 in {}, 1.5 in {}",
        reports.len(),
        median(&|row| row.trust_over_size),
        median(&|row| row.tremor_over_size),
        median(&|row| row.expected_over_size),
        median(&|row| row.hindsight_over_size),
        median(&|row| row.per_byte_over_size),
        at_least(1.0),
        at_least(1.5),
    );
}

fn report(mirror: &Mirror, name: &str, half_life: f64) -> Outcome<Option<Report>> {
    let history = mirror.history()?;
    let contents = mirror.contents()?;
    let split = (history.commits().len() as f64 * LATER) as usize;
    let Some(last) = split.checked_sub(1) else { return Ok(None) };
    let moment = Moment::before(last);
    let files = files_at(&history, &contents, moment);
    let known: BTreeSet<u32> = files.iter().map(|row| row.file.key()).collect();
    let fixes: Vec<BTreeSet<u32>> = (0..split)
        .filter(|&number| history.commits()[number].is_fix())
        .map(|number| history.all_touched_by(number).map(|file| file.key()).filter(|key| known.contains(key)).collect())
        .filter(|touched: &BTreeSet<u32>| !touched.is_empty())
        .collect();
    if fixes.len() < LEAST_FIXES {
        return Ok(None);
    }
    let named = (files.len() as f64 * TOP).ceil() as usize;
    let with_lines: Vec<(FileHistory<'_>, u32)> = files.iter().map(|row| (row.file, row.lines)).collect();
    let model = TrustModel::of(&history, moment, half_life, &with_lines);
    let judged: Vec<_> = files
        .iter()
        .map(|row| {
            let exposure = model.exposure(&history, row.file.commit_numbers(moment));
            model.judge(&exposure, &[], row.lines, LEAST)
        })
        .collect();
    let tremors = Tremors::of(&history, moment, Some(WINDOW), files.iter().map(|row| row.file));
    let risk = |at: usize| if judged[at].tier == Tier::Unknown { -1.0 } else { 1.0 - judged[at].trust };
    let tremor = |at: usize| {
        let series = tremors.series(&history, files[at].file.commit_numbers(moment));
        tremors.judge(&series).map_or(-1.0, |found| found.magnitude)
    };
    let expected = estimate_fixes(&history, split, moment, &files);
    let later = |key: u32| fixes.iter().filter(|touched| touched.contains(&key)).count();
    let top = |value: &dyn Fn(usize) -> f64| -> Vec<usize> {
        let mut order: Vec<(f64, usize)> = (0..files.len()).map(|at| (value(at), at)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| files[a.1].file.path().cmp(files[b.1].file.path())));
        order.into_iter().take(named).map(|(_, at)| at).collect()
    };
    let held = |top: &[usize]| {
        let keys: BTreeSet<u32> = top.iter().map(|&at| files[at].file.key()).collect();
        fixes.iter().filter(|touched| !touched.is_disjoint(&keys)).count() as f64 / fixes.len() as f64
    };
    let bytes = |top: &[usize]| top.iter().map(|&at| files[at].bytes).sum::<usize>().max(1) as f64;
    let (by_trust, by_size) = (top(&risk), top(&|at| files[at].bytes as f64));
    let shares = Held {
        trust: round_value(held(&by_trust)),
        tremor: round_value(held(&top(&tremor))),
        expected: round_value(held(&top(&|at| expected[at]))),
        commits: round_value(held(&top(&|at| files[at].file.commit_numbers(moment).len() as f64))),
        size: round_value(held(&by_size)),
        hindsight: round_value(held(&top(&|at| later(files[at].file.key()) as f64))),
    };
    let over = |share: f64| round_value(share / shares.size.max(1e-4));
    let touched = |tier: Tier| {
        let of: Vec<usize> = (0..files.len()).filter(|&at| judged[at].tier == tier).collect();
        let hit = of.iter().filter(|&&at| later(files[at].file.key()) > 0).count();
        (!of.is_empty()).then(|| round_value(hit as f64 / of.len() as f64))
    };
    let bytes_over_size = bytes(&by_trust) / bytes(&by_size);
    Ok(Some(Report {
        repository: name.replace('+', "/"),
        files: files.len() as u64,
        named: named as u64,
        later_fixes: fixes.len() as u64,
        trust_over_size: over(shares.trust),
        tremor_over_size: over(shares.tremor),
        expected_over_size: over(shares.expected),
        hindsight_over_size: over(shares.hindsight),
        bytes_over_size: round_value(bytes_over_size),
        per_byte_over_size: round_value(shares.trust / shares.size.max(1e-4) / bytes_over_size),
        touched_of_high: touched(Tier::High),
        touched_of_low: touched(Tier::Low),
        held: shares,
    }))
}

/// The expected fixes of each file: the posterior mean of a Gamma-Poisson model. Its prior shares as many fixes out by
/// size as were seen; each counts half after a year.
fn estimate_fixes(history: &History, split: usize, moment: Moment, files: &[Ranked<'_>]) -> Vec<f64> {
    let commits = history.commits();
    let now = commits.get(split).map_or(0, |commit| commit.time);
    let weight = |number: usize| {
        let days = (now - commits[number].time).max(0) as f64 / 86_400.0;
        (-days / FIX_HALF_LIFE * std::f64::consts::LN_2).exp()
    };
    let seen = |row: &Ranked<'_>| -> f64 {
        row.file.commit_numbers(moment).filter(|number| commits[*number].is_fix()).map(weight).sum()
    };
    let seen: Vec<f64> = files.iter().map(seen).collect();
    let (fixes, bytes) = (seen.iter().sum::<f64>(), files.iter().map(|row| row.bytes).sum::<usize>().max(1) as f64);
    files.iter().zip(&seen).map(|(row, seen)| seen + fixes * row.bytes as f64 / bytes).collect()
}

/// The product files at a moment, with their contents then.
fn files_at<'h>(history: &'h History, contents: &Contents, moment: Moment) -> Vec<Ranked<'h>> {
    let row = |file: FileHistory<'h>| {
        let newest = file.commit_numbers(moment).next()?;
        let change = file.changes().find(|change| change.commit == newest)?;
        let text = contents.blob(change.after?)?;
        let lines = text.iter().filter(|byte| **byte == b'\n').count() as u32;
        is_product(change.path).then_some(Ranked { file, bytes: text.len(), lines })
    };
    history.existing_at(moment).filter_map(row).collect()
}
