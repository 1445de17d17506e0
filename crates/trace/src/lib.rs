//! Parses stack traces into [`Trace`]s: exceptions, their causal relations, and their frames. Pure and total: any
//! text gives a result, in time proportional to its length.
//!
//! Each format has its own file in `formats`; [`parse`] detects the format of each block of lines, so one text may
//! contain several, with unrelated lines around and between them.
//!
//! Whatever the order in which a language prints, exceptions are ordered here from the root cause to the reported
//! one, and frames from the innermost to the outermost.

#![warn(clippy::disallowed_methods)]

mod clean;
mod formats;
mod message;
mod model;
mod origin;
mod pattern;
mod prefix;
mod text;

pub use formats::{Parsed, parse};
pub use model::{Exception, Format, Frame, Origin, Relation, Trace};

/// Limits on what is read from one text. All are far above what a person pastes.
pub mod limits {
    /// Bytes of the text that are read, from its start.
    pub const TEXT_BYTES: usize = 2 << 20;
    /// Lines of the text that are read.
    pub const LINES: usize = 100_000;
    /// Bytes of a line that are read.
    pub const LINE_BYTES: usize = 8 << 10;
    /// Number of traces.
    pub const TRACES: usize = 200;
    /// Exceptions per trace.
    pub const EXCEPTIONS: usize = 200;
    /// Frames per exception. A deep recursion keeps its innermost and outermost frames; the rest is counted.
    pub const FRAMES: usize = 2_000;
    /// Characters kept of a message.
    pub const MESSAGE: usize = 2_000;
}
