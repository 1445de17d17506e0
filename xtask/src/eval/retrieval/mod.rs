//! Whether what is searched is found.

pub(in crate::eval) mod economy;
pub(in crate::eval) mod localize;
pub(in crate::eval) mod navigate;
pub(in crate::eval) mod north;
pub(in crate::eval) mod seek;
pub(in crate::eval) mod trace;
pub(in crate::eval) mod trace_fit;
