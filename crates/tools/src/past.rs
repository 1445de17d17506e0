//! Dates, commits and missing histories in the answers of tools about the past.

use jiff::Timestamp;
use m1nd_query::changes::CannotTell;

use crate::framework::{Answer, Guidance, ProofState, ToolError, ToolRef};

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
