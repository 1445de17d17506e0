//! The one place that composes the rooms below: [`Engine`] owns all mutable state behind one writer thread and publishes
//! immutable [`Snapshot`]s; whoever reads holds a snapshot and waits for nobody.

pub mod analysis;
mod calls;
mod clock;
mod compiler_index;
mod config;
mod engine;
mod error;
pub mod export;
mod extract;
mod feedback;
mod files;
pub mod history;
mod json_graph;
mod linear;
pub mod memory;
mod part;
pub mod patterns;
mod persist;
mod priming;
mod report;
mod resolve;
pub mod retrieval;
mod search_index;
mod snapshot;
mod status;
mod terms;
mod text_model;
mod writer;

pub use clock::Clock;
pub use config::{Adapter, EngineConfig, IngestRequest, Mode, UnknownWord};
pub use engine::{Engine, WeakEngine};
pub use error::{EngineError, ReadError, ResolveError};
pub use export::COMPILER;
pub use feedback::{Feedback, Judgement};
pub use files::{FileEntry, FileTable};
pub use linear::Model;
pub use m1nd_graph as graph;
pub use m1nd_lang::Language;
pub use m1nd_store::Undone;
pub use m1nd_vfs::GitHead;
pub use priming::HALF_LIFE_MS as PRIMING_HALF_LIFE_MS;
pub use report::{
    Activity, AgentSession, CompilerReport, CompilerStatus, ContradictionRow, IngestReport, LanguageStatus,
    ProblemStatus, ProcessRole, RootInfo, Status, Tiers, WatchState,
};
pub use snapshot::{Snapshot, SourceText};
pub use text_model::{LocalModel, ModelUse};
