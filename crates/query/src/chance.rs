//! Chances of counts, and bounds of shares that counts support.

/// Halvings of an interval to find a bound: enough for the precision of the numbers.
const BISECTIONS: usize = 50;

/// Chance of at least `hits` of `of` draws that each hit with `chance`.
pub(crate) fn at_least(hits: usize, of: usize, chance: f64) -> f64 {
    if chance <= 0.0 || hits > of {
        return 0.0;
    }
    if chance >= 1.0 {
        return 1.0;
    }
    // The sum of the tail, term by term: each follows from the one before.
    let mut log_term = of as f64 * (1.0 - chance).ln();
    let mut below = 0.0;
    for hit in 0..hits {
        below += log_term.exp();
        log_term += ((of - hit) as f64 / (hit + 1) as f64).ln() + (chance / (1.0 - chance)).ln();
    }
    (1.0 - below).clamp(0.0, 1.0)
}

/// Lower bound of a share, given `hits` of `of` independent draws: below it lies the true share with a chance of at
/// most `doubt` (Clopper and Pearson, "The use of confidence or fiducial limits", 1934, one-sided). Exact, not an
/// approximation, so it also holds for few draws. 0 for none.
pub(crate) fn lower_bound(hits: usize, of: usize, doubt: f64) -> f64 {
    if hits == 0 || of == 0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..BISECTIONS {
        let middle = (low + high) / 2.0;
        if at_least(hits, of, middle) < doubt { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_draws() {
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!((at_least(2, 2, 0.5) - 0.25).abs() < 1e-12);
        assert!((at_least(0, 5, 0.3) - 1.0).abs() < 1e-12);
        assert!((at_least(3, 3, 0.1) - 0.001).abs() < 1e-12);
        assert_eq!((at_least(1, 5, 0.0), at_least(3, 2, 0.5)), (0.0, 0.0));
    }

    #[test]
    fn bounds_of_shares() {
        // Known values: with all of n right, the bound is doubt to the power of 1/n.
        assert!((lower_bound(10, 10, 0.1) - 0.1f64.powf(0.1)).abs() < 1e-6);
        assert!((lower_bound(1, 1, 0.1) - 0.1).abs() < 1e-6);
        assert_eq!((lower_bound(0, 9, 0.1), lower_bound(0, 0, 0.1)), (0.0, 0.0));
        assert!(lower_bound(90, 100, 0.1) < 0.9 && lower_bound(90, 100, 0.1) > 0.84);
        assert!(lower_bound(800, 1_000, 0.05) > lower_bound(80, 100, 0.05));
    }
}
