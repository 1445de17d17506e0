//! Statements of a member. Each names the team; row-level security lets no other through.

use std::collections::BTreeMap;

use jiff::civil::Date;
use m1nd_base::show_hidden;
use m1nd_search::embedding::Embedding;
use serde::{Deserialize, Serialize};
use tokio_postgres::{Row, Transaction};

use crate::connection::{Connected, Settings};
use crate::error::Failure;
use crate::text::Received;
use crate::{Entry, EntryId, EntryKind, Operation, RemoteState, TeamError, schema};

/// Maximum number of memories of one repository that an exchange compares.
const MAX_STATES: usize = 100_000;
/// Memories that are fetched at once.
const MAX_FETCHED: usize = 500;
/// Memories of a team up to which a search ranks all of them here.
const MAX_RANKED: i64 = 5_000;
/// Memories that the server finds by words, and by vectors, to be ranked here.
const MAX_CANDIDATES: i64 = 500;
/// Memories that a list of what waits shows.
const MAX_WAITING: i64 = 1_000;
/// Columns of a memory.
const COLUMNS: &str = "m.id, m.repository, m.kind, m.about, m.title, m.line, m.reason, m.day::text, m.author::text, \
                       (m.at AT TIME ZONE 'UTC')::date::text";
/// A memory is there if its largest generation is odd; without a change it is 1.
const GENERATION: &str =
    "(SELECT coalesce(max(c.generation), 1) FROM m1nd.change c WHERE c.team = m.team AND c.memory = m.id)";
/// It may be written into a clone.
const RELEASED: &str = "(NOT t.needs_approval OR m.author = session_user OR \
                        EXISTS (SELECT FROM m1nd.approval a WHERE a.team = m.team AND a.memory = m.id))";

/// What a member may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Read memories.
    Read,
    /// Also write them.
    Write,
    /// Also approve those of others.
    Approve,
}

impl Level {
    /// All levels, the lowest first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Approve];

    /// The name in arguments and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Approve => "approve",
        }
    }

    /// The number in the database.
    pub(crate) const fn number(self) -> i16 {
        match self {
            Self::Read => 1,
            Self::Write => 2,
            Self::Approve => 3,
        }
    }
}

/// A team as its member sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TeamRow {
    /// Its name.
    pub name: String,
    /// Login of the session.
    pub login: String,
    /// What the login may do.
    pub level: Level,
    /// Whether memories of others need an approval before they are written into a clone.
    pub needs_approval: bool,
    /// Row-level security does not hold for this login: it owns the tables, or is a superuser.
    pub bypasses_row_security: bool,
}

/// A memory that nobody approved yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Its identity.
    pub id: EntryId,
    /// Its repository.
    pub repository: String,
    /// Its kind.
    pub kind: EntryKind,
    /// Its line.
    pub line: String,
    /// Who sent it.
    pub author: String,
    /// The day on which the database took it (UTC).
    pub stored: Date,
}

/// What a search looks for.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    /// The question.
    pub text: String,
    /// Only this repository.
    pub repository: Option<String>,
    /// Only these kinds; empty for all.
    pub kinds: Vec<EntryKind>,
    /// Also memories that nobody approved.
    pub with_waiting: bool,
}

/// A memory that a search may return.
pub(crate) struct Candidate {
    pub(crate) received: Received,
    pub(crate) is_approved: bool,
}

/// A connection of a member.
pub(crate) struct Remote {
    connected: Connected,
    team: i64,
    pub(crate) row: TeamRow,
    /// The schema of pgvector, if word vectors are stored.
    vectors: Option<String>,
}

