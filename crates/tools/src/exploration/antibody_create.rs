//! Stores a bug pattern, or learns one from a fix commit.

use std::collections::BTreeSet;

use m1nd_base::{Cancelled, NoProgress, secrets};
use m1nd_engine::Language;
use m1nd_engine::history::PlacedHistory;
use m1nd_query::patterns::{
    FixedFile, LabelMode, LearnedPattern, ScanFault, ScanQuery, SyntaxQuery, Wanted, first_metavariable, learn_pattern,
    scan,
};
use m1nd_query::risk::{ChangedText, changed_by};
use m1nd_sessions::{BugEdge, BugNode, BugPattern, Handle, MAX_BUG_PATTERNS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bug_patterns::{Looking, Severity, language, list_stored, look, subgraph};
use crate::framework::{
    Answer, Effect, ErrorCode, Guidance, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::past;
use crate::rows::{count, round_value, session_error};
use crate::word::{Kind, Word};

/// Longest name and description, in characters.
const MAX_TEXT: usize = 1_000;
/// Least share of conditions of a pattern over the graph.
const LEAST_SPECIFICITY: f64 = 0.15;
/// Below this share of conditions, the answer warns.
const LOW_SPECIFICITY: f64 = 0.3;
/// Matches that are counted when a pattern is stored.
const COUNTED: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    #[default]
    Create,
    Disable,
    Enable,
    Delete,
}

impl Kind for Action {
    fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Disable => "disable",
            Self::Enable => "enable",
            Self::Delete => "delete",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeInput {
    #[serde(default)]
    role: String,
    node_type: Option<String>,
    /// test, exported, abstract, async, constructor, static …
    #[serde(default)]
    required_tags: Vec<String>,
    label_contains: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EdgeInput {
    source_idx: usize,
    target_idx: usize,
    relation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatternInput {
    nodes: Vec<NodeInput>,
    #[serde(default)]
    edges: Vec<EdgeInput>,
    #[serde(default)]
    negative_edges: Vec<EdgeInput>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    action: Action,
    /// For all actions but create
    antibody_id: Option<String>,
    name: Option<String>,
    description: Option<String>,
    #[serde(default)]
    severity: Severity,
    /// {nodes, edges, negative_edges} of the graph, see help
    #[schemars(with = "Option<Map<String, Value>>")]
    pattern: Option<PatternInput>,
    /// Or code with metavariables, as in scan
    code: Option<String>,
    /// Of `code`
    language: Option<String>,
    /// Or a fix commit to learn from
    commit: Option<String>,
    /// Do not store
    #[serde(default)]
    propose_only: bool,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    action: Word<Action>,
    /// None for a proposal.
    antibody_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specificity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_matches: Option<usize>,
    /// Matches in the files of the commit before and after it, and elsewhere now.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches_before: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches_elsewhere: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

pub(crate) struct AntibodyCreate;

impl Tool for AntibodyCreate {
    const NAME: &'static str = "antibody_create";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Store a bug pattern, learned from a fix commit or given, or disable or delete one";
    const ANSWERS: &'static str =
        "stores a bug pattern: given, or learned from a fix commit, so that the defect is found again";
    const HELP: &'static str = "\
`action: create` stores a bug pattern for this project, for `antibody_scan`. Exactly one of these says what it is:

- `commit`: a fix commit. The code that it removed or replaced, or to which it added, is generalised (variables become
  metavariables), and of the patterns that match a changed file before the commit and none after, the most general one with
  at most 5 matches elsewhere is taken, else the rarest of six. `matches_before` and `matches_elsewhere` count. With `propose_only` nothing is stored. A fix whose changed code cannot stand alone gives none.
- `code`: code with metavariables (`$X.close()`), as in `scan`; with `language`, for that only.
- `pattern`: up to 12 `nodes` of the graph (`role`, `node_type`, `required_tags`, `label_contains`), up to 20 `edges`
  (`source_idx` and `target_idx` count the nodes from 0; `relation` such as `calls`), and `negative_edges` that must not
  exist. Patterns that say too little (`specificity` below .15) are refused.

`severity` is `info`, `warning` (default) or `critical`; `name` defaults to the subject of the commit or `unnamed`.
`initial_matches` counts at most 100 present matches. `warning` says if a stored pattern is the same, or this one says
little. A project has at most 500 patterns. `disable`, `enable` and `delete` need `antibody_id`; any agent may call them.
Names and descriptions are stored without passwords and keys.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "code": "eval($X)", "name": "evaluated text"}"#;
    const RARE: &'static [&'static str] = &["action", "antibody_id", "description", "pattern", "propose_only"];
    const DETAILS: &'static [&'static str] = &["specificity"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"antibody_id": {"type": ["string", "null"]}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for AntibodyCreate {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        if input.action != Action::Create {
            return change(cx, &input);
        }
        let snapshot = cx.engine().snapshot();
        if snapshot.is_empty() {
            return Err(ToolError::empty_graph());
        }
        let (known, _) = list_stored(cx.list_held())?;
        if known.len() >= MAX_BUG_PATTERNS && !input.propose_only {
            let message =
                format!("the project has {} bug patterns, expected fewer than {MAX_BUG_PATTERNS}", known.len());
            return Err(ToolError::new(ErrorCode::LimitReached, message).next_step("delete one that is not needed"));
        }
        let (mut pattern, learned) = read_pattern(cx, &input)?;
        // A new pattern is tried at once: what it matches now is its first evidence.
        let looking = Looking {
            snapshot: &snapshot,
            mode: LabelMode::Substring,
            changed: None,
            limit: COUNTED,
            cancel: cx.cancel(),
        };
        pattern.initial_matches = look(&pattern, &looking)?.rows.len();
        let warning = warning(&known, &pattern);
        let id = match input.propose_only {
            true => None,
            false => Some(cx.sessions().mint(cx.agent(), pattern.clone()).map_err(session_error)?.id),
        };
        let hint = match id {
            Some(_) => format!("stored; it matches {} now", count(pattern.initial_matches, "place")),
            None => "pass it as `code` to store it".to_owned(),
        };
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("antibody_scan"), None, hint);
        Ok(Answer::new(Output {
            success: None,
            action: Word(Action::Create),
            antibody_id: id,
            code: pattern.code.filter(|_| learned.is_some()),
            language: pattern.language.filter(|_| learned.is_some()),
            specificity: Some(round_value(pattern.specificity)),
            initial_matches: Some(pattern.initial_matches),
            matches_before: learned.as_ref().map(|learned| learned.before),
            matches_elsewhere: learned.as_ref().map(|learned| learned.elsewhere),
            warning,
        })
        .guidance(guidance))
    }
}

fn change(cx: &WriteContext<'_>, input: &Input) -> Result<Answer<Output>, ToolError> {
    let Some(id) = &input.antibody_id else {
        return Err(ToolError::invalid("argument `antibody_id` is missing, expected the id of a stored bug pattern")
            .next_step("list them with `antibody_list`"));
    };
    let sessions = cx.sessions();
    let action = match input.action {
        Action::Delete => {
            sessions.remove::<BugPattern>(cx.agent(), id).map_err(session_error)?;
            Action::Delete
        }
        action => {
            let enabled = action == Action::Enable;
            let set = |pattern: &mut BugPattern| {
                pattern.enabled = enabled;
                Ok::<(), m1nd_sessions::SessionError>(())
            };
            sessions.update(cx.agent(), id, set).map_err(session_error)?;
            if enabled { Action::Enable } else { Action::Disable }
        }
    };
    let output =
        Output { success: Some(true), action: Word(action), antibody_id: Some(id.clone()), ..Output::default() };
    Ok(Answer::new(output).guidance(Guidance::state(ProofState::Triaging)))
}

/// A text as it is stored: bounded and without secrets.
fn redact_text(text: &str) -> String {
    let short: String = text.trim().chars().take(MAX_TEXT).collect();
    secrets::redact(&short).into_owned()
}

/// The pattern that the arguments say, and what was learned of it.
fn read_pattern(cx: &WriteContext<'_>, input: &Input) -> Result<(BugPattern, Option<LearnedPattern>), ToolError> {
    let given = [input.pattern.is_some(), input.code.is_some(), input.commit.is_some()];
    if given.iter().filter(|is_given| **is_given).count() != 1 {
        return Err(ToolError::invalid("expected exactly one of the arguments `commit`, `code` and `pattern`"));
    }
    // Stored texts are bounded and hold no secrets.
    let mut pattern = BugPattern {
        name: redact_text(input.name.as_deref().unwrap_or("unnamed")),
        description: redact_text(input.description.as_deref().unwrap_or_default()),
        severity: input.severity.word().to_owned(),
        enabled: true,
        ..BugPattern::default()
    };
    // From a fix: what it removed, if that is specific enough.
    if let Some(text) = &input.commit {
        let (learned, subject, commit) = learn(cx, text)?;
        if input.name.is_none() {
            pattern.name = redact_text(&subject);
        }
        pattern.specificity = specificity_of(&learned.pattern);
        pattern.code = Some(learned.pattern.clone());
        pattern.language = Some(learned.language.name().to_owned());
        pattern.commit = Some(commit);
        return Ok((pattern, Some(learned)));
    }
    // From code with metavariables.
    if let Some(code) = &input.code {
        check_code(code, input.language.as_deref())?;
        pattern.specificity = specificity_of(code);
        (pattern.code, pattern.language) =
            (Some(code.clone()), input.language.as_ref().map(|name| name.trim().to_lowercase()));
        return Ok((pattern, None));
    }
    // From nodes and edges of the graph.
    let Some(given) = &input.pattern else { return Err(ToolError::invalid("argument `pattern` is missing")) };
    let node = |node: &NodeInput| BugNode {
        role: node.role.clone(),
        node_type: node.node_type.clone(),
        required_tags: node.required_tags.clone(),
        label_contains: node.label_contains.clone(),
    };
    let edge = |edge: &EdgeInput| BugEdge {
        source_idx: edge.source_idx,
        target_idx: edge.target_idx,
        relation: edge.relation.clone(),
    };
    pattern.nodes = given.nodes.iter().map(node).collect();
    pattern.edges = given.edges.iter().map(edge).collect();
    pattern.negative_edges = given.negative_edges.iter().map(edge).collect();
    pattern.specificity = subgraph(&pattern.nodes, &pattern.edges, &pattern.negative_edges)?.specificity();
    // A pattern that matches anything would only be switched off later.
    if pattern.specificity < LEAST_SPECIFICITY {
        let message = format!(
            "argument `pattern` is too broad: specificity {:.2}, expected at least {LEAST_SPECIFICITY}",
            pattern.specificity
        );
        return Err(ToolError::new(ErrorCode::InvalidPattern, message)
            .next_step("give nodes a `node_type` or `label_contains`, and edges a `relation`"));
    }
    Ok((pattern, None))
}

fn check_code(code: &str, name: Option<&str>) -> Result<(), ToolError> {
    let languages: Vec<Language> = match name {
        Some(name) => vec![language(name)?],
        None => Language::all().filter(|language| !language.is_prose()).collect(),
    };
    let mut why = None;
    for language in languages {
        match SyntaxQuery::of_code(language, code) {
            Ok(_) => return Ok(()),
            Err(error) => why = Some(error),
        }
    }
    let why = why.map_or_else(|| "it is empty".to_owned(), |error| error.to_string());
    Err(ToolError::new(ErrorCode::InvalidPattern, format!("argument `code`: {why}"))
        .next_step("write one whole expression or statement, such as `$X.close()` or `open($$$)`"))
}

/// Share of the words of a pattern of code that are no metavariables.
fn specificity_of(code: &str) -> f64 {
    let words: Vec<&str> =
        code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty()).collect();
    let own = words.iter().filter(|word| first_metavariable(word).is_none()).count();
    own as f64 / words.len().max(1) as f64
}

fn warning(known: &[Handle<BugPattern>], pattern: &BugPattern) -> Option<String> {
    let is_same = |other: &&Handle<BugPattern>| {
        let other = &other.value;
        (&other.code, &other.nodes, &other.edges, &other.negative_edges)
            == (&pattern.code, &pattern.nodes, &pattern.edges, &pattern.negative_edges)
    };
    match known.iter().find(is_same) {
        Some(other) => Some(format!("`{}` ({}) is the same pattern", other.id, other.value.name)),
        None if pattern.specificity < LOW_SPECIFICITY => Some("it says little and may match much".to_owned()),
        None => None,
    }
}

/// The pattern of a fix commit, with the subject and the name of the commit.
fn learn(cx: &WriteContext<'_>, text: &str) -> Result<(LearnedPattern, String, String), ToolError> {
    let snapshot = cx.engine().snapshot();
    let history = snapshot.history(cx.cancel());
    let place: PlacedHistory<'_> = past::first_place(&snapshot, &history).map_err(past::without_history)?;
    let name = past::commit(&place, "commit", text)?.name();
    // The commit must be one that was read: its texts before and after are compared.
    let number = place.history.commits().iter().position(|commit| commit.name() == name).ok_or_else(|| {
        ToolError::new(
            ErrorCode::RevisionNotFound,
            format!("argument `commit`: `{text}` is not among the commits that were read"),
        )
    })?;
    let contents = place.contents().map_err(|error| ToolError::invalid(error.to_string()))?;
    let changed: Vec<ChangedText> = changed_by(place.history, &contents, number, cx.cancel())?;
    let paths: BTreeSet<String> = changed.iter().map(|file| place.outer(&file.present_path)).collect();
    let fixed: Vec<FixedFile<'_>> = changed
        .iter()
        .map(|file| FixedFile {
            language: file.language,
            before: &file.before,
            after: &file.after,
            lines: file.lines.clone(),
        })
        .collect();
    // A good pattern matches few places outside of the fix; one that cannot be searched counts as bad.
    let elsewhere = |language: Language, text: &str, _: &SyntaxQuery| -> Result<usize, Cancelled> {
        let query = ScanQuery {
            wanted: Wanted::Code { language: Some(language), text: text.to_owned() },
            scope: String::new(),
            severity_min: 0.0,
            validate: false,
            false_positives: true,
        };
        match scan(&snapshot, &query, cx.cancel(), &NoProgress) {
            Ok(found) => Ok(found.findings.iter().filter(|finding| !paths.contains(finding.path.as_str())).count()),
            Err(ScanFault::Cancelled(cancelled)) => Err(cancelled),
            Err(_) => Ok(usize::MAX),
        }
    };
    let subject = place.history.commits()[number].subject.to_string();
    match learn_pattern(&fixed, cx.cancel(), elsewhere)? {
        Some(learned) => Ok((learned, subject, past::short(&name))),
        None => Err(ToolError::new(
            ErrorCode::InvalidPattern,
            format!(
                "argument `commit`: no piece of code in {} tells the code before `{}` from that after",
                count(changed.len(), "changed product file"),
                past::short(&name)
            ),
        )
        .next_step("write the pattern as `code`, with metavariables")),
    }
}
