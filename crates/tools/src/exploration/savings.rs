//! Says how many bytes of files the answers showed, and how many they left out.

use m1nd_sessions::{CallLog, CallTotals, TOKEN_BYTES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, Toolset};
use crate::rows::round_value;
use crate::word::{Word, answer_kinds};

/// Milliseconds of a second.
const SECOND: f64 = 1_000.0;
/// Tokens of the unit of prices.
const MILLION: f64 = 1e6;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Price, for money
    #[schemars(range(min = 0))]
    usd_per_million_tokens: Option<f64>,
}

answer_kinds! {
    /// What figures rest on.
    pub(crate) Basis { MeasuredBytes = "measured_bytes", }
}

/// What was measured, and what follows from it.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) tokens_saved: u64,
    /// Null without a price.
    pub(crate) cost_saved_usd: Option<f64>,
    pub(crate) file_reads_avoided: u64,
    pub(crate) lines_avoided: u64,
    pub(crate) basis: Word<Basis>,
    pub(crate) returned_bytes: u64,
    pub(crate) files_bytes: u64,
    pub(crate) distinct_files: u64,
}

impl Measured {
    /// The figures of a log: what the files of which code was shown hold beyond that.
    pub(crate) fn of(log: &CallLog, price: Option<f64>) -> Self {
        let hold = log.files_hold();
        let (saved, partly) = log.left_unread();
        let tokens = saved / TOKEN_BYTES;
        let share = if hold.bytes == 0 { 0.0 } else { saved as f64 / hold.bytes as f64 };
        Self {
            tokens_saved: tokens,
            cost_saved_usd: cost(tokens, price),
            file_reads_avoided: partly,
            lines_avoided: (hold.lines as f64 * share) as u64,
            basis: Word(Basis::MeasuredBytes),
            returned_bytes: log.returned_bytes,
            files_bytes: hold.bytes,
            distinct_files: log.files.len() as u64,
        }
    }
}

fn cost(tokens: u64, price: Option<f64>) -> Option<f64> {
    price.map(|price| round_value(tokens as f64 * price / MILLION))
}

#[derive(Debug, Serialize)]
pub(crate) struct Session {
    queries_made: u64,
    #[serde(flatten)]
    measured: Measured,
    session_uptime_seconds: f64,
    avg_tokens_per_query: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Global {
    total_sessions: Option<u64>,
    total_queries: Option<u64>,
    total_tokens_saved: Option<u64>,
    total_cost_saved_usd: Option<f64>,
    total_file_reads_avoided: Option<u64>,
    /// Why the figures are null.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Global {
    /// The figures of all sessions, or why there are none.
    fn of(found: Result<Option<CallTotals>, String>, price: Option<f64>) -> Self {
        let note = match &found {
            Ok(Some(_)) => None,
            Ok(None) => Some("unknown: the figures are not stored, because the project is open read-only".to_owned()),
            Err(why) => Some(format!("unknown: the figures could not be stored: {why}")),
        };
        let totals = found.ok().flatten();
        let figure = |of: fn(&CallTotals) -> u64| totals.as_ref().map(of);
        Self {
            total_sessions: figure(|totals| totals.sessions),
            total_queries: figure(|totals| totals.queries),
            total_tokens_saved: figure(|totals| totals.tokens_saved),
            total_cost_saved_usd: totals.as_ref().and_then(|totals| cost(totals.tokens_saved, price)),
            total_file_reads_avoided: figure(|totals| totals.file_reads_avoided),
            note,
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    current_session: Session,
    global: Global,
    formatted_summary: String,
}

pub(crate) struct Savings;

impl Tool for Savings {
    const NAME: &'static str = "savings";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Compare the bytes of the answers with the files they show code of";
    const ANSWERS: &'static str = "the bytes of the answers, against the files that they show code of";
    const HELP: &'static str = "\
Measures the calls of this process. A file counts if an answer showed code of it, three lines or more, and only the first
five files of an answer do; a file that is only named was not read in place of anything. `files_bytes` is what these files
hold, each counted once, `returned_bytes` the size of the answers. `tokens_saved` is what they hold beyond the bytes shown of
them, over 4 bytes a token; `lines_avoided` is the same share of the lines, and `file_reads_avoided` the number of files of which
a part was shown. `basis` says that bytes were measured; that a reader would otherwise have read these files whole is an
assumption, so the figures are upper bounds. `cost_saved_usd` is null unless the call gives `usd_per_million_tokens`.

`global` sums up these figures over all processes of this user, whichever project they were about: numbers only, no question
and no name is stored.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const WAITS: bool = false;
    const DETAILS: &'static [&'static str] = &["global", "formatted_summary"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"current_session": {"type": "object"}, "global": {"type": "object"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Savings {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let (log, uptime_ms, _) = cx.calls();
        let price = input.usd_per_million_tokens;
        let measured = Measured::of(&log, price);
        let formatted_summary = format!(
            "{} queries returned {} bytes with code of {} files of {} bytes",
            log.total, measured.returned_bytes, measured.distinct_files, measured.files_bytes
        );
        let global = Global::of(cx.stored_totals(), price);
        let current_session = Session {
            queries_made: log.total,
            avg_tokens_per_query: round_value(measured.tokens_saved as f64 / log.total.max(1) as f64),
            session_uptime_seconds: uptime_ms as f64 / SECOND,
            measured,
        };
        Ok(Answer::new(Output { current_session, global, formatted_summary })
            .guidance(Guidance::state(ProofState::Triaging)))
    }
}
