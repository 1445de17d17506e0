//! A copy of a repository on disk, the index that follows its edits, and clean indexes to compare it with.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, EngineConfig, IngestReport, IngestRequest};
use m1nd_query::retrieval::SeekQuery;
use m1nd_query::retrieval::seek;
use tempfile::TempDir;

use super::edits::{Edit, Tree};
use crate::Outcome;

/// Rows printed for each side of a difference.
const SHOWN: usize = 8;
/// Nodes printed for a difference.
const SHOWN_NODES: usize = 3;
/// Maximum length of a printed row, in characters.
const SHOWN_CHARS: usize = 300;
/// Parse time limit: so high that no result depends on the load of the machine.
const PARSE_TIME: Duration = Duration::from_secs(600);

/// A repository that is edited.
pub(super) struct Project {
    /// Before the folders, since it saves its index when dropped.
    engine: Engine,
    home: TempDir,
    /// Store of the clean indexes; only facts are kept between them.
    clean_home: TempDir,
    root: PathBuf,
    /// Removed when dropped.
    _folder: TempDir,
}

fn open(home: &Path, root: &Path) -> Outcome<Engine> {
    let mut config = EngineConfig::new(home.to_owned(), vec![root.to_owned()]);
    config.limits.parse_time = PARSE_TIME;
    Ok(Engine::open(config)?)
}

fn ingest(engine: &Engine, root: &Path, incremental: bool) -> Outcome<IngestReport> {
    let request = IngestRequest { incremental, ..IngestRequest::code(root) };
    Ok(engine.ingest(request, &Cancel::new(), &NoProgress)?)
}

impl Project {
    /// Writes the files and indexes them.
    pub(super) fn new(tree: &Tree) -> Outcome<Self> {
        let folder = TempDir::new()?;
        let root = folder.path().canonicalize()?;
        for (path, text) in tree {
            write(&root, path, text)?;
        }
        let (home, clean_home) = (TempDir::new()?, TempDir::new()?);
        let engine = open(home.path(), &root)?;
        ingest(&engine, &root, false)?;
        Ok(Self { engine, home, clean_home, root, _folder: folder })
    }

    /// Applies edits and updates the index. The report is that of the last update.
    pub(super) fn follow(&mut self, edits: &[Edit]) -> Outcome<IngestReport> {
        for edit in edits {
            let gone = edit.writes.iter().filter(|(_, text)| text.is_none());
            gone.for_each(|(path, _)| remove(&self.root, path));
            for (path, text) in &edit.writes {
                if let Some(text) = text {
                    write(&self.root, path, text)?;
                }
            }
            if edit.is_seen {
                ingest(&self.engine, &self.root, true)?;
            }
        }
        ingest(&self.engine, &self.root, true)
    }

    /// Stops the engine and reopens the index, as another process would.
    pub(super) fn restart(&mut self) -> Outcome<()> {
        let (home, root) = (self.home.path().to_owned(), self.root.clone());
        // Only one engine can write at a time: the old one is dropped before the new one starts.
        let placeholder = open(self.clean_home.path(), &root)?;
        drop(std::mem::replace(&mut self.engine, placeholder));
        self.engine = open(&home, &root)?;
        Ok(())
    }

