use std::ops::Range;
use std::time::Duration;

use m1nd_base::{Cancel, Cancelled, Deadline, Problem, ProblemKind};
use m1nd_graph::NodeIx;
use m1nd_search::grep::{FileMatches, Grep, GrepOptions, LineMatch};
use rayon::prelude::*;

use super::glob::PathGlob;
use super::grep_passages::PassageSearch;
use m1nd_engine::FileEntry;
use m1nd_engine::Snapshot;

/// Time limit of a search. Files not searched by then are reported.
const BUDGET: Duration = Duration::from_millis(2_000);
/// Files searched at once; how many rows are still wanted is known between two such groups.
const CHUNK: usize = 256;

/// Maximum number of files and folders listed that are not in the index.
const MAX_UNSEARCHED: usize = 10;

/// A question for lines.
#[derive(Debug, Clone, Default)]
pub struct GrepQuery {
    /// Pattern and options.
    pub options: GrepOptions,
    /// Folder or file it is limited to, as [`Snapshot::scope`] gives it.
    pub scope: String,
    /// Glob for the names of files.
    pub filename_pattern: Option<String>,
    /// Rows to leave out at the front.
    pub offset: usize,
    /// Most rows to return.
    pub limit: usize,
}

/// The reason why a query cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum GrepFault {
    /// The pattern cannot be used.
    #[error(transparent)]
    Pattern(#[from] m1nd_search::grep::GrepError),
    /// The glob for file names cannot be used.
    #[error("the glob for file names cannot be used: {0}")]
    Glob(String),
    /// The caller cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A line that was found.
#[derive(Debug, Clone)]
pub struct GrepRow<'s> {
    /// Its file.
    pub file: &'s FileEntry,
    /// The line with its surroundings.
    pub found: LineMatch,
    /// Innermost symbol around it, else the file.
    pub node: Option<NodeIx>,
    /// The file changed since it was indexed, so that `node` may be off.
    pub stale: bool,
}

/// Result of a search.
#[derive(Debug, Clone, Default)]
pub struct GrepAnswer<'s> {
    /// The rows asked for: code, then other text, then tests; by path and line.
    pub rows: Vec<GrepRow<'s>>,
    /// All matches in the files that were searched.
    pub total: usize,
    /// Files with a match.
    pub files_matched: usize,
    /// Files that were searched.
    pub files_searched: usize,
    /// Files in scope that hold no text or could not be read.
    pub files_skipped: usize,
    /// Files and folders in scope that are not in the index, or not as text, by path: some of them.
    pub unsearched: Vec<Unsearched>,
    /// Total number.
    pub total_unsearched: usize,
    /// Files in scope that the time did not suffice for; then `total` is a lower bound.
    pub files_left: usize,
}

/// A file or folder that was not searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsearched {
    /// Its path.
    pub path: String,
    /// Why it was not.
    pub kind: ProblemKind,
    /// What helps, or figures; may be empty.
    pub detail: String,
}

/// Lists what a search in these files cannot find, though no rule leaves it out.
fn list_unsearched(snapshot: &Snapshot, scope: &str, fits: impl Fn(&str) -> bool, answer: &mut GrepAnswer<'_>) {
    let scope = scope.trim_matches('/');
    let is_inside = |path: &str| m1nd_base::is_within(path, scope);
    // Links lead to files that are searched under their own names, or out of the project.
    let hides = |kind: ProblemKind| !matches!(kind, ProblemKind::SymbolicLink | ProblemKind::NotRegular);
    let skipped = snapshot.list_skipped().iter().map(|(path, problem)| (path.as_str(), problem));
    let of_files = snapshot.files().iter().filter_map(|file| {
        // A pointer in place of the content, or a document whose text cannot be had.
        let hides = |problem: &&Problem| match problem.kind {
            ProblemKind::LfsPointer => true,
            kind => kind == ProblemKind::Binary && file.language.is_packed(),
        };
        let problem = file.problems.iter().find(hides)?;
        Some((file.path.as_str(), problem))
    });
    for (path, problem) in skipped.chain(of_files) {
        if hides(problem.kind) && is_inside(path) && (fits(path) || is_folder(problem.kind)) {
            answer.total_unsearched += 1;
            if answer.unsearched.len() < MAX_UNSEARCHED {
                let (path, detail) = (path.to_owned(), problem.detail.clone());
                answer.unsearched.push(Unsearched { path, kind: problem.kind, detail });
            }
        }
    }
}

fn is_folder(kind: ProblemKind) -> bool {
    matches!(kind, ProblemKind::Submodule | ProblemKind::LinkedWorktree | ProblemKind::FolderDepth)
}

