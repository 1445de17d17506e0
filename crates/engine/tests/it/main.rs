//! The engine end to end: files on a disk in, snapshots out.

mod cancel;
mod concurrency;
mod disk;
mod federation;
mod freshness;
mod history;
mod incremental;
mod ingest;
mod project;
mod scip;
mod stored;
mod text_model;
mod tiny_model;
mod transfer;