impl Remote {
    /// Connects, checks the schema, and finds the team.
    pub(crate) async fn open(settings: &Settings, team: &str) -> Result<Self, Failure> {
        let connected = settings.connect().await?;
        schema::check(&connected.client).await?;
        let find = "SELECT t.id, t.needs_approval, session_user::text, m.level, \
                    NOT row_security_active('m1nd.memory') \
                    FROM m1nd.team t JOIN m1nd.member m ON m.team = t.id AND m.login = session_user WHERE t.name = $1";
        let Some(found) = connected.client.query_opt(find, &[&team]).await? else {
            return Err(explain_missing_team(&connected, team).await?.into());
        };
        let number: i16 = found.get(3);
        let level = Level::ALL.into_iter().find(|level| level.number() == number).unwrap_or(Level::Read);
        let row = TeamRow {
            name: team.to_owned(),
            login: found.get(2),
            level,
            needs_approval: found.get(1),
            bypasses_row_security: found.get(4),
        };
        let may_use = "SELECT CASE WHEN to_regclass('m1nd.memory_vector') IS NULL THEN false \
                       ELSE has_table_privilege('m1nd.memory_vector', 'SELECT') END";
        let vectors = match connected.client.query_one(may_use, &[]).await?.get(0) {
            true => connected.client.query_opt(schema::VECTOR_SCHEMA, &[]).await?.map(|row| row.get(0)),
            false => None,
        };
        Ok(Self { team: found.get(0), row, vectors, connected })
    }

