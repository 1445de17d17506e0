//! Memories that stand elsewhere: comments in code and messages of commits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use m1nd_base::{Cancel, ContentHash, Limits, NoProgress, RepoPath};
use m1nd_history::{Cut, GitFolder, messages};
use m1nd_lang::{Language, comments_with};
use m1nd_memory::{
    COMMENT_MARK, Comment, CommitText, Evidence, Record, STACK_HIDDEN, comment_records, comments_by_form,
    commit_records, is_code_file, stack_evidence,
};
use m1nd_vfs::{FileMeta, Root, WalkOptions};

use crate::files::noted::{FileNote, MAX_FILES, MessageNote, Noted};
use crate::read::redact::{redact_record, values_of};
use crate::read::stack;

/// Largest file whose comments are read, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// Newest commits whose messages are read at the first look.
const MAX_COMMITS: usize = 200;
/// How much further back a later look goes to find the commit up to which messages were read.
const MAX_FURTHER: usize = 1_000;
/// Commits with memories that are kept; older ones are dropped.
const MAX_KEPT: usize = 2_000;
/// Digits of a commit's short name.
const SHORT: usize = 10;
/// Bytes at the start of a file in which a zero means that it is no text.
const BINARY_PROBE: usize = 8 << 10;
/// Seconds that the time of a file may be wrong by: clocks of file systems are coarse.
const CLOCK_TICK: i64 = 2;

/// What a look at all files of a project found.
pub(crate) struct Found {
    /// Comments that carry memories, by file.
    pub(crate) files: BTreeMap<String, FileNote>,
    /// What the project is made with.
    pub(crate) stack: Vec<Box<str>>,
    /// See [`Noted::looked`].
    pub(crate) looked: Vec<u64>,
    /// See [`Noted::not_looked`].
    pub(crate) not_looked: u32,
    /// Folders that hold code or manifests, the upper ones first.
    pub(crate) folders: Vec<String>,
}

/// Looks at the files of a project for comments that carry memories and for what it is made with. Of comments, only
/// files that are new or whose size or time is another than `before` are read; one that cannot be read now keeps what
/// is noted of it. Ignored and hidden files, and those of dependencies, do not count; links are not followed. `None` if
/// the project cannot be opened or its files cannot be listed: what is noted stays.
/// `progress` is told how many files of how many have been looked at.
pub(crate) fn look(project: &Path, before: &Noted, now: Timestamp, progress: &dyn Fn(usize, usize)) -> Option<Found> {
    look_at(project, before, now, MAX_FILES, progress)
}

fn look_at(
    project: &Path,
    before: &Noted,
    now: Timestamp,
    max_files: usize,
    progress: &dyn Fn(usize, usize),
) -> Option<Found> {
    let root = Root::open(project).ok()?;
    let limits = Limits::default();
    let hidden_patterns = STACK_HIDDEN.iter().map(|&pattern| pattern.to_owned()).collect();
    let options = WalkOptions { hidden_patterns, ..WalkOptions::default() };
    let walk = root.walk(&options, &limits, &Cancel::new(), &NoProgress).ok()?;
    let key = project.to_string_lossy();
    let stack = stack::detect(&root, &walk.files);
    let folders = folders(&walk.files);
    let (mut found, mut looked, mut not_looked) = (BTreeMap::new(), Vec::new(), 0);
    let all = walk.files.len();
    for (done, (path, meta)) in walk.files.into_iter().enumerate() {
        progress(done, all);
        if meta.size > MAX_FILE {
            continue;
        }
        if found.len() >= max_files {
            not_looked += 1;
            continue;
        }
        let known = before.files.get(path.as_str());
        let is_same = known.is_none_or(|note| note.size == meta.size && note.mtime_ns == meta.mtime_ns);
        let keep = || known.map(|note| (path.as_str().to_owned(), note.clone()));
        let key_of_file = ContentHash::of(format!("{path}\0{}\0{}", meta.size, meta.mtime_ns).as_bytes()).short();
        if is_same && before.looked.binary_search(&key_of_file).is_ok() {
            looked.push(key_of_file);
            found.extend(keep());
            continue;
        }
        let Ok(bytes) = root.read(&path, MAX_FILE) else {
            found.extend(keep());
            continue;
        };
        // One that was changed just now may be changed again without another time.
        if meta.mtime_ns / 1_000_000_000 < now.as_second() - CLOCK_TICK {
            looked.push(key_of_file);
        }
        if bytes[..bytes.len().min(BINARY_PROBE)].contains(&0) {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        if !text.contains(COMMENT_MARK) {
            continue;
        }
        let comments = comments_of(&path, &text, &limits);
        let mut records: Vec<Record> =
            comments.iter().flat_map(|comment| comment_records(comment, path.as_str(), &key, None)).collect();
        // What is written below the project must not hold a secret that was only in code.
        if !records.is_empty() {
            let values = values_of([&*bytes]);
            records.iter_mut().for_each(|record| redact_record(record, &values));
            let note = FileNote { size: meta.size, mtime_ns: meta.mtime_ns, records };
            found.insert(path.as_str().to_owned(), note);
        }
    }
    looked.sort_unstable();
    Some(Found { files: found, stack, looked, not_looked, folders })
}

/// The project itself, and the folders of files that can say something for a memory: code, and manifests. The upper
/// ones first.
fn folders(files: &[(RepoPath, FileMeta)]) -> Vec<String> {
    let telling = files.iter().map(|(path, _)| path.as_str()).filter(|path| is_telling(path));
    let folders = telling.map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder));
    let folders: BTreeSet<&str> = std::iter::once("").chain(folders).collect();
    let mut folders: Vec<String> = folders.into_iter().map(str::to_owned).collect();
    folders.sort_by_cached_key(|folder| if folder.is_empty() { 0 } else { 1 + folder.matches('/').count() });
    folders
}

