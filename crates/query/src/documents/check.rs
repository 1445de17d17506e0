//! Compares documents with the code and its commits: names, links, commands and examples that no longer match.

use m1nd_base::{Cancel, Cancelled, NodeKind, RepoPath};
use m1nd_documents::SectionKind;
use m1nd_engine::Snapshot;
use m1nd_engine::history::{PlacedHistory, ProjectHistory};
use m1nd_graph::NodeFlags;
use m1nd_lang::reading_rules::{Package, ReadingRules};
use rustc_hash::{FxHashMap, FxHashSet};

use super::closed::{self, Closed};
use super::dead::{self, Candidate};
use super::labels::Labels;
use super::past::{self, GonePath, OwnedName, Removal};
use super::signatures::{self, PastFacts};
use super::{DriftClass, Finding, Read, broken_links, in_order, is_record, slips};

/// Shortest name of which a slip is found, in bytes: shorter ones are near to too many.
const LEAST_SLIP: usize = 8;

/// Options and commands that libraries add by themselves.
const IMPLIED: &[&str] = &["help", "version", "completion", "completions", "install-completion", "show-completion"];

/// Which findings are asked for, beyond what is surely wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckScope {
    /// Code whose interface changed since the text was touched.
    pub changed_code: bool,
}

/// Result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// Documents that were read.
    pub documents: usize,
    /// Their sections.
    pub sections: usize,
    /// Findings by document and line.
    pub findings: Vec<(RepoPath, Finding)>,
    /// What could not be looked at, in words.
    pub gaps: Vec<String>,
}

/// The documents of the index: Markdown, reStructuredText, AsciiDoc, HTML and notebooks, without test data.
pub fn documents_of(snapshot: &Snapshot) -> Vec<RepoPath> {
    let documents = snapshot
        .files()
        .iter()
        .filter(|file| file.language.is_document() && !file.language.is_packed() && !file.is_test);
    documents.map(|file| file.path.clone()).collect()
}

/// The reason why a check could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The caller cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The commit to compare with is not known.
    #[error("`{name}` is no commit that was read: {why}; fetch it, or leave it out")]
    Since {
        /// As passed.
        name: String,
        /// The reason.
        why: String,
    },
}

/// Leaves the findings that the commits since a revision, or the work tree, brought: a commit made the name dead, or
/// the document was changed.
///
/// # Errors
/// [`CheckError::Since`].
pub fn keep_since(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    checked: &mut Checked,
    since: &str,
) -> Result<(), CheckError> {
    let no = |why: String| CheckError::Since { name: since.to_owned(), why };
    let any = snapshot.files().iter().next().ok_or_else(|| no("nothing is indexed".to_owned()))?;
    let place = history.place(any.path.as_str()).map_err(|why| no(why.to_string()))?;
    let (contents, git) = (place.contents(), place.git());
    let (contents, git) = (contents.map_err(|why| no(why.to_string()))?, git.map_err(|why| no(why.to_string()))?);
    let name = contents.resolve(&git, since).map_err(|why| no(why.to_string()))?.name();
    let commits = place.history.commits();
    let from = commits.iter().position(|commit| commit.name() == name);
    let from = from.ok_or_else(|| no("it is older than the commits that were read".to_owned()))?;
    let newer: FxHashSet<String> = commits[..from].iter().map(m1nd_engine::history::Commit::name).collect();
    checked.findings.retain(|(path, finding)| match &finding.evidence {
        Some(evidence) => newer.contains(&evidence.commit),
        None => {
            let place = history.place(path.as_str()).ok();
            let newest = place.and_then(|place| place.file()?.newest());
            // A document that no commit has is new.
            newest.is_none_or(|newest| newest < from) || is_edited(snapshot, history, path)
        }
    });
    Ok(())
}

/// Returns whether a document is not as the newest commit has it.
fn is_edited(snapshot: &Snapshot, history: &ProjectHistory, path: &RepoPath) -> bool {
    let Some(place) = history.place(path.as_str()).ok() else { return true };
    let committed = place.file().and_then(|file| file.changes().next()?.after);
    let now = snapshot.read_bytes(path).ok().and_then(|text| m1nd_history::BlobId::of_content(&text));
    committed.is_none() || committed != now
}

/// Checks documents.
///
/// # Errors
/// [`Cancelled`].
pub fn check(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    paths: &[RepoPath],
    scope: CheckScope,
    cancel: &Cancel,
) -> Result<Checked, Cancelled> {
    let mut checked = Checked::default();
    let mut reads = Vec::new();
    for path in paths {
        cancel.check()?;
        match super::read(snapshot, path) {
            Ok(read) => {
                checked.documents += 1;
                checked.sections += read.document.sections.len();
                reads.push(read);
            }
            Err(error) => checked.gaps.push(format!("{path}: {error}")),
        }
    }
    let reads: Vec<&Read> = reads.iter().collect();
    let found = findings(snapshot, history, &reads, scope, &mut checked.gaps, cancel)?;
    for (read, rows) in reads.iter().zip(found) {
        checked.findings.extend(rows.into_iter().map(|row| (read.path.clone(), row)));
    }
    Ok(checked)
}

