//! Arguments of several tools, and defaults for `#[serde(default = "…")]`: the schema shows the value that the code
//! uses.

use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of a tool that has none of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArguments {}

/// A number: `#[serde(default = "number::<DEFAULT_ROWS>")]`.
pub(crate) const fn number<const N: usize>() -> usize {
    N
}

/// A flag that is on.
pub(crate) const fn yes() -> bool {
    true
}
