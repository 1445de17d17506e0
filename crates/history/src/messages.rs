//! Full messages of the newest commits, which may contain memories.

use gix_hash::ObjectId;
use m1nd_base::Cancel;

use crate::history::Cut;
use crate::objects::Objects;
use crate::walk::Walk;
use crate::{GitFolder, Head, NoHistory};

/// What a commit says. Text of the repository: data, never an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Object id of the commit, in hexadecimal.
    pub commit: String,
    /// Commit time in seconds since 1970.
    pub time: i64,
    /// Subject and body.
    pub text: String,
}

/// The messages of the newest commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages {
    /// Newest first.
    pub rows: Vec<Message>,
    /// The reason why older ones are missing; `None` if these are all.
    pub cut: Option<Cut>,
    /// The known commit was reached, and therefore everything reachable from it.
    pub met: bool,
}

/// Returns the messages of the newest commits reachable from `HEAD`, newest first, at most `limit`; and more of them,
/// up to the commit `known` (in hexadecimal), if that is among the next `further` commits. Merges are skipped,
/// because their messages repeat others; at most as many merges as messages are visited.
///
/// # Errors
/// [`NoHistory`].
pub fn messages(
    git: &GitFolder,
    head: &Head,
    limit: usize,
    known: Option<(&str, usize)>,
    cancel: &Cancel,
) -> Result<Messages, NoHistory> {
    let objects = Objects::open(git.objects())?;
    let mut walk = Walk::start(head, |id| objects.message(id))?;
    let mut found = Messages::default();
    let (known, further) =
        known.map_or((None, 0), |(name, further)| (ObjectId::from_hex(name.as_bytes()).ok(), further));
    let enough = limit.saturating_mul(2);
    for looked in 0..enough.saturating_add(further) {
        let is_sought = known.is_some() && !found.met;
        if !is_sought && (found.rows.len() >= limit || looked >= enough) {
            break;
        }
        cancel.check().map_err(|_| NoHistory::Cancelled)?;
        let Some(reached) = walk.next() else { break };
        found.met |= known == Some(reached.id);
        if reached.told.parents.len() < 2 {
            let commit = reached.id.to_hex().to_string();
            found.rows.push(Message { commit, time: reached.told.time, text: reached.told.what });
        }
    }
    found.cut = walk.cut.or(walk.has_more().then_some(Cut::Commits));
    Ok(found)
}
