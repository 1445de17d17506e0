//! Commits under faults, kills and races, and paths that lead elsewhere.
#![cfg(unix)]

mod attacks;
mod attributes;
mod faults;
mod forms;
mod kills;
mod races;
mod recovery;
mod undo;
mod world;
