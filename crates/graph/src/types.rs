use m1nd_base::{EdgeTier, NodeKind, Pos, Relation};

/// Number of a node in one [`Graph`](crate::Graph). Meaningless in another graph; node ids are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub u32);

impl NodeIx {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Set of boolean properties of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct NodeFlags(pub u16);

impl NodeFlags {
    /// Test code: a test, a helper in a test file, or a test file.
    pub const TEST: Self = Self(1);
    /// Visible to other packages or files by the rules of its language.
    pub const EXPORTED: Self = Self(1 << 1);
    /// Declared without a body.
    pub const ABSTRACT: Self = Self(1 << 2);
    /// Declares what another definition implements (prototypes, stubs).
    pub const DECLARATION: Self = Self(1 << 3);
    /// Calling it yields an awaitable.
    pub const ASYNC: Self = Self(1 << 4);
    /// Called to construct its class.
    pub const CONSTRUCTOR: Self = Self(1 << 5);
    /// Accessed like a field, computed by code.
    pub const PROPERTY: Self = Self(1 << 6);
    /// Belongs to the class, not to an instance.
    pub const STATIC: Self = Self(1 << 7);
    /// From imported data, not from a source file.
    pub const IMPORTED: Self = Self(1 << 8);
    /// Handed to code outside by its attributes or directives: tests, exported symbols.
    pub const ENTRY: Self = Self(1 << 9);

    /// Union of both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Adds `other` if `condition` holds.
    #[must_use]
    pub const fn with_if(self, other: Self, condition: bool) -> Self {
        if condition { self.with(other) } else { self }
    }

    /// Removes `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether all of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A node as builder input.
#[derive(Debug, Clone, Copy)]
pub struct NodeInput<'a> {
    /// The caller's number for its id text.
    pub symbol: u32,
    /// Symbol of the node that contains it.
    pub parent: Option<u32>,
    /// Its kind.
    pub kind: NodeKind,
    /// Short name.
    pub label: &'a str,
    /// First and last line, 1-based; `(0, 0)` if it has none.
    pub lines: (u32, u32),
    /// Line of its name. A line before its first one counts as the first; an offset of more than 255 lines is stored
    /// as 255.
    pub name_line: u32,
    /// Properties.
    pub flags: NodeFlags,
    /// Header on one line; empty if none.
    pub signature: &'a str,
    /// Doc comment; empty if none.
    pub doc: &'a str,
}

impl NodeInput<'_> {
    /// Lines between the first line and that of the name, saturated to a byte.
    pub(crate) fn name_below(&self) -> u8 {
        u8::try_from(self.name_line.saturating_sub(self.lines.0)).unwrap_or(u8::MAX)
    }
}

/// An edge as builder input.
#[derive(Debug, Clone, Copy)]
pub struct EdgeInput<'a> {
    /// Symbol of the source.
    pub from: u32,
    /// Symbol of the target.
    pub to: u32,
    /// Its relation.
    pub relation: Relation,
    /// Its certainty.
    pub tier: EdgeTier,
    /// Number of candidates of its reference, 1 if certain.
    pub of: u16,
    /// A call that may run an override of the target, see [`EdgeRef::dispatches`].
    pub dispatches: bool,
    /// A compiler index supplies at least one of its sites.
    pub compiler: bool,
    /// At least one of its sites takes the target as a value, see [`EdgeRef::reads`].
    pub reads: bool,
    /// Its places in the file of the source.
    pub sites: &'a [Pos],
}

/// A reference without a target, as builder input.
#[derive(Debug, Clone, Copy)]
pub struct UnresolvedInput<'a> {
    /// Symbol of the node that holds the reference.
    pub from: u32,
    /// Last name of its access path.
    pub name: &'a str,
    /// Role of the reference: `call`, `read`, …
    pub role: &'a str,
    /// Reason why it has no target.
    pub reason: &'a str,
    /// Its place.
    pub pos: Pos,
}

/// Everything that one file (or one set of imported data) adds to the graph. If the first node is a file, it is the
/// file of all others.
#[derive(Debug, Clone, Default)]
pub struct Part<'a> {
    /// Nodes; a file comes first.
    pub nodes: Vec<NodeInput<'a>>,
    /// Out-edges of these nodes.
    pub edges: Vec<EdgeInput<'a>>,
    /// References of these nodes that have no target.
    pub unresolved: Vec<UnresolvedInput<'a>>,
}

