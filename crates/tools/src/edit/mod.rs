//! Changing files: plans, previews, single edits, batches, new names.

mod apply;
mod apply_batch;
mod changes;
mod checked_write;
mod checking;
mod delta;
mod edit_commit;
mod edit_preview;
mod edit_undo;
mod joins;
mod locks;
mod refactor_commit;
mod refactor_hint;
mod refactor_input;
mod refactor_preview;
mod rename_commit;
mod rename_preview;
mod surgical_context;
mod surgical_context_v2;
mod validate_plan;
mod verification;
mod writing;

pub(crate) use apply::Apply;
pub(crate) use apply_batch::ApplyBatch;
pub(crate) use edit_commit::EditCommit;
pub(crate) use edit_preview::EditPreview;
pub(crate) use edit_undo::EditUndo;
pub(crate) use refactor_commit::RefactorCommit;
pub(crate) use refactor_preview::RefactorPreview;
pub(crate) use rename_commit::RenameCommit;
pub(crate) use rename_preview::RenamePreview;
pub(crate) use surgical_context::SurgicalContext;
pub(crate) use surgical_context_v2::SurgicalContextV2;
pub(crate) use validate_plan::ValidatePlan;
