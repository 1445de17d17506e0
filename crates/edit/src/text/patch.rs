//! Unified diffs as input. A hunk must fit exactly; it may have moved by some lines.

use std::cell::Cell;
use std::ops::Range;

use m1nd_base::{line_end, replace_line_ends};

use crate::header::Header;

/// Maximum number of lines compared while the places of all hunks of a diff are searched. The line numbers of a diff
/// are the caller's, so each hunk may have to be searched for in the whole file.
const MAX_COMPARED: usize = 10_000_000;

/// The part of a diff that is about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Path of the old file; `None` if the diff creates it.
    pub old_path: Option<String>,
    /// Path of the new file; `None` if the diff removes it.
    pub new_path: Option<String>,
    /// The hunks as text.
    pub body: String,
    /// What git's lines above the hunks say.
    pub(crate) header: Header,
}

impl FilePatch {
    fn new(old_path: Option<String>, new_path: Option<String>, header: Header) -> Self {
        Self { old_path, new_path, body: String::new(), header }
    }

    /// A file with a header and no hunk: an empty one that is created or removed, or a change that is not one of text.
    fn without_hunks(mut header: Header) -> Option<Self> {
        let path = header.path.clone()?;
        if header.refused.is_none() && !header.is_new && !header.is_deleted {
            let is_mode = header.executable.is_some();
            header.refused =
                is_mode.then(|| "the diff changes only its mode, which is not written; use `chmod`".to_owned());
            header.refused.as_ref()?;
        }
        let (is_new, is_deleted) = (header.is_new, header.is_deleted);
        Some(Self::new((!is_new).then(|| path.clone()), (!is_deleted).then_some(path), header))
    }

    /// The diff of this file alone.
    pub fn text(&self) -> String {
        let side = |path: &Option<String>, mark: &str| {
            path.as_ref().map_or_else(|| "/dev/null".to_owned(), |path| format!("{mark}/{path}"))
        };
        let Self { old_path, new_path, body, header } = self;
        match body.is_empty() {
            true => header.text.clone(),
            false => format!("{}--- {}\n+++ {}\n{body}", header.text, side(old_path, "a"), side(new_path, "b")),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Hunk<'t> {
    /// First line of the old text, 0-based.
    start: usize,
    old: Vec<&'t str>,
    new: Vec<&'t str>,
    /// The last old or new line has no end.
    open: (bool, bool),
}

/// Splits a diff over several files. A text without file headers yields nothing.
pub fn split_patch(text: &str) -> Vec<FilePatch> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut lines = text.split_inclusive('\n').peekable();
    let mut header: Option<Header> = None;
    // Lines of a hunk may look like headers.
    let (mut old_left, mut new_left) = (0usize, 0usize);
    while let Some(line) = lines.next() {
        if old_left == 0
            && new_left == 0
            && let Some(old) = line.strip_prefix("--- ")
            && let Some(new) = lines.peek().and_then(|next| next.strip_prefix("+++ "))
        {
            files.push(FilePatch::new(file_name(old), file_name(new), header.take().unwrap_or_default()));
            lines.next();
            continue;
        }
        if old_left == 0
            && new_left == 0
            && let Some(next) = Header::starting(line)
        {
            files.extend(header.replace(next).and_then(FilePatch::without_hunks));
            continue;
        }
        let is_header = old_left == 0 && new_left == 0;
        if let Some((_, old, _, new)) = ranges(line).filter(|_| is_header) {
            (old_left, new_left) = (old, new);
        } else if is_header && !line.starts_with('\\') {
            header.iter_mut().for_each(|header| header.add(line));
            continue;
        } else {
            match line.as_bytes().first() {
                Some(b'-') => old_left = old_left.saturating_sub(1),
                Some(b'+') => new_left = new_left.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old_left, new_left) = (old_left.saturating_sub(1), new_left.saturating_sub(1)),
            }
        }
        if let Some(file) = files.last_mut() {
            file.body.push_str(line);
        }
    }
    files.extend(header.and_then(FilePatch::without_hunks));
    files
}

