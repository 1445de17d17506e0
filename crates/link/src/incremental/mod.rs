//! What is linked again, and what is kept between runs.

pub(crate) mod changes;
pub(crate) mod linker;
pub(crate) mod stored;
