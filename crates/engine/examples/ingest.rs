//! `ingest HOME FOLDER...`: indexes each folder on one thread in a store of its own below HOME, and nothing else.
//!
//! `cargo xtask bench instructions` counts what it executes; profilers show where the time of an ingest goes without
//! the crates that only answer questions.

use std::path::PathBuf;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, EngineConfig, IngestRequest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let home = arguments.next().ok_or("expected: ingest HOME FOLDER...")?;
    for folder in arguments {
        let folder = std::fs::canonicalize(folder)?;
        let store = home.join(folder.file_name().unwrap_or_default());
        let config = EngineConfig { threads: Some(1), ..EngineConfig::new(store, vec![folder.clone()]) };
        let engine = Engine::open(config)?;
        engine.ingest(IngestRequest::code(&folder), &Cancel::new(), &NoProgress)?;
        engine.close();
        end_folder();
    }
    Ok(())
}

/// Marks the end of a folder for callgrind (`--dump-after`).
#[inline(never)]
fn end_folder() {
    std::hint::black_box(());
}
