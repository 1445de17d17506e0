//! Looks at the index and everything around it, and says what to do about each fault.

use std::collections::BTreeMap;

use m1nd_base::count;
use serde::Serialize;

use super::evidence::Seen;
use crate::checks::{
    Check, CheckName, Depth, Fingerprint, GraphState, Outcome, RepairStep, StepId, TrustMode, TrustStatus, fingerprint,
    graph_state, inspect, playbook, repair_of,
};
use crate::framework::{Answer, ReadContext, ReadTool, Route, Stage, Tool, ToolError, Toolset};
use crate::word::Word;

/// File watches that a large repository may need.
const WATCHES: u64 = 65_536;
/// Most problems of files that are told before they count as many: more than this share of all files.
const MANY_PROBLEMS: f64 = 0.1;

/// A check with what to do about it.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    #[serde(flatten)]
    check: Check,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<RepairStep>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    status: Word<TrustStatus>,
    trust_mode: Word<TrustMode>,
    /// Number of checks that failed.
    problems: usize,
    findings: Vec<Finding>,
    /// Milliseconds by check.
    cost_ms: BTreeMap<Word<CheckName>, f64>,
    binding_fingerprint: Fingerprint,
    graph_state: GraphState,
}

pub(crate) struct Doctor;

impl Tool for Doctor {
    const NAME: &'static str = "doctor";
    const TOOLSET: Toolset = Toolset::Trust;
    const SUMMARY: &'static str = "Diagnose the index and its surroundings; each fault with its repair";
    const ANSWERS: &'static str = "what is wrong with m1nd here, and how to repair it";
    const HELP: &'static str = "\
All checks of `trust_selftest`, and those of the surroundings: `database` (feedback, settings and what agents hold),
`memory` (the project's memories can be read), `watches` (the system allows as many file watches as a large repository
needs), `skipped` (files that are not, or not whole, in the index). Each finding has `check`, `result`, `detail`, `cost`
and, where there is one, a `repair`: a call (`tool`, `arguments`), a `command` for a shell, or an `action` for the user.
`status` is `ok`, `warn` or `blocked`. `m1nd doctor` prints the same, and looks at the configuration of clients as well.
Nothing is changed.";
    const WAITS: bool = false;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Operate, 30, "faults of the index and its surroundings")];
    const RARE: &'static [&'static str] = super::trust_selftest::TrustSelftest::RARE;
    const UNLISTED: &'static [&'static str] = super::trust_selftest::TrustSelftest::UNLISTED;
    const DETAILS: &'static [&'static str] = &["cost_ms", "binding_fingerprint", "graph_state", "findings.cost"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"findings": {"type": "array", "items": {"type": "object", "required": ["check", "result", "detail"]}}}}"#;
    type Input = Seen;
    type Output = Output;
}

impl ReadTool for Doctor {
    fn run(cx: &ReadContext<'_>, input: Seen) -> Result<Answer<Output>, ToolError> {
        let mut found = inspect(cx, &input.evidence(), Depth::Full)?;
        let around = [database, memory, watches, check_skipped];
        for look in around {
            let (check, took) = cx.time_work(|| look(cx));
            if let Some(check) = check {
                found.cost_ms.insert(check.check, took);
                found.checks.push(check);
            }
        }
        let book = playbook(&found, cx.agent(), None);
        let guidance = super::trust_selftest::guidance(&found, &book);
        let problems = found.list_failed().count();
        let repair = |check: &Check| around_repair(check).or_else(|| repair_of(&found, check.check.0, cx.agent()));
        let findings = found.checks.iter().map(|check| Finding {
            check: check.clone(),
            repair: if check.result == Outcome::Pass { None } else { repair(check) },
        });
        let output = Output {
            status: Word(match (found.mode, problems) {
                (TrustMode::FullTrust, 0) => TrustStatus::Ok,
                (TrustMode::FullTrust, _) => TrustStatus::Warn,
                (mode, _) => mode.status(),
            }),
            trust_mode: Word(found.mode),
            problems,
            findings: findings.collect(),
            binding_fingerprint: fingerprint(cx, &found.status),
            graph_state: graph_state(cx.snapshot()),
            cost_ms: found.cost_ms.clone(),
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn database(cx: &ReadContext<'_>) -> Option<Check> {
    let (notice, kept) = cx.databases();
    Some(match (notice, kept.as_slice()) {
        (Some(notice), _) => Check::fail(CheckName::Database, notice),
        (None, []) => Check::pass(CheckName::Database, "feedback, settings and what agents hold can be read"),
        (None, kept) => {
            let names: Vec<String> = kept.iter().map(|path| path.display().to_string()).collect();
            Check::leave_unknown(CheckName::Database, format!("a damaged database was put aside: {}", names.join(", ")))
        }
    })
}

fn memory(cx: &ReadContext<'_>) -> Option<Check> {
    const NAME: CheckName = CheckName::Memory;
    let project = cx.memory().project().ok()?;
    Some(match cx.memory().of(&project) {
        Ok(memory) => Check::pass(NAME, format!("{} can be read", count(memory.records.len(), "memory"))),
        Err(error) => Check::fail(NAME, error.to_string()),
    })
}

fn watches(cx: &ReadContext<'_>) -> Option<Check> {
    let limit = cx.watch_limit()?;
    Some(match limit < WATCHES {
        true => Check::leave_unknown(
            CheckName::Watches,
            format!("the system allows {limit} file watches; a large repository needs more"),
        ),
        false => Check::pass(CheckName::Watches, format!("{limit} file watches are allowed")),
    })
}

fn check_skipped(cx: &ReadContext<'_>) -> Option<Check> {
    const NAME: CheckName = CheckName::Skipped;
    let snapshot = cx.snapshot();
    if snapshot.is_empty() {
        return None;
    }
    let (left_out, files) = (snapshot.skipped_total(), snapshot.files().len());
    let partial = snapshot.files().iter().filter(|file| !file.problems.is_empty()).count();
    let detail =
        format!("{} left out, {} not whole; `health` lists them", count(left_out, "path"), count(partial, "file"));
    let is_many = (left_out + partial) as f64 > MANY_PROBLEMS * (files + left_out) as f64;
    Some(if is_many { Check::leave_unknown(NAME, detail) } else { Check::pass(NAME, detail) })
}

/// What to do about the surroundings: never a call, since m1nd does not change them.
fn around_repair(check: &Check) -> Option<RepairStep> {
    let step = |id, action: &str, command: &[&str]| {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        Some(RepairStep { id: Word(id), action: action.to_owned(), call: None, command })
    };
    match (check.check.0, check.result) {
        (CheckName::Database, Outcome::Fail) => {
            step(StepId::RestoreBackup, "restore a backup, or go on without what was in it", &[])
        }
        (CheckName::Database, _) => step(StepId::DeleteKept, "delete it once nothing of it is needed", &[]),
        (CheckName::Memory, _) => step(StepId::RepairMemory, "make `.mind/MEMORY.md` readable", &["mind", "doctor"]),
        (CheckName::Watches, _) => {
            let setting = "fs.inotify.max_user_watches=65536";
            step(StepId::AllowWatches, "allow more file watches", &["sudo", "sysctl", setting])
        }
        (CheckName::GitHead, Outcome::Unknown) => {
            let action = "serve the top folder of the repository, or make one (`git init` and a commit): without it \
                          there is no history";
            step(StepId::AddGit, action, &[])
        }
        _ => None,
    }
}
