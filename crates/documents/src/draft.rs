//! A document that is being read. Formats push what they find; names, claims, citations and entities are derived here,
//! so that all formats agree on them.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::model::{
    Block, BlockKind, Citation, Claim, Document, Entity, EntityKind, LabelUse, Link, Mention, MentionKind, Metadata,
    Record, Section, SectionKind, Table,
};
use crate::text::{cut, fold_text};
use crate::{DocumentLimits, Form, Format, Name, citations, claims, mentions, name_of_code};

/// Longest heading kept, in bytes.
const MAX_HEADING: usize = 160;
/// Longest text of a link kept, in bytes.
const MAX_LINK_TEXT: usize = 240;
/// A longer span of code is not a name.
const MAX_NAME: usize = 200;

/// A document that is being read.
pub(crate) struct Draft<'l> {
    document: Document,
    pub(crate) limits: &'l DocumentLimits,
    open: Vec<(u8, u32)>,
    rows: usize,
    full: HashSet<&'static str>,
    cited: HashSet<String>,
    /// Numbers of the entities, by kind and name.
    named: HashTable<u32>,
    hasher: RandomState,
}

impl<'l> Draft<'l> {
    pub(crate) fn new(format: Format, limits: &'l DocumentLimits) -> Self {
        let document = Document {
            format,
            metadata: Metadata::default(),
            sections: Vec::new(),
            blocks: Vec::new(),
            tables: Vec::new(),
            links: Vec::new(),
            references: Vec::new(),
            labels: Vec::new(),
            citations: Vec::new(),
            mentions: Vec::new(),
            entities: Vec::new(),
            claims: Vec::new(),
            records: Vec::new(),
            light: None,
            problems: Vec::new(),
        };
        Self {
            document,
            limits,
            open: Vec::new(),
            rows: 0,
            full: HashSet::new(),
            cited: HashSet::new(),
            named: HashTable::new(),
            hasher: RandomState::new(),
        }
    }

    /// Prepares for what a text of so many bytes usually holds.
    pub(crate) fn expect(&mut self, bytes: usize) {
        /// Bytes of text to a block.
        const BLOCK: usize = 256;
        /// Bytes of text to a thing that it names.
        const ENTITY: usize = 512;
        self.document.blocks.reserve((bytes / BLOCK).min(self.limits.blocks));
        let entities = &self.document.entities;
        let rehash = |number: &u32| self.hasher.hash_one(entities[*number as usize].name.as_str());
        self.named.reserve((bytes / ENTITY).min(self.limits.items), rehash);
    }

    pub(crate) fn metadata(&mut self) -> &mut Metadata {
        &mut self.document.metadata
    }

    pub(crate) fn light(&mut self, light: crate::light::LightDocument) {
        self.document.light = Some(light);
    }

    /// Notes what was left out.
    pub(crate) fn problem(&mut self, text: impl Into<String>) {
        if self.document.problems.len() < 100 {
            self.document.problems.push(text.into());
        }
    }

    /// Returns whether a list may grow; notes once if not.
    fn fits(&mut self, what: &'static str, len: usize, limit: usize) -> bool {
        if len < limit {
            return true;
        }
        if self.full.insert(what) {
            self.problem(format!("more than {limit} {what}; the rest is left out"));
        }
        false
    }

    fn section(&self) -> Option<u32> {
        self.open.last().map(|(_, index)| *index)
    }

    /// Opens a section below the last one of a smaller level.
    pub(crate) fn heading(&mut self, level: u8, text: &str, line: u32) {
        let mut heading = fold_text(text);
        heading.truncate(cut(&heading, MAX_HEADING).trim_end().len());
        if heading.is_empty() || !self.fits("sections", self.document.sections.len(), self.limits.sections) {
            return;
        }
        self.open.retain(|(other, _)| *other < level);
        let parent = self.section();
        let kind = section_kind(&heading);
        if self.document.metadata.title.is_none() && self.document.sections.is_empty() {
            self.document.metadata.title = Some(heading.clone());
        }
        self.open.push((level, self.document.sections.len() as u32));
        self.document.sections.push(Section { heading, level, kind, parent, line, line_end: line });
    }

