use m1nd_base::count;
use m1nd_store::StoreError;

/// Error of reading, creating or changing the state of an agent.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No such handle: it never existed, was removed, expired long ago, or is of another kind.
    #[error("there is no {kind} `{id}`; list the existing ones, or create one")]
    Unknown {
        /// The requested kind.
        kind: &'static str,
        /// The requested id.
        id: String,
    },
    /// The handle has expired.
    #[error("the {kind} `{id}` expired {} ago; create a new one", duration(*.ago_ms))]
    Expired {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// Time of expiry, in milliseconds since 1970.
        at_ms: u64,
        /// Time since expiry, in milliseconds.
        ago_ms: u64,
    },
    /// The handle belongs to another agent, and its kind is not shared.
    #[error("the {kind} `{id}` belongs to agent `{owner}`, not to `{agent}`; create your own")]
    NotYours {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// The owner.
        owner: String,
        /// The calling agent.
        agent: String,
    },
    /// The agent has reached the limit on handles of this kind.
    #[error("agent `{agent}` has {}, which is the limit; remove one first", count(*.limit, .kind))]
    TooMany {
        /// The kind.
        kind: &'static str,
        /// The agent.
        agent: String,
        /// Maximum handles of this kind per agent.
        limit: usize,
    },
    /// The value exceeds the size limit of its kind.
    #[error("the {kind} has {bytes} bytes, the limit is {limit}; store less in it")]
    TooLarge {
        /// The kind.
        kind: &'static str,
        /// Size of the stored value, in bytes.
        bytes: u64,
        /// Maximum size of a value, in bytes.
        limit: u64,
    },
    /// The values held would exceed the limit of the agent or the project.
    #[error("with this {kind}, {} would hold {bytes} bytes, the limit is {limit}; remove something first", whose(.agent.as_deref()))]
    Full {
        /// The kind.
        kind: &'static str,
        /// The agent whose limit it is; `None` for the limit of all agents.
        agent: Option<String>,
        /// Bytes of all values, including this one.
        bytes: u64,
        /// Maximum bytes of all values.
        limit: u64,
    },
    /// The values that this connection holds under all names would exceed its limit.
    #[error(
        "with this {kind}, this connection would hold {bytes} bytes under all names, the limit is {limit}; remove something first"
    )]
    ConnectionFull {
        /// The kind.
        kind: &'static str,
        /// Bytes of all values, including this one.
        bytes: u64,
        /// Maximum bytes of all values.
        limit: u64,
    },
    /// Another call changed the handle since it was read.
    #[error("the {kind} `{id}` was changed by another call (version {found}, expected {expected}); read it again")]
    Changed {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// The version that was read.
        expected: u64,
        /// The current version.
        found: u64,
    },
    /// The value was written by another version of m1nd and is not readable by this one.
    #[error("the {kind} `{id}` cannot be read: {detail}; use the m1nd that wrote it, or remove it")]
    Unreadable {
        /// Its kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// The cause.
        detail: String,
    },
    /// The value cannot be serialized, such as a map whose keys are not strings.
    #[error("the {kind} cannot be stored: {detail}; this is a bug in m1nd")]
    Unwritable {
        /// The kind.
        kind: &'static str,
        /// The cause.
        detail: String,
    },
    /// The operating system returned no random numbers, so no id can be created.
    #[error("the system returned no random numbers: {detail}; try again")]
    NoRandomness {
        /// The error of the system.
        detail: String,
    },
    /// The store failed; its previous content is unchanged.
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
            Self::ConnectionFull { .. } => "connection_full",
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

/// Formats a duration in its largest whole unit.
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
                "the perspective `persp_ann_0` expired 5 minutes ago; create a new one",
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
