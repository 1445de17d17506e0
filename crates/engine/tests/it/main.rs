//! The engine end to end: files on a disk in, snapshots out.

mod activate;
mod analysis;
mod concurrency;
mod disk;
mod documents;
mod history;
mod incremental;
mod ingest;
mod memory;
mod project;
mod scip;
mod stored;
mod text_model;
