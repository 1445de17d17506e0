//! Files that are replaced whole, appended to, or closed to others.

pub(crate) mod derived;
pub(crate) mod durable;
pub(crate) mod log_file;
#[cfg(unix)]
pub(crate) mod private;
pub(crate) mod user_file;
