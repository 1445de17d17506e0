//! Changes of files before and after they are made: syntax, context, plans, checks, new names.

mod arguments;
mod delta;
mod keywords;
mod layers;
mod left_names;
mod lost_implementations;
mod marked_overrides;
mod misspelled;
mod names;
mod plan;
mod refactor;
mod rename;
mod source;
mod syntax;
mod verify;

pub use crate::analysis::fingerprint::{CopyOf, Likeness};
pub use delta::{Delta, MoveKind, MovedSymbol, ReachingTests, SymbolAt, SymbolChanges, changed_files, delta};
pub use layers::LayerBreak;
pub use m1nd_lang::{Tier as LanguageTier, is_test_path};
pub use names::has_own_name;
pub use plan::{Gap, PlanCheck, PlannedAction, PlannedKind, Severity, check_plan};
pub use refactor::{
    CannotRefactor, ChangeSignature, ExtractFunction, Move, NewFile, NewParameter, Note, Obstacle, Operation,
    Refactoring, knows_language, refactor,
};
pub use rename::{Broken, CannotRename, Comment, Left, Rename, RenamedFile, rename};
pub use syntax::{SyntaxCheck, SyntaxProblem, definition_range, new_syntax_errors};
pub use verify::{Blast, Break, BreakKind, EditedFile, GraphCheck, SiteCounts, verify};
