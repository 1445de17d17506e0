use m1nd_base::ContentHash;
use m1nd_engine::Activity;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{ErrorCode, ToolError};

/// How far the evidence of an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofState {
    /// Nothing to act on: follow the hint.
    Blocked,
    /// There are candidates: open one and look.
    Triaging,
    /// Partial evidence, with named gaps.
    Proving,
    /// No known reason not to edit the target.
    ReadyToEdit,
}

/// The name of a tool in an answer. A test checks that every name written in the sources is that of an existing tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ToolRef(pub &'static str);

/// The suggested next step.
#[derive(Debug, Clone, Serialize)]
pub struct Guidance {
    /// State of the evidence in this answer.
    pub proof_state: ProofState,
    /// The tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_suggested_tool: Option<ToolRef>,
    /// The node id or path to pass to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_suggested_target: Option<String>,
    /// The reason, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step_hint: Option<String>,
}

impl Guidance {
    /// A state without a next call.
    pub fn state(proof_state: ProofState) -> Self {
        Self { proof_state, next_suggested_tool: None, next_suggested_target: None, next_step_hint: None }
    }

    /// A state with a next call.
    pub fn next(proof_state: ProofState, tool: ToolRef, target: Option<String>, hint: impl Into<String>) -> Self {
        Self {
            proof_state,
            next_suggested_tool: Some(tool),
            next_suggested_target: target,
            next_step_hint: Some(hint.into()),
        }
    }

    /// Guidance where nothing is indexed: to index, or to wait for what builds the index now.
    pub fn to_first_index(activity: Option<&Activity>) -> Self {
        match activity {
            Some(now) => {
                let hint = format!("the index is being built, at stage `{}`", now.stage);
                Self::next(ProofState::Blocked, ToolRef("health"), None, hint)
            }
            None => Self::next(ProofState::Blocked, ToolRef("ingest"), None, "nothing is indexed yet"),
        }
    }
}

/// Maximum length of a suggested target, in characters.
pub(crate) const MAX_TARGET: usize = 100;

impl Guidance {
    /// Guidance if no node matches the words: their text may still occur somewhere.
    pub(crate) fn no_match(words: Option<&str>) -> Self {
        let target = words.map(|words| words.chars().take(MAX_TARGET).collect());
        Self::next(ProofState::Blocked, ToolRef("search"), target, "no symbol matches; search for the text")
    }
}

/// The rows of the full list that an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Rows to skip.
    pub offset: usize,
    /// Maximum rows to return.
    pub limit: usize,
}

impl Page {
    /// Number of rows needed to fill the page.
    pub fn end(self) -> usize {
        self.offset.saturating_add(self.limit)
    }

    /// The rows of the page.
    pub fn cut<T>(self, rows: Vec<T>) -> Vec<T> {
        rows.into_iter().skip(self.offset).take(self.limit).collect()
    }
}

/// The result of a tool: its own output, and what the framework needs to frame it.
#[derive(Debug)]
pub struct Answer<T> {
    pub(crate) body: T,
    pub(crate) rows: Option<(&'static str, usize)>,
    /// Number of results, if it is not that of the rows.
    pub(crate) found: Option<usize>,
    pub(crate) guidance: Option<Guidance>,
    /// State that the rows depend on besides the arguments and the graph, see [`Cursor::state`].
    pub(crate) state: u64,
}

impl<T> Answer<T> {
    /// An answer that is never paged.
    pub fn new(body: T) -> Self {
        Self { body, rows: None, found: None, guidance: None, state: 0 }
    }

    /// Sets the member of the body that is a page of rows, and the number of rows of all pages. The framework cuts the
    /// member to the size budget and adds `truncated` and `cursor`.
    #[must_use]
    pub fn rows(mut self, member: &'static str, total: usize) -> Self {
        self.rows = Some((member, total));
        self
    }

    /// Sets the number of results of an answer that leaves their rows out.
    #[must_use]
    pub fn with_found(mut self, found: usize) -> Self {
        self.found = Some(found);
        self
    }

    /// Sets the suggested next step.
    #[must_use]
    pub fn guidance(mut self, guidance: Guidance) -> Self {
        self.guidance = Some(guidance);
        self
    }
}

/// The position at which a call continues. It includes what the answer depended on, so that pages of different orders
/// are never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) generation: u64,
    /// Hash of the tool and its arguments.
    pub(crate) call: u32,
    /// Hash of the other state that the rows depend on: priming, feedback, history.
    pub(crate) state: u32,
    pub(crate) offset: usize,
}

impl Cursor {
    /// Hash of a tool and its arguments, without cursor and size budget.
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

    /// Parses `text` as a cursor of this call and generation.
    pub(crate) fn of_call(text: &str, generation: u64, call: u32) -> Result<Self, ToolError> {
        let cursor = Self::parse(text).ok_or_else(|| {
            ToolError::invalid("argument `cursor` is not a cursor of a truncated answer; pass it unchanged")
        })?;
        if cursor.generation != generation {
            let belongs = cursor.generation;
            return Err(stale(format!("the cursor is of generation {belongs}, the graph is at {generation}")));
        }
        if cursor.call != call {
            return Err(stale("the cursor is of a call with other arguments".to_owned()));
        }
        Ok(cursor)
    }

    /// Rejects the cursor if the rows depend on another state than those of the previous page.
    pub(crate) fn check_state(self, state: u32) -> Result<(), ToolError> {
        if self.state == state {
            return Ok(());
        }
        Err(stale("the order of rows changed since the previous page (priming, feedback or history)".to_owned()))
    }
}

fn stale(message: String) -> ToolError {
    ToolError::new(ErrorCode::StaleCursor, message).next_step("repeat the call without `cursor`")
}

/// For counts that are omitted if zero.
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
