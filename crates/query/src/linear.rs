//! Linear ranking models over signals. Their weights are data, fitted by `cargo xtask`.

/// Weights of signals, in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model<const N: usize> {
    weights: [f64; N],
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
    pub fn parse(text: &str, names: &[&str]) -> Self {
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

    /// Score for these signals: higher is better, only differences are meaningful.
    pub fn value(&self, signals: &[f64; N]) -> f64 {
        self.weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
    }

    /// Softmax probability of the best of these, 0 to 1.
    pub fn confidence<'s>(&self, files: impl Iterator<Item = &'s [f64; N]> + Clone) -> f64 {
        confidence(files.map(|signals| self.value(signals)))
    }
}

fn confidence(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let best = values.clone().fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = values.map(|value| (value - best).exp()).sum();
    if all > 0.0 { 1.0 / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_a_share() {
        assert_eq!(confidence([3.0].into_iter()), 1.0);
        assert_eq!(confidence([3.0, 3.0].into_iter()), 0.5);
        assert_eq!(confidence(std::iter::empty()), 0.0);
        assert!(confidence([9.0, 1.0, 1.0].into_iter()) > 0.99);
    }
}
