//! Core tools, for every session.

mod batch_view;
mod call_tool;
mod definition;
mod glob;
mod health;
mod help;
mod ingest;
mod notebook_view;
mod outline;
mod search;
mod seek;
mod seek_verdict;
mod view;

pub(crate) use batch_view::BatchView;
pub(crate) use call_tool::CallTool;
pub(crate) use definition::Definition;
pub(crate) use glob::Glob;
pub(crate) use health::Health;
pub(crate) use help::Help;
pub(crate) use ingest::{Ingest, word};
pub(crate) use outline::Outline;
pub(crate) use search::Search;
pub(crate) use seek::Seek;
pub(crate) use view::View;
