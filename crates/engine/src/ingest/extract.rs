//! Converts files on disk to facts: reads and hashes in parallel, queries the cache, extracts missing facts.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::{Cancel, ContentHash, Limits, Problem, ProblemKind, Progress, ProgressEvent, RepoPath};
use m1nd_lang::text::{Readable, read_as_text};
use m1nd_lang::{EXTRACTOR_VERSION, FileFacts, Language, is_test_path};
use m1nd_link::Linker;
use m1nd_search::FileTerms;
use m1nd_store::FactsCache;
use m1nd_vfs::{FileMeta, Root, VfsError};
use rayon::prelude::*;

use crate::adopted_facts::AdoptedFacts;
use crate::error::EngineError;
use crate::extract_attempts::{Attempt, Attempts, HEAD};
use crate::files::FileEntry;
use crate::report::Tiers;
use crate::{ingest::terms, kept::document_texts};

/// Files whose texts are in memory at once.
const BATCH: usize = 768;
/// Bytes of texts that are in memory at once, about.
const BATCH_BYTES: u64 = 12 << 20;
/// Rows from which on those that wait are stored. Their keys are in no order, so each transaction writes most pages of
/// the table of keys again.
const STORED_ROWS: usize = 16 << 10;
/// Bytes of such rows.
const STORED_BYTES: usize = 8 << 20;
/// Files between two reports of progress.
const REPORT: u64 = 64;
/// Version of the cached data beside the facts. Incremented when the search terms change.
const TERMS_VERSION: u32 = 6;
/// Version under which the cache keeps rows: changes with either part.
pub(crate) const CACHE_VERSION: u32 = EXTRACTOR_VERSION * 1_000 + TERMS_VERSION;

/// A file to process.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// Path in the index.
    pub(crate) path: RepoPath,
    /// Path in its root.
    pub(crate) inner: RepoPath,
    /// Number of its root.
    pub(crate) root: usize,
    /// Size and time by the walk.
    pub(crate) meta: FileMeta,
    /// Hash of the content that the index has.
    pub(crate) before: Option<ContentHash>,
    /// Language of that content.
    pub(crate) language: Option<Language>,
    /// Size and time are as in the index: the content need not be read.
    pub(crate) unchanged: bool,
    /// The facts are wanted even if the content is as in the index.
    pub(crate) always: bool,
}

/// Outcome for a file.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Facts, and the data for the index.
    Facts(Box<Extracted>),
    /// The content is unchanged; only size or time may differ.
    Same,
    /// It went away since the walk.
    Gone,
    /// It could not be read.
    Unreadable(Problem),
}

/// Everything that one file yields.
#[derive(Debug)]
pub(crate) struct Extracted {
    pub(crate) entry: FileEntry,
    pub(crate) facts: Arc<FileFacts>,
    pub(crate) terms: Arc<FileTerms>,
    /// Text of a manifest.
    pub(crate) manifest: Option<String>,
    pub(crate) from_cache: bool,
}

/// Inputs for the extraction of one file.
#[derive(Clone, Copy)]
pub(crate) struct OneFile<'a> {
    pub(crate) roots: &'a [Option<Root>],
    /// Where attempts at files on disk are noted.
    pub(crate) attempts: Option<&'a Attempts>,
    pub(crate) limits: &'a Limits,
    pub(crate) cancel: &'a Cancel,
}

/// Shared inputs of extraction.
#[derive(Clone, Copy)]
pub(crate) struct Tools<'a> {
    pub(crate) cache: Option<&'a FactsCache>,
    pub(crate) pool: &'a rayon::ThreadPool,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) one: OneFile<'a>,
}

/// Where the rows of files as they were indexed are: the cache, then what came with an index from another machine.
#[derive(Clone, Copy)]
pub(crate) struct StoredRows<'a> {
    pub(crate) cache: Option<&'a FactsCache>,
    pub(crate) adopted: &'a AdoptedFacts,
}

impl StoredRows<'_> {
    fn find(&self, job: &Job) -> Option<Vec<u8>> {
        let key = cache_key(job.before?, job.language?, &job.inner);
        let cached = self.cache.and_then(|cache| cache.get(&key, CACHE_VERSION).ok().flatten());
        cached.or_else(|| self.adopted.get(&key))
    }
}

/// A row to be stored in the cache.
type Row = (ContentHash, Vec<u8>);

