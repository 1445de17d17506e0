//! Commands of a project, such as its compiler and its tests, run to check a change. The only crate that starts
//! programs for a tool.
//!
//! - [`Checks`] holds the commands that a person allowed. They are stored with the state of the project, outside of the
//!   repository; the repository can propose commands ([`proposals`]) and allow none.
//! - A command is a program and its arguments, never a line for a shell. It runs inside a root, with an empty standard
//!   input, a small environment and a time limit; its output is bounded, and its whole process group is ended with it.
//! - [`Prepared::before`] runs the commands before a change, or knows their results for the same files;
//!   [`Prepared::after`] runs them on the changed files and tells old failures from new ones.
//!
//! # Limitations
//! Nothing isolates a command: it can do everything that its user can. On Linux a supervisor ends everything that the
//! command started, processes that left its group too, with the command and with this program. On other Unix systems
//! only its process group is ended, on others only the program itself.

mod allowed;
mod checks;
mod judge;
mod output;
mod process;
mod providers;
mod repositories;
mod results;
mod supervisor;

pub use allowed::{AllowError, Allowed, AllowedPath, CheckKind, MAX_COMMANDS, PROPOSALS_FILE, proposals};
pub use checks::{Before, Checks, Prepared, Selection};
pub use judge::{CheckReport, CheckResult};
pub use providers::{ProviderHealth, ProviderMode, Providers};
pub use repositories::{Repositories, Scope};
pub use results::{Failure, FailureKind};
pub use supervisor::{supervise, use_supervisor};
