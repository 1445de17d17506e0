//! Tasks that agents primed their answers with. Kept in memory only, fading over time.

use std::collections::BTreeMap;

/// Maximum agents with a priming; the oldest one is removed first.
pub const MAX_PRIMINGS: usize = 100;
/// Maximum length of a stored task, in characters.
pub const MAX_TASK: usize = 500;
/// Time after which the strength of a priming halves, in milliseconds.
pub const HALF_LIFE_MS: u64 = 30 * 60_000;
/// Interval in milliseconds at which strength changes, so that answers do not change in between.
const STEP_MS: u64 = 5 * 60_000;
/// Half-lives after which a priming ends.
const LIVES: u64 = 8;

/// The priming of one agent, as it was set.
#[derive(Debug, Clone)]
pub(crate) struct Priming {
    pub(crate) task: String,
    pub(crate) strength: f64,
    pub(crate) at_ms: u64,
    pub(crate) nodes: Vec<(String, f64)>,
}

/// A priming with its current strength.
#[derive(Debug, Clone, PartialEq)]
pub struct Primed {
    /// The task of the agent.
    pub task: String,
    /// Remaining strength, above 0 and at most 1.
    pub strength: f64,
    /// Ids of nodes with their nearness to the task, 0 to 1. Ids, since node indexes are valid for one snapshot only.
    pub nodes: Vec<(String, f64)>,
}

/// The primings of all agents.
#[derive(Debug, Default, Clone)]
pub(crate) struct Primings {
    agents: BTreeMap<String, Priming>,
}

impl Primings {
    pub(crate) fn set(&mut self, agent: &str, priming: Option<Priming>) {
        let Some(priming) = priming else {
            self.agents.remove(agent);
            return;
        };
        if self.agents.len() >= MAX_PRIMINGS && !self.agents.contains_key(agent) {
            let oldest = self.agents.iter().min_by_key(|(_, priming)| priming.at_ms).map(|(agent, _)| agent.clone());
            oldest.and_then(|oldest| self.agents.remove(&oldest));
        }
        self.agents.insert(agent.to_owned(), priming);
    }

    /// Gives nodes other ids, where there is one.
    pub(crate) fn rename(&mut self, other: &dyn Fn(&str) -> Option<String>) {
        for (id, _) in self.agents.values_mut().flat_map(|priming| &mut priming.nodes) {
            if let Some(other) = other(id) {
                *id = other;
            }
        }
    }

    /// The priming of an agent with its remaining strength.
    pub(crate) fn of(&self, agent: &str, now_ms: u64) -> Option<(&Priming, f64)> {
        let priming = self.agents.get(agent)?;
        let age = now_ms.saturating_sub(priming.at_ms) / STEP_MS * STEP_MS;
        let left = (-(age as f64) / HALF_LIFE_MS as f64).exp2();
        (age < LIVES * HALF_LIFE_MS).then_some((priming, priming.strength * left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn priming(at_ms: u64) -> Option<Priming> {
        Some(Priming { task: "t".into(), strength: 0.4, at_ms, nodes: vec![("file::a".into(), 1.0)] })
    }

    #[test]
    fn a_priming_halves_and_ends() {
        let mut primings = Primings::default();
        primings.set("ann", priming(1_000));
        let left = |minutes: u64| primings.of("ann", 1_000 + minutes * 60_000).map(|(_, left)| left);
        assert_eq!(left(0), Some(0.4));
        assert_eq!(left(4), Some(0.4), "it changes in steps");
        assert_eq!(left(30), Some(0.2));
        assert_eq!(left(60), Some(0.1));
        assert_eq!(left(240), None);
        assert!(primings.of("bob", 1_000).is_none());
        assert_eq!(primings.of("ann", 0).map(|(_, left)| left), Some(0.4), "a clock that goes back");
    }

    #[test]
    fn the_number_of_agents_is_bounded() {
        let mut primings = Primings::default();
        for number in 0..3 * MAX_PRIMINGS {
            primings.set(&format!("agent {number}"), priming(number as u64));
        }
        assert_eq!(primings.agents.len(), MAX_PRIMINGS);
        assert!(primings.of(&format!("agent {}", 3 * MAX_PRIMINGS - 1), 0).is_some());
        primings.set("agent 299", None);
        assert!(primings.of("agent 299", 0).is_none());
    }
}
