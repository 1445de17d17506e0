//! Dates, commits and missing histories in the answers of tools about the past.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use m1nd_engine::Snapshot;
use m1nd_engine::history::{CommitId, NoHistory, NoSnapshot, PlacedHistory, ProjectHistory};
use m1nd_query::Scope;
use m1nd_query::changes::{Baseline, CannotTell, Depth, commit_at, work_tree_changes};

use serde::Serialize;

use crate::framework::{Answer, ErrorCode, Guidance, ProofState, ReadContext, ToolError};

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;
/// The baseline that names no commit.
pub(crate) const LAST_SESSION: &str = "last_session";
/// Characters of a commit's name that are shown.
const SHORT_NAME: usize = 12;

/// The day of a time in seconds since 1970, in UTC.
pub(crate) fn date(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |time| time.strftime("%Y-%m-%d").to_string())
}

/// How far back a caller asks.
pub(crate) fn depth(text: &str) -> Result<Depth, ToolError> {
    let text = text.trim().to_lowercase();
    Depth::parse(&text).ok_or_else(|| {
        let most = Depth::MAX_DAYS;
        ToolError::invalid(format!("argument `depth` is `{text}`, expected `<N>d` with N from 1 to {most}, or `all`"))
    })
}

/// The start of a commit's name, as people write it.
pub(crate) fn short(commit: &str) -> String {
    commit.chars().take(SHORT_NAME).collect()
}

/// Characters of a commit's message that are shown.
const SUBJECT: usize = 100;

/// A commit that an answer cites.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CitedCommit {
    /// The start of its name.
    commit: String,
    /// The first line of its message, shortened.
    subject: String,
}

impl CitedCommit {
    /// Commits by name and first line.
    pub(crate) fn all(commits: &[(String, String)]) -> Vec<Self> {
        let one = |(commit, subject): &(String, String)| Self {
            commit: short(commit),
            subject: subject.chars().take(SUBJECT).collect(),
        };
        commits.iter().map(one).collect()
    }
}

/// What is said while the probabilities of a repository are being measured.
pub(crate) const STILL_MEASURED: &str =
    "the history is still being read: probabilities and verdicts follow; repeat the call in a moment";

/// The answer where nothing can be told: the reason as a note. Arguments that can never have a history are errors.
pub(crate) fn untold<T>(error: CannotTell, answer: impl FnOnce(String) -> T) -> Result<Answer<T>, ToolError> {
    let next = match &error {
        CannotTell::Cancelled => return Err(m1nd_base::Cancelled.into()),
        CannotTell::NoFile(_) => return Err(ToolError::invalid(error.to_string())),
        CannotTell::NoHistory(reason) => remedy(reason),
        CannotTell::NoCommits { cut: Some(_), .. } => {
            "fetch the whole history (`git fetch --unshallow`, of a partial clone `git fetch --refetch`), then repeat the call"
        }
        CannotTell::NoCommits { cut: None, .. } => "it has no history before its first commit; look at its code",
        CannotTell::Unreadable(_) => "run `ingest`, then repeat the call",
    };
    Ok(Answer::new(answer(error.to_string())).guidance(report_blocked(next)))
}

/// Guidance where nothing can be told: what would change that.
pub(crate) fn report_blocked(remedy: &str) -> Guidance {
    Guidance { next_step_hint: Some(remedy.to_owned()), ..Guidance::state(ProofState::Blocked) }
}

/// The error where an argument needs a history and there is none.
pub(crate) fn without_history(reason: NoHistory) -> ToolError {
    ToolError::invalid(format!("cannot tell: {reason}")).next_step(remedy(&reason))
}

/// What gives a project without a history one.
pub(crate) const fn remedy(reason: &NoHistory) -> &'static str {
    match reason {
        NoHistory::NotARepository => {
            "ask in the top folder of a git repository; the code itself is indexed all the same"
        }
        NoHistory::Elsewhere(_) => "ask in the work tree that the git folder names, or in a clone",
        NoHistory::NoCommits => "commit something, then repeat the call",
        NoHistory::Unsupported(_) => "ask in a clone with SHA-1 names (`git clone` of an ordinary repository)",
        NoHistory::Unreadable(_) => "look for damage with `git fsck`; a fresh clone has all objects",
        NoHistory::BeingRead | NoHistory::Cancelled => "repeat the call in a moment",
    }
}

/// The commit that a caller names.
pub(crate) fn commit(place: &PlacedHistory<'_>, argument: &str, text: &str) -> Result<CommitId, ToolError> {
    let git = place.git().map_err(without_history)?;
    let contents = place.contents().map_err(without_history)?;
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
            .next_step(
                "fetch its objects (`git fetch --unshallow`, of a partial clone `git fetch --refetch`), then repeat the call",
            ),
    }
}

/// The history of the first root that has one, or the reason why none has.
pub(crate) fn first_place<'h>(
    snapshot: &Snapshot,
    history: &'h ProjectHistory,
) -> Result<PlacedHistory<'h>, NoHistory> {
    let mut reason = NoHistory::NotARepository;
    for root in snapshot.roots() {
        // Any path of a root leads to its history.
        match history.place(&format!("{}x", root.prefix)) {
            Ok(place) => return Ok(place),
            Err(error) => reason = error,
        }
    }
    Err(reason)
}

