use m1nd_base::show_hidden;
use m1nd_store::StoreError;
use tokio_postgres::error::SqlState;

/// Error of a command about a team's memories. No message contains a password or a connection string.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The connection settings cannot be used.
    #[error("the connection settings cannot be used: {0}")]
    Settings(String),
    /// The database cannot be reached, or ended the connection, more often than is retried.
    #[error("the database cannot be reached after {attempts} attempts: {detail}")]
    Offline {
        /// Attempts that were made.
        attempts: u32,
        /// The last failure.
        detail: String,
    },
    /// The database refused a statement.
    #[error("the database refused: {message} ({code})")]
    Refused {
        /// SQLSTATE.
        code: String,
        /// Message of the server, with hidden characters made visible.
        message: String,
    },
    /// The schema of the database does not fit this program.
    #[error("{0}")]
    Schema(String),
    /// The login is not a member of the team.
    #[error("{0}")]
    NotMember(String),
    /// The arguments, or the text they are about.
    #[error("{0}")]
    Invalid(String),
    /// A file operation failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TeamError {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Settings(_) => "connection_settings",
            Self::Offline { .. } => "offline",
            Self::Refused { .. } => "database_refused",
            Self::Schema(_) => "schema",
            Self::NotMember(_) => "not_member",
            Self::Invalid(_) => "invalid",
            Self::Store(error) => error.code(),
        }
    }

    /// The next step, in one line.
    pub fn next(&self) -> &'static str {
        match self {
            Self::Settings(_) => {
                "set M1ND_TEAM_DATABASE to postgres://LOGIN@HOST/DATABASE, and the password in M1ND_TEAM_PASSWORD"
            }
            Self::Offline { .. } => "nothing is lost: what was to be sent is queued; run the command again later",
            Self::Refused { .. } => "check the login and its rights with the owner of the database",
            Self::Schema(_) => "let the owner of the database run `m1nd team init` with the newest m1nd of the team",
            Self::NotMember(_) => "let the owner of the database run `m1nd team init --team NAME --member LOGIN:write`",
            Self::Invalid(_) => "correct the arguments; `m1nd team --help` lists them",
            Self::Store(_) => "correct the reason and run the command again",
        }
    }
}

/// Whether a failed attempt is worth another one.
pub(crate) enum Failure {
    /// The connection ended or the server is restarting; whether the statement took effect is unknown.
    Transient(String),
    /// Another attempt would fail alike.
    Final(TeamError),
    /// The server refused the content of a row, which says nothing of other rows.
    Content(TeamError),
}

impl From<TeamError> for Failure {
    fn from(error: TeamError) -> Self {
        Self::Final(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(refused) = error.as_db_error() else { return Self::of_connection(&error) };
        let code = refused.code().clone();
        let message = show_hidden(refused.message()).into_owned();
        if is_transient(&code) {
            return Self::Transient(format!("{message} ({})", code.code()));
        }
        let error = TeamError::Refused { code: code.code().to_owned(), message };
        match &code.code()[..2] {
            // Data exception; integrity constraint violation.
            "22" | "23" => Self::Content(error),
            _ => Self::Final(error),
        }
    }
}

impl Failure {
    /// A failure without an answer of the server. Settings that can never work are final.
    fn of_connection(error: &tokio_postgres::Error) -> Self {
        // The cause says what happened; neither contains settings.
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        let detail = show_hidden(&format!("{error}{cause}")).into_owned();
        let is_final = ["invalid configuration", "password missing", "authentication"];
        match is_final.iter().any(|word| detail.contains(word)) {
            true => Self::Final(TeamError::Settings(detail)),
            false => Self::Transient(detail),
        }
    }
}

/// Returns whether the server, not the statement, was the reason.
fn is_transient(code: &SqlState) -> bool {
    const CODES: &[SqlState] = &[
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::DISK_FULL,
        SqlState::OUT_OF_MEMORY,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    CODES.contains(code) || code.code().starts_with("08")
}
