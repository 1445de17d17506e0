//! Steps that lead back to full trust. They are only proposed: no tool of trust changes anything.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Inspection, Outcome, TrustMode, TrustStatus};
use crate::framework::ToolRef;
use crate::word::Word;

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

/// One step: a call, a command for a shell, or something for the user.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RepairStep {
    pub(crate) id: &'static str,
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
    pub(crate) next_action: &'static str,
    pub(crate) steps: Vec<RepairStep>,
}

fn call(id: &'static str, action: impl Into<String>, tool: &'static str, arguments: Value) -> RepairStep {
    RepairStep { id, action: action.into(), call: Some(Repair::new(tool, arguments)), command: Vec::new() }
}

fn word(id: &'static str, action: impl Into<String>) -> RepairStep {
    RepairStep { id, action: action.into(), call: None, command: Vec::new() }
}

fn shell(id: &'static str, action: impl Into<String>, command: &[&str]) -> RepairStep {
    let command = command.iter().map(|word| (*word).to_owned()).collect();
    RepairStep { id, action: action.into(), call: None, command }
}

/// The steps for the verdict of an inspection, or for `wanted` if the caller names one.
pub(crate) fn playbook(found: &Inspection, agent: &str, wanted: Option<TrustMode>) -> Playbook {
    let mode = wanted.unwrap_or(found.mode);
    let agent = || json!({"agent_id": agent});
    let again = |id| call(id, "check again", "trust_selftest", agent());
    let (next_action, steps) = match mode {
        TrustMode::FullTrust => (
            "proceed_with_m1nd_first",
            vec![call("proceed_with_m1nd_first", "go on", "help", with(agent(), "stage", json!("orient")))],
        ),
        TrustMode::NeedsIngest => (
            "call_ingest",
            vec![ingest("call_ingest", "build the index", found, agent(), false), again("rerun_trust_selftest")],
        ),
        TrustMode::OrientationOnly => (
            "refresh_binding_for_ingest",
            vec![
                index_elsewhere(found),
                word("use_local_file_truth", "until then, read the files themselves: nothing here knows them"),
                again("rerun_trust_selftest"),
            ],
        ),
        TrustMode::WrongWorkspaceBinding => ("select_or_bind_workspace", other_workspace(found, agent())),
        TrustMode::DegradedHostToolSurface => (
            "refresh_host_binding",
            vec![
                word("refresh_host_binding", "reconnect the server in the host, so that it lists the tools again"),
                call("rerun_session_handshake", "compare again", "session_handshake", agent()),
                word("use_local_file_truth", "until then, tools that the host hides can still be called by name"),
            ],
        ),
        TrustMode::StaleBindingSuspected => ("call_ingest", stale(found, agent())),
    };
    Playbook { trust_mode: Word(mode), status: Word(mode.status()), next_action, steps }
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

fn ingest(id: &'static str, action: &str, found: &Inspection, arguments: Value, incremental: bool) -> RepairStep {
    if !found.can_ingest {
        return index_elsewhere(found);
    }
    if let Some(now) = &found.status.activity {
        return call(
            "wait_for_ingest",
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
    shell("refresh_binding_for_ingest", action, &["m1nd", "ingest", &root])
}

fn other_workspace(found: &Inspection, agent: Value) -> Vec<RepairStep> {
    let wanted = found.reception.as_ref().map(|reception| reception.caller_root.clone());
    let mut steps = vec![word("inspect_context_guard", "compare the roots of the index with where you work")];
    if let Some(root) = wanted {
        let action = "index that folder, then start the server for it (`m1nd serve --root FOLDER`)";
        steps.push(shell("rebind_with_workspace_root", action, &["m1nd", "ingest", &root]));
    } else {
        let action = "start the server for the folder in question (`m1nd serve --root FOLDER`), or leave out `scope`";
        steps.push(word("rebind_with_workspace_root", action));
        steps.push(call("inspect_roots", "list the roots", "health", agent.clone()));
    }
    steps.push(word("fallback_local_file_truth", "until then, read the files themselves"));
    steps.push(call("rerun_trust_selftest", "check again", "trust_selftest", agent));
    steps
}

fn stale(found: &Inspection, agent: Value) -> Vec<RepairStep> {
    // Content that differs under the same time and size, and a damaged index, need a look at every file.
    let is_whole = found.has("snapshot", Outcome::Fail)
        || found.has("round_trip", Outcome::Fail)
        || found.has("files", Outcome::Fail) && !found.has("disk", Outcome::Fail);
    let mut steps = Vec::new();
    if found.list_failed().any(|check| !matches!(check.check, "host_tools" | "workspace" | "store" | "observed")) {
        let action = if is_whole { "index every file again" } else { "index what changed" };
        steps.push(ingest("call_ingest", action, found, agent.clone(), !is_whole));
    } else {
        steps.push(call("call_doctor", "every check passes: look at the surroundings", "doctor", agent.clone()));
    }
    steps.push(call("rerun_trust_selftest", "check again", "trust_selftest", agent));
    steps.push(word("fallback_local_file_truth", "until then, read the changed files themselves"));
    steps
}

/// The call or command that repairs a failed or unknown check, if there is one.
pub(crate) fn repair_of(found: &Inspection, check: &str, agent: &str) -> Option<RepairStep> {
    let arguments = json!({"agent_id": agent});
    match check {
        "index" => Some(ingest("call_ingest", "build the index", found, arguments, false)),
        "disk" | "git_head" if found.has(check, Outcome::Fail) => {
            Some(ingest("call_ingest", "index what changed", found, arguments, true))
        }
        "files" | "round_trip" | "snapshot" if found.has(check, Outcome::Fail) => {
            stale(found, arguments).into_iter().next()
        }
        "store" if found.has("index", Outcome::Pass) => {
            Some(ingest("call_ingest", "index what changed", found, arguments, true))
        }
        "observed" => {
            let text = found.error_text.clone()?;
            Some(call(
                "read_recovery",
                "how to recover from that error",
                "help",
                with(arguments, "error_text", json!(text)),
            ))
        }
        "workspace" if found.has(check, Outcome::Fail) => other_workspace(found, arguments).into_iter().nth(1),
        _ => None,
    }
}
