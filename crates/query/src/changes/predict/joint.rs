//! A value for a file that may change with several changed ones, from its values for each of them.

use super::signals::{Candidate, PredictModel, signal};
use crate::Model;

/// Number of signals.
const COUNT: usize = 11;
/// Names of the signals, in order.
///
/// `any` is the logarithm of the odds that at least one of the changed files makes the file change, as if independently
/// of each other (noisy or); `best` and `second` are the two highest values; `confidences` is the logarithm of the sum
/// of the shares of common commits; `supported` and `listed` are the shares of the changed files that have common
/// commits with it, and that name it at all; `recent_100` and `recent_300` say how often it changes with anything;
/// `linked` is the strongest connection in the code; `changed` is the logarithm of the number of changed files.
pub const JOINT_SIGNALS: [&str; COUNT] = [
    "constant", "any", "best", "second", "confidences", "supported", "listed", "recent_100", "recent_300", "linked",
    "changed",
];
/// A value below those of all files, for a second one that is not there.
const LOWEST: f64 = -8.0;
/// Confidence of what has no common commits.
const NO_CONFIDENCE: f64 = 0.05;

/// The linear model; its values are logarithms of odds.
pub type JointModel = Model<COUNT>;

/// Weights as data, with the way they were made.
const WEIGHTS: &str = include_str!("joint_weights.txt");

/// The fitted model.
pub fn joint_model() -> JointModel {
    JointModel::parse(WEIGHTS, &JOINT_SIGNALS)
}

/// What one changed file says about a file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Part {
    /// Value of the model for one changed file: a logarithm of odds.
    pub value: f64,
    /// Share of the commits of the changed file that changed it, too, 0 to 1.
    pub confidence: f64,
    /// The signals `recent_100` and `recent_300`.
    pub recent: [f64; 2],
    /// Strength of the connection in the code, 0 to 1.
    pub linked: f64,
}

impl Part {
    /// What the changed file that a candidate belongs to says.
    pub fn of(candidate: &Candidate<'_>, model: &PredictModel) -> Self {
        Self {
            value: model.value(&candidate.signals),
            confidence: f64::from(candidate.support) / f64::from(candidate.own.max(1)),
            recent: ["recent_100", "recent_300"].map(|name| candidate.signals[signal(name)]),
            linked: candidate.signals[signal("linked")],
        }
    }
}

/// The signals of a file, from what each of `changed` files says that names it.
pub fn joint_signals(parts: &[Part], changed: usize) -> [f64; COUNT] {
    let changed = changed.max(1) as f64;
    let mut values: Vec<f64> = parts.iter().map(|part| part.value).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let strongest = |of: fn(&Part) -> f64| parts.iter().map(of).fold(0.0, f64::max);
    let confidences: f64 = parts.iter().map(|part| part.confidence).sum();
    let supported = parts.iter().filter(|part| part.confidence > 0.0).count() as f64;
    [
        1.0,
        any(&values),
        values.first().copied().unwrap_or(LOWEST),
        values.get(1).copied().unwrap_or(LOWEST),
        (confidences + NO_CONFIDENCE).ln(),
        supported / changed,
        parts.len() as f64 / changed,
        strongest(|part| part.recent[0]),
        strongest(|part| part.recent[1]),
        strongest(|part| part.linked),
        changed.ln(),
    ]
}

/// The value of a file: that of the only changed file, or that of the model for several.
pub(super) fn join_parts(model: &JointModel, parts: &[Part], changed: usize) -> f64 {
    match parts {
        [part] if changed < 2 => part.value,
        parts => model.value(&joint_signals(parts, changed)),
    }
}

/// The logarithm of the odds that at least one of some independent events happens, from those of each.
fn any(values: &[f64]) -> f64 {
    let softplus = |value: f64| if value > 30.0 { value } else { value.exp().ln_1p() };
    match values {
        [value] => *value,
        // The probability that none does is exp(-sum).
        values => {
            let sum: f64 = values.iter().copied().map(softplus).sum();
            if sum > 30.0 { sum } else { sum.exp_m1().max(f64::MIN_POSITIVE).ln() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_events_add_up() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(any(&[-3.0]), -3.0) && near(any(&[-3.0, -1e9]), -3.0));
        // Two times one half are three quarters.
        assert!(near(any(&[0.0, 0.0]), 3.0f64.ln()));
        assert!(any(&[-2.0, -2.0]) > any(&[-1.9]) && any(&[-2.0, -2.0]) < any(&[0.0]));
        assert!(any(&[50.0, 2.0]) > 50.0 && any(&[-2000.0, -2000.0]).is_finite());
    }

    #[test]
    fn a_file_that_two_of_two_changed_files_name_is_before_one_that_one_names() {
        let model = joint_model();
        let part = Part { value: -1.5, confidence: 0.4, ..Part::default() };
        assert!(join_parts(&model, &[part, part], 2) > join_parts(&model, &[part], 2));
        // Of a file that changes with everything, common commits say less.
        let popular = Part { recent: [1.0, 1.0], ..part };
        assert!(join_parts(&model, &[part, part], 2) > join_parts(&model, &[popular, popular], 2));
        assert!((join_parts(&model, &[part], 1) - part.value).abs() < 1e-9);
    }
}
