//! Chances of counts.

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
}
