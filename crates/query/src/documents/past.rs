//! What the commits say of names that code no longer has: which commit removed the last of them, and what has the same
//! body since.

use std::hash::BuildHasher;

use m1nd_base::{Cancel, Cancelled, Limits, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{FileHistory, PlacedHistory};
use m1nd_history::BlobId;
use m1nd_lang::facts::{DefKind, FileFacts};
use m1nd_lang::{Language, extract, is_test_path};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Evidence;

/// Maximum changes of files that are looked through, newest first.
const MAX_CHANGES: usize = 40_000;
/// Maximum bytes of all contents that are looked through.
const MAX_BYTES: usize = 768 << 20;
/// Maximum size of one content that is looked through.
const MAX_BLOB: usize = 1 << 20;
/// Maximum size of a body that is compared, and the least that tells one from others, in bytes without blanks.
const BODY: std::ops::Range<usize> = 24..64 << 10;
/// Maximum past contents of which the definitions are looked at.
const MAX_SOURCES: usize = 600;
/// Shortest word whose removal is kept, in bytes.
const LEAST_WORD: usize = 3;
/// Maximum changes that are kept of one word, the newest.
const MAX_LOSSES: usize = 12;
/// Maximum bytes of the files of the project that are searched for names.
const MAX_PRESENT: usize = 512 << 20;

/// What code has to have lost for a name to be dead. A mere use says nothing: what is used may be of another project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owned {
    /// A definition, a parameter, a key, or a text between quotes.
    Definition,
    /// An option or command, as a text of a program.
    Option,
    /// A package that a manifest requires.
    Requirement,
}

/// A name, and what it is dead without.
pub(super) type OwnedName = (Owned, String);

/// A commit that removed the last occurrence of a name from code.
#[derive(Debug, Clone)]
pub(super) struct Removal {
    /// Its index in the history: less is newer.
    pub(super) commit: usize,
    /// Path of the file that had it, from the root.
    pub(super) path: String,
    pub(super) before: Option<BlobId>,
}

/// Returns whether a text has a word.
pub(super) fn has_word(text: &[u8], word: &str) -> bool {
    let mut found = false;
    words(text, |own| found |= own == word);
    found
}

/// The commit that removed the last occurrence of a word from a file.
pub(super) fn removed_from(place: &PlacedHistory<'_>, word: &str) -> Option<Removal> {
    /// Changes of the file that are looked through.
    const MAX_OWN: usize = 400;
    let contents = place.contents().ok()?;
    let has =
        |blob: Option<BlobId>| blob.and_then(|blob| contents.blob(blob)).is_some_and(|text| has_word(&text, word));
    let change = place.file()?.changes().take(MAX_OWN).find(|change| has(change.before))?;
    (!has(change.after)).then(|| Removal { commit: change.commit, path: change.path.to_owned(), before: change.before })
}

/// Returns whether the text of a file may use names: code, settings, build files.
fn may_use(path: &str) -> bool {
    let prose = RepoPath::new(path).map(|path| Language::detect(&path, b"").is_prose()).unwrap_or(true);
    // Text without a language may be a template or a setting as well as prose.
    let ending = path.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map_or("", |(_, ending)| ending);
    !prose
        || matches!(ending, "toml" | "yaml" | "yml" | "json" | "cfg" | "ini" | "html" | "in" | "proto" | "sql" | "")
        || is_manifest(path)
}

/// Returns whether a file lists the packages that a project requires.
fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "Cargo.toml" | "package.json" | "pyproject.toml" | "setup.py" | "setup.cfg" | "go.mod" | "Pipfile")
        || name.starts_with("requirements") && name.ends_with(".txt")
}

/// The names that no code of the project has as whole words; `None` if there is too much to search.
pub(super) fn absent(
    snapshot: &Snapshot,
    names: &FxHashSet<String>,
    cancel: &Cancel,
) -> Result<Option<FxHashSet<String>>, Cancelled> {
    let mut left: FxHashSet<&str> = names.iter().map(String::as_str).collect();
    let mut bytes = 0;
    for file in snapshot.files().iter().filter(|file| may_use(file.path.as_str())) {
        cancel.check()?;
        if left.is_empty() {
            break;
        }
        let Ok(text) = snapshot.read_bytes(&file.path) else { continue };
        bytes += text.len();
        if bytes > MAX_PRESENT {
            return Ok(None);
        }
        words(&text, |word| _ = left.remove(word));
    }
    Ok(Some(left.into_iter().map(str::to_owned).collect()))
}

