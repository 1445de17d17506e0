use serde::{Deserialize, Serialize};

/// The reason why a file, or a part of it, is missing from the graph. Shown to users: nothing is skipped silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The file is larger than the parse limit; kept as a file node.
    TooLarge,
    /// A NUL byte near its start, or a document without a text that can be read; kept as a file node.
    Binary,
    /// A line longer than the limit: generated or minified; kept as a file node.
    LongLine,
    /// Bytes that are not UTF-8 were replaced before parsing.
    InvalidUtf8,
    /// Parsing took longer than its budget; kept as a file node.
    ParseTimeout,
    /// The parser took more memory than its budget; kept as a file node.
    ParseMemory,
    /// More was open at once than the parser's stack may hold; kept as a file node.
    ParseDepth,
    /// The syntax tree is deeper than the limit; what lies below is not walked.
    TreeDepth,
    /// More facts than the limit; the rest of the file is not in the graph.
    FactsLimit,
    /// More names than the limit that no reference explains: only the text says which code the file names.
    ManyWords,
    /// Definitions nest deeper, or have longer ids, than the limits: they are no nodes, and what they refer to
    /// belongs to the definition around them.
    NamesLimit,
    /// Linking looked at more than the limit; the references that were left have no target.
    LinkLimit,
    /// The parser met text that it could not place; what surrounds it is in the graph.
    SyntaxErrors,
    /// The extractor failed on this file (a bug in m1nd); kept as a file node.
    ExtractorFailed,
    /// Processes ended while they extracted this file; kept as a file node.
    ProcessEnded,
    /// The file or folder could not be read.
    Unreadable,
    /// The name is not UTF-8 or holds a character that a path cannot be addressed by.
    UnsupportedPath,
    /// A symbolic link; links are not followed.
    SymbolicLink,
    /// A pipe, socket or device.
    NotRegular,
    /// The folder lies deeper than the limit.
    FolderDepth,
    /// The root has more files than the limit.
    FilesLimit,
    /// The graph has reached its node limit; this file is not in it.
    GraphLimit,
    /// A manifest (`package.json`, `Cargo.toml`, …) could not be understood; its settings are not applied.
    BadManifest,
    /// The repository tracks the file, but a sparse checkout leaves it out, so it is not on disk.
    NotCheckedOut,
    /// A repository inside of this one (a submodule) that is not checked out, or lies in a folder that is left out.
    Submodule,
    /// A second checkout of the same repository (`git worktree add`) inside of the root.
    LinkedWorktree,
    /// A pointer of git-lfs in place of the content.
    LfsPointer,
}

impl ProblemKind {
    /// Returns whether it is found when a file is linked, not when it is read.
    pub const fn is_of_linking(self) -> bool {
        matches!(self, Self::LinkLimit | Self::NamesLimit)
    }

    /// Returns whether references of the file are missing from the graph after it, so that an absence proves nothing.
    pub const fn hides_references(self) -> bool {
        matches!(
            self,
            Self::TooLarge
                | Self::LongLine
                | Self::ParseTimeout
                | Self::ParseMemory
                | Self::ParseDepth
                | Self::TreeDepth
                | Self::FactsLimit
                | Self::ManyWords
                | Self::LinkLimit
                | Self::NamesLimit
                | Self::SyntaxErrors
                | Self::ExtractorFailed
                | Self::ProcessEnded
                | Self::Unreadable
                | Self::GraphLimit
                | Self::FilesLimit
                | Self::FolderDepth
                | Self::UnsupportedPath
                | Self::LfsPointer
        )
    }
}

/// One thing that went wrong with one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Kind of the problem.
    pub kind: ProblemKind,
    /// Figures or words that help to understand it, such as `1403321 bytes, limit 1048576`. May be empty.
    pub detail: String,
    /// 1-based line it concerns, 0 for the whole file.
    pub line: u32,
}

impl Problem {
    /// A problem of the whole file.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), line: 0 }
    }
}
