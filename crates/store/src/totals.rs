//! Figures of all sessions of a user, whichever project they were about.

use std::time::Duration;

use crate::{SharedFolder, StoreError};

/// The folder and the file of the totals.
pub(crate) const FOLDER: &str = "savings";
const FILE: &str = "totals";
/// Largest file that is read.
const MAX_BYTES: u64 = 64 << 10;
/// How long to wait for other processes that add to it.
const WAIT: Duration = Duration::from_millis(500);

/// What calls did, summed up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// Processes that answered a call.
    pub sessions: u64,
    /// Calls.
    pub queries: u64,
    /// Tokens of files of which only a part was shown.
    pub tokens_saved: u64,
    /// Files of which only a part was shown.
    pub file_reads_avoided: u64,
}

impl CallTotals {
    /// What was added since earlier figures of the same process.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            sessions: self.sessions.saturating_sub(before.sessions),
            queries: self.queries.saturating_sub(before.queries),
            tokens_saved: self.tokens_saved.saturating_sub(before.tokens_saved),
            file_reads_avoided: self.file_reads_avoided.saturating_sub(before.file_reads_avoided),
        }
    }

    /// The figures as lines of a name and a number.
    fn to_text(self) -> String {
        let Self { sessions, queries, tokens_saved, file_reads_avoided } = self;
        format!(
            "sessions {sessions}\nqueries {queries}\ntokens_saved {tokens_saved}\nfile_reads_avoided {file_reads_avoided}\n"
        )
    }

    /// The figures of such lines; 0 for those that are missing or unreadable.
    fn parse(text: &str) -> Self {
        let figure = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
        };
        Self {
            sessions: figure("sessions"),
            queries: figure("queries"),
            tokens_saved: figure("tokens_saved"),
            file_reads_avoided: figure("file_reads_avoided"),
        }
    }

    const fn plus(&self, more: &Self) -> Self {
        Self {
            sessions: self.sessions.saturating_add(more.sessions),
            queries: self.queries.saturating_add(more.queries),
            tokens_saved: self.tokens_saved.saturating_add(more.tokens_saved),
            file_reads_avoided: self.file_reads_avoided.saturating_add(more.file_reads_avoided),
        }
    }
}

/// Adds figures to the totals in a folder. A file that cannot be read begins anew: it holds figures, not work.
pub(crate) fn add(folder: &SharedFolder, more: &CallTotals) -> Result<CallTotals, StoreError> {
    let known = |bytes: Option<Vec<u8>>| -> CallTotals {
        CallTotals::parse(&String::from_utf8_lossy(&bytes.unwrap_or_default()))
    };
    if *more == CallTotals::default() {
        return Ok(known(folder.read(FILE, MAX_BYTES)?));
    }
    folder.change(FILE, MAX_BYTES, WAIT, |bytes| {
        let all = known(bytes).plus(more);
        Ok::<_, StoreError>((all, Some(all.to_text().into_bytes())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_several_processes_add_up() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = SharedFolder::new(home.path().join(FOLDER));
        let one = CallTotals { sessions: 1, queries: 3, tokens_saved: 10, file_reads_avoided: 2 };
        assert_eq!(add(&folder, &CallTotals::default()).expect("is read"), CallTotals::default());
        assert!(!home.path().join(FOLDER).exists(), "nothing is written without figures");
        add(&folder, &one).expect("is added");
        let later = CallTotals { queries: 5, tokens_saved: 12, ..one };
        let all = add(&folder, &later.since(&one)).expect("is added");
        assert_eq!(all, later);
        assert_eq!(add(&folder, &CallTotals::default()).expect("is read"), all);
    }
}
