//! What a person does with the state of agents, on the command line.

use std::path::Path;

use m1nd_base::RepoPath;
use m1nd_edit::RUN_BY_GIT;
use m1nd_engine::is_run_by_git;
use m1nd_sessions::{Handle, Lock, MAX_CHECKED_LOCKS};
use serde::Serialize;

use crate::framework::ToolError;
use crate::rows::session_error;
use crate::services::Services;

/// Maximum number of nodes that a row names.
const MAX_NODES: usize = 3;
/// Milliseconds of a minute.
const MINUTE_MS: u64 = 60_000;

/// A lock, as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldLock {
    /// Its id.
    pub lock_id: String,
    /// The agent that holds it.
    pub owner: String,
    /// Writes of other agents are refused.
    pub strict: bool,
    /// The first nodes that it was made from.
    pub nodes: Vec<String>,
    /// Minutes until it ends; `None` if it does not.
    pub minutes_left: Option<u64>,
}

/// The locks of all agents, last changed first.
///
/// # Errors
/// Those of the store.
pub fn held_locks(services: &Services) -> Result<Vec<HeldLock>, ToolError> {
    let listed = services.sessions.list::<Lock>(None, MAX_CHECKED_LOCKS).map_err(session_error)?;
    let now = services.engine.clock().now_ms();
    let row = |lock: Handle<Lock>| HeldLock {
        lock_id: lock.id,
        owner: lock.owner,
        strict: lock.value.strict,
        nodes: lock.value.roots.into_iter().take(MAX_NODES).collect(),
        minutes_left: lock.expires_ms.map(|end| end.saturating_sub(now) / MINUTE_MS),
    };
    Ok(listed.handles.into_iter().map(row).collect())
}

/// Releases a lock of any agent.
///
/// # Errors
/// Those of the store.
pub fn release_lock(services: &Services, lock: &HeldLock) -> Result<(), ToolError> {
    services.sessions.remove::<Lock>(&lock.owner, &lock.lock_id).map_err(session_error)
}

/// Who runs or trusts the file at a path of a repository, so that only a person lets it be written; `None` if it is an
/// ordinary file.
pub fn guarded_by(root: &Path, path: &str) -> Option<&'static str> {
    let path = RepoPath::new(path.trim_end_matches('/')).ok()?;
    let run_by_git = || is_run_by_git(&root.join(path.as_str())).then_some(RUN_BY_GIT);
    m1nd_edit::guarded_by(&path).or_else(run_by_git)
}
