//! Commits that move definitions: a text at the top of one file is removed, and added to another, (nearly) unchanged.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Outcome;

/// Minimum number of lines of a definition.
const MIN_LINES: usize = 2;
/// Minimum number of lines of the largest definition of a commit: equal small ones may be written anew.
const MIN_LARGEST: usize = 4;
/// Minimum share of the removed lines that are among the added ones.
const MIN_EQUAL: f64 = 0.9;
/// Minimum share of the removed lines that are added again, and of the added ones that were removed: what else a commit
/// changes cannot be compared. Imports and lines that name what moves are left out.
const MIN_MOVED: f64 = 0.8;
/// Maximum number of files that a commit changes: a larger one is a reformatting or a merge.
const MAX_FILES: usize = 40;
/// Maximum number of definitions and files that a commit moves.
const MAX_MOVES: usize = 5;

/// A definition that a commit moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moved {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) name: String,
    /// Word of its kind in node ids.
    pub(super) word: &'static str,
    /// Its text before the commit.
    pub(super) text: String,
}

/// A commit that moves definitions.
#[derive(Debug, Clone)]
pub(super) struct MoveCommit {
    pub(super) id: String,
    pub(super) moves: Vec<Moved>,
    /// Files that go as a whole, and where they go: their definitions are among `moves`.
    pub(super) whole: BTreeMap<String, String>,
}

/// The lines of a file that a commit removes and adds.
#[derive(Debug, Default)]
struct Changed {
    removed: Vec<String>,
    added: Vec<String>,
    is_new: bool,
    is_deleted: bool,
}

/// Reads all commits of a repository and returns those that move something, newest first.
pub(super) fn find_commits(git: &Path, endings: &[&str]) -> Outcome<Vec<MoveCommit>> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(git)
        .args(["log", "--no-merges", "--no-renames", "-p", "-U0", "--format=%x00%H", "HEAD", "--"]);
    command.args(endings.iter().map(|ending| format!("*{ending}")));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut reader = BufReader::new(child.stdout.take().ok_or("git has no output")?);
    let (mut found, mut id, mut files) = (Vec::new(), String::new(), BTreeMap::<String, Changed>::new());
    let (mut path, mut bytes) = (String::new(), Vec::new());
    loop {
        bytes.clear();
        let is_end = reader.read_until(b'\n', &mut bytes)? == 0;
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\n', '\r']);
        if is_end || line.starts_with('\0') {
            found.extend(commit_of(&id, &files));
            files.clear();
            line.trim_start_matches('\0').clone_into(&mut id);
        } else if let Some(rest) = line.strip_prefix("diff --git a/") {
            rest.split_once(" b/").map_or(rest, |(path, _)| path).clone_into(&mut path);
            files.insert(path.clone(), Changed::default());
        } else if let Some(file) = files.get_mut(&path) {
            match line.split_at_checked(1) {
                _ if line.starts_with("new file mode") => file.is_new = true,
                _ if line.starts_with("deleted file mode") => file.is_deleted = true,
                _ if line.starts_with("--- ") || line.starts_with("+++ ") => {}
                // A border between hunks ends a definition.
                _ if line.starts_with("@@") => {
                    file.removed.push("\0".to_owned());
                    file.added.push("\0".to_owned());
                }
                Some(("-", text)) => file.removed.push(text.to_owned()),
                Some(("+", text)) => file.added.push(text.to_owned()),
                _ => {}
            }
        }
        if is_end {
            break;
        }
    }
    child.wait()?;
    Ok(found)
}

