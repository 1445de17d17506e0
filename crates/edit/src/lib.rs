//! Changes files of a project, all of a batch or none: plan, then commit. The only writer of project files.
//!
//! - [`Workspace::plan`] reads the files and computes their new content; it writes nothing. A [`Change`] is the whole
//!   text, texts to replace, a unified diff, a range, or the removal of the file.
//! - [`Workspace::commit`] writes a journal with the old content, then the new content beside each file, then puts
//!   each in its place, and removes the journal last. Whatever fails, the old content comes back at once; after a
//!   crash, [`Workspace::recover`] undoes the batch, or finishes one whose files are all in place.
//! - [`Workspace::commit_as`] keeps the journal as a record for a day, and [`Workspace::plan_undo`] takes the batch back.
//! - Paths are opened folder by folder from the handle of a root. No link is followed; folders of version control, the
//!   state of m1nd and files that are not text are refused.
//!
//! # Limitations
//! Other programs may see some files old and some new while a batch is written. A program that writes into an open file
//! without replacing it can do so unnoticed between the comparison and the exchange of a file. Other names of a file
//! (hard links) stay with the old content; owner, group, access lists and extended attributes are kept as far as the
//! process is permitted to set them.

mod attributes;
mod commit;
mod destination;
mod disk;
mod error;
mod guarded;
mod journal;
mod plan;
mod recovery;
mod rollback;
mod text;
mod undo;

use text::{diff, encoding, header, patch, replace};

pub use commit::{Committed, Workspace};
pub use diff::{LineCounts, unified_diff};
pub use disk::{Gate, OpenGate, Step};
pub use encoding::Encoding;
pub use error::EditError;
pub use guarded::{Allowances, RUN_BY_GIT, guarded_by};
pub use patch::{FilePatch, split_patch};
pub use plan::{Change, Edit, Expected, MAX_BATCH_BYTES, MAX_EDITS, MAX_FILE_BYTES, Plan, PlannedEdit, Target};
pub use recovery::{BatchOutcome, InterruptedWrite, Recovered, RecoveredBatch};
pub use replace::Replacement;
pub use undo::{FileChange, KEPT_MS, KeptFile, KeptWrite, MAX_KEPT_BYTES, Origin};
