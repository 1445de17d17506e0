//! Memories end to end.

mod projects;
