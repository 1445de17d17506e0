//! The newest commits of a repository on disk as edits, read by `git`.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use super::MAX_FILE;
use super::edits::{Edit, Kind, Tree};
use crate::Outcome;

/// Commits along first parents, oldest first.
pub(super) struct Commits {
    /// The tree before the first of them.
    pub(super) before: Tree,
    /// Short names and what each changed.
    pub(super) edits: Vec<(String, Edit)>,
}

impl Commits {
    /// Reads the newest `count` commits that change something.
    pub(super) fn read(repo: &Path, count: usize) -> Outcome<Self> {
        let number = format!("--max-count={}", count + 1);
        let names = git(repo, &["log", "--first-parent", "--format=%H", &number, "HEAD"])?;
        let names = String::from_utf8(names)?;
        let mut names: Vec<&str> = names.lines().collect();
        names.reverse();
        let Some((first, rest)) = names.split_first() else { return Err("there are no commits".into()) };
        let mut blobs = Blobs::open(repo)?;
        let mut before = Tree::new();
        for row in git(repo, &["ls-tree", "-r", "-z", first])?.split(|byte| *byte == 0) {
            // `<mode> <type> <object>\t<path>`
            let Some((about, path)) = split(row) else { continue };
            if let [mode, _, object] = about.as_slice()
                && let Some(text) = blobs.text(mode, object)?
            {
                before.insert(path, text);
            }
        }
        let mut edits = Vec::new();
        let mut last = *first;
        for &name in rest {
            let writes = changes(repo, &mut blobs, last, name)?;
            let (kind, what) = (Kind::Lines, name.to_owned());
            edits.push((name[..name.len().min(12)].to_owned(), Edit { kind, what, writes, is_seen: false }));
            last = name;
        }
        Ok(Self { before, edits })
    }
}

/// Contents of the files that differ between two commits.
fn changes(repo: &Path, blobs: &mut Blobs, old: &str, new: &str) -> Outcome<BTreeMap<String, Option<Arc<str>>>> {
    let rows = git(repo, &["diff-tree", "-r", "-z", "--no-renames", "--raw", old, new])?;
    let mut rows = rows.split(|byte| *byte == 0);
    let mut writes = BTreeMap::new();
    // `:<old mode> <new mode> <old object> <new object> <status>`, then the path.
    while let (Some(about), Some(path)) = (rows.next(), rows.next()) {
        let about = String::from_utf8_lossy(about);
        let words: Vec<&str> = about.split(' ').collect();
        if let ([_, mode, _, object, _], Ok(path)) = (words.as_slice(), std::str::from_utf8(path)) {
            writes.insert(path.to_owned(), blobs.text(mode, object)?);
        }
    }
    Ok(writes)
}

fn split(row: &[u8]) -> Option<(Vec<&str>, String)> {
    let (about, path) = std::str::from_utf8(row).ok()?.split_once('\t')?;
    Some((about.split(' ').collect(), path.to_owned()))
}

fn git(repo: &Path, args: &[&str]) -> Outcome<Vec<u8>> {
    let output = Command::new("git").arg("-C").arg(repo).args(args).output()?;
    if !output.status.success() {
        return Err(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(output.stdout)
}

/// A `git` that answers with contents of files.
struct Blobs {
    child: Child,
    questions: ChildStdin,
    answers: ChildStdout,
}

impl Blobs {
    fn open(repo: &Path) -> Outcome<Self> {
        let mut command = Command::new("git");
        command.arg("-C").arg(repo).args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let questions = child.stdin.take().ok_or("git has no input")?;
        let answers = child.stdout.take().ok_or("git has no output")?;
        Ok(Self { child, questions, answers })
    }

    /// A regular file's content; `None` for others, and for what is missing, large or no text.
    fn text(&mut self, mode: &str, object: &str) -> Outcome<Option<Arc<str>>> {
        if !mode.starts_with("100") {
            return Ok(None);
        }
        writeln!(self.questions, "{object}")?;
        let mut head = Vec::new();
        let mut byte = [0];
        loop {
            self.answers.read_exact(&mut byte)?;
            match byte {
                [b'\n'] => break,
                [byte] => head.push(byte),
            }
        }
        // `<object> blob <size>`, or `<object> missing`.
        let head = String::from_utf8(head)?;
        let Some(size) = head.split(' ').nth(2) else { return Ok(None) };
        let mut bytes = vec![0; size.parse::<usize>()? + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        let is_small = bytes.len() as u64 <= MAX_FILE;
        Ok(String::from_utf8(bytes).ok().filter(|_| is_small).map(Into::into))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It only reads, so nothing is lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
