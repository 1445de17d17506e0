//! What files have and ask for, by keys: known without their facts.

pub(crate) mod askers;
pub(crate) mod brief;
pub(crate) mod defined;
pub(crate) mod files;
pub(crate) mod index;
