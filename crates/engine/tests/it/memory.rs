//! Memories end to end.

mod attacks;
mod block;
mod projects;
mod reading;
mod replaced;
mod stack;
mod worktrees;
