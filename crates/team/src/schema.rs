//! The schema of the database: numbered migrations, each recorded in a table, under a lock of the whole database.

use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::connection::Settings;
use crate::error::Failure;
use crate::remote::Level;
use crate::{Patience, TeamError};

/// The migrations, in order. One that was released is never changed.
const MIGRATIONS: &[(&str, &str)] = &[
    ("teams_and_memories", include_str!("schema/0001_teams_and_memories.sql")),
    ("search_by_words", include_str!("schema/0002_search_by_words.sql")),
];
/// Version of the schema that this program knows: the number of its migrations.
pub const SCHEMA_VERSION: i32 = MIGRATIONS.len() as i32;
/// Rights of a member, with `{login}` for the quoted name.
const GRANT: &str = include_str!("schema/grant.sql");
/// Tables of word vectors, with `{schema}` for that of pgvector.
const VECTORS: &str = include_str!("schema/vectors.sql");
/// The schema of pgvector's types and operators, quoted.
pub(crate) const VECTOR_SCHEMA: &str = "SELECT quote_ident(nspname) FROM pg_extension \
                                        JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'";
/// Number of the advisory lock that is held during migrations: "m1ndteam".
const LOCK: i64 = 0x6d31_6e64_7465_616d;

/// Wait between two attempts to set up a database.
const WAIT: Duration = Duration::from_millis(500);

/// What `init` is to set up beside the schema.
#[derive(Clone, Debug, Default)]
pub struct InitRequest {
    /// A team to be created, if there is none of this name.
    pub team: Option<String>,
    /// Logins and their levels in the team.
    pub members: Vec<(String, Level)>,
    /// Logins to remove from the team.
    pub leavers: Vec<String>,
    /// Whether memories need an approval; `None` to leave it, at first they do.
    pub needs_approval: Option<bool>,
}

/// What `init` did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct InitAnswer {
    /// Numbers and names of the migrations that were applied now.
    pub applied: Vec<String>,
    /// Version of the schema.
    pub version: i32,
    /// The server has pgvector, and a table for word vectors was created.
    pub has_vectors: bool,
    /// The team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// Brings the schema up to date, and sets up a team. For the owner of the database; again changes nothing.
///
/// # Errors
/// [`TeamError::Schema`] for a newer or changed schema; [`TeamError::Refused`]; [`TeamError::Offline`].
pub fn init(settings: &Settings, request: &InitRequest, patience: Patience) -> Result<InitAnswer, TeamError> {
    let begin = Instant::now();
    crate::session::block_on(async {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match try_init(settings, request).await {
                Ok(answer) => return Ok(answer),
                Err(Failure::Final(error) | Failure::Content(error)) => return Err(error),
                Err(Failure::Transient(detail))
                    if attempts >= patience.max_attempts || begin.elapsed() + WAIT > patience.max_time =>
                {
                    return Err(TeamError::Offline { attempts, detail });
                }
                Err(Failure::Transient(_)) => tokio::time::sleep(WAIT).await,
            }
        }
    })?
}

async fn try_init(settings: &Settings, request: &InitRequest) -> Result<InitAnswer, Failure> {
    let mut connected = settings.connect().await?;
    let client = &mut connected.client;
    // Given back when the connection ends.
    client.execute("SELECT pg_catalog.pg_advisory_lock($1)", &[&LOCK]).await?;
    let applied = migrate(client, SCHEMA_VERSION).await?;
    let has_vectors = add_vectors(client).await?;
    if let Some(team) = &request.team {
        set_up_team(client, team, request, has_vectors).await?;
    } else if !request.members.is_empty() || !request.leavers.is_empty() || request.needs_approval.is_some() {
        return Err(TeamError::Invalid("members and approval belong to a team; name it with --team".to_owned()).into());
    }
    Ok(InitAnswer { applied, version: SCHEMA_VERSION, has_vectors, team: request.team.clone() })
}

/// Applies the migrations up to a number, each in a transaction with its row.
async fn migrate(client: &mut Client, up_to: i32) -> Result<Vec<String>, Failure> {
    let known = read_applied(client).await?;
    check_applied(&known)?;
    let mut applied = Vec::new();
    for (number, (name, sql)) in (1..=up_to).zip(MIGRATIONS).skip(known.len()) {
        let transaction = client.transaction().await?;
        transaction.batch_execute(sql).await?;
        let row = "INSERT INTO m1nd.migration (number, name, checksum) VALUES ($1, $2, $3)";
        transaction.execute(row, &[&number, name, &checksum(sql)]).await?;
        transaction.commit().await?;
        applied.push(format!("{number:04}_{name}"));
    }
    Ok(applied)
}

