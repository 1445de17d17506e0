//! The calls of a process, measured: what was returned, and how large the files are that it speaks of.

use std::collections::{BTreeMap, VecDeque};

use m1nd_base::secrets;

use crate::common::shorten_text;

/// Calls that are kept one by one.
pub const MAX_CALLS: usize = 1_000;
/// Files that are told apart.
const MAX_FILES: usize = 50_000;
/// Longest summary of a call, in characters.
const MAX_SUMMARY: usize = 100;

/// A call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallRecord {
    /// Name of the tool.
    pub tool: String,
    /// The agent.
    pub agent: String,
    /// Time of its end, in milliseconds since 1970.
    pub at_ms: u64,
    /// Time it took, in milliseconds.
    pub elapsed_ms: f64,
    /// Number of results; `None` if the tool does not answer with results.
    pub results: Option<usize>,
    /// Whether it failed.
    pub is_error: bool,
    /// What was asked, at most 100 characters, without secrets.
    pub summary: String,
    /// Whether the tool writes files of the project.
    pub writes: bool,
    /// Bytes of the answer.
    pub bytes: u64,
}

/// Size of a file that an answer speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileSize {
    /// Bytes.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
}

/// A file of which an answer shows code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownFile {
    /// Its path.
    pub path: String,
    /// Its size.
    pub size: FileSize,
    /// Bytes of it that the answer shows.
    pub shown: u64,
}

/// A file that answers showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CountedFile {
    /// Its size when it was last shown.
    pub size: FileSize,
    /// Bytes of it that answers showed, all together.
    pub shown: u64,
}

/// The calls since the process started.
#[derive(Debug, Clone, Default)]
pub struct CallLog {
    /// The newest calls, oldest first.
    pub calls: VecDeque<CallRecord>,
    /// Number of all calls.
    pub total: u64,
    /// Number of those that failed.
    pub failed: u64,
    /// Number of those that wrote files of the project.
    pub writes: u64,
    /// Number of all calls of each tool.
    pub by_tool: BTreeMap<String, u64>,
    /// Bytes of all answers that show code.
    pub returned_bytes: u64,
    /// The distinct files that these answers show code of.
    pub files: BTreeMap<String, CountedFile>,
    /// Nodes, edges and generation when the first call ended.
    pub start: Option<(u64, u64, u64)>,
}

impl CallLog {
    /// Adds a call, the files that its answer shows code of, and the nodes, edges and generation of the graph.
    pub(crate) fn add(&mut self, mut call: CallRecord, files: Vec<ShownFile>, graph: (u64, u64, u64)) {
        call.summary = secrets::redact(&shorten_text(&call.summary, MAX_SUMMARY)).into_owned();
        self.total += 1;
        self.failed += u64::from(call.is_error);
        self.writes += u64::from(call.writes && !call.is_error);
        if self.by_tool.len() < MAX_CALLS || self.by_tool.contains_key(&call.tool) {
            *self.by_tool.entry(call.tool.clone()).or_default() += 1;
        }
        if !files.is_empty() {
            self.returned_bytes += call.bytes;
        }
        for file in files {
            if self.files.len() < MAX_FILES || self.files.contains_key(&file.path) {
                let seen = self.files.entry(file.path).or_default();
                *seen = CountedFile { size: file.size, shown: seen.shown.saturating_add(file.shown) };
            }
        }
        self.start.get_or_insert(graph);
        if self.calls.len() >= MAX_CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back(call);
    }

    /// Bytes and lines of the distinct files.
    pub fn files_hold(&self) -> FileSize {
        let add = |sum: FileSize, seen: &CountedFile| FileSize {
            bytes: sum.bytes + seen.size.bytes,
            lines: sum.lines + seen.size.lines,
        };
        self.files.values().fold(FileSize::default(), add)
    }

    /// Bytes of these files that were not shown, and how many files were shown in part.
    pub fn left_unread(&self) -> (u64, u64) {
        let rest = |seen: &CountedFile| seen.size.bytes.saturating_sub(seen.shown);
        let rests = || self.files.values().map(rest);
        (rests().sum(), rests().filter(|rest| *rest > 0).count() as u64)
    }

    /// Number of calls of a tool.
    pub fn of(&self, tool: &str) -> u64 {
        self.by_tool.get(tool).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_once_and_calls_are_bounded() {
        let mut log = CallLog::default();
        let size = FileSize { bytes: 100, lines: 10 };
        for number in 0..=MAX_CALLS as u64 {
            let call = CallRecord { tool: "seek".into(), bytes: 5, at_ms: number, ..CallRecord::default() };
            let shown = ShownFile { path: "a.py".into(), size, shown: u64::from(number < 3) * 10 };
            log.add(call, vec![shown], (number, 0, 0));
        }
        assert_eq!(log.left_unread(), (70, 1));
        assert_eq!((log.files_hold(), log.total, log.calls.len()), (size, MAX_CALLS as u64 + 1, MAX_CALLS));
        assert_eq!((log.start, log.calls[0].at_ms), (Some((0, 0, 0)), 1));
    }
}