/// What is new about a file, to be stored in the cache.
#[derive(Default)]
struct Fresh {
    facts: Option<Row>,
    /// The text of a packed document.
    text: Option<Row>,
}

/// Stores what is new about files. A cache that fails only costs time.
fn store_fresh(cache: &FactsCache, fresh: Vec<Fresh>) {
    let (facts, texts): (Vec<_>, Vec<_>) = fresh.into_iter().map(|one| (one.facts, one.text)).unzip();
    let facts: Vec<Row> = facts.into_iter().flatten().collect();
    let texts: Vec<Row> = texts.into_iter().flatten().collect();
    if !facts.is_empty()
        && let Err(error) = cache.put_many(&facts, CACHE_VERSION)
    {
        tracing::warn!(%error, "facts could not be cached");
    }
    if !texts.is_empty() {
        document_texts::store(cache, &texts);
    }
}

/// A file after reading.
enum Loaded {
    Ready(Outcome),
    /// The facts for this content are wanted; the bytes if they were read.
    Wanted {
        hash: ContentHash,
        language: Language,
        bytes: Option<Vec<u8>>,
    },
}

/// Progress over all calls of one ingest.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) bytes_read: AtomicU64,
    /// Files that are done.
    finished: Mutex<u64>,
}

impl Counters {
    /// Counts a file of `total`. Reports are made under the lock, so that their numbers only go up.
    fn count_finished(&self, progress: &dyn Progress, total: u64) {
        let mut done = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        if done.is_multiple_of(REPORT) || *done == total {
            progress.report(ProgressEvent { stage: "parsing", done: *done, total: Some(total) });
        }
    }
}

/// The outcome of each job, in order.
///
/// # Errors
/// [`EngineError::Cancelled`]. A cache that fails only costs time.
pub(crate) fn extract_all(
    jobs: &[Job],
    tools: Tools<'_>,
    counters: &Counters,
    sink: &mut dyn FnMut(&Job, Outcome),
) -> Result<(), EngineError> {
    let total = jobs.len() as u64;
    std::thread::scope(|scope| {
        // Rows to be stored are written by their own thread while the next batch is parsed.
        let (rows, to_store) = crossbeam_channel::bounded::<Vec<Fresh>>(2);
        if let Some(cache) = tools.cache {
            scope.spawn(move || store_rows(cache, &to_store));
        } else {
            drop(to_store);
        }
        let mut rest = jobs;
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch_len(rest));
            rest = after;
            let outcomes = batch_outcomes(batch, tools, counters, &rows, total)?;
            for (job, outcome) in batch.iter().zip(outcomes) {
                sink(job, outcome);
            }
            tools.one.cancel.check()?;
        }
        Ok(())
    })
}

/// Facts of files that are given as bytes, through the cache.
///
/// # Errors
/// [`EngineError::Cancelled`]. A cache that fails only costs time.
pub(crate) fn of_contents(
    contents: Vec<(RepoPath, Vec<u8>)>,
    limits: &Limits,
    (cache, pool): (Option<&FactsCache>, &rayon::ThreadPool),
    cancel: &Cancel,
) -> Result<Vec<Extracted>, EngineError> {
    let one = OneFile { roots: &[], attempts: None, limits, cancel };
    let counters = Counters::default();
    let work: Vec<(Job, ContentHash, Language, Vec<u8>)> = contents
        .into_iter()
        .map(|(path, bytes)| {
            let (hash, language) = (ContentHash::of(&bytes), Language::detect(&path, &bytes[..bytes.len().min(HEAD)]));
            (memory_job(path.clone(), path, bytes.len()), hash, language, bytes)
        })
        .collect();
    let keys: Vec<ContentHash> =
        work.iter().map(|(job, hash, language, _)| cache_key(*hash, *language, &job.inner)).collect();
    // One read for all keys; a cache that fails counts as empty.
    let known = cache.and_then(|cache| cache.get_many(&keys, CACHE_VERSION).ok());
    let known = known.unwrap_or_else(|| vec![None; keys.len()]);
    let work: Vec<_> = work.into_iter().zip(known).collect();
    let finished: Vec<(Outcome, Fresh)> = pool.install(|| {
        work.into_par_iter()
            .map(|((job, hash, language, bytes), row)| {
                cancel.check()?;
                let loaded = Loaded::Wanted { hash, language, bytes: Some(bytes) };
                Ok(finish(&job, loaded, row, one, &counters))
            })
            .collect::<Result<_, EngineError>>()
    })?;
    cancel.check()?;
    let (outcomes, fresh): (Vec<Outcome>, Vec<Fresh>) = finished.into_iter().unzip();
    // Stored after the parallel part, in one write.
    if let Some(cache) = cache {
        store_fresh(cache, fresh);
    }
    let facts = outcomes.into_iter().filter_map(|outcome| match outcome {
        Outcome::Facts(extracted) => Some(*extracted),
        Outcome::Same | Outcome::Gone | Outcome::Unreadable(_) => None,
    });
    Ok(facts.collect())
}

