use serde_json::{Value, json};

/// Exit code of a command that failed.
const FAILED: u8 = 2;

/// Error of a command: what happened and what was expected, and the next step.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct FleetError {
    /// A word for programs, such as `offline`.
    code: &'static str,
    message: String,
    next: String,
}

impl FleetError {
    /// Creates an error: a word for programs, a sentence, the next step.
    pub(crate) fn new(code: &'static str, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: next.into() }
    }

    /// The next step, in one line.
    pub(crate) fn next(&self) -> &str {
        &self.next
    }

    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        FAILED
    }

    /// The error for programs.
    pub(crate) fn to_json(&self) -> Value {
        json!({"error": {"code": self.code, "message": self.message, "next": self.next}})
    }
}
