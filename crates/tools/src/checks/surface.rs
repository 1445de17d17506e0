//! The tools that the host shows its agent, compared with those that this server shows the host.

use serde::Serialize;

use super::{Check, CheckName, inspect::Evidence};
use crate::framework::{ReadContext, ToolDef, ToolRef, canonical_name};
use crate::word::{Word, answer_kinds};

/// Tools that an agent needs to find out that something is wrong, and to recover.
pub(crate) const REQUIRED: &[ToolRef] = &[
    ToolRef("health"),
    ToolRef("trust_selftest"),
    ToolRef("session_handshake"),
    ToolRef("recovery_playbook"),
    ToolRef("doctor"),
    ToolRef("ingest"),
    ToolRef("seek"),
    ToolRef("help"),
];
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
    required_tools: Vec<ToolRef>,
    pub(crate) missing_required_tools: Vec<ToolRef>,
    /// Names in the host's list that are none of ours, or the first of ours that it lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_tools: Vec<ToolRef>,
}

/// Compares what the host shows with what the server lists.
pub(crate) fn surface(cx: &ReadContext<'_>, evidence: &Evidence) -> Surface {
    let all: Vec<&ToolDef> = cx.tools().all().iter().filter(|tool| cx.lists(tool)).collect();
    let named = |names: &[String], tool: &str| names.iter().any(|name| canonical_name(name) == tool);
    let has_list = !evidence.available_tools.is_empty();
    let lacks =
        |tool: &str| named(&evidence.missing_tools, tool) || has_list && !named(&evidence.available_tools, tool);
    let is_listed = |tool: &ToolRef| all.iter().any(|known| known.name == tool.0);
    let required: Vec<ToolRef> = REQUIRED.iter().copied().filter(is_listed).collect();
    let missing_required: Vec<ToolRef> = required.iter().copied().filter(|tool| lacks(tool.0)).collect();
    let missing = all.iter().map(|tool| ToolRef(tool.name)).filter(|tool| lacks(tool.0)).take(SHOWN).collect();
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
        const NAME: CheckName = CheckName::HostTools;
        match self.status.0 {
            SurfaceStatus::Unknown => {
                Check::leave_unknown(NAME, "pass `available_tools` or `observed_tool_count` to have it compared")
            }
            SurfaceStatus::Ok => Check::pass(NAME, "the host shows every tool that recovery needs"),
            _ if self.missing_required_tools.is_empty() => {
                let fewest = self.required_tools.len();
                Check::fail(NAME, format!("the host shows fewer than the {fewest} tools that recovery needs"))
            }
            _ => {
                let missing: Vec<&str> = self.missing_required_tools.iter().map(|tool| tool.0).collect();
                Check::fail(NAME, format!("the host does not show: {}", missing.join(", ")))
            }
        }
    }
}