/// A file that is not on disk in this state.
fn memory_job(path: RepoPath, inner: RepoPath, size: usize) -> Job {
    let meta = FileMeta { size: size as u64, mtime_ns: 0, ino: 0 };
    Job { path, inner, root: 0, meta, before: None, language: None, unchanged: false, always: true }
}

/// A file by the hash of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub(crate) path: RepoPath,
    /// Path in its root.
    pub(crate) inner: RepoPath,
    pub(crate) hash: ContentHash,
    pub(crate) language: Language,
}

/// Facts of files that are given by hash: from the cache, else from `content`, which returns the text of a file if it
/// has one of that hash. Files that neither has are blank; their paths are returned beside.
///
/// # Errors
/// [`EngineError::Cancelled`].
pub(crate) fn of_hashes(
    files: Vec<KnownFile>,
    content: &(dyn Fn(&KnownFile) -> Option<Vec<u8>> + Sync),
    limits: &Limits,
    (cache, pool): (Option<&FactsCache>, &rayon::ThreadPool),
    cancel: &Cancel,
) -> Result<(Vec<Extracted>, Vec<RepoPath>), EngineError> {
    let one = OneFile { roots: &[], attempts: None, limits, cancel };
    let counters = Counters::default();
    let keys: Vec<ContentHash> = files.iter().map(|file| cache_key(file.hash, file.language, &file.inner)).collect();
    let rows = cache.and_then(|cache| cache.get_many(&keys, CACHE_VERSION).ok());
    let rows = rows.unwrap_or_else(|| vec![None; keys.len()]);
    let work: Vec<_> = files.into_iter().zip(rows).collect();
    let extract_one = |(file, row): (KnownFile, Option<Vec<u8>>)| {
        cancel.check()?;
        // The text of a manifest is not cached.
        let needs_text = row.is_none() || Linker::is_manifest(&file.path);
        let bytes = if needs_text { content(&file) } else { None };
        let is_missing = needs_text && bytes.is_none();
        let job = memory_job(file.path.clone(), file.inner, bytes.as_ref().map_or(0, Vec::len));
        let outcome = if is_missing && row.is_none() {
            build_outcome(&job, file.hash, blank(file.language, None), terms::none(), None, false)
        } else {
            let loaded = Loaded::Wanted { hash: file.hash, language: file.language, bytes };
            finish(&job, loaded, row, one, &counters).0
        };
        Ok((outcome, is_missing.then_some(file.path)))
    };
    let finished: Vec<(Outcome, Option<RepoPath>)> =
        pool.install(|| work.into_par_iter().map(extract_one).collect::<Result<_, EngineError>>())?;
    cancel.check()?;
    let (mut facts, mut missing) = (Vec::with_capacity(finished.len()), Vec::new());
    for (outcome, path) in finished {
        missing.extend(path);
        if let Outcome::Facts(extracted) = outcome {
            facts.push(*extracted);
        }
    }
    Ok((facts, missing))
}

/// One file as it was indexed, from stored rows or else from the disk; `None` if neither has that content. Without the
/// text of a manifest. Starts no work on other threads.
pub(crate) fn as_indexed(job: &Job, rows: StoredRows<'_>, tools: OneFile<'_>) -> Option<Extracted> {
    let hash = job.before?;
    // What is on disk now is of no interest as long as a row has it.
    let outcome = match rows.find(job).and_then(|row| decode(&row)) {
        Some((facts, terms)) => build_outcome(job, hash, facts, terms, None, true),
        None => {
            let counters = Counters::default();
            finish(job, load(job, tools, &counters), None, tools, &counters).0
        }
    };
    match outcome {
        Outcome::Facts(file) => Some(*file).filter(|file| file.entry.hash == hash && !tools.cancel.is_cancelled()),
        _ => None,
    }
}

