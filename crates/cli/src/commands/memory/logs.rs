//! `mind daemon logs`.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_mind::daemon::{LOG_FOLDER, LOGS};

use crate::error::CliError;
use crate::output::Out;

/// Maximum bytes read from the end of a log.
const MAX_TAIL: u64 = 1 << 20;
/// Polling interval for new lines.
const LOOK: Duration = Duration::from_millis(250);
/// The log that repeats lines of the others, omitted if those are shown.
const REPEATED: &str = "errors";

/// Shows the last `lines` of one log, or of all of them merged by time; with `follow`, then new lines.
pub(super) fn run(home: &Path, only: Option<&str>, follow: bool, lines: usize, out: &mut Out) -> Result<(), CliError> {
    let names = LOGS.iter().filter(|name| only.map_or(**name != REPEATED, |only| **name == only));
    let paths: Vec<PathBuf> = names.map(|name| home.join(LOG_FOLDER).join(format!("{name}.log"))).collect();
    let (mut all, mut ends) = (Vec::new(), Vec::new());
    for path in &paths {
        let (text, end) = tail(path)?;
        // A log that was just rotated has few lines.
        let (before, _) = tail(&PathBuf::from(format!("{}.1", path.display())))?;
        all.extend(before.lines().chain(text.lines()).map(str::to_owned));
        ends.push(end);
    }
    for line in in_order(all, lines) {
        out.line(line)?;
    }
    if !follow {
        return if ends.iter().all(|end| *end == 0) { out.line("nothing was logged yet") } else { Ok(()) };
    }
    loop {
        std::thread::sleep(LOOK);
        let mut new = Vec::new();
        for (path, end) in paths.iter().zip(&mut ends) {
            new.extend(read_added(path, end)?);
        }
        let most = new.len();
        for line in in_order(new, most) {
            out.line(line)?;
        }
    }
}

/// The last line of a log.
pub(super) fn last(home: &Path, name: &str) -> Option<String> {
    let (text, _) = tail(&home.join(LOG_FOLDER).join(format!("{name}.log"))).ok()?;
    text.lines().last().map(str::to_owned)
}

/// The last `most` lines, sorted by the time with which each begins. The sort is stable.
fn in_order(mut lines: Vec<String>, most: usize) -> Vec<String> {
    lines.sort_by(|a, b| time(a).cmp(time(b)));
    lines.split_off(lines.len().saturating_sub(most))
}

fn time(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// The end of a file and its size; empty if the file does not exist.
fn tail(path: &Path) -> Result<(String, u64), CliError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((String::new(), 0)),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let start = file.metadata()?.len().saturating_sub(MAX_TAIL);
    let bytes = read_from(&mut file, start)?;
    let text = String::from_utf8_lossy(&bytes);
    // The first line may be incomplete.
    let whole = if start == 0 { &*text } else { text.split_once('\n').map_or("", |(_, rest)| rest) };
    Ok((whole.to_owned(), start + bytes.len() as u64))
}

/// The complete lines after `end`, which is advanced. A rotated log is read from its start.
fn read_added(path: &Path, end: &mut u64) -> Result<Vec<String>, CliError> {
    let Ok(mut file) = File::open(path) else { return Ok(Vec::new()) };
    if file.metadata()?.len() < *end {
        *end = 0;
    }
    let bytes = read_from(&mut file, *end)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    *end += whole as u64;
    Ok(String::from_utf8_lossy(&bytes[..whole]).lines().map(str::to_owned).collect())
}

fn read_from(file: &mut File, start: u64) -> Result<Vec<u8>, CliError> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(MAX_TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    CliError::fail(format!("cannot read {}: {error}", path.display()), "make it readable")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_logs_are_shown_by_their_time() {
        let lines = |list: &[&str]| list.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let all = lines(&["1 daemon a", "3 daemon b", "2 index x", "3 index y", "2 parser z"]);
        assert_eq!(in_order(all.clone(), 3), lines(&["2 parser z", "3 daemon b", "3 index y"]));
        assert_eq!(in_order(all, 9).len(), 5);
    }

    #[test]
    fn only_whole_new_lines_are_shown_also_of_a_log_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let (mut end, write) = (0, |text: &str| std::fs::write(&path, text).unwrap());
        assert_eq!(read_added(&path, &mut end).unwrap(), Vec::<String>::new());
        write("1 a\n2 b\n3");
        assert_eq!(read_added(&path, &mut end).unwrap(), ["1 a", "2 b"]);
        write("1 a\n2 b\n3 c\n");
        assert_eq!(read_added(&path, &mut end).unwrap(), ["3 c"]);
        write("4 d\n");
        assert_eq!(read_added(&path, &mut end).unwrap(), ["4 d"]);
        assert_eq!(tail(&path).unwrap(), ("4 d\n".to_owned(), 4));
    }
}