/// The words of a text: runs of letters, digits and `_`; with `-` between as well.
fn words(text: &[u8], mut each: impl FnMut(&str)) {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    for run in text.split(|&byte| !is_word(byte) && byte != b'-') {
        let run = run.trim_ascii();
        let start = run.iter().position(|&byte| byte != b'-').unwrap_or(run.len());
        let Ok(run) = std::str::from_utf8(&run[start..]) else { continue };
        let run = run.trim_end_matches('-');
        if run.is_empty() {
            continue;
        }
        each(run);
        if run.contains('-') {
            run.split('-').filter(|part| !part.is_empty()).for_each(&mut each);
        }
    }
}

/// A change that removed the last occurrence of a word from a file.
#[derive(Debug, Clone)]
struct Loss {
    commit: u32,
    path: std::sync::Arc<str>,
    before: BlobId,
}

/// The words that commits removed from files of code, with the newest changes that did. Made once per history: it takes
/// seconds in a repository with thousands of commits, and does not depend on the document.
struct LostWords(FxHashMap<u64, Vec<Loss>>);

impl LostWords {
    /// Compares the words of each content with those of the next, newest files first.
    fn of(place: &PlacedHistory<'_>, cancel: &Cancel) -> Result<Self, Cancelled> {
        let mut found: FxHashMap<u64, Vec<Loss>> = FxHashMap::default();
        let Ok(contents) = place.contents() else { return Ok(Self(found)) };
        let (mut bytes, mut changes) = (0, 0);
        for file in all_files(place).into_iter().filter(|file| may_use(file.path())) {
            // What came after a change is what was there before the next.
            let mut later: Option<(BlobId, FxHashSet<u64>)> = None;
            for change in file.changes() {
                cancel.check()?;
                let Some(before) = change.before else { continue };
                changes += 1;
                if changes > MAX_CHANGES || bytes > MAX_BYTES {
                    return Ok(Self(found));
                }
                let mut read = |blob: BlobId| {
                    let mut words_of: FxHashSet<u64> = FxHashSet::default();
                    if let Some(text) = contents.blob(blob).filter(|text| text.len() <= MAX_BLOB) {
                        bytes += text.len();
                        words(&text, |word| _ = (word.len() >= LEAST_WORD).then(|| words_of.insert(key(word))));
                    }
                    words_of
                };
                let after = match (change.after, later.take()) {
                    (None, _) => FxHashSet::default(),
                    (Some(after), Some((known, words))) if known == after => words,
                    (Some(after), _) => read(after),
                };
                let lost = read(before);
                for word in lost.difference(&after) {
                    let losses = found.entry(*word).or_default();
                    losses.push(Loss { commit: change.commit as u32, path: change.path.into(), before });
                }
                later = Some((before, lost));
            }
        }
        for losses in found.values_mut() {
            losses.sort_by(|a, b| (a.commit, &a.path).cmp(&(b.commit, &b.path)));
            losses.truncate(MAX_LOSSES);
            losses.shrink_to_fit();
        }
        Ok(Self(found))
    }

    fn of_word(&self, word: &str) -> &[Loss] {
        self.0.get(&key(word)).map_or(&[], Vec::as_slice)
    }
}

fn key(word: &str) -> u64 {
    rustc_hash::FxBuildHasher.hash_one(word)
}

/// The commit that removed each name from code that owned it, of those names that the code of the newest commits had.
pub(super) fn removals(
    place: &PlacedHistory<'_>,
    names: &FxHashSet<OwnedName>,
    cancel: &Cancel,
) -> Result<FxHashMap<OwnedName, Removal>, Cancelled> {
    let mut found: FxHashMap<OwnedName, Removal> = FxHashMap::default();
    let Ok(contents) = place.contents() else { return Ok(found) };
    let lost = place.loaded.derived_values().get_or_try_init(|| LostWords::of(place, cancel))?;
    let mut sources: FxHashMap<BlobId, Option<FileFacts>> = FxHashMap::default();
    let mut sorted: Vec<&OwnedName> = names.iter().collect();
    sorted.sort();
    for owned in sorted {
        cancel.check()?;
        let (kind, name) = owned;
        for loss in lost.of_word(name) {
            let Some(text) = contents.blob(loss.before) else { continue };
            let may_extract = sources.len() < MAX_SOURCES || sources.contains_key(&loss.before);
            let facts = sources.remove(&loss.before).flatten();
            let mut source = Source { path: &loss.path, text: &text, facts, may_extract };
            let owns = has_word(&text, name) && source.owns(*kind, name, cancel);
            sources.insert(loss.before, source.facts);
            if owns {
                let (commit, path) = (loss.commit as usize, loss.path.to_string());
                found.insert(owned.clone(), Removal { commit, path, before: Some(loss.before) });
                break;
            }
        }
    }
    Ok(found)
}

