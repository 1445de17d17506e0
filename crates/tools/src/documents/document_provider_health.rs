//! Shows what reads documents: our own readers, and the programs that a person named.

use m1nd_run::{ProviderHealth, ProviderMode};
use serde::Serialize;

use crate::framework::{
    Answer, Guidance, NoArguments, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, rows_schema,
};

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    providers: Vec<ProviderHealth>,
    /// The file in which a person names programs.
    settings: String,
    /// Why the settings are not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings_error: Option<String>,
}

pub(crate) struct DocumentProviderHealth;

impl Tool for DocumentProviderHealth {
    const NAME: &'static str = "document_provider_health";
    const TOOLSET: Toolset = Toolset::Documents;
    const WAITS: bool = false;
    const SUMMARY: &'static str =
        "Show which programs read documents besides the built-in readers, and whether they work";
    const ANSWERS: &'static str = "what reads which documents, versions and errors of named programs";
    const HELP: &'static str = "\
m1nd reads every format by itself (`internal`). A person can name programs that read some formats in its place, in the
file `settings`, which is outside of every repository:

    [pdftotext]
    program = \"/usr/bin/pdftotext\"    # or a name on the search path
    formats = [\"pdf\"]                 # optional
    timeout_s = 120                    # optional, for one document

    [grobid]
    url = \"http://127.0.0.1:8070\"     # only a server on this machine

Known are `pdftotext`, `docling`, `markitdown` and `grobid`. Nothing is looked for or downloaded, and nothing runs that
is not named there. A program gets a copy of the document in a folder of its own and ends with its time; if it fails,
the built-in reader takes the document. `ingest` and `auto_ingest_start` use them; `document_resolve` shows what the
built-in reader reads.

`mode` is `built_in`, `program`, `url` or `not_configured`. Named programs are asked for their `version` at most every
ten minutes: `cached` says that this answer is an earlier one, `probe_ms` how long it took. `last_error` is why it is
not available, or its last failure on a document.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const DETAILS: &'static [&'static str] = &["providers.probe_ms", "providers.cached", "providers.formats"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("providers": "name", "available", "mode");
    type Input = NoArguments;
    type Output = Output;
}

impl ReadTool for DocumentProviderHealth {
    fn run(cx: &ReadContext<'_>, _: NoArguments) -> Result<Answer<Output>, ToolError> {
        let (providers, settings_error, settings) = cx.providers();
        let failed = providers.iter().filter(|row| row.mode != ProviderMode::NotConfigured && !row.available).count();
        let hint = match (&settings_error, failed) {
            (Some(_), _) => "the settings are not used: see `settings_error`",
            (None, 0) => "all readers that are configured work",
            (None, _) => "a named program does not work: see its `last_error`; the built-in reader takes its documents",
        };
        let output = Output { providers, settings: settings.to_string_lossy().into_owned(), settings_error };
        Ok(Answer::new(output).guidance(Guidance::next(ProofState::Triaging, ToolRef("ingest"), None, hint)))
    }
}
