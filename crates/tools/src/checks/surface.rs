//! The tools that the host shows its agent, compared with those that this server shows the host.

use serde::Serialize;

use super::{Check, inspect::Evidence};
use crate::framework::{ReadContext, ToolDef, canonical_name};
use crate::word::{Word, answer_kinds};

/// Tools that an agent needs to find out that something is wrong, and to recover.
pub(crate) const REQUIRED: &[&str] =
    &["health", "trust_selftest", "session_handshake", "recovery_playbook", "doctor", "ingest", "seek", "help"];
/// Names shown of a host's list.
const SHOWN: usize = 24;

/// The tools of the host.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Surface {
    /// `ok`, `degraded_host_tool_surface` or `unknown`.
    pub(crate) status: Word<SurfaceStatus>,
    /// Number of tools that the server lists.
    tool_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_tool_count: Option<usize>,
    required_tools: Vec<&'static str>,
    pub(crate) missing_required_tools: Vec<&'static str>,
    /// Names in the host's list that are none of ours, or the first of ours that it lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_tools: Vec<&'static str>,
}

/// Compares what the host shows with what the server lists.
pub(crate) fn surface(cx: &ReadContext<'_>, evidence: &Evidence) -> Surface {
    let all: Vec<&ToolDef> = cx.tools().all().iter().filter(|tool| cx.lists(tool)).collect();
    let named = |names: &[String], tool: &str| names.iter().any(|name| canonical_name(name) == tool);
    let has_list = !evidence.available_tools.is_empty();
    let lacks =
        |tool: &str| named(&evidence.missing_tools, tool) || has_list && !named(&evidence.available_tools, tool);
    let is_listed = |tool: &&str| all.iter().any(|known| known.name == *tool);
    let required: Vec<&'static str> = REQUIRED.iter().copied().filter(is_listed).collect();
    let missing_required: Vec<&'static str> = required.iter().copied().filter(|tool| lacks(tool)).collect();
    let missing: Vec<&'static str> = all.iter().map(|tool| tool.name).filter(|tool| lacks(tool)).take(SHOWN).collect();
    let counted = evidence.observed_tool_count;
    let is_unknown = !has_list && evidence.missing_tools.is_empty() && counted.is_none();
    // A count says that something is missing, but not what.
    let is_short = counted.is_some_and(|count| count < required.len());
    Surface {
        status: Word(match (is_unknown, !missing_required.is_empty() || is_short) {
            (true, _) => SurfaceStatus::Unknown,
            (false, true) => SurfaceStatus::Degraded,
            (false, false) => SurfaceStatus::Ok,
        }),
        tool_count: all.len(),
        observed_tool_count: counted,
        required_tools: required,
        missing_required_tools: missing_required,
        missing_tools: missing,
    }
}

answer_kinds! {
    /// Whether the host shows the tools that recovery needs.
    pub(crate) SurfaceStatus { Unknown = "unknown", Degraded = "degraded_host_tool_surface", Ok = "ok", }
}

impl Surface {
    /// The same as a check.
    pub(super) fn check(&self) -> Check {
        const NAME: &str = "host_tools";
        match self.status.0 {
            SurfaceStatus::Unknown => {
                Check::leave_unknown(NAME, "pass `available_tools` or `observed_tool_count` to have it compared")
            }
            SurfaceStatus::Ok => Check::pass(NAME, "the host shows every tool that recovery needs"),
            _ if self.missing_required_tools.is_empty() => {
                let fewest = self.required_tools.len();
                Check::fail(NAME, format!("the host shows fewer than the {fewest} tools that recovery needs"))
            }
            _ => Check::fail(NAME, format!("the host does not show: {}", self.missing_required_tools.join(", "))),
        }
    }
}
