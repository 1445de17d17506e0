//! The arguments and errors that `refactor_preview` and `refactor_commit` share.

use std::collections::BTreeMap;

use m1nd_engine::Snapshot;
use m1nd_query::edits::{
    Broken, CannotRefactor, ChangeSignature, ExtractFunction, Move, NewParameter, Note, Obstacle, Operation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::framework::{ErrorCode, ToolError};
use crate::rows;

/// Places listed in an error, and notes in an answer.
const MAX_LISTED: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OperationName {
    Move,
    ChangeSignature,
    ExtractFunction,
    InlineFunction,
}

/// A parameter that a function gets.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddInput {
    parameter: String,
    #[serde(default)]
    at: Option<usize>,
    #[serde(default)]
    value: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefactorInput {
    pub(super) operation: OperationName,
    /// A symbol, or a file to move
    #[serde(default)]
    pub(super) node_id: Option<String>,
    /// Of a move
    #[serde(default)]
    to: Option<String>,
    /// Move its private helpers, too
    #[serde(default)]
    with_helpers: bool,
    /// As written; place from 0; what calls pass
    #[serde(default)]
    add: Vec<AddInput>,
    /// Parameters to remove
    #[serde(default)]
    remove: Vec<String>,
    /// Parameters, old name to new
    #[serde(default)]
    rename: BTreeMap<String, String>,
    /// All parameters in new order
    #[serde(default)]
    order: Vec<String>,
    /// Leave calls that cannot be mapped
    #[serde(default)]
    leave_unmapped: bool,
    /// Of an extraction
    #[serde(default)]
    file_path: Option<String>,
    #[serde(default)]
    start_line: Option<u32>,
    #[serde(default)]
    end_line: Option<u32>,
    /// Of the new function
    #[serde(default)]
    name: Option<String>,
}

impl RefactorInput {
    /// The operation, with its node looked up.
    pub(super) fn operation(&self, snapshot: &Snapshot) -> Result<Operation, ToolError> {
        let node = || {
            let id = self.node_id.as_deref().ok_or_else(|| missing("node_id"))?;
            rows::resolve(snapshot, "node_id", id)
        };
        Ok(match self.operation {
            OperationName::Move => Operation::Move(Move {
                node: node()?,
                to: self.to.clone().ok_or_else(|| missing("to"))?,
                with_helpers: self.with_helpers,
            }),
            OperationName::ChangeSignature => {
                let add = self.add.iter().map(|row| NewParameter {
                    text: row.parameter.clone(),
                    at: row.at,
                    value: row.value.clone(),
                });
                Operation::ChangeSignature(ChangeSignature {
                    node: node()?,
                    add: add.collect(),
                    remove: self.remove.clone(),
                    rename: self.rename.iter().map(|(old, new)| (old.clone(), new.clone())).collect(),
                    order: self.order.clone(),
                    leave_unmapped: self.leave_unmapped,
                })
            }
            OperationName::ExtractFunction => Operation::ExtractFunction(ExtractFunction {
                path: self.file_path.clone().ok_or_else(|| missing("file_path"))?,
                first_line: self.start_line.ok_or_else(|| missing("start_line"))?,
                last_line: self.end_line.ok_or_else(|| missing("end_line"))?,
                name: self.name.clone().ok_or_else(|| missing("name"))?,
            }),
            OperationName::InlineFunction => Operation::InlineFunction { node: node()? },
        })
    }
}

fn missing(argument: &str) -> ToolError {
    ToolError::invalid(format!("this operation needs the argument `{argument}`"))
}

/// What the caller should know, in an answer.
#[derive(Debug, Serialize)]
pub(crate) struct NoteRow {
    file_path: String,
    line: u32,
    what: String,
}

/// The first notes of a refactoring.
pub(super) fn note_rows(notes: &[Note]) -> Vec<NoteRow> {
    let row = |note: &Note| NoteRow { file_path: note.file.clone(), line: note.line, what: note.what.clone() };
    notes.iter().take(MAX_LISTED).map(row).collect()
}

/// Converts the reason why a refactoring is not made.
pub(super) fn refactor_error(error: CannotRefactor) -> ToolError {
    let message = error.to_string();
    let refused = |reason: &'static str| {
        ToolError::new(ErrorCode::RefactorRefused, message.clone()).detail("refused_because", json!(reason))
    };
    match error {
        CannotRefactor::Cancelled => ToolError::new(ErrorCode::Cancelled, message),
        CannotRefactor::BadRequest(_) => ToolError::invalid(message),
        CannotRefactor::File { .. } => ToolError::new(ErrorCode::SourceModified, message),
        CannotRefactor::NotForLanguage { .. } => refused("not_for_language"),
        CannotRefactor::NotLinked { .. } => refused("not_checked"),
        CannotRefactor::Obstacles { places, .. } => {
            let row = |place: &Obstacle| format!("{}:{} {}", place.file, place.line, place.why);
            let rows: Vec<String> = places.iter().take(MAX_LISTED).map(row).collect();
            refused("in_the_way").detail("places", json!(rows))
        }
        CannotRefactor::Breaks { broken } => {
            let row = |found: &Broken| format!("{}:{} {}", found.file, found.line, found.what);
            let rows: Vec<String> = broken.iter().take(MAX_LISTED).map(row).collect();
            refused("would_break").detail("would_break", json!(rows))
        }
    }
}
