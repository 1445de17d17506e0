//! The files of a project and of the user: where they are, and whether they may be used.

pub(crate) mod anchor;
pub(crate) mod approval;
pub(crate) mod archives;
pub(crate) mod edges;
pub(crate) mod main_tree;
pub(crate) mod noted;
pub(crate) mod own_files;
pub(crate) mod project;
pub(crate) mod project_file;
pub(crate) mod registry;
pub(crate) mod standing;
pub(crate) mod worktree;
