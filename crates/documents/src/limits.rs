use m1nd_base::{Cancel, Cancelled};

/// Bounds on the work that one document can cause, for the readers of all formats: what it unpacks to, what is made of
/// it, and the flag that stops it. What goes over one is cut and noted in the document's problems, or refused with a
/// reason. Readers count bytes and steps, never time, so that a document reads the same on every machine.
#[derive(Debug, Clone)]
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
    /// Glyphs that the instructions of all pages may draw.
    pub glyphs: usize,
    /// Stops the reading when it is set.
    pub cancel: Cancel,
}

/// Bytes that any file may unpack to.
const UNPACKED_OF_ANY: u64 = 16 << 20;
/// Bytes that each byte of a file may unpack to: what the usual compression reaches at most.
const UNPACKED_PER_BYTE: u64 = 1_032;
/// Glyphs that any file may draw.
const GLYPHS_OF_ANY: usize = 250_000;
/// Glyphs that each byte of a file may draw. Compressed text has some two to four.
const GLYPHS_PER_BYTE: usize = 16;

impl DocumentLimits {
    /// The bounds for a file of this many bytes: a small file can stand for as much as its format packs, and not for
    /// what it repeats.
    pub(crate) fn of_file(&self, bytes: usize) -> Self {
        let unpacked = UNPACKED_OF_ANY.saturating_add(UNPACKED_PER_BYTE.saturating_mul(bytes as u64));
        let glyphs = GLYPHS_OF_ANY.saturating_add(GLYPHS_PER_BYTE.saturating_mul(bytes));
        Self { unpacked: self.unpacked.min(unpacked), glyphs: self.glyphs.min(glyphs), ..self.clone() }
    }

    /// Fails once the caller cancelled; for loops of readers.
    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        self.cancel.check()
    }
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
            glyphs: 10_000_000,
            cancel: Cancel::default(),
        }
    }
}
