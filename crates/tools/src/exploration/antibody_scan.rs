//! Looks for the stored bug patterns.

use std::collections::BTreeSet;

use m1nd_query::patterns::LabelMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bug_patterns::{BoundNode, Looking, Severity, list_stored, look};
use crate::framework::{
    Answer, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    number, rows_schema,
};
use crate::past;
use crate::rows::count;
use crate::word::{Kind, Word};

/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
/// Maximum rows of one page, and of one pattern.
const MAX_ROWS: usize = 500;
/// Matches from which on a pattern says nothing, unless the call names it.
const TOO_MANY: usize = 100;
/// Maximum patterns that a call names.
const MAX_IDS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScopeWord {
    #[default]
    All,
    Changed,
}

impl Kind for ScopeWord {
    fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Changed => "changed",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    #[default]
    Substring,
    Exact,
    Regex,
}

fn least_severity() -> Severity {
    Severity::Info
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// changed: files that differ from the checked-out commit, or from `since`
    #[serde(default)]
    scope: ScopeWord,
    /// Commit, with scope changed
    since: Option<String>,
    #[serde(default)]
    #[schemars(length(max = MAX_IDS))]
    antibody_ids: Vec<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    max_matches: usize,
    #[serde(default = "least_severity")]
    min_severity: Severity,
    /// How labels of graph patterns are compared
    #[serde(default)]
    match_mode: Mode,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    max_matches_per_antibody: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    antibody_id: String,
    antibody_name: String,
    severity: String,
    location: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_content: Option<String>,
    confidence: f64,
    bound_nodes: Vec<BoundNode>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    scan_scope: Word<ScopeWord>,
    matches: Vec<Row>,
    total_matches: usize,
    antibodies_checked: usize,
    nodes_scanned: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_changed: Option<usize>,
    timed_out_antibodies: Vec<String>,
    /// Patterns that match too much to say anything, without their matches.
    auto_disabled_antibodies: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct AntibodyScan;

impl Tool for AntibodyScan {
    const NAME: &'static str = "antibody_scan";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Find where stored bug patterns match, in all code or what changed";
    const ANSWERS: &'static str =
        "where stored bug patterns match: defects mended before that stand elsewhere, or again";
    const HELP: &'static str = "\
Looks for the enabled bug patterns of this project (`antibody_list`, stored by `antibody_create`), or for those in
`antibody_ids`, also disabled ones. `scope: changed` looks only at files whose content differs from the checked-out commit,
or that changed since the commit `since`; a graph pattern matches there if one of its nodes is in such a file.

A match has its `location`, the nodes it binds by `role` (`match` is the symbol around code), and `confidence`: the
`specificity` of the pattern, which says how much it demands, not how often it was right. `match_mode` is how graph
patterns compare labels: `substring` (in any case), `exact`, or `regex` (Rust syntax).

Patterns of code are searched for up to 8 seconds each, graph patterns for 400,000 steps; those that were cut are in
`timed_out_antibodies`. Up to `max_matches_per_antibody` matches of each are listed, the most severe patterns first.
A pattern with 100 or
more is in `auto_disabled_antibodies` instead, without its matches, unless the call names it; it stays enabled: refine or
disable it with `antibody_create`. `line_content` is text of the repository.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Review, 20, "whether a known bug pattern matches what changed")];
    const PAGED: bool = true;
    const RARE: &'static [&'static str] = &["match_mode", "max_matches_per_antibody", "antibody_ids"];
    const DETAILS: &'static [&'static str] = &["matches.bound_nodes", "nodes_scanned", "auto_disabled_antibodies"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("matches": "antibody_id", "antibody_name", "severity", "location", "confidence");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for AntibodyScan {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.max_matches);
        if input.since.is_some() && input.scope != ScopeWord::Changed {
            return Err(ToolError::invalid("argument `since` needs `scope` \"changed\""));
        }
        // The patterns to look for: those that the call names, also disabled ones, or all that are enabled.
        let (mut known, unreadable) = list_stored(cx.list_held())?;
        for id in &input.antibody_ids {
            if !known.iter().any(|pattern| pattern.id == *id) {
                return Err(ToolError::new(
                    ErrorCode::HandleUnknown,
                    format!("argument `antibody_ids`: no bug pattern is `{id}`"),
                )
                .next_step("list them with `antibody_list`"));
            }
        }
        known.retain(|pattern| match input.antibody_ids.is_empty() {
            true => pattern.value.enabled,
            false => input.antibody_ids.contains(&pattern.id),
        });
        known.retain(|pattern| Severity::of(&pattern.value.severity) >= input.min_severity);
        known.sort_by_key(|pattern| std::cmp::Reverse(Severity::of(&pattern.value.severity)));
        // A later page is refused if a pattern has changed since the first.
        known.iter().for_each(|pattern| cx.rests_on(format!("{} {}", pattern.id, pattern.version).as_bytes()));
        let mut gaps: Vec<String> = Vec::new();
        if unreadable > 0 {
            gaps.push(format!("{} stored by another version cannot be read", count(unreadable, "pattern")));
        }
        let changed = match input.scope {
            ScopeWord::All => None,
            ScopeWord::Changed => Some(past::changed_files(cx, input.since.as_deref(), &mut gaps)?),
        };
        let looking = Looking {
            snapshot,
            mode: match input.match_mode {
                Mode::Substring => LabelMode::Substring,
                Mode::Exact => LabelMode::Exact,
                Mode::Regex => LabelMode::Regex,
            },
            changed: changed.as_ref(),
            limit: input.max_matches_per_antibody.max(TOO_MANY),
            cancel: cx.cancel(),
        };
        // A pattern that matches everywhere says nothing, unless it was asked for.
        let (mut rows, mut timed_out, mut too_broad) = (Vec::new(), Vec::new(), Vec::new());
        for pattern in &known {
            cx.cancel().check()?;
            let found = look(&pattern.value, &looking)?;
            if found.timed_out {
                timed_out.push(pattern.id.clone());
            }
            if input.antibody_ids.is_empty() && found.total >= TOO_MANY {
                too_broad.push(pattern.id.clone());
                continue;
            }
            rows.extend(found.rows.into_iter().take(input.max_matches_per_antibody).map(|found| Row {
                antibody_id: pattern.id.clone(),
                antibody_name: pattern.value.name.clone(),
                severity: pattern.value.severity.clone(),
                location: found.location,
                line_content: found.line,
                confidence: crate::rows::round_value(pattern.value.specificity),
                bound_nodes: found.bound,
            }));
        }
        let total = rows.len();
        let guidance = match rows.first() {
            Some(row) => {
                let hint = format!("{}: open the first", count(total, "match"));
                let path = row.location.rsplit_once(':').map(|(path, _)| path.to_owned());
                Guidance::next(ProofState::Triaging, ToolRef("view"), path, hint)
            }
            None if known.is_empty() => {
                let hint = "no pattern is enabled: store one, for example from a fix commit";
                Guidance::next(ProofState::Blocked, ToolRef("antibody_create"), None, hint)
            }
            None => Guidance::state(ProofState::Triaging),
        };
        let output = Output {
            scan_scope: Word(if changed.is_some() { ScopeWord::Changed } else { ScopeWord::All }),
            matches: page.cut(rows),
            total_matches: total,
            antibodies_checked: known.len(),
            nodes_scanned: snapshot.graph().node_count(),
            files_changed: changed.as_ref().map(BTreeSet::len),
            timed_out_antibodies: timed_out,
            auto_disabled_antibodies: too_broad,
            what_is_missing: (!gaps.is_empty()).then(|| gaps.join("; ")),
        };
        Ok(Answer::new(output).rows("matches", total).guidance(guidance))
    }
}