    /// Stores operations, all or none. What is there already stays as it is.
    pub(crate) async fn send(&mut self, operations: &[Operation]) -> Result<(), Failure> {
        let (team, vectors) = (self.team, self.vectors.clone());
        let transaction = self.connected.client.transaction().await?;
        let entries: Vec<&Entry> = operations.iter().filter_map(memory_of).collect();
        insert_memories(&transaction, team, &entries).await?;
        if let Some(schema) = vectors {
            insert_vectors(&transaction, team, &entries, &schema).await?;
        }
        let changes = operations.iter().filter_map(|operation| match operation {
            Operation::Change { id, generation } => Some((id.as_bytes(), generation.cast_signed())),
            Operation::Memory { .. } => None,
        });
        let (ids, generations): (Vec<&[u8]>, Vec<i32>) = changes.unzip();
        if !ids.is_empty() {
            let insert = "INSERT INTO m1nd.change (team, memory, generation) \
                          SELECT $1, * FROM unnest($2::bytea[], $3::int[]) ON CONFLICT DO NOTHING";
            transaction.execute(insert, &[&team, &ids, &generations]).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// All memories of a repository.
    pub(crate) async fn read_states(&mut self, repository: &str) -> Result<BTreeMap<EntryId, RemoteState>, Failure> {
        let select = format!(
            "SELECT m.id, {GENERATION}, {RELEASED} FROM m1nd.memory m JOIN m1nd.team t ON t.id = m.team \
             WHERE m.team = $1 AND m.repository = $2 ORDER BY m.id LIMIT $3"
        );
        let rows = self.connected.client.query(&select, &[&self.team, &repository, &(MAX_STATES as i64 + 1)]).await?;
        if rows.len() > MAX_STATES {
            let why = format!("`{repository}` has more than {MAX_STATES} memories, which is not supported");
            return Err(TeamError::Invalid(why).into());
        }
        let state = |row: &Row| {
            let id = EntryId::from_bytes(row.get(0))?;
            let generation: i32 = row.get(1);
            Some((id, RemoteState { generation: generation.cast_unsigned(), is_released: row.get(2) }))
        };
        Ok(rows.iter().filter_map(state).collect())
    }

    /// Memories by identity. What does not have the form of a memory is left out.
    pub(crate) async fn read_memories(&mut self, ids: &[EntryId]) -> Result<Vec<Received>, Failure> {
        let select = format!("SELECT {COLUMNS} FROM m1nd.memory m WHERE m.team = $1 AND m.id = ANY($2) ORDER BY m.id");
        let mut all = Vec::new();
        for ids in ids.chunks(MAX_FETCHED) {
            let ids: Vec<&[u8]> = ids.iter().map(EntryId::as_bytes).collect();
            let rows = self.connected.client.query(&select, &[&self.team, &ids]).await?;
            all.extend(rows.iter().filter_map(to_received));
        }
        Ok(all)
    }

    /// Memories whose identity begins with these digits; at most two.
    pub(crate) async fn find_ids(&mut self, digits: &str) -> Result<Vec<(EntryId, u32)>, Failure> {
        let select = format!(
            "SELECT m.id, {GENERATION} FROM m1nd.memory m WHERE m.team = $1 AND encode(m.id, 'hex') LIKE $2 LIMIT 2"
        );
        let rows = self.connected.client.query(&select, &[&self.team, &format!("{digits}%")]).await?;
        let row = |row: &Row| Some((EntryId::from_bytes(row.get(0))?, row.get::<_, i32>(1).cast_unsigned()));
        Ok(rows.iter().filter_map(row).collect())
    }

    /// Memories that nobody approved, the oldest first.
    pub(crate) async fn read_waiting(&mut self, repository: Option<&str>) -> Result<Vec<Waiting>, Failure> {
        let select = format!(
            "SELECT {COLUMNS} FROM m1nd.memory m JOIN m1nd.team t ON t.id = m.team WHERE m.team = $1 \
             AND ($2::text IS NULL OR m.repository = $2) AND t.needs_approval AND {GENERATION} % 2 = 1 \
             AND NOT EXISTS (SELECT FROM m1nd.approval a WHERE a.team = m.team AND a.memory = m.id) \
             ORDER BY m.at, m.id LIMIT $3"
        );
        let rows = self.connected.client.query(&select, &[&self.team, &repository, &MAX_WAITING]).await?;
        let waiting = |received: Received| Waiting {
            id: received.entry.id,
            repository: show_hidden(&received.entry.repository).into_owned(),
            kind: received.entry.kind,
            line: show_hidden(&received.entry.line).into_owned(),
            author: show_hidden(&received.author).into_owned(),
            stored: received.stored,
        };
        Ok(rows.iter().filter_map(to_received).map(waiting).collect())
    }

    /// Approves memories.
    pub(crate) async fn approve(&mut self, ids: &[EntryId]) -> Result<u64, Failure> {
        let ids: Vec<&[u8]> = ids.iter().map(EntryId::as_bytes).collect();
        let insert = "INSERT INTO m1nd.approval (team, memory) SELECT $1, * FROM unnest($2::bytea[]) \
                      ON CONFLICT DO NOTHING";
        Ok(self.connected.client.execute(insert, &[&self.team, &ids]).await?)
    }

    /// Counts of the team: memories, repositories, memories that wait.
    pub(crate) async fn count(&mut self) -> Result<[i64; 3], Failure> {
        let select = "SELECT count(*), count(DISTINCT repository), \
                      count(*) FILTER (WHERE t.needs_approval AND NOT EXISTS \
                      (SELECT FROM m1nd.approval a WHERE a.team = m.team AND a.memory = m.id)) \
                      FROM m1nd.memory m JOIN m1nd.team t ON t.id = m.team WHERE m.team = $1";
        let row = self.connected.client.query_one(select, &[&self.team]).await?;
        Ok([row.get(0), row.get(1), row.get(2)])
    }

    /// Memories that may answer a question: all of a small team, else those that the server finds by words and vectors.
    /// Returns with them how they were found.
    pub(crate) async fn find_candidates(&mut self, query: &SearchQuery) -> Result<(Vec<Candidate>, FoundBy), Failure> {
        // 1. All of a small team.
        let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.name()).collect();
        let is_small = self.count().await?[0] <= MAX_RANKED;
        let filter = format!(
            "FROM m1nd.memory m JOIN m1nd.team t ON t.id = m.team WHERE m.team = $1 \
             AND ($2::text IS NULL OR m.repository = $2) AND (cardinality($3::text[]) = 0 OR m.kind = ANY($3)) \
             AND {GENERATION} % 2 = 1 AND ($4 OR {RELEASED})"
        );
        let select = format!("SELECT {COLUMNS}, {RELEASED} {filter}");
        let mut found = BTreeMap::new();
        let arguments: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&self.team, &query.repository, &kinds, &query.with_waiting];
        if is_small {
            let rows = self.connected.client.query(&format!("{select} ORDER BY m.id"), &arguments).await?;
            rows.iter().filter_map(to_candidate).for_each(|found_one| insert(&mut found, found_one));
            return Ok((found.into_values().collect(), FoundBy::All));
        }
        // 2. Of a large one those with words of the question.
        let [team, repository, kinds, with_waiting] = arguments;
        let words = write_tsquery(&query.text);
        let by_words = format!(
            "{select} AND m.search @@ to_tsquery('simple', $5) \
             ORDER BY ts_rank_cd(m.search, to_tsquery('simple', $5)) DESC, m.id LIMIT $6"
        );
        let arguments = [team, repository, kinds, with_waiting, &words, &MAX_CANDIDATES];
        let rows = self.connected.client.query(&by_words, &arguments).await?;
        rows.iter().filter_map(to_candidate).for_each(|found_one| insert(&mut found, found_one));
        // 3. And those in its direction.
        let Some(schema) = &self.vectors else { return Ok((found.into_values().collect(), FoundBy::Words)) };
        let direction = write_direction(&query.text);
        let by_vector = format!(
            "{select} AND m.id IN (SELECT v.memory FROM m1nd.memory_vector v WHERE v.team = $1 AND v.model = $5 \
             ORDER BY v.direction OPERATOR({schema}.<=>) $6::text::{schema}.vector LIMIT $7) ORDER BY m.id"
        );
        let model = model_name();
        let arguments = [team, repository, kinds, with_waiting, &model, &direction, &MAX_CANDIDATES];
        let rows = self.connected.client.query(&by_vector, &arguments).await?;
        rows.iter().filter_map(to_candidate).for_each(|found_one| insert(&mut found, found_one));
        Ok((found.into_values().collect(), FoundBy::WordsAndVectors))
    }
}

