//! Rust: panics, and backtraces of panics and errors.

use super::{Block, frame, name_exception, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Exception, Frame, Relation};

pattern!(
    /// Current format: `thread 'main' panicked at src/main.rs:10:5:`, with the message on the next lines.
    PANIC,
    r"panicked at (?:([^'\s].*?):(\d{1,9}):(\d{1,9})|([^'\s]+\.rs):(\d{1,9})):?$"
);
pattern!(
    /// Old format: `thread 'main' panicked at 'message', src/main.rs:10:5`.
    OLD_PANIC,
    r"panicked at '(.*)', (.+?):(\d{1,9})(?::(\d{1,9}))?$"
);
pattern!(
    /// The last line of a multi-line message in the old format.
    OLD_END,
    r"^(.*)', (\S.*?\.rs):(\d{1,9})(?::(\d{1,9}))?$"
);
pattern!(NUMBERED, r"^\s*(\d{1,5}): +(?:0x[0-9a-fA-F]+ - )?(\S.*)$");
pattern!(PLACE, r"^\s+at (.+?):(\d{1,9})(?::(\d{1,9}))?$");

const BACKTRACE: &str = "stack backtrace:";
/// Maximum lines of a message.
const MAX_MESSAGE: usize = 40;
/// Further lines of a message that are skipped to find its backtrace.
const MAX_REST: usize = 1_000;
/// Maximum lines between a panic and its backtrace.
const MAX_BETWEEN: usize = 5;

pub(super) fn read(lines: &Lines<'_>, at: usize, _floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if line.contains("panicked at ") {
        return panic(lines, at);
    }
    if line.trim().eq_ignore_ascii_case(BACKTRACE) {
        let mut exception = Exception::new(Relation::Reported);
        let next = backtrace(lines, at + 1, &mut exception);
        return Some(Block { exceptions: vec![exception], next });
    }
    if line.starts_with("Error: ") {
        return error(lines, at);
    }
    if line.trim() == "Error:" {
        return report(lines, at);
    }
    // The start of a backtrace may be missing.
    if line.contains(": ") && is_numbered(lines, at) {
        let mut exception = Exception::new(Relation::Reported);
        let next = backtrace(lines, at, &mut exception);
        return Some(Block { exceptions: vec![exception], next });
    }
    None
}

/// Returns whether a line is a frame with its location below it.
fn is_numbered(lines: &Lines<'_>, at: usize) -> bool {
    NUMBERED.is_match(lines.get(at)) && PLACE.is_match(lines.get(at + 1))
}

fn panic(lines: &Lines<'_>, at: usize) -> Option<Block> {
    let line = lines.get(at);
    let text = |found: &regex::Captures<'_>, index: usize| found.get(index).map(|part| part.as_str().to_owned());
    let mut exception = Exception::new(Relation::Reported);
    let mut next = at + 1;
    let place: Frame;
    // Before Rust 1.73 the message stands in quotes on the same line.
    if let Some(found) = OLD_PANIC.captures(line) {
        exception.say("panic", found.get(1).map_or("", |part| part.as_str()));
        place = frame(at, text(&found, 2).as_deref(), None, text(&found, 3).as_deref(), text(&found, 4).as_deref());
    // Since then it follows in lines of its own, up to a mark.
    } else if let Some(found) = PANIC.captures(line) {
        let mut message = Vec::new();
        while message.len() < MAX_MESSAGE && next < lines.len() && !ends_message(lines.get(next)) {
            message.push(lines.get(next).to_owned());
            next += 1;
        }
        exception.say("panic", message.join("\n").trim());
        if message.len() >= MAX_MESSAGE && next < lines.len() && !ends_message(lines.get(next)) {
            exception.is_message_cut = true;
            let mut rest = next..lines.len().min(next + MAX_REST);
            let end = rest.find(|&line| ends_message(lines.get(line)));
            next = end.filter(|&line| lines.get(line).trim() == BACKTRACE).unwrap_or(next);
        }
        let (path, row) = (text(&found, 1).or(text(&found, 4)), text(&found, 2).or(text(&found, 5)));
        place = frame(at, path.as_deref(), None, row.as_deref(), text(&found, 3).as_deref());
    } else {
        // The old form with a message of several lines.
        let first = line.split_once("panicked at '")?.1;
        let end = (at + 1..lines.len().min(at + MAX_MESSAGE)).find(|&line| OLD_END.is_match(lines.get(line)))?;
        let found = OLD_END.captures(lines.get(end))?;
        let middle = (at + 1..end).map(|line| lines.get(line));
        let last = found.get(1).map_or("", |part| part.as_str());
        let message: Vec<&str> = std::iter::once(first).chain(middle).chain([last]).collect();
        exception.say("panic", &message.join("\n"));
        place = frame(end, text(&found, 2).as_deref(), None, text(&found, 3).as_deref(), text(&found, 4).as_deref());
        next = end + 1;
    }
    // The backtrace may follow after a hint or other output, but not after another panic.
    let mut soon = next..lines.len().min(next + MAX_BETWEEN);
    let starts = |line: &usize| lines.get(*line).trim() == BACKTRACE || is_numbered(lines, *line);
    let first = soon.find(|line| starts(line) || lines.get(*line).contains("panicked at "));
    if let Some(first) = first.filter(starts) {
        let is_header = !is_numbered(lines, first);
        next = backtrace(lines, first + usize::from(is_header), &mut exception);
    }
    // The place of the panic is a frame, also where the backtrace is off or cut.
    let same =
        |frame: &Frame| frame.line == place.line && frame.path.as_deref().is_some_and(|path| same_file(path, &place));
    if !exception.frames.iter().any(same) {
        exception.frames.insert(0, place);
    }
    Some(Block { exceptions: vec![exception], next })
}

