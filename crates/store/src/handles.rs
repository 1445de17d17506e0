//! What agents hold between calls: rows under ids that nobody can guess, each with an owner, a version and an end.
//!
//! A row that has expired stays for a while without its value, so that its owner learns that it expired rather than
//! that it never was. Rows are cleared when one is added: there is no other work in the background.

use std::cmp::Ordering;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::settings::{to_signed, to_unsigned};
use crate::{ProjectDir, StoreError};

/// Something that an agent holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHandle {
    /// Its name on the wire; unique in the project.
    pub id: String,
    /// A word for what it is.
    pub kind: String,
    /// The agent that made it.
    pub owner: String,
    /// Milliseconds since 1970.
    pub created_ms: u64,
    /// Milliseconds since 1970 of the last change.
    pub changed_ms: u64,
    /// Milliseconds from the last change to its end; `None` if it does not expire.
    pub lifetime_ms: Option<u64>,
    /// Goes up by one with each change; 1 at first.
    pub version: u64,
    /// The value as text; empty once it has expired and was cleared.
    pub value: String,
}

impl StoredHandle {
    /// When it ends or ended, in milliseconds since 1970; `None` if it does not expire.
    #[must_use]
    pub fn expires_ms(&self) -> Option<u64> {
        self.lifetime_ms.map(|lifetime| self.changed_ms.saturating_add(lifetime))
    }

    /// The order of lists: the last changed first, of those changed at once by id.
    #[must_use]
    pub fn last_changed_first(&self, other: &Self) -> Ordering {
        other.changed_ms.cmp(&self.changed_ms).then_with(|| self.id.cmp(&other.id))
    }

    /// Returns whether it has expired at a time.
    #[must_use]
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_ms().is_some_and(|end| end <= now_ms)
    }
}

/// Which handles to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandleQuery<'q> {
    /// The word for what they are.
    pub kind: &'q str,
    /// Only those of this agent; `None` for those of all.
    pub owner: Option<&'q str>,
    /// Now, in milliseconds since 1970: those that have expired are left out.
    pub now_ms: u64,
    /// Maximum number of handles.
    pub limit: usize,
}

/// How much may be held. What has expired does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandleLimits {
    /// Handles of one kind and owner.
    pub per_owner: usize,
    /// Bytes of the values of one owner, over all kinds.
    pub owner_bytes: u64,
    /// Bytes of the values of all owners.
    pub all_bytes: u64,
}

/// When expired handles lose their value, and when they are forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expiry {
    /// The time now, in milliseconds since 1970.
    pub now_ms: u64,
    /// Milliseconds after its end for which it is known that a handle has expired.
    pub remembered_ms: u64,
    /// Most expired handles that are remembered, the last to expire.
    pub remembered: usize,
}

/// Outcome of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandleWrite {
    /// It is stored, durably.
    Done,
    /// There is one with this id.
    IdTaken,
    /// The owner holds as many of the kind as it may, or more.
    TooMany,
    /// With it, the values of the owner would have this many bytes.
    OwnerFull(u64),
    /// With it, the values of all owners would have this many bytes.
    Full(u64),
    /// It has another version than the one that was to be replaced, namely this.
    Changed(u64),
    /// There is no such handle (any more).
    NotThere,
}

impl ProjectDir {
    /// Clears expired handles, then adds one unless it goes over a limit, in one step.
    ///
    /// # Errors
    /// [`StoreError::Database`] or [`StoreError::Closed`].
    pub fn add_handle(
        &self,
        handle: &StoredHandle,
        limits: &HandleLimits,
        expiry: &Expiry,
    ) -> Result<HandleWrite, StoreError> {
        self.guard_write(|| self.settings().with(|connection| add(connection, handle, limits, expiry)))
    }

