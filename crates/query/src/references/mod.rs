//! Where a node is used, where a name leads to, and what a file defines.

mod definition;
mod family;
mod occurrences;
mod outline;
mod roles;

pub use definition::{DefinitionAnswer, DefinitionRow, OpenName, PrintedPosition, at_place, find_named};
pub use family::{OverrideCalls, SameName, calls_of_overrides, same_names};
pub(crate) use occurrences::places_of_name;
pub use occurrences::{
    Occurrence, OccurrenceAnswer, callers, callers_of_overloads, references, references_of_overloads, users, uses,
};
pub use outline::{OutlineRow, outline};
pub use roles::Role;
