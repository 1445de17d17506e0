//! Stack traces as text → [`Trace`]s: the exceptions in them, what caused what, and their frames. Pure and total: any text
//! gives some result, in time that grows with its length.
//!
//! Each format is a file of its own in `formats`; [`parse`] finds out which one a block of lines is in, so one text may hold
//! several, with other lines around and between them.
//!
//! Whatever order a language prints in, here exceptions go from the root cause to the one that was reported last, and frames
//! from the innermost to the outermost.

#![warn(clippy::disallowed_methods)]

mod clean;
mod formats;
mod message;
mod model;
mod origin;
mod prefix;

pub use formats::{Parsed, parse};
pub use model::{Exception, Format, Frame, Origin, Relation, Trace};

/// Bounds on what is taken from one text. All are far above what a person pastes.
pub mod limits {
    /// Bytes of the text that are looked at: its beginning.
    pub const TEXT_BYTES: usize = 2 << 20;
    /// Lines of the text that are looked at.
    pub const LINES: usize = 100_000;
    /// Bytes of a line that are looked at.
    pub const LINE_BYTES: usize = 8 << 10;
    /// Traces.
    pub const TRACES: usize = 200;
    /// Exceptions of one trace.
    pub const EXCEPTIONS: usize = 200;
    /// Frames of one exception. Deep recursion has its innermost and outermost frames; the rest is counted.
    pub const FRAMES: usize = 2_000;
    /// Characters kept of a message.
    pub const MESSAGE: usize = 2_000;
}