    /// Compares the index with one built from scratch; `None` if they are equal. `query` is used for the searches.
    pub(super) fn compare(&self, query: &str) -> Outcome<Option<String>> {
        // Derived data is removed, facts may stay.
        match fs::remove_dir_all(self.clean_home.path().join("projects")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let clean = open(self.clean_home.path(), &self.root)?;
        ingest(&clean, &self.root, false)?;
        let (followed, built) = (show_seen(&self.engine, query)?, show_seen(&clean, query)?);
        Ok((followed != built).then(|| difference(&followed, &built)))
    }
}

fn write(root: &Path, path: &str, text: &str) -> Outcome<()> {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap_or(root))?;
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Removes a file and the folders that are then empty.
fn remove(root: &Path, path: &str) {
    let path = root.join(path);
    // A missing file need not be removed.
    let _ = fs::remove_file(&path);
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

/// Everything visible to a reader, as text: one row per item, with dependent rows indented below.
fn show_seen(engine: &Engine, query: &str) -> Outcome<String> {
    let snapshot = engine.snapshot();
    let mut text = snapshot.graph().dump();
    for file in snapshot.files().iter() {
        let (path, language, lines, is_test) = (&file.path, file.language, file.lines, file.is_test);
        writeln!(text, "{path} row {language:?} {lines} {is_test} {:?} {:?} {}", file.tiers, file.problems, file.hash)?;
    }
    for (reason, count) in snapshot.unresolved_reasons() {
        writeln!(text, "reason {reason} {count}")?;
    }
    for (path, problem) in snapshot.list_skipped() {
        writeln!(text, "skipped {path} {problem:?}")?;
    }
    let question = SeekQuery { text: query.to_owned(), ..SeekQuery::default() };
    let answer = seek(&snapshot, &question, &Cancel::new())?;
    writeln!(text, "search {query}")?;
    for row in &answer.rows {
        writeln!(text, "  {} {} {}", snapshot.graph().id(row.node), row.score, row.best_field)?;
    }
    Ok(text)
}

/// Rows with their counts: a duplicate on one side only is a difference, too.
type Rows<'t> = BTreeMap<&'t str, usize>;

/// Rows grouped by the row they belong to.
fn blocks(text: &str) -> BTreeMap<&str, Rows<'_>> {
    let mut blocks: BTreeMap<&str, Rows<'_>> = BTreeMap::new();
    let mut head = "";
    for line in text.lines() {
        if !line.starts_with(' ') {
            head = line.split(" kind=").next().unwrap_or(line);
        }
        *blocks.entry(head).or_default().entry(line).or_default() += 1;
    }
    blocks
}

/// The rows that occur more often than in the other.
fn more<'r>(rows: &'r Rows<'_>, than: &'r Rows<'_>) -> impl Iterator<Item = &'r str> {
    rows.iter().filter(|(row, count)| than.get(*row).is_none_or(|other| other < count)).map(|(row, _)| *row)
}

/// The first rows that only one side has, or has more often.
fn difference(followed: &str, built: &str) -> String {
    let (followed, built) = (blocks(followed), blocks(built));
    let none = Rows::new();
    let heads: BTreeSet<&str> = followed.keys().chain(built.keys()).copied().collect();
    let differing = heads.into_iter().filter(|head| followed.get(head) != built.get(head));
    let mut text = String::new();
    // Rows that are also visible from the other end come last.
    let mut rows: Vec<(bool, &str)> = Vec::new();
    for head in differing {
        let (ours, clean) = (followed.get(head).unwrap_or(&none), built.get(head).unwrap_or(&none));
        let is_echo = more(ours, clean).chain(more(clean, ours)).all(|row| row.starts_with("  <-"));
        rows.push((is_echo || head.contains(" row ") || head.starts_with("search"), head));
    }
    rows.sort_unstable();
    let shown = |row: &str| row.chars().take(SHOWN_CHARS).collect::<String>();
    for (_, head) in rows.iter().take(SHOWN_NODES) {
        let (ours, clean) = (followed.get(head).unwrap_or(&none), built.get(head).unwrap_or(&none));
        text.push_str(&format!("  {}\n", shown(head)));
        more(ours, clean).take(SHOWN).for_each(|row| text.push_str(&format!("    followed: {}\n", shown(row))));
        more(clean, ours).take(SHOWN).for_each(|row| text.push_str(&format!("    built:    {}\n", shown(row))));
    }
    if rows.len() > SHOWN_NODES {
        text.push_str(&format!("  and {} more\n", rows.len() - SHOWN_NODES));
    }
    if rows.is_empty() {
        text.push_str("  only in the order of rows\n");
    }
    text
}

#[cfg(test)]
impl Project {
    /// Applies an edit without notifying the index.
    pub(super) fn forget_to_follow(&self, edit: &Edit) -> Outcome<()> {
        for (path, text) in &edit.writes {
            match text {
                Some(text) => write(&self.root, path, text)?,
                None => remove(&self.root, path),
            }
        }
        Ok(())
    }
}
