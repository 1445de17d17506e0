//! Shared test helpers. Only ever a development dependency; panics where a test would.
//!
//! - [`TempTree`]: a folder created from a fixture text.
//! - [`FaultSystem`]: file operations with injected faults, and the disk images left by a power loss.
//! - [`Random`]: reproducible pseudo-random numbers.
//! - [`seeded_secrets`]: texts that hold secrets.
//! - [`torture`]: texts that cost more than their size.
//! - [`wire`]: a client that talks to the server through its pipes.

mod fault;
mod fixture;
mod power;
mod random;
mod secrets;
pub mod torture;
pub mod wire;

pub use fault::{Fault, FaultSystem};
pub use fixture::{TempTree, parse_fixture};
pub use random::Random;
pub use secrets::{SeededSecret, many_seeded_secrets, seeded_secrets};
