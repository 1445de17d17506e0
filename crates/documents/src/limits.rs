/// Bounds on the work that one document can cause. What goes over one is cut and noted in the document's problems, or
/// refused with a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLimits {
    /// A larger file is refused, in bytes.
    pub bytes: usize,
    /// Bytes that all parts of an archive may unpack to, together.
    pub unpacked: u64,
    /// Parts of an archive.
    pub parts: usize,
    /// Depth of nested elements.
    pub depth: usize,
    /// Elements of an XML or JSON tree.
    pub elements: usize,
    /// Sections; further text belongs to the last one.
    pub sections: usize,
    /// Blocks of text.
    pub blocks: usize,
    /// Links, citations, mentions, claims and records, each.
    pub items: usize,
    /// Rows of all tables together.
    pub rows: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            unpacked: 256 << 20,
            parts: 20_000,
            depth: 256,
            elements: 2_000_000,
            sections: 5_000,
            blocks: 200_000,
            items: 100_000,
            rows: 100_000,
        }
    }
}