/// The applied migrations in order: number and checksum. None without a schema.
async fn read_applied(client: &Client) -> Result<Vec<(i32, String)>, Failure> {
    let there = client.query_one("SELECT pg_catalog.to_regclass('m1nd.migration') IS NOT NULL", &[]).await?;
    if !there.get::<_, bool>(0) {
        return Ok(Vec::new());
    }
    let rows = client.query("SELECT number, checksum FROM m1nd.migration ORDER BY number", &[]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Refuses a schema of a newer program, and one that was changed by hand.
fn check_applied(applied: &[(i32, String)]) -> Result<(), TeamError> {
    let newest = applied.last().map_or(0, |(number, _)| *number);
    if newest > SCHEMA_VERSION {
        let why =
            format!("the schema has version {newest}, this m1nd knows versions up to {SCHEMA_VERSION}; update m1nd");
        return Err(TeamError::Schema(why));
    }
    for ((number, found), (expected, (name, sql))) in applied.iter().zip((1..).zip(MIGRATIONS)) {
        if *number != expected || *found != checksum(sql) {
            let why =
                format!("migration {expected:04}_{name} was applied in another form; the schema was left as it is");
            return Err(TeamError::Schema(why));
        }
    }
    Ok(())
}

/// Refuses a schema that does not fit this program; for members, who cannot change it.
pub(crate) async fn check(client: &Client) -> Result<(), Failure> {
    let applied = match read_applied(client).await {
        // A login without rights on the schema.
        Err(Failure::Final(TeamError::Refused { code, .. })) if code == "42501" => {
            let why = "this login is not a member of a team".to_owned();
            return Err(TeamError::NotMember(why).into());
        }
        applied => applied?,
    };
    check_applied(&applied)?;
    if applied.len() < MIGRATIONS.len() {
        let why = match applied.len() {
            0 => "the database has no memories of teams".to_owned(),
            old => format!("the schema has version {old}, this m1nd needs version {SCHEMA_VERSION}"),
        };
        return Err(TeamError::Schema(why).into());
    }
    Ok(())
}

/// Adds the table of word vectors where the server has pgvector and the login may install it.
async fn add_vectors(client: &mut Client) -> Result<bool, Failure> {
    let available = "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')";
    if !client.query_one(available, &[]).await?.get::<_, bool>(0) {
        return Ok(false);
    }
    let transaction = client.transaction().await?;
    match transaction.batch_execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA m1nd").await.map_err(Failure::from) {
        Ok(()) => {}
        Err(Failure::Final(TeamError::Refused { .. })) => return Ok(false),
        Err(other) => return Err(other),
    }
    let schema: String = transaction.query_one(VECTOR_SCHEMA, &[]).await?.get(0);
    transaction.batch_execute(&VECTORS.replace("{schema}", &schema)).await?;
    for member in transaction.query("SELECT DISTINCT quote_ident(login) FROM m1nd.member", &[]).await? {
        transaction.batch_execute(&grant_vectors(member.get(0))).await?;
    }
    transaction.commit().await?;
    Ok(true)
}

/// Creates a team, sets its members and what they may do.
async fn set_up_team(client: &mut Client, team: &str, request: &InitRequest, has_vectors: bool) -> Result<(), Failure> {
    // 1. The team.
    let transaction = client.transaction().await?;
    let create = "INSERT INTO m1nd.team (name) VALUES ($1) ON CONFLICT (name) DO NOTHING";
    transaction.execute(create, &[&team]).await?;
    let row = transaction.query_one("SELECT id FROM m1nd.team WHERE name = $1", &[&team]).await?;
    let id: i64 = row.get(0);
    if let Some(needs_approval) = request.needs_approval {
        let set = "UPDATE m1nd.team SET needs_approval = $2 WHERE id = $1";
        transaction.execute(set, &[&id, &needs_approval]).await?;
    }
    // 2. Members and their rights, then those who leave.
    for (login, level) in &request.members {
        let quoted = "SELECT quote_ident(rolname) FROM pg_roles WHERE rolname::text = $1 AND rolcanlogin";
        let Some(row) = transaction.query_opt(quoted, &[login]).await? else {
            let why = format!("the server has no login `{login}`; create it first");
            return Err(TeamError::Invalid(why).into());
        };
        let quoted: String = row.get(0);
        transaction.batch_execute(&GRANT.replace("{login}", &quoted)).await?;
        if has_vectors {
            transaction.batch_execute(&grant_vectors(&quoted)).await?;
        }
        let add = "INSERT INTO m1nd.member (team, login, level) VALUES ($1, $2::text::name, $3) \
                   ON CONFLICT (team, login) DO UPDATE SET level = excluded.level";
        transaction.execute(add, &[&id, login, &level.number()]).await?;
    }
    for login in &request.leavers {
        let remove = "DELETE FROM m1nd.member WHERE team = $1 AND login = $2::text::name";
        transaction.execute(remove, &[&id, login]).await?;
    }
    Ok(transaction.commit().await?)
}

/// Rights on word vectors, for a quoted login.
fn grant_vectors(quoted: &str) -> String {
    format!("GRANT SELECT, INSERT ON m1nd.memory_vector TO {quoted}")
}

fn checksum(sql: &str) -> String {
    blake3::hash(sql.as_bytes()).to_hex().to_string()
}
