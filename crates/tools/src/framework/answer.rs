use m1nd_base::ContentHash;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{ErrorCode, ToolError};

/// Largest answer, in bytes of compact JSON: 25,000 tokens of four bytes. Callers may ask for less.
pub(crate) const MAX_ANSWER_BYTES: usize = 100_000;
/// Smallest budget that a caller can ask for, in bytes: room for the frame of an answer and a row or two.
pub(crate) const MIN_ANSWER_BYTES: usize = 1_000;
/// Room kept for the members that are added after the rows are cut.
const FRAME_BYTES: usize = 300;

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

/// What to do next, derived from this answer.
#[derive(Debug, Clone, Serialize)]
pub struct Guidance {
    /// How far this answer carries.
    pub proof_state: ProofState,
    /// Name of the tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_suggested_tool: Option<&'static str>,
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
    pub fn next(proof_state: ProofState, tool: &'static str, target: Option<String>, hint: impl Into<String>) -> Self {
        Self {
            proof_state,
            next_suggested_tool: Some(tool),
            next_suggested_target: target,
            next_step_hint: Some(hint.into()),
        }
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
}

impl<T> Answer<T> {
    /// An answer that is always whole.
    pub fn new(body: T) -> Self {
        Self { body, rows: None, guidance: None }
    }

    /// Names the member of the body that is a page of rows, and how many rows there are in all. The framework may cut it
    /// to the size budget and adds `truncated` and `cursor`.
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

/// Where a cursor goes on. It names the generation and the call it belongs to, so it cannot be used for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) generation: u64,
    pub(crate) call: u32,
    pub(crate) offset: usize,
}

impl Cursor {
    /// Identifies a call by its tool and arguments (cursor and size budget left out).
    pub(crate) fn call_of(tool: &str, arguments: &Map<String, Value>) -> u32 {
        let text = format!("{tool}{}", Value::Object(arguments.clone()));
        ContentHash::of(text.as_bytes()).short() as u32
    }

    pub(crate) fn to_text(self) -> String {
        format!("{:x}-{:08x}-{:x}", self.generation, self.call, self.offset)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let cursor = Self {
            generation: u64::from_str_radix(parts.next()?, 16).ok()?,
            call: u32::from_str_radix(parts.next()?, 16).ok()?,
            offset: usize::from_str_radix(parts.next()?, 16).ok()?,
        };
        parts.next().is_none().then_some(cursor)
    }

    /// The offset that `text` stands for, if it belongs to this call and generation.
    pub(crate) fn offset_of(text: &str, generation: u64, call: u32) -> Result<usize, ToolError> {
        let stale = |message: String| {
            ToolError::new(ErrorCode::StaleCursor, message).next_step("repeat the call without `cursor`")
        };
        let cursor = Self::parse(text)
            .ok_or_else(|| ToolError::invalid("`cursor` is not one that a truncated answer gave; pass it unchanged"))?;
        if cursor.generation != generation {
            return Err(stale(format!(
                "the cursor belongs to generation {}, the graph is at {generation}",
                cursor.generation
            )));
        }
        if cursor.call != call {
            return Err(stale("the cursor belongs to a call with other arguments".to_owned()));
        }
        Ok(cursor.offset)
    }
}

/// Size of a value as compact JSON, in bytes.
pub(crate) fn json_bytes(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// Drops rows from the end of `body[member]` until the whole fits into `budget`, and says where the next page starts.
pub(crate) fn fit(body: &mut Map<String, Value>, member: &str, total: usize, at: Cursor, budget: usize) {
    let size = json_bytes(&Value::Object(body.clone())) + FRAME_BYTES;
    let Some(Value::Array(rows)) = body.get_mut(member) else { return };
    let mut over = size.saturating_sub(budget);
    // One row is always kept, so that paging makes progress.
    while over > 0 && rows.len() > 1 {
        if let Some(row) = rows.pop() {
            over = over.saturating_sub(json_bytes(&row) + 1);
        }
    }
    let shown = at.offset.saturating_add(rows.len());
    let more = shown < total && !rows.is_empty();
    body.insert("truncated".into(), more.into());
    if more {
        body.insert("cursor".into(), Cursor { offset: shown, ..at }.to_text().into());
    }
}

/// Member that is never cut here: its lines are numbered, so only the tool can cut it and say where to go on.
const UNCUT: &str = "content";

/// Cuts the longest texts of a body without rows so that it fits, for answers that are one long text.
pub(crate) fn clip_texts(body: &mut Map<String, Value>, budget: usize) {
    loop {
        let over = (json_bytes(&Value::Object(body.clone())) + FRAME_BYTES).saturating_sub(budget);
        if over == 0 {
            return;
        }
        let longest = body.iter_mut().filter_map(|(name, value)| match value {
            Value::String(text) if name != UNCUT => Some(text),
            _ => None,
        });
        let Some(text) = longest.max_by_key(|text| text.len()).filter(|text| text.len() > over.min(200)) else {
            return;
        };
        let keep = text.floor_char_boundary(text.len().saturating_sub(over));
        text.truncate(keep);
        body.insert("truncated".into(), true.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(rows: usize) -> Map<String, Value> {
        let rows: Vec<Value> = (0..rows).map(|n| json!({"n": n, "text": "x".repeat(100)})).collect();
        json!({"rows": rows, "truncated": false}).as_object().expect("object").clone()
    }

    #[test]
    fn rows_are_cut_to_the_budget_and_the_cursor_goes_on_there() {
        let at = Cursor { generation: 7, call: 3, offset: 10 };
        let mut cut = body(100);
        fit(&mut cut, "rows", 200, at, 5_000);
        let kept = cut["rows"].as_array().expect("rows").len();
        assert!(kept > 10 && kept < 50, "{kept}");
        assert!(json_bytes(&Value::Object(cut.clone())) <= 5_000);
        assert_eq!(cut["truncated"], json!(true));
        let next = Cursor::offset_of(cut["cursor"].as_str().expect("cursor"), 7, 3).expect("own cursor");
        assert_eq!(next, 10 + kept);
    }

    #[test]
    fn a_whole_answer_has_no_cursor() {
        let mut whole = body(3);
        fit(&mut whole, "rows", 3, Cursor { generation: 1, call: 1, offset: 0 }, 5_000);
        assert_eq!(whole["rows"].as_array().expect("rows").len(), 3);
        assert_eq!(whole["truncated"], json!(false));
        assert!(!whole.contains_key("cursor"));
    }

    #[test]
    fn foreign_and_old_cursors_are_refused() {
        let cursor = Cursor { generation: 7, call: 3, offset: 10 }.to_text();
        let code = |generation, call| Cursor::offset_of(&cursor, generation, call).map_err(|error| error.code);
        assert_eq!(code(7, 3), Ok(10));
        assert_eq!(code(8, 3), Err(ErrorCode::StaleCursor));
        assert_eq!(code(7, 4), Err(ErrorCode::StaleCursor));
        for bad in ["", "x", "1-2", "1-2-3-4", "--", "zz-1-1"] {
            assert_eq!(Cursor::offset_of(bad, 1, 2).map_err(|e| e.code), Err(ErrorCode::InvalidParams), "{bad:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let mut long = json!({"formatted": "ä漢".repeat(2_000), "path": "a"}).as_object().expect("object").clone();
        clip_texts(&mut long, 3_000);
        assert!(json_bytes(&Value::Object(long.clone())) <= 3_000);
        assert_eq!(long["truncated"], json!(true));
        assert_eq!(long["path"], json!("a"));
    }
}