    /// Adds a block of text or code. Claims and citations in it are found here.
    pub(crate) fn block(&mut self, kind: BlockKind, text: &str, language: Option<&str>, lines: (u32, u32)) {
        let is_code = matches!(kind, BlockKind::Code | BlockKind::Output);
        let raw = text;
        let text = if is_code { text.trim_end().to_owned() } else { fold_text(text) };
        if text.is_empty() || !self.fits("blocks", self.document.blocks.len(), self.limits.blocks) {
            return;
        }
        let section = self.section();
        if let Some(index) = section {
            let open = &mut self.document.sections[index as usize];
            open.line_end = open.line_end.max(lines.1);
        }
        if !is_code {
            for key in citations::find_works(&text) {
                self.cite(key, lines.0);
            }
            let kind_of_section = section.map(|index| self.document.sections[index as usize].kind);
            for claim in claims::find_claims(&text, kind == BlockKind::Note, kind_of_section) {
                if self.fits("claims", self.document.claims.len(), self.limits.items) {
                    self.document.claims.push(Claim { section, line: lines.0, ..claim });
                }
            }
            for (name, breaks) in mentions::bare(raw) {
                let line = if lines.0 == 0 { 0 } else { lines.0 + breaks };
                self.name(name, MentionKind::Bare, None, line);
            }
        }
        let language = language.map(str::trim).filter(|word| !word.is_empty()).map(|word| cut(word, 60).to_owned());
        self.document.blocks.push(Block { section, kind, text, language, line: lines.0, line_end: lines.1 });
    }

    /// Adds a table; its first row is the header.
    pub(crate) fn table(&mut self, name: Option<&str>, mut rows: Vec<Vec<String>>, line: u32) {
        if rows.is_empty() || !self.fits("tables", self.document.tables.len(), self.limits.items) {
            return;
        }
        let left = self.limits.rows.saturating_sub(self.rows);
        if rows.len() > left {
            self.problem(format!("more than {} rows of tables; the rest is left out", self.limits.rows));
            rows.truncate(left);
        }
        self.rows += rows.len();
        if rows.is_empty() {
            return;
        }
        let header = rows.remove(0);
        let block = self.document.blocks.len() as u32;
        let table = Table { section: self.section(), name: name.map(str::to_owned), header, rows, line, block };
        self.document.tables.push(table);
    }

    /// Adds a link. One to a file is a mention of the file as well.
    pub(crate) fn link(&mut self, text: &str, target: &str, line: u32) {
        let target = target.trim();
        if target.is_empty() || target.len() > 4_096 {
            return;
        }
        let mut text = fold_text(text);
        text.truncate(cut(&text, MAX_LINK_TEXT).len());
        let link = Link { section: self.section(), text, target: target.to_owned(), line };
        if self.fits("links", self.document.links.len(), self.limits.items) {
            self.document.links.push(link);
        }
        if let Some(doi) = crate::doi_in(target) {
            self.cite(format!("doi:{doi}"), line);
        } else if !target.contains(':') && !target.starts_with('#') {
            let path = name_of_code(target.split(['#', '?']).next().unwrap_or(target));
            if let Some(path) = path.filter(|name| name.form == Form::Path) {
                self.name(path, MentionKind::Link, None, line);
            }
        }
    }

    /// Adds a use of a label.
    pub(crate) fn refer(&mut self, label: &str, is_shared: bool, line: u32) {
        let label = fold_text(label).to_lowercase();
        if !label.is_empty()
            && label.len() <= MAX_NAME
            && self.fits("references", self.document.references.len(), self.limits.items)
        {
            self.document.references.push(LabelUse { label, is_shared, line });
        }
    }

    /// Adds a label that the text declares.
    pub(crate) fn label(&mut self, label: &str) {
        let label = fold_text(label).to_lowercase();
        if !label.is_empty()
            && label.len() <= MAX_NAME
            && self.fits("labels", self.document.labels.len(), self.limits.items)
        {
            self.document.labels.push(label);
        }
    }

    /// Adds a cited work, once.
    pub(crate) fn cite(&mut self, key: String, line: u32) {
        if self.cited.contains(&key) || !self.fits("citations", self.cited.len(), self.limits.items) {
            return;
        }
        self.entity(EntityKind::CitationId, &key, line);
        self.cited.insert(key.clone());
        self.document.citations.push(Citation { key, line });
    }

    /// Adds a span of code, if it can be the name of something.
    pub(crate) fn code(&mut self, text: &str, line: u32) {
        if text.len() > MAX_NAME {
            return;
        }
        match name_of_code(text) {
            Some(name) => self.name(name, MentionKind::Code, None, line),
            None => self.entity(EntityKind::CodeRef, text.trim(), line),
        }
    }

