//! Reads documents: bytes → [`Document`], one file per format. Pure: no disk, no clock, no network.
//!
//! Every format yields the same model: sections, blocks, tables, links, citations, names of code that the text
//! mentions, claims, and records (articles, standards, patents) with their identifiers. What cannot be read is an
//! [`Unreadable`] with its reason; what was cut short is a problem of the document. Nothing is half-read in silence.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod archive;
mod citations;
mod claims;
mod draft;
mod formats;
mod headings;
pub mod light;
mod limits;
mod mentions;
mod model;
mod passages;
mod pdf;
mod render;
mod text;
mod xml;

pub use citations::{doi, doi_in};
pub use formats::{Format, NotebookLine, detect, list_notebook_lines, notebook_code};
pub use headings::{Heading, headings};
pub use limits::DocumentLimits;
pub use mentions::{Form, Name, name_of_code};
pub use model::{
    Block, BlockKind, Citation, Claim, ClaimKind, Document, Entity, EntityKind, LabelUse, Link, Mention, MentionKind,
    Metadata, Modality, Person, Record, RecordKind, RecordLink, RecordRelation, Section, SectionKind, Table, Venue,
};
pub use passages::{Passage, read_passages};
pub use render::{TEXT_VERSION, read_text};

/// Goes up whenever a reader yields another document for the same bytes.
pub const DOCUMENTS_VERSION: u32 = 5;

/// A document that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No format is known for this name and content.
    #[error("no document format is known for `{0}`; known are {known}", known = formats::extensions())]
    UnknownFormat(String),
    /// The file is larger than the limit.
    #[error("the document has {bytes} bytes, limit {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// It does not follow its format.
    #[error("not valid {format}: {why}")]
    Malformed {
        /// Name of the format.
        format: &'static str,
        /// The parser's reason.
        why: String,
    },
    /// It is protected by a password.
    #[error("the document is encrypted; store an unprotected copy")]
    Encrypted,
    /// It holds pictures of pages, but no text.
    #[error("the document has {pages} pages and no text layer; run text recognition on it first")]
    NoText {
        /// Number of pages.
        pages: usize,
    },
    /// It expands to more than the limit when unpacked.
    #[error("the archive unpacks to more than {limit} bytes")]
    Bomb {
        /// The limit.
        limit: u64,
    },
    /// The caller stopped the reading.
    #[error(transparent)]
    Cancelled(#[from] m1nd_base::Cancelled),
    /// It nests deeper than the limit.
    #[error("elements are nested more than {limit} deep")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

/// Reads a document whose format follows from its name and content.
///
/// # Errors
/// [`Unreadable`] with the reason.
pub fn parse(name: &str, bytes: &[u8], limits: &DocumentLimits) -> Result<Document, Unreadable> {
    let format = detect(name, bytes).ok_or_else(|| Unreadable::UnknownFormat(name.chars().take(200).collect()))?;
    parse_as(format, bytes, limits)
}

/// Reads a document of a known format.
///
/// # Errors
/// [`Unreadable`] with the reason.
pub fn parse_as(format: Format, bytes: &[u8], limits: &DocumentLimits) -> Result<Document, Unreadable> {
    if bytes.len() > limits.bytes {
        return Err(Unreadable::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let limits = &limits.of_file(bytes.len());
    let mut draft = draft::Draft::new(format, limits);
    format.row().read(bytes, &mut draft)?;
    Ok(draft.finish())
}
