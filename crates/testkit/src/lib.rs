//! What tests of several rooms share. Only ever a development dependency; panics where a test would.
//!
//! - [`TempTree`]: a folder made from one fixture text.
//! - [`FaultSystem`]: file operations that fail on purpose, and the disk images that a power loss leaves.
//! - [`Random`]: numbers that are the same for the same seed.
//! - [`wire`]: a client that drives the server through its pipes.

mod fault;
mod fixture;
mod power;
mod random;
pub mod wire;

pub use fault::{Fault, FaultSystem};
pub use fixture::{TempTree, parse_fixture};
pub use random::Random;
