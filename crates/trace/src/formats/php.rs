//! PHP: uncaught exceptions with previous ones, and errors with a location.

use super::{Block, frame, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Exception, Frame, Relation};

pattern!(
    /// `PHP Fatal error:  Uncaught Acme\PoolError: no room in /app/src/Pool.php:12`
    THROWN,
    r"(?:Uncaught |^Next |^\[object\] \()?((?:\\?[A-Z]\w*\\{1,2})*[A-Z]\w*(?:Exception|Error)?)(?:\(code: \d+\))?: (.*) (?:in|at) (\S.*?\.\w{2,5}):(\d{1,9})\)?$"
);
pattern!(
    PLAIN,
    r"^(?:PHP )?(Fatal error|Parse error|Warning|Notice|Deprecated|Recoverable fatal error): +(.*) in (\S.*?) on line (\d{1,9})$"
);
pattern!(
    /// `#0 /app/src/Pool.php(34): Acme\Pool->acquire('x')`
    AT,
    r"^\s*#(\d{1,6}) (?:(\S.*?)\((\d{1,9})\)|(\[internal function\])): (.*)$"
);

pattern!(
    /// `PHP   2. Acme\Math->div($a = 1) /app/index.php:4`, outermost first.
    LISTED,
    r"^(?:PHP)?\s+(\d{1,6})\. (\S.*?)\(.*\) (\S.*?):(\d{1,9})$"
);

pub(super) fn read(lines: &Lines<'_>, at: usize, _floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if line.contains("Uncaught ") || line.contains("[object] (") {
        // A log repeats the message before it.
        let start = line.rfind("[object] (").unwrap_or(0);
        let found = THROWN.captures(&line[start..])?;
        return Some(chain(lines, at, read_thrown(at, &found)));
    }
    if line.trim_start().starts_with("#0 ") && AT.is_match(line) {
        return Some(chain(lines, at, Exception::new(Relation::Reported)));
    }
    if !line.contains(" on line ") {
        return None;
    }
    let found = PLAIN.captures(line)?;
    let text = |index| found.get(index).map(|part: regex::Match<'_>| part.as_str());
    let mut exception = Exception::new(Relation::Reported);
    exception.say(text(1).unwrap_or_default(), text(2).unwrap_or_default());
    exception.frames.push(frame(at, text(3), None, text(4), None));
    let next = read_listed(lines, at + 1, &mut exception);
    Some(Block { exceptions: vec![exception], next })
}

/// Reads the calls listed below an error; returns the index of the first line after them.
fn read_listed(lines: &Lines<'_>, start: usize, exception: &mut Exception) -> usize {
    if !lines.get(start).trim_end().ends_with("Stack trace:") {
        return start;
    }
    let mut next = start + 1;
    while next < lines.len() && LISTED.is_match(lines.get(next)) {
        next += 1;
    }
    for at in (start + 1..next).rev() {
        let Some(found) = LISTED.captures(lines.get(at)) else { continue };
        let text = |index| found.get(index).map(|part: regex::Match<'_>| part.as_str());
        if let Some(last) = exception.frames.last_mut() {
            last.function = text(2).map(str::to_owned);
        }
        let is_start = text(4) == Some("0");
        if !is_start && exception.frames.len() < 2 * limits::FRAMES {
            exception.frames.push(frame(at, text(3), None, text(4), None));
        }
    }
    next
}

fn read_thrown(at: usize, found: &regex::Captures<'_>) -> Exception {
    let text = |index| found.get(index).map(|part| part.as_str());
    let mut exception = Exception::new(Relation::Reported);
    exception.say(&text(1).unwrap_or_default().replace("\\\\", "\\"), text(2).unwrap_or_default());
    exception.frames.push(frame(at, text(3), None, text(4), None));
    exception
}

/// Exceptions from the first to the reported one: each has the one before it as its previous exception.
fn chain(lines: &Lines<'_>, start: usize, first: Exception) -> Block {
    let mut exceptions: Vec<Exception> = Vec::new();
    let mut open = first;
    let mut at = if open.is_empty() { start } else { start + 1 };
    while at < lines.len() && exceptions.len() < limits::EXCEPTIONS {
        let line = lines.get(at);
        if let Some(found) = AT.captures(line) {
            if found.get(1).is_some_and(|number| number.as_str() == "0") && open.frames.len() > 1 {
                break;
            }
            add_call(at, &found, &mut open);
        } else if let Some(found) =
            line.trim_start().strip_prefix("Next ").and_then(|_| THROWN.captures(line.trim_start()))
        {
            let mut done = std::mem::replace(&mut open, read_thrown(at, &found));
            done.relation = Relation::Cause;
            exceptions.push(done);
        } else if line.trim_start().starts_with("thrown in ") {
            at += 1;
            break;
        } else if !is_between(line) {
            break;
        }
        at += 1;
    }
    exceptions.push(open);
    Block { exceptions, next: at }
}

fn is_between(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line == "Stack trace:" || line == "[stacktrace]" || line.starts_with('#')
}

/// A row names a call and its call site: the function belongs to the previous frame, the location to a new one.
fn add_call(at: usize, found: &regex::Captures<'_>, open: &mut Exception) {
    let text = |index| found.get(index).map(|part: regex::Match<'_>| part.as_str());
    let call = text(5).unwrap_or_default();
    let function = call.split('(').next().unwrap_or(call);
    if let Some(last) = open.frames.last_mut().filter(|last| last.function.is_none()) {
        // In a JSON record, separators of names are escaped.
        last.function = Some(function.replace("\\\\", "\\"));
    }
    let place = text(2).or_else(|| text(4));
    if open.frames.len() < 2 * limits::FRAMES {
        open.frames.push(Frame { function: None, ..frame(at, place, None, text(3), None) });
    }
}
