//! Names that come from other files.

pub(in crate::eval) mod exports;
pub(in crate::eval) mod global;
mod implicit;
pub(in crate::eval) mod implied;
pub(in crate::eval) mod imports;
pub(in crate::eval) mod include;
pub(in crate::eval) mod open_types;
pub(in crate::eval) mod packages;
