//! Exploration: related code, causes of failures, risks.

mod activate;
mod drift;
mod ghost_edges;
mod learn;
mod missing;
mod resonate;
mod scan;
mod timeline;
mod trace;
mod warmup;

pub(crate) use activate::Activate;
pub(crate) use drift::Drift;
pub(crate) use ghost_edges::GhostEdges;
pub(crate) use learn::Learn;
pub(crate) use missing::Missing;
pub(crate) use resonate::Resonate;
pub(crate) use scan::Scan;
pub(crate) use timeline::Timeline;
pub(crate) use trace::Trace;
pub(crate) use warmup::Warmup;