/// The moves of a commit, if it has any and is not too large.
fn commit_of(id: &str, files: &BTreeMap<String, Changed>) -> Option<MoveCommit> {
    if files.len() < 2 || files.len() > MAX_FILES {
        return None;
    }
    let list = |lines: fn(&Changed) -> &Vec<String>| {
        let mut all: BTreeMap<String, Vec<(&str, Block)>> = BTreeMap::new();
        for (path, changed) in files {
            for block in blocks(path, lines(changed)) {
                all.entry(block.name.clone()).or_default().push((path, block));
            }
        }
        all
    };
    let (removed, added) = (list(|changed| &changed.removed), list(|changed| &changed.added));
    let mut moves = Vec::new();
    for (name, gone) in &removed {
        // A name that several files lose or get may be any of them.
        let ([(from, old)], Some([(to, new)])) = (gone.as_slice(), added.get(name).map(Vec::as_slice)) else {
            continue;
        };
        let is_one_language = ending(from) == ending(to);
        if from != to && is_one_language && old.word == new.word && is_like(&old.lines, &new.lines) {
            let text = old.lines.join("\n") + "\n";
            let (from, to) = ((*from).to_owned(), (*to).to_owned());
            moves.push(Moved { from, to, name: name.clone(), word: old.word, text });
        }
    }
    if moves.iter().all(|row| row.text.lines().count() < MIN_LARGEST) {
        return None;
    }
    let is_whole = |from: &str, to: &str| {
        files[from].is_deleted && files[to].is_new && is_like(&files[from].removed, &files[to].added)
    };
    let pairs = moves.iter().filter(|row| is_whole(&row.from, &row.to));
    let whole: BTreeMap<String, String> = pairs.map(|row| (row.from.clone(), row.to.clone())).collect();
    let parts = moves.iter().filter(|row| !whole.contains_key(&row.from)).count();
    (parts + whole.len() <= MAX_MOVES && moves_mainly(files, &moves)).then(|| MoveCommit {
        id: id.to_owned(),
        moves,
        whole,
    })
}

/// Whether a commit hardly does more than to move text.
fn moves_mainly(files: &BTreeMap<String, Changed>, moves: &[Moved]) -> bool {
    const IMPORTS: &[&str] =
        &["import ", "from ", "use ", "pub use ", "package ", "mod ", "pub mod ", "export {", "export *"];
    let counts = |lines: fn(&Changed) -> &Vec<String>| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for line in files.values().flat_map(lines).map(|line| line.trim()) {
            let is_import = IMPORTS.iter().any(|word| line.starts_with(word));
            let names = moves.iter().any(|row| line.contains(row.name.as_str()));
            if line.len() > 2 && !is_import && !names {
                *counts.entry(line).or_default() += 1;
            }
        }
        counts
    };
    let (removed, added) = (counts(|changed| &changed.removed), counts(|changed| &changed.added));
    let both: usize = removed.iter().map(|(line, count)| (*count).min(added.get(line).copied().unwrap_or(0))).sum();
    let most = removed.values().sum::<usize>().max(added.values().sum());
    both as f64 >= MIN_MOVED * most as f64
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether nearly all lines of a text are in another one, apart from space and visibility.
fn is_like(old: &[String], new: &[String]) -> bool {
    let plain = |line: &String| {
        let line = line.trim().trim_start_matches("export ").trim_start_matches("default ");
        let line =
            line.trim_start_matches("public ").trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        line.trim_start_matches("pub ").to_owned()
    };
    let lines =
        |all: &[String]| all.iter().map(plain).filter(|line| !line.is_empty() && line != "\0").collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in &new {
        *left.entry(line).or_default() += 1;
    }
    let equal =
        old.iter().filter(|line| left.get_mut(line.as_str()).filter(|count| **count > 0).map(|c| *c -= 1).is_some());
    let equal = equal.count() as f64;
    equal >= MIN_EQUAL * old.len() as f64 && equal >= MIN_EQUAL * new.len() as f64
}

/// A definition at the top of a file, as lines.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) word: &'static str,
    /// Index of its header among the lines.
    pub(super) start: usize,
    pub(super) lines: Vec<String>,
}

