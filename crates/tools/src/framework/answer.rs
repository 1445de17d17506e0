use m1nd_base::ContentHash;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{ErrorCode, ToolError};

/// What an answer lets its reader do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofState {
    /// Nothing to act on: do what the hint says.
    Blocked,
    /// There are candidates: open one and look.
    Triaging,
    /// Partial evidence: gaps are named.
    Proving,
    /// Nothing known stands against editing the target.
    ReadyToEdit,
}

/// The name of a tool in an answer. A test looks for every one that is written out in the sources, so that none is of a
/// tool that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ToolRef(pub &'static str);

/// What to do next, derived from this answer.
#[derive(Debug, Clone, Serialize)]
pub struct Guidance {
    /// How far this answer carries.
    pub proof_state: ProofState,
    /// Name of the tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_suggested_tool: Option<ToolRef>,
    /// Node id or path to pass it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_suggested_target: Option<String>,
    /// One sentence that says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step_hint: Option<String>,
}

impl Guidance {
    /// A state alone.
    pub fn state(proof_state: ProofState) -> Self {
        Self { proof_state, next_suggested_tool: None, next_suggested_target: None, next_step_hint: None }
    }

    /// A state with the next call.
    pub fn next(proof_state: ProofState, tool: ToolRef, target: Option<String>, hint: impl Into<String>) -> Self {
        Self {
            proof_state,
            next_suggested_tool: Some(tool),
            next_suggested_target: target,
            next_step_hint: Some(hint.into()),
        }
    }
}

/// Longest text that is handed to the next tool, in characters.
pub(crate) const MAX_TARGET: usize = 100;

impl Guidance {
    /// Nothing meets the words: their text may stand somewhere.
    pub(crate) fn no_match(words: Option<&str>) -> Self {
        let target = words.map(|words| words.chars().take(MAX_TARGET).collect());
        Self::next(ProofState::Blocked, ToolRef("search"), target, "no symbol meets a word; search the text itself")
    }
}

/// Which rows of its full list an answer is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Rows to leave out at the front.
    pub offset: usize,
    /// Most rows to return.
    pub limit: usize,
}

impl Page {
    /// Rows that must be known to fill the page.
    pub fn end(self) -> usize {
        self.offset.saturating_add(self.limit)
    }

    /// The rows of the page.
    pub fn cut<T>(self, rows: Vec<T>) -> Vec<T> {
        rows.into_iter().skip(self.offset).take(self.limit).collect()
    }
}

/// What a tool returns: its own output, and what the framework needs to frame it.
#[derive(Debug)]
pub struct Answer<T> {
    pub(crate) body: T,
    pub(crate) rows: Option<(&'static str, usize)>,
    pub(crate) guidance: Option<Guidance>,
    /// State of what its rows depend on beside the arguments and the graph, see [`Cursor::state`].
    pub(crate) state: u64,
}

impl<T> Answer<T> {
    /// An answer that is always whole.
    pub fn new(body: T) -> Self {
        Self { body, rows: None, guidance: None, state: 0 }
    }

    /// Names the member of the body that is a page of rows, and how many rows there are in all. The framework may cut
    /// it to the size budget and adds `truncated` and `cursor`.
    #[must_use]
    pub fn rows(mut self, member: &'static str, total: usize) -> Self {
        self.rows = Some((member, total));
        self
    }

    /// What to do next.
    #[must_use]
    pub fn guidance(mut self, guidance: Guidance) -> Self {
        self.guidance = Some(guidance);
        self
    }
}

/// Where a cursor goes on. It names what the answer depended on, so that no page follows one of another order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) generation: u64,
    /// Identifies the tool and its arguments.
    pub(crate) call: u32,
    /// Of what else the rows depend on: priming, feedback, the history.
    pub(crate) state: u32,
    pub(crate) offset: usize,
}

impl Cursor {
    /// Identifies a call by its tool and its arguments (cursor and size budget left out).
    pub(crate) fn call_of(tool: &str, arguments: &Map<String, Value>) -> u32 {
        let mut sorted: Vec<(&String, &Value)> = arguments.iter().collect();
        sorted.sort_by_key(|(name, _)| *name);
        let members: Vec<String> = sorted.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let text = format!("{tool}{}", members.join(","));
        ContentHash::of(text.as_bytes()).short() as u32
    }

    pub(crate) fn to_text(self) -> String {
        format!("{:x}-{:08x}-{:08x}-{:x}", self.generation, self.call, self.state, self.offset)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let cursor = Self {
            generation: u64::from_str_radix(parts.next()?, 16).ok()?,
            call: u32::from_str_radix(parts.next()?, 16).ok()?,
            state: u32::from_str_radix(parts.next()?, 16).ok()?,
            offset: usize::from_str_radix(parts.next()?, 16).ok()?,
        };
        parts.next().is_none().then_some(cursor)
    }

    /// The cursor that `text` stands for, if it belongs to this call and generation.
    pub(crate) fn of_call(text: &str, generation: u64, call: u32) -> Result<Self, ToolError> {
        let cursor = Self::parse(text)
            .ok_or_else(|| ToolError::invalid("`cursor` is not one that a truncated answer gave; pass it unchanged"))?;
        if cursor.generation != generation {
            let belongs = cursor.generation;
            return Err(stale(format!("the cursor belongs to generation {belongs}, the graph is at {generation}")));
        }
        if cursor.call != call {
            return Err(stale("the cursor belongs to a call with other arguments".to_owned()));
        }
        Ok(cursor)
    }

    /// Refuses to go on where the rows depend on another state than those of the page before.
    pub(crate) fn check_state(self, state: u32) -> Result<(), ToolError> {
        if self.state == state {
            return Ok(());
        }
        Err(stale(
            "what the order of rows depends on (priming, feedback, history) changed since the page before".to_owned(),
        ))
    }
}

fn stale(message: String) -> ToolError {
    ToolError::new(ErrorCode::StaleCursor, message).next_step("repeat the call without `cursor`")
}

/// For fields that are left out of an answer where nothing is counted.
pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_and_old_cursors_are_refused() {
        let cursor = Cursor { generation: 7, call: 3, state: 5, offset: 10 }.to_text();
        let code = |generation, call, state| {
            let cursor = Cursor::of_call(&cursor, generation, call);
            let checked = cursor.and_then(|cursor| cursor.check_state(state).map(|()| cursor.offset));
            checked.map_err(|error| error.code)
        };
        assert_eq!(code(7, 3, 5), Ok(10));
        for other in [(8, 3, 5), (7, 4, 5), (7, 3, 6)] {
            assert_eq!(code(other.0, other.1, other.2), Err(ErrorCode::StaleCursor), "{other:?}");
        }
        for bad in ["", "x", "1-2-3", "1-2-3-4-5", "---", "zz-1-1-1"] {
            let code = Cursor::of_call(bad, 1, 2).map_err(|error| error.code);
            assert_eq!(code, Err(ErrorCode::InvalidParams), "{bad:?}");
        }
    }
}
