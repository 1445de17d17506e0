//! Calibration of the confidence of `seek` in its first file, and from which confidence on a file may be acted on.
//!
//! A model judges only texts of repositories that it was not fitted to, and the confidence from which to act is chosen
//! on other repositories than the ones that its precision is counted on: chosen and counted on the same texts, it would
//! promise more than it keeps. The judgements are kept beside the rows, and the calibration is derived from them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use m1nd_query::retrieval::{EntryModel, FileModel};
use serde::{Deserialize, Serialize};

use super::fit::Sample;
use crate::eval::golden_folder;
use crate::{Outcome, repository};

/// Path of the calibration that `seek` uses.
const CALIBRATION: &str = "crates/query/src/retrieval/seek/calibration.txt";
/// Minimum precision for `act`; its lower bound must reach [`LEAST_BOUND`].
const LEAST_PRECISION: f64 = 0.9;
/// Minimum lower bound (one-sided, 90 of 100, Wilson) of that precision.
const LEAST_BOUND: f64 = 0.8;
/// Normal quantiles of that bound, and of the interval that is stored (two-sided, 95 of 100).
const Z_BOUND: f64 = 1.2816;
const Z_INTERVAL: f64 = 1.96;
/// Precision above which an answer is better than a guess.
const GUESS: f64 = 0.25;
/// Fewest rows that are compared with a guess.
const LEAST_ROWS: usize = 20;
/// Groups of repositories; the confidence from which to act is chosen without each in turn.
const FOLDS: usize = 6;

/// How a model judged a text of a repository that it was not fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Judgement {
    id: String,
    repo: String,
    /// Confidence in the first file.
    confidence: f64,
    /// The first file was changed by the fix.
    right: bool,
    /// The best function in it was, too; `None` if the row names no functions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    function: Option<bool>,
}

impl Judgement {
    pub(super) fn of(sample: &Sample, files: &FileModel, functions: &EntryModel) -> Option<Self> {
        let confidence = files.confidence(sample.files.iter().map(|(signals, _)| signals));
        let ranked = sample.files.iter().zip(&sample.paths);
        let best = ranked.max_by(|a, b| files.value(&a.0.0).total_cmp(&files.value(&b.0.0)));
        let ((_, right), path) = best?;
        let of_file = sample.functions.iter().zip(&sample.function_paths).filter(|(_, of)| *of == path);
        let function = of_file.max_by(|a, b| functions.value(&a.0.0).total_cmp(&functions.value(&b.0.0)));
        let function = sample.names_functions.then(|| *right && function.is_some_and(|((_, is_right), _)| *is_right));
        let confidence = (confidence * 1e4).round() / 1e4;
        Some(Self { id: sample.id.clone(), repo: sample.repo.clone(), confidence, right: *right, function })
    }
}

/// Keeps the judgements, and the calibration that follows from them.
pub(super) fn keep(judged: &[Judgement]) -> Outcome<()> {
    let lines: Result<Vec<String>, _> = judged.iter().map(serde_json::to_string).collect();
    fs::write(calibration_path(), lines?.join("\n") + "\n")?;
    Ok(fs::write(Path::new(repository()).join(CALIBRATION), calibration(judged))?)
}

fn calibration_path() -> PathBuf {
    golden_folder("localize").join("left_out.jsonl")
}

/// The calibration that follows from judgements, as it is stored.
pub(super) fn calibration(judged: &[Judgement]) -> String {
    let mut sorted: Vec<&Judgement> = judged.iter().collect();
    sorted.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.id.cmp(&b.id)));
    let repositories: BTreeSet<&str> = judged.iter().map(|one| one.repo.as_str()).collect();
    let mut acted: Vec<&Judgement> = Vec::new();
    for fold in 0..FOLDS {
        let own: BTreeSet<&str> = repositories.iter().skip(fold).step_by(FOLDS).copied().collect();
        let (own, others): (Vec<&Judgement>, Vec<&Judgement>) =
            sorted.iter().partition(|one| own.contains(one.repo.as_str()));
        let act_at = act_at(&others);
        acted.extend(own.into_iter().filter(|one| act_at.is_some_and(|least| one.confidence >= least)));
    }
    let share = |right: usize, of: usize| right as f64 / of.max(1) as f64;
    let right = acted.iter().filter(|one| one.right).count();
    let (low, high) = wilson(share(right, acted.len()), acted.len(), Z_INTERVAL);
    let told: Vec<bool> = acted.iter().filter_map(|one| one.function).collect();
    let functions = share(told.iter().filter(|right| **right).count(), told.len());
    let act_at = act_at(&sorted).unwrap_or(1.1);
    format!(
        "# How often the first file of `seek` was right, by the confidence of the ranking: `cargo xtask fit-seek --calibrate`\n\
         # on {} texts from {} repositories. No model was fitted to the repository that it is judged on, and `precision` is\n\
         # counted on other repositories than those that the confidence to act at was chosen on. Its ends are those of the\n\
         # 95 % interval (Wilson). Derived from `eval/localize/left_out.jsonl`.\n\
         act_at {act_at:.3}\nreverify_at {:.3}\nprecision {:.3}\nprecision_low {low:.3}\nprecision_high {high:.3}\n\
         function_precision {functions:.3}\nacted {}\ncoverage {:.4}\nrows {}\n",
        judged.len(),
        repositories.len(),
        reverify_at(&sorted).min(act_at),
        share(right, acted.len()),
        acted.len(),
        share(acted.len(), judged.len()),
        judged.len()
    )
}