/// Lines of indexed files, as they are on the disk now.
///
/// # Errors
/// [`GrepFault`].
pub fn grep<'s>(snapshot: &'s Snapshot, query: &GrepQuery, cancel: &Cancel) -> Result<GrepAnswer<'s>, GrepFault> {
    let grep = Search { lines: Grep::new(query.options.clone())?, passages: PassageSearch::new(&query.options)? };
    let names = query.filename_pattern.as_deref().map(PathGlob::compile).transpose().map_err(GrepFault::Glob)?;
    let names = names.map(|names| names.narrow(|| snapshot.files().iter().map(|file| file.path.as_str())));
    let fits = |file: &&FileEntry| names.as_ref().is_none_or(|names| names.is_match(file.path.as_str()));
    let fits_path = |path: &str| names.as_ref().is_none_or(|names| names.is_match(path));
    let mut files: Vec<&FileEntry> = snapshot.files().within(&query.scope).filter(fits).collect();
    files.sort_by_key(|file| (file.is_test, file.language.is_prose()));

    let searching = Deadline::after(BUDGET);
    let end = query.offset.saturating_add(query.limit);
    let mut answer = GrepAnswer::default();
    list_unsearched(snapshot, &query.scope, fits_path, &mut answer);
    let mut chunks = files.chunks(CHUNK);
    for chunk in chunks.by_ref() {
        // Rows before the page are only counted: a far page costs time, not memory. The rows of a file for the page
        // are only known once those before it are counted.
        let starts_here = answer.total >= query.offset;
        let keep = if starts_here { 0..end.saturating_sub(answer.total) } else { 0..0 };
        let search = |file: &&FileEntry| match searching.is_over() {
            true => Ok(None),
            false => search_file(snapshot, &grep, file, keep.clone(), cancel).map(Some),
        };
        let found: Result<Vec<Option<Option<Searched>>>, Cancelled> = chunk.par_iter().map(search).collect();
        for (file, searched) in chunk.iter().zip(found?) {
            match searched {
                Some(mut searched) => {
                    if let Some(found) = searched.as_mut().filter(|_| !starts_here) {
                        page_of(snapshot, &grep, query, file, answer.total, found, cancel)?;
                    }
                    take(snapshot, &mut answer, query, file, searched);
                }
                None => answer.files_left += 1,
            }
        }
        if searching.is_over() {
            break;
        }
    }
    answer.files_left += chunks.map(<[_]>::len).sum::<usize>();
    Ok(answer)
}

/// A compiled search, in the lines of files and in what documents say.
struct Search {
    lines: Grep,
    passages: Option<PassageSearch>,
}

fn search_file(
    snapshot: &Snapshot,
    grep: &Search,
    file: &FileEntry,
    keep: Range<usize>,
    cancel: &Cancel,
) -> Result<Option<Searched>, Cancelled> {
    cancel.check()?;
    let Ok(text) = snapshot.read_text(&file.path, cancel) else { return Ok(None) };
    if text.problem.as_ref().is_some_and(|problem| problem.kind == ProblemKind::Binary) {
        return Ok(None);
    }
    let passages = grep.passages.as_ref().filter(|_| file.language.is_rendered());
    let matches = match passages {
        Some(passages) => {
            let mut found = grep.lines.search(&text, 0..usize::MAX, cancel)?;
            passages.add(file.language, &text, &mut found, cancel)?;
            let kept = found.matches.drain(..).skip(keep.start).take(keep.len()).collect();
            FileMatches { matches: kept, ..found }
        }
        None => grep.lines.search(&text, keep, cancel)?,
    };
    let stale = !matches.matches.is_empty() && text.file_hash() != file.hash;
    Ok((!matches.binary).then_some(Searched { matches, stale }))
}

/// Searches a file that was only counted again for its rows on the page. `before` is the number of rows of earlier
/// files.
fn page_of(
    snapshot: &Snapshot,
    grep: &Search,
    query: &GrepQuery,
    file: &FileEntry,
    before: usize,
    found: &mut Searched,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let end = query.offset.saturating_add(query.limit);
    let from = query.offset.saturating_sub(before);
    if from < found.matches.total
        && end > before
        && let Some(again) = search_file(snapshot, grep, file, from..end - before, cancel)?
    {
        found.matches.matches = again.matches.matches;
        found.stale = again.stale;
    }
    Ok(())
}

/// Adds the result of a file, whose rows are those of the page.
fn take<'s>(
    snapshot: &'s Snapshot,
    answer: &mut GrepAnswer<'s>,
    query: &GrepQuery,
    file: &'s FileEntry,
    searched: Option<Searched>,
) {
    let Some(Searched { matches, stale }) = searched else {
        answer.files_skipped += 1;
        return;
    };
    answer.files_searched += 1;
    answer.files_matched += usize::from(matches.total > 0);
    for found in matches.matches {
        if answer.rows.len() >= query.limit {
            break;
        }
        let node = snapshot.node_at(&file.path, found.line);
        answer.rows.push(GrepRow { file, found, node, stale });
    }
    answer.total += matches.total;
}

struct Searched {
    matches: FileMatches,
    stale: bool,
}
