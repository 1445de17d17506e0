//! Several repositories, and what lies outside of the roots.

pub(crate) mod federation;
pub(crate) mod git_programs;
pub(crate) mod outside;
pub(crate) mod readable;
pub(crate) mod repository_marks;
pub(crate) mod workspace;