/// Whether a file can say something for the memory of its project: code by its comments, a manifest by its name.
pub(crate) fn is_telling(path: &str) -> bool {
    is_code_file(path) || stack_evidence(path).is_some()
}

/// Whether a file that has changed says something for the memory of its project now: it is a manifest, or has the mark
/// of comments that do. One that cannot be read may have, or may be gone.
pub(crate) fn tells(project: &Path, file: &Path) -> bool {
    let inner = file.strip_prefix(project).ok().and_then(Path::to_str).map(|inner| inner.replace('\\', "/"));
    let Some(inner) = inner else { return false };
    let path = match RepoPath::new(&inner) {
        Ok(path) if is_telling(&inner) => path,
        _ => return false,
    };
    if stack_evidence(&inner).is_some_and(|evidence| evidence != Evidence::Script) {
        return true;
    }
    let bytes = Root::open(project).and_then(|root| root.read(&path, MAX_FILE)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).contains(COMMENT_MARK)
}

/// The comments with memories in a text: by its grammar where its language has one, so that a string is none; else by
/// form.
fn comments_of(path: &RepoPath, text: &str, limits: &Limits) -> Vec<Comment> {
    let head = &text.as_bytes()[..text.len().min(BINARY_PROBE)];
    let language = Language::detect(path, head);
    match comments_with(language, text, COMMENT_MARK, limits, &Cancel::new()) {
        Some(found) => {
            let mut rows: Vec<Comment> =
                found.rows.iter().map(|found| Comment { line: found.line, text: found.text.into() }).collect();
            // What was not looked for in the tree is told by its form.
            if let Some(from) = found.cut_at {
                rows.extend(comments_by_form(path.as_str(), text).into_iter().filter(|row| row.line >= from));
            }
            rows
        }
        None => comments_by_form(path.as_str(), text),
    }
}

/// The messages of a project's commits.
pub(crate) struct Messages {
    /// What is checked out.
    pub(crate) head: String,
    /// When the newest commit was made, in seconds since 1970.
    pub(crate) newest: i64,
    /// Those that carry memories, newest first.
    pub(crate) commits: Vec<MessageNote>,
    /// When those were made.
    pub(crate) times: BTreeMap<String, i64>,
    /// Not all commits were read, and those known from before are, or may be, still reachable.
    pub(crate) is_partial: bool,
}

impl Messages {
    /// Keeps what is noted of commits that were not read, behind those that were: they may only be missing now.
    pub(crate) fn keep_known(&mut self, noted: &Noted) {
        let read: BTreeSet<String> = self.commits.iter().map(|note| note.commit.clone()).collect();
        for known in noted.commits.iter().filter(|known| !read.contains(&known.commit)) {
            if self.commits.len() >= MAX_KEPT {
                break;
            }
            if let Some(time) = noted.commit_times.get(&known.commit) {
                self.times.insert(known.commit.clone(), *time);
            }
            self.commits.push(known.clone());
        }
        self.newest = self.newest.max(noted.newest_commit);
    }
}