/// Findings in each of these documents, by line.
pub(super) fn findings(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    reads: &[&Read],
    scope: CheckScope,
    gaps: &mut Vec<String>,
    cancel: &Cancel,
) -> Result<Vec<Vec<Finding>>, Cancelled> {
    // Names that no index has, of each document. A record of what was done may name what is gone.
    let programs = dead::programs(snapshot);
    let mut all: Vec<Vec<Candidate>> = Vec::with_capacity(reads.len());
    for read in reads {
        cancel.check()?;
        let is_past = is_record(read.path.as_str());
        let mut rows = if is_past { Vec::new() } else { dead::candidates(snapshot, read, &programs, cancel) };
        rows.retain(|row| !in_record(read, row.line));
        if !rows.is_empty() {
            let text = snapshot.read_file(&read.path).map(|file| file.text).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            rows.retain(|row| !tells_of_change(&lines, row.line));
        }
        all.push(rows);
    }
    // One search for the words of all documents: none may stand in a text that is not indexed.
    let named = || all.iter().flatten().filter(|row| !row.word.is_empty());
    let words: FxHashSet<String> = named().flat_map(|row| [Some(row.word.clone()), row.in_code()]).flatten().collect();
    let Some(absent) = past::absent(snapshot, &words, cancel)? else {
        gaps.push("the project has too much code to search it for names".to_owned());
        return Ok(reads.iter().map(|read| broken_links(snapshot, read)).collect());
    };
    let wanted = named().filter(|row| row.is_absent(&absent)).map(|row| (row.owned, row.word.clone())).collect();
    // The judge keeps what it has found out between documents.
    let mut judge = Judge {
        snapshot,
        history,
        absent,
        wanted,
        removals: FxHashMap::default(),
        gone: FxHashMap::default(),
        labels: None,
        closed: None,
        cancel,
    };
    let mut labels = Labels::new(snapshot);
    let mut kept = PastFacts::default();
    let mut found = Vec::with_capacity(reads.len());
    for (read, rows) in reads.iter().zip(all) {
        cancel.check()?;
        let mut own = broken_links(snapshot, read);
        own.extend(labels.missing(read, cancel)?);
        let text = snapshot.read_file(&read.path).map(|file| file.text).unwrap_or_default();
        own.extend(judge.dead(read, &text, rows)?);
        if scope.changed_code && !is_record(read.path.as_str()) {
            own.extend(signatures::find_changed((snapshot, history), read, &text, &mut kept, cancel)?);
        }
        in_order(&mut own);
        found.push(own);
    }
    Ok(found)
}

/// Returns whether a line belongs to a note on a change (`.. versionchanged::`), or says itself that something is gone.
fn tells_of_change(lines: &[&str], line: u32) -> bool {
    const NOTES: &[&str] = &["versionchanged", "versionadded", "versionremoved", "deprecated", "removed"];
    const GONE: &[&str] =
        &["removed in", "was removed", "were removed", "been removed", "no longer", "renamed", "deprecated"];
    /// Lines above that are looked at.
    const MAX_ABOVE: usize = 200;
    let at = line.saturating_sub(1) as usize;
    let Some(own) = lines.get(at) else { return false };
    let lower = own.to_lowercase();
    if GONE.iter().any(|words| lower.contains(words)) {
        return true;
    }
    let indent = |text: &str| text.len() - text.trim_start().len();
    let mut depth = indent(own);
    for above in lines[..at].iter().rev().take(MAX_ABOVE).filter(|above| !above.trim().is_empty()) {
        if indent(above) < depth {
            depth = indent(above);
            let name = above.trim_start().strip_prefix(".. ").and_then(|rest| rest.split_once("::"));
            if name.is_some_and(|(name, _)| NOTES.contains(&name)) {
                return true;
            }
        }
        if depth == 0 {
            break;
        }
    }
    false
}

/// Returns whether a line is in a section about changes.
fn in_record(read: &Read, line: u32) -> bool {
    let at = read.document.sections.partition_point(|section| section.line <= line);
    let Some(mut at) = at.checked_sub(1) else { return false };
    // Sections nest as deep as they have levels.
    for _ in 0..u8::MAX {
        let section = &read.document.sections[at];
        if section.kind == SectionKind::Rollout {
            return true;
        }
        match section.parent {
            Some(parent) => at = parent as usize,
            None => return false,
        }
    }
    false
}

