//! Finds code patterns and checks each match against the graph.

use m1nd_engine::{Language, Snapshot};
use m1nd_query::patterns::{
    Finding, FindingStatus, Pattern, QueryError, ScanAnswer, ScanFault, ScanQuery, Wanted, first_metavariable,
    scan_paged,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, edit_distance,
    is_zero, number, rows_schema, yes,
};
use crate::rows::{self, count, round_value};
use crate::word::{Word, answer_kinds};

/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;
/// Default minimum severity.
const DEFAULT_SEVERITY: f64 = 0.3;
/// Maximum edit distance at which a pattern is taken for a misspelt built-in one, not for an expression.
const SLIP_DISTANCE: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// error_handling, resource_cleanup, api_surface, state_mutation, concurrency, auth_boundary, test_coverage,
    /// dependency_injection, or code (`$X.close()`), or a regex
    pattern: String,
    /// Folder or file
    scope: Option<String>,
    #[serde(default = "default_severity")]
    #[schemars(range(min = 0, max = 1))]
    severity_min: f64,
    /// false: matches as they are
    #[serde(default = "yes")]
    graph_validate: bool,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    limit: usize,
    /// Of `pattern` as code or tree-sitter query
    language: Option<String>,
    /// Also list false positives, and what the graph cannot prove
    #[serde(default)]
    include_false_positives: bool,
}

const fn default_severity() -> f64 {
    DEFAULT_SEVERITY
}