/// The reason why there is no earlier state to compare with.
pub(crate) enum NoBaseline {
    /// Nothing is known of it, in words, and what would change that.
    Unknown {
        /// Why.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The call fails.
    Failed(Box<ToolError>),
}

impl From<ToolError> for NoBaseline {
    fn from(error: ToolError) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// The earlier state that a text names: the caller's last visit, a revision, else a date.
pub(crate) fn baseline(
    cx: &ReadContext<'_>,
    place: Result<&PlacedHistory<'_>, &NoHistory>,
    text: &str,
) -> Result<Baseline, NoBaseline> {
    if text == LAST_SESSION {
        return last_visit(cx, place.ok());
    }
    let unknown = |reason: &NoHistory| NoBaseline::Unknown { reason: reason.to_string(), remedy: remedy(reason) };
    let place = place.map_err(unknown)?;
    let commit = commit_or_date(place, text)?;
    let found = Baseline::of_commit(cx.snapshot(), place, commit, cx.cancel());
    found.map_err(|error| no_snapshot(cx, error).into())
}

/// The state at the end of the caller's last visit.
fn last_visit(cx: &ReadContext<'_>, place: Option<&PlacedHistory<'_>>) -> Result<Baseline, NoBaseline> {
    let Some((mark, files)) = cx.last_visit() else {
        let agent = cx.agent();
        return Err(NoBaseline::Unknown {
            reason: format!("no earlier visit of agent `{agent}` is known"),
            remedy: "pass a commit or a date, or the `agent_id` of then",
        });
    };
    let time = i64::try_from(mark.at_ms / 1_000).unwrap_or(i64::MAX);
    let head = place.zip(mark.head.as_deref()).and_then(|(place, head)| commit(place, "since", head).ok());
    let snapshot = cx.snapshot();
    if mark.generation == snapshot.generation() {
        return Ok(Baseline { snapshot: None, commit: head, is_commit: false, time, gaps: Vec::new() });
    }
    let found = match (files, place.zip(head)) {
        (Some(files), _) => Baseline::of_files(snapshot, place, (&files, head, time), cx.cancel()),
        (None, Some((place, head))) => Baseline::of_commit(snapshot, place, head, cx.cancel()).map(|mut found| {
            found.gaps.push("the files of then are not kept, so edits that were not committed count as new".to_owned());
            Baseline { time, ..found }
        }),
        (None, None) => {
            return Err(NoBaseline::Unknown {
                reason: "the files of your last visit are not kept".to_owned(),
                remedy: "pass a commit or a date",
            });
        }
    };
    found.map_err(|error| no_snapshot(cx, error).into())
}

/// The commit that a text names: a revision, else a date.
fn commit_or_date(place: &PlacedHistory<'_>, text: &str) -> Result<CommitId, ToolError> {
    let Some(time) = time(text) else { return commit(place, "baseline", text) };
    // A branch may be called like a date.
    if let Ok(commit) = commit(place, "baseline", text) {
        return Ok(commit);
    }
    let history = place.history;
    if time > history.now().saturating_add(DAY) {
        let newest = date(history.now());
        return Err(ToolError::invalid(format!(
            "`{text}` is after the checked-out commit of {newest}; expected an earlier date"
        )));
    }
    match commit_at(history, time) {
        Some(number) => commit(place, "baseline", &history.commits()[number].name()),
        None => {
            let oldest = history.commits().last().map(|commit| date(commit.time)).unwrap_or_default();
            let reason = history.cut().map_or("it is the first one", m1nd_engine::history::Cut::words);
            Err(ToolError::invalid(format!(
                "`{text}` is before the oldest known commit of {oldest} ({reason}); expected a later date"
            )))
        }
    }
}

/// A time in seconds since 1970, in UTC.
pub(crate) fn moment(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |time| time.to_string())
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

/// The indexed files whose content differs from the checked-out commit, and those changed since another one.
pub(crate) fn changed_files(
    cx: &ReadContext<'_>,
    since: Option<&str>,
    gaps: &mut Vec<String>,
) -> Result<BTreeSet<String>, ToolError> {
    let (snapshot, history) = (cx.snapshot(), cx.history());
    let found = work_tree_changes(snapshot, &history, cx.cancel()).map_err(|error| match &error {
        CannotTell::NoHistory(reason) => ToolError::invalid(error.to_string()).next_step(remedy(reason)),
        _ => ToolError::invalid(error.to_string()),
    })?;
    gaps.extend(found.gaps);
    let mut paths: BTreeSet<String> = found.changed.into_iter().collect();
    if let Some(since) = since {
        let place = first_place(snapshot, &history).map_err(without_history)?;
        let name = commit(&place, "since", since)?.name();
        let commits = place.history.commits();
        let Some(at) = commits.iter().position(|commit| commit.name() == name) else {
            return Err(ToolError::new(
                ErrorCode::RevisionNotFound,
                format!("argument `since`: `{since}` is not among the commits that were read"),
            ));
        };
        paths.extend((0..at).flat_map(|number| place.history.touched_by(number)).map(|file| place.outer(file.path())));
    }
    paths.retain(|path| snapshot.files().by_text(path).is_some());
    Ok(paths)
}
