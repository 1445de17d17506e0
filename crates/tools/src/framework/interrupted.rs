//! What an answer says about writes that a crash interrupted.

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::ToolError;
use crate::services::Services;

/// Maximum number of files that an answer names of a batch.
const MAX_FILES: usize = 50;

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
        let waiting = files.list_interrupted().unwrap_or_default();
        Self { recovered: rows(&recovered.batches), waiting: rows(&waiting) }
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

/// Rows with their first files, and how many there are; null for none.
fn rows<T: Serialize>(batches: &[T]) -> Value {
    let row = |batch: &T| {
        let mut row = serde_json::to_value(batch).unwrap_or_default();
        if let Some(files) = row["files"].as_array_mut()
            && files.len() > MAX_FILES
        {
            let total = files.len();
            files.truncate(MAX_FILES);
            row["files_total"] = total.into();
        }
        row
    };
    if batches.is_empty() { Value::Null } else { batches.iter().map(row).collect() }
}
