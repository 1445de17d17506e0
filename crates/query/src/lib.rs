//! Queries over a [`Snapshot`](m1nd_engine::Snapshot): one folder per topic, each query a function of the snapshot
//! and its parameters. Nothing in here changes the index, or reads the disk except through the snapshot.
//!
//! Tools print the results. Code shared by two topics is beside them; code shared with memory is below, in the
//! engine.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod analysis;
mod bases;
mod calls;
mod chance;
pub mod changes;
pub mod closure;
mod components;
pub mod covering;
pub mod documents;
pub mod edits;
pub mod export;
pub mod figures;
mod kept;
pub mod layers;
mod linear;
pub mod map;
pub mod navigation;
pub mod overview;
pub mod patterns;
mod product;
pub mod references;
pub mod regions;
pub mod repositories;
pub mod resolve;
pub mod retrieval;
pub mod risk;
mod scope;
pub mod self_test;
mod severity;
pub mod trails;
pub mod what_if;

pub use linear::Model;
pub use scope::Scope;
