//! Project memory as a service: locations, current content, and linked code.
//!
//! The text that people wrote (`.mind/MEMORY.md`) is the only source of truth; everything else is derived from it and
//! can be deleted. [`Memories`] answers queries and changes nothing; data worth keeping between two readings (when a
//! memory was first seen, its code at that time) is recorded only by [`Keeper`], which also writes the block in
//! `CLAUDE.md`.

mod approval;
mod block;
mod capture;
mod checkup;
mod code;
mod config;
pub mod daemon;
mod edges;
mod error;
mod gather;
mod health;
mod hooks;
mod index_export;
mod keeper;
mod load;
mod looking;
mod memories;
mod model;
mod near;
mod noted;
mod project;
mod project_file;
mod registry;
mod related;
mod session_end;
mod sessions;
mod settings;
mod setup;
mod stack;
mod status;
mod tidy;
mod worktree;

pub use approval::{Source, Trust};
pub use block::{
    BlockFile, BlockState, block_files, refresh as refresh_blocks, text as block_text, write_blocks, write_blocks_with,
};
pub use checkup::{Finding, Level, check_up};
pub use code::{CodeRow, CodeState};
pub use config::MindConfig;
pub use edges::GlobalEdges;
pub use error::MemoryError;
pub use hooks::{HookEvent, hook};
pub use index_export::{IndexExport, IndexedCode, IndexedMemory, IndexedSession};
pub use keeper::{Code, Depth, Keeper, Kept};
pub use load::{ProjectMemory, user_settings};
pub use looking::{Look, Looking, Progress as LookProgress};
pub use m1nd_memory::edges::{Edge, EdgeDraft, EdgeWarning, PROJECT_PREFIX, canonical_tag};
pub use m1nd_memory::{
    GotchaBullet, Kind, Record, Relation, SourceKind, Stats as ParseStats, Status, secrets, without_hidden,
};
pub use m1nd_store::{RealSystem, SharedFolder, replace_user_file};
pub use memories::{EdgeQuestion, FoundEdges, FoundMemories, FoundMemory, Memories, MemoryQuery, MemoryStamp, Note};
pub use near::NearCode;
pub use project::find_project;
pub use registry::{Project, Registry};
pub use related::Related;
pub use settings::{FILE as SETTINGS_FILE, KEYS, Owner, Settings, set_key};
pub use setup::{Made, make};
pub use status::{DaemonStatus, GlobalStats, MemoryStatusReport, ProjectStats, ProjectStatus};
pub use tidy::{Archived, Forgotten, archive, forget, show_again};
