//! The context block: a summary of a project's memory between two markers in `CLAUDE.md` (and similar files).
//!
//! Agents read it as instructions, so it is short and contains only what the sources cannot tell, no secret, and no
//! markup from elsewhere. It is a function of its input: the same memories give the same bytes.

mod layout;
mod markers;
mod neutral;
mod sections;
mod splice;

use std::fmt;

use jiff::civil::Date;

use crate::edges::Edge;
use crate::{GotchaBullet, NextItem, ProjectState, Recall, RecordId, Relation, Session};

pub use layout::render;
pub use markers::{END, START};
pub use neutral::without_hidden;
pub use splice::{Placed, Present, SpliceError, Spliced, inspect, remove, splice};

/// Reliability of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockHealth<'a> {
    /// It is up to date.
    #[default]
    Active,
    /// The project has moved on since.
    Stale {
        /// The day from which on it is behind.
        since: Date,
        /// The command that helps.
        remedy: &'a str,
    },
}

/// Limits on the block and its sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLimits {
    /// Characters, the markers included. About four are a token.
    pub max_chars: usize,
    /// Lines, the markers included.
    pub max_lines: usize,
    /// Characters of a line.
    pub max_line_chars: usize,
    /// Pinned memories.
    pub max_key: usize,
    /// Decisions.
    pub max_decisions: usize,
    /// Open loops.
    pub max_open_loops: usize,
    /// Gotchas.
    pub max_gotchas: usize,
    /// Sessions of the past.
    pub max_sessions: usize,
}

impl Default for BlockLimits {
    fn default() -> Self {
        Self {
            max_chars: 1600,
            max_lines: 60,
            max_line_chars: 160,
            max_key: 10,
            max_decisions: 5,
            max_open_loops: 3,
            max_gotchas: 5,
            max_sessions: 5,
        }
    }
}

/// Content of the block.
#[derive(Clone, Copy)]
pub struct BlockInput<'a> {
    /// The day, by which memories are old.
    pub today: Date,
    /// Reliability of the memory.
    pub health: BlockHealth<'a>,
    /// Goal, stack and blockers.
    pub state: &'a ProjectState,
    /// Stack detected from the project's files: shown if none is written down.
    pub detected: &'a [Box<str>],
    /// All memories.
    pub recall: &'a Recall,
    /// The project's own gotchas, in the order of the file.
    pub gotchas: &'a [GotchaBullet],
    /// Relations between memories.
    pub relations: &'a [Relation],
    /// Gotchas of other projects that matter here, the most important first:
    /// [`EdgeMatcher::for_block`](crate::edges::EdgeMatcher::for_block).
    pub stack_gotchas: &'a [&'a Edge],
    /// Closed sessions, in any order.
    pub sessions: &'a [Session],
    /// Next steps, in file order.
    pub next: &'a [NextItem],
    /// Focus of the last session: paths of touched files, its text.
    pub focus: &'a [&'a str],
    /// How often a memory was requested and found.
    pub hits: Option<&'a dyn Fn(RecordId) -> u32>,
    /// Limits on the length.
    pub limits: BlockLimits,
}

impl fmt::Debug for BlockInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockInput").field("today", &self.today).field("recall", &self.recall).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
