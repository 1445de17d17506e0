//! Whole messages of the newest commits, for what people write into them.

use gix_hash::ObjectId;
use m1nd_base::Cancel;

use crate::history::Cut;
use crate::objects::Objects;
use crate::walk::Walk;
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

/// The messages of the newest commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages {
    /// Newest first.
    pub rows: Vec<Message>,
    /// Why older ones are not among them; `None` if these are all.
    pub cut: Option<Cut>,
    /// The commit that was known is reachable: so is all that was reachable from it.
    pub met: bool,
}

/// The messages of the newest commits that are reachable from what is checked out, newest first, at most `limit`; more of
/// them, up to the commit `known` (in hexadecimal), if that is found among the next `further` commits. Merges are left out:
/// what they say was said before. As many merges as messages are looked at.
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
