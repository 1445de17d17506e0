//! The tools over small repositories: each test is a fixture, a call and what its answer must hold.

mod harness;
#[path = "../../../history/tests/it/repository.rs"]
#[allow(dead_code, reason = "shared with the tests of the history itself")]
mod repository;

mod activate;
mod any_json;
mod framework;
mod glob;
mod health;
mod help;
mod hidden;
mod history;
mod impact;
mod ingest;
mod invariants;
mod learn;
mod memory;
mod memory_states;
mod missing;
mod registry;
mod resonate;
mod scan;
mod search;
mod seek;
mod trace;
mod view;
mod walls;
mod warmup;
mod why;
