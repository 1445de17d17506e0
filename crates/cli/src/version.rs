//! What the program says about itself.

/// Version, commit and platform. Development builds name no commit.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("M1ND_BUILD"), ")");
