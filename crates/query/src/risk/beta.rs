//! Beta distributions: what is known of a share after some hits and misses.

/// Halvings of an interval to find a quantile.
const BISECTIONS: usize = 60;
/// Terms of the continued fraction, at most.
const TERMS: usize = 300;
/// Relative change at which the continued fraction ends.
const PRECISION: f64 = 1e-12;
/// Smallest magnitude of a term, against division by zero.
const TINY: f64 = 1e-300;

/// A beta distribution with positive parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Beta {
    pub(super) hits: f64,
    pub(super) misses: f64,
}

impl Beta {
    pub(super) fn mean(self) -> f64 {
        self.hits / (self.hits + self.misses)
    }

    /// The value below which the share lies with a chance of `chance`.
    pub(super) fn quantile(self, chance: f64) -> f64 {
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for _ in 0..BISECTIONS {
            let middle = (low + high) / 2.0;
            if self.below(middle) < chance { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }

    /// Chance of a share below `x`: the regularised incomplete beta function, by Lentz's continued fraction.
    fn below(self, x: f64) -> f64 {
        let (a, b) = (self.hits, self.misses);
        if x <= 0.0 || x >= 1.0 {
            return x.clamp(0.0, 1.0);
        }
        let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
        // The fraction converges fast on this side of the mean only.
        if x < (a + 1.0) / (a + b + 2.0) {
            front * fraction(a, b, x) / a
        } else {
            1.0 - front * fraction(b, a, 1.0 - x) / b
        }
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for term in 1..=TERMS {
        let m = term as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for step in [even, odd] {
            d = 1.0 / kept(1.0 + step * d);
            c = kept(1.0 + step / c);
            last = c * d;
            value *= last;
        }
        if (last - 1.0).abs() < PRECISION {
            break;
        }
    }
    value
}

/// Logarithm of the gamma function, by Lanczos's approximation with seven terms.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1, -1_259.139_216_722_402_8, 771.323_428_777_653_1, -176.615_029_162_140_6,
        12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_572e-6, 1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        let pi = std::f64::consts::PI;
        return (pi / (pi * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let sum =
        TERMS.iter().enumerate().fold(0.999_999_999_999_809_9, |sum, (n, term)| sum + term / (x + n as f64 + 1.0));
    let t = x + TERMS.len() as f64 - 0.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_known_distributions() {
        let at = |hits, misses, chance| Beta { hits, misses }.quantile(chance);
        // Beta(1, 1) is uniform; Beta(1, n) has the closed form 1 - (1 - q)^(1/n).
        assert!((at(1.0, 1.0, 0.3) - 0.3).abs() < 1e-9);
        assert!((at(1.0, 5.0, 0.9) - (1.0 - 0.1f64.powf(0.2))).abs() < 1e-9);
        assert!((at(0.5, 0.5, 0.5) - 0.5).abs() < 1e-9);
        // scipy.stats.beta.ppf
        assert!((at(3.0, 7.0, 0.05) - 0.097_746).abs() < 1e-4);
        assert!((at(30.0, 970.0, 0.95) - 0.039_349).abs() < 2e-4);
    }
}
