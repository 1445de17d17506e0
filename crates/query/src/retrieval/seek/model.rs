//! The models that rank files, and entries of one file: weighted sums of signals. Their weights are data, fitted by
//! `cargo xtask fit-seek`.

use std::sync::LazyLock;

use super::entries::ENTRY_SIGNALS;
use super::signals::SIGNALS;
use crate::linear::Model;

const WEIGHTS: &str = include_str!("weights.txt");
const ENTRY_WEIGHTS: &str = include_str!("entry_weights.txt");
const CALIBRATION: &str = include_str!("calibration.txt");

/// Weighs [`SIGNALS`] of a file.
pub type FileModel = Model<{ SIGNALS.len() }>;
/// Weighs [`ENTRY_SIGNALS`] of an entry.
pub type EntryModel = Model<{ ENTRY_SIGNALS.len() }>;

impl FileModel {
    /// The fitted one.
    pub fn fitted() -> Self {
        static FITTED: LazyLock<FileModel> = LazyLock::new(|| Model::parse(WEIGHTS, SIGNALS));
        *FITTED
    }
}

impl EntryModel {
    /// The fitted one.
    pub fn fitted() -> Self {
        static FITTED: LazyLock<EntryModel> = LazyLock::new(|| Model::parse(ENTRY_WEIGHTS, ENTRY_SIGNALS));
        *FITTED
    }
}

/// Measured precision by confidence, on texts of issues and commits.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Calibration {
    /// Confidence from which the first file may be acted on; above 1 if none was good enough.
    pub act_at: f64,
    /// Confidence below which the answer is no better than a guess.
    pub reverify_at: f64,
    /// Share of the texts at `act_at` or above whose first file was right.
    pub precision: f64,
    /// Share of all texts that are at `act_at` or above.
    pub coverage: f64,
    /// Texts it was measured on, each with a model that had not seen its repository.
    pub rows: u32,
}

impl Calibration {
    /// The measured one.
    pub fn measured() -> Self {
        let mut found = Self::default();
        for line in CALIBRATION.lines() {
            let mut words = line.split_whitespace();
            let (Some(name), Some(value)) = (words.next(), words.next().and_then(|word| word.parse::<f64>().ok()))
            else {
                continue;
            };
            match name {
                "act_at" => found.act_at = value,
                "reverify_at" => found.reverify_at = value,
                "precision" => found.precision = value,
                "coverage" => found.coverage = value,
                "rows" => found.rows = value as u32,
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_a_weight_and_every_weight_a_signal() {
        for (text, signals) in [(WEIGHTS, SIGNALS), (ENTRY_WEIGHTS, ENTRY_SIGNALS)] {
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            let named: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
            assert_eq!(named, signals);
        }
        assert!(FileModel::fitted().weights().iter().all(|weight| weight.is_finite()));
        assert!(EntryModel::fitted().weights().iter().all(|weight| weight.is_finite()));
    }
}
