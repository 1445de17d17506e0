//! What two runs of a command, before and after a change, say about the change.

use serde::Serialize;

use crate::allowed::{Allowed, CheckKind};
use crate::checks::Outcome;
use crate::process::Ended;
use crate::results::Failure;

/// New failures listed of a command.
const MAX_LISTED: usize = 50;
/// Bytes of output in a report, from its end.
const MAX_OUTPUT: usize = 2_000;

/// What a command says about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It was executed and passed.
    Pass,
    /// It fails, and did not fail like this before the change.
    Fail,
    /// It fails, and failed with all of these failures before the change.
    FailsAsBefore,
    /// It fails, and whether the change is the reason cannot be told.
    Unclear,
    /// It was not executed to its end.
    NotRun,
}

/// The report on one command.
#[derive(Debug, Clone, Serialize)]
pub struct CheckReport {
    /// The command.
    pub command: String,
    /// What it checks.
    pub kind: CheckKind,
    /// What it says.
    pub result: CheckResult,
    /// Why it was not run, or why it says no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Tests that passed, where the format is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_passed: Option<u64>,
    /// Tests that failed, where the format is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_failed: Option<usize>,
    /// Failures that were not there before the change, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_failures: Vec<Failure>,
    /// Number of new failures, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_new_failures: Option<usize>,
    /// Number of failures that were there before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_failures: Option<usize>,
    /// The end of the output of a command that failed otherwise than before.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Milliseconds that it ran after the change.
    pub run_ms: u64,
}

impl CheckReport {
    pub(crate) fn not_run(command: &Allowed, reason: impl Into<String>) -> Self {
        Self {
            command: command.show_command(),
            kind: command.kind,
            result: CheckResult::NotRun,
            reason: Some(reason.into()),
            tests_passed: None,
            tests_failed: None,
            new_failures: Vec::new(),
            total_new_failures: None,
            old_failures: None,
            output: String::new(),
            run_ms: 0,
        }
    }
}

/// Compares a run with the one before the change; `None` if there is none.
pub(crate) fn judge(command: &Allowed, before: Option<&Outcome>, after: &Outcome) -> CheckReport {
    let results = &after.results;
    let mut report = CheckReport {
        tests_passed: results.counts_tests.then_some(results.passed),
        tests_failed: results.counts_tests.then(|| results.failed_tests()),
        run_ms: after.run_ms,
        ..CheckReport::not_run(command, "")
    };
    let (result, reason) = match &after.ended {
        Ended::NotStarted(why) => (CheckResult::NotRun, Some(why.clone())),
        Ended::Cancelled => (CheckResult::NotRun, Some("the call was cancelled".to_owned())),
        Ended::TimedOut => timed_out(command, before),
        // The code of pytest for "no test was collected".
        Ended::Exited(Some(5))
            if results.passed == 0 && results.failures.is_empty() && command.kind == CheckKind::Test =>
        {
            (CheckResult::NotRun, Some("the command ran no test".to_owned()))
        }
        Ended::Exited(Some(0)) if command.kind == CheckKind::Test && results.counts_tests && results.passed == 0 => {
            (CheckResult::NotRun, Some("the command ran no test".to_owned()))
        }
        Ended::Exited(Some(0)) => (CheckResult::Pass, None),
        Ended::Exited(_) => judge_failed(before, after, &mut report),
    };
    // Failures that were there before are counted, not shown again.
    if !matches!(result, CheckResult::Pass | CheckResult::FailsAsBefore) {
        report.output = end_of(&after.output);
    }
    CheckReport { result, reason, ..report }
}

fn timed_out(command: &Allowed, before: Option<&Outcome>) -> (CheckResult, Option<String>) {
    let limit = command.timeout_s;
    match before.map(|before| &before.ended) {
        Some(Ended::Exited(_)) => {
            (CheckResult::Unclear, Some(format!("it did not end within {limit} s; before the change it did")))
        }
        _ => (CheckResult::NotRun, Some(format!("it did not end within {limit} s"))),
    }
}

fn judge_failed(before: Option<&Outcome>, after: &Outcome, report: &mut CheckReport) -> (CheckResult, Option<String>) {
    let Some(before) = before else {
        return (CheckResult::Unclear, Some("it was not run before the change, so the failure may be old".to_owned()));
    };
    let mut new: Vec<Failure> = {
        let known = |failure: &&Failure| !before.results.failures.iter().any(|old| old.key() == failure.key());
        after.results.failures.iter().filter(known).cloned().collect()
    };
    let old = after.results.failures.len() - new.len();
    report.old_failures = (old > 0).then_some(old);
    report.total_new_failures = (new.len() > MAX_LISTED).then_some(new.len());
    let has_new = !new.is_empty();
    new.truncate(MAX_LISTED);
    let is_whole = !after.results.is_cut && !before.results.is_cut;
    let verdict = match &before.ended {
        Ended::Exited(Some(0)) => (CheckResult::Fail, None),
        Ended::Exited(_) if has_new && before.results.is_cut => {
            (CheckResult::Unclear, Some("it failed before, too, with more failures than can be compared".to_owned()))
        }
        Ended::Exited(_) if has_new => (CheckResult::Fail, None),
        Ended::Exited(_) if old > 0 && is_whole => (CheckResult::FailsAsBefore, None),
        Ended::Exited(_) => {
            (CheckResult::Unclear, Some("it failed before, too, and its failures cannot be told apart".to_owned()))
        }
        Ended::TimedOut | Ended::Cancelled | Ended::NotStarted(_) => {
            (CheckResult::Unclear, Some("it did not end before the change, so the failure may be old".to_owned()))
        }
    };
    report.new_failures = if verdict.0 == CheckResult::Fail { new } else { Vec::new() };
    verdict
}

/// The last bytes of an output, from the beginning of a line where there is one.
fn end_of(output: &str) -> String {
    let output = output.trim_end();
    let start = output.ceil_char_boundary(output.len().saturating_sub(MAX_OUTPUT));
    let tail = &output[start..];
    match tail.split_once('\n') {
        Some((_, rest)) if start > 0 && !rest.is_empty() => rest.to_owned(),
        _ => tail.to_owned(),
    }
}
