//! The engine's handle that this crate is written against, until the engine has it. Deleted with its first landing.
#![allow(missing_docs)]

use std::sync::Arc;

use m1nd_base::{Cancel, Progress};
use m1nd_engine::{AgentSession, EngineError, IngestReport, IngestRequest, Snapshot, Status};

pub struct Engine(pub Arc<Snapshot>);
impl Engine {
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.0.clone()
    }
    pub fn touch_agent(&self, _agent_id: &str) {}
    pub fn status(&self) -> Status {
        unreachable!()
    }
    pub fn agents(&self) -> Vec<AgentSession> {
        Vec::new()
    }
    pub fn ingest(&self, _: IngestRequest, _: &Cancel, _: &dyn Progress) -> Result<IngestReport, EngineError> {
        Err(EngineError::NoRoot)
    }
}
