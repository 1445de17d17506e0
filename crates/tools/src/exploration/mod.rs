//! Finding what belongs together, and what a failure is about.

mod activate;
mod trace;

pub(crate) use activate::Activate;
pub(crate) use trace::Trace;
