//! Rows of the file format. All numbers are little-endian and unaligned, so any byte offset is valid on any machine.

use m1nd_base::Pos;
use zerocopy::little_endian::{F32, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// "No node" in a node field.
pub(crate) const NONE: u32 = u32::MAX;

/// A run of bytes in the text section.
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct TextRow {
    pub(crate) start: U32,
    pub(crate) len: U32,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct NodeRow {
    pub(crate) id: TextRow,
    pub(crate) label: TextRow,
    pub(crate) signature: TextRow,
    pub(crate) doc: TextRow,
    pub(crate) file: U32,
    pub(crate) parent: U32,
    pub(crate) line_start: U32,
    pub(crate) line_end: U32,
    pub(crate) pagerank: F32,
    pub(crate) flags: U16,
    pub(crate) kind: u8,
    /// Lines between the first line and that of the name.
    pub(crate) name_below: u8,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct EdgeRow {
    pub(crate) from: U32,
    pub(crate) to: U32,
    /// Start of its sites; they end where those of the next edge start.
    pub(crate) sites: U32,
    pub(crate) of: U16,
    pub(crate) relation: u8,
    /// Number of the tier, plus the flags below.
    pub(crate) tier: u8,
}

impl EdgeRow {
    /// Flag in [`EdgeRow::tier`].
    pub(crate) const DISPATCHES: u8 = 1 << 7;
    /// Flag in [`EdgeRow::tier`].
    pub(crate) const COMPILER: u8 = 1 << 6;
    /// Flag in [`EdgeRow::tier`].
    pub(crate) const READS: u8 = 1 << 5;
    /// All flags in [`EdgeRow::tier`].
    pub(crate) const FLAGS: u8 = Self::DISPATCHES | Self::COMPILER | Self::READS;
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct SiteRow {
    pub(crate) line: U32,
    pub(crate) col: U16,
}

impl SiteRow {
    pub(crate) fn new(pos: Pos) -> Self {
        Self { line: U32::new(pos.line), col: U16::new(pos.col) }
    }

    pub(crate) fn pos(&self) -> Pos {
        Pos { line: self.line.get(), col: self.col.get() }
    }
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct UnresolvedRow {
    pub(crate) from: U32,
    /// Index in the table of names.
    pub(crate) name: U32,
    pub(crate) site: SiteRow,
    /// Indexes in the table of words.
    pub(crate) role: u8,
    pub(crate) reason: u8,
}
