//! Memories of projects: where they are, what they say now, what code they are about.
//!
//! What people wrote (`.mind/MEMORY.md`) is the only truth; everything else is made from it and can be thrown away. Reading
//! changes nothing; what is worth keeping between two readings (when a memory was first seen, the code it was about then) is
//! noted by [`Keeper`] only.

mod error;
mod project;
mod registry;
mod settings;
mod setup;

pub use error::MemoryError;
pub use m1nd_store::{RealSystem, SharedFolder, replace_user_file};
pub use project::find_project;
pub use registry::{Project, Registry};
pub use settings::{FILE as SETTINGS_FILE, KEYS, Owner, Settings, set_key};
pub use setup::{Made, make};
