//! Whole messages of the newest commits, for what people write into them.

use std::collections::BinaryHeap;

use gix_hash::ObjectId;
use m1nd_base::Cancel;
use rustc_hash::FxHashSet;

use crate::objects::Objects;
use crate::{GitFolder, Head, NoHistory};

/// Longest message that is kept, in bytes; the rest is cut off.
pub(crate) const MAX_MESSAGE: usize = 64 << 10;

/// What a commit says. Text of the repository: data, never an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Name of the commit, in hexadecimal.
    pub commit: String,
    /// Seconds since 1970 at which it was made.
    pub time: i64,
    /// Subject and body.
    pub text: String,
}

/// A commit on the way, ordered by time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: i64,
    id: ObjectId,
}

/// The messages of the newest commits that are reachable from what is checked out, newest first, at most `limit`. Merges are
/// left out: what they say was said before.
///
/// # Errors
/// [`NoHistory`].
pub fn messages(git: &GitFolder, head: &Head, limit: usize, cancel: &Cancel) -> Result<Vec<Message>, NoHistory> {
    let objects = Objects::open(git.objects())?;
    let mut seen = FxHashSet::default();
    let mut heap = BinaryHeap::new();
    let mut found = Vec::new();
    let mut visit = |id: ObjectId, heap: &mut BinaryHeap<Waiting>| {
        if let (true, Some(commit)) = (seen.insert(id), objects.commit(&id)) {
            heap.push(Waiting { time: commit.time, id });
        }
    };
    visit(head.id, &mut heap);
    // Merges are looked at, too; a bound on both together.
    let mut left = limit.saturating_mul(2);
    while let Some(Waiting { time, id }) = heap.pop() {
        if found.len() >= limit || left == 0 {
            break;
        }
        left -= 1;
        cancel.check().map_err(|_| NoHistory::Cancelled)?;
        let Some((parents, text)) = objects.message(&id) else { continue };
        if parents.len() < 2 {
            found.push(Message { commit: id.to_hex().to_string(), time, text });
        }
        if head.shallow.binary_search(&id).is_err() {
            for parent in parents {
                visit(parent, &mut heap);
            }
        }
    }
    Ok(found)
}
