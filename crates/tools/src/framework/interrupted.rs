//! What an answer says about writes that a crash interrupted.

use serde_json::{Map, Value};

use super::error::ToolError;
use crate::services::Services;

/// Interrupted writes that this call recovered, or that wait for a process that writes.
#[derive(Debug, Default)]
pub(super) struct Interrupted {
    recovered: Value,
    waiting: Value,
}

impl Interrupted {
    /// What is to be said now. Recovered writes are said once.
    pub(super) fn of(services: &Services) -> Self {
        let files = &services.current().files;
        let recovered = files.take_recovered();
        // One that cannot be listed is said by `health`.
        let waiting = files.interrupted().unwrap_or_default();
        let rows = |rows: Result<Value, serde_json::Error>| rows.unwrap_or_default();
        Self {
            recovered: if recovered.is_empty() { Value::Null } else { rows(serde_json::to_value(&recovered.batches)) },
            waiting: if waiting.is_empty() { Value::Null } else { rows(serde_json::to_value(&waiting)) },
        }
    }

    fn members(self) -> impl Iterator<Item = (&'static str, Value)> {
        let rows = [("recovered_writes", self.recovered), ("interrupted_writes", self.waiting)];
        rows.into_iter().filter(|(_, value)| !value.is_null())
    }

    /// Adds it to an answer, first, so that no limit of size cuts it off.
    pub(super) fn add_to(self, body: &mut Map<String, Value>) {
        for (name, value) in self.members() {
            body.shift_insert(0, name.into(), value);
        }
    }

    /// Adds it to an error.
    pub(super) fn in_error(self, error: ToolError) -> ToolError {
        self.members().fold(error, |error, (name, value)| error.detail(name, value))
    }
}