    /// A handle by its id, expired or not.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError> {
        let one = format!("SELECT {COLUMNS} FROM handles WHERE id = ?1");
        self.settings().with(|connection| connection.prepare_cached(&one)?.query_row([id], read).optional())
    }

    /// Handles that have not expired, the last changed first.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn handles(&self, query: &HandleQuery<'_>) -> Result<Vec<StoredHandle>, StoreError> {
        let these = format!(
            "SELECT {COLUMNS} FROM handles WHERE kind = ?1 AND (?2 IS NULL OR owner = ?2)
             AND (expires_ms IS NULL OR expires_ms > ?3) ORDER BY changed_ms DESC, id LIMIT ?4"
        );
        let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
        self.settings().with(|connection| {
            let mut these = connection.prepare_cached(&these)?;
            these.query_map(params![query.kind, query.owner, to_signed(query.now_ms), limit], read)?.collect()
        })
    }

    /// Replaces the value, the time of change and the lifetime of the handle with the id of `next`, if its version is
    /// the one before that of `next`. Of `limits`, only those on bytes matter.
    ///
    /// # Errors
    /// [`StoreError::Database`] or [`StoreError::Closed`].
    pub fn set_handle(
        &self,
        next: &StoredHandle,
        limits: &HandleLimits,
        now_ms: u64,
    ) -> Result<HandleWrite, StoreError> {
        self.guard_write(|| self.settings().with(|connection| set(connection, next, limits, now_ms)))
    }

    /// Removes a handle; whether it was there.
    ///
    /// # Errors
    /// [`StoreError::Database`] or [`StoreError::Closed`].
    pub fn remove_handle(&self, id: &str) -> Result<bool, StoreError> {
        let remove = |connection: &mut Connection| connection.execute("DELETE FROM handles WHERE id = ?1", [id]);
        self.guard_write(|| self.settings().with(remove).map(|removed| removed > 0))
    }
}

const COLUMNS: &str = "id, kind, owner, created_ms, changed_ms, lifetime_ms, version, value";

fn read(row: &Row<'_>) -> rusqlite::Result<StoredHandle> {
    Ok(StoredHandle {
        id: row.get(0)?,
        kind: row.get(1)?,
        owner: row.get(2)?,
        created_ms: to_unsigned(row.get(3)?),
        changed_ms: to_unsigned(row.get(4)?),
        lifetime_ms: row.get::<_, Option<i64>>(5)?.map(to_unsigned),
        version: to_unsigned(row.get(6)?),
        value: row.get(7)?,
    })
}

fn add(
    connection: &mut Connection,
    handle: &StoredHandle,
    limits: &HandleLimits,
    expiry: &Expiry,
) -> rusqlite::Result<HandleWrite> {
    // Counted and written in one transaction: other processes write the same table.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    clear(&transaction, expiry)?;
    let held =
        "SELECT count(*) FROM handles WHERE owner = ?1 AND kind = ?2 AND (expires_ms IS NULL OR expires_ms > ?3)";
    let held: i64 = transaction
        .prepare_cached(held)?
        .query_row(params![handle.owner, handle.kind, to_signed(expiry.now_ms)], |row| row.get(0))?;
    // Room per owner first, then in all.
    let mut verdict = if to_unsigned(held) >= limits.per_owner as u64 {
        HandleWrite::TooMany
    } else {
        room_for(&transaction, handle, 0, limits, expiry.now_ms)?
    };
    if verdict == HandleWrite::Done {
        let added = transaction.execute(
            "INSERT OR IGNORE INTO handles (id, kind, owner, created_ms, changed_ms, lifetime_ms, expires_ms, version, bytes, value)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                handle.id,
                handle.kind,
                handle.owner,
                to_signed(handle.created_ms),
                to_signed(handle.changed_ms),
                handle.lifetime_ms.map(to_signed),
                handle.expires_ms().map(to_signed),
                to_signed(handle.version),
                to_signed(handle.value.len() as u64),
                handle.value,
            ],
        )?;
        if added == 0 {
            verdict = HandleWrite::IdTaken;
        }
    }
    transaction.commit()?;
    Ok(verdict)
}

/// Takes the values of expired handles, and forgets those that expired long ago or are too many.
fn clear(connection: &Connection, expiry: &Expiry) -> rusqlite::Result<()> {
    let now = to_signed(expiry.now_ms);
    let forgotten = to_signed(expiry.now_ms.saturating_sub(expiry.remembered_ms));
    connection.prepare_cached("DELETE FROM handles WHERE expires_ms <= ?1")?.execute([forgotten])?;
    let beyond = "DELETE FROM handles WHERE id IN
        (SELECT id FROM handles WHERE expires_ms <= ?1 ORDER BY expires_ms DESC, id LIMIT -1 OFFSET ?2)";
    let kept = i64::try_from(expiry.remembered).unwrap_or(i64::MAX);
    connection.prepare_cached(beyond)?.execute(params![now, kept])?;
    let empty = "UPDATE handles SET bytes = 0, value = '' WHERE expires_ms <= ?1 AND bytes > 0";
    connection.prepare_cached(empty)?.execute([now])?;
    Ok(())
}