/// An edge of a graph.
#[derive(Debug, Clone, Copy)]
pub struct EdgeRef<'g> {
    /// Source.
    pub from: NodeIx,
    /// Target.
    pub to: NodeIx,
    /// Its relation.
    pub relation: Relation,
    /// Its certainty.
    pub tier: EdgeTier,
    /// Number of candidates of its reference, 1 if certain, [`EdgeRef::IMPORTED`] for imported data.
    pub of: u16,
    /// A call whose receiver may be an instance of a class derived from the target's: it may run a method that
    /// overrides the target. See [`Graph::find_dispatched`](crate::Graph::find_dispatched).
    pub dispatches: bool,
    /// A compiler index supplies at least one of its sites.
    pub compiler: bool,
    /// At least one of its sites takes the target as a value: what holds the value may call it where no edge shows it.
    pub reads: bool,
    /// Its places in the file of the source.
    pub sites: Sites<'g>,
}

impl EdgeRef<'_> {
    /// The [`EdgeRef::of`] of edges of imported data.
    pub const IMPORTED: u16 = 0;

    /// Returns whether the edge is not written but follows from dynamic dispatch, see
    /// [`Graph::find_dispatched`](crate::Graph::find_dispatched).
    pub fn is_by_dispatch(&self) -> bool {
        self.dispatches && self.tier == EdgeTier::Possible
    }
}

/// Positions of an edge, in order.
#[derive(Clone, Copy)]
pub struct Sites<'g>(pub(crate) SitesInner<'g>);

#[derive(Clone, Copy)]
pub(crate) enum SitesInner<'g> {
    Base(&'g [crate::layout::SiteRow]),
    Overlay(&'g [Pos]),
}

impl<'g> Sites<'g> {
    /// Number of positions.
    pub fn len(&self) -> usize {
        match self.0 {
            SitesInner::Base(rows) => rows.len(),
            SitesInner::Overlay(sites) => sites.len(),
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position at an index.
    pub fn get(&self, index: usize) -> Option<Pos> {
        match self.0 {
            SitesInner::Base(rows) => rows.get(index).map(crate::layout::SiteRow::pos),
            SitesInner::Overlay(sites) => sites.get(index).copied(),
        }
    }

    /// The first position.
    pub fn first(&self) -> Option<Pos> {
        self.get(0)
    }

    /// All positions.
    pub fn iter(&self) -> impl Iterator<Item = Pos> + use<'g> {
        let sites = *self;
        (0..sites.len()).filter_map(move |index| sites.get(index))
    }
}

impl std::fmt::Debug for Sites<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A reference without a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnresolvedRef<'g> {
    /// The node that holds it.
    pub from: NodeIx,
    /// Last name of its access path.
    pub name: &'g str,
    /// Role of the reference: `call`, `read`, …
    pub role: &'g str,
    /// Reason why it has no target.
    pub reason: &'g str,
    /// Its place in the file of `from`.
    pub pos: Pos,
}

impl UnresolvedRef<'_> {
    /// The [role](UnresolvedRef::role) of words that are not references: see
    /// [`Graph::texts_named`](crate::Graph::texts_named).
    pub const TEXT: &'static str = "text";
    /// Beginning of the name of a row that is a pattern of names.
    pub const PATTERN: &'static str = "*";

    /// Returns whether it is a word of a text, not a reference.
    pub fn is_text(&self) -> bool {
        self.role == Self::TEXT
    }
}

/// The reason why a graph file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file does not exist.
    #[error("there is no snapshot at `{0}`")]
    NotThere(std::path::PathBuf),
    /// The file cannot be read.
    #[error("cannot read the snapshot: {0}")]
    Unreadable(#[from] std::io::Error),
    /// The file is shorter than its header states.
    #[error("the snapshot is cut off: {found} bytes, expected {expected}; it will be rebuilt")]
    Truncated {
        /// Actual size, in bytes.
        found: u64,
        /// Expected size, in bytes.
        expected: u64,
    },
    /// A checksum or an internal bound does not hold.
    #[error("the snapshot is damaged ({0}); it will be rebuilt")]
    Damaged(String),
    /// Written by a newer version of this program.
    #[error("the snapshot has format {found}, this program reads up to {supported}; update it or let it rebuild")]
    Newer {
        /// Its format.
        found: u32,
        /// Newest format that this program reads.
        supported: u32,
    },
    /// Written by an older version of this program in a format that is no longer read.
    #[error("the snapshot has the old format {found}, this program reads {supported}; it will be rebuilt")]
    Older {
        /// Its format.
        found: u32,
        /// The format that this program reads.
        supported: u32,
    },
    /// Not a snapshot file.
    #[error("the file is not a snapshot of this program")]
    Foreign,
}

impl SnapshotError {
    /// Returns whether the content of the file is the cause. An error of the system says nothing about the content,
    /// and a file of another version is sound.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Truncated { .. } | Self::Damaged(_) | Self::Foreign => true,
            Self::NotThere(_) | Self::Unreadable(_) | Self::Newer { .. } | Self::Older { .. } => false,
        }
    }
}
