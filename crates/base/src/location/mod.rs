//! Where something is: paths in a repository, positions in a file, URIs.

pub(crate) mod path;
pub(crate) mod pos;
pub mod uri;
