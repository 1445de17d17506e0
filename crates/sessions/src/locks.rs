//! Regions of the graph that agents watch, and that others should not change.

use std::collections::BTreeSet;
use std::time::Duration;

use m1nd_base::{ContentHash, node_id};
use serde::{Deserialize, Serialize};

use crate::common::shorten_text;
use crate::{Access, Handle, Held, Kind, MAX_NAME, SessionError, Sessions};

/// Maximum locks of one agent.
pub const MAX_LOCKS: usize = 10;
/// Maximum size of one lock, in bytes.
pub const MAX_LOCK_BYTES: u64 = 3 << 20;
/// Time from the last use to the end of a lock if its owner names none, in minutes.
pub const LOCK_MINUTES: u64 = 8 * 60;
/// Maximum locks of all agents that one check looks at, last changed first.
pub const MAX_CHECKED_LOCKS: usize = 1_000;

/// A region of the graph as it was when it was locked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lock {
    /// Word for how the region was chosen.
    pub scope: String,
    /// Ids of the nodes that the region was made from.
    pub roots: Vec<String>,
    /// Edges from the roots to the rest of the region.
    pub radius: u32,
    /// Writes of other agents are refused, not only warned of.
    pub strict: bool,
    /// What is reported to its owner.
    pub watch: Watch,
    /// Generation of the index up to which ingests were reported.
    pub seen_generation: u64,
    /// Row of the ledger up to which feedback was reported.
    pub seen_feedback: i64,
    /// Perspective that ends it when it is closed.
    pub perspective: Option<String>,
    /// Generation of the index that the baseline is from.
    pub generation: u64,
    /// The region as it was.
    pub baseline: LockBaseline,
}

/// What is reported to the owner of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Watch {
    /// Nothing: the owner asks for differences.
    #[default]
    Manual,
    /// Changes of the index.
    OnIngest,
    /// Feedback about nodes of the region.
    OnLearn,
}

impl Watch {
    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::OnIngest => "on_ingest",
            Self::OnLearn => "on_learn",
        }
    }
}

/// Nodes and edges of a region. Edges name nodes by their number: those of the region first, then those outside.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LockBaseline {
    /// Ids of the nodes of the region.
    pub nodes: Vec<String>,
    /// Hashes of text and file of each; `None` without text.
    pub hashes: Vec<Option<(ContentHash, ContentHash)>>,
    /// Ids of nodes at the other end of an edge that crosses the boundary.
    pub outside: Vec<String>,
    /// Source, target, word of the relation, and weight, 0 to 1.
    pub edges: Vec<(u32, u32, String, f64)>,
}

impl Held for Lock {
    const KIND: Kind = Kind {
        name: "lock",
        prefix: "lock",
        access: Access::Owner,
        lifetime: Some(Duration::from_secs(LOCK_MINUTES * 60)),
        max_per_owner: MAX_LOCKS,
        max_bytes: MAX_LOCK_BYTES,
    };
}

/// A lock of another agent on something that is to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TouchedLock {
    /// Its id.
    pub lock_id: String,
    /// The agent that holds it.
    pub owner: String,
    /// The change is to be refused, not only warned of.
    pub strict: bool,
    /// Nodes of its region that the change may affect, by id.
    pub nodes: Vec<String>,
    /// Time of its end, in milliseconds since 1970.
    pub expires_ms: Option<u64>,
}

impl Sessions {
    /// Locks of other agents on these files (by path) and nodes (by id), by id of the lock. A lock on a node is touched
    /// by a change of anything in that node, or around it.
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn locks_touched(&self, agent: &str, paths: &[&str], nodes: &[&str]) -> Result<Vec<TouchedLock>, SessionError> {
        let agent = shorten_text(agent, MAX_NAME);
        let locks = self.list::<Lock>(None, MAX_CHECKED_LOCKS)?.handles;
        let others = locks.into_iter().filter(|lock| lock.owner != agent);
        let mut touched: Vec<TouchedLock> = others.filter_map(|lock| find_touched(lock, paths, nodes)).collect();
        touched.sort_by(|a, b| a.lock_id.cmp(&b.lock_id));
        Ok(touched)
    }