    /// Adds a name that a role or directive marks as code.
    pub(crate) fn role(&mut self, role: &str, name: &str, line: u32) {
        if name.len() > MAX_NAME {
            return;
        }
        // A role may mark a single letter, which is no name elsewhere.
        let letter = Some(name.trim_start_matches(['~', '!', '.'])).filter(|name| {
            let mut letters = name.chars();
            letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
        });
        let letter = letter.map(|name| Name { text: name.to_owned(), form: Form::Symbol });
        if let Some(name) = name_of_code(name).or(letter) {
            self.name(name, MentionKind::Role, Some(role), line);
        }
    }

    fn name(&mut self, name: Name, kind: MentionKind, role: Option<&str>, line: u32) {
        if !self.fits("mentions", self.document.mentions.len(), self.limits.items) {
            return;
        }
        let Name { text, form } = name;
        let entity = match form {
            Form::Path => EntityKind::FilePath,
            Form::Flag | Form::Command => EntityKind::ToolId,
            _ if is_test(&text) => EntityKind::TestName,
            _ => EntityKind::Symbol,
        };
        self.entity(entity, &text, line);
        // The same name again in the same block is one mention.
        let section = self.section();
        let again = self.document.mentions.iter().rev().take_while(|other| other.line == line);
        if again.into_iter().any(|other| other.name == text && other.section == section) {
            return;
        }
        let role = role.map(str::to_owned);
        self.document.mentions.push(Mention { section, name: text, form, kind, role, line });
    }

    /// Adds a term that the text introduces.
    pub(crate) fn term(&mut self, text: &str, line: u32) {
        let text = fold_text(text);
        if text.len() <= 80 && text.chars().any(char::is_alphabetic) {
            self.entity(EntityKind::NamedTerm, &text, line);
        }
    }

    fn entity(&mut self, kind: EntityKind, name: &str, line: u32) {
        let hash = self.hasher.hash_one(name);
        let entities = &self.document.entities;
        let is_same = |number: &u32| {
            let other = &entities[*number as usize];
            other.kind == kind && other.name == name
        };
        if name.is_empty()
            || self.named.find(hash, is_same).is_some()
            || !self.fits("entities", self.document.entities.len(), self.limits.items)
        {
            return;
        }
        let entities = &mut self.document.entities;
        let number = entities.len() as u32;
        entities.push(Entity { kind, name: name.to_owned(), line });
        let rehash = |number: &u32| self.hasher.hash_one(entities[*number as usize].name.as_str());
        self.named.insert_unique(hash, number, rehash);
    }

    /// Adds a work.
    pub(crate) fn record(&mut self, record: Record) {
        if self.fits("records", self.document.records.len(), self.limits.items) {
            self.document.records.push(record);
        }
    }

    /// Adds the one work that the file is, which is the document's own description as well.
    pub(crate) fn main_record(&mut self, record: Record) {
        let metadata = &mut self.document.metadata;
        metadata.title = Some(record.title.clone()).filter(|title| !title.is_empty());
        metadata.authors = record.authors.iter().map(|author| author.name.clone()).collect();
        metadata.doi = record.ids.iter().find_map(|id| id.strip_prefix("doi:")).map(str::to_owned);
        metadata.published.clone_from(&record.year);
        self.record(record);
    }

    pub(crate) fn finish(self) -> Document {
        self.document
    }
}

fn is_test(name: &str) -> bool {
    let last = name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name);
    last.starts_with("test_") || last.ends_with("_test") || last.starts_with("Test") && last.len() > 4
}

/// Words of headings, and what they say about a section.
const SECTION_WORDS: &[(SectionKind, &[&str])] = &[
    (SectionKind::Tests, &["test", "testing", "tests"]),
    (
        SectionKind::Rollout,
        &["rollout", "migration", "migrating", "release", "changelog", "changes", "upgrading", "roadmap"],
    ),
    (
        SectionKind::Constraints,
        &["constraints", "limits", "limitations", "requirements", "security", "invariants", "errors"],
    ),
    (SectionKind::Api, &["api", "usage", "interface", "options", "arguments", "parameters", "commands", "endpoints"]),
    (SectionKind::Reference, &["references", "bibliography", "literature", "links"]),
    (SectionKind::Appendix, &["appendix", "annex"]),
    (SectionKind::Overview, &["overview", "introduction", "abstract", "summary", "about", "background", "intro"]),
];

fn section_kind(heading: &str) -> SectionKind {
    let parts = heading.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 1);
    let rows = parts.filter_map(|part| {
        SECTION_WORDS.iter().position(|(_, words)| words.iter().any(|word| word.eq_ignore_ascii_case(part)))
    });
    rows.min().map_or(SectionKind::Unknown, |row| SECTION_WORDS[row].0)
}
