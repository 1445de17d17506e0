//! Finding what belongs together.

mod activate;

pub(crate) use activate::Activate;
