use std::time::{Duration, Instant};

/// A budget of time that began to run when it was made.
///
/// Work that is cut by one must say so in its answer: how far it gets depends on the machine.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    started: Instant,
    budget: Duration,
}

impl Deadline {
    /// A budget that starts to run now.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "the one place that measures time for work that is cut by it")]
    pub fn after(budget: Duration) -> Self {
        Self { started: Instant::now(), budget }
    }

    /// Time since it was made.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether the budget is used up.
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
