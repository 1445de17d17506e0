//! Steps that lead back to full trust. They are only proposed: no tool of trust changes anything.

use serde::Serialize;
use serde_json::{Value, json};

use super::{CheckName, Inspection, Outcome, TrustMode, TrustStatus};
use crate::framework::ToolRef;
use crate::word::{Word, answer_kinds};

/// A call that can be made as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Repair {
    pub(crate) tool: ToolRef,
    pub(crate) arguments: Value,
}

impl Repair {
    pub(crate) fn new(tool: &'static str, arguments: Value) -> Self {
        Self { tool: ToolRef(tool), arguments }
    }
}

answer_kinds! {
    /// A step of a repair.
    pub(crate) StepId {
        AddGit = "add_git",
        AllowWatches = "allow_watches",
        CallDoctor = "call_doctor",
        CallIngest = "call_ingest",
        DeleteKept = "delete_kept",
        FallbackLocalFileTruth = "fallback_local_file_truth",
        InspectContextGuard = "inspect_context_guard",
        InspectRoots = "inspect_roots",
        ProceedWithM1ndFirst = "proceed_with_m1nd_first",
        ReadRecovery = "read_recovery",
        RebindWithWorkspaceRoot = "rebind_with_workspace_root",
        RefreshBindingForIngest = "refresh_binding_for_ingest",
        RefreshHostBinding = "refresh_host_binding",
        RepairMemory = "repair_memory",
        RerunSessionHandshake = "rerun_session_handshake",
        RerunTrustSelftest = "rerun_trust_selftest",
        RestoreBackup = "restore_backup",
        SelectOrBindWorkspace = "select_or_bind_workspace",
        UseLocalFileTruth = "use_local_file_truth",
        WaitForIngest = "wait_for_ingest",
    }
}

/// One step: a call, a command for a shell, or something for the user.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RepairStep {
    pub(crate) id: Word<StepId>,
    pub(crate) action: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<Repair>,
    /// Program and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) command: Vec<String>,
}

/// The way back from a verdict.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Playbook {
    pub(crate) trust_mode: Word<TrustMode>,
    pub(crate) status: Word<TrustStatus>,
    pub(crate) next_action: Word<StepId>,
    pub(crate) steps: Vec<RepairStep>,
}

fn call(id: StepId, action: impl Into<String>, tool: &'static str, arguments: Value) -> RepairStep {
    RepairStep { id: Word(id), action: action.into(), call: Some(Repair::new(tool, arguments)), command: Vec::new() }
}

fn word(id: StepId, action: impl Into<String>) -> RepairStep {
    RepairStep { id: Word(id), action: action.into(), call: None, command: Vec::new() }
}

fn shell(id: StepId, action: impl Into<String>, command: &[&str]) -> RepairStep {
    let command = command.iter().map(|word| (*word).to_owned()).collect();
    RepairStep { id: Word(id), action: action.into(), call: None, command }
}

/// The steps for the verdict of an inspection, or for `wanted` if the caller names one.
pub(crate) fn playbook(found: &Inspection, agent: &str, wanted: Option<TrustMode>) -> Playbook {
    let mode = wanted.unwrap_or(found.mode);
    let agent = || json!({"agent_id": agent});
    let again = |id| call(id, "check again", "trust_selftest", agent());
    let (next_action, steps) = match mode {
        TrustMode::FullTrust => (
            StepId::ProceedWithM1ndFirst,
            vec![call(StepId::ProceedWithM1ndFirst, "go on", "help", with(agent(), "stage", json!("orient")))],
        ),
        TrustMode::NeedsIngest => (
            StepId::CallIngest,
            vec![
                ingest(StepId::CallIngest, "build the index", found, agent(), false),
                again(StepId::RerunTrustSelftest),
            ],
        ),
        TrustMode::OrientationOnly => (
            StepId::RefreshBindingForIngest,
            vec![
                index_elsewhere(found),
                word(StepId::UseLocalFileTruth, "until then, read the files themselves: nothing here knows them"),
                again(StepId::RerunTrustSelftest),
            ],
        ),
        TrustMode::WrongWorkspaceBinding => (StepId::SelectOrBindWorkspace, other_workspace(found, agent())),
        TrustMode::DegradedHostToolSurface => (
            StepId::RefreshHostBinding,
            vec![
                word(StepId::RefreshHostBinding, "reconnect the server in the host, so that it lists the tools again"),
                call(StepId::RerunSessionHandshake, "compare again", "session_handshake", agent()),
                word(StepId::UseLocalFileTruth, "until then, tools that the host hides can still be called by name"),
            ],
        ),
        TrustMode::StaleBindingSuspected => (StepId::CallIngest, stale(found, agent())),
    };
    Playbook { trust_mode: Word(mode), status: Word(mode.status()), next_action: Word(next_action), steps }
}

