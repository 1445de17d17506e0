//! Feedback of agents on answers: an append-only table, pruned from its oldest rows.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::settings::{to_signed, to_unsigned};
use crate::{ProjectDir, StoreError};

/// Feedback to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFeedback {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// Name of the agent.
    pub agent: String,
    /// Kind of feedback.
    pub kind: String,
    /// The question it refers to.
    pub query: String,
    /// Weight, 0 to 1.
    pub strength: f64,
    /// Idempotency key: the same key of the same agent is stored once.
    pub key: Option<String>,
    /// Ids of the nodes it refers to, in order.
    pub nodes: Vec<String>,
}

/// Stored feedback.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFeedback {
    /// Row number, strictly increasing.
    pub id: i64,
    /// The feedback.
    pub told: NewFeedback,
}

/// Outcome of an undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// Undone by this row.
    Now(i64),
    /// Had already been undone by this row.
    Before(i64),
    /// The row does not exist, or is itself an undo.
    NotThere,
}

/// Maximum number of active rows, and of undone rows: older ones are pruned.
pub const FEEDBACK_KEPT: usize = 10_000;

/// Kind of the rows that undo another.
const UNDO: &str = "undo";

impl ProjectDir {
    /// Stores feedback durably. Returns its row, and whether its key existed before. Keeps the newest
    /// [`FEEDBACK_KEPT`] active rows, and as many undone ones.
    ///
    /// # Errors
    /// [`StoreError::Database`] or [`StoreError::Closed`].
    pub fn add_feedback(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError> {
        self.guard_write(|| self.settings().with(|connection| add(connection, told)))
    }

    /// Undoes a row durably.
    ///
    /// # Errors
    /// [`StoreError::Database`] or [`StoreError::Closed`].
    pub fn undo_feedback(&self, row: i64, agent: &str, at_ms: u64) -> Result<Undone, StoreError> {
        self.guard_write(|| self.settings().with(|connection| undo(connection, row, agent, at_ms)))
    }

    /// Returns the newest `limit` active rows, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError> {
        self.settings().with(|connection| standing(connection, limit))
    }

    /// Returns the number of the newest row, 0 if there is none. While it is unchanged, so are the rows, because rows
    /// are only pruned when one is added.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn newest_feedback(&self) -> Result<i64, StoreError> {
        let newest = "SELECT coalesce(max(id), 0) FROM feedback";
        self.settings().with(|connection| connection.query_row(newest, [], |row| row.get(0)))
    }
}

fn add(connection: &mut Connection, told: &NewFeedback) -> rusqlite::Result<(i64, bool)> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Some(key) = &told.key {
        let same = "SELECT id FROM feedback WHERE agent = ?1 AND key = ?2";
        let known = transaction.query_row(same, params![told.agent, key], |row| row.get(0)).optional()?;
        if let Some(id) = known {
            return Ok((id, true));
        }
    }
    transaction.execute(
        "INSERT INTO feedback (at_ms, agent, kind, query, strength, key) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![to_signed(told.at_ms), told.agent, told.kind, told.query, told.strength, told.key],
    )?;
    let id = transaction.last_insert_rowid();
    for (position, node) in (0_i64..).zip(&told.nodes) {
        transaction.execute("INSERT INTO feedback_nodes VALUES (?1, ?2, ?3)", params![id, position, node])?;
    }
    prune(&transaction, FEEDBACK_KEPT)?;
    transaction.commit()?;
    Ok((id, false))
}

/// Removes the oldest rows: all but the newest `kept` active ones, and all but the newest `kept` undone ones. The
/// undo of a row is removed with it.
fn prune(connection: &Connection, kept: usize) -> rusqlite::Result<()> {
    let kept = i64::try_from(kept).unwrap_or(i64::MAX);
    let count = |of: &str| connection.query_row(of, [], |row| row.get::<_, i64>(0));
    // A cheap upper bound.
    if count("SELECT coalesce(max(id) - min(id) + 1, 0) FROM feedback")? <= kept {
        return Ok(());
    }
    for taken_back in ["NOT EXISTS", "EXISTS"] {
        let beyond = format!(
            "SELECT id FROM feedback f WHERE kind <> ?1 AND {taken_back} (SELECT 1 FROM feedback u WHERE u.undoes = f.id)
             ORDER BY id DESC LIMIT -1 OFFSET ?2"
        );
        let mut beyond = connection.prepare(&beyond)?;
        let rows: Vec<i64> = beyond.query_map(params![UNDO, kept], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for row in rows {
            connection.prepare_cached("DELETE FROM feedback_nodes WHERE feedback = ?1")?.execute([row])?;
            connection.prepare_cached("DELETE FROM feedback WHERE undoes = ?1")?.execute([row])?;
            connection.prepare_cached("DELETE FROM feedback WHERE id = ?1")?.execute([row])?;
        }
    }
    Ok(())
}

fn undo(connection: &mut Connection, row: i64, agent: &str, at_ms: u64) -> rusqlite::Result<Undone> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let by = |id: i64| transaction.query_row("SELECT id FROM feedback WHERE undoes = ?1", [id], |row| row.get(0));
    if let Some(before) = by(row).optional()? {
        return Ok(Undone::Before(before));
    }
    let kind = "SELECT query FROM feedback WHERE id = ?1 AND kind <> ?2";
    let query: Option<String> = transaction.query_row(kind, params![row, UNDO], |row| row.get(0)).optional()?;
    let Some(query) = query else { return Ok(Undone::NotThere) };
    transaction.execute(
        "INSERT INTO feedback (at_ms, agent, kind, query, strength, undoes) VALUES (?1, ?2, ?3, ?4, 0.0, ?5)",
        params![to_signed(at_ms), agent, UNDO, query, row],
    )?;
    let id = transaction.last_insert_rowid();
    transaction.commit()?;
    Ok(Undone::Now(id))
}

