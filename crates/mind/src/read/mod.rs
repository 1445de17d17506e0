//! The memories of a project, derived from its files.

pub(crate) mod behind;
pub(crate) mod code;
pub(crate) mod index_export;
pub(crate) mod load;
pub(crate) mod model;
pub(crate) mod near;
pub(crate) mod redact;
pub(crate) mod related;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod stack;
pub(crate) mod stats;
