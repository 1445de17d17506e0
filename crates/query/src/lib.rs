//! Every question over a [`Snapshot`](m1nd_engine::Snapshot): one folder a topic, each question a function of the snapshot
//! and what is asked. Nothing in here changes the index or reads the disk but through the snapshot.
//!
//! Tools print what they find here. What two topics need lies beside them; what memory needs as well lies below, in the
//! engine.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod analysis;
mod calls;
pub mod export;
mod linear;
pub mod patterns;
pub mod resolve;
pub mod retrieval;

pub use linear::Model;