/// How the candidates of a search were found, before they were ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// All memories of the team were compared with the question.
    All,
    /// The server compared words; memories of like meaning in other words may be missing.
    Words,
    /// The server compared words and word vectors (pgvector).
    WordsAndVectors,
}

fn insert(found: &mut BTreeMap<EntryId, Candidate>, candidate: Candidate) {
    found.entry(candidate.received.entry.id).or_insert(candidate);
}

/// Why a team was not found: the teams of this login.
async fn explain_missing_team(connected: &Connected, team: &str) -> Result<TeamError, Failure> {
    let select = "SELECT t.name FROM m1nd.team t JOIN m1nd.member m ON m.team = t.id AND m.login = session_user \
                  ORDER BY t.name LIMIT 20";
    let rows = connected.client.query(select, &[]).await?;
    let names: Vec<String> = rows.iter().map(|row| show_hidden(row.get(0)).into_owned()).collect();
    let team = show_hidden(team);
    let teams = if names.is_empty() { "no team".to_owned() } else { format!("`{}`", names.join("`, `")) };
    Ok(TeamError::NotMember(format!("this login is not a member of the team `{team}`; it belongs to {teams}")))
}

fn memory_of(operation: &Operation) -> Option<&Entry> {
    match operation {
        Operation::Memory { entry } => Some(entry),
        Operation::Change { .. } => None,
    }
}

