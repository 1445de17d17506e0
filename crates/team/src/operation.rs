use serde::{Deserialize, Serialize};

use crate::{Entry, EntryId};

/// Something to be stored in the database. Storing it twice is the same as storing it once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Operation {
    /// A memory.
    Memory {
        /// The memory.
        entry: Entry,
    },
    /// The removal (even) or return (odd) of a memory.
    Change {
        /// The memory.
        id: EntryId,
        /// Its generation from then on.
        generation: u32,
    },
}

/// An operation that the database will never take. It is kept for inspection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The operation.
    pub operation: Operation,
    /// The server's reason.
    pub why: String,
}