/// Lowest confidence from which on the first file is right often enough, of judgements with the surest first.
fn act_at(sorted: &[&Judgement]) -> Option<f64> {
    let (mut right, mut least) = (0, None);
    for (number, one) in sorted.iter().enumerate() {
        right += usize::from(one.right);
        let all = number + 1;
        let precision = right as f64 / all as f64;
        // Equal confidences are taken together.
        let is_last = sorted.get(all).is_none_or(|next| next.confidence < one.confidence);
        if is_last && precision >= LEAST_PRECISION && wilson(precision, all, Z_BOUND).0 >= LEAST_BOUND {
            least = Some(one.confidence);
        }
    }
    least
}

/// Confidence below which the first file is no better than a guess: the most rows at the end, of judgements with the
/// surest first, of which fewer are right.
fn reverify_at(sorted: &[&Judgement]) -> f64 {
    let (mut right, mut least) = (0, 0.0);
    for (number, one) in sorted.iter().rev().enumerate() {
        let above = sorted.len().checked_sub(number + 2).and_then(|above| sorted.get(above));
        right += usize::from(one.right);
        if number + 1 >= LEAST_ROWS && (right as f64) < GUESS * (number + 1) as f64 {
            least = above.map_or(1.0, |above| above.confidence);
        }
    }
    least
}

/// Ends of the interval of a share of so many rows (Wilson, "Probable inference", 1927).
pub(in crate::eval) fn wilson(share: f64, rows: usize, z: f64) -> (f64, f64) {
    let rows = rows.max(1) as f64;
    let centre = share + z * z / (2.0 * rows);
    let spread = z * (share * (1.0 - share) / rows + z * z / (4.0 * rows * rows)).sqrt();
    let all = 1.0 + z * z / rows;
    ((centre - spread) / all, (centre + spread) / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calibration_in_use_follows_from_the_judgements() {
        let lines = fs::read_to_string(calibration_path()).expect("is stored");
        let judged: Vec<Judgement> =
            lines.lines().map(|line| serde_json::from_str(line).expect("a judgement")).collect();
        let in_use = fs::read_to_string(Path::new(repository()).join(CALIBRATION)).expect("is stored");
        assert_eq!(calibration(&judged), in_use);
    }

    #[test]
    fn the_precision_is_counted_where_the_confidence_was_not_chosen() {
        // In every other repository the confidence from which on files are right is higher.
        let one = |repo: usize, number: usize| {
            let confidence = 1.0 - number as f64 / 100.0;
            let right = number < if repo.is_multiple_of(2) { 50 } else { 20 };
            Judgement { id: format!("{repo}-{number}"), repo: format!("r{repo:02}"), confidence, right, function: None }
        };
        let judged: Vec<Judgement> = (0..12).flat_map(|repo| (0..100).map(move |number| one(repo, number))).collect();
        let mut sorted: Vec<&Judgement> = judged.iter().collect();
        sorted.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        let text = calibration(&judged);
        let figure = |name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a figure");
            line.trim().parse().expect("a number")
        };
        assert!(figure("precision ") < LEAST_PRECISION + 0.05, "{text}");
        assert!(figure("precision_low ") < figure("precision ") && figure("precision ") < figure("precision_high "));
        assert!(act_at(&sorted).is_some());
        // From the 15th row of each repository on, fewer than a quarter are right.
        assert!((0.85..0.89).contains(&reverify_at(&sorted)), "{}", reverify_at(&sorted));
    }

    #[test]
    fn intervals_of_shares() {
        let (low, high) = wilson(0.9, 100, Z_INTERVAL);
        assert!((low - 0.826).abs() < 0.001 && (high - 0.945).abs() < 0.001, "{low} {high}");
        assert!(wilson(1.0, 0, Z_INTERVAL).0 < 0.5);
    }
}