fn standing(connection: &mut Connection, limit: usize) -> rusqlite::Result<Vec<StoredFeedback>> {
    // A single transaction, so that rows and their nodes are consistent.
    let transaction = connection.transaction()?;
    let mut rows = transaction.prepare_cached(
        "SELECT id, at_ms, agent, kind, query, strength, key FROM feedback f WHERE kind <> ?1
         AND NOT EXISTS (SELECT 1 FROM feedback u WHERE u.undoes = f.id) ORDER BY id DESC LIMIT ?2",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(StoredFeedback {
            id: row.get(0)?,
            told: NewFeedback {
                at_ms: to_unsigned(row.get(1)?),
                agent: row.get(2)?,
                kind: row.get(3)?,
                query: row.get(4)?,
                strength: row.get(5)?,
                key: row.get(6)?,
                nodes: Vec::new(),
            },
        })
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut found: Vec<StoredFeedback> = rows.query_map(params![UNDO, limit], read)?.collect::<Result<_, _>>()?;
    found.reverse();
    let Some(oldest) = found.first().map(|feedback| feedback.id) else { return Ok(found) };
    let mut nodes = transaction
        .prepare_cached("SELECT feedback, node FROM feedback_nodes WHERE feedback >= ?1 ORDER BY feedback, position")?;
    let mut nodes = nodes.query([oldest])?;
    while let Some(row) = nodes.next()? {
        let id: i64 = row.get(0)?;
        // Undone rows have nodes, too.
        if let Ok(at) = found.binary_search_by_key(&id, |feedback| feedback.id) {
            found[at].told.nodes.push(row.get(1)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn new_feedback(number: u64) -> NewFeedback {
        NewFeedback {
            at_ms: number,
            agent: "ann".into(),
            kind: "correct".into(),
            query: format!("question {number}"),
            strength: 0.2,
            key: None,
            nodes: vec!["file::a".into(), "file::b".into()],
        }
    }

    fn all(connection: &Connection, of: &str) -> i64 {
        connection.query_row(of, [], |row| row.get(0)).expect("readable")
    }

    #[test]
    fn the_oldest_rows_go_with_all_that_belongs_to_them() {
        let settings = Settings::empty("nowhere".into()).expect("a database");
        let rows = settings.with(|connection| {
            let ids: Vec<i64> =
                (0..30).map(|number| add(connection, &new_feedback(number)).expect("writable").0).collect();
            // Undoes the first ten.
            for id in &ids[..10] {
                assert!(matches!(undo(connection, *id, "bob", 99), Ok(Undone::Now(_))));
            }
            prune(connection, 30)?;
            assert_eq!(standing(connection, 99)?.len(), 20, "none beyond the limit");
            prune(connection, 4)?;
            // Four active rows, four undone ones, and their undos.
            assert_eq!(all(connection, "SELECT count(*) FROM feedback"), 12);
            assert_eq!(all(connection, "SELECT count(*) FROM feedback_nodes"), 16);
            assert_eq!(all(connection, "SELECT count(*) FROM feedback WHERE kind = 'undo'"), 4);
            let stands: Vec<i64> = standing(connection, 99)?.iter().map(|row| row.id).collect();
            assert_eq!(stands, ids[26..], "the newest");
            assert!(matches!(undo(connection, ids[0], "bob", 99), Ok(Undone::NotThere)));
            assert!(matches!(undo(connection, ids[9], "bob", 99), Ok(Undone::Before(_))));
            prune(connection, 4)?;
            Ok(all(connection, "SELECT count(*) FROM feedback"))
        });
        assert_eq!(rows.expect("readable"), 12);
    }
}
