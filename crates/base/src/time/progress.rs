/// One report of how far long work has come.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressEvent {
    /// Current stage, such as `reading`, `parsing`, `linking`.
    pub stage: &'static str,
    /// Units done in this stage.
    pub done: u64,
    /// Units of this stage, once known.
    pub total: Option<u64>,
}

/// Receives progress; called from several threads, must return quickly.
pub trait Progress: Send + Sync {
    /// Handles one report.
    fn report(&self, event: ProgressEvent);
}

/// Drops every report.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _event: ProgressEvent) {}
}
