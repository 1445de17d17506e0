//! Formats of documents: one file each, one row each in [`ROWS`].

pub(crate) mod asciidoc;
mod bibtex;
mod components;
mod crossref;
mod csv;
mod docx;
mod html;
mod jats;
mod jupyter;
mod light;
mod man;
pub(crate) mod markdown;
mod office;
mod openapi;
mod patent;
mod pdf;
mod plain;
mod pptx;
pub(crate) mod restructured;
mod rfc;
mod xlsx;

use serde::Serialize;

use crate::draft::Draft;
use crate::text::decode;
use crate::{Unreadable, archive};

/// Bytes at the start of a file that tell formats of one ending apart.
const SNIFFED: usize = 16 << 10;

/// A format of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// L1GHT: Markdown with typed claims.
    Light,
    /// Markdown: CommonMark with the extensions of GitHub.
    Markdown,
    /// reStructuredText.
    Restructured,
    /// AsciiDoc.
    AsciiDoc,
    /// Text without marks.
    Plain,
    /// BibTeX.
    Bibtex,
    /// Articles in JATS.
    Jats,
    /// RFCs in XML.
    Rfc,
    /// Metadata of works, from Crossref.
    Crossref,
    /// Patents in XML.
    Patent,
    /// Web pages.
    Html,
    /// Jupyter notebooks.
    Jupyter,
    /// Tables separated by commas, semicolons or tabs.
    Csv,
    /// OpenAPI descriptions and JSON Schemas.
    OpenApi,
    /// Manual pages.
    Man,
    /// Word documents.
    Docx,
    /// PowerPoint presentations.
    Pptx,
    /// Excel workbooks.
    Xlsx,
    /// PDF files with a text layer.
    Pdf,
}