async fn insert_memories(transaction: &Transaction<'_>, team: i64, entries: &[&Entry]) -> Result<(), Failure> {
    if entries.is_empty() {
        return Ok(());
    }
    let column = |value: fn(&Entry) -> String| entries.iter().map(|entry| value(entry)).collect::<Vec<String>>();
    let ids: Vec<&[u8]> = entries.iter().map(|entry| entry.id.as_bytes()).collect();
    let abouts: Vec<Option<&[u8]>> = entries.iter().map(|entry| entry.about.as_ref().map(EntryId::as_bytes)).collect();
    let days: Vec<Option<String>> = entries.iter().map(|entry| entry.day.map(|day| day.to_string())).collect();
    let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind.name()).collect();
    let repositories = column(|entry| entry.repository.clone());
    let titles = column(|entry| entry.title.clone());
    let lines = column(|entry| entry.line.clone());
    let reasons = column(|entry| entry.reason.clone());
    let words = column(Entry::words);
    let insert = "INSERT INTO m1nd.memory (team, id, repository, kind, about, title, line, reason, words, day) \
                  SELECT $1, e.id, e.repository, e.kind, e.about, e.title, e.line, e.reason, e.words, e.day::date \
                  FROM unnest($2::bytea[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::text[], \
                  $9::text[], $10::text[]) \
                  AS e (id, repository, kind, about, title, line, reason, words, day) \
                  ORDER BY e.id ON CONFLICT (team, id) DO NOTHING";
    let arguments: [&(dyn tokio_postgres::types::ToSql + Sync); 10] =
        [&team, &ids, &repositories, &kinds, &abouts, &titles, &lines, &reasons, &words, &days];
    transaction.execute(insert, &arguments).await?;
    Ok(())
}

/// Vectors of own memories; those of others have theirs.
async fn insert_vectors(
    transaction: &Transaction<'_>,
    team: i64,
    entries: &[&Entry],
    schema: &str,
) -> Result<(), Failure> {
    let ids: Vec<&[u8]> = entries.iter().map(|entry| entry.id.as_bytes()).collect();
    let directions: Vec<String> = entries.iter().map(|entry| write_direction(&entry.line)).collect();
    let insert = format!(
        "INSERT INTO m1nd.memory_vector (team, memory, model, direction) \
         SELECT $1, e.id, $4, e.direction::{schema}.vector FROM unnest($2::bytea[], $3::text[]) \
         AS e (id, direction) JOIN m1nd.memory m ON m.team = $1 AND m.id = e.id AND m.author = session_user \
         ORDER BY e.id ON CONFLICT DO NOTHING"
    );
    transaction.execute(&insert, &[&team, &ids, &directions, &model_name()]).await?;
    Ok(())
}

/// Name of the built-in table of words.
fn model_name() -> String {
    format!("m1nd-{:016x}", Embedding::built_in().id())
}

/// The direction of a text, as pgvector reads it.
fn write_direction(text: &str) -> String {
    let vector = Embedding::built_in().of_text(text, |_| 1.0);
    let values: Vec<String> = vector.values().iter().map(ToString::to_string).collect();
    format!("[{}]", values.join(","))
}

/// The words of a question; any of them may occur.
fn write_tsquery(text: &str) -> String {
    let mut terms = Vec::new();
    m1nd_search::words::terms(text, |term| {
        let quoted = term.replace('\\', "\\\\").replace('\'', "''");
        terms.push(format!("'{quoted}'"));
    });
    terms.sort();
    terms.dedup();
    terms.join(" | ")
}

/// A memory of a row; `None` if it does not have the form of one, which only handwritten SQL can store.
fn to_received(row: &Row) -> Option<Received> {
    let kind = EntryKind::from_name(row.get(2))?;
    let about: Option<&[u8]> = row.get(3);
    let about = match about {
        Some(bytes) => Some(EntryId::from_bytes(bytes)?),
        None => None,
    };
    let day: Option<String> = row.get(7);
    let entry = Entry {
        id: EntryId::from_bytes(row.get(0))?,
        repository: row.get(1),
        kind,
        about,
        title: row.get(4),
        line: row.get(5),
        reason: row.get(6),
        // PostgreSQL has days that calendars of ours do not.
        day: day.and_then(|day| day.parse().ok()),
    };
    let stored: String = row.get(9);
    Some(Received { entry, author: row.get(8), stored: stored.parse().ok()? })
}

fn to_candidate(row: &Row) -> Option<Candidate> {
    Some(Candidate { received: to_received(row)?, is_approved: row.get(10) })
}
