//! The whole graph, checked against simple models of it.

mod algorithms;
mod damage;
mod dispatch;
mod model;
mod overlay;
