//! How long something takes and may take: the clock, deadlines, progress.

pub(crate) mod clock;
pub(crate) mod deadline;
pub(crate) mod progress;
