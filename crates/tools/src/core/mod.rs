//! Core tools, for every session.

mod batch_view;
mod glob;
mod health;
mod help;
mod ingest;
mod search;
mod seek;
mod view;

pub(crate) use batch_view::BatchView;
pub(crate) use glob::Glob;
pub(crate) use health::Health;
pub(crate) use help::Help;
pub(crate) use ingest::Ingest;
pub(crate) use search::Search;
pub(crate) use seek::Seek;
pub(crate) use view::View;
