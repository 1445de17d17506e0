//! Fits linear weights of signals to correct choices.
//!
//! Minimises the cross-entropy of a softmax over options: minus the logarithm of the probability of the right
//! options, as a weighted sum over rows, plus a penalty for large weights. Only rows with a right option count.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_query::Model;

/// Number of descent steps.
const STEPS: usize = 300;
/// Initial step size, and the number of steps after which it is halved.
const RATE: f64 = 0.3;
const SLOWER: f64 = 40.0;
/// Number of folds for cross-validation over repositories.
const GROUPS: usize = 6;

/// Signals of each option, and whether it is right.
pub(super) type Options<const N: usize> = Vec<([f64; N], bool)>;

/// The options of a row, and its weight among all rows.
pub(super) struct Weighed<'r, const N: usize> {
    pub(super) options: &'r Options<N>,
    pub(super) share: f64,
}

/// Fits the weights by gradient descent with Adam; 0 for signals that are not `used`.
pub(super) fn fit<const N: usize>(rows: &[Weighed<'_, N>], used: &[bool; N], penalty: f64) -> Model<N> {
    descend(rows, used, penalty, f64::NEG_INFINITY)
}

/// Like [`fit`], without negative weights.
pub(super) fn fit_positive<const N: usize>(rows: &[Weighed<'_, N>], used: &[bool; N], penalty: f64) -> Model<N> {
    descend(rows, used, penalty, 0.0)
}

fn descend<const N: usize>(rows: &[Weighed<'_, N>], used: &[bool; N], penalty: f64, least: f64) -> Model<N> {
    let mut weights = [0.0; N];
    let (mut mean, mut square) = ([0.0; N], [0.0; N]);
    for step in 1..=STEPS {
        let mut gradient = weights.map(|weight| 2.0 * penalty * weight);
        for row in rows {
            add_gradient(row, &Model::new(weights), &mut gradient);
        }
        let rate = RATE / (1.0 + step as f64 / SLOWER);
        for place in (0..N).filter(|place| used[*place]) {
            mean[place] = 0.9 * mean[place] + 0.1 * gradient[place];
            square[place] = 0.99 * square[place] + 0.01 * gradient[place] * gradient[place];
            let (m, s) =
                (mean[place] / (1.0 - 0.9f64.powi(step as i32)), square[place] / (1.0 - 0.99f64.powi(step as i32)));
            weights[place] = (weights[place] - rate * m / (s.sqrt() + 1e-8)).max(least);
        }
    }
    Model::new(weights)
}

fn add_gradient<const N: usize>(row: &Weighed<'_, N>, model: &Model<N>, gradient: &mut [f64; N]) {
    let values: Vec<f64> = row.options.iter().map(|(signals, _)| model.value(signals)).collect();
    let most = values.iter().fold(f64::NEG_INFINITY, |most, value| most.max(*value));
    let powers: Vec<f64> = values.iter().map(|value| (value - most).exp()).collect();
    let all: f64 = powers.iter().sum();
    let right: f64 = powers.iter().zip(row.options).filter(|(_, (_, right))| *right).map(|(power, _)| power).sum();
    if right <= 0.0 {
        return;
    }
    for (power, (signals, is_right)) in powers.iter().zip(row.options) {
        let pull = power / all - if *is_right { power / right } else { 0.0 };
        gradient.iter_mut().zip(signals).for_each(|(sum, signal)| *sum += row.share * pull * signal);
    }
}

/// For each repository, a model fitted to the other repositories' rows, leaving out one group at a time.
pub(super) fn left_out<'r, R, const N: usize>(
    rows: &'r [R],
    repo: fn(&R) -> &str,
    fit: impl Fn(&[&'r R]) -> Model<N>,
) -> BTreeMap<&'r str, Model<N>> {
    let repositories: BTreeSet<&str> = rows.iter().map(repo).collect();
    let mut left_out = BTreeMap::new();
    for group in 0..GROUPS {
        let of_group: Vec<&str> = repositories.iter().skip(group).step_by(GROUPS).copied().collect();
        let rest: Vec<&R> = rows.iter().filter(|row| !of_group.contains(&repo(row))).collect();
        let model = fit(&rest);
        left_out.extend(of_group.into_iter().map(|repo| (repo, model)));
    }
    left_out
}

/// Shares of rows with a right option first, in the top five, in the top ten, each ranked by its model.
pub(super) fn accuracy<'r, const N: usize>(rows: impl Iterator<Item = (Model<N>, &'r Options<N>)>) -> [f64; 3] {
    let (mut sums, mut count) = ([0.0; 3], 0usize);
    for (model, options) in rows {
        count += 1;
        let right = options.iter().filter(|(_, right)| *right).map(|(signals, _)| model.value(signals));
        let best = right.fold(f64::NEG_INFINITY, f64::max);
        if best == f64::NEG_INFINITY {
            continue;
        }
        let above = options.iter().filter(|(signals, right)| !right && model.value(signals) > best).count();
        for (sum, k) in sums.iter_mut().zip([1, 5, 10]) {
            *sum += f64::from(u8::from(above < k));
        }
    }
    sums.map(|sum| sum / count.max(1) as f64)
}
