use m1nd_engine::EngineError;
use m1nd_mind::MemoryError;
use m1nd_tools::{ErrorCode, ToolError};

/// Exit code of the process. The table in the manual is generated from this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Success = 0,
    /// An answer without results, or a check with findings.
    Negative = 1,
    /// The command line or the arguments of a tool are invalid, or the command failed.
    Failed = 2,
    /// Nothing is indexed yet: run `m1nd ingest`.
    NoIndex = 3,
    /// A name in the arguments does not exist or is ambiguous.
    NotFound = 4,
    /// Denied: outside the roots, read-only, or another process is writing.
    Refused = 5,
    /// `m1nd doctor` found problems.
    Problems = 6,
    /// `m1nd risk` names files that usually change with the others and did not.
    NotChanged = 7,
    /// A bug in m1nd.
    Internal = 70,
    /// Stopped by the user.
    Cancelled = 130,
}

impl Exit {
    /// Every code with its meaning, for the manual.
    pub(crate) const TABLE: &'static [(Exit, &'static str)] = &[
        (Exit::Success, "done"),
        (Exit::Negative, "nothing found; of `m1nd check`: findings"),
        (Exit::Failed, "invalid arguments, or the command failed"),
        (Exit::NoIndex, "nothing is indexed yet: run `m1nd ingest`"),
        (Exit::NotFound, "a name does not exist or is ambiguous"),
        (Exit::Refused, "denied: outside the roots, read-only, or another process writes"),
        (Exit::Problems, "`m1nd doctor` found problems"),
        (Exit::NotChanged, "`m1nd risk` names files that were probably forgotten"),
        (Exit::Internal, "a bug in m1nd; please report it"),
        (Exit::Cancelled, "stopped by the user"),
    ];
}

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A tool failed.
    #[error("{}", .0.message)]
    Tool(ToolError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The memory engine failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The command line is invalid.
    #[error("{message}")]
    Usage {
        /// What was received and what was expected.
        message: String,
        /// The next step.
        next: String,
    },
    /// An operation outside m1nd's own state failed.
    #[error("{message}")]
    Failed {
        /// The operation and its failure.
        message: String,
        /// The next step.
        next: String,
    },
    /// The folder has no index.
    #[error("nothing is indexed yet for {0}")]
    NoIndex(String),
    /// The answer of a tool has no results; it has been printed.
    #[error("nothing found")]
    NothingFound,
    /// `m1nd check` has findings; they have been printed.
    #[error("{0} findings")]
    Findings(usize),
    /// The doctor found problems; they have been printed.
    #[error("{0} problems found")]
    Problems(usize),
    /// Files that usually change with others did not; they have been printed.
    #[error("{0} files did not change")]
    NotChanged(usize),
    /// `m1nd-fleet` failed with this exit code, and has said why.
    #[error("`m1nd-fleet` failed with exit code {0}")]
    Companion(u8),
    /// The reader of the output closed it. Not an error for the user.
    #[error("the reader closed the output")]
    BrokenPipe,
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(std::io::Error),
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe { Self::BrokenPipe } else { Self::Output(error) }
    }
}

impl CliError {
    /// Creates an error for an invalid command line.
    pub(crate) fn usage(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), next: next.into() }
    }

    /// Creates an error for a failed operation.
    pub(crate) fn fail(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), next: next.into() }
    }

    /// The exit code of the process.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Tool(error) => exit_of(error.code),
            Self::Engine(error) => match error {
                EngineError::PathNotFound(_) => Exit::NotFound,
                EngineError::OutsideRoots { .. } | EngineError::ReadOnly | EngineError::WriterElsewhere => {
                    Exit::Refused
                }
                EngineError::Cancelled => Exit::Cancelled,
                EngineError::WriterStopped | EngineError::Internal(_) => Exit::Internal,
                _ => Exit::Failed,
            },
            Self::Memory(_) | Self::Usage { .. } | Self::Failed { .. } | Self::Companion(_) | Self::Output(_) => {
                Exit::Failed
            }
            Self::NothingFound | Self::Findings(_) => Exit::Negative,
            Self::NoIndex(_) => Exit::NoIndex,
            Self::Problems(_) => Exit::Problems,
            Self::NotChanged(_) => Exit::NotChanged,
            Self::BrokenPipe => Exit::Success,
        }
    }

    /// The numeric exit code of the process. The commands of `mind` have their own table, with 1 for failures.
    pub(crate) fn exit_code(&self, is_memory: bool) -> u8 {
        match self {
            Self::Tool(error) if error.code == ErrorCode::ProjectNotRegistered => 3,
            Self::Memory(MemoryError::NoProject { .. } | MemoryError::NoFile { .. }) => 3,
            Self::Memory(MemoryError::DaemonNotRunning) => 4,
            Self::Memory(error) if error.is_denied() => 5,
            Self::Companion(code) => *code,
            _ if is_memory && self.exit() == Exit::Failed && !self.is_usage() => 1,
            _ => self.exit() as u8,
        }
    }

    /// Whether the command line or an argument is invalid, rather than that the command failed.
    fn is_usage(&self) -> bool {
        match self {
            Self::Usage { .. } | Self::Memory(MemoryError::Invalid(_)) => true,
            Self::Engine(error) => {
                matches!(error, EngineError::NoRoot | EngineError::TooWide(_) | EngineError::BadRequest(_))
            }
            Self::Tool(error) => matches!(
                error.code,
                ErrorCode::InvalidParams
                    | ErrorCode::InvalidArgument
                    | ErrorCode::UnknownTool
                    | ErrorCode::InvalidPattern
                    | ErrorCode::StaleCursor
            ),
            _ => false,
        }
    }

    /// The next step, in one line.
    pub(crate) fn next(&self) -> Option<String> {
        match self {
            Self::Usage { next, .. } | Self::Failed { next, .. } => Some(next.clone()),
            Self::NoIndex(_) => Some("run `m1nd ingest` in the repository first".into()),
            // An index that is being built is waited for.
            Self::Tool(error) if error.code == ErrorCode::EmptyGraph && !error.details().contains_key("linking") => {
                Some("run `m1nd ingest` in the repository first".into())
            }
            Self::Tool(error) => error.next_step_text().map(str::to_owned),
            _ => None,
        }
    }
}

/// The exit code of a tool's error.
pub(crate) fn exit_of(code: ErrorCode) -> Exit {
    match code {
        ErrorCode::EmptyGraph => Exit::NoIndex,
        ErrorCode::NodeNotFound
        | ErrorCode::AmbiguousNode
        | ErrorCode::FileNotFound
        | ErrorCode::RevisionNotFound
        | ErrorCode::PreviewNotFound
        | ErrorCode::HandleUnknown
        | ErrorCode::LayerNotFound
        | ErrorCode::RouteNotFound => Exit::NotFound,
        ErrorCode::OutsideWorkspace
        | ErrorCode::ReadOnly
        | ErrorCode::Busy
        | ErrorCode::HandleNotYours
        | ErrorCode::SourceModified
        | ErrorCode::WriteRefused => Exit::Refused,
        ErrorCode::Cancelled => Exit::Cancelled,
        ErrorCode::Internal => Exit::Internal,
        _ => Exit::Failed,
    }
}