/// Applies the hunks of a diff of one file.
///
/// # Errors
/// Why the diff cannot be applied, with the hunk.
pub(crate) fn apply_patch(text: &str, diff: &str) -> Result<String, String> {
    let body = match split_patch(diff).as_slice() {
        [] => diff.to_owned(),
        [FilePatch { header: Header { refused: Some(why), .. }, .. }] => return Err(why.clone()),
        // An empty file that is created, or removed.
        [file] if file.body.is_empty() && (file.header.is_new || file.header.is_deleted) => return Ok(text.to_owned()),
        [file] => file.body.clone(),
        files => return Err(format!("the diff is about {} files; expected one file per edit", files.len())),
    };
    let hunks = hunks(&body)?;
    let end = line_end(text);
    // A diff that has carriage returns means them, unless all lines of the file have them.
    let is_plain = end == "\r\n" || !body.contains('\r');
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ended = |line: &str| line.trim_end_matches(['\r', '\n']).len();
    let compared = Cell::new(0usize);
    let (mut out, mut at, mut shift) = (String::new(), 0usize, 0isize);
    for (index, hunk) in hunks.iter().enumerate() {
        let expected = hunk.start.saturating_add_signed(shift);
        let line = hunk.start.saturating_add(1);
        let fits = |place: usize| {
            let there = lines.get(place..place.saturating_add(hunk.old.len()));
            there.is_some_and(|there| {
                there.iter().zip(&hunk.old).all(|(line, old)| {
                    compared.set(compared.get().saturating_add(1));
                    line[..ended(line)] == old[..ended(old)]
                })
            })
        };
        let place = nearest(expected, at..lines.len(), &compared, fits).map_err(|why| match why {
            NoPlace::Differs => {
                format!("hunk {} (line {line}) does not fit the current file; make the diff from it again", index + 1)
            }
            NoPlace::TooFar => format!(
                "hunk {} (line {line}) was not found near its line, and the file is too long to compare all of it; \
                 expected a diff with the line numbers of the current file",
                index + 1
            ),
        })?;
        lines[at..place].iter().for_each(|line| out.push_str(line));
        let mut new = String::new();
        for (number, line) in hunk.new.iter().enumerate() {
            new.push_str(&line[..ended(line)]);
            let is_open = hunk.open.1 && number + 1 == hunk.new.len();
            if !is_open {
                new.push_str(if is_plain { "\n" } else { end_of(line) });
            }
        }
        let old = lines[place..place + hunk.old.len()].concat();
        out.push_str(&if is_plain { replace_line_ends(&old, end, &new) } else { new.into() });
        shift = isize::try_from(place).unwrap_or(0) - isize::try_from(hunk.start).unwrap_or(0);
        at = place + hunk.old.len();
    }
    lines[at..].iter().for_each(|line| out.push_str(line));
    Ok(out)
}

/// Why a hunk has no place.
#[derive(Debug, PartialEq, Eq)]
enum NoPlace {
    /// It does not fit anywhere.
    Differs,
    /// The search was given up.
    TooFar,
}

/// The place nearest to the expected one, among those behind the last hunk, at which a hunk fits. The number of places
/// follows from the file, whatever line the diff names.
fn nearest(
    expected: usize,
    places: Range<usize>,
    compared: &Cell<usize>,
    fits: impl Fn(usize) -> bool,
) -> Result<usize, NoPlace> {
    let expected = expected.clamp(places.start, places.end);
    for distance in 0..=(expected - places.start).max(places.end - expected) {
        // A place at which no line is compared is work, too.
        compared.set(compared.get().saturating_add(1));
        if compared.get() > MAX_COMPARED {
            return Err(NoPlace::TooFar);
        }
        let before = expected.checked_sub(distance).filter(|place| *place >= places.start && fits(*place));
        let after = || Some(expected + distance).filter(|place| distance > 0 && *place <= places.end && fits(*place));
        if let Some(place) = before.or_else(after) {
            return Ok(place);
        }
    }
    Err(NoPlace::Differs)
}

/// The end of a line, which a diff may lack.
fn end_of(line: &str) -> &str {
    let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
    if end.is_empty() { "\n" } else { end }
}