/// The memories in messages of commits that are reachable from what is checked out; `None` if that is still `head`, or
/// there is no history.
pub(crate) fn commits(project: &Path, head: &str) -> Option<Messages> {
    let git = GitFolder::find(project).ok()?;
    let now = git.head().ok()?;
    if now.commit() == head {
        return None;
    }
    let key = project.to_string_lossy();
    let zone = TimeZone::system();
    let (mut notes, mut times, mut newest) = (Vec::new(), BTreeMap::new(), 0);
    let known = (!head.is_empty()).then_some((head, MAX_FURTHER));
    let found = messages(&git, &now, MAX_COMMITS, known, &Cancel::new()).ok()?;
    // What was reachable from a commit that is still reachable is so, too.
    let is_partial = found.met || found.cut == Some(Cut::Missing);
    for message in found.rows {
        newest = newest.max(message.time);
        let Ok(time) = Timestamp::from_second(message.time) else { continue };
        let short_id = message.commit.get(..SHORT).unwrap_or(&message.commit);
        let date = time.to_zoned(zone.clone()).date();
        let mut records = commit_records(&CommitText { short_id, date, message: &message.text }, &key);
        if !records.is_empty() {
            let values = values_of([message.text.as_bytes()]);
            records.iter_mut().for_each(|record| redact_record(record, &values));
            times.insert(message.commit.clone(), message.time);
            notes.push(MessageNote { commit: message.commit.clone(), records });
        }
    }
    Some(Messages { head: now.commit(), newest, commits: notes, times, is_partial })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(commit: &str) -> MessageNote {
        MessageNote { commit: commit.to_owned(), records: Vec::new() }
    }

    #[test]
    fn files_that_say_something_for_a_memory() {
        let tree = tempfile::tempdir().expect("a folder");
        let rows = [
            ("a.rs", "// MEMORY: decided x", true),
            ("a.rs", "fn a() {}", false),
            ("Cargo.toml", "", true),
            ("go.mod", "", true),
            ("CLAUDE.md", "<!-- MEMORY: x -->", false),
            ("a.log", "MEMORY: x", false),
            ("route.ts", "MEMORY: x", true),
        ];
        for (name, text, expected) in rows {
            std::fs::write(tree.path().join(name), text).expect("is written");
            assert_eq!(tells(tree.path(), &tree.path().join(name)), expected, "{name}: {text}");
        }
        assert!(!tells(tree.path(), Path::new("/elsewhere/a.rs")));
        let meta = FileMeta::default();
        let files = ["x/y/a.rs", "x/c.js", "notes/a.txt"].map(|path| (RepoPath::new(path).expect("a path"), meta));
        assert_eq!(folders(&files), ["", "x", "x/y"]);
    }

    #[test]
    fn files_beyond_the_limit_are_counted() {
        let tree = tempfile::tempdir().expect("a folder");
        for name in ["a.rs", "b.rs", "c.rs", "d.rs"] {
            std::fs::write(tree.path().join(name), "// MEMORY: decided x over y\n").expect("is written");
        }
        for (max, kept, left) in [(4, 4, 0), (3, 3, 1), (1, 1, 3)] {
            let found = look_at(tree.path(), &Noted::default(), Timestamp::UNIX_EPOCH, max, &|_, _| ());
            let found = found.expect("is looked at");
            assert_eq!((found.files.len(), found.not_looked), (kept, left), "{max}");
        }
    }

    #[test]
    fn what_cannot_be_read_now_is_kept_behind_what_can() {
        let times = |rows: &[(&str, i64)]| rows.iter().map(|(commit, time)| ((*commit).to_owned(), *time)).collect();
        let noted = Noted {
            commits: vec![note("b"), note("a")],
            commit_times: times(&[("b", 2), ("a", 1)]),
            newest_commit: 2,
            ..Noted::default()
        };
        let (commits, read) = (vec![note("c"), note("b")], times(&[("c", 3), ("b", 2)]));
        let mut found = Messages { head: "c".to_owned(), newest: 3, commits, times: read, is_partial: true };
        found.keep_known(&noted);
        let names: Vec<&str> = found.commits.iter().map(|note| note.commit.as_str()).collect();
        assert_eq!((names, found.newest), (vec!["c", "b", "a"], 3));
        assert_eq!(found.times, times(&[("a", 1), ("b", 2), ("c", 3)]));
        let many = (0..2 * MAX_KEPT).map(|n| note(&format!("n{n}"))).collect();
        found.keep_known(&Noted { commits: many, ..Noted::default() });
        assert_eq!(found.commits.len(), MAX_KEPT);
    }
}
