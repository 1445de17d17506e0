//! The published snapshot, its file, and figures of it.

pub(crate) mod formats;
pub(crate) mod persist;
pub(crate) mod reasons;
pub(crate) mod shared;
pub(crate) mod snapshot;
pub(crate) mod status;
pub(crate) mod stored;
