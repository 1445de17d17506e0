//! Memory as a service: reads the memories of projects, keeps what is known about them up to date, and hands them to
//! agents.
//!
//! People write `.mind/MEMORY.md` in their project, and comments and commit messages that carry memories. Those texts
//! are the only source; everything else here is derived from them and can be deleted.
//!
//! - [`Memories`] answers questions and changes nothing.
//! - [`Keeper`] is the only writer: it records when each memory was first seen and the code it was about, refreshes
//!   the block in `CLAUDE.md`, and ends sessions.
//! - [`daemon`] calls the keeper when files of registered projects change. It is optional.
//! - [`hook`] answers the hooks of an agent's client: at the start of a session, with a request, before an edit, at
//!   the end.
//! - [`block_files`] and [`write_blocks`] look after the block in `CLAUDE.md`, which agents read by themselves.
//!
//! Memories that came with a repository are data until the user of this machine approves them ([`Trust`]).
//!
//! Parsing, ranking and rendering are in `m1nd_memory`, which does no I/O. Project files are read through `m1nd_vfs`,
//! files of the user through `m1nd_store`; this crate does not touch the disk itself.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod capture;
mod checkup;
mod config;
pub mod daemon;
mod error;
mod files;
mod health;
mod hooks;
mod keep;
mod memories;
mod read;
mod rows;
mod status;

pub use checkup::{Finding, Level, check_up};
pub use config::MindConfig;
pub use error::MemoryError;
pub use files::anchor::CodeState;
pub use files::approval::{Source, Trust};
pub use files::edges::GlobalEdges;
pub use files::project::find_project;
pub use files::registry::{Project, Registry};
pub use hooks::{HookEvent, hook};
pub use keep::add::{Added, NewKind, add};
pub use keep::block::{
    BlockFile, BlockState, block_files, refresh as refresh_blocks, text as block_text, write_blocks, write_blocks_with,
};
pub use keep::boot::{
    BootDraft, BootNote, MAX_BOOT_KEY, MAX_BOOT_LISTED, MAX_BOOT_NOTES, MAX_BOOT_VALUE, boot_notes, delete_boot_note,
    set_boot_note,
};
pub use keep::keeper::{Depth, Keeper};
pub use keep::kept::{Code, Kept};
pub use keep::looking::{Look, Looking, Progress as LookProgress};
pub use keep::setup::{Made, Planned, make, plan_files};
pub use keep::tidy::{Archived, Forgotten, archive, forget, show_again};
pub use m1nd_memory::edges::{Edge, EdgeDraft, EdgeWarning, PROJECT_PREFIX, canonical_tag};
pub use m1nd_memory::{
    GotchaBullet, Health, Kind, Record, Relation, RelationKind, Severity, SourceKind, Stats as ParseStats, Status,
    secrets, without_hidden,
};
pub use m1nd_store::{RealSystem, SharedFolder, replace_user_file};
pub use memories::{
    CallerPlaces, EdgeQuestion, FoundEdges, FoundMemories, FoundMemory, Memories, MemoryQuery, MemoryStamp, Note,
};
pub use read::code::CodeRow;
pub use read::index_export::{IndexExport, IndexedCode, IndexedMemory, IndexedSession};
pub use read::load::{ProjectMemory, user_settings};
pub use read::near::NearCode;
pub use read::related::Related;
pub use read::settings::{FILE as SETTINGS_FILE, KEYS, Owner, Settings, set_key};
pub use read::stats::ProjectStats;
pub use status::{DaemonStatus, GlobalStats, MemoryStatusReport, ProjectStatus};
