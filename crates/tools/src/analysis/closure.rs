//! Whether the rows of an answer are all that there are, in the words of answers.

use m1nd_engine::Snapshot;
use m1nd_query::closure::{self, ClosureState, Hiding};
use serde::Serialize;

use crate::framework::is_zero;
use crate::sites::LineReader;
use crate::word::Word;

#[derive(Debug, Serialize)]
struct HidingRow {
    node_id: String,
    label: String,
    name: String,
    role: String,
    reason: String,
    file_path: String,
    line: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    line_content: String,
    /// It may hide an indirect dependent, not a direct one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    far: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Closure {
    /// Of the direct dependents.
    state: Word<ClosureState>,
    /// Of all dependents, those through others included.
    #[serde(skip_serializing_if = "Option::is_none")]
    indirect: Option<Word<ClosureState>>,
    why: String,
    /// The part of `why` that no row of `hiding` shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    beside: String,
    hiding: Vec<HidingRow>,
    total_hiding: usize,
    too_weak: usize,
    #[serde(skip_serializing_if = "is_zero")]
    dispatch_not_made: usize,
}

impl Closure {
    pub(crate) fn new(snapshot: &Snapshot, closure: &closure::Closure) -> Self {
        let row = |open: &Hiding| HidingRow {
            node_id: snapshot.graph().id(open.node).to_owned(),
            label: snapshot.graph().label(open.node).to_owned(),
            name: open.name.clone(),
            role: open.role.clone(),
            reason: open.reason.clone(),
            file_path: open.file.clone(),
            line: open.line,
            line_content: String::new(),
            far: open.far,
        };
        Self {
            state: Word(closure.state),
            indirect: None,
            why: closure.why.clone(),
            beside: String::new(),
            hiding: closure.hiding.iter().map(row).collect(),
            total_hiding: closure.total_hiding,
            too_weak: closure.too_weak,
            dispatch_not_made: closure.not_made,
        }
    }

    /// With the line of code of each place, and with what no place shows.
    pub(crate) fn with_lines(mut self, snapshot: &Snapshot, closure: &closure::Closure) -> Self {
        self.beside = closure.beside.join("; ");
        let mut lines = LineReader::new(snapshot);
        for row in &mut self.hiding {
            row.line_content = lines.read(&row.file_path, row.line).0.trim().to_owned();
        }
        self
    }

    /// With the verdict on the dependents of dependents.
    pub(crate) fn with_indirect(self, closure: &closure::Closure) -> Self {
        Self { indirect: Some(Word(closure.indirect)), ..self }
    }
}