/// Stores what is new as it comes, several batches of small files at once.
fn store_rows(cache: &FactsCache, fresh: &crossbeam_channel::Receiver<Vec<Fresh>>) {
    let mut waiting = Waiting::default();
    for batch in fresh {
        if let Some(enough) = waiting.add(batch) {
            store_fresh(cache, enough);
        }
    }
    store_fresh(cache, waiting.fresh);
}

/// What is to be stored together.
#[derive(Default)]
struct Waiting {
    fresh: Vec<Fresh>,
    bytes: usize,
}

impl Waiting {
    /// Adds a batch; returns everything once it is enough.
    fn add(&mut self, batch: Vec<Fresh>) -> Option<Vec<Fresh>> {
        let rows = batch.iter().flat_map(|one| [&one.facts, &one.text]).flatten();
        self.bytes += rows.map(|(_, row)| row.len()).sum::<usize>();
        self.fresh.extend(batch);
        let is_enough = self.fresh.len() >= STORED_ROWS || self.bytes >= STORED_BYTES;
        is_enough.then(|| std::mem::take(self).fresh)
    }
}

fn batch_len(jobs: &[Job]) -> usize {
    let mut bytes = 0;
    let fits = jobs.iter().take(BATCH).take_while(|job| {
        bytes += job.meta.size;
        bytes <= BATCH_BYTES
    });
    fits.count().max(1)
}

fn batch_outcomes(
    batch: &[Job],
    tools: Tools<'_>,
    counters: &Counters,
    rows: &crossbeam_channel::Sender<Vec<Fresh>>,
    total: u64,
) -> Result<Vec<Outcome>, EngineError> {
    let loaded: Vec<Loaded> = tools.pool.install(|| {
        batch
            .par_iter()
            .map(|job| {
                tools.one.cancel.check()?;
                Ok(load(job, tools.one, counters))
            })
            .collect::<Result<_, EngineError>>()
    })?;
    let keys: Vec<ContentHash> = batch
        .iter()
        .zip(&loaded)
        .filter_map(|(job, file)| match file {
            Loaded::Wanted { hash, language, .. } => Some(cache_key(*hash, *language, &job.inner)),
            Loaded::Ready(_) => None,
        })
        .collect();
    let mut cached = match tools.cache {
        Some(cache) if !keys.is_empty() => cache.get_many(&keys, CACHE_VERSION).unwrap_or_else(|error| {
            tracing::warn!(%error, "the facts cache could not be read");
            vec![None; keys.len()]
        }),
        _ => vec![None; keys.len()],
    }
    .into_iter();
    let work: Vec<(&Job, Loaded, Option<Vec<u8>>)> = batch
        .iter()
        .zip(loaded)
        .map(|(job, file)| {
            let row = if matches!(file, Loaded::Wanted { .. }) { cached.next().flatten() } else { None };
            (job, file, row)
        })
        .collect();
    let finished: Vec<(Outcome, Fresh)> = tools.pool.install(|| {
        work.into_par_iter()
            .map(|(job, file, row)| {
                tools.one.cancel.check()?;
                let finished = finish(job, file, row, tools.one, counters);
                counters.count_finished(tools.progress, total);
                Ok(finished)
            })
            .collect::<Result<_, EngineError>>()
    })?;
    // A result that was cut short by cancelling must not be stored.
    tools.one.cancel.check()?;
    let (outcomes, mut fresh): (Vec<Outcome>, Vec<Fresh>) = finished.into_iter().unzip();
    fresh.retain(|one| one.facts.is_some() || one.text.is_some());
    if !fresh.is_empty() {
        // Nobody listens when there is no cache.
        let _ = rows.send(fresh);
    }
    Ok(outcomes)
}

/// The cache key: the same bytes are different facts in different languages, and the words of the path are among the
/// terms. Paths are those inside a root, so worktrees and branches share rows.
pub(crate) fn cache_key(hash: ContentHash, language: Language, inner: &RepoPath) -> ContentHash {
    let mut key = Vec::with_capacity(128);
    key.extend_from_slice(hash.as_bytes());
    key.extend_from_slice(language.name().as_bytes());
    key.push(0);
    key.extend_from_slice(inner.as_str().as_bytes());
    ContentHash::of(&key)
}

