//! Memories that bear on a task, each with the state of the code that it names.

use m1nd_mind::{BootNote, CodeState, FoundMemory, Kind as MemoryKind, MemoryQuery, ProjectMemory, Trust, boot_notes};
use serde::Serialize;

use crate::framework::ReadContext;
use crate::shorten;
use crate::word::{Kind, Word};

/// Most memories that are found by meaning.
const CLAIMS: usize = 5;
/// Most notes under keys.
const NOTES: usize = 8;
/// Relevance below which a memory is not told.
const LEAST_RELEVANCE: f32 = 0.25;
/// Longest claim, in bytes.
const CLAIM_BYTES: usize = 300;

/// What a claim comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Claimed {
    /// A note under a key.
    BootMemory,
    /// A memory of the project.
    Memory(MemoryKind),
}

impl Kind for Claimed {
    fn word(self) -> &'static str {
        match self {
            Self::BootMemory => "boot_memory",
            Self::Memory(kind) => kind.name(),
        }
    }
}

/// State of the code that a claim names; `None` if it names none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimState(pub(crate) Option<CodeState>);

impl Kind for ClaimState {
    fn word(self) -> &'static str {
        self.0.map_or("unbound", CodeState::word)
    }
}

/// One remembered claim.
#[derive(Debug, Serialize)]
pub(crate) struct Claim {
    pub(crate) kind: Word<Claimed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    pub(crate) claim: String,
    /// State of the code that it names: `current`, `relocated`, `stale`, `gone`, `unknown`; `unbound` if it names none.
    pub(crate) code_state: Word<ClaimState>,
    /// Its place: `file:line`.
    source: String,
    date: String,
    #[serde(skip_serializing_if = "Trust::is_own")]
    trust: Trust,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source_refs: Vec<String>,
}

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Recalled {
    pub(crate) claims: Vec<Claim>,
    /// Number of all memories of the project; `None` without one.
    pub(crate) stored: Option<usize>,
    /// Why the memory could not be read, or not all of it.
    pub(crate) problem: Option<String>,
}

/// Memories about the task and this code, after the notes under keys.
pub(crate) fn recall_memories(cx: &ReadContext<'_>, task: &str, near: &[String]) -> Recalled {
    let Ok(project) = cx.memory().project() else { return Recalled::default() };
    let memory = match cx.memory().of(&project) {
        Ok(memory) => memory,
        Err(error) => return Recalled { problem: Some(error.to_string()), ..Recalled::default() },
    };
    let states = memory.code_states(cx.snapshot());
    let notes = boot_notes(&memory);
    let mut recalled = Recalled { stored: Some(memory.records.len()), ..Recalled::default() };
    recalled
        .claims
        .extend(notes.iter().take(NOTES).map(|note| claim_note(&memory, note, states.get(&note.at).copied())));
    let query = MemoryQuery { text: task, all_projects: false, kinds: &[], limit: CLAIMS + notes.len(), near };
    match cx.memory().search(&query, cx.snapshot()) {
        Ok(found) => {
            let is_told = |row: &&FoundMemory| {
                row.relevance >= LEAST_RELEVANCE && !notes.iter().any(|note| note.id == row.record.id.to_string())
            };
            recalled.claims.extend(found.rows.iter().filter(is_told).take(CLAIMS).map(claim_memory));
            recalled.problem = found.notice;
        }
        Err(error) => recalled.problem = Some(error.to_string()),
    }
    recalled
}

fn claim_note(memory: &ProjectMemory, note: &BootNote, state: Option<CodeState>) -> Claim {
    Claim {
        kind: Word(Claimed::BootMemory),
        key: Some(note.key.clone()),
        claim: shorten_claim(&note.value),
        code_state: Word(ClaimState(state)),
        source: note.source.clone(),
        date: note.date.clone(),
        trust: memory.trust(&memory.records[note.at]),
        tags: note.tags.clone(),
        source_refs: note.source_refs.clone(),
    }
}

fn claim_memory(found: &FoundMemory) -> Claim {
    let record = &found.record;
    let text = match &record.reasoning {
        Some(reason) => format!("{} ({reason})", record.title),
        None => record.title.to_string(),
    };
    Claim {
        kind: Word(Claimed::Memory(record.kind)),
        key: None,
        claim: shorten_claim(&text),
        code_state: Word(ClaimState(found.code.iter().map(|code| code.state).max())),
        source: format!("{}:{}", record.source.file, record.source.line),
        date: found.date.clone(),
        trust: found.trust,
        tags: Vec::new(),
        source_refs: Vec::new(),
    }
}

fn shorten_claim(text: &str) -> String {
    shorten::to_bytes(text, CLAIM_BYTES).into_owned()
}
