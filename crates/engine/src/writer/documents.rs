//! Reads documents into the index, each by the adapter that its format asks for.

use m1nd_base::{Cancel, Problem, ProblemKind, Progress, ProgressEvent, RepoPath};
use m1nd_documents::{Document, DocumentLimits, Format, detect, parse_as};
use m1nd_vfs::Root;
use rustc_hash::FxHashSet;

use super::ingest::{Done, Stages};
use super::ingest_target::IngestTarget;
use super::{Writer, walk_options};
use crate::config::{Adapter, IngestRequest, Mode};
use crate::documents::adapt;
use crate::error::EngineError;
use crate::ingest::json_graph::Imported;
use crate::providers::{DocumentProviders, Provided};
use crate::report::{DocumentsReport, IngestReport};
use crate::state::snapshot::{Snapshot, open_root};

/// Longest namespace, in bytes.
const MAX_NAMESPACE: usize = 64;

impl Writer {
    pub(super) fn ingest_documents(
        &mut self,
        request: &IngestRequest,
        place: &IngestTarget,
        cancel: &Cancel,
        progress: &dyn Progress,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        check(request)?;
        let info = &place.roots[place.root];
        let root = open_root(info).map_err(EngineError::BadRequest)?;
        // A file is read whatever its name is; in a folder the names decide.
        let files: Vec<RepoPath> = match (&place.scope, place.is_file) {
            (Some(file), true) => vec![file.clone()],
            (scope, _) => {
                let walk = root.walk(
                    &walk_options(info, &self.shared.histories),
                    &self.shared.config.limits,
                    cancel,
                    progress,
                )?;
                let scope = scope.as_ref().map_or("", RepoPath::as_str);
                let inside = walk.files.into_iter().map(|(path, _)| path).filter(|path| path.is_within(scope));
                inside.filter(|path| Format::may_be(path.as_str())).collect()
            }
        };
        let mut done = Done { scanned: files.len(), ..Done::default() };
        let current = self.shared.current();
        let providers = self.shared.config.providers.clone();
        let mut reader = Reader {
            root: &root,
            request,
            snapshot: &current,
            providers: providers.as_deref(),
            cancel,
            report: DocumentsReport::default(),
        };
        let mut sets: Vec<Imported> = Vec::new();
        for (inner, count) in files.iter().zip(0u64..) {
            cancel.check()?;
            progress.report(ProgressEvent { stage: "reading documents", done: count, total: Some(files.len() as u64) });
            let source = info.outer(inner).to_string();
            match reader.read(inner, &source, self.shared.config.limits.read_bytes, place.is_file) {
                Ok(Some(set)) => sets.push(set),
                Ok(None) => {}
                // One unreadable document does not fail the others.
                Err(why) => done.skipped.push((source, Problem::new(ProblemKind::Unreadable, why))),
            }
        }
        stages.end_stage("parsing");
        done.parsed = sets.len();
        done.documents = Some(reader.report);
        // Merging keeps what was imported from outside of the scope.
        if request.mode == Mode::Merge {
            let scope = place.scope.as_ref().map_or_else(|| info.prefix.clone(), |scope| info.outer(scope).to_string());
            sets.extend(retain_imported(&current, &sets, &scope));
        }
        self.publish_imported(sets, cancel, stages)?;
        Ok(done)
    }
}

fn check(request: &IngestRequest) -> Result<(), EngineError> {
    if request.incremental {
        let why = format!("adapter `{}` has no incremental mode; leave `incremental` out", request.adapter.word());
        return Err(EngineError::BadRequest(why));
    }
    check_namespace(request.namespace.as_deref())
}