#[derive(Debug, Serialize)]
pub(crate) struct Context {
    node_id: String,
    label: String,
    relation: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pattern: &'static str,
    rule: &'static str,
    status: Word<FindingStatus>,
    severity: f64,
    node_id: Option<String>,
    label: Option<String>,
    file_path: String,
    line: u32,
    line_end: u32,
    message: &'static str,
    line_content: String,
    /// Reason for the status.
    reason: String,
    /// Unknown facts that could change the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    cannot_tell: Option<String>,
    graph_context: Vec<Context>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct ByStatus {
    confirmed: usize,
    mitigated: usize,
    false_positive: usize,
    /// Matches that the graph cannot judge.
    #[serde(skip_serializing_if = "is_zero")]
    unvalidated: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Skipped {
    file_path: String,
    reason: String,
}

answer_kinds! {
    /// How the pattern of a call is understood.
    pub(crate) ReadAs {
        BuiltIn = "built_in",
        Code = "code",
        Regex = "regex",
        Query = "tree_sitter_query",
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    pattern: String,
    read_as: Word<ReadAs>,
    findings: Vec<Row>,
    files_scanned: usize,
    total_matches_raw: usize,
    total_matches_validated: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_status: Option<ByStatus>,
    scope_applied: Option<String>,
    /// Files in scope whose language has no rules for the pattern.
    #[serde(skip_serializing_if = "is_zero")]
    files_without_rules: usize,
    #[serde(skip_serializing_if = "is_zero")]
    files_skipped: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    /// Files not scanned within the limits on time and matches.
    #[serde(skip_serializing_if = "is_zero")]
    files_not_scanned: usize,
    /// There may be more matches than counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    total_is_lower_bound: bool,
}

pub(crate) struct Scan;

impl Tool for Scan {
    const NAME: &'static str = "scan";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Find risky code patterns, each checked against the graph";
    const ANSWERS: &'static str = "risky code patterns, each match checked against the graph";
    const HELP: &'static str = "\
Scans the current content of indexed files by rules for Python, JavaScript, TypeScript, Rust, Go and Java (also TSX;
not the scripts of Vue and Svelte components): `error_handling`, `resource_cleanup`, `api_surface`, `state_mutation`,
`concurrency`, `auth_boundary`, `test_coverage` (within 4 calls; functions of one statement are omitted),
`dependency_injection` (an object created where it is used, whose own code or package is known to access files, the
network, processes, the clock or randomness).

Any other `pattern` with metavariables, or with `language`, is code: `$X.close()`, `open($$$)`, where `$X` is one node
(the same wherever it is repeated, except `$_`) and `$$$` any number of siblings; it is matched in every language in
which it parses, not inside macros, comments and strings. With `language` and in brackets, it is a tree-sitter query
of at most 4096 bytes, where `@found` marks the node to report (else the first capture). Otherwise it is a regular
expression (Rust syntax, linear time, by line). `read_as` says which. A word in small letters is read as an id: if it
is none of those above, the error lists them, the most similar first.

Each finding has a `status`. `confirmed`: no known evidence against it, and nothing unknown that could be. `mitigated`: something compensates for it (a called function closes or logs, every caller
handles the exception, the handler leads to a check, the value was checked before, only tests use it), or it is in
examples or benchmarks that nothing else uses, or in third-party code. `false_positive`: test code, or refuted by the
graph. `unvalidated`: the graph cannot tell (`cannot_tell` says why), or was not asked (`graph_validate: false`). `reason`
and `graph_context` give the evidence. False positives are counted in `by_status` and omitted unless
`include_false_positives`; so is what the graph cannot prove of rules that are about the graph (no test, no doc comment,
shared or exported state, routes, collaborators, errors that are dropped).

Confirmed findings come first, then by `severity`, which belongs to the rule, not to the place. Checks outside of the code (proxies, framework settings) are not seen. Limits: 8 s for
scanning and 8 s for checking, 20,000 matches, 2,000 per rule and file; `files_not_scanned`, `skipped` and
`total_is_lower_bound` say what was left out; further pages come from the same rows, or their cursor is rejected.
`message` is m1nd's own text; `line_content` is text of the repository.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "pattern": "error_handling"}"#;
    const PAGED: bool = true;
    const RARE: &'static [&'static str] = &["language", "graph_validate", "severity_min"];
    const DETAILS: &'static [&'static str] =
        &["findings.pattern", "findings.graph_context", "read_as", "total_matches_raw", "files_without_rules"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("findings": "rule", "status", "severity", "file_path", "line", "message", "reason");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Scan {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let wanted = parse_wanted(&input)?;
        let severity_min = input.severity_min;
        let scope = rows::scope(snapshot, input.scope.as_deref())?;
        let page = cx.page(input.limit);
        let validate = input.graph_validate;
        let query = ScanQuery {
            wanted: wanted.clone(),
            scope: scope.clone(),
            severity_min,
            validate,
            false_positives: input.include_false_positives,
        };
        let found = scan_paged(snapshot, &query, page.offset > 0, cx.cancel(), cx.progress()).map_err(fault)?;
        // A later page is refused if the findings have changed since the first.
        cx.rests_on(&found.state().to_le_bytes());
        let guidance = guidance(snapshot, &found);
        let total = found.findings.len();
        let (pattern, read_as) = match &wanted {
            Wanted::BuiltIn(pattern) => (pattern.word(), ReadAs::BuiltIn),
            Wanted::Query { .. } => ("custom", ReadAs::Query),
            Wanted::Code { .. } => ("custom", ReadAs::Code),
            Wanted::Regex(_) => ("custom", ReadAs::Regex),
        };
        let findings = found.findings.iter().skip(page.offset).take(page.limit);
        // What is left of the matches could not be judged.
        let [confirmed, mitigated, false_positive] = found.by_status;
        let output = Output {
            pattern: input.pattern,
            read_as: Word(read_as),
            findings: findings.map(|finding| row(snapshot, pattern, finding.clone())).collect(),
            files_scanned: found.files_scanned,
            total_matches_raw: found.raw,
            total_matches_validated: confirmed + mitigated,
            by_status: validate.then_some(ByStatus {
                confirmed,
                mitigated,
                false_positive,
                unvalidated: found.raw - confirmed - mitigated - false_positive,
            }),
            scope_applied: Some(scope).filter(|scope| !scope.is_empty()),
            files_without_rules: found.files_without_rules,
            files_skipped: found.skipped_total,
            total_is_lower_bound: found.is_cut || found.files_left > 0,
            files_not_scanned: found.files_left,
            skipped: found
                .skipped
                .iter()
                .map(|(path, reason)| Skipped { file_path: path.to_string(), reason: reason.clone() })
                .collect(),
        };
        Ok(Answer::new(output).rows("findings", total).guidance(guidance))
    }
}

fn parse_wanted(input: &Input) -> Result<Wanted, ToolError> {
    let text = input.pattern.trim();
    if let Some(name) = &input.language {
        let language = Language::all().find(|language| language.name() == name.trim().to_lowercase());
        let Some(language) = language.filter(|language| !language.is_prose()) else {
            let known: Vec<&str> =
                Language::all().filter(|language| !language.is_prose()).map(Language::name).collect();
            let shown: String = name.chars().take(60).collect();
            let known = known.join(", ");
            return Err(ToolError::invalid(format!("argument `language` is `{shown}`, expected one of {known}")));
        };
        let is_query = text.starts_with(['(', '[', '"', ';']) && first_metavariable(text).is_none();
        let text = text.to_owned();
        return Ok(if is_query {
            Wanted::Query { language, text }
        } else {
            Wanted::Code { language: Some(language), text }
        });
    }
    if let Some(pattern) = Pattern::parse(&text.to_lowercase()) {
        return Ok(Wanted::BuiltIn(pattern));
    }
    if text.is_empty() || is_id(text) {
        return Err(unknown_id(text));
    }
    Ok(match first_metavariable(text) {
        Some(_) => Wanted::Code { language: None, text: text.to_owned() },
        None => Wanted::Regex(input.pattern.clone()),
    })
}

/// Returns whether a pattern is written like the id of a built-in one: `sql_injection`. As an expression, it would find
/// its own text only, which `search` does better. `TODO` and `DataFrame` are no ids.
fn is_id(text: &str) -> bool {
    let is_lower = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'));
    let is_near =
        || Pattern::ALL.iter().any(|known| edit_distance(&text.to_lowercase(), known.word()) <= SLIP_DISTANCE);
    is_lower || is_near()
}

/// An error that names the built-in patterns, those that are written most alike first.
fn unknown_id(text: &str) -> ToolError {
    let shown: String = text.chars().take(60).collect();
    let mut known = Pattern::ALL.map(Pattern::word);
    known.sort_by_cached_key(|word| edit_distance(&shown.to_lowercase(), word));
    let expected = format!("expected one of {}, code with metavariables, or a regular expression", known.join(", "));
    if text.is_empty() {
        return ToolError::invalid(format!("argument `pattern` is empty, {expected}"));
    }
    ToolError::invalid(format!("argument `pattern` is `{shown}`, which is no known id, {expected}"))
        .next_step(format!("pass one of these ids; `search` finds the text `{shown}`"))
}

fn fault(fault: ScanFault) -> ToolError {
    let text = fault.to_string();
    match fault {
        ScanFault::Cancelled(cancelled) => cancelled.into(),
        ScanFault::Query(QueryError::NoCode(_)) => ToolError::new(ErrorCode::InvalidPattern, format!("argument `pattern`: {text}"))
            .next_step(
                "write one whole expression or statement, such as `$X.close()` or `open($$$)`; in a regular expression, `\\$` is \
                 a literal `$`",
            ),
        ScanFault::Query(_) => ToolError::new(ErrorCode::InvalidPattern, format!("argument `pattern`: {text}"))
            .next_step("fix the query; node names are those of the language's tree-sitter grammar"),
        ScanFault::Regex(_) => ToolError::new(ErrorCode::InvalidPattern, format!("argument `pattern`: {text}"))
            .next_step("fix the expression, or pass a built-in pattern"),
    }
}

fn row(snapshot: &Snapshot, pattern: &'static str, finding: Finding) -> Row {
    let graph = snapshot.graph();
    let context = finding.context.iter().map(|context| Context {
        node_id: graph.id(context.node).to_owned(),
        label: graph.label(context.node).to_owned(),
        relation: context.relation,
    });
    Row {
        pattern,
        rule: finding.rule,
        status: Word(finding.status),
        severity: round_value(finding.severity),
        node_id: finding.node.map(|node| graph.id(node).to_owned()),
        label: finding.node.map(|node| graph.label(node).to_owned()),
        graph_context: context.collect(),
        file_path: finding.path.to_string(),
        line: finding.line,
        line_end: finding.end_line,
        message: finding.message,
        line_content: finding.text,
        reason: finding.reason,
        cannot_tell: finding.open,
        stale: finding.stale,
    }
}

/// Guidance if all files were scanned and there is no finding to show: why, and what was skipped.
fn nothing(found: &ScanAnswer) -> Guidance {
    let [.., false_positives] = found.by_status;
    let files = count(found.files_scanned, "file");
    let mut hint = match false_positives {
        0 => format!("no match in {files}"),
        _ => format!(
            "{} in {files}, all refuted or not proven: `include_false_positives` shows them",
            count(false_positives, "match")
        ),
    };
    let unread = [(found.skipped_total, "could not be read"), (found.files_without_rules, "of other languages")];
    for (number, why) in unread.into_iter().filter(|(number, _)| *number > 0) {
        hint += &format!("; {} {why}", count(number, "file"));
    }
    Guidance { next_step_hint: Some(hint), ..Guidance::state(ProofState::Triaging) }
}

fn guidance(snapshot: &Snapshot, found: &ScanAnswer) -> Guidance {
    let Some(first) = found.findings.first() else {
        if found.files_left > 0 {
            let hint = format!("no match so far, but {} not scanned: narrow `scope`", count(found.files_left, "file"));
            return Guidance::next(ProofState::Proving, ToolRef("scan"), None, hint);
        }
        if found.files_scanned == 0 {
            let hint = "no file in scope has a language with rules for this pattern; search for text instead";
            return Guidance::next(ProofState::Blocked, ToolRef("search"), None, hint);
        }
        return nothing(found);
    };
    let target = first.node.map(|node| snapshot.graph().id(node).to_owned());
    let target = target.or_else(|| Some(first.path.to_string()));
    let hint = match (first.status, first.open.is_some()) {
        (FindingStatus::Confirmed, false) => {
            format!("{}: open the most severe", count(found.findings.len(), "finding"))
        }
        (FindingStatus::Confirmed, true) => "every finding depends on something unknown: open the first".to_owned(),
        _ => "no finding is confirmed: open the first".to_owned(),
    };
    let hint = match found.files_left {
        0 => hint,
        left => format!("{hint}; {} not scanned: narrow `scope` to scan them", count(left, "file")),
    };
    Guidance::next(ProofState::Triaging, ToolRef("view"), target, hint)
}
