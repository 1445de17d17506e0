//! Builds the graph of a folder below an allowed root, or brings it up to date.

use std::collections::BTreeMap;
use std::path::PathBuf;

use m1nd_base::Problem;
use m1nd_engine::{Adapter, CompilerReport, DocumentsReport, IngestReport, IngestRequest, Mode, Tiers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
    is_zero,
};
use crate::rows::{self, count, round_value};
use crate::word::Word;

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AdapterWord {
    #[default]
    Code,
    Json,
    Scip,
    Memory,
    Light,
    Patent,
    Article,
    Jats,
    Bibtex,
    Bib,
    Rfc,
    Crossref,
    Doi,
    Universal,
    Auto,
    Document,
}

impl From<AdapterWord> for Adapter {
    fn from(word: AdapterWord) -> Self {
        match word {
            AdapterWord::Code => Self::Code,
            AdapterWord::Json => Self::Json,
            AdapterWord::Scip => Self::Scip,
            AdapterWord::Memory => Self::Memory,
            AdapterWord::Light => Self::Light,
            AdapterWord::Patent => Self::Patent,
            AdapterWord::Article | AdapterWord::Jats => Self::Article,
            AdapterWord::Bibtex | AdapterWord::Bib => Self::Bibtex,
            AdapterWord::Rfc => Self::Rfc,
            AdapterWord::Crossref | AdapterWord::Doi => Self::Crossref,
            AdapterWord::Universal => Self::Universal,
            AdapterWord::Auto | AdapterWord::Document => Self::Auto,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModeWord {
    #[default]
    Replace,
    Merge,
    Drop,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Below an allowed root; relative to the first
    path: String,
    #[serde(default)]
    adapter: AdapterWord,
    /// merge keeps other roots; drop (scip only) removes an index
    #[serde(default)]
    mode: ModeWord,
    /// Part of the ids of documents
    #[serde(default)]
    #[schemars(length(max = 64))]
    namespace: Option<String>,
    /// Only changed files
    #[serde(default)]
    incremental: bool,
    #[serde(default)]
    include_dotfiles: bool,
    #[serde(default)]
    dotfile_patterns: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TierRow {
    certain: u64,
    possible: u64,
    external: u64,
    unresolved: u64,
    /// Share of references with at least one target inside the roots or a known package.
    resolved_share: f64,
}

impl From<Tiers> for TierRow {
    fn from(tiers: Tiers) -> Self {
        let total = tiers.total();
        let resolved = total - tiers.unresolved;
        let resolved_share = if total == 0 { 1.0 } else { round_value(resolved as f64 / total as f64) };
        let Tiers { certain, possible, external, unresolved } = tiers;
        Self { certain, possible, external, unresolved, resolved_share }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct SkippedRow {
    file_path: String,
    reason: String,
    detail: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    mode: Word<Mode>,
    adapter: Word<Adapter>,
    roots: Vec<String>,
    files_scanned: usize,
    files_parsed: usize,
    files_from_cache: usize,
    files_unchanged: usize,
    files_removed: usize,
    files_linked: usize,
    files_skipped: usize,
    /// The first of the skipped files.
    skipped: Vec<SkippedRow>,
    /// The first files that are in the graph without some or all of their references.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incomplete: Vec<SkippedRow>,
    problems: BTreeMap<String, usize>,
    nodes_created: usize,
    edges_created: usize,
    node_count: usize,
    edge_count: usize,
    references: TierRow,
    #[serde(skip_serializing_if = "is_zero")]
    bad_edges: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bad_edge_examples: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    duplicate_nodes: usize,
    /// Result of reading documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<DocumentsReport>,
    /// Result of importing a compiler index.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiler_index: Option<CompilerReport>,
    changed: bool,
    stages_ms: BTreeMap<String, f64>,
}

pub(crate) struct Ingest;

impl Tool for Ingest {
    const NAME: &'static str = "ingest";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Build or refresh the graph of a repository";
    const ANSWERS: &'static str = "builds or refreshes the index";
    const HELP: &'static str = "\
Reads the files below `path` (respecting ignore files), extracts symbols and references, links them and publishes a
new generation of the graph. Readers are never blocked: they see the old generation until the new one is published.
Unchanged files come from a cache, so that a second ingest is fast. If the server watches the files, there is no need
to call this after edits.

`path` must be below a root that the server was started with; a relative path starts at the first one. `mode: replace`
(default) leaves only this root in the index, `merge` adds it to the others. `incremental: true` checks only files
whose size or modification time changed; the result equals that of a full ingest. `adapter: json` takes a file
`{nodes: [{id, label, type}], edges: [{source, target, relation}]}`. Hidden files are skipped unless
`include_dotfiles` is set or a `dotfile_patterns` entry (`.github/**`) matches them.

`adapter: scip` imports a compiler index of the ingested code (SCIP: scip-typescript, scip-python, rust-analyzer, …).
Its targets replace those that m1nd found (`provenance: scip` in `why` and `impact`) until the file is edited;
`compiler_index` counts the references that it confirmed, settled, contradicted and added. Its implementation
relationships become `implements`, `inherits` and `overrides` edges. `mode: merge` keeps other compiler indexes;
`mode: drop` removes the one imported from `path`, or all of them if `path` is a folder.

`adapter: auto` reads documents, each by its format: Markdown, reStructuredText, AsciiDoc, text, HTML, PDF with a
text layer, Jupyter, CSV, DOCX, PPTX, XLSX, OpenAPI, man pages, L1GHT, BibTeX, articles (JATS), RFCs, Crossref, patents. Sections, listings,
tables, claims and works become nodes beside the code, and names of code in the text `documents` edges to it: `possible`
where several nodes have the name. A work with a DOI is one node whatever files name it. `memory`, `light`, `patent`,
`article` (or `jats`), `bibtex` (`bib`), `rfc` and `crossref` (`doi`) take one format only; `document` is `auto`; `namespace` is part of the ids of documents. `documents`
counts formats, what read them (`producers`), names of code (`mentions`) and those bound to nodes. Ingest the code first, and documents with
`mode: merge` to keep other imported data.

`references` counts references by tier: `certain` (one target by the rules of the language), `possible` (several, all
kept), `external` (in a package), `unresolved` (kept with the reason). `skipped` lists files that are not in the graph
and why, `incomplete` those that are in it without some or all of their references; `problems` counts what could not be extracted from files that are.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "path": "."}"#;
    const STAGES: &'static [Route] =
        &[(Stage::Ground, 10, "bring the index up to date"), (Stage::Operate, 20, "bring the index up to date")];
    const DETAILS: &'static [&'static str] = &["files_from_cache", "files_unchanged", "files_linked", "stages_ms"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"files_scanned": {"type": "integer"}, "node_count": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for Ingest {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        if input.path.trim().is_empty() {
            return Err(ToolError::invalid("argument `path` is empty, expected a folder below an allowed root"));
        }
        let path = PathBuf::from(input.path.trim());
        let first_root = || cx.engine().status().allowed_roots.into_iter().next();
        let path = match first_root().filter(|_| path.is_relative()) {
            Some(root) => root.join(path),
            None => path,
        };
        let request = IngestRequest {
            path,
            mode: match input.mode {
                ModeWord::Replace => Mode::Replace,
                ModeWord::Merge => Mode::Merge,
                ModeWord::Drop => Mode::Drop,
            },
            incremental: input.incremental,
            adapter: input.adapter.into(),
            namespace: input.namespace,
            include_hidden: input.include_dotfiles,
            hidden_patterns: input.dotfile_patterns,
            gives_way: false,
        };
        let report = cx.engine().ingest(request, cx.cancel(), cx.progress()).map_err(rows::engine_error)?;
        let guidance = guidance(&report);
        Ok(Answer::new(output(report)).guidance(guidance))
    }
}

fn skipped_row((file_path, problem): (String, Problem)) -> SkippedRow {
    SkippedRow { file_path, reason: word(&problem.kind), detail: problem.detail }
}

fn output(report: IngestReport) -> Output {
    Output {
        mode: Word(report.mode),
        adapter: Word(report.adapter),
        roots: report.roots.iter().map(|root| root.to_string_lossy().into_owned()).collect(),
        files_scanned: report.files_scanned,
        files_parsed: report.files_parsed,
        files_from_cache: report.files_from_cache,
        files_unchanged: report.files_unchanged,
        files_removed: report.files_removed,
        files_linked: report.files_linked,
        files_skipped: report.files_skipped,
        skipped: report.skipped.into_iter().map(skipped_row).collect(),
        incomplete: report.incomplete.into_iter().map(skipped_row).collect(),
        problems: report.problems.iter().map(|(kind, count)| (word(kind), *count)).collect(),
        nodes_created: report.nodes_created,
        edges_created: report.edges_created,
        node_count: report.node_count,
        edge_count: report.edge_count,
        references: report.tiers.into(),
        bad_edges: report.bad_edges,
        bad_edge_examples: report.bad_edge_examples,
        duplicate_nodes: report.duplicate_nodes,
        documents: report.documents,
        compiler_index: report.compiler,
        changed: report.changed,
        stages_ms: report.stages.iter().map(|(stage, ms)| ((*stage).to_owned(), round_value(*ms))).collect(),
    }
}

/// The JSON string that a value serializes to.
pub(crate) fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn guidance(report: &IngestReport) -> Guidance {
    if report.node_count == 0 {
        let hint = "no file was indexed: check `path` and `skipped`";
        return Guidance::next(ProofState::Blocked, ToolRef("health"), None, hint);
    }
    let mut hint = format!("{} and {}", count(report.node_count, "node"), count(report.edge_count, "edge"));
    if report.files_skipped > 0 {
        hint.push_str(&format!("; {} skipped, see `skipped`", count(report.files_skipped, "file")));
    }
    hint.push_str("; find code by what it does");
    Guidance::next(ProofState::Triaging, ToolRef("seek"), None, hint)
}
