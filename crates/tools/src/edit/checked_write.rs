//! A planned change that is written, compared with what was before, and undone if it breaks something and the caller
//! wants that: what `rename_commit` and `refactor_commit` share.

use m1nd_edit::Plan;
use m1nd_engine::Snapshot;
use serde::Serialize;

use super::apply_batch::OnBroken;
use super::checking::{self, Commands};
use super::delta::{DeltaRow, compare_written};
use super::joins::{Joined, join_written};
use super::locks::check_locks;
use super::verification::{Report, Verdict, report};
use super::writing::{Reindexed, Syntax, roll_back, syntax, write};
use crate::framework::{ToolError, WriteContext};

/// What became of a write, in an answer.
#[derive(Debug, Serialize)]
pub(crate) struct CheckedWrite {
    #[serde(flatten)]
    reindexed: Reindexed,
    delta: DeltaRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<Report>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) rolled_back: bool,
    #[serde(flatten)]
    joined: Joined,
    /// Locks of other agents on the files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<String>,
}

impl CheckedWrite {
    /// Writes a plan. `verify` runs the commands of the project as well.
    pub(super) fn commit(
        cx: &WriteContext<'_>,
        snapshot: &Snapshot,
        plan: Plan,
        (verify, on_broken): (bool, OnBroken),
    ) -> Result<Self, ToolError> {
        let locks = check_locks(cx, snapshot, &plan)?;
        let syntax: Vec<Syntax> = plan.edits().iter().map(|edit| syntax(snapshot, edit, cx.cancel())).collect();
        let plans = [plan];
        let commands = match verify {
            true => checking::before(cx, snapshot, &plans)?,
            false => Commands::None("`verify` is false".to_owned()),
        };
        // The write, and what it did.
        let [plan] = &plans;
        let written = write(cx, plan, true)?;
        let delta = compare_written((snapshot, &written.after), &plans, written.not_indexed, cx.cancel());
        let mut verification = delta.comparison().map(|delta| report(delta, &syntax));
        if let Some(report) = &mut verification {
            report.add_commands(checking::after(cx, &commands, &written.after));
        }
        let rolled_back = is_broken(verification.as_ref()) && on_broken == OnBroken::Rollback;
        if rolled_back {
            roll_back(cx, plan, written.kept.as_deref())?;
        }
        let joined = match rolled_back {
            true => Joined::default(),
            false => join_written(cx, snapshot, &written, &plans, &delta)?,
        };
        let delta = delta.row(verification.is_some());
        Ok(Self { reindexed: Reindexed::new(written.not_indexed), delta, verification, rolled_back, joined, locks })
    }

    /// Whether it broke something.
    pub(super) fn is_broken(&self) -> bool {
        is_broken(self.verification.as_ref())
    }
}

fn is_broken(report: Option<&Report>) -> bool {
    report.is_some_and(|report| report.verdict == Verdict::Broken)
}
