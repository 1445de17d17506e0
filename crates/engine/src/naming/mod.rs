//! Names, ids and places as callers write them.

pub(crate) mod names;
pub(crate) mod owners;
pub(crate) mod paths;
pub(crate) mod places;
pub(crate) mod qualified;
