/// The kind of thing that version control tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackedKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A repository of its own (a submodule).
    Submodule,
    /// A whole folder of a sparse checkout; the id is that of its tree.
    Folder,
}

/// A path that version control tracks, whether or not it is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// Its path below the top of the repository.
    pub path: String,
    /// Its kind.
    pub kind: TrackedKind,
    /// A sparse checkout leaves it out: it is not expected on disk.
    pub is_sparse: bool,
    /// Object id of the tracked content.
    pub id: [u8; 20],
}
