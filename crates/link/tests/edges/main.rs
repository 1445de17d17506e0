//! Edges between files that no import connects: documents, contracts between programs, names that programs share.

mod code_names;
#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod documents;
mod shared_names;

use std::sync::Arc;

use m1nd_base::{Cancel, Limits, NoProgress};
use m1nd_link::{FileLinks, Linker};

/// Paths with their texts.
type Files<'a> = &'a [(&'a str, &'a str)];

/// Links some files and returns the rows that `shown` makes of their edges.
fn edges_of(files: Files<'_>, shown: impl Fn(&Linker, &[Arc<FileLinks>]) -> Vec<String>) -> Vec<String> {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in files {
        assert_eq!(common::put(&mut linker, path, text), None, "{path}");
    }
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    shown(&linker, &delta.changed)
}
