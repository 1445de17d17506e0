//! The one place that composes the rooms below: [`Engine`] owns all mutable state behind one writer thread and publishes
//! immutable [`Snapshot`]s; whoever reads holds a snapshot and waits for nobody.

pub mod analysis;
mod config;
mod error;
mod files;
mod report;
mod resolve;
mod snapshot;

pub use config::{Adapter, EngineConfig, IngestRequest, Mode, UnknownWord};
pub use error::{EngineError, ReadError, ResolveError};
pub use files::{FileEntry, FileTable};
pub use m1nd_graph as graph;
pub use m1nd_lang::Language;
pub use report::{
    Activity, AgentSession, IngestReport, LanguageStatus, ProblemStatus, ProcessRole, RootInfo, Status, Tiers,
    WatchState,
};
pub use snapshot::{Snapshot, SourceText};
