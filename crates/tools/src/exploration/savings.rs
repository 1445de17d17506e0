//! Says how many bytes the answers had, compared with the files that they speak of.

use m1nd_sessions::CallLog;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, Toolset};
use crate::rows::rounded;

/// Bytes of a token, for the estimate.
const TOKEN_BYTES: u64 = 4;
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

/// What was measured, and what follows from it.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) tokens_saved: u64,
    /// Null without a price.
    pub(crate) cost_saved_usd: Option<f64>,
    pub(crate) file_reads_avoided: u64,
    pub(crate) lines_avoided: u64,
    pub(crate) basis: &'static str,
    pub(crate) returned_bytes: u64,
    pub(crate) files_bytes: u64,
    pub(crate) distinct_files: u64,
}

impl Measured {
    /// The figures of a log: what the distinct files hold beyond what was returned.
    pub(crate) fn of(log: &CallLog, price: Option<f64>) -> Self {
        let hold = log.files_hold();
        let saved = hold.bytes.saturating_sub(log.returned_bytes);
        let tokens = saved / TOKEN_BYTES;
        let share = if hold.bytes == 0 { 0.0 } else { saved as f64 / hold.bytes as f64 };
        let read = log.of("view") + log.of("batch_view");
        Self {
            tokens_saved: tokens,
            cost_saved_usd: price.map(|price| rounded(tokens as f64 * price / MILLION)),
            file_reads_avoided: (log.files.len() as u64).saturating_sub(read),
            lines_avoided: (hold.lines as f64 * share) as u64,
            basis: "measured_bytes",
            returned_bytes: log.returned_bytes,
            files_bytes: hold.bytes,
            distinct_files: log.files.len() as u64,
        }
    }
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
    note: &'static str,
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
    const SUMMARY: &'static str = "Compare the bytes of the answers with the files they speak of";
    const ANSWERS: &'static str = "the bytes of the answers of this process, against the files that they speak of";
    const HELP: &'static str = "\
Measures the calls of this process. `returned_bytes` are those of answers that speak of indexed files, `files_bytes` those
that the distinct files hold, whatever part of them was needed. `tokens_saved` is the difference over 4 bytes a token, never
below 0; `lines_avoided` the same share of the lines; `file_reads_avoided` the number of distinct files less the calls of
`view` and `batch_view`. `basis` says that bytes were measured; that a reader would otherwise have read these files whole is
an assumption, so the figures are upper bounds. `cost_saved_usd` is null unless the call gives `usd_per_million_tokens`.

The figures of `global` are null: what was asked is not recorded beyond the process, so other sessions are not known.";
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
            "{} queries returned {} bytes about {} files of {} bytes",
            log.total, measured.returned_bytes, measured.distinct_files, measured.files_bytes
        );
        let global = Global {
            total_sessions: None,
            total_queries: None,
            total_tokens_saved: None,
            total_cost_saved_usd: None,
            total_file_reads_avoided: None,
            note: "unknown: calls are not recorded beyond the process",
        };
        let current_session = Session {
            queries_made: log.total,
            avg_tokens_per_query: rounded(measured.tokens_saved as f64 / log.total.max(1) as f64),
            session_uptime_seconds: uptime_ms as f64 / SECOND,
            measured,
        };
        Ok(Answer::new(Output { current_session, global, formatted_summary })
            .guidance(Guidance::state(ProofState::Triaging)))
    }
}
