//! Types of the engine that this crate is written against, until the engine has them. Deleted with its first landing.
#![allow(missing_docs)]

use std::sync::Arc;

#[derive(Default)]
pub struct Engine(Arc<Snapshot>);
impl Engine {
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.0.clone()
    }
    pub fn touch_agent(&self, _agent_id: &str) {}
    pub fn status(&self) -> Status {
        Status
    }
    pub fn agents(&self) -> Vec<AgentSession> {
        Vec::new()
    }
}
#[derive(Default)]
pub struct Snapshot;
impl Snapshot {
    pub fn generation(&self) -> u64 {
        0
    }
    pub fn is_empty(&self) -> bool {
        true
    }
}
pub struct Status;
pub struct AgentSession;
