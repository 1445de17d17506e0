//! Words of rules that are written as orders.

use super::Words;

/// What is ordered of those who work on code. Others order dinner: `Always fun to pair with Kai`, `Never mind`.
pub(crate) const VERBS: Words = &[
    "add", "assume", "bump", "cache", "call", "change", "close", "commit", "create", "delete", "deploy", "disable",
    "edit", "enable", "expose", "import", "install", "keep", "log", "merge", "mix", "mock", "move", "mutate", "open",
    "pass", "pin", "push", "put", "rebase", "release", "rely", "remove", "rename", "restart", "return", "reuse", "run",
    "send", "set", "share", "skip", "squash", "start", "store", "touch", "trust", "upgrade", "use", "wrap", "write",
];

/// After the verb, these do not say what the order is about.
pub(crate) const NO_OBJECT: Words = &["it", "that", "them", "this"];
