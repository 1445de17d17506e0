//! The git folder: where it is, its index, its settings.

pub(crate) mod index;
pub(crate) mod locate;
pub(crate) mod programs;
pub(crate) mod settings;
