//! Git's objects: commits, trees, contents, and what differs between them.

pub(crate) mod contents;
pub(crate) mod identity;
pub(crate) mod objects;
pub(crate) mod renames;
pub(crate) mod revision;
pub(crate) mod tree_diff;
pub(crate) mod walk;
