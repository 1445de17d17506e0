//! Words that show whether a number is a value.

use super::Words;

/// Before a number, these make it the name of a thing rather than a value.
pub(crate) const NAMES: Words = &[
    "adr", "case", "chapter", "day", "issue", "level", "milestone", "no", "node", "number", "part", "phase", "pr",
    "quarter", "release", "rfc", "server", "shard", "sprint", "stage", "step", "task", "test", "ticket", "week",
    "worker",
];
