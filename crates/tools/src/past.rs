//! Dates, commits and missing histories in the answers of tools about the past.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use m1nd_engine::Snapshot;
use m1nd_engine::history::{CommitId, NoSnapshot, PlacedHistory, ProjectHistory};
use m1nd_query::changes::{CannotTell, Scope};

use crate::framework::{Answer, ErrorCode, Guidance, ProofState, ReadContext, ToolError, ToolRef};

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;
/// Characters of a commit's name that are shown.
const SHORT_NAME: usize = 12;

/// The day of a time in seconds since 1970, in UTC.
pub(crate) fn date(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |time| time.strftime("%Y-%m-%d").to_string())
}

/// The start of a commit's name, as people write it.
pub(crate) fn short(commit: &str) -> String {
    commit.chars().take(SHORT_NAME).collect()
}

/// The answer where nothing can be told: the reason as a note. Arguments that can never have a history are errors.
pub(crate) fn untold<T>(error: CannotTell, answer: impl FnOnce(String) -> T) -> Result<Answer<T>, ToolError> {
    let next = match &error {
        CannotTell::Cancelled => return Err(m1nd_base::Cancelled.into()),
        CannotTell::NoFile(_) => return Err(ToolError::invalid(error.to_string())),
        CannotTell::NoHistory(_) => "ask in the top folder of a git repository that has commits",
        CannotTell::NoCommits { cut: Some(_), .. } => {
            "fetch the whole history (`git fetch --unshallow`) and repeat the call"
        }
        CannotTell::NoCommits { cut: None, .. } => "it has no history before its first commit; look at its code",
        CannotTell::Unreadable(_) => "run `ingest`, then repeat the call",
    };
    let guidance = Guidance::next(ProofState::Blocked, ToolRef("view"), None, next);
    Ok(Answer::new(answer(error.to_string())).guidance(guidance))
}

/// The commit that a caller names.
pub(crate) fn commit(place: &PlacedHistory<'_>, argument: &str, text: &str) -> Result<CommitId, ToolError> {
    let git = place.git().map_err(|reason| ToolError::invalid(reason.to_string()))?;
    let contents = place.contents().map_err(|reason| ToolError::invalid(reason.to_string()))?;
    contents.resolve(&git, text).map_err(|error| {
        ToolError::new(ErrorCode::RevisionNotFound, format!("argument `{argument}`: {error}"))
            .hint("a commit is named by `HEAD`, a branch, a tag or at least four digits, with `~N` or `^` behind it")
            .next_step("pass one of these; fetch the branch or tag first if it is not in this clone")
    })
}

/// The index as it would be at a commit.
pub(crate) fn at_commit(
    cx: &ReadContext<'_>,
    place: &PlacedHistory<'_>,
    commit: CommitId,
) -> Result<Arc<Snapshot>, ToolError> {
    cx.snapshot().at_commit(place, commit, cx.cancel()).map_err(|error| no_snapshot(cx, error))
}

/// The error for a commit that cannot be indexed.
pub(crate) fn no_snapshot(cx: &ReadContext<'_>, error: NoSnapshot) -> ToolError {
    match cx.cancel().check() {
        Err(cancelled) => cancelled.into(),
        Ok(()) => ToolError::new(ErrorCode::RevisionNotFound, error.to_string())
            .next_step("fetch its objects (`git fetch --unshallow`, or a full clone), then repeat the call"),
    }
}

/// The history of the first root that has one, or the reason why none has.
pub(crate) fn first_place<'h>(snapshot: &Snapshot, history: &'h ProjectHistory) -> Result<PlacedHistory<'h>, String> {
    let mut reason = "nothing is indexed".to_owned();
    for root in snapshot.roots() {
        // Any path of a root leads to its history.
        match history.place(&format!("{}x", root.prefix)) {
            Ok(place) => return Ok(place),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(reason)
}

/// The time that a text names, in seconds since 1970: a date (its end, in UTC), or a time with or without an offset.
pub(crate) fn time(text: &str) -> Option<i64> {
    if let Ok(date) = text.parse::<Date>() {
        return Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second() + DAY - 1);
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_second());
    }
    let civil: DateTime = text.parse().ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

/// The part of the repository that a caller names.
pub(crate) fn scope(text: Option<&str>) -> Result<Scope, ToolError> {
    let parsed = text.map_or_else(|| Ok(Scope::default()), Scope::parse);
    parsed.map_err(|reason| ToolError::new(ErrorCode::InvalidPattern, format!("argument `scope`: {reason}")))
}
