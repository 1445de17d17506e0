//! What is computed over a finished graph.

pub(crate) mod articulation;
pub(crate) mod dispatch;
pub mod loss;
pub mod paths;
pub mod rank;
pub mod reach;
pub mod spread;
pub mod support;
pub mod weights;
