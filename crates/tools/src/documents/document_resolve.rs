//! Shows what is read of a document: its sections, claims and works.

use std::collections::BTreeMap;

use m1nd_engine::{Snapshot, TargetState};
use m1nd_query::documents::{
    ClaimKind, Document, Format, LightClaim, LightKind, LightQualifier, LightRelation, Modality, SectionKind,
};
use serde::Serialize;

use super::DocumentInput;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset,
};
use crate::word::{Kind, Word};

/// Default number of sections and of claims.
const DEFAULT_ROWS: usize = 40;
/// Maximum of both.
const MAX_ROWS: usize = 500;

pub(crate) type Input = DocumentInput<DEFAULT_ROWS, MAX_ROWS>;

#[derive(Debug, Serialize)]
pub(crate) struct SectionRow {
    heading: String,
    level: u8,
    line: u32,
    kind: SectionKind,
}

#[derive(Debug, Serialize)]
pub(crate) struct ClaimRow {
    line: u32,
    kind: ClaimKind,
    modality: Modality,
    text: String,
}

/// A typed claim of a L1GHT document.
#[derive(Debug, Serialize)]
pub(crate) struct TypedRow {
    line: u32,
    relation: Word<LightKind>,
    value: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<TargetRow>,
}

/// What a marker names.
#[derive(Debug, Serialize)]
pub(crate) struct TargetRow {
    relation: Word<LightQualifier>,
    target: String,
    /// The node that is meant, if that is clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    /// `current`, `stale`, `unverified`, `ambiguous`, `missing`; for confidence and ambiguity none.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Word<TargetState>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WorkRow {
    id: String,
    title: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    source_path: String,
    detected_type: Format,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<String>,
    section_count: usize,
    claim_count: usize,
    entity_count: usize,
    citation_count: usize,
    table_count: usize,
    link_count: usize,
    binding_count: usize,
    /// Names of code that are bound to nothing, counted by reason; see `document_bindings`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unbound: BTreeMap<&'static str, usize>,
    sections: Vec<SectionRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claims: Vec<ClaimRow>,
    /// Claims of a L1GHT document, with what they rest on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    typed_claims: Vec<TypedRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    citations: Vec<String>,
    /// Works that the file describes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    works: Vec<WorkRow>,
    /// What was left out, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

pub(crate) struct DocumentResolve;

impl Tool for DocumentResolve {
    const NAME: &'static str = "document_resolve";
    const TOOLSET: Toolset = Toolset::Documents;
    const SUMMARY: &'static str = "Show the sections, claims and works of a document in any format";
    const ANSWERS: &'static str = "what a document says: sections, claims, citations, works";
    const HELP: &'static str = "\
Reads a document below an indexed root as it is on disk, whether it was ingested or not: Markdown, reStructuredText,
AsciiDoc, text, HTML, PDF with a text layer, Jupyter, CSV, DOCX, PPTX, XLSX, OpenAPI, man pages, L1GHT, BibTeX, JATS, RFC, Crossref, patents.

`sections` and `claims` have the line of the document, 0 where the format has none. A claim is a sentence with a modal
verb, a warning or a decision; `modality` is `must`, `should`, `may` or `is`. `typed_claims` are those of a L1GHT
document with what they name: `state` of evidence is `current` or `stale` if the marker has the hash of its file, else
`unverified`; `missing` and `ambiguous` targets have no node. In a PDF file the line is a page. `works` are the articles, standards and
patents that the file describes. The counts are those of the whole document; `problems` says what was left out.
A file that cannot be read is an error with the reason: encrypted, damaged, nested too deep, too large when unpacked.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "path": "README.md"}"#;
    const COMMAND: Option<Command> = Some(Command::new("document-resolve", &["path"]));
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("file_path", "path"), ("limit", "top_k")];
    const DETAILS: &'static [&'static str] = &["entity_count", "table_count", "link_count", "unbound", "sections.kind"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"source_path": {"type": "string"}, "section_count": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for DocumentResolve {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let read = input.read(snapshot)?;
        let document = &read.document;
        let most = input.top_k;
        // All lists have the same bound; the counts beside them are of everything.
        let sections = document.sections.iter().take(most).map(|section| SectionRow {
            heading: section.heading.clone(),
            level: section.level,
            line: section.line,
            kind: section.kind,
        });
        let claims = document.claims.iter().take(most).map(|claim| ClaimRow {
            line: claim.line,
            kind: claim.kind,
            modality: claim.modality,
            text: format!("{} {} {}", claim.subject, claim.predicate, claim.object),
        });
        let works = document
            .records
            .iter()
            .take(most)
            .map(|record| WorkRow { id: record.ids.first().cloned().unwrap_or_default(), title: record.title.clone() });
        // Names that lead to no code, by the reason: whether to fix the document or the index.
        let mut unbound: BTreeMap<&'static str, usize> = BTreeMap::new();
        for (_, reason) in m1nd_query::documents::unbound(snapshot, &read) {
            *unbound.entry(reason.word()).or_default() += 1;
        }
        let output = Output {
            source_path: read.path.to_string(),
            detected_type: document.format,
            title: document.metadata.title.clone(),
            authors: document.metadata.authors.iter().take(most).cloned().collect(),
            section_count: document.sections.len(),
            claim_count: document.claims.len(),
            entity_count: document.entities.len(),
            citation_count: document.citations.len(),
            table_count: document.tables.len(),
            link_count: document.links.len(),
            binding_count: read.bindings.len(),
            unbound,
            sections: sections.collect(),
            claims: claims.collect(),
            typed_claims: list_typed(snapshot, document, most),
            citations: document.citations.iter().take(most).map(|citation| citation.key.clone()).collect(),
            works: works.collect(),
            problems: document.problems.clone(),
        };
        let hint = "see which code the document names";
        let guidance =
            Guidance::next(ProofState::Triaging, ToolRef("document_bindings"), Some(read.path.to_string()), hint);
        Ok(Answer::new(output).guidance(guidance))
    }
}

impl Kind for LightKind {
    fn word(self) -> &'static str {
        self.relation()
    }
}

impl Kind for LightQualifier {
    fn word(self) -> &'static str {
        self.relation()
    }
}

/// The claims of a L1GHT document, at most `most`.
fn list_typed(snapshot: &Snapshot, document: &Document, most: usize) -> Vec<TypedRow> {
    let claims = document.light.iter().flat_map(|light| &light.claims).take(most);
    let target = |relation: &LightRelation| {
        let is_said = matches!(relation.qualifier, LightQualifier::Confidence | LightQualifier::Ambiguity);
        let (found, state) = if is_said {
            (Vec::new(), None)
        } else {
            let (found, state) = snapshot.light_target(relation);
            (found, Some(Word(state)))
        };
        let node_id = match &*found {
            [one] => Some(snapshot.graph().id(*one).to_owned()),
            _ => None,
        };
        TargetRow { relation: Word(relation.qualifier), target: relation.target.clone(), node_id, state }
    };
    let row = |claim: &LightClaim| TypedRow {
        line: claim.line,
        relation: Word(claim.kind),
        value: claim.value.clone(),
        targets: claim.relations.iter().map(target).collect(),
    };
    claims.map(row).collect()
}
