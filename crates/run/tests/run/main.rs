//! Tests of commands that are run to check a change.
#![cfg(unix)]

mod formats;
mod processes;
mod providers;
mod settings;
mod verdicts;
mod world;