/// A past content of a file.
struct Source<'t> {
    path: &'t str,
    text: &'t [u8],
    facts: Option<FileFacts>,
    may_extract: bool,
}

impl Source<'_> {
    /// Returns whether the project, and not another one, gave a name its meaning here.
    fn owns(&mut self, kind: Owned, name: &str, cancel: &Cancel) -> bool {
        let Ok(path) = RepoPath::new(self.path) else { return false };
        let language = Language::detect(&path, self.text);
        let is_code = !language.is_prose();
        if is_test_path(&path) {
            return false;
        }
        match kind {
            Owned::Requirement => is_manifest(self.path) && starts_line(self.text, name),
            Owned::Option => is_code && (is_quoted(self.text, name) || is_quoted(self.text, &format!("--{name}"))),
            Owned::Definition if is_quoted(self.text, name) => true,
            Owned::Definition if !is_code => starts_line(self.text, name) && !is_manifest(self.path),
            Owned::Definition => self.defines(language, name, cancel),
        }
    }

    fn defines(&mut self, language: Language, name: &str, cancel: &Cancel) -> bool {
        if self.facts.is_none() && self.may_extract {
            self.facts = Some(extract(language, self.text, &Limits::default(), cancel));
        }
        let Some(facts) = &self.facts else { return false };
        facts.definitions.iter().any(|row| facts.name(row.name) == name)
            || facts.parameters.iter().any(|row| facts.name(row.name) == name)
            || facts.member_writes.iter().any(|row| facts.name(row.name) == name)
    }
}

/// Returns whether a text has a name between two quotes of one kind.
fn is_quoted(text: &[u8], name: &str) -> bool {
    let places = memchr::memmem::find_iter(text, name.as_bytes());
    places.into_iter().any(|at| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        before.is_some_and(|quote| matches!(quote, b'"' | b'\'' | b'`') && text.get(at + name.len()) == Some(quote))
    })
}

/// Returns whether a line of a text begins with a name, as keys and requirements do.
fn starts_line(text: &[u8], name: &str) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        let line = line.strip_prefix(b"\"").or_else(|| line.strip_prefix(b"'")).unwrap_or(line);
        let rest = line.strip_prefix(name.as_bytes());
        rest.is_some_and(|rest| rest.first().is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_'))
    })
}

/// Every file that a listed commit touched, those that are gone as well.
fn all_files<'h>(place: &PlacedHistory<'h>) -> Vec<FileHistory<'h>> {
    let mut seen = FxHashSet::default();
    let commits = 0..place.history.commits().len();
    let all = commits.flat_map(|commit| place.history.all_touched_by(commit));
    all.filter(|file| seen.insert(file.key())).collect()
}

/// What became of a path that is gone.
#[derive(Debug, Clone)]
pub(super) struct GonePath {
    /// The commit that removed or renamed it.
    pub(super) commit: usize,
    /// Its present path, if it was renamed and is still there.
    pub(super) now: Option<String>,
}

/// The paths that files had, and have no more.
pub(super) fn gone_paths(place: &PlacedHistory<'_>) -> FxHashMap<String, GonePath> {
    let mut gone: FxHashMap<String, GonePath> = FxHashMap::default();
    for file in all_files(place) {
        let mut later: Option<(usize, &str)> = None;
        let mut is_removed = false;
        for change in file.changes() {
            match later {
                None if change.after.is_none() => {
                    is_removed = true;
                    let row = GonePath { commit: change.commit, now: None };
                    gone.entry(change.path.to_owned()).or_insert(row);
                }
                Some((commit, path)) if path != change.path => {
                    let now = (!is_removed).then(|| file.path().to_owned());
                    gone.entry(change.path.to_owned()).or_insert(GonePath { commit, now });
                }
                _ => {}
            }
            later = Some((change.commit, change.path));
        }
    }
    gone
}

