use serde::Serialize;

use crate::Format;
use crate::light::LightDocument;

/// What was read of a document. Lines are 1-based; 0 where a format has none (an article in XML, a slide).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// Its format.
    pub format: Format,
    /// Title, authors and the like.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Sections in order; a section comes after the one that holds it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Paragraphs, listings and items in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Tables in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// Links in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Uses of labels, in order, in formats that declare them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<LabelUse>,
    /// Labels that the text declares, in the form of [`LabelUse::label`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Works that the text cites, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// Names of code that the text mentions, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// Things that the text names, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
    /// Statements that bind: requirements, invariants, warnings, decisions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Works that the file describes: one for an article, many for a bibliography.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Record>,
    /// The claims of a L1GHT document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub light: Option<LightDocument>,
    /// What was left out, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Description of a document by its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Names of its authors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Its DOI, in lower case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Date as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Language as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Other settings, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<(String, String)>,
}

impl Metadata {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Its heading without marks.
    pub heading: String,
    /// 1 for the largest.
    pub level: u8,
    /// Purpose, as far as the heading tells.
    #[serde(skip_serializing_if = "SectionKind::is_unknown")]
    pub kind: SectionKind,
    /// Index of the section that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Line of its heading.
    pub line: u32,
    /// Last line of its text, without the sections below.
    pub line_end: u32,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// The word on the wire.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// Purpose of a section.
    SectionKind {
        /// Introduction, summary.
        Overview = "overview",
        /// Interface, usage.
        Api = "api",
        /// Limits, requirements, security.
        Constraints = "constraints",
        /// Tests.
        Tests = "tests",
        /// Release, migration, changes.
        Rollout = "rollout",
        /// Literature.
        Reference = "reference",
        /// Appendix.
        Appendix = "appendix",
        /// Anything else.
        Unknown = "unknown",
    }
}

impl SectionKind {
    fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

words! {
    /// Kind of a block.
    BlockKind {
        /// Running text.
        Paragraph = "paragraph",
        /// A listing.
        Code = "code",
        /// Quoted text.
        Quote = "quote",
        /// An item of a list.
        Item = "item",
        /// A note, warning or the like.
        Note = "note",
        /// Output of a notebook cell.
        Output = "output",
    }
}

/// A paragraph, a listing or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// Index of its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<u32>,
    /// Its kind.
    pub kind: BlockKind,
    /// Its text without marks.
    pub text: String,
    /// Language of a listing, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// First line.
    pub line: u32,
    /// Last line.
    pub line_end: u32,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Index of its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<u32>,
    /// Its name, such as that of a worksheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Cells of the first row.
    pub header: Vec<String>,
    /// The other rows.
    pub rows: Vec<Vec<String>>,
    /// First line.
    pub line: u32,
    /// Number of blocks in front of it.
    #[serde(skip)]
    pub block: u32,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Index of its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<u32>,
    /// Text shown.
    pub text: String,
    /// Target as written.
    pub target: String,
    /// Its line.
    pub line: u32,
}

/// A place that refers to a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelUse {
    /// The label in lower case, with single blanks.
    pub label: String,
    /// Any document of the project may declare it; else this one has to.
    pub is_shared: bool,
    /// Its line.
    pub line: u32,
}

/// A cited work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// `doi:…`, `rfc:…`, `arxiv:…`, or a key of a bibliography.
    pub key: String,
    /// Line of the first mention.
    pub line: u32,
}

words! {
    /// How a text marks a name of code.
    MentionKind {
        /// As code: between backticks, `<code>`.
        Code = "code",
        /// By a role or directive that says that it is code (`:func:`, `.. autofunction::`).
        Role = "role",
        /// As the target of a link to a file.
        Link = "link",
        /// In running text, in the spelling of code.
        Bare = "bare",
    }
}

/// A name of code in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// Index of its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<u32>,
    /// The name, without arguments and marks.
    pub name: String,
    /// Form of the name.
    pub form: crate::Form,
    /// How it is marked.
    pub kind: MentionKind,
    /// Kind of code that a role asks for: `func`, `class`, `mod`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its line.
    pub line: u32,
}

