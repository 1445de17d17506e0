//! Guided navigation: from a query or a node along routes to the next one, with the reasons.
//!
//! A [`Perspective`] is the way so far, in ids and words. [`routes`] gives the routes from where it is, as a function
//! of it, a snapshot and the loaded history; nothing in here keeps or changes a perspective but its own methods.

mod affinity;
mod candidates;
mod compare;
mod family;
mod lens;
mod links;
mod matches;
mod routes;
mod score;
mod state;
mod suggest;

pub use affinity::{Affine, MAX_AFFINE, affinity};
pub use compare::{COMPARED_ROUTES, Comparison, Held, compare};
pub use family::Family;
pub use lens::Lens;
pub use routes::{JUMP_HOPS, MAX_ROUTES, Route, RouteSet, basis, best_match_in, by_dimension, hops_of, routes};
pub use score::Breakdown;
pub use state::{ANCHORED_HOPS, Branch, MAX_STEPS, Mode, PAGE_SIZE, Perspective, Step, has_moved};
pub use suggest::{Move, Suggestion, suggest};