/// Returns whether the value of a handle fits where one of `instead` bytes goes.
fn room_for(
    connection: &Connection,
    handle: &StoredHandle,
    instead: u64,
    limits: &HandleLimits,
    now_ms: u64,
) -> rusqlite::Result<HandleWrite> {
    let sums = "SELECT coalesce(sum(bytes), 0), coalesce(sum(bytes) FILTER (WHERE owner = ?1), 0) FROM handles
        WHERE expires_ms IS NULL OR expires_ms > ?2";
    let (all, owners): (i64, i64) = connection
        .prepare_cached(sums)?
        .query_row(params![handle.owner, to_signed(now_ms)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let with = |sum: i64| (to_unsigned(sum) + handle.value.len() as u64).saturating_sub(instead);
    Ok(if with(owners) > limits.owner_bytes {
        HandleWrite::OwnerFull(with(owners))
    } else if with(all) > limits.all_bytes {
        HandleWrite::Full(with(all))
    } else {
        HandleWrite::Done
    })
}

fn set(
    connection: &mut Connection,
    next: &StoredHandle,
    limits: &HandleLimits,
    now_ms: u64,
) -> rusqlite::Result<HandleWrite> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let known = "SELECT version, bytes, expires_ms FROM handles WHERE id = ?1";
    let known: Option<(i64, i64, Option<i64>)> = transaction
        .prepare_cached(known)?
        .query_row([&next.id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((version, bytes, end)) = known else { return Ok(HandleWrite::NotThere) };
    if to_unsigned(version).checked_add(1) != Some(next.version) {
        return Ok(HandleWrite::Changed(to_unsigned(version)));
    }
    let counted = if end.is_none_or(|end| to_unsigned(end) > now_ms) { to_unsigned(bytes) } else { 0 };
    let verdict = room_for(&transaction, next, counted, limits, now_ms)?;
    // A handle never grows over a limit, but one that shrinks may stay over it.
    let grows = next.value.len() as u64 > counted;
    if verdict != HandleWrite::Done && grows {
        return Ok(verdict);
    }
    transaction
        .prepare_cached(
            "UPDATE handles SET changed_ms = ?2, lifetime_ms = ?3, expires_ms = ?4, version = ?5, bytes = ?6, value = ?7
             WHERE id = ?1",
        )?
        .execute(params![
            next.id,
            to_signed(next.changed_ms),
            next.lifetime_ms.map(to_signed),
            next.expires_ms().map(to_signed),
            to_signed(next.version),
            to_signed(next.value.len() as u64),
            next.value,
        ])?;
    transaction.commit()?;
    Ok(HandleWrite::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    const LIMITS: HandleLimits = HandleLimits { per_owner: 99, owner_bytes: 1_000, all_bytes: 1_000 };

    fn handle(number: u64, lifetime_ms: Option<u64>) -> StoredHandle {
        StoredHandle {
            id: format!("h{number}"),
            kind: "perspective".into(),
            owner: "ann".into(),
            created_ms: number,
            changed_ms: number,
            lifetime_ms,
            version: 1,
            value: "value".into(),
        }
    }

    #[test]
    fn expired_rows_lose_their_value_and_then_go() {
        let settings = Settings::empty("nowhere".into()).expect("a database");
        let rows = settings.with(|connection| {
            let expiry = |now_ms| Expiry { now_ms, remembered_ms: 100, remembered: 3 };
            for number in 0..5 {
                assert_eq!(add(connection, &handle(number, Some(10)), &LIMITS, &expiry(0))?, HandleWrite::Done);
            }
            add(connection, &handle(9, None), &LIMITS, &expiry(50))?;
            let rows = "SELECT id || ':' || value FROM handles ORDER BY id";
            let rows = |connection: &Connection| -> rusqlite::Result<Vec<String>> {
                connection.prepare(rows)?.query_map([], |row| row.get(0))?.collect()
            };
            let newest_three = rows(connection)?;
            add(connection, &handle(10, None), &LIMITS, &expiry(113))?;
            Ok((newest_three, rows(connection)?))
        });
        let (newest_three, later) = rows.expect("readable");
        assert_eq!(newest_three, ["h2:", "h3:", "h4:", "h9:value"]);
        assert_eq!(later, ["h10:value", "h4:", "h9:value"]);
    }
}