fn load(job: &Job, tools: OneFile<'_>, counters: &Counters) -> Loaded {
    if let Some(hash) = job.before.filter(|_| job.unchanged) {
        if !job.always {
            return Loaded::Ready(Outcome::Same);
        }
        let by_path = || Some(Language::detect(&job.path, b"")).filter(|language| !language.is_unknown());
        if let Some(language) = job.language.or_else(by_path).filter(|_| !Linker::is_manifest(&job.path)) {
            return Loaded::Wanted { hash, language, bytes: None };
        }
    }
    let bytes = match read(job, tools, counters) {
        Ok(bytes) => bytes,
        Err(outcome) => return Loaded::Ready(outcome),
    };
    let hash = ContentHash::of(&bytes);
    if job.before == Some(hash) && !job.always {
        return Loaded::Ready(Outcome::Same);
    }
    let language = Language::detect(&job.path, &bytes[..bytes.len().min(HEAD)]);
    Loaded::Wanted { hash, language, bytes: Some(bytes) }
}

fn read(job: &Job, tools: OneFile<'_>, counters: &Counters) -> Result<Vec<u8>, Outcome> {
    let Some(root) = tools.roots.get(job.root).and_then(Option::as_ref) else { return Err(Outcome::Gone) };
    match root.read_listed(&job.inner, tools.limits.read_bytes) {
        Ok(bytes) => {
            counters.bytes_read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            Ok(bytes)
        }
        Err(VfsError::NotFound { .. }) => Err(Outcome::Gone),
        Err(VfsError::TooLarge { size, limit, .. }) => Err(too_large(job, size, limit)),
        Err(error) => Err(Outcome::Unreadable(Problem::new(ProblemKind::Unreadable, error.to_string()))),
    }
}

/// Returns whether reading the file now would leave the index as it is.
pub(crate) fn is_as_indexed(job: &Job, root: &Root, limits: &Limits) -> bool {
    let now = match root.read_listed(&job.inner, limits.read_bytes) {
        Ok(bytes) => Some(ContentHash::of(&bytes)),
        Err(VfsError::TooLarge { size, .. }) => Some(unread_hash(job, size)),
        Err(_) => None,
    };
    now == job.before
}

/// Stands for the content of a file over the read limit.
fn unread_hash(job: &Job, size: u64) -> ContentHash {
    ContentHash::of(format!("unread {size} {}", job.meta.mtime_ns).as_bytes())
}

/// A file over the read limit stays a file node, identified by size and time instead of content.
fn too_large(job: &Job, size: u64, limit: u64) -> Outcome {
    let hash = unread_hash(job, size);
    if job.before == Some(hash) && !job.always {
        return Outcome::Same;
    }
    let problem = Problem::new(ProblemKind::TooLarge, format!("{size} bytes, read limit {limit}"));
    let facts = blank(Language::detect(&job.path, b""), Some(problem));
    build_outcome(job, hash, facts, terms::none(), None, false)
}

fn blank(language: Language, problem: Option<Problem>) -> FileFacts {
    let mut facts = m1nd_lang::extract(Language::Text, b"", &Limits::default(), &Cancel::new());
    facts.language = language;
    facts.problems.extend(problem);
    facts
}