/// The commit as evidence.
pub(super) fn evidence(place: &PlacedHistory<'_>, commit: usize) -> Option<Evidence> {
    let row = place.history.commits().get(commit)?;
    Some(Evidence { commit: row.name(), subject: row.subject.to_string(), time: row.time })
}

/// A definition of a past content, without blanks and with its own name left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Body(DefKind, String);

fn bodies(text: &[u8], facts: &FileFacts) -> Vec<(String, Body)> {
    let rows = facts.definitions.iter().filter_map(|definition| {
        let name = facts.name(definition.name);
        let (start, end) = definition.bytes;
        let own = std::str::from_utf8(text.get(start as usize..end as usize)?).ok()?;
        let plain: String = own.replacen(name, "\u{0}", 1).split_whitespace().collect();
        BODY.contains(&plain.len()).then(|| (name.to_owned(), Body(definition.kind, plain)))
    });
    rows.collect()
}

/// The name that a removed definition has since: that of a definition of the same body in the files that the commit
/// changed.
pub(super) fn find_new_name(
    place: &PlacedHistory<'_>,
    name: &str,
    removal: &Removal,
    cancel: &Cancel,
) -> Option<String> {
    let contents = place.contents().ok()?;
    let of = |path: &str, blob: BlobId| -> Option<Vec<(String, Body)>> {
        let text = contents.blob(blob).filter(|text| text.len() <= MAX_BLOB)?;
        let language = Language::detect(&RepoPath::new(path).ok()?, &text);
        Some(bodies(&text, &extract(language, &text, &Limits::default(), cancel)))
    };
    let old = of(&removal.path, removal.before?)?;
    let body = old.into_iter().find(|(own, _)| own == name)?.1;
    let touched = place.history.touched_by(removal.commit).filter(|file| may_use(file.path()));
    let mut found: Vec<String> = Vec::new();
    for file in touched.take(64) {
        let Some(change) = file.changes().find(|change| change.commit == removal.commit) else { continue };
        let Some(rows) = change.after.and_then(|after| of(change.path, after)) else { continue };
        found.extend(rows.into_iter().filter(|(own, other)| own != name && *other == body).map(|(own, _)| own));
    }
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// For each line of a text (0-based), the newest commit that changed it; `None` for lines that no commit has, and for
/// those that are older than what was compared.
pub(super) struct LineAges {
    /// Index of the newest commit for each line asked for.
    pub(super) newest: Vec<Option<usize>>,
    /// Older commits were not compared: lines without a commit are older than those.
    pub(super) is_cut: bool,
}

/// When ranges of lines of a file were changed last.
pub(super) fn ages(
    place: &PlacedHistory<'_>,
    text: &[u8],
    ranges: &[std::ops::Range<u32>],
    cancel: &Cancel,
) -> Result<Option<LineAges>, Cancelled> {
    let (Some(file), Ok(contents)) = (place.file(), place.contents()) else { return Ok(None) };
    let tracing = m1nd_history::Tracing { contents: &contents, cache: place.lines(), limit: 400, cancel };
    let found = file.trace(text, ranges, tracing)?;
    let newest = found.ranges.iter().map(|range| {
        let changes = range.changes.iter().filter(|change| !change.is_format);
        changes.map(|change| change.commit).min()
    });
    Ok(Some(LineAges { newest: newest.collect(), is_cut: found.is_cut }))
}

#[cfg(test)]
mod tests {
    use super::{is_quoted, starts_line, words};

    #[test]
    fn a_text_owns_what_it_quotes_or_begins_a_line_with() {
        let text = b"  \"chardet==3.*\",\nsort = 'path'\n";
        assert!(starts_line(text, "chardet") && starts_line(text, "sort") && !starts_line(text, "path"));
        assert!(is_quoted(text, "path") && !is_quoted(text, "chardet") && !is_quoted(text, "sort"));
    }

    #[test]
    fn words_are_names_and_options() {
        let mut found = Vec::new();
        words(b"--dry-run a.b_c(x)\n- y", |word| found.push(word.to_owned()));
        assert_eq!(found, ["dry-run", "dry", "run", "a", "b_c", "x", "y"]);
    }
}
