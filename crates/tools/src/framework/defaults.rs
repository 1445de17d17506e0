//! Defaults of arguments, for `#[serde(default = "…")]`: the schema shows the value that the code uses.

/// A number: `#[serde(default = "number::<DEFAULT_ROWS>")]`.
pub(crate) const fn number<const N: usize>() -> usize {
    N
}

/// A flag that is on.
pub(crate) const fn yes() -> bool {
    true
}