words! {
    /// Kind of a named thing.
    EntityKind {
        /// A symbol of code.
        Symbol = "symbol",
        /// A path of a file.
        FilePath = "file_path",
        /// A command or an option of it.
        ToolId = "tool_id",
        /// An identifier of a work.
        CitationId = "citation_id",
        /// Other code.
        CodeRef = "code_ref",
        /// A term that the text introduces.
        NamedTerm = "named_term",
        /// A test.
        TestName = "test_name",
    }
}

/// A thing that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// Its kind.
    pub kind: EntityKind,
    /// Its name.
    pub name: String,
    /// Line of the first mention.
    pub line: u32,
}

words! {
    /// Kind of a claim.
    ClaimKind {
        /// Something that must or should hold.
        Requirement = "requirement",
        /// Something that always or never holds.
        Invariant = "invariant",
        /// A danger.
        Warning = "warning",
        /// A choice that was made.
        Decision = "decision",
        /// An outcome that a test checks.
        TestExpectation = "test_expectation",
        /// Something that is possible.
        Capability = "capability",
    }
}

words! {
    /// How binding a claim is.
    Modality {
        /// Must, shall, never.
        Must = "must",
        /// Should, recommended.
        Should = "should",
        /// May, can.
        May = "may",
        /// A plain statement.
        Is = "is",
    }
}

/// A statement that binds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Index of its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<u32>,
    /// Its kind.
    pub kind: ClaimKind,
    /// How binding it is.
    pub modality: Modality,
    /// Words before the verb.
    pub subject: String,
    /// The verb that carries the modality.
    pub predicate: String,
    /// Words after the verb.
    pub object: String,
    /// Says that something does not hold.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
    /// First line of its block.
    pub line: u32,
}

words! {
    /// Kind of a work.
    RecordKind {
        /// A scholarly article.
        Article = "article",
        /// An entry of a bibliography.
        Bibliography = "bibtex",
        /// A standard of the RFC series.
        Rfc = "rfc",
        /// Metadata from Crossref.
        Crossref = "crossref",
        /// A patent.
        Patent = "patent",
    }
}

/// A work with its identifiers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Kind of its source.
    pub kind: RecordKind,
    /// Identifiers as `scheme:value`, the most general first: `doi:`, `pmid:`, `pmc:`, `rfc:`, `patent:`, `key:`.
    pub ids: Vec<String>,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Authors or inventors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Person>,
    /// Journal, book or series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue: Option<Venue>,
    /// Owners of a patent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
    /// Classes of a patent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Year of publication, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<String>,
    /// Further facts by name, in order: `type`, `publisher`, `volume`, `language`, `state`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, String)>,
    /// Keywords or subjects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Its summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Other works that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<RecordLink>,
    /// Its first line, 0 if unknown.
    pub line: u32,
}

impl Record {
    /// An empty record of this kind.
    pub(crate) fn new(kind: RecordKind) -> Self {
        Self {
            kind,
            ids: Vec::new(),
            title: String::new(),
            authors: Vec::new(),
            venue: None,
            assignees: Vec::new(),
            classes: Vec::new(),
            year: None,
            fields: Vec::new(),
            keywords: Vec::new(),
            summary: String::new(),
            links: Vec::new(),
            line: 0,
        }
    }

    /// Adds a fact unless it is empty.
    pub(crate) fn field(&mut self, name: &str, value: &str) {
        let value = value.trim();
        if !value.is_empty() {
            self.fields.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Adds an identifier unless it is empty or known.
    pub(crate) fn id(&mut self, scheme: &str, value: &str) {
        let value = value.trim();
        let id = format!("{scheme}:{value}");
        if !value.is_empty() && !self.ids.contains(&id) {
            self.ids.push(id);
        }
    }
}

/// An author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// `Family, Given` where both are known.
    pub name: String,
    /// Identifier of the person, without the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orcid: Option<String>,
}

/// A journal, book or series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Venue {
    /// Its name.
    pub name: String,
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issn: Option<String>,
}

words! {
    /// Relation between two works.
    RecordRelation {
        /// Names it as literature.
        Cites = "cites",
        /// Replaces it.
        Obsoletes = "obsoletes",
        /// Changes it.
        Updates = "updates",
    }
}

/// A relation to another work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordLink {
    /// The relation.
    pub relation: RecordRelation,
    /// Identifier of the other work as `scheme:value`; without a scheme if it has only a title or a text.
    pub target: String,
    /// Its title or text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
}
