//! How much something that was found matters.

/// How much something matters, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It breaks, or has to be looked at first.
    Critical,
    /// It uses what changes, or has to be looked at.
    Warning,
    /// It may use what changes, or is good to know.
    Info,
}

impl Severity {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}
