//! The state of the index: [`Engine`] owns all mutable state behind one writer thread, and publishes immutable
//! [`Snapshot`]s. A reader holds a snapshot and never waits.
//!
//! Questions over a snapshot are in the crate `query`; state of agents is in `sessions`, memory in `mind`.

mod auto_ingest;
mod bound;
mod compiler_index;
mod config;
mod cover;
mod document_texts;
mod documents;
mod engine;
mod error;
mod extract;
mod extract_attempts;
mod federation;
mod file_words;
mod files;
mod freshness;
mod git_programs;
pub mod history;
mod json_graph;
mod kept_mentions;
mod mentions;
mod names;
mod outside;
mod owners;
mod part;
mod paths;
mod persist;
mod places;
mod providers;
mod qualified;
mod readable;
mod reasons;
mod report;
mod repository_marks;
mod resident;
mod search_index;
mod shared;
mod snapshot;
mod status;
mod stored;
mod terms;
mod text_model;
mod texts;
mod unseen;
mod withheld;
mod workspace;
mod writer;

pub use auto_ingest::{
    AutoIngestEvent, AutoIngestRequest, AutoIngestStatus, AutoIngestTick, DocumentChange, DocumentOutcome, EventSource,
};
pub use bound::{Bound, BoundState, CodeTexts};
pub use config::{Adapter, EngineConfig, IngestRequest, Mode, Setting, UnknownWord, is_too_wide};
pub use documents::{Binding, BindingMatch, TargetState};
pub use engine::{Engine, WeakEngine};
pub use error::{EngineError, ReadError};
pub use extract_attempts::{ExtractionProbe, Probed, extract_as_probe};
pub use federation::{Federation, MAX_MEMBERS, Member};
pub use files::{FileEntry, FileMark, FileTable};
pub use git_programs::is_run_by_git;
pub use m1nd_base::Clock;
pub use m1nd_graph as graph;
pub use m1nd_lang::Language;
pub use m1nd_lang::reading_rules::ReadingRules;
pub use m1nd_link::{node_ids, programs_of};
pub use m1nd_vfs::{GitHead, watch_limit};
pub use mentions::{KeptMention, Shape, linked_names};
pub use names::{most_readily_meant, precedence};
pub use outside::OutsidePath;
pub use places::Place;
pub use providers::{DocumentProviders, Provided};
pub use readable::{Texts, readable_repositories, texts_of};
pub use report::{
    Activity, CompilerReport, CompilerStatus, ContradictionRow, DocumentsReport, Freshness, IngestReport,
    LanguageStatus, ProblemStatus, ProcessRole, RootInfo, RootWork, Status, Tiers, WatchState,
};
pub use repository_marks::{has_repository_mark, repository_marks};
pub use resident::{ResidentPlace, ResidentSocket};
pub use snapshot::{Snapshot, SourceText};
pub use stored::{StoredCheck, StoredSnapshot};
pub use text_model::{LocalModel, ModelUse};
pub use texts::FileText;
pub use unseen::{NotCheckedOut, UnseenFile, UnseenPlace, UnseenReason, UnseenTexts, is_code};
pub use withheld::Withheld;
pub use workspace::{Repository, WORKSPACE_FILE, Workspace, allow_reading, may_read};
