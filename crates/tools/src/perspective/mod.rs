//! Guided navigation that remembers the way: perspectives. They are rows in `project.db` that belong to an agent;
//! routes are a function of one of them, the snapshot and the history, see `m1nd_query::navigation`.

mod affinity;
mod back;
mod branch;
mod close;
mod compare;
mod follow;
mod held;
mod here;
mod input;
mod inspect;
mod lens;
mod list;
mod peek;
mod routes;
mod rows;
mod start;
mod suggest;

pub(crate) use affinity::PerspectiveAffinity;
pub(crate) use back::PerspectiveBack;
pub(crate) use branch::PerspectiveBranch;
pub(crate) use close::PerspectiveClose;
pub(crate) use compare::PerspectiveCompare;
pub(crate) use follow::PerspectiveFollow;
pub(crate) use held::{Kept, open_perspectives};
pub(crate) use inspect::PerspectiveInspect;
pub(crate) use list::PerspectiveList;
pub(crate) use peek::PerspectivePeek;
pub(crate) use routes::PerspectiveRoutes;
pub(crate) use start::PerspectiveStart;
pub(crate) use suggest::PerspectiveSuggest;