struct Judge<'s> {
    snapshot: &'s Snapshot,
    history: &'s ProjectHistory,
    /// Words that no code has.
    absent: FxHashSet<String>,
    /// Names whose removal is looked for.
    wanted: FxHashSet<OwnedName>,
    /// Of each root by its prefix: the commits that removed names.
    removals: FxHashMap<String, FxHashMap<OwnedName, Removal>>,
    /// Of each root: paths that are gone.
    gone: FxHashMap<String, FxHashMap<String, GonePath>>,
    /// Names of the code by their length, for slips.
    labels: Option<FxHashMap<usize, Vec<&'s str>>>,
    /// What the programs of the project declare in full.
    closed: Option<Closed>,
    cancel: &'s Cancel,
}

impl<'s> Judge<'s> {
    /// The candidates that commits or their form prove to be dead.
    fn dead(&mut self, read: &Read, text: &str, rows: Vec<Candidate>) -> Result<Vec<Finding>, Cancelled> {
        let mut found = Vec::new();
        let place = self.history.place(read.path.as_str()).ok();
        let mut dead: Vec<(Candidate, Option<Removal>)> = Vec::new();
        for mut row in rows {
            let is_path = row.word.is_empty();
            let is_absent = is_path || row.is_absent(&self.absent);
            let is_gone_there = !is_absent && row.file.is_some();
            if !(is_absent || is_gone_there) {
                continue;
            }
            let removal = match &place {
                None => None,
                Some(place) if is_path => self.removed_path(place, &row),
                Some(place) if is_absent => self.removed_word(place, &row)?,
                Some(place) => self.removed_there(place, &row),
            };
            if is_absent && row.is_line && removal.is_none() {
                row.is_proven = self.is_closed(&row)?;
            }
            if removal.is_some() || row.is_proven && (is_absent || self.lacks(&row)) {
                dead.push((row, removal));
            } else if is_absent && row.is_marked {
                found.extend(self.slip(&row));
            }
        }
        if dead.is_empty() {
            return Ok(found);
        }
        let ranges: Vec<std::ops::Range<u32>> =
            dead.iter().map(|(row, _)| row.line.saturating_sub(1)..row.line.max(1)).collect();
        let ages = match &place {
            Some(place) => past::ages(place, text.as_bytes(), &ranges, self.cancel)?,
            None => None,
        };
        for (at, (row, removal)) in dead.into_iter().enumerate() {
            // A line that was written after the name was gone says so on purpose.
            let is_older = |removal: &Removal| match &ages {
                Some(ages) => ages.newest[at].map_or(ages.is_cut, |written| written > removal.commit),
                None => false,
            };
            match (&place, removal.filter(is_older)) {
                (Some(place), Some(removal)) => found.push(self.describe_removal(place, row, &removal)),
                _ if row.is_proven => found.push(report_missing(row)),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Returns whether all options, or all commands, of the project are known.
    fn is_closed(&mut self, row: &Candidate) -> Result<bool, Cancelled> {
        if IMPLIED.contains(&row.word.as_str()) {
            return Ok(false);
        }
        let closed = match self.closed {
            Some(closed) => closed,
            None => *self.closed.insert(closed::read_closed(self.snapshot, self.cancel)?),
        };
        Ok(if row.name.starts_with('-') { closed.options } else { closed.commands })
    }

    fn describe_removal(&self, place: &PlacedHistory<'_>, row: Candidate, removal: &Removal) -> Finding {
        let what = match row.class {
            DriftClass::CommandMissing => "no longer exists in the code",
            _ if row.word.is_empty() => "the file was removed or moved",
            _ => "the code no longer has this name",
        };
        let mut finding = Finding::new(row.class, row.line, &row.name, what.to_owned(), 0.9);
        finding.evidence = past::evidence(place, removal.commit);
        if row.word.is_empty() && !removal.path.is_empty() {
            finding.class = DriftClass::BindingMoved;
            finding.message = format!("is `{}` now", removal.path);
            finding.target =
                self.snapshot.graph().find_file(&removal.path).map(|node| self.snapshot.graph().id(node).to_owned());
            return finding;
        }
        let again = (!row.word.is_empty() && row.class != DriftClass::CommandMissing)
            .then(|| past::find_new_name(place, &row.word, removal, self.cancel))
            .flatten();
        let graph = self.snapshot.graph();
        if let Some(name) = again
            && let [node, ..] = self.snapshot.nodes_named(&name).as_slice()
        {
            finding.class = DriftClass::BindingMoved;
            finding.message = format!("is `{name}` now");
            finding.target = Some(graph.id(*node).to_owned());
        }
        finding
    }

    fn removed_word(&mut self, place: &PlacedHistory<'_>, row: &Candidate) -> Result<Option<Removal>, Cancelled> {
        let prefix = place.outer("");
        if !self.removals.contains_key(&prefix) {
            let found = past::removals(place, &self.wanted, self.cancel)?;
            self.removals.insert(prefix.clone(), found);
        }
        Ok(self.removals[&prefix].get(&(row.owned, row.word.clone())).cloned())
    }

    /// Returns whether the module that an example imports a name from does not have it, as far as its text shows.
    fn lacks(&self, row: &Candidate) -> bool {
        let Some(path) = row.file.as_deref().filter(|_| row.class == DriftClass::ExampleBroken) else { return false };
        let files = self.snapshot.files();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let has =
            |path: &RepoPath| self.snapshot.read_bytes(path).map_or(true, |text| past::has_word(&text, &row.word));
        let Some(language) = files.by_text(path).map(|file| file.language) else { return false };
        match ReadingRules::of(language).package {
            Package::Folder => {
                let mut package = files.iter().filter(|file| file.path.parent() == folder && file.language == language);
                package.all(|file| !has(&file.path))
            }
            Package::Marked(mark) if path.strip_suffix(mark).is_some_and(|folder| folder.ends_with('/')) => {
                let is_module = files.within(&format!("{folder}/{}", row.word)).next().is_some()
                    || files.by_text(&format!("{folder}/{}.py", row.word)).is_some();
                let text = RepoPath::new(path).ok().and_then(|path| self.snapshot.read_file(&path).ok());
                let is_open = |text: &str| text.contains("import *") || text.contains("__getattr__");
                !is_module
                    && text.is_some_and(|file| !is_open(&file.text) && !past::has_word(file.text.as_bytes(), &row.word))
            }
            Package::Marked(_) | Package::File => false,
        }
    }

    /// A name that never was, one letter from a name that is.
    fn slip(&mut self, row: &Candidate) -> Option<Finding> {
        if row.word.len() < LEAST_SLIP {
            return None;
        }
        let snapshot = self.snapshot;
        let labels = self.labels.get_or_insert_with(|| labels_of(snapshot));
        let lengths = row.word.len() - 1..=row.word.len() + 1;
        let near = lengths.filter_map(|length| labels.get(&length)).flatten();
        let mut near = near.filter(|label| slips::is_slip(&row.word, label));
        let (Some(label), None) = (near.next(), near.next()) else { return None };
        let message = format!("nothing in the code has this name; `{label}` is one letter away");
        Some(Finding::new(row.class, row.line, &row.name, message, 0.7))
    }

    /// The commit that removed or renamed a file. The path of the removal is what the file is called now, or empty.
    fn removed_path(&mut self, place: &PlacedHistory<'_>, row: &Candidate) -> Option<Removal> {
        let path = row.file.as_deref()?;
        let folder = place.inner.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = RepoPath::resolve_in(folder, path).map(|path| path.to_string());
        let gone = self.gone.entry(place.outer("")).or_insert_with(|| past::gone_paths(place));
        let found = [Some(path.to_owned()), beside].into_iter().flatten().find_map(|path| gone.get(&path))?;
        let now = found.now.as_deref().map(|now| place.outer(now)).unwrap_or_default();
        Some(Removal { commit: found.commit, path: now, before: None })
    }

    /// The commit that removed a word from the file of the class or module in front of it.
    fn removed_there(&self, place: &PlacedHistory<'_>, row: &Candidate) -> Option<Removal> {
        let path = row.file.as_deref()?;
        let code = self.history.place(path).ok().filter(|code| code.outer("") == place.outer(""))?;
        let now = self.snapshot.read_bytes(&RepoPath::new(path).ok()?).ok()?;
        if past::has_word(&now, &row.word) {
            return None;
        }
        past::removed_from(&code, &row.word)
    }
}

/// Names of the code by their length in bytes, without those of tests.
fn labels_of(snapshot: &Snapshot) -> FxHashMap<usize, Vec<&str>> {
    let graph = snapshot.graph();
    let mut found: FxHashMap<usize, Vec<&str>> = FxHashMap::default();
    for node in graph.nodes() {
        let kind = graph.kind(node);
        let is_code = !kind.is_outside() && !matches!(kind, NodeKind::Section | NodeKind::File);
        let label = graph.label(node);
        if is_code && label.len() + 1 >= LEAST_SLIP && !graph.flags(node).has(NodeFlags::TEST) {
            found.entry(label.len()).or_default().push(label);
        }
    }
    for labels in found.values_mut() {
        labels.sort_unstable();
        labels.dedup();
    }
    found
}

fn report_missing(row: Candidate) -> Finding {
    let message = match row.class {
        DriftClass::CommandMissing => "no program of the project declares it",
        DriftClass::ExampleBroken => "the project has nothing of this name to import",
        _ => "nothing in the code has this name",
    };
    Finding::new(row.class, row.line, &row.name, message.to_owned(), 0.7)
}
