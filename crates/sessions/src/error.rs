use m1nd_base::count;
use m1nd_store::StoreError;

/// Why something that agents hold cannot be had, made or changed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such handle: it never was, it was removed, it expired long ago, or it is of another kind.
    #[error("there is no {kind} `{id}`; list the ones there are, or make one")]
    Unknown {
        /// The kind asked for.
        kind: &'static str,
        /// The id asked for.
        id: String,
    },
    /// It was there, but its lifetime is over.
    #[error("the {kind} `{id}` expired {} ago; make a new one", duration(*.ago_ms))]
    Expired {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// When, in milliseconds since 1970.
        at_ms: u64,
        /// How long ago, in milliseconds.
        ago_ms: u64,
    },
    /// Another agent made it, and its kind is not shared.
    #[error("the {kind} `{id}` belongs to agent `{owner}`, not to `{agent}`; make one of your own")]
    NotYours {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// Whose it is.
        owner: String,
        /// Who asked.
        agent: String,
    },
    /// The agent holds as many as it may.
    #[error("agent `{agent}` has {}, which is the limit; remove one first", count(*.limit, .kind))]
    TooMany {
        /// The kind.
        kind: &'static str,
        /// Whose.
        agent: String,
        /// Handles of this kind that an agent may hold.
        limit: usize,
    },
    /// The value is larger than one of its kind may be.
    #[error("the {kind} would have {bytes} bytes, the limit is {limit}; keep less in it")]
    TooLarge {
        /// The kind.
        kind: &'static str,
        /// Bytes of the value, as it is stored.
        bytes: u64,
        /// Bytes that one may have.
        limit: u64,
    },
    /// Together with what is held already, there would be too much.
    #[error("with this {kind}, {} would hold {bytes} bytes, the limit is {limit}; remove something first", whose(.agent.as_deref()))]
    Full {
        /// The kind.
        kind: &'static str,
        /// Whose limit it is; `None` for that of all agents together.
        agent: Option<String>,
        /// Bytes that would be held.
        bytes: u64,
        /// Bytes that may be held.
        limit: u64,
    },
    /// It was changed by another call since it was read.
    #[error("the {kind} `{id}` was changed by another call (version {found}, expected {expected}); read it again")]
    Changed {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// The version that was read.
        expected: u64,
        /// The version it has.
        found: u64,
    },
    /// Its value was written by a version of the program that this one does not understand.
    #[error("the {kind} `{id}` cannot be read: {detail}; use the m1nd that wrote it, or remove it")]
    Unreadable {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// What does not fit.
        detail: String,
    },
    /// Its value has something that cannot be stored, such as a map whose keys are no texts.
    #[error("the {kind} cannot be stored: {detail}; this is an error in m1nd")]
    Unwritable {
        /// The kind.
        kind: &'static str,
        /// What does not fit.
        detail: String,
    },
    /// The operating system gave no random numbers, so there can be no new id.
    #[error("the system gives no random numbers: {detail}; try again")]
    NoRandomness {
        /// What it said.
        detail: String,
    },
    /// The store failed; what it held before is still there.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SessionError {
    /// A stable word for the kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "handle_unknown",
            Self::Expired { .. } => "handle_expired",
            Self::NotYours { .. } => "handle_not_yours",
            Self::TooMany { .. } => "too_many_handles",
            Self::TooLarge { .. } => "handle_too_large",
            Self::Full { .. } => "handles_full",
            Self::Changed { .. } => "handle_changed",
            Self::Unreadable { .. } => "handle_unreadable",
            Self::Unwritable { .. } => "handle_unwritable",
            Self::NoRandomness { .. } => "no_randomness",
            Self::Store(error) => error.code(),
        }
    }
}

fn whose(agent: Option<&str>) -> String {
    agent.map_or_else(|| "all agents together".to_owned(), |agent| format!("agent `{agent}`"))
}

/// A length of time in its largest whole unit.
fn duration(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (number, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds / 60, "minute"),
        7_200..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    count(usize::try_from(number).unwrap_or(usize::MAX), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        let rows = [
            (0, "0 seconds"),
            (1_999, "1 second"),
            (119_000, "119 seconds"),
            (120_000, "2 minutes"),
            (7_200_000, "2 hours"),
            (172_800_000, "2 days"),
        ];
        for (ms, expected) in rows {
            assert_eq!(duration(ms), expected);
        }
    }

    #[test]
    fn messages_say_what_to_do() {
        let id = || "persp_ann_0".to_owned();
        let rows = [
            (
                SessionError::Expired { kind: "perspective", id: id(), at_ms: 0, ago_ms: 300_000 },
                "the perspective `persp_ann_0` expired 5 minutes ago; make a new one",
            ),
            (
                SessionError::TooMany { kind: "lock", agent: "ann".into(), limit: 10 },
                "agent `ann` has 10 locks, which is the limit; remove one first",
            ),
            (
                SessionError::Full { kind: "lock", agent: None, bytes: 9, limit: 8 },
                "with this lock, all agents together would hold 9 bytes, the limit is 8; remove something first",
            ),
        ];
        for (error, expected) in rows {
            assert_eq!(error.to_string(), expected);
        }
    }
}
