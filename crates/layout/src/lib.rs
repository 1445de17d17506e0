//! Layouts of graphs for pictures and the map, and pictures as text. Pure: the same input gives the same picture on
//! every machine, and nothing here reads a file or the time.
//!
//! - [`nest`] places the nodes of a tree as circles inside circles. Each container is laid out alone, so the cost is
//!   near linear, and opening one moves nothing outside of it.

#![warn(clippy::disallowed_methods)]

mod circles;
mod nest;

pub use circles::{Circle, pack};
pub use nest::{Link, Tree, lift, nest};