/// Refuses what cannot be a part of ids.
pub(super) fn check_namespace(namespace: Option<&str>) -> Result<(), EngineError> {
    let plain = |name: &str| {
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        !name.is_empty() && name.len() <= MAX_NAMESPACE && name.bytes().all(fits)
    };
    match namespace {
        Some(name) if !plain(name) => {
            let why = "`namespace` takes at most 64 letters, digits, `-`, `_` and `.`";
            Err(EngineError::BadRequest(why.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Imported data that stays: of other files. What was read of documents in the scope before, and is no longer there,
/// does not.
fn retain_imported(current: &Snapshot, sets: &[Imported], scope: &str) -> Vec<Imported> {
    let read: FxHashSet<&str> = sets.iter().map(|set| &*set.source).collect();
    let inside = |source: &str| {
        let rest = source.strip_prefix(scope);
        scope.is_empty() || rest.is_some_and(|rest| rest.is_empty() || scope.ends_with('/') || rest.starts_with('/'))
    };
    let stays = |set: &&Imported| {
        let gone = || RepoPath::new(&set.source).is_ok_and(|path| current.read_bytes(&path).is_err());
        !(read.contains(&*set.source) || inside(&set.source) && gone())
    };
    current.imported.iter().filter(stays).cloned().collect()
}

/// Reads the documents of one ingest.
struct Reader<'a> {
    root: &'a Root,
    request: &'a IngestRequest,
    snapshot: &'a Snapshot,
    providers: Option<&'a dyn DocumentProviders>,
    cancel: &'a Cancel,
    report: DocumentsReport,
}

impl Reader<'_> {
    /// The nodes and edges of a file; `None` if the adapter does not take its format.
    fn read(
        &mut self,
        inner: &RepoPath,
        source: &str,
        max_bytes: u64,
        asked_for: bool,
    ) -> Result<Option<Imported>, String> {
        let adapter = self.request.adapter;
        let bytes = self.root.read(inner, max_bytes).map_err(|error| error.to_string())?;
        let format = match (detect(inner.as_str(), &bytes), adapter) {
            // Any Markdown is a note, and any JSON or XML that the adapter names may be what it says.
            (Some(format), _) if adapter.takes(format) => format,
            (found, _) if asked_for => adapter.only_format().ok_or_else(|| describe_refusal(adapter, found))?,
            _ => return Ok(None),
        };
        let file = SourceFile { format, name: inner.as_str(), bytes: &bytes };
        let parsed = parse_document(&file, self.providers, self.cancel)?;
        let document = &parsed.document;
        let adapted = adapt(adapter, document, source, self.request.namespace.as_deref(), self.snapshot);
        let report = &mut self.report;
        *report.formats.entry(format.word()).or_default() += 1;
        *report.producers.entry(parsed.producer.to_owned()).or_default() += 1;
        if let Some(why) = parsed.fallback
            && report.fallbacks.len() < IngestReport::MAX_LISTED
        {
            report.fallbacks.push(format!("{source}: {why}"));
        }
        report.mentions += document.mentions.len();
        report.bound += adapted.bound;
        report.light_evidence_resolved += adapted.evidence.resolved;
        report.light_evidence_unresolved += adapted.evidence.unresolved;
        report.light_evidence_stale += adapted.evidence.stale;
        Ok(Some(adapted.set))
    }
}

/// A file to be read as a document.
pub(super) struct SourceFile<'a> {
    pub(super) format: Format,
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
}

/// A document, and what read it.
pub(super) struct Parsed {
    pub(super) document: Document,
    /// The provider, or our own reader.
    pub(super) producer: &'static str,
    /// Why the configured provider did not read it.
    pub(super) fallback: Option<String>,
}

/// Reads a document: by the provider that the user configured for its format, else, or if that fails, by our own
/// reader.
pub(super) fn parse_document(
    file: &SourceFile<'_>,
    providers: Option<&dyn DocumentProviders>,
    cancel: &Cancel,
) -> Result<Parsed, String> {
    let limits = DocumentLimits { cancel: cancel.clone(), ..DocumentLimits::default() };
    let mut fallback = None;
    if let Some(Provided { provider, outcome }) =
        providers.and_then(|providers| providers.convert(file.format.word(), file.name, file.bytes, cancel))
    {
        let read = outcome.and_then(|text| parse_provided(file.format, &text, &limits));
        match read {
            Ok(document) => return Ok(Parsed { document, producer: provider, fallback: None }),
            Err(why) => fallback = Some(format!("provider `{provider}`: {why}")),
        }
    }
    let own = parse_as(file.format, file.bytes, &limits);
    let document = own.map_err(|error| match &fallback {
        Some(why) => format!("{error}; {why}"),
        None => error.to_string(),
    })?;
    let producer = if file.format == Format::Html { "internal-html" } else { "internal" };
    Ok(Parsed { document, producer, fallback })
}

/// What a provider made of a document, which is Markdown, in place of the document.
fn parse_provided(format: Format, text: &str, limits: &DocumentLimits) -> Result<Document, String> {
    if text.trim().is_empty() {
        return Err("it found no text".to_owned());
    }
    let mut document = parse_as(Format::Markdown, text.as_bytes(), limits).map_err(|error| error.to_string())?;
    document.format = format;
    Ok(document)
}

fn describe_refusal(adapter: Adapter, found: Option<Format>) -> String {
    let found = found.map_or("no known format", Format::word);
    format!("adapter `{}` does not read it: it is {found}", adapter.word())
}
