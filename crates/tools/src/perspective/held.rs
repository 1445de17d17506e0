//! Perspectives as agents hold them.

use std::time::Duration;

use m1nd_query::navigation::Perspective;
use m1nd_sessions::{Access, Held, Kind};
use serde::{Deserialize, Serialize};

/// Maximum perspectives of an agent.
pub(super) const MAX_PERSPECTIVES: usize = 50;
/// Days from the last move to the end of a perspective.
pub(super) const LIFETIME_DAYS: u64 = 7;
/// Maximum size of a perspective, in bytes: a way of [`m1nd_query::navigation::MAX_STEPS`] stops with long ids.
const MAX_BYTES: u64 = 256 << 10;

/// A perspective in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Kept(pub(super) Perspective);

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
