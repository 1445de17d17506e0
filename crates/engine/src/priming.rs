//! What agents said that they are about to do. Lives as long as the engine, never on disk, and fades.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled};
use m1nd_graph::NodeIx;

use crate::engine::Engine;
use crate::retrieval::{PrimedBy, PrimingPlan, Prior};
use crate::snapshot::Snapshot;

/// Agents whose priming is kept; the oldest one goes first.
const MAX_AGENTS: usize = 100;
/// Longest agent name and task kept, in characters.
const MAX_AGENT_NAME: usize = 200;
const MAX_TASK: usize = 500;
/// Time after which a priming counts half.
pub const HALF_LIFE_MS: u64 = 30 * 60_000;
/// Strength changes in steps of this much time, so that answers stay the same in between.
const STEP_MS: u64 = 5 * 60_000;
/// Half-lives after which a priming is gone.
const LIVES: u64 = 8;

/// The priming of one agent.
#[derive(Debug, Clone)]
struct Priming {
    task: String,
    strength: f64,
    at_ms: u64,
    /// Ids with their nearness to the task, 0 to 1: numbers of nodes do not outlive a snapshot.
    nodes: Vec<(String, f64)>,
}

/// The primings of all agents.
#[derive(Debug, Default)]
pub(crate) struct Primings {
    agents: BTreeMap<String, Priming>,
}

impl Primings {
    fn set(&mut self, agent: &str, priming: Option<Priming>) {
        let Some(priming) = priming else {
            self.agents.remove(agent);
            return;
        };
        if self.agents.len() >= MAX_AGENTS && !self.agents.contains_key(agent) {
            let oldest = self.agents.iter().min_by_key(|(_, priming)| priming.at_ms).map(|(agent, _)| agent.clone());
            oldest.and_then(|oldest| self.agents.remove(&oldest));
        }
        self.agents.insert(agent.to_owned(), priming);
    }

    /// The priming of an agent with what is left of its strength.
    fn of(&self, agent: &str, now_ms: u64) -> Option<(&Priming, f64)> {
        let priming = self.agents.get(agent)?;
        let age = now_ms.saturating_sub(priming.at_ms) / STEP_MS * STEP_MS;
        let left = (-(age as f64) / HALF_LIFE_MS as f64).exp2();
        (age < LIVES * HALF_LIFE_MS).then_some((priming, priming.strength * left))
    }
}

fn name(agent: &str) -> String {
    agent.chars().take(MAX_AGENT_NAME).collect()
}

impl Engine {
    /// Lets later answers for this agent lean towards what is near a task, until it fades or is replaced. `strength` is 0
    /// to 1; 0 takes the priming away. Nothing is stored.
    pub fn prime(&self, agent: &str, task: &str, strength: f64, plan: &PrimingPlan, snapshot: &Snapshot) {
        let nodes = plan.nodes.iter().map(|(node, near)| (snapshot.graph().id(*node).to_owned(), *near)).collect();
        let task = task.chars().take(MAX_TASK).collect();
        let at_ms = self.clock().now_ms();
        let priming = Priming { task, strength: strength.clamp(0.0, 1.0), at_ms, nodes };
        let priming = Some(priming).filter(|priming| priming.strength > 0.0 && !priming.nodes.is_empty());
        self.primings().set(&name(agent), priming);
    }

    /// What speaks for or against nodes when this agent asks for `text`.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn prior(&self, agent: &str, text: &str, snapshot: &Snapshot, cancel: &Cancel) -> Result<Prior, Cancelled> {
        cancel.check()?;
        let mut prior = Prior::default();
        let now = self.clock().now_ms();
        let primed = self.primings().of(&name(agent), now).map(|(priming, strength)| (priming.clone(), strength));
        if let Some((priming, strength)) = primed {
            let found = |(id, near): &(String, f64)| Some((snapshot.graph().find(id)?, near * strength));
            let nodes: Vec<(NodeIx, f64)> = priming.nodes.iter().filter_map(found).collect();
            let by = PrimedBy { task: priming.task, strength, nodes: nodes.len() };
            prior = prior.primed(by, nodes);
        }
        let (ledger, unavailable) = self.current_ledger();
        Ok(prior.with_told(ledger.says(text, snapshot, now), unavailable))
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
        for number in 0..3 * MAX_AGENTS {
            primings.set(&format!("agent {number}"), priming(number as u64));
        }
        assert_eq!(primings.agents.len(), MAX_AGENTS);
        assert!(primings.of(&format!("agent {}", 3 * MAX_AGENTS - 1), 0).is_some());
        primings.set("agent 299", None);
        assert!(primings.of("agent 299", 0).is_none());
    }
}