fn with(mut arguments: Value, name: &str, value: Value) -> Value {
    arguments[name] = value;
    arguments
}

/// The folder that an ingest repairs.
fn root(found: &Inspection) -> Option<String> {
    let roots = found.status.roots.iter().chain(&found.status.allowed_roots);
    roots.map(|root| root.to_string_lossy().into_owned()).next()
}

fn ingest(id: StepId, action: &str, found: &Inspection, arguments: Value, incremental: bool) -> RepairStep {
    if !found.can_ingest {
        return index_elsewhere(found);
    }
    if let Some(now) = &found.status.activity {
        return call(
            StepId::WaitForIngest,
            format!("an ingest runs, at stage `{}`: wait for it", now.stage),
            "health",
            arguments,
        );
    }
    let path = root(found).unwrap_or_else(|| ".".to_owned());
    let arguments = with(with(arguments, "path", json!(path)), "incremental", json!(incremental));
    // Other roots of the index stay.
    call(id, action, "ingest", with(arguments, "mode", json!("merge")))
}

/// For a process that does not index.
fn index_elsewhere(found: &Inspection) -> RepairStep {
    let root = root(found).unwrap_or_else(|| ".".to_owned());
    let action = "this process does not write the index: run this in a shell; this process follows it";
    shell(StepId::RefreshBindingForIngest, action, &["m1nd", "ingest", &root])
}

fn other_workspace(found: &Inspection, agent: Value) -> Vec<RepairStep> {
    let wanted = found.reception.as_ref().map(|reception| reception.caller_root.clone());
    let mut steps = vec![word(StepId::InspectContextGuard, "compare the roots of the index with where you work")];
    if let Some(root) = wanted {
        let action = "index that folder, then start the server for it (`m1nd serve --root FOLDER`)";
        steps.push(shell(StepId::RebindWithWorkspaceRoot, action, &["m1nd", "ingest", &root]));
    } else {
        let action = "start the server for the folder in question (`m1nd serve --root FOLDER`), or leave out `scope`";
        steps.push(word(StepId::RebindWithWorkspaceRoot, action));
        steps.push(call(StepId::InspectRoots, "list the roots", "health", agent.clone()));
    }
    steps.push(word(StepId::FallbackLocalFileTruth, "until then, read the files themselves"));
    steps.push(call(StepId::RerunTrustSelftest, "check again", "trust_selftest", agent));
    steps
}

fn stale(found: &Inspection, agent: Value) -> Vec<RepairStep> {
    // Content that differs under the same time and size, and a damaged index, need a look at every file.
    let is_whole = found.has(CheckName::Snapshot, Outcome::Fail)
        || found.has(CheckName::RoundTrip, Outcome::Fail)
        || found.has(CheckName::Files, Outcome::Fail) && !found.has(CheckName::Disk, Outcome::Fail);
    let mut steps = Vec::new();
    let is_of_index = |check: CheckName| {
        !matches!(check, CheckName::HostTools | CheckName::Workspace | CheckName::Store | CheckName::Observed)
    };
    if found.list_failed().any(|check| is_of_index(check.check.0)) {
        let action = if is_whole { "index every file again" } else { "index what changed" };
        steps.push(ingest(StepId::CallIngest, action, found, agent.clone(), !is_whole));
    } else {
        steps.push(call(StepId::CallDoctor, "every check passes: look at the surroundings", "doctor", agent.clone()));
    }
    steps.push(call(StepId::RerunTrustSelftest, "check again", "trust_selftest", agent));
    steps.push(word(StepId::FallbackLocalFileTruth, "until then, read the changed files themselves"));
    steps
}

/// The call or command that repairs a failed or unknown check, if there is one.
pub(crate) fn repair_of(found: &Inspection, check: CheckName, agent: &str) -> Option<RepairStep> {
    let arguments = json!({"agent_id": agent});
    match check {
        CheckName::Index => Some(ingest(StepId::CallIngest, "build the index", found, arguments, false)),
        CheckName::Disk | CheckName::GitHead if found.has(check, Outcome::Fail) => {
            Some(ingest(StepId::CallIngest, "index what changed", found, arguments, true))
        }
        CheckName::Files | CheckName::RoundTrip | CheckName::Snapshot if found.has(check, Outcome::Fail) => {
            stale(found, arguments).into_iter().next()
        }
        CheckName::Store if found.has(CheckName::Index, Outcome::Pass) => {
            Some(ingest(StepId::CallIngest, "index what changed", found, arguments, true))
        }
        CheckName::Observed => {
            let text = found.error_text.clone()?;
            Some(call(
                StepId::ReadRecovery,
                "how to recover from that error",
                "help",
                with(arguments, "error_text", json!(text)),
            ))
        }
        CheckName::Workspace if found.has(check, Outcome::Fail) => other_workspace(found, arguments).into_iter().nth(1),
        _ => None,
    }
}
