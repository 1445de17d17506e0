//! Tests of the index itself: whether it holds what is on disk, and whether it finds what it holds.

mod round_trip;
mod sample;

pub use round_trip::{RoundTrip, round_trip};
pub use sample::{Sample, sample_files};

use m1nd_engine::Snapshot;

/// Checked-out commits, compared with those at the time of indexing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heads {
    /// The same in every root.
    Same {
        /// The commit of the first root.
        commit: String,
    },
    /// Another commit is checked out in a root.
    Moved {
        /// Its commit when it was indexed, if there was one.
        from: Option<String>,
        /// Its commit now, if there is one.
        to: Option<String>,
    },
    /// No root is the top of a git repository whose commit can be read.
    NoGit,
    /// The index was made by a version that did not record commits.
    NotRecorded,
}

/// Compares the checked-out commits with those at the time of indexing. Reads a few small files per root.
pub fn heads(snapshot: &Snapshot) -> Heads {
    let (then, now) = (snapshot.heads(), snapshot.heads_now());
    if then.iter().chain(&now).all(Option::is_none) {
        return Heads::NoGit;
    }
    if then.len() != now.len() {
        return Heads::NotRecorded;
    }
    if let Some((from, to)) = then.iter().zip(&now).find(|(from, to)| from != to) {
        return Heads::Moved { from: from.clone(), to: to.clone() };
    }
    now.into_iter().flatten().next().map_or(Heads::NoGit, |commit| Heads::Same { commit })
}
