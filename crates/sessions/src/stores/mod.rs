//! Where sessions are kept.

pub(crate) mod federated;
pub(crate) mod memory_store;
pub(crate) mod project_store;
pub(crate) mod read_only_store;
pub(crate) mod store;
