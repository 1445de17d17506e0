//! The state of the index: [`Engine`] owns all mutable state behind one writer thread, and publishes immutable
//! [`Snapshot`]s. A reader holds a snapshot and never waits.
//!
//! Questions over a snapshot are in the crate `query`; state of agents is in `sessions`, memory in `mind`.

mod adopted_facts;
mod auto_ingest;
mod compiler_index;
mod config;
mod documents;
mod engine;
mod error;
mod extract_attempts;
mod files;
mod freshness;
pub mod history;
mod ingest;
mod kept;
mod mentions;
mod naming;
mod providers;
mod readers;
mod report;
mod repositories;
mod resident;
mod state;
mod transfer;
mod unseen;
mod writer;

pub use auto_ingest::{
    AutoIngestEvent, AutoIngestRequest, AutoIngestStatus, AutoIngestTick, DocumentChange, DocumentOutcome, EventSource,
};
pub use config::{Adapter, EngineConfig, IngestRequest, Mode, Setting, UnknownWord, is_too_wide};
pub use documents::{Binding, BindingMatch, TargetState};
pub use engine::{Engine, WeakEngine};
pub use error::{EngineError, ReadError};
pub use extract_attempts::{ExtractionProbe, HEAD as LANGUAGE_HEAD, Probed, extract_as_probe};
pub use files::{FileEntry, FileMark, FileTable};
pub use kept::text_model::{LocalModel, ModelUse};
pub use m1nd_base::Clock;
pub use m1nd_graph as graph;
pub use m1nd_lang::Language;
pub use m1nd_lang::reading_rules::ReadingRules;
pub use m1nd_link::{node_ids, programs_of};
pub use m1nd_vfs::{GitHead, watch_limit};
pub use mentions::{KeptMention, Shape, linked_names};
pub use naming::names::{most_readily_meant, precedence};
pub use naming::places::PathLines;
pub use providers::{DocumentProviders, Provided};
pub use readers::bound::{Bound, BoundState, CodeTexts};
pub use readers::texts::FileText;
pub use readers::withheld::Withheld;
pub use report::{
    Activity, CompilerReport, CompilerStatus, ContradictionRow, DocumentsReport, Freshness, IngestReport,
    LanguageStatus, ProblemStatus, ProcessRole, RootInfo, RootWork, Status, Tiers, WatchState,
};
pub use repositories::federation::{Federation, MAX_MEMBERS, Member};
pub use repositories::git_programs::is_run_by_git;
pub use repositories::outside::OutsidePath;
pub use repositories::readable::{Texts, readable_repositories, texts_of};
pub use repositories::repository_marks::{has_repository_mark, repository_marks};
pub use repositories::workspace::{Repository, WORKSPACE_FILE, Workspace, allow_reading, may_read};
pub use resident::{ResidentPlace, ResidentSocket};
pub use state::formats::{FormatState, StoredFormat, list_formats};
pub use state::snapshot::{Snapshot, SourceText};
pub use state::stored::{StoredCheck, StoredSnapshot};
pub use transfer::{
    Adopted, Exported, LocalIndex, SharePlace, SharedFiles, adopt_index, find_local_index, find_share_place,
    shared_versions,
};
pub use unseen::{NotCheckedOut, UnseenFile, UnseenPlace, UnseenReason, UnseenTexts, is_code};
