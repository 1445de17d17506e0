//! The models that order files, and the entries of one file: weighted sums of signals. Their weights are data, fitted by
//! `cargo xtask fit-seek`.

use std::sync::LazyLock;

use super::entries::ENTRY_SIGNALS;
use super::signals::SIGNALS;

const WEIGHTS: &str = include_str!("weights.txt");
const ENTRY_WEIGHTS: &str = include_str!("entry_weights.txt");
const CALIBRATION: &str = include_str!("calibration.txt");

/// Weights of signals, in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model<const N: usize> {
    weights: [f64; N],
}

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

impl<const N: usize> Model<N> {
    /// A model of these weights.
    pub const fn new(weights: [f64; N]) -> Self {
        Self { weights }
    }

    /// The weights, in the order of the signals.
    pub const fn weights(&self) -> &[f64; N] {
        &self.weights
    }

    /// Reads lines `name weight`; `#` starts a comment. Signals that are not named weigh nothing.
    fn parse(text: &str, names: &[&str]) -> Self {
        let mut weights = [0.0; N];
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let place = words.next().and_then(|name| names.iter().position(|known| *known == name));
            if let (Some(place), Some(weight)) = (place, words.next().and_then(|weight| weight.parse().ok())) {
                weights[place] = weight;
            }
        }
        Self { weights }
    }

    /// The value of what has these signals: higher is better, only differences mean something.
    pub fn value(&self, signals: &[f64; N]) -> f64 {
        self.weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
    }

    /// How sure the model is of the best of these, 0 to 1: its share of the exponentials of all values.
    pub fn confidence<'s>(&self, files: impl Iterator<Item = &'s [f64; N]> + Clone) -> f64 {
        confidence(files.map(|signals| self.value(signals)))
    }
}

fn confidence(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let best = values.clone().fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = values.map(|value| (value - best).exp()).sum();
    if all > 0.0 { 1.0 / all } else { 0.0 }
}

/// What a confidence of the ranking was worth where it was measured: on texts of issues and commits.
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
        assert!(FileModel::fitted().weights.iter().all(|weight| weight.is_finite()));
        assert!(EntryModel::fitted().weights.iter().all(|weight| weight.is_finite()));
    }

    #[test]
    fn confidence_is_a_share() {
        assert_eq!(confidence([3.0].into_iter()), 1.0);
        assert_eq!(confidence([3.0, 3.0].into_iter()), 0.5);
        assert_eq!(confidence(std::iter::empty()), 0.0);
        assert!(confidence([9.0, 1.0, 1.0].into_iter()) > 0.99);
    }
}
