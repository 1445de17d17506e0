//! The graph as rows, for checking or reuse: JSON in `rows`, Parquet tables in `parquet`, what manifests require and
//! offer in `dependencies`. `docs/export.md` documents each member and column.

pub mod dependencies;
pub mod parquet;
mod rows;

pub use rows::{COMPILER, EdgeFilter, EdgeRow, FORMAT_VERSION, NodeRow, edges, nodes};
