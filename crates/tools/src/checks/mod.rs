//! Tests of the index and its surroundings, and the verdict on whether answers can be trusted. Several tools
//! print it.

mod binding;
mod inspect;
mod playbook;
mod surface;

pub(crate) use binding::{Fingerprint, GraphState, Mismatch, Reception, fingerprint, graph_state, reception};
pub(crate) use inspect::{Depth, Evidence, Inspection, inspect};
pub(crate) use playbook::{Playbook, Repair, RepairStep, StepId, playbook, repair_of};
pub(crate) use surface::{REQUIRED, Surface};

use serde::Serialize;

use crate::word::{Word, answer_kinds, kinds};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// As it should be.
    Pass,
    /// Not as it should be.
    Fail,
    /// Not known, for the reason in `detail`.
    Unknown,
}

answer_kinds! {
    /// What a check looks at; in the order of their words.
    pub(crate) CheckName {
        Database = "database",
        Disk = "disk",
        Files = "files",
        GitHead = "git_head",
        HostTools = "host_tools",
        Index = "index",
        Memory = "memory",
        Observed = "observed",
        RoundTrip = "round_trip",
        Skipped = "skipped",
        Snapshot = "snapshot",
        Store = "store",
        Watches = "watches",
        Workspace = "workspace",
    }
}

/// One check.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Check {
    pub(crate) check: Word<CheckName>,
    pub(crate) result: Outcome,
    pub(crate) detail: String,
    /// What it read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) cost: String,
}

impl Check {
    pub(crate) fn new(check: CheckName, result: Outcome, detail: impl Into<String>) -> Self {
        Self { check: Word(check), result, detail: detail.into(), cost: String::new() }
    }

    pub(crate) fn pass(check: CheckName, detail: impl Into<String>) -> Self {
        Self::new(check, Outcome::Pass, detail)
    }

    pub(crate) fn fail(check: CheckName, detail: impl Into<String>) -> Self {
        Self::new(check, Outcome::Fail, detail)
    }

    pub(crate) fn leave_unknown(check: CheckName, detail: impl Into<String>) -> Self {
        Self::new(check, Outcome::Unknown, detail)
    }

    pub(crate) fn cost(mut self, cost: impl Into<String>) -> Self {
        self.cost = cost.into();
        self
    }
}

/// How far answers can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TrustMode {
    /// No check failed.
    FullTrust,
    /// Nothing is indexed, and this process can index.
    NeedsIngest,
    /// Nothing is indexed, and this process cannot index.
    OrientationOnly,
    /// The index is of another folder than the one in question.
    WrongWorkspaceBinding,
    /// The host does not show all the tools that recovery needs.
    DegradedHostToolSurface,
    /// The index is not what is on disk, or does not find what it holds.
    StaleBindingSuspected,
}

kinds! { TrustMode, }

answer_kinds! {
    /// What a trust mode means for work.
    pub(crate) TrustStatus { Ok = "ok", Warn = "warn", Blocked = "blocked", }
}

impl TrustMode {
    /// The word on the wire.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::FullTrust => "full_trust",
            Self::NeedsIngest => "needs_ingest",
            Self::OrientationOnly => "orientation_only",
            Self::WrongWorkspaceBinding => "wrong_workspace_binding",
            Self::DegradedHostToolSurface => "degraded_host_tool_surface",
            Self::StaleBindingSuspected => "stale_binding_suspected",
        }
    }

    /// `ok`, `warn` or `blocked`.
    pub(crate) const fn status(self) -> TrustStatus {
        match self {
            Self::FullTrust => TrustStatus::Ok,
            Self::NeedsIngest | Self::WrongWorkspaceBinding => TrustStatus::Blocked,
            Self::OrientationOnly | Self::DegradedHostToolSurface | Self::StaleBindingSuspected => TrustStatus::Warn,
        }
    }
}