fn finish(job: &Job, file: Loaded, row: Option<Vec<u8>>, tools: OneFile<'_>, counters: &Counters) -> (Outcome, Fresh) {
    let (mut hash, mut language, bytes) = match file {
        Loaded::Ready(outcome) => return (outcome, Fresh::default()),
        Loaded::Wanted { hash, language, bytes } => (hash, language, bytes),
    };
    let manifest = |bytes: &Option<Vec<u8>>| {
        let bytes = bytes.as_ref().filter(|_| Linker::is_manifest(&job.path))?;
        if !Linker::has_settings(&job.path, bytes) {
            return None;
        }
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    if let Some((facts, terms)) = row.and_then(|row| decode(&row)) {
        let manifest = manifest(&bytes);
        return (build_outcome(job, hash, facts, terms, manifest, true), Fresh::default());
    }
    let bytes = match bytes {
        Some(bytes) => bytes,
        // Not in the cache any more.
        None => match read(job, tools, counters) {
            Ok(bytes) => {
                hash = ContentHash::of(&bytes);
                language = Language::detect(&job.path, &bytes[..bytes.len().min(HEAD)]);
                bytes
            }
            Err(outcome) => return (outcome, Fresh::default()),
        },
    };
    let path = job.inner.as_str();
    let begin = |attempts: &Attempts| attempts.begin(path, &bytes, tools.cancel);
    let attempt = match tools.attempts.map_or(Ok(Attempt::default()), begin) {
        Ok(attempt) => attempt,
        Err(why) => {
            let facts = blank(language, Some(Problem::new(ProblemKind::ProcessEnded, why)));
            let manifest = manifest(&Some(bytes));
            return (build_outcome(job, hash, facts, terms::none(), manifest, false), Fresh::default());
        }
    };
    // The text is read under the same protection as the facts: both come from a parser of a foreign format.
    let run = || {
        let text = read_as_text(language, &bytes, tools.cancel);
        let facts = m1nd_lang::extract_readable(path, language, &text, tools.limits, tools.cancel);
        (text, facts)
    };
    let nothing = |panic: Box<dyn std::any::Any + Send>| {
        let problem = Problem::new(ProblemKind::ExtractorFailed, panic_text(&*panic));
        (Readable { text: Cow::Borrowed(&[]), problem: None }, blank(language, Some(problem)))
    };
    let (text, facts) = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(nothing);
    drop(attempt);
    let terms = catch_unwind(AssertUnwindSafe(|| terms::of_file(&job.inner, &facts, &text.text)));
    let terms = terms.unwrap_or_else(|_| terms::none());
    // A timeout may not recur on a less busy machine.
    let lasting = !facts.problems.iter().any(|problem| problem.kind == ProblemKind::ParseTimeout);
    let row = if lasting { encode(&facts, &terms) } else { None };
    let facts_row = row.map(|row| (cache_key(hash, language, &job.inner), row));
    let text_row = if language.is_packed() {
        document_texts::encode_row(document_texts::make_key(hash, language), &text)
    } else {
        None
    };
    let manifest = manifest(&Some(bytes));
    (build_outcome(job, hash, facts, terms, manifest, false), Fresh { facts: facts_row, text: text_row })
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").chars().take(200).collect()
}

/// Terms come first, so that they can be had without decoding the facts.
fn encode(facts: &FileFacts, terms: &FileTerms) -> Option<Vec<u8>> {
    postcard::to_allocvec(&(terms.as_bytes(), facts)).ok()
}

fn decode(row: &[u8]) -> Option<(FileFacts, FileTerms)> {
    let (terms, facts): (&[u8], FileFacts) = postcard::from_bytes(row).ok()?;
    // The cache has compared the row with its checksum.
    Some((facts, FileTerms::from_sound_bytes(terms)))
}

/// The search terms of a file as it was indexed, see [`as_indexed`].
pub(crate) fn terms_as_indexed(job: &Job, rows: StoredRows<'_>, tools: OneFile<'_>) -> Option<Arc<FileTerms>> {
    let cached = || {
        let row = rows.find(job)?;
        let (terms, _): (&[u8], _) = postcard::take_from_bytes(&row).ok()?;
        Some(Arc::new(FileTerms::from_sound_bytes(terms)))
    };
    cached().or_else(|| as_indexed(job, rows, tools).map(|file| file.terms))
}

fn build_outcome(
    job: &Job,
    hash: ContentHash,
    facts: FileFacts,
    terms: FileTerms,
    manifest: Option<String>,
    from_cache: bool,
) -> Outcome {
    let entry = FileEntry {
        path: job.path.clone(),
        language: facts.language,
        size: job.meta.size,
        mtime_ns: job.meta.mtime_ns,
        lines: facts.lines,
        hash,
        is_test: facts.is_test || is_test_path(&job.path),
        tiers: Tiers::default(),
        problems: facts.problems.clone(),
    };
    Outcome::Facts(Box::new(Extracted { entry, facts: Arc::new(facts), terms: Arc::new(terms), manifest, from_cache }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_small_files_are_stored_together() {
        let row = |bytes: usize| Some((ContentHash::of(b""), vec![0; bytes]));
        let batch = |rows: usize, bytes: usize| -> Vec<Fresh> {
            (0..rows).map(|_| Fresh { facts: row(bytes), text: None }).collect()
        };
        let sizes = |batches: usize, rows: usize, bytes: usize| -> Vec<usize> {
            let mut waiting = Waiting::default();
            (0..batches).filter_map(|_| waiting.add(batch(rows, bytes))).map(|rows| rows.len()).collect()
        };
        assert_eq!(sizes(50, BATCH, 10), [22 * BATCH; 2], "many small rows");
        assert_eq!(sizes(3, 2, STORED_BYTES), [2; 3], "large rows do not wait");
        assert_eq!(sizes(9, 1, STORED_BYTES / 4), [4; 2]);
    }
}
