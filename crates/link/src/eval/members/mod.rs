//! Members of a type: own, inherited, chosen among several.

mod blanket;
mod blocks;
mod computed;
pub(in crate::eval) mod dispatch;
pub(in crate::eval) mod embed;
mod expected;
mod extensions;
pub(in crate::eval) mod hierarchy;
mod labels;
pub(in crate::eval) mod member;
pub(in crate::eval) mod missing;
pub(in crate::eval) mod operators;
pub(in crate::eval) mod overload;
mod parts;
mod phases;
pub(in crate::eval) mod receiver;
pub(in crate::eval) mod shapes;
mod standard_types;
