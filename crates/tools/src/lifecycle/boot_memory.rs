//! Notes under a key for the start of every session, kept in the project's memory.

use m1nd_mind::{
    BootDraft, BootNote, MAX_BOOT_KEY, MAX_BOOT_LISTED, MAX_BOOT_VALUE, ProjectMemory, boot_notes, delete_boot_note,
    refresh_blocks, set_boot_note,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
    rows_schema,
};
use crate::memory::memory_error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    Set,
    Get,
    #[default]
    List,
    Delete,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    action: Action,
    /// Letters, digits and . _ / -
    #[schemars(length(max = MAX_BOOT_KEY))]
    key: Option<String>,
    /// One line
    #[schemars(length(max = MAX_BOOT_VALUE))]
    value: Option<String>,
    #[serde(default)]
    #[schemars(length(max = MAX_BOOT_LISTED))]
    tags: Vec<String>,
    /// Files and symbols it rests on
    #[serde(default)]
    #[schemars(length(max = MAX_BOOT_LISTED))]
    source_refs: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    notes: Vec<BootNote>,
    /// Whether the note was stored or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<bool>,
}

pub(crate) struct BootMemory;

impl Tool for BootMemory {
    const NAME: &'static str = "boot_memory";
    const TOOLSET: Toolset = Toolset::Lifecycle;
    const SUMMARY: &'static str = "Keep short notes under keys that `north` shows at the start of a task";
    const ANSWERS: &'static str = "notes under keys that every session begins with: set, get, list, delete";
    const HELP: &'static str = "\
A view of the project's memory, not a store of its own: a note is the line `Learned: boot/KEY: VALUE` of
`.mind/MEMORY.md`, where people can read and change it and `mind_search` finds it. `set` stores a note (at most 64, of
one line with at most 2,000 bytes) in place of the one with its key; `tags` and `source_refs` (files and symbols that
it rests on, whose later changes `north` reports) are kept with it. `get` and `delete` take a `key`, `list` gives all,
by key. Texts that look like secrets are refused. The project needs a memory: `mind init` makes it.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "action": "list"}"#;
    const STAGES: &'static [Route] = &[(Stage::Handoff, 60, "notes that the next session begins with")];
    const RARE: &'static [&'static str] = &["tags", "source_refs"];
    const DETAILS: &'static [&'static str] = &["notes.id", "notes.date"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("notes": "key", "value");
    type Input = Input;
    type Output = Output;
}

impl WriteTool for BootMemory {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let failed = |error: m1nd_mind::MemoryError| memory_error(&error);
        let project = cx.memory().project().map_err(failed)?;
        let memory = cx.memory().of(&project).map_err(failed)?;
        let key = || input.key.clone().ok_or_else(|| ToolError::invalid("argument `key` is missing"));
        let (notes, done) = match input.action {
            Action::List => (boot_notes(&memory), None),
            Action::Get => {
                let key = key()?;
                (boot_notes(&memory).into_iter().filter(|note| note.key == key).collect(), None)
            }
            Action::Set => {
                let key = key()?;
                let value = input.value.as_deref().ok_or_else(|| ToolError::invalid("argument `value` is missing"))?;
                let draft = BootDraft { key: &key, value, tags: &input.tags, source_refs: &input.source_refs };
                let stored = set_boot_note(&cx.keeper(), &memory, &draft).map_err(failed)?;
                (vec![stored], Some(true))
            }
            Action::Delete => {
                let gone = delete_boot_note(&cx.keeper(), &memory, &key()?).map_err(failed)?;
                let is_gone = gone.is_some();
                (gone.into_iter().collect(), Some(is_gone))
            }
        };
        // Copies in files of agents follow the notes.
        if done == Some(true) {
            let after = ProjectMemory::read(&project, cx.keeper().home()).map_err(failed)?;
            refresh_blocks(&after);
        }
        let state = if notes.is_empty() { ProofState::Blocked } else { ProofState::Triaging };
        let hint = match (input.action, notes.is_empty()) {
            (Action::Set, _) => "`north` shows it at the start of every task",
            (Action::Delete, false) => "it is no longer shown; a copy of the file as it was is kept",
            (_, true) => "no such note; store one with `action` `set`",
            (_, false) => "`north` shows these at the start of every task",
        };
        let found = notes.len();
        let guidance = Guidance::next(state, ToolRef("north"), None, hint);
        Ok(Answer::new(Output { notes, done }).with_found(found).guidance(guidance))
    }
}
