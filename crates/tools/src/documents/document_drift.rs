//! Finds where a document no longer matches the code: dead names, changed interfaces, broken links.

use m1nd_query::documents::{Drift, DriftClass, drift};
use serde::Serialize;

use super::DocumentInput;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset,
};
use crate::rows::round_value;
use crate::word::Word;

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;

pub(crate) type Input = DocumentInput<DEFAULT_ROWS, MAX_ROWS>;

#[derive(Debug, Serialize)]
pub(crate) struct FindingRow {
    class: Word<DriftClass>,
    line: u32,
    name: String,
    message: String,
    confidence: f64,
    /// The code that is meant now.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_node_id: Option<String>,
    /// Hash of the code that was meant when the line was indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_hash: Option<String>,
    /// The commit that made it so: name and subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_subject: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// Names, commands and imports of examples that nothing has.
    missing_targets: usize,
    moved_targets: usize,
    ambiguous_targets: usize,
    code_change_unreflected: usize,
    broken_links: usize,
    unbacked_claims: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    source_path: String,
    findings: Vec<FindingRow>,
    summary: Summary,
    /// What could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what_is_missing: Vec<String>,
}

pub(crate) struct DocumentDrift;

impl Tool for DocumentDrift {
    const NAME: &'static str = "document_drift";
    const TOOLSET: Toolset = Toolset::Documents;
    const SUMMARY: &'static str = "Find where a document no longer matches the code";
    const ANSWERS: &'static str = "what a document says about code that is not so";
    const HELP: &'static str = "\
Compares a document on disk with the index, and lists what does not agree, by line. Of a file of code, the links in
its comments are compared (`{@link}`, intra-doc links of Rust, roles of Sphinx).

The code that a line names is kept from when the line was first indexed as it is: what is gone, renamed or changed since
is found also before a commit and without git, with the hash of the code as it was (`old_hash`).

`class`:
- `binding_missing`: the code had the name or file when the line was last touched, and `commit` removed it; or nothing has
  a name that a role marks as code of the project.
- `binding_moved`: the same, and the code is known by another name now (same body, or a renamed file): `target_node_id`.
- `code_change_unreflected`: since the line was indexed, the signature or the code of what it names changed; or, since the
  section was last touched, `commit` changed the parameters of a function that it lists,
  calls or names.
- `command_missing`: a command or option that the code no longer knows, or that no program declares if all is declared in texts.
- `example_broken`: an example imports from the project what it does not have.
- `link_broken`, `anchor_broken`: a link to a file or heading that is not there.
- `binding_ambiguous`: several nodes have the name.
- `doc_claim_unbacked`: the document names code, and none of it is in the index.

`confidence` is how likely it is that the text is wrong, estimated by the kind of evidence. A name that no commit is known
to have had in code is no finding: most are of other projects, parameters or values. Logs of changes are not compared.";
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
        let snapshot = cx.require_indexed()?;
        let read = input.read(snapshot)?;
        let history = cx.history();
        let Drift { findings: found, gaps } = drift(snapshot, &history, &read, cx.cancel())?;
        let count = |class: DriftClass| found.iter().filter(|finding| finding.class == class).count();
        // Counted before the page is cut.
        let summary = Summary {
            missing_targets: count(DriftClass::BindingMissing)
                + count(DriftClass::CommandMissing)
                + count(DriftClass::ExampleBroken),
            moved_targets: count(DriftClass::BindingMoved),
            code_change_unreflected: count(DriftClass::CodeChanged),
            ambiguous_targets: count(DriftClass::BindingAmbiguous),
            broken_links: count(DriftClass::LinkBroken) + count(DriftClass::AnchorBroken),
            unbacked_claims: count(DriftClass::ClaimUnbacked),
        };
        let total = found.len();
        let findings = cx.page(input.top_k).cut(found).into_iter().map(|finding| FindingRow {
            class: Word(finding.class),
            line: finding.line,
            name: finding.name,
            message: finding.message,
            confidence: round_value(finding.confidence),
            target_node_id: finding.target,
            old_hash: finding.old_hash,
            commit_subject: finding.evidence.as_ref().map(|evidence| evidence.subject.clone()),
            commit: finding.evidence.map(|evidence| evidence.commit.chars().take(12).collect()),
        });
        let path = read.path.to_string();
        let output = Output { source_path: path.clone(), findings: findings.collect(), summary, what_is_missing: gaps };
        // No finding does not mean that the text is right: prose is compared only by the names in it.
        let guidance = match total {
            0 => Guidance::next(
                ProofState::Triaging,
                ToolRef("document_bindings"),
                Some(path),
                "no finding; whether the sentences are still true of the code that they name cannot be told",
            ),
            _ => Guidance::next(ProofState::Triaging, ToolRef("view"), Some(path), "read the lines with findings"),
        };
        Ok(Answer::new(output).rows("findings", total).guidance(guidance))
    }
}
