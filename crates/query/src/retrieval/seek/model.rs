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
    pub fn load_fitted() -> Self {
        static FITTED: LazyLock<FileModel> = LazyLock::new(|| Model::parse(WEIGHTS, SIGNALS));
        *FITTED
    }
}

impl EntryModel {
    /// The fitted one.
    pub fn load_fitted() -> Self {
        static FITTED: LazyLock<EntryModel> = LazyLock::new(|| Model::parse(ENTRY_WEIGHTS, ENTRY_SIGNALS));
        *FITTED
    }
}

/// Measured precision by confidence, on texts of issues and commits. Neither the model nor `act_at` had seen the
/// repositories of the texts that they were judged on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Calibration {
    /// Confidence from which the first file may be acted on; above 1 if none was good enough.
    pub act_at: f64,
    /// Confidence below which the answer is no better than a guess.
    pub reverify_at: f64,
    /// Share of the texts at `act_at` or above whose first file was right.
    pub precision: f64,
    /// Ends of the 95 % interval (Wilson) of `precision`.
    pub interval: [f64; 2],
    /// Share of the texts at `act_at` or above whose best function of the first file was right.
    pub function_precision: f64,
    /// Texts at `act_at` or above.
    pub acted: u32,
    /// Share of all texts that are at `act_at` or above.
    pub coverage: f64,
    /// All texts.
    pub rows: u32,
}

impl Calibration {
    /// The measured one.
    pub fn load_measured() -> Self {
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
                "precision_low" => found.interval[0] = value,
                "precision_high" => found.interval[1] = value,
                "function_precision" => found.function_precision = value,
                "acted" => found.acted = value as u32,
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
        assert!(FileModel::load_fitted().weights().iter().all(|weight| weight.is_finite()));
        assert!(EntryModel::load_fitted().weights().iter().all(|weight| weight.is_finite()));
    }

    #[test]
    fn the_calibration_says_how_sure_its_precision_is() {
        let measured = Calibration::load_measured();
        let [low, high] = measured.interval;
        assert!(0.0 < low && low < measured.precision && measured.precision < high && high <= 1.0, "{measured:?}");
        assert!(measured.reverify_at <= measured.act_at && 0 < measured.acted && measured.acted <= measured.rows);
        assert!((measured.coverage - f64::from(measured.acted) / f64::from(measured.rows)).abs() < 0.001);
    }
}
