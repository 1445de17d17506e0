//! Memories end to end.

mod adding;
mod attacks;
mod block;
mod growing;
mod model;
mod projects;
mod reading;
mod replaced;
#[path = "../../../history/tests/it/repository.rs"]
#[allow(dead_code, reason = "shared by several suites")]
mod repository;
mod secrets;
mod stack;
#[path = "../../../engine/tests/it/tiny_model.rs"]
mod tiny_model;
mod worktrees;