/// Reads a format.
#[derive(Clone, Copy)]
enum Reader {
    Text(fn(&str, &mut Draft<'_>) -> Result<(), Unreadable>),
    Bytes(fn(&[u8], &mut Draft<'_>) -> Result<(), Unreadable>),
}

/// What is known about a format.
pub(crate) struct Row {
    format: Format,
    /// The word on the wire.
    word: &'static str,
    /// Endings of names, in lower case.
    endings: &'static [&'static str],
    /// Whether a file with one of the endings has this format; its first bytes as text.
    is: fn(&str, &str) -> bool,
    reader: Reader,
}

fn any(_name: &str, _text: &str) -> bool {
    true
}

/// All formats. Of several with one ending, the first that accepts the content counts.
static ROWS: &[Row] = &[
    row(Format::Light, "light", &["md", "markdown"], light::is, Reader::Text(light::read)),
    row(Format::Markdown, "markdown", &["md", "markdown", "mdx", "mdown"], any, Reader::Text(markdown::read)),
    row(Format::Restructured, "rst", &["rst", "rest"], any, Reader::Text(restructured::read)),
    row(Format::AsciiDoc, "asciidoc", &["adoc", "asciidoc", "asc"], any, Reader::Text(asciidoc::read)),
    row(Format::Plain, "text", &["txt", "text"], any, Reader::Text(plain::read)),
    row(Format::Bibtex, "bibtex", &["bib", "bibtex"], any, Reader::Text(bibtex::read)),
    row(Format::Jats, "jats", &["nxml", "xml"], jats::is, Reader::Text(jats::read)),
    row(Format::Rfc, "rfc", &["xml"], rfc::is, Reader::Text(rfc::read)),
    row(Format::Patent, "patent", &["xml"], patent::is, Reader::Text(patent::read)),
    row(Format::Crossref, "crossref", &["json"], crossref::is, Reader::Text(crossref::read)),
    row(Format::OpenApi, "openapi", &["json"], openapi::is, Reader::Text(openapi::read)),
    row(Format::Html, "html", &["html", "htm", "xhtml"], any, Reader::Text(html::read)),
    row(Format::Jupyter, "jupyter", &["ipynb"], any, Reader::Text(jupyter::read)),
    row(Format::Csv, "csv", &["csv", "tsv"], any, Reader::Text(csv::read)),
    row(Format::Man, "man", &["1", "2", "3", "4", "5", "6", "7", "8", "man"], man::is, Reader::Text(man::read)),
    row(Format::Docx, "docx", &["docx"], any, Reader::Bytes(docx::read)),
    row(Format::Pptx, "pptx", &["pptx"], any, Reader::Bytes(pptx::read)),
    row(Format::Xlsx, "xlsx", &["xlsx"], any, Reader::Bytes(xlsx::read)),
    row(Format::Pdf, "pdf", &["pdf"], any, Reader::Bytes(pdf::read)),
];

const fn row(
    format: Format,
    word: &'static str,
    endings: &'static [&'static str],
    is: fn(&str, &str) -> bool,
    reader: Reader,
) -> Row {
    Row { format, word, endings, is, reader }
}

/// A JSON text as a tree, which takes some 30 bytes for each of the text: its elements are counted before.
fn json_tree(text: &str, format: Format, limits: &crate::DocumentLimits) -> Result<serde_json::Value, Unreadable> {
    limits.check()?;
    let elements = text.bytes().filter(|byte| b",[{".contains(byte)).count();
    if elements > limits.elements {
        return Err(report_malformed(format, format_args!("more than {} elements", limits.elements)));
    }
    serde_json::from_str(text).map_err(|error| report_malformed(format, error))
}

impl Row {
    /// Reads a file of this format.
    pub(crate) fn read(&self, bytes: &[u8], draft: &mut Draft<'_>) -> Result<(), Unreadable> {
        match self.reader {
            Reader::Bytes(read) => read(bytes, draft),
            Reader::Text(read) => {
                let (text, lossy) = decode(bytes);
                if lossy {
                    draft.problem("some bytes are not valid text; they are replaced by `\u{fffd}`");
                }
                read(&text, draft)
            }
        }
    }
}

impl Format {
    /// Every format.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.format)
    }

    /// Whether a file of this name can be a document, as far as its ending says.
    pub fn may_be(name: &str) -> bool {
        let ending = name
            .rsplit('/')
            .next()
            .and_then(|file| file.rsplit_once('.'))
            .map(|(_, ending)| ending.to_ascii_lowercase());
        ending.is_some_and(|ending| ROWS.iter().any(|row| row.endings.contains(&&*ending)))
    }

    /// Whether its headings have lines, so that files of it are indexed by sections.
    pub const fn is_sectioned(self) -> bool {
        matches!(self, Self::Light | Self::Markdown | Self::Restructured | Self::AsciiDoc | Self::Html | Self::Jupyter)
    }

    /// Whether its files are archives or programs: their bytes are not what people read.
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::Docx | Self::Pptx | Self::Xlsx | Self::Pdf)
    }

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    pub(crate) fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.format == self).expect("every format has a row")
    }
}

impl Serialize for Format {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// The string literals with the code of a Jupyter notebook, cell by cell, as ranges of its text with their quotes.
/// `None` if it cannot be read, or its code is not Python.
pub fn notebook_code(text: &str) -> Option<Vec<Vec<std::ops::Range<usize>>>> {
    jupyter::code(text)
}

/// The cells of a Jupyter notebook as lines of code and text, with the lines of the file. `None` if it cannot be read.
pub fn list_notebook_lines(text: &str) -> Option<Vec<NotebookLine>> {
    jupyter::list_lines(text)
}

/// The format of a file, by its name and, where several formats share an ending, its content.
pub fn detect(name: &str, bytes: &[u8]) -> Option<Format> {
    let file = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let (_, ending) = file.rsplit_once('.')?;
    let mut rows = ROWS.iter().filter(|row| row.endings.contains(&ending)).peekable();
    rows.peek()?;
    let (start, _) = decode(&bytes[..bytes.len().min(SNIFFED)]);
    rows.find(|row| (row.is)(&file, &start)).map(|row| row.format)
}

/// All endings, for messages.
pub(crate) fn extensions() -> String {
    let mut endings: Vec<&str> = ROWS.iter().flat_map(|row| row.endings).copied().collect();
    endings.retain(|ending| ending.len() > 1);
    endings.sort_unstable();
    endings.dedup();
    endings.join(", ")
}

/// An error of a format's parser.
pub(crate) fn report_malformed(format: Format, why: impl std::fmt::Display) -> Unreadable {
    Unreadable::Malformed { format: format.word(), why: why.to_string().chars().take(300).collect() }
}

pub(crate) use archive::Archive;
pub use jupyter::NotebookLine;
