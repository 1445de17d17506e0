//! Finds what a document says about code that is not so: names that nothing has, links that lead nowhere.

use m1nd_query::documents::{DriftClass, drift};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::named;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number,
};
use crate::rows::rounded;

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The document, relative to its root
    path: Option<String>,
    /// Or a node in it
    node_id: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct FindingRow {
    class: &'static str,
    line: u32,
    name: String,
    message: String,
    confidence: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    missing_targets: usize,
    ambiguous_targets: usize,
    broken_links: usize,
    unbacked_claims: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    source_path: String,
    findings: Vec<FindingRow>,
    summary: Summary,
}

pub(crate) struct DocumentDrift;

impl Tool for DocumentDrift {
    const NAME: &'static str = "document_drift";
    const TOOLSET: Toolset = Toolset::Documents;
    const SUMMARY: &'static str = "Find dead references to code and broken links in a document";
    const ANSWERS: &'static str = "what a document says about code that is not so";
    const HELP: &'static str = "\
Compares a document on disk with the index, and lists what does not agree, by line.

`class`: `binding_missing` (a path, or a name that a role marks as code, that nothing has), `binding_ambiguous` (several
nodes have the name), `link_broken` (a link to a file that is not there), `doc_claim_unbacked` (the document names code, and
none of it is in the index). `confidence` is how likely it is that the text is wrong. Names between backticks that are
not found are no finding: most are of other projects, parameters or values.

What changed in the code since the document was written is not looked at.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "path": "README.md"}"#;
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const COMMAND: Option<Command> = Some(Command::new("document-drift", &["path"]));
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("file_path", "path"), ("limit", "top_k")];
    const DETAILS: &'static [&'static str] = &["summary"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"source_path": {"type": "string"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for DocumentDrift {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.indexed()?;
        let read = named(snapshot, input.path.as_deref(), input.node_id.as_deref())?;
        let found = drift(snapshot, &read);
        let count = |class: DriftClass| found.iter().filter(|finding| finding.class == class).count();
        let summary = Summary {
            missing_targets: count(DriftClass::BindingMissing),
            ambiguous_targets: count(DriftClass::BindingAmbiguous),
            broken_links: count(DriftClass::LinkBroken),
            unbacked_claims: count(DriftClass::ClaimUnbacked),
        };
        let total = found.len();
        let findings = cx.page(input.top_k).cut(found).into_iter().map(|finding| FindingRow {
            class: finding.class.word(),
            line: finding.line,
            name: finding.name,
            message: finding.message,
            confidence: rounded(finding.confidence),
        });
        let path = read.path.to_string();
        let output = Output { source_path: path.clone(), findings: findings.collect(), summary };
        let guidance = match total {
            0 => Guidance::next(
                ProofState::Triaging,
                ToolRef("document_bindings"),
                Some(path),
                "no finding; whether the text is still true of the code that it names was not looked at",
            ),
            _ => Guidance::next(ProofState::Triaging, ToolRef("view"), Some(path), "read the lines with findings"),
        };
        Ok(Answer::new(output).rows("findings", total).guidance(guidance))
    }
}
