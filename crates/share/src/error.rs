use std::path::{Path, PathBuf};

/// The reason why an index could not be pushed or pulled.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The address of the store cannot be used.
    #[error("`{url}` cannot be used as a store: {why}")]
    BadUrl {
        /// The address, without credentials.
        url: String,
        /// The reason.
        why: String,
    },
    /// The store does not answer, or refuses.
    #[error("the store {url} cannot be reached: {why}")]
    Unreachable {
        /// The address, without credentials.
        url: String,
        /// The reason.
        why: String,
    },
    /// The store cannot be written.
    #[error("the store {url} cannot be written: {why}")]
    ReadOnly {
        /// The address, without credentials.
        url: String,
        /// The reason.
        why: String,
    },
    /// None of the commits has an index in the store.
    #[error("the store has no index of the checked-out commit or of {asked} of its ancestors")]
    NotFound {
        /// Number of commits that were asked for.
        asked: usize,
    },
    /// The manifest is signed by a key that nobody here trusts. Nothing else of it was read.
    #[error("the index of commit {commit} is signed by {key}, which is not trusted here")]
    Untrusted {
        /// The commit.
        commit: String,
        /// The key.
        key: String,
    },
    /// The manifest was changed after it was signed. Nothing else of it was read.
    #[error("the signature of the index of commit {commit} is wrong: it was changed after it was signed")]
    BadSignature {
        /// The commit.
        commit: String,
    },
    /// A signed manifest of something else is at this place.
    #[error("the index of commit {commit} is of another {what}: `{found}`; expected `{expected}`")]
    Foreign {
        /// The commit.
        commit: String,
        /// What differs.
        what: &'static str,
        /// As signed.
        found: String,
        /// As asked for.
        expected: String,
    },
    /// A manifest does not have the expected form.
    #[error("the manifest of commit {commit} cannot be read: {why}")]
    BadManifest {
        /// The commit.
        commit: String,
        /// The reason.
        why: String,
    },
    /// A part that the manifest lists is not in the store.
    #[error("part {part} of the index is missing in the store")]
    MissingPart {
        /// Its hash.
        part: String,
    },
    /// A part is not what the manifest says: poisoned, cut off, or larger.
    #[error("part {part} of the index is damaged in the store: {why}")]
    BadPart {
        /// Its hash.
        part: String,
        /// The reason.
        why: String,
    },
    /// Something is larger than this program reads.
    #[error("{what}: {found}; expected at most {limit}")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its size or number.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// A key to sign with is missing.
    #[error("a key to sign with is missing")]
    NoKey,
    /// A text is not a key.
    #[error("this is not a key: {0}")]
    BadKey(String),
    /// Other users could read or change a key file.
    #[error("other users can access `{0}`")]
    OpenKey(PathBuf),
    /// A file of this machine cannot be read or written.
    #[error("cannot {doing} `{path}`: {source}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl ShareError {
    /// Wraps an error of the system.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } => "bad_url",
            Self::Unreachable { .. } => "unreachable",
            Self::ReadOnly { .. } => "read_only",
            Self::NotFound { .. } => "not_found",
            Self::Untrusted { .. } => "untrusted",
            Self::BadSignature { .. } => "bad_signature",
            Self::Foreign { .. } => "foreign",
            Self::BadManifest { .. } => "bad_manifest",
            Self::MissingPart { .. } => "missing_part",
            Self::BadPart { .. } => "bad_part",
            Self::TooLarge { .. } => "too_large",
            Self::NoKey => "no_key",
            Self::BadKey(_) => "bad_key",
            Self::OpenKey(_) => "open_key",
            Self::Io { .. } => "io",
        }
    }

    /// The next step, in one line.
    pub fn next(&self) -> String {
        let text = match self {
            Self::BadUrl { .. } => "pass file:///FOLDER, s3://BUCKET/PATH, gs://…, az://… or https://… as --store",
            Self::Unreachable { .. } => "check the address, the network and the credentials, or go on without it",
            Self::ReadOnly { .. } => "push to an address that can be written, with credentials that allow it",
            Self::NotFound { .. } => "run `m1nd ingest`; let CI push the main branch with `m1nd share push`",
            Self::Untrusted { key, .. } => {
                return format!("ask the owner of the store for the key; if it is the same: m1nd share trust {key}");
            }
            Self::BadSignature { .. } | Self::BadManifest { .. } | Self::Foreign { .. } | Self::TooLarge { .. } => {
                "do not use this store until its owner has checked it; `m1nd ingest` needs none"
            }
            Self::MissingPart { .. } | Self::BadPart { .. } => {
                "let its owner push that commit again with `m1nd share push --rewrite`; `m1nd ingest` needs no store"
            }
            Self::NoKey => "make one with `m1nd share keygen`, or set M1ND_SHARE_KEY",
            Self::BadKey(_) => "pass a key as `m1nd share keygen` writes it",
            Self::OpenKey(_) => "make a new key; the old one may be known to others",
            Self::Io { .. } => "check the disk and its permissions",
        };
        text.to_owned()
    }
}
