//! Investigations that are saved and resumed, and regions of the graph that agents lock.

mod lock_baselines;
mod lock_create;
mod lock_diff;
mod lock_rebase;
mod lock_release;
mod lock_watch;
mod trail_list;
mod trail_merge;
mod trail_resume;
mod trail_save;
mod trails;

pub(crate) use lock_create::LockCreate;
pub(crate) use lock_diff::LockDiff;
pub(crate) use lock_rebase::LockRebase;
pub(crate) use lock_release::LockRelease;
pub(crate) use lock_watch::LockWatch;
pub(crate) use trail_list::TrailList;
pub(crate) use trail_merge::TrailMerge;
pub(crate) use trail_resume::TrailResume;
pub(crate) use trail_save::TrailSave;
pub(crate) use trails::{prior as trail_prior, stale_trails};
