//! Signals for suspects, and the model that weights them. The weights are data, fitted by `cargo xtask fit-trace`.

use std::sync::LazyLock;

use crate::linear::Model;

const WEIGHTS: &str = include_str!("weights.txt");

/// Names of the signals, in the order of [`Signals::values`]. Their weights are in `weights.txt`.
pub const SUSPECT_SIGNALS: &[&str] = &[
    "innermost", "raises", "frame", "file_of_frame", "share_of_frames", "near", "near_test", "near_file", "words",
    "words_of_file", "sought_file", "named", "recency", "churn", "centrality", "is_test",
];

/// Weighs [`SUSPECT_SIGNALS`].
pub type SuspectModel = Model<{ SUSPECT_SIGNALS.len() }>;

/// The fitted model of suspects.
pub fn suspect_model() -> &'static SuspectModel {
    static FITTED: LazyLock<SuspectModel> = LazyLock::new(|| Model::parse(WEIGHTS, SUSPECT_SIGNALS));
    &FITTED
}

/// Signals for a suspect, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signals {
    /// It is the frame of the project that is nearest to where it broke.
    pub innermost: f64,
    /// The same for a frame that raised the error deliberately.
    pub raises: f64,
    /// Nearness of a frame to the failure.
    pub frame: f64,
    /// The same of the nearest frame in its file.
    pub file_of_frame: f64,
    /// Share of the project's frames that are in its file.
    pub share_of_frames: f64,
    /// Nearness as a callee or part of a frame.
    pub near: f64,
    /// The same of a frame of test code.
    pub near_test: f64,
    /// Nearness of its file as a dependency of a frame's file.
    pub near_file: f64,
    /// Match with the words of the message and of the text.
    pub words: f64,
    /// The same for its file.
    pub words_of_file: f64,
    /// Score of its file in `seek` for the whole text, including frames.
    pub sought_file: f64,
    /// Whether the message names it.
    pub named: f64,
    /// Recency of its file's last change.
    pub recency: f64,
    /// Frequency of its file's changes.
    pub churn: f64,
    /// Importance in the graph.
    pub centrality: f64,
    /// It is test code, and other code is among the suspects: a test is where a fault shows, not where it is.
    pub is_test: f64,
}

impl Signals {
    /// In the order of [`SUSPECT_SIGNALS`].
    pub const fn values(&self) -> [f64; SUSPECT_SIGNALS.len()] {
        [
            self.innermost, self.raises, self.frame, self.file_of_frame, self.share_of_frames, self.near,
            self.near_test, self.near_file, self.words, self.words_of_file, self.sought_file, self.named, self.recency,
            self.churn, self.centrality, self.is_test,
        ]
    }

    /// Nearness to the failure, 0 to 1: half for neighbours of a frame, a quarter for used files.
    pub const fn nearness(&self) -> f64 {
        self.frame.max(self.near_test).max(self.near / 2.0).max(self.near_file / 4.0)
    }
}

/// The value of signals as a share of the most that any could have, 0 to 1.
pub(super) fn score(signals: &Signals) -> f64 {
    let model = suspect_model();
    let most: f64 = model.weights().iter().map(|weight| weight.max(0.0)).sum();
    if most > 0.0 { (model.value(&signals.values()) / most).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_a_weight_and_every_weight_a_signal() {
        let lines = WEIGHTS.lines().filter(|line| !line.starts_with('#'));
        let named: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(named, SUSPECT_SIGNALS);
        assert!(suspect_model().weights().iter().all(|weight| weight.is_finite()));
    }
}
