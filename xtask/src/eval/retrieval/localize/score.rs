//! Measures, with bootstrap confidence intervals over rows.

use std::collections::BTreeMap;
use std::{fmt, fs};

use serde::{Deserialize, Serialize};

use super::Row;
use super::rows::GoldFunction;
use crate::Outcome;
use crate::eval::arguments::Keep;
use crate::eval::golden_folder;

/// Maximum number of ranked files per row.
const KEPT: usize = 100;
/// Number of bootstrap samples.
const RESAMPLINGS: usize = 1_000;
/// Minimum number of files for rows that measure whether all are found.
const MANY: usize = 3;

/// Result of one row.
#[derive(Debug)]
pub(in crate::eval) struct RowResult {
    gold: Vec<String>,
    functions: Vec<(String, GoldFunction)>,
    /// Ranked files, distinct.
    pub(in crate::eval) files: Vec<String>,
    symbols: usize,
    /// Rank of the first changed function, among symbols.
    function_rank: Option<usize>,
}

impl RowResult {
    pub(in crate::eval) fn new(row: &Row) -> Self {
        let functions =
            row.gold_funcs.iter().flat_map(|(file, all)| all.iter().map(|function| (file.clone(), function.clone())));
        Self {
            gold: row.gold_files.clone(),
            functions: functions.collect(),
            files: Vec::new(),
            symbols: 0,
            function_rank: None,
        }
    }

    pub(in crate::eval) fn add_file(&mut self, path: &str) {
        if self.files.len() < KEPT && !self.files.iter().any(|known| known == path) {
            self.files.push(path.to_owned());
        }
    }

    pub(in crate::eval) fn add_symbol(&mut self, path: &str, label: &str, lines: (u32, u32)) {
        self.symbols += 1;
        let is_gold = self.functions.iter().any(|(file, function)| file == path && function.is_at(label, lines));
        if is_gold && self.function_rank.is_none() {
            self.function_rank = Some(self.symbols);
        }
    }

    /// Rank of the first right file, from 1.
    pub(in crate::eval) fn best_rank(&self) -> Option<usize> {
        self.files.iter().position(|file| self.gold.contains(file)).map(|at| at + 1)
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        let best = self.best_rank().unwrap_or(usize::MAX);
        let within = |rank: usize, k: usize| f64::from(u8::from(rank <= k));
        let top: Vec<bool> = self.files.iter().take(10).map(|file| self.gold.contains(file)).collect();
        let found = top.iter().filter(|hit| **hit).count();
        let mut measures = vec![
            ("acc@1", within(best, 1)),
            ("acc@5", within(best, 5)),
            ("acc@10", within(best, 10)),
            ("recall@10", found as f64 / self.gold.len() as f64),
            ("MRR", if best == usize::MAX { 0.0 } else { 1.0 / best as f64 }),
        ];
        if self.gold.len() >= MANY {
            measures.push(("all@10 of 3+", f64::from(u8::from(found == self.gold.len()))));
        }
        if !self.functions.is_empty() {
            let rank = self.function_rank.unwrap_or(usize::MAX);
            measures.push(("function acc@1", within(rank, 1)));
            measures.push(("function acc@5", within(rank, 5)));
            measures.push(("function acc@10", within(rank, 10)));
        }
        measures
    }
}

/// A mean with its 95 % bootstrap interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(in crate::eval) struct Measure {
    pub(in crate::eval) rows: usize,
    pub(in crate::eval) mean: f64,
    low: f64,
    high: f64,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, mean, low, high } = self;
        write!(f, "{mean:.3}  [{low:.3}, {high:.3}]  n {rows}")
    }
}

/// Results of all rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::eval) struct Outcomes {
    rows: usize,
    answered: usize,
    measures: BTreeMap<String, Measure>,
    /// acc@1, acc@5, acc@10 and number of rows of each repository.
    by_repository: BTreeMap<String, (usize, [f64; 3])>,
    /// Rank of the first right file; 0 for none.
    ranks: BTreeMap<String, usize>,
}

impl Outcomes {
    pub(in crate::eval) fn of(rows: &[Row], results: &[Option<RowResult>]) -> Self {
        let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut outcomes = Self { rows: rows.len(), ..Self::default() };
        for (row, result) in rows.iter().zip(results) {
            let Some(result) = result else { continue };
            outcomes.answered += 1;
            outcomes.ranks.insert(row.id.clone(), result.best_rank().unwrap_or(0));
            let measures = result.measures();
            let (count, sums) = outcomes.by_repository.entry(row.repo.clone()).or_default();
            *count += 1;
            sums.iter_mut().zip(&measures).for_each(|(sum, (_, value))| *sum += value);
            measures.iter().for_each(|(name, value)| values.entry(name).or_default().push(*value));
        }
        for (count, sums) in outcomes.by_repository.values_mut() {
            sums.iter_mut().for_each(|sum| *sum = round_value(*sum / *count as f64));
        }
        outcomes.measures = values.into_iter().map(|(name, values)| (name.to_owned(), measure(&values))).collect();
        outcomes
    }

    pub(in crate::eval) fn table(&self) -> String {
        let mut text = format!("  rows {} answered {}\n", self.rows, self.answered);
        for (name, measure) in &self.measures {
            text += &format!("  {name:<16} {measure}\n");
        }
        for (name, (count, [one, five, ten])) in &self.by_repository {
            text += &format!("    {name:<26} n {count:<3} acc@1 {one:.2} @5 {five:.2} @10 {ten:.2}\n");
        }
        text
    }
}

/// Compares with the stored results, or stores these.
pub(in crate::eval) fn keep(outcomes: &Outcomes, kind: &str, name: &str, keep: Keep) -> Outcome<()> {
    let path = golden_folder(kind).join(format!("{name}.json"));
    match keep {
        Keep::Print => Ok(()),
        Keep::Write => {
            fs::create_dir_all(golden_folder(kind))?;
            let mut text = serde_json::to_string_pretty(outcomes)?;
            text.push('\n');
            Ok(fs::write(&path, text)?)
        }
        Keep::Check => {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let kept: Outcomes = serde_json::from_str(&text)?;
            if kept == *outcomes { Ok(()) } else { Err(format!("differs from {}", path.display()).into()) }
        }
    }
}

pub(in crate::eval) fn measure(values: &[f64]) -> Measure {
    let mean = |sum: f64| sum / values.len().max(1) as f64;
    let mut random = Random(1);
    let mut means: Vec<f64> =
        (0..RESAMPLINGS).map(|_| mean((0..values.len()).map(|_| values[random.below(values.len())]).sum())).collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| round_value(means[(share * (RESAMPLINGS - 1) as f64) as usize]);
    Measure { rows: values.len(), mean: round_value(mean(values.iter().sum())), low: at(0.025), high: at(0.975) }
}

fn round_value(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Deterministic random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}