fn same_file(path: &str, place: &Frame) -> bool {
    let path = path.replace('\\', "/");
    let own = place.path.as_deref().unwrap_or_default().replace('\\', "/");
    let own = own.trim_start_matches("./");
    path == own || path.ends_with(&format!("/{own}"))
}

fn ends_message(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line == BACKTRACE
        || line.starts_with("note: ")
        || line.contains("panicked at ")
        || line.starts_with("```")
        || line.starts_with("thread '")
}

/// Frames from `at` on; returns the index of the first line after them.
fn backtrace(lines: &Lines<'_>, mut at: usize, exception: &mut Exception) -> usize {
    while at < lines.len() {
        let line = lines.get(at);
        if let Some(found) = NUMBERED.captures(line) {
            if found.get(2).is_some_and(|name| name.as_str() == "<unknown>") {
                at += 1;
                continue;
            }
            let function = found.get(2).map(|name| without_hash(name.as_str()));
            // A backtrace that starts at 0 again belongs to something else.
            if found.get(1).is_some_and(|number| number.as_str() == "0") && !exception.frames.is_empty() {
                break;
            }
            exception.frames.push(frame(at, None, function, None, None));
        } else if let (Some(found), Some(last)) = (PLACE.captures(line), exception.frames.last_mut()) {
            let text = |index| found.get(index).map(|part| part.as_str());
            let place = frame(at, text(1), last.function.as_deref(), text(2), text(3));
            if last.path.is_none() {
                *last = place;
            } else {
                // Inlined calls have several locations below one number.
                exception.frames.push(place);
            }
        } else if line.starts_with(char::is_whitespace) && PLACE.is_match(lines.get(at + 1)) {
            // An inlined call with its own name.
            exception.frames.push(frame(at, None, Some(without_hash(line.trim())), None, None));
        } else {
            break;
        }
        at += 1;
    }
    at
}

/// `name::h0123456789abcdef` without the hash.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((rest, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => rest,
        _ => name,
    }
}

/// An error with its causes and backtrace, as printed by error crates.
fn error(lines: &Lines<'_>, start: usize) -> Option<Block> {
    let message = lines.get(start).strip_prefix("Error: ")?;
    let mut exceptions = vec![name_exception(Relation::Reported, "Error", message)];
    let mut at = lines.next_filled(start + 1, 3)?;
    if lines.get(at).trim() == "Caused by:" {
        at += 1;
        while !lines.get(at).trim().is_empty() && exceptions.len() < limits::EXCEPTIONS.min(MAX_MESSAGE) {
            let text = lines.get(at).trim();
            let text = text
                .split_once(": ")
                .filter(|(number, _)| number.parse::<u32>().is_ok())
                .map_or(text, |(_, text)| text);
            exceptions.push(name_exception(Relation::Cause, "Error", text));
            at += 1;
        }
        at = lines.next_filled(at, 3).unwrap_or(at);
    }
    if !lines.get(at).trim().eq_ignore_ascii_case(BACKTRACE) {
        return None;
    }
    let next = backtrace(lines, at + 1, &mut exceptions[0]);
    // The backtrace was captured at the root cause; the text prints it for the whole chain.
    exceptions.reverse();
    if let Some(frames) = exceptions.last_mut().map(|last| std::mem::take(&mut last.frames)) {
        exceptions[0].frames = frames;
    }
    Some(Block { exceptions, next })
}

/// An error with numbered causes, its location, and a backtrace below a banner.
fn report(lines: &Lines<'_>, start: usize) -> Option<Block> {
    let mut exceptions: Vec<Exception> = Vec::new();
    let mut at = start + 1;
    while exceptions.len() < MAX_MESSAGE
        && let Some(found) = NUMBERED.captures(lines.get(at))
    {
        let relation = if exceptions.is_empty() { Relation::Reported } else { Relation::Cause };
        exceptions.push(name_exception(relation, "Error", found.get(2).map_or("", |part| part.as_str())));
        at += 1;
    }
    let end = lines.len().min(at + MAX_MESSAGE);
    let banner = (at..end).find(|&line| lines.get(line).contains(" BACKTRACE "))?;
    let first = (banner + 1..end).find(|&line| NUMBERED.is_match(lines.get(line)))?;
    let root = exceptions.last_mut()?;
    let next = backtrace(lines, first, root);
    exceptions.reverse();
    Some(Block { exceptions, next })
}