    /// Releases the locks of an agent that were made for a perspective. Returns their ids.
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn release_locks_of(&self, agent: &str, perspective: &str) -> Result<Vec<String>, SessionError> {
        let own = self.list::<Lock>(Some(agent), MAX_LOCKS)?.handles;
        let mut released = Vec::new();
        for lock in own.into_iter().filter(|lock| lock.value.perspective.as_deref() == Some(perspective)) {
            match self.remove::<Lock>(agent, &lock.id) {
                Ok(()) => released.push(lock.id),
                // Another call released it first, or its time is over.
                Err(SessionError::Unknown { .. } | SessionError::Expired { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        released.sort();
        Ok(released)
    }
}

fn find_touched(lock: Handle<Lock>, paths: &[&str], nodes: &[&str]) -> Option<TouchedLock> {
    let is_touched = |id: &&String| {
        let in_path = node_id::path_of(id).is_some_and(|path| paths.contains(&path));
        in_path || nodes.iter().any(|node| is_within(node, id) || is_within(id, node))
    };
    let own: BTreeSet<&String> = lock.value.baseline.nodes.iter().filter(is_touched).collect();
    let nodes: Vec<String> = own.into_iter().cloned().collect();
    (!nodes.is_empty()).then_some(TouchedLock {
        lock_id: lock.id,
        owner: lock.owner,
        strict: lock.value.strict,
        nodes,
        expires_ms: lock.expires_ms,
    })
}

/// Whether the first id is that of the second or of something in it.
fn is_within(id: &str, outer: &str) -> bool {
    id.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use m1nd_base::Clock;

    use super::*;
    use crate::MemoryStore;

    fn lock(nodes: &[&str], perspective: Option<&str>) -> Lock {
        Lock {
            scope: "node".into(),
            roots: Vec::new(),
            radius: 0,
            strict: false,
            watch: Watch::Manual,
            seen_generation: 0,
            seen_feedback: 0,
            perspective: perspective.map(str::to_owned),
            generation: 0,
            baseline: LockBaseline { nodes: nodes.iter().map(|&id| id.to_owned()).collect(), ..Default::default() },
        }
    }

    #[test]
    fn changes_touch_locks_of_others() {
        let sessions = Sessions::new(Arc::new(MemoryStore::default()), Clock::new(|| 1));
        let ids = ["file::a.py::class::Pool", "file::b.py::fn::go"];
        let held = sessions.mint("ann", lock(&ids, None)).expect("is made");
        let rows: [(&str, &[&str], &[&str], usize); 8] = [
            ("bob", &["a.py"], &[], 1),
            ("bob", &["a.py", "b.py"], &[], 2),
            ("bob", &["c.py"], &[], 0),
            ("bob", &[], &["file::a.py::class::Pool::fn::close"], 1),
            ("bob", &[], &["file::a.py"], 1),
            ("bob", &[], &["file::a.py::class::Pooled"], 0),
            ("bob", &[], &[], 0),
            ("ann", &["a.py"], &[], 0),
        ];
        for (agent, paths, nodes, expected) in rows {
            let touched = sessions.locks_touched(agent, paths, nodes).expect("is read");
            let found: usize = touched.iter().map(|lock| lock.nodes.len()).sum();
            assert_eq!(found, expected, "{agent} {paths:?} {nodes:?}");
            assert!(touched.iter().all(|lock| lock.lock_id == held.id));
        }
    }

    #[test]
    fn locks_of_a_perspective_end_with_it() {
        let sessions = Sessions::new(Arc::new(MemoryStore::default()), Clock::new(|| 1));
        let own = sessions.mint("ann", lock(&[], Some("p1"))).expect("is made").id;
        let other = sessions.mint("ann", lock(&[], Some("p2"))).expect("is made").id;
        let foreign = sessions.mint("bob", lock(&[], Some("p1"))).expect("is made").id;
        assert_eq!(sessions.release_locks_of("ann", "p1").expect("is released"), std::slice::from_ref(&own));
        assert_eq!(sessions.release_locks_of("ann", "p1").expect("is released"), Vec::<String>::new());
        assert!(sessions.get::<Lock>("ann", &own).is_err());
        assert!(sessions.get::<Lock>("ann", &other).is_ok());
        assert!(sessions.get::<Lock>("bob", &foreign).is_ok());
    }
}
