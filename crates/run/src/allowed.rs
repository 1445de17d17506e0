//! The commands that a person allowed for a project.

use std::fmt;
use std::path::{Path, PathBuf};

use m1nd_base::RepoPath;
use m1nd_store::StoreError;
use m1nd_vfs::Root;
use serde::{Deserialize, Serialize};

/// File at the top of a repository in which it may propose commands.
pub const PROPOSALS_FILE: &str = "m1nd.toml";
/// Most commands of a project.
pub const MAX_COMMANDS: usize = 20;
/// Bytes read of a file of settings.
pub(crate) const MAX_FILE: u64 = 256 << 10;
/// Seconds that a command may run, if nothing else is said.
const DEFAULT_TIMEOUT_S: u64 = 300;
/// Most seconds that a command may be given.
const MAX_TIMEOUT_S: u64 = 3_600;

/// What a command checks. All that compile run before those that test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckKind {
    /// That the project compiles, or passes its type checker.
    Compile,
    /// That tests pass.
    Test,
}

impl CheckKind {
    /// The word in settings and answers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Test => "test",
        }
    }
}

/// A command of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// What it checks.
    pub kind: CheckKind,
    /// The program and its arguments. Arguments may be `{tests}`, `{files}`, `{dirs}` and `{test_names}`, and contain
    /// `{report}`.
    pub argv: Vec<String>,
    /// The folder in which it runs, absolute, inside a root of the project. In a proposal it is the top.
    #[serde(default)]
    pub dir: PathBuf,
    /// Seconds after which it is ended, from 1 to 3 600.
    #[serde(default = "default_timeout")]
    pub timeout_s: u64,
    /// Names of variables of the environment that it gets besides the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Marks of the repository that it is allowed for. Set when it is allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repository: Vec<String>,
}

const fn default_timeout() -> u64 {
    DEFAULT_TIMEOUT_S
}

impl Allowed {
    /// A command with the usual time.
    pub fn new(kind: CheckKind, argv: Vec<String>, dir: PathBuf) -> Self {
        Self { kind, argv, dir, timeout_s: DEFAULT_TIMEOUT_S, env: Vec::new(), repository: Vec::new() }
    }

    /// Returns whether both are the same permission, for whatever repository.
    fn is_same(&self, other: &Self) -> bool {
        let Self { kind, argv, dir, timeout_s, env, repository: _ } = self;
        (*kind, argv, dir, *timeout_s, env) == (other.kind, &other.argv, &other.dir, other.timeout_s, &other.env)
    }

    /// The command as it is shown: arguments with spaces or quotes are quoted as in JSON.
    pub fn show_command(&self) -> String {
        let is_plain = |word: &str| {
            !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control() || "\"'\\$`".contains(c))
        };
        let word = |word: &String| if is_plain(word) { word.clone() } else { format!("{word:?}") };
        self.argv.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn check(&self) -> Result<(), AllowError> {
        if self.argv.first().is_none_or(String::is_empty) {
            return Err(AllowError::Empty);
        }
        if !(1..=MAX_TIMEOUT_S).contains(&self.timeout_s) {
            return Err(AllowError::Timeout { given: self.timeout_s });
        }
        Ok(())
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show_command())
    }
}

/// The file of settings: `[[verify.command]]` tables.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Settings {
    #[serde(default)]
    pub(crate) verify: Verify,
    #[serde(default)]
    pub(crate) write: Write,
}

/// Files that other programs run or trust, and that a person allowed to be written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Write {
    #[serde(default)]
    pub(crate) path: Vec<AllowedPath>,
}

/// A file, or a folder with all that is in it, that may be written although other programs run or trust it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedPath {
    /// The absolute path, with a slash at its end if all below it is meant.
    pub path: String,
    /// Marks of the repository that it is allowed for. Set when it is allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repository: Vec<String>,
}

impl AllowedPath {
    /// Returns whether it allows a path.
    pub(crate) fn covers(&self, path: &str) -> bool {
        if self.path.ends_with('/') { path.starts_with(&self.path) } else { path == self.path }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Verify {
    #[serde(default)]
    pub(crate) command: Vec<Allowed>,
}

impl Verify {
    /// Returns whether this permission is among them.
    pub(crate) fn has(&self, command: &Allowed) -> bool {
        self.command.iter().any(|known| known.is_same(command) && known.repository == command.repository)
    }
}

/// Why a command is not allowed, or the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AllowError {
    /// No program was named.
    #[error("no program was named; expected one with its arguments")]
    Empty,
    /// The time limit is out of range.
    #[error("a command may run for {given} seconds; expected 1 to {MAX_TIMEOUT_S}")]
    Timeout {
        /// The given number.
        given: u64,
    },
    /// There are as many as there can be.
    #[error("{MAX_COMMANDS} are allowed already; remove one first")]
    TooMany,
    /// It is allowed already.
    #[error("it is allowed already")]
    Known,
    /// There is no command of this number.
    #[error("there is no number {given}; there are {count}")]
    Unknown {
        /// The given number, from 1.
        given: usize,
        /// Number of commands.
        count: usize,
    },
    /// The folder is outside of the project.
    #[error("`{}` is outside of the project; expected a path inside of it", .dir.display())]
    Outside {
        /// The folder.
        dir: PathBuf,
    },
    /// The state of the project is inside of the repository, which could bring its own settings.
    #[error("`{}` is inside of the repository, so its settings are not trusted; set M1ND_HOME to another folder", .file.display())]
    InRepository {
        /// The file of settings.
        file: PathBuf,
    },
    /// The settings cannot be read.
    #[error("`{}` is damaged: {detail}", .file.display())]
    Damaged {
        /// The file of settings.
        file: PathBuf,
        /// The place of the damage.
        detail: String,
    },
    /// The disk failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Commands that the repository at `root` proposes. None of them is allowed by that. Empty if there is no such file, or
/// it cannot be read.
pub fn proposals(root: &Path) -> Vec<Allowed> {
    let Ok(path) = RepoPath::new(PROPOSALS_FILE) else { return Vec::new() };
    let Ok(bytes) = Root::open(root).and_then(|root| root.read(&path, MAX_FILE)) else { return Vec::new() };
    let Ok(Settings { verify, .. }) = toml::from_str(&String::from_utf8_lossy(&bytes)) else { return Vec::new() };
    verify.command.into_iter().filter(|command| command.check().is_ok()).take(MAX_COMMANDS).collect()
}