/// The whole definitions at the top of a file with at least [`MIN_LINES`] lines among some lines.
pub(super) fn blocks(path: &str, lines: &[String]) -> Vec<Block> {
    let ending = ending(path);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((word, name)) = header(ending, &lines[at]) else {
            at += 1;
            continue;
        };
        let end = if ending == "py" { end_by_indent(lines, at) } else { end_by_brace(lines, at) };
        if let Some(end) = end.filter(|end| end - at >= MIN_LINES) {
            found.push(Block { name, word, start: at, lines: lines[at..end].to_vec() });
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// The first line behind an indented body.
fn end_by_indent(lines: &[String], start: usize) -> Option<usize> {
    let is_body = |line: &&String| line.is_empty() || line.starts_with([' ', '\t', ')', ']', '}']);
    let mut end = start + 1 + lines[start + 1..].iter().take_while(is_body).count();
    while lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    (end > start + 1).then_some(end)
}

/// The line behind the brace that closes a body; `None` if it is not among the lines.
fn end_by_brace(lines: &[String], start: usize) -> Option<usize> {
    let is_end = |line: &String| line.starts_with(['}', ')']) || line.ends_with(';') && !line.starts_with([' ', '\t']);
    let mut at = start;
    while at < lines.len() && lines[at] != "\0" {
        let is_signature = lines[at].starts_with(')') && lines[at].trim_end().ends_with('{');
        if at > start && is_end(&lines[at]) && !is_signature {
            return Some(at + 1);
        }
        if at > start && !lines[at].is_empty() && !lines[at].starts_with([' ', '\t', ')', '{', '}', 'w', '/', '*', '#'])
        {
            return None;
        }
        at += 1;
    }
    None
}

/// The kind and name of the definition whose header a line is.
fn header(ending: &str, line: &str) -> Option<(&'static str, String)> {
    let (skipped, kinds): (&[&str], &[(&str, &'static str)]) = match ending {
        "py" => (&["async"], &[("def", "fn"), ("class", "class")]),
        "ts" | "tsx" | "js" => (
            &["export", "async", "abstract", "declare"],
            &[
                ("function", "fn"),
                ("class", "class"),
                ("interface", "interface"),
                ("type", "type"),
                ("enum", "enum"),
                ("const", "const"),
            ],
        ),
        "rs" => (
            &["pub", "pub(crate)", "pub(super)", "async", "unsafe", "const"],
            &[("fn", "fn"), ("struct", "struct"), ("enum", "enum"), ("trait", "trait"), ("type", "type")],
        ),
        "java" => (
            &["public", "abstract", "final", "sealed", "strictfp"],
            &[
                ("class", "class"),
                ("interface", "interface"),
                ("enum", "enum"),
                ("record", "record"),
                ("@interface", "interface"),
            ],
        ),
        _ => return None,
    };
    let mut words = line.split(' ').skip_while(|word| skipped.contains(word));
    let kind = words.next()?;
    let word = kinds.iter().find(|(known, _)| *known == kind)?.1;
    let rest = words.next()?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name: String = rest.chars().take_while(|c| is_part(*c)).collect();
    (!name.is_empty() && !line.starts_with(' ')).then_some((word, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(removed: &str, added: &str) -> Changed {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        Changed { removed: lines(removed), added: lines(added), ..Changed::default() }
    }

    #[test]
    fn a_definition_that_left_one_file_and_came_to_another_is_a_move() {
        let text = "def load(name):\n    text = read(name)\n    text = text.strip()\n    return text\n";
        let rows = [
            (text.to_owned(), text.to_owned(), 1),
            // A body that was changed on the way is not the same definition.
            (text.to_owned(), text.replace("text", "data"), 0),
            (text.to_owned(), text.replace("def load", "def read"), 0),
            (text.to_owned(), String::new(), 0),
        ];
        for (removed, added, count) in rows {
            let files = BTreeMap::from([
                ("a.py".to_owned(), file(&removed, "from b import load\n")),
                ("b.py".to_owned(), file("", &added)),
            ]);
            let found = commit_of("1", &files);
            assert_eq!(found.map_or(0, |commit| commit.moves.len()), count, "{added}");
        }
    }

    #[test]
    fn headers_of_four_languages() {
        let rows = [
            ("py", "async def load(name):", Some(("fn", "load"))),
            ("ts", "export async function load<T>(name: T) {", Some(("fn", "load"))),
            ("rs", "pub(crate) struct Reader<'a> {", Some(("struct", "Reader"))),
            ("java", "public final class Reader {", Some(("class", "Reader"))),
            ("java", "    public final class Reader {", None),
            ("py", "loaded = def_", None),
        ];
        for (ending, line, expected) in rows {
            let expected = expected.map(|(word, name): (&'static str, &str)| (word, name.to_owned()));
            assert_eq!(header(ending, line), expected, "{line}");
        }
    }
}
