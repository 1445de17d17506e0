use std::time::{Duration, Instant};

/// A time budget that starts when it is created.
///
/// Work cut by a deadline must report that in its answer, since the cut depends on the machine.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    started: Instant,
    budget: Duration,
}

impl Deadline {
    /// Creates a budget that starts now.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "the one place that measures time for work that is cut by it")]
    pub fn after(budget: Duration) -> Self {
        Self { started: Instant::now(), budget }
    }

    /// Time since creation.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns whether the budget is used up.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.elapsed() > self.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends() {
        assert!(!Deadline::after(Duration::from_secs(3_600)).is_over());
        let none = Deadline::after(Duration::ZERO);
        while none.elapsed().is_zero() {}
        assert!(none.is_over());
    }
}