fn hunks(body: &str) -> Result<Vec<Hunk<'_>>, String> {
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    let mut left = (0usize, 0usize);
    let mut last_was_new = false;
    for line in body.split_inclusive('\n') {
        if left == (0, 0) {
            if let Some((start, old, _, new)) = ranges(line) {
                // A hunk without old lines stands behind the line that it names.
                let start = if old == 0 { start } else { start.saturating_sub(1) };
                hunks.push(Hunk { start, old: Vec::new(), new: Vec::new(), open: (false, false) });
                left = (old, new);
                continue;
            }
            if let Some(hunk) = hunks.last_mut().filter(|_| line.starts_with('\\')) {
                if last_was_new {
                    hunk.open.1 = true
                } else {
                    hunk.open.0 = true
                }
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            return Err(format!("the diff has an unexpected line: {:?}; expected `@@ -1,2 +1,3 @@`", clip_line(line)));
        }
        let hunk = hunks.last_mut().ok_or("the diff has no hunk")?;
        let cut = "the diff has a hunk with other numbers of lines than its header says";
        let down = |number: usize| number.checked_sub(1).ok_or(cut);
        match line.as_bytes().first() {
            Some(b'+') => (left.1, last_was_new) = (down(left.1)?, true),
            Some(b'-') => (left.0, last_was_new) = (down(left.0)?, false),
            Some(b'\\') => {
                // Behind a line of both sides, it counts for both.
                if last_was_new {
                    hunk.open.1 = true
                } else {
                    hunk.open.0 = true
                }
                continue;
            }
            // Some programs drop the blank of an empty line.
            Some(b' ' | b'\n' | b'\r') => left = (down(left.0)?, down(left.1)?),
            _ => return Err(format!("the diff has an unexpected line in a hunk: {:?}", clip_line(line))),
        }
        let (mark, rest) = if line.starts_with(['+', '-', ' ']) { line.split_at(1) } else { (" ", line) };
        if mark != "+" {
            hunk.old.push(rest);
        }
        if mark != "-" {
            hunk.new.push(rest);
            last_was_new = true;
        }
    }
    match (hunks.is_empty(), left) {
        (true, _) => Err("the diff has no hunk; expected lines such as `@@ -1,2 +1,3 @@`".to_owned()),
        (_, (0, 0)) => Ok(hunks),
        _ => Err("the last hunk of the diff is cut off".to_owned()),
    }
}

