//! Perspectives as agents hold them.

use std::time::Duration;

use m1nd_query::navigation::Perspective;
use m1nd_sessions::{Access, Held, Kind};
use serde::{Deserialize, Serialize};

use crate::framework::{ReadContext, ToolError};
use crate::rows::session_error;

/// Maximum perspectives of an agent.
pub(super) const MAX_PERSPECTIVES: usize = 50;
/// Days from the last move to the end of a perspective.
pub(super) const LIFETIME_DAYS: u64 = 7;
/// Maximum size of a perspective, in bytes: a way of [`m1nd_query::navigation::MAX_STEPS`] stops with long ids.
const MAX_BYTES: u64 = 256 << 10;

/// A perspective in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Kept(pub(super) Perspective);

impl Held for Kept {
    const KIND: Kind = Kind {
        name: "perspective",
        prefix: "persp",
        access: Access::Owner,
        lifetime: Some(Duration::from_secs(LIFETIME_DAYS * 24 * 60 * 60)),
        max_per_owner: MAX_PERSPECTIVES,
        max_bytes: MAX_BYTES,
    };
}

/// Perspectives of all agents that are counted.
const MAX_COUNTED: usize = 1_000;

/// Number of open perspectives of all agents.
pub(crate) fn open_perspectives(cx: &ReadContext<'_>) -> Result<usize, ToolError> {
    let listed = cx.list_held().list::<Kept>(None, MAX_COUNTED).map_err(session_error)?;
    Ok(listed.handles.len() + listed.unreadable.len())
}
