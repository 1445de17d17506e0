//! Questions end to end: files on a disk in, answers out.

mod activate;
mod analysis;
mod documents;
mod export;
mod grep;
mod history;
mod map;
#[path = "../../../engine/tests/it/project.rs"]
#[allow(dead_code, reason = "shared by several suites")]
mod project;
mod resolve;
mod symbols;
mod text_model;
#[path = "../../../engine/tests/it/tiny_model.rs"]
mod tiny_model;
mod what_if;
