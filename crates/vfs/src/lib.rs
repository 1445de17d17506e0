//! The only reader of project files: roots as capability handles, ignore rules, the walk, and watching for changes.
//!
//! - A [`Root`] is an open folder. Everything below it is named by a [`RepoPath`](m1nd_base::RepoPath) and opened
//!   relative to that handle, so neither `..`, an absolute path nor a link can reach a file outside of it.
//! - Only regular files are opened. Opening a pipe, socket or device can block or have side effects.
//! - [`PathKind`] and the functions beside it look at paths that the user named, without reading what is there.
//! - A [`Folder`] is an open folder inside a root, reached through no link: what changes files works relative to it.
//! - [`Root::walk`] lists the files to index. Everything else is either excluded by a rule that the user can see
//!   ([`WalkOptions`], `.gitignore`, the tables in this crate) or reported with its reason.
//! - Folders of version control are never read for a caller, not even through a link.
//!
//! # Limitations
//! The checks hold against links and renames made concurrently. They do not hold against bind mounts and hard links,
//! which the system presents as ordinary files: refusing files with several names would leave out what package managers
//! link from their stores.

mod control;
mod defaults;
mod error;
mod folder;
mod folders;
mod git;
mod hidden;
mod ignores;
mod path_kind;
mod root;
mod tracked;
mod walk;
mod watch;

pub use control::{check_not_version_control, is_ignored as is_ignored_in_names, is_version_control};
pub use defaults::{is_generated_list, is_package_folder, is_secret, is_skipped_by_name};
pub use error::VfsError;
pub use folder::{Folder, FolderId};
pub use folders::FolderWatch;
pub use git::GitHead;
pub use path_kind::{PathKind, canonical, network_file_system, stamp, try_open, watch_limit};
pub use root::{FileMeta, Root};
pub use walk::{TrackedSource, Walk, WalkOptions};
pub use watch::{Changes, Watcher, WatcherHealth};
