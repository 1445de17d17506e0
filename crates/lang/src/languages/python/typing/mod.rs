//! Annotations of types.

pub(in crate::languages::python) mod generics;
pub(in crate::languages::python) mod types;
