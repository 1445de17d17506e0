//! What an answer about a task does not know, each with the call that finds it out.

use m1nd_base::count;
use m1nd_query::retrieval::Focus;
use serde::Serialize;
use serde_json::json;

use super::Searched;
use crate::checks::Repair;
use crate::framework::ReadContext;
use crate::word::{Word, answer_kinds};

/// Words named.
const SHOWN_WORDS: usize = 4;

answer_kinds! {
    /// What is not known.
    pub(crate) GapCode {
        UnmatchedWords = "unmatched_words",
        HistoryMissing = "history_missing",
        MeaningMissing = "meaning_missing",
        CandidatesCut = "candidates_cut",
        ScopeIgnored = "scope_ignored",
        LayersUnreadable = "layers_unreadable",
        NoMemory = "no_memory",
        MemoryEmpty = "memory_empty",
        NothingRelevant = "nothing_relevant",
        OnlyBootNotes = "only_boot_notes",
        MemoryIncomplete = "memory_incomplete",
        MemoryOutdated = "memory_outdated",
        HostToolsMissing = "host_tools_missing",
        WrongWorkspace = "wrong_workspace",
        EmptyIndex = "empty_index",
        StoreDamaged = "store_damaged",
        StaleIndex = "stale_index",
        GitMissing = "git_missing",
        IndexUnsound = "index_unsound",
    }
}

/// One gap.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Gap {
    pub(crate) code: Word<GapCode>,
    pub(crate) message: String,
    /// A call that can be made as it stands; `null` if none helps.
    pub(crate) repair_call: Option<Repair>,
}

impl Gap {
    pub(crate) fn new(code: GapCode, message: impl Into<String>, repair_call: Option<Repair>) -> Self {
        Self { code: Word(code), message: message.into(), repair_call }
    }
}

/// The gaps of a search.
pub(crate) fn gaps_of_search(cx: &ReadContext<'_>, searched: &Searched, focus: &Focus) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let agent = cx.agent();
    let search = |word: &str| Repair::new("search", json!({"agent_id": agent, "query": word}));
    let unmatched = &searched.found.unmatched;
    if let Some(first) = unmatched.first() {
        let words: Vec<String> = unmatched.iter().take(SHOWN_WORDS).map(|word| format!("`{word}`")).collect();
        let more = unmatched.len().saturating_sub(SHOWN_WORDS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        gaps.push(Gap::new(
            GapCode::UnmatchedWords,
            format!("no symbol matches {}{more}", words.join(", ")),
            Some(search(first)),
        ));
    }
    if let Some(why) = &searched.found.no_history {
        let node = focus.nodes.first().map(|node| cx.snapshot().graph().path(node.row.node).to_owned());
        let call =
            node.map(|path| Repair::new("timeline", json!({"agent_id": agent, "node": format!("file::{path}")})));
        gaps.push(Gap::new(GapCode::HistoryMissing, format!("the history took no part in the ranking: {why}"), call));
    }
    if !searched.found.used_vectors {
        gaps.push(Gap::new(GapCode::MeaningMissing, "the index has no vectors: only words were compared", None));
    }
    if searched.found.is_cut {
        let all = count(searched.found.candidates, "node");
        gaps.push(Gap::new(
            GapCode::CandidatesCut,
            format!("{all} match; only the best were ranked: name what is special"),
            None,
        ));
    }
    gaps
}