/// Start and number of lines of both sides of a hunk header.
fn ranges(line: &str) -> Option<(usize, usize, usize, usize)> {
    let (inner, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = inner.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    let ((a, b), (c, d)) = (range(old)?, range(new)?);
    Some((a, b, c, d))
}

/// The path in a header, without `a/` or `b/` and what follows a tab.
pub(crate) fn file_name(text: &str) -> Option<String> {
    let name = text.trim_end_matches(['\r', '\n']).split('\t').next().unwrap_or_default().trim_end();
    let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
    if name == "/dev/null" {
        return None;
    }
    let inner = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
    Some(inner.to_owned())
}

fn clip_line(line: &str) -> String {
    line.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use m1nd_testkit::Random;

    use super::*;
    use crate::unified_diff;

    #[test]
    fn our_own_diffs_apply() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let mut text = |lines: usize| -> String {
                let mut text: String = (0..lines).map(|_| format!("{}\n", random.below(4))).collect();
                if random.coin() {
                    text.pop();
                }
                text
            };
            let (old, new) = (text(12), text(13));
            let (diff, _) = unified_diff("x", Some(&old), Some(&new));
            let expected = if old == new { Err(()) } else { Ok(new.clone()) };
            assert_eq!(apply_patch(&old, &diff).map_err(|_| ()), expected, "seed {seed}\n{diff}");
        }
    }

    #[test]
    fn moved_and_wrong_hunks() {
        let diff = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
        assert_eq!(apply_patch("x\nx\na\nb\n", diff).as_deref(), Ok("x\nx\na\nc\n"));
        assert_eq!(apply_patch("a\r\nb\r\n", diff).as_deref(), Ok("a\r\nc\r\n"));
        assert_eq!(apply_patch("x\n\r\na\r\nb\n", diff).as_deref(), Ok("x\n\r\na\r\nc\n"), "each line keeps its own");
        let with_returns = "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n";
        assert_eq!(apply_patch("a\nb\n", with_returns).as_deref(), Ok("a\r\nc\r\n"), "the diff means them");
        assert!(apply_patch("a\nd\n", diff).is_err_and(|why| why.contains("hunk 1 (line 1) does not fit")));
        assert!(apply_patch("a\n", "hello").is_err());
        assert!(apply_patch("a\n", "@@ -1,3 +1,1 @@\n a\n").is_err_and(|why| why.contains("cut off")));
        assert_eq!(apply_patch("", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n").as_deref(), Ok("a\n"));
    }

    /// A hunk whose line is far behind the file, and one that repeats what the whole file is.
    #[test]
    fn line_numbers_of_the_caller_bound_nothing() {
        for start in [100_000_000, 2_000_000_000, u32::MAX as usize, i64::MAX as usize, usize::MAX] {
            let fits = format!("@@ -{start},1 +{start},1 @@\n-b\n+c\n");
            assert_eq!(apply_patch("a\nb\na\n", &fits).as_deref(), Ok("a\nc\na\n"), "{start}");
            let differs = format!("@@ -{start},1 +{start},1 @@\n-x\n+c\n");
            let why = apply_patch("a\nb\na\n", &differs).expect_err("does not fit");
            assert!(why.contains("does not fit the current file"), "{why}");
            let adds = format!("@@ -{start},0 +{start},1 @@\n+c\n");
            assert_eq!(apply_patch("a\n", &adds).as_deref(), Ok("a\nc\n"), "added at the end: {start}");
            let many = format!("@@ -1,{start} +1,{start} @@\n-a\n+c\n");
            assert!(apply_patch("a\n", &many).is_err_and(|why| why.contains("cut off")), "{start}");
        }
    }

    /// Each place of a file of equal lines fits nearly all lines of the hunk.
    #[test]
    fn a_search_over_too_many_lines_is_given_up() {
        let text = "a\n".repeat(20_000);
        let old = 5_000;
        let diff = format!("@@ -1,{} +1,{old} @@\n{}-b\n", old + 1, " a\n".repeat(old));
        let why = apply_patch(&text, &diff).expect_err("is given up");
        assert!(why.contains("too long to compare"), "{why}");
    }

    #[test]
    fn what_git_writes_above_the_hunks() {
        // The header of `x y`, and what becomes of it: its program bit, or why it is refused.
        let rows: [(&str, Result<Option<bool>, &str>); 9] = [
            ("new file mode 100755\n--- /dev/null\n+++ b/x y\n@@ -0,0 +1 @@\n+a\n", Ok(Some(true))),
            ("new file mode 100644\n--- /dev/null\n+++ b/x y\n@@ -0,0 +1 @@\n+a\n", Ok(Some(false))),
            ("new file mode 100755\nindex 000..e69\n", Ok(Some(true))),
            (
                "old mode 100644\nnew mode 100755\nindex 1..2\n--- a/x y\n+++ b/x y\n@@ -1 +1 @@\n-a\n+b\n",
                Ok(Some(true)),
            ),
            ("old mode 100644\nnew mode 100755\n", Err("only its mode")),
            ("new file mode 120000\n--- /dev/null\n+++ b/x y\n@@ -0,0 +1 @@\n+a\n\\ No newline\n", Err("a link")),
            ("new file mode 160000\n--- /dev/null\n+++ b/x y\n@@ -0,0 +1 @@\n+Subproject\n", Err("a submodule")),
            ("index 1..2\nGIT binary patch\nliteral 3\nabc\n", Err("not text")),
            (
                "similarity index 90%\nrename from x y\nrename to z\n--- a/x y\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n",
                Err("renames it"),
            ),
        ];
        for (rest, expected) in rows {
            let diff =
                format!("diff --git a/x y b/x y\n{rest}diff --git a/q b/q\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-a\n+b\n");
            let files = split_patch(&diff);
            let [first, second] = files.as_slice() else { panic!("{rest}: {files:?}") };
            assert_eq!(first.old_path.as_deref().or(first.new_path.as_deref()), Some("x y"), "{rest}");
            assert_eq!((second.old_path.as_deref(), second.header.executable), (Some("q"), None), "{rest}");
            let again = split_patch(&first.text());
            assert_eq!(again, std::slice::from_ref(first), "{rest}");
            match (&first.header.refused, expected) {
                (None, Ok(executable)) => assert_eq!(first.header.executable, executable, "{rest}"),
                (Some(why), Err(named)) => assert!(why.contains(named), "{rest}: {why}"),
                other => panic!("{rest}: {other:?}"),
            }
        }
    }

    #[test]
    fn files_of_a_diff() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- y\n+++ z\n--- a/q\t2020\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        let files = split_patch(text);
        let names: Vec<_> = files.iter().map(|file| (file.old_path.as_deref(), file.new_path.as_deref())).collect();
        assert_eq!(names, [(Some("x"), Some("x")), (Some("q"), None)]);
        assert_eq!(apply_patch("-- y\n", &files[0].body).as_deref(), Ok("++ z\n"));
    }
}
