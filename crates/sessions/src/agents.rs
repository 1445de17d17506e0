//! Agents that called. Kept in memory only.

use std::collections::BTreeMap;

/// Maximum agents remembered; the one silent for longest is removed first.
pub const MAX_AGENTS: usize = 1_000;
/// Maximum characters of an agent's name or a key that are compared.
pub const MAX_NAME: usize = 200;

/// An agent that called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSession {
    /// The name it gives itself.
    pub agent_id: String,
    /// First call, in milliseconds since 1970.
    pub first_seen_ms: u64,
    /// Last call, in milliseconds since 1970.
    pub last_seen_ms: u64,
    /// Number of calls.
    pub queries: u64,
}

/// Agents by name.
#[derive(Debug, Default)]
pub(crate) struct Agents(pub(crate) BTreeMap<String, AgentSession>);

impl Agents {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn touch(&mut self, name: String, now_ms: u64) {
        if self.0.len() >= MAX_AGENTS && !self.0.contains_key(&name) {
            let oldest = self.0.values().min_by_key(|agent| agent.last_seen_ms).map(|agent| agent.agent_id.clone());
            oldest.and_then(|oldest| self.0.remove(&oldest));
        }
        let session = self.0.entry(name.clone()).or_insert(AgentSession {
            agent_id: name,
            first_seen_ms: now_ms,
            last_seen_ms: now_ms,
            queries: 0,
        });
        session.last_seen_ms = now_ms;
        session.queries += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_and_names_cut() {
        let mut agents = Agents::default();
        agents.touch("ann".into(), 5);
        agents.touch("ann".into(), 9);
        let ann = AgentSession { agent_id: "ann".into(), first_seen_ms: 5, last_seen_ms: 9, queries: 2 };
        assert_eq!(agents.0.values().cloned().collect::<Vec<_>>(), [ann]);
    }

    #[test]
    fn the_agent_that_was_silent_longest_goes() {
        let mut agents = Agents::default();
        for number in 0..MAX_AGENTS {
            agents.touch(format!("agent {number}"), number as u64);
        }
        agents.touch("agent 0".into(), 5_000);
        agents.touch("one more".into(), 5_001);
        assert_eq!(agents.len(), MAX_AGENTS);
        let is_there = |name: &str| agents.0.contains_key(name);
        assert!(is_there("agent 0") && is_there("one more") && !is_there("agent 1"));
    }
}
